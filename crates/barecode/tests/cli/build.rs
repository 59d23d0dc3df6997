use std::fs;

use serde_json::Value;

use crate::project::{Project, RECIPE, assert_same};

/// The stages that did any work, in the order of the flow.
fn worked(account: &Value) -> Vec<&str> {
    let verbs = [
        "extract", "check", "vary", "query", "assemble", "retrieve", "score", "report",
    ];
    verbs
        .into_iter()
        .filter(|verb| account["stages"][verb]["worked"] == true)
        .collect()
}

#[test]
fn build_prints_the_table_and_the_path_of_the_page() {
    let project = Project::new();
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stdout
            .starts_with("nDCG@10, mean over queries [95 % interval]"),
        "{}",
        ended.stdout
    );
    // Seven queries of group 2 show no number; eighteen of group 1 and all together do.
    for wanted in [
        "too few (7)",
        "this run can detect differences between retrievers of about",
    ] {
        assert!(ended.stdout.contains(wanted), "{}", ended.stdout);
    }
    assert!(ended.stdout.contains("pooled"), "{}", ended.stdout);
    assert!(ended.stdout.contains("randomized ×2"), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .ends_with("report: runs/shelf/08-report/index.html\n"),
        "{}",
        ended.stdout
    );
    assert!(
        ended.stderr.contains("check  "),
        "one line a stage: {}",
        ended.stderr
    );
    let page = fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    for wanted in [
        "<h2 id=\"picture\">",
        "ceiling",
        "Ten queries",
        "barecode build recipe.toml",
    ] {
        assert!(page.contains(wanted), "the page has no {wanted}");
    }
    assert!(
        !page.contains("<script src") && !page.contains("http-equiv"),
        "the page needs nothing but itself"
    );
    // One picture and one table of scores are open; a group of too few queries is a word, not a picture.
    let (open, _) = page.split_once("<details").unwrap();
    assert_eq!(open.matches("<figure>").count(), 1);
    assert!(
        open.contains("too few for a score: Group 2 (7), Group 3 Short (7)"),
        "{open}"
    );
}

#[test]
fn a_page_shows_no_folder_of_the_machine() {
    let project = Project::new();
    let here = project.path("").display().to_string();
    let absolute = RECIPE.replace("path:", &format!("path:{here}"));
    project.write("recipe.toml", absolute);
    project.build();
    let page = fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    let here = here.trim_end_matches('/');
    assert!(page.contains("path:…/") && !page.contains(here));
}

#[test]
fn a_second_build_does_no_work_and_changes_no_byte() {
    let project = Project::new();
    let first = project.build();
    assert_eq!(worked(&first).len(), 8);
    let manifest = fs::read(project.path("runs/shelf/manifest.json")).unwrap();
    let before = project.bytes();
    let second = project.build();
    assert_eq!(second["worked"], false);
    assert_same(&before, &project.bytes());
    assert_eq!(
        manifest,
        fs::read(project.path("runs/shelf/manifest.json")).unwrap(),
        "not even the times change"
    );
}

#[test]
fn a_changed_measure_reruns_score_and_report_only() {
    let project = Project::new();
    project.build();
    project.write("recipe.toml", RECIPE.replace("\"R@1\"", "\"R@5\""));
    assert_eq!(worked(&project.build()), ["score", "report"]);
}

#[test]
fn a_change_that_leaves_the_functions_as_they_are_stops_at_extract() {
    let project = Project::new();
    project.build();
    project.write(
        "extra/notes.txt",
        "a file that is not C, and changes the source's digest if it is seen at all",
    );
    project.write("shelf/src/text.c", {
        let text = fs::read_to_string(project.path("shelf/src/text.c")).unwrap();
        format!("{text}\n/* A comment at the end of the file belongs to no function. */\n")
    });
    let account = project.build();
    let stages = worked(&account);
    assert!(
        !stages.contains(&"check") && !stages.contains(&"score"),
        "{stages:?}"
    );
}

#[test]
fn one_and_two_threads_leave_the_same_bytes() {
    let project = Project::new();
    for threads in ["1", "2"] {
        let ended = project.run(&[
            "build",
            "recipe.toml",
            "--no-cache",
            "--threads",
            threads,
            "--out",
            threads,
        ]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let bytes = |threads| crate::project::bytes_of(&project.path(threads));
    assert_same(&bytes("1"), &bytes("2"));
}

#[test]
fn at_every_stage_what_came_in_was_kept_or_set_aside() {
    let project = Project::new();
    project.build();
    let manifest: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/manifest.json")).unwrap())
            .unwrap();
    let stages = manifest["stages"].as_object().unwrap();
    assert_eq!(stages.len(), 8);
    let mut kinds = 0;
    for (verb, stage) in stages {
        for (kind, counts) in stage["counts"].as_object().unwrap() {
            let aside: u64 = counts["set_aside"]
                .as_object()
                .unwrap()
                .values()
                .map(|count| count.as_u64().unwrap())
                .sum();
            assert_eq!(
                counts["entered"].as_u64().unwrap(),
                counts["kept"].as_u64().unwrap() + aside,
                "{verb} {kind}"
            );
            kinds += 1;
        }
    }
    assert!(kinds >= 5, "only {kinds} kinds of things were counted");
}

#[test]
fn a_shard_that_no_plan_wants_any_more_is_removed() {
    let project = Project::new();
    project.build();
    let both = project.bytes();
    project.write(
        "recipe.toml",
        RECIPE.replace("[[source]]\nfrom = \"path:extra\"\n", ""),
    );
    project.build();
    let one = project.bytes();
    assert!(both.contains_key("01-functions/part-00001.parquet"));
    assert!(!one.contains_key("01-functions/part-00001.parquet"));
    assert!(!one.contains_key("01-functions/_set-aside/part-00001.parquet"));
}

#[test]
fn a_stray_file_in_the_run_folder_is_left_alone() {
    let project = Project::new();
    project.build();
    project.write("runs/shelf/02-units/notes.txt", "mine");
    project.write("runs/shelf/02-units/theirs.parquet", "not a table of ours");
    project.build();
    assert!(project.path("runs/shelf/02-units/notes.txt").is_file());
    assert!(project.path("runs/shelf/02-units/theirs.parquet").is_file());
}

#[test]
fn two_builds_in_one_folder_do_not_meet() {
    let project = Project::new();
    project.build();
    let lock = fs::File::open(project.path("runs/shelf/barecode.lock")).unwrap();
    lock.lock().unwrap();
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains("another barecode is working in this run folder"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("runs/shelf/barecode.lock"),
        "{}",
        ended.stderr
    );
}

#[test]
fn quiet_says_nothing_on_stderr() {
    let project = Project::new();
    let ended = project.run(&["build", "recipe.toml", "--quiet"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (Some(0), ""));
}
