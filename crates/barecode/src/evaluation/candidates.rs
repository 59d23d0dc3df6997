//! The documents that compete where not all do: drawn once for all systems, stored in a table, and read back to score.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use barecode_evaluate::{Drawn, List, PoolConfig, Task};
use barecode_records::table::Table;
use barecode_records::{Candidate, Stage};

use super::cut::Counting;
use super::state::{Evaluation, RETRIEVE_CODE};
use super::subset::SubsetIn;
use crate::engine::{Key, Shard};
use crate::look::Look;

/// The folder of candidates; no retriever can have this name.
const CANDIDATES: &str = "_candidates";

impl<'a> Evaluation<'a> {
    /// Returns the shard that stores the candidates of each query: scoring needs them, and calls no model.
    pub(super) fn candidates(self: &Arc<Self>, at: usize, look: Look) -> anyhow::Result<Shard<'a>> {
        let subset = &self.subsets[at];
        let key = Key::new(Stage::Retrieve, RETRIEVE_CODE).format::<Candidate>();
        let mut key = self.of_pool(key, subset);
        if let PoolConfig::Nearest(_) = subset.retrieve.pool {
            let outside = self.outside(0, look)?;
            key = self.add_outside(key, at, &outside, look)?;
        }
        let this = Arc::clone(self);
        Ok(Shard {
            key,
            last: candidates_of(subset),
            items: 0,
            work: Box::new(move |writer| {
                let task = this.task(at)?;
                let rows = Drawn::rows(&task.draws, &task);
                writer.finish(
                    candidates_of(&this.subsets[at]),
                    Table::of(&rows),
                    BTreeMap::new(),
                )
            }),
        })
    }

    /// A subset with its candidates.
    pub(super) fn task(&self, at: usize) -> anyhow::Result<Arc<Task>> {
        let drawn = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = drawn().get(&at) {
            return Ok(Arc::clone(task));
        }
        let task = (self.subsets[at].load)()?;
        let subset = &self.subsets[at];
        if subset.retrieve.pool == PoolConfig::Everyone {
            return Ok(task);
        }
        let mut task = Arc::unwrap_or_clone(task);
        let seeds = (0..subset.n_draws()).map(|draw| self.seed.wrapping_add(draw.into()));
        let nearest = |task: &Task, depth: usize| -> anyhow::Result<Vec<List>> {
            let chooser = self.systems[0].with_depth(depth);
            let lists = self.lists(&chooser, at, task, &Counting::default())?;
            Ok(lists.into_iter().next().unwrap_or_default())
        };
        if let Some(draws) = subset.retrieve.pool.draw(&task, seeds, nearest)? {
            task.draws = draws;
        }
        let task = Arc::new(task);
        drawn().insert(at, Arc::clone(&task));
        Ok(task)
    }

    /// Returns a subset with the candidates that were drawn, as in their table.
    pub(super) fn task_as_drawn(&self, at: usize) -> anyhow::Result<Arc<Task>> {
        let mut task = (self.subsets[at].load)()?;
        if self.subsets[at].retrieve.pool != PoolConfig::Everyone {
            let table = candidates_of(&self.subsets[at]);
            let rows = self.folder.layout().rows(Stage::Retrieve, [table])?;
            let drawn = Drawn::of_rows(&rows, &task);
            Arc::make_mut(&mut task).draws = drawn;
        }
        Ok(task)
    }
}

/// The table of a subset's candidates.
pub(super) fn candidates_of(subset: &SubsetIn<'_>) -> PathBuf {
    Path::new(CANDIDATES).join(format!("{}.parquet", subset.file))
}
