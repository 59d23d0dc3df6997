//! Splits chained comparisons.
//!
//! # Rewrites
//! `a < b <= c` to `(a < b) and (b <= c)`; where evaluating `b` twice could be noticed, to
//! `(a < (middle := b)) and (middle <= c)` with a name that the text does not have.
//!
//! # Keeps the meaning because
//! The language defines a chain as just that, with each operand evaluated once.
//!
//! # Declines
//! An operand that would need a name where none can be bound or where it would be seen: in class bodies, in the
//! iterable of a comprehension, in modules that list their variables.
//!
//! # Paper
//! The operand is repeated, whatever it does.

use barecode_records::python::Safety;
use ruff_python_ast::{AnyNodeRef, ExprCompare, UnaryOp};
use ruff_text_size::{Ranged as _, TextSize};

use crate::types::Types;
use crate::visible::{Visible, is_in_class};
use crate::walk::{is_fixed, is_frozen, walk};
use crate::{Context, Edit, Fresh, Module, Site};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
    let types = Types::of(module);
    let visible = Visible::in_module(module);
    let mut sites = Vec::new();
    walk(module, |node, above| {
        if let AnyNodeRef::ExprCompare(it) = node
            && it.ops.len() > 1
            && !is_frozen(above)
        {
            let can_name = !visible.variables && can_name(module, it.start(), above);
            sites.extend(split(&types, context.safety, can_name, it, above, fresh));
        }
    });
    sites
}

fn split(
    types: &Types<'_>,
    safety: Safety,
    can_name: bool,
    it: &ExprCompare,
    above: &[AnyNodeRef<'_>],
    fresh: &mut Fresh<'_>,
) -> Option<Site> {
    let module = types.module;
    let parent = AnyNodeRef::from(it);
    let last = it.comparators.len() - 1;
    let middles = &it.comparators[..last];
    let mut proven = true;
    let is_negated = matches!(above.last(), Some(AnyNodeRef::ExprUnaryOp(not)) if not.op == UnaryOp::Not)
        && above
            .last()
            .is_some_and(|not| module.with_parentheses(it, *not) == it.range());
    let (open, close) = if is_negated { ("((", "))") } else { ("(", ")") };
    let mut edits = vec![Edit::insert(it.start(), open)];
    for middle in middles {
        let range = module.with_parentheses(middle, parent);
        let text = module.of(range);
        if types.is_settled(middle) {
            edits.push(Edit::insert(range.end(), format!(") and ({text}")));
        } else if safety == Safety::Paper && !is_fixed(middle) {
            proven = false;
            edits.push(Edit::insert(range.end(), format!(") and ({text}")));
        } else if can_name {
            let name = fresh.name("middle");
            edits.push(Edit::insert(range.start(), format!("({name} := ")));
            edits.push(Edit::insert(range.end(), format!(")) and ({name}")));
        } else {
            return None;
        }
    }
    edits.push(Edit::insert(it.end(), close));
    Some(Site::one(it.range(), edits).proven(proven))
}

/// Returns `true` if an assignment expression is allowed at a position.
fn can_name(module: &Module<'_>, place: TextSize, above: &[AnyNodeRef<'_>]) -> bool {
    let iterated = above.windows(2).any(|pair| {
        let [AnyNodeRef::Comprehension(comprehension), inner] = pair else {
            return false;
        };
        inner.range() == comprehension.iter.range()
    });
    let directly = matches!(above.last(), Some(AnyNodeRef::Comprehension(comprehension))
        if comprehension.iter.range().contains(place));
    let annotated = above.iter().any(|node| {
        matches!(
            node,
            AnyNodeRef::Parameter(_) | AnyNodeRef::Decorator(_) | AnyNodeRef::Parameters(_)
        )
    });
    !iterated && !directly && !annotated && !is_in_class(module, place)
}
