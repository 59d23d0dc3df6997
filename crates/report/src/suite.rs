//! The evaluation of a suite as a table, as JSON and as a page: Tables 2, 3 and 5 of `GenCodeSearchNet`.
//!
//! A view of the tables of scores, with the means by type of generalization beside them.

use std::collections::BTreeMap;

use barecode_evaluate::{
    Aggregate, MATCHING_ACCURACY, Matched, Member as Values, PoolConfig, aggregates,
};
use barecode_records::{QueryScore, Score};
use barecode_scores::Bootstrap;
use maud::html;
use serde::Serialize;
use serde_json::{Value, json};

use super::cut::short_pools;
use super::draws::by_column;
use super::genbench::Card;
use super::{bound, distinct, grid, interval, markup, with_interval};
use barecode_recipe::members::Present;
use barecode_recipe::{Suite, SuiteMember};
use barecode_runs::console::{Screen, grouped};

/// The note for pairs that are not judged by similarity.
pub const MISSING_TRAIN: &str = "note: the training set is not here, so no threshold is fitted and no pair is judged by similarity; --train names another set";

/// The results of a suite.
pub struct SuiteReport<'a> {
    /// The recipe.
    pub suite: &'a Suite,
    /// The seed of all draws.
    pub seed: u64,
    /// The measure of ranking: the first that was requested.
    pub measure: String,
    /// The test sets, including those that are not installed.
    pub members: Vec<Member<'a>>,
    /// The sets that are not installed, the training set too.
    pub missing: Vec<Missing>,
    /// The systems, in the order of tables.
    pub systems: Vec<&'a str>,
    /// Means of subsets.
    pub scores: Vec<Score>,
    /// The answers about pairs.
    pub matched: &'a [Matched],
    /// Means by type of generalization.
    pub aggregates: Vec<OfSystem>,
    /// The set that thresholds are fitted on.
    pub training: Option<String>,
    /// The texts that were not read to their end.
    pub cuts: Vec<String>,
}

/// A test set.
pub struct Member<'a> {
    /// It.
    pub of: &'a SuiteMember,
    /// The content that was read; `None` if it is not installed.
    pub found: Option<&'a Present<'a>>,
}

/// A set that is not installed.
#[derive(Debug, Serialize)]
pub struct Missing {
    title: String,
    files: Vec<String>,
    source: String,
}

impl Missing {
    /// Describes a member that is not installed.
    pub fn of(member: &SuiteMember) -> Self {
        Missing {
            title: member.title.clone(),
            files: member.files.clone(),
            source: member.source.clone(),
        }
    }
}

/// A mean over test sets of one system and task.
#[derive(Debug, Serialize)]
pub struct OfSystem {
    system: String,
    task: &'static str,
    #[serde(flatten)]
    aggregate: Aggregate,
}

/// A column of the tables: the measure, and the subset of a member.
#[derive(Debug, Clone, Copy)]
struct Column {
    task: &'static str,
    suffix: &'static str,
    is_matching: bool,
}

const COLUMNS: [Column; 3] = [
    Column {
        task: "ranking",
        suffix: "",
        is_matching: false,
    },
    Column {
        task: "ranking among all",
        suffix: "-all",
        is_matching: false,
    },
    Column {
        task: "matching",
        suffix: "-pairs",
        is_matching: true,
    },
];

