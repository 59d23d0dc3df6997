//! A suite of test sets: `eval`, `stats` and `audit` of `GenCodeSearchNet` on the files at hand, and on small
//! sets of our own.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use barecode_testing::needs::data;
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Ended, Project, repository};

const KEY: &str = "sk-the-right-key";

/// The published recipe.
fn published() -> String {
    let recipe = repository().join("recipes/gencodesearchnet.toml");
    recipe.to_str().unwrap().to_owned()
}

fn ok(ended: Ended) -> Ended {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

fn json_of(ended: Ended) -> Value {
    serde_json::from_str(&ok(ended).stdout).unwrap()
}

/// The score of a member, system and task.
fn score<'a>(account: &'a Value, member: &str, system: &str, task: &str) -> &'a Value {
    let members = account["members"].as_array().unwrap();
    let member = members.iter().find(|it| it["name"] == member).unwrap();
    let mut scores = member["scores"].as_array().unwrap().iter();
    scores
        .find(|it| it["system"] == system && it["task"] == task)
        .unwrap_or_else(|| panic!("no {task} of {system} in {member}"))
}

fn value(of: &Value) -> f64 {
    of["value"].as_f64().unwrap()
}

/// A mean by type of generalization.
fn mean(account: &Value, name: &str, system: &str, task: &str) -> Value {
    let rows = account["generalization"].as_array().unwrap().iter();
    let mut rows = rows.filter(|it| it["name"] == name && it["system"] == system);
    rows.find(|it| it["task"] == task).unwrap().clone()
}

#[test]
fn the_published_suite_runs_on_what_is_here_and_names_the_rest() {
    let Some(folder) = data("gecs") else { return };
    let project = Project::empty();
    let recipe = published();
    let arguments = |json: bool| {
        let mut all = vec!["eval", recipe.as_str(), "--data", folder.to_str().unwrap()];
        all.extend(["--model", "bm25", "--model", "random", "--out", "out"]);
        all.extend(json.then_some("--json"));
        project.run(&all)
    };
    let first = ok(arguments(false));
    for title in [
        "CodeSearchNet Go",
        "CodeSearchNet PHP",
        "AdvTest",
        "AdvTest train",
    ] {
        assert!(
            first.stderr.contains(&format!("not here: {title}: ")),
            "{}",
            first.stderr
        );
    }
    assert!(
        first
            .stderr
            .contains("https://huggingface.co/datasets/code-search-net")
    );
    for text in [
        "StatCodeSearch",
        "CoSQA",
        "RR, uniform:99 ×3",
        "RR, all documents",
        "robustness (1 of 2)",
    ] {
        assert!(first.stdout.contains(text), "{text}: {}", first.stdout);
    }
    let again = arguments(true);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    let account = json_of(again);
    assert_eq!(account["missing"].as_array().unwrap().len(), 7);
    let bm25 = score(&account, "statcodesearch", "bm25", "ranking");
    assert_eq!(
        (&bm25["queries"], &bm25["draws"]),
        (&json!(1070), &json!(3))
    );
    // Copies of the answer are never drawn, so nothing lowers the ceiling.
    assert!((bm25["ceiling"].as_f64().unwrap() - 1.0).abs() < 1e-12);
    let among_all = score(&account, "statcodesearch", "bm25", "ranking among all");
    assert!(value(bm25) > value(among_all) + 0.1 && value(among_all) > 0.2);
    assert!(among_all["ceiling"].as_f64().unwrap() < 1.0);
    // Random order is where the floor says, which is the harmonic number of 100 over 100.
    let random = score(&account, "statcodesearch", "random", "ranking");
    let harmonic: f64 = (1..=100).map(|rank| 1.0 / f64::from(rank)).sum::<f64>() / 100.0;
    assert!((random["floor"].as_f64().unwrap() - harmonic).abs() < 1e-12);
    assert!((value(random) - harmonic).abs() < 0.012, "{random}");
    // A type with one test set is that test set; combined is the mean of the types.
    let types = ["robustness", "cross-lingual", "domain"];
    let types = types.map(|name| value(&mean(&account, name, "bm25", "ranking")));
    assert!((types[0] - value(score(&account, "cosqa", "bm25", "ranking"))).abs() < 1e-12);
    assert!((types[1] - value(bm25)).abs() < 1e-12);
    let combined = mean(&account, "combined", "bm25", "ranking");
    assert!((value(&combined) - types.iter().sum::<f64>() / 3.0).abs() < 1e-12);
    assert_eq!(combined["missing"].as_array().unwrap().len(), 6);
    let page = fs::read_to_string(project.path("out/report.html")).unwrap();
    for text in [
        "GenBench evaluation card",
        "Missing test sets",
        "StatCodeSearch",
    ] {
        assert!(page.contains(text), "{text}");
    }
    let card = fs::read_to_string(project.path("out/genbench-card.md")).unwrap();
    assert!(
        card.contains("- □ CodeSearchNet (not evaluated)\n") && card.contains("**shift locus**"),
        "{card}"
    );
}

