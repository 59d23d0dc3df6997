//! Pages of all queries of a run: the rank of each answer, and the documents that a system ranked above it.
//!
//! Enters: queries, documents and lists ([`Browsed`]). Leaves: files of a folder that opens from disk, without a server
//! and without a network.
//!
//! ```text
//! queries.html          the table of all queries, filtered and sorted in the browser; its first rows without scripts
//! queries/rows-000.js   the rows of the table, 2,000 a file
//! queries/00000.html    25 queries with their ranks and answers; reads without scripts
//! queries/00000.js      the lists of these queries
//! documents/000.js      the texts of documents under every setting, loaded when a reader opens a rank
//! browse.css, browse.js
//! ```
//!
//! Texts of others are in every field. They reach a page escaped, or as JSON that a script puts into text nodes, and
//! control characters and marks of direction are shown as symbols ([`visible()`]), so a text cannot change the page
//! around it.

mod read;
mod beside;
mod list;
mod page;
mod room;
mod visible;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use barecode_records::{Leak, Query};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use serde::Serialize;
use serde_json::json;

use crate::markup;

pub use list::LIST;
pub(crate) use list::one_line;
pub use room::make_room;
pub use visible::visible;

/// Queries of one page.
const QUERIES_A_PAGE: usize = 25;
/// Rows of one file of the table.
const ROWS_A_FILE: usize = 2_000;
/// Bytes of text of one file of documents, about.
const DOCUMENT_BYTES: usize = 200_000;
/// The documents of a list that are shown besides the answer.
pub const OTHERS: usize = 5;
/// Characters of one text that are shown.
const LONGEST: usize = 20_000;

/// All that the pages of queries show.
#[derive(Debug, Default)]
pub struct Browsed {
    /// The name of the run.
    pub name: String,
    /// The systems, in the order of the recipe.
    pub systems: Vec<String>,
    /// The settings, the code as written first; of a setting that is drawn, the first draw.
    pub settings: Vec<String>,
    /// The queries, in the order of the pages.
    pub queries: Vec<Asked>,
    /// The documents that an answer or a list names.
    pub documents: Vec<Document>,
    /// The systems to compare: the table then opens with the first two side by side.
    pub compared: bool,
    /// The kind of the first page of the folder.
    pub home: Home,
}

/// The first page of a folder.
#[derive(Debug, Clone, Copy, Default)]
pub enum Home {
    /// The report of a run.
    #[default]
    Report,
    /// A comparison of systems.
    Comparison,
    /// A board of results.
    Board,
}

impl Home {
    /// The text of links to it.
    fn name(self) -> &'static str {
        match self {
            Home::Report => "Report",
            Home::Comparison => "Comparison",
            Home::Board => "Results",
        }
    }
}

/// A query in one group of functions.
#[derive(Debug, Clone, Default)]
pub struct Asked {
    /// Its id, the same in all groups.
    pub id: String,
    /// The group of functions that it is asked in.
    pub group: String,
    /// Its text.
    pub text: String,
    /// The writer.
    pub writer: String,
    /// The strongest leak, and the names that leak.
    pub leak: Option<Leak>,
    /// The names.
    pub leaked: Vec<String>,
    /// The answer with the highest grade, by its index.
    pub answer: u32,
    /// A list for each system and setting, system by system; `None` if the system was not asked.
    pub lists: Vec<Option<List>>,
}

/// The start of a list.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct List {
    /// The expected rank of the answer; `None` if it was not retrieved.
    pub rank: Option<f64>,
    /// The first documents that are not the answer, at most [`OTHERS`].
    pub others: Vec<Other>,
    /// The terms that add most to the score of the answer, and to that of the first other document, if the system
    /// explains its scores.
    pub terms: [Vec<(String, f64)>; 2],
}

/// A document of a list that is not the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Other {
    /// Its index.
    pub document: u32,
    /// Its rank.
    pub rank: u32,
    /// Its score.
    pub score: f64,
    /// True if it answers the query too.
    pub relevant: bool,
}

/// A document.
#[derive(Debug, Clone, Default)]
pub struct Document {
    /// Its id.
    pub id: String,
    /// The name of the function.
    pub name: String,
    /// Its source, file and lines.
    pub place: String,
    /// Its language.
    pub language: String,
    /// Its text under each setting; `None` if it is in none of the subsets.
    pub texts: Vec<Option<String>>,
}

impl List {
    /// 1 / rank of the answer; 0 if it was not retrieved.
    pub fn reciprocal(&self) -> f64 {
        self.rank.map_or(0.0, |rank| 1.0 / rank)
    }
}

impl Asked {
    /// The ranks of its answer, by system and setting: 0 for an answer that was not retrieved, `None` for a system that
    /// was not asked.
    fn ranks(&self) -> Vec<Option<f64>> {
        let lists = self.lists.iter();
        lists
            .map(|list| list.as_ref().map(|list| list.rank.unwrap_or(0.0)))
            .collect()
    }

