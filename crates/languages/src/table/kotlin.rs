//! Kotlin, whose files are recognized and not mined.

use barecode_records::Language;

use crate::Entry;
use crate::entry::TRIPLE;

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("kotlin"),
    title: "Kotlin",
    units: &["kt", "kts"],
    comments: TRIPLE,
    // The hard keywords of Kotlin.
    keywords: &[
        "as", "break", "class", "continue", "do", "else", "false", "for", "fun", "if", "in", "interface", "is", "null",
        "object", "package", "return", "super", "this", "throw", "true", "try", "typealias", "typeof", "val", "var",
        "when", "while",
    ],
    ..Entry::PLAIN
};
