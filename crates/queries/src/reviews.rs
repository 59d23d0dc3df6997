//! Reviews of queries: the decisions of reviewers about each, and the queries after them.
//!
//! A patch is a CSV file with the columns `record`, `decision`, `text`, `reviewer`, `at` and `note`, as `barecode review
//! export` prints it. A record is the id of a query as it was made, so a rebuilt dataset is reviewed again by the
//! same patch; a row whose record no longer exists is set aside and counted.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Id, Outcome, Query, Reason, SetAside, Stage, Unit};

use crate::leak::leaks;
use crate::query::count_words;

/// The kind of thing that [`apply_reviews`] counts beside `queries`.
pub const REVIEWS: &str = "reviews";

/// The decision about a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It stays.
    Keep,
    /// It is left out.
    Drop,
    /// It gets this text.
    Edit(String),
}

/// A row of a patch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Review {
    /// The id of the query as it was made.
    pub record: String,
    /// The decision.
    pub decision: Decision,
    /// The reviewer.
    pub reviewer: String,
    /// When.
    pub at: String,
    /// Why.
    pub note: String,
    /// The file and line: `reviews.csv:3`.
    pub stated_at: String,
}

/// A problem with a patch.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{stated_at}: {message}")]
pub struct ReviewError {
    /// The file and line.
    pub stated_at: String,
    /// The fault: the value, and the expectation.
    pub message: String,
}

impl Review {
    /// Reads the text of a patch.
    ///
    /// # Errors
    /// For a missing column, an unknown decision, an edit without a text, and a text without an edit.
    pub fn parse(text: &str, file: &str) -> Result<Vec<Self>, ReviewError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let fail = |line: u64, message: String| ReviewError {
            stated_at: format!("{file}:{line}"),
            message,
        };
        let broken = |error: &csv::Error| {
            fail(
                error.position().map_or(1, csv::Position::line),
                error.to_string(),
            )
        };
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(|error| broken(&error))?.clone();
        let column = |name: &str| head.iter().position(|found| found == name);
        for name in ["record", "decision", "text"] {
            if column(name).is_none() {
                let found: Vec<&str> = head.iter().collect();
                return Err(fail(
                    1,
                    format!("the columns are `{}`, `{name}` is missing", found.join(",")),
                ));
            }
        }
        let mut reviews = Vec::new();
        for row in reader.records() {
            let row = row.map_err(|error| broken(&error))?;
            let line = row.position().map_or(0, csv::Position::line);
            let value = |name: &str| {
                column(name)
                    .and_then(|at| row.get(at))
                    .unwrap_or_default()
                    .to_owned()
            };
            let text = value("text");
            let decision = match (&*value("decision"), text.is_empty()) {
                ("keep", true) => Decision::Keep,
                ("drop", true) => Decision::Drop,
                ("edit", false) => {
                    Decision::Edit(text.split_whitespace().collect::<Vec<_>>().join(" "))
                }
                ("edit", true) => return Err(fail(line, "an edit without a `text`".to_owned())),
                ("keep" | "drop", false) => {
                    return Err(fail(
                        line,
                        format!("a `text` that is not an edit: `{text}`"),
                    ));
                }
                (other, _) => {
                    return Err(fail(
                        line,
                        format!(
                            "`{other}` in column `decision`, expected `keep`, `drop` or `edit`"
                        ),
                    ));
                }
            };
            if value("record").is_empty() {
                return Err(fail(line, "no `record`".to_owned()));
            }
            reviews.push(Review {
                record: value("record"),
                decision,
                reviewer: value("reviewer"),
                at: value("at"),
                note: value("note"),
                stated_at: format!("{file}:{line}"),
            });
        }
        Ok(reviews)
    }
}

/// The queries after their reviews, by id; those without one stay. `queries` and [`REVIEWS`] are counted.
///
/// An edited query has the new text, its own id and leaks, and the text before in `raw` unless that has a comment.
///
/// # Errors
/// If two reviews of a record differ.
pub fn apply_reviews(
    queries: Vec<Query>,
    reviews: &[Review],
    units: &[Unit],
) -> Result<Outcome<Vec<Query>>, ReviewError> {
    let mut by_record: BTreeMap<&str, &Review> = BTreeMap::new();
    for review in reviews {
        let before = by_record.insert(&review.record, review);
        if let Some(before) = before.filter(|before| before.decision != review.decision) {
            return Err(ReviewError {
                stated_at: review.stated_at.clone(),
                message: format!(
                    "another decision about `{}` than at {}; remove one of both",
                    review.record, before.stated_at
                ),
            });
        }
    }
    let units: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let mut done = Outcome::counting(["queries", REVIEWS]);
    let is_edited = |query: &Query| {
        let review = by_record.get(query.id.as_str());
        review.is_some_and(|review| matches!(review.decision, Decision::Edit(_)))
    };
    // Two functions of two sources may have one comment; only an edit can make two queries of a set the same.
    let mut seen: BTreeSet<(String, String)> = queries
        .iter()
        .filter(|query| !is_edited(query))
        .map(|query| (query.writer.clone(), query.text.clone()))
        .collect();
    let mut found: BTreeSet<String> = BTreeSet::new();
    for query in queries {
        let review = by_record.get(query.id.as_str());
        found.extend(review.map(|review| review.record.clone()));
        let aside = |query: &Query, reason, detail: String| SetAside {
            id: Some(query.target_id.clone()),
            origin: Some(query.origin.clone()),
            ..SetAside::new(Stage::Query, "query", reason, detail)
        };
        let query = match review.map(|review| (&review.decision, review)) {
            None | Some((Decision::Keep, _)) => {
                done.keep("queries", query);
                continue;
            }
            Some((Decision::Drop, review)) => {
                let detail = format!(
                    "{} by `{}`: {}",
                    review.stated_at, review.reviewer, review.note
                );
                done.set_aside("queries", aside(&query, Reason::ReviewDropped, detail));
                continue;
            }
            Some((Decision::Edit(text), _)) => edited(query, text, &units),
        };
        // A text that was edited may be another query's now.
        if seen.insert((query.writer.clone(), query.text.clone())) {
            done.keep("queries", query);
        } else {
            let row = aside(&query, Reason::QueryDuplicate, query.text.clone());
            done.set_aside("queries", row);
        }
    }
    for review in reviews {
        if found.contains(&review.record) {
            done.count_kept(REVIEWS);
        } else {
            let row = SetAside {
                name: Some(review.record.clone()),
                ..SetAside::new(
                    Stage::Query,
                    "review",
                    Reason::ReviewUnknown,
                    review.stated_at.clone(),
                )
            };
            done.set_aside(REVIEWS, row);
        }
    }
    done.kept.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(done)
}

fn edited(query: Query, text: &str, units: &BTreeMap<&Id, &Unit>) -> Query {
    let (leak, leaked) = match units.get(&query.target_id) {
        Some(unit) => leaks(text, unit),
        None => (query.leak, query.leaked.clone()),
    };
    Query {
        id: Query::id_of(&query.target_id, text),
        words: count_words(text),
        leak,
        leaked,
        raw: Some(query.raw.unwrap_or(query.text)),
        text: text.to_owned(),
        ..query
    }
}
