//! `release`: a benchmark in every format that a publication needs, each read back and compared.

use std::collections::BTreeMap;
use std::path::PathBuf;

use barecode_formats::{
    Facts, Format, Part, Publication, Strictness, name_places, release, release_split,
};
use clap::Args;
use serde::Deserialize;
use serde_json::{Value, json};

use super::chosen::{chosen, existing};
use crate::answer::Answer;
use crate::console::grouped;
use crate::exit::{Failure, read_text};
use crate::report::grid;
use crate::session::Session;
use crate::verify::before_publishing;

/// Write a dataset in every format that a publication needs.
///
/// Reads each format back, and reports what it cannot represent.
///
/// A dataset that lies in a run is compared with the run's manifest first, as `verify` does. Sources on this machine go by
/// the ends of their paths.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  barecode release runs/demo/05-dataset publication --facts release.toml --split-licenses"
)]
pub(super) struct Request {
    /// A recipe, a run folder, or a dataset: a file or a folder of a known format.
    #[arg(value_name = "IN")]
    from_path: PathBuf,
    /// The folder to write.
    #[arg(value_name = "OUT")]
    to_path: PathBuf,
    /// Facts about the benchmark, a TOML file: name, title, description, license, creators, url, version,
    /// published, citation, and a table `rai`.
    #[arg(long, value_name = "FILE")]
    facts: Option<PathBuf>,
    /// The name in files and identifiers.
    #[arg(long)]
    name: Option<String>,
    /// A description.
    #[arg(long)]
    description: Option<String>,
    /// The license of the whole, as an SPDX expression.
    #[arg(long)]
    license: Option<String>,
    /// A creator; may be given several times.
    #[arg(long, value_name = "NAME")]
    creator: Vec<String>,
    /// Its home page.
    #[arg(long)]
    url: Option<String>,
    /// Its version: `1.0.0`.
    #[arg(long = "dataset-version", value_name = "VERSION")]
    version: Option<String>,
    /// The day of publication: `2026-11-21`.
    #[arg(long, value_name = "DAY")]
    published: Option<String>,
    /// How to cite it.
    #[arg(long)]
    citation: Option<String>,
    /// The format to read, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    from: Option<Format>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    /// Divide every subset by license family: permissive, weak copyleft, copyleft,
    /// restricted, unknown.
    #[arg(long)]
    split_licenses: bool,
    /// Replace an existing folder.
    #[arg(long)]
    force: bool,
}

/// The file of facts.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FactsFile {
    name: Option<String>,
    title: Option<String>,
    description: Option<String>,
    license: Option<String>,
    #[serde(default)]
    creators: Vec<String>,
    url: Option<String>,
    version: Option<String>,
    published: Option<String>,
    citation: Option<String>,
    #[serde(default)]
    rai: BTreeMap<String, Value>,
}

/// Writes the publication; answers with its parts and what was read back.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let file = facts_file(arguments)?;
    before_publishing(&arguments.from_path)?;
    let loaded = session.load(&arguments.from_path, arguments.from, Strictness::Strict)?;
    let mut benchmark = loaded.benchmark;
    benchmark.subsets = chosen(benchmark.subsets, &arguments.subset)?;
    for (place, name) in name_places(&mut benchmark) {
        session.note(&format!(
            "`{place}` is on this machine, and is published as `{name}`"
        ));
    }
    let publication = publication(arguments, file, &benchmark.facts);
    let existing = existing(arguments.force, &arguments.from_path, &arguments.to_path)?;
    let parts = if arguments.split_licenses {
        release_split(&benchmark, &publication, &arguments.to_path, existing)?
    } else {
        release(&benchmark, &publication, &arguments.to_path, existing)?
    };
    for part in &parts {
        if let Some(why) = &part.left_out {
            session.note(&format!("left out: {}: {why}", part.path));
        }
    }
    // Formats often lose the same thing: print each loss once, with the formats.
    let mut lost: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for part in &parts {
        for loss in &part.lost {
            lost.entry(loss.clone()).or_default().push(&part.path);
        }
    }
    for (loss, paths) in &lost {
        session.note(&format!("lost: {}: {loss}", paths.join(", ")));
    }
    let rows = || parts.iter().map(part_json).collect::<Vec<_>>();
    session.answer(
        || json!({ "path": arguments.to_path, "parts": rows() }),
        |_| Ok(table(&parts)),
    )
}

fn facts_file(arguments: &Request) -> anyhow::Result<FactsFile> {
    let Some(path) = &arguments.facts else {
        return Ok(FactsFile::default());
    };
    let facts = toml::from_str(&read_text(path)?)
        .map_err(|error| Failure::invalid(format!("`{}`: {error}", path.display())))?;
    Ok(facts)
}

/// Options come before the file, and the file before what was read.
fn publication(arguments: &Request, file: FactsFile, read: &Facts) -> Publication {
    let first = |option: &Option<String>, of_file: Option<String>, of_read: &Option<String>| {
        option.clone().or(of_file).or_else(|| of_read.clone())
    };
    let creators = [&arguments.creator, &file.creators, &read.creators]
        .into_iter()
        .find(|names| !names.is_empty())
        .cloned()
        .unwrap_or_default();
    let name = first(&arguments.name, file.name, &None).unwrap_or_default();
    Publication {
        facts: Facts {
            title: first(&None, file.title, &read.title).or_else(|| Some(name.clone())),
            description: first(&arguments.description, file.description, &read.description),
            license: first(&arguments.license, file.license, &read.license),
            url: first(&arguments.url, file.url, &read.url),
            version: first(&arguments.version, file.version, &read.version),
            published: first(&arguments.published, file.published, &read.published),
            citation: first(&arguments.citation, file.citation, &read.citation),
            creators,
            ..Facts::default()
        },
        name,
        rai: file.rai,
    }
}

fn part_json(part: &Part) -> Value {
    let [documents, queries, judgments] = part.counts;
    json!({
        "path": part.path,
        "format": part.format,
        "documents": documents,
        "queries": queries,
        "judgments": judgments,
        "lost": part.lost,
        "left_out": part.left_out,
    })
}

fn table(parts: &[Part]) -> String {
    let rows = parts.iter().map(|part| {
        let result = match (&part.left_out, part.lost.len(), part.counts) {
            (Some(_), _, _) => "left out".to_owned(),
            (None, 0, [0, 0, 0]) => "written".to_owned(),
            (None, 0, _) => "the same".to_owned(),
            (None, lost, _) => {
                format!("the same texts and judgments; lost: {lost}")
            }
        };
        let [documents, queries, judgments] = part.counts.map(|count| match count {
            0 => String::new(),
            count => grouped(count),
        });
        let (path, format) = (part.path.clone(), part.format.clone());
        [path, format, documents, queries, judgments, result]
    });
    let heads = [
        "part",
        "format",
        "documents",
        "queries",
        "judgments",
        "read back",
    ];
    grid::plain(2..5, heads, rows)
}
