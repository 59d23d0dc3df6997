//! Processes, threads and memory of the sandbox itself.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use barecode_check::{Python, PythonConfig, Ran};
use barecode_records::python::Fault;

use crate::{asserts, config, python, stdio};

/// Set for the process that is killed.
const KILLED: &str = "BARECODE_TEST_KILLED";

#[test]
fn nothing_outlives_a_supervisor_that_is_killed() {
    if std::env::var_os(KILLED).is_some() {
        let endless = "def f(x):\n    while True: pass\n";
        let tests = asserts("assert f(1) == 2\n");
        // Two that run, and one that waits.
        python().run(&tests, &["def f(x): return 2\n"]).unwrap();
        thread::scope(|threads| {
            for _ in 0..2 {
                threads.spawn(|| python().run(&tests, &[endless]));
            }
            thread::sleep(Duration::from_secs(3));
            println!("\nrunning");
            thread::sleep(Duration::from_mins(10));
        });
        return;
    }
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "life::nothing_outlives_a_supervisor_that_is_killed",
            "--nocapture",
        ])
        .env(KILLED, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.map_while(Result::ok).any(|line| line == "running"));
    let all = descendants(child.id());
    assert!(
        all.len() >= 6,
        "two zygotes with two processes each: {all:?}"
    );
    child.kill().unwrap();
    child.wait().unwrap();
    for process in all {
        let is_gone = (0..500).any(|_| {
            thread::sleep(Duration::from_millis(10));
            !is_alive(process)
        });
        assert!(is_gone, "process {process} survived");
    }
}

/// The processes that a process has started, and those that these have started.
fn descendants(root: u32) -> Vec<u32> {
    let mut all = Vec::new();
    let mut parents = vec![root];
    while let Some(parent) = parents.pop() {
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let Some(process) = entry
                .file_name()
                .to_str()
                .and_then(|name| name.parse().ok())
            else {
                continue;
            };
            let status = fs::read_to_string(entry.path().join("status")).unwrap_or_default();
            if status
                .lines()
                .any(|line| line == format!("PPid:\t{parent}"))
            {
                all.push(process);
                parents.push(process);
            }
        }
    }
    all
}

/// A zombie is gone.
fn is_alive(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

#[test]
fn threads_share_an_interpreter_and_get_the_same_verdicts() {
    let programs: Vec<String> = (0..40)
        .map(|n| format!("def f(x): return x + {}\n", n % 3))
        .collect();
    let programs: Vec<&str> = programs.iter().map(String::as_str).collect();
    let tests = asserts("assert f(1) == 2\n");
    let alone = python().run(&tests, &programs).unwrap();
    let passed = alone.iter().filter(|ran| matches!(ran, Ran::Passed { .. }));
    assert_eq!(passed.count(), 13);
    thread::scope(|threads| {
        let running: Vec<_> = (0..4)
            .map(|_| threads.spawn(|| python().run(&tests, &programs).unwrap()))
            .collect();
        for thread in running {
            assert_eq!(thread.join().unwrap(), alone);
        }
    });
}

fn rows(path: &Path) -> i64 {
    let rows = rusqlite::Connection::open(path).unwrap();
    let count = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
    rows.query_row("SELECT count(*) FROM entries", [], count)
        .unwrap()
}

#[test]
fn verdicts_are_remembered_and_limits_are_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let config = PythonConfig {
        seconds: 2,
        ..config()
    };
    let programs = [
        "def f(x): return x + 1\n",
        "def f(x): return x\n",
        "def f(x):\n    while True: pass\n",
    ];
    let tests = asserts("assert f(1) == 2\n");
    let first = Python::open(&config, Some(&path)).unwrap();
    let ran = first.run(&tests, &programs).unwrap();
    assert!(
        matches!(
            ran[2],
            Ran::Failed {
                fault: Fault::Timeout,
                ..
            }
        ),
        "{ran:?}"
    );
    assert_eq!(rows(&path), 2);
    let second = Python::open(&config, Some(&path)).unwrap();
    assert_eq!(second.digest(), first.digest());
    assert_eq!(second.run(&tests, &programs[..2]).unwrap(), ran[..2]);
    assert_eq!(rows(&path), 2);
    // What is remembered is what answers: another verdict under the key is believed.
    let connection = rusqlite::Connection::open(&path).unwrap();
    connection.execute("DELETE FROM entries", []).unwrap();
    assert_eq!(second.run(&tests, &programs[..2]).unwrap(), ran[..2]);
    assert_eq!(rows(&path), 2);
    // Other tests, other limits, another kind: other keys.
    second
        .run(&asserts("assert f(1) == 1\n"), &programs[..1])
        .unwrap();
    second.run(&stdio(&[("", "")]), &programs[..1]).unwrap();
    second.coverage(&tests, programs[0]).unwrap();
    second.compiles(programs[0]).unwrap().unwrap();
    let longer = PythonConfig {
        seconds: 3,
        ..config
    };
    let third = Python::open(&longer, Some(&path)).unwrap();
    assert_ne!(third.digest(), first.digest());
    third.run(&tests, &programs[..1]).unwrap();
    assert_eq!(rows(&path), 7);
    assert_eq!(second.damage(), None);
}

#[test]
fn a_zygote_that_is_killed_is_replaced() {
    // In a process of its own, so that no other test loses its zygotes.
    if std::env::var_os(KILLED).is_none() {
        let output = Command::new(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "life::a_zygote_that_is_killed_is_replaced",
                "--nocapture",
            ])
            .env(KILLED, "1")
            .output()
            .unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && printed.contains("1 passed"),
            "{output:?}"
        );
        return;
    }
    let tests = asserts("assert f(1) == 2\n");
    let ran = python().run(&tests, &["def f(x): return 2\n"]).unwrap();
    let zygotes = descendants(std::process::id());
    assert!(!zygotes.is_empty());
    for zygote in zygotes {
        let status = Command::new("kill")
            .args(["-9", &zygote.to_string()])
            .status();
        assert!(status.unwrap().success());
    }
    assert_eq!(
        python().run(&tests, &["def f(x): return 2\n"]).unwrap(),
        ran
    );
}
