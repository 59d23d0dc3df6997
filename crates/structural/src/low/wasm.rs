//! WebAssembly text, evaluated: the operand stack, local variables, and the frame that unoptimized code keeps in memory.

mod blocks;
mod text;

use std::collections::HashMap;

use blocks::Shape;
use text::{Function, Instruction};

use super::graph::{Condition, Graph, Id, Location, Node, Op};
use super::trace::{self, Callee, Class, Event, Returned, Trace};

struct Machine<'a> {
    graph: Graph,
    events: Vec<(usize, Event)>,
    block: usize,
    stack: Vec<Id>,
    calls: usize,
    globals: HashMap<&'a str, u32>,
    widths: HashMap<u32, u8>,
    name: Option<&'a str>,
}

/// Evaluates a function.
pub(super) fn trace(text: &str) -> Option<Trace> {
    let function = text::read(text);
    if function.code.is_empty() && function.parameters.is_empty() && function.result.is_none() {
        return None;
    }
    let shape = blocks::shape(&function.code);
    let (loops, depth) = trace::loops(&shape.blocks);
    let mut machine = Machine {
        graph: Graph::new(shape.blocks.clone(), function.code.len()),
        events: Vec::new(),
        block: 0,
        stack: Vec::new(),
        calls: 0,
        globals: HashMap::new(),
        widths: HashMap::new(),
        name: function.name,
    };
    // Parameters are what they are even if they are not read; other local variables start at zero.
    for number in 0..function.parameters.len() {
        let location = Location::Local(u32::try_from(number).unwrap_or(0));
        machine.graph.read(0, location);
    }
    let mut ended = false;
    for (at, instruction) in function.code.iter().enumerate() {
        machine.block = shape.block_of.get(at).copied().unwrap_or(0);
        ended = instruction.name == "return";
        machine.step(instruction, at, &shape, &function);
    }
    if !ended {
        let value = machine.stack.pop();
        machine.returns(value, function.result);
    }
    machine.graph.finish();
    let parameters = function
        .parameters
        .iter()
        .enumerate()
        .map(|(number, kind)| {
            let number = u32::try_from(number).unwrap_or(0);
            let class = match *kind {
                "f32" => Class::Float(4),
                "f64" => Class::Float(8),
                "i64" => Class::Whole(8),
                _ => Class::Whole(machine.widths.get(&number).copied().unwrap_or(4)),
            };
            (Location::Local(number), class)
        })
        .collect();
    let endless = loops.iter().take(64).filter(|(first, last)| {
        shape.blocks.iter().enumerate().all(|(at, block)| {
            (*first..=*last).contains(&at)
                || !block
                    .before
                    .iter()
                    .any(|before| (*first..=*last).contains(before))
        })
    });
    let endless = endless.count();
    let is_plain =
        function.code.iter().any(|it| it.name == "global.get") || function.code.len() < 4;
    Some(Trace {
        graph: machine.graph,
        events: machine.events,
        parameters,
        is_counted: true,
        depth,
        endless: if function.result.is_some() || loops.is_empty() {
            0
        } else {
            endless
        },
        loops,
        pointer: 4,
        is_plain,
        instructions: function.code.len(),
    })
}

/// A number as the text format writes it.
fn whole(text: &str) -> Option<i64> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    super::instruction::number(&plain)
}

fn float(instruction: &Instruction<'_>) -> Option<f64> {
    // `0x1.8p+1 (;=3;)`
    let stated = instruction
        .comment
        .and_then(|comment| comment.strip_prefix('='));
    let text = stated.or(instruction.operands.first().copied())?;
    text.parse().ok()
}

impl<'a> Machine<'a> {
    fn event(&mut self, event: Event) {
        self.events.push((self.block, event));
    }

    fn pop(&mut self) -> Id {
        self.stack.pop().unwrap_or(Graph::UNKNOWN)
    }

    fn push(&mut self, id: Id) {
        self.stack.push(id);
    }

    fn work(&mut self, id: Id) {
        if matches!(
            self.graph.node(id),
            Node::Unary { .. } | Node::Binary { .. }
        ) {
            self.event(Event::Work(id));
        }
        self.push(id);
    }

    fn local(instruction: &Instruction<'a>, function: &Function<'a>) -> Location {
        let operand = instruction.operands.first().copied().unwrap_or("");
        let number = operand
            .parse()
            .ok()
            .or_else(|| function.names.get(operand).copied());
        Location::Local(number.unwrap_or(u32::MAX))
    }

