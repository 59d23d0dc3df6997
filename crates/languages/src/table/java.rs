//! Java.

use barecode_records::Language;

use crate::entry::TRIPLE;
use crate::{Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("java"),
    title: "Java",
    units: &["java"],
    comments: TRIPLE,
    // The keywords of Java 21, its literals included.
    keywords: &[
        "abstract", "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "const", "continue",
        "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float", "for", "goto", "if",
        "implements", "import", "instanceof", "int", "interface", "long", "native", "new", "null", "package", "private",
        "protected", "public", "return", "short", "static", "strictfp", "super", "switch", "synchronized", "this",
        "throw", "throws", "transient", "true", "try", "void", "volatile", "while",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_java::LANGUAGE,
            items: &[include_str!("../data/java/items.scm")],
            names: &[
                include_str!("../data/java/names.scm"),
                include_str!("../data/java/spellings.scm"),
            ],
        }],
        bare_members: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
