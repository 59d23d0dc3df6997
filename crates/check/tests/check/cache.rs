//! Verdicts, kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, Verdict};

use crate::{compiled, config, of_c, verdict_of};

fn cached(path: &Path) -> Judge {
    Judge::new(Compiler::probe(&config()).unwrap(), None, Some(path)).unwrap()
}

fn cache_error(path: &Path) -> String {
    let error = Judge::new(Compiler::probe(&config()).unwrap(), None, Some(path)).unwrap_err();
    assert!(matches!(&error, CheckError::Cache { .. }), "{error:?}");
    format!("{error}\n{}", error.hint().unwrap_or_default())
}

#[test]
fn what_was_judged_is_not_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let texts: Vec<String> = (0..10)
        .map(|n| format!("int f(void) {{ return {n}; }}"))
        .collect();
    let ask = |judge: &Judge| {
        let start = Instant::now();
        let verdicts: Vec<Verdict> = texts
            .iter()
            .map(|text| verdict_of(judge, text, "f").unwrap())
            .collect();
        (
            verdicts,
            verdict_of(judge, "int f(", "f").unwrap(),
            start.elapsed(),
        )
    };
    let (first, refused, slow) = ask(&cached(&path));
    let (second, refused_again, fast) = ask(&cached(&path));
    assert_eq!((first, &refused), (second, &refused_again));
    assert!(matches!(refused, Verdict::Refused { .. }));
    assert!(fast * 5 < slow, "{fast:?} after {slow:?}");
}

#[test]
fn the_function_and_the_compiler_are_part_of_the_question() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let judge = cached(&path);
    let text = "int f(void) { return 0; } int g(int a) { return a * a * a; }";
    assert_ne!(
        compiled(&judge, text, "f").code_bytes,
        compiled(&judge, text, "g").code_bytes
    );
    let nested = "int f(void) { typeof(1) a = 1; return a; }";
    compiled(&judge, nested, "f");
    let strict = CheckConfig {
        standard: "c99".to_owned(),
        ..config()
    };
    let strict = Judge::new(Compiler::probe(&strict).unwrap(), None, Some(&path)).unwrap();
    assert!(matches!(
        verdict_of(&strict, nested, "f").unwrap(),
        Verdict::Refused { .. }
    ));
}

#[test]
fn limits_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let hurried = CheckConfig {
        seconds: 1,
        ..config()
    };
    let judge = Judge::new(Compiler::probe(&hurried).unwrap(), None, Some(&path)).unwrap();
    assert_eq!(
        verdict_of(&judge, include_str!("attacks/slow_macros.c"), "f").unwrap(),
        Verdict::TimeLimit
    );
    drop(judge);
    let bytes = fs::read(&path).unwrap();
    assert!(
        !bytes
            .windows(9)
            .any(|window| window.eq_ignore_ascii_case(b"timelimit"))
    );
    let rows = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(
        rows.query_row("SELECT count(*) FROM verdicts", [], |row| row
            .get::<_, i64>(0))
            .unwrap(),
        0
    );
}

#[test]
fn a_damaged_or_foreign_file_is_an_error_with_a_hint_and_stays_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");

    fs::write(&path, "these are notes, not a database. ".repeat(100)).unwrap();
    let before = fs::read(&path).unwrap();
    let error = cache_error(&path);
    assert!(
        error.contains("delete it") && error.contains("verdicts.sqlite"),
        "{error}"
    );
    assert_eq!(before, fs::read(&path).unwrap());

    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE other (a)")
        .unwrap();
    assert!(cache_error(&path).contains("some other program"));

    fs::remove_file(&path).unwrap();
    drop(cached(&path));
    rusqlite::Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    assert!(cache_error(&path).contains("version 99"));

    assert!(cache_error(Path::new("/nonexistent/folder/verdicts.sqlite")).contains("must exist"));
}

#[test]
fn a_page_that_was_overwritten_is_an_error_and_not_a_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let judge = cached(&path);
    compiled(&judge, "int f(void) { return 0; }", "f");
    drop(judge);
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 4096);
    bytes[4096..].fill(0xAA);
    fs::write(&path, bytes).unwrap();
    let error = cached(&path)
        .judge(&of_c("int f(void) { return 0; }", "f"))
        .unwrap_err();
    assert!(
        error.hint().is_some_and(|hint| hint.contains("delete it")),
        "{error:?}"
    );
}

#[test]
fn threads_share_a_judge_and_judges_share_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let judge = cached(&path);
                let judge = &judge;
                thread::scope(|scope| {
                    for _ in 0..2 {
                        scope.spawn(move || {
                            for n in 0..5 {
                                compiled(judge, &format!("int f(void) {{ return {n}; }}"), "f");
                            }
                        });
                    }
                });
            });
        }
    });
    let rows = rusqlite::Connection::open(&path).unwrap();
    assert_eq!(
        rows.query_row("SELECT count(*) FROM verdicts", [], |row| row
            .get::<_, i64>(0))
            .unwrap(),
        5
    );
}

#[test]
fn a_killed_writer_leaves_a_file_that_can_be_used() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    for pause in [80, 200, 300, 400] {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "cache::the_writer", "--nocapture"])
            .env("BARECODE_TEST_CACHE", &path)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        thread::sleep(Duration::from_millis(pause));
        child.kill().unwrap();
        child.wait().unwrap();
        compiled(&cached(&path), "int f(void) { return 0; }", "f");
    }
    let rows = rusqlite::Connection::open(&path).unwrap();
    let sound: String = rows
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(sound, "ok");
}

/// Not a test by itself: what the test above kills.
#[test]
fn the_writer() {
    if let Ok(path) = std::env::var("BARECODE_TEST_CACHE") {
        let judge = cached(Path::new(&path));
        for n in 0..10_000 {
            compiled(&judge, &format!("int f(void) {{ return {n}; }}"), "f");
        }
    }
}
