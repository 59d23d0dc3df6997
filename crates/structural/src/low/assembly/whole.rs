//! Computes with whole numbers, and sets and reads flags.

use super::super::graph::{Condition, Graph, Id, Node, Op};
use super::super::instruction::Operand;
use super::super::layout::Placed;
use super::super::trace::Event;
use super::{Flags, Machine, RAX, RDX};

impl<'a> Machine<'a> {
    pub(super) fn compared(&mut self, left: Id, right: Id, bytes: u8) {
        self.flags = Some(Flags {
            left,
            right,
            bytes,
            is_float: false,
        });
    }

    pub(super) fn compared_with_zero(&mut self, id: Id, bytes: u8) {
        let zero = self.graph.constant(0);
        self.compared(id, zero, bytes);
    }

    pub(super) fn binary(&mut self, placed: &Placed<'a>, op: Op, bytes: u8) {
        if placed.instruction.is_of_segment() {
            self.is_guard = true;
            self.flags = None;
            return;
        }
        if op == Op::Xor && placed.instruction.is_on_itself() {
            let zero = self.graph.constant(0);
            self.result(placed, zero, bytes);
            self.flags = None;
            return;
        }
        let (left, right) = match placed.instruction.operands.len() {
            // A shift by one.
            1 => (self.first(placed, bytes), self.graph.constant(1)),
            3 => (
                self.value(placed, 1, bytes, false),
                self.first(placed, bytes),
            ),
            _ => {
                let right = self.first(placed, bytes);
                (self.last(placed, bytes), right)
            }
        };
        let id = self.graph.binary(op, left, right, bytes);
        if !placed.instruction.changes_stack() {
            self.work(id);
        }
        self.result(placed, id, bytes);
        if op == Op::Subtract {
            self.compared(left, right, bytes);
        } else {
            self.compared_with_zero(id, bytes);
        }
    }

    /// Adds or subtracts with the carry.
    pub(super) fn carry(&mut self, placed: &Placed<'a>, op: Op, bytes: u8) {
        let right = self.first(placed, bytes);
        let left = self.last(placed, bytes);
        let id = match self.flags {
            _ if !placed.instruction.is_on_itself() => self.graph.binary(op, left, right, bytes),
            // All bits are the carry.
            Some(flags) => {
                self.test(Condition::Below, false, false);
                let carry = self.holds(Condition::Below, flags);
                self.graph.unary(Op::Negate, carry, bytes)
            }
            None => Graph::UNKNOWN,
        };
        self.result(placed, id, bytes);
        self.flags = None;
    }

    /// 1 where the flags meet a condition, else 0.
    fn holds(&mut self, condition: Condition, flags: Flags) -> Id {
        self.graph
            .add(Node::Compare(condition, flags.left, flags.right))
    }

    pub(super) fn unary(&mut self, placed: &Placed<'a>, op: Op, bytes: u8) {
        let value = self.last(placed, bytes);
        let id = self.graph.unary(op, value, bytes);
        self.made(placed, id, bytes);
        self.flags = None;
        if op == Op::Negate {
            self.compared_with_zero(value, bytes);
        }
    }

    pub(super) fn compare(&mut self, placed: &Placed<'a>, bytes: u8) {
        let right = self.first(placed, bytes);
        let left = self.last(placed, bytes);
        self.is_guard = placed.instruction.is_of_segment();
        self.flags = None;
        if !self.is_guard {
            self.compared(left, right, bytes);
        }
    }

    /// Compares the bits that two operands have in common with zero.
    pub(super) fn test_bits(&mut self, placed: &Placed<'a>, bytes: u8) {
        let right = self.first(placed, bytes);
        let left = self.last(placed, bytes);
        let id = if self.graph.resolve(left) == self.graph.resolve(right) {
            left
        } else {
            let id = self.graph.binary(Op::And, left, right, bytes);
            self.work(id)
        };
        self.compared_with_zero(id, bytes);
    }

    /// Tests a bit, or changes it.
    pub(super) fn bit(&mut self, placed: &Placed<'a>, op: Option<Op>, bytes: u8) {
        let at = self.first(placed, bytes);
        let value = self.last(placed, bytes);
        let one = self.graph.constant(1);
        let mask = self.graph.binary(Op::ShiftLeft, one, at, bytes);
        let id = self.graph.binary(op.unwrap_or(Op::And), value, mask, bytes);
        self.work(id);
        if op.is_some() {
            self.result(placed, id, bytes);
        }
        self.compared_with_zero(id, bytes);
    }

    pub(super) fn multiply(&mut self, placed: &Placed<'a>, bytes: u8) {
        self.flags = None;
        if placed.instruction.operands.len() > 1 {
            let left = self.first(placed, bytes);
            let right = self.value(placed, 1, bytes, false);
            let id = self.graph.binary(Op::Multiply, right, left, bytes);
            self.made(placed, id, bytes);
            return;
        }
        let left = self.read(RAX);
        let right = self.first(placed, bytes);
        let low = self.graph.binary(Op::Multiply, left, right, bytes);
        let high = self.graph.binary(Op::High, left, right, bytes);
        self.work(low);
        self.in_two(low, high, bytes);
    }

    pub(super) fn divide(&mut self, placed: &Placed<'a>, is_signed: bool, bytes: u8) {
        let left = self.read(RAX);
        let right = self.first(placed, bytes);
        let (quotient, rest) = if is_signed {
            (Op::Divide, Op::Remainder)
        } else {
            (Op::DivideUnsigned, Op::RemainderUnsigned)
        };
        let quotient = self.graph.binary(quotient, left, right, bytes);
        let rest = self.graph.binary(rest, left, right, bytes);
        // The use shows which of them is meant.
        self.event(Event::Work(quotient));
        self.event(Event::Work(rest));
        self.in_two(quotient, rest, bytes);
        self.flags = None;
    }

    /// A result in two registers.
    fn in_two(&mut self, low: Id, high: Id, bytes: u8) {
        self.write(RAX, low);
        self.write(RDX, high);
        self.whole = (self.at, bytes);
    }

    pub(super) fn extend(&mut self, placed: &Placed<'a>, from: u8, is_signed: bool, bytes: u8) {
        let from = match placed.instruction.operands.first() {
            _ if from > 0 => from,
            Some(Operand::Register(register)) => register.bytes,
            Some(Operand::Memory(memory)) if memory.bytes > 0 => memory.bytes,
            _ => 4,
        };
        let value = self.first(placed, from);
        let op = if is_signed { Op::Signed } else { Op::Unsigned };
        let id = self.graph.unary(op, value, from);
        self.result(placed, id, bytes.max(4));
    }

    pub(super) fn set_by(&mut self, placed: &Placed<'a>, condition: Condition) {
        let id = match self.flags {
            Some(flags) => self.holds(condition, flags),
            None => Graph::UNKNOWN,
        };
        self.test(condition, false, false);
        self.result(placed, id, 1);
    }

    pub(super) fn select(&mut self, placed: &Placed<'a>, condition: Condition, bytes: u8) {
        let one = self.first(placed, bytes);
        let other = self.last(placed, bytes);
        if let Some(flags) = self.flags {
            self.event(Event::Select {
                values: [one, other],
                compared: [flags.left, flags.right],
                condition,
            });
        }
        self.test(condition, false, false);
        // Either; the condition stays known as an event.
        let id = self.graph.either(one, other);
        self.result(placed, id, bytes);
    }
}
