//! The exports of a study: its progress, its ratings and texts as tables, its history as JSON.

use rusqlite::Row;
use serde::Serialize;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::error::StudyError;
use crate::study::{Kind, Study, parse};
use crate::tables::CURRENT;

/// The progress of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Status {
    /// `compare`, `write` or `review`.
    pub kind: &'static str,
    /// The study's id.
    pub study: String,
    /// Its items.
    pub items: u32,
    /// All answers, those that were changed later included.
    pub answers: u32,
    /// Those among them that an import brought.
    pub imported: u32,
    /// Items that a rater answered more than once.
    pub changed: u32,
    /// Answers that count and state that two texts cannot be judged.
    pub unjudged: u32,
    /// Each rater.
    pub raters: Vec<StatusOfRater>,
}

/// The progress of a rater.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct StatusOfRater {
    /// The name.
    pub rater: String,
    /// Items.
    pub items: u32,
    /// Items with an answer.
    pub answered: u32,
}

/// Returns the progress of a study.
///
/// # Errors
/// If the file cannot be read.
pub fn status(study: &Study) -> Result<Status, StudyError> {
    let count = |query: &str| {
        study
            .connection
            .query_row(query, [], |row| row.get::<_, u32>(0))
    };
    let raters = study.raters()?.into_iter();
    Ok(Status {
        kind: study.kind.name(),
        study: study.id.clone(),
        items: count("SELECT count(*) FROM items")?,
        answers: count("SELECT count(*) FROM answers")?,
        imported: count("SELECT count(*) FROM answers WHERE how = 'import'")?,
        changed: count(
            "SELECT count(*) FROM (SELECT 1 FROM answers GROUP BY rater, item HAVING count(*) > 1)",
        )?,
        unjudged: count(&format!(
            "SELECT count(*) FROM {CURRENT} WHERE json_type(answer, '$.unjudged') IS NOT NULL"
        ))?,
        raters: raters
            .map(|rater| StatusOfRater {
                rater: rater.name,
                items: rater.items,
                answered: rater.answered,
            })
            .collect(),
    })
}

/// A current answer with its rater and item.
struct Given {
    id: String,
    group: String,
    rater: String,
    at: String,
    answer: String,
}

fn given(study: &Study) -> Result<Vec<(Given, Answer)>, StudyError> {
    let mut rows = study.connection.prepare(&format!(
        "SELECT id, subset, name, at, answer FROM {CURRENT} JOIN items USING (item) JOIN raters USING (rater)
         ORDER BY subset, item, rater",
    ))?;
    let one = |row: &Row<'_>| {
        Ok(Given {
            id: row.get(0)?,
            group: row.get(1)?,
            rater: row.get(2)?,
            at: row.get(3)?,
            answer: row.get(4)?,
        })
    };
    let given: Vec<Given> = rows.query_map([], one)?.collect::<Result<_, _>>()?;
    given
        .into_iter()
        .map(|given| Ok((parse(&given.answer)?, given)))
        .map(|pair| pair.map(|(answer, given)| (given, answer)))
        .collect()
}

/// The current answers as a table: ratings that statistics read, texts that `[queries] files` reads, or a patch.
///
/// # Errors
/// If the file cannot be read.
pub fn export_csv(study: &Study) -> Result<String, StudyError> {
    let [candidate, reference] = &study.sources;
    let head: &[&str] = match study.kind {
        Kind::Compare => &[
            "item", "rater", candidate, reference, "better", "group", "note",
        ],
        Kind::Write => &["text", "function", "writer", "rater", "at"],
        Kind::Review => &["record", "decision", "text", "reviewer", "at", "note"],
    };
    let mut table = Table::new(head);
    for (given, answer) in given(study)? {
        match &answer {
            Answer::Compare {
                candidate: of_candidate,
                reference: of_reference,
                better,
                note,
            } => {
                let better = better.map_or("", |better| better.name(candidate, reference));
                table.row(&[
                    &given.id,
                    &given.rater,
                    of_candidate.name(),
                    of_reference.name(),
                    better,
                    &given.group,
                    note,
                ]);
            }
            Answer::Write { text: Some(text) } => {
                table.row(&[text, &given.id, "person", &given.rater, &given.at]);
            }
            Answer::Unjudged { .. } | Answer::Write { text: None } => {}
            Answer::Review {
                decision,
                text,
                note,
            } => {
                let text = text.as_deref().unwrap_or_default();
                table.row(&[
                    &given.id,
                    decision.name(),
                    text,
                    &given.rater,
                    &given.at,
                    note,
                ]);
            }
        }
    }
    Ok(table.text())
}

