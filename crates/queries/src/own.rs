//! The user's own queries: a file of texts, each with the function that answers it.
//!
//! The answer is an id (`f-…`, or `u-…` of a unit), a position (`src/list.c:120`, any line of the function), or a
//! name (`list_add`, `json::Node::parse`, `src/list.c::list_add`). Folders may be left out from the left, and folders
//! above the source may be added, as long as one function fits; if several do, none is chosen.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use barecode_records::{Id, Outcome, Query, Reason, SetAside, Stage, TargetKind, Unit};

use crate::leak::leaks;
use crate::query::count_words;

/// The kind of thing that [`own_queries`] counts.
pub const OWN_QUERIES: &str = "own queries";

/// A query of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnQuery {
    /// The text of the query.
    pub text: String,
    /// The function that answers it, as the file names it.
    pub answer: String,
    /// Its writer; [`Query::PERSON`] unless the file names another.
    pub writer: String,
    /// Its file and line: `questions.csv:3`.
    pub stated_at: String,
}

/// A problem with a file of queries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct OwnQueryError {
    /// The file as it was called.
    pub file: String,
    /// The line, from 1.
    pub line: u64,
    /// The fault: the value, and the expectation.
    pub message: String,
}

/// The columns that may have the text.
const TEXTS: [&str; 3] = ["text", "query", "question"];
/// The columns that may have the answer, in any of its forms.
const ANSWERS: [&str; 4] = ["function", "id", "place", "name"];

impl OwnQuery {
    /// Reads the text of a file, `.csv`, `.tsv` or `.jsonl` by the ending of its name.
    ///
    /// # Errors
    /// For another ending, a missing column, a row without text or answer or with several answers, and a file without
    /// rows.
    pub fn parse(text: &str, file: &str) -> Result<Vec<Self>, OwnQueryError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let fail = |line: u64, message: String| OwnQueryError {
            file: file.to_owned(),
            line,
            message,
        };
        let ending = file.rsplit_once('.').map_or("", |(_, ending)| ending);
        let rows = match ending {
            "csv" => separated(text, b','),
            "tsv" => separated(text, b'\t'),
            "jsonl" => objects(text),
            _ => Err((1, "the file must end in .csv, .tsv or .jsonl".to_owned())),
        };
        let rows = rows.map_err(|(line, message)| fail(line, message))?;
        if rows.is_empty() {
            return Err(fail(1, "the file has no queries".to_owned()));
        }
        let query = |(line, fields): (u64, Fields)| {
            let filled = |names: &[&str]| -> Vec<String> {
                let values = names.iter().filter_map(|name| fields.get(*name));
                let values = values.map(|value| value.trim().to_owned());
                values.filter(|value| !value.is_empty()).collect()
            };
            let one = |names: &[&str], what: &str| match &*filled(names) {
                [one] => Ok(one.clone()),
                [] => Err(fail(
                    line,
                    format!("no {what}: {} is empty or missing", listed(names)),
                )),
                several => Err(fail(
                    line,
                    format!("several values for the {what}: `{}`", several.join("`, `")),
                )),
            };
            let writer = fields
                .get("writer")
                .map(|writer| writer.trim())
                .filter(|writer| !writer.is_empty())
                .unwrap_or(Query::PERSON)
                .to_lowercase();
            // It becomes part of the names of folders.
            let fits = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            if !writer.chars().all(fits) || writer.starts_with('.') || writer.len() > 64 {
                return Err(fail(
                    line,
                    format!(
                        "the writer `{writer}` is not a name: up to 64 letters, digits, `-`, `_` and `.`"
                    ),
                ));
            }
            Ok(OwnQuery {
                text: one(&TEXTS, "text")?,
                answer: one(&ANSWERS, "answer")?,
                writer,
                stated_at: format!("{file}:{line}"),
            })
        };
        rows.into_iter().map(query).collect()
    }

    /// Returns `true` if the function may be the answer, as far as names show before all functions are known.
    pub fn may_mean(&self, function: &Place<'_>) -> bool {
        Answer::of(&self.answer).plausible(function)
    }
}

