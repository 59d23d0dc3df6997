//! Whole trainings of a small model: killed, gone on with, exported, stopped, refused.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Encoder as _, Side};
use barecode_train::{
    Criterion, Lora, Model, Options, Pairs, Progress, Report, TrainError, Watch, train,
};
use serde_json::json;

fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints/bert")
}

/// Pairs that can be learned: an anchor and its positive share a number's words.
fn write_pairs(path: &Path, count: usize) {
    let digits = [
        "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
    ];
    let words = |i: usize| {
        format!(
            "{} {} {}",
            digits[i / 100 % 10],
            digits[i / 10 % 10],
            digits[i % 10]
        )
    };
    let lines: Vec<String> = (0..count)
        .map(|i| {
            json!({
                "anchor": format!("find {}", words(i * 37)), "positive": format!("int f() {{ return {}; }}", words(i * 37)),
                "repo": format!("r{}", i % 5),
            })
            .to_string()
        })
        .collect();
    fs::write(path, lines.join("\n")).unwrap();
}

/// Options that take a second.
fn quick() -> Options {
    Options {
        epochs: 2,
        batch: 8,
        learning_rate: 1e-3,
        save_every: 2,
        dev_share: 0.2,
        max_length: Some(24),
        ..Options::default()
    }
}

fn run(
    data: &Path,
    out: &Path,
    options: &Options,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Report, TrainError> {
    run_model(&tiny(), data, out, options, progress)
}

fn run_model(
    folder: &Path,
    data: &Path,
    out: &Path,
    options: &Options,
    progress: &mut (dyn FnMut(Progress) + Send),
) -> Result<Report, TrainError> {
    let mut pairs = Pairs::read(data, options)?;
    pairs.exclude(options)?;
    let model = Model {
        folder,
        name: "tiny",
        options: LocalOptions::default(),
    };
    let mut watch = Watch {
        progress,
        stop: &|| false,
    };
    train(&model, (&pairs, "pairs"), options, out, &mut watch)
}

fn weights(out: &Path) -> Vec<u8> {
    fs::read(out.join("model.safetensors")).unwrap()
}

/// Run by [`a_killed_training_ends_with_the_same_bytes`] in a process of its own; nothing otherwise.
#[test]
fn child() {
    let Some(folder) = std::env::var_os("BARECODE_TRAIN_CHILD").map(PathBuf::from) else {
        return;
    };
    let print = |progress: Progress| match progress {
        Progress::Step(value) => println!("\nstep {}", value.step),
        Progress::Dev(value) => println!("\ndev {}", value.epoch),
        Progress::Started { .. } | Progress::Mined { .. } => {}
    };
    run(
        &folder.join("pairs.jsonl"),
        &folder.join("out"),
        &killed_options(),
        &mut { print },
    )
    .unwrap();
}

fn killed_options() -> Options {
    Options {
        hard_negatives: 1,
        epochs: 3,
        patience: Some(9),
        ..quick()
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "what is killed is a process of its own"
)]
fn a_killed_training_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("pairs.jsonl");
    write_pairs(&data, 60);
    let whole = folder.path().join("whole");
    let expected = run(&data, &whole, &killed_options(), &mut |_| ()).unwrap();
    // In the middle of an epoch, while the end of one is written, and before anything was saved.
    for marks in [vec!["step 1", "step 5", "dev 1", "step 14"], vec!["dev 2"]] {
        let mut kills = 0;
        for mark in &marks {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "child", "--nocapture"])
                .env("BARECODE_TRAIN_CHILD", folder.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            let lines = BufReader::new(child.stdout.take().unwrap()).lines();
            if lines.map_while(Result::ok).any(|line| line == **mark) {
                // SIGKILL, on Unix.
                child.kill().unwrap();
                kills += 1;
            }
            child.wait().unwrap();
        }
        assert_eq!(kills, marks.len(), "every mark was reached");
        let out = folder.path().join("out");
        let report = run(&data, &out, &killed_options(), &mut |_| ()).unwrap();
        assert_eq!(report, expected);
        assert!(weights(&out) == weights(&whole), "the same bytes");
        assert!(!out.join("checkpoints").exists());
        fs::remove_dir_all(out).unwrap();
    }
}

