//! The scores of a run against each other, query by query: what settings cost, and how retrievers differ.

use std::collections::BTreeMap;

use barecode_records::{Difference, QueryScore, Setting, SettingDrop, View};
use barecode_scores::comparison::{Judge, Plan, compare_all, permutation_test};
use barecode_scores::intervals::trials;
use barecode_scores::robustness::drop_from;
use barecode_scores::{Bootstrap, Method};

/// The values of a measure, by draw and query.
type Draws<'a> = BTreeMap<Option<u32>, BTreeMap<&'a str, f64>>;

/// The values of one retriever in one view, setting and measure.
type Cells<'a> = BTreeMap<(View, usize, Setting, usize), Draws<'a>>;

/// The rows of a run, by names.
pub(super) struct Columns<'a> {
    retrievers: &'a [&'a str],
    measures: &'a [&'a str],
    cells: Cells<'a>,
}

impl<'a> Columns<'a> {
    /// Sorts the rows of a run; `retrievers` and `measures` are in the order of the recipe.
    pub(super) fn of(
        rows: &'a [QueryScore],
        retrievers: &'a [&'a str],
        measures: &'a [&'a str],
    ) -> Self {
        let mut cells: Cells<'_> = BTreeMap::new();
        for row in rows {
            let place = |names: &[&str], name: &str| names.iter().position(|one| *one == name);
            let (Some(retriever), Some(measure)) = (
                place(retrievers, &row.retriever),
                place(measures, &row.measure),
            ) else {
                continue;
            };
            let cell = cells
                .entry((row.view, retriever, row.setting, measure))
                .or_default();
            let draw = cell.entry(row.seed).or_default();
            draw.insert(row.query_id.as_str(), row.value);
        }
        Columns {
            retrievers,
            measures,
            cells,
        }
    }

    /// What each setting costs each retriever, against the standard one.
    pub(super) fn drops(
        &self,
        bootstrap: impl Fn(View) -> Bootstrap + Sync,
    ) -> anyhow::Result<Vec<SettingDrop>> {
        let mut found = Vec::new();
        for (&(view, retriever, setting, measure), draws) in &self.cells {
            if setting == Setting::Standard {
                continue;
            }
            let standard = self
                .cells
                .get(&(view, retriever, Setting::Standard, measure));
            let Some(standard) = standard.and_then(|draws| draws.get(&None)) else {
                continue;
            };
            // All settings of a view have the same queries; one that is missing somewhere is left out.
            let queries: Vec<&str> = standard
                .keys()
                .copied()
                .filter(|query| draws.values().all(|draw| draw.contains_key(query)))
                .collect();
            if queries.is_empty() {
                continue;
            }
            let before: Vec<f64> = queries.iter().map(|query| standard[query]).collect();
            let by_draw: Vec<Vec<f64>> = draws
                .values()
                .map(|draw| queries.iter().map(|query| draw[query]).collect())
                .collect();
            let n_draws = by_draw.len() as f64;
            let of_query = |query: usize| by_draw.iter().map(move |draw| draw[query]);
            let after: Vec<f64> = (0..queries.len())
                .map(|query| of_query(query).sum::<f64>() / n_draws)
                .collect();
            let worst: f64 = (0..queries.len())
                .map(|query| of_query(query).fold(f64::INFINITY, f64::min))
                .sum();
            let means: Vec<f64> = by_draw.iter().map(|draw| mean(draw)).collect();
            let bootstrap = bootstrap(view);
            let drop = drop_from(&before, &after, &bootstrap, Method::Percentile)?;
            let lost: Vec<f64> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
            let relative = drop.relative.map(|resampled| resampled.interval);
            found.push(SettingDrop {
                retriever: self.retrievers[retriever].to_owned(),
                view,
                setting,
                draws: u32::try_from(by_draw.len())?,
                measure: self.measures[measure].to_owned(),
                queries: u32::try_from(queries.len())?,
                standard: drop.standard,
                value: drop.setting,
                drop: drop.absolute.value,
                low: drop.absolute.low,
                high: drop.absolute.high,
                relative: relative.map(|interval| interval.value),
                relative_low: relative.map(|interval| interval.low),
                relative_high: relative.map(|interval| interval.high),
                p: permutation_test(&lost, bootstrap.resamples, bootstrap.seed)?.p,
                worst_case: worst / queries.len() as f64,
                worst_draw: means.iter().copied().fold(f64::INFINITY, f64::min),
                draw_error: trials(&means)?.standard_error,
            });
        }
        Ok(found)
    }

    /// How the retrievers differ from each other, in each view, setting and measure.
    pub(super) fn differences(
        &self,
        bootstrap: impl Fn(View) -> Bootstrap + Sync,
    ) -> anyhow::Result<Vec<Difference>> {
        let mut together: BTreeMap<(View, Setting, usize), BTreeMap<usize, &Draws<'_>>> =
            BTreeMap::new();
        for (&(view, retriever, setting, measure), draws) in &self.cells {
            let of = together.entry((view, setting, measure)).or_default();
            of.insert(retriever, draws);
        }
        let mut found = Vec::new();
        for ((view, setting, measure), of_retriever) in together {
            let Some(first) = of_retriever.values().next() else {
                continue;
            };
            let everywhere = |query: &&str| {
                let mut draws = of_retriever.values().flat_map(|draws| draws.values());
                draws.all(|draw| draw.contains_key(query))
            };
            let queries = first.values().next().into_iter().flat_map(BTreeMap::keys);
            let queries: Vec<&str> = queries.copied().filter(|query| everywhere(query)).collect();
            if of_retriever.len() < 2 || queries.is_empty() {
                continue;
            }
            let systems: Vec<Vec<f64>> = of_retriever
                .values()
                .map(|draws| {
                    let average = |query: &&str| {
                        let values = draws.values().map(|draw| draw[query]);
                        values.sum::<f64>() / draws.len() as f64
                    };
                    queries.iter().map(average).collect()
                })
                .collect();
            let names: Vec<&str> = of_retriever
                .keys()
                .map(|&retriever| self.retrievers[retriever])
                .collect();
            let bootstrap = bootstrap(view);
            let plan = Plan {
                bootstrap,
                method: Method::Percentile,
                permutations: bootstrap.resamples,
            };
            for pair in compare_all(&systems, Judge::Holm, &plan)?.pairs {
                found.push(Difference {
                    view,
                    setting,
                    measure: self.measures[measure].to_owned(),
                    queries: u32::try_from(queries.len())?,
                    first: names[pair.first].to_owned(),
                    second: names[pair.second].to_owned(),
                    difference: pair.paired.difference.value,
                    low: pair.paired.difference.low,
                    high: pair.paired.difference.high,
                    p: pair.paired.permutation.p,
                    p_holm: pair.holm,
                });
            }
        }
        Ok(found)
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
