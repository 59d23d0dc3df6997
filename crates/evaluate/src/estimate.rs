//! The amount that a reranker would read, before any request is made.

use barecode_models::{Estimate, ModelSpec, estimated_tokens};

use crate::task::Task;

/// The cost of reranking the first `depth` documents of a system's lists on these tasks. Only afterwards is it known
/// which documents are reranked; they are assumed to be as long as the others.
pub fn rerank_estimate<'t>(
    spec: &ModelSpec,
    tasks: impl IntoIterator<Item = &'t Task>,
    depth: usize,
    draws: usize,
) -> Estimate {
    let (mut texts, mut tokens, mut nanos) = (0, 0, Some(0));
    for task in tasks {
        if task.documents.is_empty() {
            continue;
        }
        let all = task.documents.iter();
        let all = all.map(|document| estimated_tokens(&document.text));
        let of_document = all.sum::<u64>() / task.documents.len() as u64;
        let pairs = depth.min(task.documents.len()) as u64;
        let times = draws as u64;
        for query in &task.queries {
            let of_query = pairs * (of_document + estimated_tokens(&query.text));
            texts += times * pairs;
            tokens += times * of_query;
            let price = spec.price.nano_dollars(of_query);
            nanos = nanos.zip(price).map(|(sum, price)| sum + times * price);
        }
    }
    let texts = usize::try_from(texts).unwrap_or(usize::MAX);
    Estimate {
        texts,
        new_texts: texts,
        tokens,
        tokens_are_exact: false,
        dollars: nanos.map(|nanos| nanos as f64 / 1e9),
    }
}
