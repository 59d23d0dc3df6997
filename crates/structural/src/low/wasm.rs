//! WebAssembly text, evaluated: the operand stack, local variables, and the frame that unoptimized code keeps in memory.

mod blocks;
mod operation;
mod text;

use std::collections::{HashMap, HashSet};

use blocks::Shape;
use text::{Function, Instruction};

use super::graph::{Condition, Graph, Id, Location, Node, Op};
use super::trace::{self, Callee, Class, Event, Returned, Test, Trace};

struct Machine<'a> {
    graph: Graph,
    events: Vec<(usize, Event)>,
    block: usize,
    stack: Vec<Id>,
    calls: usize,
    globals: HashMap<&'a str, u32>,
    widths: HashMap<u32, u8>,
    name: Option<&'a str>,
    /// Local variables that one instruction sets.
    once: HashSet<Location>,
    /// Those of them that the first block has set: they have the value from then on, in loops too. The position of the
    /// frame is one.
    fixed: HashMap<Location, Id>,
}

/// Evaluates a function.
pub(super) fn trace(text: &str) -> Option<Trace> {
    let function = text::read(text);
    if function.code.is_empty() && function.parameters.is_empty() && function.result.is_none() {
        return None;
    }
    let shape = blocks::shape(&function.code);
    let (loops, depth) = trace::loops(&shape.blocks);
    let mut machine = Machine {
        graph: Graph::new(shape.blocks.clone(), function.code.len()),
        events: Vec::new(),
        block: 0,
        stack: Vec::new(),
        calls: 0,
        globals: HashMap::new(),
        widths: HashMap::new(),
        name: function.name,
        once: set_once(&function),
        fixed: HashMap::new(),
    };
    // Parameters are what they are even if they are not read; other local variables start at zero.
    for number in 0..function.parameters.len() {
        let location = Location::Local(u32::try_from(number).unwrap_or(0));
        machine.graph.read(0, location);
    }
    let mut ended = false;
    for (at, instruction) in function.code.iter().enumerate() {
        machine.block = shape.block_of.get(at).copied().unwrap_or(0);
        ended = instruction.name == "return";
        machine.step(instruction, at, &shape, &function);
    }
    if !ended {
        let value = machine.stack.pop();
        machine.returns(value, function.result);
    }
    machine.graph.finish();
    let parameters = function
        .parameters
        .iter()
        .enumerate()
        .map(|(number, kind)| {
            let number = u32::try_from(number).unwrap_or(0);
            let class = match *kind {
                "f32" => Class::Float(4),
                "f64" => Class::Float(8),
                "i64" => Class::Whole(8),
                _ => Class::Whole(machine.widths.get(&number).copied().unwrap_or(4)),
            };
            (Location::Local(number), class)
        })
        .collect();
    let is_plain =
        function.code.iter().any(|it| it.name == "global.get") || function.code.len() < 4;
    Some(Trace {
        graph: machine.graph,
        events: machine.events,
        parameters,
        is_counted: true,
        depth,
        is_endless: function.result.is_none() && trace::is_endless(&shape.blocks, &loops),
        loops,
        pointer: 4,
        is_plain,
        instructions: function.code.len(),
    })
}

fn set_once(function: &Function<'_>) -> HashSet<Location> {
    let mut once = HashSet::new();
    let mut again = HashSet::new();
    for instruction in &function.code {
        if matches!(instruction.name, "local.set" | "local.tee") {
            let location = Machine::local(instruction, function);
            if !once.insert(location) {
                again.insert(location);
            }
        }
    }
    once.retain(|location| !again.contains(location));
    once
}

/// A number as the text format writes it.
fn whole(text: &str) -> Option<i64> {
    let plain: String = text.chars().filter(|c| *c != '_').collect();
    super::instruction::number(&plain)
}

fn float(instruction: &Instruction<'_>) -> Option<f64> {
    // `0x1.8p+1 (;=3;)`
    let stated = instruction
        .comment
        .and_then(|comment| comment.strip_prefix('='));
    let text = stated.or(instruction.operands.first().copied())?;
    text.parse().ok()
}

impl<'a> Machine<'a> {
    fn event(&mut self, event: Event) {
        self.events.push((self.block, event));
    }

    fn pop(&mut self) -> Id {
        self.stack.pop().unwrap_or(Graph::UNKNOWN)
    }

    fn push(&mut self, id: Id) {
        self.stack.push(id);
    }