fn listed(names: &[&str]) -> String {
    format!("`{}`", names.join("`, `"))
}

/// The values of a row by column.
type Fields = BTreeMap<String, String>;

/// The rows of a file, each with its line; an error has its line too.
type Rows = Result<Vec<(u64, Fields)>, (u64, String)>;

fn separated(text: &str, by: u8) -> Rows {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(by)
        .from_reader(text.as_bytes());
    let broken = |error: &csv::Error| {
        let line = error.position().map_or(1, csv::Position::line);
        (line, error.to_string())
    };
    let head = reader.headers().map_err(|error| broken(&error))?.clone();
    let head: Vec<String> = head.iter().map(|name| name.trim().to_lowercase()).collect();
    for (names, what) in [(&TEXTS[..], "text"), (&ANSWERS[..], "answer")] {
        if !head.iter().any(|name| names.contains(&&**name)) {
            let separated = match (&*head, by) {
                ([one], b',') if one.contains(';') => {
                    "; columns are separated by commas, not by semicolons"
                }
                ([one], b',') if one.contains('\t') => "; a file with tabs ends in .tsv",
                _ => "",
            };
            let message = format!(
                "no column for the {what}: the columns are `{}`, expected one of {}{separated}",
                head.join("`, `"),
                listed(names)
            );
            return Err((1, message));
        }
    }
    let rows = reader.records().map(|row| {
        let row = row.map_err(|error| broken(&error))?;
        let line = row.position().map_or(1, csv::Position::line);
        let values = row.iter().map(str::to_owned);
        Ok((line, head.iter().cloned().zip(values).collect()))
    });
    rows.collect()
}

fn objects(text: &str) -> Rows {
    let lines = (1..)
        .zip(text.lines())
        .filter(|(_, line)| !line.trim().is_empty());
    let rows = lines.map(|(number, line)| {
        let object: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(line).map_err(|error| (number, error.to_string()))?;
        let fields = object.into_iter().map(|(name, value)| {
            let value = match value {
                serde_json::Value::String(text) => text,
                serde_json::Value::Null => String::new(),
                other => other.to_string(),
            };
            (name.to_lowercase(), value)
        });
        Ok((number, fields.collect()))
    });
    rows.collect()
}

/// A function as an answer may name it.
#[derive(Debug, Clone)]
pub struct Place<'a> {
    /// The file.
    pub path: &'a str,
    /// Its lines.
    pub lines: RangeInclusive<u32>,
    /// Its name, without qualifiers.
    pub name: &'a str,
    /// Its id.
    pub id: &'a Id,
}

/// An answer by its form.
enum Answer<'a> {
    Id(&'a str),
    Line(&'a str, u32),
    Name {
        whole: &'a str,
        /// The last name, and the part before it.
        last: &'a str,
        before: Option<&'a str>,
    },
}

impl<'a> Answer<'a> {
    fn of(answer: &'a str) -> Self {
        let is_id =
            |rest: &str| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_alphanumeric());
        if let Some(("f" | "u", rest)) = answer.split_once('-')
            && is_id(rest)
        {
            return Answer::Id(answer);
        }
        if let Some((path, line)) = answer.rsplit_once(':')
            && let Ok(line) = line.parse()
        {
            return Answer::Line(path, line);
        }
        let (before, last) = match answer.rsplit_once("::") {
            Some((before, last)) => (Some(before), last),
            None => (None, answer),
        };
        Answer::Name {
            whole: answer,
            last,
            before,
        }
    }

    /// Returns `true` if a function could be meant of which only the position and the last name are known.
    fn plausible(&self, function: &Place<'_>) -> bool {
        match self {
            Answer::Id(id) => function.id.as_str() == *id,
            Answer::Line(path, line) => {
                is_file(function.path, path) && function.lines.contains(line)
            }
            Answer::Name { last, before, .. } => {
                let names_file = before.is_some_and(|before| before.contains(['.', '/']));
                function.name == *last && (!names_file || is_file(function.path, file_of(*before)))
            }
        }
    }

    /// The file that it names, if it may name one.
    fn file(&self) -> Option<&str> {
        match self {
            Answer::Id(_) => None,
            Answer::Line(path, _) => Some(path),
            Answer::Name { before, .. } => before.map(|_| file_of(*before)),
        }
    }

    /// Returns `true` if the unit is meant.
    fn means(&self, unit: &Unit) -> bool {
        let Answer::Name {
            whole,
            last,
            before,
        } = self
        else {
            return matches!(self, Answer::Id(id) if unit.id.as_str() == *id)
                || self.plausible(&place_of(unit));
        };
        let in_file = |before: &str| {
            // A qualified name may follow the file.
            let (file, qualified) = match before.split_once("::") {
                Some((file, around)) => (file, format!("{around}::{last}")),
                None => (before, (*last).to_owned()),
            };
            is_file(&unit.origin.path, file) && ends_with(&unit.qualified_name, &qualified, "::")
        };
        ends_with(&unit.qualified_name, whole, "::") || before.is_some_and(in_file)
    }
}

