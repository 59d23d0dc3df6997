//! The stages over tables: each is one method of a workbench, which has the content of a recipe.

use std::path::PathBuf;
use std::sync::Arc;

use barecode::{CallOptions, Failure, Workbench};
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::{Function, Outcome, Query, Record, Unit, Variant};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::table::{Table, records};
use crate::waiting::{Ear, wait};

/// The stages of a recipe, or of a part of one; tools are looked for when a stage first needs them.
#[pyclass(module = "barecode", frozen)]
struct Stages {
    bench: Arc<Workbench>,
    ear: Arc<Ear>,
}

/// The kept rows, the rows that were set aside, and the account in JSON.
type Made = (Table, Table, String);

#[pymethods]
impl Stages {
    /// A recipe in TOML; its paths are relative to `base`.
    #[new]
    #[pyo3(signature = (recipe, base, *, threads=None, cache=None, no_cache=false))]
    fn new(
        py: Python<'_>,
        recipe: String,
        base: PathBuf,
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
        let bench = wait(py, &ear, None, move || {
            Workbench::open(&recipe, &base, &options, listener)
        })?;
        Ok(Stages {
            bench: Arc::new(bench),
            ear,
        })
    }

    /// Sources to functions.
    #[pyo3(signature = (progress=None))]
    fn extract(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Made> {
        self.made(py, progress, Workbench::extract)
    }

    /// Functions to units.
    #[pyo3(signature = (functions, progress=None))]
    fn check(&self, functions: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Made> {
        let rows: Vec<Function> = records(functions, "functions")?;
        self.made(functions.py(), progress, move |bench| bench.check(&rows))
    }

    /// Units to variants.
    #[pyo3(signature = (units, progress=None))]
    fn vary(&self, units: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Made> {
        let rows: Vec<Unit> = records(units, "units")?;
        self.made(units.py(), progress, move |bench| bench.vary(&rows))
    }

    /// Units to queries.
    #[pyo3(signature = (units, progress=None))]
    fn query(&self, units: &Bound<'_, PyAny>, progress: Option<Py<PyAny>>) -> PyResult<Made> {
        let rows: Vec<Unit> = records(units, "units")?;
        self.made(units.py(), progress, move |bench| bench.query(&rows))
    }

    /// Units, variants and queries to a dataset: a dictionary of subsets, each with `corpus`, `queries` and `qrels`.
    #[pyo3(signature = (units, variants, queries, progress=None))]
    fn assemble<'py>(
        &self,
        units: &Bound<'py, PyAny>,
        variants: &Bound<'py, PyAny>,
        queries: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyDict>, Table, String)> {
        let py = units.py();
        let units: Vec<Unit> = records(units, "units")?;
        let variants: Vec<Variant> = records(variants, "variants")?;
        let queries: Vec<Query> = records(queries, "queries")?;
        let bench = Arc::clone(&self.bench);
        let (tables, aside, counts) = wait(py, &self.ear, progress.as_ref(), move || {
            let outcome = bench.assemble(&units, &variants, queries)?;
            let configurations = outcome.kept.configurations.iter();
            let tables: Vec<_> = configurations
                .map(|one| {
                    let corpus = Table::of(&one.documents);
                    let queries = Table::of(&one.queries);
                    let qrels = Table::of(&one.judgments);
                    (one.name().to_owned(), [corpus, queries, qrels])
                })
                .collect();
            Ok((tables, Table::of(&outcome.set_aside), counted(&outcome)))
        })?;
        let subsets = PyDict::new(py);
        for (name, [corpus, queries, qrels]) in tables {
            let subset = PyDict::new(py);
            subset.set_item("corpus", corpus)?;
            subset.set_item("queries", queries)?;
            subset.set_item("qrels", qrels)?;
            subsets.set_item(name, subset)?;
        }
        Ok((subsets, aside, counts))
    }

    /// Data sets to programs.
    #[pyo3(signature = (progress=None))]
    fn extract_programs(&self, py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Made> {
        self.made(py, progress, Workbench::extract_programs)
    }

    /// Programs to those that stay of the solutions of each problem.
    #[pyo3(signature = (programs, progress=None))]
    fn choose_programs(
        &self,
        programs: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Made> {
        self.of_programs(programs, progress, Workbench::choose_programs)
    }

    /// Programs to programs that pass their tests.
    #[pyo3(signature = (programs, progress=None))]
    fn check_programs(
        &self,
        programs: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Made> {
        self.of_programs(programs, progress, Workbench::check_programs)
    }

    /// Programs to clones and bugs.
    #[pyo3(signature = (programs, progress=None))]
    fn vary_programs(
        &self,
        programs: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Made> {
        self.of_programs(programs, progress, Workbench::vary_programs)
    }

    /// Programs, clones and bugs to a probe: a dictionary with `corpus`, `programs` and `probe`.
    #[pyo3(signature = (programs, variants, progress=None))]
    fn assemble_programs<'py>(
        &self,
        programs: &Bound<'py, PyAny>,
        variants: &Bound<'py, PyAny>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let py = programs.py();
        let programs: Vec<Program> = records(programs, "programs")?;
        let variants: Vec<ProgramVariant> = records(variants, "variants")?;
        let bench = Arc::clone(&self.bench);
        let tables = wait(py, &self.ear, progress.as_ref(), move || {
            let (mut documents, mut listed, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
            for rows in bench.assemble_programs(programs, variants) {
                documents.push(rows.document);
                listed.extend(rows.program);
                pairs.extend(rows.pair);
            }
            Ok([
                ("corpus", Table::of(&documents)),
                ("programs", Table::of(&listed)),
                ("probe", Table::of(&pairs)),
            ])
        })?;
        let probe = PyDict::new(py);
        for (name, table) in tables {
            probe.set_item(name, table)?;
        }
        Ok(probe)
    }
}

impl Stages {
    /// Runs a stage on the rows of a table of programs.
    fn of_programs<T: Record + Send + 'static>(
        &self,
        programs: &Bound<'_, PyAny>,
        progress: Option<Py<PyAny>>,
        stage: impl FnOnce(&Workbench, &[Program]) -> Result<Outcome<Vec<T>>, Failure> + Send + 'static,
    ) -> PyResult<Made> {
        let rows: Vec<Program> = records(programs, "programs")?;
        self.made(programs.py(), progress, move |bench| stage(bench, &rows))
    }

    fn made<T: Record + Send + 'static>(
        &self,
        py: Python<'_>,
        progress: Option<Py<PyAny>>,
        stage: impl FnOnce(&Workbench) -> Result<Outcome<Vec<T>>, Failure> + Send + 'static,
    ) -> PyResult<Made> {
        let bench = Arc::clone(&self.bench);
        wait(py, &self.ear, progress.as_ref(), move || {
            let outcome = stage(&bench)?;
            let (kept, aside) = (Table::of(&outcome.kept), Table::of(&outcome.set_aside));
            Ok((kept, aside, counted(&outcome)))
        })
    }
}

/// The account in JSON: by kind of thing what entered, what was kept, and what was set aside for which reason.
fn counted<T>(outcome: &Outcome<T>) -> String {
    serde_json::to_string(&outcome.counts).expect("counts are plain data")
}

pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Stages>()
}
