//! Assembly of x86-64, evaluated.

mod branch;
mod float;
mod step;
mod whole;

use std::collections::HashMap;

use super::graph::{Block, Condition, Graph, Id, Location, Node, Op};
use super::instruction::{Kind, Memory, Operand, Register};
use super::layout::{Layout, Placed, Target};
use super::operation::Verb;
use super::trace::{self, Callee, Class, Event, Returned, Test, Trace};

/// The registers of whole parameters, in order.
const WHOLE: [u8; 6] = [7, 6, 2, 1, 8, 9];
/// Registers that a call may change, but `rax`.
const CHANGED: [u8; 8] = [1, 2, 6, 7, 8, 9, 10, 11];
const RAX: Location = Location::Register(0);
const RCX: Location = Location::Register(1);
const RDX: Location = Location::Register(2);
const RSP: Location = Location::Register(4);
const RBP: Location = Location::Register(5);
const RSI: Location = Location::Register(6);
const RDI: Location = Location::Register(7);

/// The comparison or result that the flags are set by.
#[derive(Clone, Copy)]
struct Flags {
    left: Id,
    right: Id,
    bytes: u8,
    is_float: bool,
}

struct Machine<'a> {
    graph: Graph,
    events: Vec<(usize, Event)>,
    block: usize,
    flags: Option<Flags>,
    symbols: HashMap<&'a str, u32>,
    calls: usize,
    /// Parameter registers written since the last call, whole and vector.
    set: [bool; 6],
    set_vector: [bool; 8],
    /// The time of the last writes of `rax` and `xmm0`, and their widths.
    whole: (usize, u8),
    vector: (usize, u8),
    at: usize,
    /// The frame of the body, for blocks that no known jump leads to.
    body: Option<(Id, Id)>,
    /// True if the last comparison was the guard of the stack.
    is_guard: bool,
    skip_call: bool,
    is_plain: bool,
    /// The widths in which parameters are read.
    widths: HashMap<Location, u8>,
}

/// Evaluates a listing.
pub(super) fn trace(layout: &Layout<'_>) -> Trace {
    let code = &layout.code;
    let (starts, blocks) = blocks(code);
    let (loops, depth) = trace::loops(&blocks);
    let mut machine = Machine {
        graph: Graph::new(blocks.clone(), code.len()),
        events: Vec::new(),
        block: 0,
        flags: None,
        symbols: HashMap::new(),
        calls: 0,
        set: [false; 6],
        set_vector: [false; 8],
        whole: (0, 0),
        vector: (0, 0),
        at: 0,
        body: None,
        is_guard: false,
        skip_call: false,
        is_plain: is_plain(code),
        widths: HashMap::new(),
    };
    let frame = machine.graph.add(Node::Frame(0));
    machine.graph.write(0, RSP, frame);
    let mut exits: Vec<Option<(Id, Id)>> = vec![None; blocks.len()];
    for (block, &start) in starts.iter().enumerate() {
        machine.block = block;
        machine.flags = machine.flags.filter(|_| block > 0);
        if block > 0 {
            let before = blocks
                .get(block)
                .map_or(&[][..], |block| block.before.as_slice());
            let known = before
                .iter()
                .find_map(|before| exits.get(*before).copied().flatten())
                .or(machine.body);
            if let Some((stack, base)) = known {
                machine.graph.write(block, RSP, stack);
                if matches!(machine.graph.node(base), Node::Frame(_)) {
                    machine.graph.write(block, RBP, base);
                }
            }
        }
        let end = starts.get(block + 1).copied().unwrap_or(code.len());
        for at in start..end {
            machine.at = at + 1;
            machine.step(code, at);
        }
        let stack = machine.graph.read(block, RSP);
        let base = machine.graph.read(block, RBP);
        if let Some(exit) = exits.get_mut(block) {
            *exit = Some((stack, base));
        }
        if matches!(machine.graph.node(base), Node::Frame(_)) || block == 0 {
            machine.body = Some((stack, base));
        }
    }
    machine.events.extend(
        layout
            .texts
            .iter()
            .map(|text| (0, Event::Text((*text).to_owned()))),
    );
    machine.graph.finish();
    let parameters = machine.parameters();
    Trace {
        graph: machine.graph,
        events: machine.events,
        parameters,
        is_counted: machine.is_plain,
        depth,
        is_endless: loops.len() <= 64 && trace::is_endless(&blocks, &loops),
        loops,
        pointer: 8,
        is_plain: machine.is_plain,
        instructions: code.len(),
    }
}

