//! JavaScript, with JSX.

use barecode_records::Language;

use crate::entry::BACKTICKS;
use crate::{Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("javascript"),
    title: "JavaScript",
    aliases: &["js"],
    units: &["js", "mjs", "cjs", "jsx"],
    comments: BACKTICKS,
    // The reserved words of ECMAScript 2023.
    keywords: &[
        "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete", "do", "else",
        "enum", "export", "extends", "false", "finally", "for", "function", "if", "import", "in", "instanceof", "let",
        "new", "null", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void",
        "while", "with", "yield",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_javascript::LANGUAGE,
            items: &[
                include_str!("../data/javascript/items.scm"),
                include_str!("../data/javascript/classes.scm"),
            ],
            names: &[
                include_str!("../data/javascript/names.scm"),
                include_str!("../data/javascript/class_names.scm"),
                include_str!("../data/javascript/jsx.scm"),
                include_str!("../data/javascript/spellings.scm"),
                include_str!("../data/javascript/constructors.scm"),
                include_str!("../data/javascript/given.scm"),
            ],
        }],
        has_elements: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
