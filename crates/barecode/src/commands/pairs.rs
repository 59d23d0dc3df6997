//! `pairs`: a run as pairs to train on (CLARC, appendix D.1), without what evaluation sets have too.
//!
//! The train split of the run becomes `train`, its test split `dev`. A run without a train split has only the queries
//! that it is scored with, so it is refused, unless `--all` allows training on them.

mod objects;

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use barecode_corpus::duplicates::Shingles;
use barecode_dataset::{
    Averages, Code, DatasetConfig, HeldOut, Overlap, Tokenizer, averages, overlaps,
};
use barecode_formats::{Facts, TrainingPair, TrainingPart, write_training};
use barecode_queries::QueryConfig;
use barecode_records::{Id, ListedSubset, Pair, Setting, Split, SubsetKind, Unit};
use barecode_retrieval::{Analyzer, Bm25, Bm25Index, Counts, TokenizerError};
use clap::Args;
use rayon::prelude::*;
use serde_json::{Value, json};

use super::chosen::{existing, unit_of, units_by_id};
use crate::answer::Answer;
use crate::console::grouped;
use crate::exit::Failure;
use crate::report::grid;
use crate::run_folder::RunFolder;
use crate::session::{BUILD_FIRST, DatasetArguments, RunArguments, Session};
use objects::Cut;

/// Write pairs to train on, without those of evaluation sets.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode pairs [OPTIONS] --to <DIR> <RECIPE>\n       barecode pairs [OPTIONS] --to <DIR> --run <RUN>",
    after_help = "Examples:\n  barecode pairs mined.toml --to pairs --exclude clarc --negatives 5\n  \
                  barecode pairs --run runs/mined --to pairs --views --exclude hf:ORG/NAME \\\n      --exclude-repository fmtlib/fmt\n  \
                  barecode pairs mined.toml --to pairs --objects lib/build"
)]
pub(super) struct Request {
    #[command(flatten)]
    run: RunArguments,
    /// The folder to write.
    #[arg(long = "to", value_name = "DIR")]
    to_path: PathBuf,
    /// Leave out near-duplicates of this dataset's documents, and functions of its repositories; a file, a folder, or
    /// `hf:ORG/NAME`; may be given several times.
    #[arg(long, value_name = "DATASET")]
    exclude: Vec<PathBuf>,
    /// Leave out this repository, `owner/name` or an address; may be given several times.
    #[arg(long, value_name = "REPOSITORY")]
    exclude_repository: Vec<String>,
    /// Add N negatives to each pair: documents that BM25 ranks highest and that are not answers.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u16).range(0..=64))]
    negatives: u16,
    /// Add pairs of a function as written and the same function in each other setting.
    #[arg(long)]
    views: bool,
    /// Add functions as the project's own build has compiled them, with their assembly or WebAssembly: object files with
    /// debug information (`-g`), or a folder of them; may be given several times.
    #[arg(long, value_name = "PATH")]
    objects: Vec<PathBuf>,
    /// Use all pairs of a run without a train split. Scores on that run are then not valid for a model trained on
    /// them.
    #[arg(long)]
    all: bool,
    /// Replace an existing folder.
    #[arg(long)]
    force: bool,
}

/// The reason why functions are left out: the option that excludes them, and the finding.
struct LeftOut<'a> {
    unit: &'a Unit,
    by: String,
    why: Overlap,
}

