//! Julia, whose files are recognized and not mined.

use barecode_records::Language;

use crate::entry::HASH;
use crate::{Comments, Entry};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("julia"),
    title: "Julia",
    units: &["jl"],
    comments: Comments {
        block: &[("#=", "=#")],
        quotes: &["\"\"\"", "\""],
        ..HASH
    },
    // The reserved words of Julia.
    keywords: &[
        "baremodule", "begin", "break", "catch", "const", "continue", "do", "else", "elseif", "end", "export", "false",
        "finally", "for", "function", "global", "if", "import", "let", "local", "macro", "module", "quote", "return",
        "struct", "true", "try", "using", "while",
    ],
    ..Entry::PLAIN
};
