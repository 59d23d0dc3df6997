//! What is kept when something ends in the middle: Ctrl-C, a kill, a full disk.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use barecode_models::{Cache, ModelError, SystemClock};
use barecode_testing::needs::skip;
use serde_json::json;

use crate::server::{Server, borrowed, encode, opening, texts};

const N_TEXTS: usize = 400;
const MODEL: &str = "batch-texts = 4\nparallel = 3";

/// What a child does: embeds everything over a cache, and says how it ended.
#[test]
fn child() {
    let (Ok(port), Ok(cache)) = (
        std::env::var("BARECODE_TEST_PORT"),
        std::env::var("BARECODE_TEST_CACHE"),
    ) else {
        return;
    };
    let text = format!(
        "[[model]]\nname = 'm'\nkind = 'openai'\nurl = 'http://127.0.0.1:{port}/openai'\nmodel = 'm'\n{MODEL}"
    );
    let spec = barecode_models::parse_models("m", &text).unwrap().remove(0);
    let (mut opening, _) = opening(&[]);
    let ended = Cache::open(Path::new(&cache), None, &SystemClock::new()).and_then(|cache| {
        opening.cache = Some(Arc::new(cache));
        encode(&spec, &opening, &borrowed(&texts(N_TEXTS)))
    });
    match ended {
        Ok(vectors) => eprintln!("child: {} numbers", vectors.len()),
        Err(error) => eprintln!("child: {error}"),
    }
}

/// This test program, doing [`child`].
#[expect(
    clippy::disallowed_methods,
    reason = "what a killed process leaves behind is seen from another one"
)]
fn this_program(server: &Server, cache: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "stops::child", "--nocapture"])
        .env("BARECODE_TEST_PORT", server.port.to_string())
        .env("BARECODE_TEST_CACHE", cache)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    command
}

fn said(child: Child) -> String {
    String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
}

/// Texts that the server answered more than once.
fn twice(server: &Server) -> usize {
    let served = server.served().texts;
    assert_eq!(served.len(), N_TEXTS);
    assert!(served.values().all(|&n| n <= 2), "{served:?}");
    served.values().filter(|&&n| n == 2).count()
}

#[test]
fn a_kill_loses_the_requests_in_flight_and_no_more() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("vectors.sqlite");
    server.set(&json!({ "faults": vec![json!({ "kind": "slow", "seconds": 0.02 }); 30] }));
    let mut killed = this_program(&server, &cache).spawn().unwrap();
    while server.served().texts.len() < 60 {
        assert!(killed.try_wait().unwrap().is_none(), "it ended too early");
        std::thread::sleep(Duration::from_millis(2));
    }
    killed.kill().unwrap();
    assert!(
        !said(killed).contains("child: "),
        "it was killed in the middle"
    );
    std::thread::sleep(Duration::from_millis(100));
    let before = server.served().texts.len();
    assert!((60..N_TEXTS).contains(&before), "{before}");
    let again = said(this_program(&server, &cache).spawn().unwrap());
    assert!(
        again.contains(&format!("child: {} numbers", N_TEXTS * 24)),
        "{again}"
    );
    assert!(twice(&server) <= 3 * 4, "{}", twice(&server));
    check(&server, &cache);
}

/// All vectors are in the cache, and are the right ones.
fn check(server: &Server, cache: &Path) {
    let owned = texts(N_TEXTS);
    let texts = borrowed(&owned);
    let (mut opening, _) = opening(&[]);
    opening.cache = Some(Arc::new(
        Cache::open(cache, None, &SystemClock::new()).unwrap(),
    ));
    let n_requests = server.served().requests;
    let got = encode(&server.model(MODEL), &opening, &texts).unwrap();
    assert_eq!(got, server.expected("m", "", &texts));
    assert_eq!(server.served().requests, n_requests);
}

/// Runs on a disk that is too small, then on the same disk with room, then copies the cache out of it. The disk is
/// memory, in a mount namespace of its own, and goes with the process.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=160k tmpfs small || exit 77
BARECODE_TEST_CACHE=small/vectors.sqlite "$1" --exact stops::child --nocapture
mount -o remount,size=64m small || exit 77
echo more room >&2
BARECODE_TEST_CACHE=small/vectors.sqlite "$1" --exact stops::child --nocapture
cp small/vectors.sqlite* . || exit 79
"#;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a small disk is mounted by another program"
)]
fn a_full_disk_keeps_what_was_stored() {
    let Some(server) = Server::start() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("small")).unwrap();
    let output = Command::new("unshare")
        .args([
            "--user",
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            SCRIPT,
            "sh",
        ])
        .arg(std::env::current_exe().unwrap())
        .env("BARECODE_TEST_PORT", server.port.to_string())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output();
    let output = match output {
        Ok(output) if !matches!(output.status.code(), Some(1 | 77)) => output,
        Ok(output) => {
            let why = String::from_utf8_lossy(&output.stderr);
            return skip(&format!("no file system can be mounted here: {why}"));
        }
        Err(error) => {
            return skip(&format!("no `unshare`: {error}"));
        }
    };
    let said = String::from_utf8(output.stderr).unwrap();
    let (before, after) = said.split_once("more room\n").expect(&said);
    assert!(
        before.contains("child: no space left for `small/vectors.sqlite`"),
        "{said}"
    );
    assert!(
        after.contains(&format!("child: {} numbers", N_TEXTS * 24)),
        "{said}"
    );
    // Three requests were answered while the disk was found to be full.
    assert!(twice(&server) <= 3 * 4, "{}", twice(&server));
    check(&server, &folder.path().join("vectors.sqlite"));
}

#[test]
fn ctrl_c_keeps_what_was_answered() {
    let Some(server) = Server::start() else {
        return;
    };
    let owned = texts(N_TEXTS);
    let texts = borrowed(&owned);
    let cache = Arc::new(Cache::in_memory().unwrap());
    let (mut first, _) = opening(&[]);
    first.cache = Some(Arc::clone(&cache));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    first.stop = Arc::new(move || count.fetch_add(1, Ordering::Relaxed) > 50);
    let spec = server.model(MODEL);
    let error = encode(&spec, &first, &texts).unwrap_err();
    assert!(matches!(error, ModelError::Interrupted), "{error}");
    let n = server.served().texts.len();
    assert!((4..N_TEXTS).contains(&n), "{n}");
    let (mut second, _) = opening(&[]);
    second.cache = Some(cache);
    let got = encode(&spec, &second, &texts).unwrap();
    assert_eq!(got, server.expected("m", "", &texts));
    assert_eq!(twice(&server), 0, "requests under way were waited for");
}

#[test]
fn a_deadline_ends_a_run_that_waits() {
    let Some(server) = Server::start() else {
        return;
    };
    let faults =
        vec![json!({ "kind": "status", "status": 503, "headers": { "retry-after": "50" } }); 9];
    server.set(&json!({ "faults": faults }));
    let (opening, hands) = opening(&[]);
    let error = encode(&server.model("deadline = 120"), &opening, &["a"]).unwrap_err();
    assert!(
        error.to_string().contains("not done within 120 s"),
        "{error}"
    );
    assert!(
        hands.slept() < Duration::from_secs(123),
        "{:?}",
        hands.slept()
    );
}
