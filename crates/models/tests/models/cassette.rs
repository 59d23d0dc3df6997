use std::sync::Arc;

use barecode_models::{Cassette, Encoder, Side, open_encoder, open_reranker, parse_models};
use serde_json::json;

use crate::server::{KEY, NoNetwork, Server, borrowed, encode, opening, texts};

#[test]
fn what_was_recorded_is_replayed_without_network_and_key() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("paper.jsonl");
    let mut owned = texts(50);
    owned[7] = format!("long {}", "x".repeat(5000));
    owned[9] = owned[8].clone();
    let texts = borrowed(&owned);
    let models = format!(
        "[[model]]\nname = 'v'\nkind = 'voyage'\nmodel = 'voyage-code-3'\nurl = '{}'\nbatch-texts = 8\n\
         [[model]]\nname = 't'\nkind = 'tei'\nurl = '{}'\nbatch-texts = 1\n",
        server.url("/voyage"),
        server.url("/tei")
    );
    let specs = parse_models("models.toml", &models).unwrap();
    server.set(&json!({
        "limits": { "length": 100 },
        "faults": [{ "kind": "html" }, { "kind": "status", "status": 429 }, { "kind": "cut" }],
    }));
    let record = |texts: &[&str]| {
        let (mut opening, _) = opening(&[("VOYAGE_API_KEY", KEY), ("TEI_API_KEY", KEY)]);
        opening.cassette = Some(Arc::new(Cassette::record(&path).unwrap()));
        let mut all = Vec::new();
        for spec in &specs {
            let encoder = open_encoder(spec, &opening).unwrap();
            all.push(encoder.encode(Side::Document, texts).unwrap());
        }
        let reranker = open_reranker(&specs[0], &opening).unwrap();
        (all, reranker.score("q", &texts[..5]).unwrap())
    };
    // Killed after half, recorded to the end, recorded once more: each text is asked for once.
    record(&texts[..25]);
    let recorded = record(&texts);
    let served = server.served();
    let asked = |n| served.texts.values().filter(|&&times| times == n).count();
    assert_eq!(record(&texts), recorded);
    assert_eq!(
        server.served().requests,
        served.requests,
        "nothing new, nothing asked"
    );
    // 49 different texts at two models; five of them were scored, too.
    assert_eq!((asked(2), asked(3)), (44, 5), "{served:?}");

    let tape = std::fs::read_to_string(&path).unwrap();
    assert!(!tape.contains(KEY) && !tape.contains("uthorization"));
    assert!(!tape.contains("int f3(void)"), "no text is on the tape");

    let (mut opening, _) = opening(&[]);
    opening.transport = Arc::new(NoNetwork);
    opening.cassette = Some(Arc::new(Cassette::replay(&path).unwrap()));
    for (i, spec) in specs.iter().enumerate() {
        // Other batches, another order, fewer texts.
        let mut spec = spec.clone();
        spec.remote.batch_texts = Some(3);
        let encoder = open_encoder(&spec, &opening).unwrap();
        let replayed = encoder.encode(Side::Document, &texts).unwrap();
        assert_eq!(replayed, recorded.0[i]);
        assert!(replayed.truncated[7] && !replayed.truncated[8]);
        let some = encoder
            .encode(Side::Document, &[texts[30], texts[2]])
            .unwrap();
        assert_eq!(some.vector(0), recorded.0[i].vector(30));
        assert_eq!(some.vector(1), recorded.0[i].vector(2));
    }
    let reranker = open_reranker(&specs[0], &opening).unwrap();
    assert_eq!(reranker.score("q", &texts[..5]).unwrap(), recorded.1);
    let usage = opening.ledger.usage();
    assert_eq!((usage["v"].requests, usage["v"].tokens), (0, 0));
    assert!(usage["v"].replayed >= 49);
    let error = encode(&specs[0], &opening, &["never seen"]).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("1 of the texts asked for are not on the cassette"),
        "{error}"
    );
    assert!(reranker.score("another", &texts[..5]).is_err());
}
