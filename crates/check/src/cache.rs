//! The cache of verdicts.
//!
//! One `SQLite` file that any number of threads and processes share. An entry is a digest of the question (compiler,
//! text, function) and the verdict, with the object if a text was compiled alone. It does not depend on the run, so
//! it may be stored forever, shared, or deleted at any time.
//!
//! Notes are stored beside them in the same way: the results of many questions about a text.
//!
//! Only [`Verdict::Compiled`] and [`Verdict::Refused`] are stored. Limits are not: a loaded machine reaches them
//! where an idle one would not, and a stored verdict is never questioned again.
//!
//! The difficulty is that the file only saves time, and must not cost anything else. Each entry has a checksum over
//! its key and value: an entry whose checksum differs is deleted, counted, and computed again. A file that is or
//! becomes unusable is no longer used. Only a full disk is an error. A cache without a file is always empty.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use barecode_records::Digest;
use barecode_store::{Format, Problem};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, OptionalExtension, params};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{CheckError, Object, Verdict};

/// The name of the file in a folder of caches. Files of other versions stay for the programs that wrote them.
pub const CACHE_FILE: &str = "verdicts-3.sqlite";

const FORMAT: Format = Format {
    application: *b"bare",
    version: 3,
    tables: "CREATE TABLE entries (
                 key TEXT PRIMARY KEY, value BLOB NOT NULL, sum BLOB NOT NULL
             ) WITHOUT ROWID",
    is_durable: false,
    if_damaged: DELETE,
    if_other_version: DELETE,
};

const PLAIN: &str = "an answer is plain data";

const DELETE: &str = "it only saves time; delete it, or name another file";

