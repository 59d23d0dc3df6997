//! Options that retrievers and models share: how vectors are compared, and what BM25 is.

use serde::{Deserialize, Serialize};

/// How vectors are compared; higher scores are nearer.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Similarity {
    /// By the angle between them.
    #[default]
    Cosine,
    /// By their product.
    Dot,
    /// By the distance between them, negative.
    Euclid,
}

impl Similarity {
    /// As a recipe has it: `cosine`, `dot`, `euclid`.
    pub fn name(self) -> &'static str {
        match self {
            Similarity::Cosine => "cosine",
            Similarity::Dot => "dot",
            Similarity::Euclid => "euclid",
        }
    }
}

/// The options of BM25.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// Which formula.
    pub form: Form,
    /// What a word is.
    pub tokenizer: Tokenizer,
    /// Which words are left out, of queries and documents alike.
    pub stop_words: StopWords,
    /// What counts as the same word.
    pub stemmer: Stemmer,
    /// How soon more of the same word stops helping.
    pub k1: f64,
    /// How much long documents are held back.
    pub b: f64,
    /// What a term is worth at least, in the forms that [have it](Form::has_delta); no other form reads it.
    pub delta: f64,
}

impl Default for Bm25 {
    fn default() -> Self {
        Bm25 {
            form: Form::Lucene,
            tokenizer: Tokenizer::Plain,
            stop_words: StopWords::None,
            stemmer: Stemmer::None,
            k1: 1.5,
            b: 0.75,
            delta: 0.5,
        }
    }
}

/// Which formula BM25 is, by the names that `bm25s` and Kamphuis et al. (*Which BM25 do you mean?*, ECIR 2020,
/// table 1) give them; the formulas stand with the index in `barecode-retrieval`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    /// Lucene's: no weight is negative, and the constant factor k1 + 1 is left out.
    Lucene,
    /// Robertson's and Spärck Jones's: a term that half of the documents have weighs nothing.
    Robertson,
    /// ATIRE's: weights by `ln(N / df)`.
    Atire,
    /// Lv and Zhai's BM25L (2011): long documents are held back less.
    Bm25l,
    /// Lv and Zhai's BM25+ (2011): a term that occurs is worth at least `delta`.
    #[serde(rename = "bm25+")]
    Bm25Plus,
}

impl Form {
    /// All forms, in the order of the table.
    pub const ALL: [Form; 5] = [
        Form::Lucene,
        Form::Robertson,
        Form::Atire,
        Form::Bm25l,
        Form::Bm25Plus,
    ];

    /// As `bm25s` calls it: `lucene`, `robertson`, `atire`, `bm25l`, `bm25+`.
    pub fn name(self) -> &'static str {
        match self {
            Form::Lucene => "lucene",
            Form::Robertson => "robertson",
            Form::Atire => "atire",
            Form::Bm25l => "bm25l",
            Form::Bm25Plus => "bm25+",
        }
    }

    /// Whether the formula reads `delta`.
    pub fn has_delta(self) -> bool {
        matches!(self, Form::Bm25l | Form::Bm25Plus)
    }
}

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokenizer {
    /// Two or more letters, digits and underscores in a row, as `bm25s` and scikit-learn have it.
    Plain,
    /// The parts of identifiers: `parseHTTPHeader_v2` is parse, http, header.
    Code,
}

/// Which words are left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum StopWords {
    /// None.
    None,
    /// The 33 English words of Lucene's list.
    English,
}

/// What counts as the same word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stemmer {
    /// Only equal words.
    None,
    /// Words of one stem by the Snowball rules for English.
    English,
}

impl Bm25 {
    /// The option that is out of its range, with its value and what it can be.
    pub fn out_of_range(&self) -> Option<(&'static str, f64, &'static str)> {
        let Bm25 { k1, b, delta, .. } = *self;
        if !(k1.is_finite() && k1 >= 0.0) {
            return Some(("k1", k1, "a number from 0 up"));
        }
        if !(0.0..=1.0).contains(&b) {
            return Some(("b", b, "a number from 0 to 1"));
        }
        if !(delta.is_finite() && delta >= 0.0) {
            return Some(("delta", delta, "a number from 0 up"));
        }
        None
    }
}
