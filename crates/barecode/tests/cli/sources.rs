//! Sources that are not there, that are stated twice, and lists of them.

use std::collections::BTreeMap;
use std::fs;

use barecode_records::table::read;
use barecode_records::{Judgment, Pair, Score};

use crate::project::{Project, RECIPE, assert_same, bytes_of, copy};

/// The usual recipe with a list in place of its second source.
fn with_list(list: &str) -> String {
    let table = "[[source]]\nfrom = \"path:extra\"\n";
    assert!(RECIPE.contains(table));
    RECIPE.replace(table, list)
}

#[test]
fn a_list_with_a_repository_that_is_gone_is_mined_without_it() {
    let project = Project::new();
    project.write(
        "list.json",
        r#"[
            {"repo": "path:extra", "role": "dev"},
            {"repo": "nobody/gone", "role": "dev", "commit": "0123456789012345678901234567890123456789"},
            {"repo": "path:never", "role": "demo"}
        ]"#,
    );
    let list = "[[manifest]]\nfile = \"list.json\"\nbase = \"git:mirrors/{owner}+{name}\"\nwhere = { role = \"dev\" }\n";
    project.write("recipe.toml", with_list(list));
    let account = project.build();
    let sources = &account["stages"]["extract"]["counts"]["sources"];
    assert_eq!(sources["entered"], 3);
    assert_eq!(sources["kept"], 2);
    assert_eq!(sources["set_aside"]["source_unreachable"], 1);
    let manifest = fs::read_to_string(project.path("runs/shelf/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let absent = &manifest["sources"][2];
    assert_eq!(
        absent["source"],
        "git:mirrors/nobody+gone@0123456789012345678901234567890123456789"
    );
    assert_eq!(absent["set_aside"], "source_unreachable");

    // On one thread the same bytes come out, and a second run has nothing to do.
    let bytes = project.bytes();
    let again = project.run(&["build", "recipe.toml", "--json", "--threads", "1"]);
    let again: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(again["worked"], false);
    fs::remove_dir_all(project.path("runs")).unwrap();
    let ended = project.run(&["build", "recipe.toml", "--threads", "1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("without `git:mirrors/nobody+gone@"),
        "{}",
        ended.stderr
    );
    assert_same(&bytes, &project.bytes());
}

#[test]
fn a_source_that_is_optional_may_be_absent_and_another_may_not() {
    let project = Project::new();
    let optional = "[[source]]\nfrom = \"archive:gone.zip\"\noptional = true\n";
    project.write("recipe.toml", with_list(optional));
    let counts = &project.build()["stages"]["extract"]["counts"];
    assert_eq!(counts["sources"]["set_aside"]["source_unreachable"], 1);
    project.write(
        "recipe.toml",
        with_list(&optional.replace("optional = true\n", "")),
    );
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("archive:gone.zip"),
        "{}",
        ended.stderr
    );
}

#[test]
fn two_spellings_of_one_folder_are_refused_with_both_lines() {
    let project = Project::new();
    project.write(
        "recipe.toml",
        with_list("[[source]]\nfrom = \"path:./shelf/\"\n"),
    );
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let wanted =
        "recipe.toml:8:1: `path:./shelf/` of line 8 is the same source as `path:shelf` of line 5";
    assert!(ended.stderr.contains(wanted), "{}", ended.stderr);

    project.write(
        "recipe.toml",
        with_list("[[manifest]]\nfile = \"list.txt\"\n"),
    );
    project.write("list.txt", "path:extra\npath:shelf # again\n");
    let ended = project.run(&["build", "recipe.toml"]);
    let wanted = "the source `path:shelf` occurs twice: in line 5 and in entry 2 of `list.txt`";
    assert!(ended.stderr.contains(wanted), "{}", ended.stderr);
}

#[test]
fn a_list_that_is_not_there_is_exit_code_4() {
    let project = Project::new();
    project.write(
        "recipe.toml",
        with_list("[[manifest]]\nfile = \"gone.json\"\n"),
    );
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("recipe.toml:8:1: cannot read the list"),
        "{}",
        ended.stderr
    );
}

#[test]
fn the_way_a_path_is_written_changes_no_byte_of_dataset_and_scores() {
    let project = Project::new();
    copy(&project.path("shelf"), &project.path("copies/shelf"));
    copy(&project.path("shelf"), &project.path("other"));
    let (_, rest) = RECIPE.split_once("[settings]").unwrap();
    // Tables only: the last file of a shard says what it was made from.
    let built = |folder: &str, from: &str| -> BTreeMap<String, Vec<u8>> {
        let source = format!("[[source]]\nfrom = \"{from}\"\nlimit = 12\n");
        let recipe = format!("{folder}/recipe.toml");
        project.write(
            &recipe,
            format!("name = \"shelf\"\nseed = 7\n\n{source}\n[settings]{rest}"),
        );
        let ended = project.run(&["build", &recipe]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let mut files = bytes_of(&project.path(folder).join("runs/shelf"));
        files.retain(|name, _| {
            let is_wanted = name.starts_with("05-dataset") || name.starts_with("07-scores");
            is_wanted && !name.contains("set-aside")
        });
        files
    };
    let first = built("one", "path:../shelf");
    assert_same(&first, &built("one/below", "path:../../shelf"));
    assert_same(&first, &built("two", "path:../extra/../shelf"));
    assert_same(&first, &built("three", "path:../copies/shelf"));
    // Under another name the documents say so, and with them what files were made from; the rows are the same.
    built("four", "path:../other");
    let rows = |folder: &str| {
        let run = project.path(folder).join("runs/shelf");
        let dataset = run.join("05-dataset/group1-randomized-1");
        let judgments: Vec<Judgment> = read(&dataset.join("qrels.parquet")).unwrap();
        let pairs: Vec<Pair> = read(&dataset.join("pairs.parquet")).unwrap();
        let scores: Vec<Score> = read(&run.join("07-scores/scores.parquet")).unwrap();
        assert!(!judgments.is_empty() && !scores.is_empty());
        (judgments, pairs, scores)
    };
    assert_eq!(rows("one"), rows("four"));
}