impl SuiteReport<'_> {
    /// Fills in the means by type of generalization.
    pub fn aggregate(&mut self, rows: &[QueryScore], bootstrap: &Bootstrap) -> anyhow::Result<()> {
        let columns = by_column(rows).into_iter();
        let means: BTreeMap<_, Vec<f64>> = columns.map(|(key, of)| (key, of.means())).collect();
        for system in &self.systems {
            for column in COLUMNS {
                let measure = self.measure_of(column);
                let values = |name: &str| {
                    let mut means = means.iter();
                    let found = means.find(|((subset, of, by), _)| {
                        subset.strip_prefix(name) == Some(column.suffix)
                            && *of == measure
                            && by == system
                    });
                    found.map_or(&[][..], |(_, values)| values)
                };
                let members: Vec<Values<'_>> = self
                    .members
                    .iter()
                    .map(|it| Values {
                        title: &it.of.title,
                        average: it.of.average.as_deref(),
                        generalization: &it.of.generalization,
                        values: values(&it.of.name),
                    })
                    .collect();
                if members.iter().all(|it| it.values.is_empty()) {
                    continue;
                }
                let of = aggregates(&members, bootstrap)?.into_iter();
                self.aggregates.extend(of.map(|aggregate| OfSystem {
                    system: (*system).to_owned(),
                    task: column.task,
                    aggregate,
                }));
            }
        }
        Ok(())
    }

    /// The evaluation card; test sets that are not installed are marked.
    pub fn card(&self) -> Card {
        let members = self.members.iter();
        Card::of(
            members.map(|it| (it.of, it.found.is_some())),
            &self.suite.card,
        )
    }

    fn measure_of(&self, column: Column) -> &str {
        if column.is_matching {
            MATCHING_ACCURACY
        } else {
            &self.measure
        }
    }

    fn score(&self, member: &str, column: Column, system: &str) -> Option<&Score> {
        let subset = format!("{member}{}", column.suffix);
        let measure = self.measure_of(column);
        self.scores.iter().find(|score| {
            score.subset == subset
                && score.slice == "all"
                && score.measure == measure
                && score.retriever == system
        })
    }

    /// The columns that have content.
    fn columns(&self) -> Vec<Column> {
        let says = |column: &Column| {
            let measure = self.measure_of(*column);
            let of_column = |score: &&Score| {
                score.measure == measure
                    && self
                        .members
                        .iter()
                        .any(|it| score.subset.strip_prefix(&it.of.name) == Some(column.suffix))
            };
            self.scores.iter().any(|score| of_column(&score))
        };
        COLUMNS.into_iter().filter(says).collect()
    }

    fn head(&self, column: Column) -> String {
        let retrieve = self.suite.retrieve;
        match (column.is_matching, column.suffix) {
            (true, _) => "matching accuracy".to_owned(),
            (false, "") => {
                let draws = match retrieve.pool.draws(retrieve.draws) {
                    1 => String::new(),
                    draws => format!(" ×{draws}"),
                };
                format!("{}, {}{draws}", self.measure, retrieve.pool)
            }
            (false, _) => format!("{}, all documents", self.measure),
        }
    }

    /// Everything, for machines.
    pub fn json(&self) -> Value {
        let cell = |member: &str, column: Column, system: &str| {
            let score = self.score(member, column, system)?;
            let matched = |it: &&Matched| it.system == system && it.subset == score.subset;
            let matched = self
                .matched
                .iter()
                .find(matched)
                .filter(|_| column.is_matching);
            Some(json!({
                "system": system,
                "task": column.task,
                "measure": score.measure,
                "value": score.value,
                "low": score.low,
                "high": score.high,
                "queries": score.queries,
                "documents": score.documents,
                "too_few": score.too_few,
                "draws": score.draws,
                "draw_error": score.draw_error,
                "ceiling": score.ceiling,
                "floor": score.floor,
                "pairs": matched,
            }))
        };
        let members = self.members.iter().map(|it| {
            let member = it.of;
            let scores = COLUMNS.into_iter().flat_map(|column| {
                let cells = self.systems.iter();
                cells
                    .filter_map(|system| cell(&member.name, column, system))
                    .collect::<Vec<Value>>()
            });
            json!({
                "name": member.name,
                "title": member.title,
                "language": member.language,
                "generalization": member.generalization,
                "average": member.average,
                "file": it.found.map(|found| &found.file),
                "notes": it.found.map_or(&[][..], |found| &found.notes),
                "scores": scores.collect::<Vec<Value>>(),
            })
        });
        json!({
            "suite": self.suite.name,
            "data": self.suite.data,
            "profile": self.suite.is_gecs.then_some("gecs"),
            "pool": self.suite.retrieve.pool.to_string(),
            "draws": self.suite.retrieve.pool.draws(self.suite.retrieve.draws),
            "ties": self.suite.ties.name(),
            "seed": self.seed,
            "training": self.training,
            "members": members.collect::<Vec<Value>>(),
            "missing": self.missing,
            "generalization": self.aggregates,
            "card": self.card(),
        })
    }

    /// The notes that a reader of the tables needs.
    fn notes(&self) -> Vec<String> {
        let mut notes = vec!["means over queries [95 % interval]".to_owned()];
        let retrieve = self.suite.retrieve;
        notes.push(match retrieve.pool {
            PoolConfig::Gecs(n) => format!(
                "gecs:{n}: each query's {n} others come from the pool of the query before it, as the released script draws them"
            ),
            PoolConfig::Uniform(n) => format!(
                "uniform:{n}: the answer among {n} others, drawn for each query, never a copy of the answer"
            ),
            pool => format!("candidates of a query: {pool}"),
        });
        let present = self.scores.iter().filter_map(|score| {
            let of_pool = self.members.iter().find(|it| it.of.name == score.subset)?;
            Some((of_pool.of.title.as_str(), score.documents))
        });
        notes.extend(short_pools(retrieve.pool, present));
        notes.push(format!("ties: {}", self.suite.ties.name()));
        if self.columns().iter().any(|column| column.is_matching) {
            notes.push(
                "matching: of each query one pair that matches and one that does not; 0.5 is chance"
                    .to_owned(),
            );
        }
        notes.extend(
            self.training
                .as_ref()
                .map(|on| format!("thresholds are fitted on {on}")),
        );
        notes
    }

    /// The number of pairs for which systems that decide by themselves answered neither yes nor no.
    fn unanswered(&self) -> Vec<String> {
        let silent = self.matched.iter().filter(|it| it.unanswered > 0);
        silent
            .map(|it| {
                format!(
                    "{}: {} of {} answers on {} are neither True nor False and count as wrong",
                    it.system,
                    grouped(it.unanswered as u64),
                    grouped(it.pairs as u64),
                    it.subset
                )
            })
            .collect()
    }

    /// The queries without a pair that does not match.
    fn single(&self) -> Vec<String> {
        let mut said: BTreeMap<&str, usize> = BTreeMap::new();
        for it in self.matched.iter().filter(|it| it.single > 0) {
            said.insert(&it.subset, it.single);
        }
        said.into_iter()
            .map(|(subset, count)| {
                format!(
                    "{subset}: {} texts have no other code to pair them with and are left out",
                    grouped(count as u64)
                )
            })
            .collect()
    }

    /// `robustness`, and the test sets that it lacks: a mean over fewer test sets is another number.
    fn aggregate_name(aggregate: &Aggregate) -> String {
        let of = aggregate.members.len() + aggregate.missing.len();
        match aggregate.missing.len() {
            0 => aggregate.name.clone(),
            _ => format!("{} ({} of {of})", aggregate.name, aggregate.members.len()),
        }
    }

    /// The rows of the table of means: name, system, and a cell for each column.
    fn means(&self, columns: &[Column]) -> Vec<Vec<String>> {
        // A type without an installed test set is named below.
        let here = self.aggregates.iter().map(|it| &it.aggregate);
        let here = here.filter(|it| it.interval.is_some());
        let mut rows = Vec::new();
        for name in distinct(here.map(|it| it.name.as_str())) {
            for system in &self.systems {
                let find = |column: &Column| {
                    self.aggregates.iter().find(|it| {
                        it.system == *system && it.task == column.task && it.aggregate.name == name
                    })
                };
                let found: Vec<Option<&OfSystem>> = columns.iter().map(find).collect();
                let Some(first) = found.iter().flatten().next() else {
                    continue;
                };
                let cell = |it: Option<&OfSystem>| match it.and_then(|it| it.aggregate.interval) {
                    Some(mean) => interval(&mean, 3),
                    None => "–".to_owned(),
                };
                let title = Self::aggregate_name(&first.aggregate);
                let mut row = vec![title, (*system).to_owned()];
                row.extend(found.into_iter().map(cell));
                rows.push(row);
            }
        }
        rows
    }

    /// The rows of the table of test sets.
    fn sets(&self, columns: &[Column]) -> Vec<Vec<String>> {
        let mut rows = Vec::new();
        for it in self.members.iter().filter(|it| it.found.is_some()) {
            let any = |column: &Column| {
                let mut systems = self.systems.iter();
                systems.find_map(|system| self.score(&it.of.name, *column, system))
            };
            let sizes = columns.iter().find_map(any).map(|score| {
                format!(
                    "{} texts, {} codes",
                    grouped(score.queries.into()),
                    grouped(score.documents.into())
                )
            });
            let mut left = [it.of.title.clone(), sizes.unwrap_or_default()].into_iter();
            let mut line = |name: &str, cells: Vec<String>| {
                let mut row = vec![left.next().unwrap_or_default(), name.to_owned()];
                row.extend(cells);
                rows.push(row);
            };
            for system in &self.systems {
                let score = |column: &Column| self.score(&it.of.name, *column, system);
                if columns.iter().any(|column| score(column).is_some()) {
                    let cell = |column| score(column).map_or("–".to_owned(), with_interval);
                    line(system, columns.iter().map(cell).collect());
                }
            }
            let bounds = |of: fn(&Score) -> Option<f64>| {
                let bounds = columns.iter().map(|column| bound(any(column).and_then(of)));
                bounds.collect::<Vec<String>>()
            };
            line("floor", bounds(|score| score.floor));
            line("ceiling", bounds(|score| score.ceiling));
        }
        rows
    }
}

