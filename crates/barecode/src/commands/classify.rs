//! `classify`: the class of each query of any dataset, as a model sees it.
//!
//! A dataset and a model come in; a row for each pair of query and answer comes out, with its class or the reason why
//! it has none. `review new` reads the rows, so that a person has the last word. A run classifies its own comments
//! (`classify` under `[queries]`); this is for files from elsewhere.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_formats::{Document, Subset};
use barecode_models::{ModelError, estimate_writing, open_writer};
use barecode_queries::{CLASS_PROMPT, Classes};
use clap::Args;
use serde::Serialize;

use super::chosen::chosen;
use crate::answer::Answer;
use crate::console::grouped;
use crate::encoders::sampling;
use crate::exit::Failure;
use crate::models::{self, Means};
use crate::recipe::ANSWER_TOKENS;
use crate::session::{DatasetArguments, Session};
use crate::stages::query::classifying;

/// Have a model sort queries into classes.
///
/// Prints rows for `barecode review`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode classify statcodesearch_10k_gpt_filtered.csv --model openai:gpt-3.5-turbo --dry-run\n  \
                  barecode classify pairs.csv --model openai:gpt-3.5-turbo > classified.csv\n  barecode review new classified.csv"
)]
pub(super) struct Request {
    /// The dataset: a file or a folder, or `hf:ORG/NAME` (`@REVISION`).
    dataset: PathBuf,
    /// The model: `openai:MODEL`, `openai+URL#MODEL`, `anthropic:MODEL`, `process:COMMAND`, or a name from --models.
    #[arg(long, short = 'm', value_name = "MODEL")]
    model: String,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// A file with your own prompt, with `{Input}` and the classes in brackets; by default the paper's.
    #[arg(long, value_name = "FILE", default_value = CLASS_PROMPT)]
    prompt: String,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    #[command(flatten)]
    how: DatasetArguments,
    /// Estimate texts, tokens and dollars; do not call the model.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    means: Means,
}

/// A pair with its class.
#[derive(Debug, Serialize)]
struct Row<'a> {
    id: &'a str,
    /// The class, or the reason why it has none.
    group: String,
    is_classified: bool,
    text: &'a str,
    code: &'a str,
    language: &'a str,
    detail: String,
}

/// Classifies.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let classes = Classes::of(&arguments.prompt, Path::new("")).map_err(Failure::invalid)?;
    let loaded = session.dataset(&arguments.dataset, &arguments.how)?;
    let subsets = chosen(loaded.benchmark.subsets, &arguments.subset)?;
    let pairs: Vec<_> = subsets.iter().flat_map(pairs).collect();
    if pairs.is_empty() {
        let message = format!(
            "`{}` has no query with an answer",
            arguments.dataset.display()
        );
        return Err(Failure::invalid(message).into());
    }
    let file = arguments.models.as_deref();
    let spec = models::model(&arguments.model, file, ModelError::cannot_write)?;
    let sampling = sampling(ANSWER_TOKENS);
    let opening = session.opening(&arguments.means)?;
    let texts: Vec<&str> = pairs.iter().map(|(_, text, ..)| *text).collect();
    if arguments.dry_run {
        let prompts = classifying::prompts(&classes, &texts);
        let estimate = estimate_writing(&spec, sampling, &opening, &prompts)?;
        let estimates = [(spec.name.clone(), estimate)];
        return session.estimates("model", &estimates);
    }
    let writer = open_writer(&spec, sampling, &opening)?.into();
    let found = classifying::ask(&writer, &spec.name, &classes, &texts, session.console)?;
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let rows: Vec<Row<'_>> = pairs
        .iter()
        .zip(found)
        .map(|(&(id, text, code, language), class)| {
            let is_classified = class.is_ok();
            let (group, detail) = match class {
                Ok(class) => (class, String::new()),
                Err((reason, detail)) => (reason.code().to_owned(), detail),
            };
            *counts.entry(group.clone()).or_default() += 1;
            Row {
                id,
                group,
                is_classified,
                text,
                code,
                language,
                detail,
            }
        })
        .collect();
    for (class, count) in &counts {
        session.note(&format!("{class}: {}", grouped(*count)));
    }
    session.answer(
        || serde_json::json!({ "classes": counts, "rows": rows }),
        |_| {
            let mut table = csv::Writer::from_writer(Vec::new());
            for row in &rows {
                table.serialize(row)?;
            }
            let table = String::from_utf8(table.into_inner()?)?;
            Ok(table.trim_end().to_owned())
        },
    )
}

/// The queries of a subset with the answer that is judged best, of several the first: id, text, code, language.
fn pairs(subset: &Subset) -> Vec<(&str, &str, &str, &str)> {
    let documents = subset.documents.iter();
    let documents: BTreeMap<&str, &Document> =
        documents.map(|one| (one.id.as_str(), one)).collect();
    let mut best: BTreeMap<&str, (i32, &str)> = BTreeMap::new();
    for judgment in subset.judgments.iter().filter(|one| one.grade > 0) {
        let known = best.entry(&judgment.query).or_default();
        if judgment.grade > known.0 {
            *known = (judgment.grade, &judgment.document);
        }
    }
    let found = subset.queries.iter().filter_map(|query| {
        let (_, id) = best.get(query.id.as_str())?;
        let document = documents.get(id)?;
        let language = document.language().unwrap_or_default();
        Some((
            query.id.as_str(),
            query.text.as_str(),
            document.text.as_str(),
            language,
        ))
    });
    found.collect()
}
