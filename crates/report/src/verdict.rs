//! The result of `try`: a row for each system, the same by language if there are several, and the conclusions that
//! the numbers support.
//!
//! Every sentence is about cells of the table: the queries are those of [`Asker`], letters are in the column whose
//! differences they show, and ceiling and floor are those of the column. A system has a number, and is compared with
//! others, only if it reads every function that is searched; the rows of languages show it on those that it reads.

use std::collections::BTreeMap;

use barecode_audit::{Left, LeftOf};
use barecode_evaluate::{System, letters};
use barecode_records::{Difference, Facets, Language, Query, Score, Setting, SettingDrop};
use barecode_scores::Interval;
use barecode_scores::intervals::FEWEST_QUERIES;
use serde::Serialize;

use crate::asker::{Asker, counted, with_count};
use crate::leader::Leader;
use crate::unread::Unread;
use crate::{distinct, grid, interval, too_few};
use barecode_recipe::Recipe;
use barecode_runs::console::{Screen, counted as counted_nouns, grouped};

/// A mean with its interval; without a value if there are too few queries.
#[derive(Debug, Clone, Serialize)]
struct Cell {
    queries: u32,
    too_few: bool,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
    /// Systems that share a letter in this column do not differ significantly.
    #[serde(skip_serializing_if = "String::is_empty")]
    letters: String,
}

/// The scores of a system.
#[derive(Debug, Serialize)]
pub struct Row {
    system: String,
    /// The language of the functions that are searched, in the rows of languages.
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<String>,
    /// True if it reads none of these languages, and so has no numbers.
    not_for_this_language: bool,
    /// Functions in languages that it does not read; if there are any, the row of all languages has no numbers.
    functions_not_read: u64,
    /// Functions that are searched, in this language or in all.
    functions: u64,
    /// The scores of comments as queries for functions as they were written, with neutral names, and with random
    /// ones.
    standard: Option<Cell>,
    neutralized: Option<Cell>,
    randomized: Option<Cell>,
    /// The share of the standard score that neutral names leave.
    kept: Option<Cell>,
    /// The score of functions with neutral names as queries for themselves as they were written.
    code: Option<Cell>,
}

/// The result of `try`.
pub struct Verdict {
    rows: Vec<Row>,
    /// The same for each language, if there are several.
    by_language: Vec<Row>,
    measure: String,
    /// Best possible and expected random score of each column.
    bounds: [Option<(f64, f64)>; 4],
    sentences: Vec<String>,
    /// The set that asks, in words.
    who: String,
    /// The rest that neutral names left.
    left: LeftOf,
}

/// The columns, by their queries and the setting of the code.
type Columns = [(String, Setting); 4];

/// The numbers of one measure.
struct Numbers<'a> {
    scores: Vec<&'a Score>,
    drops: Vec<&'a SettingDrop>,
    differences: Vec<&'a Difference>,
    /// The systems that read every function.
    compared: Vec<&'a str>,
    unread: &'a Unread,
    confidence: f64,
}

