//! The last values of array elements in lowered code, as expressions over the values that were read.
//!
//! An address is a parameter and a distance; the distance by the width of the access is the index. The counter of a
//! loop stands for every index, and what a loop adds up begins with an unknown value.

use std::collections::BTreeMap;

use super::graph::{Condition, Graph, Id, Node as Origin, Op};
use super::trace::{Event, Returned, Trace};
use crate::vectors::Effects;
use crate::vectors::value::{Binary, Node, Place, Step, Unary, Value};

/// The depth to which an expression is followed.
const DEPTH: usize = 24;
/// A function with more stores is given up.
const STORES: usize = 80;
/// Parts of an address; one with more has no place.
const PARTS: usize = 64;
/// Elements from here on are not followed.
const FARTHEST: u32 = 4096;

struct Reader<'t> {
    trace: &'t Trace,
    known: BTreeMap<Id, Node>,
}

/// The effects; `None` if the function is too long.
pub(super) fn effects(trace: &Trace) -> Option<Effects> {
    let mut reader = Reader {
        trace,
        known: BTreeMap::new(),
    };
    let mut effects = Effects::default();
    let stores = trace.events.iter().filter_map(|(_, event)| match event {
        Event::Store {
            address,
            value,
            bytes,
        } => Some((*address, *value, *bytes)),
        _ => None,
    });
    let stores: Vec<(Id, Id, u8)> = stores.collect();
    if stores.len() > STORES {
        return None;
    }
    let unit = reader.unit(&stores);
    for (address, value, bytes) in stores {
        let Some(place) = reader.place(address, bytes) else {
            continue;
        };
        let value = reader.value(value, 0);
        let times = u32::from(bytes / unit.max(1)).max(1);
        match (value.element(), place.path.as_slice()) {
            // Several elements at once.
            (Some(from), [Step::At(at)]) if times > 1 => {
                let [Step::At(start)] = from.path.as_slice() else {
                    continue;
                };
                for part in 0..times {
                    let to = Place::of(place.array).then(Step::At(at * times + part));
                    let from = Place::of(from.array).then(Step::At(start * times + part));
                    effects.stores.insert(to, Node::new(Value::Element(from)));
                }
            }
            _ => {
                effects.stores.insert(place, value);
            }
        }
    }
    for (_, event) in &trace.events {
        if let Event::Return(
            Returned::Whole(id, _) | Returned::Float(id, _) | Returned::Perhaps(id, _),
        ) = event
        {
            let value = reader.value(*id, 0);
            effects.returned.push((None, value));
        }
    }
    Some(effects)
}

