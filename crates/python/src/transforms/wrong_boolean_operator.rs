//! `WrongBooleanOperator`: `or` for `and`.
//!
//! *Rewrites.* All operators of an `and` into `or`, and of an `or` into `and`. The grouping stays, without new
//! parentheses: if an `or` that was an `and` is in an `or`, and if an `and` that was an `or` has an `and` inside of
//! it, both ways of grouping mean the same.
//!
//! *Breaks the meaning because* the two differ wherever their operands do.
//!
//! *Declines* annotations, and operands that are all the same text (`x and x`).
//!
//! *Paper.* As in the paper.

use ruff_python_ast::{AnyNodeRef, BoolOp};
use ruff_text_size::Ranged as _;

use super::mutant::{At, operator};
use crate::{Edit, Site};

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    let AnyNodeRef::ExprBoolOp(operation) = node else {
        return Vec::new();
    };
    let values = operation.values.iter();
    let mut texts = values.map(|value| module.of(value.range()));
    let first = texts.next();
    if texts.all(|text| Some(text) == first) {
        return Vec::new();
    }
    let other = match operation.op {
        BoolOp::And => "or",
        BoolOp::Or => "and",
    };
    let values = operation.values.iter();
    let values: Vec<_> = values
        .map(|value| module.with_parentheses(value, operation))
        .collect();
    let edits = values.windows(2).filter_map(|pair| {
        let [left, right] = pair else { return None };
        let range = operator(module, left.end(), right.start());
        Some(Edit::replace(range, other))
    });
    vec![Site::one(operation.range(), edits.collect())]
}
