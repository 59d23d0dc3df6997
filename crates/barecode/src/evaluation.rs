//! Systems × subsets in a run folder: the shards of `retrieve` and `score`, for a recipe and for `eval` alike.
//!
//! In come systems, models and subsets; out come plans for the engine. A shard of `retrieve` is a system on a subset; a
//! system that is made of others reads their lists where they are current and makes them again where they are not, so
//! that no shard waits for another.
//!
//! Subsets share most of their queries and some of their documents, so before the first shard each text is embedded
//! once for all of them; what the shards ask for then is cached. What models took is written to
//! `06-runs/ledger.json` ([`ledger`]), even if the run fails.
//!
//! What this does not do: it decides nothing about lists and scores; `barecode_evaluate` does.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use barecode_evaluate::{
    Asked, Bounds, Drawn, List, ListReader, Lists, MATCHING_ACCURACY, Means, PoolConfig,
    ProbeConfig, Scoring, SubsetFacts, System, SystemKind, Task, lists, rows, summarize, values,
};
use barecode_formats::trec::write_run;
use barecode_models::{Embeddings, Encoder, ModelError, Side};
use barecode_records::table::{Table, read_batches};
use barecode_records::{
    Candidate, Difference, Digest, Facets, Hit, HitColumns, ProbeScore, QueryScore, Score,
    SettingDrop, Stage, SubsetKind,
};
use barecode_scores::{Bootstrap, Measure};
use rayon::prelude::*;

use self::cut::Counting;
use self::matching::Thresholds;
pub(crate) use self::matching::sampling;
use crate::console::{Console, grouped};
use crate::encoders::{Encoders, Fetch};
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::interrupt;
use crate::layout;
use crate::look::Look;
use crate::recipe::{RecipeModel, RetrieveConfig, ScoreConfig};
use crate::run_folder::RunFolder;

pub(crate) mod cut;
pub(crate) mod ledger;
pub(crate) mod made;
mod matching;
mod probe;
mod takes;

/// A change of what `retrieve` leaves for the same input is a new version.
const RETRIEVE_CODE: u32 = 5;

/// A change of what `score` leaves for the same input is a new version.
const SCORE_CODE: u32 = 6;

/// The folder of candidates; no retriever can have this name.
const CANDIDATES: &str = "_candidates";

/// Queries that a reranker on a server is asked about at the same time, unless the model's table says otherwise.
const PARALLEL: usize = 4;

/// What is evaluated, on what, and where the rows lie.
pub(crate) struct Evaluation<'a> {
    /// The run folder.
    pub(crate) folder: &'a RunFolder,
    /// The terminal.
    pub(crate) console: Console,
    /// The models.
    pub(crate) encoders: &'a Encoders,
    /// The systems, each after those that it is made of.
    pub(crate) systems: &'a [System],
    /// The models of systems that have one, by the name of the system.
    pub(crate) models: &'a BTreeMap<String, RecipeModel>,
    /// The folder that paths of systems are relative to.
    pub(crate) base: &'a Path,
    /// What probes compare.
    pub(crate) probe: ProbeConfig,
    /// The seed of random order, random names and pools.
    pub(crate) seed: u64,
    /// The subsets.
    pub(crate) subsets: Vec<SubsetIn<'a>>,
    /// Whether lists are written as TREC runs too.
    pub(crate) trec: bool,
    /// Tasks whose candidates are drawn.
    pub(crate) drawn: Mutex<BTreeMap<usize, Arc<Task>>>,
    /// Lists that were made just now.
    pub(crate) made: made::Made,
    /// What was booked of each model.
    pub(crate) books: ledger::Books,
}

