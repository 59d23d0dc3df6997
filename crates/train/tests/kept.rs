//! Trainings have the losses, dev values and weights that they had before: numbers that were written down once.
//!
//! The trainings are short, of encoders with random numbers, and take every road: both orders of places, 32 and 16 bits in
//! the file, adapters, frozen layers, batches that are larger than a chunk, hard negatives. Their bits differ between
//! processors with other vector instructions, so numbers are compared to 1e-5; bits are compared by the tests that train
//! twice.
//!
//! The biases of keys are left out. Attention is the same for all of them, so their gradient is zero but for rounding, which
//! Adam scales up to whole steps.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use barecode_encoders::LocalOptions;
use barecode_models::Pooling;
use barecode_train::{Criterion, Lora, Model, Options, Pairs, Watch, train};
use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde_json::{Value, json};

fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../encoders/tests/checkpoints")
        .join(name)
}

/// Pairs of texts of many lengths, the longest of them cut.
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
    let lines: Vec<String> = (0..70)
        .map(|i| {
            let pair = json!({
                "anchor": format!("{i} {}", text(i, 2 + i % 6)),
                "positive": format!("{i} {}", text(i + 7, 3 + (i * i) % 70)),
                "negatives": if i % 4 == 0 { vec![text(i + 11, 9)] } else { Vec::new() },
                "repo": format!("r{}", i % 5),
            });
            pair.to_string()
        })
        .collect();
    fs::write(path, lines.join("\n")).unwrap();
}

/// The same checkpoint with numbers of 16 bits.
fn halved(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
    let bytes = fs::read(from.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let halves: Vec<(String, Vec<usize>, Vec<u8>)> = (file.iter())
        .map(|(name, view)| {
            let numbers = view.data().as_chunks::<4>().0.iter();
            let bytes = numbers
                .flat_map(|bytes| f16::from_f32(f32::from_le_bytes(*bytes)).to_le_bytes())
                .collect();
            (name.to_owned(), view.shape().to_vec(), bytes)
        })
        .collect();
    let views = halves.iter().map(|(name, shape, bytes)| {
        let view = TensorView::new(Dtype::F16, shape.clone(), bytes).unwrap();
        (name, view)
    });
    let whole = safetensors::serialize(views, None).unwrap();
    fs::write(to.join("model.safetensors"), whole).unwrap();
}

/// A training, and what is written down of it: the curve, the dev values, and two sums of each exported tensor.
fn trained(folder: &Path, pooling: Pooling, options: &Options) -> Value {
    let place = tempfile::tempdir().unwrap();
    let data = place.path().join("pairs.jsonl");
    write_pairs(&data);
    let model = Model {
        folder,
        name: "tiny",
        options: LocalOptions {
            pooling: Some(pooling),
            ..LocalOptions::default()
        },
    };
    let pairs = Pairs::read(&data, options).unwrap();
    let mut watch = Watch {
        progress: &mut |_| (),
        stop: &|| false,
    };
    let out = place.path().join("out");
    let report = train(&model, (&pairs, "pairs"), options, &out, &mut watch).unwrap();
    let bytes = fs::read(out.join("model.safetensors")).unwrap();
    let file = SafeTensors::deserialize(&bytes).unwrap();
    let tensors: BTreeMap<String, [f64; 2]> = (file.iter())
        .filter(|(name, _)| !name.ends_with("attention.self.key.bias"))
        .map(|(name, view)| {
            let numbers = view.data().as_chunks::<4>().0.iter();
            let numbers: Vec<f64> = numbers
                .map(|bytes| f32::from_le_bytes(*bytes).into())
                .collect();
            let turned = numbers
                .iter()
                .enumerate()
                .map(|(i, number)| number * (i as f64).sin());
            (name.to_owned(), [numbers.iter().sum(), turned.sum()])
        })
        .collect();
    json!({
        "losses": report.curve.iter().map(|step| step.loss).collect::<Vec<_>>(),
        "gradients": report.curve.iter().map(|step| step.gradient).collect::<Vec<_>>(),
        "dev": report.dev.iter().map(|dev| [dev.ndcg, dev.loss]).collect::<Vec<_>>(),
        "tensors": tensors,
    })
}

/// Compares numbers wherever they stand.
fn assert_near(found: &Value, expected: &Value, place: &str) {
    match (found, expected) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            let near = (a - b).abs() < 1e-5 * b.abs().max(1.0);
            assert!(near, "{place}: {a}, it was {b}");
        }
        (Value::Array(a), Value::Array(b)) => {
            assert_eq!(a.len(), b.len(), "{place}");
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                assert_near(a, b, &format!("{place}[{i}]"));
            }
        }
        (Value::Object(a), Value::Object(b)) => {
            let keys = |object: &serde_json::Map<String, Value>| {
                object.keys().cloned().collect::<Vec<String>>()
            };
            assert_eq!(keys(a), keys(b), "{place}");
            for (key, a) in a {
                assert_near(a, &b[key], &format!("{place}.{key}"));
            }
        }
        _ => assert_eq!(found, expected, "{place}"),
    }
}

#[test]
fn trainings_have_the_numbers_that_they_had() {
    let place = tempfile::tempdir().unwrap();
    let half = place.path().join("half");
    halved(&checkpoint("bert"), &half);
    let usual = Options {
        epochs: 2,
        batch: 8,
        learning_rate: 1e-3,
        dev_share: 0.2,
        max_length: Some(64),
        ..Options::default()
    };
    let frozen = Options {
        freeze_embeddings: true,
        freeze_layers: 1,
        symmetric: true,
        clip: None,
        ..usual.clone()
    };
    let adapted = Options {
        lora: Some(Lora {
            rank: 4,
            alpha: 8.0,
            layers: vec!["query".to_owned(), "output.dense".to_owned()],
        }),
        criterion: Criterion::Loss,
        ..usual.clone()
    };
    let chunked = Options {
        chunk_tokens: Some(150),
        hard_negatives: 2,
        max_length: Some(150),
        ..usual.clone()
    };
    let found = json!({
        "bert": trained(&checkpoint("bert"), Pooling::Mean, &usual),
        "bert, frozen": trained(&checkpoint("bert"), Pooling::First, &frozen),
        "bert, 16 bits": trained(&half, Pooling::WeightedMean, &adapted),
        "xlm-roberta": trained(&checkpoint("xlm-roberta"), Pooling::Last, &usual),
        "xlm-roberta, chunks": trained(&checkpoint("xlm-roberta"), Pooling::MeanRoot, &chunked),
    });
    if let Some(path) = std::env::var_os("BARECODE_KEPT") {
        fs::write(path, serde_json::to_vec(&found).unwrap()).unwrap();
    }
    let expected = include_bytes!("kept.json");
    assert_near(&found, &serde_json::from_slice(expected).unwrap(), "");
}
