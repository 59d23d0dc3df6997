//! Several systems on the same queries: their scores with tied groups, and every pair of them, query by query.
//!
//! Enters: values of queries by system ([`Compared`]), with the ranks and lists behind them ([`Browsed`]). Leaves: the
//! tables of the terminal, and a folder of pages ([`Contrast`]):
//!
//! ```text
//! index.html         scores and tied groups; with two systems also their comparison
//! pairs/0-1.html     the first and the second of several systems
//! queries.html, …    every query with both ranks, see `browse`
//! ```
//!
//! All figures of a subset are those of [`compare_all`], which the terminal shows too; parts of a subset by leak are
//! compared in the same way.

mod lists;
mod pages;
pub mod runs;
mod scatter;
mod table;

use barecode_records::Leak;
use barecode_scores::comparison::{
    AllPairs, Judge, PairOfSystems, Paired, Plan, compare, compare_all,
};
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::{Interval, StatisticsError};
use serde::Serialize;
use serde_json::Value;

use barecode_runs::exit::{Exit, Failure};

use crate::browse::Browsed;

pub use lists::Lists;

/// A rank that counts as found.
const FOUND: f64 = 10.0;

/// Systems with a value for each query, in the same order of queries.
#[derive(Debug, Clone, Default)]
pub struct Field {
    /// The subset, if the systems were scored on several.
    pub subset: Option<String>,
    /// Its group and setting, if it has them.
    pub group: Option<String>,
    /// The setting.
    pub setting: Option<String>,
    /// The measure, as `ir_measures` writes it.
    pub measure: String,
    /// The systems.
    pub names: Vec<String>,
    /// The ids of the queries.
    pub queries: Vec<String>,
    /// Their leaks, where leaks were looked for.
    pub leaks: Vec<Option<Leak>>,
    /// The values of each system, in the order of the queries.
    pub values: Vec<Vec<f64>>,
}

impl Field {
    /// Keeps the systems that were named; all if none is.
    ///
    /// # Errors
    /// If one is unknown, or fewer than two are named.
    pub fn chosen(mut self, systems: &[String]) -> Result<Self, Failure> {
        if systems.is_empty() {
            return Ok(self);
        }
        if let Some(unknown) = systems.iter().find(|name| !self.names.contains(name)) {
            let known = self.names.join(", ");
            let message = format!("unknown system `{unknown}`; the systems are {known}");
            return Err(Failure::invalid(message));
        }
        let at = |name: &String| self.names.iter().position(|it| it == name);
        let mut kept: Vec<usize> = systems.iter().filter_map(at).collect();
        kept.sort_unstable();
        kept.dedup();
        if kept.len() < 2 {
            let message = "--system names one system; a comparison needs two";
            return Err(Failure::new(Exit::Usage, message));
        }
        let values = kept.iter().map(|&at| std::mem::take(&mut self.values[at]));
        self.values = values.collect();
        self.names = kept.iter().map(|&at| self.names[at].clone()).collect();
        Ok(self)
    }
}

/// Systems that were compared.
#[derive(Debug, Serialize)]
pub struct Compared {
    #[serde(skip)]
    field: Field,
    #[serde(skip)]
    confidence: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    subset: Option<String>,
    measure: String,
    queries: usize,
    too_few: bool,
    systems: Vec<System>,
    #[serde(flatten)]
    all: AllPairs,
}

#[derive(Debug, Serialize)]
struct System {
    name: String,
    #[serde(flatten)]
    score: Interval,
}

/// The queries of a subset with one leak, under two systems.
struct Slice {
    leak: Leak,
    paired: Paired,
}

impl Compared {
    /// Compares all pairs.
    ///
    /// # Errors
    /// The plan or the values do not allow a comparison.
    pub fn of(field: Field, judge: Judge, plan: &Plan) -> Result<Self, StatisticsError> {
        let all = compare_all(&field.values, judge, plan)?;
        let mut systems = Vec::new();
        for (name, values) in field.names.iter().zip(&field.values) {
            let score = plan.bootstrap.mean(values, plan.method)?;
            let name = name.clone();
            systems.push(System { name, score });
        }
        Ok(Compared {
            subset: field.subset.clone(),
            measure: field.measure.clone(),
            queries: field.queries.len(),
            too_few: field.queries.len() < FEWEST_QUERIES,
            systems,
            all,
            confidence: plan.bootstrap.confidence,
            field,
        })
    }

