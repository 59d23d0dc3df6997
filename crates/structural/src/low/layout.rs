//! The lines of a listing → instructions, with what each jump leads to.
//!
//! Targets are found by label, by the addresses written before the lines, or by the lengths of the instructions. In
//! the last case the address of the first instruction is unknown. It follows from an address in a comment (`# 0x2a`,
//! which counts from the end of its instruction) or in a call that is not filled in yet. Without either, it is the
//! address at which most jumps lead to the start of an instruction.

use std::collections::HashMap;

use super::instruction::{self, Instruction, Kind, Line, Operand};
use super::length;
use super::operation::{self, Verb};

/// The target of a jump or call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// It has no target, or goes to the address in a register.
    None,
    /// To an instruction of this function.
    Inside(usize),
    /// To something outside of it, with its name where one is written.
    Outside(&'a str),
}

/// An instruction at its position.
#[derive(Debug, Clone)]
pub(super) struct Placed<'a> {
    /// The instruction.
    pub(super) instruction: Instruction<'a>,
    /// The operation of the instruction.
    pub(super) verb: Verb,
    /// The width in its mnemonic, or 0.
    pub(super) bytes: u8,
    /// The target, if the instruction is a jump or call.
    pub(super) target: Target<'a>,
}

/// A function, laid out.
#[derive(Debug, Default)]
pub(super) struct Layout<'a> {
    /// Its instructions.
    pub(super) code: Vec<Placed<'a>>,
    /// Strings that its directives state.
    pub(super) texts: Vec<&'a str>,
    /// Jumps whose target was not found.
    pub(super) lost: usize,
}

/// Reads a listing. Of several functions the first is taken.
pub(super) fn read(text: &str) -> Layout<'_> {
    let mut layout = Layout::default();
    let mut labels: HashMap<&str, usize> = HashMap::new();
    let mut own_names: Vec<&str> = Vec::new();
    for line in text.lines() {
        match instruction::read(line) {
            Line::Nothing => {}
            Line::Label(name) => {
                if layout.code.is_empty() {
                    own_names.push(name);
                } else if !name.starts_with('.') && is_end(&layout.code) && !name.contains('L') {
                    // The next function.
                    break;
                }
                labels.entry(name).or_insert(layout.code.len());
            }
            Line::Text(text) => layout.texts.push(text),
            Line::Instruction(instruction) => {
                let (verb, bytes) = operation::of(&instruction);
                if is_next_function(&layout.code, &instruction) {
                    layout.code.pop();
                    break;
                }
                layout.code.push(Placed {
                    instruction,
                    verb,
                    bytes,
                    target: Target::None,
                });
            }
        }
    }
    // Padding behind the end.
    while layout.code.len() > 1
        && layout
            .code
            .last()
            .is_some_and(|last| last.verb == Verb::Nothing)
    {
        layout.code.pop();
    }
    let targets = Targets::new(&layout.code, labels, own_names);
    for index in 0..layout.code.len() {
        let target = targets.of(&layout.code, index);
        if let Some(placed) = layout.code.get_mut(index) {
            placed.target = target;
            let is_lost = matches!(placed.verb, Verb::Jump(_)) && target == Target::Outside("");
            layout.lost += usize::from(is_lost);
        }
    }
    layout
}

/// The possible targets of jumps.
struct Targets<'a> {
    addresses: Vec<u64>,
    /// The first instruction at each address.
    at: HashMap<u64, usize>,
    labels: HashMap<&'a str, usize>,
    own_names: Vec<&'a str>,
}

