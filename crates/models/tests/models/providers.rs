use std::sync::Arc;

use barecode_models::{
    Budget, Cache, Encoder, Ledger, ModelSpec, Side, estimate, open_encoder, open_reranker,
    parse_models,
};
use serde_json::json;

use crate::server::{KEY, NoNetwork, Server, borrowed, encode, opening, texts};

/// One model of each provider, at the test's server.
fn specs(server: &Server) -> Vec<ModelSpec> {
    let mut tables: Vec<String> = [
        ("openai", "text-embedding-3-small"),
        ("voyage", "voyage-code-3"),
        ("cohere", "embed-v4.0"),
        ("jina", "jina-embeddings-v3"),
        ("gemini", "gemini-embedding-001"),
    ]
    .into_iter()
    .map(|(kind, model)| {
        let url = server.url(&format!("/{kind}"));
        format!("[[model]]\nname = '{kind}'\nkind = '{kind}'\nmodel = '{model}'\nurl = '{url}'\n")
    })
    .collect();
    let url = server.url("/tei");
    tables.push(format!(
        "[[model]]\nname = 'tei'\nkind = 'tei'\nurl = '{url}'\n"
    ));
    let text = tables.concat();
    parse_models("models.toml", &text).unwrap()
}

const KEYS: [(&str, &str); 5] = [
    ("OPENAI_API_KEY", KEY),
    ("VOYAGE_API_KEY", KEY),
    ("COHERE_API_KEY", KEY),
    ("JINA_API_KEY", KEY),
    ("GOOGLE_API_KEY", KEY),
];

#[test]
fn every_provider_gives_each_text_its_own_vector() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(230);
    let texts = borrowed(&owned);
    for spec in specs(&server) {
        server.set(&json!({}));
        let (opening, _) = opening(&KEYS);
        let encoder = open_encoder(&spec, &opening).unwrap();
        let (model, query, document) = match spec.name.as_str() {
            "openai" => ("text-embedding-3-small", "", ""),
            "voyage" => ("voyage-code-3", "query", "document"),
            "cohere" => ("embed-v4.0", "search_query", "search_document"),
            "jina" => ("jina-embeddings-v3", "retrieval.query", "retrieval.passage"),
            "gemini" => (
                "gemini-embedding-001",
                "CODE_RETRIEVAL_QUERY",
                "RETRIEVAL_DOCUMENT",
            ),
            _ => ("tei", "", ""),
        };
        for (side, name) in [(Side::Query, query), (Side::Document, document)] {
            let got = encoder.encode(side, &texts).unwrap();
            assert_eq!(got.len(), texts.len());
            let expected = server.expected(model, name, &texts);
            assert!(got.values == expected, "{} {side:?}", spec.name);
        }
        let usage = &opening.ledger.usage()[&spec.name];
        // Four bytes a token on the server; Gemini does not count.
        let tokens: usize = texts.iter().map(|text| text.len().div_ceil(4)).sum();
        if spec.name == "gemini" {
            assert_eq!(usage.estimated_tokens, usage.tokens);
        } else {
            assert_eq!(
                (usage.tokens, usage.estimated_tokens),
                (2 * tokens as u64, 0)
            );
        }
        assert_eq!(usage.retries + usage.truncations, 0, "{usage:?}");
        // Limits by count are the providers' own.
        let largest = match spec.name.as_str() {
            "cohere" => 96,
            "gemini" => 100,
            "tei" => 32,
            "openai" => 128,
            _ => 230,
        };
        let per_side = 230_u64.div_ceil(largest);
        assert_eq!(usage.requests, 2 * per_side, "{}", spec.name);
    }
}

