//! A folder of `eval` as a dataset of a board with a result for each of its systems.
//!
//! `eval` keeps the judgments and the facts that its tables lack ([`Kept`]) beside its lists; from both, every list is
//! scored again as that of a [run](crate::run).

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Component, Path};

use barecode_evaluate::{POOLED, System, Task};
use barecode_formats::FormatError;
use barecode_formats::run::read_qrels;
use barecode_formats::trec::{Qrels, write_qrels};
use barecode_records::table::write_atomically;
use barecode_records::{Digest, Facets, Stage, Subset, SubsetKind, guarded};
use barecode_runs::exit::Failure;
use barecode_runs::run_folder::RunFolder;
use barecode_scores::Ties;
use serde::{Deserialize, Serialize};

use crate::arrived::Arrived;
use crate::board::Refused;
use crate::run::without_folder;
use crate::scored::{Lists, Scored};
use crate::stated::{BoardDataset, BoardQuery, BoardSubset, SystemResult};

/// The file of the facts.
const FILE: &str = "lists.json";
/// The folder of the judgments: a file of TREC for each file of lists.
const JUDGMENTS: &str = "qrels";
/// The version of the format.
const FORMAT: &str = "barecode-lists/1";

/// The facts about lists and scores that their tables lack.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// `barecode-lists/1`.
    format: String,
    /// The name of the dataset.
    dataset: String,
    /// The command that makes the lists again.
    command: String,
    /// The treatment of equal scores.
    ties: Ties,
    /// The systems.
    systems: Vec<KeptSystem>,
    /// The subsets.
    subsets: Vec<KeptSubset>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSystem {
    name: String,
    /// The name of its folder.
    folder: String,
    /// Its model or its options.
    about: Option<String>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSubset {
    subset: Subset,
    /// The name of its files, without their ending.
    file: String,
    documents: u64,
    /// A digest of documents, queries and candidates.
    digest: String,
    /// The systems that do not read all of its documents.
    unread: Vec<String>,
}

impl Kept {
    /// The facts of lists on a dataset, by its name, that `command` makes.
    pub fn new(dataset: &str, command: String, ties: Ties) -> Self {
        Kept {
            format: FORMAT.to_owned(),
            dataset: dataset.to_owned(),
            command,
            ties,
            systems: Vec::new(),
            subsets: Vec::new(),
        }
    }

    /// Adds a system.
    pub fn system(&mut self, system: &System) {
        let model = system.model().map(without_folder);
        self.systems.push(KeptSystem {
            name: system.name().to_owned(),
            folder: system.folder().to_owned(),
            about: model.or_else(|| system.spelled()),
        });
    }

    /// Adds a task that all systems were asked, if it has lists of documents; `candidates` says which documents
    /// competed.
    pub fn task(&mut self, task: &Task, candidates: &str, systems: &[System]) {
        if task.subset.kind != SubsetKind::Retrieval {
            return;
        }
        let unread = systems.iter().filter(|system| !system.reads_all_of(task));
        let digest = Digest::new("asked").field(task.digest()).field(candidates);
        self.subsets.push(KeptSubset {
            subset: task.subset.clone(),
            file: task.file.clone(),
            documents: task.documents.len() as u64,
            digest: digest.hex(),
            unread: unread.map(|system| system.name().to_owned()).collect(),
        });
    }

    /// Writes the facts and the judgments of tasks to a folder. Ids that TREC's form cannot hold leave it without facts:
    /// returns the reason.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write<'t>(
        &self,
        folder: &Path,
        tasks: impl Iterator<Item = &'t Task>,
    ) -> anyhow::Result<Option<String>> {
        let (facts, judgments) = (folder.join(FILE), folder.join(JUDGMENTS));
        // Facts of earlier lists do not vouch for these.
        if facts.exists() {
            std::fs::remove_file(&facts).map_err(|error| Failure::cannot_write(&facts, &error))?;
        }
        std::fs::create_dir_all(&judgments)
            .map_err(|error| Failure::cannot_write(&judgments, &error))?;
        for task in tasks.filter(|task| task.subset.kind == SubsetKind::Retrieval) {
            let asked: BTreeSet<&str> = task.queries.iter().map(|one| one.id.as_str()).collect();
            let grades = task.grades.iter();
            let grades = grades.filter(|(query, _)| asked.contains(query.as_str()));
            let qrels: Qrels = grades
                .map(|(query, judged)| (query.clone(), judged.clone()))
                .collect();
            match write_qrels(&judgments.join(format!("{}.trec", task.file)), &qrels) {
                Err(FormatError::Invalid { message, .. }) => return Ok(Some(message)),
                written => written?,
            }
        }
        let text = serde_json::to_string_pretty(self)?;
        write_atomically(&facts, |file| writeln!(file, "{text}"))?;
        Ok(None)
    }
}

/// True if a folder has results of `eval`.
pub fn is_evaluated(folder: &Path) -> bool {
    let lists = folder.join(Stage::Retrieve.folder());
    folder.join(FILE).is_file() || (folder.join("scores.json").is_file() && lists.is_dir())
}

