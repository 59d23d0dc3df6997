//! Values as expressions over what a function reads.

#![expect(
    clippy::float_cmp,
    reason = "numbers are compared as the code has them"
)]

use std::rc::Rc;

/// Expressions with more nodes are given up: code written out for large arrays would never end.
const MOST: u32 = 600;

/// The array that stands for the counter of a loop.
pub(crate) const COUNTER: u8 = u8::MAX;

/// A step from an array to one of its elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Step {
    /// An index.
    At(u32),
    /// A member, by the order in which the names of members are met.
    Member(u32),
    /// The index of a loop without a constant end, by the number of the loop.
    Every(u8),
    /// An index that is not known.
    Unknown,
}

/// An element of an array, a structure or a matrix. Parameters have the numbers of their order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) array: u8,
    pub(crate) path: Vec<Step>,
}

impl Place {
    pub(crate) fn of(array: u8) -> Self {
        Place {
            array,
            path: Vec::new(),
        }
    }

    /// The place one step further.
    #[must_use]
    pub(crate) fn then(mut self, step: Step) -> Self {
        self.path.push(step);
        self
    }
}

/// An operation with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Unary {
    Negate,
    Absolute,
    SquareRoot,
    /// Floor, ceiling, rounding.
    Round,
    /// Sine, cosine and their relatives.
    Angle,
    /// Exponential functions and logarithms.
    Exponential,
    Not,
    BitNot,
}

/// An operation with two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Minimum,
    Maximum,
    Power,
    Equal,
    NotEqual,
    Less,
    Greater,
    And,
    Or,
    Bits,
    Shift,
}

impl Binary {
    /// Returns `true` if the operands may change places.
    fn is_symmetric(self) -> bool {
        !matches!(
            self,
            Binary::Subtract
                | Binary::Divide
                | Binary::Remainder
                | Binary::Power
                | Binary::Less
                | Binary::Greater
                | Binary::Shift
        )
    }

    /// Returns `true` if the result is a truth value.
    pub(crate) fn is_comparison(self) -> bool {
        matches!(
            self,
            Binary::Equal | Binary::NotEqual | Binary::Less | Binary::Greater
        )
    }
}

/// A value, without the sizes of its parts.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub(crate) enum Value {
    /// The value that an element has when the function begins.
    Element(Place),
    /// A parameter that is no array.
    Scalar(u8),
    Constant(f64),
    Unary(Unary, Node),
    Binary(Binary, Node, Node),
    /// The second or the third, by the first.
    Choose(Node, Node, Node),
    /// The values of a list, for the elements of an array.
    Tuple(Vec<Node>),
    Unknown,
}

/// A value that others share.
#[derive(Debug, Clone, PartialEq, PartialOrd)]
pub(crate) struct Node(Rc<(u32, Value)>);

impl Node {
    pub(crate) fn new(value: Value) -> Self {
        let size = match &value {
            Value::Element(_) | Value::Scalar(_) | Value::Constant(_) | Value::Unknown => 1,
            Value::Unary(_, inner) => 1 + inner.size(),
            Value::Binary(_, left, right) => 1 + left.size() + right.size(),
            Value::Choose(condition, then, otherwise) => {
                1 + condition.size() + then.size() + otherwise.size()
            }
            Value::Tuple(values) => 1 + values.iter().map(Node::size).sum::<u32>(),
        };
        if size > MOST {
            return Node::unknown();
        }
        Node(Rc::new((size, value)))
    }

    pub(crate) fn unknown() -> Self {
        Node(Rc::new((1, Value::Unknown)))
    }

    pub(crate) fn constant(number: f64) -> Self {
        Node::new(Value::Constant(number))
    }

    pub(crate) fn size(&self) -> u32 {
        self.0.0
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0.1
    }

