//! A rendering as a description in plain words, for models that read English.
//!
//! A model that was trained on English makes little of code without names, and nothing of assembly. A description has
//! words that it knows: the types that go in and out, the called functions and the constructs.

use std::collections::HashSet;

use barecode_records::Language;

use crate::learned::types;
use crate::rendering::Rendering;
use crate::vocabulary::Field;
use crate::{Form, reads, render_in};

/// The number of words that a description uses for a construct; the first are the most common ones.
const WORDS: usize = 3;

/// A text in plain words ([`description`]); `None` for what the renderer does not know ([`is_known`]).
pub fn describe(text: &str, language: Option<Language>) -> Option<String> {
    is_known(text, language).then(|| description(&render_in(text, language)))
}

/// Returns `true` if the renderer knows the language of a text: not a listing of another processor than x86, not LLVM
/// IR, and not source of a language that is not [read](reads). `language` is that of source.
pub fn is_known(text: &str, language: Option<Language>) -> bool {
    match Form::of(text) {
        Form::Wasm => true,
        Form::Assembly => is_x86(text),
        Form::Source => {
            language.is_some_and(reads) && !text.lines().any(|line| line.starts_with("define "))
        }
    }
}

/// Returns `true` if a listing has registers of x86, in either syntax, or only instructions without operands.
fn is_x86(listing: &str) -> bool {
    const INTEL: [&str; 12] = [
        "rax", "eax", "rbp", "rsp", "rdi", "edi", "rsi", "esi", "rdx", "edx", "ecx", "xmm0",
    ];
    let words = || listing.split(|c: char| !c.is_ascii_alphanumeric() && c != '%');
    let is_register = |word: &str| {
        INTEL.contains(&word)
            || ["%r", "%e", "%x"]
                .iter()
                .any(|start| word.starts_with(start))
    };
    words().any(is_register) || words().all(|word| ["", "ret", "nop", "endbr64"].contains(&word))
}

/// The types that go in and out as a sentence. Then follow, each once: the purpose of the function, the
/// documentation of the called functions, words of strings, numbers, and the other constructs in the order of the
/// text. Names are left out; only a call or a type that is named like one of the library still counts.
///
/// ```
/// use barecode_structural::{description, render};
/// let text = description(&render("int f1(int a, int b) { return a < b ? a : b; }"));
/// assert!(text.starts_with("The function takes an integer and an integer and returns an integer."), "{text}");
/// assert!(text.contains("minimum smaller lesser"), "{text}");
/// ```
pub fn description(rendering: &Rendering) -> String {
    let words = |fields: &[Field]| {
        let words = rendering.words.iter();
        let words = words.filter(|(field, _)| fields.contains(field));
        each_once(words.map(|(_, word)| word.clone())).join(" ")
    };
    let constructs = |are_idioms: bool| {
        let concepts = rendering.concepts.iter();
        let concepts = concepts.filter(|it| (it.field() == Field::Idioms) == are_idioms);
        let described = concepts.map(|concept| {
            let words = concept.words().split_ascii_whitespace();
            words.take(WORDS).collect::<Vec<_>>().join(" ")
        });
        each_once(described).join(", ")
    };
    let types = types(&rendering.signature, || 1.0);
    let parts = [
        types.trim_end_matches('.'),
        &constructs(true),
        &words(&[Field::Calls]),
        &words(&[Field::Strings]),
        &words(&[Field::Literals]),
        &constructs(false),
    ];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(". ") + "."
}

/// In the order in which they were first met.
fn each_once(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen = HashSet::new();
    all.filter(|one| seen.insert(one.clone())).collect()
}
