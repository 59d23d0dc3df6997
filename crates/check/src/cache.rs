//! Verdicts, kept.
//!
//! One `SQLite` file that any number of threads and processes share. A row is a digest of what was asked
//! (compiler, text, function) and what came out; nothing in it depends on the run, so it may be kept forever,
//! shared, or deleted at any time.
//!
//! Only [`Verdict::Compiled`] and [`Verdict::Refused`] are kept. Limits are not: a loaded machine reaches them
//! where an idle one would not, and a verdict that is kept is never doubted again.
//!
//! A write-ahead log makes a killed process harmless: rows that were not finished are not there. A file that is
//! no cache, or of another version, is never written to.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};

use crate::{CheckError, Object, Verdict};

/// "bare", in the header of every cache file.
const APPLICATION: i32 = i32::from_be_bytes(*b"bare");
const VERSION: i32 = 1;

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

    pub(crate) fn get(&self, key: &str) -> Result<Option<Verdict>, CheckError> {
        let connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let row = |row: &rusqlite::Row<'_>| -> rusqlite::Result<Verdict> {
            Ok(match row.get::<_, Option<String>>("refused")? {
                Some(message) => Verdict::Refused { message },
                None => Verdict::Compiled(Object {
                    fingerprint: row.get("object")?,
                    code_fingerprint: row.get("object_code")?,
                    code_bytes: u64::try_from(row.get::<_, i64>("code_bytes")?).unwrap_or(0),
                }),
            })
        };
        connection
            .prepare_cached(
                "SELECT refused, object, object_code, code_bytes FROM verdicts WHERE key = ?1",
            )
            .and_then(|mut statement| statement.query_row([key], row).optional())
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
    }

    /// Keeps a verdict, unless it says more about the machine than about the text.
    pub(crate) fn put(&self, key: &str, verdict: &Verdict) -> Result<(), CheckError> {
        const INSERT: &str = "INSERT OR IGNORE INTO verdicts VALUES (?1, ?2, ?3, ?4, ?5)";
        let connection = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let kept = match verdict {
            Verdict::Compiled(object) => {
                connection.prepare_cached(INSERT).and_then(|mut insert| {
                    let code_bytes = i64::try_from(object.code_bytes).unwrap_or(i64::MAX);
                    insert.execute(params![
                        key,
                        None::<&str>,
                        object.fingerprint,
                        object.code_fingerprint,
                        code_bytes
                    ])
                })
            }
            Verdict::Refused { message } => {
                connection.prepare_cached(INSERT).and_then(|mut insert| {
                    insert.execute(params![
                        key,
                        message,
                        None::<&str>,
                        None::<&str>,
                        None::<i64>
                    ])
                })
            }
            Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit => Ok(0),
        };
        kept.map(drop)
            .map_err(|error| Problem::Sqlite(error).at(&self.path))
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
                     CHECK ((refused IS NULL) = (object IS NOT NULL AND object_code IS NOT NULL AND code_bytes >= 0))
                 ) WITHOUT ROWID",
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
