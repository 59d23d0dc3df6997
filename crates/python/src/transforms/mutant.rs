//! Functions that the transforms that break the meaning share: most of them look at one node at a time, and a mistake
//! is made where it would be noticed.

use barecode_records::python::VariantKind;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{AnyNodeRef, Expr, Number, UnaryOp};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::walk::walk;
use crate::{Context, Edit, Fresh, Module, Site, Transform};

/// A transform that breaks the meaning, node by node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mutant {
    pub(super) name: &'static str,
    pub(super) of: Mutants,
}

/// The mutants of a node.
pub(super) type Mutants = fn(At<'_>) -> Vec<Site>;

/// A node, and its ancestors, the outermost first.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) module: &'a Module<'a>,
    pub(super) node: AnyNodeRef<'a>,
    pub(super) around: &'a [AnyNodeRef<'a>],
}

impl Transform for Mutant {
    fn name(&self) -> &'static str {
        self.name
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        walk(module, |node, around| {
            let mutants = (self.of)(At {
                module,
                node,
                around,
            });
            let is_noticed =
                || !is_idle(node.range(), around) && is_covered(module, context, node.start());
            if !mutants.is_empty() && is_noticed() {
                sites.extend(mutants);
            }
        });
        sites
    }
}

/// A site with a choice of edits, if there is any.
pub(super) fn any_of(node: TextRange, choices: Vec<Vec<Edit>>) -> Vec<Site> {
    if choices.is_empty() {
        Vec::new()
    } else {
        vec![Site::any(node, choices)]
    }
}

/// Returns `true` if tests run the line of a position, as far as is known.
pub(super) fn is_covered(module: &Module<'_>, context: &Context, place: TextSize) -> bool {
    context.covered.is_empty() || context.covered.contains(&module.line_of(place.to_u32()))
}

/// Returns `true` if a change of an expression could not be noticed: it is in an annotation, or is compared with
/// `__name__`.
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

/// The tokens of an operator between two operands, without the parentheses around these.
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

/// Returns `true` if an expression is written as a number that is zero, or one.
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
