//! Answers from elsewhere: the file of an offline page, or a table that was filled in.
//!
//! All of it is checked before any of it is written. An answer has a key, made where it was given, or from its
//! content, and a key is stored once: an answer that is imported twice counts once. Of two answers the one that was
//! given last counts, in any order of imports; answers of a table without times have the time of the import.

use barecode_queries::{Ratings, Verdict};
use rusqlite::OptionalExtension;
use serde::{Deserialize, Serialize};

use crate::answer::{Answer, Fields};
use crate::error::StudyError;
use crate::study::{Kind, Study, current, insert};

/// The result of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Imported {
    /// Answers of the file.
    pub answers: u64,
    /// Answers that are new.
    pub stored: u64,
    /// Answers that were stored already.
    pub known: u64,
    /// Those of the new ones that replace an earlier answer.
    pub replaced: u64,
    /// Those of the new ones that are older than the stored answer: they are stored and do not count.
    pub older: u64,
    /// Rows of a table without an answer.
    pub empty: u64,
}

/// The file that an offline page saves.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfflineFile {
    format: String,
    version: u32,
    study: String,
    rater: String,
    answers: Vec<OfflineAnswer>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OfflineAnswer {
    position: u32,
    key: String,
    at: String,
    fields: Fields,
}

/// An answer on its way into the file.
struct Incoming {
    rater: i64,
    item: i64,
    answer: Answer,
    key: String,
    at: Option<String>,
}

/// Brings answers into a study: `.json` of an offline page, or `.csv`.
///
/// # Errors
/// If anything in the file does not fit the study; then nothing is written.
pub fn import(study: &mut Study, text: &str, file: &str) -> Result<Imported, StudyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut empty = 0;
    let incoming = match (file.rsplit_once('.').map(|(_, ending)| ending), study.kind) {
        (Some("json"), _) => offline_answers(study, text, file)?,
        (Some("csv"), Kind::Compare) => ratings(study, text, file)?,
        (Some("csv"), _) => filled_in(study, text, file, &mut empty)?,
        _ => {
            return Err(StudyError::with_hint(
                format!("`{file}` is neither .json nor .csv"),
                "import what an offline page saved, or a table",
            ));
        }
    };
    let mut done = Imported {
        answers: incoming.len() as u64,
        empty,
        ..Imported::default()
    };
    let transaction = study.writing()?;
    for one in incoming {
        let is_known: bool = transaction.query_row(
            "SELECT EXISTS (SELECT 1 FROM answers WHERE key = ?)",
            [&one.key],
            |row| row.get(0),
        )?;
        let before = current(&transaction, one.rater, one.item)?;
        // An offline page draws a key for each answer; the same row of a table adds nothing new.
        let is_same = before
            .as_ref()
            .is_some_and(|before| before.answer == one.answer);
        if is_known || (is_same && one.key.starts_with("table-")) {
            done.known += 1;
            continue;
        }
        done.stored += 1;
        let now = now(&transaction);
        // The clock of a rater cannot set a time in the future, because its answer could not be changed any more.
        let at = one.at.map(|at| at.min(now));
        let is_older = before
            .as_ref()
            .zip(at.as_ref())
            .is_some_and(|(before, at)| *at < before.at);
        done.older += u64::from(is_older);
        done.replaced += u64::from(before.is_some() && !is_same && !is_older);
        let given = (&*one.key, at.as_deref());
        insert(
            &transaction,
            one.rater,
            one.item,
            &one.answer,
            "import",
            Some(given),
        )?;
    }
    transaction.commit()?;
    Ok(done)
}

fn now(connection: &rusqlite::Connection) -> String {
    let now = connection.query_row("SELECT strftime('%Y-%m-%dT%H:%M:%fZ')", [], |row| {
        row.get(0)
    });
    now.unwrap_or_default()
}

