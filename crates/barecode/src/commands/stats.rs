//! `stats`: the numbers of a dataset, as in CLARC's Tables 1, 7 and 10.
//!
//! The numbers of a run are stored in its dataset and are shown as they are; with another tokenizer they are counted
//! anew. A file of rows as CLARC publishes them is counted too, so that the two can be compared. The test sets of a
//! suite, and any other dataset, are counted as in `GenCodeSearchNet`'s Table 1 (`pairs`); the programs of a run as in
//! pydra's figures (`programs`).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_dataset::{Code, Configuration, Tokenizer, averages, statistics};
use barecode_formats::{Format, Strictness, detect, load};
use barecode_records::{Language, Split, Stage, Statistic};
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::json;

use super::chosen::{unit_of, units_by_id};
use crate::answer::Answer;
use crate::exit::Failure;
use crate::layout::{self, Layout};
use crate::members::texts;
use crate::recipe::is_suite;
use crate::report;
use crate::run_folder::RunFolder;
use crate::session::{BUILD_FIRST, Session};

mod pairs;
mod programs;

/// Count a dataset: pairs, tokens, lines, repositories, lengths of programs.
///
/// Also counts complexity, keywords or instructions, and the lengths of variants of programs.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode stats [OPTIONS] <RECIPE|DATASET>\n       barecode stats [OPTIONS] --run <DIR>",
    after_help = "Examples:\n  barecode stats recipes/demo.toml --by repository\n  barecode stats --run runs/demo --tokenizer tokenizer.json\n  barecode stats clarc/group1.json --json\n  barecode stats recipes/gencodesearchnet.toml --data gecs --tokenizer tokenizer.json"
)]
#[command(group = ArgGroup::new("where").required(true).args(["what", "run"]))]
pub(super) struct Request {
    /// A recipe, a run folder, or a dataset; also a suite of test sets, or a `.json` file as CLARC publishes it.
    #[arg(value_name = "RECIPE|DATASET")]
    what: Option<PathBuf>,
    /// The run folder itself.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Count tokens with this `tokenizer.json`.
    #[arg(long, value_name = "FILE")]
    tokenizer: Option<PathBuf>,
    /// The training set that distances are measured to; by default the recipe's.
    #[arg(long, value_name = "DATASET")]
    train: Option<PathBuf>,
    /// The folder of the files of a suite of test sets.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Show the rows of each language, repository, or year of the first commit.
    #[arg(long, value_enum, value_name = "KIND", conflicts_with = "language")]
    by: Option<By>,
    /// The language of the code in a `.json` file; guessed by default. For `other` only tokens and lines are counted.
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    language: Option<FileLanguage>,
}

/// What rows are told apart by.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum By {
    Language,
    Repository,
    Year,
}

/// What the code of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FileLanguage {
    /// C.
    C,
    /// C++, and C that is C++ too.
    Cpp,
    /// Compiler output: assembly, WebAssembly, LLVM IR.
    Lowered,
    /// None of these.
    Other,
}

