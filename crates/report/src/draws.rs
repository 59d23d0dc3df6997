//! The values of queries, each the mean over its draws.

use std::collections::BTreeMap;

use barecode_records::QueryScore;

/// By query, the sum of its values and their number.
#[derive(Debug, Clone, Default)]
pub struct MeanByQuery<'a>(BTreeMap<&'a str, (f64, u32)>);

/// The values of queries by subset, measure and retriever.
pub fn by_column(rows: &[QueryScore]) -> BTreeMap<(&str, &str, &str), MeanByQuery<'_>> {
    let mut columns: BTreeMap<_, MeanByQuery<'_>> = BTreeMap::new();
    for row in rows {
        let key = (&*row.subset, &*row.measure, &*row.retriever);
        columns.entry(key).or_default().add(row);
    }
    columns
}

impl<'a> MeanByQuery<'a> {
    /// Adds a draw of a query.
    pub fn add(&mut self, row: &'a QueryScore) {
        let (sum, draws) = self.0.entry(row.query_id.as_str()).or_default();
        *sum += row.value;
        *draws += 1;
    }

    /// The mean of a query.
    pub fn get(&self, query: &str) -> Option<f64> {
        let &(sum, draws) = self.0.get(query)?;
        Some(sum / f64::from(draws))
    }

    /// The queries, by id.
    pub fn queries(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }

    /// The means, by id of the query.
    pub fn means(&self) -> Vec<f64> {
        let sums = self.0.values();
        sums.map(|&(sum, draws)| sum / f64::from(draws)).collect()
    }
}