impl<'a> Targets<'a> {
    fn new(code: &[Placed<'_>], labels: HashMap<&'a str, usize>, own_names: Vec<&'a str>) -> Self {
        let addresses = addresses(code);
        let places = addresses.iter().enumerate().rev();
        let at = places.map(|(index, address)| (*address, index)).collect();
        Targets {
            addresses,
            at,
            labels,
            own_names,
        }
    }

    fn of(&self, code: &[Placed<'a>], index: usize) -> Target<'a> {
        let Some(placed) = code.get(index).filter(|placed| {
            matches!(placed.verb, Verb::Goto | Verb::Jump(_) | Verb::Call)
                && !placed.instruction.is_indirect
        }) else {
            return Target::None;
        };
        match placed.instruction.operands.first() {
            Some(Operand::Target(address)) => match self.at.get(address) {
                // A call that is not filled in leads to what follows it.
                _ if placed.verb == Verb::Call
                    && self.addresses.get(index + 1) == Some(address) =>
                {
                    Target::Outside("")
                }
                Some(&found) => Target::Inside(found),
                None => Target::Outside(""),
            },
            Some(Operand::Label(name)) => {
                let plain = name.split(['@', '+']).next().unwrap_or(name);
                match self.labels.get(plain) {
                    Some(&found) if found < code.len() => Target::Inside(found),
                    _ if self.own_names.contains(&plain) => Target::Inside(0),
                    _ => Target::Outside(name),
                }
            }
            _ => Target::None,
        }
    }
}

/// Returns `true` if the code so far ends with something that does not go on.
fn is_end(code: &[Placed<'_>]) -> bool {
    let last = code
        .iter()
        .rev()
        .find(|placed| placed.verb != Verb::Nothing);
    last.is_some_and(|last| {
        matches!(
            last.verb,
            Verb::Return | Verb::Goto | Verb::Stop | Verb::Call
        )
    })
}

/// Returns `true` if another function starts: `endbr64` and a new frame behind an end.
fn is_next_function(code: &[Placed<'_>], instruction: &Instruction<'_>) -> bool {
    let [before @ .., last] = code else {
        return false;
    };
    let is_frame = instruction.mnemonic == "push"
        && matches!(instruction.operands.first(),
            Some(Operand::Register(register)) if register.number == 5 && register.kind == Kind::General);
    last.instruction.mnemonic == "endbr64" && is_frame && !before.is_empty() && is_end(before)
}

/// The address of every instruction, and of what follows the last.
fn addresses(code: &[Placed<'_>]) -> Vec<u64> {
    if code
        .first()
        .is_some_and(|first| first.instruction.address.is_some())
    {
        let mut last: u64 = 0;
        let mut all: Vec<u64> = code
            .iter()
            .map(|placed| {
                last = placed.instruction.address.unwrap_or(last.saturating_add(1));
                last
            })
            .collect();
        all.push(last.saturating_add(1));
        return all;
    }
    let jumps: Vec<(usize, u64)> = code
        .iter()
        .enumerate()
        .filter(|(_, placed)| {
            matches!(placed.verb, Verb::Goto | Verb::Jump(_)) && !placed.instruction.is_indirect
        })
        .filter_map(
            |(index, placed)| match placed.instruction.operands.first() {
                Some(Operand::Target(address)) => Some((index, *address)),
                _ => None,
            },
        )
        .collect();
    let Some(&(first_jump, first_target)) = jumps.first() else {
        return laid_out(code, 0);
    };
    let rate = |all: &[u64]| {
        let sampled = jumps.iter().take(64);
        sampled
            .filter(|(_, target)| all.binary_search(target).is_ok())
            .count()
    };
    let wanted = jumps.len().min(64);
    let mut best = laid_out(code, 0);
    let mut best_rate = rate(&best);
    if best_rate == wanted {
        return best;
    }
    let plain = best.clone();
    let mut candidates = Vec::new();
    // Addresses that are known: of what follows an instruction.
    for (index, placed) in code.iter().enumerate() {
        if let Some(after) = known_next(placed)
            && let Some(offset) = plain.get(index + 1)
            && candidates.len() < 4
        {
            candidates.push(after.wrapping_sub(*offset));
        }
    }
    // Else the first jump leads to one of the instructions around it.
    let around = first_jump.saturating_sub(48)..code.len().min(first_jump + 48);
    for index in around {
        if let Some(offset) = plain.get(index) {
            candidates.push(first_target.wrapping_sub(*offset));
        }
    }
    for base in candidates {
        if base > u64::MAX / 2 {
            continue;
        }
        // Only the instructions that the first jumps may lead to are laid out for a try.
        let all = laid_out(code, base);
        let rate = rate(&all);
        if rate > best_rate {
            best_rate = rate;
            best = all;
        }
        if best_rate == wanted {
            break;
        }
    }
    best
}

/// The address after an instruction, if its text states it.
fn known_next(placed: &Placed<'_>) -> Option<u64> {
    if let Some(comment) = placed.instruction.comment {
        return placed
            .instruction
            .operands
            .iter()
            .find_map(|operand| match operand {
                Operand::Memory(memory)
                    if memory.base.is_some_and(|base| base.kind == Kind::Pointer) =>
                {
                    Some(comment.wrapping_sub_signed(memory.displacement.unwrap_or(0)))
                }
                _ => None,
            });
    }
    match (placed.verb, placed.instruction.operands.first()) {
        (Verb::Call, Some(Operand::Target(address))) if !placed.instruction.is_indirect => {
            Some(*address)
        }
        _ => None,
    }
}

/// The addresses of all instructions, from that of the first; corrected wherever a line states its own.
fn laid_out(code: &[Placed<'_>], base: u64) -> Vec<u64> {
    let mut all = Vec::with_capacity(code.len() + 1);
    let mut here = base;
    for placed in code {
        all.push(here);
        let short_end = here.wrapping_add(2);
        let near = match (placed.verb, placed.instruction.operands.first()) {
            (Verb::Goto | Verb::Jump(_), Some(Operand::Target(target))) => {
                let away = target.wrapping_sub(short_end) as i64;
                // Zero bytes away is a jump that is not filled in: out of the function.
                i8::try_from(away).is_err()
            }
            (Verb::Goto | Verb::Jump(_), _) => true,
            _ => false,
        };
        let next = here.wrapping_add(length::of(
            &placed.instruction,
            placed.verb,
            placed.bytes,
            near,
        ));
        here = match known_next(placed) {
            // A guess that was a little off.
            Some(known) if known.abs_diff(next) <= 8 => known.max(here.wrapping_add(1)),
            _ => next,
        };
    }
    all.push(here);
    all
}