/// A time as pages and exports have it, which sorts as text.
fn is_time(text: &str) -> bool {
    let form = "0000-00-00T00:00:00.000Z";
    text.len() == form.len()
        && text
            .chars()
            .zip(form.chars())
            .all(|(found, wanted)| found == wanted || (wanted == '0' && found.is_ascii_digit()))
}

fn offline_answers(study: &Study, text: &str, file: &str) -> Result<Vec<Incoming>, StudyError> {
    let saved: OfflineFile = serde_json::from_str(text).map_err(|error| {
        StudyError::with_hint(
            format!("`{file}` is not what an offline page saves: {error}"),
            "import the file that its button “Save answers to a file” makes",
        )
    })?;
    if (&*saved.format, saved.version) != ("barecode-answers", 1) {
        let message = format!(
            "`{file}` is `{}` version {}, expected `barecode-answers` version 1",
            saved.format, saved.version
        );
        return Err(StudyError::invalid(message));
    }
    if saved.study != study.id {
        return Err(StudyError::with_hint(
            format!(
                "`{file}` has answers of the study {}, this one is {}",
                saved.study, study.id
            ),
            "import it into the study that the offline page was made from",
        ));
    }
    let rater = study.rater_named(&saved.rater)?;
    let one = |(at, answer): (usize, OfflineAnswer)| {
        let place = format!("`{file}`, answer {}", at + 1);
        let task = study.task(rater.number, answer.position)?.ok_or_else(|| {
            StudyError::invalid(format!(
                "{place}: `{}` has no item {}, only {}",
                rater.name, answer.position, rater.items
            ))
        })?;
        if answer.key.len() < 16 || answer.key.len() > 64 || !is_time(&answer.at) {
            return Err(StudyError::invalid(format!(
                "{place}: the key or the time is not one that the page makes"
            )));
        }
        Ok(Incoming {
            rater: rater.number,
            item: task.number,
            answer: study
                .answer(&task, &answer.fields)
                .map_err(|message| StudyError::invalid(format!("{place}: {message}")))?,
            key: answer.key,
            at: Some(answer.at),
        })
    };
    saved.answers.into_iter().enumerate().map(one).collect()
}

/// The numbers of a rater and of an item that the rater has.
fn assigned(study: &Study, rater: &str, item: &str, place: &str) -> Result<(i64, i64), StudyError> {
    let mut find = study
        .connection
        .prepare_cached("SELECT rater FROM raters WHERE name = ?")?;
    let rater_number: i64 = match find.query_row([rater], |row| row.get(0)).optional()? {
        Some(number) => number,
        // Names the raters that exist.
        None => match study.rater_named(rater) {
            Ok(known) => known.number,
            Err(StudyError::Invalid { message, hint }) => {
                let message = format!("{place}: {message}");
                return Err(StudyError::Invalid { message, hint });
            }
            Err(other) => return Err(other),
        },
    };
    let mut find = study
        .connection
        .prepare_cached("SELECT item FROM items WHERE id = ?")?;
    let number: i64 = find
        .query_row([item], |row| row.get(0))
        .optional()?
        .ok_or_else(|| StudyError::invalid(format!("{place}: the study has no item `{item}`")))?;
    let mut find = study
        .connection
        .prepare_cached("SELECT count(*) FROM assignments WHERE rater = ? AND item = ?")?;
    match find.query_row([rater_number, number], |row| row.get(0))? {
        0 => Err(StudyError::invalid(format!(
            "{place}: `{rater}` does not rate `{item}`"
        ))),
        _ => Ok((rater_number, number)),
    }
}

/// The key of an answer of a table, from its content.
fn key_of(rater: i64, item: i64, answer: &Answer) -> String {
    let text = serde_json::to_string(answer).expect("an answer is plain data");
    let whole = format!("{rater} {item} {text}");
    let digest: String = blake3::hash(whole.as_bytes())
        .to_hex()
        .chars()
        .take(32)
        .collect();
    format!("table-{digest}")
}

