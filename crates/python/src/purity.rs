//! *Pure(e)*: what evaluating an expression can do besides giving a value.
//!
//! Literals and names do nothing, arithmetic and comparisons of known built-in values do nothing or raise an error of
//! one known kind, and everything else may do anything.

use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Operator, UnaryOp};
use ruff_text_size::Ranged as _;

use crate::ScopeKind;
use crate::scope::Use;
use crate::types::{Ty, Types};
use crate::walk;

/// The effect of evaluating an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// Nothing: it may be evaluated twice, or earlier, or later.
    Pure,
    /// Nothing but raise this error.
    Raises(Error),
    /// Anything.
    Any,
}

/// An error that an operator raises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Error {
    Index,
    ZeroDivision,
}

impl Effect {
    fn and(self, other: Effect) -> Effect {
        match (self, other) {
            (Effect::Pure, effect) | (effect, Effect::Pure) => effect,
            (one, other) if one == other => one,
            _ => Effect::Any,
        }
    }
}

impl Types<'_> {
    pub(crate) fn is_pure(&self, expression: &Expr) -> bool {
        self.effect(expression) == Effect::Pure
    }

    pub(crate) fn effect(&self, expression: &Expr) -> Effect {
        let all = |parts: &[Expr]| {
            let parts = parts.iter();
            parts.fold(Effect::Pure, |sum, part| sum.and(self.effect(part)))
        };
        match expression {
            Expr::Name(_) => Effect::Pure,
            literal if literal.is_literal_expr() => Effect::Pure,
            Expr::Tuple(tuple) => all(&tuple.elts),
            Expr::UnaryOp(it) => {
                let ty = self.ty(&it.operand);
                let fits = match it.op {
                    UnaryOp::Not => ty.is(Ty::SCALAR),
                    UnaryOp::Invert => ty.is(Ty::INTEGER),
                    UnaryOp::UAdd | UnaryOp::USub => ty.is(Ty::NUMBER),
                };
                if fits {
                    self.effect(&it.operand)
                } else {
                    Effect::Any
                }
            }
            Expr::BinOp(it) => {
                let parts = self.effect(&it.left).and(self.effect(&it.right));
                parts.and(self.operator(it))
            }
            Expr::Compare(it) => {
                let parts = self.effect(&it.left).and(all(&it.comparators));
                parts.and(self.comparison(it))
            }
            Expr::BoolOp(it) if it.values.iter().all(|value| self.ty(value).is(Ty::SCALAR)) => {
                all(&it.values)
            }
            Expr::If(it) if self.ty(&it.test).is(Ty::SCALAR) => self
                .effect(&it.test)
                .and(self.effect(&it.body))
                .and(self.effect(&it.orelse)),
            Expr::Call(call) if self.builtin(&call.func, &["len"]) => match &*call.arguments.args {
                [name @ Expr::Name(_)]
                    if call.arguments.keywords.is_empty() && self.ty(name).is(Ty::SIZED) =>
                {
                    Effect::Pure
                }
                _ => Effect::Any,
            },
            Expr::Subscript(it) => {
                let (base, index) = (self.ty(&it.value), self.ty(&it.slice));
                let indexed = base.is(Ty::STR | Ty::LIST | Ty::TUPLE | Ty::BYTES);
                if indexed && index.is(Ty::INTEGER) {
                    let parts = self.effect(&it.value).and(self.effect(&it.slice));
                    parts.and(Effect::Raises(Error::Index))
                } else {
                    Effect::Any
                }
            }
            _ => Effect::Any,
        }
    }

    fn operator(&self, it: &ast::ExprBinOp) -> Effect {
        let (left, right) = (self.ty(&it.left), self.ty(&it.right));
        let both = left | right;
        match it.op {
            // A float that is too large for an int raises, so numbers are all of one kind.
            Operator::Add | Operator::Sub | Operator::Mult
                if both.is(Ty::INTEGER) || both.is(Ty::FLOAT) =>
            {
                Effect::Pure
            }
            Operator::BitAnd | Operator::BitOr | Operator::BitXor if both.is(Ty::INTEGER) => {
                Effect::Pure
            }
            Operator::Add if both == Ty::STR => Effect::Pure,
            Operator::FloorDiv | Operator::Mod if both.is(Ty::INTEGER) || both.is(Ty::FLOAT) => {
                if is_nonzero(&it.right) {
                    Effect::Pure
                } else {
                    Effect::Raises(Error::ZeroDivision)
                }
            }
            _ => Effect::Any,
        }
    }

    fn comparison(&self, it: &ast::ExprCompare) -> Effect {
        let values = it.comparators.iter();
        let both = values.fold(self.ty(&it.left), |sum, value| sum | self.ty(value));
        let fits = |op: &CmpOp| match op {
            CmpOp::Is | CmpOp::IsNot => true,
            CmpOp::Eq | CmpOp::NotEq => both.is(Ty::SCALAR),
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => {
                both.is(Ty::NUMBER) || both == Ty::STR
            }
            CmpOp::In | CmpOp::NotIn => both == Ty::STR,
        };
        if it.ops.iter().all(fits) {
            Effect::Pure
        } else {
            Effect::Any
        }
    }

    /// Returns `true` if no call can bind a name to something else: it belongs to one function, or to the module and no
    /// function declares it `global`.
    pub(crate) fn is_stable(&self, name: &ast::ExprName) -> bool {
        let scopes = self.module.scopes();
        let Some(place) = scopes.at(name.start()) else {
            return false;
        };
        let Some(binding) = place.binding else {
            return false;
        };
        let kind = scopes.all()[binding].kind;
        let is_bound = |usage| matches!(usage, Use::Bind | Use::Delete | Use::Parameter);
        let mut bound = scopes.of_binding(binding, &place.name);
        kind != ScopeKind::Class
            && bound.all(|other| !is_bound(other.usage) || other.scope == binding)
    }

    /// Returns `true` if evaluating anything else before an expression cannot change its value: a literal, a name
    /// that nothing binds, or arithmetic of such with values that cannot change.
    pub(crate) fn is_settled(&self, expression: &Expr) -> bool {
        if let Expr::Name(name) = expression {
            return self.is_stable(name);
        }
        let moves = |part: &Expr| match part {
            Expr::Name(name) => !self.is_stable(name) || !self.ty(part).is(Ty::SCALAR),
            Expr::Call(_) | Expr::Subscript(_) => true,
            _ => false,
        };
        self.is_pure(expression) && !walk::any(expression, &mut |part| moves(part))
    }

    /// Returns `true` if two expressions that are evaluated one after the other can be evaluated the other way round.
    pub(crate) fn can_swap(&self, left: &Expr, right: &Expr) -> bool {
        match (self.effect(left), self.effect(right)) {
            (Effect::Pure, Effect::Pure | Effect::Raises(_))
            | (Effect::Raises(_), Effect::Pure) => true,
            (Effect::Raises(one), Effect::Raises(other)) => one == other,
            (Effect::Pure, Effect::Any) => self.is_settled(left),
            (Effect::Any, Effect::Pure) => self.is_settled(right),
            _ => false,
        }
    }
}

fn is_nonzero(expression: &Expr) -> bool {
    match expression {
        Expr::NumberLiteral(number) => match &number.value {
            Number::Int(int) => *int != ast::Int::ZERO,
            Number::Float(float) => *float != 0.0,
            Number::Complex { .. } => false,
        },
        _ => false,
    }
}
