//! Scores on the queries that people wrote against scores on all (CLARC, Table 9).

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use barecode_records::QueryScore;
use barecode_scores::robustness::{Subset, subset};
use barecode_scores::{Bootstrap, Interval, Method};
use serde::Serialize;

use crate::exit::Failure;
use crate::report::statistics;

/// One retriever on one subset.
#[derive(Debug, Serialize)]
pub(super) struct OfRetriever {
    retriever: String,
    subset: String,
    #[serde(flatten)]
    compared: Subset,
}

/// By query, the sum over draws and their number.
type Sums<'a> = BTreeMap<&'a str, (f64, u32)>;

/// Compares the queries that a file names with all queries, for each retriever and subset.
pub(super) fn subsets(
    rows: &[QueryScore],
    measure: &str,
    path: &Path,
    bootstrap: &Bootstrap,
) -> anyhow::Result<Vec<OfRetriever>> {
    let text = fs::read_to_string(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    let known: BTreeSet<&str> = rows.iter().map(|row| row.query_id.as_str()).collect();
    let mut chosen: BTreeSet<&str> = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let id = line.trim();
        if id.is_empty() || id.starts_with('#') {
            continue;
        }
        if !known.contains(id) {
            let message = format!("{}:{number}: the run has no query `{id}`", path.display());
            return Err(Failure::invalid(message)
                .hint("each line is the id of a query, `q-…`, as in `queries.parquet`")
                .into());
        }
        chosen.insert(id);
    }
    let mut order: Vec<&str> = Vec::new();
    let mut cells: BTreeMap<(usize, &str), Sums<'_>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.measure == measure) {
        let known = order.iter().position(|name| *name == row.subset);
        let subset = known.unwrap_or_else(|| {
            order.push(&row.subset);
            order.len() - 1
        });
        let cell = cells.entry((subset, &row.retriever)).or_default();
        let (sum, draws) = cell.entry(row.query_id.as_str()).or_default();
        *sum += row.value;
        *draws += 1;
    }
    let mut found = Vec::new();
    for ((subset_index, retriever), queries) in cells {
        let mean = |&(sum, draws): &(f64, u32)| sum / f64::from(draws);
        let whole: Vec<f64> = queries.values().map(mean).collect();
        let part: Vec<Option<f64>> = queries
            .iter()
            .map(|(query, sums)| chosen.contains(query).then(|| mean(sums)))
            .collect();
        // A view without a single one of these queries has nothing to tell.
        if part.iter().all(Option::is_none) {
            continue;
        }
        found.push(OfRetriever {
            retriever: retriever.to_owned(),
            subset: order[subset_index].to_owned(),
            compared: subset(&whole, &part, bootstrap, Method::Percentile)?,
        });
    }
    Ok(found)
}

const HEADS: [&str; 7] = [
    "subset",
    "retriever",
    "queries",
    "of them",
    "all",
    "these",
    "difference",
];

/// The comparisons as a table; nothing if there are none.
pub(super) fn terminal(subsets: &[OfRetriever], measure: &str, width: u16, color: bool) -> String {
    if subsets.is_empty() {
        return String::new();
    }
    let shown = |interval: &Interval| {
        let [value, low, high] = [interval.value, interval.low, interval.high]
            .map(|value| (value * 1000.0).round() / 1000.0 + 0.0);
        format!("{value:.3} [{low:.3}, {high:.3}]")
    };
    let rows: Vec<(usize, Vec<String>)> = subsets
        .iter()
        .map(|one| {
            let compared = &one.compared;
            let cells = vec![
                one.subset.clone(),
                one.retriever.clone(),
                compared.n_whole.to_string(),
                compared.n_subset.to_string(),
                shown(&compared.whole),
                shown(&compared.subset.interval),
                shown(&compared.difference.interval),
            ];
            (2, cells)
        })
        .collect();
    format!(
        "\n{measure} of these queries against all queries, which include them\n{}",
        statistics::table(&HEADS, &rows, width, color)
    )
}
