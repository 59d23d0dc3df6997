//! The members of a benchmark, found and read: for `eval`, `stats` and `audit`.
//!
//! In comes a dataset, whose subsets are its members, or a suite of test sets and the folder of its files; out comes
//! each member with its pairs, or a note that it is not installed, with the paths that were looked at. A member of a
//! recipe is its pairs of a text and the code that answers it: pairs that a file labels as not matching are left out,
//! because non-matching pairs are drawn (`GenCodeSearchNet`, section 3.1), and so are, under the profile `gecs`, the
//! rows that the released script skips. Everything left out is counted in a note.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use barecode_formats::{
    Benchmark, Format, Loaded, Reading, Rendering, Strictness, Subset, Taken, load_as,
};
use barecode_records::Digest;

use crate::{Suite, SuiteMember};
use barecode_runs::console::grouped;
use barecode_runs::exit::Failure;

/// The separator of the two texts of a pair in the authors' files.
const SEPARATOR: &str = "[CODESPLIT]";

/// A member that is installed.
pub struct Present<'a> {
    /// It.
    pub member: Cow<'a, SuiteMember>,
    /// The file or folder that was read.
    pub file: PathBuf,
    /// Its documents, queries and judgments; of a recipe only pairs that match.
    pub subset: Subset,
    /// The notes of the reader.
    pub notes: Vec<String>,
}

/// A benchmark with its members: those that are installed, and those that are not.
pub struct Members<'a> {
    /// Its name.
    pub name: String,
    /// The roles that were assigned to the columns of a table.
    pub columns: Vec<Taken>,
    /// The suite of test sets, if it is one.
    pub suite: Option<&'a Suite>,
    /// The members, in the order of the dataset or the recipe.
    pub found: Vec<Present<'a>>,
    /// The members that are not installed.
    pub missing: Vec<&'a SuiteMember>,
}

impl<'a> Members<'a> {
    /// The members of a dataset: its subsets.
    pub fn of_dataset(loaded: Loaded, file: &Path) -> Self {
        let found = loaded.benchmark.subsets.into_iter().map(|subset| Present {
            member: Cow::Owned(SuiteMember::named(subset.name.clone())),
            file: file.to_owned(),
            subset,
            notes: Vec::new(),
        });
        Members {
            name: loaded.benchmark.name,
            columns: loaded.taken,
            suite: None,
            found: found.collect(),
            missing: Vec::new(),
        }
    }

    /// Keeps only the path of each member: its texts are somewhere else by now.
    pub fn forget_texts(&mut self) {
        for found in &mut self.found {
            found.subset = Subset::default();
        }
    }

    /// The sets that are measured on.
    pub fn tests(&self) -> impl Iterator<Item = &Present<'a>> + Clone {
        self.found.iter().filter(|found| !found.member.trains)
    }

    /// The set that thresholds are fitted on, and distances are measured to.
    pub fn train(&self) -> Option<&Present<'a>> {
        self.found.iter().find(|found| found.member.trains)
    }

    /// A sentence for each member that is not installed.
    pub fn not_here(&self) -> impl Iterator<Item = String> {
        let missing = self.missing.iter();
        missing.map(|member| format!("not here: {}", where_from(member)))
    }
}

impl Suite {
    /// Finds and reads the members; `names` chooses some of them.
    ///
    /// # Errors
    /// A name that no member has, a file that exists but cannot be read, and a folder without any test set.
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
            name: self.name.clone(),
            columns: Vec::new(),
            suite: Some(self),
            found: Vec::new(),
            missing: Vec::new(),
        };
        let chosen = |it: &&SuiteMember| names.is_empty() || it.trains || names.contains(&it.name);
        for member in self.members.iter().filter(chosen) {
            match self.files(member).next() {
                Some(file) => members
                    .found
                    .push(read(Cow::Borrowed(member), file, self.is_gecs)?),
                None => members.missing.push(member),
            }
        }
        if members.tests().next().is_none() {
            return Err(self.nothing_here(&members.missing).into());
        }
        Ok(members)
    }

    /// The files of a member that are installed; under the profile `gecs` the authors' own come first.
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
fn where_from(member: &SuiteMember) -> String {
    format!(
        "{}: {}; get it from {}",
        member.title,
        member.files.join(", "),
        member.source
    )
}

