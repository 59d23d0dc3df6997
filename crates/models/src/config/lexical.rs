//! BM25 as `models.toml` and the command line ask for it: `bm25:tokenizer=code,k1=1.2`.
//!
//! The options are those of a recipe, by the same names; beside its tokenizers a file `tokenizer.json` can be named.

use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::short::nearest;
use crate::Bm25;

/// The options, in the order of `docs`.
pub(super) const OPTIONS: [&str; 7] = [
    "form",
    "tokenizer",
    "stop-words",
    "stemmer",
    "k1",
    "b",
    "delta",
];

/// BM25 with its options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lexical {
    /// The formula, its numbers, and what a word is.
    pub options: Bm25,
    /// A `tokenizer.json` whose tokens are the words instead.
    pub tokenizer: Option<PathBuf>,
}

impl Lexical {
    /// Reads `form=robertson,k1=1.2`; nothing leaves everything as it is by default.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut lexical = Lexical::default();
        for part in text.split(',').filter(|part| !part.trim().is_empty()) {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| format!("`{part}` is no option of BM25, expected KEY=VALUE"))?;
            lexical.set(key.trim(), value.trim())?;
        }
        Ok(lexical)
    }

    /// The options that differ from the usual ones.
    pub(super) fn said(&self) -> Map<String, Value> {
        let of = |options: &Bm25| {
            let all = json!([
                options.form,
                options.tokenizer,
                options.stop_words,
                options.stemmer,
                options.k1,
                options.b,
                options.delta,
            ]);
            OPTIONS
                .map(str::to_owned)
                .into_iter()
                .zip(all.as_array().cloned().unwrap_or_default())
        };
        let mut said: Map<String, Value> = of(&self.options)
            .zip(of(&Bm25::default()))
            .filter(|(is, usual)| is != usual)
            .map(|(is, _)| is)
            .collect();
        if let Some(path) = &self.tokenizer {
            said.insert("tokenizer".to_owned(), json!(path));
        }
        said
    }

    /// Sets an option, or says why it cannot be.
    pub(super) fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        match key {
            "form" => {
                options.form = one_of(key, value, "lucene, robertson, atire, bm25l or bm25+")?;
            }
            "tokenizer"
                if std::path::Path::new(value)
                    .extension()
                    .is_some_and(|end| end == "json") =>
            {
                self.tokenizer = Some(PathBuf::from(value));
            }
            "tokenizer" => {
                options.tokenizer = one_of(key, value, "plain, code or a file tokenizer.json")?;
            }
            "stop-words" => options.stop_words = one_of(key, value, "none or english")?,
            "stemmer" => options.stemmer = one_of(key, value, "none or english")?,
            "k1" => options.k1 = number(key, value)?,
            "b" => options.b = number(key, value)?,
            "delta" => options.delta = number(key, value)?,
            _ => {
                return Err(format!(
                    "BM25 has no option `{key}`{}",
                    nearest(key, OPTIONS)
                ));
            }
        }
        // The ranges are those of a recipe.
        match options.out_of_range() {
            Some((option, value, expected)) => {
                Err(format!("`{option}` is {value}, expected {expected}"))
            }
            None => Ok(()),
        }
    }
}

fn one_of<T: DeserializeOwned>(key: &str, value: &str, known: &str) -> Result<T, String> {
    serde_json::from_value(Value::from(value))
        .map_err(|_| format!("`{key}` is `{value}`, expected {known}"))
}

fn number(key: &str, value: &str) -> Result<f64, String> {
    value
        .parse()
        .map_err(|_| format!("`{key}` is `{value}`, expected a number"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Form, Stemmer, StopWords, Tokenizer};

    #[test]
    fn every_option_is_read() {
        let text =
            "form=bm25+, tokenizer=code,stop-words=english,stemmer=english,k1=0.9,b=0.4,delta=1";
        let read = Lexical::read(text).unwrap();
        let expected = Bm25 {
            form: Form::Bm25Plus,
            tokenizer: Tokenizer::Code,
            stop_words: StopWords::English,
            stemmer: Stemmer::English,
            k1: 0.9,
            b: 0.4,
            delta: 1.0,
        };
        assert_eq!(read.options, expected);
        assert_eq!(Lexical::read("").unwrap(), Lexical::default());
        let file = Lexical::read("tokenizer=models/mini/tokenizer.json").unwrap();
        assert_eq!(file.tokenizer, Some("models/mini/tokenizer.json".into()));
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for (text, why) in [
            ("k2=1", "BM25 has no option `k2`; did you mean `k1`?"),
            ("k1", "expected KEY=VALUE"),
            ("k1=x", "`k1` is `x`, expected a number"),
            ("b=2", "`b` is 2"),
            (
                "form=bm26",
                "expected lucene, robertson, atire, bm25l or bm25+",
            ),
        ] {
            let error = Lexical::read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }
}
