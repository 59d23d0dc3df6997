//! Arbitrary text as a condition of `#if`, after arbitrary definitions.
//!
//! The last line is the condition, the lines before it define macros. A condition holds or does not; that
//! it does so twice in the same way is what is checked beside crashes.

#![no_main]

use barecode_corpus::preprocess::condition::holds;
use barecode_corpus::preprocess::macros::{MacroTable, Word};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (defines, condition) = text.rsplit_once('\n').unwrap_or(("", text));
    let macros = MacroTable::from_defines(defines);
    let words = Word::lex(condition);
    let has_include = |name: &str| name.len().is_multiple_of(2);
    assert_eq!(
        holds(&words, &macros, &has_include),
        holds(&words, &macros, &has_include)
    );
});
