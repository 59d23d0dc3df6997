//! The workers of the stages, in the order of the flow: each has a `plan`, which lists the work to do, and the work of
//! a shard. [`crate::flow`] walks them, [`crate::engine`] decides which shards are to do.

pub(crate) mod extract;
pub(crate) mod check;
pub(crate) mod vary;
pub(crate) mod query;
pub(crate) mod assemble;
pub(crate) mod retrieve;
pub(crate) mod score;
pub(crate) mod report;
pub(crate) mod programs;
pub(crate) mod shown;

use std::collections::BTreeMap;

use barecode_records::table::Table;
use barecode_records::{Counts, Outcome, Record};

use crate::engine::{self, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{part, set_aside_of};

/// Checks the account of a shard, writes what was left out, and last what was kept, which is counted as `kinds`.
fn finish<T: Record>(
    mut writer: ShardWriter,
    number: usize,
    kinds: &[&str],
    outcome: Outcome<Vec<T>>,
) -> anyhow::Result<Ticket> {
    let kept = kinds.iter().map(|kind| outcome.of(kind).kept).sum();
    engine::agree(&format!("{} kept", kinds[0]), kept, outcome.kept.len())?;
    agree_on_set_aside(&outcome.counts, outcome.set_aside.len())?;
    let part = part(number);
    writer.table(set_aside_of(&part), Table::of(&outcome.set_aside))?;
    writer.finish(part, Table::of(&outcome.kept), outcome.counts)
}

/// Checks that the number of rows that were set aside is the number that was counted.
fn agree_on_set_aside(counts: &BTreeMap<String, Counts>, rows: usize) -> Result<(), Failure> {
    let counts = counts.values();
    let counted = counts.flat_map(|counts| counts.set_aside.values()).sum();
    engine::agree("things set aside", counted, rows)
}
