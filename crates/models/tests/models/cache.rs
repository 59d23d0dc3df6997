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

#[test]
fn a_flipped_bit_in_the_file_is_noticed_or_harmless() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.sqlite");
    let owned = texts(40);
    let texts = borrowed(&owned);
    let spec = server.model("batch-texts = 40");
    let ask = || {
        let (mut opening, _) = opening(&[]);
        let cache = Cache::open(&path, None, &SystemClock::new()).map_err(|e| e.to_string())?;
        opening.cache = Some(Arc::new(cache));
        let got = encode(&spec, &opening, &texts).map_err(|error| error.to_string())?;
        Ok::<_, String>((got, opening.ledger.usage()["m"].clone()))
    };
    let (truth, _) = ask().unwrap();
    rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let sound = std::fs::read(&path).unwrap();
    assert_eq!(ask().unwrap().1.cache_hits, 40);
    let mut random = 7_u64;
    let (mut n_refused, mut n_damaged) = (0, 0);
    for flip in 0..100 {
        random = random.wrapping_mul(6_364_136_223_846_793_005);
        random = random.wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(random >> 33).unwrap() % (sound.len() * 8);
        for beside in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{beside}", path.display()));
        }
        let mut bytes = sound.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        std::fs::write(&path, &bytes).unwrap();
        match ask() {
            Ok((got, usage)) => {
                assert!(got == truth, "flip {flip} of bit {at}");
                n_damaged += usage.cache_damaged;
            }
            // What was paid for is not asked for again behind its owner's back.
            Err(error) => {
                assert!(error.contains("vectors.sqlite"), "{error}");
                n_refused += 1;
            }
        }
    }
    assert!(n_damaged > 3 && n_refused < 50, "{n_damaged} {n_refused}");
}

#[test]
fn a_file_from_before_there_were_checksums_is_read() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("vectors.sqlite");
    let spec = server.model("");
    let ask = |texts: &[&str]| {
        let (mut opening, _) = opening(&[]);
        let cache = Cache::open(&path, None, &SystemClock::new()).unwrap();
        opening.cache = Some(Arc::new(cache));
        encode(&spec, &opening, texts).unwrap();
        opening.ledger.usage()["m"].cache_hits
    };
    assert_eq!(ask(&["a", "b"]), 0);
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("ALTER TABLE kept DROP COLUMN sum")
        .unwrap();
    assert_eq!(ask(&["a", "b", "c"]), 2);
    assert_eq!(ask(&["a", "b", "c"]), 3);
}
