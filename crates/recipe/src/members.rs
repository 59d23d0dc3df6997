//! The members of a suite, found and read: for `eval`, `stats` and `audit`.
//!
//! In comes a recipe of test sets and the folder of its files; out comes each member with its pairs, or that it is not
//! here, with the places that were looked at. A member is its pairs of a text and the code that answers it: what a file
//! labels as not matching is left out, because non-matching pairs are drawn (`GenCodeSearchNet`, section 3.1), and so is,
//! under the profile `gecs`, what the released script skips. Everything left out is counted in a note.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use barecode_formats::{Benchmark, Loaded, Reading, Rendering, Strictness, Subset, load_as};
use barecode_records::Digest;

use crate::{Suite, SuiteMember};
use barecode_runs::console::grouped;
use barecode_runs::exit::Failure;

/// What stands between the two texts of a pair in the authors' files.
const SEPARATOR: &str = "[CODESPLIT]";

/// A member of a suite that is here.
pub struct Found<'a> {
    /// It.
    pub member: &'a SuiteMember,
    /// The file or folder that was read.
    pub file: PathBuf,
    /// Its pairs.
    pub subset: Subset,
    /// What was noted on the way.
    pub notes: Vec<String>,
}

/// What of a suite is here, and what is not.
pub struct Members<'a> {
    /// The members, in the order of the recipe.
    pub found: Vec<Found<'a>>,
    /// The members that are not here.
    pub missing: Vec<&'a SuiteMember>,
}

impl Suite {
    /// Finds and reads the members; `names` chooses some of them.
    ///
    /// # Errors
    /// A name that no member has, a file that is there and cannot be read, and a folder without any test set.
    pub fn members(&self, names: &[String]) -> anyhow::Result<Members<'_>> {
        for name in names {
            if !self.members.iter().any(|member| member.name == *name) {
                let known: Vec<&str> = self.members.iter().map(|it| it.name.as_str()).collect();
                let message = format!("the suite has no member `{name}`");
                let hint = format!("there are {}", known.join(", "));
                return Err(Failure::invalid(message).hint(hint).into());
            }
        }
        let mut members = Members {
            found: Vec::new(),
            missing: Vec::new(),
        };
        let chosen = |it: &&SuiteMember| names.is_empty() || it.trains || names.contains(&it.name);
        for member in self.members.iter().filter(chosen) {
            match self.files(member).next() {
                Some(file) => members.found.push(read(member, file, self.is_gecs)?),
                None => members.missing.push(member),
            }
        }
        if members.found.iter().all(|found| found.member.trains) {
            return Err(self.nothing_here(&members.missing).into());
        }
        Ok(members)
    }

    /// The files of a member that are here; under the profile `gecs` the authors' own come first.
    fn files(&self, member: &SuiteMember) -> impl Iterator<Item = PathBuf> {
        let mut files = member.files.clone();
        if self.is_gecs {
            files.sort_by_key(|file| !file.ends_with("_mrr.jsonl"));
        }
        let files = files.into_iter().map(|file| self.data.join(file));
        files.filter(|file| file.exists())
    }

    fn nothing_here(&self, missing: &[&SuiteMember]) -> Failure {
        let (name, data) = (&self.name, self.data.display());
        let looked: Vec<String> = missing.iter().map(|it| where_from(it)).collect();
        let looked = looked.join("\n  ");
        Failure::invalid(format!("no test set of `{name}` is in `{data}`")).hint(format!(
            "name the folder with --data; looked for:\n  {looked}"
        ))
    }
}

/// `CoSQA: cosqa-train.json, …; get it from https://…`
pub fn where_from(member: &SuiteMember) -> String {
    format!(
        "{}: {}; get it from {}",
        member.title,
        member.files.join(", "),
        member.source
    )
}

/// Reads the training set that a caller names in place of the recipe's.
pub fn training_set(path: &Path) -> anyhow::Result<(Subset, Vec<String>)> {
    let member = SuiteMember::train(path);
    let found = read(&member, path.to_owned(), false)?;
    Ok((found.subset, found.notes))
}

