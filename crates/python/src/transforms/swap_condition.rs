//! Swaps the operands of comparisons.
//!
//! # Rewrites
//! `a < b` to `b > a`; the same for `<=`, `>`, `>=`, `==`, `!=`, `is` and `is not`.
//!
//! # Keeps the meaning because
//! Of values of builtin types each comparison has a mirror, NaN included. The operands are evaluated the other way
//! round, so at most one of them has effects, and the other is a literal or a name that it cannot bind. If a type is
//! unknown, the two forms differ only for classes whose comparisons are not mirrors, and in the text of an error of
//! values that have no order, which tests would show.
//!
//! # Declines
//! `in`; chains; two operands with effects; assignments and awaits in an operand; unknown types in modules that
//! define comparisons, use arrays, or show that text; code in an f-string.
//!
//! # Paper
//! Operands with effects and unknown types, too.

use barecode_records::python::Safety;
use ruff_python_ast::{AnyNodeRef, CmpOp, ExprCompare};
use ruff_text_size::{Ranged as _, TextRange};

use crate::types::{Ty, Types};
use crate::visible::Visible;
use crate::walk::{is_fixed, is_frozen, walk};
use crate::{Context, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let types = Types::of(module);
    let visible = Visible::in_module(module);
    let mut sites = Vec::new();
    walk(module, |node, above| {
        if let AnyNodeRef::ExprCompare(it) = node
            && !is_frozen(above)
        {
            sites.extend(swapped(&types, visible, context.safety, it));
        }
    });
    sites
}

fn swapped(types: &Types<'_>, visible: Visible, safety: Safety, it: &ExprCompare) -> Option<Site> {
    let ([op], [right]) = (&*it.ops, &*it.comparators) else {
        return None;
    };
    let mirror = match op {
        CmpOp::Lt => ">",
        CmpOp::LtE => ">=",
        CmpOp::Gt => "<",
        CmpOp::GtE => "<=",
        CmpOp::Eq | CmpOp::NotEq | CmpOp::Is | CmpOp::IsNot => "",
        CmpOp::In | CmpOp::NotIn => return None,
    };
    let left = &*it.left;
    if is_fixed(left) || is_fixed(right) {
        return None;
    }
    let (one, other) = (types.ty(left), types.ty(right));
    let foreign = visible.comparisons || visible.arrays;
    let is_equality = matches!(op, CmpOp::Eq | CmpOp::NotEq);
    // The elements of containers are compared, too.
    let known = is_comparable(*op, one, other)
        || is_equality && one.is_builtin() && other.is_builtin() && !foreign
        || matches!(op, CmpOp::Is | CmpOp::IsNot);
    let ordered = types.can_swap(left, right);
    // An error of operands that have no order names them in theirs.
    let mirrored = known || !foreign && (is_equality || !visible.messages);
    if safety == Safety::Safe && !(ordered && mirrored) {
        return None;
    }
    let module = types.module;
    let parent = AnyNodeRef::from(it);
    let (left, right) = (
        module.with_parentheses(left, parent),
        module.with_parentheses(right, parent),
    );
    let (one, other) = (module.of(left), module.of(right));
    if one == other {
        return None;
    }
    let mut edits = vec![layout::spaced(module, left, other)];
    if !mirror.is_empty() {
        let between = TextRange::new(left.end(), right.start());
        let op = module.tokens_in(between).next()?;
        edits.push(layout::spaced(module, op.range(), mirror));
    }
    edits.push(layout::spaced(module, right, one));
    Some(Site::one(it.range(), edits).proven(known && ordered))
}

/// Returns `true` if values of two types are compared without an error, and the other way round with the same result.
fn is_comparable(op: CmpOp, one: Ty, other: Ty) -> bool {
    let both = one | other;
    match op {
        CmpOp::Eq | CmpOp::NotEq => both.is(Ty::SCALAR),
        _ => both.is(Ty::NUMBER) || both == Ty::STR || both == Ty::BYTES,
    }
}