#[test]
fn mini_lm_on_stat_code_search_is_what_was_measured_elsewhere() {
    let Some(folder) = data("gecs") else { return };
    let project = Project::empty();
    let Some((_, minilm)) = crate::minilm::stat_code_search(&project) else {
        return;
    };
    let model = format!("minilm=local:{minilm}");
    let recipe = published();
    let all = [
        "eval",
        &recipe,
        "--data",
        folder.to_str().unwrap(),
        "--subset",
        "statcodesearch",
    ];
    let systems = ["--model", &model, "--model", "bm25", "--model", "random"];
    let how = ["--draws", "20", "--seed", "100", "--out", "out", "--json"];
    let account = json_of(project.run(&[&all[..], &systems, &how].concat()));
    let minilm = score(&account, "statcodesearch", "minilm", "ranking");
    // The standard error of the mean of 20 draws is about 0.001.
    assert!((value(minilm) - 0.730).abs() <= 0.006, "{minilm}");
    for other in ["bm25", "random"] {
        let other = score(&account, "statcodesearch", other, "ranking");
        assert!(value(other) < value(minilm) - 0.05, "{other}");
    }
    // As the released script draws: neighbors in the file are of one project, so they are harder.
    let script = ["--profile", "gecs", "--out", "gecs", "--json"];
    let account = json_of(project.run(&[&all[..], &systems[..2], &script].concat()));
    assert_eq!(account["ties"], "pessimistic");
    let published = score(&account, "statcodesearch", "minilm", "ranking");
    assert!(value(published) < value(minilm), "{published}");
}

/// Pairs whose text and code have a number in common, of several lengths; `salt` makes sets different.
fn rows(n: usize, salt: &str) -> String {
    let mut rows = String::new();
    for at in 0..n {
        let input = format!("{salt} number {at} [CODESPLIT] def {salt}_{at}(): return {at}");
        writeln!(rows, "{}", json!({ "input": input, "target": 1 })).unwrap();
    }
    rows
}

const SUITE: &str = r#"
name = "small"
data = "data"
pool = "uniform:9"
draws = 2

[card]
motivation = ["practical"]

[[benchmark]]
name = "train"
files = ["train.jsonl"]
source = "https://example.org/train"
role = "train"

[[benchmark]]
name = "one"
title = "Set One"
files = ["absent.jsonl", "one.jsonl"]
source = "https://example.org/one"
generalization = ["robustness"]
language = "Python"

[[benchmark]]
name = "two"
title = "Set Two"
files = ["two.jsonl"]
source = "https://example.org/two"
generalization = ["cross-lingual", "domain"]
language = "Go"
text = "query"
"#;

fn small() -> Project {
    let project = Project::empty();
    project.write("suite.toml", SUITE);
    project.write("data/train.jsonl", rows(60, "learn"));
    project.write("data/one.jsonl", rows(40, "alpha"));
    project.write("data/two.jsonl", rows(30, "beta"));
    project
}