#[test]
fn a_training_learns_and_its_folder_loads() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("pairs.jsonl"), folder.path().join("out"));
    write_pairs(&data, 100);
    let options = Options {
        epochs: 12,
        criterion: Criterion::Loss,
        ..quick()
    };
    let report = run(&data, &out, &options, &mut |_| ()).unwrap();
    let mean = |losses: &[f64]| losses.iter().sum::<f64>() / losses.len() as f64;
    let losses: Vec<f64> = report.curve.iter().map(|value| value.loss).collect();
    assert!(
        mean(&losses[losses.len() - 5..]) < 0.7 * mean(&losses[..5]),
        "{losses:?}"
    );
    assert_eq!(report.dev_pairs, 20);
    assert_eq!(report.dev.len(), 13, "one before, one after each epoch");
    let best = report.dev[1..]
        .iter()
        .map(|value| value.loss)
        .fold(f64::INFINITY, f64::min);
    let exported = report
        .dev
        .iter()
        .find(|value| value.step == report.exported_step)
        .unwrap();
    assert_eq!(exported.loss.to_bits(), best.to_bits());
    for file in [
        "modules.json",
        "1_Pooling/config.json",
        "config.json",
        "tokenizer.json",
        "config_sentence_transformers.json",
        "sentence_bert_config.json",
        "README.md",
        "training.json",
    ] {
        assert!(out.join(file).is_file(), "{file}");
    }
    let card = fs::read_to_string(out.join("README.md")).unwrap();
    assert!(
        card.contains("base_model: \"tiny\"") && card.contains("| pairs | 80 (`pairs`) |"),
        "{card}"
    );
    let encoder = LocalEncoder::load(&out, &LocalOptions::default()).unwrap();
    let vector = |text| encoder.encode(Side::Query, &[text]).unwrap().values;
    let before = LocalEncoder::load(&tiny(), &LocalOptions::default()).unwrap();
    assert_ne!(
        vector("find one"),
        before.encode(Side::Query, &["find one"]).unwrap().values
    );
    let length: f32 = vector("find one").iter().map(|x| x * x).sum();
    assert!((length - 1.0).abs() < 1e-5, "it is normalized");
    assert_eq!(report.curve_csv().lines().count(), report.curve.len() + 2);
    // The same again is done already; another training is not written over it.
    assert_eq!(
        run(&data, &out, &options, &mut |_| panic!("nothing is done")).unwrap(),
        report
    );
    let error = run(&data, &out, &quick(), &mut |_| ()).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("holds a model of another training"),
        "{error}"
    );
}

/// A learning rate that destroys the model: no epoch is better than the first for long.
fn stopping_early() -> Options {
    Options {
        epochs: 30,
        learning_rate: 0.3,
        warmup: 0.0,
        patience: Some(2),
        ..quick()
    }
}

#[test]
fn an_early_stop_exports_the_best() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("pairs.jsonl"), folder.path().join("out"));
    write_pairs(&data, 60);
    let options = stopping_early();
    let report = run(&data, &out, &options, &mut |_| ()).unwrap();
    assert!(
        report.stopped_early && report.dev.len() < 20,
        "{}",
        report.dev.len()
    );
    let best = report.dev[1..]
        .iter()
        .map(|value| value.ndcg)
        .fold(0.0, f64::max);
    let exported = report.dev[1..]
        .iter()
        .find(|value| value.step == report.exported_step)
        .unwrap();
    assert_eq!(exported.ndcg.to_bits(), best.to_bits());
}

#[test]
fn a_best_encoder_that_was_damaged_is_not_exported() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("pairs.jsonl"), folder.path().join("out"));
    write_pairs(&data, 60);
    let options = stopping_early();
    let best = out.join("checkpoints/best.safetensors");
    let error = run(&data, &out, &options, &mut |_| {
        if let Ok(mut bytes) = fs::read(&best) {
            let last = bytes.len() - 3;
            bytes[last] = 0x2a;
            fs::write(&best, bytes).unwrap();
        }
    })
    .unwrap_err();
    assert!(
        error.to_string().contains("it is not as it was written"),
        "{error}"
    );
    assert!(!out.join("model.safetensors").exists());
}

