//! TypeScript, and with JSX where it is not that.

use barecode_records::Language;

use crate::entry::BACKTICKS;
use crate::{Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("typescript"),
    title: "TypeScript",
    aliases: &["ts"],
    units: &["ts", "tsx"],
    comments: BACKTICKS,
    // The reserved words of TypeScript.
    keywords: &[
        "abstract", "any", "as", "await", "boolean", "break", "case", "catch", "class", "const", "continue", "debugger",
        "declare", "default", "delete", "do", "else", "enum", "export", "extends", "false", "finally", "for",
        "function", "if", "implements", "import", "in", "instanceof", "interface", "let", "module", "namespace",
        "never", "new", "null", "number", "private", "protected", "public", "readonly", "return", "static", "string",
        "super", "switch", "symbol", "this", "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var",
        "void", "while", "with", "yield",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[
            Dialect {
                grammar: tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
                items: ITEMS,
                names: &[
                    include_str!("../data/javascript/names.scm"),
                    include_str!("../data/typescript/names.scm"),
                    include_str!("../data/javascript/spellings.scm"),
                    include_str!("../data/javascript/constructors.scm"),
                    include_str!("../data/typescript/spellings.scm"),
                ],
            },
            Dialect {
                grammar: tree_sitter_typescript::LANGUAGE_TSX,
                items: ITEMS,
                names: &[
                    include_str!("../data/javascript/names.scm"),
                    include_str!("../data/typescript/names.scm"),
                    include_str!("../data/javascript/spellings.scm"),
                    include_str!("../data/javascript/constructors.scm"),
                    include_str!("../data/typescript/spellings.scm"),
                    include_str!("../data/javascript/jsx.scm"),
                    include_str!("../data/javascript/given.scm"),
                ],
            },
        ],
        has_elements: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};

const ITEMS: &[&str] = &[
    include_str!("../data/javascript/items.scm"),
    include_str!("../data/typescript/items.scm"),
];
