//! The options of `eval`.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use barecode_evaluate::{
    DEFAULT_DEPTH, FusionConfig, MATCHING_TOKENS, PoolConfig, RERANK_DEPTH, Reading,
};
use barecode_scores::{Measure, Ties};
use clap::{Args, ValueEnum};

use crate::console::word;
use crate::exit::Failure;
use crate::models::Means;
use crate::recipe::RetrieveConfig;
use crate::session::DatasetArguments;

/// Permutations of the tests.
pub(super) const RESAMPLES: u32 = 9_999;

/// Evaluate models on any dataset: BM25, local models, servers.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command line"
)]
#[command(
    after_help = "Examples:\n  barecode eval runs/demo/05-dataset --model bm25 --model local:all-MiniLM-L6-v2\n  barecode eval beir/scifact --model voyage:voyage-code-3 --dry-run\n  \
                  barecode eval set --model openai+http://localhost:8000/v1 --cassette answers.jsonl --json\n  \
                  barecode eval recipes/gencodesearchnet.toml --data gecs --model bm25 \\\n      --ask openai:gpt-4o-mini --dry-run"
)]
pub(in crate::commands) struct Request {
    /// The dataset: a file or a folder, such as the `05-dataset` of a run, or `hf:ORG/NAME` (`@REVISION`); or a recipe of
    /// test sets such as recipes/gencodesearchnet.toml.
    pub(super) dataset: PathBuf,
    /// A model: `bm25`, `structural`, `jaccard`, `random`, `bm25:tokenizer=plain,k1=1.2`, `local:FOLDER`, `hf:ORG/NAME`,
    /// `openai:MODEL`, `voyage:MODEL`, `cohere:MODEL`, `jina:MODEL`, `gemini:MODEL`, `tei:URL`, `openai+URL#MODEL`,
    /// `process:COMMAND`, `vectors:PATH`, `run:PATH`, or a name from --models; may be given several times. NAME=MODEL
    /// gives it a name in tables.
    #[arg(long = "model", short = 'm', value_name = "MODEL", required_unless_present_any = ["ask", "labels"])]
    pub(super) model: Vec<String>,
    /// A file with tables `[[model]]`.
    #[arg(long, value_name = "FILE")]
    pub(super) models: Option<PathBuf>,
    /// Also evaluate the fusion of all models' lists: rrf, rrf:K, z-score, or convex, with weights in the order of
    /// the models (convex:0.3,0.7); with --described, embedding models take part with described documents; may be given several times.
    #[arg(long, value_name = "METHOD", value_parser = fusion)]
    pub(super) fuse: Vec<String>,
    /// Also evaluate the lists reranked by a model: `structural`, `local:FOLDER`, `hf:ORG/NAME`, `tei:URL`,
    /// `cohere:MODEL`, `voyage:MODEL`, `jina:MODEL`, or a chat model `openai:MODEL` or `openai+URL`; reranks the
    /// fused lists, or without --fuse each model's.
    #[arg(long, value_name = "MODEL")]
    pub(super) rerank: Vec<String>,
    /// Documents of a list that are reranked.
    #[arg(long, value_name = "N", default_value_t = RERANK_DEPTH, requires = "rerank")]
    pub(super) rerank_depth: u32,
    /// Also evaluate each embedding model on documents in chunks of BYTES, which overlap by OVERLAP bytes or a fifth;
    /// the score of a document is that of its best chunk.
    #[arg(long, value_name = "BYTES[:OVERLAP]", value_parser = Reading::chunks)]
    pub(super) chunk: Option<Reading>,
    /// Also evaluate each embedding model on documents with canonical names: `name_0`, `name_1`, ….
    #[arg(long)]
    pub(super) canonical: bool,
    /// Also evaluate each embedding model with the mean vector of N random renamings of each document.
    #[arg(long, value_name = "N")]
    pub(super) average: Option<NonZeroU32>,
    /// Also evaluate each embedding model on descriptions of the documents in plain words, without names: input and
    /// output, called functions, constructs (mined languages, x86-64 assembly, WebAssembly).
    #[arg(long)]
    pub(super) described: bool,
    /// The documents that a query is ranked against: everyone, uniform:N (its answers and N others), or nearest:N
    /// (its answers and the N that the first model ranks highest), or gecs:N (as GenCodeSearchNet's script draws
    /// them) [default: everyone, or the recipe's].
    #[arg(long, value_name = "POOL")]
    pub(super) pool: Option<PoolConfig>,
    /// Draw a random pool N times, with seeds from --seed upward, and average each query's score [default: 1, or the
    /// recipe's].
    #[arg(long, value_name = "N")]
    pub(super) draws: Option<NonZeroU32>,
    /// A measure in the notation of `ir_measures` (default: nDCG@10, RR@10 and R@1).
    #[arg(long = "measure", value_name = "MEASURE")]
    pub(super) measures: Vec<Measure>,
    /// Only this subset; may be given several times.
    #[arg(long, value_name = "NAME")]
    pub(super) subset: Vec<String>,
    #[command(flatten)]
    pub(super) how: DatasetArguments,
    /// Number of documents that are retrieved per query; a list is never cut between equal scores.
    #[arg(long, default_value = "1000", value_name = "N")]
    pub(super) depth: NonZeroU32,
    /// The rule for ties: expected, docno, input, pessimistic or optimistic [default: expected, or the recipe's].
    #[arg(long, value_name = "RULE")]
    pub(super) ties: Option<Ties>,
    /// Evaluate although the dataset has none of the judged documents, which is refused by default.
    #[arg(long)]
    pub(super) allow_unjudged: bool,
    /// Estimate texts, tokens and dollars; call no model.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print each term's contribution to the scores of this query, by its id, for the first documents of its list and
    /// for its answers. `structural` only; skips the evaluation.
    #[arg(long, value_name = "QUERY", conflicts_with = "dry_run")]
    pub(super) explain: Option<String>,
    #[command(flatten)]
    pub(super) means: Means,
    #[command(flatten)]
    pub(super) suite: SuiteArguments,
    /// Permutations of the tests.
    #[arg(long, value_name = "N", default_value_t = RESAMPLES)]
    pub(super) resamples: u32,
    /// The seed of all draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) seed: u64,
}

