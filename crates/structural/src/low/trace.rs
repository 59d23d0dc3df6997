//! What a function does, in order: the form that assembly and WebAssembly have in common.

use super::graph::{Block, Condition, Graph, Id, Location};

/// What is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Callee {
    /// Nothing is known of it.
    Unknown,
    /// A function with a name.
    Named(String),
    /// This function.
    Itself,
    /// What a value points at.
    Value(Id),
}

/// Something that happens.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Event {
    /// Memory is read; the value says from where.
    Load(Id),
    /// Memory is written.
    Store {
        /// Where.
        address: Id,
        /// What.
        value: Id,
        /// How many bytes.
        bytes: u8,
    },
    /// Two values are compared, and a jump or a value depends on it.
    Test {
        /// How.
        condition: Condition,
        /// The first value.
        left: Id,
        /// The second value.
        right: Id,
        /// How many bytes are compared.
        bytes: u8,
        /// Whether they are floating-point numbers.
        is_float: bool,
        /// Whether a jump depends on it.
        is_jump: bool,
        /// Whether it jumps back.
        is_back: bool,
        /// The value that depends on it, if not a jump.
        value: Id,
    },
    /// A value is computed.
    Work(Id),
    /// One of two values is taken by a condition, without a jump.
    Select {
        /// The two.
        values: [Id; 2],
        /// What the condition compares.
        compared: [Id; 2],
        /// The condition under which the first is taken.
        condition: Condition,
    },
    /// A function is called.
    Call {
        /// Which.
        callee: Callee,
        /// With what.
        arguments: Vec<Id>,
        /// The number of the call.
        number: usize,
        /// Whether the function ends with it.
        is_last: bool,
    },
    /// Several bytes are filled or copied by one instruction.
    Many {
        /// Where to.
        address: Id,
        /// Where from, or with what.
        value: Id,
        /// Whether it is copied.
        is_copy: bool,
    },
    /// The bytes of a text.
    Text(String),
    /// A jump to one of many.
    Switch(usize),
    /// The function returns.
    Return(Returned),
    /// The function stops the program, or falls into what cannot be.
    Stop,
}

/// What a function returns at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Returned {
    /// Nothing.
    Nothing,
    /// A whole number or a pointer of so many bytes.
    Whole(Id, u8),
    /// A floating-point number.
    Float(Id, u8),
    /// The form does not say: what stands where results stand.
    Perhaps(Id, u8),
}

/// Of what class a parameter is by the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A whole number or pointer of so many bytes; 0 where the form does not say.
    Whole(u8),
    /// A floating-point number of so many bytes.
    Float(u8),
}

/// A function, evaluated.
#[derive(Debug)]
pub(super) struct Trace {
    /// Its values.
    pub(super) graph: Graph,
    /// What happens, with the block in which it does.
    pub(super) events: Vec<(usize, Event)>,
    /// Its parameters, in order.
    pub(super) parameters: Vec<(Location, Class)>,
    /// Whether these are all.
    pub(super) is_counted: bool,
    /// How many loops a block is in.
    pub(super) depth: Vec<u32>,
    /// The loops: first and last block.
    pub(super) loops: Vec<(usize, usize)>,
    /// Loops whose condition stands at their end or start, and those without.
    pub(super) endless: usize,
    /// How many bytes a pointer has.
    pub(super) pointer: u8,
    /// Whether the compiler did not optimize: every variable has a slot.
    pub(super) is_plain: bool,
    /// Instructions.
    pub(super) instructions: usize,
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
