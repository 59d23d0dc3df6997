//! Arbitrary text to tokens: they are in order, do not overlap, and leave nothing but blanks between them.

#![no_main]

use barecode_corpus::preprocess::lex::{TokenKind, lex, lex_with_comments};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let tokens = lex_with_comments(text);
    let mut end = 0;
    for token in &tokens {
        assert!(end <= token.start && token.start < token.end, "{token:?}");
        // A line that a backslash continues is one line: the backslash counts as a blank.
        let between = text
            .get(end..token.start)
            .expect("tokens begin and end at characters");
        let blank = |c: char| c.is_whitespace() || c == '\\' || c.is_control();
        assert!(between.chars().all(blank), "{between:?} is in no token");
        assert!(text.get(token.start..token.end).is_some());
        end = token.end;
    }
    let without = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Comment)
        .count();
    assert_eq!(lex(text).len(), without);
});
