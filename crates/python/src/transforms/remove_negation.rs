//! `RemoveNegation`: a condition without its `not`.
//!
//! *Rewrites.* `not x` into `x`.
//!
//! *Breaks the meaning because* a condition is never its own negation.
//!
//! *Declines* annotations; `not in` and `is not`, which are comparisons.
//!
//! *Paper.* As in the paper.

use ruff_python_ast::{AnyNodeRef, UnaryOp};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::At;
use crate::{Edit, Site};

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    let AnyNodeRef::ExprUnaryOp(unary) = node else {
        return Vec::new();
    };
    if unary.op != UnaryOp::Not {
        return Vec::new();
    }
    let operand = module.with_parentheses(&*unary.operand, unary);
    let word = TextRange::new(unary.start(), operand.start());
    vec![Site::one(unary.range(), vec![Edit::remove(word)])]
}
