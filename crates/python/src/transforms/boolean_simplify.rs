//! Shortens comparisons and negations.
//!
//! # Rewrites
//! `not (a in b)` to `a not in b`, the same for `is`; `not not c` to `c` where only its truth counts; `not (a == b)` to
//! `a != b`, `not (a < b)` to `a >= b`; `x == True` and `x is True` to `x`, with `False` to `not x`.
//!
//! # Keeps the meaning because
//! `in` and `is` have their own negations. Values of builtin types that can be distinguished are equal or different;
//! those of one ordered type without NaN are less, equal or greater. A known `bool` is itself the comparison. Of
//! unknown types `not (a == b)` differs from `a != b` only for classes that define one of them, which tests would
//! show.
//!
//! # Declines
//! Negated orders of floats, sets, chains and unknown types; comparisons with `True` and `None` of what may be something
//! else; `not not c` as a value.
//!
//! # Paper
//! These, too: `x is None` to `not x` and `x == True` to `x`, which are wrong for `0` and `2`, and negated orders of any
//! type.

use barecode_records::python::Safety;
use ruff_python_ast::{AnyNodeRef, CmpOp, Expr, ExprCompare, ExprUnaryOp, UnaryOp};
use ruff_text_size::{Ranged as _, TextRange};

use crate::types::{Ty, Types};
use crate::visible::Visible;
use crate::walk::{is_frozen, walk};
use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let types = Types::of(module);
    let visible = Visible::in_module(module);
    // If no class defines its comparison, values that are not equal are different.
    let foreign = visible.comparisons || visible.arrays;
    let loose = context.safety == Safety::Paper;
    let mut sites = Vec::new();
    walk(module, |node, above| {
        if is_frozen(above) {
            return;
        }
        match node {
            AnyNodeRef::ExprUnaryOp(it) if it.op == UnaryOp::Not => {
                sites.extend(negation(&types, loose, foreign, it, above));
            }
            AnyNodeRef::ExprCompare(it) => {
                sites.extend(with_constant(&types, loose, it, above));
            }
            _ => {}
        }
    });
    sites
}

/// `not (…)`.
fn negation(
    types: &Types<'_>,
    loose: bool,
    foreign: bool,
    it: &ExprUnaryOp,
    above: &[AnyNodeRef<'_>],
) -> Option<Site> {
    let module = types.module;
    let operand = module.with_parentheses(&*it.operand, AnyNodeRef::from(it));
    if let Expr::UnaryOp(inner) = &*it.operand {
        if inner.op != UnaryOp::Not || !is_tested(AnyNodeRef::from(it), above) {
            return None;
        }
        let kept = module.with_parentheses(&*inner.operand, AnyNodeRef::from(inner));
        // The text between the two `not`s and after them is removed.
        let rest = TextRange::new(kept.end(), it.end());
        if layout::has_comment(module, it.range()) || module.of(it.range()).contains('\n') {
            return None;
        }
        let mut edits = vec![layout::spaced(
            module,
            TextRange::new(it.start(), kept.start()),
            "",
        )];
        if !rest.is_empty() {
            edits.push(blank(module, rest));
        }
        return Some(Site::one(it.range(), edits));
    }
    let Expr::Compare(compare) = &*it.operand else {
        return None;
    };
    let ([op], [right]) = (&*compare.ops, &*compare.comparators) else {
        return None;
    };
    let (left, both) = (&*compare.left, types.ty(&compare.left) | types.ty(right));
    let ordered = both.is(Ty::INTEGER) || both == Ty::STR;
    let equal = both.is(Ty::SCALAR) || both.is_builtin() && !foreign;
    let (turned, proven) = match op {
        CmpOp::In => ("not in", true),
        CmpOp::NotIn => ("in", true),
        CmpOp::Is => ("is not", true),
        CmpOp::IsNot => ("is", true),
        CmpOp::Eq => ("!=", equal),
        CmpOp::NotEq => ("==", equal),
        CmpOp::Lt => (">=", ordered),
        CmpOp::LtE => (">", ordered),
        CmpOp::Gt => ("<=", ordered),
        CmpOp::GtE => ("<", ordered),
    };
    let likely = loose || !foreign && matches!(op, CmpOp::Eq | CmpOp::NotEq);
    if !proven && !likely {
        return None;
    }
    let parent = AnyNodeRef::from(compare);
    let (left, right) = (
        module.with_parentheses(left, parent),
        module.with_parentheses(right, parent),
    );
    let between = TextRange::new(left.end(), right.start());
    let op = {
        let mut tokens = module.tokens_in(between);
        let first = tokens.next()?.range();
        tokens
            .next_back()
            .map_or(first, |last| first.cover(last.range()))
    };
    // Parentheses that hold several lines together stay.
    let holds_lines = module.of(operand).contains('\n');
    let start = if holds_lines {
        operand.start()
    } else {
        compare.start()
    };
    if layout::has_comment(module, TextRange::new(it.start(), compare.start()))
        || layout::has_comment(module, op)
    {
        return None;
    }
    let mut edits = vec![
        layout::spaced(module, TextRange::new(it.start(), start), ""),
        layout::spaced(module, op, turned),
    ];
    let rest = TextRange::new(compare.end(), operand.end());
    if !holds_lines && !rest.is_empty() {
        edits.push(blank(module, rest));
    }
    Some(Site::one(it.range(), edits).proven(proven))
}

/// Removes the text after an expression, and leaves a blank before a word.
fn blank(module: &Module<'_>, range: TextRange) -> Edit {
    let after = module.text().get(range.end().to_usize()..);
    let next = after.unwrap_or_default().chars().next();
    let joins = next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '"' | '\''));
    Edit::replace(range, if joins { " " } else { "" })
}

