//! One instruction after the other.

use super::super::graph::{Condition, Graph, Id, Location, Node, Op};
use super::super::instruction::{Kind, Operand};
use super::super::layout::{Placed, Target};
use super::super::operation::Verb;
use super::super::trace::{Callee, Event};
use super::{Flags, Machine, RAX, RBP, RSP};

impl<'a> Machine<'a> {
    pub(super) fn step(&mut self, code: &[Placed<'a>], at: usize) {
        let Some(placed) = code.get(at) else {
            return;
        };
        let operands = &placed.instruction.operands;
        let last = operands.len().saturating_sub(1);
        let bytes = Self::width(placed);
        let is_segment = operands
            .iter()
            .any(|operand| matches!(operand, Operand::Memory(memory) if memory.segment));
        let was_guard = std::mem::take(&mut self.is_guard);
        let skip_call = std::mem::take(&mut self.skip_call);
        let same = |one: usize, other: usize| {
            matches!((operands.get(one), operands.get(other)),
                (Some(Operand::Register(a)), Some(Operand::Register(b))) if a == b)
        };
        match placed.verb {
            Verb::Nothing => {}
            Verb::Move => {
                let id = self.value(placed, 0, bytes, false);
                self.assign(placed, last, id, bytes);
            }
            Verb::LoadAddress => {
                if let Some(Operand::Memory(memory)) = operands.first() {
                    let address = self.address(memory, placed.instruction.comment);
                    let address = self.work(address);
                    self.assign(placed, last, address, bytes);
                }
            }
            Verb::Binary(op) => {
                if is_segment {
                    self.is_guard = true;
                    self.flags = None;
                    return;
                }
                if op == Op::Xor && same(0, last) {
                    let zero = self.graph.constant(0);
                    self.assign(placed, last, zero, bytes);
                    self.flags = None;
                    return;
                }
                let (left, right) = match operands.len() {
                    // A shift by one.
                    1 => (self.value(placed, 0, bytes, false), self.graph.constant(1)),
                    3 => (
                        self.value(placed, 1, bytes, false),
                        self.value(placed, 0, bytes, false),
                    ),
                    _ => {
                        let right = self.value(placed, 0, bytes, false);
                        (self.value(placed, last, bytes, false), right)
                    }
                };
                let id = self.graph.binary(op, left, right, bytes);
                let is_stack = matches!(operands.last(), Some(Operand::Register(register)) if register.number == 4 && register.kind == Kind::General);
                if !is_stack {
                    self.work(id);
                }
                self.assign(placed, last, id, bytes);
                self.flags = Some(if op == Op::Subtract {
                    Flags {
                        left,
                        right,
                        bytes,
                        is_float: false,
                    }
                } else {
                    Flags {
                        left: id,
                        right: self.graph.constant(0),
                        bytes,
                        is_float: false,
                    }
                });
            }
            Verb::Carry(op) => {
                let right = self.value(placed, 0, bytes, false);
                let left = self.value(placed, last, bytes, false);
                let id = if same(0, last) {
                    // All bits are the carry.
                    match self.flags {
                        Some(flags) => {
                            self.test(Condition::Below, false, Graph::UNKNOWN);
                            let carry = self.graph.add(Node::Compare {
                                condition: Condition::Below,
                                left: flags.left,
                                right: flags.right,
                            });
                            self.graph.unary(Op::Negate, carry, bytes)
                        }
                        None => Graph::UNKNOWN,
                    }
                } else {
                    self.graph.binary(op, left, right, bytes)
                };
                self.assign(placed, last, id, bytes);
                self.flags = None;
            }
            Verb::Step(by) => {
                let left = self.value(placed, last, bytes, false);
                let by = self.graph.constant(by);
                let id = self.graph.binary(Op::Add, left, by, bytes);
                self.work(id);
                self.assign(placed, last, id, bytes);
                let zero = self.graph.constant(0);
                self.flags = Some(Flags {
                    left: id,
                    right: zero,
                    bytes,
                    is_float: false,
                });
            }
            Verb::Unary(op) => {
                let value = self.value(placed, last, bytes, false);
                let id = self.graph.unary(op, value, bytes);
                self.work(id);
                self.assign(placed, last, id, bytes);
                let zero = self.graph.constant(0);
                self.flags = (op == Op::Negate).then_some(Flags {
                    left: value,
                    right: zero,
                    bytes,
                    is_float: false,
                });
            }
            Verb::Made(op) => {
                let value = self.value(placed, 0, bytes, false);
                let id = self.graph.unary(op, value, bytes);
                self.work(id);
                self.assign(placed, last, id, bytes);
                self.flags = None;
            }
            Verb::Compare => {
                let right = self.value(placed, 0, bytes, false);
                let left = self.value(placed, last, bytes, false);
                self.flags = (!is_segment).then_some(Flags {
                    left,
                    right,
                    bytes,
                    is_float: false,
                });
                self.is_guard = is_segment;
            }
            Verb::Test => {
                let right = self.value(placed, 0, bytes, false);
                let left = self.value(placed, last, bytes, false);
                let zero = self.graph.constant(0);
                let left = if left == right || self.graph.resolve(left) == self.graph.resolve(right)
                {
                    left
                } else {
                    let id = self.graph.binary(Op::And, left, right, bytes);
                    self.work(id)
                };
                self.flags = Some(Flags {
                    left,
                    right: zero,
                    bytes,
                    is_float: false,
                });
            }
            Verb::Bit(op) => {
                let at = self.value(placed, 0, bytes, false);
                let value = self.value(placed, last, bytes, false);
                let one = self.graph.constant(1);
                let mask = self.graph.binary(Op::ShiftLeft, one, at, bytes);
                let id = self.graph.binary(op.unwrap_or(Op::And), value, mask, bytes);
                self.work(id);
                if op.is_some() {
                    self.assign(placed, last, id, bytes);
                }
                let zero = self.graph.constant(0);
                self.flags = Some(Flags {
                    left: id,
                    right: zero,
                    bytes,
                    is_float: false,
                });
            }
            Verb::Multiply(_) if operands.len() > 1 => {
                let left = self.value(placed, 0, bytes, false);
                let right = self.value(
                    placed,
                    if operands.len() > 2 { 1 } else { last },
                    bytes,
                    false,
                );
                let id = self.graph.binary(Op::Multiply, right, left, bytes);
                self.work(id);
                self.assign(placed, last, id, bytes);
                self.flags = None;
            }
            Verb::Multiply(_) => {
                let left = self.graph.read(self.block, RAX);
                let right = self.value(placed, 0, bytes, false);
                let low = self.graph.binary(Op::Multiply, left, right, bytes);
                let high = self.graph.binary(Op::High, left, right, bytes);
                self.work(low);
                self.graph.write(self.block, RAX, low);
                self.graph.write(self.block, Location::Register(2), high);
                self.whole = (self.at, bytes);
                self.flags = None;
            }
            Verb::Divide(signed) => {
                let left = self.graph.read(self.block, RAX);
                let right = self.value(placed, 0, bytes, false);
                let (quotient, rest) = if signed {
                    (Op::Divide, Op::Remainder)
                } else {
                    (Op::DivideUnsigned, Op::RemainderUnsigned)
                };
                let quotient = self.graph.binary(quotient, left, right, bytes);
                let rest = self.graph.binary(rest, left, right, bytes);
                // Which of them is meant shows where one is used.
                self.event(Event::Work(quotient));
                self.event(Event::Work(rest));
                self.graph.write(self.block, RAX, quotient);
                self.graph.write(self.block, Location::Register(2), rest);
                self.whole = (self.at, bytes);
                self.flags = None;
            }
            Verb::Extend(from, signed) => {
                let from = if from > 0 {
                    from
                } else {
                    match operands.first() {
                        Some(Operand::Register(register)) => register.bytes,
                        Some(Operand::Memory(memory)) if memory.bytes > 0 => memory.bytes,
                        _ => 4,
                    }
                };
                let value = self.value(placed, 0, from, false);
                let op = if signed { Op::Signed } else { Op::Unsigned };
                let id = self.graph.unary(op, value, from);
                self.assign(placed, last, id, bytes.max(4));
            }
            Verb::Widen(to) => {
                let value = self.graph.read(self.block, RAX);
                let id = self.graph.unary(Op::Signed, value, to / 2);
                self.graph.write(self.block, RAX, id);
                self.whole = (self.at, to);
            }
            Verb::FillSign(to) => {
                let value = self.graph.read(self.block, RAX);
                let bits = self.graph.constant(i64::from(to) * 8 - 1);
                let id = self.graph.binary(Op::ShiftSign, value, bits, to);
                self.graph.write(self.block, Location::Register(2), id);
            }
            Verb::Set(condition) => {
                let id = match self.flags {
                    Some(flags) => self.graph.add(Node::Compare {
                        condition,
                        left: flags.left,
                        right: flags.right,
                    }),
                    None => Graph::UNKNOWN,
                };
                self.test(condition, false, id);
                self.assign(placed, last, id, 1);
            }
            Verb::Select(condition) => {
                let one = self.value(placed, 0, bytes, false);
                let other = self.value(placed, last, bytes, false);
                if let Some(flags) = self.flags {
                    self.event(Event::Select {
                        values: [one, other],
                        compared: [flags.left, flags.right],
                        condition,
                    });
                }
                self.test(condition, false, Graph::UNKNOWN);
                // Either; the condition stays known as an event.
                let id = self.graph.either(one, other);
                self.assign(placed, last, id, bytes);
            }
            Verb::Jump(condition) => {
                if was_guard {
                    self.skip_call = true;
                    return;
                }
                let is_back = matches!(placed.target, Target::Inside(target) if target <= at);
                self.test_back(condition, true, is_back, Graph::UNKNOWN);
                if let Target::Outside(name) = placed.target
                    && !name.is_empty()
                {
                    self.call(Callee::Named(name.to_owned()), true);
                }
            }
            Verb::Goto => match placed.target {
                _ if placed.instruction.is_indirect => {
                    let value = self.value(placed, 0, 8, false);
                    // Through a table it is a switch; through a pointer a call.
                    match self.graph.node(self.graph.bare(value)) {
                        Node::Load { address, .. }
                            if !self.is_indexed(address) && !self.is_plain =>
                        {
                            self.call(Callee::Value(value), true);
                            self.returns(code, at);
                        }
                        Node::Initial(_) => {
                            self.call(Callee::Value(value), true);
                            self.returns(code, at);
                        }
                        _ => self.event(Event::Switch(0)),
                    }
                }
                Target::Outside(name) => {
                    let callee = if name.is_empty() {
                        Callee::Unknown
                    } else {
                        Callee::Named(name.to_owned())
                    };
                    self.call(callee, true);
                    self.returns(code, at);
                }
                Target::Inside(_) | Target::None => {}
            },
            Verb::Call => {
                if skip_call {
                    return;
                }
                let callee = match placed.target {
                    Target::Inside(0) => Callee::Itself,
                    Target::Outside(name) if !name.is_empty() => {
                        if name.starts_with("__stack_chk_fail")
                            || name.starts_with("_Unwind_Resume")
                        {
                            return;
                        }
                        Callee::Named(name.to_owned())
                    }
                    _ if placed.instruction.is_indirect => {
                        let value = self.value(placed, 0, 8, false);
                        Callee::Value(value)
                    }
                    _ => Callee::Unknown,
                };
                self.call(callee, false);
            }
            Verb::Return => self.returns(code, at),
            Verb::Stop => self.event(Event::Stop),
            Verb::Push => {
                let value = match operands.first() {
                    // A register that is saved is not used yet.
                    Some(Operand::Register(register)) => {
                        let location = Location::Register(register.number);
                        self.graph.read(self.block, location)
                    }
                    _ => self.value(placed, 0, 8, false),
                };
                self.move_stack(-8);
                let stack = self.graph.read(self.block, RSP);
                if let Node::Frame(at) = self.graph.node(stack) {
                    self.graph.write(self.block, Location::Slot(at), value);
                }
            }
            Verb::Pop => {
                let stack = self.graph.read(self.block, RSP);
                let value = match self.graph.node(stack) {
                    Node::Frame(at) => self.graph.read(self.block, Location::Slot(at)),
                    _ => Graph::UNKNOWN,
                };
                if let Some(Operand::Register(register)) = operands.first() {
                    self.graph
                        .write(self.block, Location::Register(register.number), value);
                }
                self.move_stack(8);
            }
            Verb::Leave => {
                let base = self.graph.read(self.block, RBP);
                self.graph.write(self.block, RSP, base);
                self.move_stack(8);
            }
            Verb::Exchange => {
                let one = self.value(placed, 0, bytes, false);
                let other = self.value(placed, last, bytes, false);
                self.assign(placed, 0, other, bytes);
                self.assign(placed, last, one, bytes);
            }
            Verb::StringMove(_) => {
                let address = self.graph.read(self.block, Location::Register(7));
                let value = self.graph.read(self.block, Location::Register(6));
                self.event(Event::Many {
                    address,
                    value,
                    is_copy: true,
                });
            }
            Verb::StringStore(_) => {
                let address = self.graph.read(self.block, Location::Register(7));
                let value = self.graph.read(self.block, RAX);
                self.event(Event::Many {
                    address,
                    value,
                    is_copy: false,
                });
            }
            Verb::StringScan(_) => {
                let id = self.graph.read(self.block, Location::Register(7));
                let id = self.graph.add(Node::Load {
                    address: id,
                    bytes: 1,
                    is_float: false,
                });
                self.event(Event::Load(id));
                self.graph
                    .write(self.block, Location::Register(1), Graph::UNKNOWN);
            }
            Verb::FloatMove(size) => self.float_move(placed, size),
            Verb::Float(op, size) => {
                let (left, right) = match operands.len() {
                    1 => return,
                    2 => (last, 0),
                    _ => (1, 0),
                };
                let right = self.value(placed, right, size, true);
                self.float_read(right, size);
                let id = if matches!(op, Op::Root | Op::Round) {
                    self.graph.unary(op, right, size)
                } else {
                    let left = self.value(placed, left, size, true);
                    self.float_read(left, size);
                    self.graph.binary(op, left, right, size)
                };
                self.work(id);
                self.assign(placed, last, id, size);
                if self.vector.0 == self.at {
                    self.vector.1 = size;
                }
            }
            Verb::FloatCompare(size) => {
                let right = self.value(placed, 0, size, true);
                let left = self.value(placed, last, size, true);
                self.flags = Some(Flags {
                    left,
                    right,
                    bytes: size,
                    is_float: true,
                });
            }
            Verb::FloatLogic(op) => {
                if same(0, last) && op == Op::Xor {
                    let zero = self.graph.constant(0);
                    self.assign(placed, last, zero, 8);
                    return;
                }
                let right = self.value(placed, 0, 16, true);
                let left = self.value(placed, last, 8, true);
                let is_mask = |graph: &Graph, id: Id| matches!(graph.node(id), Node::Load { address, .. } if matches!(graph.node(address), Node::Address(..)));
                let id = match op {
                    Op::And if is_mask(&self.graph, right) => {
                        self.graph.unary(Op::Magnitude, left, 8)
                    }
                    Op::And if is_mask(&self.graph, left) => {
                        self.graph.unary(Op::Magnitude, right, 8)
                    }
                    Op::Xor if is_mask(&self.graph, right) => {
                        self.graph.unary(Op::FloatNegate, left, 8)
                    }
                    Op::Xor if is_mask(&self.graph, left) => {
                        self.graph.unary(Op::FloatNegate, right, 8)
                    }
                    _ => self.graph.binary(op, left, right, 8),
                };
                self.work(id);
                self.assign(placed, last, id, 8);
            }
            Verb::FromInteger(size) => {
                let value = self.value(placed, 0, bytes.max(4), false);
                let id = self.graph.unary(Op::ToFloat, value, size);
                self.work(id);
                self.assign(placed, last, id, size);
                if self.vector.0 == self.at {
                    self.vector.1 = size;
                }
            }
            Verb::ToInteger => {
                let size = if placed.instruction.mnemonic.contains("ss2") {
                    4
                } else {
                    8
                };
                let value = self.value(placed, 0, size, true);
                let id = self.graph.unary(Op::ToInteger, value, bytes);
                self.work(id);
                self.assign(placed, last, id, bytes);
            }
            Verb::ToPrecision(size) => {
                let value = self.value(placed, 0, 12 - size, true);
                let id = self.graph.unary(Op::Precision, value, size);
                self.work(id);
                self.assign(placed, last, id, size);
                if self.vector.0 == self.at {
                    self.vector.1 = size;
                }
            }
            Verb::OldFloat => {
                let is_load = placed.instruction.mnemonic.starts_with("fld");
                if is_load && let Some(Operand::Memory(_)) = operands.first() {
                    let id = self.value(placed, 0, 10, true);
                    if let Node::Initial(Location::Slot(_)) = self.graph.node(id) {
                        let id = self.graph.unary(Op::Precision, id, 8);
                        self.work(id);
                    }
                }
                self.vector = (self.at, 10);
            }
            Verb::Packed | Verb::Other => {
                if !operands.is_empty() {
                    let value = self.value(placed, 0, bytes, placed.verb == Verb::Packed);
                    let kept = if placed.verb == Verb::Packed {
                        value
                    } else {
                        Graph::UNKNOWN
                    };
                    self.assign(placed, last, kept, bytes);
                }
                self.flags = None;
            }
        }
    }

    /// A parameter that is worked with where it came in.
    fn float_read(&mut self, id: Id, size: u8) {
        if let Node::Initial(of @ Location::Vector(_)) = self.graph.node(self.graph.bare(id))
            && size < 16
        {
            self.widths.entry(of).or_insert(size);
        }
    }

    fn float_move(&mut self, placed: &Placed<'a>, size: u8) {
        let operands = &placed.instruction.operands;
        let last = operands.len().saturating_sub(1);
        let any_general = operands.iter().any(
            |operand| matches!(operand, Operand::Register(register) if register.kind == Kind::General),
        );
        let mut id = self.value(placed, 0, size, true);
        if any_general && let Node::Constant(bits) = self.graph.node(id) {
            let number = if size == 4 {
                f64::from(f32::from_bits(bits as u32))
            } else {
                f64::from_bits(bits.cast_unsigned())
            };
            id = self.graph.add(Node::Float(number.to_bits()));
        }
        if let Node::Initial(Location::Vector(_)) = self.graph.node(id)
            && size < 16
            && let Node::Initial(of) = self.graph.node(id)
        {
            self.widths.entry(of).or_insert(size);
        }
        self.assign(placed, last, id, size);
        if self.vector.0 == self.at {
            self.vector.1 = if size == 16 { 8 } else { size };
        }
    }
}
