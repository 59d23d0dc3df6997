//! What several operations together amount to.

use super::{Concept, Condition, Event, Facts, Id, Literal, Node, Op, Out, Reader};

impl Reader<'_> {
    pub(super) fn idioms(&mut self) {
        self.loops_of_values();
        self.choices_by_comparison();
        self.characters();
        self.exchanges();
        self.shapes();
    }

    /// What is carried from one round of a loop to the next.
    fn loops_of_values(&mut self) {
        let graph = self.graph;
        for id in 0..graph.len() {
            if graph.resolve(id) != id {
                continue;
            }
            let Node::Choice(choice) = graph.node(id) else {
                continue;
            };
            let inputs: Vec<Id> = graph.inputs(choice).to_vec();
            for input in inputs {
                let input = graph.bare(input);
                match graph.node(input) {
                    Node::Binary {
                        op, left, right, ..
                    } if graph.bare(left) == id || graph.bare(right) == id => {
                        let other = graph.bare(if graph.bare(left) == id { right } else { left });
                        let number = graph.number(other);
                        match op {
                            Op::Add | Op::FloatAdd if number.is_none() => {
                                self.once(Concept::Accumulate);
                                if let Node::Binary {
                                    op: Op::Multiply | Op::FloatMultiply,
                                    left,
                                    right,
                                    ..
                                } = graph.node(other)
                                {
                                    let is_element = |id: Id| {
                                        matches!(graph.node(graph.bare(id)), Node::Load { .. })
                                    };
                                    if is_element(left) && is_element(right) {
                                        self.once(Concept::DotProduct);
                                    }
                                }
                            }
                            Op::Xor if self.facts.loops > 0 => self.once(Concept::BitXor),
                            Op::And if matches!(graph.node(other), Node::Binary { left, .. } if graph.bare(left) == id) =>
                            {
                                self.once(Concept::CountBits);
                            }
                            _ => {}
                        }
                    }
                    Node::Load { address, .. } => {
                        let origin = self.origin(address);
                        if origin.root == id && origin.index.is_none() && !self.is_byte(input) {
                            self.once(Concept::LinkedList);
                        }
                    }
                    _ => {}
                }
                if self.is_hash(input, id) {
                    self.once(Concept::Hash);
                }
                if self.is_digits(input, id) {
                    self.once(Concept::ParseDigits);
                }
            }
        }
        // Euclid: a remainder goes round, and not by a constant.
        if self.facts.loops > 0 {
            let has = |concept| self.facts.concepts.contains(&concept);
            if has(Concept::Remainder)
                && self.facts.stores == 0
                && self.facts.calls == 0
                && !self
                    .facts
                    .literals
                    .iter()
                    .any(|it| matches!(it, Literal::Whole(n) if *n > 1))
            {
                self.once(Concept::GreatestDivisor);
            }
        }
    }

    /// Whether a value is made of its last one by a product and a byte.
    fn is_hash(&self, input: Id, id: Id) -> bool {
        let graph = self.graph;
        let Node::Binary {
            op: Op::Add | Op::Xor | Op::Multiply,
            left,
            right,
            ..
        } = graph.node(input)
        else {
            return false;
        };
        let mixes = |side: Id| {
            let side = graph.bare(side);
            if let Some((of, factor)) = self.multiple(side, 0)
                && factor > 2
                && factor != 10
                && factor != 16
            {
                return of == id
                    || matches!(graph.node(of), Node::Binary { op: Op::Xor | Op::Add, left, .. } if graph.bare(left) == id);
            }
            // (h << 5) + h, h ^ (h >> 3)
            matches!(graph.node(side), Node::Binary { op: Op::Xor | Op::Add, left, right, .. }
                if (graph.bare(left) == id || graph.bare(right) == id)
                    && [left, right].iter().any(|it| matches!(graph.node(graph.bare(*it)),
                        Node::Binary { op: Op::ShiftLeft | Op::ShiftRight, left, .. } if graph.bare(left) == id)))
        };
        mixes(left) || mixes(right) || mixes(input)
    }

    /// Whether a value is ten times its last one and a digit.
    fn is_digits(&self, input: Id, id: Id) -> bool {
        let graph = self.graph;
        let mut sides = vec![input];
        for _ in 0..2 {
            let mut next = Vec::new();
            for side in &sides {
                if let Node::Binary {
                    op: Op::Add | Op::Subtract,
                    left,
                    right,
                    ..
                } = graph.node(graph.bare(*side))
                {
                    next.extend([left, right]);
                }
            }
            sides.extend(next);
        }
        sides
            .iter()
            .any(|side| self.multiple(*side, 0) == Some((id, 10)))
    }

    /// The smaller, the larger, the magnitude, an order.
    fn choices_by_comparison(&mut self) {
        let graph = self.graph;
        let trace = self.trace;
        let mut compared: Vec<(Id, Id, Condition, bool)> = Vec::new();
        for (_, event) in &trace.events {
            match event {
                Event::Test {
                    condition,
                    left,
                    right,
                    is_back,
                    ..
                } => {
                    compared.push((graph.bare(*left), graph.bare(*right), *condition, *is_back));
                }
                Event::Select {
                    values,
                    compared: [left, right],
                    condition,
                } => {
                    let (one, other) = (graph.bare(values[0]), graph.bare(values[1]));
                    let (left, right) = (graph.bare(*left), graph.bare(*right));
                    let is_less = matches!(
                        condition,
                        Condition::Less
                            | Condition::LessEqual
                            | Condition::Below
                            | Condition::BelowEqual
                    );
                    let is_greater = matches!(
                        condition,
                        Condition::Greater
                            | Condition::GreaterEqual
                            | Condition::Above
                            | Condition::AboveEqual
                    );
                    if (one, other) == (left, right) && (is_less || is_greater) {
                        self.once(if is_less {
                            Concept::Minimum
                        } else {
                            Concept::Maximum
                        });
                    } else if (other, one) == (left, right) && (is_less || is_greater) {
                        self.once(if is_less {
                            Concept::Maximum
                        } else {
                            Concept::Minimum
                        });
                    }
                    let negated = |value: Id, of: Id| matches!(graph.node(value), Node::Unary { op: Op::Negate, value, .. } if graph.bare(value) == of);
                    if negated(one, other) || negated(other, one) {
                        self.once(Concept::Absolute);
                    }
                }
                _ => {}
            }
        }
        let mut bounds = 0;
        for id in 0..graph.len().min(4096) {
            if graph.resolve(id) != id {
                continue;
            }
            let Node::Choice(choice) = graph.node(id) else {
                continue;
            };
            let mut inputs: Vec<Id> = graph
                .inputs(choice)
                .iter()
                .map(|input| graph.bare(*input))
                .collect();
            inputs.sort_unstable();
            inputs.dedup();
            let &[one, other] = inputs.as_slice() else {
                continue;
            };
            for &(left, right, condition, is_back) in compared.iter().take(64) {
                let is_pair = (self.is_alike(left, one) && self.is_alike(right, other))
                    || (self.is_alike(left, other) && self.is_alike(right, one));
                let is_order = !matches!(condition, Condition::Equal | Condition::NotEqual);
                if is_pair && is_order && !is_back {
                    bounds += 1;
                    let constant = graph.number(one).is_some() || graph.number(other).is_some();
                    self.once(Concept::Minimum);
                    if !constant || bounds > 1 {
                        self.once(Concept::Maximum);
                    }
                }
            }
            let negated = |value: Id, of: Id| matches!(graph.node(value), Node::Unary { op: Op::Negate | Op::FloatNegate, value, .. } if self.is_alike(graph.bare(value), of));
            if negated(one, other) || negated(other, one) {
                self.once(Concept::Absolute);
            }
        }
        if bounds > 1 {
            self.once(Concept::Clamp);
        }
        let has = |facts: &Facts, concept| facts.concepts.contains(&concept);
        if has(&self.facts, Concept::ReturnsMinusOne)
            && has(&self.facts, Concept::ReturnsOne)
            && (has(&self.facts, Concept::ReturnsZero)
                || has(&self.facts, Concept::ReturnsComparison))
        {
            self.once(Concept::ThreeWay);
        }
    }

    /// Whether two values are read from the same place in the same way.
    fn is_alike(&self, one: Id, other: Id) -> bool {
        let graph = self.graph;
        let (one, other) = (graph.bare(one), graph.bare(other));
        if one == other {
            return true;
        }
        match (graph.node(one), graph.node(other)) {
            (
                Node::Load {
                    address: a,
                    bytes: x,
                    ..
                },
                Node::Load {
                    address: b,
                    bytes: y,
                    ..
                },
            ) => x == y && self.is_same_address(a, b, 0),
            _ => false,
        }
    }

    fn is_same_address(&self, one: Id, other: Id, depth: usize) -> bool {
        let graph = self.graph;
        let (one, other) = (graph.bare(one), graph.bare(other));
        if one == other {
            return true;
        }
        if depth > 6 {
            return false;
        }
        match (graph.node(one), graph.node(other)) {
            (
                Node::Binary {
                    op: p,
                    left: a,
                    right: b,
                    ..
                },
                Node::Binary {
                    op: q,
                    left: c,
                    right: d,
                    ..
                },
            ) => {
                p == q
                    && self.is_same_address(a, c, depth + 1)
                    && self.is_same_address(b, d, depth + 1)
            }
            (Node::Load { address: a, .. }, Node::Load { address: b, .. }) => {
                self.is_same_address(a, b, depth + 1)
            }
            (Node::Address(a, x), Node::Address(b, y)) => a == b && x == y && a != 0,
            _ => false,
        }
    }

    /// What characters and masks are compared with.
    fn characters(&mut self) {
        let has = |facts: &Facts, c: char| facts.literals.contains(&Literal::Character(c));
        let number = |facts: &Facts, n: i64| facts.literals.contains(&Literal::Whole(n));
        let facts = &self.facts;
        // A compiler writes `c >= 'a'` as `c > '`'`, and `c <= 'z'` as `c < '{'`.
        let is_range = |first: char, last: char| {
            let code = |c: char| i64::from(u32::from(c));
            let any = |places: [i64; 2]| {
                facts.literals.iter().any(|literal| match literal {
                    Literal::Character(c) => places.contains(&code(*c)),
                    Literal::Whole(n) => places.contains(n),
                    Literal::Float(_) => false,
                })
            };
            any([code(first), code(first) - 1]) && any([code(last), code(last) + 1])
        };
        let is_letter = is_range('a', 'z')
            || is_range('A', 'Z')
            || is_range('a', 'f')
            || number(facts, 97) && (number(facts, 122) || number(facts, 25))
            || number(facts, 65) && (number(facts, 90) || number(facts, 25));
        let is_digit =
            is_range('0', '9') || number(facts, 48) && (number(facts, 57) || number(facts, 9));
        let is_blank = has(facts, ' ') && (has(facts, '\t') || has(facts, '\n'));
        let is_hex = (is_digit || has(facts, '0'))
            && (has(facts, 'f') || has(facts, 'F') || number(facts, 87) || number(facts, 55));
        let is_case = is_letter && (number(facts, 32) || number(facts, -33) || number(facts, 223));
        let is_hash = [
            0x1505,
            5381,
            0x811c_9dc5,
            -2_128_831_035,
            16_777_619,
            0x0100_0193,
            65599,
            0x9e37_79b9,
            -1_640_531_527,
            0x5bd1_e995,
            1_540_483_477,
        ]
        .iter()
        .any(|it| number(facts, *it));
        let is_random = [
            1_103_515_245,
            12345,
            1_664_525,
            69069,
            214_013,
            16807,
            48271,
        ]
        .iter()
        .filter(|it| number(facts, **it))
        .count()
            > 0;
        if is_letter || is_digit {
            self.once(Concept::CharacterRange);
        }
        if is_blank {
            self.once(Concept::Whitespace);
        }
        if is_hex {
            self.once(Concept::HexDigits);
        }
        if is_case {
            self.once(Concept::CaseChange);
        }
        if is_hash {
            self.once(Concept::Hash);
        }
        if is_random {
            self.once(Concept::RandomNumber);
        }
    }

    /// Values that change places, are copied, or fill.
    fn exchanges(&mut self) {
        let graph = self.graph;
        let trace = self.trace;
        let mut stores: Vec<(usize, Id, Id)> = Vec::new();
        for (block, event) in &trace.events {
            if let Event::Store { address, value, .. } = event
                && stores.len() < 256
            {
                stores.push((*block, *address, graph.bare(*value)));
            }
        }
        let loaded_from = |value: Id| match graph.node(value) {
            Node::Load { address, .. } => Some(address),
            _ => None,
        };
        for (at, (block, address, value)) in stores.iter().enumerate() {
            let in_loop = trace.depth.get(*block).copied().unwrap_or(0) > 0;
            let Some(from) = loaded_from(*value) else {
                let is_same = matches!(
                    graph.node(*value),
                    Node::Constant(_) | Node::Initial(_) | Node::Float(_)
                );
                let origin = self.origin(*address);
                if in_loop && is_same && (origin.index.is_some() || origin.is_walked) {
                    self.once(Concept::Fill);
                }
                continue;
            };
            for (_, other, other_value) in stores.iter().skip(at + 1).take(4) {
                if let Some(other_from) = loaded_from(*other_value)
                    && self.is_same_address(from, *other, 0)
                    && self.is_same_address(other_from, *address, 0)
                    && !self.is_same_address(from, *address, 0)
                {
                    self.once(Concept::Swap);
                    if in_loop {
                        self.once(Concept::Reverse);
                    }
                }
            }
            let (to, source) = (self.origin(*address), self.origin(from));
            let moves = |origin: &super::Origin| origin.index.is_some() || origin.is_walked;
            if in_loop && to.root != source.root && moves(&to) && moves(&source) {
                self.once(Concept::CopyLoop);
            }
        }
    }

    /// What the whole body is.
    fn shapes(&mut self) {
        let graph = self.graph;
        let facts = &self.facts;
        let is_walked = facts
            .parameters
            .iter()
            .any(|it| it.is_text && (it.is_walked || !it.strides.is_empty()));
        let is_straight = facts.loops == 0 && facts.branches == 0;
        let (calls, stores) = (facts.calls, facts.stores);
        let has = |concept: Concept| facts.concepts.contains(&concept);
        let returns_number = matches!(facts.out, Out::Whole(_) | Out::Word);
        let deep_floats = has(Concept::FloatArithmetic);
        let mut add = Vec::new();
        if is_walked
            && facts.loops == 1
            && stores == 0
            && calls == 0
            && returns_number
            && facts.instructions < 60
        {
            add.push(Concept::StringLength);
        }
        if facts.loops > 0
            && stores == 0
            && has(Concept::Equal)
            && (has(Concept::ReturnsMinusOne) || has(Concept::ReturnsNull))
        {
            add.push(Concept::Search);
        }
        if facts.loops > 0
            && facts.branches > 1
            && has(Concept::Increment)
            && has(Concept::ReturnsLocal)
            && stores == 0
        {
            add.push(Concept::CountIf);
        }
        if is_straight && calls == 1 && stores == 0 {
            add.push(Concept::Wrapper);
        }
        if is_straight
            && calls == 0
            && stores > 1
            && facts
                .parameters
                .iter()
                .any(|it| it.is_written && it.offsets.len() > 1)
        {
            add.push(Concept::Initialize);
        }
        if calls == 0
            && stores == 0
            && is_straight
            && facts
                .concepts
                .iter()
                .all(|it| matches!(it, Concept::ReturnsNothing))
            && facts.literals.is_empty()
        {
            add.push(Concept::EmptyBody);
        }
        if is_straight && calls + stores <= 1 {
            add.push(Concept::SingleStatement);
        }
        // Bytes joined by shifts.
        let shifts = self.trace.events.iter().filter(|(_, event)| matches!(event, Event::Work(id)
            if matches!(graph.node(*id), Node::Binary { op: Op::ShiftLeft | Op::ShiftRight, right, .. }
                if matches!(graph.number(right), Some(8 | 16 | 24 | 32 | 40 | 48 | 56))))).count();
        if shifts > 1 {
            add.push(Concept::JoinBytes);
        }
        // x & (x - 1), (x + m) & ~m
        for (_, event) in &self.trace.events {
            let Event::Work(id) = event else {
                continue;
            };
            match graph.node(*id) {
                Node::Binary {
                    op: Op::And,
                    left,
                    right,
                    ..
                } => {
                    for (one, other) in [(left, right), (right, left)] {
                        match graph.node(graph.bare(one)) {
                            Node::Binary {
                                op: Op::Add | Op::Subtract,
                                left,
                                right,
                                ..
                            } if self.is_alike(left, other)
                                && matches!(
                                    graph.number(right).map(|it| it as i32),
                                    Some(-1 | 1)
                                ) =>
                            {
                                add.push(Concept::PowerOfTwo);
                            }
                            Node::Unary {
                                op: Op::Negate,
                                value,
                                ..
                            } if self.is_alike(value, other) => add.push(Concept::PowerOfTwo),
                            _ => {}
                        }
                    }
                    if let Some(mask) = graph.number(right) {
                        let low = !(mask as i32);
                        if mask < 0 && (1..4096).contains(&low) && low & (low + 1) == 0 {
                            add.push(Concept::Align);
                        }
                    }
                }
                Node::Binary {
                    op: Op::ShiftLeft,
                    left,
                    right,
                    ..
                } if graph.number(left) == Some(1) && graph.number(right).is_none() => {
                    add.push(Concept::SingleBit);
                }
                Node::Binary {
                    op: Op::FloatMultiply | Op::Multiply,
                    left,
                    right,
                    ..
                } if self.is_alike(left, right) => {
                    add.push(Concept::Square);
                }
                Node::Binary {
                    op: Op::FloatAdd,
                    left,
                    right,
                    ..
                } if deep_floats => {
                    let product = |id: Id| {
                        matches!(
                            graph.node(graph.bare(id)),
                            Node::Binary {
                                op: Op::FloatMultiply,
                                ..
                            }
                        )
                    };
                    if product(left) && product(right) {
                        add.push(Concept::DotProduct);
                    }
                }
                // (x << n) | (x >> m)
                Node::Binary {
                    op: Op::Or | Op::Add | Op::Xor,
                    left,
                    right,
                    ..
                } => {
                    let shifted = |id: Id, wanted: Op| match graph.node(graph.bare(id)) {
                        Node::Binary { op, left, .. } if op == wanted => Some(graph.bare(left)),
                        _ => None,
                    };
                    for (one, other) in [(left, right), (right, left)] {
                        if let (Some(a), Some(b)) =
                            (shifted(one, Op::ShiftLeft), shifted(other, Op::ShiftRight))
                            && self.is_alike(a, b)
                        {
                            add.push(Concept::Rotate);
                        }
                    }
                }
                _ => {}
            }
        }
        for concept in add {
            self.once(concept);
        }
    }

    pub(super) fn finish(mut self) -> Facts {
        // The address where the caller wants the result is not counted as a parameter.
        if self.facts.out == Out::Structure && !self.facts.parameters.is_empty() {
            self.facts.parameters.remove(0);
        }
        self.facts.concepts.truncate(4096);
        self.facts
    }
}
