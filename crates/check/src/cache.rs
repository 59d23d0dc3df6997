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
//!
//! A write-ahead log makes a killed process harmless: unfinished rows do not exist. A file that is
//! not a cache, or of another version, is never written to.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use crate::{CheckError, Object, Verdict};

/// "bare", in the header of every cache file.
const APPLICATION: i32 = i32::from_be_bytes(*b"bare");
const VERSION: i32 = 2;

#[derive(Debug)]
pub(crate) struct Cache {
    path: PathBuf,
    connection: Mutex<Connection>,
}

impl Cache {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: &Path) -> Result<Cache, CheckError> {
        let connection = connect(path).map_err(|problem| problem.at(path))?;
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
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
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
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
    }

    /// What was noted under a key.
    pub(crate) fn note(&self, key: &str) -> Result<Option<String>, CheckError> {
        self.connection()
            .prepare_cached("SELECT note FROM notes WHERE key = ?1")
            .and_then(|mut statement| statement.query_row([key], |row| row.get(0)).optional())
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
    }

    /// Notes something, replacing what was noted before.
    pub(crate) fn put_note(&self, key: &str, note: &str) -> Result<(), CheckError> {
        self.connection()
            .prepare_cached("INSERT OR REPLACE INTO notes VALUES (?1, ?2)")
            .and_then(|mut insert| insert.execute(params![key, note]))
            .map(drop)
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is wrong with a cache.
enum Problem {
    Sqlite(rusqlite::Error),
    Foreign,
    OtherVersion(i32),
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Problem::Sqlite(error)
    }
}

impl Problem {
    fn at(self, path: &Path) -> CheckError {
        let delete = "it only saves time; delete it, or name another file";
        let (message, hint) = match self {
            Problem::Sqlite(error) => match error.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => {
                    let hint = "make room, then run the same command again".to_owned();
                    return CheckError::DiskFull {
                        path: path.to_owned(),
                        hint,
                    };
                }
                Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly) => {
                    (
                        error.to_string(),
                        "its folder must exist, and both must be writable",
                    )
                }
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
                    error.to_string(),
                    "another program holds it; end that, or name another file",
                ),
                _ => (error.to_string(), delete),
            },
            Problem::Foreign => (
                "a database of some other program".to_owned(),
                "name another file",
            ),
            Problem::OtherVersion(version) => (
                format!("written in version {version} of its format, this is version {VERSION}"),
                delete,
            ),
        };
        CheckError::Cache {
            path: path.to_owned(),
            message,
            hint: hint.to_owned(),
        }
    }
}

fn connect(path: &Path) -> Result<Connection, Problem> {
    let mut connection = Connection::open(path)?;
    // Long enough for the slowest disk; a reader never waits, and a writer writes one row.
    connection.busy_timeout(Duration::from_secs(60))?;
    // Whose file it is comes first, before anything could change it. The lock keeps two processes that both
    // find an empty file from both filling it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number =
        |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let tables: i64 =
        transaction.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    match (number("application_id")?, number("user_version")?) {
        (APPLICATION, VERSION) => {}
        (APPLICATION, other) => return Err(Problem::OtherVersion(other)),
        (0, 0) if tables == 0 => {
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", VERSION)?;
            transaction.execute_batch(
                "CREATE TABLE verdicts (
                     key TEXT PRIMARY KEY, refused TEXT, object TEXT, object_code TEXT, code_bytes INTEGER,
                     CHECK ((refused IS NULL) = (code_bytes IS NOT NULL AND code_bytes >= 0)),
                     CHECK ((object IS NULL) = (object_code IS NULL))
                 ) WITHOUT ROWID;
                 CREATE TABLE notes (key TEXT PRIMARY KEY, note TEXT NOT NULL) WITHOUT ROWID",
            )?;
        }
        _ => return Err(Problem::Foreign),
    }
    transaction.commit()?;
    write_ahead(&connection)?;
    // With a write-ahead log this loses the last rows when the power fails, never the file.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// Switches to a write-ahead log, which the file remembers.
///
/// The switch needs the file for itself and does not wait for it as other statements do, so it is tried again.
fn write_ahead(connection: &Connection) -> Result<(), Problem> {
    let mut tries = 0;
    loop {
        match connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))
        {
            // Some file systems cannot share memory; then the journal stays what it was, which is only slower.
            Ok(_) => return Ok(()),
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 500 =>
            {
                tries += 1;
                std::thread::sleep(Duration::from_millis(10));
            }
            Err(error) => return Err(error.into()),
        }
    }
}
