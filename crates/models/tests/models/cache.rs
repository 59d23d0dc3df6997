use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use barecode_models::{Cache, Encoder, Progress, Side, SystemClock, open_encoder};
use serde_json::json;

use crate::server::{Server, borrowed, encode, opening, texts};

#[test]
fn a_text_is_embedded_once_whoever_asks_again() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.sqlite");
    let owned = texts(40);
    let mut asked = borrowed(&owned);
    asked.extend_from_slice(&borrowed(&owned)[10..30]);
    let progress: Arc<Mutex<Vec<Progress>>> = Arc::default();
    let with_cache = |name: &str| {
        let (mut opening, _) = opening(&[]);
        let cache = Cache::open(&path, None, &SystemClock::new()).unwrap();
        opening.cache = Some(Arc::new(cache));
        let told = Arc::clone(&progress);
        let name = name.to_owned();
        opening.listener = Some(Arc::new(move |model, progress| {
            assert_eq!(model, name);
            told.lock().unwrap().push(progress);
        }));
        opening
    };
    let spec = server.model("batch-texts = 8");
    let first = encode(&spec, &with_cache("m"), &asked).unwrap();
    assert_eq!(first, server.expected("m", "", &asked));
    let told = std::mem::take(&mut *progress.lock().unwrap());
    let last = told.iter().max_by_key(|progress| progress.done).unwrap();
    assert_eq!((last.done, last.total, last.kept), (60, 60, 20));
    assert_eq!(told.len(), 5, "once for each request");

    // Another process later, the texts in another order, another prompt for queries.
    let opening = with_cache("m");
    asked.reverse();
    let reversed = encode(&spec, &opening, &asked).unwrap();
    assert!(reversed.chunks(24).eq(first.chunks(24).rev()));
    assert_eq!(opening.ledger.usage()["m"].cache_hits, 60);
    let prompted = server.model("query-prompt = 'find: '");
    encode(&prompted, &opening, &asked).unwrap();
    let served = server.served();
    assert_eq!(served.texts.len(), 40);
    assert!(served.texts.values().all(|&n| n == 1), "{served:?}");

    // What the vectors depend on makes them others.
    for other in ["dimensions = 24", "revision = '2'"] {
        encode(&server.model(other), &opening, &asked[..1]).unwrap();
    }
    let encoder = open_encoder(&prompted, &opening).unwrap();
    encoder.encode(Side::Query, &asked[..1]).unwrap();
    assert_eq!(server.served().requests, 5 + 3);
    let cache = opening.cache.as_ref().unwrap();
    let contents = cache.contents().unwrap();
    let counts: Vec<u64> = contents.iter().map(|entry| entry.count).collect();
    assert_eq!(counts, [41, 1, 1], "{contents:?}");
}

#[test]
fn processes_share_one_file() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.sqlite");
    let owned = texts(120);
    let texts = borrowed(&owned);
    let spec = server.model("batch-texts = 3\nparallel = 2");
    let done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for start in [0, 40, 80] {
            let (texts, spec, path, done) = (&texts, &spec, &path, &done);
            scope.spawn(move || {
                // A connection each, as processes have.
                let (mut opening, _) = opening(&[]);
                let cache = Cache::open(path, None, &SystemClock::new()).unwrap();
                opening.cache = Some(Arc::new(cache));
                let mine: Vec<&str> = texts.iter().copied().cycle().skip(start).take(80).collect();
                let got = encode(spec, &opening, &mine).unwrap();
                assert_eq!(got.len(), 80 * 24);
                done.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(done.load(Ordering::Relaxed), 3);
    server.set(&json!({}));
    let (mut opening, _) = opening(&[]);
    let cache = Cache::open(&path, None, &SystemClock::new()).unwrap();
    opening.cache = Some(Arc::new(cache));
    let got = encode(&spec, &opening, &texts).unwrap();
    assert_eq!(got, server.expected("m", "", &texts));
    assert_eq!(server.served().requests, 0);
}