impl Reader<'_> {
    /// The width of an element: the narrowest access of four bytes or more.
    fn unit(&self, stores: &[(Id, Id, u8)]) -> u8 {
        let graph = &self.trace.graph;
        let loads = (0..graph.len()).filter_map(|id| match graph.node(id) {
            Origin::Load(_, bytes, _) => Some(bytes),
            _ => None,
        });
        let stored = stores.iter().map(|(_, _, bytes)| *bytes);
        loads
            .chain(stored)
            .filter(|bytes| *bytes >= 4)
            .min()
            .unwrap_or(4)
    }

    /// The element that an address is of.
    fn place(&self, address: Id, bytes: u8) -> Option<Place> {
        let mut array = None;
        let mut distance = 0_i64;
        let mut every = None;
        let mut is_unknown = false;
        let mut open = vec![(address, 0)];
        let mut parts = 0;
        while let Some((id, depth)) = open.pop() {
            parts += 1;
            if depth > DEPTH || parts > PARTS {
                return None;
            }
            let graph = &self.trace.graph;
            match graph.node(id) {
                Origin::Binary(Op::Add, left, right, _) => {
                    open.extend([(left, depth + 1), (right, depth + 1)]);
                }
                Origin::Binary(Op::Subtract, left, right, _) => match graph.node(right) {
                    Origin::Constant(by) => {
                        distance = distance.wrapping_sub(by);
                        open.push((left, depth + 1));
                    }
                    _ => return None,
                },
                Origin::Constant(by) => distance = distance.wrapping_add(by),
                Origin::Initial(location) => {
                    let parameter = self
                        .trace
                        .parameters
                        .iter()
                        .position(|(it, _)| *it == location)?;
                    if array.replace(u8::try_from(parameter).ok()?).is_some() {
                        is_unknown = true;
                    }
                }
                Origin::Unary(op, inner, _) if op.is_width() => open.push((inner, depth + 1)),
                _ => match self.counter(id, 0) {
                    Some(counter) => every = Some(counter),
                    None => is_unknown = true,
                },
            }
        }
        let place = Place::of(array?);
        if is_unknown {
            return Some(place.then(Step::Unknown));
        }
        if let Some(counter) = every {
            let step = if distance == 0 {
                Step::Every(counter)
            } else {
                Step::Unknown
            };
            return Some(place.then(step));
        }
        let at = u32::try_from(distance / i64::from(bytes.max(1)))
            .ok()
            .filter(|at| *at < FARTHEST)?;
        (distance % i64::from(bytes.max(1)) == 0).then(|| place.then(Step::At(at)))
    }

    /// The number of the loop whose counter a value is made of.
    fn counter(&self, id: Id, depth: usize) -> Option<u8> {
        if depth > 6 {
            return None;
        }
        let graph = &self.trace.graph;
        match graph.node(id) {
            Origin::Choice(choice) => {
                let is_counted = graph.inputs(choice).iter().any(|input| {
                    matches!(graph.node(*input), Origin::Binary(Op::Add, left, right, _)
                    if [(left, right), (right, left)].iter().any(|(one, other)| {
                        graph.resolve(*one) == graph.resolve(id)
                            && matches!(graph.node(*other), Origin::Constant(_))
                    }))
                });
                is_counted.then(|| u8::try_from(choice % 250).unwrap_or(0))
            }
            Origin::Unary(_, inner, _) => self.counter(inner, depth + 1),
            Origin::Binary(Op::Multiply | Op::ShiftLeft | Op::Add, left, right, _) => {
                let constant = |id: Id| matches!(graph.node(id), Origin::Constant(_));
                match (constant(left), constant(right)) {
                    (false, true) => self.counter(left, depth + 1),
                    (true, false) => self.counter(right, depth + 1),
                    (false, false) => self
                        .counter(right, depth + 1)
                        .and(self.counter(left, depth + 1)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn value(&mut self, id: Id, depth: usize) -> Node {
        let id = self.trace.graph.resolve(id);
        if let Some(known) = self.known.get(&id) {
            return known.clone();
        }
        if depth > DEPTH {
            return Node::unknown();
        }
        // What refers to itself is unknown where it does.
        self.known.insert(id, Node::unknown());
        let value = self.made(id, depth);
        self.known.insert(id, value.clone());
        value
    }

    fn made(&mut self, id: Id, depth: usize) -> Node {
        let graph: &Graph = &self.trace.graph;
        match graph.node(id) {
            Origin::Constant(number) => Node::constant(number as f64),
            Origin::Float(bits) => Node::constant(f64::from_bits(bits)),
            Origin::Initial(location) => {
                let parameters = &self.trace.parameters;
                let parameter = parameters.iter().position(|(it, _)| *it == location);
                let parameter = parameter.and_then(|it| u8::try_from(it).ok());
                parameter.map_or_else(Node::unknown, |it| Node::new(Value::Scalar(it)))
            }
            Origin::Load(address, bytes, _) => match self.place(address, bytes) {
                Some(place) => Node::new(Value::Element(place)),
                None => Node::unknown(),
            },
            Origin::Unary(op, inner, _) => {
                let inner = self.value(inner, depth + 1);
                match op {
                    Op::Negate | Op::FloatNegate => Node::unary(Unary::Negate, inner),
                    Op::Magnitude => Node::unary(Unary::Absolute, inner),
                    Op::Root => Node::unary(Unary::SquareRoot, inner),
                    Op::Round => Node::unary(Unary::Round, inner),
                    Op::Not => Node::unary(Unary::BitNot, inner),
                    op if op.is_width() => inner,
                    Op::Precision | Op::ToFloat | Op::ToInteger => inner,
                    _ => Node::unknown(),
                }
            }
            Origin::Binary(op, left, right, _) => {
                let operation = match op {
                    Op::Add | Op::FloatAdd => Binary::Add,
                    Op::Subtract | Op::FloatSubtract => Binary::Subtract,
                    Op::Multiply | Op::FloatMultiply => Binary::Multiply,
                    Op::Divide | Op::DivideUnsigned | Op::FloatDivide => Binary::Divide,
                    Op::Remainder | Op::RemainderUnsigned => Binary::Remainder,
                    Op::FloatMinimum => Binary::Minimum,
                    Op::FloatMaximum => Binary::Maximum,
                    Op::And | Op::Or | Op::Xor => Binary::Bits,
                    Op::ShiftLeft | Op::ShiftRight | Op::ShiftSign => Binary::Shift,
                    _ => return Node::unknown(),
                };
                let left = self.value(left, depth + 1);
                let right = self.value(right, depth + 1);
                Node::binary(operation, left, right)
            }
            Origin::Compare(condition, left, right) => {
                let operation = match condition {
                    Condition::Equal => Binary::Equal,
                    Condition::NotEqual => Binary::NotEqual,
                    Condition::Less
                    | Condition::LessEqual
                    | Condition::Below
                    | Condition::BelowEqual => Binary::Less,
                    Condition::Greater
                    | Condition::GreaterEqual
                    | Condition::Above
                    | Condition::AboveEqual => Binary::Greater,
                    _ => return Node::unknown(),
                };
                let left = self.value(left, depth + 1);
                let right = self.value(right, depth + 1);
                Node::binary(operation, left, right)
            }
            // A sum that a loop goes on with.
            Origin::Choice(choice) => {
                let inputs = graph.inputs(choice).to_vec();
                let step = inputs.into_iter().find(|input| {
                    matches!(graph.node(*input), Origin::Binary(..) | Origin::Unary(..))
                });
                step.map_or_else(Node::unknown, |step| self.value(step, depth + 1))
            }
            _ => Node::unknown(),
        }
    }
}