    fn work(&mut self, id: Id) {
        if matches!(self.graph.node(id), Node::Unary(..) | Node::Binary(..)) {
            self.event(Event::Work(id));
        }
        self.push(id);
    }

    fn local(instruction: &Instruction<'a>, function: &Function<'a>) -> Location {
        let operand = instruction.operand();
        let number = operand.parse().ok();
        let number = number.or_else(|| function.names.get(operand).copied());
        Location::Local(number.unwrap_or(u32::MAX))
    }

    fn returns(&mut self, value: Option<Id>, result: Option<&str>) {
        let value = value.unwrap_or(Graph::UNKNOWN);
        self.event(Event::Return(match result {
            Some("f32") => Returned::Float(value, 4),
            Some("f64") => Returned::Float(value, 8),
            Some("i64") => Returned::Whole(value, 8),
            Some(_) => Returned::Whole(value, 4),
            None => Returned::Nothing,
        }));
    }

    /// A condition on the stack, as what is compared.
    fn condition(&mut self, id: Id, is_jump: bool, is_back: bool) {
        let mut id = self.graph.bare(id);
        let mut is_opposite = false;
        for _ in 0..8 {
            let Some((inner, is_turned)) = self.test_of_truth(id) else {
                break;
            };
            is_opposite ^= is_turned;
            id = self.graph.bare(inner);
        }
        let (condition, left, right) = match self.graph.node(id) {
            Node::Compare(condition, left, right) => (condition, left, right),
            _ => (Condition::NotEqual, id, self.graph.constant(0)),
        };
        self.event(Event::Test(Test {
            condition: if is_opposite {
                condition.opposite()
            } else {
                condition
            },
            left,
            right,
            bytes: 4,
            is_float: self.is_float(left) || self.is_float(right),
            is_jump,
            is_back,
        }));
    }

    /// The truth value that a value only tests again, and whether it is turned around.
    fn test_of_truth(&self, id: Id) -> Option<(Id, bool)> {
        let number = |id: Id| self.graph.number(id);
        let found = match self.graph.node(id) {
            Node::Compare(condition @ (Condition::Equal | Condition::NotEqual), left, right)
                if number(right) == Some(0) =>
            {
                (left, condition == Condition::Equal)
            }
            Node::Binary(Op::And, left, right, _) if number(right) == Some(1) => (left, false),
            Node::Binary(Op::Xor, left, right, _) if matches!(number(right), Some(1 | -1)) => {
                (left, true)
            }
            _ => return None,
        };
        self.is_truth(found.0).then_some(found)
    }

    fn is_truth(&self, id: Id) -> bool {
        match self.graph.node(self.graph.bare(id)) {
            Node::Compare(..) => true,
            Node::Binary(Op::And | Op::Xor, left, right, _) => {
                matches!(self.graph.number(right), Some(1 | -1))
                    && matches!(
                        self.graph.node(self.graph.bare(left)),
                        Node::Compare(..) | Node::Binary(..)
                    )
            }
            _ => false,
        }
    }

    fn is_float(&self, id: Id) -> bool {
        match self.graph.node(id) {
            Node::Float(_) | Node::Load(_, _, true) => true,
            Node::Unary(op, ..) => op.is_float() || matches!(op, Op::ToFloat | Op::Precision),
            Node::Binary(op, ..) => op.is_float(),
            _ => false,
        }
    }

