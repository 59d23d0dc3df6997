//! Code and sentences to one vocabulary, for retrieval that does not read names.
//!
//! Enters: source code of twelve languages, x86-64 assembly or WebAssembly, or a sentence about a function. Leaves:
//! its words, in fields, and its signature; for a corpus, the score of each document and the share of each term in it.
//! Rendering consists of rules and tables in this crate; one part of a score was [learned] from pairs and is in the program. So
//! are sentences that identify the documents that score high for any sentence. Nothing is downloaded or drawn, and
//! the same text is rendered to the same words and scores everywhere.
//!
//! The one hard thing is to describe code in the words that people use for it. Constructs become [`Concept`]s with
//! words, calls of library functions the words of their documentation ([`documentation`]), types their names and
//! traits. Several constructs together become the idiom that they form. Names that a text declares are in a field of
//! their own, which can be left out ([`Options`]). A call named like a library function (`my_malloc`) is still read
//! as one.

use barecode_records::Language;
pub use barecode_vocabulary::{
    Concept, Field, Form, Rendering, Shape, Signature, Stems, Trait, documentation,
};
use barecode_vocabulary::{library, rendering, signature, sizes, stems, types, vocabulary, words};

mod asked;
mod description;
mod hubs;
mod index;
mod late;
pub mod learned;
mod low;
mod query;
mod source;
mod vectors;
mod weights;

pub use description::{describe, description, is_known};
pub use hubs::sentence_line;
pub use index::{Candidate, Part, StructuralIndex};
pub use late::PARTS;
pub use learned::Learned;
pub use low::{render_assembly, render_wasm};
pub use query::Question;
pub use source::render_c;
use source::{has_table, render_tree};
pub use weights::{Options, Weights};

/// Counts up whenever a text is rendered, described or scored differently than before, so that older lists are not
/// taken for new ones.
pub const VERSION: u32 = 8;

/// Renders a text as what it looks like: WebAssembly text, an x86-64 listing, otherwise C or C++.
pub fn render(text: &str) -> Rendering {
    match Form::of(text) {
        Form::Wasm => render_wasm(text),
        Form::Assembly => render_assembly(text),
        Form::Source => render_c(text),
    }
}

/// Renders a text of a language: source of any language with a table ([`reads`]), and lowered C and C++. A text of an
/// unknown language is rendered as what it looks like.
pub fn render_in(text: &str, language: Option<Language>) -> Rendering {
    // Lowered code keeps the name of its language.
    let source = language.filter(|_| Form::of(text) == Form::Source);
    let of_table = source.and_then(|language| render_tree(text, language));
    of_table.unwrap_or_else(|| render(text))
}

/// True if source code of a language is rendered from its own tree; other source is read as C.
pub fn reads(language: Language) -> bool {
    matches!(language, Language::C | Language::CPP) || has_table(language)
}