/// Draws so many queries of a training set, with the documents that answer them.
pub fn some_of(mut subset: Subset, most: usize, seed: u64) -> Subset {
    if subset.queries.len() <= most {
        return subset;
    }
    let key = |id: &str| {
        let digest = Digest::new("training pairs").field(seed.to_le_bytes());
        digest.field(id).seed()
    };
    let mut keys: Vec<(u64, &str)> = subset
        .queries
        .iter()
        .map(|it| (key(&it.id), &*it.id))
        .collect();
    keys.sort_unstable();
    let kept: BTreeSet<String> = keys[..most]
        .iter()
        .map(|(_, id)| (*id).to_owned())
        .collect();
    subset.queries.retain(|query| kept.contains(&query.id));
    subset
        .judgments
        .retain(|judgment| kept.contains(&judgment.query));
    let answers: BTreeSet<&str> = subset
        .judgments
        .iter()
        .map(|it| it.document.as_str())
        .collect();
    subset
        .documents
        .retain(|document| answers.contains(document.id.as_str()));
    subset
}

/// Leaves out the pairs of a training set that a test set has too, and says how many they are.
pub fn without_tests(mut train: Subset, tests: &[&Subset]) -> (Subset, usize) {
    let tested: BTreeSet<(&str, &str)> = tests.iter().flat_map(|test| pairs(test)).collect();
    let ids: BTreeMap<&str, &str> = train
        .queries
        .iter()
        .map(|it| (&*it.id, &*it.text))
        .collect();
    let texts: BTreeMap<&str, &str> = train
        .documents
        .iter()
        .map(|it| (&*it.id, &*it.text))
        .collect();
    let shared: BTreeSet<String> = train
        .judgments
        .iter()
        .filter(|it| {
            let pair = ids.get(&*it.query).zip(texts.get(&*it.document));
            pair.is_some_and(|(text, code)| tested.contains(&(*text, *code)))
        })
        .map(|it| it.query.clone())
        .collect();
    let n_shared = shared.len();
    train.queries.retain(|query| !shared.contains(&query.id));
    train
        .judgments
        .retain(|judgment| !shared.contains(&judgment.query));
    let answers: BTreeSet<String> = train
        .judgments
        .iter()
        .map(|it| it.document.clone())
        .collect();
    train
        .documents
        .retain(|document| answers.contains(&document.id));
    (train, n_shared)
}

/// The texts and codes that belong together.
pub fn pairs(subset: &Subset) -> Vec<(&str, &str)> {
    let queries: BTreeMap<&str, &str> = subset
        .queries
        .iter()
        .map(|it| (&*it.id, &*it.text))
        .collect();
    let documents: BTreeMap<&str, &str> = subset
        .documents
        .iter()
        .map(|it| (&*it.id, &*it.text))
        .collect();
    let positive = subset.judgments.iter().filter(|it| it.grade > 0);
    positive
        .filter_map(|it| Some((*queries.get(&*it.query)?, *documents.get(&*it.document)?)))
        .collect()
}

/// All files of members that are here, with the pairs that are labeled as not matching, as one benchmark: for an audit.
/// A member's first file goes by its name; another one has its own name behind it.
///
/// # Errors
/// As [`Suite::members`].
pub fn filed(suite: &Suite) -> anyhow::Result<(Benchmark, Vec<String>)> {
    let mut notes: Vec<String> = Vec::new();
    let (mut subsets, mut missing) = (Vec::new(), Vec::new());
    for member in &suite.members {
        if suite.files(member).next().is_none() {
            notes.push(format!("not here: {}", where_from(member)));
            missing.push(member);
        }
        for (at, file) in suite.files(member).enumerate() {
            let (subset, own) = load(member, &file)?;
            notes.extend(own.into_iter().map(|note| format!("note: {note}")));
            let stem = file
                .file_stem()
                .unwrap_or(file.as_os_str())
                .to_string_lossy();
            let name = match at {
                // The training set of all test sets, and not of one that is called alike.
                0 if member.trains => "train".to_owned(),
                0 => member.name.clone(),
                _ => format!("{}/{stem}", member.name),
            };
            let split = if member.trains { "train" } else { "test" }.to_owned();
            subsets.push(Subset {
                name,
                split,
                ..subset
            });
        }
    }
    if subsets.is_empty() {
        return Err(suite.nothing_here(&missing).into());
    }
    let benchmark = Benchmark {
        name: suite.name.clone(),
        subsets,
        ..Benchmark::default()
    };
    Ok((benchmark, notes))
}

