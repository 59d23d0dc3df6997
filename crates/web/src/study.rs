//! The file of a study: made once, answered many times.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use crate::answer::{Answer, Fields};
use crate::design::{Design, Group, draw};
use crate::error::StudyError;
use crate::tables::FORMAT;
use crate::token;

/// The task for each item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Which of two texts are right, and which is better.
    Compare,
    /// A text.
    Write,
    /// A decision: the record is kept, dropped or edited.
    Review,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Compare, Kind::Write, Kind::Review];

    /// `compare`, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Compare => "compare",
            Kind::Write => "write",
            Kind::Review => "review",
        }
    }

    /// The question for raters unless the study has another one.
    pub fn question(self) -> &'static str {
        match self {
            Kind::Compare => {
                "Check each description against the code: it is wrong if it says anything that the code does not do. \
                 If both are correct, choose the one that describes the function better, or that they are equal."
            }
            Kind::Write => {
                "Describe what the function does, as somebody would ask for it who needs it and does not know its name. \
                 Do not use names of the code."
            }
            Kind::Review => {
                "Keep the record if its text is right for the code, edit the text if that mends it, and drop it otherwise."
            }
        }
    }
}

/// The subject of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Item {
    /// Its id: of a unit, a query, a row.
    pub id: String,
    /// Its group, which has a study of its own.
    pub group: String,
    /// The language of the code: `c`, `cpp`, or empty.
    pub language: String,
    /// The code.
    pub code: String,
    /// The code that the code needs.
    pub context: String,
    /// Of a comparison the candidate's and the reference's text, of a review the text and an empty one, else two
    /// empty ones.
    pub texts: [String; 2],
}

/// A study to make.
#[derive(Debug, Clone)]
pub struct NewStudy {
    /// The task.
    pub kind: Kind,
    /// The items to draw from, in the order of a review.
    pub items: Vec<Item>,
    /// The names of candidate and reference; empty unless texts are compared.
    pub sources: [String; 2],
    /// The introduction for raters before the items: the author and the purpose, whom they can write to, and the use
    /// of their answers. May be empty.
    pub introduction: String,
    /// The question for raters.
    pub question: String,
    /// The names of the raters.
    pub raters: Vec<String>,
    /// Number of items that they get; the number of raters is that of the names.
    pub design: Design,
}

/// The outcome of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// It is on the disk.
    Stored,
    /// It was stored already.
    Same,
    /// Another answer was given since the form was made; nothing was written.
    Conflict(Box<Current>),
}

/// The answer that counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// Its number.
    pub(crate) seq: i64,
    /// When it was given.
    pub(crate) at: String,
    /// Its content.
    pub(crate) answer: Answer,
}

/// An item before a rater.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    pub(crate) number: i64,
    pub(crate) item: Item,
    pub(crate) first_is_left: bool,
    pub(crate) current: Option<Current>,
}

/// A rater.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rater {
    pub(crate) number: i64,
    pub(crate) name: String,
    pub(crate) items: u32,
    pub(crate) answered: u32,
}

/// An open study.
#[derive(Debug)]
pub struct Study {
    pub(crate) connection: Connection,
    path: PathBuf,
    /// The task.
    pub kind: Kind,
    /// Its id, a digest of items, design and question.
    pub id: String,
    /// The names of candidate and reference.
    pub sources: [String; 2],
    /// The introduction for raters before the items; may be empty.
    pub introduction: String,
    /// The question for raters.
    pub question: String,
    /// The seed of its draws.
    pub seed: u64,
}

/// The right to serve a study; gone with the process.
#[derive(Debug)]
pub struct Serving {
    _lock: File,
}

