//! Lists that were made just now, so that scoring need not read them back from their tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use barecode_evaluate::Lists;

/// Entries of lists that are kept: 16 bytes each. If there are more, tables are read.
const KEPT: usize = 1 << 24;

/// The lists of some systems on some subsets, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    entries: usize,
    lists: BTreeMap<(usize, usize), Arc<Lists>>,
}

impl Made {
    /// Stores lists, if there is room.
    pub(crate) fn keep(&self, system: usize, subset: usize, lists: Lists) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entries = kept.entries + lists.iter().flatten().map(Vec::len).sum::<usize>();
        if entries <= KEPT {
            kept.entries = entries;
            kept.lists.insert((system, subset), Arc::new(lists));
        }
    }

    /// Lists that were kept.
    pub(crate) fn get(&self, system: usize, subset: usize) -> Option<Arc<Lists>> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.lists.get(&(system, subset)).cloned()
    }
}