#[test]
fn requests_too_large_are_halved_and_texts_too_long_are_cut_and_counted() {
    let Some(server) = Server::start() else {
        return;
    };
    let mut owned = texts(60);
    owned[17] = format!("long {}", "ä ".repeat(2000));
    owned[40] = String::new();
    let texts = borrowed(&owned);
    for spec in specs(&server) {
        if spec.name == "gemini" {
            continue;
        }
        server.set(
            &json!({ "limits": { "texts": 7, "tokens": 120, "length": 100, "characters": 3000 } }),
        );
        let (opening, _) = opening(&KEYS);
        let encoder = open_encoder(&spec, &opening).unwrap();
        let got = encoder.encode(Side::Document, &texts).unwrap();
        let cut: Vec<usize> = (0..60).filter(|&i| got.truncated[i]).collect();
        assert_eq!(cut, [17], "{}", spec.name);
        let usage = &opening.ledger.usage()[&spec.name];
        assert_eq!((usage.truncations, usage.texts), (1, 60), "{usage:?}");
        assert!(usage.splits > 0 && usage.retries == 0, "{usage:?}");
        let served = server.served().texts;
        assert_eq!(served.len(), 60);
        assert!(served.values().all(|&n| n == 1), "{served:?}");
        assert!(served.contains_key(" "), "an empty text is a blank");
        // Nobody's vector depends on how the requests were cut.
        server.set(&json!({ "limits": { "length": 100, "characters": 3000 } }));
        let alone = encode(&spec, &opening, &texts[..18]).unwrap();
        assert!(alone == got.values[..18 * got.dimensions], "{}", spec.name);
    }
    server.set(&json!({ "limits": { "length": 1 } }));
    let (opening, _) = opening(&KEYS);
    let error = encode(&server.model(""), &opening, &[&"x".repeat(500)]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("a text of 64 bytes is too large"),
        "{error}"
    );
}

#[test]
fn rerankers_score_texts_in_their_order() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(130);
    let texts = borrowed(&owned);
    let mut reference: Option<Vec<f32>> = None;
    for mut spec in specs(&server) {
        if matches!(spec.name.as_str(), "openai" | "gemini") {
            continue;
        }
        server.set(&json!({
            "limits": { "texts": 50 },
            "faults": [{ "kind": "none" }, { "kind": "count" }, { "kind": "status", "status": 503 }],
        }));
        spec.remote.batch_texts = Some(64);
        let (mut opening, _) = opening(&KEYS);
        opening.cache = Some(Arc::new(Cache::in_memory().unwrap()));
        let reranker = open_reranker(&spec, &opening).unwrap();
        let scores = reranker.score("find it", &texts).unwrap();
        assert_eq!(scores.len(), 130);
        if let Some(reference) = &reference {
            assert_eq!(&scores, reference, "{}", spec.name);
        }
        let usage = opening.ledger.usage()[&spec.name].clone();
        assert_eq!(usage.retries, 2, "{}", spec.name);
        // Pairs that are known are not asked for again, in whatever list they stand.
        let again = reranker.score("find it", &texts[20..40]).unwrap();
        assert_eq!(again, scores[20..40]);
        assert_eq!(opening.ledger.usage()[&spec.name].requests, usage.requests);
        reference = Some(scores);
    }
}

#[test]
fn a_chat_model_orders_lists_longer_than_it_sees() {
    let Some(server) = Server::start() else {
        return;
    };
    // The values stand in no order; the best is last, and must climb over five windows.
    let mut values: Vec<u32> = (0..57).map(|i| i * 31 % 57).collect();
    values.push(99);
    let owned: Vec<String> = values
        .iter()
        .map(|value| format!("value {value} ."))
        .collect();
    let texts = borrowed(&owned);
    let (opening, _) = opening(&[]);
    let reranker = open_reranker(&server.model(""), &opening).unwrap();
    let scores = reranker.score("the largest", &texts).unwrap();
    let mut order: Vec<usize> = (0..58).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    let best: Vec<u32> = order[..10].iter().map(|&i| values[i]).collect();
    assert_eq!(best, [99, 56, 55, 54, 53, 52, 51, 50, 49, 48]);
    let usage = &opening.ledger.usage()["m"];
    assert_eq!((usage.requests, usage.tokens), (5, 55));
    assert_eq!(reranker.score("one", &["value 1 ."]).unwrap(), [0.0]);
    assert_eq!(reranker.score("none", &[]).unwrap(), [0.0; 0]);
}

