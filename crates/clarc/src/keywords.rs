//! The words that CLARC's compiler does not treat as names.

use barecode_languages::words::{WordKind, is_word};

/// Returns `true` if a word is a keyword of C++, or of C with the same spelling.
pub(super) fn is_keyword(word: &str) -> bool {
    const KINDS: WordKind = WordKind::C17
        .or(WordKind::CPP20)
        .or(WordKind::ALTERNATIVE)
        .or(WordKind::CONTEXTUAL);
    !word.starts_with('_') && is_word(word, KINDS)
}

/// Returns `true` if a word names or begins a type by itself: `int`, `unsigned`, `auto`.
pub(super) fn is_type_keyword(word: &str) -> bool {
    matches!(
        word,
        "auto"
            | "bool"
            | "char"
            | "char16_t"
            | "char32_t"
            | "char8_t"
            | "double"
            | "float"
            | "int"
            | "long"
            | "short"
            | "signed"
            | "unsigned"
            | "void"
            | "wchar_t"
    )
}
