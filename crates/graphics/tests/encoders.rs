//! Vectors from a device are those of the processor, for every architecture that there is a small checkpoint of.
//!
//! The device is the framework's own on the processor; `BARECODE_TEST_DEVICE` names another, such as `wgpu`.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

use std::path::{Path, PathBuf};

use barecode_encoders::{LocalEncoder, LocalOptions, LocalReranker};
use barecode_models::{Encoder as _, Pooling, Reranker as _, Side};

fn device() -> String {
    std::env::var("BARECODE_TEST_DEVICE").unwrap_or_else(|_| "flex".to_owned())
}

/// Folders of encoders, or of rerankers.
fn checkpoints(rerankers: bool) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    let entries = std::fs::read_dir(folder).unwrap();
    let folders = entries.map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = folders
        .filter(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            path.is_dir() && name.starts_with("reranker") == rerankers
        })
        .collect();
    folders.sort();
    folders
}

/// Texts of many lengths, an empty one among them.
fn texts() -> Vec<String> {
    let words = [
        "int", "list", "add", "return", "the", "node", "{", "}", "x", "sort",
    ];
    let text = |length: usize| -> String {
        let words: Vec<&str> = (0..length)
            .map(|i| words[(i * i + length) % words.len()])
            .collect();
        words.join(" ")
    };
    [0, 1, 2, 5, 9, 14, 30, 31, 33, 60, 120, 400]
        .map(text)
        .to_vec()
}

fn greatest_difference(folder: &Path, pooling: Option<Pooling>) -> f32 {
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = |device: Option<String>| {
        let options = LocalOptions {
            pooling,
            device,
            ..LocalOptions::default()
        };
        let encoder = LocalEncoder::load(folder, &options).unwrap();
        encoder.encode(Side::Document, &texts).unwrap()
    };
    let (found, expected) = (vectors(Some(device())), vectors(None));
    assert_eq!(found.values.len(), expected.values.len());
    assert_eq!(found.tokens, expected.tokens);
    let pairs = found.values.iter().zip(&expected.values);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn vectors_are_those_of_the_processor() {
    let checkpoints = checkpoints(false);
    assert!(checkpoints.len() >= 18, "{checkpoints:?}");
    for folder in checkpoints {
        let most = greatest_difference(&folder, None);
        println!("{}: {most:.1e}", folder.file_name().unwrap().display());
        assert!(most < 1e-5, "{}: {most:.1e}", folder.display());
    }
}

/// A text is padded to a rounded length, which tables of positions need not have.
#[test]
fn a_text_may_end_where_the_positions_do() {
    for name in ["qwen3", "bert"] {
        let mut folders = checkpoints(false).into_iter();
        let folder = folders.find(|it| it.ends_with(name)).unwrap();
        let copy = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
        }
        if name == "qwen3" {
            let config = copy.path().join("config.json");
            let text = std::fs::read_to_string(&config).unwrap();
            let shorter = text.replace("_embeddings\": 192", "_embeddings\": 150");
            assert_ne!(text, shorter);
            std::fs::write(&config, shorter).unwrap();
        }
        let most = greatest_difference(copy.path(), None);
        assert!(most < 1e-5, "{name}: {most:.1e}");
    }
}

#[test]
fn scores_of_pairs_are_those_of_the_processor() {
    let folders = checkpoints(true);
    assert!(folders.len() >= 3, "{folders:?}");
    let texts = texts();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for folder in folders {
        let scores = |device: Option<&str>| {
            let reranker = LocalReranker::load(&folder, None, device).unwrap();
            reranker.score("sort the list", &texts).unwrap()
        };
        let (found, expected) = (scores(Some(&device())), scores(None));
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-5, "{}: {a} {b}", folder.display());
        }
    }
}

#[test]
fn every_pooling_is_that_of_the_processor() {
    let folder = checkpoints(false)
        .into_iter()
        .find(|it| it.ends_with("bert"))
        .unwrap();
    for pooling in [
        Pooling::First,
        Pooling::Last,
        Pooling::Mean,
        Pooling::MeanRoot,
        Pooling::Max,
        Pooling::WeightedMean,
    ] {
        let most = greatest_difference(&folder, Some(pooling));
        assert!(most < 1e-5, "{pooling:?}: {most:.1e}");
    }
}

#[test]
fn a_device_is_part_of_a_models_identity() {
    let folder = checkpoints(false)
        .into_iter()
        .find(|it| it.ends_with("bert"))
        .unwrap();
    let identity = |device: Option<&str>| {
        let options = LocalOptions {
            device: device.map(str::to_owned),
            ..LocalOptions::default()
        };
        let encoder = LocalEncoder::load(&folder, &options).unwrap();
        encoder.identity().to_owned()
    };
    assert_ne!(identity(None), identity(Some("flex")));
    assert!(identity(Some("flex")).contains(" flex "));
}

#[test]
fn a_device_that_is_not_there_is_an_error_with_a_hint() {
    let folder = checkpoints(false)
        .into_iter()
        .find(|it| it.ends_with("bert"))
        .unwrap();
    for name in ["flex:3", "gpu", "cuda:99"] {
        let options = LocalOptions {
            device: Some(name.to_owned()),
            ..LocalOptions::default()
        };
        let error = LocalEncoder::load(&folder, &options)
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(name.split(':').next().unwrap()), "{error}");
    }
}