#[test]
fn a_server_with_one_model_needs_no_name_for_it() {
    let Some(server) = Server::start() else {
        return;
    };
    let (opening, _) = opening(&[]);
    let spec: ModelSpec = format!("openai+{}", server.url("/openai")).parse().unwrap();
    let got = encode(&spec, &opening, &["a"]).unwrap();
    assert_eq!(got, server.expected("the-only-one", "", &["a"]));
    let encoder = open_encoder(&spec, &opening).unwrap();
    assert!(encoder.identity().ends_with("/openai#the-only-one"));
}

#[test]
fn what_a_call_would_take_is_told_without_a_key_and_without_asking() {
    let (mut opening, _) = opening(&[]);
    opening.transport = Arc::new(NoNetwork);
    let spec: ModelSpec = "voyage:voyage-code-3".parse().unwrap();
    let text = "x".repeat(3_000_000);
    let estimate = estimate(&spec, &opening, Side::Document, &[&text, "a", &text]).unwrap();
    assert_eq!((estimate.texts, estimate.new_texts), (3, 2));
    assert_eq!(estimate.tokens, 1_000_001);
    assert!((estimate.dollars.unwrap() - 0.18).abs() < 1e-6);
    let error = open_encoder(&spec, &opening).err().unwrap();
    let hint = error.hint().unwrap_or_default();
    assert!(
        error.to_string().contains("no key for voyage") && hint.contains("set VOYAGE_API_KEY"),
        "{error}"
    );
}

#[test]
fn an_estimate_leaves_out_what_is_kept() {
    let Some(server) = Server::start() else {
        return;
    };
    let (mut opening, _) = opening(&[]);
    opening.cache = Some(Arc::new(Cache::in_memory().unwrap()));
    let spec = server.model("document-prompt = 'passage: '");
    encode(&spec, &opening, &["a", "b"]).unwrap();
    let of = |side| estimate(&spec, &opening, side, &["a", "b", "c"]).unwrap();
    assert_eq!(of(Side::Document).new_texts, 1);
    assert_eq!(of(Side::Query).new_texts, 3);
    assert_eq!(
        of(Side::Query).dollars,
        Some(0.0),
        "a server of one's own is free"
    );
}

#[test]
fn a_budget_stops_before_the_request_that_would_go_over() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(40);
    let texts = borrowed(&owned);
    let spec = server.model("price = 10.0\nbatch-texts = 4\nparallel = 3");
    let cache = Arc::new(Cache::in_memory().unwrap());
    for (budget, what) in [
        (
            Budget {
                dollars: None,
                tokens: Some(200),
            },
            "of 200 tokens",
        ),
        (
            Budget {
                dollars: Some(0.002),
                tokens: None,
            },
            "of 0.002 dollars",
        ),
    ] {
        let (mut opening, _) = opening(&[]);
        opening.cache = Some(Arc::clone(&cache));
        opening.ledger = Arc::new(Ledger::new(budget));
        let error = encode(&spec, &opening, &texts).unwrap_err().to_string();
        assert!(
            error.contains("the budget is spent") && error.contains(what),
            "{error}"
        );
        let usage = &opening.ledger.usage()["m"];
        assert!(usage.requests > 0, "{usage:?}");
        assert!(usage.tokens <= 200 && usage.dollars() <= 0.002, "{usage:?}");
    }
    let (mut opening, _) = opening(&[]);
    opening.cache = Some(cache);
    let got = encode(&spec, &opening, &texts).unwrap();
    assert_eq!(got, server.expected("m", "", &texts));
    let served = server.served().texts;
    assert!(
        served.len() == 40 && served.values().all(|&n| n == 1),
        "what was paid for is not paid again: {served:?}"
    );
}