impl NewStudy {
    /// Writes the file, and returns each rater with the token that lets in; it is nowhere else.
    ///
    /// # Errors
    /// If the file exists or cannot be written, a name occurs twice, or items are too few.
    pub fn create(&self, path: &Path) -> Result<Vec<(String, String)>, StudyError> {
        let rows = self.drawn()?;
        if path.exists() {
            return Err(StudyError::with_hint(
                format!("`{}` exists", path.display()),
                "name another file with --out: a study is never overwritten",
            ));
        }
        let mut partial = path.as_os_str().to_owned();
        partial.push(".partial");
        let partial = PathBuf::from(partial);
        let io = |error: std::io::Error| {
            StudyError::Io(format!("cannot write `{}`: {error}", path.display()))
        };
        if partial.exists() {
            fs::remove_file(&partial).map_err(io)?;
        }
        let tokens = self.fill(&partial, &rows)?;
        fs::rename(&partial, path).map_err(io)?;
        Ok(tokens)
    }

    fn drawn(&self) -> Result<Vec<Vec<crate::design::Assigned>>, StudyError> {
        let taken = ["item", "rater", "better", "group"];
        if self.kind == Kind::Compare {
            let [first, second] = &self.sources;
            let bad = |name: &str| {
                name.trim() != name || name.is_empty() || name == "equal" || taken.contains(&name)
            };
            if first == second || bad(first) || bad(second) {
                return Err(StudyError::with_hint(
                    format!("`{first}` and `{second}` cannot be the names of two sources"),
                    "they must differ from each other, and from `item`, `rater`, `better`, `group` and `equal`",
                ));
            }
        }
        let mut seen = BTreeMap::new();
        for (at, item) in self.items.iter().enumerate() {
            if let Some(before) = seen.insert(&*item.id, at) {
                let message = format!(
                    "items {} and {} have the same id `{}`",
                    before + 1,
                    at + 1,
                    item.id
                );
                return Err(StudyError::invalid(message));
            }
        }
        for (at, name) in self.raters.iter().enumerate() {
            if name.trim().is_empty() || self.raters[..at].contains(name) {
                return Err(StudyError::invalid(format!(
                    "the rater `{name}` is named twice, or has no name"
                )));
            }
        }
        if self.items.is_empty() {
            return Err(StudyError::invalid("no items"));
        }
        let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for item in &self.items {
            groups.entry(&item.group).or_default().push(&item.id);
        }
        let groups: Vec<Group<'_>> = groups.into_iter().collect();
        let mut rows = draw(&groups, &self.design)?;
        if self.kind == Kind::Review {
            // A list is reviewed in its own order.
            let order: BTreeMap<&str, usize> = self
                .items
                .iter()
                .enumerate()
                .map(|(at, item)| (&*item.id, at))
                .collect();
            for row in &mut rows {
                row.sort_by_key(|one| order[&*one.item]);
            }
        }
        Ok(rows)
    }

