//! Lists in a reranker's order.
//!
//! The one hard thing is time: a reranker on a server is asked about several queries at once, one on this machine about
//! one query at a time, for it uses every core itself. The lists are the same either way.

use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_models::{ModelError, ModelSpec, Opening, Reranker};
use barecode_retrieval::{RerankError, rerank};
use rayon::prelude::*;

use super::lists::{List, Lists};
use super::task::Task;
use crate::console::Console;
use crate::exit::Failure;

/// Requests under way at the same time unless the model's table says otherwise.
const PARALLEL: usize = 4;

/// The lists with their first `depth` documents in the reranker's order.
pub(super) fn reranked(
    reranker: &dyn Reranker,
    spec: &ModelSpec,
    opening: &Opening,
    task: &Task<'_>,
    lists: &Lists,
    depth: usize,
    console: Console,
) -> anyhow::Result<Lists> {
    let bar = console.working("rerank", "queries");
    let done = AtomicUsize::new(0);
    let total = lists.len() * task.queries.len();
    let one = |query: usize, list: &List| -> Result<List, RerankError> {
        if (opening.stop)() {
            return Err(RerankError::Model(ModelError::Interrupted));
        }
        let text = |document: &usize| task.documents[*document].as_str();
        let list = rerank(reranker, task.queries[query].1, list, text, depth)?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        bar.tell(&spec.name, done as u64, total as u64);
        Ok(list)
    };
    let all = || -> Result<Lists, RerankError> {
        let of_draw = |lists: &Vec<List>| -> Result<Vec<List>, RerankError> {
            if spec.source.is_remote() {
                let lists = lists.par_iter().enumerate();
                return lists.map(|(query, list)| one(query, list)).collect();
            }
            let lists = lists.iter().enumerate();
            lists.map(|(query, list)| one(query, list)).collect()
        };
        lists.iter().map(of_draw).collect()
    };
    let lists = if spec.source.is_remote() {
        let threads = spec.remote.parallel.unwrap_or(PARALLEL);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| Failure::internal(error.to_string()))?
            .install(all)
    } else {
        all()
    };
    lists.map_err(|error| match error {
        RerankError::Model(error) => error.into(),
        other => Failure::invalid(format!("{}: {other}", spec.name)).into(),
    })
}
