//! Scala, whose files are recognized and not mined.

use barecode_records::Language;

use crate::Entry;
use crate::entry::TRIPLE;

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("scala"),
    title: "Scala",
    units: &["scala"],
    comments: TRIPLE,
    // The reserved words of Scala 3.
    keywords: &[
        "abstract", "case", "catch", "class", "def", "do", "else", "enum", "export", "extends", "false", "final",
        "finally", "for", "given", "if", "implicit", "import", "lazy", "match", "new", "null", "object", "override",
        "package", "private", "protected", "return", "sealed", "super", "then", "this", "throw", "trait", "true", "try",
        "type", "val", "var", "while", "with", "yield",
    ],
    ..Entry::PLAIN
};