#[test]
fn pairs_are_judged_by_a_threshold_from_the_training_set() {
    let project = small();
    let all = [
        "eval",
        "suite.toml",
        "--model",
        "jaccard",
        "--model",
        "random",
        "--json",
    ];
    let account = json_of(project.run(&all));
    assert_eq!(account["training"], "60 of 60 texts of train");
    let pairs = score(&account, "one", "jaccard", "matching");
    assert_eq!(
        (&pairs["measure"], &pairs["queries"]),
        (&json!("matching accuracy"), &json!(40))
    );
    assert_eq!(
        (&pairs["floor"], &pairs["pairs"]["pairs"]),
        (&json!(0.5), &json!(80))
    );
    // A number in common sets pairs that match apart.
    assert!(value(pairs) > 0.9, "{pairs}");
    let members = account["members"].as_array().unwrap();
    let of_random = |member: &Value| {
        let scores = member["scores"].as_array().unwrap();
        scores
            .iter()
            .any(|it| it["system"] == "random" && it["task"] == "matching")
    };
    assert!(
        !members.iter().any(of_random),
        "random order judges nothing"
    );
    // What a test set has too is not learned from; where nothing is left, that is an error.
    project.write(
        "other.jsonl",
        [rows(40, "alpha"), rows(20, "more")].concat(),
    );
    let out = ["--train", "other.jsonl", "--out", "shared"];
    let shared = project.run(&[&all[..], &out].concat());
    assert!(
        shared
            .stderr
            .contains("40 of 60 pairs of the training set `other.jsonl` are in a test set too"),
        "{}",
        shared.stderr
    );
    assert_eq!(
        json_of(shared)["training"],
        "20 of 60 texts of other.jsonl; 40 pairs that a test set has too are left out"
    );
    let same = project.run(&[&all[..], &["--train", "data/one.jsonl", "--out", "same"]].concat());
    assert_eq!(same.code, Some(4));
    assert!(
        same.stderr.contains("has no pairs that no test set has"),
        "{}",
        same.stderr
    );
}

#[test]
fn a_classifier_elsewhere_judges_the_pairs_that_were_written_for_it() {
    let project = small();
    let write = [
        "eval",
        "suite.toml",
        "--model",
        "random",
        "--pairs",
        "pairs",
        "--pair-draws",
        "2",
    ];
    // Random order judges no pairs, and they are written all the same.
    let none = ok(project.run(&write));
    assert!(none.stderr.contains("pairs: pairs"));
    let labels = [
        "eval",
        "suite.toml",
        "--labels",
        "mine=scores",
        "--pair-draws",
        "2",
        "--out",
        "out",
    ];
    // One pair that matches is in both draws.
    for set in ["one", "two"] {
        project.write(
            &format!("scores/{set}-pairs.test.trec"),
            "q1 Q0 c1 0 0.9 mine\n",
        );
    }
    let empty = project.run(&[&labels[..], &["--pairs", "pairs"]].concat());
    assert_eq!(empty.code, Some(4), "{}", empty.stderr);
    // Both sets lack scores, and are read side by side.
    let lack = [
        "`mine` has no score of 158 of 160 pairs of subset `one-pairs`",
        "`mine` has no score of 118 of 120 pairs of subset `two-pairs`",
    ];
    assert!(
        lack.iter().any(|lack| empty.stderr.contains(lack)),
        "{}",
        empty.stderr
    );
    let mut wrong = BTreeMap::new();
    for set in ["one", "two"] {
        let text =
            fs::read_to_string(project.path(&format!("pairs/{set}-pairs.test.jsonl"))).unwrap();
        let mut lines: BTreeMap<(String, String), String> = BTreeMap::new();
        let mut targets = [0, 0];
        for row in text.lines() {
            let row: Value = serde_json::from_str(row).unwrap();
            let [query, document] =
                ["query", "document"].map(|key| row[key].as_str().unwrap().to_owned());
            let truth = row["target"].as_u64().unwrap();
            targets[usize::try_from(truth).unwrap()] += 1;
            // Of set Two, pairs of one query are all said to match.
            let said = if set == "two" && query == "q7" {
                1
            } else {
                truth
            };
            let line = format!(
                "{query} Q0 {document} 0 0.{} mine",
                if said == 1 { 9 } else { 2 }
            );
            lines.insert((query, document), line);
        }
        assert_eq!(targets[0], targets[1], "pairs are balanced");
        let lines: Vec<String> = lines.into_values().collect();
        wrong.insert(set, targets[0]);
        project.write(
            &format!("scores/{set}-pairs.test.trec"),
            lines.join("\n") + "\n",
        );
    }
    assert_eq!(wrong, BTreeMap::from([("one", 80), ("two", 60)]));
    let account = json_of(project.run(&[&labels[..], &["--json"]].concat()));
    let one = score(&account, "one", "mine", "matching");
    assert!((value(one) - 1.0).abs() < 1e-12, "{one}");
    // Of 30 queries one has half of its pairs wrong, in both draws.
    let two = score(&account, "two", "mine", "matching");
    assert!((value(two) - (29.0 + 0.5) / 30.0).abs() < 1e-12, "{two}");
    assert_eq!(two["draws"], 2);
    assert!(
        (value(&mean(&account, "combined", "mine", "matching")) - (1.0 + 2.0 * value(two)) / 3.0)
            .abs()
            < 1e-12
    );
}

