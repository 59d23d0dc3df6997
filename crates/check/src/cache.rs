//! The cache of verdicts.
//!
//! One `SQLite` file that any number of threads and processes share. A row is a digest of what was asked
//! (compiler, text, function) and what came out, with
//! the object if a text was compiled alone. It does not depend on the run, so it may be kept forever, shared, or
//! deleted at any time.
//!
//! Notes are stored beside them in the same way: what many questions found out about a text.
//!
//! Only [`Verdict::Compiled`] and [`Verdict::Refused`] are stored. Limits are not: a loaded machine reaches them
//! where an idle one would not, and a stored verdict is never questioned again.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barecode_store::{Format, Problem};
use rusqlite::{Connection, OptionalExtension, params};

use crate::{CheckError, Object, Verdict};

const FORMAT: Format = Format {
    application: *b"bare",
    version: 2,
    tables: "CREATE TABLE verdicts (
                 key TEXT PRIMARY KEY, refused TEXT, object TEXT, object_code TEXT, code_bytes INTEGER,
                 CHECK ((refused IS NULL) = (code_bytes IS NOT NULL AND code_bytes >= 0)),
                 CHECK ((object IS NULL) = (object_code IS NULL))
             ) WITHOUT ROWID;
             CREATE TABLE notes (key TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID",
    is_durable: false,
    if_damaged: DELETE,
    if_other_version: DELETE,
};

const DELETE: &str = "it only saves time; delete it, or name another file";

/// The error for what is wrong with the file at a path.
fn at(path: &Path, problem: Problem) -> CheckError {
    let path = path.to_owned();
    match problem.explain(&FORMAT) {
        None => CheckError::DiskFull {
            path,
            hint: "make room, then run the same command again".to_owned(),
        },
        Some((message, hint)) => CheckError::Cache {
            path,
            message,
            hint,
        },
    }
}

#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Cache {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: &Path) -> Result<Cache, CheckError> {
        let connection =
            barecode_store::open(path, &FORMAT).map_err(|problem| at(path, problem))?;
        Ok(Cache {
            path: path.to_owned(),
            connection: Mutex::new(connection),
        })
    }

    /// The verdict under a key, with the object where one was made.
    pub(crate) fn get(&self, key: &str) -> Result<Option<(Verdict, Option<Object>)>, CheckError> {
        let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<(Verdict, Option<Object>)> {
            if let Some(message) = row.get::<_, Option<String>>("refused")? {
                return Ok((Verdict::Refused { message }, None));
            }
            let code_bytes = u64::try_from(row.get::<_, i64>("code_bytes")?).unwrap_or(0);
            let object: Option<String> = row.get("object")?;
            let code: Option<String> = row.get("object_code")?;
            let object = object
                .zip(code)
                .map(|(fingerprint, code_fingerprint)| Object {
                    fingerprint,
                    code_fingerprint,
                    code_bytes,
                });
            Ok((Verdict::Compiled { code_bytes }, object))
        };
        self.connection()
            .prepare_cached(
                "SELECT refused, object, object_code, code_bytes FROM verdicts WHERE key = ?1",
            )
            .and_then(|mut statement| statement.query_row([key], row).optional())
            .map_err(|error| at(&self.path, error.into()))
    }

    /// Keeps a verdict, unless it says more about the machine than about the text. An object adds to a verdict
    /// that was kept without.
    pub(crate) fn put(
        &self,
        key: &str,
        verdict: &Verdict,
        object: Option<&Object>,
    ) -> Result<(), CheckError> {
        let (refused, code_bytes) = match verdict {
            Verdict::Compiled { code_bytes } => {
                (None, Some(i64::try_from(*code_bytes).unwrap_or(i64::MAX)))
            }
            Verdict::Refused { message } => (Some(message), None),
            Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit => return Ok(()),
        };
        let insert = if object.is_some() {
            "INSERT OR REPLACE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5)"
        } else {
            "INSERT OR IGNORE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5)"
        };
        self.connection()
            .prepare_cached(insert)
            .and_then(|mut insert| {
                insert.execute(params![
                    key,
                    refused,
                    object.map(|object| &object.fingerprint),
                    object.map(|object| &object.code_fingerprint),
                    code_bytes
                ])
            })
            .map(drop)
            .map_err(|error| at(&self.path, error.into()))
    }

    /// What was noted under a key.
    pub(crate) fn note(&self, key: &str) -> Result<Option<String>, CheckError> {
        self.connection()
            .prepare_cached("SELECT note FROM notes WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
            .map_err(|error| at(&self.path, error.into()))
    }

    /// Notes something, replacing what was noted before.
    pub(crate) fn put_note(&self, key: &str, note: &str) -> Result<(), CheckError> {
        self.connection()
            .prepare_cached("INSERT OR REPLACE INTO notes VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![key, note]))
            .map(drop)
            .map_err(|error| at(&self.path, error.into()))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}
