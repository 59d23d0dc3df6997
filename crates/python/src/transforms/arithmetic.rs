//! Writes augmented assignments out, and contracts those that are written out.
//!
//! # Rewrites
//! `x += e` to `x = x + (e)`, and `x = x + e` to `x += e`, for every operator. The target is a name, or a subscript of a
//! name by an index that has no effects.
//!
//! # Keeps the meaning because
//! Values that cannot change have no operator that changes them in place. If only the first value of a variable is
//! known to be such, or the right side is a number and the operator does not repeat lists, the two forms differ only
//! for classes that define both. Then tests have the last word.
//!
//! # Declines
//! Targets that may be lists, sets, counters or arrays, which other variables may share; targets that would be evaluated
//! twice with effects; `x = x - a - b`, which is not `x -= a - b`; `x = a + x`.
//!
//! # Paper
//! Any target that is a name, an attribute or a subscript without calls in it, whatever its type.

use barecode_records::python::Safety;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{AnyNodeRef, Expr, Operator, OperatorPrecedence, StmtAssign, StmtAugAssign};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::operator;
use crate::types::{Ty, Types};
use crate::visible::Visible;
use crate::walk::{any, is_fixed, walk};
use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let finder = Finder {
        module,
        types: Types::of(module),
        visible: Visible::in_module(module),
        safety: context.safety,
    };
    let mut sites = Vec::new();
    walk(module, |node, _| match node {
        AnyNodeRef::StmtAugAssign(it) => sites.extend(finder.expanded(it)),
        AnyNodeRef::StmtAssign(it) => sites.extend(finder.contracted(it)),
        _ => {}
    });
    sites
}

struct Finder<'a> {
    module: &'a Module<'a>,
    types: Types<'a>,
    visible: Visible,
    safety: Safety,
}

impl Finder<'_> {
    fn expanded(&self, it: &StmtAugAssign) -> Option<Site> {
        let proven = self.is_alike(&it.target, it.op, &it.value)?;
        let parent = AnyNodeRef::from(it);
        let target = self
            .module
            .of(self.module.with_parentheses(&*it.target, parent));
        let value = self.module.with_parentheses(&*it.value, parent);
        let text = layout::operand(
            self.module,
            &it.value,
            parent,
            OperatorPrecedence::CallAttribute,
        );
        let between = TextRange::new(it.target.end(), value.start());
        let mut tokens = self.module.tokens_in(between);
        let op =
            tokens.find(|token| token.kind().is_operator() && token.kind() != TokenKind::Rpar)?;
        let mut edits = vec![Edit::replace(
            op.range(),
            format!("= {target} {}", it.op.as_str()),
        )];
        if text != self.module.of(value) {
            // The rest of the line is the value, so a value over lines keeps its own line ends.
            edits.push(Edit::replace(value, text));
        }
        Some(Site::one(it.range(), edits).proven(proven))
    }

    fn contracted(&self, it: &StmtAssign) -> Option<Site> {
        let ([target], Expr::BinOp(sum)) = (&*it.targets, &*it.value) else {
            return None;
        };
        let module = self.module;
        let parent = AnyNodeRef::from(it);
        let is_bare = module.with_parentheses(&*it.value, parent) == it.value.range()
            && module.with_parentheses(target, parent) == target.range();
        let same = module.of(target.range()) == module.of(sum.left.range());
        if !is_bare || !same || layout::has_comment(module, it.range()) {
            return None;
        }
        let proven = self.is_alike(target, sum.op, &sum.right)?;
        let op = operator(module, sum.left.end(), sum.right.start());
        let whole = TextRange::new(target.end(), op.end());
        let edit = Edit::replace(whole, format!(" {}=", sum.op.as_str()));
        Some(Site::one(it.range(), vec![edit]).proven(proven))
    }

    /// Returns true if it is proven that `target op= value` and `target = target op value` do the same; `None` if
    /// that is not even likely.
    fn is_alike(&self, target: &Expr, op: Operator, value: &Expr) -> Option<bool> {
        let loose = self.safety == Safety::Paper;
        let foreign = self.visible.in_place || self.visible.arrays;
        let number = self.types.ty(value).is(Ty::NUMBER);
        // Only `*` of a list by a number changes the list.
        let plain_number = number && !matches!(op, Operator::Mult | Operator::MatMult) && !foreign;
        let (proven, likely) = match target {
            Expr::Name(name) => {
                let ty = self.types.ty(target);
                let grown =
                    self.types.first(name).is(Ty::IMMUTABLE) && !foreign && !self.is_shared(target);
                (ty.is(Ty::IMMUTABLE), plain_number || grown)
            }
            Expr::Subscript(it) => {
                let settled = self.types.is_settled(&it.value)
                    && self.types.is_settled(&it.slice)
                    && !is_fixed(value);
                (false, settled && plain_number && it.value.is_name_expr())
            }
            _ => (false, false),
        };
        // An error of operands that do not fit names the operator.
        let fits = self.types.ty(target).is(Ty::NUMBER) && number;
        let shown = self.visible.messages && !fits && !loose;
        let calls = |part: &Expr| matches!(part, Expr::Call(_));
        if shown {
            None
        } else if proven {
            Some(true)
        } else if likely || loose && !is_fixed(target) && !any(target, &mut { calls }) {
            Some(false)
        } else {
            None
        }
    }

    /// Returns `true` if something else may hold the value of a local variable: it is read where it could be stored.
    fn is_shared(&self, target: &Expr) -> bool {
        let scopes = self.module.scopes();
        let Some(variable) = scopes.at(target.start()) else {
            return true;
        };
        let (binding, name) = (variable.binding, variable.name.clone());
        let mut shared = false;
        walk(self.module, |node, above| {
            let AnyNodeRef::ExprName(read) = node else {
                return;
            };
            let Some(place) = scopes.at(read.start()) else {
                return;
            };
            if !read.ctx.is_load() || place.binding != binding || place.name != name {
                return;
            }
            let parent = above.last().copied();
            let uses = match parent {
                Some(AnyNodeRef::Arguments(_)) => {
                    let call = above.iter().rev().nth(1);
                    matches!(call, Some(AnyNodeRef::ExprCall(call))
                        if self.types.builtin(&call.func, &["print", "str", "int", "float", "len", "round"]))
                }
                Some(
                    AnyNodeRef::ExprBinOp(_)
                    | AnyNodeRef::ExprCompare(_)
                    | AnyNodeRef::ExprUnaryOp(_)
                    | AnyNodeRef::InterpolatedElement(_)
                    | AnyNodeRef::StmtIf(_)
                    | AnyNodeRef::StmtWhile(_),
                ) => true,
                Some(AnyNodeRef::StmtReturn(_)) => !above
                    .iter()
                    .any(|node| matches!(node, AnyNodeRef::StmtTry(_))),
                _ => false,
            };
            shared |= !uses;
        });
        shared
    }
}
