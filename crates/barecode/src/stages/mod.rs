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

/// `part-00007.parquet`, the table of a shard.
fn part(number: usize) -> PathBuf {
    PathBuf::from(format!("part-{number:05}.parquet"))
}

/// `set-aside/part-00007.parquet`, what the shard left out.
fn set_aside_part(number: usize) -> PathBuf {
    Path::new("set-aside").join(part(number))
}
