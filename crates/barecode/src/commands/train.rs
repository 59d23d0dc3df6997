//! `train`: an encoder, fine-tuned on pairs of queries and code (CLARC, section 5.4 and appendix F.4).
//!
//! Enters: a file or folder of pairs, and a model on this machine or of the hub. Leaves: a folder with the tuned model,
//! its card, `training.json`, `curve.csv` and `report.html`. The work is `barecode-train`'s; this file reads the
//! command line, and reports the progress.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_encoders::LocalOptions;
use barecode_models::{ModelError, model_folder};
use barecode_records::table::write_atomically;
use barecode_scores::Measure;
use barecode_train::{
    Criterion, Lora, Model, Options, Pairs, Progress, Report, Schedule, Watch, train,
};
use clap::{Args, ValueEnum};
use indicatif::HumanDuration;
use serde_json::json;

use crate::answer::Answer;
use crate::console::grouped;
use crate::exit::{Exit, Failure};
use crate::models::{self, Means};
use crate::report::training;
use crate::session::Session;
use matrix::Matrix;

mod matrix;

/// Fine-tune an encoder on pairs of queries and code.
///
/// An interrupted training resumes: run the same command again, and the result is the same to the last bit.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode train mined --model hf:sentence-transformers/all-MiniLM-L6-v2 --out tuned\n  \
                  barecode train pairs.jsonl -m local:MiniLM --out tuned --dev-share 0.1 --patience 2 \\\n      --exclude clarc\n  \
                  barecode train mined -m local:MiniLM --out tuned --dose standard=1,randomized=2 --lora 8 --json\n  \
                  barecode train mined -m local:MiniLM --out table6 --matrix clarc --measure RR@10"
)]
pub(super) struct Request {
    /// Pairs: a JSON Lines or Parquet file with the columns `anchor` and `positive`, and if it has them `negative` (or
    /// `negative_1`, …), `setting` and `repo`; or a folder with `train.parquet` or `train/*.parquet`, and `dev…` likewise.
    dataset: PathBuf,
    /// The encoder to tune: `local:FOLDER` or `hf:ORG/NAME`, BERT-like.
    #[arg(long, short = 'm', value_name = "MODEL")]
    model: String,
    /// Choices of a paper, which the other options change.
    #[arg(long, value_enum, default_value_t, value_name = "PROFILE")]
    profile: Profile,
    /// Passes over all pairs [default: 5].
    #[arg(long, value_name = "N")]
    epochs: Option<u32>,
    /// Pairs of a step; the others of a batch are its negatives [default: 32].
    #[arg(long, value_name = "N")]
    batch: Option<usize>,
    /// The learning rate after the warm-up [default: 2e-5].
    #[arg(long, value_name = "RATE")]
    learning_rate: Option<f64>,
    /// Weight decay of AdamW; biases and norms have none [default: 0.01].
    #[arg(long, value_name = "DECAY")]
    weight_decay: Option<f64>,
    /// The part of all steps in which the learning rate rises from 0 [default: 0.1].
    #[arg(long, value_name = "SHARE")]
    warmup: Option<f64>,
    /// The learning rate after the warm-up [default: linear].
    #[arg(long, value_enum, value_name = "SCHEDULE")]
    schedule: Option<ScheduleName>,
    /// The maximum length of all gradients together; 0 for no limit [default: 1].
    #[arg(long, value_name = "LENGTH")]
    clip: Option<f64>,
    /// The temperature τ of the loss [default: 0.05].
    #[arg(long, value_name = "TAU")]
    temperature: Option<f64>,
    /// Add the loss from code to queries.
    #[arg(long)]
    symmetric: bool,
    /// The most tokens of a text [default: from the model's files].
    #[arg(long, value_name = "N")]
    max_length: Option<usize>,
    /// Tokens that are computed at a time. Larger batches go through in chunks by cached gradients, with the same
    /// loss [default: what fits into 2 GB].
    #[arg(long, value_name = "N")]
    chunk_tokens: Option<usize>,
    /// Hard negatives mined for each pair at the beginning of each epoch, with the current model [default: 0].
    #[arg(long, value_name = "N")]
    hard_negatives: Option<usize>,
    /// Do not train the embeddings of tokens.
    #[arg(long)]
    freeze_embeddings: bool,
    /// Do not train the first N layers [default: 0].
    #[arg(long, value_name = "N")]
    freeze_layers: Option<usize>,
    /// Train low-rank adapters (LoRA) of this rank instead of all weights; alpha is by default twice the rank.
    #[arg(long, value_name = "RANK[:ALPHA]", value_parser = lora)]
    lora: Option<(usize, f64)>,
    /// The layers with adapters, by the ends of their names.
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        default_value = "query,value",
        requires = "lora"
    )]
    lora_layers: Vec<String>,
    /// The relative frequency of each setting for a query with several, such as standard=1,randomized=2; by default
    /// every pair of the dataset is used.
    #[arg(long = "dose", value_name = "SETTING=DOSE,…", value_delimiter = ',', value_parser = dose)]
    doses: Vec<(String, f64)>,
    /// The part of the pairs that becomes the dev split, whole repositories at a time, if the dataset has none
    /// [default: 0].
    #[arg(long, value_name = "SHARE")]
    dev_share: Option<f64>,
    /// The criterion on the dev split for the exported epoch [default: ndcg].
    #[arg(long, value_enum, value_name = "CRITERION")]
    criterion: Option<CriterionName>,
    /// End after this many epochs without a better dev value.
    #[arg(long, value_name = "EPOCHS")]
    patience: Option<u32>,
    /// Steps from one checkpoint to the next [default: 25].
    #[arg(long, value_name = "N")]
    save_every: Option<u64>,
    /// End after this many steps.
    #[arg(long, value_name = "N")]
    max_steps: Option<u64>,
    /// A benchmark whose texts, and near-duplicates of them, are not trained on; may be given several times.
    #[arg(long, value_name = "PATH")]
    exclude: Vec<PathBuf>,
    /// The least Jaccard similarity of token 5-grams of near-duplicates [default: 0.8].
    #[arg(long, value_name = "SHARE")]
    near_duplicate: Option<f64>,
    /// Describe positives and negatives in plain words before training (what `structural` reads; the column `language`
    /// names other languages than C and C++), for a model that is then used with `barecode eval --described`; other
    /// texts are left out and counted.
    #[arg(long, conflicts_with = "matrix")]
    described: bool,
    /// Tune on each setting of the pairs alone, then evaluate the untuned model and all tuned ones on each subset of
    /// this benchmark (CLARC, Table 6); may be given several times.
    #[arg(long, value_name = "BENCHMARK", conflicts_with = "doses")]
    matrix: Vec<PathBuf>,
    /// The measure of --matrix, in the notation of `ir_measures`.
    #[arg(
        long,
        value_name = "MEASURE",
        default_value = "RR@10",
        requires = "matrix"
    )]
    measure: Measure,
    /// The seed of all orders and draws.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