#[derive(Debug)]
pub(crate) struct Cache {
    /// Empty if entries are not stored.
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` once the file cannot be used.
    connection: Option<Connection>,
    /// The number of entries that were deleted and not reported yet.
    damaged: u64,
    /// The reason why the file is not used, if it was not reported yet.
    unusable: Option<String>,
}

/// A verdict as it is stored.
#[derive(Debug, Serialize, Deserialize)]
struct Stored {
    verdict: Verdict,
    object: Option<Object>,
}

impl Cache {
    /// Opens the file, or makes it.
    pub(crate) fn open(path: Option<&Path>) -> Result<Cache, CheckError> {
        let mut state = State::default();
        match path.map(|path| (path, barecode_store::open(path, &FORMAT))) {
            None => {}
            Some((_, Ok(connection))) => state.connection = Some(connection),
            Some((path, Err(problem))) => state.give_up(path, problem)?,
        }
        Ok(Cache {
            path: path.unwrap_or(Path::new("")).to_owned(),
            state: Mutex::new(state),
        })
    }

    /// Returns `true` if entries are to be stored.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.path.as_os_str().is_empty()
    }

    /// The verdict under a key, with the object where one was made.
    pub(crate) fn get(&self, key: &str) -> Result<Option<(Verdict, Option<Object>)>, CheckError> {
        let stored: Option<Stored> = self.answer(key)?;
        Ok(stored.map(|stored| (stored.verdict, stored.object)))
    }

    /// Stores a verdict, unless it depends more on the machine than on the text. An object is added to a verdict
    /// that was stored without one.
    pub(crate) fn put(
        &self,
        key: &str,
        verdict: &Verdict,
        object: Option<&Object>,
    ) -> Result<(), CheckError> {
        match verdict {
            Verdict::Compiled { .. } | Verdict::Refused { .. } => {}
            Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit => return Ok(()),
        }
        let stored = Stored {
            verdict: verdict.clone(),
            object: object.cloned(),
        };
        let value = serde_json::to_string(&stored).expect(PLAIN);
        let insert = if object.is_some() {
            "INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3)"
        } else {
            "INSERT OR IGNORE INTO entries VALUES (?1, ?2, ?3)"
        };
        self.insert(insert, key, &value)
    }

    /// The note under a key.
    pub(crate) fn note(&self, key: &str) -> Result<Option<String>, CheckError> {
        let mut state = self.state();
        let found = state.ask(&self.path, |connection| {
            connection
                .prepare_cached("SELECT value, sum FROM entries WHERE key = ?1")?
                .query_row([key], |row| {
                    Ok(sound(key, row.get_ref(0)?, row.get_ref(1)?))
                })
                .optional()
        })?;
        let Some(Some(found)) = found else {
            return Ok(None);
        };
        if found.is_none() {
            state.damaged += 1;
            state.ask(&self.path, |connection| {
                connection.execute("DELETE FROM entries WHERE key = ?1", [key])
            })?;
        }
        Ok(found)
    }

    /// Stores a note, replacing any note under the same key.
    pub(crate) fn put_note(&self, key: &str, note: &str) -> Result<(), CheckError> {
        let insert = "INSERT OR REPLACE INTO entries VALUES (?1, ?2, ?3)";
        self.insert(insert, key, note)
    }

    /// The answer that was noted under a key.
    pub(crate) fn answer<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, CheckError> {
        let note = self.note(key)?;
        Ok(note.and_then(|note| serde_json::from_str(&note).ok()))
    }

    /// Notes an answer.
    pub(crate) fn put_answer(&self, key: &str, answer: &impl Serialize) -> Result<(), CheckError> {
        let note = serde_json::to_string(answer).expect(PLAIN);
        self.put_note(key, &note)
    }

    fn insert(&self, insert: &str, key: &str, value: &str) -> Result<(), CheckError> {
        let row = params![key, value.as_bytes(), checksum(key, value.as_bytes())];
        let done = self.state().ask(&self.path, |connection| {
            connection.prepare_cached(insert)?.execute(row)
        });
        done.map(drop)
    }

    /// The problems with the file since the last call, in a sentence.
    pub(crate) fn damage(&self) -> Option<String> {
        let mut state = self.state();
        let damaged = std::mem::take(&mut state.damaged);
        let unusable = state.unusable.take();
        let path = self.path.display();
        let mut told = Vec::new();
        if damaged > 0 {
            told.push(format!(
                "verdict cache `{path}`: {damaged} damaged {} thrown away and asked about again",
                if damaged == 1 {
                    "entry was"
                } else {
                    "entries were"
                }
            ));
        }
        if let Some(why) = unusable {
            told.push(format!("without the verdict cache `{path}`: {why}"));
        }
        (!told.is_empty()).then(|| told.join("; "))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Runs an action on the file; `None` if the file cannot be used.
    fn ask<T>(
        &mut self,
        path: &Path,
        ask: impl FnOnce(&Connection) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, CheckError> {
        let Some(connection) = &self.connection else {
            return Ok(None);
        };
        match ask(connection) {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => {
                self.give_up(path, error.into())?;
                Ok(None)
            }
        }
    }

    /// Continues without the file; a full disk would stop the rest of the run too, and is an error.
    fn give_up(&mut self, path: &Path, problem: Problem) -> Result<(), CheckError> {
        let Some((message, hint)) = problem.explain(&FORMAT) else {
            return Err(CheckError::DiskFull {
                path: path.to_owned(),
                hint: "make room, then run the same command again".to_owned(),
            });
        };
        self.connection = None;
        self.unusable = Some(format!("{message} ({hint})"));
        Ok(())
    }
}

/// The value of an entry, if its checksum fits.
fn sound(key: &str, value: ValueRef<'_>, sum: ValueRef<'_>) -> Option<String> {
    let value = value.as_blob().ok()?;
    let is_sound = sum.as_blob() == Ok(checksum(key, value).as_slice());
    String::from_utf8(value.to_vec()).ok().filter(|_| is_sound)
}

/// Ties a value to its key.
fn checksum(key: &str, value: &[u8]) -> Vec<u8> {
    let digest = Digest::new("cached").field(key).field(value).bytes();
    digest[..16].to_vec()
}
