//! A constant as it is written in code, taken apart.

use std::fmt;

use ruff_python_ast::{Expr, Number, UnaryOp};

/// A constant, or a list, tuple, set or dictionary of constants. It prints as Python that makes it again.
#[derive(Debug, Clone, PartialEq)]
pub enum Constant {
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// `True` or `False`.
    Bool(bool),
    /// A whole number, in decimal digits, with its sign.
    Int(String),
    /// A number with a point or an exponent.
    Float(f64),
    /// A number with an imaginary part, as Python writes it.
    Complex(String),
    /// The text of a string.
    Text(String),
    /// The bytes of a string of bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Constant>),
    /// A tuple.
    Tuple(Vec<Constant>),
    /// A set.
    Set(Vec<Constant>),
    /// A dictionary.
    Dict(Vec<(Constant, Constant)>),
}

impl Constant {
    /// The constant that an expression is, if it is one.
    pub(crate) fn of(expression: &Expr) -> Option<Constant> {
        let all = |items: &[Expr]| items.iter().map(Constant::of).collect::<Option<Vec<_>>>();
        Some(match expression {
            Expr::List(list) => Constant::List(all(&list.elts)?),
            Expr::Tuple(tuple) => Constant::Tuple(all(&tuple.elts)?),
            Expr::Set(set) => Constant::Set(all(&set.elts)?),
            Expr::Dict(dict) => {
                let items = dict.items.iter();
                let items = items.map(|item| {
                    Some((
                        Constant::of(item.key.as_ref()?)?,
                        Constant::of(&item.value)?,
                    ))
                });
                Constant::Dict(items.collect::<Option<Vec<_>>>()?)
            }
            Expr::StringLiteral(string) => Constant::Text(string.value.to_str().to_owned()),
            Expr::BytesLiteral(bytes) => Constant::Bytes(bytes.value.bytes().collect()),
            Expr::NumberLiteral(number) => match &number.value {
                Number::Int(int) => Constant::Int(int.to_string()),
                Number::Float(float) => Constant::Float(*float),
                Number::Complex { real, imag } => Constant::Complex(format!("{real:?}+{imag:?}j")),
            },
            Expr::UnaryOp(unary) if unary.op == UnaryOp::USub => {
                match (&*unary.operand, Constant::of(&unary.operand)?) {
                    (Expr::NumberLiteral(_), Constant::Int(int)) => {
                        Constant::Int(format!("-{int}"))
                    }
                    (Expr::NumberLiteral(_), Constant::Float(float)) => Constant::Float(-float),
                    (Expr::NumberLiteral(_), Constant::Complex(number)) => {
                        Constant::Complex(format!("-{number}"))
                    }
                    _ => return None,
                }
            }
            Expr::BooleanLiteral(boolean) => Constant::Bool(boolean.value),
            Expr::NoneLiteral(_) => Constant::None,
            Expr::EllipsisLiteral(_) => Constant::Ellipsis,
            _ => return None,
        })
    }

    /// Adds the values in it, in order: of strings their text, of numbers what Python prints.
    pub(crate) fn add_values(self, values: &mut Vec<String>) {
        match self {
            Constant::List(items) | Constant::Tuple(items) | Constant::Set(items) => {
                for item in items {
                    item.add_values(values);
                }
            }
            Constant::Dict(items) => {
                for (key, value) in items {
                    key.add_values(values);
                    value.add_values(values);
                }
            }
            Constant::Text(text) => values.push(text),
            Constant::Bytes(bytes) => values.push(String::from_utf8_lossy(&bytes).into_owned()),
            Constant::Ellipsis => {}
            other => values.push(other.to_string()),
        }
    }

    /// Returns `true` if it is a list, tuple, set or dictionary.
    pub(crate) fn is_container(&self) -> bool {
        use Constant::{Dict, List, Set, Tuple};
        matches!(self, List(_) | Tuple(_) | Set(_) | Dict(_))
    }
}

impl fmt::Display for Constant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Constant::None => f.write_str("None"),
            Constant::Ellipsis => f.write_str("..."),
            Constant::Bool(true) => f.write_str("True"),
            Constant::Bool(false) => f.write_str("False"),
            Constant::Int(number) | Constant::Complex(number) => f.write_str(number),
            Constant::Float(number) if number.is_infinite() => {
                f.write_str(if *number > 0.0 { "1e999" } else { "-1e999" })
            }
            Constant::Float(number) => write!(f, "{number:?}"),
            Constant::Text(text) => {
                f.write_str("'")?;
                text.chars().try_for_each(|char| write_char(f, char))?;
                f.write_str("'")
            }
            Constant::Bytes(bytes) => {
                f.write_str("b'")?;
                bytes
                    .iter()
                    .try_for_each(|byte| write!(f, "\\x{byte:02x}"))?;
                f.write_str("'")
            }
            Constant::List(items) => write_items(f, items, ["[", "]"]),
            Constant::Tuple(items) if items.len() == 1 => write_items(f, items, ["(", ",)"]),
            Constant::Tuple(items) => write_items(f, items, ["(", ")"]),
            Constant::Set(items) if items.is_empty() => f.write_str("set()"),
            Constant::Set(items) => write_items(f, items, ["{", "}"]),
            Constant::Dict(items) => {
                f.write_str("{")?;
                for (number, (key, value)) in items.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{key}: {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_char(f: &mut fmt::Formatter<'_>, char: char) -> fmt::Result {
    match char {
        '\\' | '\'' => write!(f, "\\{char}"),
        '\n' => f.write_str("\\n"),
        _ if char.is_control() || char == '\u{2028}' || char == '\u{2029}' => {
            write!(f, "\\U{:08x}", u32::from(char))
        }
        _ => write!(f, "{char}"),
    }
}

fn write_items(f: &mut fmt::Formatter<'_>, items: &[Constant], ends: [&str; 2]) -> fmt::Result {
    f.write_str(ends[0])?;
    for (number, item) in items.iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        write!(f, "{comma}{item}")?;
    }
    f.write_str(ends[1])
}
