//! Programs with tests on their way through the stages: read, run, changed and run again, and put beside each other.
//!
//! They have their own tables in the folders of the stages, and their own shards, behind those of functions.

pub(crate) mod alternates;
pub(crate) mod extract;
pub(crate) mod check;
pub(crate) mod vary;
pub(crate) mod assemble;
pub(super) mod examples;

use barecode_records::table::Table;
use barecode_records::{Outcome, Record};

use super::agree_on_set_aside;
use crate::engine::{self, Holds, ShardWriter, Ticket};
use crate::layout::{program_part, set_aside_of};

/// Checks the account of a shard, writes what was left out, and last what was kept, which is counted as `kind`.
fn finish<T: Record>(
    mut writer: ShardWriter,
    number: usize,
    kind: &str,
    outcome: Outcome<Vec<T>>,
) -> anyhow::Result<Ticket> {
    let kept = outcome.of(kind).kept;
    engine::agree(&format!("{kind} kept"), kept, outcome.kept.len())?;
    agree_on_set_aside(&outcome)?;
    let part = program_part(number);
    writer.holds(Holds::Programs);
    writer.table(set_aside_of(&part), Table::of(&outcome.set_aside))?;
    writer.finish(part, Table::of(&outcome.kept), outcome.counts)
}
