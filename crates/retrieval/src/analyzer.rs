//! Text to terms.
//!
//! Queries and documents go through the same steps: words, lower case, stop words out, stems. Stop words are
//! taken out of both sides, as `bm25s` does; out of the query alone would score much the same, because a
//! term counts only where both have it.

use barecode_models::{Bm25, Stemmer, StopWords, Tokenizer};
use rust_stemmers::Algorithm;

/// The words that [`StopWords::English`] leaves out: Lucene's list, which `bm25s` calls `english`.
pub const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

/// The steps from text to terms.
pub struct Analyzer {
    tokenizer: Tokenizer,
    stop_words: StopWords,
    stemmer: Option<rust_stemmers::Stemmer>,
}

impl Analyzer {
    /// The steps that a BM25 retriever is configured for.
    pub fn new(options: &Bm25) -> Self {
        let stemmer = match options.stemmer {
            Stemmer::None => None,
            Stemmer::English => Some(rust_stemmers::Stemmer::create(Algorithm::English)),
        };
        Analyzer {
            tokenizer: options.tokenizer,
            stop_words: options.stop_words,
            stemmer,
        }
    }

    /// The terms of a text, in its order, repetitions included.
    ///
    /// ```
    /// use barecode_models::{Bm25, Tokenizer};
    /// use barecode_retrieval::Analyzer;
    /// let plain = Analyzer::new(&Bm25::default());
    /// assert_eq!(plain.terms("parseHTTPHeader(p, utf8_len)"), ["parsehttpheader", "utf8_len"]);
    /// let code = Analyzer::new(&Bm25 { tokenizer: Tokenizer::Code, ..Bm25::default() });
    /// assert_eq!(code.terms("parseHTTPHeader(p, utf8_len)"), ["parse", "http", "header", "utf", "len"]);
    /// ```
    pub fn terms(&self, text: &str) -> Vec<String> {
        let mut terms = match self.tokenizer {
            Tokenizer::Plain => plain(text),
            Tokenizer::Code => code(text),
        };
        if self.stop_words == StopWords::English {
            terms.retain(|term| STOP_WORDS.binary_search(&term.as_str()).is_err());
        }
        if let Some(stemmer) = &self.stemmer {
            for term in &mut terms {
                *term = stemmer.stem(term).into_owned();
            }
        }
        terms
    }
}

/// Two or more word characters in a row: `(?u)\b\w\w+\b` on the text in lower case.
fn plain(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words
        .filter(|word| word.chars().nth(1).is_some())
        .map(str::to_owned)
        .collect()
}

/// What a character is to the borders inside an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if c.is_uppercase() {
        Class::Upper
    } else if c.is_alphabetic() {
        Class::Lower
    } else if c.is_numeric() {
        Class::Digit
    } else {
        Class::Other
    }
}

/// The parts of identifiers, in lower case, two or more characters each.
///
/// A border lies beside everything that is neither letter nor digit, between a letter and a digit, before a
/// capital that follows a small letter (`readByte`), and before the last of several capitals when a small
/// letter follows it (`HTTPServer`).
fn code(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let mut part = String::new();
    let mut chars = text.chars().peekable();
    let mut last = Class::Other;
    while let Some(c) = chars.next() {
        let this = class(c);
        let next = chars.peek().map_or(Class::Other, |&c| class(c));
        let is_border = match (last, this) {
            (_, Class::Other) | (Class::Lower, Class::Upper) => true,
            (Class::Upper, Class::Upper) => next == Class::Lower,
            (Class::Digit, _) | (_, Class::Digit) => last != this,
            _ => false,
        };
        if is_border {
            finish(&mut part, &mut terms);
        }
        if this != Class::Other {
            part.extend(c.to_lowercase());
        }
        last = this;
    }
    finish(&mut part, &mut terms);
    terms
}

/// Single characters are left out as in [`plain`]: loop variables say nothing.
fn finish(part: &mut String, terms: &mut Vec<String>) {
    if part.chars().nth(1).is_some() {
        terms.push(std::mem::take(part));
    } else {
        part.clear();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn identifiers_fall_into_their_parts() {
        let parts = |text: &str| code(text).join(" ");
        assert_eq!(parts("HTTPServer"), "http server");
        assert_eq!(parts("parseHTTPHeader"), "parse http header");
        assert_eq!(parts("ZSTD_compressCCtx"), "zstd compress ctx");
        assert_eq!(parts("sqlite3_bind_int64"), "sqlite bind int 64");
        assert_eq!(parts("MAX_PATH"), "max path");
        assert_eq!(parts("utf8ToUtf16"), "utf to utf 16");
        assert_eq!(parts("fooBAR"), "foo bar");
        assert_eq!(parts("x->yValue[i] += 10;"), "value 10");
        assert_eq!(parts("größerAls"), "größer als");
    }

    #[test]
    fn stop_words_leave_both_ends_of_the_list() {
        assert!(STOP_WORDS.is_sorted());
        let options = Bm25 {
            stop_words: StopWords::English,
            ..Bm25::default()
        };
        assert_eq!(
            Analyzer::new(&options).terms("an entry with the hash"),
            ["entry", "hash"]
        );
    }

    #[test]
    fn stems_join_forms_of_a_word() {
        let options = Bm25 {
            stemmer: Stemmer::English,
            ..Bm25::default()
        };
        let terms = Analyzer::new(&options).terms("compress compressed compressing compression");
        assert_eq!(terms, ["compress", "compress", "compress", "compress"]);
    }

    proptest! {
        #[test]
        fn terms_are_lower_case_words_of_the_text(text in "\\PC*") {
            for term in code(&text).iter().chain(&plain(&text)) {
                prop_assert!(term.chars().nth(1).is_some());
                prop_assert_eq!(term, &term.to_lowercase());
            }
        }

        #[test]
        fn parts_hold_all_letters_in_order_but_single_ones(text in "[a-zA-Z0-9_ ]{0,30}") {
            // Every part stands in the text as it is read without its case.
            let lower = text.to_lowercase();
            let mut rest = lower.as_str();
            for part in code(&text) {
                let found = rest.find(&part);
                prop_assert!(found.is_some(), "{part} in {rest}");
                rest = rest.get(found.unwrap() + part.len()..).unwrap();
            }
        }
    }
}
