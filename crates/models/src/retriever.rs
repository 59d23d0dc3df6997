//! A retriever as it was asked for, every default spelled out.

use std::collections::BTreeMap;

use barecode_records::Digest;
use serde::{Deserialize, Serialize};

use crate::config::Dtype;
use crate::wire::Wire;

/// How many documents a list keeps unless the recipe says otherwise.
pub const DEFAULT_DEPTH: u32 = 1000;

/// One retriever of a recipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "Wire")]
pub struct RetrieverConfig {
    name: String,
    depth: u32,
    kind: RetrieverKind,
}

/// What the retriever does.
#[derive(Debug, Clone, PartialEq)]
pub enum RetrieverKind {
    /// Words in common, weighted by how rare they are.
    Bm25(Bm25),
    /// A random order, drawn per query: what knowing nothing scores.
    Random,
    /// Vectors that a model gives.
    Dense(Dense),
}

/// The options of a retriever that compares vectors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dense {
    /// The model: a short form such as `hf:ORG/NAME`, or a name that the recipe's models have.
    pub model: String,
    /// How two vectors are compared.
    pub similarity: Similarity,
    /// How documents' vectors are stored; as they come where it is `None`.
    pub dtype: Option<Dtype>,
    /// Numbers of a vector, where it shall have fewer than the model gives.
    pub dimensions: Option<u32>,
}

impl Dense {
    /// A model about which nothing else is said: vectors as they come, by their cosine.
    pub fn new(model: &str) -> Self {
        Dense {
            model: model.to_owned(),
            similarity: Similarity::Cosine,
            dtype: None,
            dimensions: None,
        }
    }
}

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

/// Why a `[[retriever]]` table means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RetrieverError {
    /// The name cannot be a file's name.
    #[error(
        "retriever name `{name}` cannot be a file name, expected 1 to 64 letters, digits, `-`, `_` and `.`, \
         beginning with a letter or digit"
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// Two retrievers would write the same files.
    #[error(
        "retriever name `{name}` stands twice (tables {first} and {second}); give one of them another `name`"
    )]
    SameName {
        /// The name.
        name: String,
        /// One-based place of the first.
        first: usize,
        /// One-based place of the second.
        second: usize,
    },
    /// A number is out of its range.
    #[error("retriever option `{option}` is {value}, expected {expected}")]
    OutOfRange {
        /// The option's key.
        option: &'static str,
        /// What was written.
        value: String,
        /// What can be.
        expected: &'static str,
    },
    /// The kind of retriever needs an option.
    #[error("retriever of kind `{kind}` has no `{option}`, expected {expected}")]
    Missing {
        /// The kind.
        kind: &'static str,
        /// The option's key.
        option: &'static str,
        /// What it could be.
        expected: &'static str,
    },
    /// The kind of retriever has no such option.
    #[error("retriever of kind `{kind}` has no option `{option}`")]
    NoSuchOption {
        /// The kind.
        kind: &'static str,
        /// The option's key.
        option: &'static str,
    },
}

impl RetrieverConfig {
    /// A retriever; without a name it gets its label.
    ///
    /// ```
    /// use barecode_models::{Bm25, RetrieverConfig, RetrieverKind, Tokenizer};
    /// let options = Bm25 { tokenizer: Tokenizer::Code, ..Bm25::default() };
    /// let config = RetrieverConfig::new(None, RetrieverKind::Bm25(options), 1000).unwrap();
    /// assert_eq!(config.name(), "bm25-code");
    /// ```
    pub fn new(
        name: Option<String>,
        kind: RetrieverKind,
        depth: u32,
    ) -> Result<Self, RetrieverError> {
        if let RetrieverKind::Bm25(Bm25 { k1, b, delta, .. }) = &kind {
            let (k1, b, delta) = (*k1, *b, *delta);
            let out_of_range = |option, value: f64, expected| RetrieverError::OutOfRange {
                option,
                value: value.to_string(),
                expected,
            };
            if !(k1.is_finite() && k1 >= 0.0) {
                return Err(out_of_range("k1", k1, "a number from 0 up"));
            }
            if !(0.0..=1.0).contains(&b) {
                return Err(out_of_range("b", b, "a number from 0 to 1"));
            }
            if !(delta.is_finite() && delta >= 0.0) {
                return Err(out_of_range("delta", delta, "a number from 0 up"));
            }
        }
        if let RetrieverKind::Dense(Dense {
            dimensions: Some(0),
            ..
        }) = &kind
        {
            return Err(RetrieverError::OutOfRange {
                option: "dimensions",
                value: "0".to_owned(),
                expected: "a whole number from 1 up",
            });
        }
        if depth == 0 {
            return Err(RetrieverError::OutOfRange {
                option: "depth",
                value: "0".to_owned(),
                expected: "a whole number from 1 up",
            });
        }
        let name = name.unwrap_or_else(|| label(&kind));
        if !is_file_name(&name) {
            return Err(RetrieverError::BadName { name });
        }
        Ok(RetrieverConfig { name, depth, kind })
    }