#[test]
fn files_folders_and_benchmarks_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::create_dir_all(path.join("set/train")).unwrap();
    let line = |anchor: &str, positive: &str| {
        json!({"anchor": anchor, "positive": positive, "negative_1": "n", "negative_2": null, "repo": "r"}).to_string()
    };
    let body = "for (int i = 0; i < n; i++) { total += values[i] * weights[i]; count++; }";
    let rows = [
        line("a", "int f(void) { return 1; }"),
        line("a", "int f(void) { return 1; }"),
        line("", "int g;"),
        line("tested   query", "int h(int x) { return x + 2; }"),
        line(
            "b",
            &format!(
                "double mean(double *values, double *weights, int n) {{ double total = 0; int count = 0; {body} return total / count; }}"
            ),
        ),
        line("c", "int tested(void)\n{ return 7; }"),
        line("d", "char *other(void) { return 0; }"),
    ];
    fs::write(path.join("set/train/standard.jsonl"), rows.join("\n")).unwrap();
    fs::write(path.join("set/dev.jsonl"), line("e", "int e;")).unwrap();
    let near = format!(
        "double mean(double *values, double *weights, int n) {{ double total = 0; int count = 0; {body} return total / (count + 0); }}"
    );
    let test = [
        ("tested query", "int tested(void) { return 7; }"),
        ("another", near.as_str()),
    ];
    let test: Vec<String> = test
        .iter()
        .map(|(query, text)| json!({"query": query, "positive": text}).to_string())
        .collect();
    fs::write(path.join("test.jsonl"), test.join("\n")).unwrap();
    let options = Options {
        exclude: vec![path.join("test.jsonl")],
        near_duplicate: 0.7,
        ..Options::default()
    };
    let mut pairs = Pairs::read(&path.join("set"), &options).unwrap();
    assert_eq!(pairs.dev.len(), 1);
    assert_eq!(pairs.train[0].setting.as_deref(), Some("standard"));
    assert_eq!(pairs.train[0].negatives, ["n"]);
    pairs.exclude(&options).unwrap();
    let kept: Vec<&str> = pairs
        .train
        .iter()
        .map(|pair| pair.anchor.as_str())
        .collect();
    assert_eq!(kept, ["a", "d"]);
    let expected = [
        ("an empty anchor or positive", 1),
        ("the anchor is in an excluded benchmark", 1),
        (
            "the positive is a near-duplicate of a text of an excluded benchmark",
            1,
        ),
        ("the positive is in an excluded benchmark", 1),
        ("the same pair twice", 1),
    ];
    assert_eq!(
        pairs.left_out,
        expected
            .map(|(reason, count)| (reason.to_owned(), count))
            .into()
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of refusals")]
fn what_cannot_be_trained_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let data = path.join("pairs.jsonl");
    write_pairs(&data, 40);
    let one = path.join("one.jsonl");
    write_pairs(&one, 1);
    let bare = path.join("bare.jsonl");
    fs::write(
        &bare,
        "{\"anchor\":\"a\",\"positive\":\"b\"}\n{\"anchor\":\"c\",\"positive\":\"d\"}",
    )
    .unwrap();
    let no_columns = path.join("no_columns.jsonl");
    fs::write(&no_columns, "{\"text\":\"a\"}").unwrap();
    let lora = |layer: &str| Options {
        lora: Some(Lora {
            rank: 2,
            alpha: 4.0,
            layers: vec![layer.to_owned()],
        }),
        ..quick()
    };
    let alone = Options {
        dev_share: 0.0,
        ..quick()
    };
    let checkpoints = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    let cases: Vec<(&Path, PathBuf, Options, &str)> = vec![
        (
            &one,
            tiny(),
            alone.clone(),
            "no negatives to compare the positive with",
        ),
        (
            &data,
            tiny(),
            lora("c_attn"),
            "LoRA names the layer `c_attn`, which the model does not have",
        ),
        (
            &data,
            tiny(),
            Options {
                freeze_layers: 3,
                ..quick()
            },
            "the model has 2 layers",
        ),
        (
            &data,
            tiny(),
            Options {
                freeze_layers: 2,
                freeze_embeddings: true,
                ..quick()
            },
            "everything is frozen",
        ),
        (
            &data,
            tiny(),
            Options {
                patience: Some(1),
                ..alone.clone()
            },
            "early stopping needs a dev split",
        ),
        (
            &data,
            tiny(),
            Options {
                doses: BTreeMap::from([("wasm".to_owned(), 1.0)]),
                ..quick()
            },
            "a dose names the setting `wasm`",
        ),
        (
            &data,
            tiny(),
            Options {
                chunk_tokens: Some(usize::MAX >> 24),
                ..quick()
            },
            "MB are free",
        ),
        (
            &bare,
            tiny(),
            quick(),
            "no dev split by repository can be made",
        ),
        (&no_columns, tiny(), quick(), "no `anchor`"),
        (
            &data,
            checkpoints.join("modernbert"),
            quick(),
            "its architecture (`model_type`) is `modernbert`",
        ),
        (
            &data,
            checkpoints.join("jina"),
            quick(),
            "cannot be trained",
        ),
        (
            &data,
            checkpoints.join("roberta"),
            quick(),
            "has no `model.safetensors`",
        ),
        (&data, path.join("nowhere"), quick(), "no folder"),
    ];
    for (data, model, options, expected) in cases {
        let error = run_model(&model, data, &path.join("out"), &options, &mut |_| ()).unwrap_err();
        assert!(
            error.to_string().contains(expected),
            "{error}; expected {expected}"
        );
        assert!(!path.join("out/model.safetensors").exists());
    }
}