/// Writes the training set; returns an answer with its numbers as in CLARC's Table 7.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let folder = arguments.run.folder(session)?;
    let layout = folder.layout();
    if !layout.has_dataset() {
        let message = format!("`{}` has no dataset yet", folder.root().display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    let units = units_by_id(layout)?;
    let subsets = taken(layout.subsets()?);
    let has_train = subsets.iter().any(|one| one.splits.contains(&Split::Train));
    if !has_train && !arguments.all {
        return Err(without_train(folder.root()).into());
    }
    let mut rows = Vec::new();
    let mut used: BTreeMap<&Id, &Unit> = BTreeMap::new();
    for subset in &subsets {
        for &split in &subset.splits {
            let pairs = layout.pairs(&subset.name, split)?;
            for pair in &pairs {
                let unit = unit_of(&units, &subset.name, pair)?;
                used.insert(&unit.id, unit);
            }
            rows.push((subset, split, pairs));
        }
    }
    let mut used: Vec<&Unit> = used.into_values().collect();
    let cut = if arguments.objects.is_empty() {
        Cut::default()
    } else {
        let config = query_config(&folder);
        let pairs = rows.iter().flat_map(|(_, _, pairs)| pairs);
        let anchors = pairs.map(|pair| pair.query_text.as_str()).collect();
        let functions = layout.functions()?;
        objects::cut(&arguments.objects, functions, &used, &anchors, &config)?
    };
    used.extend(&cut.added);
    let left_out = left_out(session, arguments, &used)?;
    let gone: BTreeSet<&Id> = left_out.iter().map(|one| &one.unit.id).collect();
    let mut parts = Parts::new();
    for (subset, split, pairs) in &rows {
        let (order, split) = match split {
            Split::Test if has_train => (1, "dev"),
            Split::Test | Split::Train => (0, "train"),
        };
        let part = parts.entry((order, subset.setting));
        let part = part.or_insert_with(|| TrainingPart {
            split: split.to_owned(),
            name: setting_of(subset),
            pairs: Vec::new(),
        });
        part.pairs
            .extend(training_pairs(subset, pairs, &units, &gone)?);
    }
    if has_train {
        session.note("`dev` has the test queries of the run: `train` selects the epoch by it, so keep other queries to report a score");
    }
    cut.add_to(&mut parts, &used, &gone);
    let settings: Vec<Option<Setting>> = parts.keys().map(|(_, setting)| *setting).collect();
    let mut parts: Vec<TrainingPart> = parts.into_values().collect();
    if parts.iter().all(|part| part.pairs.is_empty()) {
        let message = format!("nothing is left of `{}`", folder.root().display());
        let hint = "the evaluation sets have all of its functions too: mine other repositories";
        return Err(Failure::invalid(message).hint(hint).into());
    }
    if arguments.negatives > 0 {
        for part in &mut parts {
            add_negatives(part, usize::from(arguments.negatives))?;
            note_without_negatives(session, part);
        }
    }
    let numbers = parts.iter().zip(&settings).map(|(part, setting)| {
        let pairs = part.pairs.iter();
        let texts: Vec<(&str, &str)> = pairs.map(|it| (&*it.anchor, &*it.positive)).collect();
        let code = match setting {
            Some(Setting::Lowered { .. }) | None => Code::Lowered,
            Some(_) => used
                .first()
                .map_or(Code::Other, |it| Code::Source(it.language)),
        };
        averages(&texts, code, &Tokenizer::CTokens)
    });
    let mut numbers = numbers.collect::<Result<Vec<Averages>, _>>()?;
    if arguments.views {
        for part in views(&parts) {
            numbers.push(Averages {
                pairs: u32::try_from(part.pairs.len()).unwrap_or(u32::MAX),
                ..Averages::default()
            });
            parts.push(part);
        }
    }
    let facts = facts(
        arguments,
        &name_of(folder.root(), "a run"),
        &used,
        &left_out,
        &cut,
    );
    let existing = existing(arguments.force, folder.root(), &arguments.to_path)?;
    let rows = table_of_left_out(&left_out);
    write_training(&arguments.to_path, existing, &facts, &parts, &rows)?;
    for (by, n) in counts(&left_out) {
        let what = if n == 1 {
            "function was"
        } else {
            "functions were"
        };
        session.note(&format!("{} {what} left out: {by}", grouped(n)));
    }
    for (what, n) in &cut.counts {
        session.note(&format!("{what}: {}", grouped(*n)));
    }
    let data = || {
        let rows = parts.iter().zip(&numbers).map(part_json);
        json!({
            "run": folder.root(), "path": arguments.to_path, "parts": rows.collect::<Vec<_>>(),
            "left_out": counts(&left_out), "objects": cut.counts,
        })
    };
    session.answer(data, |_| Ok(table(&parts, &numbers)))
}

/// Refuses a run whose only pairs are its test queries.
fn without_train(root: &Path) -> Failure {
    let message = format!(
        "`{}` has no train split: all of its pairs are the queries that it is scored with",
        root.display()
    );
    Failure::invalid(message).hint(
        "add `train = 0.5` or a list of sources under `[dataset]` of the recipe and build again; `--all` takes the \
         test's pairs",
    )
}

/// Notes the number of pairs that have no negative.
fn note_without_negatives(session: &Session, part: &TrainingPart) {
    let without = part.pairs.iter().filter(|it| it.negatives.is_empty());
    match without.count() as u64 {
        0 => {}
        n => session.note(&format!(
            "{} of {} pairs of {}/{} have no negative: BM25 finds no other document for them",
            grouped(n),
            grouped(part.pairs.len() as u64),
            part.split,
            part.name
        )),
    }
}

/// Returns the subsets in which each function appears once: those of groups, the long form of group 3; without these
/// `all`.
fn taken(subsets: Vec<ListedSubset>) -> Vec<ListedSubset> {
    let subsets: Vec<ListedSubset> = subsets
        .into_iter()
        .filter(|one| one.kind == SubsetKind::Retrieval && one.group.as_deref() != Some("code"))
        .collect();
    let has = |group: &str| {
        subsets
            .iter()
            .any(|one| one.group.as_deref() == Some(group))
    };
    let has_long = has("group3-long");
    let has_groups = has("group1") || has("group2") || has_long || has("group3-short");
    let is_taken = |one: &ListedSubset| match one.group.as_deref() {
        Some("group3-short") => !has_long,
        Some("all") => !has_groups,
        _ => true,
    };
    let taken = subsets.iter().filter(|one| is_taken(one));
    taken.cloned().collect()
}

/// The pairs of a subset: each query with its answer of the highest grade.
///
/// # Errors
/// A pair whose code is not a function of the run.
fn training_pairs(
    subset: &ListedSubset,
    pairs: &[Pair],
    units: &BTreeMap<Id, Unit>,
    gone: &BTreeSet<&Id>,
) -> Result<Vec<TrainingPair>, Failure> {
    let mut best: BTreeMap<&Id, &Pair> = BTreeMap::new();
    for pair in pairs {
        let known = best.entry(&pair.query_id).or_insert(pair);
        if pair.relevance > known.relevance {
            *known = pair;
        }
    }
    let kept = best
        .into_values()
        .filter(|pair| !gone.contains(&pair.code_id));
    let made = kept.map(|pair| {
        Ok(TrainingPair {
            anchor: pair.query_text.clone(),
            positive: pair.code_text.clone(),
            anchor_id: pair.query_id.to_string(),
            setting: setting_of(subset),
            draw: subset.draw,
            group: subset.group.clone(),
            ..pair_of(unit_of(units, &subset.name, pair)?)
        })
    });
    made.collect()
}

/// A pair without texts of a function.
fn pair_of(unit: &Unit) -> TrainingPair {
    let origin = &unit.origin;
    TrainingPair {
        code_id: unit.id.to_string(),
        repository: origin.whole(),
        commit: origin.commit.clone(),
        path: origin.path.clone(),
        lines: [origin.start_line, origin.end_line],
        license: origin.license.clone(),
        language: unit.language.name().to_owned(),
        ..TrainingPair::default()
    }
}

/// The parts of a training set, by split (0 for `train`, 1 for `dev`) and setting.
type Parts = BTreeMap<(u8, Option<Setting>), TrainingPart>;

/// Returns the query configuration of the run's recipe.
fn query_config(folder: &RunFolder) -> QueryConfig {
    let usual = QueryConfig::default();
    let known = json!(usual);
    let manifest = folder.manifest();
    let mut said = manifest.map_or(Value::Null, |it| it.recipe["queries"].clone());
    if let Some(said) = said.as_object_mut() {
        said.retain(|key, _| known.get(key).is_some());
    }
    serde_json::from_value(said).unwrap_or(usual)
}

/// Returns the setting of the code of a subset.
fn setting_of(subset: &ListedSubset) -> String {
    let setting = subset.setting;
    setting.map_or_else(|| "code".to_owned(), |it| it.to_string())
}

/// Returns the functions that evaluation sets have too, each by the first set that has it.
fn left_out<'a>(
    session: &Session,
    arguments: &Request,
    units: &[&'a Unit],
) -> anyhow::Result<Vec<LeftOut<'a>>> {
    let wholes: Vec<String> = units.iter().map(|unit| unit.origin.whole()).collect();
    let functions: Vec<(&str, &str)> = units
        .iter()
        .zip(&wholes)
        .map(|(unit, whole)| (unit.text.as_str(), whole.as_str()))
        .collect();
    let likeness = DatasetConfig::default().likeness();
    let mut found: BTreeMap<usize, (String, Overlap)> = BTreeMap::new();
    let mut take = |by: &str, held_out: &HeldOut<'_>| {
        for (at, why) in overlaps(&functions, held_out, likeness)
            .into_iter()
            .enumerate()
        {
            if let Some(why) = why {
                found.entry(at).or_insert_with(|| (by.to_owned(), why));
            }
        }
    };
    if !arguments.exclude_repository.is_empty() {
        let repositories = arguments.exclude_repository.iter().cloned().collect();
        let held_out = HeldOut {
            texts: Vec::new(),
            repositories,
        };
        take("--exclude-repository", &held_out);
    }
    for path in &arguments.exclude {
        let benchmark = session
            .dataset(path, &DatasetArguments::default())?
            .benchmark;
        let documents = benchmark.subsets.iter().flat_map(|it| &it.documents);
        let mut held_out = HeldOut::default();
        for document in documents {
            held_out.texts.push(&document.text);
            held_out
                .repositories
                .extend(document.repository().map(str::to_owned));
        }
        held_out.texts.sort_unstable();
        held_out.texts.dedup();
        take(&path.display().to_string(), &held_out);
    }
    let left_out = found.into_iter().map(|(at, (by, why))| LeftOut {
        unit: units[at],
        by,
        why,
    });
    Ok(left_out.collect())
}

