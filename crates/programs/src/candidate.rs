//! A program as its data set has it, and what reading left out.

use barecode_records::python::{Case, PublishedKind, Tests};
use barecode_records::{Origin, Reason, SetAside, Stage};

/// A program with its tests before normalization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Its origin; of a row in a table, the lines are the row's.
    pub origin: Origin,
    /// The problem that it solves, as its source names it.
    pub problem: String,
    /// The problem in words, where the source has them.
    pub statement: Option<String>,
    /// The program.
    pub text: String,
    /// Its tests.
    pub tests: Tests,
    /// Test cases beyond the limits of the recipe, which are not among its tests.
    pub cut_cases: u32,
    /// The kind of bug, if the source publishes it as one: it should fail the tests.
    pub wrong: Option<PublishedKind>,
}

impl Candidate {
    /// The word for it in rows.
    pub fn kind(&self) -> &'static str {
        kind(self.wrong)
    }

    /// The row with the reason that it is left out.
    pub fn set_aside(&self, reason: Reason, detail: impl Into<String>) -> SetAside {
        SetAside {
            origin: Some(self.origin.clone()),
            name: Some(self.problem.clone()),
            ..SetAside::new(Stage::Extract, self.kind(), reason, detail)
        }
    }
}

/// `program` or `published bug`.
pub(crate) fn kind(wrong: Option<PublishedKind>) -> &'static str {
    if wrong.is_some() {
        "published bug"
    } else {
        "program"
    }
}

/// Test cases that are collected up to a limit, and whether bugs are read, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cases {
    /// Most cases of a program.
    pub most: usize,
    /// Most bytes that its inputs and outputs have together.
    pub bytes: usize,
    /// True if bugs that the data set publishes are read.
    pub bugs: bool,
}

impl Cases {
    /// The first cases within the limits, and how many are beyond them. A case that alone is too large is passed over.
    pub(crate) fn within(self, cases: impl IntoIterator<Item = Case>) -> (Vec<Case>, u32) {
        let (mut kept, mut left, mut cut) = (Vec::new(), self.bytes, 0_u32);
        for case in cases {
            let size = case.input.len().saturating_add(case.output.len());
            if kept.len() < self.most && size <= left {
                left -= size;
                kept.push(case);
            } else {
                cut = cut.saturating_add(1);
            }
        }
        (kept, cut)
    }
}
