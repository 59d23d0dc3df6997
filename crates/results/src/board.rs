//! The results of a board: those that belong to its dataset, and those that were refused.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::stated::{BoardDataset, BoardSubset, Evidence, SystemResult};

/// A result that is not on the board.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The system, or the name of the file.
    pub system: String,
    /// The file or folder.
    pub file: String,
    /// The reason.
    pub reason: String,
}

/// A dataset with its results, by the names of their systems.
#[derive(Debug)]
pub struct Board {
    /// What was asked.
    pub dataset: BoardDataset,
    /// The results.
    pub results: Vec<SystemResult>,
    /// The refused ones, in the order of their arrival.
    pub refused: Vec<Refused>,
}

impl Board {
    /// A board without results.
    pub fn new(dataset: BoardDataset) -> Self {
        Board {
            dataset,
            results: Vec::new(),
            refused: Vec::new(),
        }
    }

    /// Adds a result, or refuses it with a reason; `file` is its origin. With `replace`, it takes the position of a
    /// result with the same name.
    pub fn add(&mut self, result: SystemResult, file: &str, replace: bool) {
        let same = |one: &SystemResult| one.system.eq_ignore_ascii_case(&result.system);
        let known = self.results.iter().position(same);
        let reason = refusal(&result, &self.dataset).or_else(|| {
            let known = &self.results[known?];
            if known.system != result.system {
                return Some(format!(
                    "the board has `{}`, a name that differs in its letters' case only",
                    known.system
                ));
            }
            let differs = known.subsets != result.subsets && !replace;
            differs.then(|| {
                "the board has another result of this name; --replace takes the new one".to_owned()
            })
        });
        match (reason, known) {
            (Some(reason), _) => self.refused.push(Refused {
                system: result.system,
                file: file.to_owned(),
                reason,
            }),
            (None, Some(at)) => {
                // The same values with less evidence add nothing.
                let is_proof = result.evidence == Evidence::Lists;
                let has_proof = self.results[at].evidence == Evidence::Lists;
                if replace || (is_proof && !has_proof) {
                    self.results[at] = result;
                }
            }
            (None, None) => {
                self.results.push(result);
                self.results.sort_by(|a, b| a.system.cmp(&b.system));
            }
        }
    }

    /// The groups of functions that have a table of their own: pools of several groups first.
    pub fn views(&self) -> Vec<View<'_>> {
        let mut views: Vec<View<'_>> = Vec::new();
        let subsets = &self.dataset.subsets;
        let mut add = |group, subset, is_pool| match views.iter_mut().find(|it| it.group == group) {
            Some(view) => view.subsets.push(subset),
            None => views.push(View {
                group,
                is_pool,
                subsets: vec![subset],
            }),
        };
        for subset in subsets {
            if let Some(pool) = subset.pool.as_deref() {
                add(pool, subset, true);
            }
        }
        for subset in subsets {
            add(subset.group.as_deref().unwrap_or_default(), subset, false);
        }
        // A pool of one group is that group.
        views.retain(|view| {
            let groups: BTreeSet<_> = view.subsets.iter().map(|one| &one.group).collect();
            !view.is_pool || groups.len() > 1
        });
        views
    }
}

/// Subsets that are columns of one table.
#[derive(Debug)]
pub struct View<'a> {
    /// The group, or the pool of groups.
    pub group: &'a str,
    /// True if it is a pool: each query is ranked within its group.
    pub is_pool: bool,
    /// The subsets.
    pub subsets: Vec<&'a BoardSubset>,
}

