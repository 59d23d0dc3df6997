//! Operations on numbers: `i32.add`, `f64.load`.

use super::super::graph::{Condition, Id, Location, Node, Op};
use super::super::trace::Event;
use super::Machine;
use super::text::Instruction;

/// The type that an operation begins with.
#[derive(Clone, Copy)]
struct Number {
    bytes: u8,
    is_float: bool,
}

impl Number {
    fn of(name: &str) -> Option<Self> {
        let (bytes, is_float) = match name {
            "i32" => (4, false),
            "i64" => (8, false),
            "f32" => (4, true),
            "f64" => (8, true),
            _ => return None,
        };
        Some(Number { bytes, is_float })
    }

    /// An operation on one number, with the width that it is about.
    fn unary(self, operation: &str) -> Option<(Op, u8)> {
        let bytes = self.bytes;
        Some(match (self.is_float, operation) {
            (false, "clz" | "ctz" | "popcnt") => (Op::CountBits, bytes),
            (false, "wrap_i64") => (Op::Narrow, 4),
            (false, "extend_i32_s" | "extend32_s") => (Op::Signed, 4),
            (false, "extend_i32_u") => (Op::Unsigned, 4),
            (false, "extend8_s") => (Op::Signed, 1),
            (false, "extend16_s") => (Op::Signed, 2),
            (false, other) if other.starts_with("trunc") => (Op::ToInteger, bytes),
            (true, "abs") => (Op::Magnitude, bytes),
            (true, "neg") => (Op::FloatNegate, bytes),
            (true, "sqrt") => (Op::Root, bytes),
            (true, "floor" | "ceil" | "trunc" | "nearest") => (Op::Round, bytes),
            (true, "demote_f64" | "promote_f32") => (Op::Precision, bytes),
            (true, other) if other.starts_with("convert") => (Op::ToFloat, bytes),
            (_, other) if other.starts_with("reinterpret") => (Op::Precision, bytes),
            _ => return None,
        })
    }

    /// An operation on two numbers.
    fn binary(self, stem: &str, is_unsigned: bool) -> Option<Op> {
        Some(match (self.is_float, stem) {
            (false, "add") => Op::Add,
            (false, "sub") => Op::Subtract,
            (false, "mul") => Op::Multiply,
            (false, "div") if is_unsigned => Op::DivideUnsigned,
            (false, "div") => Op::Divide,
            (false, "rem") if is_unsigned => Op::RemainderUnsigned,
            (false, "rem") => Op::Remainder,
            (false, "and") => Op::And,
            (false, "or") => Op::Or,
            (false, "xor") => Op::Xor,
            (false, "shl") => Op::ShiftLeft,
            (false, "shr") if is_unsigned => Op::ShiftRight,
            (false, "shr") => Op::ShiftSign,
            (false, "rotl" | "rotr") => Op::Rotate,
            (true, "add") => Op::FloatAdd,
            (true, "sub") => Op::FloatSubtract,
            (true, "mul") => Op::FloatMultiply,
            (true, "div") => Op::FloatDivide,
            (true, "min" | "copysign") => Op::FloatMinimum,
            (true, "max") => Op::FloatMaximum,
            _ => return None,
        })
    }
}

/// A comparison, of numbers with a sign or without.
fn comparison(stem: &str, is_unsigned: bool) -> Option<Condition> {
    let (signed, unsigned) = match stem {
        "eq" => (Condition::Equal, Condition::Equal),
        "ne" => (Condition::NotEqual, Condition::NotEqual),
        "lt" => (Condition::Less, Condition::Below),
        "le" => (Condition::LessEqual, Condition::BelowEqual),
        "gt" => (Condition::Greater, Condition::Above),
        "ge" => (Condition::GreaterEqual, Condition::AboveEqual),
        _ => return None,
    };
    Some(if is_unsigned { unsigned } else { signed })
}

/// Returns the number of bytes that are read or written by `load8_u`, `store16`.
fn narrow(rest: &str, bytes: u8) -> u8 {
    match rest.trim_end_matches("_s").trim_end_matches("_u") {
        "8" => 1,
        "16" => 2,
        "32" => 4,
        _ => bytes,
    }
}

