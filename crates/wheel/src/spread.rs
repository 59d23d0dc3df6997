//! Shards of a run for callers with many machines: plans and tickets pass as JSON.

use std::path::PathBuf;
use std::sync::Arc;

use barecode::{CallOptions, Failure, Piece, SPREAD, Spread};
use barecode_records::Stage;
use pyo3::prelude::*;
use serde::Serialize;

use crate::error::{invalid, raised};
use crate::waiting::{Ear, wait};

/// A recipe and a folder in which shards of it are done.
#[pyclass(module = "barecode", frozen)]
struct Shards {
    spread: Arc<Spread>,
    ear: Arc<Ear>,
}

#[pymethods]
impl Shards {
    /// A recipe file, and the folder that files are read from and written into.
    #[new]
    #[pyo3(signature = (recipe, root, *, threads=None, cache=None, no_cache=false))]
    fn new(
        py: Python<'_>,
        recipe: PathBuf,
        root: PathBuf,
        threads: Option<u16>,
        cache: Option<PathBuf>,
        no_cache: bool,
    ) -> PyResult<Self> {
        let ear = Arc::new(Ear::default());
        let listener = Arc::clone(&ear);
        let options = CallOptions {
            threads,
            cache,
            no_cache,
        };
        let spread = wait(py, &ear, None, move || {
            Spread::open(&recipe, &root, options, listener)
        })?;
        Ok(Shards {
            spread: Arc::new(spread),
            ear,
        })
    }

    /// Goes on in another folder, with the tools that were found.
    fn move_to(&self, root: PathBuf) {
        self.spread.move_to(&root);
    }

    /// Returns the number of sources of the recipe, and true if it has programs.
    fn extent(&self) -> (usize, bool) {
        self.spread.extent()
    }

    /// Paths of this machine that the recipe names.
    fn local_paths(&self) -> Vec<String> {
        self.spread.local_paths()
    }

    /// The shards of a stage of a piece, as JSON.
    fn plan(&self, py: Python<'_>, stage: &str, piece: &str) -> PyResult<String> {
        self.answer(py, stage, piece, |spread, stage, piece| {
            spread.plan(stage, piece)
        })
    }

    /// Returns the shards that are done in the folder, as JSON; null for the others.
    fn found(&self, py: Python<'_>, stage: &str, piece: &str) -> PyResult<String> {
        self.answer(py, stage, piece, |spread, stage, piece| {
            spread.found(stage, piece)
        })
    }

    /// Does some shards of a stage of a piece, by their indices in its plan.
    fn work(
        &self,
        py: Python<'_>,
        stage: &str,
        piece: &str,
        places: Vec<usize>,
    ) -> PyResult<String> {
        self.answer(py, stage, piece, move |spread, stage, piece| {
            spread.work(stage, piece, &places)
        })
    }
}

impl Shards {
    fn answer<T: Serialize + Send + 'static>(
        &self,
        py: Python<'_>,
        stage: &str,
        piece: &str,
        ask: impl FnOnce(&Spread, Stage, &Piece) -> Result<T, Failure> + Send + 'static,
    ) -> PyResult<String> {
        let known = SPREAD.into_iter().find(|known| known.name() == stage);
        let wrong = |message: String| raised(py, &invalid(message, None));
        let stage = known.ok_or_else(|| wrong(format!("`{stage}` is not spread over machines")))?;
        let piece: Piece = serde_json::from_str(piece)
            .map_err(|error| wrong(format!("not a piece of a run: {error}")))?;
        let spread = Arc::clone(&self.spread);
        wait(py, &self.ear, None, move || {
            let answer = ask(&spread, stage, &piece)?;
            Ok(serde_json::to_string(&answer).expect("answers are plain data"))
        })
    }
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Shards>()
}