    fn returns(&mut self, value: Option<Id>, result: Option<&str>) {
        let returned = match (result, value) {
            (Some("f32"), value) => Returned::Float(value.unwrap_or(Graph::UNKNOWN), 4),
            (Some("f64"), value) => Returned::Float(value.unwrap_or(Graph::UNKNOWN), 8),
            (Some("i64"), value) => Returned::Whole(value.unwrap_or(Graph::UNKNOWN), 8),
            (Some(_), value) => Returned::Whole(value.unwrap_or(Graph::UNKNOWN), 4),
            (None, _) => Returned::Nothing,
        };
        self.event(Event::Return(returned));
    }

    /// The address of an access.
    fn address(&mut self, instruction: &Instruction<'a>, base: Id) -> Id {
        let offset = instruction
            .operands
            .iter()
            .find_map(|operand| whole(operand.strip_prefix("offset=")?));
        match offset {
            Some(offset) if offset != 0 => {
                let offset = self.graph.constant(offset);
                self.graph.binary(Op::Add, base, offset, 4)
            }
            _ => base,
        }
    }

    /// A condition on the stack, as what is compared.
    fn condition(&mut self, id: Id, is_jump: bool, is_back: bool, value: Id) {
        let mut id = self.graph.bare(id);
        let mut is_opposite = false;
        for _ in 0..8 {
            match self.graph.node(id) {
                Node::Compare {
                    condition: Condition::Equal,
                    left,
                    right,
                } if self.graph.number(right) == Some(0) && self.is_truth(left) => {
                    is_opposite = !is_opposite;
                    id = self.graph.bare(left);
                }
                Node::Compare {
                    condition: Condition::NotEqual,
                    left,
                    right,
                } if self.graph.number(right) == Some(0) && self.is_truth(left) => {
                    id = self.graph.bare(left);
                }
                Node::Binary {
                    op: Op::And,
                    left,
                    right,
                    ..
                } if self.graph.number(right) == Some(1) && self.is_truth(left) => {
                    id = self.graph.bare(left);
                }
                Node::Binary {
                    op: Op::Xor,
                    left,
                    right,
                    ..
                } if matches!(self.graph.number(right), Some(1 | -1)) && self.is_truth(left) => {
                    is_opposite = !is_opposite;
                    id = self.graph.bare(left);
                }
                _ => break,
            }
        }
        let (condition, left, right) = match self.graph.node(id) {
            Node::Compare {
                condition,
                left,
                right,
            } => (condition, left, right),
            _ => (Condition::NotEqual, id, self.graph.constant(0)),
        };
        let is_float = self.is_float(left) || self.is_float(right);
        self.event(Event::Test {
            condition: if is_opposite {
                condition.opposite()
            } else {
                condition
            },
            left,
            right,
            bytes: 4,
            is_float,
            is_jump,
            is_back,
            value,
        });
    }

