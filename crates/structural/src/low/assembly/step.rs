//! One instruction after the other.
//!
//! Here are the verbs and what only moves values; [`whole`](super::whole) computes with whole numbers, [`float`](super::float)
//! with floating-point numbers, and [`branch`](super::branch) goes elsewhere.

use super::super::graph::{Graph, Id, Location, Node, Op};
use super::super::instruction::Operand;
use super::super::layout::Placed;
use super::super::operation::Verb;
use super::super::trace::Event;
use super::{Machine, RAX, RBP, RCX, RDI, RDX, RSI, RSP};

impl<'a> Machine<'a> {
    pub(super) fn step(&mut self, code: &[Placed<'a>], at: usize) {
        let Some(placed) = code.get(at) else {
            return;
        };
        let bytes = Self::width(placed);
        let was_guard = std::mem::take(&mut self.is_guard);
        let skip_call = std::mem::take(&mut self.skip_call);
        match placed.verb {
            Verb::Nothing => {}
            Verb::Move => {
                let id = self.first(placed, bytes);
                self.result(placed, id, bytes);
            }
            Verb::LoadAddress => self.load_address(placed, bytes),
            Verb::Binary(op) => self.binary(placed, op, bytes),
            Verb::Carry(op) => self.carry(placed, op, bytes),
            Verb::Step(by) => {
                let left = self.last(placed, bytes);
                let by = self.graph.constant(by);
                let id = self.graph.binary(Op::Add, left, by, bytes);
                self.made(placed, id, bytes);
                self.compared_with_zero(id, bytes);
            }
            Verb::Unary(op) => self.unary(placed, op, bytes),
            Verb::Made(op) => {
                let value = self.first(placed, bytes);
                let id = self.graph.unary(op, value, bytes);
                self.made(placed, id, bytes);
                self.flags = None;
            }
            Verb::Compare => self.compare(placed, bytes),
            Verb::Test => self.test_bits(placed, bytes),
            Verb::Bit(op) => self.bit(placed, op, bytes),
            Verb::Multiply => self.multiply(placed, bytes),
            Verb::Divide(is_signed) => self.divide(placed, is_signed, bytes),
            Verb::Extend(from, is_signed) => self.extend(placed, from, is_signed, bytes),
            Verb::Widen(to) => {
                let value = self.read(RAX);
                let id = self.graph.unary(Op::Signed, value, to / 2);
                self.write(RAX, id);
                self.whole = (self.at, to);
            }
            Verb::FillSign(to) => {
                let value = self.read(RAX);
                let bits = self.graph.constant(i64::from(to) * 8 - 1);
                let id = self.graph.binary(Op::ShiftSign, value, bits, to);
                self.write(RDX, id);
            }
            Verb::Set(condition) => self.set_by(placed, condition),
            Verb::Select(condition) => self.select(placed, condition, bytes),
            Verb::Jump(_) if was_guard => self.skip_call = true,
            Verb::Jump(condition) => self.jump(placed, condition, at),
            Verb::Goto => self.goto(code, placed, at),
            Verb::Call if skip_call => {}
            Verb::Call => self.call_of(placed),
            Verb::Return => self.returns(code, at),
            Verb::Stop => self.event(Event::Stop),
            Verb::Push => self.put(placed),
            Verb::Pop => self.take(placed),
            Verb::Leave => {
                let base = self.read(RBP);
                self.write(RSP, base);
                self.move_stack(8);
            }
            Verb::Exchange => {
                let one = self.first(placed, bytes);
                let other = self.last(placed, bytes);
                self.assign(placed, 0, other, bytes);
                self.result(placed, one, bytes);
            }
            Verb::StringMove => self.many(RSI, true),
            Verb::StringStore => self.many(RAX, false),
            Verb::StringScan => {
                let address = self.read(RDI);
                let id = self.graph.add(Node::Load(address, 1, false));
                self.event(Event::Load(id));
                self.write(RCX, Graph::UNKNOWN);
            }
            Verb::FloatMove(size) => self.float_move(placed, size),
            Verb::Float(op, size) => self.float(placed, op, size),
            Verb::FloatCompare(size) => self.float_compare(placed, size),
            Verb::FloatLogic(op) => self.float_logic(placed, op),
            Verb::FromInteger(size) => {
                let value = self.value(placed, 0, bytes.max(4), false);
                self.made_float(placed, Op::ToFloat, value, size);
            }
            Verb::ToInteger => self.made_integer(placed, bytes),
            Verb::ToPrecision(size) => {
                let value = self.value(placed, 0, 12 - size, true);
                self.made_float(placed, Op::Precision, value, size);
            }
            Verb::OldFloat => self.old_float(placed),
            Verb::Packed | Verb::Other => self.unknown(placed, bytes),
        }
    }

    pub(super) fn read(&mut self, location: Location) -> Id {
        self.graph.read(self.block, location)
    }

    pub(super) fn write(&mut self, location: Location, id: Id) {
        self.graph.write(self.block, location, id);
    }

    /// The value of the first operand.
    pub(super) fn first(&mut self, placed: &Placed<'a>, bytes: u8) -> Id {
        self.value(placed, 0, bytes, false)
    }

    /// The value of the last operand.
    pub(super) fn last(&mut self, placed: &Placed<'a>, bytes: u8) -> Id {
        self.value(placed, placed.instruction.last(), bytes, false)
    }

    /// Writes the last operand.
    pub(super) fn result(&mut self, placed: &Placed<'a>, id: Id, bytes: u8) {
        self.assign(placed, placed.instruction.last(), id, bytes);
    }

    /// Writes the last operand with what was computed.
    pub(super) fn made(&mut self, placed: &Placed<'a>, id: Id, bytes: u8) {
        self.work(id);
        self.result(placed, id, bytes);
    }

    fn load_address(&mut self, placed: &Placed<'a>, bytes: u8) {
        if let Some(Operand::Memory(memory)) = placed.instruction.operands.first() {
            let address = self.address(memory, placed.instruction.comment);
            self.made(placed, address, bytes);
        }
    }

    /// `push`
    fn put(&mut self, placed: &Placed<'a>) {
        let value = match placed.instruction.operands.first() {
            // A register that is saved is not used yet.
            Some(Operand::Register(register)) => self.read(Location::Register(register.number)),
            _ => self.first(placed, 8),
        };
        self.move_stack(-8);
        let stack = self.read(RSP);
        if let Node::Frame(at) = self.graph.node(stack) {
            self.write(Location::Slot(at), value);
        }
    }

    /// `pop`
    fn take(&mut self, placed: &Placed<'a>) {
        let stack = self.read(RSP);
        let value = match self.graph.node(stack) {
            Node::Frame(at) => self.read(Location::Slot(at)),
            _ => Graph::UNKNOWN,
        };
        if let Some(Operand::Register(register)) = placed.instruction.operands.first() {
            self.write(Location::Register(register.number), value);
        }
        self.move_stack(8);
    }

    /// Fills or copies where `rdi` points.
    fn many(&mut self, from: Location, is_copy: bool) {
        let address = self.read(RDI);
        let value = self.read(from);
        self.event(Event::Many {
            address,
            value,
            is_copy,
        });
    }

    /// Nothing is known of what an instruction computes, but that several numbers stay what they were.
    fn unknown(&mut self, placed: &Placed<'a>, bytes: u8) {
        let is_packed = placed.verb == Verb::Packed;
        if !placed.instruction.operands.is_empty() {
            let value = self.value(placed, 0, bytes, is_packed);
            let kept = if is_packed { value } else { Graph::UNKNOWN };
            self.result(placed, kept, bytes);
        }
        self.flags = None;
    }
}