/// Reads a folder of `eval`; the measure is its first if none is named.
///
/// # Errors
/// It lacks its facts or judgments, or has no scores of the measure.
pub fn read(path: &Path, measure: Option<&str>) -> anyhow::Result<Arrived> {
    let again = "make it again with `barecode eval`";
    let file = path.join(FILE);
    let text = guarded::text(&file).map_err(|error| {
        Failure::invalid(format!("cannot read `{}`: {error}", file.display()))
            .hint(format!("a board needs this file of `eval`: {again}"))
    })?;
    let kept: Kept = serde_json::from_str(&text).map_err(|error| {
        Failure::invalid(format!(
            "`{}` has no facts of lists: {error}",
            file.display()
        ))
        .hint(again)
    })?;
    if kept.format != FORMAT {
        let message = format!("`{}` has the format `{}`", file.display(), kept.format);
        return Err(Failure::invalid(message)
            .hint(format!("this version reads {FORMAT}"))
            .into());
    }
    let folder = RunFolder::look_at(path);
    let more = "name it with --measure of `eval` too";
    let scored = Scored::open(&folder, measure, (kept.ties, more))?;
    let lists: anyhow::Result<Vec<Lists>> = kept
        .subsets
        .iter()
        .map(|one| one.lists(&path.join(JUDGMENTS)))
        .collect();
    let lists = lists?;
    let dataset = kept.dataset(&scored, &lists)?;
    let mut arrived = Arrived::default();
    for system in &kept.systems {
        let mut result = SystemResult::new(&system.name, &dataset, kept.command.clone());
        result.about.clone_from(&system.about);
        result.subsets = scored.values(&system.name);
        for one in &kept.subsets {
            if one.unread.contains(&system.name) {
                result.subsets.remove(one.subset.name_without_draw());
            }
        }
        if result.subsets.is_empty() {
            continue;
        }
        let shown = path.display().to_string();
        match scored.difference(&system.name, plain(&system.folder)?, &lists)? {
            None => arrived.results.push((result, shown)),
            Some(reason) => arrived.refused.push(Refused {
                system: system.name.clone(),
                file: shown,
                reason,
            }),
        }
    }
    arrived.dataset = Some(dataset);
    Ok(arrived)
}

impl Kept {
    /// The queries and their subsets.
    fn dataset(&self, scored: &Scored<'_>, lists: &[Lists]) -> anyhow::Result<BoardDataset> {
        let mut digest = Digest::new("dataset");
        let mut files: Vec<(&KeptSubset, &Lists)> = self.subsets.iter().zip(lists).collect();
        files.sort_unstable_by(|(a, _), (b, _)| a.file.cmp(&b.file));
        for (one, lists) in files {
            digest = digest.field(&one.file).field(&one.digest);
            for (query, judged) in &lists.grades {
                digest = digest.field(query);
                for (document, grade) in judged {
                    digest = digest.field(document).field(grade.to_le_bytes());
                }
            }
        }
        let mut dataset = BoardDataset::new(self.dataset.clone(), digest.hex(), scored.measure());
        dataset.ties = self.ties;
        dataset.pooled = scored.pooled()?;
        let mut known: BTreeMap<String, BoardQuery> = BTreeMap::new();
        for one in &self.subsets {
            let name = one.subset.name_without_draw();
            if dataset.subsets.iter().any(|other| other.name == name) {
                continue;
            }
            let queries = scored.queries(name);
            known.extend(queries.iter().map(|id| (id.clone(), BoardQuery::default())));
            let facets = &one.subset.facets;
            // Subsets without a setting are tables of their own, not one column.
            let group = match (&facets.group, facets.setting) {
                (None, None) if self.subsets.len() > 1 => Some(name.to_owned()),
                (group, _) => group.clone(),
            };
            dataset.subsets.push(BoardSubset {
                name: name.to_owned(),
                setting: facets.setting.map(|setting| setting.to_string()),
                group,
                pool: facets
                    .is_pooled()
                    .then(|| Facets::group_of(POOLED, facets.writer.as_deref())),
                documents: one.documents,
                bounds: scored.bounds(name),
                queries,
            });
        }
        dataset.queries = known;
        Ok(dataset)
    }
}

impl KeptSubset {
    /// Its files of lists, with the judgments in `folder`.
    fn lists(&self, folder: &Path) -> anyhow::Result<Lists> {
        let file = plain(&self.file)?.to_owned();
        Ok(Lists {
            subset: self.subset.name_without_draw().to_owned(),
            draw: self.subset.facets.draw,
            grades: read_qrels(&folder.join(format!("{file}.trec")))?,
            file,
        })
    }
}

/// A name of a file that cannot leave its folder.
///
/// # Errors
/// It is more or less than one name.
fn plain(name: &str) -> Result<&str, Failure> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(_)), None) => Ok(name),
        _ => Err(Failure::invalid(format!(
            "`{name}` in {FILE} is not the name of a file"
        ))),
    }
}
