//! How trees of a language are read: queries of tree-sitter as data, a folder a language.
//!
//! `items.scm` finds what a file is made of. Each match captures a whole node and, inside of it, its `@name` and
//! `@body`:
//!
//! | capture | what it is |
//! | --- | --- |
//! | `@function`, `@method`, `@constructor`, `@destructor` | a function with a body |
//! | `@owner` | inside of a method that stands outside of its class: the class |
//! | `@container` | a class, module or object whose functions make no sense without what is around them; `head`, `tail` and `separator` are set where its own text does not say how it opens, closes, and what stands behind a member |
//! | `@type`, `@global`, `@field` | a declaration without functions in it |
//! | `@comment`, `@attribute` | a comment; what may stand between a comment and its function |
//!
//! `names.scm` says what each name is. Where several patterns take one name, the most exact class counts, and of
//! patterns of one class the last:
//!
//! | capture | what it is |
//! | --- | --- |
//! | `@value`, `@type` | a name that is looked for in the scopes around it |
//! | `@variable` | the same where a variable needs no declaration: it is declared in its function |
//! | `@callable`, `@macro`, `@label` | names with name spaces of their own |
//! | `@member` | a name behind an object; `@own`: behind the object that the text is about |
//! | `@key` | a member if the text declares one of this name, else a value |
//! | `@def.ROLE` | a name that is declared here, in the scope around the declaration |
//! | `@def.hoisted`, `@def.hoisted.function` | a variable of the whole function; a function that holds in all of it |
//! | `@assigned` | not declared here, whatever other patterns say |
//! | `@scope`, `@scope.function` | a node in which names are declared |
//! | `@members` | a node in which a bare name may be a member that it declares |
//! | `@token` | a name that a macro is given, which may be of any name space |
//! | `@computed` | where a name is computed: all variables that are known there stay |
//! | `@extent` | a declaration in which its own names do not hold yet |
//! | `@self`, `@receiver` | the object that the text is about; a name for it |
//! | `@argument` | the name that an argument is given by |
//! | `@stay` | a name that is not the text's |
//! | `@keep.REASON` | a name that stays wherever it stands: the name is more than a name |
//! | `@declares.ROLE` | a name that is declared here for a renaming by spelling: nothing looks for it by scopes |
//! | `@import`, `@given` | the same renaming: a name of another package, imported here; a name that is the language's |
//! | `@element` | an element of a page, whose name is told apart by its capital |
//! | `@spelled`, `@format` | a text that spells a name; a text with names in braces |

use tree_sitter_language::LanguageFn;

/// How trees of a language are read.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a language"
)]
pub struct Tree {
    /// A grammar and its queries; of several, the first that reads a text without an error.
    pub dialects: &'static [Dialect],
    /// What a text must begin with to be read as code.
    pub prefix: &'static str,
    /// Whether a bare name may be a member of the class around it.
    pub bare_members: bool,
    /// Whether the files of a folder share what they declare.
    pub folders_share: bool,
    /// Whether a capital at the beginning of a name means something to the language.
    pub capitals_count: bool,
    /// Whether a text may have elements of pages, whose names are told apart by their capitals.
    pub has_elements: bool,
    /// Whether a call looks for a function of the name, and passes over variables that are none.
    pub calls_find_functions: bool,
}

/// A grammar with the queries that read its trees. Each query is written in pieces, which are joined.
pub struct Dialect {
    /// The grammar.
    pub grammar: LanguageFn,
    /// Finds items.
    pub items: &'static [&'static str],
    /// Finds names.
    pub names: &'static [&'static str],
}

impl Tree {
    /// What most languages have.
    pub const PLAIN: Tree = Tree {
        dialects: &[],
        prefix: "",
        bare_members: false,
        folders_share: false,
        capitals_count: false,
        has_elements: false,
        calls_find_functions: false,
    };
}