/// Choices of a paper.
#[derive(Debug, Clone, Copy, Default, ValueEnum)]
enum Profile {
    /// CLARC, appendix F.4: InfoNCE with in-batch negatives, τ = 0.05, five epochs.
    #[default]
    Clarc,
}

/// A schedule on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum ScheduleName {
    /// In a straight line to 0.
    Linear,
    /// Along half a cosine to 0.
    Cosine,
    /// Not at all.
    Constant,
}

/// A criterion on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum CriterionName {
    /// nDCG@10.
    Ndcg,
    /// The loss.
    Loss,
}

fn lora(text: &str) -> Result<(usize, f64), String> {
    let (rank, alpha) = text.split_once(':').unwrap_or((text, ""));
    let wrong = || format!("`{text}` is not RANK or RANK:ALPHA");
    let rank: usize = rank.parse().map_err(|_| wrong())?;
    let alpha = if alpha.is_empty() {
        2.0 * rank as f64
    } else {
        alpha.parse().map_err(|_| wrong())?
    };
    Ok((rank, alpha))
}

fn dose(text: &str) -> Result<(String, f64), String> {
    let parsed = text
        .split_once('=')
        .and_then(|(setting, dose)| Some((setting.trim().to_owned(), dose.trim().parse().ok()?)));
    parsed.ok_or_else(|| format!("`{text}` is not SETTING=DOSE"))
}

impl Request {
    fn options(&self) -> Options {
        let Profile::Clarc = self.profile;
        let usual = Options::default();
        Options {
            seed: self.seed,
            epochs: self.epochs.unwrap_or(usual.epochs),
            batch: self.batch.unwrap_or(usual.batch),
            learning_rate: self.learning_rate.unwrap_or(usual.learning_rate),
            weight_decay: self.weight_decay.unwrap_or(usual.weight_decay),
            warmup: self.warmup.unwrap_or(usual.warmup),
            schedule: match self.schedule {
                None | Some(ScheduleName::Linear) => Schedule::Linear,
                Some(ScheduleName::Cosine) => Schedule::Cosine,
                Some(ScheduleName::Constant) => Schedule::Constant,
            },
            clip: match self.clip {
                None => usual.clip,
                Some(length) => Some(length).filter(|length| *length != 0.0),
            },
            temperature: self.temperature.unwrap_or(usual.temperature),
            symmetric: self.symmetric,
            chunk_tokens: self.chunk_tokens,
            max_length: self.max_length,
            hard_negatives: self.hard_negatives.unwrap_or(usual.hard_negatives),
            freeze_embeddings: self.freeze_embeddings,
            freeze_layers: self.freeze_layers.unwrap_or(usual.freeze_layers),
            lora: self.lora.map(|(rank, alpha)| Lora {
                rank,
                alpha,
                layers: self.lora_layers.clone(),
            }),
            doses: self.doses.iter().cloned().collect::<BTreeMap<_, _>>(),
            dev_share: self.dev_share.unwrap_or(usual.dev_share),
            criterion: match self.criterion {
                None | Some(CriterionName::Ndcg) => Criterion::Ndcg,
                Some(CriterionName::Loss) => Criterion::Loss,
            },
            patience: self.patience,
            save_every: self.save_every.unwrap_or(usual.save_every),
            max_steps: self.max_steps,
            exclude: self.exclude.clone(),
            near_duplicate: self.near_duplicate.unwrap_or(usual.near_duplicate),
            described: self.described,
        }
    }
}

