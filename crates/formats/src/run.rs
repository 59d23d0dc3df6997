//! Runs and judgments in whatever file they come.
//!
//! [`open_run`] and [`read_qrels`] look at the first bytes of a file, never at its name: Parquet, JSON, or else
//! TREC's text; JSON and text may be compressed with gzip. JSON is ranx's `{query: {document: number}}`, which is
//! also how BEIR saves results, or MTEB's predictions, `{subset: {split: …}}` of the same beside
//! `mteb_model_meta`. Runs in JSON and Parquet are held in memory as a whole, those in text are not.

use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

use barecode_records::guarded;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::columns::Columns;
use crate::trec::{self, Fault, Qrels, QueryRun, Scored, TrecRun};
use crate::{FormatError, Place, ranx, source};

pub use crate::ranx::Table;

/// A run that can be looked at one query at a time.
#[derive(Debug)]
pub enum Run {
    /// In TREC's text, read while it is looked at.
    Trec(TrecRun),
    /// In columns, held in memory.
    Columns(Columns),
}

/// Opens a run.
///
/// ```
/// use barecode_formats::run::open_run;
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("run.json");
/// std::fs::write(&path, r#"{"q1": {"d1": 0.5, "d2": 1}}"#).unwrap();
/// let run = open_run(&path).unwrap();
/// let found = run.for_each_query(|run| Ok(run.position("d2"))).unwrap();
/// assert_eq!(found, [("q1".to_owned(), Some(1))]);
/// ```
///
/// # Errors
/// With the position: text that is not JSON, another schema of Parquet, scores that are not finite, documents twice
/// for a query; and the errors of [`TrecRun::open`].
pub fn open_run(path: &Path) -> Result<Run, FormatError> {
    match kind_of(path)? {
        Kind::Trec => TrecRun::open(path).map(Run::Trec),
        Kind::Json => Run::of_columns(ranx::read_run_json(path)?),
        Kind::Parquet => Run::of_columns(ranx::read_run_parquet(path)?),
    }
}

/// Reads judgments; all of them are held in memory.
///
/// # Errors
/// As [`trec::read_qrels`] and [`open_run`].
pub fn read_qrels(path: &Path) -> Result<Qrels, FormatError> {
    match kind_of(path)? {
        Kind::Trec => trec::read_qrels(path),
        Kind::Json => ranx::read_qrels_json(path),
        Kind::Parquet => ranx::read_qrels_parquet(path),
    }
}

impl Run {
    /// A run in columns.
    ///
    /// # Errors
    /// If it has no documents.
    pub fn of_columns(columns: Columns) -> Result<Self, FormatError> {
        if columns.is_empty() {
            return Err(nothing(columns.path()));
        }
        Ok(Run::Columns(columns))
    }

    /// As [`TrecRun::for_each_query`].
    ///
    /// # Errors
    /// As [`TrecRun::for_each_query`]; positions in JSON and Parquet are the file alone.
    pub fn for_each_query<T: Send>(
        &self,
        see: impl Fn(&QueryRun) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<(String, T)>, FormatError> {
        match self {
            Run::Trec(run) => run.for_each_query(see),
            Run::Columns(columns) => (0..columns.len())
                .into_par_iter()
                .map_init(
                    || (Vec::new(), trec::Distinct::default()),
                    |(documents, positions), at| {
                        let query = columns.query(at, documents);
                        seen(columns.path(), query, documents, positions, &see)
                    },
                )
                .collect(),
        }
    }
}

/// Returns the result for a query whose documents are in memory.
fn seen<T>(
    path: &Path,
    query: &str,
    documents: &[Scored<'_>],
    positions: &mut trec::Distinct,
    see: &impl Fn(&QueryRun) -> Result<T, Fault>,
) -> Result<(String, T), FormatError> {
    let run = QueryRun::over(query, documents, positions).map_err(|at| {
        let doc = documents[at].doc;
        let message = format!("the document `{doc}` occurs twice for the query `{query}`");
        FormatError::invalid(Place::file(path), message)
    })?;
    let value = see(&run).map_err(|fault| {
        let error = FormatError::invalid(Place::file(path), fault.message);
        match fault.hint {
            Some(hint) => error.with_hint(hint),
            None => error,
        }
    })?;
    Ok((query.to_owned(), value))
}

fn nothing(path: &Path) -> FormatError {
    let message = "no scored document in this file";
    FormatError::invalid(Place::file(path), message)
}

enum Kind {
    Trec,
    Json,
    Parquet,
}

fn kind_of(path: &Path) -> Result<Kind, FormatError> {
    let io = |error| source::cannot_read(path, error);
    let mut file = guarded::open(path).map_err(io)?;
    let mut first = Vec::new();
    if trec::is_gzip(&mut file).map_err(io)? {
        // Faults in the rest of it are reported by the caller that reads it.
        let _ = flate2::read::MultiGzDecoder::new(&mut file)
            .take(64)
            .read_to_end(&mut first);
    } else {
        file.seek(SeekFrom::Start(0)).map_err(io)?;
        file.take(64).read_to_end(&mut first).map_err(io)?;
    }
    Ok(if first.starts_with(b"PAR1") {
        Kind::Parquet
    } else if first.trim_ascii_start().starts_with(b"{") {
        Kind::Json
    } else {
        Kind::Trec
    })
}
