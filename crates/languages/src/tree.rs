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
//! | `@def.hoisted` | a variable of the whole function |
//! | `@assigned` | not declared here, whatever other patterns say |
//! | `@scope`, `@scope.function` | a node in which names are declared |
//! | `@extent` | a declaration in which its own names do not hold yet |
//! | `@self`, `@receiver` | the object that the text is about; a name for it |
//! | `@argument` | the name that an argument is given by |
//! | `@stay` | a name that is not the text's |
//! | `@keep.REASON` | a name that stays wherever it stands: the name is more than a name |
//! | `@element` | an element of a page, whose name is told apart by its capital |
//! | `@spelled`, `@format` | a text that spells a name; a text with names in braces |

use tree_sitter_language::LanguageFn;

/// How trees of a language are read.
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

/// What most languages have.
const PLAIN: Tree = Tree {
    dialects: &[],
    prefix: "",
    bare_members: false,
    folders_share: false,
    capitals_count: false,
};

const JS_ITEMS: &str = include_str!("data/javascript/items.scm");
const JS_NAMES: &str = include_str!("data/javascript/names.scm");
const JSX: &str = include_str!("data/javascript/jsx.scm");
const TS_ITEMS: &str = include_str!("data/typescript/items.scm");
const TS_NAMES: &str = include_str!("data/typescript/names.scm");

/// C#.
pub static CSHARP: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_c_sharp::LANGUAGE,
        items: &[include_str!("data/csharp/items.scm")],
        names: &[include_str!("data/csharp/names.scm")],
    }],
    bare_members: true,
    ..PLAIN
};

/// Go. A package is a folder.
pub static GO: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_go::LANGUAGE,
        items: &[include_str!("data/go/items.scm")],
        names: &[include_str!("data/go/names.scm")],
    }],
    folders_share: true,
    ..PLAIN
};

/// Java.
pub static JAVA: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_java::LANGUAGE,
        items: &[include_str!("data/java/items.scm")],
        names: &[include_str!("data/java/names.scm")],
    }],
    bare_members: true,
    ..PLAIN
};

/// JavaScript, with JSX.
pub static JAVASCRIPT: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_javascript::LANGUAGE,
        items: &[JS_ITEMS, include_str!("data/javascript/classes.scm")],
        names: &[
            JS_NAMES,
            include_str!("data/javascript/class_names.scm"),
            JSX,
        ],
    }],
    ..PLAIN
};

/// TypeScript, and with JSX where it is not that.
pub static TYPESCRIPT: Tree = Tree {
    dialects: &[
        Dialect {
            grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            items: &[JS_ITEMS, TS_ITEMS],
            names: &[JS_NAMES, TS_NAMES],
        },
        Dialect {
            grammar: tree_sitter_typescript::LANGUAGE_TSX,
            items: &[JS_ITEMS, TS_ITEMS],
            names: &[JS_NAMES, TS_NAMES, JSX],
        },
    ],
    ..PLAIN
};

/// PHP.
pub static PHP: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_php::LANGUAGE_PHP,
        items: &[include_str!("data/php/items.scm")],
        names: &[include_str!("data/php/names.scm")],
    }],
    prefix: "<?php\n",
    ..PLAIN
};

/// R.
pub static R: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_r::LANGUAGE,
        items: &[include_str!("data/r/items.scm")],
        names: &[include_str!("data/r/names.scm")],
    }],
    ..PLAIN
};

/// Ruby. A name with a capital is a constant.
pub static RUBY: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_ruby::LANGUAGE,
        items: &[include_str!("data/ruby/items.scm")],
        names: &[include_str!("data/ruby/names.scm")],
    }],
    bare_members: true,
    capitals_count: true,
    ..PLAIN
};

/// Rust. In patterns a name with a capital is a constant.
pub static RUST: Tree = Tree {
    dialects: &[Dialect {
        grammar: tree_sitter_rust::LANGUAGE,
        items: &[include_str!("data/rust/items.scm")],
        names: &[include_str!("data/rust/names.scm")],
    }],
    capitals_count: true,
    ..PLAIN
};
