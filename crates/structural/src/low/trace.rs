//! The actions of a function, in order: the form that assembly and WebAssembly have in common.

use super::graph::{Block, Condition, Graph, Id, Location};

/// A called function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Callee {
    /// Nothing is known of it.
    Unknown,
    /// A function with a name.
    Named(String),
    /// This function.
    Itself,
    /// The function that a value points at.
    Value(Id),
}

/// A comparison that a jump or a value depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Test {
    /// The condition.
    pub(super) condition: Condition,
    /// The first value.
    pub(super) left: Id,
    /// The second value.
    pub(super) right: Id,
    /// Number of bytes that are compared.
    pub(super) bytes: u8,
    /// True if they are floating-point numbers.
    pub(super) is_float: bool,
    /// True if a jump depends on it.
    pub(super) is_jump: bool,
    /// True if it jumps back.
    pub(super) is_back: bool,
}

impl Test {
    /// Returns `true` if it jumps over what follows.
    pub(super) fn is_forward(&self) -> bool {
        self.is_jump && !self.is_back
    }

    /// The condition as in the source: the code after a jump forward runs if the condition does not hold.
    pub(super) fn meant(&self) -> Condition {
        if self.is_forward() {
            self.condition.opposite()
        } else {
            self.condition
        }
    }

    /// Returns `true` if it is about equality, not order.
    pub(super) fn is_equality(&self) -> bool {
        matches!(self.condition, Condition::Equal | Condition::NotEqual)
    }
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// Memory is read; the value has the address.
    Load(Id),
    /// Memory is written.
    Store {
        /// The address.
        address: Id,
        /// The value.
        value: Id,
        /// The number of bytes.
        bytes: u8,
    },
    /// Two values are compared, and a jump or a value depends on it.
    Test(Test),
    /// A value is computed.
    Work(Id),
    /// One of two values is taken by a condition, without a jump.
    Select {
        /// The two.
        values: [Id; 2],
        /// The values that the condition compares.
        compared: [Id; 2],
        /// The condition under which the first is taken.
        condition: Condition,
    },
    /// A function is called.
    Call {
        /// The called function.
        callee: Callee,
        /// The arguments.
        arguments: Vec<Id>,
    },
    /// Several bytes are filled or copied by one instruction.
    Many {
        /// The target address.
        address: Id,
        /// The source address, or the value to fill with.
        value: Id,
        /// True if it is copied.
        is_copy: bool,
    },
    /// The bytes of a text.
    Text(String),
    /// A jump to one of many.
    Switch,
    /// The function returns.
    Return(Returned),
    /// The function stops the program, or falls into what cannot be.
    Stop,
}

/// The value that a function returns at one exit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Returned {
    /// Nothing.
    Nothing,
    /// A whole number or a pointer of this many bytes.
    Whole(Id, u8),
    /// A floating-point number.
    Float(Id, u8),
    /// The value where results usually are; the form does not show whether it is returned.
    Perhaps(Id, u8),
}

/// The class of a parameter by the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A whole number or pointer of this many bytes; 0 if the form does not show the width.
    Whole(u8),
    /// A floating-point number of this many bytes.
    Float(u8),
}

impl Default for Class {
    fn default() -> Self {
        Class::Whole(0)
    }
}

/// A function, evaluated.
#[derive(Debug)]
pub(super) struct Trace {
    /// Its values.
    pub(super) graph: Graph,
    /// The events, each with the block that it is in.
    pub(super) events: Vec<(usize, Event)>,
    /// Its parameters, in order.
    pub(super) parameters: Vec<(Location, Class)>,
    /// True if these are all.
    pub(super) is_counted: bool,
    /// Number of loops that a block is in.
    pub(super) depth: Vec<u32>,
    /// The loops: first and last block.
    pub(super) loops: Vec<(usize, usize)>,
    /// True if there is a loop without a way out.
    pub(super) is_endless: bool,
    /// Number of bytes that a pointer has.
    pub(super) pointer: u8,
    /// True if the compiler did not optimize: every variable has a slot.
    pub(super) is_plain: bool,
    /// Instructions.
    pub(super) instructions: usize,
}

/// Returns `true` if one of the first loops has no way out.
pub(super) fn is_endless(blocks: &[Block], loops: &[(usize, usize)]) -> bool {
    loops.iter().take(64).any(|&(first, last)| {
        let inside = first..=last;
        let is_left = |(at, block): (usize, &Block)| {
            !inside.contains(&at) && block.before.iter().any(|before| inside.contains(before))
        };
        !blocks.iter().enumerate().any(is_left)
    })
}

/// The loops of blocks in the order of the text: a jump back is one.
pub(super) fn loops(blocks: &[Block]) -> (Vec<(usize, usize)>, Vec<u32>) {
    let mut last_of = vec![None; blocks.len()];
    for (at, block) in blocks.iter().enumerate() {
        for &before in &block.before {
            if before >= at
                && let Some(last) = last_of.get_mut(at)
            {
                *last = Some(last.map_or(before, |last: usize| last.max(before)));
            }
        }
    }
    let loops: Vec<(usize, usize)> = last_of
        .iter()
        .enumerate()
        .filter_map(|(first, last)| last.map(|last| (first, last)))
        .collect();
    let mut change = vec![0_i64; blocks.len() + 1];
    for &(first, last) in &loops {
        if let Some(place) = change.get_mut(first) {
            *place += 1;
        }
        if let Some(place) = change.get_mut(last + 1) {
            *place -= 1;
        }
    }
    let mut depth = Vec::with_capacity(blocks.len());
    let mut now = 0;
    for by in change.iter().take(blocks.len()) {
        now += by;
        depth.push(u32::try_from(now).unwrap_or(0));
    }
    (loops, depth)
}
