//! What a retriever is that needs no model: its options, its name, and a corpus made ready.
//!
//! In comes a kind with options (`bm25:k1=1.2`, or a table of a recipe); out comes a [`Scorer`] that lists documents for
//! queries. Everything that a program asks about a retriever is a method here, with the answer of a plain one as its
//! default: whether its scores of two queries compare, whether it compares documents ([`Compares`]), scores all of a
//! corpus term by term ([`ScoresAll`]), or reads languages ([`Knows`]). So whoever adds one writes a file, and names it in
//! the registry of `barecode-evaluate`.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use barecode_records::Digest;

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
    /// A problem with the option or its value.
    fn set(&mut self, option: &str, value: Option<&str>) -> Result<(), String> {
        let _ = (option, value);
        Err(format!("`{}` has no options", self.kind()))
    }

    /// Whether it reads an option, which may depend on others.
    ///
    /// # Errors
    /// What does not read it, such as `bm25 of form atire`.
    fn reads(&self, option: &str) -> Result<(), String> {
        let _ = option;
        Ok(())
    }

    /// A name for files, made of the options that differ from the usual ones.
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
    /// Files that it cannot read, and texts that it cannot cut.
    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError>;

    /// Returns `true` if scores of two queries can be compared with one threshold.
    fn compares_queries(&self) -> bool {
        true
    }

    /// Returns `true` if it reads nothing, so that it shows what chance scores: it is listed last, and never a part of
    /// other systems.
    fn is_chance(&self) -> bool {
        false
    }

    /// What tells whether it knows the language of a text, where it reads languages.
    fn knows(&self) -> Option<Knows> {
        None
    }

    /// The same, if it compares documents with each other.
    fn compares(self: Arc<Self>) -> Option<Arc<dyn Compares>> {
        None
    }

    /// The same, if it scores every document and says why.
    fn scores_all(self: Arc<Self>) -> Option<Arc<dyn ScoresAll>> {
        None
    }
}

/// Whether a text, which is or is not source code of C or C++, is known.
pub type Knows = fn(text: &str, is_c: bool) -> bool;

/// The value of an option.
#[derive(Debug, Clone, PartialEq)]
pub enum Setting {
    /// A number.
    Number(f64),
    /// Yes or no.
    Flag(bool),
    /// One of some words.
    Word(&'static str, &'static [&'static str]),
    /// Any text that [`Retriever::set`] takes.
    Text(String),
}

/// A corpus with what a list may depend on besides.
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
}

/// A query.
#[derive(Debug, Clone, Copy)]
pub struct Query<'a> {
    /// Its id.
    pub id: &'a str,
    /// What is asked.
    pub text: &'a str,
}

/// A corpus made ready.
pub trait Scorer: Sync {
    /// For each query its best documents: `depth` of them, and all that score the same as the last; best first, equal scores
    /// by their place in the corpus.
    ///
    /// # Errors
    /// Queries that cannot be cut.
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError>;
}

/// A retriever that compares documents with each other, as a probe asks for.
pub trait Compares: Retriever {
    /// Makes documents ready.
    fn alike<'t>(&self, texts: &'t [&'t str]) -> Box<dyn Alike + 't>;
}

/// What compares documents, by their places.
pub trait Alike: Sync {
    /// How alike two documents are.
    fn similarity(&self, first: usize, second: usize) -> f64;

    /// For each of some documents those most like it, itself included, best first, by their places among them.
    ///
    /// # Errors
    /// Vectors that cannot be searched.
    fn nearest(
        &self,
        documents: &[usize],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError>;
}

/// A retriever that scores every document and says what each score is made of, so that it can rerank and explain.
pub trait ScoresAll: Retriever {
    /// Makes a corpus ready.
    fn index(&self, texts: &[&str]) -> Box<dyn Explains>;
}

/// A corpus in which every document has a score that can be explained.
pub trait Explains: Sync {
    /// The score of every document, in their order.
    fn scores(&self, query: &str) -> Vec<f64>;

    /// What each term of a query adds to the score of a document, the greatest first.
    fn explain(&self, query: &str, document: usize) -> Vec<(String, f64)>;
}

/// Why a retriever cannot list documents.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct RetrieverError {
    message: String,
    hint: Option<&'static str>,
}

impl RetrieverError {
    /// A message, and what to do about it.
    pub fn new(message: impl Into<String>, hint: Option<&'static str>) -> Self {
        let message = message.into();
        RetrieverError { message, hint }
    }

    /// What to do about it.
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