/// The tables: test sets, then means by type of generalization.
pub fn terminal(report: &SuiteReport<'_>, screen: Screen) -> String {
    let columns = report.columns();
    let heads: Vec<String> = columns.iter().map(|column| report.head(*column)).collect();
    let table = |first: &str, rows: Vec<Vec<String>>| {
        let mut all = vec![first, "system"];
        all.extend(heads.iter().map(String::as_str));
        grid::table(2, &all, rows, screen)
    };
    let mut text = report.notes().join("; ");
    text.push('\n');
    text.push_str(&table("test set", report.sets(&columns)));
    text.push_str("\nunweighted means by type of generalization [95 % interval: queries drawn within each test set]\n");
    text.push_str(&table("generalization", report.means(&columns)));
    for sentence in report.unanswered().into_iter().chain(report.single()) {
        text.push('\n');
        text.push_str(&sentence);
    }
    if !report.missing.is_empty() {
        let titles: Vec<&str> = report.missing.iter().map(|it| it.title.as_str()).collect();
        text.push_str("\nnot here: ");
        text.push_str(&titles.join(", "));
    }
    text
}

/// The page.
pub fn page(report: &SuiteReport<'_>) -> String {
    let columns = report.columns();
    let heads: Vec<String> = columns.iter().map(|column| report.head(*column)).collect();
    let table = |label: &str, first: &str, rows: Vec<Vec<String>>| {
        let mut all = vec![first, "system"];
        all.extend(heads.iter().map(String::as_str));
        markup::table(label, 2, &all, rows)
    };
    let sections = html! {
        h1 { (report.suite.name) }
        p.note { (report.notes().join("; ")) "." }
        h2 #sets { "Test sets" }
        (table("Test sets", "Test set", report.sets(&columns)))
        @for sentence in report.unanswered().into_iter().chain(report.single()) { p { (sentence) "." } }
        h2 #generalization { "By type of generalization" }
        p.note {
            "Unweighted means; test sets with a common name enter by their mean. Intervals: queries drawn within each test set. "
            "A mean over some of its test sets is marked, and cannot be compared with one over all."
        }
        (table("By type of generalization", "Generalization", report.means(&columns)))
        @if !report.missing.is_empty() {
            h2 #missing { "Missing test sets" }
            ul {
                @for it in &report.missing {
                    li { (it.title) ": " (it.files.join(", ")) "; get it from " a href=(it.source) { (it.source) } }
                }
            }
        }
        h2 #read { "What was read" }
        ul {
            @for (title, found) in report.members.iter().filter_map(|it| Some((&it.of.title, it.found?))) {
                li {
                    (title) ": "
                    code { (found.file.file_name().unwrap_or(found.file.as_os_str()).to_string_lossy()) }
                    @if !found.notes.is_empty() { ul { @for note in &found.notes { li { (note) } } } }
                }
            }
        }
        h2 #card { "GenBench evaluation card" }
        (report.card().section())
    };
    markup::page(&report.suite.name, &sections)
}
