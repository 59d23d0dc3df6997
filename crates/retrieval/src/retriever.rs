//! The interface of a retriever that needs no model: its options, its name, and a corpus made ready.
//!
//! In comes a kind with options (`bm25:k1=1.2`, or a table of a recipe); out comes a [`Scorer`] that lists documents
//! for queries. Every property of a retriever that a program needs is a method of the trait, with the value of a
//! plain one as its default. These are whether its scores of two queries compare, and whether it compares documents
//! ([`Compares`]), scores all of a corpus term by term ([`ScoresAll`]), or reads languages ([`Knows`]). So a
//! contributor adds one as a file, and names it in the registry of `barecode-evaluate`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use barecode_records::{Digest, Language};

use crate::top::Scored;

/// A way to list documents for queries, with its options.
pub trait Retriever: fmt::Debug + Send + Sync {
    /// The kind, as short forms begin and recipes write it.
    fn kind(&self) -> &'static str;

    /// A short form with options, as a hint shows it.
    fn example(&self) -> Option<&'static str> {
        None
    }

    /// All options with their values, in the order in which they are documented.
    fn options(&self) -> Vec<(&'static str, Setting)> {
        Vec::new()
    }

    /// Sets an option as `KEY=VALUE` writes it; a key alone has no value.
    ///
    /// # Errors
    /// If there is a problem with the option or its value.
    fn set(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        let _ = (option, value);
        Err(format!("`{}` has no options", self.kind()))
    }

    /// Checks that it reads an option, which may depend on others.
    ///
    /// # Errors
    /// The name of the retriever that does not read it, such as `bm25 of form atire`.
    fn reads(&self, option: &str) -> Result<(), String> {
        let _ = option;
        Ok(())
    }

    /// A name for files, made of the options that differ from the defaults.
    fn label(&self) -> String {
        self.kind().to_owned()
    }

    /// Adds everything that changes a result to a digest that has the kind: all options, and the name of the system only where
    /// it enters a seed.
    fn add_to(&self, digest: Digest, name: &str) -> Digest {
        let _ = name;
        digest.field(format!("{:?}", self.options()))
    }

    /// The file that it reads besides the corpus, relative to the folder of the recipe.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// Makes a corpus ready.
    ///
    /// # Errors
    /// If it cannot read a file, or cannot cut a text.
    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError>;

    /// Returns `true` if scores of two queries can be compared with one threshold.
    fn compares_queries(&self) -> bool {
        true
    }

    /// Returns `true` if it reads nothing, so that it shows the scores of chance: it is listed last, and never a part
    /// of other systems.
    fn is_chance(&self) -> bool {
        false
    }

    /// The function that reports if it knows the language of a text, where it reads languages.
    fn knows(&self) -> Option<Knows> {
        None
    }

    /// The same, if it compares documents with each other.
    fn compares(self: Arc<Self>) -> Option<Arc<dyn Compares>> {
        None
    }

    /// Returns true if its scorers explain their scores, see [`Scorer::explain`].
    fn explains(&self) -> bool {
        false
    }

    /// The same, if it scores every document and explains the scores.
    fn scores_all(self: Arc<Self>) -> Option<Arc<dyn ScoresAll>> {
        None
    }
}

/// Returns true if a text is known; the language is that of source code, if it is known.
pub type Knows = fn(text: &str, language: Option<Language>) -> bool;

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// One of some words.
    Word(&'static str, &'static [&'static str]),
    /// Any text that [`Retriever::set`] accepts.
    Text(String),
}

/// A corpus with everything else that a list may depend on.
#[derive(Clone, Copy)]
pub struct Documents<'a> {
    /// The name of the retriever.
    pub name: &'a str,
    /// The seed of the run.
    pub seed: u64,
    /// The folder that files are relative to.
    pub base: &'a Path,
    /// The ids.
    pub ids: &'a [&'a str],
    /// The texts, in the order of the ids.
    pub texts: &'a [&'a str],
    /// The languages of their source code, in the same order; those behind the end of the list are not known.
    pub languages: &'a [Option<Language>],
}

/// A query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its id.
    pub id: &'a str,
    /// The text of the query.
    pub text: &'a str,
}

/// A corpus made ready.
pub trait Scorer: Sync {
    /// For each query its best documents: `depth` of them, and all that score the same as the last; best first, equal
    /// scores by their index in the corpus.
    ///
    /// # Errors
    /// If a query cannot be cut.
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError>;

    /// The part of each term of a query in the score of a document, by its index, the greatest first; `None` if scores
    /// have no such parts.
    fn explain(&self, _query: &str, _document: usize) -> Option<Vec<(String, f64)>> {
        None
    }
}

/// A retriever that compares documents with each other, as a probe needs.
pub trait Compares: Retriever {
    /// Makes documents ready.
    fn alike<'t>(&self, texts: &'t [&'t str]) -> Box<dyn Alike + 't>;
}

/// A comparison of documents, by their indexes.
pub trait Alike: Sync {
    /// The similarity of two documents.
    fn similarity(&self, first: usize, second: usize) -> f64;

    /// For each of some documents those most like it, itself included, best first, by their indexes among them.
    ///
    /// # Errors
    /// If vectors cannot be searched.
    fn nearest(
        &self,
        documents: &[usize],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError>;
}

/// A retriever that scores every document and reports the parts of each score, so that it can rerank and explain.
pub trait ScoresAll: Retriever {
    /// Makes a corpus ready; `languages` as in [`Documents`].
    fn index(&self, texts: &[&str], languages: &[Option<Language>]) -> Box<dyn Explains>;
}

/// A corpus in which every document has a score that can be explained.
pub trait Explains: Sync {
    /// The score of every document, in their order.
    fn scores(&self, query: &str) -> Vec<f64>;

    /// The part of each term of a query in the score of a document, the greatest first.
    fn explain(&self, query: &str, document: usize) -> Vec<(String, f64)>;
}

/// The reason why a retriever cannot list documents.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RetrieverError {
    message: String,
    hint: Option<&'static str>,
}

impl RetrieverError {
    /// An error with a message and the advice to the user.
    pub fn new(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        let message = message.into();
        RetrieverError { message, hint }
    }

    /// The advice to the user.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }
}

/// Two are equal that list the same: of one kind, with the same options.
impl PartialEq for dyn Retriever + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind() && self.options() == other.options()
    }
}
