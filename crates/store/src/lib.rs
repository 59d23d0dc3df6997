//! `SQLite` files that any number of threads and processes share, for verdicts and for vectors.
//!
//! Enters: a path and the [`Format`] of a file. Leaves: a connection to a file of that format, made if it was missing,
//! or the [`Problem`] with it and a hint.
//!
//! A write-ahead log makes a killed process harmless: unfinished rows do not appear in the file. The difficulty is
//! that two processes may find the same empty file. The owner of the file is therefore checked first and under a
//! lock; a file of another program, or of another version, is never written to.
//!
//! The crate does not know any table.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, ffi};

/// A kind of file.
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Four letters in the header of each of its files.
    pub application: [u8; 4],
    /// The version of its tables.
    pub version: i32,
    /// The statements that make the tables of a new file.
    pub tables: &'static str,
    /// True if rows are on the disk as soon as they are written; otherwise a power failure may lose the last ones.
    pub is_durable: bool,
    /// The advice for a damaged file.
    pub if_damaged: &'static str,
    /// The advice for a file of another version.
    pub if_other_version: &'static str,
}

/// A problem with a file.
#[derive(Debug)]
pub enum Problem {
    /// An error of the library.
    Sqlite(rusqlite::Error),
    /// It is another program's.
    Foreign,
    /// It has tables of this version.
    OtherVersion(i32),
    /// A problem that the owner of the format found.
    Content {
        /// The problem.
        message: String,
        /// The advice to the user.
        hint: &'static str,
    },
}

impl From<rusqlite::Error> for Problem {
    fn from(error: rusqlite::Error) -> Self {
        Problem::Sqlite(error)
    }
}

impl Problem {
    /// The message and the hint for the user; `None` if the disk is full.
    pub fn explain(self, format: &Format) -> Option<(String, String)> {
        let (message, hint) = match self {
            Problem::Sqlite(error) => {
                // A file that must not grow is full, too.
                let code = error.sqlite_error().map(|error| error.extended_code);
                let hint = match error.sqlite_error_code() {
                    _ if code == Some(ffi::SQLITE_IOERR_WRITE) => return None,
                    Some(ErrorCode::DiskFull) => return None,
                    Some(
                        ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly,
                    ) => "its folder must exist, and both must be writable",
                    Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                        "another program holds it; end that, or name another file"
                    }
                    Some(ErrorCode::SystemIoFailure) => {
                        "is the disk sound? what was stored before is kept"
                    }
                    _ => format.if_damaged,
                };
                (error.to_string(), hint)
            }
            Problem::Foreign => (
                "a database of some other program".to_owned(),
                "name another file",
            ),
            Problem::OtherVersion(version) => (
                format!(
                    "written in version {version} of its format, this is version {}",
                    format.version
                ),
                format.if_other_version,
            ),
            Problem::Content { message, hint } => (message, hint),
        };
        Some((message, hint.to_owned()))
    }
}

/// Opens a file, or makes it.
///
/// # Errors
/// When the file is another program's, of another version, or cannot be written.
pub fn open(path: &Path, format: &Format) -> Result<Connection, Problem> {
    let mut connection = Connection::open(path)?;
    // Long enough for the slowest disk; a reader never waits, and a writer writes little at a time.
    connection.busy_timeout(Duration::from_mins(1))?;
    // A damaged page is reported as such when it is read, before any of its data is used.
    connection.pragma_update(None, "cell_size_check", true)?;
    prepare(&mut connection, format)?;
    write_ahead(&connection)?;
    let synchronous = if format.is_durable { "FULL" } else { "NORMAL" };
    connection.pragma_update(None, "synchronous", synchronous)?;
    Ok(connection)
}

/// The same, or a file that cannot be written, to be read only: as on a disk that is mounted so.
///
/// # Errors
/// As [`open`], and where it cannot be read either.
pub fn open_or_read(path: &Path, format: &Format) -> Result<Connection, Problem> {
    let refused = match open(path, format) {
        Err(Problem::Sqlite(error)) if path.is_file() => error,
        opened => return opened,
    };
    let is_refusal = matches!(
        refused.sqlite_error_code(),
        Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::ReadOnly)
    );
    if !is_refusal {
        return Err(refused.into());
    }
    let mut name = String::from("file:");
    for byte in path.as_os_str().as_encoded_bytes() {
        // Writing to a text does not fail.
        let _ = write!(name, "%{byte:02x}");
    }
    name.push_str("?immutable=1");
    // No process writes to this file while it is read, so no files are stored beside it for writers.
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let connection = Connection::open_with_flags(name, flags)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    let number =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let is = i32::from_be_bytes(format.application);
    match (number("application_id")?, number("user_version")?) {
        (application, version) if application == is && version == format.version => Ok(connection),
        (application, version) if application == is => Err(Problem::OtherVersion(version)),
        _ => Err(Problem::Foreign),
    }
}

/// The same tables in memory, gone with the connection.
///
/// # Errors
/// When memory runs out.
pub fn open_in_memory(format: &Format) -> Result<Connection, Problem> {
    let mut connection = Connection::open_in_memory()?;
    prepare(&mut connection, format)?;
    Ok(connection)
}

/// Checks whose file it is, and makes the tables of a new one.
fn prepare(connection: &mut Connection, format: &Format) -> Result<(), Problem> {
    let count = "SELECT count(*) FROM sqlite_master";
    let tables: i64 = connection.query_row(count, [], |row| row.get(0))?;
    if tables == 0 {
        // Lets a file become smaller. Works on an empty file only, and not inside a transaction.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    // The lock prevents two processes that both find an empty file from both filling it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number =
        |pragma: &str| transaction.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0));
    let tables: i64 = transaction.query_row(count, [], |row| row.get(0))?;
    let application = i32::from_be_bytes(format.application);
    match (number("application_id")?, number("user_version")?) {
        (is, version) if is == application && version == format.version => {}
        (is, version) if is == application => return Err(Problem::OtherVersion(version)),
        (0, 0) if tables == 0 => {
            transaction.pragma_update(None, "application_id", application)?;
            transaction.pragma_update(None, "user_version", format.version)?;
            transaction.execute_batch(format.tables)?;
        }
        _ => return Err(Problem::Foreign),
    }
    transaction.commit()?;
    Ok(())
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
            // Some file systems cannot share memory; then the journal mode stays the same, which is only slower.
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
