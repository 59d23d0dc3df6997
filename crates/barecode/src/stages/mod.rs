//! The workers of the stages, in the order of the flow: each has a `plan`, which says what there is to do, and the
//! work of a shard. [`flow`](crate::flow) walks them, [`engine`](crate::engine) decides which shards are to do.

pub(crate) mod extract;
pub(crate) mod check;
pub(crate) mod vary;
pub(crate) mod query;
pub(crate) mod assemble;
pub(crate) mod retrieve;
pub(crate) mod score;
pub(crate) mod report;

use std::path::{Path, PathBuf};

use barecode_records::{Outcome, Record};

use crate::engine::{self, ShardWriter, Ticket};

/// `part-00007.parquet`, the table of a shard.
fn part(number: usize) -> PathBuf {
    PathBuf::from(format!("part-{number:05}.parquet"))
}

/// `set-aside/part-00007.parquet`, what the shard left out.
fn set_aside_part(number: usize) -> PathBuf {
    Path::new("set-aside").join(part(number))
}

/// Checks the account of a shard, writes what was left out, and then what was kept. `kind` is what the records that
/// were kept are counted as, and `entered` how many of it there were.
fn finish<T: Record>(
    mut writer: ShardWriter,
    number: usize,
    (kind, entered): (&str, u64),
    outcome: Outcome<Vec<T>>,
) -> anyhow::Result<Ticket> {
    let counts = outcome.of(kind);
    engine::agree(&format!("{kind} kept"), counts.kept, outcome.kept.len())?;
    engine::agree(&format!("{kind} entered"), counts.entered, usize::try_from(entered)?)?;
    writer.table(set_aside_part(number), &outcome.set_aside)?;
    writer.finish(part(number), &outcome.kept, outcome.counts)
}