/// Returns `true` if the function keeps its parameters and variables in a frame, as unoptimized code does.
fn is_plain(code: &[Placed<'_>]) -> bool {
    let mut is_frame = false;
    for placed in code.iter().take(12) {
        let operands = &placed.instruction.operands;
        match (placed.verb, operands.as_slice()) {
            (Verb::Move, [Operand::Register(from), Operand::Register(to)])
                if from.number == 4 && to.number == 5 =>
            {
                is_frame = true;
            }
            (Verb::Move | Verb::FloatMove(_), [Operand::Register(_), Operand::Memory(memory)])
                if is_frame && memory.base.is_some_and(|base| base.number == 5) =>
            {
                return true;
            }
            _ => {}
        }
    }
    // A function without parameters.
    is_frame && !code.iter().any(|placed| {
        placed.instruction.operands.iter().any(|operand| {
            matches!(operand, Operand::Register(register)
                if register.kind == Kind::General && matches!(register.number, 8..=15) && register.number > 11)
        })
    })
}

/// The starts of the blocks, and what leads to each.
fn blocks(code: &[Placed<'_>]) -> (Vec<usize>, Vec<Block>) {
    let mut is_start = vec![false; code.len() + 1];
    is_start[0] = true;
    for (at, placed) in code.iter().enumerate() {
        let ends = matches!(
            placed.verb,
            Verb::Goto | Verb::Jump(_) | Verb::Return | Verb::Stop
        );
        if ends && let Some(next) = is_start.get_mut(at + 1) {
            *next = true;
        }
        if ends
            && let Target::Inside(target) = placed.target
            && let Some(target) = is_start.get_mut(target)
        {
            *target = true;
        }
    }
    let starts: Vec<usize> = (0..code.len())
        .filter(|at| is_start.get(*at) == Some(&true))
        .collect();
    let mut of = vec![0; code.len()];
    let mut block = 0;
    for (at, of) in of.iter_mut().enumerate() {
        if at > 0 && is_start.get(at) == Some(&true) {
            block += 1;
        }
        *of = block;
    }
    let mut blocks = vec![Block::default(); starts.len()];
    let mut switch = None;
    for (block, _) in starts.iter().enumerate() {
        let last = starts.get(block + 1).map_or(code.len(), |next| *next);
        let Some(placed) = last.checked_sub(1).and_then(|last| code.get(last)) else {
            continue;
        };
        let falls = !matches!(placed.verb, Verb::Goto | Verb::Return | Verb::Stop);
        if falls && let Some(next) = blocks.get_mut(block + 1) {
            next.before.push(block);
        }
        if matches!(placed.verb, Verb::Goto | Verb::Jump(_))
            && let Target::Inside(target) = placed.target
            && let Some(target) = of.get(target).and_then(|of| blocks.get_mut(*of))
            && !target.before.contains(&block)
            && target.before.len() < 64
        {
            target.before.push(block);
        }
        if placed.verb == Verb::Goto && placed.instruction.is_indirect {
            switch = Some(block);
        }
    }
    for (at, block) in blocks.iter_mut().enumerate() {
        if at == 0 {
            block.is_entry = true;
        } else if block.before.is_empty() {
            block
                .before
                .push(switch.filter(|switch| *switch < at).unwrap_or(0));
        }
    }
    (starts, blocks)
}

impl<'a> Machine<'a> {
    fn event(&mut self, event: Event) {
        self.events.push((self.block, event));
    }

    fn work(&mut self, id: Id) -> Id {
        if matches!(self.graph.node(id), Node::Unary(..) | Node::Binary(..)) {
            self.event(Event::Work(id));
        }
        id
    }

    fn location(register: Register) -> Option<Location> {
        match register.kind {
            Kind::General => Some(Location::Register(register.number)),
            Kind::Vector => Some(Location::Vector(register.number)),
            _ => None,
        }
    }

    fn register(&mut self, register: Register) -> Id {
        let Some(location) = Self::location(register) else {
            return Graph::UNKNOWN;
        };
        let id = self.read(location);
        if let Node::Initial(of) = self.graph.node(id)
            && of == location
            && register.kind == Kind::General
        {
            let width = self.widths.entry(location).or_insert(register.bytes);
            *width = (*width).min(register.bytes);
        }
        if register.is_high {
            let eight = self.graph.constant(8);
            return self.graph.binary(Op::ShiftRight, id, eight, 1);
        }
        if register.bytes == 1
            && register.kind == Kind::General
            && let Node::Constant(number) = self.graph.node(id)
        {
            return self.graph.constant(number & 0xff);
        }
        id
    }

    fn set(&mut self, register: Register, id: Id) {
        let Some(location) = Self::location(register) else {
            return;
        };
        self.write(location, id);
        if let Location::Register(number) = location {
            if let Some(at) = WHOLE.iter().position(|one| *one == number)
                && let Some(set) = self.set.get_mut(at)
            {
                *set = true;
            }
            if number == 0 {
                self.whole = (self.at, register.bytes);
            }
        } else {
            if let Some(set) = self.set_vector.get_mut(usize::from(register.number)) {
                *set = true;
            }
            if register.number == 0 {
                self.vector = (self.at, 8);
            }
        }
    }

    fn address(&mut self, memory: &Memory<'a>, comment: Option<u64>) -> Id {
        if memory.segment {
            return Graph::UNKNOWN;
        }
        let displacement = memory.displacement.unwrap_or(0);
        let is_pointer = memory.base.is_some_and(|base| base.kind == Kind::Pointer);
        let mut sum = if let Some(symbol) = memory.symbol {
            let next = u32::try_from(self.symbols.len() + 1).unwrap_or(u32::MAX);
            let number = *self.symbols.entry(symbol).or_insert(next);
            self.graph.add(Node::Address(number, displacement))
        } else if is_pointer {
            let at = comment.map_or(displacement, u64::cast_signed);
            self.graph.add(Node::Address(0, at))
        } else if let Some(base) = memory.base {
            self.register(base)
        } else if memory.index.is_none() {
            self.graph.add(Node::Address(0, displacement))
        } else {
            self.graph.constant(0)
        };
        if let (Some(_), Some(base)) = (
            memory.symbol,
            memory.base.filter(|base| base.kind == Kind::General),
        ) {
            let base = self.register(base);
            sum = self.graph.binary(Op::Add, sum, base, 8);
        }
        if let Some(index) = memory.index {
            let index = self.register(index);
            let scale = self.graph.constant(i64::from(memory.scale.max(1)));
            let index = if memory.scale > 1 {
                self.graph.binary(Op::Multiply, index, scale, 8)
            } else {
                index
            };
            sum = self.graph.binary(Op::Add, sum, index, 8);
        }
        if !is_pointer
            && memory.symbol.is_none()
            && displacement != 0
            && (memory.base.is_some() || memory.index.is_some())
        {
            let displacement = self.graph.constant(displacement);
            sum = self.graph.binary(Op::Add, sum, displacement, 8);
        }
        sum
    }

    fn load(&mut self, address: Id, bytes: u8, is_float: bool) -> Id {
        if let Node::Frame(at) = self.graph.node(address) {
            return self.read(Location::Slot(at));
        }
        if address == Graph::UNKNOWN {
            return Graph::UNKNOWN;
        }
        let id = self.graph.add(Node::Load(address, bytes, is_float));
        self.event(Event::Load(id));
        id
    }

    fn store(&mut self, address: Id, value: Id, bytes: u8) {
        if let Node::Frame(at) = self.graph.node(address) {
            if let Node::Initial(of) = self.graph.node(self.graph.bare(value)) {
                let width = self.widths.entry(of).or_insert(bytes);
                *width = (*width).min(bytes);
            }
            self.write(Location::Slot(at), value);
            return;
        }
        if address == Graph::UNKNOWN {
            return;
        }
        self.event(Event::Store {
            address,
            value,
            bytes,
        });
    }

    /// The value of an operand.
    fn value(&mut self, placed: &Placed<'a>, at: usize, bytes: u8, is_float: bool) -> Id {
        match placed.instruction.operands.get(at) {
            Some(Operand::Register(register)) => self.register(*register),
            Some(Operand::Immediate(number)) => {
                let number = match bytes {
                    1 => i64::from(*number as i8) & 0xff,
                    2 => i64::from(*number as i16),
                    4 => i64::from(*number as i32),
                    _ => *number,
                };
                self.graph.constant(number)
            }
            Some(Operand::Symbol(symbol)) => {
                let next = u32::try_from(self.symbols.len() + 1).unwrap_or(u32::MAX);
                let number = *self.symbols.entry(symbol).or_insert(next);
                self.graph.add(Node::Address(number, 0))
            }
            Some(Operand::Memory(memory)) => {
                let address = self.address(memory, placed.instruction.comment);
                self.load(address, bytes, is_float)
            }
            _ => Graph::UNKNOWN,
        }
    }

    /// Writes what an operand holds.
    fn assign(&mut self, placed: &Placed<'a>, at: usize, id: Id, bytes: u8) {
        match placed.instruction.operands.get(at) {
            Some(Operand::Register(register)) => self.set(*register, id),
            Some(Operand::Memory(memory)) => {
                let address = self.address(memory, placed.instruction.comment);
                self.store(address, id, bytes);
            }
            _ => {}
        }
    }

    fn test(&mut self, condition: Condition, is_jump: bool, is_back: bool) {
        if let Some(flags) = self.flags {
            self.event(Event::Test(Test {
                condition,
                left: flags.left,
                right: flags.right,
                bytes: flags.bytes,
                is_float: flags.is_float,
                is_jump,
                is_back,
            }));
        }
    }

    fn call(&mut self, callee: Callee) {
        let mut arguments = Vec::new();
        let whole = self
            .set
            .iter()
            .rposition(|set| *set)
            .map_or(0, |last| last + 1);
        for number in WHOLE.iter().take(whole) {
            let bytes = 8;
            arguments.push(self.register(Register {
                kind: Kind::General,
                number: *number,
                bytes,
                is_high: false,
            }));
        }
        let vectors = self.set_vector.iter().take_while(|set| **set).count();
        for number in (0..8).take(vectors) {
            arguments.push(self.read(Location::Vector(number)));
        }
        let number = self.calls;
        self.calls += 1;
        let result = self.graph.add(Node::Call(number));
        for argument in &arguments {
            if let Node::Frame(at) = self.graph.node(*argument) {
                self.write(Location::Slot(at), result);
            }
        }
        self.event(Event::Call { callee, arguments });
        self.write(RAX, result);
        self.whole = (self.at, 0);
        self.write(Location::Vector(0), result);
        for register in CHANGED {
            self.write(Location::Register(register), Graph::UNKNOWN);
        }
        for register in 1..8 {
            self.write(Location::Vector(register), Graph::UNKNOWN);
        }
        self.set = [false; 6];
        self.set_vector = [false; 8];
    }

    fn returns(&mut self, code: &[Placed<'a>], at: usize) {
        let before = code.get(..at).unwrap_or_default();
        let body = before.iter().rev().find(|placed| match placed.verb {
            Verb::Leave | Verb::Pop => false,
            Verb::Binary(_) | Verb::LoadAddress => !placed.instruction.changes_stack(),
            _ => true,
        });
        let is_nothing =
            self.is_plain && body.is_some_and(|placed| placed.instruction.mnemonic == "nop");
        let returned = if is_nothing || (self.whole.0 == 0 && self.vector.0 == 0) {
            Returned::Nothing
        } else if self.vector.0 > self.whole.0 {
            let id = self.read(Location::Vector(0));
            Returned::Float(id, self.vector.1)
        } else {
            let id = self.read(RAX);
            // The value that a call leaves is returned, or of no interest.
            if self.whole.1 == 0 || !self.is_plain {
                Returned::Perhaps(id, self.whole.1)
            } else {
                Returned::Whole(id, self.whole.1)
            }
        };
        self.event(Event::Return(returned));
    }

    fn width(placed: &Placed<'a>) -> u8 {
        if placed.bytes > 0 {
            return placed.bytes;
        }
        let operands = &placed.instruction.operands;
        let of = |operand: &Operand<'_>| match operand {
            Operand::Register(register) if register.kind == Kind::General => Some(register.bytes),
            Operand::Memory(memory) if memory.bytes > 0 => Some(memory.bytes),
            _ => None,
        };
        operands.iter().rev().find_map(of).unwrap_or(4)
    }

    fn is_indexed(&self, address: Id) -> bool {
        matches!(self.graph.node(address), Node::Binary(_, _, right, _) if self.graph.number(right).is_none())
    }

    fn move_stack(&mut self, by: i64) {
        let stack = self.read(RSP);
        let by = self.graph.constant(by);
        let moved = self.graph.binary(Op::Add, stack, by, 8);
        self.write(RSP, moved);
    }

    /// The parameters: registers that are read before they are written, and slots above the frame.
    fn parameters(&self) -> Vec<(Location, Class)> {
        let mut found = self.graph.entered_in_order();
        let class = |location: &Location| match location {
            Location::Vector(_) => Class::Float(self.widths.get(location).copied().unwrap_or(0)),
            _ => Class::Whole(self.widths.get(location).copied().unwrap_or(0)),
        };
        found.retain(|location| match location {
            Location::Register(number) => {
                WHOLE.contains(number) && self.widths.contains_key(location)
            }
            Location::Vector(number) => *number < 8,
            Location::Slot(at) => *at >= 8 && *at < 8 + 8 * 64,
            _ => false,
        });
        if !self.is_plain {
            // Registers before one that is read are parameters too.
            let rank = |location: &Location| match location {
                Location::Register(number) => (
                    0,
                    WHOLE.iter().position(|one| one == number).unwrap_or(0) as i64,
                ),
                Location::Vector(number) => (1, i64::from(*number)),
                Location::Slot(at) => (2, *at),
                _ => (3, 0),
            };
            let last = found
                .iter()
                .filter(|it| matches!(it, Location::Register(_)))
                .map(|it| rank(it).1)
                .max();
            if let Some(last) = last {
                for number in WHOLE.iter().take(usize::try_from(last).unwrap_or(0)) {
                    if !found.contains(&Location::Register(*number)) {
                        found.push(Location::Register(*number));
                    }
                }
            }
            found.sort_by_key(rank);
        }
        found
            .iter()
            .map(|location| (*location, class(location)))
            .collect()
    }
}