    fn is_truth(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Compare { .. } => true,
            Node::Binary {
                op: Op::And | Op::Xor,
                left,
                right,
                ..
            } => {
                matches!(self.graph.number(right), Some(1 | -1))
                    && matches!(
                        self.graph.node(self.graph.bare(left)),
                        Node::Compare { .. } | Node::Binary { .. }
                    )
            }
            _ => false,
        }
    }

    fn is_float(&self, id: Id) -> bool {
        match self.graph.node(id) {
            Node::Float(_) | Node::Load { is_float: true, .. } => true,
            Node::Unary { op, .. } => op.is_float() || matches!(op, Op::ToFloat | Op::Precision),
            Node::Binary { op, .. } => op.is_float(),
            _ => false,
        }
    }

    fn step(
        &mut self,
        instruction: &Instruction<'a>,
        at: usize,
        shape: &Shape,
        function: &Function<'a>,
    ) {
        match instruction.name {
            "local.get" => {
                let location = Self::local(instruction, function);
                let id = self.graph.read(self.block, location);
                self.push(id);
            }
            "local.set" | "local.tee" => {
                let location = Self::local(instruction, function);
                let id = self.pop();
                self.graph.write(self.block, location, id);
                if instruction.name == "local.tee" {
                    self.push(id);
                }
            }
            "global.get" => {
                let name = instruction.operands.first().copied().unwrap_or("");
                let next = u32::try_from(self.globals.len()).unwrap_or(0);
                let number = *self.globals.entry(name).or_insert(next);
                // The first is the pointer to the stack.
                let is_stack = matches!(name, "0" | "$__stack_pointer" | "$global_0")
                    || name.contains("stack");
                let id = if is_stack {
                    if let Some(id) = self.graph.written_in(0, Location::Global(number)) {
                        id
                    } else {
                        let id = self.graph.add(Node::Frame(0));
                        self.graph.write(0, Location::Global(number), id);
                        id
                    }
                } else {
                    self.graph.read(self.block, Location::Global(number))
                };
                self.push(id);
            }
            "global.set" => {
                self.pop();
            }
            "i32.const" | "i64.const" => {
                let operand = instruction.operands.first().copied().unwrap_or("");
                let id = match whole(operand) {
                    // Where the linker puts constants and variables.
                    Some(number)
                        if instruction.name == "i32.const"
                            && (0x1_0000..0x1_4000).contains(&number) =>
                    {
                        self.graph.add(Node::Address(1, number))
                    }
                    Some(number) => self.graph.constant(number),
                    None => {
                        let symbol = operand.split('+').next().unwrap_or(operand);
                        let next = u32::try_from(self.globals.len() + 2).unwrap_or(2);
                        let number = *self.globals.entry(symbol).or_insert(next);
                        self.graph.add(Node::Address(number, 0))
                    }
                };
                self.push(id);
            }
            "f32.const" | "f64.const" => {
                let id = match float(instruction) {
                    Some(number) => self.graph.add(Node::Float(number.to_bits())),
                    None => Graph::UNKNOWN,
                };
                self.push(id);
            }
            "drop" => {
                self.pop();
            }
            "select" => {
                let condition = self.pop();
                let other = self.pop();
                let one = self.pop();
                self.condition(condition, false, false, Graph::UNKNOWN);
                if let Node::Compare {
                    condition,
                    left,
                    right,
                } = self.graph.node(self.graph.bare(condition))
                {
                    self.event(Event::Select {
                        values: [one, other],
                        compared: [left, right],
                        condition,
                    });
                }
                let id = self.graph.either(one, other);
                self.push(id);
            }
            "br_if" => {
                let condition = self.pop();
                let (_, is_back, value) = shape.leads.get(&at).copied().unwrap_or((0, false, None));
                if let Some(label) = value {
                    let id = self.stack.last().copied().unwrap_or(Graph::UNKNOWN);
                    self.graph.write(self.block, Location::Left(label), id);
                }
                self.condition(condition, true, is_back, Graph::UNKNOWN);
            }
            "if" => {
                let condition = self.pop();
                // The body follows where it holds: as a jump past it where it does not.
                let id = self.graph.bare(condition);
                let zero = self.graph.constant(0);
                let not = self.graph.add(Node::Compare {
                    condition: Condition::Equal,
                    left: id,
                    right: zero,
                });
                self.condition(not, true, false, Graph::UNKNOWN);
            }
            "br" => {
                if let Some((_, _, Some(label))) = shape.leads.get(&at).copied() {
                    let id = self.pop();
                    self.graph.write(self.block, Location::Left(label), id);
                }
            }
            "br_table" => {
                self.pop();
                self.event(Event::Switch(instruction.operands.len()));
            }
            "end" => {
                if let Some(label) = shape.takes.get(&at).copied() {
                    let before = self.block.saturating_sub(1);
                    if let Some(id) = self.stack.pop() {
                        self.graph.write(before, Location::Left(label), id);
                    }
                    let id = self.graph.read(self.block, Location::Left(label));
                    self.push(id);
                }
            }
            "return" => {
                let value = self.stack.pop();
                self.returns(value, function.result);
            }
            "unreachable" => self.event(Event::Stop),
            "call" | "return_call" => {
                let name = instruction.operands.first().copied().unwrap_or("");
                let callee = if Some(name) == self.name {
                    Callee::Itself
                } else if name.starts_with('$') {
                    Callee::Named(name.to_owned())
                } else {
                    Callee::Unknown
                };
                self.call(callee);
            }
            "call_indirect" | "return_call_indirect" => {
                let value = self.pop();
                self.call(Callee::Value(value));
            }
            "memory.copy" | "memory.fill" => {
                self.pop();
                let value = self.pop();
                let address = self.pop();
                self.event(Event::Many {
                    address,
                    value,
                    is_copy: instruction.name == "memory.copy",
                });
            }
            "memory.size" => self.push(Graph::UNKNOWN),
            name => self.operation(name, instruction),
        }
    }

    fn call(&mut self, callee: Callee) {
        // How many values it takes its text does not say: all that are there.
        let arguments: Vec<Id> = std::mem::take(&mut self.stack);
        let number = self.calls;
        self.calls += 1;
        let result = self.graph.add(Node::Call(number));
        for argument in &arguments {
            if let Node::Frame(at) = self.graph.node(*argument) {
                self.graph.write(self.block, Location::Slot(at), result);
            }
        }
        self.event(Event::Call {
            callee,
            arguments,
            number,
            is_last: false,
        });
        self.push(result);
    }

    fn operation(&mut self, name: &str, instruction: &Instruction<'a>) {
        let Some((kind, operation)) = name.split_once('.') else {
            return;
        };
        let (bytes, is_float) = match kind {
            "i32" => (4, false),
            "i64" => (8, false),
            "f32" => (4, true),
            "f64" => (8, true),
            _ => return,
        };
        if let Some(rest) = operation.strip_prefix("load") {
            let base = self.pop();
            let address = self.address(instruction, base);
            let width = narrow(rest, bytes);
            let id = if let Node::Frame(at) = self.graph.node(address) {
                self.graph.read(self.block, Location::Slot(at))
            } else {
                let id = self.graph.add(Node::Load {
                    address,
                    bytes: width,
                    is_float,
                });
                self.event(Event::Load(id));
                id
            };
            let id = match rest.rsplit('_').next() {
                Some("s") => self.graph.unary(Op::Signed, id, width),
                Some("u") => self.graph.unary(Op::Unsigned, id, width),
                _ => id,
            };
            self.push(id);
            return;
        }
        if let Some(rest) = operation.strip_prefix("store") {
            let value = self.pop();
            let base = self.pop();
            let address = self.address(instruction, base);
            let width = narrow(rest, bytes);
            if let Node::Frame(at) = self.graph.node(address) {
                if let Node::Initial(Location::Local(number)) =
                    self.graph.node(self.graph.bare(value))
                {
                    let known = self.widths.entry(number).or_insert(width);
                    *known = (*known).min(width);
                }
                self.graph.write(self.block, Location::Slot(at), value);
            } else {
                self.event(Event::Store {
                    address,
                    value,
                    bytes: width,
                });
            }
            return;
        }
        let (stem, sign) = operation.rsplit_once('_').unwrap_or((operation, ""));
        let unsigned = sign == "u";
        let stem = if matches!(sign, "s" | "u") {
            stem
        } else {
            operation
        };
        let compared = match stem {
            "eq" => Some(Condition::Equal),
            "ne" => Some(Condition::NotEqual),
            "lt" => Some(if unsigned {
                Condition::Below
            } else {
                Condition::Less
            }),
            "le" => Some(if unsigned {
                Condition::BelowEqual
            } else {
                Condition::LessEqual
            }),
            "gt" => Some(if unsigned {
                Condition::Above
            } else {
                Condition::Greater
            }),
            "ge" => Some(if unsigned {
                Condition::AboveEqual
            } else {
                Condition::GreaterEqual
            }),
            _ => None,
        };
        if let Some(condition) = compared {
            let right = self.pop();
            let left = self.pop();
            let id = self.graph.add(Node::Compare {
                condition,
                left,
                right,
            });
            self.push(id);
            return;
        }
        if operation == "eqz" {
            let left = self.pop();
            let right = self.graph.constant(0);
            let id = self.graph.add(Node::Compare {
                condition: Condition::Equal,
                left,
                right,
            });
            self.push(id);
            return;
        }
        let unary = match (is_float, operation) {
            (false, "clz" | "ctz" | "popcnt") => Some((Op::CountBits, bytes)),
            (false, "wrap_i64") => Some((Op::Narrow, 4)),
            (false, "extend_i32_s") => Some((Op::Signed, 4)),
            (false, "extend_i32_u") => Some((Op::Unsigned, 4)),
            (false, "extend8_s") => Some((Op::Signed, 1)),
            (false, "extend16_s") => Some((Op::Signed, 2)),
            (false, "extend32_s") => Some((Op::Signed, 4)),
            (false, other) if other.starts_with("trunc") => Some((Op::ToInteger, bytes)),
            (true, "abs") => Some((Op::Magnitude, bytes)),
            (true, "neg") => Some((Op::FloatNegate, bytes)),
            (true, "sqrt") => Some((Op::Root, bytes)),
            (true, "floor" | "ceil" | "trunc" | "nearest") => Some((Op::Round, bytes)),
            (true, "demote_f64" | "promote_f32") => Some((Op::Precision, bytes)),
            (true, other) if other.starts_with("convert") => Some((Op::ToFloat, bytes)),
            (_, other) if other.starts_with("reinterpret") => Some((Op::Precision, bytes)),
            _ => None,
        };
        if let Some((op, bytes)) = unary {
            let value = self.pop();
            let id = self.graph.unary(op, value, bytes);
            if op.is_width() {
                self.push(id);
            } else {
                self.work(id);
            }
            return;
        }
        let op = match (is_float, stem) {
            (false, "add") => Op::Add,
            (false, "sub") => Op::Subtract,
            (false, "mul") => Op::Multiply,
            (false, "div") if unsigned => Op::DivideUnsigned,
            (false, "div") => Op::Divide,
            (false, "rem") if unsigned => Op::RemainderUnsigned,
            (false, "rem") => Op::Remainder,
            (false, "and") => Op::And,
            (false, "or") => Op::Or,
            (false, "xor") => Op::Xor,
            (false, "shl") => Op::ShiftLeft,
            (false, "shr") if unsigned => Op::ShiftRight,
            (false, "shr") => Op::ShiftSign,
            (false, "rotl" | "rotr") => Op::Rotate,
            (true, "add") => Op::FloatAdd,
            (true, "sub") => Op::FloatSubtract,
            (true, "mul") => Op::FloatMultiply,
            (true, "div") => Op::FloatDivide,
            (true, "min") => Op::FloatMinimum,
            (true, "max") => Op::FloatMaximum,
            (true, "copysign") => Op::FloatMinimum,
            _ => return,
        };
        let right = self.pop();
        let left = self.pop();
        // A byte is widened by shifts to the left and back.
        if op == Op::ShiftSign
            && let Some(by @ (24 | 16)) = self.graph.number(right)
            && let Node::Binary {
                op: Op::ShiftLeft,
                left: inner,
                right: other,
                ..
            } = self.graph.node(left)
            && self.graph.number(other) == Some(by)
        {
            let id = self
                .graph
                .unary(Op::Signed, inner, if by == 24 { 1 } else { 2 });
            self.push(id);
            return;
        }
        if op == Op::And
            && matches!(self.graph.number(right), Some(255 | 65535))
            && self.is_narrow(left)
        {
            let width = if self.graph.number(right) == Some(255) {
                1
            } else {
                2
            };
            let id = self.graph.unary(Op::Unsigned, left, width);
            self.push(id);
            return;
        }
        // What is a truth value already stays one.
        if op == Op::And && self.graph.number(right) == Some(1) && self.is_truth(left) {
            self.push(left);
            return;
        }
        // `x ^ -1` is how the complement is written.
        let id = if op == Op::Xor && self.graph.number(right) == Some(-1) && !self.is_truth(left) {
            self.graph.unary(Op::Not, left, bytes)
        } else if op == Op::Subtract && self.graph.number(left) == Some(0) {
            self.graph.unary(Op::Negate, right, bytes)
        } else {
            self.graph.binary(op, left, right, bytes)
        };
        if matches!(self.graph.node(id), Node::Frame(_) | Node::Address(..)) {
            self.push(id);
        } else {
            self.work(id);
        }
    }

    fn is_narrow(&self, id: Id) -> bool {
        matches!(
            self.graph.node(id),
            Node::Unary {
                op: Op::Signed | Op::Unsigned,
                bytes: 1 | 2,
                ..
            } | Node::Load { bytes: 1 | 2, .. }
                | Node::Choice(_)
                | Node::Initial(_)
        )
    }
}

/// How many bytes are read or written by `load8_u`, `store16`.
fn narrow(rest: &str, bytes: u8) -> u8 {
    match rest.trim_end_matches("_s").trim_end_matches("_u") {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        _ => bytes,
    }
}
