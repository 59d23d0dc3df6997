//! `WrongAugAssignOperator`: another augmented assignment.
//!
//! *Rewrites.* One of `+= -= *= /=` into another of them, drawn at random.
//!
//! *Breaks the meaning because* the operators differ on almost all numbers.
//!
//! *Declines* `+=` and `-=` of 0 into each other, and `*=` and `/=` of 1.
//!
//! *Paper.* The four operators are the paper's, which calls the transform `WrongAugmentedAssignOperator`, too.

use barecode_records::python::VariantKind;
use ruff_python_ast::{AnyNodeRef, Operator};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::{each, is_covered, is_number};
use crate::{Context, Edit, Fresh, Module, Site, Transform};

const OPERATORS: [Operator; 4] = [Operator::Add, Operator::Sub, Operator::Mult, Operator::Div];

/// Replaces augmented assignments.
#[derive(Debug, Clone, Copy, Default)]
pub struct WrongAugAssignOperator;

impl Transform for WrongAugAssignOperator {
    fn name(&self) -> &'static str {
        "WrongAugAssignOperator"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        each(module, |node, _| {
            let AnyNodeRef::StmtAugAssign(assign) = node else {
                return;
            };
            if !OPERATORS.contains(&assign.op) || !is_covered(module, context, assign.start()) {
                return;
            }
            let is_same = |other: Operator| {
                let both =
                    |group: [Operator; 2]| group.contains(&assign.op) && group.contains(&other);
                other == assign.op
                    || is_number(&assign.value, 0) && both([Operator::Add, Operator::Sub])
                    || is_number(&assign.value, 1) && both([Operator::Mult, Operator::Div])
            };
            // The token is what ends in `=` behind the target.
            let between = TextRange::new(assign.target.end(), assign.value.start());
            let mut tokens = module.tokens_in(between);
            let Some(token) = tokens.find(|token| module.of(token.range()).ends_with('=')) else {
                return;
            };
            let others = OPERATORS.into_iter().filter(|other| !is_same(*other));
            let choices = others
                .map(|other| vec![Edit::replace(token.range(), format!("{}=", other.as_str()))])
                .collect();
            sites.push(Site::any(token.range(), choices));
        });
        sites
    }
}
