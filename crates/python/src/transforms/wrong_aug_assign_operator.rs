//! `WrongAugAssignOperator`: another augmented assignment.
//!
//! *Rewrites.* One of `+= -= *= /=` into another of them, drawn at random.
//!
//! *Breaks the meaning because* the operators differ on almost all numbers.
//!
//! *Declines* `+=` and `-=` of 0 into each other, and `*=` and `/=` of 1.
//!
//! *Paper.* The four operators are the paper's, which calls the transform `WrongAugmentedAssignOperator`, too.

use ruff_python_ast::{AnyNodeRef, Operator};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::{At, is_number};
use crate::{Edit, Site};

const OPERATORS: [Operator; 4] = [Operator::Add, Operator::Sub, Operator::Mult, Operator::Div];

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    let AnyNodeRef::StmtAugAssign(assign) = node else {
        return Vec::new();
    };
    if !OPERATORS.contains(&assign.op) {
        return Vec::new();
    }
    let is_same = |other: Operator| {
        let both = |group: [Operator; 2]| group.contains(&assign.op) && group.contains(&other);
        other == assign.op
            || is_number(&assign.value, 0) && both([Operator::Add, Operator::Sub])
            || is_number(&assign.value, 1) && both([Operator::Mult, Operator::Div])
    };
    // The token is what ends in `=` behind the target.
    let between = TextRange::new(assign.target.end(), assign.value.start());
    let mut tokens = module.tokens_in(between);
    let Some(token) = tokens.find(|token| module.of(token.range()).ends_with('=')) else {
        return Vec::new();
    };
    let others = OPERATORS.into_iter().filter(|other| !is_same(*other));
    let choices = others
        .map(|other| vec![Edit::replace(token.range(), format!("{}=", other.as_str()))])
        .collect();
    vec![Site::any(token.range(), choices)]
}
