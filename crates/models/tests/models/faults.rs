use std::net::TcpListener;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use barecode_models::{Budget, Encoder, Ledger, ModelError, Side, open_encoder};
use serde_json::{Value, json};

use crate::server::{KEY, Server, borrowed, encode, endless, opening, texts};

const MODEL: &str = "batch-texts = 5\nparallel = 3\ntimeout = 1";

fn status(status: u16, headers: &Value) -> Value {
    json!({ "kind": "status", "status": status, "headers": headers })
}

#[test]
fn faults_lose_nothing_and_repeat_nothing_that_was_answered() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(60);
    let texts = borrowed(&owned);
    let expected = server.expected("m", "", &texts);
    let faults: [(&str, Value); 14] = [
        ("no fault", json!([])),
        (
            "429 with seconds",
            json!([status(429, &json!({ "retry-after": "3" }))]),
        ),
        (
            "429 with a date",
            json!([status(
                429,
                &json!({ "retry-after": "Sun, 06 Nov 1994 08:49:40 GMT" })
            )]),
        ),
        (
            "429 with nothing",
            json!([status(429, &json!({})), status(429, &json!({}))]),
        ),
        (
            "500",
            json!([
                status(500, &json!({})),
                status(502, &json!({})),
                status(503, &json!({}))
            ]),
        ),
        (
            "408 and 409",
            json!([status(408, &json!({})), status(409, &json!({}))]),
        ),
        ("late", json!([{ "kind": "late", "seconds": 1.4 }])),
        (
            "cut body",
            json!([{ "kind": "cut" }, { "kind": "cut-without-length" }]),
        ),
        ("wrong count", json!([{ "kind": "count" }])),
        ("same index twice", json!([{ "kind": "index" }])),
        ("NaN", json!([{ "kind": "nan" }])),
        ("HTML", json!([{ "kind": "html" }, { "kind": "html" }])),
        ("reset", json!([{ "kind": "reset" }, { "kind": "reset" }])),
        (
            "everything",
            json!([
                { "kind": "reset" }, status(429, &json!({ "retry-after-ms": "20" })), { "kind": "cut" },
                { "kind": "slow", "seconds": 0.2 }, { "kind": "html" }, { "kind": "nan" }, status(500, &json!({})),
                { "kind": "count" }, { "kind": "cut-without-length" }, status(503, &json!({ "retry-after": "1" })),
            ]),
        ),
    ];
    for (name, faults) in faults {
        server.set(&json!({ "faults": faults }));
        let (opening, hands) = opening(&[]);
        let got = encode(&server.model(MODEL), &opening, &texts)
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(got == expected, "{name}: other bytes");
        let served = server.served();
        assert_eq!(served.faults_left, 0, "{name}");
        assert_eq!(served.texts.len(), 60, "{name}");
        assert!(served.texts.values().all(|&n| n == 1), "{name}: {served:?}");
        let usage = &opening.ledger.usage()["m"];
        let n_faults = faults
            .as_array()
            .unwrap()
            .iter()
            .filter(|fault| fault["kind"] != "slow")
            .count() as u64;
        assert_eq!((usage.requests, usage.retries), (12, n_faults), "{name}");
        assert_eq!(usage.texts, 60, "{name}");
        if name.starts_with("429 with s") || name.starts_with("429 with a") {
            assert!(hands.slept() >= Duration::from_secs(3), "{name}");
        }
        assert!(hands.slept() < Duration::from_mins(1), "{name}");
    }
}

