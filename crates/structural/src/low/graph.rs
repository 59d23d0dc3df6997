//! Values of one function and where each comes from.
//!
//! A function is a list of blocks. Reading a location (a register, a slot of the frame, a local variable) in a block
//! returns the value that was written last: in the block, or in the blocks before it. If these differ, it is a choice
//! of their values. Work is bounded by a budget that grows with the number of instructions: beyond it values are
//! unknown.

use std::collections::HashMap;

/// A value, by its number.
pub(super) type Id = usize;

/// A location that is written and read by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Location {
    /// A register for whole numbers, as the processor numbers them.
    Register(u8),
    /// A register for floating-point numbers.
    Vector(u8),
    /// A slot of the frame, by its distance from the position of the stack at the start.
    Slot(i64),
    /// A local variable of WebAssembly.
    Local(u32),
    /// A global variable of WebAssembly.
    Global(u32),
    /// The value that a block of WebAssembly leaves on the stack.
    Left(u32),
}

/// The kind of an operation; `bytes` of the node is its width.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    Add,
    Subtract,
    Multiply,
    /// The upper half of a product.
    High,
    Divide,
    DivideUnsigned,
    Remainder,
    RemainderUnsigned,
    And,
    Or,
    Xor,
    Not,
    Negate,
    ShiftLeft,
    /// To the right; zeros come in.
    ShiftRight,
    /// To the right; the sign comes in.
    ShiftSign,
    Rotate,
    SwapBytes,
    CountBits,
    /// From fewer bytes, with the sign.
    Signed,
    /// From fewer bytes, with zeros.
    Unsigned,
    /// The lower bytes of a wider value.
    Narrow,
    ToFloat,
    ToInteger,
    /// Between single and double precision.
    Precision,
    FloatAdd,
    FloatSubtract,
    FloatMultiply,
    FloatDivide,
    FloatMinimum,
    FloatMaximum,
    Root,
    Magnitude,
    FloatNegate,
    Round,
}

impl Op {
    /// Returns `true` if it is arithmetic of floating-point numbers.
    pub(super) fn is_float(self) -> bool {
        use Op::{
            FloatAdd, FloatDivide, FloatMaximum, FloatMinimum, FloatMultiply, FloatNegate,
            FloatSubtract, Magnitude, Root, Round,
        };
        matches!(
            self,
            FloatAdd
                | FloatSubtract
                | FloatMultiply
                | FloatDivide
                | FloatMinimum
                | FloatMaximum
                | Root
                | Magnitude
                | FloatNegate
                | Round
        )
    }

    /// Returns `true` if it only changes how wide a value is.
    pub(super) fn is_width(self) -> bool {
        matches!(self, Op::Signed | Op::Unsigned | Op::Narrow)
    }
}

/// The comparison of two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Condition {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    /// Less, of numbers without sign (and of floating-point numbers).
    Below,
    BelowEqual,
    Above,
    AboveEqual,
    /// A result is negative.
    Negative,
    NotNegative,
    /// Not a number.
    Unordered,
    Ordered,
    Overflow,
}

impl Condition {
    /// The condition that holds where this one does not.
    pub(super) fn opposite(self) -> Condition {
        use Condition::{
            Above, AboveEqual, Below, BelowEqual, Equal, Greater, GreaterEqual, Less, LessEqual,
            Negative, NotEqual, NotNegative, Ordered, Overflow, Unordered,
        };
        match self {
            Equal => NotEqual,
            NotEqual => Equal,
            Less => GreaterEqual,
            LessEqual => Greater,
            Greater => LessEqual,
            GreaterEqual => Less,
            Below => AboveEqual,
            BelowEqual => Above,
            Above => BelowEqual,
            AboveEqual => Below,
            Negative => NotNegative,
            NotNegative => Negative,
            Unordered => Ordered,
            Ordered => Unordered,
            Overflow => Overflow,
        }
    }
}

