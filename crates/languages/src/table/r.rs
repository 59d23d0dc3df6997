//! R.

use barecode_records::Language;

use crate::entry::HASH;
use crate::{Comments, Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("r"),
    title: "R",
    units: &["r", "R"],
    documents: &["Rmd", "rmd", "qmd", "ipynb"],
    comments: Comments {
        quotes: &["\"", "'", "`"],
        ..HASH
    },
    // The reserved words of R.
    keywords: &[
        "FALSE", "Inf", "NA", "NA_character_", "NA_complex_", "NA_integer_", "NA_real_", "NULL", "NaN", "TRUE", "break",
        "else", "for", "function", "if", "in", "next", "repeat", "while",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_r::LANGUAGE,
            items: &[include_str!("../data/r/items.scm")],
            names: &[
                include_str!("../data/r/names.scm"),
                include_str!("../data/r/spellings.scm"),
            ],
        }],
        calls_find_functions: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
