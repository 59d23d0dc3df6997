//! `eval`.

use std::fs;
use std::path::Path;

use barecode_testing::started::Started;
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::project::{Ended, Project, repository};

/// Three functions with a query each, one of which is told by no word.
fn dataset(project: &Project) {
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes of a buffer", "code_id": "c1", "code_text": "copy bytes buffer", "relevance": 1 },
        { "query_id": "q2", "query_text": "free the list", "code_id": "c2", "code_text": "free list", "relevance": 1 },
        { "query_id": "q3", "query_text": "something else", "code_id": "c3", "code_text": "int zero", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
}

/// A program that answers a vector for each text: how often the letters a to d stand in it.
const PROGRAM: &str = "while IFS= read -r line; do [ -n \"$line\" ] || continue; \
    index=${line#*\\\"index\\\":}; index=${index# }; index=${index%%,*}; \
    printf '{\"index\": %s, \"vector\": [1.0, %s.0]}\\n' \"$index\" \"${#line}\"; done";

#[test]
fn subsets_of_several_splits_are_told_apart() {
    let project = Project::new();
    let documents = ["copy bytes", "free list", "sort rows", "read lines"];
    for (file, word) in [("corpus", "d"), ("queries", "q")] {
        let row = |(at, text)| format!("{{\"_id\": \"{word}{at}\", \"text\": \"{text}\"}}\n");
        let rows = documents.iter().enumerate().map(row);
        project.write(&format!("set/{file}.jsonl"), rows.collect::<String>());
    }
    for (split, at) in [("train", 0), ("test", 2)] {
        let rows = format!("query-id\tcorpus-id\tscore\nq{at}\td{at}\t1\n");
        project.write(&format!("set/qrels/{split}.tsv"), rows);
    }
    let arguments = ["eval", "set", "--model", "bm25", "--out", "out", "--json"];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let rows = account["scores"].as_array().unwrap();
    let mut names: Vec<&str> = rows
        .iter()
        .map(|row| row["subset"].as_str().unwrap())
        .collect();
    names.dedup();
    names.sort_unstable();
    assert_eq!(names, ["default/test", "default/train"]);
}

#[test]
fn words_and_vectors_are_evaluated_side_by_side() {
    let project = Project::new();
    dataset(&project);
    let process = format!("process:{PROGRAM}");
    let arguments = [
        "eval",
        "set.json",
        "--model",
        "bm25",
        "--model",
        &process,
        "--measure",
        "RR",
        "--out",
        "out",
        "--json",
    ];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let row = &account["scores"][0];
    assert_eq!((&row["queries"], &row["documents"]), (&json!(3), &json!(3)));
    assert_eq!(row["ceiling"], 1.0);
    // Two answers have words in common with their query; the third query has none with any document, and BM25
    // returns nothing for it.
    assert_eq!(row["models"][0]["value"], 2.0 / 3.0);
    assert_eq!(row["models"][0]["model"], "bm25");
    let run = fs::read_to_string(project.path("out/06-runs/bm25/set.test.trec")).unwrap();
    assert!(run.starts_with("q1 Q0 c1 1 "), "{run}");
    assert_eq!(account["ledger"].as_object().unwrap().len(), 1);
    // A second call finds everything done, and calls no model.
    let again = project.run(&arguments);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    let again: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(account["scores"], again["scores"]);
    assert!(again["ledger"].as_object().unwrap().is_empty());
    // What was embedded once is not embedded again for another folder.
    let elsewhere: Vec<&str> = arguments
        .iter()
        .map(|one| if *one == "out" { "elsewhere" } else { *one })
        .collect();
    let elsewhere: Value = serde_json::from_str(&project.run(&elsewhere).stdout).unwrap();
    let hits = |account: &Value| {
        let mut usage = account["ledger"].as_object().unwrap().values();
        usage.next().unwrap()["cache-hits"].as_u64().unwrap()
    };
    assert_eq!((hits(&account), hits(&elsewhere)), (0, 6));
}

#[test]
fn a_dry_run_tells_the_price_and_needs_no_key() {
    let project = Project::new();
    dataset(&project);
    let ended = project.run(&[
        "eval",
        "set.json",
        "--model",
        "openai:text-embedding-3-large",
        "--dry-run",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["estimates"][0]["new_texts"], 6);
    assert!(told["estimates"][0]["dollars"].as_f64().unwrap() > 0.0);
    assert!(!project.path("eval").exists());
}

#[test]
fn a_model_that_is_none_is_told_with_what_there_is() {
    let project = Project::new();
    dataset(&project);
    let unknown = project.run(&["eval", "set.json", "--model", "bm52"]);
    assert_eq!(unknown.code, Some(4), "{}", unknown.stderr);
    let twice = project.run(&["eval", "set.json", "--model", "bm25", "--model", "bm25"]);
    assert_eq!(twice.code, Some(4), "{}", twice.stderr);
    assert!(
        twice.stderr.contains("two systems are called `bm25`"),
        "{}",
        twice.stderr
    );
    let empty = project.run(&["eval", "set.json", "--model", "local:nowhere"]);
    assert_eq!(empty.code, Some(4), "{}", empty.stderr);
}

/// Vectors by which the answer of q1 is first, that of q2 second, that of q3 third.
const VECTORS: &str = r#"{"id": "c1", "vector": [1, 0, 0]}
{"id": "c2", "vector": [0, 1, 0]}
{"id": "c3", "vector": [0, 0, 1]}
{"id": "q1", "vector": [1, 0, 0]}
{"id": "q2", "vector": [0.9, 0.5, 0]}
{"id": "q3", "vector": [0.9, 0.5, 0.1]}
"#;

fn evaluated(project: &Project, arguments: &[&str]) -> Value {
    let mut all = vec!["eval", "set.json", "--json"];
    all.extend(arguments);
    let ended = project.run(&all);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// The values of a measure's systems, by name.
fn values(account: &Value, row: usize) -> Vec<(String, f64)> {
    let models = account["scores"][row]["models"].as_array().unwrap();
    let value = |cell: &Value| {
        let name = cell["model"].as_str().unwrap().to_owned();
        (name, cell["value"].as_f64().unwrap())
    };
    models.iter().map(value).collect()
}

/// The mean reciprocal rank of [`VECTORS`].
const RANKS: f64 = (1.0 + 1.0 / 2.0 + 1.0 / 3.0) / 3.0;

fn near(value: f64, expected: f64) -> bool {
    (value - expected).abs() < 1e-12
}

#[test]
fn vectors_and_runs_that_are_there_are_scored_and_fused() {
    let project = Project::empty();
    dataset(&project);
    project.write("v.jsonl", VECTORS);
    let account = evaluated(
        &project,
        &[
            "--model",
            "bm25",
            "--model",
            "vectors:v.jsonl",
            "--fuse",
            "rrf:60",
            "--fuse",
            "convex:0,1",
            "--measure",
            "RR",
            "--out",
            "out",
        ],
    );
    let found = values(&account, 0);
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["bm25", "vectors:v.jsonl", "rrf:60", "convex:0,1"]);
    // Words find q1 and q2 first and list nothing for q3; with the ranks of the vectors q2 is first as well.
    for ((_, value), expected) in
        found
            .iter()
            .zip([2.0 / 3.0, RANKS, (1.0 + 1.0 + 1.0 / 3.0) / 3.0, RANKS])
    {
        assert!(near(*value, expected), "{found:?}");
    }
    // What was written can be read: the same scores from the runs of a folder, and from one file.
    let again = evaluated(
        &project,
        &[
            "--model",
            "run:out/06-runs/rrf_60",
            "--model",
            "run:out/06-runs/vectors_v.jsonl/set.test.trec",
            "--measure",
            "RR",
            "--out",
            "again",
        ],
    );
    let again = values(&again, 0);
    assert_eq!((again[0].1, again[1].1), (found[2].1, found[1].1));
    let per_query = fs::read_to_string(project.path("out/per-query.csv")).unwrap();
    assert!(
        per_query.contains("\nset,test,q2,vectors:v.jsonl,RR,0.5\n"),
        "{per_query}"
    );
    assert_eq!(per_query.lines().count(), 1 + 4 * 3);
    // A run of another corpus, and a file that lacks a vector.
    project.write("bad.trec", "q1 Q0 c9 1 2.5 x\n");
    let ended = project.run(&["eval", "set.json", "--model", "run:bad.trec"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("document `c9` of query `q1` is not in subset `set`"),
        "{}",
        ended.stderr
    );
    project.write("few.jsonl", VECTORS.lines().next().unwrap());
    let ended = project.run(&["eval", "set.json", "--model", "vectors:few.jsonl"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("has no vector of the document `c2`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn vectors_lie_in_folders_by_side_and_subset_and_are_stored_as_asked() {
    let project = Project::empty();
    dataset(&project);
    let (documents, queries) = VECTORS.split_at(VECTORS.find("{\"id\": \"q1\"").unwrap());
    project.write("v/documents.jsonl", documents);
    project.write("v/set.test/queries.jsonl", queries);
    let tables = [
        ("f16", "dtype = 'float16'"),
        ("int8", "dtype = 'int8'\nsimilarity = 'dot'"),
        ("binary", "dtype = 'binary'"),
        ("two", "dimensions = 2"),
    ];
    let table = |(name, options)| {
        format!("[[model]]\nkind = 'vectors'\nfile = 'v'\nname = '{name}'\n{options}\n")
    };
    let models: Vec<String> = tables.map(table).to_vec();
    project.write("models.toml", models.concat());
    let mut arguments = vec!["--models", "models.toml", "--measure", "RR", "--out", "out"];
    for name in ["f16", "int8", "binary", "two"] {
        arguments.extend(["--model", name]);
    }
    let found = values(&evaluated(&project, &arguments), 0);
    // Of signs alone, q2 sees two documents alike and q3 all three: each of their ranks is as likely as another. Without
    // its third number the answer of q3 has no direction, and is last as before.
    let signs = (1.0 + f64::midpoint(1.0, 0.5) + RANKS) / 3.0;
    for ((name, value), expected) in found.iter().zip([RANKS, RANKS, signs, RANKS]) {
        assert!(near(*value, expected), "{name}: {value}");
    }
}

#[test]
fn a_pool_is_what_an_answer_is_told_from() {
    let project = Project::empty();
    dataset(&project);
    project.write("v.jsonl", VECTORS);
    let with = |more: &[&str]| {
        let mut arguments = vec![
            "--model",
            "vectors:v.jsonl",
            "--measure",
            "RR",
            "--measure",
            "R@1",
        ];
        arguments.extend(more);
        arguments.extend(["--out", "out"]);
        evaluated(&project, &arguments)
    };
    // One other document: q1 first, q2 first or second, q3 second, whoever the other is.
    let uniform = ["--pool", "uniform:1", "--draws", "4", "--seed", "3"];
    let drawn = with(&uniform);
    let row = &drawn["scores"][0];
    assert_eq!(row["models"][0]["draws"]["trials"], 4);
    assert_eq!(
        (&row["ceiling"], &row["floor"]),
        (&json!(1.0), &json!(0.75))
    );
    let value = row["models"][0]["value"].as_f64().unwrap();
    let possible = |firsts: u32| (4.0 + 2.0 + 0.5 * f64::from(firsts) + 2.0) / 12.0;
    assert!(
        (0..=4).any(|firsts| near(possible(firsts), value)),
        "{value}"
    );
    assert_eq!(drawn["scores"], with(&uniform)["scores"]);
    for draw in 1..=4 {
        let run = format!("out/06-runs/vectors_v.jsonl/set.test.draw-{draw}.trec");
        assert_eq!(
            fs::read_to_string(project.path(&run))
                .unwrap()
                .lines()
                .count(),
            6
        );
    }
    // The nearest other one is always before the answers of q2 and q3.
    let nearest = with(&["--pool", "nearest:1"]);
    assert!(near(values(&nearest, 0)[0].1, 2.0 / 3.0));
    let refused = project.run(&["eval", "set.json", "--model", "bm25", "--pool", "nearest"]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
}

#[test]
fn documents_are_read_in_chunks_and_under_other_names() {
    let project = Project::empty();
    let long = format!(
        "int alpha_one(void) {{\n    return 1;\n}}\n{}",
        "/* x */\n".repeat(20)
    );
    let second = "int beta_sum(int amount) {\n    return amount;\n}\n";
    let rows = json!([
        { "query_id": "q1", "query_text": "a", "code_id": "c1", "code_text": long, "relevance": 1 },
        { "query_id": "q2", "query_text": "b", "code_id": "c2", "code_text": second, "relevance": 1 },
        { "query_id": "q3", "query_text": "c", "code_id": "c3", "code_text": "def third():\n    return 3\n", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
    let process = format!("process:{PROGRAM}");
    let words = [
        "eval",
        "set.json",
        "--model",
        &process,
        "--chunk",
        "64:8",
        "--canonical",
        "--average",
        "2",
        "--described",
        "--model",
        "structural",
        "--fuse",
        "rrf",
        "--measure",
        "RR",
        "--out",
        "out",
    ];
    let ended = project.run(&[&words[..], &["--json"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let evaluated: Value = serde_json::from_str(&ended.stdout).unwrap();
    let found = values(&evaluated, 0);
    let readings: Vec<&str> = found
        .iter()
        .filter_map(|(name, _)| name.strip_prefix(&process))
        .collect();
    assert_eq!(
        readings,
        [
            "",
            " (chunks)",
            " (canonical)",
            " (mean of 2 renamings)",
            " (described)"
        ]
    );
    // For each way of reading that cannot read Python.
    let readings = ["(canonical)", "(mean of 2 renamings)", "(described)"];
    let readings = readings.map(|reading| format!("{process} {reading}"));
    let unknown: Vec<(&str, u64)> = evaluated["cut"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cut| {
            (
                cut["system"].as_str().unwrap(),
                cut["documents_unknown"].as_u64().unwrap(),
            )
        })
        .filter(|(_, unknown)| *unknown > 0)
        .collect();
    let expected = readings.iter().map(String::as_str).chain(["structural"]);
    assert_eq!(
        unknown,
        expected.map(|system| (system, 1)).collect::<Vec<_>>()
    );
    // The second time nothing is read, and it is said as before.
    let again = project.run(&words);
    let sentence = "structural: 1 of 3 documents, of all subsets together, are in a language or for a processor that it does not know\n";
    assert!(again.stdout.contains(sentence), "{}", again.stdout);
    let refused = project.run(&["eval", "set.json", "--model", "bm25", "--canonical"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    let told = project.run(&[
        "eval",
        "set.json",
        "--model",
        &process,
        "--average",
        "2",
        "--dry-run",
        "--json",
    ]);
    let told: Value = serde_json::from_str(&told.stdout).unwrap();
    // Three queries; three documents, two of them twice more under other names.
    assert_eq!(told["estimates"][0]["new_texts"], 3 + 3 + 4, "{told}");
}

#[test]
fn lists_are_reranked_by_a_model_on_this_machine() {
    let project = Project::empty();
    dataset(&project);
    let reranker = repository().join("crates/encoders/tests/checkpoints/reranker-bert");
    let rerank = format!("local:{}", reranker.display());
    let account = evaluated(
        &project,
        &[
            "--model",
            "bm25",
            "--rerank",
            &rerank,
            "--rerank-depth",
            "2",
            "--measure",
            "RR",
            "--out",
            "out",
        ],
    );
    assert_eq!(values(&account, 0)[1].0, "bm25 > local:reranker-bert");
    // The same documents with other scores.
    let lines = |starts: &str| {
        let mut folders = fs::read_dir(project.path("out/06-runs"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let folder = folders.find(|path| {
            path.file_name()
                .unwrap()
                .to_str()
                .unwrap()
                .starts_with(starts)
        });
        let run = fs::read_to_string(folder.unwrap().join("set.test.trec")).unwrap();
        run.lines().map(str::to_owned).collect::<Vec<String>>()
    };
    let (first, second) = (lines("bm25"), lines("bm25___local"));
    let pair = |line: &String| line.split(' ').take(3).collect::<String>();
    let sorted = |lines: &[String]| {
        let mut pairs: Vec<String> = lines.iter().map(pair).collect();
        pairs.sort();
        pairs
    };
    assert_eq!(sorted(&first), sorted(&second));
    // A model that cannot rerank is refused before anything is sent.
    let ended = project.run(&[
        "eval", "set.json", "--model", "bm25", "--rerank", "bm25", "--out", "none",
    ]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(!project.path("none").exists());
}

#[test]
fn words_are_cut_as_asked() {
    let project = Project::empty();
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes", "code_id": "c1", "code_text": "void copyBytes(void);", "relevance": 1 },
        { "query_id": "q2", "query_text": "free list", "code_id": "c2", "code_text": "void freeList(void);", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
    let whole = "bm25:tokenizer=plain,form=atire";
    let account = evaluated(
        &project,
        &[
            "--model",
            "bm25",
            "--model",
            whole,
            "--measure",
            "RR",
            "--out",
            "out",
        ],
    );
    assert_eq!(
        values(&account, 0),
        [("bm25".to_owned(), 1.0), (whole.to_owned(), 0.0)]
    );
    for wrong in ["bm25:k3=1", "bm25:tokenizer=none/tokenizer.json"] {
        let ended = project.run(&["eval", "set.json", "--model", wrong]);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    }
}

#[test]
fn a_table_of_the_hub_is_audited_and_evaluated_by_its_columns() {
    let Some(server) = Started::start("server.py", &[]) else {
        return;
    };
    let project = Project::empty();
    let table = "{\"docstring\": \"copy bytes of a buffer\", \"function\": \"void copy(void) { bytes(); }\"}\n\
                 {\"docstring\": \"free the list\", \"function\": \"void release(void) { list(); }\"}\n";
    let encoded = BASE64_STANDARD.encode(table);
    server.set(&json!({ "files": { "test.jsonl": encoded } }));
    let run = |arguments: &[&str]| {
        let mut command = project.command(arguments);
        command
            .env("HF_ENDPOINT", server.url(""))
            .env("HF_HOME", project.path("home"));
        Ended::of(&command.output().unwrap())
    };
    let audit = run(&["audit", "hf:org/name", "--json"]);
    assert_eq!(audit.code, Some(0), "{}", audit.stderr);
    let taken = "columns taken, by their names: query=docstring,document=function";
    assert!(audit.stderr.contains(taken), "{}", audit.stderr);
    let audit: Value = serde_json::from_str(&audit.stdout).unwrap();
    assert_eq!(
        audit["columns"][0]["columns"],
        json!({ "query": "docstring", "document": "function" })
    );
    assert_eq!(audit["columns"][0]["guessed"], true);

    let arguments = [
        "eval",
        "hf:org/name",
        "--model",
        "bm25",
        "--measure",
        "RR",
        "--json",
    ];
    let swapped = ["--columns", "query=function,document=docstring"];
    for (more, guessed) in [(&[][..], true), (&swapped[..], false)] {
        let eval = run(&[&arguments[..], more].concat());
        assert_eq!(eval.code, Some(0), "{}", eval.stderr);
        let eval: Value = serde_json::from_str(&eval.stdout).unwrap();
        assert_eq!(eval["columns"][0]["guessed"], guessed);
        assert_eq!(eval["scores"][0]["queries"], 2);
        assert_eq!(eval["scores"][0]["models"][0]["value"], 1.0);
    }
    let wrong = run(&[
        "audit",
        "hf:org/name",
        "--columns",
        "query=docstring,document=body",
    ]);
    assert_eq!(wrong.code, Some(4), "{}", wrong.stderr);
    assert!(
        wrong.stderr.contains("no column `body`"),
        "{}",
        wrong.stderr
    );
    assert!(wrong.stderr.contains("hint: "), "{}", wrong.stderr);
    let usage = run(&["audit", "hf:org/name", "--columns", "query=docstring"]);
    assert_eq!(usage.code, Some(2), "{}", usage.stderr);

    let converted = run(&["convert", "hf:org/name", "beir", "--to", "beir", "--json"]);
    assert_eq!(converted.code, Some(0), "{}", converted.stderr);
    let converted: Value = serde_json::from_str(&converted.stdout).unwrap();
    assert_eq!(converted["subsets"][0]["documents"], 2);
    let folder = Path::new(converted["from"]["folder"].as_str().unwrap());
    assert!(folder.starts_with(project.path("home")) && folder.join("test.jsonl").is_file());
    assert!(project.path("beir/corpus.jsonl").is_file());
}

#[test]
#[expect(clippy::too_many_lines, reason = "one explanation, line by line")]
fn a_score_without_a_model_is_explained_term_by_term() {
    let project = Project::empty();
    let row = |query: &str, text: &str, code: &str, function: &str| json!({ "query_id": query, "query_text": text, "code_id": code, "code_text": function, "relevance": 1 });
    let rows = json!([
        row(
            "q1",
            "Takes two integers and returns the smaller one.",
            "c1",
            "static int x1(int x2, int x3) { return x2 < x3 ? x2 : x3; }"
        ),
        row(
            "q2",
            "Copies a string to a buffer until its end.",
            "c2",
            "void x4(char *x5, const char *x6) { while ((*x5++ = *x6++)) ; }"
        ),
        row(
            "q3",
            "Prints a message to standard error and ends the program.",
            "c3",
            "void x7(const char *x8) { fprintf(stderr, \"%s\\n\", x8); abort(); }"
        ),
    ]);
    project.write("set.json", rows.to_string());
    let account = evaluated(
        &project,
        &[
            "--model",
            "structural",
            "--model",
            "structural:names=false",
            "--measure",
            "RR",
            "--out",
            "out",
        ],
    );
    assert_eq!(
        values(&account, 0),
        [
            ("structural".to_owned(), 1.0),
            ("structural:names=false".to_owned(), 1.0)
        ]
    );

    let explained = evaluated(&project, &["--model", "structural", "--explain", "q1"]);
    let all = explained["explained"].as_array().unwrap();
    assert_eq!(all.len(), 3, "{all:?}");
    assert_eq!(
        (&all[0]["document"], &all[0]["rank"], &all[0]["is_answer"]),
        (&json!("c1"), &json!(1), &json!(true))
    );
    for one in all {
        let parts = one["terms"].as_array().unwrap().iter();
        let sum: f64 = parts.map(|part| part["score"].as_f64().unwrap()).sum();
        assert!((sum - one["score"].as_f64().unwrap()).abs() < 1e-4, "{one}");
    }
    let shown = project.run(&[
        "eval",
        "set.json",
        "--model",
        "structural",
        "--explain",
        "q1",
    ]);
    assert!(
        [
            "1. c1, the answer: ",
            "2 inputs: whole number +",
            "against it: what any sentence finds -",
        ]
        .iter()
        .all(|part| shown.stdout.contains(part)),
        "{}",
        shown.stdout
    );

    // Lists that are there already, with the answers last.
    let lists = [
        ("q1", ["c2", "c3", "c1"]),
        ("q2", ["c3", "c1", "c2"]),
        ("q3", ["c1", "c2", "c3"]),
    ];
    let lines = lists.iter().flat_map(|(query, documents)| {
        let ranked = documents.iter().zip([3, 2, 1]);
        ranked
            .map(move |(document, score)| format!("{query} Q0 {document} {score} {score} first\n"))
    });
    project.write("first.trec", lines.collect::<String>());
    let reranked = evaluated(
        &project,
        &[
            "--model",
            "first=run:first.trec",
            "--rerank",
            "structural",
            "--rerank",
            "structural:names=false",
            "--measure",
            "RR",
        ],
    );
    assert_eq!(
        values(&reranked, 0),
        [
            ("first".to_owned(), 1.0 / 3.0),
            ("first > structural".to_owned(), 1.0),
            ("first > structural:names=false".to_owned(), 1.0)
        ]
    );
    let own = project.run(&[
        "eval",
        "set.json",
        "--model",
        "structural",
        "--rerank",
        "structural",
    ]);
    assert!(
        own.code == Some(4) && own.stderr.contains("only its own lists"),
        "{}",
        own.stderr
    );

    let none = project.run(&[
        "eval",
        "set.json",
        "--model",
        "structural",
        "--explain",
        "q9",
    ]);
    assert_eq!(none.code, Some(4), "{}", none.stderr);
    assert!(
        none.stderr.contains("no subset has a query `q9`"),
        "{}",
        none.stderr
    );
    let other = project.run(&["eval", "set.json", "--model", "bm25", "--explain", "q1"]);
    assert!(
        other.code == Some(4) && other.stderr.contains("add `--model structural`"),
        "{}",
        other.stderr
    );
}