#[test]
fn a_chat_model_is_asked_once_for_each_pair_and_what_it_does_not_say_is_wrong() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = small();
    project.write(
        "models.toml",
        format!(
            "[[model]]\nname = \"chat\"\nkind = \"openai\"\nurl = \"{}\"\nmodel = \"gpt-test\"\nprice = 2\noutput-price = 8\n",
            server.url("/v1")
        ),
    );
    let all = [
        "eval",
        "suite.toml",
        "--ask",
        "chat",
        "--models",
        "models.toml",
    ];
    let run = |arguments: &[&str], key: bool| {
        let arguments = [&all[..], arguments].concat();
        let mut command = project.command(&arguments);
        if key {
            command.env("OPENAI_COMPATIBLE_API_KEY", KEY);
        }
        Ended::of(&command.output().unwrap())
    };
    let estimates = json_of(run(&["--dry-run", "--json"], false));
    assert_eq!(estimates["estimates"][0]["texts"], 140);
    assert!(estimates["estimates"][0]["dollars"].as_f64().unwrap() > 0.0);
    assert_eq!(server.status()["requests"], 0);
    let poor = run(&["--budget", "0.001", "--out", "poor"], true);
    assert_ne!(poor.code, Some(0));
    assert!(poor.stderr.contains("budget"), "{}", poor.stderr);
    let before = server.status()["delivered"].as_u64().unwrap();
    assert!(before < 140, "{before}");
    let account = json_of(run(
        &["--out", "out", "--cassette", "answers.jsonl", "--json"],
        true,
    ));
    // 40 texts of set One, of which four end in 3; each has two pairs, and neither is answered.
    let one = score(&account, "one", "chat", "matching");
    assert_eq!(
        (&one["pairs"]["pairs"], &one["pairs"]["unanswered"]),
        (&json!(80), &json!(8))
    );
    assert!((value(one) - 36.0 / 40.0).abs() < 1e-12, "{one}");
    let two = score(&account, "two", "chat", "matching");
    assert!((value(two) - 27.0 / 30.0).abs() < 1e-12, "{two}");
    // A chat model ranks nothing.
    let members = account["members"].as_array().unwrap();
    let tasks = members
        .iter()
        .flat_map(|it| it["scores"].as_array().unwrap());
    assert!(tasks.into_iter().all(|it| it["task"] == "matching"));
    let shown = ok(run(&["--out", "out", "--cassette", "answers.jsonl"], true)).stdout;
    assert!(
        shown.contains(
            "chat: 8 of 80 answers on one-pairs are neither True nor False and count as wrong"
        ),
        "{shown}"
    );
    // The cassette answers without network and key.
    drop(server);
    let replayed = json_of(run(
        &[
            "--out",
            "again",
            "--cassette",
            "answers.jsonl",
            "--replay",
            "--json",
        ],
        false,
    ));
    assert_eq!(score(&replayed, "one", "chat", "matching"), one);
}

