//! BM25 as a retriever: `bm25:tokenizer=plain,k1=1.2`.
//!
//! It sets options by their names, and connects the parts that cut texts, count words and search. Beside the
//! tokenizers of a recipe a file `tokenizer.json` can be named.

use std::path::{Path, PathBuf};

use barecode_records::Digest;

use crate::analyzer::Analyzer;
use crate::counts::Counts;
use crate::index::Bm25Index;
use crate::options::{Bm25, Form, Stemmer, StopWords, Tokenizer};
use crate::retriever::{Documents, Query, Retriever, RetrieverError, Scorer, Setting};
use crate::top::Scored;

/// BM25 with its options.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Lexical {
    /// The formula, its numbers, and the definition of a word.
    pub options: Bm25,
    /// A `tokenizer.json` whose tokens are the words instead.
    pub tokenizer: Option<PathBuf>,
}

impl Retriever for Lexical {
    fn kind(&self) -> &'static str {
        "bm25"
    }

    fn example(&self) -> Option<&'static str> {
        Some("bm25:tokenizer=plain,k1=1.2")
    }

    fn options(&self) -> Vec<(&'static str, Setting)> {
        let of = &self.options;
        let tokenizer = match &self.tokenizer {
            Some(path) => path.to_string_lossy().into_owned(),
            None => of.tokenizer.name().to_owned(),
        };
        vec![
            ("form", of.form.setting()),
            ("tokenizer", Setting::Text(tokenizer)),
            ("stop-words", of.stop_words.setting()),
            ("stemmer", of.stemmer.setting()),
            ("k1", Setting::Number(of.k1)),
            ("b", Setting::Number(of.b)),
            ("delta", Setting::Number(of.delta)),
        ]
    }

    fn set(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        let Some(value) = value else {
            return Err(format!(
                "`{option}` is not an option of BM25, expected KEY=VALUE"
            ));
        };
        let refused = |expected: &str| format!("`{option}` is `{value}`, expected {expected}");
        let number = || value.parse().map_err(|_| refused("a number"));
        let of = &mut self.options;
        match option {
            "form" => {
                let form = Form::named(value);
                of.form =
                    form.ok_or_else(|| refused("lucene, robertson, atire, bm25l or bm25+"))?;
            }
            "tokenizer" if value.to_lowercase().ends_with(".json") => {
                self.tokenizer = Some(value.into());
            }
            "tokenizer" => {
                let tokenizer = Tokenizer::named(value);
                of.tokenizer =
                    tokenizer.ok_or_else(|| refused("plain, code or a file tokenizer.json"))?;
            }
            "stop-words" => {
                let stop_words = StopWords::named(value);
                of.stop_words = stop_words.ok_or_else(|| refused("none or english"))?;
            }
            "stemmer" => {
                let stemmer = Stemmer::named(value);
                of.stemmer = stemmer.ok_or_else(|| refused("none or english"))?;
            }
            "k1" => of.k1 = number()?,
            "b" => of.b = number()?,
            "delta" => of.delta = number()?,
            _ => return Err(format!("BM25 has no option `{option}`")),
        }
        let out_of = |value: f64, expected| {
            Err(format!(
                "`{option}` is {value}, expected a number {expected}"
            ))
        };
        match option {
            "k1" if !(of.k1.is_finite() && of.k1 >= 0.0) => out_of(of.k1, "from 0 up"),
            "b" if !(0.0..=1.0).contains(&of.b) => out_of(of.b, "from 0 to 1"),
            "delta" if !(of.delta.is_finite() && of.delta >= 0.0) => out_of(of.delta, "from 0 up"),
            _ => Ok(()),
        }
    }

    fn reads(&self, option: &str) -> Result<(), String> {
        let form = self.options.form;
        if option == "delta" && !form.has_delta() {
            return Err(format!("bm25 of form {}", form.name()));
        }
        if self.tokenizer.is_some() && matches!(option, "stop-words" | "stemmer") {
            return Err("bm25 with a tokenizer.json".to_owned());
        }
        Ok(())
    }

    fn label(&self) -> String {
        let (of, usual) = (&self.options, Bm25::default());
        // A name is a file's name, and has no `+`.
        let mut parts = vec![match of.form {
            Form::Lucene => "bm25".to_owned(),
            Form::Robertson | Form::Atire => format!("bm25-{}", of.form.name()),
            Form::Bm25l => "bm25l".to_owned(),
            Form::Bm25Plus => "bm25plus".to_owned(),
        }];
        let words = [
            ("plain", of.tokenizer == Tokenizer::Plain),
            ("stop", of.stop_words == StopWords::English),
            ("stem", of.stemmer == Stemmer::English),
        ];
        let words = words.into_iter().filter(|(_, is_said)| *is_said);
        parts.extend(words.map(|(word, _)| word.to_owned()));
        let numbers = [
            ("k1", of.k1, usual.k1),
            ("b", of.b, usual.b),
            ("delta", of.delta, usual.delta),
        ];
        for (option, number, usual) in numbers {
            if self.reads(option).is_ok() && number.to_bits() != usual.to_bits() {
                parts.push(format!("{option}-{number}"));
            }
        }
        parts.join("-")
    }

    /// Runs of Lucene's form keep the digest that they had when it was the only one.
    fn add_to(&self, digest: Digest, _: &str) -> Digest {
        let of = &self.options;
        let mut digest = digest
            .field(of.tokenizer.name())
            .field(of.stop_words.name())
            .field(of.stemmer.name())
            .field(of.k1.to_le_bytes())
            .field(of.b.to_le_bytes());
        if of.form != Form::Lucene {
            digest = digest.field(of.form.name());
        }
        if of.form.has_delta() {
            digest = digest.field(of.delta.to_le_bytes());
        }
        digest
    }

    fn explains(&self) -> bool {
        true
    }

    fn file(&self) -> Option<&Path> {
        self.tokenizer.as_deref()
    }

    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError> {
        let analyzer = match &self.tokenizer {
            Some(path) => Analyzer::read(&corpus.base.join(path))?,
            None => Analyzer::new(&self.options),
        };
        let counts = Counts::of(analyzer, corpus.texts)?;
        Ok(Box::new(Bm25Index::new(counts, &self.options)))
    }
}

