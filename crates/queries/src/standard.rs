//! Names that every C program shares.

use barecode_languages::library::is_mentioned;
use barecode_languages::words::{WordKind, is_word};

/// Returns `true` if a word belongs to the language: C17, C23, the preprocessor, and gcc's own.
pub(crate) fn is_keyword(name: &str) -> bool {
    const KINDS: WordKind = WordKind::C17
        .or(WordKind::C23)
        .or(WordKind::DIRECTIVE)
        .or(WordKind::COMPILER);
    is_word(name, KINDS) || name == "__builtin_expect"
}

/// Returns `true` if the standard library declares the name.
pub(crate) fn is_standard(name: &str) -> bool {
    is_mentioned(name)
}
