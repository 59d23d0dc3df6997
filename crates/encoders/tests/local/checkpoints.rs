//! Every architecture against the vectors that `transformers` gave for the same tiny checkpoint.
//!
//! `make_checkpoints.py` makes the folders; see `checkpoints/README.md`.

use std::path::{Path, PathBuf};

use barecode_encoders::{LocalEncoder, LocalOptions, LocalReranker, LocalTokens};
use barecode_models::{Embeddings, Encoder, Pooling, Reranker, Side};
use serde_json::Value;

pub(crate) fn checkpoint(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/checkpoints")
        .join(name)
}

pub(crate) fn expected(name: &str) -> Value {
    let bytes = std::fs::read(checkpoint(name).join("expected.json")).unwrap();
    serde_json::from_slice(&bytes).unwrap()
}

pub(crate) fn texts(expected: &Value) -> Vec<&str> {
    expected["texts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|text| text.as_str().unwrap())
        .collect()
}

fn numbers(value: &Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

fn encode(name: &str, pooling: Option<Pooling>, normalize: Option<bool>) -> Embeddings {
    let options = LocalOptions {
        pooling,
        normalize,
        both_ways: name.ends_with("both-ways").then_some(true),
        ..LocalOptions::default()
    };
    let encoder = LocalEncoder::load(&checkpoint(name), &options)
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    let expected = expected(name);
    encoder.encode(Side::Document, &texts(&expected)).unwrap()
}

/// The largest difference of two vectors, and their cosine.
fn compare(ours: &[f32], theirs: &[f64]) -> (f64, f64) {
    assert_eq!(ours.len(), theirs.len());
    let ours: Vec<f64> = ours.iter().copied().map(f64::from).collect();
    let pairs = || ours.iter().zip(theirs);
    let difference = pairs().map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let product: f64 = pairs().map(|(a, b)| a * b).sum();
    let length = |vector: &[f64]| vector.iter().map(|x| x * x).sum::<f64>().sqrt();
    (difference, product / length(&ours) / length(theirs))
}

/// A checkpoint of every architecture.
pub(crate) const NAMES: [&str; 19] = [
    "bert",
    "bert-masked",
    "roberta",
    "xlm-roberta",
    "mpnet",
    "t5",
    "t5-gated",
    "modernbert",
    "nomic",
    "qwen2",
    "qwen3",
    "mistral",
    "gemma2",
    "qwen2-both-ways",
    "gpt-bigcode",
    "gpt-bigcode-heads",
    "jina-code",
    "jina",
    "codesage",
];

#[test]
fn every_architecture_gives_the_vectors_of_transformers() {
    let mut wrong = Vec::new();
    for name in NAMES {
        let expected = expected(name);
        for (pooling, key) in [(Pooling::Mean, "mean"), (Pooling::Last, "last")] {
            let vectors = encode(name, Some(pooling), Some(false));
            for (text, pooled) in expected["pooled"].as_array().unwrap().iter().enumerate() {
                let (difference, cosine) = compare(vectors.vector(text), &numbers(&pooled[key]));
                if !(difference < 2e-5 && cosine > 0.999_999) {
                    wrong.push(format!(
                        "{name}, {key} of text {text}: off by {difference:e}, cosine {cosine}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_head_of_codet5p_projects_and_normalizes() {
    let expected = expected("codet5p");
    let vectors = encode("codet5p", None, None);
    assert_eq!(vectors.dimensions, 20);
    for (text, pooled) in expected["pooled"].as_array().unwrap().iter().enumerate() {
        let (difference, cosine) = compare(vectors.vector(text), &numbers(&pooled["head"]));
        assert!(
            difference < 1e-5 && cosine > 0.999_999,
            "{text}: off by {difference:e}, cosine {cosine}"
        );
    }
}

#[test]
fn rerankers_give_the_scores_of_transformers() {
    for name in ["reranker-bert", "reranker-roberta", "reranker-modernbert"] {
        let expected = expected(name);
        let reranker = LocalReranker::load(&checkpoint(name), None)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        let scores = numbers(&expected["scores"]);
        let pairs = expected["pairs"].as_array().unwrap();
        for (pair, score) in pairs.iter().zip(scores) {
            let (query, text) = (pair[0].as_str().unwrap(), pair[1].as_str().unwrap());
            let ours = reranker.score(query, &["something else", text]).unwrap()[1];
            assert!(
                (f64::from(ours) - score).abs() < 1e-5,
                "{name}: {ours} {score}"
            );
        }
    }
}

/// Length of a text, its neighbors and the number of threads change no bit.
#[test]
fn a_vector_has_the_same_bits_in_any_company() {
    let long = "while (x[i] != y[j]) { swap(x, y); } ".repeat(4);
    let texts = [
        "int a;",
        "",
        long.as_str(),
        "return a + b;",
        "x",
        "größe = 1",
    ];
    for name in [
        "bert",
        "mpnet",
        "modernbert",
        "gemma2",
        "codesage",
        "jina-code",
        "t5-gated",
    ] {
        let encoder = LocalEncoder::load(&checkpoint(name), &LocalOptions::default()).unwrap();
        let alone: Vec<Vec<u32>> = texts
            .iter()
            .map(|text| bits(encoder.encode(Side::Document, &[text]).unwrap().vector(0)))
            .collect();
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .unwrap();
            for repeat in [1, 7, 90] {
                let many: Vec<&str> = texts
                    .iter()
                    .copied()
                    .cycle()
                    .take(texts.len() * repeat)
                    .collect();
                let vectors = pool
                    .install(|| encoder.encode(Side::Document, &many))
                    .unwrap();
                for text in 0..many.len() {
                    assert_eq!(
                        bits(vectors.vector(text)),
                        alone[text % texts.len()],
                        "{name}: {text} of {repeat}"
                    );
                }
            }
        }
    }
}

pub(crate) fn bits(vector: &[f32]) -> Vec<u32> {
    vector.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn long_and_empty_texts_are_fine() {
    let encoder = LocalEncoder::load(&checkpoint("bert"), &LocalOptions::default()).unwrap();
    let words = "swap ".repeat(200 << 10);
    let blanks = format!("{}x", " ".repeat(1 << 20));
    let one_word = "a".repeat(1 << 20);
    let vectors = encoder
        .encode(Side::Document, &[&words, "", &blanks, &one_word])
        .unwrap();
    assert_eq!(vectors.tokens, [192, 2, 192, 192]);
    assert_eq!(vectors.truncated, [true, false, true, true]);
    let short = encoder
        .encode(Side::Document, &[&"swap ".repeat(60)])
        .unwrap();
    assert_eq!(bits(short.vector(0)), bits(vectors.vector(0)));
    assert!(vectors.values.iter().all(|number| number.is_finite()));
}

#[test]
fn options_go_before_files() {
    let folder = checkpoint("bert");
    let load = |options: &LocalOptions| LocalEncoder::load(&folder, options).unwrap();
    let usual = LocalOptions::default();
    let one = |options: &LocalOptions, side| load(options).encode(side, &["x + y"]).unwrap();
    let prompted = LocalOptions {
        query_prompt: Some("find: ".to_owned()),
        ..usual.clone()
    };
    assert_eq!(one(&prompted, Side::Document), one(&usual, Side::Document));
    let by_hand = load(&usual)
        .encode(Side::Document, &["find: x + y"])
        .unwrap();
    assert_eq!(one(&prompted, Side::Query), by_hand);
    let short = one(
        &LocalOptions {
            max_length: Some(4),
            ..usual.clone()
        },
        Side::Query,
    );
    assert_eq!((short.tokens[0], short.truncated[0]), (4, true));
    let cut = one(
        &LocalOptions {
            dimensions: Some(8),
            ..usual.clone()
        },
        Side::Query,
    );
    assert_eq!(cut.dimensions, 8);
    assert!((cut.values.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-6);
    let ended = one(
        &LocalOptions {
            end: Some("<pad>".to_owned()),
            ..usual.clone()
        },
        Side::Query,
    );
    assert_eq!(ended.tokens[0], one(&usual, Side::Query).tokens[0] + 1);
    let identities: std::collections::BTreeSet<String> = [
        &usual,
        &prompted,
        &LocalOptions {
            max_length: Some(4),
            ..usual.clone()
        },
        &LocalOptions {
            dimensions: Some(8),
            ..usual.clone()
        },
        &LocalOptions {
            pooling: Some(Pooling::Max),
            ..usual.clone()
        },
        &LocalOptions {
            normalize: Some(false),
            ..usual.clone()
        },
        &LocalOptions {
            revision: Some("abc".to_owned()),
            ..usual.clone()
        },
    ]
    .into_iter()
    .map(|options| load(options).identity().to_owned())
    .collect();
    assert_eq!(identities.len(), 7);
}

#[test]
fn a_language_model_can_be_told_to_see_both_ways() {
    let options = |both_ways| LocalOptions {
        both_ways,
        pooling: Some(Pooling::First),
        ..LocalOptions::default()
    };
    let first = |options: &LocalOptions| {
        let encoder = LocalEncoder::load(&checkpoint("qwen2"), options).unwrap();
        let vectors = encoder.encode(Side::Document, &["a b", "a c"]).unwrap();
        (bits(vectors.vector(0)), bits(vectors.vector(1)))
    };
    let (one, two) = first(&options(None));
    assert_eq!(
        one, two,
        "a first token that looks back sees nothing but itself"
    );
    let (one, two) = first(&options(Some(true)));
    assert_ne!(one, two);
}

#[test]
fn tokens_are_counted_without_weights_as_the_encoder_counts_them() {
    let long = "while (left < right) { swap(left++, right--); }\n".repeat(700);
    let texts = ["", "int x;", "Größe \u{1f980}", long.as_str()];
    let folders = std::fs::read_dir(checkpoint("")).unwrap();
    let mut n_folders = 0;
    for folder in folders {
        let name = folder.unwrap().file_name().into_string().unwrap();
        if name.starts_with("reranker") || name == "README.md" {
            continue;
        }
        n_folders += 1;
        for max_length in [None, Some(9)] {
            let options = LocalOptions {
                max_length,
                query_prompt: Some("find: ".to_owned()),
                ..LocalOptions::default()
            };
            let encoder = LocalEncoder::load(&checkpoint(&name), &options).unwrap();
            let tokens = LocalTokens::load(&checkpoint(&name), &options).unwrap();
            for side in [Side::Query, Side::Document] {
                // A long text is cheap for these tiny models, but where nothing cuts it.
                let texts = if name.contains("t5") && max_length.is_none() {
                    &texts[..3]
                } else {
                    &texts[..]
                };
                let read = encoder.encode(side, texts).unwrap();
                let counted = tokens.count(side, texts).unwrap();
                assert_eq!(counted, read.tokens, "{name} {max_length:?} {side:?}");
            }
        }
    }
    assert_eq!(n_folders, 20);
}
