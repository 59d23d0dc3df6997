//! Swift, whose files are recognized and not mined.

use barecode_records::Language;

use crate::entry::SLASHES;
use crate::{Comments, Entry};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("swift"),
    title: "Swift",
    units: &["swift"],
    comments: Comments {
        quotes: &["\"\"\"", "\""],
        ..SLASHES
    },
    // The keywords of Swift that are reserved.
    keywords: &[
        "Any", "Self", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
        "deinit", "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard",
        "if", "import", "in", "init", "inout", "internal", "is", "let", "nil", "open", "operator", "precedencegroup",
        "private", "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct", "subscript",
        "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    ],
    ..Entry::PLAIN
};
