//! What came out: a row for each system, and what the numbers bear to say.

use barecode_evaluate::{System, letters};
use barecode_records::{Difference, Facets, Query, Score, Setting, SettingDrop};
use barecode_scores::Interval;
use barecode_scores::intervals::FEWEST_QUERIES;
use serde::Serialize;

use crate::console::Screen;
use crate::recipe::Recipe;
use crate::report::leader::Leader;
use crate::report::{grid, interval, too_few};

/// A mean with its interval; no value where there are too few queries.
#[derive(Debug, Clone, Copy, Serialize)]
struct Cell {
    queries: u32,
    too_few: bool,
    value: Option<f64>,
    low: Option<f64>,
    high: Option<f64>,
}

/// What a system did.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    system: String,
    /// Comments ask for functions as they were written, with neutral names, and with random ones.
    standard: Option<Cell>,
    neutralized: Option<Cell>,
    randomized: Option<Cell>,
    /// The share of the standard score that neutral names leave.
    kept: Option<Cell>,
    /// Functions with neutral names ask for themselves as they were written.
    code: Option<Cell>,
    /// Systems that share a letter do not differ significantly, where words ask for functions with neutral names; where
    /// they are too few, where code asks.
    letters: String,
}

/// What came out.
pub(super) struct Verdict {
    rows: Vec<Row>,
    measure: String,
    /// Best possible and expected random score where comments ask, and where code asks.
    bounds: [Option<(f64, f64)>; 2],
    sentences: Vec<String>,
    /// Who asks in words.
    who: String,
}

/// Who asks in words: of several sets of queries one's own, else what a model wrote, else comments; the first that has
/// enough.
struct Words {
    group: String,
    who: String,
}

impl Words {
    fn of(numbers: &Numbers<'_>, recipe: &Recipe) -> Self {
        let own = (Query::PERSON, "your own queries".to_owned());
        let written = recipe.writers.iter().map(|set| {
            let name = set.config.name.as_str();
            (name, format!("queries of {name}"))
        });
        let is_known_group = |group: &str| {
            let mut systems = numbers.systems.iter();
            systems.any(|system| is_known(numbers.cell(system, group, Setting::NEUTRALIZED)))
        };
        let comments = Words {
            group: Facets::ALL.to_owned(),
            who: "comments".to_owned(),
        };
        let sets = std::iter::once(own).chain(written);
        let sets = sets.map(|(writer, who)| Words {
            group: Facets::group_of(Facets::ALL, Some(writer)),
            who,
        });
        let mut known = sets.filter(|set| is_known_group(&set.group));
        known.next().unwrap_or(comments)
    }
}

/// The numbers of one measure.
struct Numbers<'a> {
    scores: Vec<&'a Score>,
    drops: Vec<&'a SettingDrop>,
    differences: Vec<&'a Difference>,
    systems: Vec<&'a str>,
    confidence: f64,
}

