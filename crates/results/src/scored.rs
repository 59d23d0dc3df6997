//! The scores of a folder of the stages `retrieve` and `score`, which are not trusted: every list is scored again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use barecode_evaluate::POOLED;
use barecode_records::{Hit, QueryScore, Stage};
use barecode_runs::exit::Failure;
use barecode_runs::run_folder::RunFolder;
use barecode_scores::{Judged, Measure, MeasureError, Ranked, Ties, evaluate_judged};

use crate::stated::{Bounds, Values};

/// Two computations of a value that differ by more than this are not the same.
const SAME: f64 = 1e-9;

/// The grades of judged documents, by query and document.
pub(crate) type Grades = BTreeMap<String, BTreeMap<String, i32>>;

/// The lists of a subset, which each system has in a file of one name.
pub(crate) struct Lists {
    /// The subset as scores name it: without the draw.
    pub(crate) subset: String,
    /// The draw of the setting.
    pub(crate) draw: Option<u32>,
    /// The name of the file, without its ending.
    pub(crate) file: String,
    /// The judgments.
    pub(crate) grades: Grades,
}

/// The scores of a folder for one measure.
pub(crate) struct Scored<'a> {
    folder: &'a RunFolder,
    rows: Vec<QueryScore>,
    measure: Measure,
    ties: Ties,
}

impl<'a> Scored<'a> {
    /// Opens a folder with scores; the measure is the main one of the folder if none is named.
    ///
    /// # Errors
    /// The folder has no scores, or not this measure; `more` is a hint at how it gets the measure.
    pub(crate) fn open(
        folder: &'a RunFolder,
        measure: Option<&str>,
        (ties, more): (Ties, &str),
    ) -> anyhow::Result<Self> {
        let shown = folder.root().display();
        let mut rows = folder.layout().query_scores()?;
        let Some(first) = rows.first() else {
            let message = format!("`{shown}` has no scores of queries");
            return Err(Failure::invalid(message).into());
        };
        let measure = measure.unwrap_or(&first.measure);
        let measure: Measure = measure
            .parse()
            .map_err(|error: MeasureError| Failure::invalid(error.to_string()))?;
        let name = measure.to_string();
        rows.retain(|row| row.measure == name);
        if rows.is_empty() {
            let failure = Failure::invalid(format!("`{shown}` has no values of {name}"));
            return Err(failure.hint(more).into());
        }
        Ok(Scored {
            folder,
            rows,
            measure,
            ties,
        })
    }

    /// The measure.
    pub(crate) fn measure(&self) -> String {
        self.measure.to_string()
    }

    /// The mean ceiling and floor of each pool of groups, by setting.
    ///
    /// # Errors
    /// The table of scores cannot be read.
    pub(crate) fn pooled(&self) -> anyhow::Result<BTreeMap<String, Bounds>> {
        let measure = self.measure();
        let mut pooled: BTreeMap<String, Bounds> = BTreeMap::new();
        for score in self.folder.layout().scores()? {
            let group = score.group.filter(|group| group.starts_with(POOLED));
            if score.slice != "all" || score.measure != measure {
                continue;
            }
            if let (Some(group), Some(setting), Some(ceiling), Some(floor)) =
                (group, score.setting, score.ceiling, score.floor)
            {
                let of_group = pooled.entry(group).or_default();
                of_group.insert(setting.to_string(), (ceiling, floor));
            }
        }
        Ok(pooled)
    }

