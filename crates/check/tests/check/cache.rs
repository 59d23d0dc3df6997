//! Verdicts, kept.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use barecode_check::{CheckConfig, Compiler, Judge, Verdict};
use barecode_records::Language;

use crate::{compiled, config, of_c, verdict_of};

fn cached(path: &Path) -> Judge {
    Judge::new(Compiler::probe(&config()).unwrap(), None, Some(path)).unwrap()
}

#[test]
fn what_was_judged_is_not_judged_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let texts: Vec<String> = (0..10)
        .map(|n| format!("int f(void) {{ return {n}; }}"))
        .collect();
    let ask = |judge: &Judge| {
        let before = judge.compiler().started();
        let verdicts: Vec<Verdict> = texts
            .iter()
            .map(|text| verdict_of(judge, text, "f").unwrap())
            .collect();
        let refused = verdict_of(judge, "int f(", "f").unwrap();
        (verdicts, refused, judge.compiler().started() - before)
    };
    let (first, refused, started) = ask(&cached(&path));
    let (second, refused_again, started_again) = ask(&cached(&path));
    assert_eq!((first, &refused), (second, &refused_again));
    assert!(matches!(refused, Verdict::Refused { .. }));
    assert!(started >= 11, "{started} processes for 11 texts");
    assert_eq!(started_again, 0);
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
        rows.query_row("SELECT count(*) FROM entries", [], |row| row
            .get::<_, i64>(0))
            .unwrap(),
        0
    );
}

/// What a judge over a file says of it; it judges as it does without one.
fn damage(path: &Path) -> String {
    let judge = cached(path);
    compiled(&judge, "int f(void) { return 0; }", "f");
    let damage = judge.cache_damage().unwrap_or_default();
    assert_eq!(judge.cache_damage(), None, "it is told once");
    damage
}

#[test]
fn a_damaged_or_foreign_file_is_told_and_left_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");

    fs::write(&path, "these are notes, not a database. ".repeat(100)).unwrap();
    let before = fs::read(&path).unwrap();
    let said = damage(&path);
    assert!(
        said.contains("delete it") && said.contains("verdicts.sqlite"),
        "{said}"
    );
    assert_eq!(before, fs::read(&path).unwrap());

    fs::remove_file(&path).unwrap();
    rusqlite::Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE other (a)")
        .unwrap();
    assert!(damage(&path).contains("some other program"));

    fs::remove_file(&path).unwrap();
    assert_eq!(damage(&path), "");
    rusqlite::Connection::open(&path)
        .unwrap()
        .pragma_update(None, "user_version", 99)
        .unwrap();
    assert!(damage(&path).contains("version 99"));

    assert!(damage(Path::new("/nonexistent/folder/verdicts.sqlite")).contains("must exist"));
}

/// Everything that a judge over a file says of some questions, and of some headers.
fn said(path: &Path) -> (Vec<String>, Option<String>) {
    let judge = cached(path);
    let texts = (0..20).map(|n| match n % 4 {
        0 => format!("int f(void) {{ return missing_{n}; }}"),
        _ => format!("int f(int a) {{ return a * {n} + {}; }}", n + 1),
    });
    let mut said: Vec<String> = texts
        .map(|text| format!("{:?}", judge.object(&of_c(&text, "f")).unwrap()))
        .collect();
    for header in ["limits.h", "stddef.h", "stdbool.h"] {
        let macros = judge.header_macros(Language::C, header).unwrap();
        said.push(format!("{macros:?}"));
    }
    (said, judge.cache_damage())
}

#[test]
fn a_flipped_bit_is_noticed_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let (truth, _) = said(&path);
    // All in one file, as it is once the last process has left.
    rusqlite::Connection::open(&path)
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let sound = fs::read(&path).unwrap();
    assert_eq!(said(&path), (truth.clone(), None), "all from the cache");
    let mut random = 7_u64;
    let mut n_told = 0;
    for flip in 0..100 {
        random = random.wrapping_mul(6_364_136_223_846_793_005);
        random = random.wrapping_add(1_442_695_040_888_963_407);
        let at = usize::try_from(random >> 33).unwrap() % (sound.len() * 8);
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(format!("{}{beside}", path.display()));
        }
        let mut bytes = sound.clone();
        bytes[at / 8] ^= 1 << (at % 8);
        fs::write(&path, &bytes).unwrap();
        let (now, told) = said(&path);
        assert!(now == truth, "flip {flip} of bit {at}: {told:?}");
        n_told += u32::from(told.is_some());
    }
    // Half of a small file is empty.
    assert!(n_told > 20, "{n_told} of 100 were told");
}

#[test]
fn damaged_entries_are_thrown_away_and_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let (truth, _) = said(&path);
    let rows = rusqlite::Connection::open(&path).unwrap();
    rows.execute("UPDATE entries SET value = value || x'20'", [])
        .unwrap();
    let (now, told) = said(&path);
    assert_eq!(now, truth);
    assert!(
        told.as_ref()
            .is_some_and(|told| told.contains("23 damaged entries were thrown away")),
        "{told:?}"
    );
    assert_eq!(said(&path), (truth, None));
}

#[test]
fn pages_that_were_overwritten_are_no_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    assert_eq!(damage(&path), "");
    let mut bytes = fs::read(&path).unwrap();
    assert!(bytes.len() > 4096);
    bytes[4096..].fill(0xAA);
    fs::write(&path, bytes).unwrap();
    let told = damage(&path);
    assert!(told.contains("delete it"), "{told}");
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
        rows.query_row("SELECT count(*) FROM entries", [], |row| row
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