/// A subset, and how to read it.
pub(crate) struct SubsetIn<'a> {
    /// Its name in the run folder.
    pub(crate) file: String,
    /// Its name in folders of vectors and runs: `SUBSET.SPLIT`.
    pub(crate) task: String,
    /// A digest of documents and queries.
    pub(crate) texts: String,
    /// A digest of judgments.
    pub(crate) judgments: String,
    /// How many queries it has.
    pub(crate) queries: u64,
    /// What it asks.
    pub(crate) kind: SubsetKind,
    /// Which documents compete.
    pub(crate) retrieve: RetrieveConfig,
    /// Whether thresholds are fitted on it, and it is not scored.
    pub(crate) trains: bool,
    /// Reads it.
    pub(crate) load: Box<dyn Fn() -> anyhow::Result<Arc<Task>> + Send + Sync + 'a>,
}

impl<'a> Evaluation<'a> {
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

    fn shard(
        self: &Arc<Self>,
        system: usize,
        at: usize,
        outside: &Outside,
        look: Look,
    ) -> anyhow::Result<Shard<'a>> {
        let subset = &self.subsets[at];
        let key = if subset.kind == SubsetKind::Probe {
            self.of_probe(subset)
        } else {
            let key = Key::new(Stage::Retrieve, RETRIEVE_CODE).format::<Hit>();
            self.of_pool(key, subset)
        };
        let this = Arc::clone(self);
        Ok(Shard {
            key: self.add_outside(key, at, outside, look)?,
            last: self.last(system, at),
            items: subset.queries,
            work: Box::new(move |writer| this.work(system, at, writer)),
        })
    }

    /// The shard that keeps which documents are candidates of which query: scoring needs them, and asks no model.
    fn candidates(self: &Arc<Self>, at: usize, look: Look) -> anyhow::Result<Shard<'a>> {
        let subset = &self.subsets[at];
        let key = Key::new(Stage::Retrieve, RETRIEVE_CODE).format::<Candidate>();
        let mut key = self.of_pool(key, subset);
        if let PoolConfig::Nearest(_) = subset.retrieve.pool {
            let outside = self.outside(0, look)?;
            key = self.add_outside(key, at, &outside, look)?;
        }
        let this = Arc::clone(self);
        Ok(Shard {
            key,
            last: candidates_of(subset),
            items: 0,
            work: Box::new(move |writer| {
                let task = this.task(at)?;
                let rows = Drawn::rows(&task.draws, &task);
                writer.finish(
                    candidates_of(&this.subsets[at]),
                    Table::of(&rows),
                    BTreeMap::new(),
                )
            }),
        })
    }

    /// Adds what every key of a subset depends on.
    fn of_pool(&self, key: Key, subset: &SubsetIn<'_>) -> Key {
        let key = key.field(self.seed.to_le_bytes()).field(&subset.texts);
        match subset.retrieve.pool {
            PoolConfig::Everyone => key,
            pool => key
                .field(pool.to_string())
                .field(subset.n_draws().to_le_bytes())
                .field(&subset.judgments),
        }
    }

    /// The system, those that it is made of, and the one that chooses candidates, with the identities of their models.
    fn outside(&self, system: usize, look: Look) -> anyhow::Result<Outside> {
        let mut members = vec![system];
        let mut next = 0;
        while let Some(&member) = members.get(next) {
            let parts = self.systems[member].parts().iter();
            members.extend(parts.map(|part| self.index(part)));
            next += 1;
        }
        let nearest = |at: usize| matches!(self.subsets[at].retrieve.pool, PoolConfig::Nearest(_));
        if self.drawn_from().any(nearest) && !members.contains(&0) {
            members.push(0);
        }
        let mut identities = BTreeMap::new();
        for &member in &members {
            let name = self.systems[member].name();
            if let (Some(model), true) = (self.models.get(name), look != Look::Folder) {
                let fetch = if look == Look::Fetch {
                    Fetch::Allowed
                } else {
                    Fetch::Never
                };
                identities.insert(name.to_owned(), self.identity(member, model, fetch)?);
            }
        }
        Ok(Outside {
            members,
            identities,
        })
    }

    /// Adds the systems, identities of models and digests of files; with a look into the folder only, whatever was used will do.
    fn add_outside(
        &self,
        mut key: Key,
        at: usize,
        outside: &Outside,
        look: Look,
    ) -> anyhow::Result<Key> {
        let mut files = Vec::new();
        let mut uses = false;
        for &member in &outside.members {
            let system = &self.systems[member];
            key = key.field(system.digest());
            uses |= self.models.contains_key(system.name());
            let own = system.files(self.base, &self.subsets[at].task);
            let own = match (own, look) {
                (Ok(own), _) => own,
                (Err(error), Look::Fetch) => return Err(error.into()),
                (Err(_), Look::Around | Look::Folder) => vec![PathBuf::new()],
            };
            uses |= !own.is_empty();
            for file in own {
                files.push(match (fs::read(&file), look) {
                    (Ok(bytes), _) => Digest::new("file").field(bytes).hex(),
                    (Err(error), Look::Fetch) => {
                        let message = format!("cannot read `{}`: {error}", file.display());
                        return Err(Failure::invalid(message).into());
                    }
                    (Err(_), Look::Around | Look::Folder) => "not here".to_owned(),
                });
            }
        }
        if uses && look == Look::Folder {
            return Ok(key.unseen());
        }
        for (name, identity) in &outside.identities {
            key = key.tool(name, identity);
        }
        if !files.is_empty() {
            key = key.own(Digest::new("files").fields(files).hex());
        }
        Ok(key)
    }

    /// The identity of a system's model; of one that may not be fetched and is not here, one that no run has.
    fn identity(&self, system: usize, model: &RecipeModel, fetch: Fetch) -> anyhow::Result<String> {
        match (
            self.encoders.identity(&self.systems[system], model, fetch),
            fetch,
        ) {
            (Ok(identity), _) => Ok(identity),
            (Err(failure), Fetch::Allowed) => Err(failure.into()),
            (Err(failure), Fetch::Never) => {
                let name = &model.spec.name;
                let message = failure.message;
                self.console
                    .note(&format!("`{name}` cannot be looked at: {message}"));
                Ok("not here".to_owned())
            }
        }
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

    /// A subset with its candidates.
    fn task(&self, at: usize) -> anyhow::Result<Arc<Task>> {
        let drawn = || self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(task) = drawn().get(&at) {
            return Ok(Arc::clone(task));
        }
        let task = (self.subsets[at].load)()?;
        let subset = &self.subsets[at];
        if subset.retrieve.pool == PoolConfig::Everyone || subset.kind == SubsetKind::Probe {
            return Ok(task);
        }
        let mut task = Arc::unwrap_or_clone(task);
        let seeds = (0..subset.n_draws()).map(|draw| self.seed.wrapping_add(draw.into()));
        let nearest = |task: &Task, depth: usize| -> anyhow::Result<Vec<List>> {
            let chooser = self.systems[0].with_depth(depth);
            let lists = self.lists(&chooser, at, task, &Counting::default())?;
            Ok(lists.into_iter().next().unwrap_or_default())
        };
        if let Some(draws) = subset.retrieve.pool.draw(&task, seeds, nearest)? {
            task.draws = draws;
        }
        let task = Arc::new(task);
        drawn().insert(at, Arc::clone(&task));
        Ok(task)
    }

    /// The lists of a system.
    fn lists(
        &self,
        system: &System,
        at: usize,
        task: &Task,
        counting: &Counting,
    ) -> anyhow::Result<Lists> {
        let model = self.models.get(system.name());
        let (encoder, reranker, writer);
        let mut bar = None;
        let means = match (system.kind(), model) {
            (SystemKind::Dense(_), Some(model)) => {
                encoder = self.encoders.open(model, Fetch::Allowed)?;
                Means::Encoder(&*encoder)
            }
            (SystemKind::Fused { of, .. }, _) => {
                let parts = of.iter().map(|part| self.part(part, at, task));
                Means::Parts(parts.collect::<anyhow::Result<_>>()?)
            }
            (SystemKind::Reranked { of, .. }, None) => Means::Parts(vec![self.part(of, at, task)?]),
            (SystemKind::Reranked { of, .. }, Some(model)) => {
                let first = self.part(of, at, task)?;
                reranker = self.encoders.open_reranker(model, Fetch::Allowed)?;
                bar = Some(self.console.working("rerank", "queries"));
                let parallel = model.spec.remote.parallel.unwrap_or(PARALLEL);
                let parallel = model.spec.source.is_remote().then_some(parallel);
                Means::Reranker(first, &*reranker, parallel)
            }
            (&SystemKind::Chat { max_tokens, .. }, Some(model)) => {
                writer = self.encoders.open_writer(model, sampling(max_tokens))?;
                bar = Some(self.console.working("match", "pairs"));
                Means::Writer(&*writer)
            }
            _ => Means::Nothing,
        };
        let asked = Asked {
            seed: self.seed,
            base: self.base,
            progress: &|name, done, total| {
                if let Some(bar) = &bar {
                    bar.tell(name, done as u64, total as u64);
                }
            },
            cut: &|side, cut, of| counting.add(side, cut, of),
            unknown: &|documents| counting.add_unknown(documents),
            stop: &interrupt::asked,
        };
        Ok(lists(system, means, task, &asked)?)
    }

    /// The lists of a system that another one is made of: from its table if that is current, else made again.
    fn part(&self, name: &str, at: usize, task: &Task) -> anyhow::Result<Lists> {
        let system = self.index(name);
        let outside = self.outside(system, Look::Fetch)?;
        let key = Key::new(Stage::Retrieve, RETRIEVE_CODE).format::<Hit>();
        let key = self.of_pool(key, &self.subsets[at]);
        let key = self.add_outside(key, at, &outside, Look::Fetch)?;
        if engine::is_current(self.folder, Stage::Retrieve, &key, &self.last(system, at)) {
            return Ok(Arc::unwrap_or_clone(self.done(system, at, task)?));
        }
        self.lists(&self.systems[system], at, task, &Counting::default())
    }

    /// The lists of a system on a subset that are done: just now, or in its tables.
    fn done(&self, system: usize, at: usize, task: &Task) -> anyhow::Result<Arc<Lists>> {
        if let Some(lists) = self.made.get(system, at) {
            return Ok(lists);
        }
        let of_draw = |file| {
            let mut reader = ListReader::new(task);
            let path = self.folder.stage(Stage::Retrieve).join(file);
            read_batches::<Hit>(&path, |rows| reader.add(rows))?;
            Ok(reader.lists())
        };
        let tables = self.tables(system, at).into_iter();
        let lists: anyhow::Result<Lists> = tables.map(of_draw).collect();
        Ok(Arc::new(lists?))
    }

    fn work(&self, system: usize, at: usize, mut writer: ShardWriter) -> anyhow::Result<Ticket> {
        if self.subsets[at].kind == SubsetKind::Probe {
            return self.work_on_probe(system, at, writer);
        }
        let task = self.task(at)?;
        let counting = Counting::default();
        let lists = self.lists(&self.systems[system], at, &task, &counting)?;
        writer.made_from(counting.told(self.systems[system].name()));
        let config = &self.systems[system];
        if let (SystemKind::Reranked { .. } | SystemKind::Chat { .. }, Some(model)) =
            (config.kind(), self.models.get(config.name()))
        {
            let identity = self.encoders.identity(config, model, Fetch::Allowed)?;
            self.books
                .write(self.folder, &model.spec.name, &identity, self.encoders)?;
        }
        let tables = self.tables(system, at);
        let last = tables.len() - 1;
        for (file, lists) in tables.iter().zip(&lists).take(last) {
            writer.table(file, self.table(system, file, &task, lists)?)?;
        }
        let table = self.table(system, &tables[last], &task, &lists[last])?;
        let ticket = writer.finish(&tables[last], table, BTreeMap::new())?;
        self.made.keep(system, at, lists);
        Ok(ticket)
    }

    /// The table of one draw's lists; a TREC run of it is written, if that is wanted.
    fn table(
        &self,
        system: usize,
        file: &Path,
        task: &Task,
        lists: &[List],
    ) -> anyhow::Result<Table<Hit>> {
        let rows = rows(task, lists);
        if self.trec {
            self.write_trec(system, file, &rows)?;
        }
        Ok(Table::of_batches(rows))
    }

    /// The same rows as a TREC run beside the table.
    fn write_trec(&self, system: usize, table: &Path, rows: &[RecordBatch]) -> anyhow::Result<()> {
        let path = self.folder.stage(Stage::Retrieve).join(table);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        }
        let tag = self.systems[system].folder();
        let rows: Result<Vec<_>, _> = rows.iter().map(HitColumns::rows).collect();
        let rows = rows.map_err(Failure::internal)?;
        let rows = rows.into_iter().flatten();
        Ok(write_run(&path.with_extension("trec"), rows, tag)?)
    }

    /// Opens models, embeds texts and draws candidates for the shards that are to do. All models are opened first: a
    /// missing key or folder is reported before anything is paid for.
    fn prepare(&self, to_do: &[&Path]) -> anyhow::Result<()> {
        for (system, config) in self.systems.iter().enumerate() {
            let Some(model) = self.models.get(config.name()) else {
                continue;
            };
            if self.is_to_do(system, to_do) {
                match config.kind() {
                    SystemKind::Reranked { .. } => {
                        self.encoders.open_reranker(model, Fetch::Allowed)?;
                    }
                    &SystemKind::Chat { max_tokens, .. } => {
                        self.encoders.open_writer(model, sampling(max_tokens))?;
                    }
                    _ => drop(self.encoders.open(model, Fetch::Allowed)?),
                }
            }
        }
        for (system, texts) in self.texts(to_do)? {
            let model = &self.models[self.systems[system].name()];
            let encoder = self.encoders.open(model, Fetch::Allowed)?;
            let embedded = self.embed(&model.spec.name, &*encoder, &texts);
            self.books.write(
                self.folder,
                &model.spec.name,
                encoder.identity(),
                self.encoders,
            )?;
            embedded?;
        }
        for at in self.drawn_from() {
            let of_subset = |system| to_do.contains(&&*self.last(system, at));
            let candidates = candidates_of(&self.subsets[at]);
            if to_do.contains(&&*candidates) || (0..self.systems.len()).any(of_subset) {
                self.task(at)?;
            }
        }
        Ok(())
    }

    fn last(&self, system: usize, at: usize) -> PathBuf {
        self.tables(system, at).pop().unwrap_or_default()
    }

    fn is_to_do(&self, system: usize, to_do: &[&Path]) -> bool {
        (0..self.subsets.len()).any(|at| to_do.contains(&&*self.last(system, at)))
    }

    /// The distinct texts that each model embeds for the tables that are to do, with a system that has this model.
    fn texts(&self, to_do: &[&Path]) -> anyhow::Result<Vec<(usize, Texts)>> {
        let mut found: Vec<(usize, Texts)> = Vec::new();
        for (system, config) in self.systems.iter().enumerate() {
            let (Some(dense), Some(model)) = (config.dense(), self.models.get(config.name()))
            else {
                continue;
            };
            let same =
                |other: usize| self.models[self.systems[other].name()].spec.name == model.spec.name;
            let mut texts = Texts::default();
            for at in 0..self.subsets.len() {
                if !to_do.contains(&&*self.last(system, at)) {
                    continue;
                }
                let task = (self.subsets[at].load)()?;
                let (documents, _) = dense.reading.texts(&task, self.seed);
                let documents = documents.into_iter().flatten();
                texts.documents.extend(documents.map(Cow::into_owned));
                let queries = task.queries.iter().map(|query| query.text.clone());
                texts.queries.extend(queries);
            }
            match found.iter_mut().find(|(other, _)| same(*other)) {
                Some((_, known)) => {
                    known.documents.extend(texts.documents);
                    known.queries.extend(texts.queries);
                }
                None => found.push((system, texts)),
            }
        }
        found.retain(|(_, texts)| !texts.documents.is_empty());
        Ok(found)
    }

    fn embed(&self, name: &str, encoder: &dyn Encoder, texts: &Texts) -> Result<(), ModelError> {
        for (side, texts) in texts.sides() {
            let (cut, empty) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let count = |_: &[usize], part: Embeddings| {
                let truncated = part.truncated.iter().filter(|cut| **cut).count();
                cut.fetch_add(truncated, Ordering::Relaxed);
                let vectors = part.values.chunks(part.dimensions.max(1));
                let zeros = vectors.filter(|vector| vector.iter().all(|number| *number == 0.0));
                empty.fetch_add(zeros.count(), Ordering::Relaxed);
                Ok(())
            };
            encoder.encode_parts(side, &texts, &count)?;
            let (cut, empty) = (cut.into_inner(), empty.into_inner());
            let noun = match side {
                Side::Document => "documents",
                Side::Query => "queries",
            };
            if empty > 0 {
                self.console.note(&format!(
                    "{:>9}  {name}: the vectors of {} of {} {noun} are all zeros, which is as near to one text as to another",
                    "embed",
                    grouped(empty as u64),
                    grouped(texts.len() as u64)
                ));
            }
            if cut > 0 {
                self.console.note(&format!(
                    "{:>9}  {name}: {} of {} {noun} are longer than the model reads",
                    "embed",
                    grouped(cut as u64),
                    grouped(texts.len() as u64)
                ));
            }
        }
        let usage = self.encoders.usage();
        let damaged = usage.get(name).map_or(0, |usage| usage.cache_damaged);
        if damaged > 0 {
            self.console.note(&format!(
                "{:>9}  {name}: {} cached vectors were damaged, and were asked for again",
                "embed",
                grouped(damaged)
            ));
        }
        Ok(())
    }

    /// The one shard of `score`: all systems and settings of a group share the draws of the bootstrap, whose seed is
    /// that of their facets.
    pub(crate) fn score(
        self: &Arc<Self>,
        runs: &Finished,
        config: &'a ScoreConfig,
        seed: impl Fn(&Facets) -> u64 + Send + Sync + 'a,
    ) -> Plan<'a> {
        let mut key = Key::new(Stage::Score, SCORE_CODE)
            .format::<QueryScore>()
            .format::<Score>()
            .format::<SettingDrop>()
            .format::<Difference>()
            .format::<ProbeScore>()
            .field(config.resolved().to_string())
            .field(self.seed.to_le_bytes())
            .field(format!("{:?}", self.probe))
            .fields(self.systems.iter().map(System::name));
        for subset in &self.subsets {
            key = key
                .field(&subset.file)
                .field(&subset.texts)
                .field(&subset.judgments)
                .field([u8::from(subset.trains)]);
        }
        let files = runs.shards.iter().flat_map(|(_, ticket)| &ticket.files);
        key = key
            .fields(files.map(|(file, content)| format!("{} {}", file.display(), content.digest)));
        let this = Arc::clone(self);
        let shard = Shard {
            key,
            last: layout::SCORES.into(),
            items: (self.subsets.len() * self.systems.len()) as u64,
            work: Box::new(move |writer| this.score_all(config, &seed, writer)),
        };
        Plan::new(Stage::Score, "runs", [shard])
    }

    fn score_all(
        &self,
        config: &ScoreConfig,
        seed: &(dyn Fn(&Facets) -> u64 + Send + Sync),
        mut writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        let scoring = Scoring {
            measures: &config.measures,
            ties: config.ties,
        };
        let thresholds = self.thresholds()?;
        let subsets: Vec<usize> = self
            .ranked()
            .filter(|at| !self.subsets[*at].trains)
            .collect();
        let scored = subsets
            .into_par_iter()
            .map(|at| self.score_subset(at, scoring, &thresholds));
        let scored: Vec<(SubsetFacts, Vec<QueryScore>)> = scored.collect::<Result<_, _>>()?;
        let (facts, rows): (Vec<SubsetFacts>, Vec<Vec<QueryScore>>) = scored.into_iter().unzip();
        let rows = rows.concat();
        let measures: Vec<String> = config.measures.iter().map(Measure::to_string).collect();
        let mut measures: Vec<&str> = measures.iter().map(String::as_str).collect();
        if self
            .subsets
            .iter()
            .any(|it| it.kind == SubsetKind::Matching)
        {
            measures.push(MATCHING_ACCURACY);
        }
        let systems: Vec<&str> = self.systems.iter().map(System::name).collect();
        let bootstrap = |facets: &Facets| Bootstrap {
            resamples: config.resamples,
            confidence: config.confidence,
            seed: seed(facets),
        };
        let summary = summarize(&rows, &systems, &measures, &facts, &bootstrap)?;
        writer.table(layout::QUERY_SCORES, Table::of(&rows))?;
        writer.table(layout::DROPS, Table::of(&summary.drops))?;
        writer.table(layout::DIFFERENCES, Table::of(&summary.differences))?;
        writer.table(layout::SETS, Table::of(&summary.sets))?;
        if let Some(scores) = self.score_probes(config.confidence)? {
            writer.table(layout::PROBE, Table::of(&scores))?;
        }
        writer.finish(layout::SCORES, Table::of(&summary.scores), BTreeMap::new())
    }

    fn score_subset(
        &self,
        at: usize,
        scoring: Scoring<'_>,
        thresholds: &Thresholds,
    ) -> anyhow::Result<(SubsetFacts, Vec<QueryScore>)> {
        let task = self.task_as_drawn(at)?;
        let mut rows = Vec::new();
        if self.subsets[at].kind == SubsetKind::Matching {
            return Ok((
                SubsetFacts::of(&task),
                self.score_pairs(at, &task, thresholds)?,
            ));
        }
        let bounds = Bounds::of(&task, scoring);
        for (system, config) in self.systems.iter().enumerate() {
            if self.takes_part(system, at) {
                let lists = self.done(system, at, &task)?;
                rows.extend(values(config.name(), &task, &lists, &bounds, scoring)?);
            }
        }
        Ok((SubsetFacts::of(&task), rows))
    }

    /// A subset with the candidates that were drawn, as their table has them.
    fn task_as_drawn(&self, at: usize) -> anyhow::Result<Arc<Task>> {
        let mut task = (self.subsets[at].load)()?;
        if self.subsets[at].retrieve.pool != PoolConfig::Everyone {
            let table = candidates_of(&self.subsets[at]);
            let rows = self.folder.layout().rows(Stage::Retrieve, [table])?;
            let drawn = Drawn::of_rows(&rows, &task);
            Arc::make_mut(&mut task).draws = drawn;
        }
        Ok(task)
    }
}

/// A system and all that its lists come from.
struct Outside {
    members: Vec<usize>,
    identities: BTreeMap<String, String>,
}

/// The distinct texts that a model embeds.
#[derive(Debug, Default)]
struct Texts {
    documents: BTreeSet<String>,
    queries: BTreeSet<String>,
}

impl Texts {
    fn sides(&self) -> [(Side, Vec<&str>); 2] {
        fn list(texts: &BTreeSet<String>) -> Vec<&str> {
            texts.iter().map(String::as_str).collect()
        }
        [
            (Side::Document, list(&self.documents)),
            (Side::Query, list(&self.queries)),
        ]
    }
}

fn candidates_of(subset: &SubsetIn<'_>) -> PathBuf {
    Path::new(CANDIDATES).join(format!("{}.parquet", subset.file))
}