/// The origin of a value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Node {
    /// Nothing is known.
    Unknown,
    /// The content of a location when the function was entered.
    Initial(Location),
    /// A whole number.
    Constant(i64),
    /// A floating-point number, by its bits in double precision.
    Float(u64),
    /// An address in the frame.
    Frame(i64),
    /// An address outside of the function; equal symbols have equal numbers.
    Address(u32, i64),
    /// The content of memory at an address: the address, the number of bytes, and true for a floating-point number.
    Load(Id, u8, bool),
    /// A value made of one value: how, of what, and how wide it is; for widening, how wide it was.
    Unary(Op, Id, u8),
    /// A value made of two: how, the first, the second, and how wide it is.
    Binary(Op, Id, Id, u8),
    /// 1 where a condition holds for two values, else 0.
    Compare(Condition, Id, Id),
    /// The result of a call, by the number of the call.
    Call(usize),
    /// One of several values, depending on the path to the block; by its number.
    Choice(usize),
}

/// A block: what leads to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Block {
    /// The blocks that may run just before it.
    pub(super) before: Vec<usize>,
    /// True if the function starts here.
    pub(super) is_entry: bool,
}

/// All values of a function.
#[derive(Debug)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    /// The node that a node turned out to be equal to.
    same: Vec<Id>,
    /// The inputs of each choice.
    choices: Vec<Vec<Id>>,
    open: Vec<(usize, usize, Location)>,
    blocks: Vec<Block>,
    last: HashMap<(usize, Location), Id>,
    at_start: HashMap<(usize, Location), Id>,
    initial: HashMap<Location, Id>,
    constants: HashMap<i64, Id>,
    budget: usize,
}

/// The depth to which an expression is examined.
const DEPTH: usize = 48;

impl Graph {
    /// No values yet; `instructions` bounds the work.
    pub(super) fn new(blocks: Vec<Block>, instructions: usize) -> Graph {
        Graph {
            nodes: vec![Node::Unknown],
            same: vec![0],
            choices: Vec::new(),
            open: Vec::new(),
            blocks,
            last: HashMap::new(),
            at_start: HashMap::new(),
            initial: HashMap::new(),
            constants: HashMap::new(),
            budget: instructions * 24 + 2048,
        }
    }

    /// The value about which nothing is known.
    pub(super) const UNKNOWN: Id = 0;

    /// Returns the number of values.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a value.
    pub(super) fn add(&mut self, node: Node) -> Id {
        if let Node::Constant(number) = node {
            if let Some(&id) = self.constants.get(&number) {
                return id;
            }
            self.constants.insert(number, self.nodes.len());
        }
        self.nodes.push(node);
        self.same.push(self.nodes.len() - 1);
        self.nodes.len() - 1
    }

    /// A whole number.
    pub(super) fn constant(&mut self, number: i64) -> Id {
        self.add(Node::Constant(number))
    }

    /// A value made of one; what can be computed is.
    pub(super) fn unary(&mut self, op: Op, value: Id, bytes: u8) -> Id {
        let folded = match (op, self.node(value)) {
            (Op::Signed, Node::Constant(number)) => Some(sign_extended(number, bytes)),
            (Op::Unsigned | Op::Narrow, Node::Constant(number)) => {
                Some(zero_extended(number, bytes))
            }
            (Op::Negate, Node::Constant(number)) => Some(number.wrapping_neg()),
            (Op::Not, Node::Constant(number)) => Some(!number),
            // An address is never cut.
            (op, Node::Frame(_)) if op.is_width() => return value,
            (op, Node::Compare(..)) if op.is_width() && op != Op::Narrow => None,
            _ => None,
        };
        if let Some(number) = folded {
            return self.constant(number);
        }
        self.add(Node::Unary(op, value, bytes))
    }

