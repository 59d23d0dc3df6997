//! How the models of `eval` are opened, and what they answer.

use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;

use barecode_models::{
    Bm25, Budget, Cache, Cassette, Encoder, Ledger, LocalEncoder, LocalOptions, ModelError,
    ModelSpec, Opening, Pooling, Side, Source, open_encoder,
};
use barecode_records::table::write_atomically;
use barecode_retrieval::{Analyzer, Bm25Index, Counts, DenseIndex, Scored, Similarity, Vectors};
use serde_json::Value;

use super::{EvalArguments, Task};
use crate::commands::Call;
use crate::console::Console;
use crate::exit::Failure;
use crate::{flow, interrupt};

/// The room that vectors may take on the disk; the least recently used are dropped first.
const CACHE_BYTES: u64 = 20 << 30;

/// A model that can be asked.
pub(super) enum Model {
    /// Words in common.
    Bm25,
    /// Vectors by their cosine.
    Dense(Box<dyn Encoder>),
}

/// Everything that models are opened with.
pub(super) fn opening(call: &Call, arguments: &EvalArguments) -> anyhow::Result<Opening> {
    let mut opening = Opening::new()?;
    opening.ledger = Arc::new(Ledger::new(Budget {
        dollars: arguments.budget,
        tokens: None,
    }));
    opening.stop = Arc::new(interrupt::asked);
    let folder = match &call.options.cache {
        _ if call.options.no_cache => None,
        Some(folder) => Some(folder.clone()),
        None => flow::default_cache(),
    };
    if let Some(folder) = folder {
        std::fs::create_dir_all(&folder).map_err(|error| Failure::cannot_write(&folder, &error))?;
        let path = folder.join("vectors.sqlite");
        opening.cache = Some(Arc::new(Cache::open(
            &path,
            Some(CACHE_BYTES),
            &*opening.clock,
        )?));
    }
    if let Some(path) = &arguments.cassette {
        let cassette = if arguments.replay {
            Cassette::replay(path)?
        } else {
            Cassette::record(path)?
        };
        opening.cassette = Some(Arc::new(cassette));
    }
    opening.local = Some(Arc::new(load_local));
    let bar = call.console.embedding();
    opening.listener = Some(Arc::new(move |model, progress| {
        bar.tell(model, progress.done as u64, progress.total as u64);
    }));
    Ok(opening)
}

fn load_local(folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError> {
    let name = match &spec.source {
        Source::Hub(name) => name.split('@').next().map(str::to_owned),
        _ => None,
    };
    let pooling = match &spec.pooling {
        Some(name) => Some(pooling(name)?),
        None => None,
    };
    let options = LocalOptions {
        name,
        revision: spec.revision.clone(),
        pooling,
        normalize: spec.normalize,
        query_prompt: spec.query_prompt.clone(),
        document_prompt: spec.document_prompt.clone(),
        max_length: spec.max_length.map(|length| length as usize),
        dimensions: spec.dimensions.map(|numbers| numbers as usize),
        ..LocalOptions::default()
    };
    Ok(Box::new(LocalEncoder::load(folder, &options)?))
}

fn pooling(name: &str) -> Result<Pooling, ModelError> {
    serde_json::from_value(Value::from(name)).map_err(|_| ModelError::Unusable {
        message: format!("unknown pooling `{name}`"),
        hint: Some("it is first, mean, max, last, mean-root or weighted-mean".to_owned()),
    })
}

/// Opens a model.
pub(super) fn open(spec: &ModelSpec, opening: &Opening) -> Result<Model, ModelError> {
    match &spec.source {
        Source::Bm25 => Ok(Model::Bm25),
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