#[test]
fn what_a_file_has_that_is_no_pair_is_counted() {
    let project = small();
    let mut odd = rows(30, "alpha");
    let row =
        |input: &str, target: u32| format!("{}\n", json!({ "input": input, "target": target }));
    odd.push_str(&row("two separators [CODESPLIT] a [CODESPLIT] b", 1));
    odd.push_str(&row("no separator at all", 1));
    odd.push_str(&row("no match [CODESPLIT] void f() {}", 0));
    project.write("data/one.jsonl", odd);
    let all = [
        "eval",
        "suite.toml",
        "--model",
        "bm25",
        "--subset",
        "one",
        "--out",
        "out",
    ];
    let ended = ok(project.run(&all));
    for note in [
        "one: 1 rows have more than one [CODESPLIT]",
        "one: 1 of 33 rows have no [CODESPLIT] and are left out",
        "one: 1 texts and 1 codes are only in pairs labeled as not matching, and are left out",
    ] {
        assert!(ended.stderr.contains(note), "{note}: {}", ended.stderr);
    }
    assert!(
        ended.stdout.contains("31 texts, 31 codes"),
        "{}",
        ended.stdout
    );
    let script = ok(project.run(&[&all[..], &["--profile", "gecs"]].concat()));
    assert!(
        script
            .stderr
            .contains("1 rows with a second [CODESPLIT] are left out, as by the released script"),
        "{}",
        script.stderr
    );
    assert!(
        script.stdout.contains("30 texts, 30 codes"),
        "{}",
        script.stdout
    );
    // Two encodings in one file.
    project.write(
        "data/one.jsonl",
        b"{\"input\": \"caf\xe9 [CODESPLIT] x\", \"target\": 1}\n",
    );
    let mixed = project.run(&all);
    assert_eq!(mixed.code, Some(4));
    assert!(
        mixed.stderr.contains("one.jsonl:1:") && mixed.stderr.contains("is not UTF-8"),
        "{}",
        mixed.stderr
    );
    // Nothing at all.
    let nothing = project.run(&["eval", "suite.toml", "--model", "bm25", "--data", "nowhere"]);
    assert_eq!(nothing.code, Some(4));
    for text in [
        "no test set of `small` is in `nowhere`",
        "https://example.org/two",
    ] {
        assert!(nothing.stderr.contains(text), "{text}: {}", nothing.stderr);
    }
    // A suite of test sets has nothing to build, and options of suites mean nothing for a dataset.
    let built = project.run(&["build", "suite.toml"]);
    assert_eq!(built.code, Some(4));
    assert!(
        built.stderr.contains("run `barecode eval` on it"),
        "{}",
        built.stderr
    );
    let dataset = project.run(&[
        "eval",
        "data/two.jsonl",
        "--model",
        "bm25",
        "--ask",
        "openai:x",
    ]);
    assert_eq!(dataset.code, Some(4));
    assert!(
        dataset.stderr.contains("--ask is for a suite of test sets"),
        "{}",
        dataset.stderr
    );
}

#[test]
fn statistics_are_those_of_table_1() {
    let project = small();
    let printed = json_of(project.run(&["stats", "suite.toml", "--json"]));
    assert_eq!(
        (&printed["tokenizer"], &printed["training"]["pairs"]),
        (&json!("words"), &json!(60))
    );
    let sets = printed["test_sets"].as_array().unwrap();
    assert_eq!(sets[0]["pairs"], 40);
    assert!((sets[0]["text_tokens"].as_f64().unwrap() - 3.0).abs() < 1e-12);
    // def, the name, five marks and words, and the number.
    assert!((sets[0]["code_tokens"].as_f64().unwrap() - 7.0).abs() < 1e-12);
    // A third of a text is the name of its set, a third `number`; of the numbers, which are a third, 40 of 60 are shared:
    // half of 1/3 + 1/3 + 40 × (1/120 − 1/180) + 20/180.
    let expected = (2.0 / 3.0 + 40.0 * (1.0 / 120.0 - 1.0 / 180.0) + 20.0 / 180.0) / 2.0;
    assert!(
        (sets[0]["text_distance"].as_f64().unwrap() - expected).abs() < 1e-12,
        "{sets:?}"
    );
    assert_eq!(
        (&sets[2]["name"], &sets[2]["pairs"]),
        (&json!("combined"), &json!(70))
    );
    let shown = ok(project.run(&["stats", "data/two.jsonl"])).stdout;
    assert!(
        shown.contains("which is not here; --train names one"),
        "{shown}"
    );
    let Some(set) = data("gecs/test_statcodesearch_mrr.jsonl") else {
        return;
    };
    let printed = json_of(project.run(&["stats", set.to_str().unwrap(), "--json"]));
    assert_eq!(printed["test_sets"][0]["pairs"], 1070);
}