#[test]
fn a_server_that_never_gets_well_is_left_after_some_tries() {
    let Some(server) = Server::start() else {
        return;
    };
    let (opening, hands) = opening(&[]);
    let spec = server.model("parallel = 1");
    for (fault, n_faults, why) in [
        (
            status(503, &json!({})),
            40,
            "no answer after 10 tries, the last time: status 503: injected",
        ),
        (
            json!({ "kind": "html" }),
            40,
            "4 answers in a row cannot be right: a page instead of JSON (it begins with `<html><body>Bad gateway</body></html>`)",
        ),
        (
            status(429, &json!({ "retry-after": "86400" })),
            1,
            "no answer within 900 s, the last time: status 429",
        ),
        (
            json!({ "kind": "status", "status": 429,
                "body": { "error": { "message": "You exceeded your current quota", "code": "insufficient_quota" } } }),
            1,
            "insufficient_quota",
        ),
        (
            json!({ "kind": "status", "status": 418, "body": "no" }),
            1,
            "status 418: \"no\"",
        ),
        (
            json!({ "kind": "status", "status": 307, "headers": { "location": "/elsewhere" } }),
            1,
            "\nthe address answers with a redirection",
        ),
    ] {
        server.set(&json!({ "faults": vec![fault; n_faults] }));
        let error = encode(&spec, &opening, &["a"]).unwrap_err();
        let hint = error.hint().unwrap_or_default();
        assert!(format!("{error}\n{hint}").contains(why), "{error}\n{hint}");
        assert!(!hint.is_empty(), "{error}");
    }
    assert!(
        hands.slept() < Duration::from_mins(10),
        "{:?}",
        hands.slept()
    );
}

#[test]
fn a_dimension_that_changes_between_replies_is_an_error() {
    let Some(server) = Server::start() else {
        return;
    };
    let (opening, _) = opening(&[]);
    let encoder = open_encoder(&server.model("parallel = 1"), &opening).unwrap();
    encoder.encode(Side::Document, &["a"]).unwrap();
    server.set(&json!({ "faults": vec![json!({ "kind": "dimensions" }); 9] }));
    let error = encoder.encode(Side::Document, &["b"]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("vectors of 23 numbers, and vectors of 24 before"),
        "{error}"
    );
    // One such reply among good ones is a fault like others.
    server.set(&json!({ "faults": [{ "kind": "dimensions" }] }));
    encoder.encode(Side::Document, &["c"]).unwrap();
}

#[test]
fn a_wrong_key_is_told_without_showing_it() {
    let Some(server) = Server::start() else {
        return;
    };
    let wrong = "sk-a-wrong-secret";
    let (opening, _) = opening(&[("OPENAI_COMPATIBLE_API_KEY", wrong)]);
    server.set(&json!({}));
    let error = encode(&server.model(""), &opening, &["a"]).unwrap_err();
    let shown = format!("{error} {error:?} {:?}", opening.ledger);
    assert!(shown.contains("Incorrect API key provided: …"), "{shown}");
    assert!(
        error.hint() == Some("the key comes from the environment: OPENAI_COMPATIBLE_API_KEY"),
        "{shown}"
    );
    assert!(!shown.contains("secret"), "{shown}");
    assert_eq!(server.served().requests, 1, "asking again is no use");
}

#[test]
fn hosts_and_ports_where_nobody_is_are_told_at_once() {
    let (opening, hands) = opening(&[]);
    let ask = |url: &str| {
        let spec = format!("openai+{url}#m").parse().unwrap();
        let error = encode(&spec, &opening, &["a"]).unwrap_err();
        format!("{error}\nhint: {}", error.hint().unwrap_or_default())
    };
    let error = ask("http://no-such-host.invalid/v1");
    assert!(
        error.contains("no-such-host.invalid/v1/embeddings: host not found"),
        "{error}"
    );
    // A port that was free a moment ago.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = ask(&format!("http://127.0.0.1:{port}"));
    assert!(error.contains("nobody listens there"), "{error}");
    assert!(error.contains("hint: is the server running"), "{error}");
    assert_eq!(hands.slept(), Duration::ZERO);
}

#[test]
fn limits_in_headers_are_kept() {
    let Some(server) = Server::start() else {
        return;
    };
    // Anything that is no fault goes through; the header comes with a refusal that is tried again.
    let headers = json!({
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1m30s",
        "retry-after-ms": "1",
    });
    server.set(&json!({ "faults": [status(429, &headers)] }));
    let (opening, hands) = opening(&[("OPENAI_COMPATIBLE_API_KEY", KEY)]);
    encode(&server.model(""), &opening, &["a"]).unwrap();
    let slept = hands.slept();
    assert!(
        (Duration::from_secs(90)..Duration::from_secs(92)).contains(&slept),
        "{slept:?}"
    );
}

