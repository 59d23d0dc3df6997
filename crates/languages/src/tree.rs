//! The reading rules for the trees of a language: queries of tree-sitter as data, a folder a language.
//!
//! `items.scm` finds the parts of a file. Each match captures a whole node and, inside of it, its `@name` and
//! `@body`:
//!
//! | capture | meaning |
//! | --- | --- |
//! | `@function`, `@method`, `@constructor`, `@destructor` | a function with a body |
//! | `@owner` | inside of a method that is outside of its class: the class |
//! | `@container` | a class, module or object whose functions need the code around them |
//! | `head`, `tail`, `separator` | set if its own text does not show how it opens, closes, and separates members |
//! | `@type`, `@global`, `@field` | a declaration without functions in it |
//! | `@comment`, `@attribute` | a comment; a node that is allowed between a comment and its function |
//!
//! `names.scm` assigns a class to each name. If several patterns match one name, the most exact class counts, and of
//! patterns of one class the last:
//!
//! | capture | meaning |
//! | --- | --- |
//! | `@value`, `@type` | a name that is looked up in the scopes around it |
//! | `@variable` | the same where a variable needs no declaration: it is declared in its function |
//! | `@callable`, `@macro`, `@label` | names with name spaces of their own |
//! | `@member` | a name behind an object; `@own`: behind the object that the text is about |
//! | `@key` | a member if the text declares one of this name, else a value |
//! | `@def.ROLE` | a name that is declared here, in the scope around the declaration |
//! | `@def.hoisted`, `@def.hoisted.function` | a variable of the whole function; a function that holds in all of it |
//! | `@assigned` | not declared here, even if other patterns match |
//! | `@scope`, `@scope.function` | a node in which names are declared |
//! | `@members` | a node in which a bare name may be a member that it declares |
//! | `@token` | a name in an argument of a macro, which may be of any name space |
//! | `@computed` | the position of a computed name: all variables that are known there stay |
//! | `@extent` | a declaration in which its own names do not hold yet |
//! | `@self`, `@receiver` | the object that the text is about; a name for it |
//! | `@argument` | the name of a named argument |
//! | `@stay` | a name that is not the text's |
//! | `@keep.REASON` | a name that stays wherever it occurs: the name is more than a name |
//! | `@declares.ROLE` | a name that is declared here for a renaming by spelling: it is not looked up by scopes |
//! | `@import`, `@given` | the same renaming: a name of another package, imported here; a name that is the language's |
//! | `@element` | an element of a page, whose name is distinguished by its capital |
//! | `@spelled`, `@format` | a text that spells a name; a text with names in braces |

use tree_sitter_language::LanguageFn;

/// The reading rules for the trees of a language.
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent facts of a language"
)]
pub struct Tree {
    /// A grammar and its queries; of several, the first that reads a text without an error.
    pub dialects: &'static [Dialect],
    /// The text that must come first for a text to be read as code.
    pub prefix: &'static str,
    /// True if a bare name may be a member of the class around it.
    pub bare_members: bool,
    /// True if the files of a folder share their declarations.
    pub folders_share: bool,
    /// True if a capital at the beginning of a name has a meaning in the language.
    pub capitals_count: bool,
    /// True if a text may have elements of pages, whose names are distinguished by their capitals.
    pub has_elements: bool,
    /// True if a call looks for a function of the name, and skips variables that are not functions.
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
    /// The values that most languages have.
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