impl Numbers<'_> {
    fn score(&self, system: &str, group: &str, setting: Setting) -> Option<&Score> {
        let scores = self.scores.iter().copied();
        let mut own = scores.filter(|score| score.retriever == system);
        own.find(|score| score.group.as_deref() == Some(group) && score.setting == Some(setting))
    }

    fn cell(&self, system: &str, group: &str, setting: Setting) -> Option<Cell> {
        let score = self.score(system, group, setting)?;
        Some(Cell::of(
            score.queries,
            score.value,
            (score.low, score.high),
        ))
    }

    fn kept(&self, system: &str, group: &str) -> Option<Cell> {
        let mut drops = self.drops.iter().filter(|drop| drop.retriever == system);
        let drop = drops.find(|drop| {
            drop.group.as_deref() == Some(group) && drop.setting == Setting::NEUTRALIZED
        })?;
        // A share of what is no better than random order says nothing.
        let standard = self.score(system, group, Setting::Standard)?;
        if standard.floor.is_some_and(|floor| standard.low <= floor) {
            return None;
        }
        let (low, high) = drop.relative_low.zip(drop.relative_high)?;
        let kept = 1.0 - drop.relative?;
        Some(Cell::of(drop.queries, kept, (1.0 - high, 1.0 - low)))
    }

    /// How systems differ on a subset.
    fn differences(&self, group: &str, setting: Setting) -> Vec<&Difference> {
        let differences = self.differences.iter().copied();
        differences
            .filter(|one| one.group.as_deref() == Some(group) && one.setting == Some(setting))
            .collect()
    }

    fn leader(&self, group: &str, setting: Setting) -> Option<Leader<'_>> {
        let scores = self.systems.iter();
        let scores: Vec<&Score> = scores
            .filter_map(|system| self.score(system, group, setting))
            .collect();
        Leader::of(&scores, &self.differences(group, setting), self.confidence)
    }

    fn letters(&self, group: &str, setting: Setting) -> Vec<String> {
        let score = |system: &&str| self.score(system, group, setting).map(|score| score.value);
        let means: Option<Vec<f64>> = self.systems.iter().map(score).collect();
        let differences = self.differences(group, setting);
        match means {
            Some(means) if means.len() > 1 => {
                letters(&self.systems, &means, &differences, self.confidence)
            }
            _ => vec![String::new(); self.systems.len()],
        }
    }

    fn bounds(&self, group: &str, setting: Setting) -> Option<(f64, f64)> {
        let score = self.score(self.systems.first()?, group, setting)?;
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
        }
    }

    fn interval(self) -> Option<(f64, f64, f64)> {
        Some((self.value?, self.low?, self.high?))
    }

    fn text(self) -> String {
        match self.interval() {
            Some((value, low, high)) => interval(&Interval { value, low, high }, 3),
            None => too_few(self.queries.into()),
        }
    }

    fn percent(self) -> String {
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
    /// Reads what came out.
    pub(super) fn of(
        scores: &[Score],
        drops: &[SettingDrop],
        differences: &[Difference],
        recipe: &Recipe,
    ) -> Self {
        let measure = recipe.scores.measures.first().map(ToString::to_string);
        let measure = measure.unwrap_or_default();
        let numbers = Numbers {
            scores: scores
                .iter()
                .filter(|score| score.slice == "all" && score.measure == measure)
                .collect(),
            drops: drops
                .iter()
                .filter(|drop| drop.measure == measure)
                .collect(),
            differences: differences
                .iter()
                .filter(|one| one.measure == measure)
                .collect(),
            systems: recipe.retrievers.iter().map(System::name).collect(),
            confidence: recipe.scores.confidence,
        };
        let words = Words::of(&numbers, recipe);
        let all = words.group.as_str();
        let mut rows: Vec<Row> = numbers
            .systems
            .iter()
            .map(|&system| Row {
                system: system.to_owned(),
                standard: numbers.cell(system, all, Setting::Standard),
                neutralized: numbers.cell(system, all, Setting::NEUTRALIZED),
                randomized: numbers.cell(system, all, Setting::RANDOMIZED),
                kept: numbers.kept(system, all),
                code: numbers.cell(system, Facets::CODE, Setting::NEUTRALIZED),
                letters: String::new(),
            })
            .collect();
        let comments_ask = rows.iter().any(|row| is_known(row.neutralized));
        let group = if comments_ask { all } else { Facets::CODE };
        let found = numbers.letters(group, Setting::NEUTRALIZED);
        for (row, letters) in rows.iter_mut().zip(found) {
            row.letters = letters;
        }
        let sentences = sentences(&rows, &numbers, &words, comments_ask);
        Verdict {
            bounds: [
                numbers.bounds(all, Setting::NEUTRALIZED),
                numbers.bounds(Facets::CODE, Setting::NEUTRALIZED),
            ],
            rows,
            measure,
            sentences,
            who: words.who,
        }
    }

    /// A row for each system.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// What the numbers bear to say.
    pub(super) fn sentences(&self) -> &[String] {
        &self.sentences
    }

    /// The table, with what its columns are.
    pub(super) fn terminal(&self, screen: Screen) -> String {
        let text = |cell: Option<Cell>| cell.map_or("–".to_owned(), Cell::text);
        let mut rows: Vec<Vec<String>> = Vec::new();
        for row in &self.rows {
            let name = format!("{} {}", row.system, row.letters);
            rows.push(vec![
                name.trim_end().to_owned(),
                text(row.standard),
                text(row.neutralized),
                row.kept.map_or("–".to_owned(), Cell::percent),
                text(row.randomized),
                text(row.code),
            ]);
        }
        let [comments, code] = self.bounds;
        let comments = comments.filter(|_| self.rows.iter().any(|row| is_known(row.neutralized)));
        let bound = |of: Option<(f64, f64)>, high: bool| {
            let value = of.map(|(ceiling, floor)| if high { ceiling } else { floor });
            value.map_or("–".to_owned(), |value| format!("{value:.3}"))
        };
        for (name, high) in [("ceiling", true), ("floor", false)] {
            let (comments, code) = (bound(comments, high), bound(code, high));
            let none = "–".to_owned();
            let cells = [comments.clone(), comments.clone(), none, comments, code];
            rows.push([name.to_owned()].into_iter().chain(cells).collect());
        }
        let heads = [
            "system",
            "standard",
            "bare",
            "kept",
            "random names",
            "bare asks",
        ];
        let table = grid::table(1, &heads, rows, screen);
        format!(
            "{}, mean over queries [95 % interval]; systems that share a letter do not differ significantly\n\
             standard, bare, random names: {} ask for functions as written, with neutral names (func_0, var_1), with random names\n\
             kept: bare as a share of standard; bare asks: a function with neutral names asks for itself as written\n{table}\n",
            self.measure, self.who
        )
    }
}

fn is_known(cell: Option<Cell>) -> bool {
    cell.is_some_and(|cell| !cell.too_few)
}

/// What the numbers bear to say, a sentence each.
fn sentences(
    rows: &[Row],
    numbers: &Numbers<'_>,
    words: &Words,
    comments_ask: bool,
) -> Vec<String> {
    let all = words.group.as_str();
    let mut said = Vec::new();
    if comments_ask {
        let leader = numbers.leader(all, Setting::Standard);
        said.extend(leader.map(|leader| leader.sentence("asked in words")));
        if let Some(bare) = numbers.leader(all, Setting::NEUTRALIZED) {
            let row = rows.iter().find(|row| row.system == bare.name);
            let kept = row.and_then(|row| row.kept).and_then(Cell::interval);
            let kept = kept.filter(|_| bare.random().is_none());
            let kept = kept.map(|(value, low, high)| {
                format!(
                    " {} keeps {} % of its score.",
                    bare.name,
                    spread(value, low, high)
                )
            });
            said.push(bare.sentence("without names") + &kept.unwrap_or_default());
        }
    } else {
        let asked = rows.iter().find_map(|row| row.standard);
        said.push(format!(
            "{} comments are too few to say how well functions are found by words: fewer than {FEWEST_QUERIES} queries are no score.",
            asked.map_or(0, |cell| cell.queries)
        ));
    }
    let code = numbers.leader(Facets::CODE, Setting::NEUTRALIZED);
    said.extend(code.map(|code| {
        code.sentence("given a function without its names")
            + " (What both texts share, literals and names of libraries, helps here; no words are understood.)"
    }));
    if rows.len() == 1 {
        said.push("Add --model to compare models with BM25.".to_owned());
    }
    said
}
