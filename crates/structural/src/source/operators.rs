//! Operators to concepts.

use super::tree::Expression;
use super::walk::Walker;
use crate::signature::Trait;
use crate::vocabulary::{Concept, Field};
use crate::words::value_of_number;

impl<'a> Walker<'_, 'a> {
    pub(super) fn unary(&mut self, operator: &str, inner: &Expression<'a>) {
        let concept = match operator {
            "!" => Concept::LogicalNot,
            "~" => Concept::BitNot,
            "-" => {
                if let Expression::Number(text) = inner {
                    if let Some(value) = value_of_number(text) {
                        self.rendering
                            .words
                            .push((Field::Literals, format!("-{value}")));
                    }
                    self.rendering.say(Field::Literals, "negative");
                    return;
                }
                Concept::Negate
            }
            "*" => {
                if let Some(parameter) = self.root_parameter(inner) {
                    self.data(parameter, "read");
                }
                Concept::Load
            }
            "&" => Concept::AddressOf,
            "++" => Concept::Increment,
            "--" => Concept::Decrement,
            _ => return,
        };
        if matches!(operator, "++" | "--") {
            self.stored(inner);
        }
        self.rendering.add(concept);
    }

    pub(super) fn binary(&mut self, operator: &str, left: &Expression<'a>, right: &Expression<'a>) {
        if matches!(operator, "<<" | ">>") && self.is_stream(left) {
            let words = if operator == "<<" {
                "write output stream print insert"
            } else {
                "read input stream extract"
            };
            return self.rendering.say(Field::Calls, words);
        }
        let is_float = matches!(operator, "+" | "-" | "*" | "/")
            && (self.is_float(left) || self.is_float(right));
        if is_float {
            self.rendering.once(Concept::FloatArithmetic);
        }
        let concept = match operator {
            "==" => Concept::Equal,
            "!=" => Concept::NotEqual,
            "<" | "<=" => Concept::Less,
            ">" | ">=" => Concept::Greater,
            "<=>" => Concept::ThreeWay,
            "+" | "-" if matches!(right, Expression::Number("1")) => {
                let (first, second) = if operator == "+" {
                    (Concept::Add, Concept::Increment)
                } else {
                    (Concept::Subtract, Concept::Decrement)
                };
                self.rendering.add(first);
                second
            }
            "&&" => Concept::LogicalAnd,
            "||" => Concept::LogicalOr,
            other => match computed(other) {
                Some(concept) => concept,
                None => return,
            },
        };
        self.rendering.add(concept);
    }

    pub(super) fn assign(
        &mut self,
        operator: &str,
        target: &Expression<'a>,
        value: &Expression<'a>,
    ) {
        let one = matches!(value, Expression::Number("1"));
        let concept = match operator {
            "+=" if one => Concept::Increment,
            "-=" if one => Concept::Decrement,
            "+=" => {
                let shape = target
                    .root()
                    .and_then(|root| self.shape(root))
                    .unwrap_or_default();
                if shape.has(Trait::StringClass) {
                    return self
                        .rendering
                        .say(Field::Calls, "append concatenate add string");
                }
                Concept::Add
            }
            other => match other.strip_suffix('=').and_then(computed) {
                Some(concept) => concept,
                None => return,
            },
        };
        if self.is_float(target) || self.is_float(value) {
            self.rendering.once(Concept::FloatArithmetic);
        }
        self.rendering.add(concept);
    }
}

/// The operation of an operator, alone or before the sign of an assignment.
fn computed(operator: &str) -> Option<Concept> {
    Some(match operator {
        "+" => Concept::Add,
        "-" => Concept::Subtract,
        "*" => Concept::Multiply,
        "/" => Concept::Divide,
        "%" => Concept::Remainder,
        "&" => Concept::BitAnd,
        "|" => Concept::BitOr,
        "^" => Concept::BitXor,
        "<<" => Concept::ShiftLeft,
        ">>" => Concept::ShiftRight,
        _ => return None,
    })
}
