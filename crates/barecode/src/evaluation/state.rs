//! The systems of an evaluation, its subsets, and the paths of its rows: built in this file only.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use barecode_evaluate::{ProbeConfig, System, Task};
use barecode_records::Stage;

use super::ledger::{Books, Fields};
use super::made::Made;
use super::subset::SubsetIn;
use crate::console::Console;
use crate::encoders::Encoders;
use crate::recipe::RecipeModel;
use crate::run_folder::RunFolder;

/// A change of what `retrieve` leaves for the same input is a new version.
pub(super) const RETRIEVE_CODE: u32 = 6;

/// The systems of an evaluation, its subsets, and the folder of its rows.
pub(crate) struct Evaluation<'a> {
    pub(super) folder: &'a RunFolder,
    pub(super) console: Console,
    pub(super) encoders: &'a Encoders,
    /// The systems, each after its parts.
    pub(super) systems: &'a [System],
    /// The models of systems that have one, by the name of the system.
    pub(super) models: &'a BTreeMap<String, RecipeModel>,
    /// The folder that paths of systems are relative to.
    pub(super) base: &'a Path,
    /// The options of probes.
    pub(super) probe: ProbeConfig,
    /// The seed of random order, random names and pools.
    pub(super) seed: u64,
    pub(super) subsets: Vec<SubsetIn<'a>>,
    /// True if lists are written as TREC runs too.
    pub(super) trec: bool,
    /// Tasks whose candidates are drawn.
    pub(super) drawn: Mutex<BTreeMap<usize, Arc<Task>>>,
    pub(super) made: Made,
    pub(super) books: Books,
}

impl<'a> Evaluation<'a> {
    /// Systems with their models, and a seed of random order, random names and pools; [`Evaluation::on`] begins it.
    pub(crate) fn new(
        folder: &'a RunFolder,
        console: Console,
        encoders: &'a Encoders,
        systems: (&'a [System], &'a BTreeMap<String, RecipeModel>),
        seed: u64,
    ) -> Self {
        Evaluation {
            folder,
            console,
            encoders,
            systems: systems.0,
            models: systems.1,
            base: Path::new(""),
            probe: ProbeConfig::default(),
            seed,
            subsets: Vec::new(),
            trec: false,
            drawn: Mutex::default(),
            made: Made::default(),
            books: Books::new(Stage::Retrieve, BTreeMap::new()),
        }
    }

    /// Paths of systems are relative to a recipe's folder, and models are booked as the recipe names them.
    pub(crate) fn of_recipe(self, base: &'a Path, named: BTreeMap<String, String>) -> Self {
        let books = Books::new(Stage::Retrieve, named);
        Evaluation {
            base,
            books,
            ..self
        }
    }

    /// Sets the options of probes.
    pub(crate) fn probing(self, probe: ProbeConfig) -> Self {
        Evaluation { probe, ..self }
    }

    /// Lists are written as TREC runs too.
    pub(crate) fn with_trec(self) -> Self {
        Evaluation { trec: true, ..self }
    }

    /// The evaluation on some subsets; tables are in their order.
    pub(crate) fn on(self, subsets: impl IntoIterator<Item = SubsetIn<'a>>) -> Arc<Self> {
        let subsets = subsets.into_iter().collect();
        Arc::new(Evaluation { subsets, ..self })
    }

    /// Returns the usage of each model in this call.
    pub(crate) fn taken(&self) -> BTreeMap<String, Fields> {
        self.books.taken()
    }

    pub(super) fn index(&self, name: &str) -> usize {
        let mut systems = self.systems.iter();
        systems
            .position(|system| system.name() == name)
            .expect("a system is made of systems that are there")
    }

    /// The tables of a system on a subset, one for each draw of the candidates, relative to the stage's folder.
    pub(super) fn tables(&self, system: usize, at: usize) -> Vec<PathBuf> {
        let folder = Path::new(self.systems[system].folder());
        let file = &self.subsets[at].file;
        match self.subsets[at].n_draws() {
            1 => vec![folder.join(format!("{file}.parquet"))],
            draws => (1..=draws)
                .map(|draw| folder.join(format!("{file}.draw-{draw}.parquet")))
                .collect(),
        }
    }

    pub(super) fn last(&self, system: usize, at: usize) -> PathBuf {
        self.tables(system, at).pop().unwrap_or_default()
    }
}
