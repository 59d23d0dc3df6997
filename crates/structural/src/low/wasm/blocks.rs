//! The blocks of a function and what leads to each.

use std::collections::{BTreeMap, HashMap};

use super::super::graph::Block;
use super::text::Instruction;

/// A label that a branch may lead to.
struct Label {
    name: Option<String>,
    is_loop: bool,
    /// The block that its start or end is.
    target: usize,
    leaves: bool,
}

/// Where each instruction belongs, and where branches lead.
pub(super) struct Shape {
    pub(super) blocks: Vec<Block>,
    pub(super) block_of: Vec<usize>,
    /// For a branch: the block it leads to, whether that is back, and the label that gets a value.
    pub(super) leads: HashMap<usize, (usize, bool, Option<u32>)>,
    /// For an `end`: the label whose value is taken up.
    pub(super) takes: HashMap<usize, u32>,
}

/// Finds the blocks.
pub(super) fn shape(code: &[Instruction<'_>]) -> Shape {
    // Numbers of blocks: a new one starts behind every branch and at every label.
    let mut block_of = vec![0; code.len()];
    let mut ends: Vec<Option<usize>> = vec![None; code.len()];
    let mut stack: Vec<usize> = Vec::new();
    let mut elses: BTreeMap<usize, usize> = BTreeMap::new();
    let mut block = 0;
    for (at, instruction) in code.iter().enumerate() {
        match instruction.name {
            "block" => stack.push(at),
            "if" => stack.push(at),
            "loop" => {
                block += 1;
                stack.push(at);
            }
            "else" => {
                if let Some(&start) = stack.last() {
                    elses.insert(start, at);
                }
                block += 1;
            }
            "end" => {
                if let Some(start) = stack.pop()
                    && let Some(place) = ends.get_mut(start)
                {
                    *place = Some(at);
                }
                block += 1;
            }
            _ => {}
        }
        block_of[at] = block;
        if matches!(
            instruction.name,
            "br" | "br_if"
                | "br_table"
                | "if"
                | "return"
                | "unreachable"
                | "return_call"
                | "return_call_indirect"
        ) {
            block += 1;
        }
    }
    let mut blocks = vec![Block::default(); block + 1];
    let mut link = |from: usize, to: usize| {
        if let Some(to) = blocks.get_mut(to)
            && to.before.len() < 64
            && !to.before.contains(&from)
        {
            to.before.push(from);
        }
    };
    let mut labels: Vec<Label> = Vec::new();
    let mut leads = HashMap::new();
    let mut takes = HashMap::new();
    let mut label_numbers: Vec<u32> = Vec::new();
    let mut next_label = 0_u32;
    let mut is_dead = false;
    for (at, instruction) in code.iter().enumerate() {
        let here = block_of[at];
        // Falling into the next block.
        if at > 0 && here != block_of[at - 1] {
            if !is_dead {
                for from in block_of[at - 1]..here {
                    link(from, from + 1);
                }
            }
            is_dead = false;
        }
        match instruction.name {
            "block" | "loop" | "if" => {
                let is_loop = instruction.name == "loop";
                let end = ends
                    .get(at)
                    .copied()
                    .flatten()
                    .map_or(block, |end| block_of[end]);
                if instruction.name == "if" {
                    let otherwise = elses.get(&at).map_or(end, |other| block_of[*other]);
                    link(here, otherwise);
                    leads.insert(at, (otherwise, false, None));
                }
                labels.push(Label {
                    name: instruction
                        .operands
                        .first()
                        .filter(|it| it.starts_with('$'))
                        .map(|it| (*it).to_owned()),
                    is_loop,
                    target: if is_loop { here } else { end },
                    leaves: instruction.leaves && !is_loop,
                });
                label_numbers.push(next_label);
                next_label += 1;
            }
            "else" => {
                // The end of what came before leads to the end.
                if let (Some(label), true) = (labels.last(), at > 0) {
                    link(block_of[at - 1], label.target);
                }
            }
            "end" => {
                if let (Some(label), Some(number)) = (labels.pop(), label_numbers.pop())
                    && label.leaves
                {
                    takes.insert(at, number);
                }
            }
            "br" | "br_if" | "br_table" => {
                for (number, operand) in instruction.operands.iter().enumerate() {
                    let depth = operand.parse::<usize>().ok().or_else(|| {
                        labels
                            .iter()
                            .rev()
                            .position(|label| label.name.as_deref() == Some(*operand))
                    });
                    let found = depth.and_then(|depth| labels.len().checked_sub(depth + 1));
                    if let Some(place) = found
                        && let Some(label) = labels.get(place)
                    {
                        link(here, label.target);
                        if number == 0 {
                            let value = label
                                .leaves
                                .then(|| label_numbers.get(place).copied())
                                .flatten();
                            leads.insert(at, (label.target, label.is_loop, value));
                        }
                    }
                }
                is_dead = instruction.name != "br_if";
            }
            "return" | "unreachable" | "return_call" | "return_call_indirect" => is_dead = true,
            _ => {}
        }
    }
    // `else` is reached from its `if` only.
    for (start, other) in &elses {
        let (start, other) = (block_of[*start], block_of[*other]);
        if let Some(block) = blocks.get_mut(other) {
            block.before = vec![start];
        }
    }
    for (at, block) in blocks.iter_mut().enumerate() {
        block.is_entry = at == 0;
    }
    Shape {
        blocks,
        block_of,
        leads,
        takes,
    }
}
