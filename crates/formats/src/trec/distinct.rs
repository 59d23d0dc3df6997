//! The documents of one query, found by id: a table of positions that is used again for the next query.

use std::hash::BuildHasher;

use foldhash::fast::FixedState;

/// Positions by id, in open addressing; the ids are elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Distinct {
    /// One more than a position, or 0.
    slots: Vec<u32>,
    used: usize,
}

impl Distinct {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.slots.fill(0);
        self.used = 0;
    }

    /// Remembers the next position, whose id is `id`; returns the position that has this id already, if any. `id_at`
    /// returns the id at a position.
    pub(crate) fn insert<'a>(
        &mut self,
        id: &str,
        id_at: impl Fn(usize) -> &'a str,
    ) -> Option<usize> {
        if self.used * 2 >= self.slots.len() {
            self.grow(&id_at);
        }
        match self.slot(id, &id_at) {
            (_, Some(position)) => Some(position),
            (slot, None) => {
                self.used += 1;
                self.slots[slot] = u32::try_from(self.used).expect("a query has fewer documents");
                None
            }
        }
    }

    /// The position that has this id.
    pub(crate) fn find<'a>(&self, id: &str, id_at: impl Fn(usize) -> &'a str) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        self.slot(id, &id_at).1
    }

    fn slot<'a>(&self, id: &str, id_at: &impl Fn(usize) -> &'a str) -> (usize, Option<usize>) {
        let mask = self.slots.len() - 1;
        let mut slot = start(id, mask);
        loop {
            match self.slots[slot] {
                0 => return (slot, None),
                found => {
                    let position = found as usize - 1;
                    if id_at(position) == id {
                        return (slot, Some(position));
                    }
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow<'a>(&mut self, id_at: &impl Fn(usize) -> &'a str) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, 0);
        for position in 0..self.used {
            // Stored ids differ, so the first free slot is theirs.
            let mut slot = start(id_at(position), size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = u32::try_from(position + 1).expect("positions fit");
        }
    }
}

/// The first slot of a search. The order of slots is never visible, so the state may be any fixed one.
#[expect(
    clippy::cast_possible_truncation,
    reason = "the lower bits are as good as all"
)]
fn start(id: &str, mask: usize) -> usize {
    FixedState::with_seed(0).hash_one(id) as usize & mask
}
