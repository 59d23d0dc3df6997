//! `convert`: a benchmark of others from one format to another.
//!
//! Content that the target cannot hold is reported before anything is written, and then `--lossy` is needed to go on.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use barecode_formats::run::{self as runs, read_qrels};
use barecode_formats::{
    Format, Loaded, Strictness, Subset, impossible, in_one_folder, losses, ranx, write,
};
use clap::Args;
use serde_json::json;

use super::chosen::{chosen, existing};
use crate::answer::Answer;
use crate::exit::Failure;
use crate::report::grid;
use crate::session::{DatasetArguments, Session};

/// Convert a dataset from one format to another.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode convert clarc/cleaned out --to beir\n  barecode convert beir/cosqa out --to mteb --lossy"
)]
pub(super) struct Request {
    /// A file or a folder of a known format, or a dataset of the hub: `hf:ORG/NAME`, `hf:ORG/NAME@REVISION`.
    #[arg(value_name = "IN")]
    from_path: PathBuf,
    /// The folder to write.
    #[arg(value_name = "OUT")]
    to_path: PathBuf,
    /// The format to write; `ranx` makes a run or judgments of TREC, BEIR or MTEB a file for ranx, Parquet if it is
    /// called so, else JSON.
    #[arg(long, value_name = "FORMAT")]
    to: Target,
    /// The format to read, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    /// Convert even if the format cannot represent everything.
    #[arg(long)]
    lossy: bool,
    /// Replace an existing folder.
    #[arg(long)]
    force: bool,
    /// Treat missing texts of judgments as the format's own loader does, instead of refusing.
    #[arg(long)]
    lenient: bool,
}

/// The output to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A benchmark in one of the formats.
    Benchmark(Format),
    /// A run or judgments for ranx.
    Ranx,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "ranx" {
            return Ok(Target::Ranx);
        }
        let format = text.parse().map(Target::Benchmark);
        format.map_err(|error: String| format!("{error}, and ranx for runs and judgments"))
    }
}

/// Writes a run or judgments as ranx reads them. Judgments are what reads as such: grades are whole numbers.
fn to_ranx(session: &Session, from: &Path, to: &Path) -> anyhow::Result<Answer> {
    if to.exists() {
        return Err(Failure::invalid(format!("`{}` is already there", to.display())).into());
    }
    let is_parquet = to.extension().is_some_and(|ending| ending == "parquet");
    let (what, queries, documents) = if let Ok(qrels) = read_qrels(from) {
        if is_parquet {
            ranx::write_qrels_parquet(to, &qrels)?;
        } else {
            ranx::write_qrels_json(to, &qrels)?;
        }
        let documents: usize = qrels.values().map(BTreeMap::len).sum();
        ("judgments", qrels.len(), documents)
    } else {
        let table: runs::Table = runs::open_run(from)?.for_each_query(|of_query| {
            let documents = of_query.documents.iter();
            Ok(documents
                .map(|one| (one.doc.to_owned(), one.score))
                .collect())
        })?;
        if is_parquet {
            ranx::write_run_parquet(to, &table)?;
        } else {
            ranx::write_run_json(to, &table)?;
        }
        let documents = table.iter().map(|(_, documents)| documents.len()).sum();
        ("run", table.len(), documents)
    };
    session.answer(
        || json!({ "from": from, "to": to, "what": what, "queries": queries, "documents": documents }),
        |_| Ok(format!("{what}: {queries} queries, {documents} documents\n")),
    )
}

/// Converts; answers with what was written.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let to = match arguments.to {
        Target::Benchmark(to) => to,
        Target::Ranx => return to_ranx(session, &arguments.from_path, &arguments.to_path),
    };
    let strictness = if arguments.lenient {
        Strictness::AsLoader
    } else {
        Strictness::Strict
    };
    let how = DatasetArguments {
        format: arguments.from,
        columns: None,
    };
    let (loaded, folder) = session.dataset_in(&arguments.from_path, &how, strictness)?;
    let Loaded {
        mut benchmark,
        format,
        ..
    } = loaded;
    benchmark.subsets = chosen(benchmark.subsets, &arguments.subset)?;
    let benchmark = in_one_folder(&benchmark, to).into_owned();
    if let Some(message) = impossible(&benchmark, to) {
        return Err(Failure::invalid(format!("{to} cannot represent this: {message}")).into());
    }
    let lost = losses(&benchmark, to);
    for loss in &lost {
        session.note(&format!("lost: {loss}"));
    }
    if !lost.is_empty() && !arguments.lossy {
        let message = format!(
            "{to} cannot represent all of this benchmark; lost: {}",
            lost.len()
        );
        return Err(Failure::invalid(message)
            .hint("add --lossy to convert without them, or choose another format")
            .into());
    }
    let existing = existing(arguments.force, &folder, &arguments.to_path)?;
    write(&benchmark, to, &arguments.to_path, existing)?;
    let subsets = &benchmark.subsets;
    let data = || {
        json!({
            "from": { "path": arguments.from_path, "format": format.name(), "folder": folder },
            "to": { "path": arguments.to_path, "format": to.name() },
            "lost": lost,
            "subsets": subsets.iter().map(row_json).collect::<Vec<_>>(),
        })
    };
    session.answer(data, |_| Ok(table(subsets)))
}

fn row_json(subset: &Subset) -> serde_json::Value {
    json!({
        "subset": subset.name,
        "split": subset.split,
        "documents": subset.documents.len(),
        "queries": subset.queries.len(),
        "judgments": subset.judgments.len(),
    })
}

fn table(subsets: &[Subset]) -> String {
    let rows = subsets.iter().map(|subset| {
        [
            subset.name.clone(),
            subset.split.clone(),
            subset.documents.len().to_string(),
            subset.queries.len().to_string(),
            subset.judgments.len().to_string(),
        ]
    });
    let heads = ["subset", "split", "documents", "queries", "judgments"];
    grid::plain(2..5, heads, rows)
}
