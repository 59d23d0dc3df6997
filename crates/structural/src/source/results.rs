//! The values that are returned.

use super::tree::Expression;
use super::walk::Walker;
use crate::signature::Trait;
use crate::vocabulary::Concept;
use crate::words::value_of_number;

impl<'a> Walker<'_, 'a> {
    /// Renders the returned values, over all `return` statements with a value.
    pub(super) fn results(&mut self) {
        let returned = std::mem::take(&mut self.returned);
        let returns_bool = self.function.returns.shape.has(Trait::Bool);
        let mut constants = 0;
        for value in &returned {
            constants += usize::from(self.result(value, returns_bool));
        }
        if constants > 0
            && constants == returned.len()
            && constants == 1
            && self.statements <= 1 + self.function.parameters.len()
        {
            self.rendering.add(Concept::ReturnsConstant);
        }
    }

    /// Says what a returned value is; whether it is a constant.
    pub(super) fn result(&mut self, value: &Expression<'a>, returns_bool: bool) -> bool {
        let concept = match value {
            Expression::Number(text) => match value_of_number(text).as_deref() {
                Some("0") if returns_bool => Concept::ReturnsFalse,
                Some("1") if returns_bool => Concept::ReturnsTrue,
                Some("0") => Concept::ReturnsZero,
                Some("1") => Concept::ReturnsOne,
                _ => return true,
            },
            Expression::Unary("-", inner) if matches!(&**inner, Expression::Number("1")) => {
                Concept::ReturnsMinusOne
            }
            Expression::Unary("-", inner) if matches!(&**inner, Expression::Number(_)) => {
                return true;
            }
            Expression::Name("FALSE") | Expression::False => Concept::ReturnsFalse,
            Expression::Name("TRUE") | Expression::True => Concept::ReturnsTrue,
            Expression::Null => Concept::ReturnsNull,
            Expression::String(_) => Concept::ReturnsLiteral,
            Expression::Character(_) | Expression::Path(..) => return true,
            Expression::Name(name) => {
                if let Some(parameter) = self.parameter(name) {
                    self.data(parameter, "returned");
                    Concept::ReturnsParameter
                } else if self.types.contains_key(name) {
                    Concept::ReturnsLocal
                } else {
                    self.rendering.add(Concept::ReturnsMember);
                    return true;
                }
            }
            Expression::Member(..) => Concept::ReturnsMember,
            Expression::Index(..) => Concept::ReturnsElement,
            Expression::Unary("*", inner) if matches!(&**inner, Expression::This) => {
                Concept::ReturnsObject
            }
            Expression::Unary("*", inner) => {
                if let Some(parameter) = self.root_parameter(inner) {
                    self.data(parameter, "returned");
                }
                Concept::ReturnsMember
            }
            Expression::Unary("&", _) => Concept::ReturnsAddress,
            Expression::Unary("!", _)
            | Expression::Binary("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||", ..) => {
                Concept::ReturnsComparison
            }
            Expression::Binary(..) | Expression::Unary(..) => {
                let is_constant = is_constant(value);
                self.rendering.once(Concept::ReturnsArithmetic);
                return is_constant;
            }
            Expression::Call(..) => Concept::ReturnsCall,
            Expression::Conditional(_, then, otherwise) => {
                self.result(then, returns_bool);
                self.result(otherwise, returns_bool);
                return false;
            }
            Expression::Cast(_, inner) => return self.result(inner, returns_bool),
            Expression::Comma(parts) => {
                let is_text = parts
                    .iter()
                    .all(|part| matches!(part, Expression::String(_)));
                if is_text {
                    self.rendering.once(Concept::ReturnsLiteral);
                }
                return is_text;
            }
            _ => return false,
        };
        self.rendering.once(concept);
        matches!(
            concept,
            Concept::ReturnsZero
                | Concept::ReturnsOne
                | Concept::ReturnsMinusOne
                | Concept::ReturnsTrue
                | Concept::ReturnsFalse
                | Concept::ReturnsNull
                | Concept::ReturnsLiteral
        )
    }
}

fn is_constant(value: &Expression) -> bool {
    match value {
        Expression::Number(_) | Expression::Character(_) => true,
        Expression::Binary(_, left, right) => is_constant(left) && is_constant(right),
        Expression::Unary(_, inner) | Expression::Cast(_, inner) => is_constant(inner),
        _ => false,
    }
}
