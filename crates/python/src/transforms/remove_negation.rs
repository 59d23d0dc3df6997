//! `RemoveNegation`: a condition without its `not`.
//!
//! *Rewrites.* `not x` into `x`.
//!
//! *Breaks the meaning because* a condition is never its own negation.
//!
//! *Declines* annotations; `not in` and `is not`, which are comparisons.
//!
//! *Paper.* As in the paper.

use barecode_records::python::VariantKind;
use ruff_python_ast::{AnyNodeRef, UnaryOp};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::{each, is_covered, is_idle};
use crate::{Context, Edit, Fresh, Module, Site, Transform};

/// Removes `not`.
#[derive(Debug, Clone, Copy, Default)]
pub struct RemoveNegation;

impl Transform for RemoveNegation {
    fn name(&self) -> &'static str {
        "RemoveNegation"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        each(module, |node, around| {
            let AnyNodeRef::ExprUnaryOp(unary) = node else {
                return;
            };
            if unary.op != UnaryOp::Not
                || is_idle(unary.range(), around)
                || !is_covered(module, context, unary.start())
            {
                return;
            }
            let operand = module.with_parentheses(&*unary.operand, unary);
            let word = TextRange::new(unary.start(), operand.start());
            sites.push(Site::one(unary.range(), vec![Edit::remove(word)]));
        });
        sites
    }
}
