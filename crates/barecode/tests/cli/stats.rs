//! `stats`: the numbers of a dataset, and the splits that it shows.

use serde_json::Value;

use crate::project::{Project, RECIPE, program};

fn json(project: &Project, arguments: &[&str]) -> Value {
    let ended = project.run(arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn rows<'a>(value: &'a Value, slice: &str) -> Vec<&'a Value> {
    let rows = value["statistics"].as_array().unwrap().iter();
    rows.filter(|row| row["slice"] == slice).collect()
}

#[test]
fn a_run_is_counted_on_the_terminal_the_page_and_the_card() {
    let project = Project::new();
    let ended = project.run(&["stats", "recipe.toml"]);
    assert_eq!(ended.code, Some(4));
    assert!(ended.stderr.contains("barecode build"), "{}", ended.stderr);
    project.build();
    let value = json(&project, &["stats", "recipe.toml", "--json"]);
    let all = rows(&value, "all");
    assert!(all.len() >= 6, "{value}");
    for row in &all {
        assert_eq!(row["split"], "test");
        assert!(
            row["pairs"].as_u64().unwrap() > 0 && row["complexity"].as_f64().unwrap() >= 1.0,
            "{row}"
        );
    }
    // A renaming changes neither lines nor complexity.
    for row in &all {
        let standard = all
            .iter()
            .find(|other| other["group"] == row["group"] && other["setting"] == "standard")
            .unwrap();
        assert_eq!(row["complexity"], standard["complexity"]);
        assert_eq!(row["lines"], standard["lines"]);
    }
    let text = project.run(&["stats", "--run", "runs/shelf"]).stdout;
    assert!(
        text.contains("`c-tokens`") && text.contains("│ group1"),
        "{text}"
    );
    assert!(
        text.contains("warning: ") && text.contains("`path:shelf`"),
        "{text}"
    );
    let by = project
        .run(&["stats", "recipe.toml", "--by", "repository"])
        .stdout;
    assert!(
        by.contains("path:extra") && by.contains("path:shelf"),
        "{by}"
    );
    let read = |file: &str| std::fs::read_to_string(project.path(file)).unwrap();
    assert!(read("runs/shelf/08-report/index.html").contains("id=\"dataset\""));
    assert!(read("runs/shelf/05-dataset/README.md").contains("## Statistics"));
}

#[test]
fn a_train_split_is_counted_and_never_retrieved() {
    let project = Project::new();
    project.write(
        "recipe.toml",
        format!("{RECIPE}\n[dataset]\ntrain = [\"path:extra\"]\n"),
    );
    project.build();
    let value = json(&project, &["stats", "recipe.toml", "--json"]);
    let train: Vec<&Value> = rows(&value, "all")
        .into_iter()
        .filter(|row| row["split"] == "train")
        .collect();
    assert_eq!(train.len(), 3, "{value}");
    assert!(
        train
            .iter()
            .all(|row| row["pairs"] == 1 && row["largest_repository"] == "path:extra"),
        "{train:?}"
    );
    assert!(
        project
            .path("runs/shelf/05-dataset/group1-standard/train.parquet")
            .is_file()
    );
    let counted_anew = |tokenizer: &str| {
        json(
            &project,
            &["stats", "recipe.toml", "--json", "--tokenizer", tokenizer],
        )
    };
    // A tokenizer that knows one word, and nothing else.
    let words = r#"{"version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": {"int": 0, "?": 1}, "unk_token": "?"}}"#;
    project.write("words.json", words);
    let again = counted_anew("words.json");
    let (before, after) = (rows(&value, "all"), rows(&again, "all"));
    assert_eq!(before.len(), after.len());
    for (before, after) in before.iter().zip(&after) {
        for same in [
            "split",
            "group",
            "setting",
            "draws",
            "pairs",
            "lines",
            "complexity",
            "keywords",
            "largest_share",
        ] {
            assert_eq!(before[same], after[same], "{same}");
        }
        assert!(
            after["tokenizer"]
                .as_str()
                .unwrap()
                .starts_with("WordLevel-"),
            "{after}"
        );
        assert_ne!(before["code_tokens"], after["code_tokens"]);
    }
}