impl View<'_> {
    /// The settings, in the order of the subsets.
    pub fn settings(&self) -> Vec<&str> {
        let mut settings: Vec<&str> = Vec::new();
        for subset in &self.subsets {
            let setting = subset.setting.as_deref().unwrap_or_default();
            if !settings.contains(&setting) {
                settings.push(setting);
            }
        }
        settings
    }

    /// The value of each query of a setting, by id; a query of several groups counts once, with its mean over them.
    /// `None` if the result lacks a subset.
    pub fn values(&self, result: &SystemResult, setting: &str) -> Option<BTreeMap<String, f64>> {
        let mut sums: BTreeMap<String, (f64, u32)> = BTreeMap::new();
        let subsets = self.subsets.iter();
        for subset in subsets.filter(|one| one.setting.as_deref().unwrap_or_default() == setting) {
            for (query, (value, _)) in result.subsets.get(&subset.name)? {
                let (sum, count) = sums.entry(query.clone()).or_default();
                *sum += value;
                *count += 1;
            }
        }
        let means = sums.into_iter();
        Some(
            means
                .map(|(query, (sum, count))| (query, sum / f64::from(count)))
                .collect(),
        )
    }
}

/// The reason why a result does not belong on a board of this dataset; `None` if it does.
fn refusal(result: &SystemResult, dataset: &BoardDataset) -> Option<String> {
    let short = |digest: &str| digest.chars().take(12).collect::<String>();
    if let Some(reason) = unusable(result) {
        return Some(reason);
    }
    if result.dataset != dataset.digest {
        return Some(format!(
            "it is of another dataset: its digest is {}, that of `{}` is {}",
            short(&result.dataset),
            dataset.name,
            short(&dataset.digest)
        ));
    }
    if result.measure != dataset.measure {
        return Some(format!(
            "it has {}, the board has {}",
            result.measure, dataset.measure
        ));
    }
    if result.ties != dataset.ties {
        return Some(format!(
            "it treats equal scores as {}, the board as {}",
            result.ties, dataset.ties
        ));
    }
    if result.subsets.is_empty() {
        return Some("it has no values".to_owned());
    }
    for (name, values) in &result.subsets {
        let Some(subset) = dataset.subsets.iter().find(|one| one.name == *name) else {
            return Some(format!("the dataset has no subset `{name}`"));
        };
        let wanted: BTreeSet<&str> = subset.queries.iter().map(String::as_str).collect();
        let missing: Vec<&&str> = wanted
            .iter()
            .filter(|query| !values.contains_key(**query))
            .collect();
        if let Some(first) = missing.first() {
            return Some(format!(
                "it lacks {} of {} queries of `{name}`, such as `{first}`",
                missing.len(),
                wanted.len()
            ));
        }
        if let Some(other) = values.keys().find(|query| !wanted.contains(query.as_str())) {
            return Some(format!("`{name}` has no query `{other}`"));
        }
        for (query, (value, rank)) in values {
            if !(0.0..=1.0).contains(value) {
                return Some(format!(
                    "an impossible score: {value} for the query `{query}` of `{name}`; scores are from 0 to 1"
                ));
            }
            let last = match subset.documents {
                0 => LAST_RANK,
                documents => documents as f64,
            };
            if rank.is_some_and(|rank| !(1.0..=last).contains(&rank)) {
                return Some(format!(
                    "an impossible rank: {} for the query `{query}` of `{name}`; ranks are from 1 to {last}",
                    rank.unwrap_or_default()
                ));
            }
        }
    }
    None
}

/// The last rank of a list over an unknown number of documents.
const LAST_RANK: f64 = 1e9;
/// The most characters of a name.
const LONGEST_NAME: usize = 100;

/// The reason why a result cannot be shown, whatever its values are.
fn unusable(result: &SystemResult) -> Option<String> {
    let name = &result.system;
    // Marks of direction could turn the text around them.
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if name.trim() != name || name.is_empty() || name.chars().any(is_hidden) {
        return Some(
            "the name of its system is empty, or has blanks at an end or hidden characters"
                .to_owned(),
        );
    }
    if name.chars().count() > LONGEST_NAME {
        return Some(format!(
            "the name of its system has more than {LONGEST_NAME} characters"
        ));
    }
    if result
        .dollars
        .is_some_and(|dollars| !(dollars.is_finite() && dollars >= 0.0))
    {
        return Some("its price is not a number from 0 up".to_owned());
    }
    let is_day = |date: &String| chrono::NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok();
    if result.date.as_ref().is_some_and(|date| !is_day(date)) {
        return Some("its date is not a day such as 2026-11-27".to_owned());
    }
    None
}
