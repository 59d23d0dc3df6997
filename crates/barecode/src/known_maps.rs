//! The names that renaming by spelling needs: those of a large source take long to read, and serve all of its shards.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use barecode_records::Language;
use barecode_settings::SourceMaps;

/// The names of sources, by source and language.
pub(crate) type Maps = BTreeMap<(String, Language), Arc<SourceMaps>>;

/// The names of the sources that are worked on, and of the last one: a large source has many shards.
#[derive(Default)]
pub(crate) struct KnownMaps {
    slots: Mutex<BTreeMap<String, Arc<Mutex<Weak<Maps>>>>>,
    last: Mutex<Arc<Maps>>,
}

impl KnownMaps {
    /// The names with this digest, read if nobody holds them.
    pub(crate) fn get(
        &self,
        digest: &str,
        read: impl FnOnce() -> anyhow::Result<Maps>,
    ) -> anyhow::Result<Arc<Maps>> {
        let slot = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(slots.entry(digest.to_owned()).or_default())
        };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = slot.upgrade() {
            return Ok(known);
        }
        let maps = Arc::new(read()?);
        *slot = Arc::downgrade(&maps);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&maps);
        Ok(maps)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn names_are_read_once_while_they_are_in_use_and_for_the_next_shard() {
        let (known, reads) = (KnownMaps::default(), Cell::new(0));
        let get = |digest| {
            let read = || {
                reads.set(reads.get() + 1);
                Ok(Maps::new())
            };
            known.get(digest, read).unwrap()
        };
        let first = get("a");
        assert!(Arc::ptr_eq(&first, &get("a")));
        get("b");
        get("b");
        assert!(Arc::ptr_eq(&first, &get("a")));
        assert_eq!(reads.get(), 2);
        drop(first);
        get("a");
        assert_eq!(reads.get(), 3);
        assert!(known.get("c", || anyhow::bail!("unread")).is_err());
        get("c");
        assert_eq!(reads.get(), 4);
    }
}
