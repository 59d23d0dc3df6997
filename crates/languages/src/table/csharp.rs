//! C#.

use barecode_records::Language;

use crate::{Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("csharp"),
    title: "C#",
    aliases: &["c#", "cs"],
    units: &["cs"],
    // The keywords of C# 12.
    keywords: &[
        "abstract", "as", "base", "bool", "break", "byte", "case", "catch", "char", "checked", "class", "const",
        "continue", "decimal", "default", "delegate", "do", "double", "else", "enum", "event", "explicit", "extern",
        "false", "finally", "fixed", "float", "for", "foreach", "goto", "if", "implicit", "in", "int", "interface",
        "internal", "is", "lock", "long", "namespace", "new", "null", "object", "operator", "out", "override", "params",
        "private", "protected", "public", "readonly", "ref", "return", "sbyte", "sealed", "short", "sizeof",
        "stackalloc", "static", "string", "struct", "switch", "this", "throw", "true", "try", "typeof", "uint", "ulong",
        "unchecked", "unsafe", "ushort", "using", "virtual", "void", "volatile", "while",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_c_sharp::LANGUAGE,
            items: &[include_str!("../data/csharp/items.scm")],
            names: &[
                include_str!("../data/csharp/names.scm"),
                include_str!("../data/csharp/spellings.scm"),
            ],
        }],
        bare_members: true,
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
