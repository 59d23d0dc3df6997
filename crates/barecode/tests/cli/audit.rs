//! `audit`: datasets of others, with their exit codes, as table, JSON and page; and a run.

use serde_json::Value;

use crate::project::Project;

/// A file in CLARC's form: two of the three functions are the same, and one query names what it looks for.
const TWINS: &str = r#"[
  {"query_id": "q1", "query_text": "Gives back one.", "code_id": "c1", "code_text": "int f(void)\n{\n    return 1;\n}\n", "relevance": 2},
  {"query_id": "q2", "query_text": "Always gives back the number one.", "code_id": "c2", "code_text": "int f(void)\n{\n    return 1;\n}\n", "relevance": 2},
  {"query_id": "q3", "query_text": "Adds with add_all whatever it is given.", "code_id": "c3", "code_text": "int add_all(int a, int b)\n{\n    return a + b;\n}\n", "relevance": 2}
]"#;

fn project() -> Project {
    let project = Project::new();
    project.write("twins.json", TWINS);
    project
}

#[test]
fn a_dataset_is_audited_as_table_json_and_page() {
    let project = project();
    let ended = project.run(&["audit", "twins.json", "--examples"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for part in [
        "BA001 identical-texts",
        "2 of 3 documents",
        "best expected R@1 0.667",
        "c1 c2",
        "BA101",
        "add_all",
        "--explain",
    ] {
        assert!(
            ended.stdout.contains(part),
            "no `{part}` in {}",
            ended.stdout
        );
    }
    let ended = project.run(&["audit", "twins.json", "--json", "--html", "page.html"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let value: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(value["format"], "clarc-cleaned");
    let twins = &value["findings"][0];
    assert_eq!(
        (twins["code"].as_str(), twins["severity"].as_str()),
        (Some("BA001"), Some("defect"))
    );
    assert_eq!(
        (twins["count"].as_u64(), twins["of"].as_u64()),
        (Some(2), Some(3))
    );
    assert_eq!(value["leaks"][0]["query"], "q3");
    assert_eq!(value["leaks"][0]["kept"][0], "add_all");
    let page = std::fs::read_to_string(project.path("page.html")).unwrap();
    for part in ["<h2 id=\"BA001\">", "int f(void)", "Remedy."] {
        assert!(page.contains(part), "no `{part}` in the page");
    }
    assert!(
        !page.contains("<script") && !page.contains("http://") && !page.contains("src="),
        "the page is not alone"
    );
    let again = project.run(&["audit", "twins.json", "--json"]);
    assert_eq!(again.stdout, ended.stdout);
}

#[test]
fn the_exit_code_tells_how_bad_it_is() {
    let project = project();
    let code = |arguments: &[&str]| {
        project
            .run(&[&["audit", "twins.json"], arguments].concat())
            .code
    };
    assert_eq!(code(&["--fail-on", "warning"]), Some(3));
    assert_eq!(code(&["--fail-on", "defect"]), Some(3));
    assert_eq!(code(&["--fail-on", "defect", "--ignore", "BA0"]), Some(0));
    assert_eq!(
        code(&["--fail-on", "note", "--select", "mojibake,BA7"]),
        Some(0)
    );
    // What is not shown counts all the same.
    assert_eq!(
        code(&[
            "--fail-on",
            "note",
            "--severity",
            "defect",
            "--select",
            "BA101"
        ]),
        Some(3)
    );
    assert_eq!(code(&["--select", "BA999"]), Some(4));
    assert_eq!(code(&["--fail-on", "bad"]), Some(2));
}

#[test]
fn rules_explain_themselves() {
    let project = Project::new();
    let ended = project.run(&["audit", "--explain", "BA102"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stdout
            .starts_with("## BA102 names-lost\n\n**Check.** "),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("**Limits.** "), "{}", ended.stdout);
    let all = project.run(&["audit", "--explain", "all"]).stdout;
    let reference = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/reference/audit.md"
    );
    assert_eq!(all, std::fs::read_to_string(reference).unwrap());
    let ended = project.run(&["audit", "--explain", "BA1000"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.contains("no rule `BA1000`") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_cannot_be_read_is_told_with_its_place() {
    let project = project();
    project.write("cut.json", TWINS.get(..300).unwrap());
    for (file, part) in [("none.json", "none.json"), ("cut.json", "cut.json:")] {
        let ended = project.run(&["audit", file]);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        assert!(ended.stderr.contains(part), "{}", ended.stderr);
        assert_eq!(ended.stdout, "");
    }
    let ended = project.run(&["audit"]);
    assert_eq!(ended.code, Some(2));
}

#[test]
fn the_settings_of_a_run_are_audited_too() {
    let project = Project::new();
    let ended = project.run(&["audit", "recipe.toml"]);
    assert_eq!(ended.code, Some(4));
    project.build();
    for arguments in [
        ["audit", "recipe.toml", "--json"],
        ["audit", "--run=runs/shelf", "--json"],
    ] {
        let ended = project.run(&arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let value: Value = serde_json::from_str(&ended.stdout).unwrap();
        let settings = value["settings"].as_array().unwrap();
        assert!(
            settings
                .iter()
                .any(|audit| audit["texts"].as_u64() > Some(0)),
            "{value}"
        );
    }
}

#[test]
fn grades_that_contradict_each_other_are_a_finding_and_no_end() {
    let project = Project::empty();
    project.write(
        "set/corpus.jsonl",
        "{\"_id\": \"d1\", \"title\": \"\", \"text\": \"int f(void) { return 1; }\"}\n",
    );
    project.write(
        "set/queries.jsonl",
        "{\"_id\": \"q1\", \"text\": \"returns one\"}\n",
    );
    project.write(
        "set/qrels/test.tsv",
        "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td1\t0\n",
    );
    let ended = project.run(&["audit", "set", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let audit: Value = serde_json::from_str(&ended.stdout).unwrap();
    let findings = audit["findings"].as_array().unwrap();
    assert!(
        findings
            .iter()
            .any(|one| one["code"] == "BA404" && one["count"] == 1),
        "{audit}"
    );
    assert!(
        ended.stderr.contains("another grade than before"),
        "{}",
        ended.stderr
    );
}
