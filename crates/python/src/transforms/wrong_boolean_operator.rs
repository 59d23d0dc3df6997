//! `WrongBooleanOperator`: `or` for `and`.
//!
//! *Rewrites.* All operators of an `and` into `or`, and of an `or` into `and`. What they group stays, without new
//! parentheses: where an `or` that was an `and` stands in an `or`, and where an `and` that was an `or` has an `and`
//! inside of it, both ways of grouping mean the same.
//!
//! *Breaks the meaning because* the two differ wherever their operands do.
//!
//! *Declines* annotations, and operands that are all the same text (`x and x`).
//!
//! *Paper.* As in the paper.

use barecode_records::python::VariantKind;
use ruff_python_ast::{AnyNodeRef, BoolOp};
use ruff_text_size::Ranged as _;

use super::mutant::{each, is_covered, is_idle, operator};
use crate::{Context, Edit, Fresh, Module, Site, Transform};

/// Swaps `and` and `or`.
#[derive(Debug, Clone, Copy, Default)]
pub struct WrongBooleanOperator;

impl Transform for WrongBooleanOperator {
    fn name(&self) -> &'static str {
        "WrongBooleanOperator"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        each(module, |node, around| {
            let AnyNodeRef::ExprBoolOp(operation) = node else {
                return;
            };
            let texts = || {
                operation
                    .values
                    .iter()
                    .map(|value| module.of(value.range()))
            };
            let is_same = texts().all(|text| Some(text) == texts().next());
            if is_same
                || is_idle(operation.range(), around)
                || !is_covered(module, context, operation.start())
            {
                return;
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
            sites.push(Site::one(operation.range(), edits.collect()));
        });
        sites
    }
}