#[test]
fn a_loss_that_is_not_a_number_stops_and_keeps_the_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("pairs.jsonl"), folder.path().join("out"));
    write_pairs(&data, 60);
    let options = Options {
        learning_rate: 1e38,
        warmup: 0.0,
        clip: None,
        save_every: 1,
        dev_share: 0.0,
        ..quick()
    };
    let error = run(&data, &out, &options, &mut |_| ()).unwrap_err();
    let TrainError::NotFinite { step, rows, .. } = &error else {
        panic!("{error}")
    };
    assert!(*step > 1 && rows[0].contains("pairs.jsonl:"), "{error}");
    assert!(
        out.join(format!("checkpoints/step-{}/state.json", step - 1))
            .is_file()
    );
    assert!(
        error
            .hint()
            .unwrap()
            .contains("the last checkpoint is kept")
    );
    // Another letter in it, or in the numbers beside it, and it is refused.
    for file in ["state.json", "state.safetensors"] {
        let path = out.join(format!("checkpoints/step-{}/{file}", step - 1));
        let whole = fs::read(&path).unwrap();
        let mut changed = whole.clone();
        let last = changed.len() - 3;
        changed[last] ^= 1;
        fs::write(&path, changed).unwrap();
        let error = run(&data, &out, &options, &mut |_| ()).unwrap_err();
        assert!(
            error.to_string().contains("is not as it was written"),
            "{error}"
        );
        fs::write(&path, whole).unwrap();
    }
}

#[test]
fn long_and_empty_texts_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    let (data, out) = (folder.path().join("pairs.jsonl"), folder.path().join("out"));
    let long = "int x; ".repeat(150_000);
    let rows = [
        ("a", long.as_str()),
        ("b", "int b;"),
        ("c", "int c;"),
        ("d", " "),
    ];
    let rows: Vec<String> = rows
        .iter()
        .map(|(anchor, positive)| json!({"anchor": anchor, "positive": positive}).to_string())
        .collect();
    fs::write(&data, rows.join("\n")).unwrap();
    let report = run(
        &data,
        &out,
        &Options {
            dev_share: 0.0,
            ..quick()
        },
        &mut |_| (),
    )
    .unwrap();
    assert_eq!([report.pairs, report.truncated], [3, 1]);
    assert_eq!(report.left_out["an empty anchor or positive"], 1);
}