    /// A value made of two; what can be computed is.
    pub(super) fn binary(&mut self, op: Op, left: Id, right: Id, bytes: u8) -> Id {
        let folded = match (op, self.node(left), self.node(right)) {
            (Op::Add, Node::Frame(at), Node::Constant(by))
            | (Op::Add, Node::Constant(by), Node::Frame(at)) => {
                Some(Node::Frame(at.wrapping_add(by)))
            }
            (Op::Subtract, Node::Frame(at), Node::Constant(by)) => {
                Some(Node::Frame(at.wrapping_sub(by)))
            }
            (Op::Add, Node::Address(symbol, at), Node::Constant(by))
            | (Op::Add, Node::Constant(by), Node::Address(symbol, at)) => {
                Some(Node::Address(symbol, at.wrapping_add(by)))
            }
            (_, Node::Constant(left), Node::Constant(right)) => {
                fold(op, left, right).map(Node::Constant)
            }
            (Op::And, Node::Frame(at), Node::Constant(mask)) if mask < 0 => Some(Node::Frame(at)),
            (Op::And | Op::Multiply, _, Node::Constant(0))
            | (Op::And | Op::Multiply, Node::Constant(0), _) => Some(Node::Constant(0)),
            (Op::Xor | Op::Subtract, _, _) if left == right => Some(Node::Constant(0)),
            (
                Op::Add
                | Op::Subtract
                | Op::Or
                | Op::Xor
                | Op::ShiftLeft
                | Op::ShiftRight
                | Op::ShiftSign,
                _,
                Node::Constant(0),
            ) => return left,
            (Op::Add | Op::Or | Op::Xor, Node::Constant(0), _) => return right,
            _ => None,
        };
        match folded {
            Some(node) => self.add(node),
            None => self.add(Node::Binary(op, left, right, bytes)),
        }
    }

    /// The value that turned out to be meant.
    pub(super) fn resolve(&self, mut id: Id) -> Id {
        for _ in 0..DEPTH {
            match self.same.get(id) {
                Some(&next) if next != id => id = next,
                _ => break,
            }
        }
        id
    }

    /// The origin of a value.
    pub(super) fn node(&self, id: Id) -> Node {
        let id = self.resolve(id);
        self.nodes.get(id).copied().unwrap_or(Node::Unknown)
    }

    /// The inputs of a choice.
    pub(super) fn inputs(&self, choice: usize) -> &[Id] {
        self.choices.get(choice).map_or(&[], Vec::as_slice)
    }

    /// A value without changes of its width.
    pub(super) fn bare(&self, id: Id) -> Id {
        let mut id = self.resolve(id);
        for _ in 0..DEPTH {
            match self.node(id) {
                Node::Unary(op, value, _) if op.is_width() => id = self.resolve(value),
                _ => break,
            }
        }
        id
    }

    /// The number that a value is.
    pub(super) fn number(&self, id: Id) -> Option<i64> {
        match self.node(self.bare(id)) {
            Node::Constant(number) => Some(number),
            _ => None,
        }
    }

    /// A value and the number beside it.
    pub(super) fn with_number(&self, left: Id, right: Id) -> Option<(Id, i64)> {
        match (self.number(left), self.number(right)) {
            (_, Some(by)) => Some((left, by)),
            (Some(by), _) => Some((right, by)),
            _ => None,
        }
    }

    /// Writes a location in a block.
    pub(super) fn write(&mut self, block: usize, location: Location, id: Id) {
        self.last.insert((block, location), id);
    }

    /// The content of a location when the function was entered.
    fn entered(&mut self, location: Location) -> Id {
        if let Some(&id) = self.initial.get(&location) {
            return id;
        }
        let id = self.add(Node::Initial(location));
        self.initial.insert(location, id);
        id
    }

    /// The value that a block writes to a location itself, if it does.
    pub(super) fn written_in(&self, block: usize, location: Location) -> Option<Id> {
        self.last.get(&(block, location)).copied()
    }

    /// Reads a location in a block.
    pub(super) fn read(&mut self, block: usize, location: Location) -> Id {
        match self.last.get(&(block, location)) {
            Some(&id) => id,
            None => self.at_start(block, location),
        }
    }

