//! Ruby. A name with a capital is a constant.

use barecode_records::Language;

use crate::entry::HASH;
use crate::{Comments, Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("ruby"),
    title: "Ruby",
    aliases: &["rb"],
    units: &["rb"],
    comments: Comments {
        block: &[("\n=begin", "\n=end")],
        ..HASH
    },
    // The reserved words of Ruby.
    keywords: &[
        "BEGIN", "END", "__ENCODING__", "__FILE__", "__LINE__", "alias", "and", "begin", "break", "case", "class",
        "def", "defined?", "do", "else", "elsif", "end", "ensure", "false", "for", "if", "in", "module", "next", "nil",
        "not", "or", "redo", "rescue", "retry", "return", "self", "super", "then", "true", "undef", "unless", "until",
        "when", "while", "yield",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_ruby::LANGUAGE,
            items: &[include_str!("../data/ruby/items.scm")],
            names: &[
                include_str!("../data/ruby/names.scm"),
                include_str!("../data/ruby/spellings.scm"),
            ],
        }],
        bare_members: true,
        capitals_count: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
