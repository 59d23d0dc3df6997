//! How a score falls with the share of names that is changed: area and slope of each dose curve, with intervals.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{QueryScore, Setting};
use barecode_scores::robustness::{DoseCurve, dose_curve};
use barecode_scores::{Bootstrap, Interval, Method};
use serde::Serialize;

use crate::report::statistics;

/// The curve of one retriever in one group and family of settings.
#[derive(Debug, Serialize)]
pub(super) struct Curve {
    retriever: String,
    group: String,
    /// The setting that changes all names.
    setting: Setting,
    #[serde(flatten)]
    over_doses: DoseCurve,
}

/// By query, the sum over draws and their number.
type Sums<'a> = BTreeMap<&'a str, (f64, u32)>;

/// A retriever, a group and a family of settings.
type Family<'a> = (&'a str, &'a str, Setting);

/// The curves of a measure, if a family of settings has two doses or more. The standard setting is the dose 0.
pub(super) fn curves(
    rows: &[QueryScore],
    measure: &str,
    bootstrap: &Bootstrap,
) -> anyhow::Result<Vec<Curve>> {
    let mut standard: BTreeMap<(&str, &str), Sums<'_>> = BTreeMap::new();
    let mut families: BTreeMap<Family<'_>, BTreeMap<u8, Sums<'_>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure == measure) {
        let group = row.group.as_deref().unwrap_or_default();
        let sums = match row.setting {
            Some(Setting::Standard) => standard.entry((&row.retriever, group)).or_default(),
            Some(Setting::Renamed {
                scheme,
                mut dose,
                profile,
            }) => {
                let percent = dose.percent;
                dose.percent = 100;
                let whole = Setting::Renamed {
                    scheme,
                    dose,
                    profile,
                };
                let of = families.entry((&row.retriever, group, whole)).or_default();
                of.entry(percent).or_default()
            }
            _ => continue,
        };
        let (sum, draws) = sums.entry(row.query_id.as_str()).or_default();
        *sum += row.value;
        *draws += 1;
    }
    let mut found = Vec::new();
    for ((retriever, group, setting), mut doses) in families {
        if doses.len() < 2 {
            continue;
        }
        doses.extend(
            standard
                .get(&(retriever, group))
                .map(|sums| (0, sums.clone())),
        );
        // A query that is missing at one dose is left out of all.
        let mut queries: BTreeSet<&str> =
            doses.values().flat_map(|of| of.keys().copied()).collect();
        queries.retain(|query| doses.values().all(|of| of.contains_key(query)));
        if queries.is_empty() {
            continue;
        }
        let shares: Vec<f64> = doses
            .keys()
            .map(|percent| f64::from(*percent) / 100.0)
            .collect();
        let column = |of: &Sums<'_>| -> Vec<f64> {
            let mean = |query: &&str| {
                let (sum, draws) = of[query];
                sum / f64::from(draws)
            };
            queries.iter().map(mean).collect()
        };
        let columns: Vec<Vec<f64>> = doses.values().map(column).collect();
        found.push(Curve {
            retriever: retriever.to_owned(),
            group: group.to_owned(),
            setting,
            over_doses: dose_curve(&shares, &columns, bootstrap, Method::Percentile)?,
        });
    }
    Ok(found)
}

const HEADS: [&str; 6] = ["group", "retriever", "setting", "doses", "area", "slope"];

/// The curves as a table; nothing if there are none.
pub(super) fn terminal(curves: &[Curve], measure: &str, width: u16, color: bool) -> String {
    if curves.is_empty() {
        return String::new();
    }
    let shown = |interval: &Interval| {
        let Interval { value, low, high } = interval;
        format!("{value:.3} [{low:.3}, {high:.3}]")
    };
    let rows: Vec<(usize, Vec<String>)> = curves
        .iter()
        .map(|one| {
            let points = one.over_doses.points.iter();
            let doses: Vec<String> = points.map(|point| format!("{}", point.dose)).collect();
            let cells = vec![
                one.group.clone(),
                one.retriever.clone(),
                one.setting.to_string(),
                doses.join(" "),
                shown(&one.over_doses.area),
                shown(&one.over_doses.slope),
            ];
            (4, cells)
        })
        .collect();
    format!(
        "\n{measure} by the share of names changed: mean height of the curve, and change from no name to all\n{}",
        statistics::table(&HEADS, &rows, width, color)
    )
}
