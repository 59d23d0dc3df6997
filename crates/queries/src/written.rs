//! An answer of a model → a query, or the next message to the model.
//!
//! A query that names the things that it should describe is answered by string search, so the model receives the
//! names and writes again. The same holds for one in another language, one that is code, one that is too long. After
//! the last try the recipe decides: the best query is kept with its leak class, or none is.

use barecode_records::{Digest, Id, Leak, Query, Reason, TargetKind, Unit};
use serde::{Deserialize, Serialize};

use crate::leak::leaks;
use crate::prose::not_prose;
use crate::query::count_words;

/// The handling of a query that still leaks after the last try.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Leaking {
    /// It is kept with its leak class.
    #[default]
    Keep,
    /// It is set aside.
    SetAside,
}

/// The requirements on a written query.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct WrittenConfig {
    /// The number of tries of the model for one query.
    pub tries: u32,
    /// The weakest leak that is sent back; `none` sends nothing back.
    pub avoid: Leak,
    /// True if names of types are sent back too. The paper's prompts request the types of inputs and outputs.
    pub avoid_types: bool,
    /// The handling of a query that still leaks.
    pub leaking: Leaking,
    /// Fewest words.
    pub min_words: u32,
    /// Most words.
    pub max_words: u32,
}

impl Default for WrittenConfig {
    fn default() -> Self {
        WrittenConfig {
            tries: 3,
            avoid: Leak::Identifier,
            avoid_types: false,
            leaking: Leaking::Keep,
            min_words: 4,
            max_words: 250,
        }
    }
}

/// The form in which a model's answer came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Came {
    /// To its end.
    Whole,
    /// Until its limit.
    Cut,
    /// As a refusal.
    Refused,
    /// Not at all: the prompt is longer than the model reads.
    TooLong,
}

/// The judgment of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// A query that meets the requirements.
    Good(Candidate),
    /// A query that leaks more than is allowed, and the message to the model.
    Leaks(Candidate, String),
    /// Not a query: the reason, the beginning of the answer, and the message to the model; `None` if the same prompt
    /// is sent again.
    Bad(Reason, String, Option<String>),
}

/// A text that may be the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The text.
    pub text: String,
    /// Its words.
    pub words: u32,
    /// Its strongest leak.
    pub leak: Leak,
    /// The names that leak.
    pub leaked: Vec<String>,
}

/// Judges the answer of a model for a unit.
pub fn judge(answer: &str, came: Came, unit: &Unit, config: &WrittenConfig) -> Judged {
    let text = summary(answer);
    let bad = |reason: Reason, note: Option<&str>| {
        Judged::Bad(reason, beginning(&text), note.map(str::to_owned))
    };
    match came {
        Came::Whole => {}
        Came::TooLong => return Judged::Bad(Reason::PromptTooLong, beginning(answer), None),
        Came::Refused => return bad(Reason::AnswerRefused, None),
        Came::Cut => {
            let note = "Your last answer was cut off before its end. Think less, and answer in fewer words.";
            return bad(Reason::AnswerCut, Some(note));
        }
    }
    if text.is_empty() {
        return bad(Reason::AnswerEmpty, None);
    }
    let words = count_words(&text);
    if is_foreign(&text) {
        let note = "Your last answer was not in English. Answer in English.";
        return bad(Reason::QueryNotEnglish, Some(note));
    }
    if holds_code(answer, unit) || not_prose(&text).is_some() {
        let note =
            "Your last answer was not prose. Describe the function in sentences, without code.";
        return bad(Reason::QueryNotProse, Some(note));
    }
    if words < config.min_words {
        let note = "Your last answer was too short to find a function by. Say more of what the function does.";
        return bad(Reason::QueryTooShort, Some(note));
    }
    if words > config.max_words {
        let note = format!(
            "Your last answer had {words} words. Use at most {}.",
            config.max_words
        );
        return bad(Reason::QueryTooLong, Some(&note));
    }
    let (leak, leaked) = leaks(&text, unit);
    let candidate = Candidate {
        text,
        words,
        leak,
        leaked,
    };
    let unwanted = unwanted(&candidate, unit, config);
    if unwanted.is_empty() {
        return Judged::Good(candidate);
    }
    let names: Vec<String> = unwanted.iter().map(|name| format!("`{name}`")).collect();
    let note = format!(
        "Your last answer was:\n\n{}\n\nIt contains names of the code, which must not be in it: {}. Write it again without them, \
         and describe what they stand for instead.",
        candidate.text,
        names.join(", ")
    );
    Judged::Leaks(candidate, note)
}

