//! Scores by the share of names that is changed: area and slope of each dose curve, with intervals.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{QueryScore, Setting};
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::robustness::{DoseCurve, dose_curve};
use barecode_scores::{Bootstrap, Method};
use serde::Serialize;

use crate::console::Screen;
use crate::report::draws::MeanByQuery;
use crate::report::{dose_of, grid, of_queries};

/// The curve of one retriever in one group and family of settings.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    retriever: String,
    group: String,
    /// The setting that changes all names.
    setting: Setting,
    queries: usize,
    too_few: bool,
    #[serde(flatten)]
    over_doses: DoseCurve,
}

/// A retriever, a group and a family of settings.
type Family<'a> = (&'a str, &'a str, Setting);

/// The curves of a measure, if a family of settings has two doses or more. The standard setting is the dose 0.
pub(super) fn curves(
    rows: &[QueryScore],
    measure: &str,
    bootstrap: &Bootstrap,
) -> anyhow::Result<Vec<Curve>> {
    let mut standard: BTreeMap<(&str, &str), MeanByQuery<'_>> = BTreeMap::new();
    let mut families: BTreeMap<Family<'_>, BTreeMap<u8, MeanByQuery<'_>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure == measure) {
        let group = row.group.as_deref().unwrap_or_default();
        let means = match row.setting {
            Some(Setting::Standard) => standard.entry((&row.retriever, group)).or_default(),
            setting => {
                let Some((percent, whole)) = setting.and_then(dose_of) else {
                    continue;
                };
                let of = families.entry((&row.retriever, group, whole)).or_default();
                of.entry(percent).or_default()
            }
        };
        means.add(row);
    }
    let mut found = Vec::new();
    for ((retriever, group, setting), mut doses) in families {
        if doses.len() < 2 {
            continue;
        }
        let standard = standard.get(&(retriever, group));
        doses.extend(standard.map(|means| (0, means.clone())));
        // A query that is missing at one dose is left out of all.
        let mut queries: BTreeSet<&str> = doses.values().flat_map(MeanByQuery::queries).collect();
        queries.retain(|query| doses.values().all(|of| of.get(query).is_some()));
        if queries.is_empty() {
            continue;
        }
        let shares: Vec<f64> = doses
            .keys()
            .map(|percent| f64::from(*percent) / 100.0)
            .collect();
        let column = |of: &MeanByQuery<'_>| -> Vec<f64> {
            queries.iter().filter_map(|query| of.get(query)).collect()
        };
        let columns: Vec<Vec<f64>> = doses.values().map(column).collect();
        found.push(Curve {
            retriever: retriever.to_owned(),
            group: group.to_owned(),
            setting,
            queries: queries.len(),
            too_few: queries.len() < FEWEST_QUERIES,
            over_doses: dose_curve(&shares, &columns, bootstrap, Method::default())?,
        });
    }
    Ok(found)
}

const HEADS: [&str; 6] = ["group", "retriever", "setting", "doses", "area", "slope"];

/// Returns the curves as a table; an empty text without curves.
pub(super) fn terminal(curves: &[Curve], measure: &str, screen: Screen) -> String {
    if curves.is_empty() {
        return String::new();
    }
    let rows = curves.iter().map(|one| {
        let points = one.over_doses.points.iter();
        let doses: Vec<String> = points.map(|point| point.dose.to_string()).collect();
        let shown = |of| of_queries(of, one.queries, 3);
        vec![
            one.group.clone(),
            one.retriever.clone(),
            one.setting.to_string(),
            doses.join(" "),
            shown(&one.over_doses.area),
            shown(&one.over_doses.slope),
        ]
    });
    format!(
        "\n{measure} by the share of names changed: mean height of the curve, and change from no name to all\n{}",
        grid::table(4, &HEADS, rows, screen)
    )
}
