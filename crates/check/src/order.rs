//! A task of a compiler for a text, and its result.

use std::path::Path;

use crate::Verdict;
use crate::dialect::Dialect;

/// The task of a compiler for a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Leave an object.
    Object,
    /// Leave assembly.
    Assembly,
    /// Leave no output.
    Syntax,
    /// Leave the text as the preprocessor wrote it.
    Preprocess,
}

/// The number of printed bytes that are read if all errors are requested.
pub(crate) const ALL_ERRORS: usize = 4 << 20;

/// A text and the task for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) work: Work,
    pub(crate) text: &'a str,
    /// True if the text is already preprocessed.
    pub(crate) preprocessed: bool,
    /// A header to read before it, which may have a precompiled one beside it.
    pub(crate) header: Option<&'a Path>,
    /// True if all errors are reported, and not only the first few.
    pub(crate) all_errors: bool,
}

impl<'a> Order<'a> {
    pub(crate) fn of(work: Work, text: &'a str) -> Self {
        Order {
            work,
            text,
            preprocessed: false,
            header: None,
            all_errors: false,
        }
    }

    pub(crate) fn kind(&self, dialect: &Dialect) -> &'static str {
        if self.preprocessed {
            dialect.preprocessed
        } else {
            dialect.tongue
        }
    }
}

/// The result of an order.
#[derive(Debug)]
pub(crate) struct Done {
    /// The reason why the compiler produced no output.
    pub(crate) failed: Option<Verdict>,
    pub(crate) stderr: String,
    pub(crate) output: Vec<u8>,
}
