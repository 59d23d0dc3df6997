//! Vectors, scores and written answers of models, kept.
//!
//! One `SQLite` file that any number of threads and processes share. A vector is found by a digest of the model's
//! identity (model, revision, prompts, length, number type), the side, and the text. So a text that is in five
//! settings, or in two datasets, is embedded once. Nothing in the file depends on a run, so it may be kept forever,
//! shared, or deleted at any time. Its content was paid for, so every finished request is on the disk before the next
//! one is waited for.
//!
//! The first vector of a text stays: a slower process takes the stored one, so that every later reader sees the same
//! bytes.
//!
//! The hard thing is the behavior on failures. A killed process loses requests that were not finished, and a full
//! disk is an error that keeps the stored entries. A model that changed behind its name is detected by the length of
//! its vectors. An entry that was damaged on the disk does not fit its checksum: it is thrown away, counted, and
//! requested again. A file that cannot be read is an error, because to go on without it would be to pay again. A
//! changed model of the same length cannot be detected: give it a `revision`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barecode_records::Digest;
use barecode_store::{Format, Problem};
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::{Clock, ModelError, Side};

mod cached;

pub use cached::{Cached, CachedReranker, Progress, Scores};

/// Every request was paid for: it is on the disk when it is done, not when the system flushes it.
const FORMAT: Format = Format {
    application: *b"barv",
    version: 1,
    tables: "CREATE TABLE models (
                 id INTEGER PRIMARY KEY, identity TEXT NOT NULL UNIQUE, length INTEGER
             );
             CREATE TABLE kept (
                 key BLOB NOT NULL UNIQUE, model INTEGER NOT NULL REFERENCES models, value BLOB NOT NULL,
                 tokens INTEGER NOT NULL, truncated INTEGER NOT NULL, used INTEGER NOT NULL, sum BLOB
             );
             CREATE INDEX kept_used ON kept (used);
             CREATE INDEX kept_model ON kept (model);",
    is_durable: true,
    if_damaged: "what it holds was paid for: `sqlite3 FILE .recover | sqlite3 NEW`, with a `sqlite3` that can, saves what \
                 can be read, and each entry is checked when it is used; put NEW in its place, or move the file away",
    if_other_version: "name another file, or use the barecode that wrote it",
};

/// The error for a problem with the file at a path.
fn at(path: &Path, problem: Problem) -> ModelError {
    let path = path.to_owned();
    match problem.explain(&FORMAT) {
        None => ModelError::DiskFull { path },
        Some((message, hint)) => ModelError::Cache {
            path,
            message,
            hint,
        },
    }
}

/// A file of vectors, scores and answers.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("vectors.sqlite");
/// use barecode_models::{Cache, SystemClock};
/// let cache = Cache::open(&file, Some(10 << 30), &SystemClock::new())?;
/// assert!(cache.contents()?.is_empty());
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    connection: Mutex<Connection>,
    /// The start of this process, in seconds since 1970: entries that it uses count as used then, and are never
    /// pruned by it.
    session: i64,
    /// True if this process used anything.
    is_used: AtomicBool,
    size_limit: Option<u64>,
    /// True if the file cannot be written: its entries are used, and the time of use is not noted.
    is_read_only: bool,
}

/// The entries of one model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheEntry {
    /// The model's identity.
    pub identity: String,
    /// Vectors, scores of a reranker, or answers of a writer.
    pub count: u64,
    /// The bytes of its entries.
    pub bytes: u64,
    /// The time of the last use of one of them, in seconds since 1970.
    pub last_used: u64,
}

/// The stored answer to a text: the numbers of its vector, its scores, or a written answer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kept {
    pub(crate) value: Vec<u8>,
    pub(crate) tokens: u32,
    pub(crate) truncated: bool,
}

impl Kept {
    pub(crate) fn of(values: &[f32], tokens: u32, truncated: bool) -> Self {
        let bytes = values.iter().flat_map(|value| value.to_le_bytes());
        Kept {
            value: bytes.collect(),
            tokens,
            truncated,
        }
    }

    /// The value as numbers.
    pub(crate) fn numbers(&self) -> Vec<f32> {
        let (floats, _) = self.value.as_chunks::<4>();
        let floats = floats.iter().map(|bytes| f32::from_le_bytes(*bytes));
        floats.collect()
    }
}