impl Numbers<'_> {
    fn score(
        &self,
        system: &str,
        (group, setting): &(String, Setting),
        slice: &str,
    ) -> Option<&Score> {
        let scores = self.scores.iter().copied();
        let mut own = scores.filter(|score| score.retriever == system && score.slice == slice);
        own.find(|score| score.group.as_ref() == Some(group) && score.setting == Some(*setting))
    }

    fn row(&self, system: &System, columns: &Columns, language: Option<&str>) -> Row {
        let slice = language.map_or("all".to_owned(), |name| format!("language={name}"));
        let (functions_not_read, functions) = match language.map(Language::named) {
            None => (
                self.unread.by(system.name()),
                self.unread.functions.values().sum(),
            ),
            Some(name) => {
                let of_language = self
                    .unread
                    .functions
                    .get(&name)
                    .copied()
                    .unwrap_or_default();
                let read = system.reads(name);
                (if read { 0 } else { of_language }, of_language)
            }
        };
        let reads = functions_not_read == 0;
        let system = system.name();
        let [standard, neutralized, randomized, code] = columns.each_ref().map(|column| {
            let score = self.score(system, column, &slice).filter(|_| reads)?;
            let mut cell = Cell::of(score.queries, score.value, (score.low, score.high));
            if language.is_none() && !cell.too_few {
                cell.letters = self.letters(system, column);
            }
            Some(cell)
        });
        Row {
            system: system.to_owned(),
            language: language.map(str::to_owned),
            not_for_this_language: functions > 0 && functions_not_read == functions,
            functions_not_read,
            functions,
            kept: self
                .kept(system, columns)
                .filter(|_| language.is_none() && reads),
            standard,
            neutralized,
            randomized,
            code,
        }
    }

    fn kept(&self, system: &str, [standard, bare, ..]: &Columns) -> Option<Cell> {
        let mut drops = self.drops.iter().filter(|drop| drop.retriever == system);
        let drop =
            drops.find(|drop| drop.group.as_ref() == Some(&bare.0) && drop.setting == bare.1)?;
        // A share of a score that is no better than random order has no meaning.
        let standard = self.score(system, standard, "all")?;
        if standard.floor.is_some_and(|floor| standard.low <= floor) {
            return None;
        }
        let (low, high) = drop.relative_low.zip(drop.relative_high)?;
        let kept = 1.0 - drop.relative?;
        Some(Cell::of(drop.queries, kept, (1.0 - high, 1.0 - low)))
    }

    /// The scores of a column, and the differences of systems in it.
    fn column(&self, column: &(String, Setting)) -> (Vec<&Score>, Vec<&Difference>) {
        let scores = self.compared.iter();
        let scores = scores.filter_map(|system| self.score(system, column, "all"));
        let differences =
            self.differences.iter().copied().filter(|one| {
                one.group.as_ref() == Some(&column.0) && one.setting == Some(column.1)
            });
        (scores.collect(), differences.collect())
    }

    fn leader(&self, column: &(String, Setting)) -> Option<Leader<'_>> {
        let (scores, differences) = self.column(column);
        Leader::of(&scores, &differences, self.confidence)
    }

    fn letters(&self, system: &str, column: &(String, Setting)) -> String {
        let (scores, differences) = self.column(column);
        if scores.len() < 2 {
            return String::new();
        }
        let names: Vec<&str> = scores
            .iter()
            .map(|score| score.retriever.as_str())
            .collect();
        let means: Vec<f64> = scores.iter().map(|score| score.value).collect();
        let letters = letters(&names, &means, &differences, self.confidence);
        let mut letters = names.into_iter().zip(letters);
        letters
            .find_map(|(name, letters)| (name == system).then_some(letters))
            .unwrap_or_default()
    }

    fn bounds(&self, column: &(String, Setting)) -> Option<(f64, f64)> {
        let (scores, _) = self.column(column);
        let score = scores.into_iter().find(|score| !score.too_few)?;
        score.ceiling.zip(score.floor)
    }
}

impl Cell {
    fn of(queries: u32, value: f64, (low, high): (f64, f64)) -> Self {
        let too_few = (queries as usize) < FEWEST_QUERIES;
        let shown = |value| (!too_few).then_some(value);
        Cell {
            queries,
            too_few,
            value: shown(value),
            low: shown(low),
            high: shown(high),
            letters: String::new(),
        }
    }

    fn interval(&self) -> Option<(f64, f64, f64)> {
        Some((self.value?, self.low?, self.high?))
    }

    fn text(&self) -> String {
        match self.interval() {
            Some((value, low, high)) => {
                let text = interval(&Interval { value, low, high }, 3) + " " + &self.letters;
                text.trim_end().to_owned()
            }
            None => too_few(self.queries.into()),
        }
    }

    fn percent(&self) -> String {
        match self.interval() {
            Some((value, low, high)) => format!("{} %", spread(value, low, high)),
            None => too_few(self.queries.into()),
        }
    }
}

/// `72 [65, 79]`, of shares.
fn spread(value: f64, low: f64, high: f64) -> String {
    let percent = |share: f64| (share * 100.0).round() + 0.0;
    format!("{} [{}, {}]", percent(value), percent(low), percent(high))
}