    /// The largest difference of the reciprocal ranks that two systems give its answer in one setting, in 0..=1.
    fn spread(&self, settings: usize) -> f64 {
        let of_setting = |setting: usize| {
            let lists = self.lists.iter().skip(setting).step_by(settings.max(1));
            let ranks = lists.flatten().map(List::reciprocal);
            let (low, high) = ranks.fold((f64::INFINITY, 0.0_f64), |(low, high), rank| {
                (low.min(rank), high.max(rank))
            });
            (high - low).max(0.0)
        };
        (0..settings).map(of_setting).fold(0.0, f64::max)
    }

    /// The largest fall of the reciprocal rank of its answer from the code as written to another setting, of any
    /// system, in 0..=1.
    fn fall(&self, settings: usize) -> f64 {
        let reciprocal = |list: &Option<List>| list.as_ref().map(List::reciprocal);
        let of_system = |lists: &[Option<List>]| {
            let (first, others) = lists.split_first()?;
            let written = reciprocal(first)?;
            let others = others.iter().filter_map(reciprocal);
            others.map(|other| written - other).reduce(f64::max)
        };
        let falls = self.lists.chunks(settings.max(1)).filter_map(of_system);
        falls.fold(0.0, f64::max)
    }
}

impl Browsed {
    /// Sorts the queries for their pages: `first` of all those of these writers, then by their largest fall, or by the
    /// largest difference of two systems that are compared, then by id.
    pub fn sort(&mut self, first: &[&str]) {
        let (settings, compared) = (self.settings.len(), self.compared);
        let queries = std::mem::take(&mut self.queries).into_iter();
        let mut keyed: Vec<(bool, f64, Asked)> = queries
            .map(|query| {
                let is_later = !first.contains(&query.writer.as_str());
                let key = if compared {
                    query.spread(settings)
                } else {
                    query.fall(settings)
                };
                (is_later, key, query)
            })
            .collect();
        keyed.sort_by(|(a_later, a_fall, a), (b_later, b_fall, b)| {
            let order = a_later.cmp(b_later).then(b_fall.total_cmp(a_fall));
            order.then_with(|| (&a.id, &a.group).cmp(&(&b.id, &b.group)))
        });
        self.queries = keyed.into_iter().map(|(.., query)| query).collect();
    }

    /// Leaves the texts of documents out, and those of queries that are code.
    pub fn forget_code(&mut self) {
        for query in &mut self.queries {
            if query.writer == Query::CODE {
                "The function itself, under the setting.".clone_into(&mut query.text);
            }
        }
        for document in &mut self.documents {
            document.texts.clear();
        }
    }

    /// The number of pages of queries.
    pub fn pages(&self) -> usize {
        self.queries.len().div_ceil(QUERIES_A_PAGE)
    }

    /// The first queries as a part of another page, with the number of those that it lacks.
    pub fn part(&self, most: usize) -> Markup {
        let shown = self.queries.len().min(most);
        html! {
            h2 #all-queries { "All queries" }
            p.note {
                "A rank is that of the answer, of drawn settings in the first draw; – is an answer that was not retrieved. Below a rank are the first documents above the answer. "
                @if shown < self.queries.len() { "This file has the first " (shown) " of " (self.queries.len()) " queries." }
            }
            style { (PreEscaped(include_str!("browse.css"))) }
            @for (at, query) in self.queries.iter().take(shown).enumerate() { (page::article(self, (at, at), query)) }
        }
    }

    /// The files of one page, the page last.
    pub fn page(&self, number: usize) -> Vec<(PathBuf, String)> {
        let from = number * QUERIES_A_PAGE;
        let queries = self.queries.iter().skip(from).take(QUERIES_A_PAGE);
        let lists: Vec<_> = queries
            .clone()
            .map(|query| {
                let lists = query.lists.iter().map(|list| {
                    let list = list.as_ref()?;
                    let others = list.others.iter();
                    let others = others.map(|one| {
                        let score = short(one.score);
                        if one.relevant {
                            json!([one.document, one.rank, score, 1])
                        } else {
                            json!([one.document, one.rank, score])
                        }
                    });
                    let mut row = vec![
                        json!(list.rank.map(short)),
                        json!(others.collect::<Vec<_>>()),
                    ];
                    if list.terms.iter().any(|terms| !terms.is_empty()) {
                        row.extend(list.terms.iter().map(|terms| shown_terms(terms)));
                    }
                    Some(json!(row))
                });
                json!([query.answer, lists.collect::<Vec<_>>()])
            })
            .collect();
        let file = page_file(number);
        vec![
            (file.with_extension("js"), call("lists", number, &lists)),
            (file, page::render(self, number)),
        ]
    }

