//! Idioms that several operations together form.

use super::{
    Concept, Condition, Event, Facts, Id, Literal, Node, Op, Out, Parameter, Reader, Test,
};

/// Constants by which hashes are known.
const OF_HASHES: [i64; 8] = [
    5381,
    0x811c_9dc5,
    -2_128_831_035,
    65599,
    0x9e37_79b9,
    -1_640_531_527,
    0x5bd1_e995,
    0x0100_0193,
];

/// Constants by which generators of random numbers are known.
const OF_GENERATORS: [i64; 7] = [
    1_103_515_245,
    12345,
    1_664_525,
    69069,
    214_013,
    16807,
    48271,
];

impl Reader<'_> {
    pub(super) fn idioms(&mut self) {
        self.loops_of_values();
        self.choices_by_comparison();
        self.characters();
        self.exchanges();
        self.body();
        self.combinations();
    }

    /// The values that are carried from one round of a loop to the next.
    fn loops_of_values(&mut self) {
        let graph = self.graph;
        for id in 0..graph.len() {
            if graph.resolve(id) != id {
                continue;
            }
            let Node::Choice(choice) = graph.node(id) else {
                continue;
            };
            for input in graph.inputs(choice) {
                let input = graph.bare(*input);
                match graph.node(input) {
                    Node::Binary(op, left, right, _) if graph.bare(left) == id => {
                        self.carried(id, op, right);
                    }
                    Node::Binary(op, left, right, _) if graph.bare(right) == id => {
                        self.carried(id, op, left);
                    }
                    Node::Load(address, ..) => {
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
        let facts = &self.facts;
        if facts.loops > 0
            && facts.stores == 0
            && facts.calls == 0
            && facts.concepts.contains(&Concept::Remainder)
            && !facts
                .literals
                .iter()
                .any(|it| matches!(it, Literal::Whole(n) if *n > 1))
        {
            self.once(Concept::GreatestDivisor);
        }
    }

    /// A value goes round with another.
    fn carried(&mut self, id: Id, op: Op, other: Id) {
        let graph = self.graph;
        let other = graph.bare(other);
        let is_element = |id: Id| matches!(graph.node(graph.bare(id)), Node::Load(..));
        match (op, graph.node(other)) {
            (Op::Add | Op::FloatAdd, made) if graph.number(other).is_none() => {
                self.once(Concept::Accumulate);
                if let Node::Binary(Op::Multiply | Op::FloatMultiply, left, right, _) = made
                    && is_element(left)
                    && is_element(right)
                {
                    self.once(Concept::DotProduct);
                }
            }
            (Op::Xor, _) if self.facts.loops > 0 => self.once(Concept::BitXor),
            (Op::And, Node::Binary(_, left, ..)) if graph.bare(left) == id => {
                self.once(Concept::CountBits);
            }
            _ => {}
        }
    }

    /// Returns `true` if a value is made of its last one by a product and a byte.
    fn is_hash(&self, input: Id, id: Id) -> bool {
        let graph = self.graph;
        let Node::Binary(Op::Add | Op::Xor | Op::Multiply, left, right, _) = graph.node(input)
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
                    || matches!(graph.node(of), Node::Binary(Op::Xor | Op::Add, left, ..) if graph.bare(left) == id);
            }
            // (h << 5) + h, h ^ (h >> 3)
            matches!(graph.node(side), Node::Binary(Op::Xor | Op::Add, left, right, _)
                if (graph.bare(left) == id || graph.bare(right) == id)
                    && [left, right].iter().any(|it| matches!(graph.node(graph.bare(*it)),
                        Node::Binary(Op::ShiftLeft | Op::ShiftRight, left, ..) if graph.bare(left) == id)))
        };
        mixes(left) || mixes(right) || mixes(input)
    }

    /// Returns `true` if a value is ten times its last one and a digit.
    fn is_digits(&self, input: Id, id: Id) -> bool {
        let graph = self.graph;
        let mut sides = vec![input];
        for _ in 0..2 {
            let mut next = Vec::new();
            for side in &sides {
                if let Node::Binary(Op::Add | Op::Subtract, left, right, _) =
                    graph.node(graph.bare(*side))
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
        let trace = self.trace;
        let mut tests: Vec<Test> = Vec::new();
        for (_, event) in &trace.events {
            match event {
                Event::Test(test) => tests.push(Test {
                    left: self.graph.bare(test.left),
                    right: self.graph.bare(test.right),
                    ..*test
                }),
                Event::Select {
                    values,
                    compared,
                    condition,
                } => self.selected(*values, *compared, *condition),
                _ => {}
            }
        }
        tests.truncate(64);
        let bounds = self.bounds(&tests);
        if bounds > 1 {
            self.once(Concept::Clamp);
        }
        let has = |concept| self.facts.concepts.contains(&concept);
        if has(Concept::ReturnsMinusOne)
            && has(Concept::ReturnsOne)
            && (has(Concept::ReturnsZero) || has(Concept::ReturnsComparison))
        {
            self.once(Concept::ThreeWay);
        }
    }

    /// One of two values, taken by how two are compared.
    fn selected(&mut self, values: [Id; 2], compared: [Id; 2], condition: Condition) {
        use Condition::{
            Above, AboveEqual, Below, BelowEqual, Greater, GreaterEqual, Less, LessEqual,
        };
        let graph = self.graph;
        let [one, other] = values.map(|id| graph.bare(id));
        let [left, right] = compared.map(|id| graph.bare(id));
        // Of the first value, if it is the first that is compared.
        let taken = match condition {
            Less | LessEqual | Below | BelowEqual => Some([Concept::Minimum, Concept::Maximum]),
            Greater | GreaterEqual | Above | AboveEqual => {
                Some([Concept::Maximum, Concept::Minimum])
            }
            _ => None,
        };
        if let Some([straight, crossed]) = taken {
            if (one, other) == (left, right) {
                self.once(straight);
            } else if (other, one) == (left, right) {
                self.once(crossed);
            }
        }
        let negated = |value: Id, of: Id| matches!(graph.node(value), Node::Unary(Op::Negate, value, _) if graph.bare(value) == of);
        if negated(one, other) || negated(other, one) {
            self.once(Concept::Absolute);
        }
    }

    /// Finds choices between two values that a test compares, and returns their number.
    fn bounds(&mut self, tests: &[Test]) -> usize {
        let graph = self.graph;
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
            for test in tests {
                let (left, right) = (test.left, test.right);
                let is_pair = (self.is_alike(left, one) && self.is_alike(right, other))
                    || (self.is_alike(left, other) && self.is_alike(right, one));
                if is_pair && !test.is_equality() && !test.is_back {
                    bounds += 1;
                    let constant = graph.number(one).is_some() || graph.number(other).is_some();
                    self.once(Concept::Minimum);
                    if !constant || bounds > 1 {
                        self.once(Concept::Maximum);
                    }
                }
            }
            let negated = |value: Id, of: Id| matches!(graph.node(value), Node::Unary(Op::Negate | Op::FloatNegate, value, _) if self.is_alike(graph.bare(value), of));
            if negated(one, other) || negated(other, one) {
                self.once(Concept::Absolute);
            }
        }
        bounds
    }

    /// Returns `true` if two values are read from the same address in the same way.
    fn is_alike(&self, one: Id, other: Id) -> bool {
        let graph = self.graph;
        let (one, other) = (graph.bare(one), graph.bare(other));
        if one == other {
            return true;
        }
        match (graph.node(one), graph.node(other)) {
            (Node::Load(a, x, _), Node::Load(b, y, _)) => x == y && self.is_same_address(a, b, 0),
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
            (Node::Binary(p, a, b, _), Node::Binary(q, c, d, _)) => {
                p == q
                    && self.is_same_address(a, c, depth + 1)
                    && self.is_same_address(b, d, depth + 1)
            }
            (Node::Load(a, ..), Node::Load(b, ..)) => self.is_same_address(a, b, depth + 1),
            (Node::Address(a, x), Node::Address(b, y)) => a == b && x == y && a != 0,
            _ => false,
        }
    }

    /// The constants that characters and masks are compared with.
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
        let any = |numbers: &[i64]| numbers.iter().any(|it| number(facts, *it));
        let (is_hash, is_random) = (any(&OF_HASHES), any(&OF_GENERATORS));
        let found = [
            (Concept::CharacterRange, is_letter || is_digit),
            (Concept::Whitespace, is_blank),
            (Concept::HexDigits, is_hex),
            (Concept::CaseChange, is_case),
            (Concept::Hash, is_hash),
            (Concept::RandomNumber, is_random),
        ];
        for (concept, _) in found.into_iter().filter(|(_, is)| *is) {
            self.once(concept);
        }
    }

    /// Values that are swapped, copied, or fill memory.
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
            Node::Load(address, ..) => Some(address),
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

    /// The idiom of the whole body.
    fn body(&mut self) {
        let facts = &self.facts;
        let (calls, stores, loops) = (facts.calls, facts.stores, facts.loops);
        let has = |concept: Concept| facts.concepts.contains(&concept);
        let any = |is: fn(&Parameter) -> bool| facts.parameters.iter().any(is);
        let is_straight = loops == 0 && facts.branches == 0;
        let is_quiet = calls == 0 && stores == 0;
        let bodies = [
            (
                Concept::StringLength,
                loops == 1
                    && is_quiet
                    && facts.instructions < 60
                    && matches!(facts.out, Out::Whole(_) | Out::Word)
                    && any(|it| it.is_text && (it.is_walked || !it.strides.is_empty())),
            ),
            (
                Concept::Search,
                loops > 0
                    && stores == 0
                    && has(Concept::Equal)
                    && (has(Concept::ReturnsMinusOne) || has(Concept::ReturnsNull)),
            ),
            (
                Concept::CountIf,
                loops > 0
                    && facts.branches > 1
                    && has(Concept::Increment)
                    && has(Concept::ReturnsLocal)
                    && stores == 0,
            ),
            (Concept::Wrapper, is_straight && calls == 1 && stores == 0),
            (
                Concept::Initialize,
                is_straight
                    && calls == 0
                    && stores > 1
                    && any(|it| it.is_written && it.offsets.len() > 1),
            ),
            (
                Concept::EmptyBody,
                is_straight
                    && is_quiet
                    && facts.literals.is_empty()
                    && facts
                        .concepts
                        .iter()
                        .all(|it| *it == Concept::ReturnsNothing),
            ),
            (Concept::SingleStatement, is_straight && calls + stores <= 1),
            (Concept::JoinBytes, self.shifts_of_bytes() > 1),
        ];
        for (concept, _) in bodies.into_iter().filter(|(_, is)| *is) {
            self.once(concept);
        }
    }

    /// Returns the number of values that are shifted by whole bytes.
    fn shifts_of_bytes(&self) -> usize {
        let is_shift = |id: Id| {
            matches!(self.graph.node(id),
            Node::Binary(Op::ShiftLeft | Op::ShiftRight, _, right, _)
                if matches!(self.graph.number(right), Some(8 | 16 | 24 | 32 | 40 | 48 | 56)))
        };
        let events = self.trace.events.iter();
        let shifts = events.filter(|(_, event)| matches!(event, Event::Work(id) if is_shift(*id)));
        shifts.count()
    }

    /// Operations on what another operation made.
    fn combinations(&mut self) {
        let trace = self.trace;
        for (_, event) in &trace.events {
            if let Event::Work(id) = event
                && let Node::Binary(op, left, right, _) = self.graph.node(*id)
            {
                self.combined(op, left, right);
            }
        }
    }

    fn combined(&mut self, op: Op, left: Id, right: Id) {
        let graph = self.graph;
        let pairs = [(left, right), (right, left)];
        let made_by = |id: Id, wanted: Op| match graph.node(graph.bare(id)) {
            Node::Binary(op, left, ..) if op == wanted => Some(graph.bare(left)),
            _ => None,
        };
        let found = match op {
            Op::And => {
                if pairs.iter().any(|pair| self.is_one_bit(*pair)) {
                    self.once(Concept::PowerOfTwo);
                }
                // (x + m) & ~m
                let is_alignment = graph.number(right).is_some_and(|mask| {
                    let low = !(mask as i32);
                    mask < 0 && (1..4096).contains(&low) && low & (low + 1) == 0
                });
                is_alignment.then_some(Concept::Align)
            }
            Op::ShiftLeft if graph.number(left) == Some(1) && graph.number(right).is_none() => {
                Some(Concept::SingleBit)
            }
            Op::FloatMultiply | Op::Multiply if self.is_alike(left, right) => Some(Concept::Square),
            Op::FloatAdd => {
                let is_product = |id: Id| made_by(id, Op::FloatMultiply).is_some();
                let is_deep = self.facts.concepts.contains(&Concept::FloatArithmetic);
                (is_deep && is_product(left) && is_product(right)).then_some(Concept::DotProduct)
            }
            // (x << n) | (x >> m)
            Op::Or | Op::Add | Op::Xor => {
                let is_turned = |(one, other): (Id, Id)| {
                    made_by(one, Op::ShiftLeft)
                        .zip(made_by(other, Op::ShiftRight))
                        .is_some_and(|(one, other)| self.is_alike(one, other))
                };
                pairs.into_iter().any(is_turned).then_some(Concept::Rotate)
            }
            _ => None,
        };
        if let Some(concept) = found {
            self.once(concept);
        }
    }

    /// `x & (x - 1)`, `x & -x`
    fn is_one_bit(&self, (one, other): (Id, Id)) -> bool {
        let graph = self.graph;
        match graph.node(graph.bare(one)) {
            Node::Binary(Op::Add | Op::Subtract, left, right, _) => {
                self.is_alike(left, other)
                    && matches!(graph.number(right).map(|it| it as i32), Some(-1 | 1))
            }
            Node::Unary(Op::Negate, value, _) => self.is_alike(value, other),
            _ => false,
        }
    }

    pub(super) fn finish(mut self) -> Facts {
        // The address for the result of the caller is not counted as a parameter.
        if self.facts.out == Out::Structure && !self.facts.parameters.is_empty() {
            self.facts.parameters.remove(0);
        }
        self.facts.concepts.truncate(4096);
        self.facts
    }
}