/// The names of a candidate that are sent back.
fn unwanted<'c>(candidate: &'c Candidate, unit: &Unit, config: &WrittenConfig) -> Vec<&'c str> {
    if config.avoid == Leak::None {
        return Vec::new();
    }
    let is_type = |name: &str| unit.references.types.iter().any(|of_type| of_type == name);
    let names = candidate.leaked.iter().map(String::as_str);
    let names = names.filter(|name| leaks(name, unit).0 >= config.avoid);
    names
        .filter(|name| config.avoid_types || *name == unit.name || !is_type(name))
        .collect()
}

/// A prompt that sends an answer back with a note.
pub fn again(prompt: &str, note: &str) -> String {
    format!("{}\n\n{note}\n", prompt.trim_end())
}

/// The text behind the last `SUMMARY:`, or all text if there is none, as one line of text without the marks of
/// Markdown.
fn summary(answer: &str) -> String {
    // The reasoning of a model comes before its answer.
    let answer = answer
        .rsplit_once("</think>")
        .map_or(answer, |(_, rest)| rest);
    let upper = answer.to_ascii_uppercase();
    let start = upper
        .rfind("SUMMARY:")
        .map_or(0, |at| at + "SUMMARY:".len());
    let text = answer.get(start..).unwrap_or(answer);
    let lines = text.lines().map(|line| {
        line.trim()
            .trim_start_matches(['#', '>'])
            .trim_start_matches("- ")
            .trim()
    });
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("```")).collect();
    let text = lines.join(" ").replace("**", "").replace('`', "");
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.trim_matches(|c| c == '"' || c == '*')
        .trim()
        .to_owned()
}

/// Returns `true` if an answer shows the function: a fenced block, or a line of it.
fn holds_code(answer: &str, unit: &Unit) -> bool {
    let summary = answer
        .to_ascii_uppercase()
        .rfind("SUMMARY:")
        .and_then(|at| answer.get(at..))
        .unwrap_or(answer);
    let is_long = |line: &&str| line.len() >= 24 && line.ends_with([';', '{', '}', ')']);
    let mut lines = unit.text.lines().map(str::trim).filter(is_long);
    summary.contains("```") || lines.any(|line| summary.contains(line))
}

/// Returns `true` if a text is surely in another language than English.
fn is_foreign(text: &str) -> bool {
    // Fewer letters than this are not enough to be sure by.
    const ENOUGH: usize = 40;
    let letters = text.chars().filter(|c| c.is_alphabetic());
    let n_foreign = letters.clone().filter(|c| *c > '\u{24f}').count();
    let n_letters = letters.count();
    if 2 * n_foreign > n_letters {
        return true;
    }
    let found = whatlang::detect(text);
    n_letters >= ENOUGH
        && found.is_some_and(|found| {
            found.lang() != whatlang::Lang::Eng && found.is_reliable() && found.confidence() > 0.9
        })
}

pub(crate) fn beginning(text: &str) -> String {
    text.chars().take(120).collect()
}

/// The origin of a written query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Authorship {
    /// The name of the set of queries.
    pub writer: String,
    /// The model, by the name that its server reports, if it does.
    pub model: String,
    /// The digest of the prompt that the text answers.
    pub prompt: String,
    /// Pieces of the closure that the prompt had no room for.
    pub left_out: u32,
    /// Which try it was, from 1.
    pub tries: u32,
}

/// The digest of a prompt as records have it.
pub fn prompt_digest(text: &str) -> String {
    Digest::new("prompt").field(text).hex()
}

impl Candidate {
    /// The record; `original` is the query that was rewritten, if it is a rewritten one.
    pub fn into_query(self, unit: &Unit, by: Authorship, original: Option<String>) -> Query {
        let digest = Digest::new("written query")
            .field(&unit.id)
            .field(&by.writer)
            .field(&self.text);
        Query {
            id: Id::new("q", &digest),
            target_kind: TargetKind::Unit,
            target_id: unit.id.clone(),
            writer: by.writer,
            origin: unit.origin.clone(),
            text: self.text,
            raw: original,
            place: None,
            stated_at: None,
            model: Some(by.model),
            prompt: Some(by.prompt),
            left_out: Some(by.left_out),
            tries: Some(by.tries),
            class: None,
            words: self.words,
            leak: self.leak,
            leaked: self.leaked,
        }
    }
}
