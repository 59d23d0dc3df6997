//! What a compiler is to do with a text, and what came of it.

use std::path::Path;

use crate::Verdict;
use crate::dialect::Dialect;

/// What a compiler is to do with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Leave an object.
    Object,
    /// Leave assembly.
    Assembly,
    /// Leave nothing.
    Syntax,
    /// Leave the text as the preprocessor wrote it.
    Preprocess,
}

/// How much of what is printed is read where all errors are asked for.
pub(crate) const ALL_ERRORS: usize = 4 << 20;

/// A text and what is to be done with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) work: Work,
    pub(crate) text: &'a str,
    /// Whether the preprocessor was over it.
    pub(crate) preprocessed: bool,
    /// A header to read before it, which may have a precompiled one beside it.
    pub(crate) header: Option<&'a Path>,
    /// Whether to report all errors, and not only the first few.
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

/// What came of an order.
#[derive(Debug)]
pub(crate) struct Done {
    /// Why the compiler produced no output.
    pub(crate) failed: Option<Verdict>,
    pub(crate) stderr: String,
    pub(crate) output: Vec<u8>,
}
