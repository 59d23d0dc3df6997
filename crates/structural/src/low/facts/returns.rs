//! The values that come out of a function.

use super::{Class, Concept, Event, Id, Literal, Node, Op, Out, Reader, Returned};

impl Reader<'_> {
    /// The values that one of is returned.
    pub(super) fn sources(&self, id: Id) -> Vec<Id> {
        let mut found = Vec::new();
        let mut seen = Vec::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let id = self.graph.resolve(id);
            if seen.contains(&id) || seen.len() > 48 {
                continue;
            }
            seen.push(id);
            let beneath = self.graph.bare(id);
            match self.graph.node(beneath) {
                Node::Choice(choice) => open.extend(self.graph.inputs(choice)),
                _ => found.push(id),
            }
        }
        found.reverse();
        found
    }

    pub(super) fn returns(&mut self) {
        let trace = self.trace;
        let returned: Vec<Returned> = trace
            .events
            .iter()
            .filter_map(|(_, event)| match event {
                Event::Return(returned) => Some(*returned),
                _ => None,
            })
            .collect();
        let mut ids = Vec::new();
        let mut out = Out::Unknown;
        let mut bytes = 0;
        for returned in &returned {
            match *returned {
                Returned::Nothing => {
                    if out == Out::Unknown {
                        out = Out::Nothing;
                    }
                }
                Returned::Float(id, width) => {
                    out = Out::Float(width);
                    ids.push(id);
                }
                Returned::Whole(id, width) | Returned::Perhaps(id, width) => {
                    if !matches!(out, Out::Float(_)) {
                        bytes = bytes.max(width);
                        out = Out::Whole(bytes);
                        ids.push(id);
                    }
                }
            }
        }
        let is_perhaps = returned
            .iter()
            .all(|returned| matches!(returned, Returned::Perhaps(..) | Returned::Nothing));
        let mut sources: Vec<Id> = Vec::new();
        for id in ids.iter().take(16) {
            for source in self.sources(*id) {
                if !sources.contains(&source) && sources.len() < 32 {
                    sources.push(source);
                }
            }
        }
        if matches!(out, Out::Whole(_)) {
            out = self.whole(&sources, bytes, is_perhaps);
        }
        self.facts.out = out;
        match out {
            Out::Nothing => {
                self.add(Concept::ReturnsNothing);
                return;
            }
            Out::Structure | Out::Unknown => return,
            _ => {}
        }
        let many = sources.len() > 1;
        if many {
            self.once(Concept::EarlyReturn);
        }
        for source in &sources {
            self.returned(*source, bytes, out, many);
        }
    }

    /// Returns `true` if a value is 1 or 0 by a condition.
    fn is_truth(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Compare(..) => true,
            Node::Constant(number) => number == 0 || number == 1,
            _ => false,
        }
    }

    /// Returns `true` if a value is a truth value of which the lowest bit is taken, as compilers do with `bool`.
    pub(super) fn is_truth_mask(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Binary(Op::And, left, right, _) if self.graph.number(right) == Some(1) => {
                let sources = self.sources(left);
                !sources.is_empty() && sources.iter().all(|source| self.is_truth(*source))
            }
            _ => false,
        }
    }

    /// The kind of a whole number that is returned.
    fn whole(&mut self, sources: &[Id], bytes: u8, is_perhaps: bool) -> Out {
        let is_plain = self.trace.is_plain;
        if bytes == 1
            && !sources.is_empty()
            && sources
                .iter()
                .all(|id| self.is_truth(*id) || self.is_truth_mask(*id))
        {
            return Out::Truth;
        }
        if bytes == 4
            && is_plain
            && !sources.is_empty()
            && sources.iter().all(|id| {
                // The truth value of C++ is made of bytes; the `int` of C is widened.
                matches!(self.graph.node(*id), Node::Compare(..)) || self.is_truth_mask(*id)
            })
        {
            return Out::Truth;
        }
        // The address that came first comes back: the caller gave room for a structure.
        if bytes == 8 && is_plain && sources.len() == 1 {
            let origin = sources.first().map(|id| self.origin(*id));
            if let Some(origin) = origin
                && origin.offset == 0
                && origin.index.is_none()
                && !origin.is_walked
                && self.parameter_of.get(&origin.root) == Some(&0)
                && self.facts.parameters.first().is_some_and(|first| {
                    first.class == Class::Whole(8)
                        && !first.is_read
                        && first.strides.is_empty()
                        && (first.is_passed || first.is_written)
                })
            {
                return Out::Structure;
            }
        }
        let mut is_pointer = false;
        let mut is_number = false;
        for source in sources {
            let origin = self.origin(*source);
            match self.graph.node(origin.root) {
                Node::Address(..) | Node::Frame(_) => is_pointer = true,
                Node::Initial(_) => {
                    let number = self.parameter_of.get(&origin.root);
                    let parameter = number.and_then(|number| self.facts.parameters.get(*number));
                    if parameter.is_some_and(|it| !it.pointed.is_empty()) {
                        is_pointer = true;
                    } else if parameter.is_some_and(|it| it.is_number) {
                        is_number = true;
                    }
                }
                Node::Binary(op, ..) if !matches!(op, Op::Add | Op::Subtract) => {
                    is_number = true;
                }
                Node::Binary(Op::Subtract, ..) | Node::Unary(..) | Node::Compare(..) => {
                    is_number = true;
                }
                Node::Choice(_) if origin.is_walked => is_number = true,
                _ => {}
            }
        }
        if is_perhaps
            && sources
                .iter()
                .all(|id| matches!(self.graph.node(*id), Node::Initial(_) | Node::Unknown))
            && !is_pointer
            && !is_number
        {
            return Out::Nothing;
        }
        match bytes {
            0 => Out::Unknown,
            width if width == self.trace.pointer && is_pointer => Out::Pointer,
            8 if is_number || self.trace.pointer == 4 => Out::Whole(8),
            8 => Out::Word,
            other => Out::Whole(other),
        }
    }

    fn returned(&mut self, source: Id, bytes: u8, out: Out, many: bool) {
        let beneath = self.graph.bare(source);
        match self.graph.node(beneath) {
            Node::Constant(number) => {
                let number = match bytes {
                    1 => number & 0xff,
                    4 => i64::from(number as i32),
                    _ => number,
                };
                if !many {
                    self.once(Concept::ReturnsConstant);
                }
                let concept = match (out, number) {
                    (Out::Truth, 0) => Some(Concept::ReturnsFalse),
                    (Out::Truth, 1) => Some(Concept::ReturnsTrue),
                    (Out::Pointer | Out::Word, 0) => Some(Concept::ReturnsNull),
                    (_, 0) => Some(Concept::ReturnsZero),
                    (_, 1) => Some(Concept::ReturnsOne),
                    (_, -1) => Some(Concept::ReturnsMinusOne),
                    _ => None,
                };
                match concept {
                    Some(concept) => self.once(concept),
                    None => self.facts.literals.push(Literal::Whole(number)),
                }
            }
            Node::Float(bits) => self
                .facts
                .literals
                .push(Literal::Float(f64::from_bits(bits))),
            Node::Initial(_) => {
                if let Some(number) = self.parameter_of.get(&beneath).copied() {
                    if let Some(parameter) = self.facts.parameters.get_mut(number) {
                        parameter.is_returned = true;
                    }
                    self.once(Concept::ReturnsParameter);
                }
            }
            Node::Load(address, ..) => {
                let origin = self.origin(address);
                if origin.index.is_some() || origin.is_walked {
                    self.once(Concept::ReturnsElement);
                } else {
                    self.once(Concept::ReturnsMember);
                }
            }
            Node::Compare(..) => self.once(Concept::ReturnsComparison),
            Node::Frame(_) => self.once(Concept::ReturnsAddress),
            Node::Address(..) => self.once(if self.trace.instructions < 24 {
                Concept::ReturnsLiteral
            } else {
                Concept::ReturnsAddress
            }),
            Node::Call(_) => self.once(Concept::ReturnsCall),
            Node::Binary(..) if self.is_truth_mask(beneath) => {
                self.once(Concept::ReturnsComparison);
            }
            Node::Binary(..) | Node::Unary(..) => {
                let origin = self.origin(beneath);
                if matches!(out, Out::Pointer | Out::Word)
                    && self.parameter_of.contains_key(&origin.root)
                {
                    self.once(Concept::ReturnsAddress);
                } else {
                    self.once(Concept::ReturnsArithmetic);
                }
            }
            Node::Choice(_) | Node::Unknown => self.once(Concept::ReturnsLocal),
        }
    }
}