    fn fill(
        &self,
        path: &Path,
        rows: &[Vec<crate::design::Assigned>],
    ) -> Result<Vec<(String, String)>, StudyError> {
        let mut connection = barecode_store::open(path, &FORMAT)?;
        let transaction = connection.transaction()?;
        let mut id = blake3::Hasher::new_derive_key("barecode 2026 id of a study");
        let mut field = |text: &str| {
            id.update(&(text.len() as u64).to_le_bytes());
            id.update(text.as_bytes());
        };
        let assigned: BTreeSet<&str> = rows.iter().flatten().map(|one| &*one.item).collect();
        let mut numbers = BTreeMap::new();
        {
            let mut insert =
                transaction.prepare("INSERT INTO items VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
            for item in self
                .items
                .iter()
                .filter(|item| assigned.contains(&*item.id))
            {
                let number = i64::try_from(numbers.len()).unwrap_or(i64::MAX) + 1;
                numbers.insert(&*item.id, number);
                let [first, second] = &item.texts;
                insert.execute(params![
                    number,
                    item.id,
                    item.group,
                    item.language,
                    item.code,
                    item.context,
                    first,
                    second
                ])?;
                [
                    &*item.id,
                    &item.group,
                    &item.code,
                    &item.context,
                    first,
                    second,
                ]
                .into_iter()
                .for_each(&mut field);
            }
        }
        let mut tokens = Vec::new();
        for (at, (name, row)) in self.raters.iter().zip(rows).enumerate() {
            let rater = i64::try_from(at).unwrap_or(i64::MAX) + 1;
            let token = token::new()?;
            transaction.execute(
                "INSERT INTO raters VALUES (?, ?, ?)",
                params![rater, name, token::hash(&token)],
            )?;
            field(name);
            let mut insert = transaction.prepare("INSERT INTO assignments VALUES (?, ?, ?, ?)")?;
            for (position, one) in row.iter().enumerate() {
                let position = i64::try_from(position).unwrap_or(i64::MAX) + 1;
                insert.execute(params![
                    rater,
                    position,
                    numbers[&*one.item],
                    one.first_is_left
                ])?;
                field(&one.item);
                field(if one.first_is_left { "first" } else { "second" });
            }
            tokens.push((name.clone(), token));
        }
        let seed = self.design.seed.to_string();
        let settings = [
            self.kind.name(),
            &self.sources[0],
            &self.sources[1],
            &self.question,
            &seed,
            &self.introduction,
        ];
        settings.into_iter().for_each(&mut field);
        let id: String = id.finalize().to_hex().chars().take(16).collect();
        let keys = [
            "kind",
            "candidate",
            "reference",
            "question",
            "seed",
            "introduction",
        ];
        for (key, value) in keys.into_iter().zip(settings).chain([("id", &*id)]) {
            transaction.execute("INSERT INTO meta VALUES (?, ?)", [key, value])?;
        }
        transaction.commit()?;
        // All of it goes into the one file that is renamed.
        connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(tokens)
    }
}

impl Study {
    /// Opens the file of a study.
    ///
    /// # Errors
    /// If the file does not exist, or is not the file of a study.
    pub fn open(path: &Path) -> Result<Self, StudyError> {
        let wrong = |message: &str| {
            StudyError::with_hint(
                format!("`{}` {message}", path.display()),
                "`barecode study new` makes one",
            )
        };
        if !path.is_file() {
            return Err(wrong("does not exist"));
        }
        let connection = barecode_store::open(path, &FORMAT).map_err(|problem| {
            match StudyError::from(problem) {
                StudyError::Invalid { message, hint } => StudyError::Invalid {
                    message: format!(
                        "`{}` is not a study that can be used: {message}",
                        path.display()
                    ),
                    hint,
                },
                other => other,
            }
        })?;
        connection.pragma_update(None, "foreign_keys", true)?;
        let mut meta: BTreeMap<String, String> = BTreeMap::new();
        {
            let mut rows = connection.prepare("SELECT key, value FROM meta")?;
            for row in rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))? {
                let (key, value) = row?;
                meta.insert(key, value);
            }
        }
        let mut take = |key: &str| {
            meta.remove(key)
                .ok_or_else(|| wrong(&format!("lacks its `{key}`")))
        };
        let kind = take("kind")?;
        Ok(Study {
            kind: Kind::ALL
                .into_iter()
                .find(|known| known.name() == kind)
                .ok_or_else(|| wrong("is of no known kind"))?,
            id: take("id")?,
            sources: [take("candidate")?, take("reference")?],
            question: take("question")?,
            // A study of an earlier version has none.
            introduction: take("introduction").unwrap_or_default(),
            seed: take("seed")?
                .parse()
                .map_err(|_| wrong("has a seed that is not a number"))?,
            path: path.to_owned(),
            connection,
        })
    }

    /// Acquires the right to serve it, which one process has at a time.
    ///
    /// # Errors
    /// If another process serves it.
    pub fn serving(&self) -> Result<Serving, StudyError> {
        let mut path = self.path.as_os_str().to_owned();
        path.push(".lock");
        let path = PathBuf::from(path);
        let io = |error: &std::io::Error| {
            StudyError::Io(format!("cannot write `{}`: {error}", path.display()))
        };
        let lock = File::create(&path).map_err(|error| io(&error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Serving { _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(StudyError::with_hint(
                format!(
                    "another server has `{}` open: it holds the lock `{}`",
                    self.path.display(),
                    path.display()
                ),
                "use that server, or end it first",
            )),
            Err(TryLockError::Error(error)) => Err(io(&error)),
        }
    }

    /// Returns a new token for a rater who lost the old one, which is no longer valid.
    ///
    /// # Errors
    /// If the rater does not exist.
    pub fn new_token(&mut self, name: &str) -> Result<String, StudyError> {
        let rater = self.rater_named(name)?.number;
        let token = token::new()?;
        let transaction = self.writing()?;
        transaction.execute(
            "UPDATE raters SET token = ? WHERE rater = ?",
            params![token::hash(&token), rater],
        )?;
        transaction.execute("DELETE FROM sessions WHERE rater = ?", [rater])?;
        transaction.commit()?;
        Ok(token)
    }

    pub(crate) fn writing(&mut self) -> Result<Transaction<'_>, StudyError> {
        Ok(self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?)
    }

    /// All raters, with the numbers of items that they have and answered.
    pub(crate) fn raters(&self) -> Result<Vec<Rater>, StudyError> {
        let mut rows = self.connection.prepare_cached(
            "SELECT rater, name, (SELECT count(*) FROM assignments AS a WHERE a.rater = r.rater),
                (SELECT count(DISTINCT item) FROM answers AS a WHERE a.rater = r.rater) FROM raters AS r ORDER BY rater",
        )?;
        let rater = |row: &rusqlite::Row<'_>| {
            Ok(Rater {
                number: row.get(0)?,
                name: row.get(1)?,
                items: row.get(2)?,
                answered: row.get(3)?,
            })
        };
        Ok(rows.query_map([], rater)?.collect::<Result<_, _>>()?)
    }

    pub(crate) fn rater_named(&self, name: &str) -> Result<Rater, StudyError> {
        let raters = self.raters()?;
        let names: Vec<String> = raters
            .iter()
            .map(|rater| format!("`{}`", rater.name))
            .collect();
        raters
            .into_iter()
            .find(|rater| rater.name == name)
            .ok_or_else(|| {
                StudyError::with_hint(
                    format!("the study has no rater `{name}`"),
                    format!("it has {}", names.join(", ")),
                )
            })
    }

    /// Lets a rater in by the token: the secret of a new session.
    pub(crate) fn enter(&mut self, given: &str) -> Result<Option<String>, StudyError> {
        let find = "SELECT rater FROM raters WHERE token = ?";
        let hash = token::hash(given);
        let rater: Option<i64> = self
            .connection
            .query_row(find, [hash], |row| row.get(0))
            .optional()?;
        let Some(rater) = rater else { return Ok(None) };
        let secret = token::new()?;
        self.connection.execute(
            "INSERT INTO sessions VALUES (?, ?)",
            params![token::hash(&secret), rater],
        )?;
        Ok(Some(secret))
    }

    /// The rater of this session.
    pub(crate) fn session(&self, secret: &str) -> Result<Option<Rater>, StudyError> {
        let find = "SELECT rater FROM sessions WHERE secret = ?";
        let hash = token::hash(secret);
        let rater: Option<i64> = self
            .connection
            .query_row(find, [hash], |row| row.get(0))
            .optional()?;
        Ok(self
            .raters()?
            .into_iter()
            .find(|known| Some(known.number) == rater))
    }

    /// Ends a session.
    pub(crate) fn leave(&mut self, secret: &str) -> Result<(), StudyError> {
        self.connection.execute(
            "DELETE FROM sessions WHERE secret = ?",
            [token::hash(secret)],
        )?;
        Ok(())
    }

    /// The item at a position of a rater, from 1.
    pub(crate) fn task(&self, rater: i64, position: u32) -> Result<Option<Task>, StudyError> {
        let mut rows = self.connection.prepare_cached(
            "SELECT item, id, subset, language, code, context, first, second, first_is_left
             FROM assignments JOIN items USING (item) WHERE rater = ? AND position = ?",
        )?;
        let task = |row: &rusqlite::Row<'_>| {
            Ok(Task {
                number: row.get(0)?,
                item: Item {
                    id: row.get(1)?,
                    group: row.get(2)?,
                    language: row.get(3)?,
                    code: row.get(4)?,
                    context: row.get(5)?,
                    texts: [row.get(6)?, row.get(7)?],
                },
                first_is_left: row.get(8)?,
                current: None,
            })
        };
        let Some(mut task) = rows.query_row(params![rater, position], task).optional()? else {
            return Ok(None);
        };
        task.current = current(&self.connection, rater, task.number)?;
        Ok(Some(task))
    }

    /// Positions from one on, each with true if it is answered.
    pub(crate) fn positions(
        &self,
        rater: i64,
        from: u32,
        count: u32,
    ) -> Result<Vec<(u32, bool)>, StudyError> {
        let mut rows = self.connection.prepare_cached(
            "SELECT position, EXISTS (SELECT 1 FROM answers AS b WHERE b.rater = a.rater AND b.item = a.item)
             FROM assignments AS a WHERE rater = ? AND position >= ? ORDER BY position LIMIT ?",
        )?;
        let rows = rows.query_map(params![rater, from, count], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The first position after one that has no answer, from the beginning again if there is none.
    pub(crate) fn next_open(&self, rater: i64, after: u32) -> Result<Option<u32>, StudyError> {
        let mut rows = self.connection.prepare_cached(
            "SELECT position FROM assignments AS a WHERE rater = ?
             AND NOT EXISTS (SELECT 1 FROM answers AS b WHERE b.rater = a.rater AND b.item = a.item)
             ORDER BY position <= ?, position LIMIT 1",
        )?;
        Ok(rows
            .query_row(params![rater, after], |row| row.get(0))
            .optional()?)
    }

    /// Stores the answer of a form that was made when `seen` was the current one (0: none). On the disk when it returns.
    pub(crate) fn record(
        &mut self,
        rater: i64,
        task: &Task,
        seen: i64,
        answer: &Answer,
    ) -> Result<Recorded, StudyError> {
        let transaction = self.writing()?;
        let current = current(&transaction, rater, task.number)?;
        match current {
            Some(current) if current.answer == *answer => return Ok(Recorded::Same),
            Some(current) if current.seq != seen => {
                return Ok(Recorded::Conflict(Box::new(current)));
            }
            _ => {}
        }
        insert(&transaction, rater, task.number, answer, "page", None)?;
        transaction.commit()?;
        Ok(Recorded::Stored)
    }

    /// The answer to a task in the fields of a form.
    pub(crate) fn answer(&self, task: &Task, fields: &Fields) -> Result<Answer, String> {
        Answer::of_fields(self.kind, fields, task.first_is_left, &task.item.texts[0])
    }
}

/// Adds an answer to the history. An answer that is given on this server is the last, whatever the clock of an
/// imported one.
pub(crate) fn insert(
    transaction: &Transaction<'_>,
    rater: i64,
    item: i64,
    answer: &Answer,
    how: &str,
    imported: Option<(&str, Option<&str>)>,
) -> Result<(), StudyError> {
    let text = serde_json::to_string(answer).expect("an answer is plain data");
    let (key, at) = imported.unzip();
    let at = at.flatten();
    transaction.execute(
        "INSERT INTO answers (rater, item, answer, at, how, key)
         VALUES (?1, ?2, ?3, coalesce(?4, max(strftime('%Y-%m-%dT%H:%M:%fZ'),
            (SELECT coalesce(max(at), '') FROM answers WHERE rater = ?1 AND item = ?2))), ?5, ?6)",
        params![rater, item, text, at, how, key],
    )?;
    Ok(())
}

pub(crate) fn current(
    connection: &Connection,
    rater: i64,
    item: i64,
) -> Result<Option<Current>, StudyError> {
    let mut rows = connection.prepare_cached(
        "SELECT seq, at, answer FROM answers WHERE rater = ? AND item = ? ORDER BY at DESC, seq DESC LIMIT 1",
    )?;
    let found: Option<(i64, String, String)> = rows
        .query_row([rater, item], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .optional()?;
    found
        .map(|(seq, at, text)| {
            Ok(Current {
                seq,
                at,
                answer: parse(&text)?,
            })
        })
        .transpose()
}

pub(crate) fn parse(text: &str) -> Result<Answer, StudyError> {
    serde_json::from_str(text).map_err(|error| {
        StudyError::invalid(format!(
            "the file has an answer that is damaged: `{text}`: {error}"
        ))
    })
}
