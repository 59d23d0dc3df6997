//! The facts about one function, whichever form it came from.

mod arithmetic;
mod events;
mod idioms;
mod returns;

use std::collections::{BTreeMap, BTreeSet};

use super::graph::{Condition, Graph, Id, Node, Op};
use super::trace::{Callee, Class, Event, Returned, Test, Trace};
use crate::vocabulary::Concept;

/// The facts about a parameter.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parameter {
    /// Its class.
    pub(super) class: Class,
    /// Widths that are read and written through it, and whether as floating-point numbers.
    pub(super) pointed: BTreeSet<(u8, bool)>,
    /// Constant distances at which it is read or written.
    pub(super) offsets: BTreeSet<i64>,
    /// The numbers that its indexes are multiplied by.
    pub(super) strides: BTreeSet<i64>,
    /// The memory that it points at is read.
    pub(super) is_read: bool,
    /// The memory that it points at is written.
    pub(super) is_written: bool,
    /// It is advanced in a loop.
    pub(super) is_walked: bool,
    /// It is returned as it came.
    pub(super) is_returned: bool,
    /// It is an index.
    pub(super) is_index: bool,
    /// It is called.
    pub(super) is_called: bool,
    /// It is tested for zero.
    pub(super) is_tested: bool,
    /// It is passed to a function.
    pub(super) is_passed: bool,
    /// It takes part in arithmetic or comparisons.
    pub(super) is_number: bool,
    /// It takes part in operations of numbers without sign.
    pub(super) is_unsigned: bool,
    /// The memory that it points at is compared with the end of a text or with characters.
    pub(super) is_text: bool,
    /// The memory that it points at holds an address.
    pub(super) is_deep: bool,
}

/// A constant and what it is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Literal {
    /// A number.
    Whole(i64),
    /// A floating-point number.
    Float(f64),
    /// A character.
    Character(char),
}

/// The value that comes out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Out {
    /// The form does not show it.
    #[default]
    Unknown,
    /// Nothing.
    Nothing,
    /// 1 or 0 in one byte.
    Truth,
    /// A whole number of this many bytes.
    Whole(u8),
    /// A pointer.
    Pointer,
    /// Eight bytes that may be either.
    Word,
    /// A floating-point number of this many bytes.
    Float(u8),
    /// A structure that the caller gave room for.
    Structure,
}

/// The facts about a function.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// Its parameters.
    pub(super) parameters: Vec<Parameter>,
    /// True if these are all.
    pub(super) is_counted: bool,
    /// The value that comes out.
    pub(super) out: Out,
    /// Constructs in the order met.
    pub(super) concepts: Vec<Concept>,
    /// Constants.
    pub(super) literals: Vec<Literal>,
    /// Names of called functions.
    pub(super) called: Vec<String>,
    /// Texts.
    pub(super) texts: Vec<String>,
    /// Stores through pointers.
    pub(super) stores: usize,
    /// Constant indexes.
    pub(super) indexes: BTreeSet<i64>,
    /// The numbers that indexes are multiplied by.
    pub(super) strides: BTreeSet<i64>,
    /// Indexes of two dimensions.
    pub(super) is_matrix: bool,
    /// Elements are kept in the frame.
    pub(super) has_buffer: bool,
    /// Calls.
    pub(super) calls: usize,
    /// Loops, and the deepest.
    pub(super) loops: usize,
    /// The depth of the innermost loop.
    pub(super) deepest: u32,
    /// Jumps forward.
    pub(super) branches: usize,
    /// Instructions.
    pub(super) instructions: usize,
    /// Variables outside of the function.
    pub(super) globals: usize,
}

/// The origin of an address or value.
#[derive(Debug, Clone, Copy)]
struct Origin {
    root: Id,
    offset: i64,
    index: Option<Id>,
    scale: i64,
    is_walked: bool,
}

const DEPTH: usize = 24;