/// Adds to each pair the documents of its part that BM25 ranks first for its anchor: neither answers of the same
/// anchor, nor nearly the same as its own.
fn add_negatives(part: &mut TrainingPart, n: usize) -> anyhow::Result<()> {
    let known = DatasetConfig::default();
    let options = Bm25::default();
    let mut documents: BTreeMap<(&str, Option<u32>), &str> = BTreeMap::new();
    let mut answers: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for pair in &part.pairs {
        documents.insert((&pair.code_id, pair.draw), &pair.positive);
        answers
            .entry(&pair.anchor)
            .or_default()
            .insert(&pair.code_id);
    }
    let places: Vec<(&str, Option<u32>)> = documents.keys().copied().collect();
    let texts: Vec<&str> = documents.into_values().collect();
    let shingles: Vec<Shingles> = texts
        .par_iter()
        .map(|text| Shingles::of(text, known.shingle))
        .collect();
    let counts = Counts::of(Analyzer::new(&options), &texts)?;
    let index = Bm25Index::new(&counts, &options);
    let negatives = part.pairs.par_iter().map(|pair| {
        let own = Shingles::of(&pair.positive, known.shingle);
        let is_answer = |code: &str| {
            let answers = answers.get(pair.anchor.as_str());
            answers.is_some_and(|answers| answers.contains(code))
        };
        let found = index.search(&pair.anchor, 4 * n + 16)?;
        let wrong = found.iter().filter_map(|found| {
            let at = found.document;
            let (code, draw) = places[at];
            let is_wrong = draw == pair.draw
                && !is_answer(code)
                && own.jaccard(&shingles[at]) < known.near_duplicates;
            is_wrong.then(|| texts[at].to_owned())
        });
        Ok(wrong.take(n).collect())
    });
    let negatives: Result<Vec<Vec<String>>, TokenizerError> = negatives.collect();
    for (pair, negatives) in part.pairs.iter_mut().zip(negatives?) {
        pair.negatives = negatives;
    }
    Ok(())
}

