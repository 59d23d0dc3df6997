//! `NumberWrongSign`: a number with the other sign.
//!
//! *Rewrites.* `5` into `-5`, and `-5` into `5`; integers and floating-point numbers.
//!
//! *Breaks the meaning because* a number that is not 0 is not its opposite.
//!
//! *Declines* 0, annotations, and the base of a literal even power.
//!
//! *Paper.* As in the paper.

use ruff_python_ast::{AnyNodeRef, Expr, Number, Operator, UnaryOp};
use ruff_text_size::{Ranged, TextRange};

use super::mutant::{At, integer, is_number};
use crate::{Edit, Module, Site};

/// The mutants of a node.
pub(super) fn mutants(
    At {
        module,
        node,
        around,
    }: At<'_>,
) -> Vec<Site> {
    let AnyNodeRef::ExprNumberLiteral(number) = node else {
        return Vec::new();
    };
    let range = number.range();
    let is_real = matches!(number.value, Number::Int(_) | Number::Float(_));
    // `3 + 4j` is one constant in a pattern.
    let in_complex = around.iter().rev().take_while(|node| node.is_expression());
    let in_pattern = around.iter().any(|node| node.is_pattern()) && in_complex.count() > 1;
    if !is_real || in_pattern || is_number(&Expr::NumberLiteral(number.clone()), 0) {
        return Vec::new();
    }
    vec![match around.last() {
        Some(AnyNodeRef::ExprUnaryOp(unary)) if unary.op == UnaryOp::USub => {
            let sign = TextRange::new(unary.start(), unary.operand.start());
            // The parentheses of `-(5)` stay.
            let sign = module.tokens_in(sign).next().map_or(sign, Ranged::range);
            Site::one(unary.range(), vec![Edit::remove(sign)])
        }
        Some(AnyNodeRef::ExprBinOp(power))
            if power.op == Operator::Pow && power.left.range() == range =>
        {
            if integer(&power.right).is_some_and(|exponent| exponent % 2 == 0) {
                return Vec::new();
            }
            wrapped(module, range)
        }
        Some(
            AnyNodeRef::ExprAttribute(_)
            | AnyNodeRef::ExprSubscript(_)
            | AnyNodeRef::ExprCall(_)
            | AnyNodeRef::ExprAwait(_),
        ) => wrapped(module, range),
        _ => Site::one(range, vec![Edit::insert(range.start(), "-")]),
    }]
}

fn wrapped(module: &Module<'_>, range: TextRange) -> Site {
    let text = format!("(-{})", module.of(range));
    Site::one(range, vec![Edit::replace(range, text)])
}
