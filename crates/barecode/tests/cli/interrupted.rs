use std::process::Child;
use std::thread;
use std::time::Duration;

use crate::project::{Ended, Project, assert_same, program};

const BUILD: [&str; 5] = ["build", "recipe.toml", "--no-cache", "--threads", "2"];

/// Waits until something stands at a path, or the process is over.
pub(crate) fn wait_for(project: &Project, path: &str, child: &mut Child) {
    while !project.path(path).exists() && child.try_wait().unwrap().is_none() {
        thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn ctrl_c_is_exit_code_130_and_the_rerun_ends_in_the_same_bytes() {
    let (project, reference) = (Project::new(), Project::new());
    reference.build();
    let mut child = project.start(&BUILD);
    wait_for(
        &project,
        "runs/shelf/02-units/part-00000.parquet",
        &mut child,
    );
    // The shell has a `kill` of its own, where the program may not be installed.
    assert!(
        program("sh")
            .args(["-c", "kill -INT \"$0\"", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    let ended = Ended::of(&child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("hint: finished shards are saved")
            || ended.stderr.contains("done and saved"),
        "{}",
        ended.stderr
    );
    let kept = project.path("runs/shelf/02-units/part-00000.parquet");
    let written = std::fs::metadata(&kept).unwrap().modified().unwrap();
    project.build();
    assert_eq!(
        written,
        std::fs::metadata(&kept).unwrap().modified().unwrap(),
        "what was done is not done again"
    );
    assert_same(&reference.bytes(), &project.bytes());
}

#[test]
fn kill_in_each_stage_and_the_rerun_ends_in_the_same_bytes() {
    let reference = Project::new();
    reference.build();
    let folders = [
        "01-functions",
        "02-units",
        "03-variants",
        "04-queries",
        "05-dataset",
        "06-runs",
        "07-scores",
        "08-report",
    ];
    let mut killed = 0;
    for folder in folders {
        let project = Project::new();
        // Compilers work in the first two stages, so these have no cache; the others begin sooner with it.
        let build = if folder <= "02-units" {
            &BUILD[..]
        } else {
            &BUILD[..2]
        };
        let mut child = project.start(build);
        wait_for(&project, &format!("runs/shelf/{folder}"), &mut child);
        child.kill().unwrap();
        let unfinished = child.wait().unwrap().code().is_none();
        killed += usize::from(unfinished);
        project.build();
        assert_same(&reference.bytes(), &project.bytes());
        let partial: Vec<_> = project
            .bytes()
            .into_keys()
            .filter(|name| name.ends_with(".partial"))
            .collect();
        assert!(partial.is_empty(), "{folder}: {partial:?}");
    }
    assert!(
        killed >= 6,
        "only {killed} of 8 runs were killed before their end"
    );
}

#[test]
fn sigterm_ends_the_program_and_the_processes_that_it_started() {
    let project = Project::empty();
    let rows: Vec<String> = (0..12)
        .map(|at| format!("{{\"query_id\": \"q{at}\", \"query_text\": \"text {at}\", \"code_id\": \"c{at}\", \"code_text\": \"int f{at};\", \"relevance\": 1}}"))
        .collect();
    project.write("set.json", format!("[{}]", rows.join(",")));
    // A model that never answers, and a child of its shell.
    project.write("model.sh", "sleep 600 &\necho $$ $! > started\nwait\n");
    let mut child = project.start(&["eval", "set.json", "--model", "process:sh model.sh"]);
    wait_for(&project, "started", &mut child);
    let started = loop {
        let text = std::fs::read_to_string(project.path("started")).unwrap_or_default();
        if text.ends_with('\n') {
            break text;
        }
        thread::sleep(Duration::from_millis(5));
    };
    let kill = |arguments: &str, process: &str| {
        let line = format!("kill {arguments} {process} 2>/dev/null");
        program("sh")
            .args(["-c", &line])
            .status()
            .unwrap()
            .success()
    };
    assert!(
        started
            .split_whitespace()
            .all(|process| kill("-0", process))
    );
    assert!(kill("-TERM", &child.id().to_string()));
    let ended = Ended::of(&child.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("interrupted"), "{}", ended.stderr);
    for process in started.split_whitespace() {
        // Who is gone may be waited for by nobody yet, and a busy system takes its time to end it.
        let lives = || {
            let status = std::fs::read_to_string(format!("/proc/{process}/status"));
            status.is_ok_and(|text| !text.contains("State:\tZ"))
        };
        let mut patience = 1000;
        while lives() && patience > 0 {
            thread::sleep(Duration::from_millis(5));
            patience -= 1;
        }
        assert!(!lives(), "{process} goes on");
    }
}