/// The entries that were found under some keys.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// In the order of the keys.
    pub(crate) kept: Vec<Option<Kept>>,
    /// Entries that were damaged, and are gone.
    pub(crate) damaged: u64,
}

/// A row that begins with value, tokens, truncated and checksum, if it is as it was stored. Rows that are older than
/// checksums have none and are believed.
fn sound(key: &Key, row: &rusqlite::Row<'_>) -> Option<Kept> {
    let kept = Kept {
        value: row.get(0).ok()?,
        tokens: row.get(1).ok()?,
        truncated: row.get(2).ok()?,
    };
    let sum: Option<Vec<u8>> = row.get(3).ok()?;
    let is_sound = sum.is_none_or(|sum| sum == checksum(key, &kept));
    is_sound.then_some(kept)
}

/// A checksum that ties all of an answer to its key.
fn checksum(key: &Key, kept: &Kept) -> Vec<u8> {
    let digest = Digest::new("kept")
        .field(key)
        .field(&kept.value)
        .field(kept.tokens.to_le_bytes())
        .field([u8::from(kept.truncated)]);
    digest.bytes()[..16].to_vec()
}

/// Adds the column for checksums to a file that is older than they are.
fn add_sums(connection: &Connection) -> rusqlite::Result<()> {
    let has_sums = || {
        let columns = "SELECT 1 FROM pragma_table_info('kept') WHERE name = 'sum'";
        connection.prepare(columns)?.exists([])
    };
    if has_sums()? {
        return Ok(());
    }
    match connection.execute("ALTER TABLE kept ADD COLUMN sum BLOB", []) {
        // Another process may have been faster.
        Err(_) if has_sums()? => Ok(()),
        done => done.map(drop),
    }
}

/// The digest under which an entry is stored.
pub(crate) type Key = [u8; 32];

pub(crate) fn vector_key(identity: &str, side: Side, text: &str) -> Key {
    Digest::new("vector")
        .field(identity)
        .field(side.name())
        .field(text)
        .bytes()
}

impl Cache {
    /// Opens a file, or makes it. Beyond `size_limit` bytes, the entries that were not used for longest are
    /// forgotten.
    ///
    /// # Errors
    /// If the file is another program's, of another version, or can be neither written nor read. One that can be read
    /// only serves its content; the first new answer is an error.
    pub fn open(
        path: &Path,
        size_limit: Option<u64>,
        clock: &dyn Clock,
    ) -> Result<Self, ModelError> {
        let connection =
            barecode_store::open_or_read(path, &FORMAT).map_err(|problem| at(path, problem))?;
        let failed = |error: rusqlite::Error| at(path, error.into());
        let is_read_only = connection.is_readonly("main").map_err(failed)?;
        add_sums(&connection).map_err(failed)?;
        Ok(Cache {
            path: path.to_owned(),
            connection: Mutex::new(connection),
            session: i64::try_from(clock.unix().as_secs()).unwrap_or(i64::MAX),
            is_used: AtomicBool::new(false),
            size_limit,
            is_read_only,
        })
    }

    /// A cache in memory, gone with its value: for one run that shall keep nothing.
    ///
    /// # Errors
    /// If there is no memory.
    pub fn in_memory() -> Result<Self, ModelError> {
        let path = Path::new(":memory:");
        let connection =
            barecode_store::open_in_memory(&FORMAT).map_err(|problem| at(path, problem))?;
        Ok(Cache {
            path: path.to_owned(),
            connection: Mutex::new(connection),
            session: 0,
            is_used: AtomicBool::new(false),
            size_limit: None,
            is_read_only: false,
        })
    }