/// `x == True`, `x is None`, ….
fn with_constant(
    types: &Types<'_>,
    loose: bool,
    it: &ExprCompare,
    above: &[AnyNodeRef<'_>],
) -> Option<Site> {
    let ([op], [right]) = (&*it.ops, &*it.comparators) else {
        return None;
    };
    let equal = match op {
        CmpOp::Eq | CmpOp::Is => true,
        CmpOp::NotEq | CmpOp::IsNot => false,
        _ => return None,
    };
    let ty = types.ty(&it.left);
    let (is_itself, proven) = match right {
        Expr::BooleanLiteral(literal) => (literal.value == equal, ty.is(Ty::BOOL)),
        Expr::NoneLiteral(_) => (!equal, false),
        _ => return None,
    };
    // A value other than a `bool` replaces the comparison only where its truth counts.
    let stands_for = proven || !is_itself || is_tested(AnyNodeRef::from(it), above);
    if !(proven || loose && stands_for) {
        return None;
    }
    let module = types.module;
    let parent = AnyNodeRef::from(it);
    let left = module.with_parentheses(&*it.left, parent);
    let rest = TextRange::new(left.end(), it.end());
    if layout::has_comment(module, rest) {
        return None;
    }
    let mut edits = Vec::new();
    if !is_itself {
        edits.push(Edit::insert(it.start(), "not "));
    }
    edits.push(blank(module, rest));
    Some(Site::one(it.range(), edits).proven(proven))
}

/// Returns `true` if only the truth of an expression counts at its position.
fn is_tested(node: AnyNodeRef<'_>, above: &[AnyNodeRef<'_>]) -> bool {
    let mut node = node;
    for parent in above.iter().rev() {
        let at = |expression: &Expr| expression.range() == node.range();
        match parent {
            AnyNodeRef::ExprUnaryOp(it) => return it.op == UnaryOp::Not,
            AnyNodeRef::StmtIf(it) => return at(&it.test),
            AnyNodeRef::StmtWhile(it) => return at(&it.test),
            AnyNodeRef::StmtAssert(it) => return at(&it.test),
            AnyNodeRef::ElifElseClause(it) => return it.test.as_ref().is_some_and(at),
            AnyNodeRef::ExprIf(it) if at(&it.test) => return true,
            // Its result counts in the same way as the whole.
            AnyNodeRef::ExprBoolOp(_) | AnyNodeRef::ExprIf(_) => {}
            AnyNodeRef::Comprehension(it) => return it.ifs.iter().any(at),
            _ => return false,
        }
        node = *parent;
    }
    false
}
