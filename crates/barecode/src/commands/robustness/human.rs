//! Scores on the queries that human authors wrote against scores on all (CLARC, Table 9).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use barecode_records::QueryScore;
use barecode_scores::robustness::{Subset, subset};
use barecode_scores::{Bootstrap, Interval, Method};
use serde::Serialize;

use crate::console::Screen;
use crate::exit::{Failure, read_text};
use crate::report::draws::MeanByQuery;
use crate::report::{distinct, grid, of_queries, unsigned_zero};

/// One retriever on one subset.
#[derive(Debug, Serialize)]
pub(super) struct OfRetriever {
    retriever: String,
    subset: String,
    #[serde(flatten)]
    compared: Subset,
}

/// Compares the queries that a file names with all queries, for each retriever and subset.
pub(super) fn subsets(
    rows: &[QueryScore],
    measure: &str,
    path: &Path,
    bootstrap: &Bootstrap,
) -> anyhow::Result<Vec<OfRetriever>> {
    let text = read_text(path)?;
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
    let rows = rows.iter().filter(|row| row.measure == measure);
    let mut found = Vec::new();
    for name in distinct(rows.clone().map(|row| row.subset.as_str())) {
        let mut columns: BTreeMap<&str, MeanByQuery<'_>> = BTreeMap::new();
        for row in rows.clone().filter(|row| row.subset == name) {
            columns.entry(&row.retriever).or_default().add(row);
        }
        for (retriever, queries) in columns {
            let whole = queries.means();
            let part = queries.queries().zip(&whole);
            let part: Vec<Option<f64>> = part
                .map(|(query, mean)| chosen.contains(query).then_some(*mean))
                .collect();
            // A view without any of these queries has nothing to show.
            if part.iter().all(Option::is_none) {
                continue;
            }
            found.push(OfRetriever {
                retriever: retriever.to_owned(),
                subset: name.to_owned(),
                compared: subset(&whole, &part, bootstrap, Method::default())?,
            });
        }
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

/// Returns the comparisons as a table; an empty text without comparisons.
pub(super) fn terminal(subsets: &[OfRetriever], measure: &str, screen: Screen) -> String {
    if subsets.is_empty() {
        return String::new();
    }
    let shown = |of: &Interval, queries: usize| {
        let [value, low, high] = [of.value, of.low, of.high].map(unsigned_zero);
        of_queries(&Interval { value, low, high }, queries, 3)
    };
    let rows = subsets.iter().map(|one| {
        let compared = &one.compared;
        vec![
            one.subset.clone(),
            one.retriever.clone(),
            compared.n_whole.to_string(),
            compared.n_subset.to_string(),
            shown(&compared.whole, compared.n_whole),
            shown(&compared.subset.interval, compared.n_subset),
            shown(&compared.difference.interval, compared.n_subset),
        ]
    });
    format!(
        "\n{measure} of these queries against all queries, which include them\n{}",
        grid::table(2, &HEADS, rows, screen)
    )
}
