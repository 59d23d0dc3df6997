//! What a person would ask for.

use serde::{Deserialize, Serialize};

use crate::{Digest, DocPlace, Id, Origin};

/// The strongest kind of name that a query shares with its answer's code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leak {
    /// No name of the code stands in the query.
    None,
    /// A name that is also an ordinary word (`value`, `index`).
    Word,
    /// A name that nobody writes by chance (`nbBytes`, `sqlite3_stmt`).
    Identifier,
    /// The name of the function itself.
    Function,
}

impl Leak {
    /// All kinds, from weakest to strongest.
    pub const ALL: [Leak; 4] = [Leak::None, Leak::Word, Leak::Identifier, Leak::Function];

    /// `identifier`, as columns have it.
    pub fn name(self) -> &'static str {
        match self {
            Leak::None => "none",
            Leak::Word => "word",
            Leak::Identifier => "identifier",
            Leak::Function => "function",
        }
    }
}

/// A query with one unit as its answer (stage `04-queries`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Query {
    /// `q-…`, from the unit and the text.
    pub id: Id,
    /// The unit that answers it.
    pub unit_id: Id,
    /// Where the answer stands.
    pub origin: Origin,
    /// The query.
    pub text: String,
    /// The comment it was made from, as written.
    pub raw: String,
    /// Which declaration the comment stood at.
    pub place: DocPlace,
    /// Number of words.
    pub words: u32,
    /// The strongest leak.
    pub leak: Leak,
    /// The names that leak, sorted.
    pub leaked: Vec<String>,
}

impl Query {
    /// The id of the query with this text for this unit.
    pub fn id_of(unit_id: &Id, text: &str) -> Id {
        Id::new("q", &Digest::new("query").field(unit_id).field(text))
    }
}