    /// The name in files, tables and reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many documents a list keeps; a group of equal scores at the end is kept whole.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// What it does.
    pub fn kind(&self) -> &RetrieverKind {
        &self.kind
    }

    /// The options of vectors, if it compares vectors.
    pub fn dense(&self) -> Option<&Dense> {
        match &self.kind {
            RetrieverKind::Dense(dense) => Some(dense),
            RetrieverKind::Bm25(_) | RetrieverKind::Random => None,
        }
    }

    /// A digest of everything in it that changes a result.
    ///
    /// The name is part of it only where it enters a seed: renaming a BM25 keeps its runs valid. What a model is
    /// called is not part of it; its [identity](crate::Encoder::identity) has to stand beside the digest.
    pub fn digest(&self) -> String {
        let digest = Digest::new("retriever").field(self.depth.to_le_bytes());
        match &self.kind {
            RetrieverKind::Random => digest.field("random").field(&self.name).hex(),
            RetrieverKind::Bm25(options) => bm25_fields(digest, options).hex(),
            RetrieverKind::Dense(dense) => digest
                .field("dense")
                .field(dense.similarity.name())
                .field(dense.dtype.unwrap_or(Dtype::Float32).name())
                .field(dense.dimensions.unwrap_or(0).to_le_bytes())
                .hex(),
        }
    }
}

/// Runs of Lucene's form keep the digest that they had when it was the only one.
fn bm25_fields(digest: Digest, options: &Bm25) -> Digest {
    let &Bm25 {
        form,
        tokenizer,
        stop_words,
        stemmer,
        k1,
        b,
        delta,
    } = options;
    let digest = digest
        .field("bm25")
        .field(match tokenizer {
            Tokenizer::Plain => "plain",
            Tokenizer::Code => "code",
        })
        .field(match stop_words {
            StopWords::None => "none",
            StopWords::English => "english",
        })
        .field(match stemmer {
            Stemmer::None => "none",
            Stemmer::English => "english",
        })
        .field(k1.to_le_bytes())
        .field(b.to_le_bytes());
    let digest = match form {
        Form::Lucene => digest,
        other => digest.field(other.name()),
    };
    if form.has_delta() {
        digest.field(delta.to_le_bytes())
    } else {
        digest
    }
}

/// Checks that no two retrievers of a recipe write the same files.
///
/// Names that differ only in case are the same: some file systems do not tell them apart.
pub fn check_names(retrievers: &[RetrieverConfig]) -> Result<(), RetrieverError> {
    let mut seen = BTreeMap::new();
    for (i, retriever) in retrievers.iter().enumerate() {
        if let Some(first) = seen.insert(retriever.name.to_lowercase(), i + 1) {
            return Err(RetrieverError::SameName {
                name: retriever.name.clone(),
                first,
                second: i + 1,
            });
        }
    }
    Ok(())
}