impl Verdict {
    /// Reads the results; `asked` is the number of queries of each writer, `left` is the rest that neutral names left.
    pub fn of(
        (scores, drops, differences): (&[Score], &[SettingDrop], &[Difference]),
        (asked, unread): (&BTreeMap<String, u64>, &Unread),
        left: LeftOf,
        recipe: &Recipe,
    ) -> Self {
        let measure = recipe.scores.measures.first().map(ToString::to_string);
        let measure = measure.unwrap_or_default();
        let numbers = Numbers {
            scores: scores
                .iter()
                .filter(|score| score.measure == measure)
                .collect(),
            drops: drops
                .iter()
                .filter(|drop| drop.measure == measure)
                .collect(),
            differences: differences
                .iter()
                .filter(|one| one.measure == measure)
                .collect(),
            compared: recipe
                .retrievers
                .iter()
                .map(System::name)
                .filter(|name| unread.is_compared(name))
                .collect(),
            unread,
            confidence: recipe.scores.confidence,
        };
        let asker = Asker::of(scores, asked, recipe);
        let words = asker.group(Facets::ALL);
        let columns = [
            (words.clone(), Setting::Standard),
            (words.clone(), Setting::NEUTRALIZED),
            (words, Setting::RANDOMIZED),
            (Facets::CODE.to_owned(), Setting::NEUTRALIZED),
        ];
        let rows = |language: Option<&str>| -> Vec<Row> {
            let systems = recipe.retrievers.iter();
            systems
                .map(|system| numbers.row(system, &columns, language))
                .collect()
        };
        let languages = numbers.scores.iter();
        let languages = languages.filter_map(|score| score.slice.strip_prefix("language="));
        let languages = distinct(languages);
        let all = rows(None);
        Verdict {
            by_language: languages
                .into_iter()
                .flat_map(|name| rows(Some(name)))
                .collect(),
            bounds: columns.each_ref().map(|column| numbers.bounds(column)),
            sentences: sentences(&all, &numbers, &columns, (&asker, asked), left.all),
            rows: all,
            left,
            measure,
            who: asker.who,
        }
    }

    /// A row for each system.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// A row for each language and system, if there are several languages.
    pub fn by_language(&self) -> &[Row] {
        &self.by_language
    }

    /// The conclusions that the numbers support.
    pub fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// The standard scores alone, for a look before anything is compiled; `None` if there are none.
    pub fn with_names(&self) -> Option<String> {
        let scores = self.rows.iter().filter_map(|row| {
            let cell = row.standard.as_ref().filter(|cell| !cell.too_few)?;
            Some(format!("{} {}", row.system, cell.text()))
        });
        let scores: Vec<String> = scores.collect();
        let first = self.rows.iter().find(|row| row.standard.is_some())?;
        let queries = first.standard.as_ref().map_or(0, |cell| cell.queries);
        (!scores.is_empty()).then(|| {
            format!(
                "with names, before anything is compiled: {} ({}, {})",
                scores.join(", "),
                self.measure,
                with_count(&self.who, u64::from(queries))
            )
        })
    }

    /// The table, with an explanation of its columns.
    pub fn terminal(&self, screen: Screen) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in &self.rows {
            let kept = row.kept.as_ref().map_or("–".to_owned(), Cell::percent);
            let mut cells = row.cells();
            cells.insert(2, kept);
            rows.push([row.system.clone()].into_iter().chain(cells).collect());
        }
        for (name, of) in [("ceiling", true), ("floor", false)] {
            let bound = |bounds: &Option<(f64, f64)>| {
                let value = bounds.map(|(ceiling, floor)| if of { ceiling } else { floor });
                value.map_or("–".to_owned(), |value| format!("{value:.3}"))
            };
            let mut cells = self.bounds.each_ref().map(bound).to_vec();
            cells.insert(2, "–".to_owned());
            rows.push([name.to_owned()].into_iter().chain(cells).collect());
        }
        let heads = [
            "system",
            "standard",
            "neutralized",
            "kept",
            "randomized",
            "as query",
        ];
        let table = grid::table(1, &heads, rows, screen);
        let asking = |cell: fn(&Row) -> &Option<Cell>| {
            let cells = self.rows.iter().filter_map(|row| cell(row).as_ref());
            cells.map(|cell| cell.queries).max()
        };
        let functions = self.rows.first().map_or(0, |row| row.functions);
        let functions = match functions {
            0 => "functions".to_owned(),
            count => counted_nouns(count, "functions"),
        };
        let who = match asking(|row| &row.neutralized) {
            Some(count) => with_count(&self.who, u64::from(count)),
            None => self.who.clone(),
        };
        let letters = if self.rows.len() > 1 {
            "; systems that share a letter in a column do not differ significantly"
        } else {
            ""
        };
        let text = format!(
            "{}, mean over queries [95 % interval]{letters}\n\
             standard, neutralized, randomized: {who} ask for {functions} as written, with neutral names (func_0, var_1), with random names\n\
             kept: neutralized as a share of standard; as query: a function with neutral names asks for itself as written\n{table}\n",
            self.measure
        );
        if self.by_language.is_empty() {
            return text;
        }
        let heads = [
            "language",
            "system",
            "standard",
            "neutralized",
            "randomized",
            "as query",
            "queries",
            "names left",
        ];
        let rows = self.by_language.iter().map(|row| {
            let language = row.language.clone().unwrap_or_default();
            let left = self.left.by_language.get(&language);
            let left = left.and_then(|left| left.share());
            let left = left.map_or("–".to_owned(), |share| format!("{:.1} %", share * 100.0));
            let names = [language, row.system.clone()];
            let queries = row.standard.as_ref().map(|cell| u64::from(cell.queries));
            let queries = queries.map_or("–".to_owned(), grouped);
            names
                .into_iter()
                .chain(row.cells())
                .chain([queries, left])
                .collect()
        });
        let table = grid::table(2, &heads, rows, screen);
        format!(
            "{text}the same by language of the answer, among the functions of all languages; names left: of the project's names, the share that stays; --language NAME takes one alone\n{table}\n"
        )
    }
}

