//! The options of BM25: the formula, its numbers, and the definition of a word.

use crate::retriever::Setting;

/// An enum of words: its variants by the names that files have for them.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$of:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $($(#[$of])* $variant,)*
        }

        impl $name {
            /// All, in the order of their names.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// All names.
            pub const NAMES: &[&str] = &[$($word,)*];

            /// As files and short forms have it.
            pub fn name(self) -> &'static str {
                match self {
                    $($name::$variant => $word,)*
                }
            }

            /// As the value of an option.
            pub fn setting(self) -> Setting {
                Setting::Word(self.name(), Self::NAMES)
            }

            pub(crate) fn named(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.name() == name)
            }
        }
    };
}

words! {
    /// The formula of BM25, by the names that `bm25s` and Kamphuis et al. (*Which BM25 do you mean?*, ECIR 2020,
    /// table 1) give them; the formulas are in the module `bm25`.
    Form {
        /// Lucene's: no weight is negative, and the constant factor k1 + 1 is left out.
        Lucene = "lucene",
        /// Robertson's and Spärck Jones's: a term that half of the documents have weighs nothing.
        Robertson = "robertson",
        /// ATIRE's: weights by `ln(N / df)`.
        Atire = "atire",
        /// Lv and Zhai's BM25L (2011): long documents are held back less.
        Bm25l = "bm25l",
        /// Lv and Zhai's BM25+ (2011): a term that occurs is worth at least `delta`.
        Bm25Plus = "bm25+",
    }
}

words! {
    /// The definition of a word.
    Tokenizer {
        /// Two or more letters, digits and underscores in a row, as `bm25s` and scikit-learn have it.
        Plain = "plain",
        /// The parts of identifiers: `parseHTTPHeader_v2` is parse, http, header.
        Code = "code",
    }
}

words! {
    /// The words that are left out.
    StopWords {
        /// None.
        None = "none",
        /// The 33 English words of Lucene's list.
        English = "english",
    }
}

words! {
    /// The words that count as the same.
    Stemmer {
        /// Only equal words.
        None = "none",
        /// Words of one stem by the Snowball rules for English.
        English = "english",
    }
}

impl Form {
    /// Returns `true` if the formula reads `delta`.
    pub fn has_delta(self) -> bool {
        matches!(self, Form::Bm25l | Form::Bm25Plus)
    }
}

/// The formula, its numbers, and the definition of a word.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bm25 {
    /// The formula.
    pub form: Form,
    /// The definition of a word.
    pub tokenizer: Tokenizer,
    /// The words that are left out, of queries and documents alike.
    pub stop_words: StopWords,
    /// The words that count as the same.
    pub stemmer: Stemmer,
    /// The saturation of repeated words: the higher, the longer more of the same word helps.
    pub k1: f64,
    /// The penalty of long documents.
    pub b: f64,
    /// The least weight of a term, in the forms that [have it](Form::has_delta); no other form reads it.
    pub delta: f64,
}

impl Bm25 {
    /// Words as they are written, as `bm25s` and scikit-learn have them.
    pub const PLAIN: Bm25 = Bm25 {
        form: Form::Lucene,
        tokenizer: Tokenizer::Plain,
        stop_words: StopWords::None,
        stemmer: Stemmer::None,
        k1: 1.5,
        b: 0.75,
        delta: 0.5,
    };
}

/// The options of `bm25` where none are given: parts of identifiers are words.
impl Default for Bm25 {
    fn default() -> Self {
        Bm25 {
            tokenizer: Tokenizer::Code,
            ..Bm25::PLAIN
        }
    }
}
