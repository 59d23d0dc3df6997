//! Dart, whose files are recognized and not mined.

use barecode_records::Language;

use crate::Entry;

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("dart"),
    title: "Dart",
    units: &["dart"],
    // The reserved words of Dart.
    keywords: &[
        "assert", "await", "break", "case", "catch", "class", "const", "continue", "default", "do", "else", "enum",
        "extends", "false", "final", "finally", "for", "if", "in", "is", "new", "null", "rethrow", "return", "super",
        "switch", "this", "throw", "true", "try", "var", "void", "while", "with", "yield",
    ],
    ..Entry::PLAIN
};