struct Reader<'a> {
    trace: &'a Trace,
    graph: &'a Graph,
    facts: Facts,
    origins: Vec<Option<Origin>>,
    /// Values that only make up addresses, or parts of what was recognized as one operation.
    consumed: Vec<bool>,
    /// The concept that an operation was recognized as.
    meant: BTreeMap<Id, (Concept, Option<i64>)>,
    parameter_of: BTreeMap<Id, usize>,
    /// Values that are indexes.
    indexes: BTreeSet<Id>,
    /// Values stored, by address, for exchanges.
    used: Vec<bool>,
}

/// Gathers the facts of a function.
pub(super) fn gather(trace: &Trace) -> Facts {
    let graph = &trace.graph;
    let mut reader = Reader {
        trace,
        graph,
        facts: Facts {
            is_counted: trace.is_counted,
            instructions: trace.instructions,
            loops: trace.loops.len(),
            deepest: trace.depth.iter().copied().max().unwrap_or(0),
            ..Facts::default()
        },
        origins: vec![None; graph.len()],
        consumed: vec![false; graph.len()],
        meant: BTreeMap::new(),
        parameter_of: BTreeMap::new(),
        indexes: BTreeSet::new(),
        used: vec![false; graph.len()],
    };
    reader.parameters();
    reader.addresses();
    reader.recognize();
    reader.events();
    reader.flow();
    reader.returns();
    reader.idioms();
    reader.finish()
}

