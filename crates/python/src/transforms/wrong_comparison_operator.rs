//! `WrongComparisonOperator`: another comparison.
//!
//! *Rewrites.* One of `> >= < <= == != is`, `is not`, `in`, `not in` into one that is likely to have another result:
//! an order into the orders of the other direction (`<` into `>` or `>=`), the others into their opposite. Each
//! comparison of a chain is a node.
//!
//! *Breaks the meaning because* an order and one of the other direction agree on equal operands at most, and opposites
//! never agree.
//!
//! *Declines* annotations and comparisons with `__name__`.
//!
//! *Paper.* "from the subset of operators most likely to produce a different effect": it does not list these.

use ruff_python_ast::{AnyNodeRef, CmpOp};

use super::mutant::{At, is_main_guard, operator};
use crate::{Edit, Module, Site};

/// The operators that are likely to have another result.
fn others(op: CmpOp) -> &'static [CmpOp] {
    match op {
        CmpOp::Lt | CmpOp::LtE => &[CmpOp::Gt, CmpOp::GtE],
        CmpOp::Gt | CmpOp::GtE => &[CmpOp::Lt, CmpOp::LtE],
        CmpOp::Eq => &[CmpOp::NotEq],
        CmpOp::NotEq => &[CmpOp::Eq],
        CmpOp::Is => &[CmpOp::IsNot],
        CmpOp::IsNot => &[CmpOp::Is],
        CmpOp::In => &[CmpOp::NotIn],
        CmpOp::NotIn => &[CmpOp::In],
    }
}

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    let AnyNodeRef::ExprCompare(comparison) = node else {
        return Vec::new();
    };
    if is_main_guard(&comparison.left) {
        return Vec::new();
    }
    let mut sites = Vec::new();
    let mut left = module.with_parentheses(&*comparison.left, comparison);
    for (op, right) in comparison.ops.iter().zip(&comparison.comparators) {
        let right = module.with_parentheses(right, comparison);
        let range = operator(module, left.end(), right.start());
        let choices = others(*op)
            .iter()
            .map(|other| {
                // A letter may touch an operator that is a sign: `1<x`, `(a)in b`.
                let text = spaced(module, range, other.as_str());
                vec![Edit::replace(range, text)]
            })
            .collect();
        sites.push(Site::any(range, choices));
        left = right;
    }
    sites
}

/// An operator with the blanks that a word needs and a sign does not.
fn spaced(module: &Module<'_>, range: ruff_text_size::TextRange, text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '"' || c == '\'';
    let (start, end) = (range.start().to_usize(), range.end().to_usize());
    let before = module
        .text()
        .get(..start)
        .and_then(|t| t.chars().next_back());
    let after = module.text().get(end..).and_then(|t| t.chars().next());
    let letters = text.starts_with(char::is_alphabetic);
    let blank = |near: Option<char>| match near {
        Some(near) if letters && is_word(near) => " ",
        _ => "",
    };
    format!("{}{text}{}", blank(before), blank(after))
}
