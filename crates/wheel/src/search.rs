//! Models over texts and arrays: vectors, lists, exact nearest neighbours.

use std::path::PathBuf;
use std::sync::Arc;

use barecode::{AskedModel, CallOptions, ModelOptions};
use barecode_models::Side;
use barecode_records::HitColumns;
use barecode_retrieval::{DenseIndex, Similarity, Vectors, VectorsError};
use numpy::{IntoPyArray, PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

use crate::error::{invalid, raised};
use crate::table::Table;
use crate::waiting::{Ear, wait};

/// A model by its short form; see `barecode.Model`.
#[pyclass(module = "barecode", frozen, subclass)]
struct Model {
    model: Arc<AskedModel>,
    ear: Arc<Ear>,
}

/// Ids with their texts.
type Texts = Vec<(String, String)>;

#[pymethods]
impl Model {
    #[new]
    #[pyo3(signature = (model, *, threads=None, cache=None, no_cache=false, budget=None, cassette=None, replay=false))]
    #[expect(clippy::too_many_arguments, reason = "they are keywords in Python")]
    fn new(
        py: Python<'_>,
        model: String,
        threads: Option<u16>,
        cache: Option<PathBuf>,
        no_cache: bool,
        budget: Option<f64>,
        cassette: Option<PathBuf>,
        replay: bool,
    ) -> PyResult<Self> {
        let ear = Arc::new(Ear::default());
        let listener = Arc::clone(&ear);
        let call = CallOptions {
            threads,
            cache,
            no_cache,
        };
        let options = ModelOptions {
            call,
            budget,
            cassette,
            replay,
        };
        let opened = wait(py, &ear, None, move || {
            AskedModel::open(&model, options, listener)
        })?;
        Ok(Model {
            model: Arc::new(opened),
            ear,
        })
    }

    /// The vectors of texts: an array of 32-bit floats, a row for each text.
    #[pyo3(signature = (texts, side="document", progress=None))]
    fn _encode<'py>(
        &self,
        py: Python<'py>,
        texts: Vec<String>,
        side: &str,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyArray2<f32>>> {
        let side = match side {
            "document" => Side::Document,
            "query" => Side::Query,
            other => {
                let message = format!("`side` is {other:?}, expected \"document\" or \"query\"");
                return Err(PyValueError::new_err(message));
            }
        };
        let model = Arc::clone(&self.model);
        let vectors = wait(py, &self.ear, progress.as_ref(), move || {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            model.encode(side, &texts)
        })?;
        let shape = [vectors.len(), vectors.dimensions];
        vectors.values.into_pyarray(py).reshape(shape)
    }

    /// The documents that it lists for each query.
    #[pyo3(signature = (documents, queries, depth, progress=None))]
    fn _retrieve(
        &self,
        py: Python<'_>,
        documents: Texts,
        queries: Texts,
        depth: u32,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Table> {
        let model = Arc::clone(&self.model);
        let batches = wait(py, &self.ear, progress.as_ref(), move || {
            model.retrieve(documents, queries, depth)
        })?;
        Ok(Table::of_batches(or_empty(batches)))
    }

    /// Everything that its vectors depend on: weights, pooling, prompts, length, type of number.
    #[getter]
    fn identity(&self, py: Python<'_>) -> PyResult<String> {
        let model = Arc::clone(&self.model);
        wait(py, &self.ear, None, move || model.identity())
    }

    /// Its name.
    #[getter]
    fn name(&self) -> &str {
        self.model.name()
    }

    /// Returns `true` if it has vectors; the others compare words.
    #[getter]
    fn embeds(&self) -> bool {
        self.model.embeds()
    }

    /// Returns the usage so far, as JSON.
    fn _usage(&self) -> String {
        serde_json::to_string(&self.model.usage()).expect("usage is plain data")
    }
}

/// Returns for each row of `queries` the nearest rows of `documents`, exactly: index of the query, index of the
/// document, rank, score.
#[pyfunction]
#[pyo3(signature = (documents, queries, depth, similarity="cosine", progress=None))]
fn nearest(
    py: Python<'_>,
    documents: &Bound<'_, PyAny>,
    queries: &Bound<'_, PyAny>,
    depth: usize,
    similarity: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Table> {
    let similarity = match similarity {
        "cosine" => Similarity::Cosine,
        "dot" => Similarity::Dot,
        "euclid" => Similarity::Euclid,
        other => {
            let message =
                format!("`similarity` is {other:?}, expected \"cosine\", \"dot\" or \"euclid\"");
            return Err(PyValueError::new_err(message));
        }
    };
    let documents = vectors(documents, "documents")?;
    let queries = vectors(queries, "queries")?;
    let ear = Arc::new(Ear::default());
    let batches = wait(py, &ear, progress.as_ref(), move || {
        let wrong = |error: VectorsError| invalid(error.to_string(), error.hint());
        let index = DenseIndex::new(&documents, similarity);
        let lists = index.search_all(&queries, depth.max(1)).map_err(wrong)?;
        let mut columns = HitColumns::default();
        for (query, list) in lists.iter().enumerate() {
            for (rank, found) in (1..).zip(list) {
                columns.push(
                    &query.to_string(),
                    &found.document.to_string(),
                    rank,
                    found.score,
                );
            }
        }
        Ok(vec![columns.into_batch()])
    })?;
    Ok(Table::of_batches(batches))
}

/// An array of 32-bit floats, a row for each vector.
fn vectors(array: &Bound<'_, PyAny>, what: &str) -> PyResult<Vectors> {
    let read: PyReadonlyArray2<'_, f32> = array.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "`{what}` is not an array of 32-bit floats with two dimensions: `numpy.asarray(x, dtype=\"float32\")` makes one"
        ))
    })?;
    let dimensions = read.shape()[1];
    let values: Vec<f32> = read.as_array().iter().copied().collect();
    Vectors::new(dimensions, values).map_err(|error| {
        let failure = invalid(format!("`{what}`: {error}"), error.hint());
        raised(array.py(), &failure)
    })
}

fn or_empty(mut batches: Vec<arrow_array::RecordBatch>) -> Vec<arrow_array::RecordBatch> {
    if batches.is_empty() {
        batches.push(HitColumns::default().into_batch());
    }
    batches
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Model>()?;
    module.add_function(wrap_pyfunction!(nearest, module)?)
}