impl Reader<'_> {
    fn parameters(&mut self) {
        for (number, (location, class)) in self.trace.parameters.iter().enumerate() {
            self.facts.parameters.push(Parameter {
                class: *class,
                ..Parameter::default()
            });
            if let Some(id) = self.graph.entered_at(*location) {
                self.parameter_of.insert(id, number);
            }
        }
    }

    /// The origin of a value.
    fn origin(&mut self, id: Id) -> Origin {
        self.origin_at(id, 0)
    }

    fn origin_at(&mut self, id: Id, depth: usize) -> Origin {
        let id = self.graph.bare(id);
        if let Some(Some(known)) = self.origins.get(id) {
            return *known;
        }
        let itself = Origin {
            root: id,
            offset: 0,
            index: None,
            scale: 0,
            is_walked: false,
        };
        if depth > DEPTH {
            return itself;
        }
        // A value that depends on itself is its own origin.
        self.remember(id, itself);
        let found = match self.graph.node(id) {
            Node::Binary(Op::Add, left, right, _) => match self.graph.with_number(left, right) {
                Some((of, by)) => self.moved(of, by, depth),
                None => self.indexed(left, right, depth),
            },
            Node::Binary(Op::Subtract, left, right, _) => match self.graph.number(right) {
                Some(by) => self.moved(left, by.wrapping_neg(), depth),
                None => itself,
            },
            Node::Choice(choice) => self.chosen(id, choice, itself, depth),
            _ => itself,
        };
        self.remember(id, found);
        found
    }

    /// A sum of two values of which neither is a number: an address and an index.
    fn indexed(&mut self, left: Id, right: Id, depth: usize) -> Origin {
        let is_right_base =
            self.is_scaled(left) || (self.is_widened(left) && !self.is_scaled(right));
        let is_left_base = !is_right_base
            && (self.is_scaled(right)
                || self.is_widened(right)
                || !self.is_pointer_like(right)
                || self.is_pointer_like(left));
        let (base, index) = if is_left_base {
            (left, right)
        } else {
            (right, left)
        };
        let mut origin = self.origin_at(base, depth + 1);
        // The index of a row, inside of which another is taken.
        if let Some(row) = origin.index {
            self.indexes_with(row);
        }
        let (of, scale) = self.scaled(index);
        origin.index = Some(of);
        origin.scale = scale;
        origin
    }

    /// One of several values: the origin of all of them, if they share one.
    fn chosen(&mut self, id: Id, choice: usize, itself: Origin, depth: usize) -> Origin {
        let graph = self.graph;
        let mut root: Option<Origin> = None;
        let mut is_same = true;
        let mut steps = false;
        for input in graph.inputs(choice) {
            let origin = self.origin_at(*input, depth + 1);
            if origin.root == id {
                steps |= origin.offset != 0 || origin.index.is_some();
            } else if root.is_some_and(|root| root.root != origin.root) {
                is_same = false;
            } else if root.is_none() {
                root = Some(origin);
            }
        }
        match root {
            Some(root) if is_same && root.root != id => Origin {
                is_walked: root.is_walked || steps,
                ..root
            },
            _ => Origin {
                is_walked: steps,
                ..itself
            },
        }
    }

    fn remember(&mut self, id: Id, origin: Origin) {
        if let Some(place) = self.origins.get_mut(id) {
            *place = Some(origin);
        }
    }

    fn moved(&mut self, id: Id, by: i64, depth: usize) -> Origin {
        let mut origin = self.origin_at(id, depth + 1);
        origin.offset = origin.offset.wrapping_add(by);
        origin
    }

    fn is_scaled(&self, id: Id) -> bool {
        matches!(self.graph.node(self.graph.bare(id)),
            Node::Binary(Op::Multiply | Op::ShiftLeft, _, right, _) if self.graph.number(right).is_some())
            || matches!(self.graph.node(self.graph.bare(id)),
            Node::Binary(Op::Multiply, left, ..) if self.graph.number(left).is_some())
    }

    fn is_widened(&self, id: Id) -> bool {
        matches!(
            self.graph.node(id),
            Node::Unary(Op::Signed | Op::Unsigned, ..)
        )
    }

    fn is_pointer_like(&mut self, id: Id) -> bool {
        let id = self.graph.bare(id);
        match self.graph.node(id) {
            Node::Frame(_) | Node::Address(..) => true,
            Node::Load(_, bytes, is_float) => {
                bytes == self.trace.pointer && !is_float && self.trace.pointer == 8
            }
            Node::Initial(location) => {
                let class = self.trace.parameters.iter().find(|it| it.0 == location);
                matches!(class, Some((_, Class::Whole(bytes))) if *bytes == self.trace.pointer)
            }
            Node::Binary(Op::Add, left, ..) => {
                matches!(
                    self.graph.node(left),
                    Node::Initial(_) | Node::Frame(_) | Node::Address(..)
                )
            }
            _ => false,
        }
    }

    /// The number that an index is multiplied by.
    fn scaled(&self, id: Id) -> (Id, i64) {
        let bare = self.graph.bare(id);
        match self.graph.node(bare) {
            Node::Binary(Op::Multiply, left, right, _) => {
                let product = self.graph.with_number(left, right);
                product.map_or((bare, 1), |(of, by)| (self.graph.bare(of), by))
            }
            Node::Binary(Op::ShiftLeft, left, right, _) => match self.graph.number(right) {
                Some(by @ 0..=16) => (self.graph.bare(left), 1 << by),
                _ => (bare, 1),
            },
            _ => (bare, 1),
        }
    }

    fn parameter(&mut self, id: Id) -> Option<usize> {
        let origin = self.origin(id);
        self.parameter_of.get(&origin.root).copied()
    }

    /// The parameter that a value is read through, at any depth.
    fn through(&mut self, id: Id) -> Option<usize> {
        let mut id = id;
        for _ in 0..8 {
            let root = self.origin(id).root;
            if let Some(number) = self.parameter_of.get(&root) {
                return Some(*number);
            }
            match self.graph.node(root) {
                Node::Load(address, ..) => id = address,
                _ => return None,
            }
        }
        None
    }

    fn consume(&mut self, id: Id, depth: usize) {
        let id = self.graph.bare(id);
        if depth > DEPTH {
            return;
        }
        if let Node::Binary(Op::Add | Op::Subtract | Op::Multiply | Op::ShiftLeft, left, right, _) =
            self.graph.node(id)
            && self.consumed.get(id) == Some(&false)
        {
            let is_scale = matches!(
                self.graph.node(id),
                Node::Binary(Op::Multiply | Op::ShiftLeft, ..)
            );
            if is_scale && self.graph.number(right).is_none() && self.graph.number(left).is_none() {
                // A product of variables: rows of a matrix.
                self.facts.is_matrix = true;
                return;
            }
            if let Some(place) = self.consumed.get_mut(id) {
                *place = true;
            }
            self.consume(left, depth + 1);
            self.consume(right, depth + 1);
        }
    }

    /// The parameters that memory is read and written through.
    fn addresses(&mut self) {
        let trace = self.trace;
        for (_, event) in &trace.events {
            match event {
                Event::Load(id) => {
                    if let Node::Load(address, bytes, is_float) = self.graph.node(*id) {
                        self.access(address, bytes, is_float, false);
                    }
                }
                Event::Store {
                    address,
                    value,
                    bytes,
                } => {
                    let is_float = self.is_float(*value);
                    self.access(*address, *bytes, is_float, true);
                    self.facts.stores += 1;
                }
                Event::Many {
                    address,
                    value,
                    is_copy,
                } => {
                    self.access(*address, 1, false, true);
                    if *is_copy {
                        self.access(*value, 1, false, false);
                    }
                }
                _ => {}
            }
        }
    }

    fn is_float(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Float(_) => true,
            Node::Load(_, _, is_float) => is_float,
            Node::Unary(op, ..) => op.is_float() || matches!(op, Op::ToFloat | Op::Precision),
            Node::Binary(op, ..) => op.is_float(),
            Node::Initial(super::graph::Location::Vector(_)) => true,
            _ => false,
        }
    }

    fn access(&mut self, address: Id, bytes: u8, is_float: bool, is_write: bool) {
        let origin = self.origin(address);
        self.consume(address, 0);
        match self.graph.node(origin.root) {
            Node::Address(..) => self.facts.globals += 1,
            Node::Frame(_) if origin.index.is_some() => self.facts.has_buffer = true,
            Node::Load(address, ..) => {
                if let Some(number) = self.parameter(address)
                    && let Some(parameter) = self.facts.parameters.get_mut(number)
                {
                    parameter.is_deep = true;
                }
            }
            _ => {}
        }
        if let Some(index) = origin.index {
            self.facts.strides.insert(origin.scale);
            self.indexes_with(index);
            if matches!(self.graph.node(index), Node::Binary(Op::Add, left, right, _)
                if self.is_product(left) || self.is_product(right))
            {
                self.facts.is_matrix = true;
            }
        }
        if let Some(number) = self.parameter_of.get(&origin.root).copied()
            && let Some(parameter) = self.facts.parameters.get_mut(number)
        {
            parameter.pointed.insert((bytes, is_float));
            if origin.index.is_some() {
                parameter.strides.insert(origin.scale);
            } else if !origin.is_walked {
                parameter.offsets.insert(origin.offset);
            }
            parameter.is_walked |= origin.is_walked;
            parameter.is_written |= is_write;
            parameter.is_read |= !is_write;
        }
        if origin.index.is_none()
            && bytes > 0
            && origin.offset >= 0
            && origin.offset % i64::from(bytes) == 0
        {
            let index = origin.offset / i64::from(bytes);
            if index < 16 && !matches!(self.graph.node(origin.root), Node::Address(..)) {
                self.facts.indexes.insert(index);
            }
        }
    }

    /// Remembers what is used as an index.
    fn indexes_with(&mut self, index: Id) {
        self.indexes.insert(index);
        let of = self.origin(index).root;
        self.indexes.insert(of);
        if let Some(number) = self.parameter_of.get(&of)
            && let Some(parameter) = self.facts.parameters.get_mut(*number)
        {
            parameter.is_index = true;
        }
    }

    fn is_product(&self, id: Id) -> bool {
        matches!(self.graph.node(self.graph.bare(id)), Node::Binary(Op::Multiply, left, right, _)
            if self.graph.number(left).is_none() && self.graph.number(right).is_none())
    }
}