/// For each split, pairs of a function as written and the same function in each other setting, in its first draw.
fn views(parts: &[TrainingPart]) -> Vec<TrainingPart> {
    let mut views = Vec::new();
    for written in parts.iter().filter(|part| part.name == "standard") {
        let texts: BTreeMap<&str, &TrainingPair> = written
            .pairs
            .iter()
            .map(|pair| (pair.code_id.as_str(), pair))
            .collect();
        let others = parts
            .iter()
            .filter(|it| it.split == written.split && it.name != "standard");
        let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
        let mut pairs = Vec::new();
        for pair in others.flat_map(|part| &part.pairs) {
            let is_first = pair.draw.is_none_or(|draw| draw == 1);
            let Some(written) = texts.get(pair.code_id.as_str()).filter(|_| is_first) else {
                continue;
            };
            if seen.insert((&pair.setting, &pair.code_id)) {
                pairs.push(TrainingPair {
                    anchor: written.positive.clone(),
                    anchor_id: written.code_id.clone(),
                    negatives: Vec::new(),
                    ..pair.clone()
                });
            }
        }
        views.push(TrainingPart {
            split: written.split.clone(),
            name: "views".to_owned(),
            pairs,
        });
    }
    views
}

fn counts(left_out: &[LeftOut<'_>]) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for one in left_out {
        let why = match one.why {
            Overlap::Repository => "of a repository that is excluded",
            Overlap::Text(_) => "nearly the same as a document",
        };
        *counts.entry(format!("{why}, {}", one.by)).or_default() += 1;
    }
    counts
}

