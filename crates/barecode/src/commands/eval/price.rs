//! `--dry-run`: what it would take, before anything is asked.

use barecode_models::{Estimate, Opening, Side, estimate, estimated_tokens};

use super::reading::Reading;
use super::systems::{Systems, What};
use super::task::Task;

/// What each model would read, and what that costs.
pub(super) fn estimates(
    systems: &Systems,
    opening: &Opening,
    tasks: &[Task<'_>],
    rerank_depth: usize,
    seed: u64,
) -> anyhow::Result<Vec<(String, Estimate)>> {
    let mut told = Vec::new();
    for (place, spec) in systems.models.iter().enumerate() {
        let readings: Vec<Reading> = systems
            .all
            .iter()
            .filter_map(|system| match system.what {
                What::Model { model, reading } if model == place => Some(reading),
                _ => None,
            })
            .collect();
        if matches!(spec.source.kind(), "bm25" | "vectors" | "run") {
            continue;
        }
        let mut documents = Vec::new();
        for task in tasks {
            for reading in &readings {
                documents.extend(reading.texts(task, seed).0.into_iter().flatten());
            }
        }
        let documents: Vec<&str> = documents.iter().map(AsRef::as_ref).collect();
        let queries = tasks.iter().flat_map(|task| &task.queries);
        let queries: Vec<&str> = queries.map(|(_, text)| *text).collect();
        let documents = estimate(spec, opening, Side::Document, &documents)?;
        let queries = estimate(spec, opening, Side::Query, &queries)?;
        told.push((spec.name.clone(), documents.and(queries)));
    }
    for (place, spec) in systems.rerankers.iter().enumerate() {
        let lists = systems
            .all
            .iter()
            .filter(|system| matches!(system.what, What::Reranked { reranker, .. } if reranker == place))
            .count();
        let (mut texts, mut tokens, mut nanos) = (0, 0, Some(0));
        for task in tasks.iter().filter(|task| !task.documents.is_empty()) {
            // Which documents are reranked is known afterwards; they are taken to be as long as the others.
            let all = task.documents.iter().map(|text| estimated_tokens(text));
            let of_document = all.sum::<u64>() / task.documents.len() as u64;
            let pairs = rerank_depth.min(task.documents.len()) as u64;
            let times = (lists * task.draws.len()) as u64;
            for (_, query) in &task.queries {
                let of_query = pairs * (of_document + estimated_tokens(query));
                texts += times * pairs;
                tokens += times * of_query;
                let price = spec.price.nano_dollars(of_query);
                nanos = nanos.zip(price).map(|(sum, price)| sum + times * price);
            }
        }
        let texts = usize::try_from(texts).unwrap_or(usize::MAX);
        told.push((
            spec.name.clone(),
            Estimate {
                texts,
                new_texts: texts,
                tokens,
                tokens_are_exact: false,
                dollars: nanos.map(|nanos| nanos as f64 / 1e9),
            },
        ));
    }
    Ok(told)
}
