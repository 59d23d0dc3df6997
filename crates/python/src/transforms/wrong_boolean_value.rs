//! `WrongBooleanValue`: `True` for `False`.
//!
//! *Rewrites.* `True` into `False`, and `False` into `True`.
//!
//! *Breaks the meaning because* a test of the value takes the other way.
//!
//! *Declines* annotations.
//!
//! *Paper.* As in the paper.

use barecode_records::python::VariantKind;
use ruff_python_ast::AnyNodeRef;
use ruff_text_size::Ranged as _;

use super::mutant::{each, is_covered, is_idle};
use crate::{Context, Edit, Fresh, Module, Site, Transform};

/// Swaps `True` and `False`.
#[derive(Debug, Clone, Copy, Default)]
pub struct WrongBooleanValue;

impl Transform for WrongBooleanValue {
    fn name(&self) -> &'static str {
        "WrongBooleanValue"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        each(module, |node, around| {
            // A pattern has its `True` as a node of its own kind.
            let value = match node {
                AnyNodeRef::ExprBooleanLiteral(literal) => literal.value,
                AnyNodeRef::PatternMatchSingleton(_) => match module.of(node.range()) {
                    "True" => true,
                    "False" => false,
                    _ => return,
                },
                _ => return,
            };
            let range = node.range();
            if !is_idle(range, around) && is_covered(module, context, range.start()) {
                let other = if value { "False" } else { "True" };
                sites.push(Site::one(range, vec![Edit::replace(range, other)]));
            }
        });
        sites
    }
}