impl Request {
    /// The candidates of a query, as in the suite of test sets unless the command line changes them.
    pub(super) fn retrieve(&self, usual: RetrieveConfig) -> RetrieveConfig {
        RetrieveConfig {
            pool: self.pool.unwrap_or(usual.pool),
            draws: self.draws.map_or(usual.draws, NonZeroU32::get),
        }
    }
}

impl Request {
    /// The command line without folders of this machine and without training sets.
    pub(super) fn again(&self) -> String {
        let mut words = vec![shown(&self.dataset.to_string_lossy())];
        let mut add = |option: &str, value: &str| words.extend([option, value].map(str::to_owned));
        for model in &self.model {
            add("--model", &shown(model));
        }
        if let Some(file) = &self.models {
            add("--models", &shown(&file.to_string_lossy()));
        }
        for how in &self.fuse {
            add("--fuse", how);
        }
        for model in &self.rerank {
            add("--rerank", &shown(model));
        }
        if let Some(Reading::Chunks(chunks)) = self.chunk {
            add(
                "--chunk",
                &format!("{}:{}", chunks.bytes(), chunks.overlap()),
            );
        }
        if let Some(draws) = self.average {
            add("--average", &draws.to_string());
        }
        if let Some(columns) = &self.how.columns {
            add("--columns", &columns.to_string());
        }
        if let Some(format) = self.how.format {
            add("--format", format.name());
        }
        if let Some(Profile::Gecs) = self.suite.profile {
            add("--profile", "gecs");
        }
        if let Some(pool) = self.pool {
            add("--pool", &pool.to_string());
        }
        if let Some(draws) = self.draws {
            add("--draws", &draws.to_string());
        }
        for measure in &self.measures {
            add("--measure", &measure.to_string());
        }
        for subset in &self.subset {
            add("--subset", subset);
        }
        if self.depth.get() != DEFAULT_DEPTH {
            add("--depth", &self.depth.to_string());
        }
        if self.rerank_depth != RERANK_DEPTH {
            add("--rerank-depth", &self.rerank_depth.to_string());
        }
        if let Some(ties) = self.ties {
            add("--ties", ties.name());
        }
        if self.seed != 0 {
            add("--seed", &self.seed.to_string());
        }
        for (option, is_given) in [
            ("--canonical", self.canonical),
            ("--described", self.described),
        ] {
            if is_given {
                words.push(option.to_owned());
            }
        }
        let words: Vec<String> = words.iter().map(|text| word(text)).collect();
        format!("barecode eval {}", words.join(" "))
    }
}

