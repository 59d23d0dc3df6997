//! The run of a recipe as a dataset of a board with a result for each of its systems.
//!
//! The values are those of the run, and the run is not trusted: every list is scored again, and a system whose values
//! are not those of its lists has no result.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use barecode_evaluate::{POOLED, System};
use barecode_recipe::Recipe;
use barecode_records::{
    Document, Facets, Hit, Id, Judgment, ListedSubset, Manifest, Query, QueryScore, QueryText,
    Split, Stage, Subset, SubsetKind, guarded,
};
use barecode_runs::exit::Failure;
use barecode_runs::layout::{corpus_of, judgments_of, queries_of};
use barecode_runs::run_folder::RunFolder;
use barecode_scores::{Judged, Measure, Ranked, evaluate_judged};
use serde_json::Value;

use crate::board::Refused;
use crate::stated::{BoardDataset, BoardQuery, BoardSubset, Bounds, SystemResult, Values};

/// Two computations of a value that differ by more than this are not the same.
const SAME: f64 = 1e-9;

/// The text of a query that is code.
const CODE_TEXT: &str = "The function itself, under the setting.";

/// A run, with the tables that all its systems share.
pub struct Run<'a> {
    folder: &'a RunFolder,
    manifest: Manifest,
    recipe: Recipe,
    subsets: Vec<ListedSubset>,
    rows: Vec<QueryScore>,
    measure: Measure,
}

impl<'a> Run<'a> {
    /// Opens a run with scores; the measure is the main one of the run if none is named.
    ///
    /// # Errors
    /// The run has no scores, or not this measure.
    pub fn open(folder: &'a RunFolder, measure: Option<&str>) -> anyhow::Result<Self> {
        let layout = folder.layout();
        let shown = folder.root().display();
        if !layout.has_scores() {
            let failure = Failure::invalid(format!("`{shown}` has no scores yet"));
            return Err(failure
                .hint("run `barecode build` on the recipe first")
                .into());
        }
        let manifest = folder.manifest().unwrap_or_default();
        let recipe = Recipe::of_resolved(&manifest.recipe, &format!("{shown}/manifest.json"))?;
        let mut rows = layout.query_scores()?;
        let main = rows
            .first()
            .map(|row| row.measure.clone())
            .unwrap_or_default();
        let measure = measure.map_or(main, str::to_owned);
        rows.retain(|row| row.measure == measure);
        if rows.is_empty() && measure.is_empty() {
            let message = format!("`{shown}` has no scores of queries");
            return Err(Failure::invalid(message).into());
        }
        if rows.is_empty() {
            let failure = Failure::invalid(format!("`{shown}` has no values of {measure}"));
            return Err(failure
                .hint("add it to `measures` under `[scores]` and build again")
                .into());
        }
        let mut subsets = layout.subsets()?;
        subsets
            .retain(|one| one.kind == SubsetKind::Retrieval && one.splits.contains(&Split::Test));
        let measure = measure
            .parse()
            .map_err(|error: barecode_scores::MeasureError| Failure::invalid(error.to_string()))?;
        Ok(Run {
            folder,
            manifest,
            recipe,
            subsets,
            rows,
            measure,
        })
    }