    fn step(
        &mut self,
        instruction: &Instruction<'a>,
        at: usize,
        shape: &Shape,
        function: &Function<'a>,
    ) {
        match instruction.name {
            "local.get" => {
                let location = Self::local(instruction, function);
                let id = match self.fixed.get(&location) {
                    Some(id) => *id,
                    None => self.graph.read(self.block, location),
                };
                self.push(id);
            }
            "local.set" | "local.tee" => {
                let location = Self::local(instruction, function);
                let id = self.pop();
                self.graph.write(self.block, location, id);
                if self.block == 0 && self.once.contains(&location) {
                    self.fixed.insert(location, id);
                }
                if instruction.name == "local.tee" {
                    self.push(id);
                }
            }
            "global.get" => self.global(instruction.operand()),
            "global.set" | "drop" => {
                self.pop();
            }
            "i32.const" | "i64.const" => self.constant(instruction),
            "f32.const" | "f64.const" => {
                let id = match float(instruction) {
                    Some(number) => self.graph.add(Node::Float(number.to_bits())),
                    None => Graph::UNKNOWN,
                };
                self.push(id);
            }
            "select" => self.select(),
            "br_if" => {
                let condition = self.pop();
                let lead = shape.leads.get(&at).copied();
                let (_, is_back, value) = lead.unwrap_or((0, false, None));
                if let Some(label) = value {
                    let id = self.stack.last().copied().unwrap_or(Graph::UNKNOWN);
                    self.graph.write(self.block, Location::Left(label), id);
                }
                self.condition(condition, true, is_back);
            }
            "if" => {
                let condition = self.pop();
                // The body follows where it holds: as a jump past it where it does not.
                let left = self.graph.bare(condition);
                let right = self.graph.constant(0);
                let not = self.graph.add(Node::Compare(Condition::Equal, left, right));
                self.condition(not, true, false);
            }
            "br" => {
                if let Some((_, _, Some(label))) = shape.leads.get(&at).copied() {
                    let id = self.pop();
                    self.graph.write(self.block, Location::Left(label), id);
                }
            }
            "br_table" => {
                self.pop();
                self.event(Event::Switch);
            }
            "end" => {
                if let Some(label) = shape.takes.get(&at).copied() {
                    let before = self.block.saturating_sub(1);
                    if let Some(id) = self.stack.pop() {
                        self.graph.write(before, Location::Left(label), id);
                    }
                    let id = self.graph.read(self.block, Location::Left(label));
                    self.push(id);
                }
            }
            "return" => {
                let value = self.stack.pop();
                self.returns(value, function.result);
            }
            "unreachable" => self.event(Event::Stop),
            "call" | "return_call" => {
                let name = instruction.operand();
                self.call(if self.name == Some(name) {
                    Callee::Itself
                } else if name.starts_with('$') {
                    Callee::Named(name.to_owned())
                } else {
                    Callee::Unknown
                });
            }
            "call_indirect" | "return_call_indirect" => {
                let value = self.pop();
                self.call(Callee::Value(value));
            }
            "memory.copy" | "memory.fill" => {
                self.pop();
                let value = self.pop();
                let address = self.pop();
                self.event(Event::Many {
                    address,
                    value,
                    is_copy: instruction.name == "memory.copy",
                });
            }
            "memory.size" => self.push(Graph::UNKNOWN),
            _ => self.operation(instruction),
        }
    }

    /// A global variable; the first is the pointer to the stack.
    fn global(&mut self, name: &'a str) {
        let next = u32::try_from(self.globals.len()).unwrap_or(0);
        let location = Location::Global(*self.globals.entry(name).or_insert(next));
        let is_stack =
            matches!(name, "0" | "$__stack_pointer" | "$global_0") || name.contains("stack");
        let id = if !is_stack {
            self.graph.read(self.block, location)
        } else if let Some(id) = self.graph.written_in(0, location) {
            id
        } else {
            let id = self.graph.add(Node::Frame(0));
            self.graph.write(0, location, id);
            id
        };
        self.push(id);
    }

    /// A whole number; an address where the linker puts constants and variables.
    fn constant(&mut self, instruction: &Instruction<'a>) {
        let operand = instruction.operand();
        let id = match whole(operand) {
            Some(number)
                if instruction.name == "i32.const" && (0x1_0000..0x1_4000).contains(&number) =>
            {
                self.graph.add(Node::Address(1, number))
            }
            Some(number) => self.graph.constant(number),
            None => {
                let symbol = operand.split('+').next().unwrap_or(operand);
                let next = u32::try_from(self.globals.len() + 2).unwrap_or(2);
                let number = *self.globals.entry(symbol).or_insert(next);
                self.graph.add(Node::Address(number, 0))
            }
        };
        self.push(id);
    }

    fn select(&mut self) {
        let condition = self.pop();
        let other = self.pop();
        let one = self.pop();
        self.condition(condition, false, false);
        if let Node::Compare(condition, left, right) = self.graph.node(self.graph.bare(condition)) {
            self.event(Event::Select {
                values: [one, other],
                compared: [left, right],
                condition,
            });
        }
        let id = self.graph.either(one, other);
        self.push(id);
    }

    fn call(&mut self, callee: Callee) {
        // The text does not show the number of values that it takes: all values on the stack.
        let arguments: Vec<Id> = std::mem::take(&mut self.stack);
        let number = self.calls;
        self.calls += 1;
        let result = self.graph.add(Node::Call(number));
        for argument in &arguments {
            if let Node::Frame(at) = self.graph.node(*argument) {
                self.graph.write(self.block, Location::Slot(at), result);
            }
        }
        self.event(Event::Call { callee, arguments });
        self.push(result);
    }
}
