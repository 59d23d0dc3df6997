//! The blocks of a function and what leads to each.

use std::collections::{BTreeMap, HashMap};

use super::super::graph::Block;
use super::text::Instruction;

/// The block of each instruction, and the targets of branches.
#[derive(Default)]
pub(super) struct Shape {
    pub(super) blocks: Vec<Block>,
    pub(super) block_of: Vec<usize>,
    /// For a branch: the block it leads to, whether that is back, and the label that gets a value.
    pub(super) leads: HashMap<usize, (usize, bool, Option<u32>)>,
    /// For an `end`: the label whose value is used.
    pub(super) takes: HashMap<usize, u32>,
}

/// Finds the blocks.
pub(super) fn shape(code: &[Instruction<'_>]) -> Shape {
    let mut numbers = Numbers::of(code);
    let block_of = std::mem::take(&mut numbers.block_of);
    let mut linker = Linker {
        shape: Shape {
            blocks: vec![Block::default(); numbers.last + 1],
            block_of,
            ..Shape::default()
        },
        labels: Vec::new(),
        opened: 0,
    };
    linker.link_all(code, &numbers);
    let mut shape = linker.shape;
    // `else` is reached from its `if` only.
    for (start, other) in &numbers.elses {
        let (start, other) = (shape.block_of[*start], shape.block_of[*other]);
        if let Some(block) = shape.blocks.get_mut(other) {
            block.before = vec![start];
        }
    }
    for (at, block) in shape.blocks.iter_mut().enumerate() {
        block.is_entry = at == 0;
    }
    shape
}

/// Numbers of blocks: a new one starts behind every branch and at every label.
struct Numbers {
    block_of: Vec<usize>,
    last: usize,
    /// For what opens a block, its `end` and its `else`.
    ends: HashMap<usize, usize>,
    elses: BTreeMap<usize, usize>,
}

impl Numbers {
    fn of(code: &[Instruction<'_>]) -> Self {
        let mut numbers = Numbers {
            block_of: Vec::with_capacity(code.len()),
            last: 0,
            ends: HashMap::new(),
            elses: BTreeMap::new(),
        };
        let mut open: Vec<usize> = Vec::new();
        for (at, instruction) in code.iter().enumerate() {
            match instruction.name {
                "block" | "if" => open.push(at),
                "loop" => {
                    numbers.last += 1;
                    open.push(at);
                }
                "else" => {
                    if let Some(&start) = open.last() {
                        numbers.elses.insert(start, at);
                    }
                    numbers.last += 1;
                }
                "end" => {
                    if let Some(start) = open.pop() {
                        numbers.ends.insert(start, at);
                    }
                    numbers.last += 1;
                }
                _ => {}
            }
            numbers.block_of.push(numbers.last);
            let branches = matches!(instruction.name, "br" | "br_if" | "br_table" | "if");
            numbers.last += usize::from(branches || leaves(instruction.name));
        }
        numbers
    }
}

/// Returns `true` if an instruction leaves the function.
fn leaves(name: &str) -> bool {
    matches!(
        name,
        "return" | "unreachable" | "return_call" | "return_call_indirect"
    )
}

/// A label that a branch may lead to.
struct Label<'a> {
    number: u32,
    name: Option<&'a str>,
    is_loop: bool,
    /// The block that its start or end is.
    target: usize,
    leaves: bool,
}

struct Linker<'a> {
    shape: Shape,
    labels: Vec<Label<'a>>,
    opened: u32,
}

impl<'a> Linker<'a> {
    fn link(&mut self, from: usize, to: usize) {
        if let Some(to) = self.shape.blocks.get_mut(to)
            && to.before.len() < 64
            && !to.before.contains(&from)
        {
            to.before.push(from);
        }
    }

    fn link_all(&mut self, code: &[Instruction<'a>], numbers: &Numbers) {
        let mut is_dead = false;
        let mut before = self.shape.block_of.first().copied().unwrap_or(0);
        for (at, instruction) in code.iter().enumerate() {
            let here = self.shape.block_of[at];
            // Falling into the next block.
            if here != before {
                for from in before..here {
                    if !is_dead {
                        self.link(from, from + 1);
                    }
                }
                is_dead = false;
            }
            match instruction.name {
                "block" | "loop" | "if" => self.open(at, instruction, numbers),
                // The end of what came before leads to the end.
                "else" if at > 0 => {
                    if let Some(target) = self.labels.last().map(|label| label.target) {
                        self.link(before, target);
                    }
                }
                "end" => {
                    if let Some(label) = self.labels.pop()
                        && label.leaves
                    {
                        self.shape.takes.insert(at, label.number);
                    }
                }
                "br" | "br_if" | "br_table" => {
                    self.branch(at, instruction);
                    is_dead = instruction.name != "br_if";
                }
                name => is_dead |= leaves(name),
            }
            before = here;
        }
    }

    fn open(&mut self, at: usize, instruction: &Instruction<'a>, numbers: &Numbers) {
        let here = self.shape.block_of[at];
        let is_loop = instruction.name == "loop";
        let end = numbers.ends.get(&at);
        let end = end.map_or(numbers.last, |end| self.shape.block_of[*end]);
        if instruction.name == "if" {
            let otherwise = numbers.elses.get(&at);
            let otherwise = otherwise.map_or(end, |other| self.shape.block_of[*other]);
            self.link(here, otherwise);
            self.shape.leads.insert(at, (otherwise, false, None));
        }
        self.labels.push(Label {
            number: self.opened,
            name: Some(instruction.operand()).filter(|it| it.starts_with('$')),
            is_loop,
            target: if is_loop { here } else { end },
            leaves: instruction.leaves && !is_loop,
        });
        self.opened += 1;
    }

    fn branch(&mut self, at: usize, instruction: &Instruction<'a>) {
        let here = self.shape.block_of[at];
        for (number, operand) in instruction.operands.iter().enumerate() {
            let is_named = |label: &Label<'a>| label.name == Some(*operand);
            let depth = operand.parse::<usize>().ok();
            let depth = depth.or_else(|| self.labels.iter().rev().position(is_named));
            let Some(label) = depth.and_then(|depth| self.labels.iter().rev().nth(depth)) else {
                continue;
            };
            let (target, is_loop) = (label.target, label.is_loop);
            let value = label.leaves.then_some(label.number);
            self.link(here, target);
            if number == 0 {
                self.shape.leads.insert(at, (target, is_loop, value));
            }
        }
    }
}
