//! The tasks of systems on the members of a benchmark.
//!
//! Each member of a dataset is a task, and it is ranked once. A member of a suite of test sets is up to three: `NAME`, whose
//! candidates are drawn; `NAME-all`, in which all documents are ranked; and `NAME-pairs`, whose pairs are judged. So every
//! text is embedded once, and lists, tables of scores and resuming are those of any other dataset.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;

use barecode_evaluate::{Decision, MatchingParts, PoolConfig, System, Task, decision, pair_rows};
use barecode_records::SubsetKind;
use barecode_records::table::write_atomically;
use serde_json::json;

use super::request::Request;
use super::training::Train;
use crate::evaluation::SubsetIn;
use crate::exit::Failure;
use crate::members::Members;
use crate::recipe::RetrieveConfig;
use barecode_results::files::unjudged;
use barecode_results::ids::likely_cause;

/// A task, and the documents that compete in it.
pub(super) struct Asked {
    pub(super) task: Arc<Task>,
    retrieve: RetrieveConfig,
    /// True if thresholds are fitted on it.
    pub(super) trains: bool,
}

impl Asked {
    pub(super) fn of(task: Task, retrieve: RetrieveConfig) -> Self {
        Asked {
            task: Arc::new(task),
            retrieve,
            trains: false,
        }
    }

    /// The documents that compete, in words: two evaluations that agree in them can be compared.
    pub(super) fn candidates(&self, seed: u64, systems: &[System]) -> String {
        let (pool, draws) = (self.retrieve.pool, self.retrieve.draws);
        match pool {
            PoolConfig::Everyone => pool.to_string(),
            PoolConfig::Nearest(_) => {
                let first = systems.first().map_or("", System::name);
                format!("{pool} of {first}")
            }
            _ => format!("{pool}, {draws} draws, seed {seed}"),
        }
    }

    /// The same for the stages.
    pub(super) fn subset(&self) -> SubsetIn<'_> {
        let subset = SubsetIn::of_task(&self.task, self.retrieve);
        if self.trains {
            return subset.that_trains();
        }
        subset
    }
}

/// A task for each test set.
pub(super) fn tasks(members: &Members<'_>) -> Vec<Task> {
    let mut tasks = Task::all(members.tests().map(|found| &found.subset));
    for (task, found) in tasks.iter_mut().zip(members.tests()) {
        task.title.clone_from(&found.member.title);
    }
    tasks
}

/// Refuses judgments whose documents are all missing from the task: no system could score.
pub(super) fn answers_exist(task: &Task) -> Result<(), Failure> {
    let documents = task.documents.iter().map(|document| document.id.as_str());
    let known: BTreeSet<&str> = documents.collect();
    let judged = task.grades.values().flat_map(BTreeMap::keys);
    let judged: BTreeSet<&str> = judged.map(String::as_str).collect();
    if judged.is_empty() || task.queries.is_empty() || !judged.is_disjoint(&known) {
        return Ok(());
    }
    let queries = task.queries.iter().map(|query| query.id.as_str());
    let cause = likely_cause(&judged, &known, &queries.collect());
    let message = format!(
        "no judged document of `{}` is among its documents",
        task.title
    );
    Err(unjudged(message, &cause))
}

/// Returns all tasks, in the order of the tables. Of a suite of test sets, only those that some system takes part in;
/// pairs also if a classifier elsewhere needs them.
pub(super) fn all(
    members: &Members<'_>,
    tasks: Vec<Task>,
    train: Option<&Train>,
    systems: &[System],
    arguments: &Request,
) -> Vec<Asked> {
    let everyone = RetrieveConfig::EVERYONE;
    let Some(suite) = members.suite else {
        let retrieve = arguments.retrieve(everyone);
        let tasks = tasks.into_iter();
        return tasks.map(|task| Asked::of(task, retrieve)).collect();
    };
    let pairs = |draws| RetrieveConfig {
        pool: PoolConfig::Pairs,
        draws,
    };
    let decides = |it: &System| decision(it) == Some(Decision::Own);
    let named = |suffix: &'static str, retrieve: RetrieveConfig| {
        let of = tasks.iter().zip(members.tests());
        of.map(move |(task, found)| {
            let mut task = task.clone();
            task.subset.name = format!("{}{suffix}", found.member.name);
            task.file = format!("{}.test", task.subset.name);
            if retrieve.pool == PoolConfig::Pairs {
                task.subset.kind = SubsetKind::Matching;
                task.matching = Some(MatchingParts {
                    language: found.member.language.clone(),
                    wording: found.member.wording,
                });
            }
            Asked::of(task, retrieve)
        })
    };
    let mut all = Vec::new();
    if !systems.iter().all(decides) {
        all.extend(named("", suite.retrieve));
        all.extend(named("-all", everyone));
    }
    if arguments.suite.pairs.is_some() || train.is_some() || systems.iter().any(decides) {
        all.extend(named("-pairs", pairs(arguments.suite.pair_draws.get())));
    }
    all.extend(train.map(|train| Asked {
        trains: true,
        ..Asked::of(train.task.clone(), pairs(1))
    }));
    all
}

/// Writes the pairs of each member as the authors' files have them, with ids.
pub(super) fn write_pairs(asked: &[Asked], folder: &Path, seed: u64) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    let is_of_pairs = |it: &&Asked| it.retrieve.pool == PoolConfig::Pairs;
    for one in asked.iter().filter(is_of_pairs) {
        let mut task = Task::clone(&one.task);
        let seeds = (0..u64::from(one.retrieve.draws)).map(|draw| seed.wrapping_add(draw));
        let nobody = |_: &Task, _: usize| Ok::<_, anyhow::Error>(Vec::new());
        if let Some(drawn) = PoolConfig::Pairs.draw(&task, seeds, nobody)? {
            task.draws = drawn;
        }
        let path = folder.join(format!("{}.jsonl", task.file));
        write_atomically(&path, |file| {
            let mut file = BufWriter::new(file);
            for pair in pair_rows(&task) {
                let row = json!({
                    "query": pair.query,
                    "document": pair.document,
                    "draw": pair.draw,
                    "input": format!("{} [CODESPLIT] {}", pair.text, pair.code),
                    "target": i32::from(pair.matches),
                    "target_options": ["no_match", "match"],
                });
                writeln!(file, "{row}")?;
            }
            file.flush()
        })?;
    }
    Ok(())
}