impl Row {
    /// The cells of the columns.
    fn cells(&self) -> Vec<String> {
        let none = if self.not_for_this_language {
            "not for this language".to_owned()
        } else if self.functions_not_read > 0 {
            let [not_read, all] = [self.functions_not_read, self.functions].map(grouped);
            format!("not for {not_read} of {all}")
        } else {
            "–".to_owned()
        };
        let cells = [
            &self.standard,
            &self.neutralized,
            &self.randomized,
            &self.code,
        ];
        let text = |cell: &Option<Cell>| cell.as_ref().map_or(none.clone(), Cell::text);
        cells.map(text).to_vec()
    }
}

/// The conclusions that the numbers support, a sentence each.
fn sentences(
    rows: &[Row],
    numbers: &Numbers<'_>,
    columns: &Columns,
    (asker, asked): (&Asker, &BTreeMap<String, u64>),
    left: Left,
) -> Vec<String> {
    let mut said = Vec::new();
    let [standard, bare, _, code] = columns;
    let few: Vec<String> = asked
        .iter()
        .filter(|(writer, count)| **count < FEWEST_QUERIES as u64 && *writer != Query::DOC_COMMENT)
        .map(counted)
        .collect();
    let known = |cell: &Option<Cell>| cell.as_ref().is_some_and(|cell| !cell.too_few);
    let words_ask = rows.iter().any(|row| known(&row.neutralized));
    if words_ask {
        if !few.is_empty() {
            said.push(format!(
                "{}: too few for a score, so the table is about {}.",
                few.join(", "),
                asker.who
            ));
        }
        let leader = numbers.leader(standard);
        said.extend(leader.map(|leader| leader.sentence("asked in words")));
        if let Some(leader) = numbers.leader(bare) {
            let row = rows.iter().find(|row| row.system == leader.name);
            let kept = row.and_then(|row| row.kept.as_ref()?.interval());
            let kept = kept.filter(|_| leader.random().is_none());
            let kept = kept.map(|(value, low, high)| {
                format!(
                    " {} keeps {} % of its score.",
                    leader.name,
                    spread(value, low, high)
                )
            });
            let when = if left.is_bare() {
                format!("without names ({})", left.sentence())
            } else {
                format!("with neutral names, where {}", left.sentence())
            };
            said.push(leader.sentence(&when) + &kept.unwrap_or_default());
            if !left.is_bare() {
                said.push(
                    "That is too much to speak of no names, or to compare with other languages."
                        .to_owned(),
                );
            }
        }
    } else {
        let sets = asked.iter().map(counted);
        let sets = sets.collect::<Vec<_>>().join(" and ");
        said.push(format!(
            "{}: too few to measure how well functions are found by words; a score needs at least {FEWEST_QUERIES} queries.",
            if sets.is_empty() { "0 comments" } else { &sets }
        ));
    }
    let code = numbers.leader(code);
    said.extend(code.map(|code| {
        code.sentence("given a function without its names")
            + " (Both texts share literals and names of libraries, which helps; understanding words does not.)"
    }));
    let unread = numbers.unread.sentences().into_iter();
    said.extend(unread.map(|sentence| sentence + "."));
    if rows.len() == 1 {
        said.push("Add --model to compare models with BM25.".to_owned());
    }
    said
}