/// A path or a model with a path, by its last part; others as they are.
fn shown(text: &str) -> String {
    let (before, path) = match text.split_once(":/") {
        Some((before, path)) if !path.starts_with('/') => (format!("{before}:…/"), path),
        _ if text.starts_with('/') => ("…/".to_owned(), text),
        _ => return text.to_owned(),
    };
    let last = Path::new(path).file_name().unwrap_or_default();
    format!("{before}{}", last.to_string_lossy())
}

/// Refuses what is not a way to fuse.
fn fusion(text: &str) -> Result<String, String> {
    text.parse::<FusionConfig>().map(|_| text.to_owned())
}

/// What the evaluation of a suite takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for a suite of test sets")]
pub(super) struct SuiteArguments {
    /// The folder of the files; by default the recipe's.
    #[arg(long, value_name = "DIR")]
    pub(super) data: Option<PathBuf>,
    /// Draw and count as published: `gecs` is --pool gecs:99 --draws 1 --ties pessimistic, without the rows that the
    /// released script skips, from the authors' own files if present.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["pool", "draws", "ties"])]
    pub(super) profile: Option<Profile>,
    /// A chat model that decides whether pairs match, with `GenCodeSearchNet`'s prompts: `openai:MODEL`, `openai+URL#MODEL`,
    /// `anthropic:MODEL`, `process:COMMAND`, or a name from --models; may be given several times.
    #[arg(long, value_name = "MODEL")]
    pub(super) ask: Vec<String>,
    /// The most tokens of an answer.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::new(MATCHING_TOKENS).expect("it is above 0"))]
    pub(super) ask_tokens: NonZeroU32,
    /// A classifier's scores of the pairs, where a score above 0.5 means yes: a run file, or a folder with
    /// NAME-pairs.test.trec for each member. NAME=PATH gives it a name in tables; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(super) labels: Vec<String>,
    /// Judge pairs by similarity too, with a threshold that is fitted on the training set of the recipe, or on this one.
    #[arg(long, value_name = "DATASET")]
    pub(super) train: Option<PathBuf>,
    /// Texts of the training set that thresholds are fitted on, drawn from --seed.
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(super) train_pairs: NonZeroU32,
    /// Draws of the pairs, seeded from --seed up.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(super) pair_draws: NonZeroU32,
    /// Write the pairs of each member to this folder, for a classifier elsewhere.
    #[arg(long, value_name = "DIR")]
    pub(super) pairs: Option<PathBuf>,
}

/// A published way to draw and count.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum Profile {
    /// `GenCodeSearchNet`'s released script.
    Gecs,
}

impl SuiteArguments {
    /// Refuses options that only a suite has.
    pub(super) fn refuse_without_suite(&self) -> Result<(), Failure> {
        let given = [
            ("--data", self.data.is_some()),
            ("--profile", self.profile.is_some()),
            ("--ask", !self.ask.is_empty()),
            ("--labels", !self.labels.is_empty()),
            ("--train", self.train.is_some()),
            ("--pairs", self.pairs.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::invalid(format!(
                "{option} is for a suite of test sets, and this is a dataset"
            ))
            .hint("write a recipe with one `[[benchmark]]`, as recipes/gencodesearchnet.toml has nine")),
        }
    }
}
