//! `shift`: the distance that the vectors of documents move from one setting to another, and its correlations.
//!
//! Enters: a dataset with several subsets over the same documents and models. Leaves: for each model and setting the
//! mean shift with an interval, and its correlations with lines, cyclomatic complexity and perturbation fraction
//! (CLARC, Table 11). Queries and judgments are not read. A shift measures the effect of a setting on a model's
//! vectors, not on its ranking. A model with the same vector for all code has small shifts.
//!
//! If documents name their repository, whole repositories are drawn for the intervals.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use barecode_audit::originals;
use barecode_formats::{Benchmark, Format, Strictness, Subset};
use barecode_models::{Embeddings, ModelError, ModelSpec, Side, open_encoder};
use barecode_scores::Bootstrap;
use barecode_scores::robustness::{Distance, shift};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::chosen::chosen;
use crate::answer::Answer;
use crate::exit::Failure;
use crate::models::{self, Means};
use crate::session::Session;

mod features;
mod moved;

use features::Features;
use moved::{Document, Moved};

/// Measure how far embeddings move between settings.
///
/// Also prints what the shift correlates with.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode shift clarc --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                  barecode shift runs/demo/05-dataset --model voyage:voyage-code-3 --distance euclid\n  \
                  barecode shift clarc -m local:MiniLM --subset group1_usual_renamed --json \\\n      | jq '.settings[0].correlations'"
)]
pub(super) struct Request {
    /// The dataset: a file or a folder with several subsets over the same documents, such as the `05-dataset`
    /// of a run or the files that CLARC released.
    dataset: PathBuf,
    /// A model: `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`, `voyage:MODEL`, `openai+URL`, …, or a name from
    /// --models; may be given several times.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required = true)]
    model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    models: Option<PathBuf>,
    /// The subset with the documents as they were written [default: found by names and words].
    #[arg(long, value_name = "NAME")]
    original: Option<String>,
    /// Only this changed subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    subset: Vec<String>,
    /// The distance of two vectors: 1 − cosine, or the length of their difference as in the paper.
    #[arg(long, value_enum, default_value_t, value_name = "DISTANCE")]
    distance: DistanceName,
    /// The language of documents without a column `language`.
    #[arg(long, value_enum, default_value_t, value_name = "LANGUAGE")]
    language: features::DefaultLanguage,
    /// The format of the dataset, if it cannot be recognized.
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
    #[command(flatten)]
    means: Means,
    /// Resamples of the intervals.
    #[arg(long, value_name = "N", default_value_t = 9_999)]
    resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// A distance on the command line.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum DistanceName {
    /// 1 − cosine.
    #[default]
    Cosine,
    /// The length of the difference (L2).
    Euclid,
}

/// A subset, and the subset that it changes.
struct Pair<'a> {
    original: &'a Subset,
    changed: &'a Subset,
    /// By index in both.
    shared: Vec<(usize, usize)>,
}

/// Embeds and compares.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    session.use_threads()?;
    let loaded = session.load(&arguments.dataset, arguments.format, Strictness::AsLoader)?;
    let benchmark = loaded.benchmark;
    let choices = models::choices(&arguments.model, arguments.models.as_deref())?;
    let specs = choices
        .into_iter()
        .map(|one| one.model(ModelError::cannot_embed));
    let specs: Vec<ModelSpec> = specs.collect::<Result<_, _>>()?;
    let pairs = pairs(&benchmark, arguments)?;
    let features: Vec<Vec<Features>> = pairs
        .iter()
        .map(|pair| Features::of(pair, arguments.language))
        .collect();
    let opening = session.opening(&arguments.means)?;
    let distance = match arguments.distance {
        DistanceName::Cosine => Distance::Cosine,
        DistanceName::Euclid => Distance::Euclid,
    };
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: 0.95,
        seed: arguments.seed,
    };
    let mut moved: Vec<Moved> = Vec::new();
    for spec in &specs {
        let encoder = open_encoder(spec, &opening)?;
        let texts: BTreeSet<&str> = pairs.iter().flat_map(Pair::texts).collect();
        let texts: Vec<&str> = texts.into_iter().collect();
        let vectors = encoder.encode(Side::Document, &texts)?;
        let at: BTreeMap<&str, usize> = (0..).zip(&texts).map(|(at, text)| (*text, at)).collect();
        for (pair, features) in pairs.iter().zip(&features) {
            let documents = pair.documents(&vectors, &at, features, distance);
            let subsets = (&*pair.original.name, &*pair.changed.name);
            moved.push(Moved::of(&spec.name, subsets, documents, &bootstrap)?);
        }
    }
    let data = || {
        json!({
            "dataset": arguments.dataset,
            "distance": distance,
            "settings": moved,
            "ledger": opening.ledger.usage(),
        })
    };
    session.answer(data, |screen| Ok(moved::terminal(&moved, distance, screen)))
}

