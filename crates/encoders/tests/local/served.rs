//! One model twice: all-MiniLM-L6-v2 from its folder, and behind a server that computes it by other means, with
//! faults on the way. The texts are CLARC's.

use std::path::PathBuf;
use std::sync::Arc;

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Cache, Embeddings, Encoder, ModelSpec, Side, SystemClock, open_encoder};
use barecode_testing::needs::data;
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::server::{Served, opening};

/// Requests of 8 texts, three at a time, each given up after 3 s.
const BATCH: usize = 8;

/// Queries and functions of CLARC's group 1, an empty text, and one that is longer than the model reads.
struct Texts {
    queries: Vec<String>,
    functions: Vec<String>,
}

impl Texts {
    /// `None`, said on stderr, where there are no data.
    fn read() -> Option<Texts> {
        let file = data("clarc/reconstructed_group1_original_cleaned.json")?;
        let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
        let column = |name: &str, count: usize| -> Vec<String> {
            let mut texts = Vec::new();
            for row in &rows {
                let text = row[name].as_str().unwrap().to_owned();
                if texts.len() < count && !texts.contains(&text) {
                    texts.push(text);
                }
            }
            texts
        };
        let mut functions = column("code_text", 62);
        functions.push(String::new());
        functions.push("return 1 + 2;\n".repeat(400));
        Some(Texts {
            queries: column("query_text", 56),
            functions,
        })
    }

    fn of(&self, side: Side) -> Vec<&str> {
        let texts = match side {
            Side::Query => &self.queries,
            Side::Document => &self.functions,
        };
        texts.iter().map(String::as_str).collect()
    }
}

/// The model behind its server, a proxy with faults before that, and the same model from its folder.
struct Twice {
    texts: Texts,
    server: Started,
    proxy: Started,
    local: LocalEncoder,
}

impl Twice {
    fn start() -> Option<Twice> {
        let texts = Texts::read()?;
        let server = Started::start("minilm_server.py", &[])?;
        let proxy = Started::start("proxy.py", &[&server.url("")])?;
        let folder = PathBuf::from(server.status()["folder"].as_str().unwrap());
        let local = LocalEncoder::load(&folder, &LocalOptions::default()).unwrap();
        Some(Twice {
            texts,
            server,
            proxy,
            local,
        })
    }

    /// The short form with the address of the proxy; the server has one model, so its name is not needed.
    fn spec(&self, timeout: u64) -> ModelSpec {
        let form = format!("openai+{}", self.proxy.url("/v1"));
        let mut spec: ModelSpec = form.parse().unwrap();
        spec.remote.batch_texts = Some(BATCH);
        spec.remote.parallel = Some(3);
        spec.remote.timeout = Some(std::time::Duration::from_secs(timeout));
        spec
    }
}

/// The cosine of two vectors.
fn cosine(one: &[f32], two: &[f32]) -> f64 {
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(&x, &y)| f64::from(x) * f64::from(y));
        products.sum()
    };
    dot(one, two) / (dot(one, one) * dot(two, two)).sqrt()
}

fn assert_close(served: &Embeddings, local: &Embeddings) {
    assert_eq!(served.dimensions, local.dimensions);
    assert_eq!(served.len(), local.len());
    for text in 0..local.len() {
        let cosine = cosine(served.vector(text), local.vector(text));
        assert!(cosine >= 0.99999, "text {text}: cosine {cosine}");
        let pairs = served.vector(text).iter().zip(local.vector(text));
        let farthest = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
        assert!(farthest <= 1e-5, "text {text}: {farthest} apart");
    }
}

fn status(status: u16, headers: &Value) -> Value {
    json!({ "kind": "status", "status": status, "headers": headers })
}