impl Scorer for Bm25Index<Counts> {
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let texts: Vec<&str> = queries.iter().map(|query| query.text).collect();
        Ok(self.search_all(&texts, depth)?)
    }

    fn explain(&self, query: &str, document: usize) -> Option<Vec<(String, f64)>> {
        Bm25Index::explain(self, query, document).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(options: &str) -> Result<Lexical, String> {
        let mut lexical = Lexical::default();
        for part in options.split(',').filter(|part| !part.is_empty()) {
            let (option, value) = part
                .split_once('=')
                .map_or((part, None), |(option, value)| {
                    (option.trim(), Some(value.trim()))
                });
            lexical.set(option, value)?;
        }
        Ok(lexical)
    }

    #[test]
    fn every_option_is_read() {
        let text =
            "form=bm25+, tokenizer=plain,stop-words=english,stemmer=english,k1=0.9,b=0.4,delta=1";
        let expected = Bm25 {
            form: Form::Bm25Plus,
            tokenizer: Tokenizer::Plain,
            stop_words: StopWords::English,
            stemmer: Stemmer::English,
            k1: 0.9,
            b: 0.4,
            delta: 1.0,
        };
        assert_eq!(read(text).unwrap().options, expected);
        assert_eq!(read("").unwrap(), Lexical::default());
        let file = read("tokenizer=models/mini/tokenizer.json").unwrap();
        assert_eq!(file.tokenizer, Some("models/mini/tokenizer.json".into()));
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for (text, why) in [
            ("k2=1", "BM25 has no option `k2`"),
            ("k1", "expected KEY=VALUE"),
            ("k1=x", "`k1` is `x`, expected a number"),
            ("k1=-0.1", "`k1` is -0.1, expected a number from 0 up"),
            ("k1=NaN", "`k1` is NaN"),
            ("b=2", "`b` is 2"),
            ("delta=-1", "`delta` is -1"),
            (
                "form=bm26",
                "expected lucene, robertson, atire, bm25l or bm25+",
            ),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(why), "{text}: {error}");
        }
    }

    #[test]
    fn labels_name_what_differs_from_the_defaults() {
        for (options, label) in [
            ("", "bm25"),
            ("tokenizer=plain", "bm25-plain"),
            (
                "tokenizer=plain,stop-words=english,stemmer=english,k1=1.2,b=0.5",
                "bm25-plain-stop-stem-k1-1.2-b-0.5",
            ),
            ("form=robertson,delta=1", "bm25-robertson"),
            ("form=atire", "bm25-atire"),
            ("form=bm25l,delta=1", "bm25l-delta-1"),
            ("form=bm25+,delta=1", "bm25plus-delta-1"),
        ] {
            assert_eq!(read(options).unwrap().label(), label);
        }
    }

    #[test]
    fn the_digest_follows_what_the_formula_reads() {
        let of = |options: &str| read(options).unwrap().add_to(Digest::new("x"), "").hex();
        // An option that no formula reads changes nothing.
        assert_eq!(of("delta=1"), of(""));
        let mut all: Vec<String> = Form::NAMES
            .iter()
            .map(|form| of(&format!("form={form}")))
            .collect();
        all.extend(["form=bm25+,delta=1", "b=0.8", "k1=1", "tokenizer=plain"].map(of));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 9);
    }
}
