//! The run of a recipe as a dataset of a board with a result for each of its systems.
//!
//! The values are those of the run, and the run is not trusted: every list is scored again, and a system whose values
//! are not those of its lists has no result.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use barecode_evaluate::{POOLED, System};
use barecode_recipe::Recipe;
use barecode_records::{
    Document, Facets, Id, Judgment, ListedSubset, Manifest, Query, QueryText, Split, Stage, Subset,
    SubsetKind, guarded,
};
use barecode_runs::exit::Failure;
use barecode_runs::layout::{corpus_of, judgments_of, queries_of};
use barecode_runs::run_folder::RunFolder;
use serde_json::Value;

use crate::board::Refused;
use crate::scored::{Grades, Lists, Scored};
use crate::stated::{BoardDataset, BoardQuery, BoardSubset, SystemResult};

/// The text of a query that is code.
const CODE_TEXT: &str = "The function itself, under the setting.";

/// A run, with the tables that all its systems share.
pub struct Run<'a> {
    folder: &'a RunFolder,
    manifest: Manifest,
    recipe: Recipe,
    subsets: Vec<ListedSubset>,
    scored: Scored<'a>,
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
        let more = "add it to `measures` under `[scores]` and build again";
        let scored = Scored::open(folder, measure, (recipe.scores.ties, more))?;
        let mut subsets = layout.subsets()?;
        subsets
            .retain(|one| one.kind == SubsetKind::Retrieval && one.splits.contains(&Split::Test));
        Ok(Run {
            folder,
            manifest,
            recipe,
            subsets,
            scored,
        })
    }

    /// What was asked.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn dataset(&self) -> anyhow::Result<BoardDataset> {
        let (digest, measure) = (self.digest()?, self.scored.measure());
        let mut dataset = BoardDataset::new(self.recipe.name.clone(), digest, measure);
        dataset.ties = self.recipe.scores.ties;
        dataset.pooled = self.scored.pooled()?;
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
                bounds: self.scored.bounds(&name),
                name,
                queries,
            });
        }
        Ok(dataset)
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

    /// A result for each system, and those whose values are not those of their lists. `dataset` is that of the run.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn results(
        &self,
        dataset: &BoardDataset,
    ) -> anyhow::Result<(Vec<SystemResult>, Vec<Refused>)> {
        let (mut results, mut refused) = (Vec::new(), Vec::new());
        let lists = self.lists()?;
        for system in &self.recipe.retrievers {
            let mut result = self.result(system, dataset);
            let mut subsets = self.scored.values(system.name());
            let unread = self.unread(system)?;
            subsets.retain(|subset, _| !unread.contains(subset));
            if subsets.is_empty() {
                continue;
            }
            result.subsets = subsets;
            let (name, folder) = (system.name(), system.folder());
            match self.scored.difference(name, folder, &lists)? {
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
        let sum: Option<f64> = own.map(|entry| entry["dollars"].as_f64()).sum();
        // The sum of nothing is -0.
        sum.map(|dollars| dollars + 0.0)
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

    /// The lists of all subsets, with the judgments.
    fn lists(&self) -> anyhow::Result<Vec<Lists>> {
        let mut lists = Vec::new();
        for listed in &self.subsets {
            let judgments: Vec<Judgment> = self
                .folder
                .layout()
                .rows(Stage::Assemble, [judgments_of(&listed.name)])?;
            let mut grades = Grades::new();
            for one in judgments {
                let judged = grades.entry(one.query_id.to_string()).or_default();
                judged.insert(one.corpus_id.to_string(), one.score);
            }
            let subset = Subset::from(listed.clone());
            lists.push(Lists {
                subset: subset.name_without_draw().to_owned(),
                draw: listed.draw,
                file: listed.name.clone(),
                grades,
            });
        }
        Ok(lists)
    }
}

/// A model without the folder that it is in on this machine: `local:…/minilm`.
pub(crate) fn without_folder(model: &str) -> String {
    let (kind, path) = model.split_once(':').unwrap_or(("", model));
    let last = Path::new(path).file_name();
    match last.filter(|_| path.starts_with('/')) {
        Some(last) if kind.is_empty() => format!("…/{}", last.to_string_lossy()),
        Some(last) => format!("{kind}:…/{}", last.to_string_lossy()),
        None => model.to_owned(),
    }
}

/// The day of a moment, in seconds since 1970.
pub(crate) fn day(seconds: u64) -> Option<String> {
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
