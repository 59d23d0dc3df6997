//! How far one model's vectors moved in one setting, in numbers and as tables.

use std::collections::BTreeSet;

use barecode_scores::robustness::{
    Coefficient, Correlation, Distance, cluster_correlation, correlation,
};
use barecode_scores::{Bootstrap, Interval, Method, StatisticsError};
use serde::Serialize;

use super::features::Features;
use crate::console::{Screen, grouped};
use crate::report::grid;

/// A document in two settings.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Document {
    /// Its id, the same in both.
    pub(super) id: String,
    /// Where it came from, if known.
    pub(super) repository: Option<String>,
    /// The distance of its vectors; `None` if one has no direction.
    pub(super) shift: Option<f64>,
    /// What the shift may go with.
    #[serde(flatten)]
    pub(super) features: Features,
}

/// One model in one setting.
#[derive(Debug, Serialize)]
pub(super) struct Moved {
    model: String,
    original: String,
    setting: String,
    /// Documents that both subsets have and whose vectors can be compared.
    functions: usize,
    /// What is drawn for the intervals: functions, or whole repositories.
    drawn: &'static str,
    repositories: Option<usize>,
    mean: Interval,
    /// The shifts below which 10, 50 and 90 of 100 documents are.
    quantiles: [f64; 3],
    correlations: Vec<With>,
    documents: Vec<Document>,
}

/// The correlations of the shift with one feature.
#[derive(Debug, Serialize)]
struct With {
    feature: &'static str,
    /// Documents that have the feature.
    functions: usize,
    /// Nothing if all have the same value, or fewer than two have one.
    pearson: Option<Correlation>,
    spearman: Option<Correlation>,
}

impl Moved {
    /// Means and correlations of the shifts of some documents.
    pub(super) fn of(
        model: &str,
        (original, setting): (&str, &str),
        documents: Vec<Document>,
        bootstrap: &Bootstrap,
    ) -> Result<Self, StatisticsError> {
        let compared: Vec<(&Document, f64)> = documents
            .iter()
            .filter_map(|document| Some((document, document.shift?)))
            .collect();
        let shifts: Vec<f64> = compared.iter().map(|(_, shift)| *shift).collect();
        let repositories = repositories(&compared);
        let mean = match &repositories {
            Some(repositories) => {
                let drawn = bootstrap.cluster_mean(&shifts, repositories, Method::Percentile)?;
                drawn.interval
            }
            None => bootstrap.mean(&shifts, Method::Percentile)?,
        };
        let correlations = Features::NAMES
            .into_iter()
            .enumerate()
            .map(|(number, feature)| With::of(feature, number, &compared, bootstrap));
        Ok(Moved {
            model: model.to_owned(),
            original: original.to_owned(),
            setting: setting.to_owned(),
            functions: compared.len(),
            drawn: match repositories {
                Some(_) => "repositories",
                None => "functions",
            },
            repositories: repositories.as_ref().map(|of| distinct(of)),
            mean,
            quantiles: [0.1, 0.5, 0.9].map(|share| quantile(&shifts, share)),
            correlations: correlations.collect::<Result<_, _>>()?,
            documents,
        })
    }
}

impl With {
    fn of(
        feature: &'static str,
        number: usize,
        compared: &[(&Document, f64)],
        bootstrap: &Bootstrap,
    ) -> Result<Self, StatisticsError> {
        let having: Vec<(&Document, f64)> = compared
            .iter()
            .filter(|(document, _)| document.features.values()[number].is_some())
            .copied()
            .collect();
        let values: Vec<f64> = having
            .iter()
            .filter_map(|(document, _)| document.features.values()[number])
            .collect();
        let shifts: Vec<f64> = having.iter().map(|(_, shift)| *shift).collect();
        let repositories = repositories(&having);
        let of = |coefficient| match &repositories {
            Some(clusters) => cluster_correlation(
                &values,
                &shifts,
                clusters,
                coefficient,
                bootstrap,
                Method::Percentile,
            ),
            None => correlation(&values, &shifts, coefficient, bootstrap, Method::Percentile),
        };
        Ok(With {
            feature,
            functions: having.len(),
            pearson: of(Coefficient::Pearson)?,
            spearman: of(Coefficient::Spearman)?,
        })
    }
}

/// The repository of each document, if all name it and there is more than one.
fn repositories<'a>(documents: &[(&'a Document, f64)]) -> Option<Vec<&'a str>> {
    let names = documents
        .iter()
        .map(|(document, _)| document.repository.as_deref());
    let names: Vec<&str> = names.collect::<Option<_>>()?;
    (distinct(&names) > 1).then_some(names)
}

fn distinct(names: &[&str]) -> usize {
    names.iter().collect::<BTreeSet<_>>().len()
}

/// `numpy`'s linear quantile; not-a-number of nothing.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = share * (sorted.len() as f64 - 1.0);
    let below = sorted.iter().enumerate().rev();
    let Some((at, low)) = below.clone().find(|(at, _)| *at as f64 <= place) else {
        return f64::NAN;
    };
    let high = sorted.get(at + 1).unwrap_or(low);
    low + (high - low) * (place - at as f64)
}

/// With five to thirty clusters tests that allow for clusters find too much (Cameron, Gelbach and Miller,
/// *Bootstrap-based improvements for inference with clustered errors*, 2008), and their intervals are too narrow.
const ENOUGH: usize = 30;

/// How far vectors moved, and what that goes with.
pub(super) fn terminal(moved: &[Moved], distance: Distance, screen: Screen) -> String {
    let what = match distance {
        Distance::Cosine => "1 − cosine",
        Distance::Euclid => "L2 distance",
    };
    let models: BTreeSet<&str> = moved.iter().map(|one| one.model.as_str()).collect();
    // One model stands above the tables, several stand in them.
    let (above, first) = match moved.first() {
        Some(one) if models.len() == 1 => (format!("{}\n", one.model), 1),
        _ => (String::new(), 0),
    };
    let drawn: BTreeSet<&str> = moved.iter().map(|one| one.drawn).collect();
    let drawn: Vec<&str> = drawn.into_iter().collect();
    let few = moved.iter().filter_map(|one| one.repositories).min();
    let warned = match few.filter(|repositories| *repositories < ENOUGH) {
        Some(few) => format!("; only {few} repositories, so the intervals are too narrow"),
        None => String::new(),
    };
    let rows = moved.iter().map(|one| {
        let mut cells = vec![
            one.model.clone(),
            one.setting.clone(),
            grouped(one.functions as u64),
            with_interval(&one.mean, 4),
        ];
        cells.extend(one.quantiles.map(|number| format!("{number:.4}")));
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
        .flat_map(|one| one.correlations.iter().map(move |with| (one, with)));
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
