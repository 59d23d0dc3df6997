//! The roles of columns in a common table: detected by well-known names, or given by the caller.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Serialize;

/// The role of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The text of the query.
    Query,
    /// The text that answers it, or several.
    Document,
    /// A text that does not answer it, or several.
    Negative,
    /// The id of the query.
    QueryId,
    /// The id of the document.
    DocumentId,
    /// The grade of the document for the query.
    Grade,
}

impl Role {
    /// All roles, with the names that columns of each have in published tables, the likeliest first.
    const KNOWN: [(Role, &str); 6] = [
        (
            Role::Query,
            "query query_text question anchor docstring func_documentation_string comment nl doc description \
             summary instruction intent sentence1 prompt",
        ),
        (
            Role::Document,
            "positive pos document code function func_code_string code_text snippet passage answer \
             canonical_solution solution sentence2 output response",
        ),
        (Role::Negative, "negative neg negatives hard_negatives"),
        (Role::QueryId, "query_id query-id qid"),
        (
            Role::DocumentId,
            "document_id doc_id docid corpus_id corpus-id code_id positive_id",
        ),
        (Role::Grade, "relevance grade"),
    ];

    /// `query-id`, as `--columns` has it.
    pub fn name(self) -> &'static str {
        match self {
            Role::Query => "query",
            Role::Document => "document",
            Role::Negative => "negative",
            Role::QueryId => "query-id",
            Role::DocumentId => "document-id",
            Role::Grade => "grade",
        }
    }
}

/// The column of each role: `query=docstring,document=function`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Columns(BTreeMap<Role, String>);

impl FromStr for Columns {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let names = Role::KNOWN.map(|(role, _)| role.name()).join(", ");
        let mut columns = BTreeMap::new();
        for part in text.split(',') {
            let (role, column) = part
                .split_once('=')
                .filter(|(_, column)| !column.is_empty())
                .ok_or_else(|| format!("`{part}` is not ROLE=COLUMN; roles are {names}"))?;
            let known = Role::KNOWN.iter().find(|(known, _)| known.name() == role);
            let &(role, _) = known.ok_or_else(|| format!("no role `{role}`; there are {names}"))?;
            if columns.insert(role, column.to_owned()).is_some() {
                return Err(format!("`{}` occurs twice", role.name()));
            }
        }
        for needed in [Role::Query, Role::Document] {
            if !columns.contains_key(&needed) {
                return Err(format!("no column for `{}`", needed.name()));
            }
        }
        Ok(Columns(columns))
    }
}

impl fmt::Display for Columns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = self
            .0
            .iter()
            .map(|(role, column)| format!("{}={column}", role.name()));
        f.write_str(&parts.collect::<Vec<_>>().join(","))
    }
}

impl Columns {
    /// The probable roles of columns with these names; `None` without a query or a document. A table that has several
    /// likely columns has the likeliest of them.
    pub(crate) fn guess(names: &[String]) -> Option<Self> {
        let mut columns = BTreeMap::new();
        for (role, known) in Role::KNOWN {
            let named = |known: &str| {
                let mut names = names.iter();
                names.find(|name| name.eq_ignore_ascii_case(known))
            };
            if let Some(name) = known.split_ascii_whitespace().find_map(named) {
                columns.insert(role, name.clone());
            }
        }
        let whole = [Role::Query, Role::Document];
        whole
            .iter()
            .all(|role| columns.contains_key(role))
            .then_some(Columns(columns))
    }

    /// The column that has this.
    pub(crate) fn of(&self, role: Role) -> Option<&str> {
        self.0.get(&role).map(String::as_str)
    }

    /// All columns that have something.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        self.0.values()
    }
}

/// Which columns of a table were read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Taken {
    /// The subset and its split.
    pub table: String,
    /// The columns by their roles.
    pub columns: Columns,
    /// True if they were guessed by their names.
    pub guessed: bool,
    /// Columns that were stored beside the documents and are not about queries and judgments.
    pub others: Vec<String>,
}

impl fmt::Display for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.guessed { ", by their names" } else { "" };
        write!(f, "{}: columns taken{how}: {}", self.table, self.columns)?;
        if !self.others.is_empty() {
            write!(f, "; others: {}", self.others.join(", "))?;
        }
        if self.guessed {
            f.write_str(" (--columns names them)")?;
        }
        Ok(())
    }
}