#[test]
fn a_server_and_a_folder_give_the_same_vectors_whatever_goes_wrong() {
    let Some(twice) = Twice::start() else {
        return;
    };
    let mut calm: Vec<Embeddings> = Vec::new();
    let (opening_of_calm, _) = opening(&[]);
    let encoder = open_encoder(&twice.spec(100), &opening_of_calm).unwrap();
    let mut tokens = 0;
    for side in [Side::Query, Side::Document] {
        let texts = twice.texts.of(side);
        let served = encoder.encode(side, &texts).unwrap();
        let local = twice.local.encode(side, &texts).unwrap();
        assert_close(&served, &local);
        tokens += local.tokens.iter().map(|&n| u64::from(n)).sum::<u64>();
        calm.push(served);
    }
    let n_texts = twice.texts.queries.len() + twice.texts.functions.len();
    assert_eq!(n_texts, 120);
    let usage = opening_of_calm.ledger.usage().into_values().next().unwrap();
    assert_eq!((usage.requests, usage.retries), (15, 0));
    // The server counts the tokens that the model on this machine counts.
    assert_eq!((usage.tokens, usage.estimated_tokens), (tokens, 0));
    assert_eq!(twice.server.status()["computed"], 120);

    let refused = |code| status(code, &json!({}));
    let faults = [
        (
            "429 with Retry-After",
            json!([
                status(429, &json!({ "retry-after": "3" })),
                status(429, &json!({ "retry-after-ms": "40" }))
            ]),
        ),
        ("429 without", json!([refused(429), refused(429)])),
        ("500", json!([refused(500), refused(502), refused(503)])),
        ("slow", json!([{ "kind": "slow", "seconds": 0.3 }])),
        ("late", json!([{ "kind": "late", "seconds": 4.5 }])),
        (
            "cut",
            json!([{ "kind": "cut" }, { "kind": "cut-without-length" }]),
        ),
        (
            "wrong count",
            json!([{ "kind": "count" }, { "kind": "index" }]),
        ),
        ("NaN", json!([{ "kind": "nan" }])),
        (
            "another length",
            json!([{ "kind": "none" }, { "kind": "none" }, { "kind": "none" }, { "kind": "none" },
                { "kind": "dimensions" }]),
        ),
        ("HTML", json!([{ "kind": "html" }, { "kind": "html" }])),
        ("reset", json!([{ "kind": "reset" }, { "kind": "reset" }])),
        // Three answers that cannot be right: one request may meet all of them, and a fourth would end it.
        (
            "everything",
            json!([
                { "kind": "reset" }, refused(429), { "kind": "cut" }, { "kind": "slow", "seconds": 0.1 },
                { "kind": "html" }, refused(500), { "kind": "count" }, { "kind": "cut-without-length" },
                status(503, &json!({ "retry-after": "1" })),
            ]),
        ),
    ];
    for (name, faults) in faults {
        twice.proxy.set(&json!({ "faults": faults }));
        let (opening, _) = opening(&[]);
        let encoder = open_encoder(&twice.spec(3), &opening).unwrap();
        for (side, calm) in [Side::Query, Side::Document].into_iter().zip(&calm) {
            let got = encoder.encode(side, &twice.texts.of(side)).unwrap();
            let same = got.values.iter().zip(&calm.values);
            assert_eq!(got.values.len(), calm.values.len(), "{name}");
            assert!(
                same.into_iter().all(|(a, b)| a.to_bits() == b.to_bits()),
                "{name}: other bytes"
            );
        }
        let served = Served::by(&twice.proxy);
        assert_eq!(served.faults_left, 0, "{name}");
        // An empty text and a blank are the same to a server, and every other text is served once.
        assert_eq!(served.texts.len(), n_texts, "{name}");
        assert!(served.texts.values().all(|&n| n == 1), "{name}: {served:?}");
        let usage = opening.ledger.usage().into_values().next().unwrap();
        let faults = faults.as_array().unwrap().iter();
        let harmless = |fault: &&Value| fault["kind"] == "slow" || fault["kind"] == "none";
        let n_faults = faults.filter(|fault| !harmless(fault)).count() as u64;
        assert_eq!((usage.requests, usage.retries), (15, n_faults), "{name}");
        // Answers that were rejected are paid for too.
        let used = usage.tokens - usage.wasted_tokens;
        assert_eq!(used, tokens, "{name}: nothing is booked twice");
    }
}

#[test]
fn what_a_broken_run_paid_for_is_there_for_the_next_one() {
    let Some(twice) = Twice::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let texts = twice.texts.of(Side::Query);
    let run = |faults: Value| {
        twice.proxy.set(&json!({ "faults": faults }));
        let (mut opening, _) = opening(&[]);
        let path = folder.path().join("vectors.sqlite");
        let cache = Cache::open(&path, None, &SystemClock::new()).unwrap();
        opening.cache = Some(Arc::new(cache));
        let encoder = open_encoder(&twice.spec(100), &opening).unwrap();
        let ended = encoder.encode(Side::Query, &texts);
        (ended, Served::by(&twice.proxy).texts)
    };
    let none = json!({ "kind": "none" });
    let quota = json!({ "kind": "status", "status": 429,
        "body": { "error": { "message": "You exceeded your current quota", "code": "insufficient_quota" } } });
    let (ended, first) = run(json!([none, none, none, quota, none, none, none]));
    let error = ended.unwrap_err();
    let said = format!("{error}\n{}", error.hint().unwrap_or_default());
    assert!(
        said.contains("no credit left"),
        "the account is empty: {said}"
    );
    assert!((3 * BATCH..texts.len()).contains(&first.len()), "{first:?}");
    let (ended, second) = run(json!([]));
    assert_close(
        &ended.unwrap(),
        &twice.local.encode(Side::Query, &texts).unwrap(),
    );
    let twice_served = first.keys().filter(|text| second.contains_key(*text));
    assert_eq!(twice_served.count(), 0);
    assert_eq!(first.len() + second.len(), texts.len());
}
