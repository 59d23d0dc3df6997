//! `RangeOffByOne`: a loop that runs once too often, or not often enough.
//!
//! *Rewrites.* The bounds of `for … in range(…)` into one more or one less: `range(n)` becomes `range(n - 1)`, `range(n +
//! 1)`; `range(1, n)` becomes `range(2, n)`, `range(0, n)`, ….
//!
//! *Breaks the meaning because* the loop has another first or last turn.
//!
//! *Declines* a `range` that is not the builtin, arguments with `*`, and bounds that are all literals and result in
//! the same numbers.
//!
//! *Paper.* The paper does not name the bound; here each is equally likely.

use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, Operator, UnaryOp};
use ruff_text_size::Ranged as _;

use super::mutant::{At, any_of, integer};
use crate::{Edit, Module, Site};

/// The mutants of a node.
pub(super) fn mutants(
    At {
        module,
        node,
        around,
    }: At<'_>,
) -> Vec<Site> {
    let (AnyNodeRef::ExprCall(call), Some(AnyNodeRef::StmtFor(statement))) = (node, around.last())
    else {
        return Vec::new();
    };
    let is_range = matches!(&*call.func, Expr::Name(name)
        if module.scopes().is_builtin(name.start(), "range"));
    if !is_range || statement.iter.range() != call.range() {
        return Vec::new();
    }
    any_of(call.range(), choices(module, call))
}

fn choices(module: &Module<'_>, call: &ExprCall) -> Vec<Vec<Edit>> {
    let arguments = &call.arguments.args;
    let is_unusual = !call.arguments.keywords.is_empty()
        || !(1..=3).contains(&arguments.len())
        || arguments.iter().any(Expr::is_starred_expr);
    if is_unusual {
        return Vec::new();
    }
    let literals: Option<Vec<i64>> = arguments.iter().map(integer).collect();
    let bounds = arguments.iter().take(2).enumerate();
    let both = bounds.flat_map(|(index, bound)| [(index, bound, 1), (index, bound, -1)]);
    let differs = |(index, _, by): &(usize, &Expr, i64)| {
        literals.as_ref().is_none_or(|literals| {
            let mut moved = literals.clone();
            moved[*index] = moved[*index].saturating_add(*by);
            numbers(&moved) != numbers(literals)
        })
    };
    both.filter(differs)
        .map(|(_, bound, by)| {
            let text = match integer(bound) {
                Some(value) => value.saturating_add(by).to_string(),
                None => shifted(module, call, bound, by),
            };
            let range = module.with_parentheses(bound, &call.arguments);
            vec![Edit::replace(range, text)]
        })
        .collect()
}

/// A bound with one added or taken away.
fn shifted(module: &Module<'_>, call: &ExprCall, bound: &Expr, by: i64) -> String {
    let range = module.with_parentheses(bound, &call.arguments);
    let text = module.of(range);
    let is_closed = match bound {
        Expr::BinOp(operation) => !matches!(
            operation.op,
            Operator::LShift
                | Operator::RShift
                | Operator::BitOr
                | Operator::BitXor
                | Operator::BitAnd
        ),
        Expr::UnaryOp(operation) => operation.op != UnaryOp::Not,
        Expr::Name(_) | Expr::Call(_) | Expr::Attribute(_) | Expr::Subscript(_) => true,
        other => other.is_number_literal_expr(),
    };
    let sign = if by > 0 { '+' } else { '-' };
    if is_closed || range != bound.range() {
        format!("{text} {sign} 1")
    } else {
        format!("({text}) {sign} 1")
    }
}

/// The numbers that a range of literals runs over: the first, the count, the step.
fn numbers(bounds: &[i64]) -> Option<(i64, i64, i64)> {
    let (start, stop, step) = match bounds {
        [stop] => (0, *stop, 1),
        [start, stop] => (*start, *stop, 1),
        [start, stop, step] if *step != 0 => (*start, *stop, *step),
        _ => return None,
    };
    let span = stop.saturating_sub(start);
    let count = span / step + i64::from(span % step != 0);
    let count = if (span > 0) == (step > 0) { count } else { 0 };
    Some(if count == 0 {
        (0, 0, 1)
    } else {
        (start, count, step)
    })
}
