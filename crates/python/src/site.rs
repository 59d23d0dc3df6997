//! The nodes that a transform can be applied to, and the edits that apply it.

use std::collections::BTreeSet;
use std::fmt;

use barecode_records::python::{Safety, VariantKind};
use ruff_text_size::TextRange;

use crate::edit::edited;
use crate::{Edit, Fresh, Module};

/// The facts that a transform needs besides the text.
#[derive(Debug, Clone, Default)]
pub struct Context {
    /// The forms of rewrites that are allowed.
    pub safety: Safety,
    /// Names that must stay, because tests use them: functions, keyword arguments, words of strings.
    pub protected: BTreeSet<String>,
    /// The lines that tests run, from 1; bugs elsewhere would not be noticed. Empty if it is not known.
    pub covered: BTreeSet<u32>,
}

/// A node that a transform can be applied to.
#[derive(Debug, Clone)]
pub struct Site {
    /// The node.
    pub(crate) node: TextRange,
    /// The possible edits, of which one choice is applied: never empty. Edits of one choice are in order and do not
    /// meet.
    pub(crate) choices: Vec<Vec<Edit>>,
    /// True if only tests can show that the meaning is kept.
    pub(crate) by_tests_only: bool,
}

impl Site {
    /// A node with one way to change it.
    pub(crate) fn one(node: TextRange, edits: Vec<Edit>) -> Self {
        Site::any(node, vec![edits])
    }

    /// A node with several ways to change it.
    pub(crate) fn any(node: TextRange, choices: Vec<Vec<Edit>>) -> Self {
        Site {
            node,
            choices,
            by_tests_only: false,
        }
    }

    /// The text of the module with each of the choices made, one at a time.
    pub fn texts(&self, module: &Module<'_>) -> impl Iterator<Item = String> {
        let choices = self.choices.iter();
        choices.map(|edits| edited(module.text(), edits))
    }

    /// The same site, marked as proven to keep the meaning, or as verifiable only by tests.
    #[must_use]
    pub(crate) fn proven(self, proven: bool) -> Self {
        Site {
            by_tests_only: !proven,
            ..self
        }
    }
}

/// A rewrite of programs (pydra, Tables 2 and 3).
pub trait Transform: Sync + fmt::Debug {
    /// Its name in the paper: `SwapCondition`.
    fn name(&self) -> &'static str;

    /// The kind of the variants that it makes.
    fn kind(&self) -> VariantKind;

    /// The nodes that it can be applied to, in the order of the text. Edits of different sites may meet: then the
    /// later one is applied to what the first one leaves, if it can still be.
    fn sites(&self, module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site>;
}