/// The part before the first `::`, which is the file if there is one.
fn file_of(before: Option<&str>) -> &str {
    let before = before.unwrap_or_default();
    before.split_once("::").map_or(before, |(file, _)| file)
}

/// Returns `true` if a path inside of the source is meant: as a whole, by its end, or as it is seen from a folder
/// around the source.
fn is_file(path: &str, said: &str) -> bool {
    ends_with(path, said, "/") || ends_with(said, path, "/")
}

/// Returns `true` if a path or name is the end of another, from a separator on.
fn ends_with(whole: &str, end: &str, separator: &str) -> bool {
    let end = end.strip_prefix("./").unwrap_or(end);
    whole
        .strip_suffix(end)
        .is_some_and(|before| !end.is_empty() && (before.is_empty() || before.ends_with(separator)))
}

fn place_of(unit: &Unit) -> Place<'_> {
    Place {
        path: &unit.origin.path,
        lines: unit.origin.start_line..=unit.origin.end_line,
        name: &unit.name,
        id: &unit.function_id,
    }
}

/// The user's own queries over all units of a run, by id; `left_out` are the functions that earlier stages set aside.
/// A query whose answer is not one unit is set aside, and so is one that a comment already has: `comments` are the
/// queries of all units.
pub fn own_queries<'q>(
    asked: &'q [OwnQuery],
    units: &[Unit],
    left_out: &[SetAside],
    comments: &'q [Query],
) -> Outcome<Vec<Query>> {
    let mut done = Outcome::counting([OWN_QUERIES]);
    let of_comment = |query: &'q Query| {
        let place = format!("the comment of {}", query.origin.place());
        (&*query.text, place)
    };
    let mut seen: BTreeMap<&str, String> = comments.iter().map(of_comment).collect();
    for own in asked {
        let found = answer_of(own, units, left_out).and_then(|unit| match seen.get(&*own.text) {
            Some(first) => Err((Reason::QueryDuplicate, first.clone())),
            None => Ok(unit),
        });
        match found {
            Ok(unit) => {
                seen.insert(&own.text, own.stated_at.clone());
                done.keep(OWN_QUERIES, query_of(own, unit));
            }
            Err((reason, detail)) => {
                let row = SetAside {
                    name: Some(own.answer.clone()),
                    ..SetAside::new(
                        Stage::Query,
                        "query",
                        reason,
                        format!("{}: {detail}", own.stated_at),
                    )
                };
                done.set_aside(OWN_QUERIES, row);
            }
        }
    }
    done.kept.sort_by(|a, b| a.id.cmp(&b.id));
    done
}