    /// The files that all pages share, the table of queries last.
    pub fn shared(&self) -> Vec<(PathBuf, String)> {
        let mut files = vec![
            (PathBuf::from("browse.css"), css()),
            (
                PathBuf::from("browse.js"),
                include_str!("browse.js").to_owned(),
            ),
        ];
        for (number, queries) in self.queries.chunks(ROWS_A_FILE).enumerate() {
            let rows: Vec<_> = queries.iter().map(|query| list::row(self, query)).collect();
            let file = Path::new("queries").join(format!("rows-{number:03}.js"));
            files.push((file, call("rows", number, &rows)));
        }
        let shards = self.shards();
        let first: Vec<usize> = shards.iter().map(|range| range.start).collect();
        for (number, range) in shards.into_iter().enumerate() {
            let documents = self.documents[range].iter().map(|document| {
                let texts = document.texts.iter();
                let texts: Vec<_> = texts
                    .map(|text| text.as_deref().map(|text| visible(text, LONGEST)))
                    .collect();
                json!([
                    visible(&document.name, 200),
                    visible(&document.place, 400),
                    document.id,
                    texts
                ])
            });
            let documents: Vec<_> = documents.collect();
            let file = Path::new("documents").join(format!("{number:03}.js"));
            files.push((file, call("documents", number, &documents)));
        }
        let has_code = self.documents.iter().any(|one| !one.texts.is_empty());
        let about = json!({
            "systems": self.systems,
            "settings": self.settings,
            "queries": self.queries.len(),
            "rowsAFile": ROWS_A_FILE,
            "queriesAPage": QUERIES_A_PAGE,
            "code": has_code,
            "compared": self.compared,
            "documents": first,
        });
        files.push((
            PathBuf::from("queries/about.js"),
            format!("barecode.about({about});\n"),
        ));
        files.push((LIST.into(), list::render(self)));
        files
    }

    /// The ranges of documents that are in one file.
    fn shards(&self) -> Vec<std::ops::Range<usize>> {
        let (mut shards, mut start, mut bytes) = (Vec::new(), 0, 0);
        for (at, document) in self.documents.iter().enumerate() {
            let texts = document.texts.iter().flatten();
            let text: usize = texts.map(|text| text.len().min(LONGEST)).sum();
            let size = text + document.name.len() + document.place.len() + document.id.len();
            if at > start && bytes + size > DOCUMENT_BYTES {
                shards.push(start..at);
                (start, bytes) = (at, 0);
            }
            bytes += size;
        }
        shards.push(start..self.documents.len());
        shards
    }

    /// The path of a query's article, from the folder of the report: `queries/00000.html#q-…`.
    pub(crate) fn link(&self, at: usize) -> String {
        let file = page_file(at / QUERIES_A_PAGE);
        format!("{}#{}", file.display(), anchor(&self.queries[at]))
    }
}

/// `queries/00012.html`
fn page_file(number: usize) -> PathBuf {
    Path::new("queries").join(format!("{number:05}.html"))
}

/// The anchor of a query: a query that is asked in several groups has an article for each. Ids of others may have any
/// character.
fn anchor(query: &Asked) -> String {
    let mut anchor = String::new();
    for byte in query.id.bytes() {
        if byte.is_ascii_alphanumeric() || b"-.".contains(&byte) {
            anchor.push(char::from(byte));
        } else {
            let _ = write!(anchor, "_{byte:02x}");
        }
    }
    if query.group.is_empty() {
        return anchor;
    }
    format!("{anchor}-{}", query.group)
}

/// A number with four significant digits at most.
fn short(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or_default()
}

/// Terms and their scores in one list.
fn shown_terms(terms: &[(String, f64)]) -> serde_json::Value {
    let terms = terms.iter();
    let pairs = terms.flat_map(|(term, score)| [json!(visible(term, 40)), json!(short(*score))]);
    pairs.collect()
}

/// A file of data: a call with rows, so that it loads from disk too.
fn call(what: &str, number: usize, rows: &[serde_json::Value]) -> String {
    let rows: Vec<String> = rows.iter().map(serde_json::Value::to_string).collect();
    format!("barecode.{what}({number}, [\n{}\n]);\n", rows.join(",\n"))
}

fn css() -> String {
    [
        barecode_web::BASE_CSS,
        include_str!("../page.css"),
        include_str!("browse.css"),
    ]
    .concat()
}

/// A page of the folder; `up` leads from it to the folder of the report.
fn document(title: &str, up: &str, data: &[String], sections: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (markup::head(title))
                link rel="stylesheet" href={ (up) "browse.css" };
                link rel="icon" href="data:,";
            }
            body data-up=(up) {
                main { (sections) }
                script src={ (up) "browse.js" } {}
                @for file in data { script src=(file) {} }
            }
        }
    };
    let mut text = page.into_string();
    text.push('\n');
    text
}

/// A rank as a text: `–` for an answer that was not retrieved.
fn rank_text(rank: Option<f64>) -> String {
    rank.map_or("–".to_owned(), |rank| {
        ((rank * 10.0).round() / 10.0).to_string()
    })
}
