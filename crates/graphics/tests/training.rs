//! A training on a device has the losses and gradients of one on the processor, which tests of `barecode-train` compare with
//! PyTorch's.
//!
//! The device is the framework's own on the processor; `BARECODE_TEST_DEVICE` names another, such as `wgpu`.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Encoder as _, Side};
use barecode_train::{Lora, Model, Options, Pairs, Progress, Report, TrainError, Watch, train};

fn device() -> String {
    std::env::var("BARECODE_TEST_DEVICE").unwrap_or_else(|_| "flex".to_owned())
}

/// A BERT or an XLM-RoBERTa of two layers with random numbers.
fn tiny(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../encoders/tests/checkpoints")
        .join(name)
}

/// Pairs of texts of many lengths.
fn write_pairs(path: &Path) {
    let words = [
        "list", "sort", "add", "tree", "sum", "of", "node", "int", "x", "return",
    ];
    let text = |seed: usize, length: usize| -> String {
        let words: Vec<&str> = (0..length)
            .map(|i| words[(seed * 31 + i * i * 7 + i) % words.len()])
            .collect();
        words.join(" ")
    };
    let lines: Vec<String> = (0..60)
        .map(|i| {
            let (anchor, positive) = (text(i, 2 + i % 6), text(i + 7, 3 + i % 23));
            format!(
                r#"{{"anchor":"{i} {anchor}","positive":"{i} {positive}","repo":"r{}"}}"#,
                i % 5
            )
        })
        .collect();
    fs::write(path, lines.join("\n")).unwrap();
}

fn options(device: Option<String>) -> Options {
    Options {
        epochs: 2,
        batch: 8,
        learning_rate: 1e-3,
        dev_share: 0.2,
        max_length: Some(32),
        save_every: 3,
        device,
        ..Options::default()
    }
}

/// Trains, and stops after so many steps.
fn run(folder: &Path, name: &str, options: &Options, stop: u64) -> Result<Report, TrainError> {
    let data = folder.join("pairs.jsonl");
    write_pairs(&data);
    let model = Model {
        folder: &tiny(name),
        name,
        options: LocalOptions::default(),
    };
    let pairs = Pairs::read(&data, options)?;
    let steps = AtomicU64::new(0);
    let mut watch = Watch {
        progress: &mut |progress| {
            if let Progress::Step(_) = progress {
                steps.fetch_add(1, Ordering::Relaxed);
            }
        },
        stop: &|| steps.load(Ordering::Relaxed) >= stop,
    };
    train(
        &model,
        (&pairs, "pairs"),
        options,
        &folder.join("out"),
        &mut watch,
    )
}

/// Both trainings, compared step by step.
fn assert_same(name: &str, change: impl Fn(Options) -> Options) {
    let reports = [Some(device()), None].map(|device| {
        let folder = tempfile::tempdir().unwrap();
        run(folder.path(), name, &change(options(device)), u64::MAX).unwrap()
    });
    let [found, expected] = &reports;
    assert!(found.curve.len() > 8, "{}", found.curve.len());
    assert_eq!(found.curve.len(), expected.curve.len());
    for (found, expected) in found.curve.iter().zip(&expected.curve) {
        let step = expected.step;
        assert!(
            (found.loss - expected.loss).abs() < 1e-4,
            "step {step}: {found:?} {expected:?}"
        );
        let share = (found.gradient / expected.gradient - 1.0).abs();
        assert!(share < 1e-3, "step {step}: {found:?} {expected:?}");
    }
    for (found, expected) in found.dev.iter().zip(&expected.dev) {
        assert!(
            (found.loss - expected.loss).abs() < 1e-4,
            "{found:?} {expected:?}"
        );
    }
}

#[test]
fn losses_and_gradients_are_those_of_the_processor() {
    assert_same("bert", |options| options);
    assert_same("xlm-roberta", |options| options);
}

#[test]
fn so_are_those_in_chunks() {
    assert_same("bert", |options| Options {
        chunk_tokens: Some(40),
        ..options
    });
}

#[test]
fn so_are_those_of_adapters_and_of_what_is_frozen() {
    assert_same("bert", |options| Options {
        lora: Some(Lora {
            rank: 4,
            alpha: 8.0,
            layers: vec!["query".to_owned(), "value".to_owned()],
        }),
        ..options
    });
    assert_same("bert", |options| Options {
        freeze_embeddings: true,
        freeze_layers: 1,
        hard_negatives: 1,
        ..options
    });
}

#[test]
fn a_stopped_training_goes_on_and_its_folder_is_read() {
    let [whole, stopped] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    let options = options(Some(device()));
    let report = run(whole.path(), "bert", &options, u64::MAX).unwrap();
    assert_eq!(report.options.device, Some(device()));
    let first = run(stopped.path(), "bert", &options, 5);
    assert!(matches!(first, Err(TrainError::Interrupted)), "{first:?}");
    let second = run(stopped.path(), "bert", &options, u64::MAX).unwrap();
    for (a, b) in second.curve.iter().zip(&report.curve) {
        assert!((a.loss - b.loss).abs() < 1e-6, "{a:?} {b:?}");
    }
    // A training on the processor is another one.
    let other = run(
        whole.path(),
        "bert",
        &Options {
            device: None,
            ..options
        },
        u64::MAX,
    );
    assert!(
        matches!(other, Err(TrainError::Invalid { .. })),
        "{other:?}"
    );
    let vectors = |folder: &Path| {
        let encoder = LocalEncoder::load(&folder.join("out"), &LocalOptions::default()).unwrap();
        encoder
            .encode(Side::Query, &["sort a list"])
            .unwrap()
            .values
    };
    let (a, b) = (vectors(whole.path()), vectors(stopped.path()));
    assert!(a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-6));
}

#[test]
fn a_device_that_is_not_there_stops_before_anything_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let error = run(
        folder.path(),
        "bert",
        &options(Some("flex:9".to_owned())),
        1,
    )
    .unwrap_err();
    assert!(error.to_string().contains("flex:9"), "{error}");
    assert!(error.hint().is_some());
    assert!(!folder.path().join("out/model.safetensors").exists());
}