    /// What was asked.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn dataset(&self) -> anyhow::Result<BoardDataset> {
        let measure = self.measure.to_string();
        let digest = self.digest()?;
        let mut dataset = BoardDataset::new(self.recipe.name.clone(), digest, measure);
        dataset.ties = self.recipe.scores.ties;
        dataset.pooled = self.pooled()?;
        let layout = self.folder.layout();
        let made: Vec<Query> = layout.queries()?;
        let writers: HashMap<&Id, &str> = made
            .iter()
            .map(|query| (&query.id, query.writer.as_str()))
            .collect();
        let names: HashMap<Id, String> = layout
            .units()?
            .into_iter()
            .map(|unit| (unit.id, unit.qualified_name))
            .collect();
        for listed in &self.subsets {
            let subset = Subset::from(listed.clone());
            let name = subset.name_without_draw().to_owned();
            if dataset.subsets.iter().any(|one| one.name == name) {
                continue;
            }
            let documents: Vec<Document> =
                layout.rows(Stage::Assemble, [corpus_of(&listed.name)])?;
            let judgments: Vec<Judgment> =
                layout.rows(Stage::Assemble, [judgments_of(&listed.name)])?;
            let texts: Vec<QueryText> = layout.rows(Stage::Assemble, [queries_of(&listed.name)])?;
            let mut answers: HashMap<&Id, &Judgment> = HashMap::new();
            for judgment in &judgments {
                let best = answers.entry(&judgment.query_id).or_insert(judgment);
                if (-judgment.score, &judgment.corpus_id) < (-best.score, &best.corpus_id) {
                    *best = judgment;
                }
            }
            let of: HashMap<&Id, &Document> = documents.iter().map(|one| (&one.id, one)).collect();
            let mut queries: Vec<String> = texts.iter().map(|query| query.id.to_string()).collect();
            queries.sort_unstable();
            // A query that is code is not published with the results.
            let is_code = listed.group.as_deref() == Some(Facets::CODE);
            for query in &texts {
                let answer = answers
                    .get(&query.id)
                    .and_then(|best| of.get(&best.corpus_id));
                dataset
                    .queries
                    .entry(query.id.to_string())
                    .or_insert_with(|| BoardQuery {
                        text: if is_code {
                            CODE_TEXT.to_owned()
                        } else {
                            query.text.clone()
                        },
                        writer: writers
                            .get(&query.id)
                            .map_or(Query::CODE, |writer| writer)
                            .to_owned(),
                        leak: query.leak.name().to_owned(),
                        answer: answer
                            .and_then(|answer| names.get(&answer.id).cloned())
                            .unwrap_or_default(),
                        place: answer.map_or(String::new(), |one| {
                            format!("{} {}:{}", one.source, one.path, one.start_line)
                        }),
                        language: answer.map_or("", |one| one.language.name()).to_owned(),
                    });
            }
            let writer = subset.facets.writer.as_deref();
            dataset.subsets.push(BoardSubset {
                setting: listed.setting.map(|setting| setting.to_string()),
                group: listed.group.clone(),
                pool: subset
                    .facets
                    .is_pooled()
                    .then(|| Facets::group_of(POOLED, writer)),
                documents: documents.len() as u64,
                bounds: self.bounds(&name),
                name,
                queries,
            });
        }
        Ok(dataset)
    }

    /// The mean ceiling and floor of each pool of groups, by setting.
    fn pooled(&self) -> anyhow::Result<BTreeMap<String, Bounds>> {
        let measure = self.measure.to_string();
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

    /// BLAKE3 over the digests of all tables of documents, queries and judgments, by their paths in the dataset.
    fn digest(&self) -> anyhow::Result<String> {
        let mut hasher = blake3::Hasher::new();
        let mut files: Vec<PathBuf> = self
            .subsets
            .iter()
            .flat_map(|one| {
                [
                    corpus_of(&one.name),
                    queries_of(&one.name),
                    judgments_of(&one.name),
                ]
            })
            .collect();
        files.sort_unstable();
        for file in files {
            let path = self.folder.stage(Stage::Assemble).join(&file);
            let content = guarded::read(&path).map_err(|error| {
                Failure::invalid(format!("cannot read `{}`: {error}", path.display()))
            })?;
            let digest = blake3::hash(&content).to_hex();
            hasher.update(format!("{} {digest}\n", file.display()).as_bytes());
        }
        Ok(hasher.finalize().to_hex().to_string())
    }

    /// The mean ceiling and floor of a subset.
    fn bounds(&self, subset: &str) -> Option<(f64, f64)> {
        let first = self.rows.iter().find(|row| row.subset == subset)?;
        let rows = self.rows.iter();
        let rows = rows.filter(|row| row.subset == subset && row.retriever == first.retriever);
        let mut sums = (0.0, 0.0, 0.0);
        for row in rows {
            sums = (sums.0 + row.ceiling?, sums.1 + row.floor?, sums.2 + 1.0);
        }
        Some((sums.0 / sums.2, sums.1 / sums.2))
    }

    /// A result for each system, and those whose values are not those of their lists. `dataset` is that of the run.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn results(
        &self,
        dataset: &BoardDataset,
    ) -> anyhow::Result<(Vec<SystemResult>, Vec<Refused>)> {
        let (mut results, mut refused) = (Vec::new(), Vec::new());
        for system in &self.recipe.retrievers {
            let mut result = self.result(system, dataset);
            let subsets = self.values(system)?;
            if subsets.is_empty() {
                continue;
            }
            result.subsets = subsets;
            match self.rescored(system)? {
                None => results.push(result),
                Some(reason) => refused.push(Refused {
                    system: system.name().to_owned(),
                    file: self.folder.root().display().to_string(),
                    reason,
                }),
            }
        }
        Ok((results, refused))
    }

    fn result(&self, system: &System, dataset: &BoardDataset) -> SystemResult {
        let recipe = format!("{}.toml", self.recipe.name);
        let mut result =
            SystemResult::new(system.name(), dataset, format!("barecode build {recipe}"));
        let model = system.model().map(without_folder);
        result.about = model.or_else(|| system.spelled());
        let when = self.manifest.times.get(Stage::Retrieve.name());
        result.date = when.and_then(|seconds| day(*seconds));
        result.dollars = self.dollars(system.name());
        result
    }

    /// The price of the answers of a system, from the ledger of the run; 0 if nothing was paid.
    fn dollars(&self, system: &str) -> Option<f64> {
        let path = self.folder.stage(Stage::Retrieve).join("ledger.json");
        let Ok(text) = guarded::text(&path) else {
            return Some(0.0);
        };
        let entries: Value = serde_json::from_str(&text).ok()?;
        let entries = entries.as_array()?.iter();
        let own = entries.filter(|entry| entry["retriever"] == system);
        own.map(|entry| entry["dollars"].as_f64()).sum()
    }

    /// The values and ranks of the answers by subset and query: values are means over draws, ranks those of the first.
    fn values(&self, system: &System) -> anyhow::Result<BTreeMap<String, Values>> {
        let mut draws: BTreeMap<&str, BTreeMap<&str, u32>> = BTreeMap::new();
        let mut subsets: BTreeMap<String, Values> = BTreeMap::new();
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.retriever == system.name()) {
            let values = subsets.entry(row.subset.clone()).or_default();
            let first = (0.0, row.answer_rank);
            values.entry(row.query_id.to_string()).or_insert(first).0 += row.value;
            let draws = draws.entry(&row.subset).or_default();
            *draws.entry(row.query_id.as_str()).or_default() += 1;
        }
        let unread = self.unread(system)?;
        subsets.retain(|subset, _| !unread.contains(subset));
        for (subset, values) in &mut subsets {
            for (query, (value, _)) in values {
                *value /= f64::from(draws[subset.as_str()][query.as_str()]);
            }
        }
        Ok(subsets)
    }

    /// The subsets with documents in languages that a system does not read: its means would be those of other queries.
    fn unread(&self, system: &System) -> anyhow::Result<Vec<String>> {
        let mut unread = Vec::new();
        for listed in &self.subsets {
            let documents: Vec<Document> = self
                .folder
                .layout()
                .rows(Stage::Assemble, [corpus_of(&listed.name)])?;
            if documents.iter().any(|one| !system.reads(one.language)) {
                unread.push(Subset::from(listed.clone()).name_without_draw().to_owned());
            }
        }
        Ok(unread)
    }

    /// Scores every list of a system again; returns the first difference from the values of the run.
    fn rescored(&self, system: &System) -> anyhow::Result<Option<String>> {
        let mut known = BTreeMap::new();
        for row in self
            .rows
            .iter()
            .filter(|row| row.retriever == system.name())
        {
            let query = row.query_id.to_string();
            let key = (row.subset.clone(), row.draw, row.pool_draw, query);
            known.insert(key, row.value);
        }
        let layout = self.folder.layout();
        let folder = Path::new(system.folder());
        for listed in &self.subsets {
            let judgments: Vec<Judgment> =
                layout.rows(Stage::Assemble, [judgments_of(&listed.name)])?;
            let mut grades: BTreeMap<&str, BTreeMap<&str, i32>> = BTreeMap::new();
            for one in &judgments {
                let judged = grades.entry(one.query_id.as_str()).or_default();
                judged.insert(one.corpus_id.as_str(), one.score);
            }
            let whole = folder.join(format!("{}.parquet", listed.name));
            let drawn =
                (1_u32..).map(|draw| folder.join(format!("{}.draw-{draw}.parquet", listed.name)));
            let mut lists: Vec<(Option<u32>, Vec<Hit>)> = Vec::new();
            if let Some(hits) = layout.rows_if_any(Stage::Retrieve, &whole)? {
                lists.push((None, hits));
            } else {
                for (draw, file) in (1..).zip(drawn) {
                    let Some(hits) = layout.rows_if_any(Stage::Retrieve, &file)? else {
                        break;
                    };
                    lists.push((Some(draw), hits));
                }
            }
            let subset = Subset::from(listed.clone());
            for (pool_draw, hits) in lists {
                for (query, value) in self.scored(&hits, &grades) {
                    let name = subset.name_without_draw().to_owned();
                    let key = (name, listed.draw, pool_draw, query.to_owned());
                    let value_of_run = known.remove(&key);
                    if value_of_run.is_some_and(|of_run| (of_run - value).abs() > SAME) {
                        return Ok(Some(format!(
                            "its list for the query `{query}` of `{}` has {} {value:.4}, not {:.4}",
                            listed.name,
                            self.measure,
                            value_of_run.unwrap_or_default()
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

    /// The values of lists by query.
    fn scored<'q>(
        &self,
        hits: &'q [Hit],
        grades: &BTreeMap<&str, BTreeMap<&str, i32>>,
    ) -> BTreeMap<&'q str, f64> {
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
            evaluate_judged(measures, &ranked, &judged, self.recipe.scores.ties)[0]
        };
        let lists = lists.into_iter();
        lists
            .map(|(query, list)| (query, value(query, list)))
            .collect()
    }
}

/// A model without the folder that it is in on this machine: `local:…/minilm`.
fn without_folder(model: &str) -> String {
    let (kind, path) = model.split_once(':').unwrap_or(("", model));
    let last = Path::new(path).file_name();
    match last.filter(|_| path.starts_with('/')) {
        Some(last) if kind.is_empty() => format!("…/{}", last.to_string_lossy()),
        Some(last) => format!("{kind}:…/{}", last.to_string_lossy()),
        None => model.to_owned(),
    }
}

/// The day of a moment, in seconds since 1970.
fn day(seconds: u64) -> Option<String> {
    let moment = chrono::DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0)?;
    Some(moment.format("%Y-%m-%d").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_published_model_has_no_folder_of_the_machine() {
        assert_eq!(without_folder("local:/home/me/minilm"), "local:…/minilm");
        assert_eq!(without_folder("/home/me/minilm"), "…/minilm");
        assert_eq!(without_folder("local:minilm"), "local:minilm");
        assert_eq!(
            without_folder("openai:text-embedding-3-large"),
            "openai:text-embedding-3-large"
        );
    }
}