    /// The mean ceiling and floor of a subset.
    pub(crate) fn bounds(&self, subset: &str) -> Option<(f64, f64)> {
        let first = self.rows.iter().find(|row| row.subset == subset)?;
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.subset == subset && row.retriever == first.retriever);
        let mut sums = (0.0, 0.0, 0.0);
        for row in rows {
            sums = (sums.0 + row.ceiling?, sums.1 + row.floor?, sums.2 + 1.0);
        }
        Some((sums.0 / sums.2, sums.1 / sums.2))
    }

    /// The ids of the queries of a subset with values.
    pub(crate) fn queries(&self, subset: &str) -> Vec<String> {
        let rows = self.rows.iter().filter(|row| row.subset == subset);
        let ids: BTreeSet<&str> = rows.map(|row| row.query_id.as_str()).collect();
        ids.into_iter().map(str::to_owned).collect()
    }

    /// The values and ranks of the answers of a system by subset and query: values are means over draws, ranks those of
    /// the first.
    pub(crate) fn values(&self, system: &str) -> BTreeMap<String, Values> {
        let mut draws: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
        let mut subsets: BTreeMap<String, Values> = BTreeMap::new();
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.retriever == system) {
            let values = subsets.entry(row.subset.clone()).or_default();
            let first = (0.0, row.answer_rank);
            values.entry(row.query_id.to_string()).or_insert(first).0 += row.value;
            let draws = draws.entry(&row.subset).or_default();
            *draws.entry(row.query_id.as_str()).or_default() += 1;
        }
        for (subset, values) in &mut subsets {
            for (query, (value, _)) in values {
                *value /= f64::from(draws[subset.as_str()][query.as_str()]);
            }
        }
        subsets
    }

    /// Scores every list of a system again; returns the first difference from its values. `folder` is that of its lists.
    ///
    /// # Errors
    /// A table of lists cannot be read.
    pub(crate) fn difference(
        &self,
        system: &str,
        folder: &str,
        lists: &[Lists],
    ) -> anyhow::Result<Option<String>> {
        let mut known = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.retriever == system) {
            let query = row.query_id.to_string();
            let key = (row.subset.clone(), row.draw, row.pool_draw, query);
            known.insert(key, row.value);
        }
        for listed in lists {
            for (pool_draw, hits) in self.lists(Path::new(folder), &listed.file)? {
                for (query, value) in self.scored(&hits, &listed.grades) {
                    let query_id = query.to_owned();
                    let key = (listed.subset.clone(), listed.draw, pool_draw, query_id);
                    let stated = known.remove(&key);
                    if stated.is_some_and(|stated| (stated - value).abs() > SAME) {
                        return Ok(Some(format!(
                            "its list for the query `{query}` of `{}` has {} {value:.4}, not {:.4}",
                            listed.subset,
                            self.measure,
                            stated.unwrap_or_default()
                        )));
                    }
                }
            }
        }
        let without = known.into_iter().find(|(_, value)| *value != 0.0);
        Ok(without.map(|((subset, .., query), _)| {
            format!("the query `{query}` of `{subset}` has a value, and no list")
        }))
    }

    /// The lists of a file, or those of each draw of a pool.
    fn lists(&self, folder: &Path, file: &str) -> anyhow::Result<Vec<(Option<u32>, Vec<Hit>)>> {
        let layout = self.folder.layout();
        let whole = folder.join(format!("{file}.parquet"));
        if let Some(hits) = layout.rows_if_any(Stage::Retrieve, &whole)? {
            return Ok(vec![(None, hits)]);
        }
        let mut lists = Vec::new();
        for draw in 1_u32.. {
            let file = folder.join(format!("{file}.draw-{draw}.parquet"));
            let Some(hits) = layout.rows_if_any(Stage::Retrieve, &file)? else {
                break;
            };
            lists.push((Some(draw), hits));
        }
        Ok(lists)
    }

    /// The values of lists by query.
    fn scored<'q>(&self, hits: &'q [Hit], grades: &Grades) -> BTreeMap<&'q str, f64> {
        let mut lists: BTreeMap<&str, Vec<&Hit>> = BTreeMap::new();
        for hit in hits {
            lists.entry(hit.query_id.as_str()).or_default().push(hit);
        }
        let none = BTreeMap::new();
        let value = |query: &str, mut list: Vec<&Hit>| {
            list.sort_unstable_by_key(|hit| hit.doc_id.as_str());
            let own = grades.get(query).unwrap_or(&none);
            let ranked: Vec<Ranked<'_>> = list
                .iter()
                .map(|hit| Ranked {
                    doc: hit.doc_id.as_str(),
                    score: hit.score,
                })
                .collect();
            let listed = list.iter().enumerate();
            let here: Vec<(usize, i32)> = listed
                .filter_map(|(at, hit)| Some((at, *own.get(hit.doc_id.as_str())?)))
                .collect();
            let mut sorted: Vec<i32> = own.values().copied().collect();
            sorted.sort_unstable_by(|a, b| b.cmp(a));
            let judged = Judged {
                here: &here,
                elsewhere: &[],
                grades: &sorted,
            };
            let measures = std::slice::from_ref(&self.measure);
            evaluate_judged(measures, &ranked, &judged, self.ties)[0]
        };
        let lists = lists.into_iter();
        lists
            .map(|(query, list)| (query, value(query, list)))
            .collect()
    }
}
