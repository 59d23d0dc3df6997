//! The lists of a system on a subset: made by its model or from others' lists, and written as tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use barecode_evaluate::{
    Asked, List, ListReader, Lists, RerankedBy, System, SystemKind, Task, embedded, fused, judged,
    of_labels, of_run, of_vectors, reranked, rescored, retrieved, rows,
};
use barecode_formats::trec::write_run;
use barecode_records::table::{Table, read_batches};
use barecode_records::{Hit, HitColumns, Stage};

use super::cut::Counting;
use super::state::Evaluation;
use crate::encoders::{Fetch, sampling};
use crate::engine::{self, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::look::Look;
use crate::recipe::RecipeModel;

/// The number of queries that a server's reranker handles at the same time, unless the model's table sets another.
const PARALLEL: usize = 4;

impl Evaluation<'_> {
    /// The lists of a system.
    pub(super) fn lists(
        &self,
        system: &System,
        at: usize,
        task: &Task,
        counting: &Counting,
    ) -> anyhow::Result<Lists> {
        let bar = match system.kind() {
            SystemKind::Reranked {
                by: RerankedBy::Model(_),
                ..
            } => Some(self.console.working("rerank", "queries")),
            SystemKind::Chat { .. } => Some(self.console.working("match", "pairs")),
            _ => None,
        };
        let asked = &Asked {
            system: system.name(),
            depth: system.depth(),
            task,
            seed: self.seed,
            base: self.base,
            progress: &|name, done, total| {
                if let Some(bar) = &bar {
                    bar.tell(name, done as u64, total as u64);
                }
            },
            cut: &|side, cut, of| counting.add(side, cut, of),
            unknown: &|documents| counting.add_unknown(documents),
            stop: &|| self.console.is_stopped(),
        };
        Ok(match system.kind() {
            SystemKind::Retriever(retriever) => retrieved(&**retriever, asked)?,
            SystemKind::Dense(dense) => {
                let model = self.model(system)?;
                let encoder = self.encoders.open(model, Fetch::Allowed)?;
                if let Some(seen) = self.encoders.seen(model) {
                    counting.add_seen(&seen, task);
                }
                embedded(dense, &*encoder, asked)?
            }
            SystemKind::Vectors { path, vectors } => of_vectors(path, vectors, asked)?,
            SystemKind::Run(path) => of_run(path, asked)?,
            SystemKind::Labels(path) => of_labels(path, asked)?,
            SystemKind::Fused { of, how } => {
                let parts = of.iter().map(|part| self.part(part, at, task));
                fused(
                    how,
                    &parts.collect::<anyhow::Result<Vec<_>>>()?,
                    asked.depth,
                )
            }
            SystemKind::Reranked { of, by } => {
                let first = self.part(of, at, task)?;
                match by {
                    RerankedBy::Retriever(retriever) => rescored(&**retriever, &first, asked),
                    RerankedBy::Model(_) => {
                        let model = self.model(system)?;
                        let reranker = self.encoders.open_reranker(model, Fetch::Allowed)?;
                        let parallel = model.spec.remote.parallel.unwrap_or(PARALLEL);
                        let parallel = model.spec.source.is_remote().then_some(parallel);
                        reranked(&*reranker, parallel, &first, asked)?
                    }
                }
            }
            &SystemKind::Chat { max_tokens, .. } => {
                let model = self.model(system)?;
                let writer = self.encoders.open_writer(model, sampling(max_tokens))?;
                judged(&*writer, asked)?
            }
        })
    }

    /// The model of a system that calls one.
    pub(super) fn model(&self, system: &System) -> Result<&RecipeModel, Failure> {
        let model = self.models.get(system.name());
        model.ok_or_else(|| Failure::internal(format!("`{}` has no model", system.name())))
    }

    /// Returns the lists of a system that is part of another one: from its table if that is current, else made again.
    fn part(&self, name: &str, at: usize, task: &Task) -> anyhow::Result<Lists> {
        let system = self.index(name);
        let outside = self.outside(system, Look::Fetch)?;
        let key = self.key_of_lists(&self.subsets[at]);
        let key = self.add_outside(key, at, &outside, Look::Fetch)?;
        if engine::is_current(self.folder, Stage::Retrieve, &key, &self.last(system, at)) {
            return Ok(Arc::unwrap_or_clone(self.done(system, at, task)?));
        }
        self.lists(&self.systems[system], at, task, &Counting::default())
    }

    /// The lists of a system on a subset that are done: just now, or in its tables.
    pub(super) fn done(&self, system: usize, at: usize, task: &Task) -> anyhow::Result<Arc<Lists>> {
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

    /// Makes the lists of a system on a subset, and writes a table for each draw of the candidates.
    pub(super) fn list(
        &self,
        system: usize,
        at: usize,
        mut writer: ShardWriter,
    ) -> anyhow::Result<Ticket> {
        let task = self.task(at)?;
        let counting = Counting::default();
        let lists = self.lists(&self.systems[system], at, &task, &counting)?;
        counting.add_pools(&task, &lists);
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

    /// Returns the table of one draw's lists; a TREC run of it is written, if requested.
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

    /// Writes the same rows as a TREC run beside the table.
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
}