#[test]
fn a_repository_named_by_two_revisions_is_not_divided() {
    let project = Project::new();
    let git = |arguments: &[&str]| {
        let mut git = program("git");
        git.current_dir(project.path("shelf")).args(arguments);
        git.env("GIT_CONFIG_GLOBAL", "/dev/null");
        git.env("GIT_CONFIG_SYSTEM", "/dev/null");
        let output = git.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    let author = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    git(&[&author[..], &["commit", "--quiet", "--message=first"]].concat());
    git(&["tag", "one"]);
    git(&["tag", "two"]);
    let recipe = RECIPE
        .replace("path:shelf", "git:shelf@one")
        .replace("path:extra", "git:shelf@two");
    project.write(
        "recipe.toml",
        format!("{recipe}\n[dataset]\ntrain = [\"git:shelf@two\"]\n"),
    );
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let wanted = "`git:shelf@one` and `git:shelf@two` are one repository";
    assert!(ended.stderr.contains(wanted), "{}", ended.stderr);
}

#[test]
fn rows_as_clarc_publishes_them_are_counted() {
    let project = Project::new();
    let code = "int f(int a)\\n{\\n    return a ? 1 : 2;\\n}\\n";
    let row = |id: &str, relevance: u32| {
        format!(
            "{{\"query_id\": \"{id}\", \"query_text\": \"Tells one from two.\", \"code_id\": \"c\", \"code_text\": \"{code}\", \"relevance\": {relevance}}}"
        )
    };
    project.write(
        "rows.json",
        format!("[{}, {}, {}]", row("a", 2), row("b", 2), row("b", 1)),
    );
    let value = json(&project, &["stats", "rows.json", "--json"]);
    assert_eq!(
        (
            value["pairs"].as_u64(),
            value["lines"].as_f64(),
            value["complexity"].as_f64()
        ),
        (Some(2), Some(4.0), Some(2.0))
    );
    let tables = format!(
        "{{\"query\": {{\"a\": \"Tells.\"}}, \"corpus\": {{\"c\": \"{code}\", \"d\": \"x\"}}, \"qrel\": {{\"a\": {{\"d\": 1, \"c\": 2}}}}}}"
    );
    project.write("tables.json", tables);
    let value = json(
        &project,
        &["stats", "tables.json", "--json", "--language", "other"],
    );
    assert_eq!(
        (
            value["pairs"].as_u64(),
            value["lines"].as_f64(),
            value["complexity"].as_f64()
        ),
        (Some(1), Some(4.0), None)
    );
    let text = project.run(&["stats", "rows.json"]).stdout;
    assert!(text.contains("│ rows.json"), "{text}");
    let assembly = row("a", 2).replace(code, "push %rbp\\nmov %rsp,%rbp\\nmov %edi,%eax\\nret");
    project.write("assembly.json", format!("[{assembly}]"));
    let value = json(&project, &["stats", "assembly.json", "--json"]);
    assert_eq!(value["instructions"].as_f64(), Some(3.0), "{value}");
    assert!(value["complexity"].is_null() && value["keywords"].is_null());
    let text = project.run(&["stats", "assembly.json"]).stdout;
    assert!(
        text.contains("3.00") && !text.contains("keywords"),
        "{text}"
    );
    for bad in ["{}", "[]", "[{\"a\": 1}]", "nonsense"] {
        project.write("bad.json", bad);
        let ended = project.run(&["stats", "bad.json"]);
        assert_eq!(ended.code, Some(4), "{bad}");
        assert!(ended.stderr.contains("query_text"), "{}", ended.stderr);
    }
    let ended = project.run(&["stats", "rows.json", "--tokenizer", "bad.json"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.contains("is not a tokenizer") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
}