#[test]
fn an_audit_of_a_suite_is_one_of_all_its_files() {
    let project = small();
    let both = [rows(30, "beta"), rows(20, "learn")].concat();
    project.write("data/two.jsonl", both);
    let printed = json_of(project.run(&["audit", "suite.toml", "--json"]));
    assert_eq!(printed["format"], "suite");
    assert_eq!(printed["subsets"].as_array().unwrap().len(), 3);
    let found = |printed: &Value, code: &str, subset: &str| {
        let findings = printed["findings"].as_array().unwrap().iter();
        let of =
            |it: &&Value| it["code"] == code && it["subset"].as_str().unwrap().contains(subset);
        findings.filter(of).count()
    };
    // Twenty pairs of a test set are in the training set.
    assert!(found(&printed, "BA602", "two") > 0, "{printed:#}");
    let Some(folder) = data("gecs") else { return };
    let recipe = published();
    let printed = json_of(project.run(&[
        "audit",
        &recipe,
        "--data",
        folder.to_str().unwrap(),
        "--json",
    ]));
    // The released CoSQA file stands beside the one that is evaluated, and repeats its pairs.
    assert!(
        found(&printed, "BA402", "cosqa/test_cosqa_mrr") > 0,
        "{printed:#}"
    );
    // Where positive pairs are joined from tokens and negative ones are text, layout says which is which.
    let rows: Vec<Value> =
        serde_json::from_slice(&fs::read(folder.join("cosqa-dev.json")).unwrap()).unwrap();
    let mut released = String::new();
    for (at, row) in rows.iter().enumerate() {
        let other = &rows[(at * 7 + 100) % rows.len()];
        let [text, tokens, code] =
            [&row["doc"], &row["code_tokens"], &other["code"]].map(|it| it.as_str().unwrap());
        for (code, target) in [(tokens, 1), (code, 0)] {
            writeln!(
                released,
                "{}",
                json!({ "input": format!("{text} [CODESPLIT] {code}"), "target": target })
            )
            .unwrap();
        }
    }
    project.write("data/one.jsonl", released);
    let printed = json_of(project.run(&["audit", "suite.toml", "--json"]));
    assert_eq!(found(&printed, "BA301", "one"), 1, "{printed:#}");
}

#[test]
fn what_a_pool_and_a_card_lack_is_said() {
    let project = small();
    fs::remove_file(project.path("data/two.jsonl")).unwrap();
    let strange = json!({ "input": "zebra [CODESPLIT] def f(): return 0", "target": 1 });
    project.write(
        "data/one.jsonl",
        [rows(39, "alpha"), format!("{strange}\n")].concat(),
    );
    let words = [
        "eval",
        "suite.toml",
        "--model",
        "bm25",
        "--pool",
        "uniform:99",
        "--draws",
        "1",
    ];
    let done = project.run(&words);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let said = [done.stdout, done.stderr].concat();
    for expected in [
        "uniform:99: fewer than 99 other documents, so a query is ranked against all of them: Set One (40 documents)",
        "bm25: 1 of 40 lists, of all subsets together, have no answer",
    ] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let card = fs::read_to_string(project.path("eval/small/genbench-card.md")).unwrap();
    assert!(
        card.contains("Set One\n") && card.contains("Set Two (not evaluated)"),
        "{card}"
    );
}
