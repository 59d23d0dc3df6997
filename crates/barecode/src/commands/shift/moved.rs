//! The shift of one model's vectors in one setting, in numbers and as tables.

use std::collections::BTreeSet;

use barecode_scores::robustness::{Correlation, Distance, Shifted, Shifts};
use barecode_scores::{Bootstrap, Interval, StatisticsError};
use serde::Serialize;

use super::features::Features;
use crate::console::{Screen, grouped};
use crate::report::grid;

/// A document in two settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    /// Its id, the same in both.
    pub(super) id: String,
    /// Its origin, if known.
    pub(super) repository: Option<String>,
    /// The distance of its vectors; `None` if one has no direction.
    pub(super) shift: Option<f64>,
    /// The features that the shift may correlate with.
    #[serde(flatten)]
    pub(super) features: Features,
}

/// One model in one setting.
#[derive(Debug, Serialize)]
pub(super) struct Moved {
    model: String,
    original: String,
    setting: String,
    /// Of the documents that both subsets have and whose vectors can be compared.
    #[serde(flatten)]
    shifts: Shifts,
    documents: Vec<Document>,
}

impl Moved {
    /// Means and correlations of the shifts of some documents.
    pub(super) fn of(
        model: &str,
        (original, setting): (&str, &str),
        documents: Vec<Document>,
        bootstrap: &Bootstrap,
    ) -> Result<Self, StatisticsError> {
        let shifted = documents.iter().filter_map(|document| {
            Some(Shifted {
                shift: document.shift?,
                features: document.features.values(),
                repository: document.repository.as_deref(),
            })
        });
        let shifted: Vec<_> = shifted.collect();
        Ok(Moved {
            model: model.to_owned(),
            original: original.to_owned(),
            setting: setting.to_owned(),
            shifts: Shifts::of(&shifted, Features::NAMES, bootstrap)?,
            documents,
        })
    }
}

/// With five to thirty clusters, tests that allow for clusters find too much, and their intervals are too narrow. See
/// Cameron, Gelbach and Miller, *Bootstrap-based improvements for inference with clustered errors*, 2008.
const ENOUGH: usize = 30;

/// Returns the shifts of vectors and their correlations as tables.
pub(super) fn terminal(moved: &[Moved], distance: Distance, screen: Screen) -> String {
    let what = match distance {
        Distance::Cosine => "1 − cosine",
        Distance::Euclid => "L2 distance",
    };
    let models: BTreeSet<&str> = moved.iter().map(|one| one.model.as_str()).collect();
    // One model is named above the tables, several are named in them.
    let (above, first) = match moved.first() {
        Some(one) if models.len() == 1 => (format!("{}\n", one.model), 1),
        _ => (String::new(), 0),
    };
    let drawn: BTreeSet<&str> = moved.iter().map(|one| one.shifts.drawn).collect();
    let drawn: Vec<&str> = drawn.into_iter().collect();
    let few = moved.iter().filter_map(|one| one.shifts.repositories).min();
    let warned = match few.filter(|repositories| *repositories < ENOUGH) {
        Some(few) => format!("; only {few} repositories, so the intervals are too narrow"),
        None => String::new(),
    };
    let rows = moved.iter().map(|one| {
        let mut cells = vec![
            one.model.clone(),
            one.setting.clone(),
            grouped(one.shifts.functions as u64),
            with_interval(&one.shifts.mean, 4),
        ];
        cells.extend(one.shifts.quantiles.map(|number| format!("{number:.4}")));
        cells.split_off(first)
    });
    let heads = [
        "model",
        "setting",
        "functions",
        "mean shift",
        "10 %",
        "median",
        "90 %",
    ];
    let mut text = format!(
        "{above}shift: {what} between the vector of a function as written and of the same function in a setting; 95 % bootstrap \
         intervals, {} drawn{warned}\n{}",
        drawn.join(" or "),
        grid::table(2 - first, &heads[first..], rows, screen)
    );
    let shown = |of: &Option<Correlation>| match of {
        Some(of) => with_interval(&of.bootstrap.interval, 3),
        None => "–".to_owned(),
    };
    let correlations = moved
        .iter()
        .flat_map(|one| one.shifts.correlations.iter().map(move |with| (one, with)));
    let correlations = correlations.filter(|(_, with)| with.functions > 0);
    let rows = correlations.map(|(one, with)| {
        let mut cells = vec![
            one.model.clone(),
            one.setting.clone(),
            with.feature.to_owned(),
            grouped(with.functions as u64),
            shown(&with.pearson),
            shown(&with.spearman),
        ];
        cells.split_off(first)
    });
    let heads = [
        "model",
        "setting",
        "shift with",
        "functions",
        "Pearson",
        "Spearman",
    ];
    text.push_str("\n\nperturbation fraction: characters of renamed identifiers over all characters of the function\n");
    text.push_str(&grid::table(3 - first, &heads[first..], rows, screen));
    text
}

/// `0.123 [0.100, 0.150]`, without a minus before zeros.
fn with_interval(interval: &Interval, places: usize) -> String {
    let shown = |number: f64| {
        let text = format!("{number:.places$}");
        match text.strip_prefix('-') {
            Some(rest) if rest.bytes().all(|byte| matches!(byte, b'0' | b'.')) => rest.to_owned(),
            _ => text,
        }
    };
    format!(
        "{} [{}, {}]",
        shown(interval.value),
        shown(interval.low),
        shown(interval.high)
    )
}
