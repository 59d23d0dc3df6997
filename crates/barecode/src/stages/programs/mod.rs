//! Programs with tests on their way through the stages: read, chosen among solutions of their problem, run, changed and
//! run again, and combined into a probe.
//!
//! They have their own tables in the folders of the stages, and their own shards, behind those of functions.

pub(crate) mod extract;
pub(crate) mod choose;
pub(crate) mod check;
pub(crate) mod vary;
pub(crate) mod assemble;
pub(super) mod examples;

use std::path::PathBuf;

use barecode_programs::{BUGS, PROGRAMS, ProgramsError, Stopped};
use barecode_records::python::Program;
use barecode_records::table::Table;
use barecode_records::{Outcome, Record, SetAside};

use super::agree_on_set_aside;
use crate::engine::{self, Content, Finished, Holds, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{is_set_aside, program_part, set_aside_of};

/// Programs that a table holds.
const TABLE: usize = 512;

/// Programs on their way into memory, or to tables, which are written one at a time, so that memory is bounded by one.
struct Kept {
    outcome: Outcome<Vec<Program>>,
    /// The writer of tables, and the number of tables that it wrote.
    tables: Option<(ShardWriter, usize)>,
}

impl Kept {
    fn new(writer: Option<ShardWriter>) -> Self {
        Kept {
            outcome: Outcome::counting([PROGRAMS]),
            tables: writer.map(|writer| (writer, 0)),
        }
    }

    /// Adds a program, and counts it and the bugs that are published with it.
    fn keep(&mut self, program: Program) -> anyhow::Result<()> {
        self.outcome.count_kept(PROGRAMS);
        for _ in &program.bugs {
            self.outcome.count_kept(BUGS);
        }
        self.outcome.kept.push(program);
        if self.outcome.kept.len() == TABLE {
            self.flush()?;
        }
        Ok(())
    }

    fn set_aside(&mut self, row: SetAside) {
        self.outcome.set_aside(&format!("{}s", row.kind), row);
    }

    /// Moves the bar of a shard.
    fn advance(&self, done: u64) {
        if let Some((writer, _)) = &self.tables {
            writer.advance(done);
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        if let Some((writer, written)) = &mut self.tables {
            let programs = std::mem::take(&mut self.outcome.kept);
            writer.table(program_part(*written), Table::of(&programs))?;
            *written += 1;
        }
        Ok(())
    }

    /// Writes what waits, and last what was left out.
    fn finish(mut self, made_from: serde_json::Value) -> anyhow::Result<Ticket> {
        // An empty table records the absence of programs.
        let is_first = self.tables.iter().all(|(_, written)| *written == 0);
        if is_first || !self.outcome.kept.is_empty() {
            self.flush()?;
        }
        let Kept { outcome, tables } = self;
        agree_on_set_aside(&outcome.counts, outcome.set_aside.len())?;
        let (mut writer, _) = tables.ok_or_else(|| Failure::internal("nothing writes tables"))?;
        writer.holds(Holds::Programs);
        writer.made_from(made_from);
        let last = set_aside_of(&program_part(0));
        writer.finish(last, Table::of(&outcome.set_aside), outcome.counts)
    }
}

/// The tables of programs that a finished stage left, with what is in them.
fn tables(finished: &Finished) -> impl Iterator<Item = (&PathBuf, &Content)> {
    let files = finished.of_programs().flat_map(|(_, ticket)| &ticket.files);
    files.filter(|(file, _)| !is_set_aside(file))
}

/// Returns the error that ended the work on data sets as an error of the program.
fn failed(stopped: Stopped<anyhow::Error>) -> anyhow::Error {
    match stopped {
        Stopped::Outside(error) => error,
        Stopped::Programs(error) => of_programs(&error).into(),
    }
}

/// An error of data sets as one of the program's.
fn of_programs(error: &ProgramsError) -> Failure {
    Failure {
        hint: error.hint(),
        ..Failure::invalid(error.to_string())
    }
}

/// Checks the account of a shard, writes what was left out, and last what was kept, which is counted as `kind`.
fn finish<T: Record>(
    mut writer: ShardWriter,
    number: usize,
    kind: &str,
    outcome: Outcome<Vec<T>>,
) -> anyhow::Result<Ticket> {
    let kept = outcome.of(kind).kept;
    engine::agree(&format!("{kind} kept"), kept, outcome.kept.len())?;
    agree_on_set_aside(&outcome.counts, outcome.set_aside.len())?;
    let part = program_part(number);
    writer.holds(Holds::Programs);
    writer.table(set_aside_of(&part), Table::of(&outcome.set_aside))?;
    writer.finish(part, Table::of(&outcome.kept), outcome.counts)
}
