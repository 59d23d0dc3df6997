//! `WrongArithmeticOperator`: another arithmetic operator.
//!
//! *Rewrites.* One of `+ - * / % // **` between two operands into another of them, drawn at random: `a + b` becomes
//! `a // b`. The operands stay what they are: parentheses are added where the new operator would bind otherwise.
//!
//! *Breaks the meaning because* the operators differ on almost all numbers.
//!
//! *Declines* annotations; operators with the same result for these operands: `+` and `-` with 0, `*`, `/`, `//` and
//! `**` with 1 on the right, and two literals with one result (`2 * 2`, `2 ** 2`).
//!
//! *Paper.* The seven operators are the paper's.

use ruff_python_ast::{AnyNodeRef, Expr, ExprBinOp, Operator};
use ruff_text_size::Ranged as _;

use super::mutant::{At, any_of, integer, is_number, operator};
use crate::{Edit, Module, Site};

const OPERATORS: [Operator; 7] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mult,
    Operator::Div,
    Operator::Mod,
    Operator::FloorDiv,
    Operator::Pow,
];

/// The mutants of a node.
pub(super) fn mutants(
    At {
        module,
        node,
        around,
    }: At<'_>,
) -> Vec<Site> {
    let AnyNodeRef::ExprBinOp(operation) = node else {
        return Vec::new();
    };
    if !OPERATORS.contains(&operation.op) {
        return Vec::new();
    }
    let others = OPERATORS.into_iter();
    let others = others.filter(|other| differs(operation, *other));
    let choices: Vec<Vec<Edit>> = others
        .map(|other| edits(module, operation, other, around.last().copied()))
        .collect();
    any_of(operation.range(), choices)
}

/// Returns `true` if another operator can have another result.
fn differs(operation: &ExprBinOp, other: Operator) -> bool {
    use Operator::{Add, Div, FloorDiv, Mult, Pow, Sub};
    let op = operation.op;
    if other == op {
        return false;
    }
    let both = |group: &[Operator]| group.contains(&op) && group.contains(&other);
    if is_number(&operation.right, 0) && both(&[Add, Sub])
        || is_number(&operation.right, 1) && both(&[Mult, Div, FloorDiv, Pow])
    {
        return false;
    }
    match (integer(&operation.left), integer(&operation.right)) {
        (Some(left), Some(right)) => folded(left, op, right) != folded(left, other, right),
        _ => true,
    }
}

/// The result for two numbers; `None` if that is an error, or large.
fn folded(left: i64, op: Operator, right: i64) -> Option<f64> {
    let (a, b) = (left as f64, right as f64);
    let result = match op {
        Operator::Add => a + b,
        Operator::Sub => a - b,
        Operator::Mult => a * b,
        Operator::Div => a / b,
        Operator::Mod => a - b * (a / b).floor(),
        Operator::FloorDiv => (a / b).floor(),
        Operator::Pow => a.powf(b),
        _ => return None,
    };
    result.is_finite().then_some(result)
}

/// The binding strength of an operator.
fn strength(op: Operator) -> u8 {
    match op {
        Operator::Add | Operator::Sub => 1,
        Operator::Pow => 3,
        _ => 2,
    }
}

fn edits(
    module: &Module<'_>,
    operation: &ExprBinOp,
    other: Operator,
    parent: Option<AnyNodeRef<'_>>,
) -> Vec<Edit> {
    let left = module.with_parentheses(&*operation.left, operation);
    let right = module.with_parentheses(&*operation.right, operation);
    let sign = operator(module, left.end(), right.start());
    let sign = Edit::replace(sign, other.as_str());
    if strength(other) == strength(operation.op) && other != Operator::Pow {
        return vec![sign];
    }
    // Operands that bind less than the new operator are put in parentheses, and so is the whole if it is in one.
    let is_compound =
        |operand: &Expr| matches!(operand, Expr::BinOp(_) | Expr::UnaryOp(_) | Expr::Await(_));
    let whole = operation.range();
    let in_operation = matches!(
        parent,
        Some(AnyNodeRef::ExprBinOp(_) | AnyNodeRef::ExprUnaryOp(_) | AnyNodeRef::ExprAwait(_))
    );
    let wrap_left = is_compound(&operation.left) && left == operation.left.range();
    let wrap_right = is_compound(&operation.right) && right == operation.right.range();
    let mut edits = Vec::new();
    let open = "(".repeat(usize::from(in_operation) + usize::from(wrap_left));
    if !open.is_empty() {
        edits.push(Edit::insert(whole.start(), open));
    }
    if wrap_left {
        edits.push(Edit::insert(left.end(), ")"));
    }
    edits.push(sign);
    if wrap_right {
        edits.push(Edit::insert(right.start(), "("));
    }
    let close = ")".repeat(usize::from(in_operation) + usize::from(wrap_right));
    if !close.is_empty() {
        edits.push(Edit::insert(whole.end(), close));
    }
    edits
}
