//! Computes with floating-point numbers.

use super::super::graph::{Graph, Id, Location, Node, Op};
use super::super::instruction::{Kind, Operand};
use super::super::layout::Placed;
use super::{Flags, Machine};

impl<'a> Machine<'a> {
    /// Sets the width of the value that was just written to `xmm0`, if there is one.
    fn sized(&mut self, size: u8) {
        if self.vector.0 == self.at {
            self.vector.1 = size;
        }
    }

    /// Writes the last operand with what is made of one value.
    pub(super) fn made_float(&mut self, placed: &Placed<'a>, op: Op, value: Id, size: u8) {
        let id = self.graph.unary(op, value, size);
        self.made(placed, id, size);
        self.sized(size);
    }

    pub(super) fn float_move(&mut self, placed: &Placed<'a>, size: u8) {
        let any_general = placed.instruction.operands.iter().any(
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
        if let Node::Initial(of @ Location::Vector(_)) = self.graph.node(id)
            && size < 16
        {
            self.widths.entry(of).or_insert(size);
        }
        self.result(placed, id, size);
        self.sized(if size == 16 { 8 } else { size });
    }

    pub(super) fn float(&mut self, placed: &Placed<'a>, op: Op, size: u8) {
        if placed.instruction.operands.len() == 1 {
            return;
        }
        let right = self.float_value(placed, 0, size);
        if matches!(op, Op::Root | Op::Round) {
            self.made_float(placed, op, right, size);
            return;
        }
        let left = self.float_value(placed, 1, size);
        let id = self.graph.binary(op, left, right, size);
        self.made(placed, id, size);
        self.sized(size);
    }

    /// An operand that is worked with; a parameter shows how wide it is.
    fn float_value(&mut self, placed: &Placed<'a>, at: usize, size: u8) -> Id {
        let id = self.value(placed, at, size, true);
        if let Node::Initial(of @ Location::Vector(_)) = self.graph.node(self.graph.bare(id))
            && size < 16
        {
            self.widths.entry(of).or_insert(size);
        }
        id
    }

    pub(super) fn float_compare(&mut self, placed: &Placed<'a>, size: u8) {
        let right = self.value(placed, 0, size, true);
        let left = self.value(placed, placed.instruction.last(), size, true);
        self.flags = Some(Flags {
            left,
            right,
            bytes: size,
            is_float: true,
        });
    }

    /// Logic on the bits of numbers: with a constant it removes or changes the sign.
    pub(super) fn float_logic(&mut self, placed: &Placed<'a>, op: Op) {
        if op == Op::Xor && placed.instruction.is_on_itself() {
            let zero = self.graph.constant(0);
            self.result(placed, zero, 8);
            return;
        }
        let right = self.value(placed, 0, 16, true);
        let left = self.value(placed, placed.instruction.last(), 8, true);
        let is_mask = |graph: &Graph, id: Id| matches!(graph.node(id), Node::Load(address, ..) if matches!(graph.node(address), Node::Address(..)));
        let of_sign = match op {
            Op::And => Some(Op::Magnitude),
            Op::Xor => Some(Op::FloatNegate),
            _ => None,
        };
        let id = match of_sign {
            Some(op) if is_mask(&self.graph, right) => self.graph.unary(op, left, 8),
            Some(op) if is_mask(&self.graph, left) => self.graph.unary(op, right, 8),
            _ => self.graph.binary(op, left, right, 8),
        };
        self.made(placed, id, 8);
    }

    pub(super) fn made_integer(&mut self, placed: &Placed<'a>, bytes: u8) {
        let is_single = placed.instruction.mnemonic.contains("ss2");
        let value = self.value(placed, 0, if is_single { 4 } else { 8 }, true);
        let id = self.graph.unary(Op::ToInteger, value, bytes);
        self.made(placed, id, bytes);
    }

    /// The old unit: what it loads from a parameter is a number of it.
    pub(super) fn old_float(&mut self, placed: &Placed<'a>) {
        if placed.instruction.mnemonic.starts_with("fld")
            && let Some(Operand::Memory(_)) = placed.instruction.operands.first()
        {
            let id = self.value(placed, 0, 10, true);
            if let Node::Initial(Location::Slot(_)) = self.graph.node(id) {
                let id = self.graph.unary(Op::Precision, id, 8);
                self.work(id);
            }
        }
        self.vector = (self.at, 10);
    }
}