/// The items that a rater has not answered, as a table to fill in by hand and to import.
///
/// # Errors
/// If the rater does not exist, or texts are compared: a table would reveal the sources of the texts.
pub fn blank_csv(study: &Study, rater: &str) -> Result<String, StudyError> {
    let mut table = Table::new(match study.kind {
        Kind::Compare => {
            return Err(StudyError::with_hint(
                "a comparison cannot be filled in as a table: it would show whose texts they are",
                "use `barecode study offline`, which makes a page that needs no server",
            ));
        }
        Kind::Write => &["item", "rater", "text", "code", "context"],
        Kind::Review => &["record", "decision", "text", "reviewer", "note", "code"],
    });
    let rater = study.rater_named(rater)?;
    for (position, is_answered) in study.positions(rater.number, 1, rater.items)? {
        let Some(task) = study.task(rater.number, position)?.filter(|_| !is_answered) else {
            continue;
        };
        let item = &task.item;
        match study.kind {
            Kind::Write => table.row(&[&item.id, &rater.name, "", &item.code, &item.context]),
            _ => table.row(&[&item.id, "", &item.texts[0], &rater.name, "", &item.code]),
        }
    }
    Ok(table.text())
}

/// The study with the history of all answers, without texts and without tokens.
///
/// # Errors
/// If the file cannot be read.
pub fn export_json(study: &Study) -> Result<Value, StudyError> {
    let rows = |query: &str,
                one: fn(&Row<'_>) -> rusqlite::Result<Value>|
     -> Result<Vec<Value>, StudyError> {
        let mut rows = study.connection.prepare(query)?;
        Ok(rows.query_map([], one)?.collect::<Result<_, _>>()?)
    };
    let items = rows("SELECT id, subset FROM items ORDER BY item", |row| {
        Ok(json!({"item": row.get::<_, String>(0)?, "group": row.get::<_, String>(1)?}))
    })?;
    let assignments = rows(
        "SELECT name, position, id, first_is_left FROM assignments JOIN items USING (item) JOIN raters USING (rater) ORDER BY rater, position",
        |row| {
            Ok(json!({
                "rater": row.get::<_, String>(0)?, "position": row.get::<_, u32>(1)?,
                "item": row.get::<_, String>(2)?, "candidate_is_left": row.get::<_, bool>(3)?,
            }))
        },
    )?;
    let answers = rows(
        "SELECT seq, name, id, answer, at, how FROM answers JOIN items USING (item) JOIN raters USING (rater) ORDER BY seq",
        |row| {
            let answer = row.get::<_, String>(3)?;
            Ok(json!({
                "seq": row.get::<_, i64>(0)?, "rater": row.get::<_, String>(1)?, "item": row.get::<_, String>(2)?,
                "answer": serde_json::from_str::<Value>(&answer).unwrap_or(Value::String(answer)),
                "at": row.get::<_, String>(4)?, "how": row.get::<_, String>(5)?,
            }))
        },
    )?;
    Ok(json!({
        "format": "barecode-study", "version": 1, "study": study.id, "kind": study.kind.name(),
        "candidate": study.sources[0], "reference": study.sources[1], "question": study.question,
        "introduction": study.introduction, "seed": study.seed,
        "items": items, "assignments": assignments, "answers": answers,
    }))
}

/// Rows of text, in the quotes that they need.
struct Table(csv::Writer<Vec<u8>>);

impl Table {
    fn new(head: &[&str]) -> Self {
        let mut table = Table(csv::Writer::from_writer(Vec::new()));
        table.row(head);
        table
    }

    fn row(&mut self, cells: &[&str]) {
        self.0
            .write_record(cells)
            .expect("memory takes rows of the same length");
    }

    fn text(self) -> String {
        let bytes = self.0.into_inner().expect("memory takes all rows");
        String::from_utf8(bytes).expect("rows of text are text")
    }
}
