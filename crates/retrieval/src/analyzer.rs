//! Text to terms.
//!
//! Queries and documents go through the same steps. For the tokenizers of a recipe these are words, lower case, stop
//! words out, stems. Stop words are removed from both sides, as `bm25s` does; removing them from the query alone
//! would score much the same, because a term counts only where both have it.
//!
//! A Hugging Face `tokenizer.json` cuts text by its own rules, lower case included or not, so nothing is done to
//! its tokens, and the special tokens that a model needs around every text are left out.
//!
//! The one hard thing is speed: a million snippets are cut in seconds, so terms are handed on one by one as
//! slices of a buffer, and ASCII text, which is nearly all code, takes a faster path. A test compares the two paths.

use std::path::Path;
use std::sync::LazyLock;

use barecode_tokens::{TokenizerError, TokenizerFile};
use regex::Regex;
use rust_stemmers::Algorithm;

use crate::options::{Bm25, Stemmer, StopWords, Tokenizer};
use crate::retriever::RetrieverError;

/// The words that [`StopWords::English`] leaves out: Lucene's list, which `bm25s` calls `english`.
pub const STOP_WORDS: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it",
    "no", "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these",
    "they", "this", "to", "was", "will", "with",
];

impl From<TokenizerError> for RetrieverError {
    fn from(error: TokenizerError) -> Self {
        RetrieverError::new(error.to_string(), error.hint())
    }
}

/// The steps from text to terms.
pub struct Analyzer {
    name: String,
    steps: Steps,
}

enum Steps {
    Words {
        tokenizer: Tokenizer,
        stop_words: StopWords,
        stemmer: Option<rust_stemmers::Stemmer>,
    },
    Json(TokenizerFile),
}

impl Analyzer {
    /// The steps that a BM25 retriever is configured for.
    pub fn new(options: &Bm25) -> Self {
        let mut name = match options.tokenizer {
            Tokenizer::Plain => "plain",
            Tokenizer::Code => "code",
        }
        .to_owned();
        if options.stop_words == StopWords::English {
            name.push_str("-stop");
        }
        let stemmer = match options.stemmer {
            Stemmer::None => None,
            Stemmer::English => {
                name.push_str("-stem");
                Some(rust_stemmers::Stemmer::create(Algorithm::English))
            }
        };
        Analyzer {
            name,
            steps: Steps::Words {
                tokenizer: options.tokenizer,
                stop_words: options.stop_words,
                stemmer,
            },
        }
    }

    /// The tokens of a `tokenizer.json`, whose name gets the start of the file's digest: `json-0123456789abcdef`.
    ///
    /// The file's settings for truncation and padding are ignored: the whole text counts.
    ///
    /// # Errors
    /// [`TokenizerError`] if the file is missing or not a tokenizer.
    pub fn read(path: &Path) -> Result<Self, TokenizerError> {
        let file = TokenizerFile::read(path)?;
        Ok(Analyzer {
            name: file.named("json"),
            steps: Steps::Json(file),
        })
    }

    /// The name of the steps, to be shown beside every score: `code-stop-stem`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The terms of a text, in its order, repetitions included.
    ///
    /// ```
    /// use barecode_retrieval::{Analyzer, Bm25, Tokenizer};
    /// let plain = Analyzer::new(&Bm25::PLAIN);
    /// let text = "parseHTTPHeader(p, utf8_len)";
    /// assert_eq!(plain.terms(text).unwrap(), ["parsehttpheader", "utf8_len"]);
    /// let code = Analyzer::new(&Bm25 { tokenizer: Tokenizer::Code, ..Bm25::PLAIN });
    /// assert_eq!(code.terms(text).unwrap(), ["parse", "http", "header", "utf", "len"]);
    /// ```
    ///
    /// # Errors
    /// [`TokenizerError::Failed`] if a `tokenizer.json` does not accept the text; the words of a recipe never fail.
    pub fn terms(&self, text: &str) -> Result<Vec<String>, TokenizerError> {
        let mut terms = Vec::new();
        self.each(0, text, &mut String::new(), |term| {
            terms.push(term.to_owned());
        })?;
        Ok(terms)
    }

    /// Passes on the terms of a text one by one. `index` names the text in an error; `buffer` is overwritten.
    pub(crate) fn each(
        &self,
        index: usize,
        text: &str,
        buffer: &mut String,
        mut take: impl FnMut(&str),
    ) -> Result<(), TokenizerError> {
        match &self.steps {
            Steps::Words {
                tokenizer,
                stop_words,
                stemmer,
            } => {
                let finish = |term: &str| {
                    if *stop_words == StopWords::English && STOP_WORDS.binary_search(&term).is_ok()
                    {
                        return;
                    }
                    match stemmer {
                        Some(stemmer) => take(&stemmer.stem(term)),
                        None => take(term),
                    }
                };
                match tokenizer {
                    Tokenizer::Plain => plain(text, buffer, finish),
                    Tokenizer::Code => code(text, buffer, finish),
                }
            }
            Steps::Json(file) => {
                let ids = file.ids(text);
                let ids = ids.map_err(|message| TokenizerError::Failed {
                    name: self.name.clone(),
                    text: format!("text {index} of this corpus"),
                    message,
                })?;
                for id in ids {
                    let token = file.token(id);
                    take(&token.expect("a token's number is in the vocabulary"));
                }
            }
        }
        Ok(())
    }
}

