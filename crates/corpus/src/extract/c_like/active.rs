//! The bytes of a file that some translation unit switches on.

use std::ops::Range;

/// Ranges of bytes, in order; no two of them touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Active(Vec<Range<u32>>);

impl Active {
    /// The bytes that are on, in the order of the file.
    pub(super) fn of(on: impl Iterator<Item = bool>) -> Active {
        let mut ranges: Vec<Range<u32>> = Vec::new();
        for (at, _) in (0_u32..).zip(on).filter(|(_, on)| *on) {
            match ranges.last_mut() {
                Some(last) if last.end == at => last.end += 1,
                _ => ranges.push(at..at + 1),
            }
        }
        Active(ranges)
    }

    /// Adds those that another unit switches on.
    pub(super) fn add(&mut self, other: Active) {
        if self.0.is_empty() || *self == other {
            *self = other;
            return;
        }
        let mut all = std::mem::take(&mut self.0);
        all.extend(other.0);
        all.sort_by_key(|range| range.start);
        for range in all {
            match self.0.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => self.0.push(range),
            }
        }
    }

    /// Returns `true` if a byte is on.
    pub(super) fn has(&self, at: usize) -> bool {
        let before = self.0.partition_point(|range| range.start as usize <= at);
        let last = before.checked_sub(1).map(|before| &self.0[before]);
        last.is_some_and(|range| at < range.end as usize)
    }

    /// For each byte of a file of this length, whether it is on.
    pub(super) fn bytes(&self, length: usize) -> Vec<bool> {
        let mut bytes = vec![false; length];
        for range in &self.0 {
            bytes[range.start as usize..range.end as usize].fill(true);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ranges_are_what_the_bytes_are(files in proptest::collection::vec(proptest::collection::vec(any::<bool>(), 40), 1..5)) {
            let mut active = Active::default();
            let mut wanted = vec![false; 40];
            for file in &files {
                active.add(Active::of(file.iter().copied()));
                wanted.iter_mut().zip(file).for_each(|(known, on)| *known |= on);
            }
            prop_assert_eq!(active.bytes(40), wanted.clone());
            prop_assert!((0..40).all(|at| active.has(at) == wanted[at]));
        }
    }
}