/// Reads the training set that a caller names instead of the recipe's.
pub fn training_set(path: &Path) -> anyhow::Result<(Subset, Vec<String>)> {
    let member = SuiteMember {
        tokens: true,
        trains: true,
        ..SuiteMember::named(path.display().to_string())
    };
    let found = read(Cow::Owned(member), path.to_owned(), false)?;
    Ok((found.subset, found.notes))
}

/// Draws at most this many queries of a training set, with the documents that answer them.
pub fn some_of(subset: Subset, most: usize, seed: u64) -> Subset {
    if subset.queries.len() <= most {
        return subset;
    }
    let key = |id: &str| {
        let digest = Digest::new("training pairs").field(seed.to_le_bytes());
        digest.field(id).seed()
    };
    let ids = subset.queries.iter().map(|it| it.id.clone());
    let mut keys: Vec<(u64, String)> = ids.map(|id| (key(&id), id)).collect();
    keys.sort_unstable();
    keys.truncate(most);
    let kept: BTreeSet<String> = keys.into_iter().map(|(_, id)| id).collect();
    with_answers(subset, |query| kept.contains(query))
}

/// Leaves out the pairs of a training set that a test set has too, and returns their number.
pub fn without_tests(train: Subset, tests: &[&Subset]) -> (Subset, usize) {
    let tested: BTreeSet<(&str, &str)> = tests.iter().flat_map(|test| pairs(test)).collect();
    let (queries, documents) = texts(&train);
    let is_shared = |query: &str, document: &str| {
        let pair = queries.get(query).zip(documents.get(document));
        pair.is_some_and(|(text, code)| tested.contains(&(*text, *code)))
    };
    let shared = train.judgments.iter();
    let shared = shared.filter(|it| is_shared(&it.query, &it.document));
    let shared: BTreeSet<String> = shared.map(|it| it.query.clone()).collect();
    let train = with_answers(train, |query| !shared.contains(query));
    (train, shared.len())
}

/// Some queries of a subset, and the documents that are judged for them.
fn with_answers(mut subset: Subset, keeps: impl Fn(&str) -> bool) -> Subset {
    subset.queries.retain(|query| keeps(&query.id));
    subset.judgments.retain(|it| keeps(&it.query));
    let answers = subset.judgments.iter().map(|it| it.document.as_str());
    let answers: BTreeSet<&str> = answers.collect();
    subset
        .documents
        .retain(|it| answers.contains(it.id.as_str()));
    subset
}

/// The texts of queries and of documents, by id.
pub fn texts(subset: &Subset) -> (BTreeMap<&str, &str>, BTreeMap<&str, &str>) {
    let queries = subset.queries.iter().map(|it| (&*it.id, &*it.text));
    let documents = subset.documents.iter().map(|it| (&*it.id, &*it.text));
    (queries.collect(), documents.collect())
}

/// The texts and codes that belong together.
pub fn pairs(subset: &Subset) -> Vec<(&str, &str)> {
    let (queries, documents) = texts(subset);
    let positive = subset.judgments.iter().filter(|it| it.grade > 0);
    positive
        .filter_map(|it| Some((*queries.get(&*it.query)?, *documents.get(&*it.document)?)))
        .collect()
}

/// All files of members that are installed, with the pairs that are labeled as not matching, as one benchmark: for an
/// audit. A member's first file has the member's name; another one has its own name behind it.
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

/// A file of a member as it is, and the notes of the reader.
fn load(member: &SuiteMember, file: &Path) -> anyhow::Result<(Subset, Vec<String>)> {
    let reading = Reading {
        format: member.format.as_deref().and_then(Format::named),
        // A note counts what a strict reader would refuse.
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

fn read(member: Cow<'_, SuiteMember>, file: PathBuf, is_gecs: bool) -> anyhow::Result<Present<'_>> {
    let (subset, mut notes) = load(&member, &file)?;
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
    let subset = Subset {
        name: member.name.clone(),
        split: "test".to_owned(),
        ..subset
    };
    Ok(Present {
        member,
        file,
        subset,
        notes,
    })
}

/// The subset that is meant, if a file or a folder has several.
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

/// The pairs that match: without the documents that only non-matching pairs name, and without queries that have no
/// answer.
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
    subset.documents.retain(|it| !unwanted.contains(&it.id));
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
    let skipped = subset.documents.iter();
    let skipped = skipped.filter(|it| it.text.contains(SEPARATOR));
    let skipped: BTreeSet<String> = skipped.map(|it| it.id.clone()).collect();
    let of = subset.judgments.iter();
    let of = of.filter(|it| skipped.contains(&it.document));
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
