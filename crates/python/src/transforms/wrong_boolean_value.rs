//! `WrongBooleanValue`: `True` for `False`.
//!
//! *Rewrites.* `True` into `False`, and `False` into `True`.
//!
//! *Breaks the meaning because* a test of the value takes the other branch.
//!
//! *Declines* annotations.
//!
//! *Paper.* As in the paper.

use ruff_python_ast::AnyNodeRef;
use ruff_text_size::Ranged as _;

use super::mutant::At;
use crate::{Edit, Site};

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    // A pattern has its `True` as a node of its own kind.
    let value = match node {
        AnyNodeRef::ExprBooleanLiteral(literal) => literal.value,
        AnyNodeRef::PatternMatchSingleton(_) => match module.of(node.range()) {
            "True" => true,
            "False" => false,
            _ => return Vec::new(),
        },
        _ => return Vec::new(),
    };
    let other = if value { "False" } else { "True" };
    vec![Site::one(
        node.range(),
        vec![Edit::replace(node.range(), other)],
    )]
}
