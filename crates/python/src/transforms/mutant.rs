//! What the transforms share that break the meaning: a walk with ancestors, and where a mistake would be noticed.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{AnyNodeRef, Expr, Number, UnaryOp};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::{Context, Module};

/// Visits every node in the order of the text, with what it is inside of, outermost first.
pub(super) fn each<'a>(module: &'a Module<'_>, see: impl FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])) {
    let mut walk = Walk {
        around: Vec::new(),
        see,
    };
    walk.visit_body(module.body());
}

struct Walk<'a, F> {
    around: Vec<AnyNodeRef<'a>>,
    see: F,
}

impl<'a, F: FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])> SourceOrderVisitor<'a> for Walk<'a, F> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        (self.see)(node, &self.around);
        self.around.push(node);
        TraversalSignal::Traverse
    }

    fn leave_node(&mut self, _: AnyNodeRef<'a>) {
        self.around.pop();
    }
}

/// Whether tests run the line of a place, as far as is known.
pub(super) fn is_covered(module: &Module<'_>, context: &Context, place: TextSize) -> bool {
    context.covered.is_empty() || context.covered.contains(&module.line_of(place.to_u32()))
}

/// Whether a change of an expression could not be noticed: it stands in an annotation, or is compared with `__name__`.
pub(super) fn is_idle(expression: TextRange, around: &[AnyNodeRef<'_>]) -> bool {
    let holds = |part: Option<TextRange>| part.is_some_and(|part| part.contains_range(expression));
    around.iter().any(|node| match node {
        AnyNodeRef::Parameter(it) => holds(it.annotation.as_deref().map(Ranged::range)),
        AnyNodeRef::StmtFunctionDef(it) => holds(it.returns.as_deref().map(Ranged::range)),
        AnyNodeRef::StmtAnnAssign(it) => holds(Some(it.annotation.range())),
        AnyNodeRef::StmtTypeAlias(_) | AnyNodeRef::TypeParams(_) => true,
        AnyNodeRef::ExprCompare(it) => is_main_guard(&it.left),
        _ => false,
    })
}

/// `__name__`, which a comparison with `"__main__"` begins with.
pub(super) fn is_main_guard(left: &Expr) -> bool {
    matches!(left, Expr::Name(name) if name.id.as_str() == "__name__")
}

/// The tokens of an operator that stands between two operands, without the parentheses around these.
pub(super) fn operator(module: &Module<'_>, after: TextSize, before: TextSize) -> TextRange {
    let between = module.tokens_in(TextRange::new(after, before));
    let mut tokens = between.filter(|token| {
        let kind = token.kind();
        !matches!(
            kind,
            TokenKind::Lpar | TokenKind::Rpar | TokenKind::NonLogicalNewline
        )
    });
    let first = tokens.next().map_or(TextRange::empty(after), Ranged::range);
    let last = tokens.next_back().map_or(first, Ranged::range);
    first.cover(last)
}

/// The value of an integer literal, with its sign.
pub(super) fn integer(expression: &Expr) -> Option<i64> {
    match expression {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(value) => value.as_i64(),
            _ => None,
        },
        Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => integer(&unary.operand)?.checked_neg(),
        _ => None,
    }
}

/// Whether an expression is written as a number that is zero, or one.
pub(super) fn is_number(expression: &Expr, wanted: i32) -> bool {
    match expression {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(value) => value.as_i64() == Some(i64::from(wanted)),
            Number::Float(value) => value.total_cmp(&f64::from(wanted)).is_eq(),
            Number::Complex { .. } => false,
        },
        _ => false,
    }
}
