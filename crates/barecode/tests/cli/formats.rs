//! `convert` and `release`: a run's dataset for others, and others' files for each other.

use serde_json::Value;

use crate::project::Project;

const CORPUS: &str = "{\"_id\": \"c1\", \"title\": \"T\", \"text\": \"int f(void);\", \"license\": \"MIT\"}\n{\"_id\": \"c2\", \"title\": \"\", \"text\": \"int g(void);\", \"license\": \"GPL-3.0-only\"}\n";
const QUERIES: &str = "{\"_id\": \"q1\", \"text\": \"calls f\"}\n";
const QRELS: &str = "query-id\tcorpus-id\tscore\nq1\tc1\t2\n";
const FACTS: &str = "name = \"shelf\"\ndescription = \"Functions.\"\nlicense = \"MIT\"\ncreators = [\"Someone\"]\nurl = \"https://example.org\"\nversion = \"1.0.0\"\npublished = \"2026-11-21\"\ncitation = \"Someone, 2026\"\n";

fn beir() -> Project {
    let project = Project::new();
    project.write("in/corpus.jsonl", CORPUS);
    project.write("in/queries.jsonl", QUERIES);
    project.write("in/qrels/test.tsv", QRELS);
    project.write("facts.toml", FACTS);
    project
}

#[test]
fn what_a_format_cannot_hold_needs_leave() {
    let project = beir();
    let ended = project.run(&["convert", "in", "out", "--to", "clarc-cleaned"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("1 titles") && ended.stderr.contains("--lossy"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("out").exists());
    let ended = project.run(&[
        "convert",
        "in",
        "out",
        "--to",
        "clarc-cleaned",
        "--lossy",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(printed["from"]["format"], "beir");
    assert_eq!(printed["subsets"][0]["judgments"], 1);
    assert!(
        project
            .path("out/reconstructed_default_cleaned.json")
            .is_file()
    );
    let ended = project.run(&["convert", "in", "out", "--to", "mteb"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("--force"), "{}", ended.stderr);
    let ended = project.run(&["convert", "in", "out", "--to", "mteb", "--force"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("default"), "{}", ended.stdout);
    let ended = project.run(&["convert", "in", "in", "--to", "mteb", "--force"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(project.path("in/corpus.jsonl").is_file());
}

#[test]
fn a_wrong_file_is_told_with_its_place() {
    let project = beir();
    project.write(
        "in/qrels/test.tsv",
        "query-id\tcorpus-id\tscore\nq1\tc7\t1\n",
    );
    let ended = project.run(&["convert", "in", "out", "--to", "trec"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("test.tsv:2: a judgment names the document `c7`"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("out").exists());
    let ended = project.run(&["convert", "in", "out", "--to", "excel"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    let ended = project.run(&["convert", "in", "out", "--to", "trec", "--subset", "none"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
}

#[test]
fn a_release_refuses_licenses_that_do_not_go_together() {
    let project = beir();
    let ended = project.run(&["release", "in", "out", "--name", "x"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("missing: description, license, creators, url, version, published, citation"),
        "{}",
        ended.stderr
    );
    let ended = project.run(&["release", "in", "out", "--facts", "facts.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("1 under GPL-3.0-only (copyleft)"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("out").exists());
    let arguments = [
        "release",
        "in",
        "out",
        "--facts",
        "facts.toml",
        "--license",
        "MIT AND GPL-3.0-only",
    ];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("the same"), "{}", ended.stdout);
    assert!(project.path("out/SHA256SUMS").is_file());
}

#[test]
fn a_run_is_released_as_it_lies() {
    let project = Project::new();
    project.build();
    project.write("facts.toml", FACTS);
    let arguments = [
        "release",
        "runs/shelf/05-dataset",
        "out",
        "--facts",
        "facts.toml",
        "--split-licenses",
        "--json",
    ];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    let hub = &printed["parts"][0];
    assert_eq!(hub["format"], "huggingface");
    assert!(hub["documents"].as_u64().unwrap() > 0, "{printed}");
    assert_eq!(hub["lost"], serde_json::json!([]));
    let card = std::fs::read_to_string(project.path("out/huggingface/README.md")).unwrap();
    let before = std::fs::read_to_string(project.path("runs/shelf/05-dataset/README.md")).unwrap();
    for section in [
        "How it was made",
        "Settings",
        "Selection",
        "Statistics",
        "Leaks",
        "Licenses",
        "Limits",
    ] {
        let heading = format!("## {section}\n");
        let of = |card: &str| {
            let (_, rest) = card.split_once(&heading).unwrap();
            rest.split("\n## ").next().unwrap().trim().to_owned()
        };
        assert_eq!(of(&card), of(&before), "{section}");
    }
    assert_eq!(card.matches("## Configurations").count(), 1, "{card}");
}

#[test]
fn code_for_training_keeps_its_license() {
    let project = Project::empty();
    for (folder, at) in [("test", 1), ("train", 2)] {
        let code = format!(
            "// SPDX-License-Identifier: MIT\n/* Adds {at} to the number that it is given. */\nint add_{at}(int value) {{ return value + {at}; }}\n"
        );
        project.write(&format!("{folder}/add.c"), code);
    }
    project.write(
        "two.toml",
        "name = \"two\"\n[[source]]\nfrom = \"path:test\"\n[[source]]\nfrom = \"path:train\"\n[settings]\nnames = [\"standard\"]\n[dataset]\nviews = [\"all\"]\ntrain = [\"path:train\"]\n[[retriever]]\nname = \"bm25\"\nkind = \"bm25\"\n",
    );
    let ended = project.run(&["build", "two.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    project.write("facts.toml", FACTS);
    let ended = project.run(&["release", "two.toml", "out", "--facts", "facts.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let card = std::fs::read_to_string(project.path("out/huggingface/README.md")).unwrap();
    assert!(card.contains("split: train"), "{card}");
    let said = "lost: coir/, beir/, trec/: the split `train` of `all-standard` is the subset `all-standard-train`";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
}

#[test]
fn a_release_does_not_say_where_sources_lay() {
    let project = beir();
    let here = "/home/somebody/work";
    let corpus = CORPUS.replace(
        "\"title\"",
        &format!("\"source\": \"path:{here}/shelf\", \"title\""),
    );
    project.write("in/corpus.jsonl", corpus);
    let ended = project.run(&[
        "release",
        "in",
        "out",
        "--facts",
        "facts.toml",
        "--license",
        "MIT AND GPL-3.0-only",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let said = format!("`path:{here}/shelf` is on this machine, and is published as `path:shelf`");
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    let mut texts = String::new();
    for (name, bytes) in crate::project::files_of(&project.path("out")) {
        let path = project.path("out").join(&name);
        if name.ends_with(".parquet") {
            for row in barecode_formats::Rows::open(&path, &[]).unwrap() {
                let cells = row.unwrap().rest();
                texts += &serde_json::to_string(&cells).unwrap();
            }
        } else {
            texts += &String::from_utf8_lossy(&bytes);
        }
    }
    assert!(texts.contains("path:shelf"));
    assert!(!texts.contains(here));
}

#[test]
fn rows_that_cannot_compile_are_counted_and_not_compiled() {
    let project = Project::empty();
    let row = |id: &str, text: &str| serde_json::json!({ "code_id": id, "code_text": text });
    let original = serde_json::json!([
        row("c_group_2_id_0", "void take(unknown_t *it) { use(it); }"),
        row("c_group_1_id_0", "int one(void) { return 1; }"),
    ]);
    let released = serde_json::json!([row("c_group_2_id_0", "ret"), row("c_group_1_id_0", "ret"),]);
    project.write("set/g_original.json", original.to_string());
    project.write("set/g_asm_short.json", released.to_string());
    let ended = project.run(&["conform", "set", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
    let file = &printed["files"][0];
    assert_eq!(
        (&file["rows"], &file["not_compiled"]),
        (&1.into(), &1.into()),
        "{printed}"
    );
    let ended = project.run(&["conform", "set"]);
    let said = "g_asm_short.json: 1 rows of group 2 are not compiled";
    assert!(ended.stdout.contains(said), "{}", ended.stdout);
}
