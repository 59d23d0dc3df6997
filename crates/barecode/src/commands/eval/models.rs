//! How the models of `eval` are opened, and what they answer.

use std::io::Write as _;
use std::path::Path;

use barecode_models::{Bm25, Encoder, ModelError, ModelSpec, Opening, Side, Source, open_encoder};
use barecode_records::table::write_atomically;
use barecode_retrieval::{Analyzer, Bm25Index, Counts, DenseIndex, Scored, Similarity, Vectors};
use serde_json::Value;

use super::Task;
use crate::console::Console;

/// A model that can be asked.
pub(super) enum Model {
    /// Words in common.
    Bm25,
    /// Vectors by their cosine.
    Dense(Box<dyn Encoder>),
}

/// Opens a model.
pub(super) fn open(spec: &ModelSpec, opening: &Opening) -> Result<Model, ModelError> {
    match &spec.source {
        Source::Bm25(_) => Ok(Model::Bm25),
        _ => Ok(Model::Dense(open_encoder(spec, opening)?)),
    }
}

impl Model {
    /// For each query of a task its documents, by place in the corpus, best first. Where a query has candidates of its
    /// own, only these are listed.
    pub(super) fn lists(
        &self,
        task: &Task<'_>,
        depth: usize,
        console: Console,
    ) -> anyhow::Result<Vec<Vec<(usize, f64)>>> {
        let texts: Vec<&str> = task.documents.iter().map(String::as_str).collect();
        let queries: Vec<&str> = task.queries.iter().map(|(_, text)| *text).collect();
        let candidates = &task.subset.candidates;
        let wanted = if candidates.is_empty() {
            depth
        } else {
            texts.len()
        };
        if texts.is_empty() || queries.is_empty() {
            return Ok(vec![Vec::new(); queries.len()]);
        }
        let lists: Vec<Vec<Scored>> = match self {
            Model::Bm25 => {
                let options = Bm25::default();
                let counts = Counts::of(Analyzer::new(&options), &texts)?;
                Bm25Index::new(&counts, &options).search_all(&queries, wanted)?
            }
            Model::Dense(encoder) => {
                let documents = encoder.encode(Side::Document, &texts)?;
                let cut = documents.truncated.iter().filter(|cut| **cut).count();
                if cut > 0 {
                    console.note(&format!(
                        "{}: {cut} of {} documents are longer than the model reads",
                        task.subset.name,
                        texts.len()
                    ));
                }
                let documents = Vectors::of(documents)?;
                let queries = Vectors::of(encoder.encode(Side::Query, &queries)?)?;
                DenseIndex::new(&documents, Similarity::Cosine).search_all(&queries, wanted)?
            }
        };
        let id = |document: usize| task.subset.documents[document].id.as_str();
        let kept = lists
            .into_iter()
            .zip(&task.queries)
            .map(|(list, (query, _))| {
                let own = candidates.get(*query);
                let of = list.into_iter().filter(|one| {
                    own.is_none_or(|own| own.iter().any(|it| it == id(one.document)))
                });
                of.map(|one| (one.document, one.score)).collect()
            });
        Ok(kept.collect())
    }
}

/// A name that can be a file's: other characters than letters, digits, `.`, `-` and `_` become `_`.
pub(super) fn file_name(name: &str) -> String {
    let kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    let name: String = name
        .chars()
        .map(|c| if kept(c) { c } else { '_' })
        .collect();
    name.trim_start_matches('.').to_owned()
}

/// Writes the account of an evaluation.
pub(super) fn write_account(path: &Path, account: &Value) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(account)?;
    write_atomically(path, |file| writeln!(file, "{text}"))?;
    Ok(())
}