    /// Returns `true` if no number is shown, for there are too few queries.
    pub fn too_few(&self) -> bool {
        self.too_few
    }

    /// The score of a system, by its position.
    pub fn score(&self, system: usize) -> Interval {
        self.systems[system].score
    }

    /// The letters of its tied groups.
    pub fn letters(&self, system: usize) -> &str {
        &self.all.groups.letters[system]
    }

    /// The p value of the method that separates systems; `None` if it has too few queries.
    fn p(&self, pair: &PairOfSystems) -> Option<f64> {
        match self.all.judge {
            Judge::Holm => Some(pair.holm),
            Judge::Tukey => Some(pair.tukey),
            Judge::Blocked => pair.blocked,
            Judge::Hsd => pair.hsd,
        }
    }

    /// The best and the worst rank that a system can have, given the differences that are significant.
    pub fn ranks(&self, system: usize) -> (usize, usize) {
        let (mut better, mut worse) = (0, 0);
        let level = 1.0 - self.confidence;
        let is_apart = |pair: &&PairOfSystems| self.p(pair).is_some_and(|p| p <= level);
        for pair in self.all.pairs.iter().filter(is_apart) {
            let ahead = if pair.paired.difference.value > 0.0 {
                pair.first
            } else {
                pair.second
            };
            if [pair.first, pair.second].contains(&system) {
                if ahead == system {
                    worse += 1;
                } else {
                    better += 1;
                }
            }
        }
        (better + 1, self.systems.len() - worse)
    }

    /// The comparison as data, with the names of systems in each pair.
    pub fn to_json(&self) -> Value {
        let mut value = serde_json::to_value(self).expect("numbers and names are JSON");
        let name = |at: usize| self.systems[at].name.as_str();
        if let Some(pairs) = value["pairs"].as_array_mut() {
            for (pair, of) in pairs.iter_mut().zip(&self.all.pairs) {
                pair["first_name"] = name(of.first).into();
                pair["second_name"] = name(of.second).into();
            }
        }
        value
    }

    /// The two systems on the queries of each leak, if these are enough; none if all queries have the same leak.
    fn slices(&self, first: usize, second: usize, plan: &Plan) -> Vec<Slice> {
        let leaks = [Leak::None, Leak::Word, Leak::Identifier, Leak::Function];
        let of_leak = |leak: Leak| {
            let chosen = |system: usize| -> Vec<f64> {
                let values = self.field.values[system].iter().zip(&self.field.leaks);
                let chosen = values.filter(|(_, of)| **of == Some(leak));
                chosen.map(|(value, _)| *value).collect()
            };
            let (one, other) = (chosen(first), chosen(second));
            let enough = one.len() >= FEWEST_QUERIES && one.len() < self.queries;
            let paired = enough.then(|| compare(&one, &other, plan));
            let paired = paired?.ok()?;
            Some(Slice { leak, paired })
        };
        leaks.into_iter().filter_map(of_leak).collect()
    }
}

/// The pages of a comparison.
#[derive(Debug)]
pub struct Contrast {
    /// The name of what is compared.
    pub title: String,
    /// The command that makes the pages again, without paths of the machine.
    pub command: String,
    /// Sentences about the systems and the queries for the head of the first page.
    pub notes: Vec<String>,
    /// The options of the comparison.
    pub plan: Plan,
    /// The comparisons; the measure of the first is the main one.
    pub compared: Vec<Compared>,
    /// The queries with the ranks and lists of all systems.
    pub browsed: Browsed,
}

/// The method that separates systems, in words.
fn judge_name(judge: Judge) -> &'static str {
    match judge {
        Judge::Holm => "Holm",
        Judge::Tukey => "randomized Tukey",
        Judge::Blocked => "Tukey's HSD, queries as blocks",
        Judge::Hsd => "Tukey's HSD, independent groups",
    }
}
