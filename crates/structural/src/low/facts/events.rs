//! The events in a function, as constructs and constants.

use super::{
    Callee, Class, Concept, Condition, Event, Id, Literal, Node, Op, Parameter, Reader, Returned,
    Test,
};

impl Reader<'_> {
    pub(super) fn add(&mut self, concept: Concept) {
        self.facts.concepts.push(concept);
    }

    pub(super) fn once(&mut self, concept: Concept) {
        if !self.facts.concepts.contains(&concept) {
            self.facts.concepts.push(concept);
        }
    }

    pub(super) fn with(&mut self, id: Id, change: impl Fn(&mut Parameter)) {
        let root = self.origin(id).root;
        if let Some(number) = self.parameter_of.get(&root)
            && let Some(parameter) = self.facts.parameters.get_mut(*number)
        {
            change(parameter);
        }
    }

    /// Returns `true` if a value is a byte that was read from memory, or a parameter of one byte.
    pub(super) fn is_byte(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Load(_, 1, _) => true,
            Node::Initial(location) => self
                .trace
                .parameters
                .iter()
                .any(|it| it.0 == location && it.1 == Class::Whole(1)),
            Node::Choice(choice) => {
                let inputs = self.graph.inputs(choice);
                !inputs.is_empty()
                    && inputs.iter().all(|input| {
                        matches!(
                            self.graph.node(self.graph.bare(*input)),
                            Node::Load(_, 1, _)
                        )
                    })
            }
            _ => false,
        }
    }

    fn literal(&mut self, id: Id, bytes: u8, as_character: bool) {
        let literal = match self.graph.node(self.graph.bare(id)) {
            Node::Constant(number) => match signed(number, bytes) {
                code @ (0 | 9 | 10 | 13 | 0x20..0x7f) if as_character => {
                    Literal::Character(char::from(code as u8))
                }
                number => Literal::Whole(number),
            },
            Node::Float(bits) => Literal::Float(f64::from_bits(bits)),
            _ => return,
        };
        self.facts.literals.push(literal);
    }

    pub(super) fn events(&mut self) {
        let trace = self.trace;
        for (_, event) in &trace.events {
            match event {
                Event::Load(id) => {
                    if let Node::Load(address, ..) = self.graph.node(*id) {
                        self.touched(address);
                    }
                }
                Event::Store {
                    address,
                    value,
                    bytes,
                } => {
                    self.add(Concept::Store);
                    self.touched(*address);
                    if *bytes == 8 && self.is_text(*value) {
                        self.immediate_text(*value);
                    } else {
                        self.literal(*value, *bytes, *bytes == 1);
                    }
                }
                Event::Work(id) => self.work(*id),
                Event::Test(test) => {
                    self.test(test);
                    if test.is_forward() {
                        self.facts.branches += 1;
                        self.add(Concept::Branch);
                    }
                }
                Event::Select { .. } => self.add(Concept::Conditional),
                Event::Call { callee, arguments } => self.call(callee, arguments),
                Event::Many { is_copy, .. } => self.once(if *is_copy {
                    Concept::CopyLoop
                } else {
                    Concept::Fill
                }),
                Event::Text(text) => self.facts.texts.push(text.clone()),
                Event::Switch => self.add(Concept::Switch),
                Event::Return(_) => {}
                Event::Stop => self.once(Concept::Throw),
            }
        }
    }

    fn call(&mut self, callee: &Callee, arguments: &[Id]) {
        self.facts.calls += 1;
        match callee {
            Callee::Itself => self.add(Concept::Recursion),
            Callee::Named(name) => self.facts.called.push(name.clone()),
            Callee::Value(value) => {
                self.add(Concept::IndirectCall);
                if let Some(number) = self.through(*value) {
                    let is_direct = self.parameter(*value) == Some(number);
                    if let Some(parameter) = self.facts.parameters.get_mut(number) {
                        parameter.is_called |= is_direct;
                    }
                }
            }
            Callee::Unknown => self.add(Concept::Call),
        }
        for argument in arguments {
            self.with(*argument, |parameter| parameter.is_passed = true);
            let number = self.graph.number(*argument);
            if matches!(number, Some(0x20..0x30 | 0x3a..0x7f)) {
                self.literal(*argument, 4, true);
            }
            self.literal(*argument, 4, false);
        }
    }

    /// The kind of an access: an element, a member, or the target of a pointer.
    fn touched(&mut self, address: Id) {
        let origin = self.origin(address);
        if matches!(self.graph.node(origin.root), Node::Frame(_)) && origin.index.is_none() {
            return;
        }
        if origin.index.is_some() {
            self.add(Concept::Index);
            if matches!(self.graph.node(origin.root), Node::Address(..)) {
                self.once(Concept::Table);
            }
        } else if origin.offset != 0 && !origin.is_walked {
            self.add(Concept::Member);
        } else if !matches!(self.graph.node(origin.root), Node::Address(..)) {
            self.add(Concept::Load);
        }
    }

    /// Returns `true` if eight bytes are all characters, as the start of a text is.
    fn is_text(&self, id: Id) -> bool {
        let Some(number) = self.graph.number(id) else {
            return false;
        };
        let bytes = number.to_le_bytes();
        let text = bytes.iter().take_while(|byte| **byte != 0).count();
        text >= 3
            && bytes
                .iter()
                .take(text)
                .all(|byte| (0x20..0x7f).contains(byte) || *byte == b'\n')
            && bytes.iter().skip(text).all(|byte| *byte == 0)
    }

    fn immediate_text(&mut self, id: Id) {
        if let Some(number) = self.graph.number(id) {
            let bytes = number.to_le_bytes();
            let text: String = bytes
                .iter()
                .take_while(|byte| **byte != 0)
                .map(|byte| char::from(*byte))
                .collect();
            self.facts.texts.push(text);
        }
    }

    fn work(&mut self, id: Id) {
        let id = self.graph.resolve(id);
        if let Some((concept, number)) = self.meant.get(&id).copied() {
            self.add(concept);
            self.facts.literals.extend(number.map(Literal::Whole));
            if let Node::Binary(_, left, ..) = self.graph.node(id) {
                self.with(left, |parameter| parameter.is_number = true);
            }
            return;
        }
        if self.consumed.get(id) == Some(&true) || self.is_truth_mask(id) {
            return;
        }
        match self.graph.node(id) {
            Node::Unary(op, value, _) => self.unary(op, value),
            Node::Binary(op, left, right, bytes) => {
                let is_frame = matches!(self.graph.node(left), Node::Frame(_) | Node::Address(..));
                if !is_frame {
                    self.worked_on(op, left, right);
                    self.binary(id, op, [left, right], bytes);
                }
            }
            _ => {}
        }
    }

    fn unary(&mut self, op: Op, value: Id) {
        self.with(value, |parameter| parameter.is_number = true);
        let called = match op {
            Op::Root => "sqrt",
            Op::Magnitude => "fabs",
            Op::Round => "floor",
            _ => "",
        };
        match op {
            Op::Negate | Op::FloatNegate => self.add(Concept::Negate),
            Op::Not => self.add(Concept::BitNot),
            Op::SwapBytes => self.once(Concept::ByteSwap),
            Op::CountBits => self.once(Concept::CountBits),
            Op::ToFloat | Op::ToInteger => self.add(Concept::ConvertFloat),
            Op::Precision => self.add(Concept::Cast),
            Op::Root => self.add(Concept::FloatArithmetic),
            Op::Magnitude => self.once(Concept::Absolute),
            _ => {}
        }
        if !called.is_empty() {
            self.facts.called.push(called.to_owned());
        }
    }

    /// The facts that follow from an operation about its parameters.
    fn worked_on(&mut self, op: Op, left: Id, right: Id) {
        if matches!(op, Op::Add | Op::Subtract) && self.graph.number(right).is_some() {
            return;
        }
        let is_unsigned = matches!(
            op,
            Op::ShiftRight | Op::DivideUnsigned | Op::RemainderUnsigned
        );
        for side in [left, right] {
            self.with(side, |parameter| {
                parameter.is_number = true;
                parameter.is_unsigned |= is_unsigned;
            });
        }
    }

    fn binary(&mut self, id: Id, op: Op, [left, right]: [Id; 2], bytes: u8) {
        let number = self.graph.number(right);
        let concept = match op {
            Op::Add => match number.map(|it| signed(it, bytes)) {
                Some(1) => Concept::Increment,
                Some(-1) => Concept::Decrement,
                Some(by) if by < 0 => {
                    self.facts.literals.push(Literal::Whole(by.wrapping_neg()));
                    self.add(Concept::Subtract);
                    return;
                }
                _ => Concept::Add,
            },
            Op::Subtract if number == Some(1) => Concept::Decrement,
            Op::Divide | Op::DivideUnsigned | Op::Remainder | Op::RemainderUnsigned
                if !self.is_used(id) =>
            {
                return;
            }
            Op::Xor
                if number == Some(1)
                    && matches!(
                        self.graph.node(self.graph.bare(left)),
                        Node::Compare(..) | Node::Call(_)
                    ) =>
            {
                self.add(Concept::LogicalNot);
                return;
            }
            _ => match concept_of(op) {
                Some(concept) => concept,
                None => return,
            },
        };
        self.add(concept);
        if op.is_float() {
            self.once(Concept::FloatArithmetic);
        }
        if !matches!(concept, Concept::Increment | Concept::Decrement) {
            let as_character =
                matches!(op, Op::Add | Op::Subtract | Op::Or | Op::Xor) && self.is_byte(left);
            self.literal(right, bytes, as_character);
            self.literal(left, bytes, false);
        }
    }

    /// Returns `true` if a value is needed by another, or returned, or stored.
    fn is_used(&mut self, id: Id) -> bool {
        if self.used.iter().all(|used| !used) {
            let mut used = vec![false; self.graph.len()];
            used[0] = true;
            for id in self.needed() {
                if let Some(place) = used.get_mut(self.graph.resolve(id)) {
                    *place = true;
                }
            }
            self.used = used;
        }
        self.used.get(self.graph.resolve(id)) == Some(&true)
    }

    /// The values that other values and what happens are made of.
    fn needed(&self) -> Vec<Id> {
        let mut needed = Vec::new();
        for id in 0..self.graph.len() {
            match self.graph.node(id) {
                Node::Unary(_, value, _) => needed.push(value),
                Node::Binary(_, left, right, _) | Node::Compare(_, left, right) => {
                    needed.extend([left, right]);
                }
                Node::Load(address, ..) => needed.push(address),
                Node::Choice(choice) => needed.extend(self.graph.inputs(choice)),
                _ => {}
            }
        }
        for (_, event) in &self.trace.events {
            match event {
                Event::Store { value, .. } => needed.push(*value),
                Event::Test(test) => needed.extend([test.left, test.right]),
                Event::Call { arguments, .. } => needed.extend(arguments),
                Event::Return(
                    Returned::Whole(id, _) | Returned::Float(id, _) | Returned::Perhaps(id, _),
                ) => needed.push(*id),
                _ => {}
            }
        }
        needed
    }

    fn test(&mut self, test: &Test) {
        use Condition::{
            Above, AboveEqual, Below, BelowEqual, Equal, Greater, GreaterEqual, Less, LessEqual,
            Negative, NotEqual, NotNegative, Ordered, Overflow, Unordered,
        };
        let Test {
            left,
            right,
            bytes,
            is_float,
            ..
        } = *test;
        let is_zero = self.graph.number(right) == Some(0);
        // A truth value that is tested again.
        if is_zero
            && test.is_jump
            && matches!(self.graph.node(self.graph.bare(left)), Node::Compare(..))
        {
            return;
        }
        if is_float && left == right {
            self.once(Concept::NotANumber);
        }
        let condition = test.meant();
        let is_byte = self.is_byte(left) || self.is_byte(right);
        if !is_float && matches!(condition, Above | AboveEqual | Below | BelowEqual) && !is_zero {
            for side in [left, right] {
                self.with(side, |parameter| parameter.is_unsigned = true);
            }
        }
        let is_pointer = self.is_pointer(left, bytes) && !is_byte;
        match condition {
            Equal | NotEqual if is_zero && is_pointer && !is_float => {
                self.with(left, |parameter| parameter.is_tested = true);
                self.add(Concept::NullCheck);
                return;
            }
            Equal => self.add(Concept::Equal),
            NotEqual => self.add(Concept::NotEqual),
            Less | LessEqual | Below | BelowEqual | Negative => self.add(Concept::Less),
            Greater | GreaterEqual | Above | AboveEqual | NotNegative => self.add(Concept::Greater),
            Unordered | Ordered => return,
            Overflow => {}
        }
        if matches!(condition, Negative | NotNegative) {
            self.facts.literals.push(Literal::Whole(0));
        }
        if is_float {
            self.once(Concept::FloatArithmetic);
        }
        for side in [left, right] {
            self.with(side, |parameter| parameter.is_number = true);
        }
        for (side, other) in [(left, right), (right, left)] {
            if is_byte
                && let Node::Load(address, ..) = self.graph.node(self.graph.bare(side))
                && matches!(self.graph.number(other), Some(0 | 9..14 | 0x20..0x7f))
            {
                self.with(address, |parameter| parameter.is_text = true);
            }
        }
        self.literal(right, bytes, is_byte);
        self.literal(left, bytes, is_byte);
    }

    /// Returns `true` if a value that is compared with zero is an address.
    fn is_pointer(&mut self, id: Id, bytes: u8) -> bool {
        let of = self.parameter(id);
        let root = self.origin(id).root;
        let is_loaded = matches!(self.graph.node(root), Node::Load(_, 8, _) | Node::Call(_));
        let class = of.and_then(|number| self.facts.parameters.get(number));
        let is_address = class.is_some_and(|parameter| {
            let is_word = parameter.class == Class::Whole(8) && self.trace.pointer == 8;
            is_word || !parameter.pointed.is_empty()
        });
        is_address || (is_loaded && bytes == 8)
    }

    pub(super) fn flow(&mut self) {
        let loops = self.trace.loops.len().min(32);
        for _ in 0..loops {
            self.add(Concept::Loop);
        }
        if self.facts.deepest > 1 {
            for _ in 1..self.facts.deepest.min(4) {
                self.add(Concept::NestedLoop);
            }
        }
        if self.trace.is_endless {
            self.add(Concept::EndlessLoop);
        }
        // Loops with a counter: what is stepped by one is compared.
        let trace = self.trace;
        let mut counted = 0;
        for (block, event) in &trace.events {
            if let Event::Test(test) = event
                && test.is_jump
                && trace.depth.get(*block).copied().unwrap_or(0) > 0
                && !test.is_equality()
                && (self.is_counter(test.left) || self.is_counter(test.right))
            {
                counted += 1;
            }
        }
        for _ in 0..counted.min(loops) {
            self.add(Concept::CountedLoop);
        }
        for _ in counted.min(loops)..loops {
            self.add(Concept::WhileLoop);
        }
        // Chains of comparisons with constants are a switch.
        let mut compared = std::collections::BTreeMap::new();
        for (_, event) in &trace.events {
            if let Event::Test(test) = event
                && test.is_jump
                && test.is_equality()
                && self.graph.number(test.right).is_some()
            {
                *compared.entry(self.graph.bare(test.left)).or_insert(0) += 1;
            }
        }
        if compared.values().any(|count| *count >= 3) {
            self.once(Concept::Switch);
        }
    }

    /// Returns `true` if a value is stepped by a constant in a loop.
    pub(super) fn is_counter(&self, id: Id) -> bool {
        let id = self.graph.bare(id);
        let of = |id: Id| -> bool {
            let Node::Choice(choice) = self.graph.node(id) else {
                return false;
            };
            self.graph.inputs(choice).iter().any(|input| {
                matches!(self.graph.node(self.graph.bare(*input)),
                    Node::Binary(Op::Add | Op::Subtract, left, right, _)
                    if self.graph.bare(left) == id && self.graph.number(right).is_some())
            })
        };
        match self.graph.node(id) {
            Node::Binary(Op::Add | Op::Subtract, left, right, _)
                if self.graph.number(right).is_some() =>
            {
                of(self.graph.bare(left))
            }
            _ => of(id),
        }
    }
}

/// A number as four bytes with a sign hold it, if it has this many.
fn signed(number: i64, bytes: u8) -> i64 {
    if bytes == 4 {
        i64::from(number as i32)
    } else {
        number
    }
}

/// The concept of an operation on two values.
fn concept_of(op: Op) -> Option<Concept> {
    Some(match op {
        Op::Add | Op::FloatAdd => Concept::Add,
        Op::Subtract | Op::FloatSubtract => Concept::Subtract,
        Op::Multiply | Op::High | Op::FloatMultiply => Concept::Multiply,
        Op::Divide | Op::DivideUnsigned | Op::FloatDivide => Concept::Divide,
        Op::Remainder | Op::RemainderUnsigned => Concept::Remainder,
        Op::And => Concept::BitAnd,
        Op::Or => Concept::BitOr,
        Op::Xor => Concept::BitXor,
        Op::ShiftLeft => Concept::ShiftLeft,
        Op::ShiftRight | Op::ShiftSign => Concept::ShiftRight,
        Op::Rotate => Concept::Rotate,
        Op::FloatMinimum => Concept::Minimum,
        Op::FloatMaximum => Concept::Maximum,
        _ => return None,
    })
}
