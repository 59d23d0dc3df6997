//! PHP.

use barecode_records::Language;

use crate::entry::SLASHES;
use crate::{Comments, Dialect, Entry, FrontEnd, Tree};

#[rustfmt::skip]
pub(super) const ENTRY: Entry = Entry {
    language: Language::of_name("php"),
    title: "PHP",
    units: &["php"],
    comments: Comments {
        line: &["//", "#"],
        ..SLASHES
    },
    // The keywords of PHP 8.
    keywords: &[
        "abstract", "and", "array", "as", "break", "callable", "case", "catch", "class", "clone", "const", "continue",
        "declare", "default", "do", "echo", "else", "elseif", "empty", "enddeclare", "endfor", "endforeach", "endif",
        "endswitch", "endwhile", "enum", "eval", "exit", "extends", "final", "finally", "fn", "for", "foreach",
        "function", "global", "goto", "if", "implements", "include", "include_once", "instanceof", "insteadof",
        "interface", "isset", "list", "match", "namespace", "new", "or", "print", "private", "protected", "public",
        "readonly", "require", "require_once", "return", "static", "switch", "throw", "trait", "try", "unset", "use",
        "var", "while", "xor", "yield",
    ],
    front_end: Some(FrontEnd::Tree(&Tree {
        dialects: &[Dialect {
            grammar: tree_sitter_php::LANGUAGE_PHP,
            items: &[include_str!("../data/php/items.scm")],
            names: &[
                include_str!("../data/php/names.scm"),
                include_str!("../data/php/spellings.scm"),
            ],
        }],
        prefix: "<?php\n",
        ..Tree::PLAIN
    })),
    ..Entry::PLAIN
};
