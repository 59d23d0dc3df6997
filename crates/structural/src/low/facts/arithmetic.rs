//! Operations that compilers take apart, put together again: products, quotients and remainders by constants.

use super::{Concept, Event, Id, Node, Op, Reader};

impl Reader<'_> {
    /// Operations that compilers take apart, put together again: from the last to the first, the whole before its parts.
    pub(super) fn recognize(&mut self) {
        let trace = self.trace;
        for (_, event) in trace.events.iter().rev() {
            let Event::Work(id) = event else {
                continue;
            };
            let id = self.graph.resolve(*id);
            if self.consumed.get(id) == Some(&true) || self.meant.contains_key(&id) {
                continue;
            }
            if let Some((_, divisor)) = self.remainder(id) {
                self.meant.insert(id, (Concept::Remainder, Some(divisor)));
                self.eat(id, 0);
            } else if let Some((_, divisor)) = self.quotient(id) {
                self.meant.insert(id, (Concept::Divide, Some(divisor)));
                self.eat(id, 0);
            } else if let Some((_, factor)) = self.multiple(id, 0)
                && (factor.count_ones() > 1
                    || !matches!(self.graph.node(id), Node::Binary(Op::ShiftLeft, ..)))
                && factor != 1
                && factor != -1
            {
                self.meant.insert(id, (Concept::Multiply, Some(factor)));
                self.eat(id, 0);
            }
        }
    }

    /// Marks the parts of a recognized operation.
    fn eat(&mut self, id: Id, depth: usize) {
        let id = self.graph.bare(id);
        if depth > 10 {
            return;
        }
        let (left, right) = match self.graph.node(id) {
            Node::Binary(_, left, right, _) => (left, Some(right)),
            Node::Unary(_, value, _) => (value, None),
            _ => return,
        };
        for part in [Some(left), right].into_iter().flatten() {
            let part = self.graph.bare(part);
            let is_part = match self.graph.node(part) {
                Node::Binary(op, _, right, _) => match op {
                    Op::ShiftLeft | Op::ShiftRight | Op::ShiftSign => {
                        self.graph.number(right).is_some()
                    }
                    Op::Multiply | Op::High | Op::Add | Op::Subtract | Op::And => true,
                    _ => false,
                },
                _ => false,
            };
            if is_part && self.consumed.get(part) == Some(&false) {
                let is_inner = self.quotient(part).is_some()
                    || self
                        .multiple(part, 0)
                        .is_some_and(|(_, factor)| factor != 1)
                    || matches!(
                        self.graph.node(part),
                        Node::Binary(Op::ShiftSign | Op::ShiftRight | Op::High, ..)
                    )
                    || matches!(self.graph.node(part), Node::Binary(Op::Multiply | Op::Add | Op::And, left, right, _)
                        if self.graph.number(right).is_some_and(|it| it.unsigned_abs() > 1 << 28)
                            || self.is_sign(left) || self.is_sign(right));
                if is_inner {
                    if let Some(place) = self.consumed.get_mut(part) {
                        *place = true;
                    }
                    self.eat(part, depth + 1);
                }
            }
        }
    }

    /// A value times a constant, made of shifts and additions.
    pub(super) fn multiple(&self, id: Id, depth: usize) -> Option<(Id, i64)> {
        let id = self.graph.bare(id);
        if depth > 8 {
            return None;
        }
        let part = |id: Id| {
            self.multiple(id, depth + 1)
                .unwrap_or((self.graph.bare(id), 1))
        };
        match self.graph.node(id) {
            Node::Binary(Op::Add, left, right, _)
                if self.graph.number(right).is_none() && self.graph.number(left).is_none() =>
            {
                let (one, by) = part(left);
                let (other, and) = part(right);
                (one == other).then_some((one, by.wrapping_add(and)))
            }
            Node::Binary(Op::Subtract, left, right, _) if self.graph.number(right).is_none() => {
                let (one, by) = part(left);
                let (other, and) = part(right);
                (one == other && by > and).then_some((one, by.wrapping_sub(and)))
            }
            Node::Binary(Op::Multiply, left, right, _) => {
                let (of, by) = self.graph.with_number(left, right)?;
                let (of, and) = part(of);
                Some((of, by.wrapping_mul(and)))
            }
            Node::Binary(Op::ShiftLeft, left, right, _) => {
                let by = self.graph.number(right).filter(|by| (0..32).contains(by))?;
                let (of, and) = part(left);
                Some((of, and.wrapping_mul(1 << by)))
            }
            _ => None,
        }
    }

    /// Returns `true` if a value is the sign of another: all bits, or one.
    fn is_sign(&self, id: Id) -> bool {
        matches!(self.graph.node(self.graph.bare(id)), Node::Binary(Op::ShiftSign | Op::ShiftRight, _, right, _)
            if matches!(self.graph.number(right), Some(31 | 63 | 15)))
            || matches!(self.graph.node(self.graph.bare(id)), Node::Binary(Op::ShiftRight, left, ..)
                if matches!(self.graph.node(self.graph.bare(left)), Node::Binary(Op::ShiftSign, _, right, _)
                    if matches!(self.graph.number(right), Some(31 | 63 | 15))))
    }

    /// A quotient by a constant: a product with its inverse, or shifts that round towards zero.
    fn quotient(&self, id: Id) -> Option<(Id, i64)> {
        let id = self.graph.bare(id);
        match self.graph.node(id) {
            Node::Binary(Op::Subtract, left, right, _) if self.is_sign(right) => {
                self.quotient_of_product(left)
            }
            Node::Binary(Op::ShiftSign, left, right, _) => {
                let by = self.graph.number(right).filter(|by| (1..31).contains(by))?;
                match self.graph.node(self.graph.bare(left)) {
                    Node::Binary(Op::Add, one, other, _)
                        if self.is_sign(one) || self.is_sign(other) =>
                    {
                        Some((if self.is_sign(one) { other } else { one }, 1 << by))
                    }
                    _ => None,
                }
            }
            Node::Binary(Op::ShiftRight, ..) => self.quotient_of_product(id),
            _ => None,
        }
    }

    fn quotient_of_product(&self, id: Id) -> Option<(Id, i64)> {
        let mut id = self.graph.bare(id);
        let mut shift = 0_i64;
        for _ in 0..6 {
            match self.graph.node(id) {
                Node::Binary(Op::ShiftRight | Op::ShiftSign, left, right, _) => {
                    shift += self.graph.number(right).filter(|by| (0..64).contains(by))?;
                    id = self.graph.bare(left);
                }
                // The inverse did not fit: its highest bit is added.
                Node::Binary(Op::Add, left, right, _) => {
                    let is_product = |id: Id| {
                        matches!(
                            self.graph.node(self.graph.bare(id)),
                            Node::Binary(Op::ShiftRight | Op::ShiftSign | Op::High, ..)
                        )
                    };
                    id = self.graph.bare(if is_product(left) {
                        left
                    } else if is_product(right) {
                        right
                    } else {
                        return None;
                    });
                }
                Node::Binary(op @ (Op::Multiply | Op::High), left, right, _) => {
                    let (of, by) = self.graph.with_number(left, right)?;
                    let magnitude = if by < 0 {
                        // The sign bit belongs to the inverse.
                        if op == Op::High {
                            (by.cast_unsigned()) as f64
                        } else {
                            (by as i32).cast_unsigned().into()
                        }
                    } else {
                        by as f64
                    };
                    if magnitude < 65536.0 {
                        return None;
                    }
                    let total = shift + if op == Op::High { 64 } else { 0 };
                    let divisor = 2_f64.powi(i32::try_from(total).ok()?) / magnitude;
                    let rounded = divisor.round();
                    return ((3.0..4e9).contains(&rounded)
                        && (divisor - rounded).abs() < rounded * 1e-3)
                        .then_some((self.graph.bare(of), rounded as i64));
                }
                _ => return None,
            }
        }
        None
    }

    /// A remainder by a constant.
    fn remainder(&self, id: Id) -> Option<(Id, i64)> {
        let id = self.graph.bare(id);
        let Node::Binary(Op::Subtract, left, right, _) = self.graph.node(id) else {
            return None;
        };
        // x - (x / d) * d
        if let Some((of, factor)) = self.multiple(right, 0)
            && let Some((_, divisor)) = self.quotient(of)
            && divisor == factor
        {
            return Some((left, divisor));
        }
        // ((x + s) & m) - s
        if let Node::Binary(Op::And, sum, mask, _) = self.graph.node(self.graph.bare(left))
            && let Some(mask) = self.graph.number(mask)
            && self.is_sign(right)
            && matches!(
                self.graph.node(self.graph.bare(sum)),
                Node::Binary(Op::Add, ..)
            )
        {
            return Some((sum, mask.wrapping_add(1)));
        }
        None
    }
}
