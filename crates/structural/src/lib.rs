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

mod asked;
mod description;
mod hubs;
mod index;
pub mod learned;
mod library;
mod low;
mod query;
mod rendering;
mod signature;
mod sizes;
mod source;
mod stems;
mod types;
mod vectors;
mod vocabulary;
mod weights;
mod words;

pub use description::{describe, is_known};
pub use hubs::sentence_line;
pub use index::{Part, StructuralIndex};
pub use learned::Learned;
pub use library::documentation;
pub use low::{render_assembly, render_wasm};
pub use query::Question;
pub use rendering::Rendering;
pub use signature::{Shape, Signature, Trait};
pub use source::render_c;
use source::{has_table, render_tree};
pub use stems::Stems;
pub use vocabulary::{Concept, Field};
pub use weights::{Options, Weights};

/// Counts up whenever a text is rendered, described or scored differently than before, so that older lists are not
/// taken for new ones.
pub const VERSION: u32 = 6;

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

/// The kind of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Form {
    /// C or C++.
    #[default]
    Source,
    /// A listing of x86-64.
    Assembly,
    /// WebAssembly as text.
    Wasm,
}

impl Form {
    /// Looks at the beginning of each of the first lines.
    fn of(text: &str) -> Self {
        let start = text.trim_start();
        if ["(func", "(module", "(component"]
            .iter()
            .any(|it| start.starts_with(it))
        {
            return Form::Wasm;
        }
        let lines = start
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(40);
        let (mut all, mut of_assembly) = (0, 0);
        for line in lines {
            all += 1;
            of_assembly += usize::from(is_instruction(line));
        }
        if of_assembly * 2 > all {
            Form::Assembly
        } else {
            Form::Source
        }
    }
}

/// Returns `true` if a line is an instruction, a label or a directive of assembly: no braces or semicolons, and a
/// mnemonic first.
fn is_instruction(line: &str) -> bool {
    const MNEMONICS: [&str; 34] = [
        "add", "and", "call", "cmp", "cvt", "div", "endbr", "idiv", "imul", "j", "lea", "leave",
        "mov", "mul", "neg", "nop", "not", "or", "pop", "push", "pxor", "ret", "sar", "set", "shl",
        "shr", "sub", "test", "xor", "cltq", "cqto", "cwtl", "ud2", "hlt",
    ];
    let code = line.split(['#', ';']).next().unwrap_or(line).trim_end();
    if code.contains(['{', '}', '=']) {
        return false;
    }
    let mut words = code.split_ascii_whitespace();
    let Some(first) = words.next() else {
        return false;
    };
    if first.ends_with(':') || first.starts_with('.') {
        return true;
    }
    let is_lower = first
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    // A branch has only a label for its operand.
    if is_lower
        && (first == "call" || first.starts_with('j'))
        && code.split_ascii_whitespace().count() == 2
    {
        return true;
    }
    let has_operand = code.contains(['%', '$', ','])
        || words
            .next()
            .is_none_or(|it| it.starts_with("0x") || it.starts_with('*') || it.starts_with('<'));
    is_lower && has_operand && MNEMONICS.iter().any(|it| first.starts_with(it))
}
