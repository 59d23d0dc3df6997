//! Arbitrary bytes as a document and a sentence of the structural retriever, and as its tables.
//!
//! Any text is rendered; the parts of an explanation add up to the score; tables are read as they were written or not at
//! all. Nothing may panic.

#![no_main]

use barecode_structural::{Learned, Options, StructuralIndex};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Some(learned) = Learned::read(bytes) {
        assert_eq!(learned.write(), bytes);
    }
    // The first byte chooses a language; most of its values, none.
    let (choice, bytes) = bytes.split_first().unwrap_or((&0, bytes));
    let text = String::from_utf8_lossy(bytes);
    let (document, sentence) = text.split_once('\0').unwrap_or((&text, &text));
    let mut languages = barecode_languages::LANGUAGES.iter();
    let language = languages
        .nth(usize::from(*choice))
        .map(|entry| entry.language);
    let index = StructuralIndex::of_languages(
        &[document, "int f(int a) { return a; }"],
        &[language],
        Options::default(),
    );
    let scores = index.scores(sentence);
    for (at, score) in scores.iter().enumerate() {
        let parts = index.explain(sentence, at);
        let sum: f64 = parts.iter().map(|part| part.score).sum();
        assert!(
            (sum - score).abs() <= 1e-3 * (1.0 + score.abs()),
            "{sum} and {score}"
        );
    }
});
