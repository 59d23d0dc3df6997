//! A subset as the input of an evaluation: the inputs of its lists and scores, and the function that reads it.

use std::path::Path;
use std::sync::Arc;

use barecode_evaluate::{ProbeParts, Task};
use barecode_records::{Digest, Stage, Subset, SubsetKind, table};

use crate::engine::Finished;
use crate::layout;
use crate::recipe::RetrieveConfig;
use crate::run_folder::RunFolder;

/// A subset, and how to read it.
pub(crate) struct SubsetIn<'a> {
    /// Its name in the run folder.
    pub(super) file: String,
    /// Its name in folders of vectors and runs: `SUBSET.SPLIT`.
    pub(super) task: String,
    /// A digest of documents and queries.
    pub(super) texts: String,
    /// A digest of judgments.
    pub(super) judgments: String,
    /// Number of queries that it has.
    pub(super) queries: u64,
    /// The kind of its question.
    pub(super) kind: SubsetKind,
    /// The documents that compete; all documents of a probe.
    pub(super) retrieve: RetrieveConfig,
    /// True if thresholds are fitted on it, and it is not scored.
    pub(super) trains: bool,
    /// Reads it.
    pub(super) load: Box<dyn Fn() -> anyhow::Result<Arc<Task>> + Send + Sync + 'a>,
}

impl<'a> SubsetIn<'a> {
    /// A task that is in memory.
    pub(crate) fn of_task(task: &'a Arc<Task>, retrieve: RetrieveConfig) -> Self {
        SubsetIn {
            file: task.file.clone(),
            task: task.file.clone(),
            texts: task.digest(),
            judgments: task.judgments_digest(),
            queries: task.asked() as u64,
            kind: task.subset.kind,
            retrieve,
            trains: false,
            load: Box::new(move || Ok(Arc::clone(task))),
        }
    }

    /// A subset of a run's dataset, which is read whenever it is needed.
    pub(crate) fn of_run(
        folder: &'a RunFolder,
        dataset: &Finished,
        subset: Subset,
        retrieve: RetrieveConfig,
    ) -> Self {
        let name = &subset.name;
        let content = |file| dataset.content(file).expect("a subset has all its tables");
        // The tables of queries and of answers, and the documents that compete.
        let (asked, answers, retrieve) = match subset.kind {
            SubsetKind::Probe => (
                layout::programs_of(name),
                layout::probe_pairs_of(name),
                RetrieveConfig::EVERYONE,
            ),
            SubsetKind::Retrieval | SubsetKind::Matching => (
                layout::queries_of(name),
                layout::judgments_of(name),
                retrieve,
            ),
        };
        let queries = content(&asked);
        SubsetIn {
            file: name.clone(),
            task: format!("{name}.test"),
            texts: Digest::new("texts")
                .field(&content(&layout::corpus_of(name)).digest)
                .field(&queries.digest)
                .hex(),
            judgments: content(&answers).digest.clone(),
            queries: queries.rows,
            kind: subset.kind,
            retrieve,
            trains: false,
            load: Box::new(move || read(&folder.stage(Stage::Assemble), &subset).map(Arc::new)),
        }
    }

    /// Thresholds are fitted on it, and it is not scored.
    pub(crate) fn that_trains(self) -> Self {
        SubsetIn {
            trains: true,
            ..self
        }
    }

    /// Returns the number of draws of its candidates.
    pub(super) fn n_draws(&self) -> u32 {
        self.retrieve.pool.draws(self.retrieve.draws)
    }
}

/// Reads a subset of a dataset as `assemble` leaves it.
pub(crate) fn read(dataset: &Path, subset: &Subset) -> anyhow::Result<Task> {
    let name = &subset.name;
    let documents = table::read(&dataset.join(layout::corpus_of(name)))?;
    if subset.kind == SubsetKind::Probe {
        let parts = ProbeParts {
            programs: table::read(&dataset.join(layout::programs_of(name)))?,
            pairs: table::read(&dataset.join(layout::probe_pairs_of(name)))?,
        };
        return Ok(Task::of_probe(subset.clone(), documents, parts));
    }
    let queries = table::read(&dataset.join(layout::queries_of(name)))?;
    let judgments = table::read(&dataset.join(layout::judgments_of(name)))?;
    Ok(Task::of_records(
        subset.clone(),
        documents,
        queries,
        judgments,
    ))
}
