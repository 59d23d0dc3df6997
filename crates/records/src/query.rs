//! A request that a user would make.

use serde::{Deserialize, Serialize};

use crate::{Digest, DocPlace, Id, Origin};

words! {
    /// The strongest kind of name that a query shares with its answer's code, from weakest to strongest.
    pub enum Leak {
        /// No name of the code is in the query.
        None = "none",
        /// A name that is also an ordinary word (`value`, `index`).
        Word = "word",
        /// A name that is unlikely to be an ordinary word (`nbBytes`, `sqlite3_stmt`).
        Identifier = "identifier",
        /// The name of the function itself.
        Function = "function",
    }
}

words! {
    /// The kind of the target of a query.
    pub enum TargetKind {
        /// A unit.
        Unit = "unit",
        /// A pair of texts that belong together or do not.
        Pair = "pair",
        /// A script, or a part of one.
        Script = "script",
    }
}

/// A query with its answer (stage `04-queries`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// `q-…`, from the target and the text.
    pub id: Id,
    /// The kind of the thing that answers it.
    pub target_kind: TargetKind,
    /// The thing that answers it.
    pub target_id: Id,
    /// The writer, a person or a model, which is the name of its set of queries: [`Query::DOC_COMMENT`],
    /// [`Query::CODE`], [`Query::PERSON`], the name that a recipe gives to the queries of models, or another word in
    /// lower case.
    pub writer: String,
    /// The origin of the answer.
    pub origin: Origin,
    /// The query.
    pub text: String,
    /// The text it was made from, as written; `None` if it was written as a query.
    pub raw: Option<String>,
    /// The declaration that the comment belonged to; nothing for other writers.
    pub place: Option<DocPlace>,
    /// The file and line of a query of the user: `questions.csv:3`; nothing for others.
    pub stated_at: Option<String>,
    /// The model that wrote it, as its server calls it; nothing for other writers.
    pub model: Option<String>,
    /// The digest of the prompt that it answers; nothing for other writers.
    pub prompt: Option<String>,
    /// The number of pieces that the function needs and that did not fit the prompt; nothing for other writers.
    pub left_out: Option<u32>,
    /// The number of the model's try, from 1; nothing for other writers.
    pub tries: Option<u32>,
    /// The class that a model put the comment in; nothing where the recipe does not request one.
    pub class: Option<String>,
    /// Number of words.
    pub words: u32,
    /// The strongest leak.
    pub leak: Leak,
    /// The names that leak, sorted.
    pub leaked: Vec<String>,
}

impl Query {
    /// The writer of queries that are the code's own comments.
    pub const DOC_COMMENT: &str = "doc_comment";
    /// The writer of queries that are the function itself under a setting.
    pub const CODE: &str = "code";
    /// The writer of queries that a person wrote for the benchmark.
    pub const PERSON: &str = "person";

    /// The id of the query with this text for this target.
    pub fn id_of(target_id: &Id, text: &str) -> Id {
        Id::new("q", &Digest::new("query").field(target_id).field(text))
    }
}
