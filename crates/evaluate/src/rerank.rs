//! Lists in a reranker's order, or in that of a retriever that scores every document.
//!
//! The one hard thing is time: a reranker on a server scores several queries at once. One on this machine scores one
//! query at a time, because it uses every core itself. The lists are the same either way.

use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_models::{ModelError, Reranker};
use barecode_retrieval::ScoresAll;
use rayon::prelude::*;

use crate::asked::{Asked, List, Lists};
use crate::error::EvaluateError;
use crate::lists::tell_unknown;
use crate::reading::languages;
use crate::task::TaskQuery;
use order::{reorder, rerank};

mod order;

/// Lists with their first documents in a reranker's order. `parallel` queries are sent at a time; `None` sends one
/// after another.
///
/// # Errors
/// If the model does not answer, or its scores cannot be right.
pub fn reranked(
    reranker: &dyn Reranker,
    parallel: Option<usize>,
    lists: &Lists,
    asked: &Asked<'_>,
) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let (name, task, depth) = (asked.system, asked.task, asked.depth);
    let done = AtomicUsize::new(0);
    let total = lists.len() * task.queries.len();
    let one = |query: usize, list: &List| -> Result<List, EvaluateError> {
        if (asked.stop)() {
            return Err(ModelError::Interrupted.into());
        }
        let text = |document: &usize| task.documents[*document].text.as_str();
        let list = rerank(reranker, &task.queries[query].text, list, text, depth)?;
        (asked.progress)(name, done.fetch_add(1, Ordering::Relaxed) + 1, total);
        Ok(list)
    };
    let all = || -> Result<Lists, EvaluateError> {
        let of_draw = |lists: &Vec<List>| -> Result<Vec<List>, EvaluateError> {
            if parallel.is_some() {
                let lists = lists.par_iter().enumerate();
                return lists.map(|(query, list)| one(query, list)).collect();
            }
            let lists = lists.iter().enumerate();
            lists.map(|(query, list)| one(query, list)).collect()
        };
        lists.iter().map(of_draw).collect()
    };
    let lists = match parallel {
        Some(threads) => rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|error| EvaluateError::invalid(error.to_string()))?
            .install(all),
        None => all(),
    };
    lists.map_err(|error| match error {
        EvaluateError::Invalid { message, .. } => {
            EvaluateError::invalid(format!("{name}: {message}"))
        }
        other => other,
    })
}

/// Lists with their first documents in the order of a retriever. Its scores are those in the whole corpus: the
/// frequency of a term is known from all of it, not from a list.
pub fn rescored(retriever: &dyn ScoresAll, lists: &Lists, asked: &Asked<'_>) -> Lists {
    if let Some(nothing) = asked.nothing() {
        return nothing;
    }
    tell_unknown(retriever, asked);
    let index = retriever.index(&asked.documents(), &languages(asked.task));
    let of_draw = |lists: &Vec<List>| -> Vec<List> {
        let pairs = asked.task.queries.par_iter().zip(lists);
        let one = |(query, list): (&TaskQuery, &List)| {
            let scores = index.scores(&query.text);
            reorder(list, |&document| scores[document], asked.depth)
        };
        pairs.map(one).collect()
    };
    lists.iter().map(of_draw).collect()
}