/// Two or more word characters in a row: `(?u)\b\w\w+\b` on the text in lower case.
fn plain(text: &str, buffer: &mut String, mut take: impl FnMut(&str)) {
    if text.is_ascii() {
        buffer.clear();
        buffer.push_str(text);
        buffer.make_ascii_lowercase();
        let mut start = 0;
        let bytes = buffer.as_bytes();
        for (end, byte) in bytes.iter().enumerate() {
            if !IS_WORD[usize::from(*byte)] {
                if end > start + 1 {
                    take(ascii(buffer, start, end));
                }
                start = end + 1;
            }
        }
        if bytes.len() > start + 1 {
            take(ascii(buffer, start, bytes.len()));
        }
    } else {
        plain_of_any(text, take);
    }
}

/// [`plain`] for text of any alphabet. A word character is one of Python's `re`: letters, numbers and `_`, but no
/// combining marks, which `\w` of other engines has.
fn plain_of_any(text: &str, take: impl FnMut(&str)) {
    static WORDS: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"[\p{L}\p{N}_]{2,}").expect("the pattern is one"));
    let lower = text.to_lowercase();
    WORDS
        .find_iter(&lower)
        .map(|word| word.as_str())
        .for_each(take);
}

const IS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

fn ascii(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end)
        .expect("every byte of ASCII begins a character")
}

/// The class of a character, which decides the borders inside an identifier.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    Digit,
    Other,
}

fn class(c: char) -> Class {
    if c.is_ascii() {
        return match c {
            'A'..='Z' => Class::Upper,
            'a'..='z' => Class::Lower,
            '0'..='9' => Class::Digit,
            _ => Class::Other,
        };
    }
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
/// A border is beside everything that is neither letter nor digit, between a letter and a digit, before a capital
/// that follows a small letter (`readByte`), and before the last of several capitals when a small letter follows it
/// (`HTTPServer`).
fn code(text: &str, part: &mut String, mut take: impl FnMut(&str)) {
    part.clear();
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
            finish(part, &mut take);
        }
        if this != Class::Other {
            part.extend(c.to_lowercase());
        }
        last = this;
    }
    finish(part, &mut take);
}

/// Single characters are left out as in [`plain`]: loop variables have no meaning.
fn finish(part: &mut String, take: &mut impl FnMut(&str)) {
    if part.chars().nth(1).is_some() {
        take(part);
    }
    part.clear();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn code(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        super::code(text, &mut String::new(), |term| terms.push(term.to_owned()));
        terms
    }

    fn plain(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        super::plain(text, &mut String::new(), |term| terms.push(term.to_owned()));
        terms
    }

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
    fn words_are_those_of_python() {
        // A decomposed accent ends a word, a superscript and a Roman numeral are part of one.
        assert_eq!(
            plain("cafe\u{301}s x² Ⅳa i\u{307}ß ñ_"),
            ["cafe", "x²", "ⅳa", "ñ_"]
        );
    }

    #[test]
    fn stop_words_leave_both_ends_of_the_list() {
        assert!(STOP_WORDS.is_sorted());
        let options = Bm25 {
            stop_words: StopWords::English,
            ..Bm25::PLAIN
        };
        assert_eq!(
            Analyzer::new(&options)
                .terms("an entry with the hash")
                .unwrap(),
            ["entry", "hash"]
        );
    }

    #[test]
    fn stems_join_forms_of_a_word() {
        let options = Bm25 {
            stemmer: Stemmer::English,
            ..Bm25::PLAIN
        };
        let analyzer = Analyzer::new(&options);
        let terms = analyzer
            .terms("compress compressed compressing compression")
            .unwrap();
        assert_eq!(terms, ["compress", "compress", "compress", "compress"]);
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        assert!(matches!(
            Analyzer::read(&path),
            Err(TokenizerError::Unreadable { .. })
        ));
        std::fs::write(&path, "{}").unwrap();
        let error = Analyzer::read(&path).err().unwrap();
        assert!(
            error
                .hint()
                .is_some_and(|hint| hint.contains("tokenizer.json"))
        );
        let message = error.to_string();
        assert!(
            message.contains("tokenizer.json` is not a tokenizer"),
            "{message}"
        );
    }

    proptest! {
        #[test]
        fn both_paths_cut_ascii_alike(text in "[ -~\\n]{0,60}") {
            let mut slow = Vec::new();
            plain_of_any(&text, |term| slow.push(term.to_owned()));
            prop_assert_eq!(plain(&text), slow);
        }

        #[test]
        fn terms_are_lower_case_words_of_the_text(text in "\\PC*") {
            for term in code(&text).iter().chain(&plain(&text)) {
                prop_assert!(term.chars().nth(1).is_some());
                prop_assert_eq!(term, &term.to_lowercase());
            }
        }

        #[test]
        fn parts_hold_all_letters_in_order_but_single_ones(text in "[a-zA-Z0-9_ ]{0,30}") {
            // Every part is in the text as it is read without its case.
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