fn ratings(study: &Study, text: &str, file: &str) -> Result<Vec<Incoming>, StudyError> {
    let ratings = Ratings::parse(text).map_err(|error| {
        StudyError::invalid(format!("{file}:{}: {}", error.line, error.message))
    })?;
    let named = [ratings.candidate.clone(), ratings.reference.clone()];
    if named != study.sources {
        return Err(StudyError::with_hint(
            format!(
                "`{file}` compares `{}` with `{}`, the study `{}` with `{}`",
                named[0], named[1], study.sources[0], study.sources[1]
            ),
            "these are ratings of another study, or the columns are in another order",
        ));
    }
    let mut incoming = Vec::new();
    for rating in ratings.groups.into_values().flatten() {
        let (rater, item) = assigned(study, &rating.rater, &rating.item, &format!("`{file}`"))?;
        let both = (rating.candidate, rating.reference) == (Verdict::Correct, Verdict::Correct);
        let better = both.then_some(rating.better);
        let answer = Answer::Compare {
            candidate: rating.candidate,
            reference: rating.reference,
            better,
            note: rating.note,
        };
        incoming.push(Incoming {
            rater,
            item,
            key: key_of(rater, item, &answer),
            answer,
            at: None,
        });
    }
    Ok(incoming)
}

/// The rows of a table that [`blank_csv`](crate::blank_csv) made, or of a patch.
fn filled_in(
    study: &Study,
    text: &str,
    file: &str,
    empty: &mut u64,
) -> Result<Vec<Incoming>, StudyError> {
    let (item, rater, needed): (_, _, &[&str]) = match study.kind {
        Kind::Write => ("item", "rater", &["text"]),
        _ => ("record", "reviewer", &["decision", "text"]),
    };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::Headers)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        StudyError::invalid(format!("{file}:{line}: {error}"))
    };
    let head = reader.headers().map_err(|error| broken(&error))?.clone();
    for name in [&[item, rater], needed].concat() {
        if !head.iter().any(|found| found == name) {
            let found: Vec<&str> = head.iter().collect();
            return Err(StudyError::invalid(format!(
                "{file}:1: the columns are `{}`, `{name}` is missing",
                found.join(",")
            )));
        }
    }
    let mut incoming = Vec::new();
    for row in reader.records() {
        let row = row.map_err(|error| broken(&error))?;
        let place = format!("{file}:{}", row.position().map_or(0, csv::Position::line));
        let mut fields: Fields = head
            .iter()
            .zip(&row)
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        if fields
            .get(needed[0])
            .is_none_or(|value| value.trim().is_empty())
        {
            *empty += 1;
            continue;
        }
        let value = |name: &str| fields.get(name).cloned().unwrap_or_default();
        let (rater, number) = assigned(study, value(rater).trim(), value(item).trim(), &place)?;
        let text: String = study.connection.query_row(
            "SELECT first FROM items WHERE item = ?",
            [number],
            |row| row.get(0),
        )?;
        let at = Some(value("at").trim().to_owned()).filter(|at| !at.is_empty());
        if let Some(at) = at.as_deref().filter(|at| !is_time(at)) {
            let message =
                format!("{place}: the time `{at}` is not as in `2026-01-31T10:00:00.000Z`");
            return Err(StudyError::invalid(message));
        }
        // In a patch only edited records have a text.
        if study.kind == Kind::Review
            && value("text").trim().is_empty()
            && value("decision") != "edit"
        {
            fields.remove("text");
        }
        fields.retain(|name, _| ["text", "decision", "note"].contains(&&**name));
        let answer = Answer::of_fields(study.kind, &fields, true, &text)
            .map_err(|message| StudyError::invalid(format!("{place}: {message}")))?;
        incoming.push(Incoming {
            rater,
            item: number,
            key: key_of(rater, number, &answer),
            answer,
            at,
        });
    }
    Ok(incoming)
}