#[test]
fn answers_that_cannot_be_right_are_paid_for() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(40);
    let spec = server.model("price = 10.0\nbatch-texts = 4\nparallel = 3");
    for fault in [
        json!({ "kind": "count" }),
        json!({ "kind": "html" }),
        json!({ "kind": "cut" }),
    ] {
        server.set(&json!({ "faults": vec![fault.clone(); 60] }));
        let (mut opening, _) = opening(&[]);
        opening.ledger = Arc::new(Ledger::new(Budget {
            dollars: Some(0.001),
            tokens: None,
        }));
        let error = encode(&spec, &opening, &borrowed(&owned)).unwrap_err();
        assert!(
            matches!(error, ModelError::Budget { .. }),
            "{fault}: {error}"
        );
        let usage = &opening.ledger.usage()["m"];
        assert_eq!((usage.requests, usage.texts), (0, 0), "{fault}");
        assert!(usage.dollars() <= 0.001, "{fault}: {usage:?}");
        assert_eq!(usage.wasted_tokens, usage.tokens, "{fault}");
        // Four bytes a token are what the server counts, where it can be heard.
        assert_eq!(usage.estimated_tokens == 0, fault["kind"] == "count");
        assert!(usage.tokens > 0 && server.served().requests > 0, "{fault}");
    }
}

/// Fails instead of waiting for ever.
fn within_a_minute<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || done.send(work()));
    wait.recv_timeout(Duration::from_mins(1))
        .expect("nobody waits for ever")
}

#[test]
fn a_count_of_tokens_beyond_what_a_request_can_cost_is_not_believed() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(40);
    let expected = server.expected("m", "", &borrowed(&owned));
    let count = json!({ "kind": "none", "tokens": 1_u64 << 63 });
    server.set(&json!({ "faults": vec![count; 10] }));
    let spec = server.model("price = 1.0\nbatch-texts = 4\nparallel = 3");
    let (mut opening, _) = opening(&[]);
    opening.ledger = Arc::new(Ledger::new(Budget {
        dollars: Some(1.0),
        tokens: None,
    }));
    let ledger = Arc::clone(&opening.ledger);
    let got = within_a_minute(move || encode(&spec, &opening, &borrowed(&owned)));
    assert_eq!(got.unwrap(), expected);
    let usage = &ledger.usage()["m"];
    assert_eq!((usage.requests, usage.disbelieved), (10, 10));
    // Twice what was sent, and some.
    assert!((10_000..50_000).contains(&usage.tokens), "{usage:?}");
    assert_eq!(usage.estimated_tokens, 0);
}

#[test]
fn a_panic_beside_a_request_ends_the_call() {
    let Some(server) = Server::start() else {
        return;
    };
    server.set(&json!({}));
    let spec = server.model("batch-texts = 4\nparallel = 3");
    let error = within_a_minute(move || {
        let owned = texts(40);
        let (opening, _) = opening(&[]);
        let encoder = open_encoder(&spec, &opening).unwrap();
        encoder
            .encode_parts(Side::Document, &borrowed(&owned), &|_, _| {
                panic!("the seventh seal")
            })
            .unwrap_err()
            .to_string()
    });
    assert_eq!(error, "m: a request ended in a panic: the seventh seal");
}

#[test]
fn an_answer_without_an_end_is_left() {
    let port = endless();
    let (opening, _) = opening(&[]);
    let spec = format!("openai+http://127.0.0.1:{port}#m").parse().unwrap();
    let error = encode(&spec, &opening, &["a"]).unwrap_err();
    assert!(
        error.to_string().contains("an answer of more than 16 MiB"),
        "{error}"
    );
}
