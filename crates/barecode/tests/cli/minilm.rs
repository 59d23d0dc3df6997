//! `eval` of one model twice: from its folder, and behind a server that computes it by other means, with faults on the
//! way.

use std::sync::LazyLock;

use barecode_testing::needs::data;
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Project, copy};

/// Rows of CLARC's group 1 that are evaluated; all of them take minutes where the matrices are numpy's.
const ROWS: usize = 90;

/// Writes the rows as a dataset; `None`, said on stderr, where there are no data.
fn dataset(project: &Project) -> Option<()> {
    let file = data("clarc/reconstructed_group1_original_cleaned.json")?;
    let rows: Vec<Value> = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    project.write("set.json", json!(&rows[..ROWS]).to_string());
    Some(())
}

#[test]
fn a_model_has_one_score_on_this_machine_and_behind_a_server() {
    let project = Project::empty();
    if dataset(&project).is_none() {
        return;
    }
    let Some(server) = Started::start("minilm_server.py", &[]) else {
        return;
    };
    let Some(proxy) = Started::start("proxy.py", &[&server.url("")]) else {
        return;
    };
    let refusal = json!({ "kind": "status", "status": 429, "headers": { "retry-after-ms": "50" } });
    proxy.set(
        &json!({ "faults": [refusal, { "kind": "html" }, { "kind": "cut" }, { "kind": "nan" }] }),
    );
    let there = format!("openai+{}", proxy.url("/v1"));
    let named = format!("here=local:{}", server.status()["folder"].as_str().unwrap());
    let models = ["--model", &there, "--model", &named];
    let told = |arguments: &[&str]| -> Value {
        let ended =
            project.run(&[&["eval", "set.json", "--json"], &models[..], arguments].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str(&ended.stdout).unwrap()
    };
    // The model's own tokenizer counts before anything is loaded; a server's is not here.
    let estimates = told(&["--dry-run"]);
    let account = told(&["--measure", "nDCG@10", "--out", "out"]);
    let row = &account["scores"][0];
    assert_eq!(row["queries"], ROWS);
    let score = |model: usize| row["models"][model]["value"].as_f64().unwrap();
    assert!(score(0) > 0.5, "{}", score(0));
    assert!(
        (score(0) - score(1)).abs() <= 0.001,
        "{} {}",
        score(0),
        score(1)
    );
    let ledger = |model: &str, count: &str| account["ledger"][model][count].as_u64().unwrap();
    assert_eq!(ledger(&there, "retries"), 4);
    assert_eq!(ledger(&there, "texts"), ledger("here", "texts"));
    // Answers that were rejected are paid for too.
    let wasted = ledger(&there, "wasted-tokens");
    assert!(wasted > 0);
    let used = ledger(&there, "tokens") - wasted;
    assert_eq!(used, ledger("here", "tokens"));
    assert_eq!(ledger("here", "requests"), 0);
    assert_eq!(
        estimates["estimates"][1]["tokens"],
        ledger("here", "tokens")
    );
    let exact = [0, 1].map(|model: usize| &estimates["estimates"][model]["tokens_are_exact"]);
    assert_eq!(exact, [&json!(false), &json!(true)]);
    let served = proxy.status();
    assert_eq!(served["faults"], json!([]));
    let texts = served["served"].as_object().unwrap();
    assert_eq!(texts.len() as u64, ledger(&there, "texts"));
    assert!(texts.values().all(|times| *times == 1), "{texts:?}");
}

/// The set of `StatCodeSearch` and the folder of `MiniLM`; the cache of the project learns the vectors, which are
/// computed once for all tests. `None`, said on stderr, where one of the two is not there.
pub(crate) fn stat_code_search(project: &Project) -> Option<(String, &'static str)> {
    static EMBEDDED: LazyLock<Option<(String, Project)>> = LazyLock::new(|| {
        let set = data("gecs/test_statcodesearch_mrr.jsonl")?;
        let server = Started::start("minilm_server.py", &[])?;
        let folder = server.status()["folder"].as_str().unwrap().to_owned();
        let project = Project::empty();
        let model = format!("local:{folder}");
        let ended = project.run(&["eval", set.to_str().unwrap(), "--model", &model]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        Some((folder, project))
    });
    let (folder, embedded) = EMBEDDED.as_ref()?;
    copy(&embedded.path("cache"), &project.path("cache"));
    let set = data("gecs/test_statcodesearch_mrr.jsonl")?;
    Some((set.to_str().unwrap().to_owned(), folder))
}

/// The expected reciprocal rank among `drawn` others of `others`, of which `above` are better: the mean of 1 / (1 + X) of
/// a hypergeometric X.
fn expected_reciprocal_rank(above: u32, others: u32, drawn: u32) -> f64 {
    let factor = |i: u32| {
        let left = f64::from(others - above) - f64::from(i);
        left.max(0.0) / (f64::from(others) + 1.0 - f64::from(i))
    };
    let none: f64 = (0..=drawn).map(factor).product();
    (f64::from(others) + 1.0) / (f64::from(drawn) + 1.0) / (f64::from(above) + 1.0) * (1.0 - none)
}

#[test]
fn stat_code_search_has_its_scores_among_all_and_among_a_hundred() {
    let project = Project::empty();
    let Some((set, folder)) = stat_code_search(&project) else {
        return;
    };
    let model = format!("local:{folder}");
    let told = |arguments: &[&str]| -> Value {
        let ended = project.run(&[&["eval", &set, "--json"], arguments].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str(&ended.stdout).unwrap()
    };
    // What sentence-transformers gives, equal texts counted for the answer.
    let all = told(&[
        "--model",
        &model,
        "--measure",
        "RR@10",
        "--ties",
        "optimistic",
        "--depth",
        "2000",
        "--out",
        "out",
    ]);
    let value = all["scores"][0]["models"][0]["value"].as_f64().unwrap();
    assert!((value - 0.5095).abs() <= 0.001, "{value}");
    // The same lists among 99 others each, against what is to be expected of them.
    let mut folders = std::fs::read_dir(project.path("out/06-runs"))
        .unwrap()
        .map(|it| it.unwrap().path());
    let folder = folders.find(|path| path.is_dir()).unwrap();
    let run = format!("run:{}", folder.display());
    let draws = [
        "--pool",
        "uniform:99",
        "--draws",
        "8",
        "--measure",
        "RR",
        "--depth",
        "2000",
        "--out",
        "pool",
    ];
    let drawn = told(&[&["--model", &run], &draws[..]].concat());
    let cell = &drawn["scores"][0]["models"][0];
    let text = std::fs::read_to_string(folder.join("statcodesearch.test.trec")).unwrap();
    let mut sum = 0.0;
    let mut queries = 0_u32;
    for line in text.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        // The answer of `q7` is `c7`.
        if fields[0].trim_start_matches('q') == fields[2].trim_start_matches('c') {
            sum += expected_reciprocal_rank(fields[3].parse::<u32>().unwrap() - 1, 1069, 99);
            queries += 1;
        }
    }
    assert_eq!(queries, 1070);
    let expected = sum / f64::from(queries);
    let value = cell["value"].as_f64().unwrap();
    // A draw's mean has a standard deviation of about 0.005.
    assert!(
        (value - expected).abs() < 4.0 * 0.005 / 8_f64.sqrt(),
        "{value}, expected {expected}"
    );
}