/// A name made of the options that differ from the defaults.
fn label(kind: &RetrieverKind) -> String {
    let options = match kind {
        RetrieverKind::Bm25(options) => options,
        RetrieverKind::Random => return "random".to_owned(),
        RetrieverKind::Dense(dense) => return label_of(dense),
    };
    let usual = Bm25::default();
    // A name is a file's name, and has no `+`.
    let mut parts = vec![match options.form {
        Form::Lucene => "bm25".to_owned(),
        Form::Robertson | Form::Atire => format!("bm25-{}", options.form.name()),
        Form::Bm25l => "bm25l".to_owned(),
        Form::Bm25Plus => "bm25plus".to_owned(),
    }];
    if options.tokenizer == Tokenizer::Code {
        parts.push("code".to_owned());
    }
    if options.stop_words == StopWords::English {
        parts.push("stop".to_owned());
    }
    if options.stemmer == Stemmer::English {
        parts.push("stem".to_owned());
    }
    if options.k1.to_bits() != usual.k1.to_bits() {
        parts.push(format!("k1-{}", options.k1));
    }
    if options.b.to_bits() != usual.b.to_bits() {
        parts.push(format!("b-{}", options.b));
    }
    if options.form.has_delta() && options.delta.to_bits() != usual.delta.to_bits() {
        parts.push(format!("delta-{}", options.delta));
    }
    parts.join("-")
}