impl<'a> Machine<'a> {
    pub(super) fn operation(&mut self, instruction: &Instruction<'a>) {
        let Some((kind, operation)) = instruction.name.split_once('.') else {
            return;
        };
        let Some(number) = Number::of(kind) else {
            return;
        };
        if let Some(rest) = operation.strip_prefix("load") {
            self.load(instruction, number, rest);
            return;
        }
        if let Some(rest) = operation.strip_prefix("store") {
            self.store(instruction, narrow(rest, number.bytes));
            return;
        }
        let (stem, is_unsigned) = match operation.rsplit_once('_') {
            Some((stem, "u")) => (stem, true),
            Some((stem, "s")) => (stem, false),
            _ => (operation, false),
        };
        if let Some(condition) = comparison(stem, is_unsigned) {
            let right = self.pop();
            let left = self.pop();
            self.compared(condition, left, right);
        } else if operation == "eqz" {
            let left = self.pop();
            let zero = self.graph.constant(0);
            self.compared(Condition::Equal, left, zero);
        } else if let Some((op, bytes)) = number.unary(operation) {
            let value = self.pop();
            let id = self.graph.unary(op, value, bytes);
            if op.is_width() {
                self.push(id);
            } else {
                self.work(id);
            }
        } else if let Some(op) = number.binary(stem, is_unsigned) {
            let right = self.pop();
            let left = self.pop();
            self.binary(op, left, right, number.bytes);
        }
    }

    fn compared(&mut self, condition: Condition, left: Id, right: Id) {
        let id = self.graph.add(Node::Compare(condition, left, right));
        self.push(id);
    }

    fn load(&mut self, instruction: &Instruction<'a>, number: Number, rest: &str) {
        let base = self.pop();
        let address = self.address(instruction, base);
        let bytes = narrow(rest, number.bytes);
        let id = if let Node::Frame(at) = self.graph.node(address) {
            self.graph.read(self.block, Location::Slot(at))
        } else {
            let id = self.graph.add(Node::Load(address, bytes, number.is_float));
            self.event(Event::Load(id));
            id
        };
        let id = match rest.rsplit('_').next() {
            Some("s") => self.graph.unary(Op::Signed, id, bytes),
            Some("u") => self.graph.unary(Op::Unsigned, id, bytes),
            _ => id,
        };
        self.push(id);
    }

    fn store(&mut self, instruction: &Instruction<'a>, bytes: u8) {
        let value = self.pop();
        let base = self.pop();
        let address = self.address(instruction, base);
        let Node::Frame(at) = self.graph.node(address) else {
            self.event(Event::Store {
                address,
                value,
                bytes,
            });
            return;
        };
        if let Node::Initial(Location::Local(number)) = self.graph.node(self.graph.bare(value)) {
            let known = self.widths.entry(number).or_insert(bytes);
            *known = (*known).min(bytes);
        }
        self.graph.write(self.block, Location::Slot(at), value);
    }

    /// The address of an access.
    fn address(&mut self, instruction: &Instruction<'a>, base: Id) -> Id {
        let offset = instruction
            .operands
            .iter()
            .find_map(|operand| super::whole(operand.strip_prefix("offset=")?));
        match offset {
            Some(offset) if offset != 0 => {
                let offset = self.graph.constant(offset);
                self.graph.binary(Op::Add, base, offset, 4)
            }
            _ => base,
        }
    }

    fn binary(&mut self, op: Op, left: Id, right: Id, bytes: u8) {
        if let Some(id) = self.same_otherwise(op, left, right) {
            self.push(id);
            return;
        }
        let (of_left, of_right) = (self.graph.number(left), self.graph.number(right));
        let id = match op {
            // `x ^ -1` is how the complement is written.
            Op::Xor if of_right == Some(-1) && !self.is_truth(left) => {
                self.graph.unary(Op::Not, left, bytes)
            }
            Op::Subtract if of_left == Some(0) => self.graph.unary(Op::Negate, right, bytes),
            _ => self.graph.binary(op, left, right, bytes),
        };
        if matches!(self.graph.node(id), Node::Frame(_) | Node::Address(..)) {
            self.push(id);
        } else {
            self.work(id);
        }
    }

    /// The value that an operation only makes narrower, or leaves as it is.
    fn same_otherwise(&mut self, op: Op, left: Id, right: Id) -> Option<Id> {
        match (op, self.graph.number(right)?) {
            // A byte is widened by shifts to the left and back.
            (Op::ShiftSign, by @ (24 | 16)) => match self.graph.node(left) {
                Node::Binary(Op::ShiftLeft, inner, other, _)
                    if self.graph.number(other) == Some(by) =>
                {
                    let bytes = if by == 24 { 1 } else { 2 };
                    Some(self.graph.unary(Op::Signed, inner, bytes))
                }
                _ => None,
            },
            (Op::And, mask @ (255 | 65535)) if self.is_narrow(left) => {
                let bytes = if mask == 255 { 1 } else { 2 };
                Some(self.graph.unary(Op::Unsigned, left, bytes))
            }
            // A value that already is a truth value stays one.
            (Op::And, 1) if self.is_truth(left) => Some(left),
            _ => None,
        }
    }

    fn is_narrow(&self, id: Id) -> bool {
        matches!(
            self.graph.node(id),
            Node::Unary(Op::Signed | Op::Unsigned, _, 1 | 2)
                | Node::Load(_, 1 | 2, _)
                | Node::Choice(_)
                | Node::Initial(_)
        )
    }
}
