//! The scores of a folder of the stages `retrieve` and `score`, which are not trusted: every list is scored again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use arrow_array::RecordBatch;
use barecode_evaluate::POOLED;
use barecode_records::{Hit, HitColumns, QueryScore, Stage, table};
use barecode_runs::exit::Failure;
use barecode_runs::run_folder::RunFolder;
use barecode_scores::{Judged, Measure, MeasureError, Ranked, Ties, evaluate_judged};
use rayon::prelude::*;

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
        let parse = |measure: &str| {
            let measure: Result<Measure, MeasureError> = measure.parse();
            measure.map_err(|error| Failure::invalid(error.to_string()))
        };
        let wanted = measure.map(parse).transpose()?;
        let name = wanted.as_ref().map(Measure::to_string);
        let rows = folder.layout().query_scores_of(name.as_deref())?;
        let Some(first) = rows.first() else {
            let Some(name) = name else {
                let message = format!("`{shown}` has no scores of queries");
                return Err(Failure::invalid(message).into());
            };
            let failure = Failure::invalid(format!("`{shown}` has no values of {name}"));
            return Err(failure.hint(more).into());
        };
        let measure = wanted.map_or_else(|| parse(&first.measure), Ok)?;
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
        // Values by query, for each table of lists.
        let mut stated: BTreeMap<_, BTreeMap<&str, f64>> = BTreeMap::new();
        for row in self.rows.iter().filter(|row| row.retriever == system) {
            let table = stated.entry((row.subset.as_str(), row.draw, row.pool_draw));
            table.or_default().insert(row.query_id.as_str(), row.value);
        }
        for listed in lists {
            for (pool_draw, tables) in self.lists(Path::new(folder), &listed.file)? {
                let key = (listed.subset.as_str(), listed.draw, pool_draw);
                let mut none = BTreeMap::new();
                let stated = stated.get_mut(&key).unwrap_or(&mut none);
                for (query, value) in self.scored(&tables, &listed.grades)? {
                    let stated = stated.remove(query);
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
        let without = stated.into_iter().find_map(|((subset, ..), values)| {
            let (query, _) = values.into_iter().find(|(_, value)| *value != 0.0)?;
            Some(format!(
                "the query `{query}` of `{subset}` has a value, and no list"
            ))
        });
        Ok(without)
    }

    /// The rows of a file of lists, or of each draw of a pool.
    fn lists(
        &self,
        folder: &Path,
        file: &str,
    ) -> anyhow::Result<Vec<(Option<u32>, Vec<RecordBatch>)>> {
        let read = |file: String| -> anyhow::Result<Option<Vec<RecordBatch>>> {
            let path = self.folder.stage(Stage::Retrieve).join(folder).join(file);
            if !path.is_file() {
                return Ok(None);
            }
            let mut tables = Vec::new();
            table::read_batches::<Hit>(&path, |rows| {
                HitColumns::rows(rows).map(|_| tables.push(rows.clone()))
            })?;
            Ok(Some(tables))
        };
        if let Some(tables) = read(format!("{file}.parquet"))? {
            return Ok(vec![(None, tables)]);
        }
        let mut lists = Vec::new();
        for draw in 1_u32.. {
            let Some(tables) = read(format!("{file}.draw-{draw}.parquet"))? else {
                break;
            };
            lists.push((Some(draw), tables));
        }
        Ok(lists)
    }

    /// The values of lists by query.
    fn scored<'t>(
        &self,
        tables: &'t [RecordBatch],
        grades: &Grades,
    ) -> anyhow::Result<Vec<(&'t str, f64)>> {
        let mut lists: BTreeMap<&str, Vec<Ranked<'_>>> = BTreeMap::new();
        for rows in tables {
            let rows = HitColumns::rows(rows).map_err(Failure::internal)?;
            let mut rows = rows.peekable();
            while let Some((query, doc, _, score)) = rows.next() {
                let list = lists.entry(query).or_default();
                list.push(Ranked { doc, score });
                while let Some((_, doc, _, score)) = rows.next_if(|row| row.0 == query) {
                    list.push(Ranked { doc, score });
                }
            }
        }
        let values = lists.into_par_iter().map(|(query, list)| {
            let value = self.value(list, grades.get(query));
            (query, value)
        });
        Ok(values.collect())
    }

    /// The value of a list.
    fn value(&self, mut list: Vec<Ranked<'_>>, grades: Option<&BTreeMap<String, i32>>) -> f64 {
        let order = |a: &Ranked<'_>, b: &Ranked<'_>| {
            let by_id = || a.doc.cmp(b.doc);
            b.score.total_cmp(&a.score).then_with(by_id)
        };
        // What a run wrote is in this order.
        if !list.is_sorted_by(|a, b| order(a, b).is_le()) {
            list.sort_unstable_by(order);
        }
        let none = BTreeMap::new();
        let grades = grades.unwrap_or(&none);
        let listed = list.iter().enumerate();
        let here: Vec<(usize, i32)> = listed
            .filter_map(|(at, ranked)| Some((at, *grades.get(ranked.doc)?)))
            .collect();
        let mut sorted: Vec<i32> = grades.values().copied().collect();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        let judged = Judged {
            here: &here,
            elsewhere: &[],
            grades: &sorted,
        };
        let measures = std::slice::from_ref(&self.measure);
        evaluate_judged(measures, &list, &judged, self.ties)[0]
    }
}