    /// Reads a location at the start of a block.
    fn at_start(&mut self, block: usize, location: Location) -> Id {
        let mut passed = Vec::new();
        let mut block = block;
        let id = loop {
            if let Some(&id) = self.at_start.get(&(block, location)) {
                break id;
            }
            if self.budget == 0 {
                break Graph::UNKNOWN;
            }
            self.budget -= 1;
            passed.push(block);
            let (is_entry, before) = match self.blocks.get(block) {
                Some(block) => (block.is_entry, block.before.as_slice()),
                None => (true, [].as_slice()),
            };
            match (is_entry, before) {
                (true, []) => break self.entered(location),
                (false, []) => break Graph::UNKNOWN,
                (false, &[only]) if only != block => {
                    if let Some(&id) = self.last.get(&(only, location)) {
                        break id;
                    }
                    block = only;
                    if passed.len() > 4096 {
                        break Graph::UNKNOWN;
                    }
                }
                _ => {
                    let choice = self.choices.len();
                    self.choices.push(Vec::new());
                    self.open.push((choice, block, location));
                    break self.add(Node::Choice(choice));
                }
            }
        };
        for block in passed {
            self.at_start.insert((block, location), id);
        }
        id
    }

    /// One of two values.
    pub(super) fn either(&mut self, one: Id, other: Id) -> Id {
        if one == other {
            return one;
        }
        self.choices.push(vec![one, other]);
        self.add(Node::Choice(self.choices.len() - 1))
    }

    /// The content of a location when the function was entered, if that was read.
    pub(super) fn entered_at(&self, location: Location) -> Option<Id> {
        self.initial.get(&location).copied()
    }

    /// The locations whose first content was read, in the order of the first reading.
    pub(super) fn entered_in_order(&self) -> Vec<Location> {
        let nodes = self.nodes.iter();
        nodes
            .filter_map(|node| match node {
                Node::Initial(location) => Some(*location),
                _ => None,
            })
            .collect()
    }

    /// Fills in the choices; nothing is written after this.
    pub(super) fn finish(&mut self) {
        while let Some((choice, block, location)) = self.open.pop() {
            let (is_entry, before) = match self.blocks.get(block) {
                Some(block) => (block.is_entry, block.before.clone()),
                None => continue,
            };
            let mut inputs = Vec::new();
            if is_entry {
                inputs.push(self.entered(location));
            }
            for other in before {
                if self.budget == 0 {
                    break;
                }
                self.budget -= 1;
                let id = self.read(other, location);
                if !inputs.contains(&id) && inputs.len() < 16 {
                    inputs.push(id);
                }
            }
            if let Some(place) = self.choices.get_mut(choice) {
                *place = inputs;
            }
        }
        // A choice of one is that one.
        for _ in 0..4 {
            let mut changed = false;
            for id in 0..self.nodes.len() {
                let Some(&Node::Choice(choice)) = self.nodes.get(id) else {
                    continue;
                };
                if self.resolve(id) != id {
                    continue;
                }
                let mut only = None;
                let mut differs = false;
                for &input in self.inputs(choice) {
                    let input = self.resolve(input);
                    if input != id && only.is_some_and(|only| only != input) {
                        differs = true;
                        break;
                    }
                    if input != id {
                        only = Some(input);
                    }
                }
                if !differs && let Some(only) = only {
                    self.same[id] = only;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// A number of fewer bytes with its sign.
fn sign_extended(number: i64, bytes: u8) -> i64 {
    match bytes {
        1 => i64::from(number as i8),
        2 => i64::from(number as i16),
        4 => i64::from(number as i32),
        _ => number,
    }
}

/// A number of fewer bytes without sign.
fn zero_extended(number: i64, bytes: u8) -> i64 {
    match bytes {
        1 => number & 0xff,
        2 => number & 0xffff,
        4 => number & 0xffff_ffff,
        _ => number,
    }
}

fn fold(op: Op, left: i64, right: i64) -> Option<i64> {
    let shift = u32::try_from(right & 63).ok()?;
    Some(match op {
        Op::Add => left.wrapping_add(right),
        Op::Subtract => left.wrapping_sub(right),
        Op::Multiply => left.wrapping_mul(right),
        Op::And => left & right,
        Op::Or => left | right,
        Op::Xor => left ^ right,
        Op::ShiftLeft => left.wrapping_shl(shift),
        _ => return None,
    })
}
