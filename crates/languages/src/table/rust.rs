//! Rust. In patterns a name with a capital is a constant.

use barecode_records::Language;

use crate::entry::SLASHES;
use crate::{Comments, Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("rust"),
    title: "Rust",
    aliases: &["rs"],
    units: &["rs"],
    // A single quote begins a lifetime as often as a letter.
    comments: Comments {
        quotes: &["\""],
        ..SLASHES
    },
    // The keywords of Rust 2021.
    keywords: &[
        "Self", "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern", "false",
        "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub", "ref", "return", "self",
        "static", "struct", "super", "trait", "true", "type", "unsafe", "use", "where", "while",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_rust::LANGUAGE,
            items: &[include_str!("../data/rust/items.scm")],
            names: &[
                include_str!("../data/rust/names.scm"),
                include_str!("../data/rust/spellings.scm"),
            ],
        }],
        capitals_count: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
