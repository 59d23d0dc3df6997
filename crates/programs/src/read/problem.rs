//! The part that every format reads: problems with tests and solutions, each with its position, or a reason without
//! one.

use barecode_formats::FormatError;
use barecode_records::Reason;
use barecode_records::python::{PublishedKind, Tests};

/// A position: a path relative to the data set, and the line or row if it matters.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub(super) path: String,
    pub(super) line: Option<u32>,
}

/// The reason that something is left out.
#[derive(Debug, Clone)]
pub(super) struct Refused {
    pub(super) kind: &'static str,
    pub(super) reason: Reason,
    pub(super) detail: String,
}

impl Refused {
    pub(super) fn row(reason: Reason, detail: impl Into<String>) -> Self {
        Refused {
            kind: "row",
            reason,
            detail: detail.into(),
        }
    }

    pub(super) fn program(reason: Reason, detail: impl Into<String>) -> Self {
        Refused {
            kind: "program",
            ..Refused::row(reason, detail)
        }
    }
}

/// A field of a row that is missing, or does not have the expected value.
impl From<FormatError> for Refused {
    fn from(error: FormatError) -> Self {
        Refused::row(Reason::RowIncomplete, error.to_string())
    }
}

/// The text of a solution.
#[derive(Debug)]
pub(super) enum Text {
    /// It is in the row.
    Here(String),
    /// It is in a file, relative to what is read.
    File(String),
    /// It is known to be left out.
    Refused(Option<String>, Refused),
}

#[derive(Debug)]
pub(super) struct Solution {
    pub(super) text: Text,
    /// The kind of bug, if it is published as one.
    pub(super) wrong: Option<PublishedKind>,
    /// The name that its tests call, if it is another name than for other solutions.
    pub(super) entry: Option<String>,
}

impl Solution {
    pub(super) fn refused(path: Option<String>, refused: Refused) -> Self {
        Solution {
            text: Text::Refused(path, refused),
            ..Solution::new(String::new())
        }
    }

    pub(super) fn wrong(kind: PublishedKind, text: String) -> Self {
        Solution {
            wrong: Some(kind),
            ..Solution::new(text)
        }
    }

    pub(super) fn new(text: String) -> Self {
        Solution {
            wrong: None,
            entry: None,
            text: Text::Here(text),
        }
    }
}

/// A problem with its tests and solutions.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) name: String,
    pub(super) statement: Option<String>,
    pub(super) tests: Tests,
    pub(super) cut_cases: u32,
    pub(super) solutions: Vec<Solution>,
}

/// A problem with its position, or the reason that it is left out.
pub(super) type PlacedProblem = (Place, Result<Problem, Refused>);
pub(super) type Stream = Box<dyn Iterator<Item = PlacedProblem>>;