/// The changed subsets with their originals.
fn pairs<'a>(benchmark: &'a Benchmark, arguments: &Request) -> anyhow::Result<Vec<Pair<'a>>> {
    let subsets = &benchmark.subsets;
    // Names that do not exist are reported as everywhere else.
    let named: Vec<String> = arguments
        .subset
        .iter()
        .chain(&arguments.original)
        .cloned()
        .collect();
    chosen(subsets.clone(), &named)?;
    let found: Vec<Option<usize>> = match &arguments.original {
        Some(name) => {
            let original = subsets.iter().position(|subset| subset.name == *name);
            let of = |at: usize| original.filter(|&original| original != at);
            (0..subsets.len()).map(of).collect()
        }
        None => originals(benchmark),
    };
    let is_chosen =
        |subset: &Subset| arguments.subset.is_empty() || arguments.subset.contains(&subset.name);
    let pairs: Vec<Pair<'_>> = subsets
        .iter()
        .zip(found)
        .filter(|(subset, _)| is_chosen(subset))
        .filter_map(|(changed, original)| Some(Pair::of(&subsets[original?], changed)))
        .filter(|pair| !pair.shared.is_empty())
        .collect();
    if pairs.is_empty() {
        let message = format!(
            "`{}` has no two subsets over the same documents, which a shift needs",
            arguments.dataset.display()
        );
        let hint =
            "name the folder that has the original and its settings; --original names the original";
        return Err(Failure::invalid(message).hint(hint).into());
    }
    Ok(pairs)
}

impl<'a> Pair<'a> {
    fn of(original: &'a Subset, changed: &'a Subset) -> Self {
        let indexes: BTreeMap<&str, usize> = (0..)
            .zip(&original.documents)
            .map(|(at, document)| (document.id.as_str(), at))
            .collect();
        let shared = changed.documents.iter().enumerate();
        let shared = shared.filter_map(|(at, document)| Some((*indexes.get(&*document.id)?, at)));
        Pair {
            original,
            changed,
            shared: shared.collect(),
        }
    }

    /// The texts of the documents that both have, as written and changed.
    fn both(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let (original, changed) = (self.original, self.changed);
        self.shared.iter().map(|&(one, other)| {
            let text = |subset: &'a Subset, at: usize| subset.documents[at].text.trim();
            (text(original, one), text(changed, other))
        })
    }

    fn texts(&self) -> impl Iterator<Item = &'a str> {
        self.both()
            .flat_map(|(original, changed)| [original, changed])
    }

    /// Returns the features of each document.
    fn documents(
        &self,
        vectors: &Embeddings,
        at: &BTreeMap<&str, usize>,
        features: &[Features],
        distance: Distance,
    ) -> Vec<Document> {
        let vector = |text: &str| vectors.vector(at[text]);
        let shifts = self
            .both()
            .map(|(original, changed)| shift(vector(original), vector(changed), distance));
        self.shared
            .iter()
            .zip(shifts)
            .zip(features)
            .map(|((&(index, _), shift), features)| {
                let document = &self.original.documents[index];
                Document {
                    id: document.id.clone(),
                    repository: document.repository().map(str::to_owned),
                    shift,
                    features: *features,
                }
            })
            .collect()
    }
}