/// A file of a member as it is, and what was noted.
fn load(member: &SuiteMember, file: &Path) -> anyhow::Result<(Subset, Vec<String>)> {
    let reading = Reading {
        format: member.format,
        // What a strict reader refuses is counted in a note.
        strictness: Strictness::AsLoader,
        rendering: if member.tokens {
            Rendering::Tokens
        } else {
            Rendering::Text
        },
        columns: None,
    };
    let Loaded {
        benchmark,
        mut notes,
        taken,
        ..
    } = load_as(file, &reading)?;
    notes.extend(taken.iter().map(ToString::to_string));
    Ok((one_subset(member, file, benchmark.subsets)?, notes))
}

fn read(member: &SuiteMember, file: PathBuf, is_gecs: bool) -> anyhow::Result<Found<'_>> {
    let (subset, mut notes) = load(member, &file)?;
    let subset = positive(subset, &mut notes);
    let subset = if is_gecs {
        as_script(subset, &mut notes)
    } else {
        subset
    };
    if subset.queries.is_empty() {
        let message = format!("`{}` has no pair that matches", file.display());
        return Err(Failure::invalid(message).into());
    }
    Ok(Found {
        member,
        file,
        subset,
        notes,
    })
}

/// The subset that is meant, where a file or a folder has several.
fn one_subset(
    member: &SuiteMember,
    file: &Path,
    mut subsets: Vec<Subset>,
) -> Result<Subset, Failure> {
    if let Some(name) = &member.subset {
        subsets.retain(|subset| subset.name == *name);
    }
    let split = if member.trains { "train" } else { "test" };
    if subsets.iter().any(|subset| subset.split == split) {
        subsets.retain(|subset| subset.split == split);
    }
    let names: Vec<String> = subsets
        .iter()
        .map(|subset| format!("{} ({})", subset.name, subset.split))
        .collect();
    let mut subsets = subsets.into_iter();
    match (subsets.next(), subsets.next()) {
        (Some(only), None) => Ok(only),
        (None, _) => Err(Failure::invalid(format!(
            "`{}` has no subset for {}",
            file.display(),
            member.title
        ))),
        (Some(_), Some(_)) => Err(Failure::invalid(format!(
            "`{}` has several subsets for {}: {}",
            file.display(),
            member.title,
            names.join(", ")
        ))
        .hint("name one with `subset` in the recipe")),
    }
}

/// The pairs that match: without the documents that only non-matching pairs name, and without queries of no answer.
fn positive(mut subset: Subset, notes: &mut Vec<String>) -> Subset {
    let mut best: BTreeMap<&str, i32> = BTreeMap::new();
    for judgment in &subset.judgments {
        let grade = best.entry(&judgment.document).or_insert(judgment.grade);
        *grade = (*grade).max(judgment.grade);
    }
    let unwanted = best.iter().filter(|(_, grade)| **grade <= 0);
    let unwanted: BTreeSet<String> = unwanted.map(|(id, _)| (*id).to_owned()).collect();
    let positive = subset.judgments.iter().filter(|it| it.grade > 0);
    let asked: BTreeSet<String> = positive.map(|it| it.query.clone()).collect();
    let before = (subset.queries.len(), subset.documents.len());
    subset.judgments.retain(|it| it.grade > 0);
    subset.queries.retain(|query| asked.contains(&query.id));
    subset
        .documents
        .retain(|document| !unwanted.contains(&document.id));
    let after = (subset.queries.len(), subset.documents.len());
    if before != after {
        notes.push(format!(
            "{}: {} texts and {} codes are only in pairs labeled as not matching, and are left out",
            subset.name,
            grouped((before.0 - after.0) as u64),
            grouped((before.1 - after.1) as u64)
        ));
    }
    subset
}

/// Without the rows that the released script skips: those with a second separator.
fn as_script(mut subset: Subset, notes: &mut Vec<String>) -> Subset {
    let has = |text: &str| text.contains(SEPARATOR);
    let skipped = subset.documents.iter().filter(|it| has(&it.text));
    let skipped: BTreeSet<String> = skipped.map(|it| it.id.clone()).collect();
    let of = subset
        .judgments
        .iter()
        .filter(|it| skipped.contains(&it.document));
    let queries: BTreeSet<String> = of.map(|it| it.query.clone()).collect();
    subset.documents.retain(|it| !skipped.contains(&it.id));
    subset.queries.retain(|it| !queries.contains(&it.id));
    subset.judgments.retain(|it| !queries.contains(&it.query));
    if !skipped.is_empty() {
        notes.push(format!(
            "{}: {} rows with a second {SEPARATOR} are left out, as by the released script",
            subset.name,
            grouped(skipped.len() as u64)
        ));
    }
    subset
}