/// The last part of the model's name: `voyage-code-3`, `all-MiniLM-L6-v2`, `bge-m3`.
fn label_of(dense: &Dense) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let last = dense
        .model
        .rsplit(['/', ':', '#', ' ', '\\'])
        .find(|part| part.chars().any(|letter| letter.is_ascii_alphanumeric()));
    let last = last.unwrap_or("dense");
    let kept = last.chars().map(|c| if plain(c) { c } else { '-' });
    let mut parts: Vec<String> = vec![kept.take(40).collect()];
    if dense.similarity != Similarity::Cosine {
        parts.push(dense.similarity.name().to_owned());
    }
    if let Some(dtype) = dense.dtype.filter(|dtype| *dtype != Dtype::Float32) {
        parts.push(dtype.name().to_owned());
    }
    if let Some(dimensions) = dense.dimensions {
        parts.push(dimensions.to_string());
    }
    let label = parts.join("-");
    label
        .trim_start_matches(|c: char| !c.is_ascii_alphanumeric())
        .to_owned()
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bm25(options: Bm25) -> RetrieverConfig {
        RetrieverConfig::new(None, RetrieverKind::Bm25(options), DEFAULT_DEPTH).unwrap()
    }

    #[test]
    fn labels_name_what_differs_from_the_defaults() {
        let usual = Bm25::default();
        assert_eq!(bm25(usual).name(), "bm25");
        let code = Bm25 {
            tokenizer: Tokenizer::Code,
            ..usual
        };
        assert_eq!(bm25(code).name(), "bm25-code");
        let all = Bm25 {
            stop_words: StopWords::English,
            stemmer: Stemmer::English,
            k1: 1.2,
            b: 0.5,
            ..code
        };
        assert_eq!(bm25(all).name(), "bm25-code-stop-stem-k1-1.2-b-0.5");
        let random = RetrieverConfig::new(None, RetrieverKind::Random, 10).unwrap();
        assert_eq!(random.name(), "random");
        let dense = |dense: Dense| {
            let made = RetrieverConfig::new(None, RetrieverKind::Dense(dense), 10);
            made.unwrap().name().to_owned()
        };
        for (model, name) in [
            ("hf:intfloat/e5-base-v2@main", "e5-base-v2-main"),
            ("voyage:voyage-code-3", "voyage-code-3"),
            ("openai+http://localhost:8000/v1#BAAI/bge-m3", "bge-m3"),
            ("local:models/mini/", "mini"),
            ("process:python3 embed.py", "embed.py"),
            ("code", "code"),
            ("::", "dense"),
        ] {
            assert_eq!(dense(Dense::new(model)), name, "{model}");
        }
        let small = Dense {
            similarity: Similarity::Dot,
            dtype: Some(Dtype::Int8),
            dimensions: Some(256),
            ..Dense::new("voyage:voyage-code-3")
        };
        assert_eq!(dense(small), "voyage-code-3-dot-int8-256");
        let names = Form::ALL.map(|form| {
            let options = Bm25 {
                form,
                delta: 1.0,
                ..usual
            };
            bm25(options).name().to_owned()
        });
        assert_eq!(
            names,
            [
                "bm25",
                "bm25-robertson",
                "bm25-atire",
                "bm25l-delta-1",
                "bm25plus-delta-1"
            ]
        );
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        for name in [
            "",
            "..",
            ".hidden",
            "-x",
            "a/b",
            "a b",
            "ü",
            "a\\b",
            &"x".repeat(65),
        ] {
            let made = RetrieverConfig::new(Some(name.to_owned()), RetrieverKind::Random, 1);
            assert_eq!(
                made.unwrap_err(),
                RetrieverError::BadName {
                    name: name.to_owned()
                }
            );
        }
        assert!(RetrieverConfig::new(Some("a.B_c-9".to_owned()), RetrieverKind::Random, 1).is_ok());
    }

    #[test]
    fn names_must_differ_in_more_than_case() {
        let named = |name: &str| {
            RetrieverConfig::new(Some(name.to_owned()), RetrieverKind::Random, 1).unwrap()
        };
        assert!(check_names(&[named("a"), named("b")]).is_ok());
        let error = check_names(&[named("a"), named("b"), named("A")]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("`A` stands twice (tables 1 and 3)"),
            "{error}"
        );
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let made = |k1, b, depth| {
            let kind = RetrieverKind::Bm25(Bm25 {
                k1,
                b,
                ..Bm25::default()
            });
            RetrieverConfig::new(None, kind, depth).map_err(|error| error.to_string())
        };
        assert!(made(0.0, 0.0, 1).is_ok());
        assert!(made(-0.1, 0.5, 1).unwrap_err().contains("`k1` is -0.1"));
        assert!(made(f64::NAN, 0.5, 1).unwrap_err().contains("`k1` is NaN"));
        assert!(made(1.0, 1.1, 1).unwrap_err().contains("`b` is 1.1"));
        assert!(made(1.0, 1.0, 0).unwrap_err().contains("`depth` is 0"));
        let negative = RetrieverKind::Bm25(Bm25 {
            delta: -1.0,
            ..Bm25::default()
        });
        let error = RetrieverConfig::new(None, negative, 1).unwrap_err();
        assert!(error.to_string().contains("`delta` is -1"), "{error}");
    }

    #[test]
    fn the_digest_follows_what_changes_a_result() {
        let usual = bm25(Bm25::default());
        let renamed = RetrieverConfig::new(
            Some("other".to_owned()),
            usual.kind().clone(),
            DEFAULT_DEPTH,
        )
        .unwrap();
        assert_eq!(renamed.digest(), usual.digest());
        assert_ne!(
            bm25(Bm25 {
                b: 0.8,
                ..Bm25::default()
            })
            .digest(),
            usual.digest()
        );
        let of = |form, delta| {
            bm25(Bm25 {
                form,
                delta,
                ..Bm25::default()
            })
            .digest()
        };
        // What no formula reads changes nothing.
        assert_eq!(of(Form::Lucene, 1.0), usual.digest());
        assert_ne!(of(Form::Bm25Plus, 1.0), of(Form::Bm25Plus, 0.5));
        let mut all = Form::ALL.map(|form| of(form, 0.5)).to_vec();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 5);
        let shallow = RetrieverConfig::new(None, usual.kind().clone(), 10).unwrap();
        assert_ne!(shallow.digest(), usual.digest());
        let random = |name: &str| {
            RetrieverConfig::new(Some(name.to_owned()), RetrieverKind::Random, 1)
                .unwrap()
                .digest()
        };
        assert_ne!(random("a"), random("b"));
        let dense = |options: Dense| {
            RetrieverConfig::new(None, RetrieverKind::Dense(options), 1)
                .unwrap()
                .digest()
        };
        let usual = Dense::new("a");
        assert_eq!(dense(usual.clone()), dense(Dense::new("b")));
        let stored = |dtype| Dense {
            dtype: Some(dtype),
            ..usual.clone()
        };
        assert_eq!(dense(usual.clone()), dense(stored(Dtype::Float32)));
        let others = [
            stored(Dtype::Int8),
            Dense {
                similarity: Similarity::Euclid,
                ..usual.clone()
            },
            Dense {
                dimensions: Some(2),
                ..usual.clone()
            },
        ];
        let mut all: Vec<String> = others.into_iter().map(dense).collect();
        all.push(dense(usual));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 4);
    }
}
