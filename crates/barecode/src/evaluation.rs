//! Systems × subsets in a run folder: the shards of `retrieve` and `score`, for a recipe and for `eval` alike.
//!
//! In come systems, models and subsets; out come plans for the engine. A shard of `retrieve` is a system on a subset; a
//! system that is made of others reads their lists where they are current and makes them again where they are not, so
//! that no shard waits for another.
//!
//! The way inside: `subset` (what is read) and `question` (what it asks of systems) → `keys` (what a shard depends on) →
//! `embedding` (each text once for all subsets, before the first shard) → `candidates` and `listing` (the shards) →
//! `scoring`, with `matching` and `probe`. What models took is written to `06-runs/ledger.json` ([`ledger`]), even if the
//! run fails.
//!
//! What this does not do: it decides nothing about lists and scores; `barecode_evaluate` does.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use barecode_evaluate::{PoolConfig, ProbeConfig, System, Task};
use barecode_records::Stage;

use self::ledger::{Books, Fields};
use self::made::Made;
pub(crate) use self::subset::{SubsetIn, read};
use crate::console::Console;
use crate::encoders::Encoders;
use crate::engine::{Plan, Shard};
use crate::look::Look;
use crate::recipe::RecipeModel;
use crate::run_folder::RunFolder;

mod subset;
mod question;
mod keys;
mod embedding;
mod candidates;
mod listing;
mod made;
mod scoring;
mod matching;
mod probe;
mod estimates;
pub(crate) mod cut;
pub(crate) mod ledger;

/// A change of what `retrieve` leaves for the same input is a new version.
const RETRIEVE_CODE: u32 = 5;

/// What is evaluated, on what, and where the rows lie.
pub(crate) struct Evaluation<'a> {
    folder: &'a RunFolder,
    console: Console,
    encoders: &'a Encoders,
    /// The systems, each after those that it is made of.
    systems: &'a [System],
    /// The models of systems that have one, by the name of the system.
    models: &'a BTreeMap<String, RecipeModel>,
    /// The folder that paths of systems are relative to.
    base: &'a Path,
    /// What probes compare.
    probe: ProbeConfig,
    /// The seed of random order, random names and pools.
    seed: u64,
    subsets: Vec<SubsetIn<'a>>,
    /// Whether lists are written as TREC runs too.
    trec: bool,
    /// Tasks whose candidates are drawn.
    drawn: Mutex<BTreeMap<usize, Arc<Task>>>,
    made: Made,
    books: Books,
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

    /// What probes compare.
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

    /// What each model took in this call.
    pub(crate) fn taken(&self) -> BTreeMap<String, Fields> {
        self.books.taken()
    }

    /// The shards of `retrieve`. Models are opened as far as it takes to know whether their runs are current.
    pub(crate) fn retrieve(self: &Arc<Self>, look: Look) -> anyhow::Result<Plan<'a>> {
        let mut shards = Vec::new();
        for at in self.drawn_from() {
            shards.push(self.candidates(at, look)?);
        }
        for system in 0..self.systems.len() {
            let outside = self.outside(system, look)?;
            for at in 0..self.subsets.len() {
                if self.takes_part(system, at) {
                    shards.push(self.shard(system, at, &outside, look)?);
                } else if look == Look::Fetch
                    && let Some(why) = self.why_not(system, at)
                {
                    let (name, subset) = (self.systems[system].name(), &self.subsets[at].file);
                    self.console.note(&format!(
                        "note: `{name}` takes no part in `{subset}`: {why}"
                    ));
                }
            }
        }
        let this = Arc::clone(self);
        Ok(Plan {
            stage: Stage::Retrieve,
            noun: "queries",
            shards,
            prepare: Some(Box::new(move |to_do| this.prepare(to_do))),
            pulse: None,
        })
    }

    /// The shard of a system on a subset.
    fn shard(
        self: &Arc<Self>,
        system: usize,
        at: usize,
        outside: &keys::Outside,
        look: Look,
    ) -> anyhow::Result<Shard<'a>> {
        let subset = &self.subsets[at];
        let question = subset.question();
        let key = question.key(self, subset);
        let this = Arc::clone(self);
        Ok(Shard {
            key: self.add_outside(key, at, outside, look)?,
            last: self.last(system, at),
            items: subset.queries,
            work: Box::new(move |writer| question.work(&this, system, at, writer)),
        })
    }

    fn takes_part(&self, system: usize, at: usize) -> bool {
        let subset = &self.subsets[at];
        (subset.question()).takes_part(self, &self.systems[system], subset)
    }

    /// Why a system takes no part, where a reader would not expect it.
    fn why_not(&self, system: usize, at: usize) -> Option<&'static str> {
        let (system, subset) = (&self.systems[system], &self.subsets[at]);
        let is_asked = !subset.trains && !system.is_chance();
        is_asked.then(|| subset.question().why_not(system))?
    }

    /// The subsets whose candidates are drawn.
    fn drawn_from(&self) -> impl Iterator<Item = usize> {
        let drawn = |at: &usize| self.subsets[*at].retrieve.pool != PoolConfig::Everyone;
        (0..self.subsets.len()).filter(drawn)
    }

    fn index(&self, name: &str) -> usize {
        let mut systems = self.systems.iter();
        systems
            .position(|system| system.name() == name)
            .expect("a system is made of systems that are there")
    }

    /// The tables of a system on a subset, one for each draw of the candidates, relative to the stage's folder.
    fn tables(&self, system: usize, at: usize) -> Vec<PathBuf> {
        let folder = Path::new(self.systems[system].folder());
        let file = &self.subsets[at].file;
        match self.subsets[at].n_draws() {
            1 => vec![folder.join(format!("{file}.parquet"))],
            draws => (1..=draws)
                .map(|draw| folder.join(format!("{file}.draw-{draw}.parquet")))
                .collect(),
        }
    }

    fn last(&self, system: usize, at: usize) -> PathBuf {
        self.tables(system, at).pop().unwrap_or_default()
    }
}