/// Trains.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let Some(out) = &session.options.out else {
        return Err(
            Failure::new(Exit::Usage, "no folder for the tuned model is named")
                .hint("add --out DIR")
                .into(),
        );
    };
    let options = arguments.options();
    let spec = models::model(&arguments.model, None, ModelError::without_folder)?;
    let folder = model_folder(&spec, &session.opening(&Means::default())?)?;
    let mut pairs = Pairs::read(&arguments.dataset, &options)?;
    let has_dev = ["dev", "dev.parquet"]
        .iter()
        .any(|name| arguments.dataset.join(name).exists());
    if arguments.dev_share.is_some() && has_dev {
        session.note("the pairs have a dev split, so --dev-share is not used");
    }
    pairs.exclude(&options)?;
    if options.described {
        pairs.describe();
    }
    for (reason, count) in &pairs.left_out {
        session.note(&format!("note: left out {}: {reason}", grouped(*count)));
    }
    let data = arguments.dataset.display().to_string();
    let name = spec.source.repository().unwrap_or(&spec.name).to_owned();
    let model = Model {
        folder: &folder,
        name: &name,
        options: LocalOptions::of(&spec),
    };
    if !arguments.matrix.is_empty() {
        let matrix = Matrix {
            form: &arguments.model,
            model: &model,
            data: &data,
            options: &options,
            benchmarks: &arguments.matrix,
            measure: &arguments.measure.to_string(),
            seed: arguments.seed,
            out,
        };
        return matrix.run(session, &pairs);
    }
    let report = watched(session, &model, (&pairs, &data), &options, out)?;
    finish(&report, out)?;
    session.answer(
        || json!({ "folder": out, "training": report }),
        |_| Ok(training::terminal(&report, out)),
    )
}

/// Trains with a bar, and a line for every dev value.
fn watched(
    session: &Session,
    model: &Model,
    pairs: (&Pairs, &str),
    options: &Options,
    out: &Path,
) -> anyhow::Result<Report> {
    let console = session.console;
    let bar = console.training(0);
    let mut progress = |progress: Progress| match progress {
        Progress::Started {
            steps,
            done,
            trained,
        } => {
            bar.set_length(steps);
            bar.set_position(done);
            bar.reset_eta();
            bar.suspend(|| {
                let trained = grouped(trained);
                console.note(&format!(
                    "    train  {} steps, {trained} numbers are trained",
                    grouped(steps)
                ));
                if done > 0 {
                    console.note(&format!("    train  resumed after step {}", grouped(done)));
                }
            });
        }
        Progress::Mined { epoch, negatives } => bar.suspend(|| {
            let negatives = grouped(negatives);
            console.note(&format!(
                "    train  epoch {epoch}: {negatives} hard negatives mined"
            ));
        }),
        Progress::Step(value) => {
            bar.set_message(format!("epoch {}, loss {:.4}", value.epoch, value.loss));
            bar.set_position(value.step);
            // A log has no bar: a line for every checkpoint.
            if bar.is_hidden() && value.step.is_multiple_of(options.save_every.max(1)) {
                console.note(&format!(
                    "    train  step {} of {}, loss {:.4}, {} left",
                    grouped(value.step),
                    grouped(bar.length().unwrap_or_default()),
                    value.loss,
                    HumanDuration(bar.eta()),
                ));
            }
        }
        Progress::Dev(value) => bar.suspend(|| {
            console.note(&format!(
                "    train  after {} epochs: nDCG@10 {:.4}, loss {:.4} on the dev split",
                value.epoch, value.ndcg, value.loss
            ));
        }),
    };
    let mut watch = Watch {
        progress: &mut progress,
        stop: &|| console.is_stopped(),
    };
    let pool = session.pool()?;
    let trained = pool.install(|| train(model, pairs, options, out, &mut watch));
    bar.finish_and_clear();
    Ok(trained?)
}

/// Writes what is not part of the model.
fn finish(report: &Report, out: &Path) -> anyhow::Result<()> {
    write(out, "curve.csv", &report.curve_csv())?;
    write(out, "report.html", &training::page(report))
}

fn write(out: &Path, name: &str, text: &str) -> anyhow::Result<()> {
    use std::io::Write as _;
    write_atomically(&out.join(name), |file| file.write_all(text.as_bytes()))?;
    Ok(())
}
