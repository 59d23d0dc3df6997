//! The files of a board: what a system answered ([`SystemResult`]), and what was asked ([`BoardDataset`]).
//!
//! Both are JSON, small enough to be committed and plain enough to be written by another program.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use barecode_records::guarded;
use barecode_runs::exit::Failure;
use barecode_scores::Ties;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::ser::{Formatter, PrettyFormatter};

/// The version of both formats.
const RESULT_FORMAT: &str = "barecode-result/1";
const DATASET_FORMAT: &str = "barecode-dataset/1";

/// The folder of the results in a board.
pub const RESULTS: &str = "results";
/// The file of the dataset in that folder.
pub const DATASET: &str = "dataset.json";
/// The file of means without values of queries in that folder.
pub const MEANS: &str = "means.json";

/// A mean that a file of another program states without values of queries.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mean {
    /// The model, from the folders of the file.
    pub model: String,
    /// The task, its split and its subset.
    pub task: String,
    /// The main score.
    pub score: f64,
    /// The revision of the dataset that the file names.
    pub revision: String,
}

/// The values of one system on one dataset.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemResult {
    /// `barecode-result/1`.
    pub format: String,
    /// The name of the system on the board.
    pub system: String,
    /// Its model or its options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// The digest of the dataset, see [`BoardDataset::digest`].
    pub dataset: String,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// The treatment of equal scores.
    #[serde(default)]
    pub ties: Ties,
    /// The command that makes the values again.
    pub command: String,
    /// The day on which they were made, `2026-11-27`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The price of the answers in dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dollars: Option<f64>,
    /// The evidence for the values.
    #[serde(default)]
    pub evidence: Evidence,
    /// The values by subset.
    pub subsets: BTreeMap<String, Values>,
}

/// By setting: the mean value of a perfect system, and that of random order.
pub type Bounds = BTreeMap<String, (f64, f64)>;

/// By query: the value, and the rank of the answer, null if it was not retrieved.
pub type Values = BTreeMap<String, (f64, Option<f64>)>;

/// The evidence for the values of a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Evidence {
    /// None: the file states them.
    #[default]
    Stated,
    /// They were computed from the lists of the system when the result was added.
    Lists,
}

impl Evidence {
    /// The evidence in words.
    pub fn sentence(self) -> &'static str {
        match self {
            Evidence::Stated => "values as stated",
            Evidence::Lists => "values computed from the lists when it was added",
        }
    }
}

/// The queries of a board, and the subsets in which they are asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardDataset {
    /// `barecode-dataset/1`.
    pub format: String,
    /// Its name.
    pub name: String,
    /// BLAKE3 over the tables of documents, queries and judgments, or over the judgments of result files.
    pub digest: String,
    /// The measure of the board, as `ir_measures` writes it.
    pub measure: String,
    /// The treatment of equal scores.
    #[serde(default)]
    pub ties: Ties,
    /// By pool of groups and by setting: the mean ceiling and floor over the queries of all its groups, where they are
    /// known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub pooled: BTreeMap<String, Bounds>,
    /// The subsets, in the order of the columns.
    pub subsets: Vec<BoardSubset>,
    /// The queries by id.
    pub queries: BTreeMap<String, BoardQuery>,
}

/// Queries and documents that are scored together; draws of a setting are one subset.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardSubset {
    /// Its name.
    pub name: String,
    /// The setting of the code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub setting: Option<String>,
    /// The group of functions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// The pool of groups that it is counted in too: `pooled`, with the writer behind it if the queries are not comments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pool: Option<String>,
    /// The number of documents; 0 if it is not known.
    #[serde(default)]
    pub documents: u64,
    /// The mean value of a perfect system, and that of random order, where they are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<(f64, f64)>,
    /// The ids of the queries.
    pub queries: Vec<String>,
}

/// What a reader sees of a query; all but the text may be empty.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoardQuery {
    /// Its text.
    pub text: String,
    /// Its writer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub writer: String,
    /// Its leak.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub leak: String,
    /// The name of its answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The source, file and line of the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub place: String,
    /// The language of the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub language: String,
}

impl SystemResult {
    /// A result without values, of the current format.
    pub fn new(system: &str, dataset: &BoardDataset, command: String) -> Self {
        SystemResult {
            format: RESULT_FORMAT.to_owned(),
            system: system.to_owned(),
            about: None,
            dataset: dataset.digest.clone(),
            measure: dataset.measure.clone(),
            ties: dataset.ties,
            command,
            date: None,
            dollars: None,
            evidence: Evidence::Lists,
            subsets: BTreeMap::new(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file is not a result of this format.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let result: SystemResult = read(path, "a result")?;
        of_format(path, &result.format, RESULT_FORMAT)?;
        Ok(result)
    }

    /// Returns `true` if a text looks like a result, whole or not.
    pub fn looks_like(text: &str) -> bool {
        text.contains("\"barecode-result/")
    }

    /// The text of the file: a query a line.
    pub fn to_text(&self) -> String {
        pretty(self)
    }
}

impl BoardDataset {
    /// A dataset without subsets, of the current format.
    pub fn new(name: String, digest: String, measure: String) -> Self {
        BoardDataset {
            format: DATASET_FORMAT.to_owned(),
            name,
            digest,
            measure,
            ties: Ties::default(),
            pooled: BTreeMap::new(),
            subsets: Vec::new(),
            queries: BTreeMap::new(),
        }
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file is not a dataset of this format.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        let dataset: BoardDataset = read(path, "the dataset of a board")?;
        of_format(path, &dataset.format, DATASET_FORMAT)?;
        Ok(dataset)
    }

    /// The text of the file.
    pub fn to_text(&self) -> String {
        pretty(self)
    }
}

fn read<T: DeserializeOwned>(path: &Path, what: &str) -> Result<T, Failure> {
    let text = guarded::text(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    serde_json::from_str(&text)
        .map_err(|error| Failure::invalid(format!("`{}` is not {what}: {error}", path.display())))
}

fn of_format(path: &Path, found: &str, known: &str) -> Result<(), Failure> {
    if found == known {
        return Ok(());
    }
    let message = format!(
        "`{}` has the format `{found}`, not `{known}`",
        path.display()
    );
    Err(Failure::invalid(message))
}

/// JSON with a line for each value, so that a changed value is a changed line.
fn pretty<T: Serialize>(value: &T) -> String {
    let mut text = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut text, Lines::default());
    value
        .serialize(&mut writer)
        .expect("names and numbers are JSON");
    text.push(b'\n');
    String::from_utf8(text).expect("JSON is UTF-8")
}

/// Objects on lines of their own, lists of numbers and texts on one.
#[derive(Default)]
struct Lines {
    objects: PrettyFormatter<'static>,
}

impl Formatter for Lines {
    fn begin_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object(writer)
    }

    fn end_object<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.objects.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + io::Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_has_a_line_a_value_and_is_read_as_it_was_written() {
        let dataset = BoardDataset::new("d".to_owned(), "0".repeat(64), "nDCG@10".to_owned());
        let mut result = SystemResult::new("bm25", &dataset, "barecode build d.toml".to_owned());
        let values = [("q-1", (1.0, Some(1.0))), ("q-2", (0.0, None))];
        let values = values.map(|(query, value)| (query.to_owned(), value));
        result.subsets.insert("all".to_owned(), values.into());
        let text = result.to_text();
        assert!(text.contains("\n      \"q-1\": [1.0,1.0],\n"), "{text}");
        assert_eq!(serde_json::from_str::<SystemResult>(&text).unwrap(), result);
        assert!(SystemResult::looks_like(&text));
    }
}