/// The numbers of a run or a file.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let what = arguments.what.as_deref();
    let ends_in = |what: &Path, ending: &str| what.extension().is_some_and(|it| it == ending);
    let is_run = |what: &Path| ends_in(what, "toml") || RunFolder::existing(what).is_ok();
    if let Some(what) = what.filter(|what| is_suite(what) || !is_run(what)) {
        if let Some(probe) = layout::probe_of(what)? {
            return of_programs(session, what, &probe, arguments);
        }
        let rows = ends_in(what, "json").then(|| rows_of(what)).transpose()?;
        let Some(rows) = rows.flatten().filter(|_| arguments.train.is_none()) else {
            if ends_in(what, "json") && detect(what).is_err() {
                return Err(no_pairs(what).into());
            }
            return pairs::run(session, what, arguments);
        };
        let tokenizer = match &arguments.tokenizer {
            Some(path) => Tokenizer::read(path)?,
            None => Tokenizer::CTokens,
        };
        return of_file(session, what, &rows, arguments.language, &tokenizer);
    }
    if arguments.train.is_some() || arguments.data.is_some() {
        let message = "--train and --data are for test sets, and this is a run";
        return Err(Failure::invalid(message).into());
    }
    let folder = session.run(arguments.run.as_deref(), what)?;
    let layout = folder.layout();
    if !layout.has_dataset() {
        let message = format!("`{}` has no dataset yet", folder.root().display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    let dataset = folder.stage(Stage::Assemble);
    if let Some(probe) = layout::probe_of(&dataset)? {
        return of_programs(session, &dataset, &probe, arguments);
    }
    let rows: Vec<Statistic> = match &arguments.tokenizer {
        None => layout.statistics()?,
        Some(path) => counted(layout, &Tokenizer::read(path)?)?,
    };
    let kind = match arguments.by {
        None => "all",
        Some(By::Language) => "language",
        Some(By::Repository) => "repository",
        Some(By::Year) => "year",
    };
    session.answer(
        || json!({ "run": folder.root(), "statistics": rows }),
        |screen| Ok(report::statistics::terminal(&rows, kind, screen)),
    )
}

/// Counts the programs of a dataset.
fn of_programs(
    session: &Session,
    dataset: &Path,
    probe: &str,
    arguments: &Request,
) -> anyhow::Result<Answer> {
    let of_pairs = [arguments.train.is_some(), arguments.data.is_some()];
    if arguments.by.is_some() || arguments.language.is_some() || of_pairs.contains(&true) {
        let message = "--by, --language, --train and --data are for pairs of text and code, and these are programs";
        return Err(Failure::invalid(message).into());
    }
    let tokenizer = arguments.tokenizer.as_deref();
    let tokenizer = tokenizer.map(Tokenizer::read).transpose()?;
    programs::run(session, dataset, probe, tokenizer.as_ref())
}

/// Counts the pairs of a dataset anew.
fn counted(layout: Layout<'_>, tokenizer: &Tokenizer) -> anyhow::Result<Vec<Statistic>> {
    let units = units_by_id(layout)?;
    let listed = layout.subsets()?;
    let mut rows = Vec::new();
    for split in [Split::Test, Split::Train] {
        let mut configurations = Vec::new();
        for subset in listed.iter().filter(|one| one.splits.contains(&split)) {
            let pairs = layout.pairs(&subset.name, split)?;
            let answers = pairs.into_iter().map(|pair| {
                let unit = unit_of(&units, &subset.name, &pair)?;
                let document = unit.snippet().with_text(&pair.code_text).document();
                Ok((pair, document))
            });
            let answers = answers.collect::<Result<Vec<_>, Failure>>()?;
            configurations.push(Configuration::of_answers(subset.clone().into(), answers));
        }
        rows.extend(statistics(split, &configurations, tokenizer)?);
    }
    Ok(rows)
}

fn no_pairs(path: &Path) -> Failure {
    let message = format!(
        "`{}` has no pairs as CLARC publishes them, and is in no other format that is known",
        path.display()
    );
    Failure::invalid(message).hint("expected a list of objects with `query_id`, `query_text`, `code_text` and `relevance`, or an object with `query`, `corpus` and `qrel`")
}

/// Returns the query and the best answer of each query of a file as CLARC publishes them; `None` for any other.
fn rows_of(path: &Path) -> anyhow::Result<Option<Vec<(String, String)>>> {
    let published = [Format::ClarcOriginal, Format::ClarcCleaned];
    if !detect(path).is_ok_and(|format| published.contains(&format)) {
        return Ok(None);
    }
    let loaded = load(path, None, Strictness::AsLoader)?;
    let mut pairs = BTreeMap::new();
    for subset in &loaded.benchmark.subsets {
        let (queries, documents) = texts(subset);
        let positive = subset.judgments.iter().filter(|it| it.grade > 0);
        // The best answer comes last and stays; of several, the first in the file.
        let mut positive: Vec<_> = positive.rev().collect();
        positive.sort_by_key(|it| it.grade);
        pairs.extend(positive.iter().filter_map(|it| {
            let texts = (*queries.get(&*it.query)?, *documents.get(&*it.document)?);
            Some(((&subset.name, &it.query), texts))
        }));
    }
    let pairs = pairs.into_values();
    Ok(Some(
        pairs
            .map(|(query, code)| (query.to_owned(), code.to_owned()))
            .collect(),
    ))
}

/// Counts a file of CLARC.
fn of_file(
    session: &Session,
    path: &Path,
    pairs: &[(String, String)],
    language: Option<FileLanguage>,
    tokenizer: &Tokenizer,
) -> anyhow::Result<Answer> {
    let borrowed: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(query, code)| (&**query, &**code))
        .collect();
    let code = match language.unwrap_or_else(|| guessed(&borrowed)) {
        FileLanguage::C => Code::Source(Language::C),
        FileLanguage::Cpp => Code::Source(Language::CPP),
        FileLanguage::Lowered => Code::Lowered,
        FileLanguage::Other => Code::Other,
    };
    let found = averages(&borrowed, code, tokenizer)?;
    let data = || {
        json!({
            "file": path,
            "tokenizer": tokenizer.name(),
            "pairs": found.pairs,
            "query_tokens": found.query_tokens,
            "code_tokens": found.code_tokens,
            "lines": found.lines,
            "complexity": found.complexity,
            "keywords": found.keywords,
            "instructions": found.instructions,
        })
    };
    session.answer(data, |screen| {
        let name = path.file_name().unwrap_or(path.as_os_str());
        let name = name.to_string_lossy();
        Ok(report::statistics::file(
            &name,
            tokenizer.name(),
            &found,
            screen,
        ))
    })
}

/// Returns C++ where most texts have a body in braces, else a language that a compiler writes: a body of LLVM's begins
/// with `define`.
fn guessed(pairs: &[(&str, &str)]) -> FileLanguage {
    let is_source = |text: &str| text.contains('{') && !text.starts_with("define ");
    let sources = pairs.iter().filter(|(_, text)| is_source(text)).count();
    if sources * 2 > pairs.len() {
        FileLanguage::Cpp
    } else {
        FileLanguage::Lowered
    }
}
