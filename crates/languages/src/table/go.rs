//! Go. A package is a folder.

use barecode_records::Language;

use crate::entry::BACKTICKS;
use crate::{Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("go"),
    title: "Go",
    aliases: &["golang"],
    units: &["go"],
    comments: BACKTICKS,
    // The keywords of Go.
    keywords: &[
        "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough", "for", "func", "go",
        "goto", "if", "import", "interface", "map", "package", "range", "return", "select", "struct", "switch", "type",
        "var",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_go::LANGUAGE,
            items: &[include_str!("../data/go/items.scm")],
            names: &[
                include_str!("../data/go/names.scm"),
                include_str!("../data/go/spellings.scm"),
            ],
        }],
        folders_share: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