fn query_of(own: &OwnQuery, unit: &Unit) -> Query {
    let (leak, leaked) = leaks(&own.text, unit);
    Query {
        id: Query::id_of(&unit.id, &own.text),
        target_kind: TargetKind::Unit,
        target_id: unit.id.clone(),
        writer: own.writer.clone(),
        origin: unit.origin.clone(),
        text: own.text.clone(),
        raw: None,
        place: None,
        stated_at: Some(own.stated_at.clone()),
        model: None,
        prompt: None,
        left_out: None,
        tries: None,
        class: None,
        words: count_words(&own.text),
        leak,
        leaked,
    }
}

/// The one unit that answers, or the reason why none does.
fn answer_of<'u>(
    own: &OwnQuery,
    units: &'u [Unit],
    left_out: &[SetAside],
) -> Result<&'u Unit, (Reason, String)> {
    let answer = Answer::of(&own.answer);
    let mut meant: Vec<&Unit> = units.iter().filter(|unit| answer.means(unit)).collect();
    if let Some(said) = answer.file() {
        // A path that ends in the given one comes before a path seen from outside, of which the nearest is meant.
        let nearness = |unit: &&Unit| match &*unit.origin.path {
            path if is_file(path, said) && !ends_with(path, said, "/") => path.len(),
            _ => usize::MAX,
        };
        let nearest = meant.iter().map(nearness).max();
        meant.retain(|unit| Some(nearness(unit)) == nearest);
    }
    if let Answer::Line(path, _) = answer {
        // A path as a whole before the end of one, and the innermost function before those around it.
        if meant.iter().any(|unit| unit.origin.path == path) {
            meant.retain(|unit| unit.origin.path == path);
        }
        let length = |unit: &&Unit| unit.origin.end_line - unit.origin.start_line;
        let shortest = meant.iter().map(length).min();
        let paths: std::collections::BTreeSet<&str> =
            meant.iter().map(|unit| &*unit.origin.path).collect();
        if paths.len() == 1 {
            meant.retain(|unit| Some(length(unit)) == shortest);
        }
    }
    let missed: Vec<&SetAside> = left_out
        .iter()
        .filter(|row| is_plausible(row, &answer))
        .collect();
    // Of a name alone it is not known whether the function that was left out is meant; a copy, or a branch that is
    // switched off, is not another function.
    let others = missed.iter().filter(|row| {
        matches!(answer, Answer::Name { before: None, .. })
            && !matches!(row.reason, Reason::Duplicate | Reason::InactiveConfig)
    });
    let mut others = others.map(|row| told(row)).peekable();
    match &*meant {
        [one] if others.peek().is_none() => Ok(one),
        [] if missed.is_empty() => Err((Reason::AnswerUnknown, format!("`{}`", own.answer))),
        [] => {
            let missed = missed.iter().map(|row| told(row));
            Err((
                Reason::AnswerLeftOut,
                format!("`{}`: {}", own.answer, first_of(missed)),
            ))
        }
        several => {
            let several = several.iter().map(|unit| unit.origin.place());
            Err((
                Reason::AnswerAmbiguous,
                format!("`{}`: {}", own.answer, first_of(several.chain(others))),
            ))
        }
    }
}

fn is_plausible(row: &SetAside, answer: &Answer<'_>) -> bool {
    let none = Id::from(String::new());
    let Some(origin) = row.origin.as_ref().filter(|_| row.kind == "function") else {
        return false;
    };
    answer.plausible(&Place {
        path: &origin.path,
        lines: origin.start_line..=origin.end_line,
        name: row.name.as_deref().unwrap_or_default(),
        id: row.id.as_ref().unwrap_or(&none),
    })
}

/// `src/list.c:3-9 (compile_error)`.
fn told(row: &SetAside) -> String {
    let place = row.origin.as_ref().map(barecode_records::Origin::place);
    format!("{} ({})", place.unwrap_or_default(), row.reason)
}

/// Three of some positions, and the number of the others.
fn first_of(places: impl Iterator<Item = String>) -> String {
    const SHOWN: usize = 3;
    let places: Vec<String> = places.collect();
    let shown: Vec<&str> = places.iter().take(SHOWN).map(String::as_str).collect();
    let more = match places.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", shown.join(", "))
}
