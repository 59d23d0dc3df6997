//! Renderings and sentences to features: numbers that represent a word, a construct, or constructs in a row.
//!
//! A feature is a hash of the words or constructs that it represents, so the tables hold no texts. Words of names are
//! not used. Source, assembly and WebAssembly have separate features, because the meaning of a construct depends on
//! the form of the code.

use std::collections::BTreeMap;

use crate::query::Question;
use crate::rendering::Rendering;
use crate::stems::Stems;
use crate::vocabulary::Field;
use crate::{Form, asked};

/// A feature, as the hash of the words or constructs that it represents.
pub type Feature = u64;

/// The kinds of features that the [second stage](crate::PARTS) distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A term of the signature.
    Signature,
    /// A word of the documentation of a called function.
    Calls,
    /// Anything else.
    Other,
}

/// Features with how often they occur, in ascending order.
pub type Features = Vec<(Feature, f32)>;

/// FNV-1a with 64 bits: the same on every machine.
fn hash(parts: &[&[u8]]) -> Feature {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for part in parts {
        // A byte that no text has ends a part.
        for byte in part.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

/// Occurrences count less the more of them there are.
fn damped(counts: BTreeMap<Feature, f32>) -> Features {
    let counts = counts.into_iter();
    counts
        .map(|(feature, n)| (feature, (1.0 + n).ln()))
        .collect()
}

/// The features of a text that is rendered.
pub fn document(rendering: &Rendering, stems: &mut Stems) -> Features {
    let mut counts: BTreeMap<Feature, f32> = BTreeMap::new();
    each(rendering, stems, |feature, _, _| {
        *counts.entry(feature).or_default() += 1.0;
    });
    damped(counts)
}

/// Calls `found` for each occurrence of a feature in a rendered text, with its kind and the words for it.
pub fn each(
    rendering: &Rendering,
    stems: &mut Stems,
    mut found: impl FnMut(Feature, Kind, &dyn Fn() -> String),
) {
    let form = match rendering.form {
        Form::Source => b"source".as_slice(),
        Form::Assembly => b"assembly",
        Form::Wasm => b"wasm",
    };
    for (field, word) in &rendering.words {
        if *field != Field::Names
            && let Some(stem) = stems.of(word)
        {
            let parts: &[&[u8]] = &[form, field.name().as_bytes(), stem.as_bytes()];
            let kind = match field {
                Field::Calls => Kind::Calls,
                _ => Kind::Other,
            };
            found(hash(parts), kind, &|| word.clone());
        }
    }
    let constructs: Vec<[u8; 2]> = rendering
        .concepts
        .iter()
        .map(|concept| (*concept as u16).to_le_bytes())
        .collect();
    for length in 1..=3 {
        let concepts = rendering.concepts.windows(length);
        for (row, concepts) in constructs.windows(length).zip(concepts) {
            let feature = hash(&[form, b"constructs", row.as_flattened()]);
            found(feature, Kind::Other, &|| {
                let words: Vec<&str> = concepts.iter().map(|concept| concept.words()).collect();
                words.join(", ")
            });
        }
    }
    for term in asked::terms(&rendering.signature) {
        let feature = hash(&[form, b"signature", term.as_bytes()]);
        found(feature, Kind::Signature, &|| in_words(&term));
    }
    let size = constructs.len().checked_ilog2().map_or(0, |log| log + 1);
    let feature = hash(&[form, b"size", &size.to_le_bytes()]);
    found(feature, Kind::Other, &|| format!("size {size}"));
}

/// A term of signatures in words.
pub fn in_words(term: &str) -> String {
    if let Some(count) = term.strip_prefix("in#") {
        return format!("takes {count} arguments");
    }
    match term.split_once(':') {
        Some(("in", of)) => format!("takes {}", of.to_lowercase()),
        Some(("out", of)) => format!("returns {}", of.to_lowercase()),
        _ => term.to_owned(),
    }
}

/// The features of a sentence, each with the words that it represents: words, words in a row, and statements about
/// types. Words in a row are left out if they are not from a sentence.
pub fn query(
    question: &Question,
    is_sentence: bool,
    stems: &mut Stems,
) -> BTreeMap<Feature, (String, f32)> {
    let words = question.words.iter();
    let words: Vec<String> = words
        .filter_map(|word| Some(stems.of(word)?.to_string()))
        .collect();
    let mut found: BTreeMap<Feature, (String, f32)> = BTreeMap::new();
    let mut add = |kind: &[u8], text: String| {
        let feature = hash(&[kind, text.as_bytes()]);
        found.entry(feature).or_insert((text, 0.0)).1 += 1.0;
    };
    for word in &words {
        add(b"word", word.clone());
    }
    for pair in words.windows(2).filter(|_| is_sentence) {
        add(b"words", pair.join(" "));
    }
    for (side, shape) in [("in", question.inputs), ("out", question.output)] {
        for one in shape.traits() {
            add(b"signature", format!("{side}:{one:?}"));
        }
    }
    if let Some(count) = question.count {
        add(b"signature", format!("in#{count}"));
    }
    for (_, count) in found.values_mut() {
        *count = (1.0 + *count).ln();
    }
    found
}