    /// The number, if it is one.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.value() {
            Value::Constant(number) => Some(*number),
            _ => None,
        }
    }

    /// The element, if it is one as it was read.
    pub(crate) fn element(&self) -> Option<&Place> {
        match self.value() {
            Value::Element(place) => Some(place),
            _ => None,
        }
    }

    pub(crate) fn unary(operation: Unary, inner: Node) -> Self {
        match (operation, inner.value()) {
            (Unary::Negate, Value::Constant(number)) => Node::constant(-number),
            (Unary::Negate, Value::Unary(Unary::Negate, inner)) => inner.clone(),
            (Unary::Absolute, Value::Constant(number)) => Node::constant(number.abs()),
            (Unary::SquareRoot, Value::Constant(number)) if *number >= 0.0 => {
                Node::constant(number.sqrt())
            }
            _ => Node::new(Value::Unary(operation, inner)),
        }
    }

    /// An operation, computed where both operands are numbers. Operands that may change places are in one order.
    pub(crate) fn binary(operation: Binary, left: Node, right: Node) -> Self {
        if let (Some(a), Some(b)) = (left.number(), right.number())
            && let Some(number) = computed(operation, a, b)
        {
            return Node::constant(number);
        }
        match (operation, left.number(), right.number()) {
            (Binary::Add, Some(0.0), _) | (Binary::Multiply, Some(1.0), _) => return right,
            (Binary::Add | Binary::Subtract, _, Some(0.0))
            | (Binary::Multiply | Binary::Divide, _, Some(1.0)) => return left,
            (Binary::Subtract, Some(0.0), _) | (Binary::Multiply, Some(-1.0), _) => {
                return Node::unary(Unary::Negate, right);
            }
            (Binary::Multiply, _, Some(-1.0)) => return Node::unary(Unary::Negate, left),
            _ => {}
        }
        // a + -b, a - -b
        if let Value::Unary(Unary::Negate, inner) = right.value() {
            match operation {
                Binary::Add => return Node::binary(Binary::Subtract, left, inner.clone()),
                Binary::Subtract => return Node::binary(Binary::Add, left, inner.clone()),
                _ => {}
            }
        }
        let (left, right) = if operation.is_symmetric()
            && left.partial_cmp(&right) == Some(std::cmp::Ordering::Greater)
        {
            (right, left)
        } else {
            (left, right)
        };
        Node::new(Value::Binary(operation, left, right))
    }

    /// The second or the third by the first: minima, maxima and absolute values as such.
    pub(crate) fn choose(condition: Node, then: Node, otherwise: Node) -> Self {
        if let Some(number) = condition.number() {
            return if number == 0.0 { otherwise } else { then };
        }
        if then == otherwise {
            return then;
        }
        if let Value::Binary(compared @ (Binary::Less | Binary::Greater), left, right) =
            condition.value()
        {
            let is_less = *compared == Binary::Less;
            if (&then, &otherwise) == (left, right) {
                let operation = if is_less {
                    Binary::Minimum
                } else {
                    Binary::Maximum
                };
                return Node::binary(operation, then, otherwise);
            }
            if (&otherwise, &then) == (left, right) {
                let operation = if is_less {
                    Binary::Maximum
                } else {
                    Binary::Minimum
                };
                return Node::binary(operation, then, otherwise);
            }
            // `x < 0 ? -x : x`
            let compared = match (left.number(), right.number()) {
                (None, Some(0.0)) => Some((left, is_less)),
                (Some(0.0), None) => Some((right, !is_less)),
                _ => None,
            };
            if let Some((value, is_negative)) = compared {
                let (positive, negative) = if is_negative {
                    (&otherwise, &then)
                } else {
                    (&then, &otherwise)
                };
                if positive == value && *negative == Node::unary(Unary::Negate, value.clone()) {
                    return Node::unary(Unary::Absolute, value.clone());
                }
            }
        }
        Node::new(Value::Choose(condition, then, otherwise))
    }

    /// Returns `true` if nothing in it is unknown.
    pub(crate) fn is_known(&self) -> bool {
        let mut is_known = true;
        self.each(&mut |node| {
            is_known &= match node.value() {
                Value::Unknown => false,
                // Counters of loops are no elements.
                Value::Element(place) => {
                    place.array != COUNTER && !place.path.contains(&Step::Unknown)
                }
                _ => true,
            };
        });
        is_known
    }

    /// Calls `take` with every part, outer ones first.
    pub(crate) fn each<'n>(&'n self, take: &mut impl FnMut(&'n Node)) {
        take(self);
        match self.value() {
            Value::Unary(_, inner) => inner.each(take),
            Value::Binary(_, left, right) => {
                left.each(take);
                right.each(take);
            }
            Value::Choose(condition, then, otherwise) => {
                condition.each(take);
                then.each(take);
                otherwise.each(take);
            }
            Value::Tuple(values) => values.iter().for_each(|value| value.each(take)),
            _ => {}
        }
    }

    /// The same with each element replaced.
    pub(crate) fn map(&self, place: &mut impl FnMut(&Place) -> Node) -> Node {
        match self.value() {
            Value::Element(at) => place(at),
            Value::Unary(operation, inner) => Node::unary(*operation, inner.map(place)),
            Value::Binary(operation, left, right) => {
                Node::binary(*operation, left.map(place), right.map(place))
            }
            Value::Choose(condition, then, otherwise) => {
                Node::choose(condition.map(place), then.map(place), otherwise.map(place))
            }
            Value::Tuple(values) => Node::new(Value::Tuple(
                values.iter().map(|it| it.map(place)).collect(),
            )),
            Value::Scalar(_) | Value::Constant(_) | Value::Unknown => self.clone(),
        }
    }
}

fn computed(operation: Binary, a: f64, b: f64) -> Option<f64> {
    let truth = |holds: bool| Some(f64::from(u8::from(holds)));
    match operation {
        Binary::Add => Some(a + b),
        Binary::Subtract => Some(a - b),
        Binary::Multiply => Some(a * b),
        Binary::Divide if b != 0.0 => {
            // Whole numbers may divide as whole numbers or not.
            let quotient = a / b;
            let is_whole = a.fract() == 0.0 && b.fract() == 0.0;
            (!is_whole || quotient.fract() == 0.0).then_some(quotient)
        }
        Binary::Remainder if b != 0.0 => Some(a % b),
        Binary::Minimum => Some(a.min(b)),
        Binary::Maximum => Some(a.max(b)),
        Binary::Equal => truth(a == b),
        Binary::NotEqual => truth(a != b),
        Binary::Less => truth(a < b),
        Binary::Greater => truth(a > b),
        Binary::And => truth(a != 0.0 && b != 0.0),
        Binary::Or => truth(a != 0.0 || b != 0.0),
        _ => None,
    }
}
