//! TREC's text files: judgments (qrels) and runs.
//!
//! A line of a qrels file is `query iteration document grade`, a line of a run `query iteration document rank
//! score tag`; columns are separated by blanks. Blank lines and lines that begin with `#` are skipped, a
//! line may end in CRLF, and a file may be compressed with gzip, whatever its name. The rank of a run has no
//! meaning, as in `trec_eval`; text after the tag is skipped.
//!
//! Input that `trec_eval` accepts silently is an error here, with line and column: scores that are not finite
//! numbers, grades that are not whole numbers, a document twice for a query, ids with blanks, bytes that are not
//! UTF-8.
//!
//! This module does not sort. Rules for equal scores belong to scoring.

mod columns;
mod distinct;
mod locate;
mod plain;
mod qrels;
mod run;
mod write;

pub use qrels::{Qrels, read_qrels};
pub use run::{Fault, QueryRun, Scored, TrecRun};
pub use write::{write_qrels, write_run};

pub(crate) use distinct::Distinct;
pub(crate) use plain::{is_gzip, open_plain};
pub(crate) use write::{finite, whole};
