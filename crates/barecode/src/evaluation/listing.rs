//! The lists of a system on a subset: made by its model or from others' lists, and written as tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use barecode_evaluate::{
    Asked, List, ListReader, Lists, Means, System, SystemKind, Task, lists, rows,
};
use barecode_formats::trec::write_run;
use barecode_records::table::{Table, read_batches};
use barecode_records::{Hit, HitColumns, Stage};

use super::Evaluation;
use super::cut::Counting;
use crate::encoders::{Fetch, sampling};
use crate::engine::{self, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::interrupt;
use crate::look::Look;

/// Queries that a reranker on a server is asked about at the same time, unless the model's table says otherwise.
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
}