    /// The entries, by model, in the order of their identities.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn contents(&self) -> Result<Vec<CacheEntry>, ModelError> {
        let connection = self.connection();
        let read = || -> rusqlite::Result<Vec<CacheEntry>> {
            let mut statement = connection.prepare(
                "SELECT identity, count(*), sum(length(value)), max(used)
                 FROM kept JOIN models ON kept.model = models.id GROUP BY identity ORDER BY identity",
            )?;
            let number = |row: &rusqlite::Row<'_>, column| -> rusqlite::Result<u64> {
                Ok(u64::try_from(row.get::<_, i64>(column)?).unwrap_or(0))
            };
            statement
                .query_map([], |row| {
                    Ok(CacheEntry {
                        identity: row.get(0)?,
                        count: number(row, 1)?,
                        bytes: number(row, 2)?,
                        last_used: number(row, 3)?,
                    })
                })?
                .collect()
        };
        read().map_err(|error| self.failed(error))
    }

    /// Bytes in use inside the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn bytes(&self) -> Result<u64, ModelError> {
        bytes(&self.connection()).map_err(|error| self.failed(error))
    }

    /// Forgets the entries that were not used for longest, until no more than `limit` bytes are in use; the entries
    /// that this process used stay. Returns the number of vectors and scores that are gone.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn prune(&self, limit: u64) -> Result<u64, ModelError> {
        let connection = self.connection();
        let until = if self.is_used.load(Ordering::Relaxed) {
            self.session
        } else {
            i64::MAX
        };
        let prune = || -> rusqlite::Result<u64> {
            let mut gone = 0;
            while bytes(&connection)? > limit {
                let n = connection.execute(
                    "DELETE FROM kept WHERE rowid IN
                     (SELECT rowid FROM kept WHERE used < ?1 ORDER BY used, rowid LIMIT 256)",
                    [until],
                )?;
                if n == 0 {
                    break;
                }
                gone += n as u64;
            }
            shrink(&connection)?;
            Ok(gone)
        };
        prune().map_err(|error| self.failed(error))
    }

    /// Forgets everything of a model. Returns the number of vectors and scores that are gone.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget(&self, identity: &str) -> Result<u64, ModelError> {
        let mut connection = self.connection();
        let mut forget = || -> rusqlite::Result<u64> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let n = transaction.execute(
                "DELETE FROM kept WHERE model = (SELECT id FROM models WHERE identity = ?1)",
                [identity],
            )?;
            transaction.execute("DELETE FROM models WHERE identity = ?1", [identity])?;
            transaction.commit()?;
            shrink(&connection)?;
            Ok(n as u64)
        };
        forget().map_err(|error| self.failed(error))
    }

    /// Forgets the entries that were last used before a moment, in seconds since 1970. Returns the number of vectors
    /// and scores that are gone.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn forget_older(&self, moment: u64) -> Result<u64, ModelError> {
        let connection = self.connection();
        let moment = i64::try_from(moment).unwrap_or(i64::MAX);
        let forget = || -> rusqlite::Result<u64> {
            let n = connection.execute("DELETE FROM kept WHERE used < ?1", [moment])?;
            shrink(&connection)?;
            Ok(n as u64)
        };
        forget().map_err(|error| self.failed(error))
    }

    /// Returns the entries under some keys, and marks them as used.
    pub(crate) fn get(&self, keys: &[Key]) -> Result<Found, ModelError> {
        let mut connection = self.connection();
        self.is_used.store(true, Ordering::Relaxed);
        let mut get = || -> rusqlite::Result<Found> {
            let mut found = Found::default();
            let mut touched = Vec::new();
            let mut damaged = Vec::new();
            {
                let mut statement = connection.prepare_cached(
                    "SELECT value, tokens, truncated, sum, rowid, used FROM kept WHERE key = ?1",
                )?;
                for key in keys {
                    let row = statement
                        .query_row([key.as_slice()], |row| {
                            let used = row.get::<_, i64>(5).unwrap_or(i64::MIN);
                            Ok((sound(key, row), row.get::<_, i64>(4)?, used))
                        })
                        .optional()?;
                    match &row {
                        Some((None, rowid, _)) => damaged.push(*rowid),
                        Some((_, rowid, used)) if *used < self.session => touched.push(*rowid),
                        _ => {}
                    }
                    found.kept.push(row.and_then(|(kept, _, _)| kept));
                }
            }
            found.damaged = damaged.len() as u64;
            if self.is_read_only {
                return Ok(found);
            }
            for rowid in damaged {
                connection.execute("DELETE FROM kept WHERE rowid = ?1", [rowid])?;
            }
            if !touched.is_empty() {
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                {
                    let mut statement =
                        transaction.prepare_cached("UPDATE kept SET used = ?1 WHERE rowid = ?2")?;
                    for rowid in touched {
                        statement.execute([self.session, rowid])?;
                    }
                }
                transaction.commit()?;
            }
            Ok(found)
        };
        get().map_err(|error| self.failed(error))
    }

    /// Returns true for each of some keys that has an entry; nothing is marked.
    pub(crate) fn has(&self, keys: &[Key]) -> Result<Vec<bool>, ModelError> {
        let connection = self.connection();
        let has = || -> rusqlite::Result<Vec<bool>> {
            let mut statement = connection.prepare_cached("SELECT 1 FROM kept WHERE key = ?1")?;
            keys.iter()
                .map(|key| statement.exists([key.as_slice()]))
                .collect()
        };
        has().map_err(|error| self.failed(error))
    }

    /// Stores the answers of a request, all or nothing, and on the disk when this returns. An existing entry stays as
    /// it is, and is returned in place of the new one.
    ///
    /// `length` is the number of floats that all values of the model have; `None` if they differ.
    pub(crate) fn put(
        &self,
        identity: &str,
        length: Option<usize>,
        mut rows: Vec<(Key, Kept)>,
    ) -> Result<Vec<Kept>, ModelError> {
        let mut connection = self.connection();
        self.is_used.store(true, Ordering::Relaxed);
        let mut put = || -> Result<(), Problem> {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction.execute(
                "INSERT OR IGNORE INTO models (identity, length) VALUES (?1, ?2)",
                params![
                    identity,
                    length.and_then(|length| i64::try_from(length).ok())
                ],
            )?;
            let (model, known): (i64, Option<i64>) = transaction.query_row(
                "SELECT id, length FROM models WHERE identity = ?1",
                [identity],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            if let (Some(length), Some(known)) = (length, known)
                && i64::try_from(length) != Ok(known)
            {
                return Err(Problem::Content {
                    message: format!(
                        "the model `{identity}` gave vectors of {known} numbers before, and gives {length} now"
                    ),
                    hint: "the name now refers to another model: give it a `revision` in models.toml",
                });
            }
            {
                let mut insert = transaction.prepare_cached(
                    "INSERT OR IGNORE INTO kept (key, model, value, tokens, truncated, used, sum)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                )?;
                let mut select = transaction.prepare_cached(
                    "SELECT value, tokens, truncated, sum FROM kept WHERE key = ?1",
                )?;
                for (key, kept) in &mut rows {
                    let n = insert.execute(params![
                        key.as_slice(),
                        model,
                        kept.value,
                        kept.tokens,
                        kept.truncated,
                        self.session,
                        checksum(key, kept)
                    ])?;
                    if n == 0
                        && let Some(first) =
                            select.query_row([key.as_slice()], |row| Ok(sound(key, row)))?
                    {
                        *kept = first;
                    }
                }
            }
            transaction.commit()?;
            Ok(())
        };
        put().map_err(|problem| at(&self.path, problem))?;
        drop(connection);
        if let Some(limit) = self.size_limit
            && self.bytes()? > limit
        {
            // A little more than needed, so that the next request does not prune again.
            self.prune(limit - limit / 10)?;
        }
        Ok(rows.into_iter().map(|(_, kept)| kept).collect())
    }

    fn failed(&self, error: rusqlite::Error) -> ModelError {
        at(&self.path, error.into())
    }

    fn connection(&self) -> MutexGuard<'_, Connection> {
        self.connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

fn bytes(connection: &Connection) -> rusqlite::Result<u64> {
    let number = |pragma: &str| {
        connection.pragma_query_value(None, pragma, |row| {
            Ok(u64::try_from(row.get::<_, i64>(0)?).unwrap_or(0))
        })
    };
    Ok((number("page_count")? - number("freelist_count")?) * number("page_size")?)
}

/// Gives free pages back to the disk.
fn shrink(connection: &Connection) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    drop(rows);
    drop(statement);
    // Others may be reading; then the log is emptied by a later process.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    struct Day(u64);

    impl Clock for Day {
        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn unix(&self) -> Duration {
            Duration::from_secs(self.0 * 86_400)
        }

        fn sleep(&self, _time: Duration) {}
    }

    fn kept(n: u16, length: usize) -> (Key, Kept) {
        let kept = Kept::of(&vec![f32::from(n); length], u32::from(n), n % 2 == 1);
        (vector_key("m", Side::Query, &n.to_string()), kept)
    }

    #[test]
    fn the_first_vector_of_a_text_stays() {
        let cache = Cache::in_memory().unwrap();
        let (key, first) = kept(1, 3);
        let (_, second) = kept(2, 3);
        let put = |kept: &Kept| cache.put("m", Some(3), vec![(key, kept.clone())]).unwrap();
        assert_eq!(put(&first), std::slice::from_ref(&first));
        assert_eq!(put(&second), std::slice::from_ref(&first));
        assert_eq!(cache.get(&[key]).unwrap().kept, [Some(first)]);
        let other = vector_key("m", Side::Document, "1");
        assert_eq!(cache.get(&[other]).unwrap().kept, [None]);
    }

    #[test]
    fn a_model_that_changed_its_length_is_found_out() {
        let cache = Cache::in_memory().unwrap();
        cache.put("m", Some(3), vec![kept(1, 3)]).unwrap();
        let error = cache.put("m", Some(4), vec![kept(2, 4)]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("gave vectors of 3 numbers before, and gives 4 now"),
            "{error}"
        );
    }

    #[test]
    fn what_was_not_used_for_longest_goes_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v.sqlite");
        let open = |day| Cache::open(&path, None, &Day(day)).unwrap();
        let rows = |range: std::ops::Range<u16>| range.map(|n| kept(n, 1000)).collect::<Vec<_>>();
        open(1).put("m", Some(1000), rows(0..1000)).unwrap();
        open(2).put("m", Some(1000), rows(1000..2000)).unwrap();
        let old: Vec<Key> = rows(0..100).into_iter().map(|(key, _)| key).collect();
        open(3).get(&old).unwrap();
        let cache = open(4);
        let before = cache.bytes().unwrap();
        assert!(before > 8_000_000, "{before}");
        assert_eq!(cache.contents().unwrap()[0].last_used, 3 * 86_400);
        let gone = cache.prune(before / 2).unwrap();
        assert!((900..1300).contains(&gone), "{gone}");
        assert!(cache.bytes().unwrap() <= before / 2);
        let is_there = |n| cache.has(&[kept(n, 1).0]).unwrap()[0];
        assert!(is_there(5), "used on day 3");
        assert!(!is_there(500), "day 1");
        assert!(is_there(1999), "day 2, last");
        // The file itself is smaller, too.
        assert!(std::fs::metadata(&path).unwrap().len() < before * 6 / 10);
        // All else was used on the first day or the second, and 100 on the third.
        let left = cache.forget_older(3 * 86_400).unwrap();
        assert_eq!(gone + left, 1900);
        assert!(is_there(0) && !is_there(150) && !is_there(1999));
        assert_eq!(cache.forget_older(3 * 86_400).unwrap(), 0);
        assert_eq!(cache.forget("m").unwrap(), 100);
        assert!(cache.contents().unwrap().is_empty());
    }

    #[test]
    fn a_limit_is_kept_and_what_is_in_use_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("v.sqlite");
        let limit = 1_000_000;
        let open = |day| Cache::open(&path, Some(limit), &Day(day)).unwrap();
        let rows = |range: std::ops::Range<u16>| range.map(|n| kept(n, 1000)).collect::<Vec<_>>();
        for day in 1..10 {
            let n = u16::try_from(day).unwrap() * 100;
            open(day).put("m", Some(1000), rows(n..n + 100)).unwrap();
        }
        let cache = open(10);
        assert!(cache.bytes().unwrap() <= limit);
        cache.put("m", Some(1000), rows(5000..5400)).unwrap();
        assert_eq!(cache.contents().unwrap()[0].count, 400);
    }

    #[test]
    fn a_strangers_file_is_not_touched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("theirs.sqlite");
        let theirs = Connection::open(&path).unwrap();
        theirs.execute_batch("CREATE TABLE t (a)").unwrap();
        drop(theirs);
        let before = std::fs::read(&path).unwrap();
        let error = Cache::open(&path, None, &Day(1)).unwrap_err().to_string();
        assert!(error.contains("some other program"), "{error}");
        assert_eq!(std::fs::read(&path).unwrap(), before);
        std::fs::write(&path, "no database at all").unwrap();
        assert!(Cache::open(&path, None, &Day(1)).is_err());
    }
}