fn table_of_left_out(left_out: &[LeftOut<'_>]) -> Vec<Vec<String>> {
    let head = ["code_id", "repository", "path", "line", "by", "similarity"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(left_out.iter().map(|one| {
        vec![
            one.unit.id.to_string(),
            one.unit.origin.whole(),
            one.unit.origin.path.clone(),
            one.unit.origin.start_line.to_string(),
            one.by.clone(),
            match one.why {
                Overlap::Repository => String::new(),
                Overlap::Text(similarity) => format!("{similarity:.3}"),
            },
        ]
    }));
    rows
}

/// Returns a folder's own name, without its path, which is private.
fn name_of(folder: &Path, otherwise: &str) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy());
    name.map_or_else(|| otherwise.to_owned(), Cow::into_owned)
}

fn facts(
    arguments: &Request,
    run: &str,
    units: &[&Unit],
    left_out: &[LeftOut<'_>],
    cut: &Cut,
) -> Facts {
    let repositories: BTreeSet<String> = units.iter().map(|unit| unit.origin.whole()).collect();
    let licenses: BTreeSet<&str> = units
        .iter()
        .map(|unit| unit.origin.license.as_deref().unwrap_or("unknown"))
        .collect();
    let licenses: Vec<&str> = licenses.into_iter().collect();
    let mut about = vec![format!(
        "## Where it is from\n\nMined by barecode {} (`{run}`) from {} repositories:\n",
        env!("CARGO_PKG_VERSION"),
        repositories.len()
    )];
    about.extend(
        repositories
            .iter()
            .map(|repository| format!("- {repository}")),
    );
    about.push(format!(
        "\nEach row names its license: {}.\n\n## What was left out\n",
        licenses.join(", ")
    ));
    if arguments.exclude.is_empty() && arguments.exclude_repository.is_empty() {
        about.push(
            "Nothing was asked to be left out: do not evaluate on code that may be in here."
                .to_owned(),
        );
    }
    about.extend(
        counts(left_out)
            .iter()
            .map(|(by, n)| format!("- {by}: {n}")),
    );
    let compared = arguments.exclude.iter();
    about.extend(compared.map(|path| format!("\nCompared with `{}`.", name_of(path, "a dataset"))));
    if !cut.counts.is_empty() {
        about.push("\n## What was cut from object files\n".to_owned());
        about.extend(cut.counts.iter().map(|(what, n)| format!("- {what}: {n}")));
    }
    about.push(String::new());
    Facts {
        title: Some(name_of(&arguments.to_path, "pairs")),
        description: Some(
            "Pairs of a comment and its function, to train code retrievers on.".to_owned(),
        ),
        license: match licenses[..] {
            ["unknown"] => None,
            [license] => Some(license.to_owned()),
            _ => None,
        },
        about: Some(about.join("\n")),
        ..Facts::default()
    }
}

fn part_json((part, numbers): (&TrainingPart, &Averages)) -> Value {
    json!({
        "split": part.split,
        "name": part.name,
        "pairs": part.pairs.len(),
        "query_tokens": numbers.query_tokens,
        "code_tokens": numbers.code_tokens,
        "lines": numbers.lines,
        "complexity": numbers.complexity,
        "without_negatives": part.pairs.iter().filter(|pair| pair.negatives.is_empty()).count(),
    })
}

fn table(parts: &[TrainingPart], numbers: &[Averages]) -> String {
    let rows = parts.iter().zip(numbers).map(|(part, numbers)| {
        let mean = |value: f64| Some(format!("{value:.1}")).filter(|_| part.name != "views");
        [
            part.split.clone(),
            part.name.clone(),
            grouped(part.pairs.len() as u64),
            mean(numbers.query_tokens).unwrap_or_default(),
            mean(numbers.code_tokens).unwrap_or_default(),
            mean(numbers.lines).unwrap_or_default(),
            numbers.complexity.and_then(mean).unwrap_or_default(),
        ]
    });
    let heads = [
        "split",
        "setting",
        "pairs",
        "tokens in query",
        "tokens in code",
        "lines",
        "complexity",
    ];
    grid::plain(2..7, heads, rows)
}
