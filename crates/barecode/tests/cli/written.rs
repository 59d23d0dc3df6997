//! Queries that models write: a hundred real functions, servers that misbehave, kills, budgets, a cassette.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use barecode_records::{Leak, ListedSubset, Query, Reason, SetAside, Subset, table};
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Ended, Project, bytes_of, copy, repository};

const KEY: &str = "sk-the-right-key";

/// Functions of two real libraries, and two models of two protocols that share them out.
fn recipe(server: &Started) -> String {
    format!(
        r#"
name = "written"

[[source]]
from = "cargo:libsqlite3-sys"
include = ["sqlite3/**"]
license = "blessing"
limit = 70

[[source]]
from = "cargo:zstd-sys"
include = ["zstd/**"]
limit = 60

[settings]
names = ["standard"]

[dataset]
near-duplicates = false
views = ["all"]

[[queries.write]]
name = "models"
models = ["mine", "claude"]
prompts = "clarc"
examples = "examples.toml"
seed = 1
max-tokens = 600

[[model]]
name = "mine"
kind = "openai"
url = "{}"
model = "gpt-test"
price = 2
output-price = 8

[[model]]
name = "claude"
kind = "anthropic"
url = "{}"
model = "claude-test"
price = 3
output-price = 15

[[retriever]]
name = "bm25"
kind = "bm25"

[scores]
measures = ["nDCG@10"]
resamples = 200
"#,
        server.url("/v1"),
        server.url("/anthropic")
    )
}

const EXAMPLES: &str = "[[example]]\nfunction = 'int one(void) { return 1; }'\nquery = 'Returns the smallest positive number.'\n";

fn project(server: &Started) -> Project {
    let project = Project::empty();
    project.write("written.toml", recipe(server));
    project.write("examples.toml", EXAMPLES);
    // `cargo:` sources are packages of the workspace that a recipe lies in.
    for name in ["Cargo.toml", "Cargo.lock", "crates", "fuzz", "tools"] {
        std::os::unix::fs::symlink(repository().join(name), project.path(name)).unwrap();
    }
    project
}

/// With keys.
fn command(project: &Project, arguments: &[&str]) -> Command {
    let mut command = project.command(arguments);
    command
        .env("OPENAI_COMPATIBLE_API_KEY", KEY)
        .env("ANTHROPIC_API_KEY", KEY);
    command
}

fn run(project: &Project, arguments: &[&str]) -> Ended {
    Ended::of(&command(project, arguments).output().unwrap())
}

fn ok(project: &Project, arguments: &[&str]) -> String {
    let ended = run(project, arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

fn number(of: &Value, key: &str) -> u64 {
    of[key].as_u64().unwrap_or_else(|| panic!("{key} of {of}"))
}

/// The tables of the written queries.
fn queries(folder: &Path) -> Vec<Query> {
    let mut parts: Vec<_> = fs::read_dir(folder.join("04-queries"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "parquet"))
        .collect();
    parts.sort();
    let of = parts.iter().map(|path| table::read::<Query>(path).unwrap());
    of.flatten()
        .filter(|query| query.writer == "models")
        .collect()
}

fn set_aside(folder: &Path) -> Vec<SetAside> {
    let rows = fs::read_dir(folder.join("04-queries/_set-aside")).unwrap();
    rows.flat_map(|entry| table::read::<SetAside>(&entry.unwrap().path()).unwrap())
        .collect()
}

/// The bytes of the run without the account of what was spent.
fn bytes(folder: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut bytes = bytes_of(folder);
    bytes.retain(|name, _| !name.ends_with("ledger.jsonl"));
    bytes
}

/// Starts `query`, waits until the server has delivered so much, and kills the program.
fn killed_at(project: &Project, server: &Started, delivered: u64) {
    server.set(&json!({ "keep": true, "hold": delivered }));
    let mut child = command(project, &["query", "written.toml", "--threads", "2"])
        .spawn()
        .unwrap();
    for moment in 0.. {
        let served = server.status();
        if number(&served, "delivered") >= delivered {
            break;
        }
        assert!(moment < 15_000, "{served}");
        assert_eq!(child.try_wait().unwrap(), None, "it goes on");
        std::thread::sleep(Duration::from_millis(20));
    }
    // What was delivered is on the disk a moment later.
    std::thread::sleep(Duration::from_secs(3));
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
#[expect(clippy::too_many_lines, reason = "one run that is killed at each step")]
fn what_was_delivered_is_asked_and_paid_once_whatever_happens() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = project(&server);
    let bad = json!({ "bad": 40 });
    server.set(&bad);
    ok(&project, &["extract", "written.toml"]);
    ok(&project, &["check", "written.toml"]);
    // Before it costs anything, it is said what it costs at most.
    let planned = ok(&project, &["query", "written.toml", "--dry-run", "--json"]);
    let planned: Value = serde_json::from_str(&planned).unwrap();
    let planned = planned["estimates"].as_array().unwrap();
    assert_eq!(planned.len(), 2);
    let asked: u64 = planned.iter().map(|one| number(one, "new_texts")).sum();
    assert!(asked >= 100, "{planned:?}");
    assert!(
        planned
            .iter()
            .all(|one| one["dollars"].as_f64().unwrap() > 0.1)
    );
    assert_eq!(number(&server.status(), "requests"), 0);
    let checked = project.path("checked");
    copy(&project.path("runs/written"), &checked);

    // Straight through, on one thread, with a cassette that records.
    ok(
        &project,
        &[
            "query",
            "written.toml",
            "--threads",
            "1",
            "--no-cache",
            "--cassette",
            "tape.jsonl",
        ],
    );
    let straight = server.status();
    let run_folder = project.path("runs/written");
    let expected = bytes(&run_folder);

    // Killed three times, on two threads, with refusals of the server in between.
    fs::remove_dir_all(&run_folder).unwrap();
    copy(&checked, &run_folder);
    server.set(&json!({ "bad": 40, "faults": [
        { "kind": "status", "status": 429, "headers": { "retry-after": "0.1" } }, { "kind": "reset" },
        { "kind": "cut" }, { "kind": "status", "status": 500 }, { "kind": "html" },
    ] }));
    for delivered in [15, 50, 90] {
        killed_at(&project, &server, delivered);
    }
    server.set(&json!({ "keep": true, "hold": null }));
    let said = ok(
        &project,
        &["query", "written.toml", "--threads", "2", "--json"],
    );
    let served = server.status();
    assert_eq!(
        served["delivered"], straight["delivered"],
        "nothing was asked twice"
    );
    assert!(bytes(&run_folder) == expected, "the same queries");

    // The account has every billed token, of the killed runs too.
    let said: Value = serde_json::from_str(&said).unwrap();
    let taken = said["writing"].as_object().unwrap();
    let sum = |key: &str| -> u64 { taken.values().map(|of| number(of, key)).sum() };
    let billed = number(&served, "input") + number(&served, "output");
    assert_eq!(sum("tokens") - sum("wasted-tokens"), billed);
    assert!(
        sum("wasted-tokens") >= number(&served, "lost"),
        "{taken:?} {served}"
    );
    assert_eq!(sum("requests"), number(&served, "delivered"));
    assert_eq!(taken.len(), 2, "both models write");

    // From the cassette, without network and without keys: the same dataset.
    fs::remove_dir_all(&run_folder).unwrap();
    copy(&checked, &run_folder);
    drop(server);
    let ended = project.run(&[
        "query",
        "written.toml",
        "--no-cache",
        "--cassette",
        "tape.jsonl",
        "--replay",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        bytes(&run_folder) == expected,
        "the same queries from the cassette"
    );

    // What became of each function is in a row, and what was bad has its reason.
    let (queries, aside) = (queries(&run_folder), set_aside(&run_folder));
    let missing: Vec<&SetAside> = aside
        .iter()
        .filter(|row| row.detail.starts_with("models: "))
        .collect();
    assert_eq!((queries.len() + missing.len()) as u64, asked);
    assert!(
        missing
            .iter()
            .all(|row| row.reason == Reason::QueryDuplicate),
        "{missing:#?}"
    );
    let tried = |tries| {
        queries
            .iter()
            .filter(|query| query.tries == Some(tries))
            .count()
    };
    assert!(tried(1) > 50 && tried(2) > 10, "{} {}", tried(1), tried(2));
    // A model that names the function in every sentence is kept with its leak, as the recipe says.
    let leaking: Vec<&Query> = queries
        .iter()
        .filter(|query| query.leak == Leak::Function)
        .collect();
    assert!(leaking.len() > 1, "{}", leaking.len());
    for query in &queries {
        assert!(query.text.starts_with("It "), "{}", query.text);
        assert!(
            query.model.as_ref().unwrap().contains("-test-2025"),
            "{query:?}"
        );
        assert_eq!(query.prompt.as_ref().unwrap().len(), 64);
    }
    let everything = fs::read(project.path("tape.jsonl")).unwrap();
    let everything = [
        everything,
        fs::read(run_folder.join("04-queries/part-00002.parquet")).unwrap(),
    ]
    .concat();
    assert!(
        !everything
            .windows(KEY.len())
            .any(|window| window == KEY.as_bytes())
    );
}

#[test]
fn sets_of_queries_stand_side_by_side_and_are_compared() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = Project::new();
    let url = server.url("/v1");
    let more = format!(
        "\n[queries]\nfiles = [\"asked.csv\"]\n\n[[queries.write]]\nmodel = \"openai+{url}#gpt-test\"\nmax-tokens = 500\n"
    );
    project.write(
        "asked.csv",
        "text,function\nwhich sum stays below a limit,add_below\n",
    );
    project.write("recipe.toml", crate::project::RECIPE.to_owned() + &more);
    let ended = run(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let folder = project.path("runs/shelf");
    let listed = table::read::<ListedSubset>(&folder.join("05-dataset/subsets.parquet")).unwrap();
    let writers: std::collections::BTreeSet<_> = listed
        .iter()
        .map(|subset| subset.writer.clone().unwrap())
        .collect();
    assert_eq!(
        writers.into_iter().collect::<Vec<_>>(),
        ["doc_comment", "gpt-test", "person"]
    );
    for subset in listed.into_iter().map(Subset::from) {
        let writer = subset.facets.writer.as_deref().unwrap();
        let group = subset.facets.group.as_deref().unwrap();
        assert_eq!(group.ends_with(writer), writer != "doc_comment", "{group}");
        assert!(subset.name.starts_with(group), "{}", subset.name);
        assert!(!subset.facets.functions().unwrap().ends_with(writer));
    }
    let sets =
        table::read::<barecode_records::SetDifference>(&folder.join("07-scores/sets.parquet"))
            .unwrap();
    let between = |one: &barecode_records::SetDifference| (one.first.clone(), one.second.clone());
    let pairs: std::collections::BTreeSet<_> = sets.iter().map(between).collect();
    assert!(
        pairs.contains(&("doc_comment".to_owned(), "gpt-test".to_owned())),
        "{pairs:?}"
    );
    let own: Vec<_> = sets.iter().filter(|one| one.second == "person").collect();
    assert!(
        own.iter().all(|one| one.answers == 1 && one.too_few),
        "{own:?}"
    );
    let page = fs::read_to_string(folder.join("08-report/index.html")).unwrap();
    assert!(page.contains("Sets of queries") && page.contains("doc_comment − gpt-test"));
    let said = ok(&project, &["build", "recipe.toml"]);
    assert!(said.contains("sets of queries, nDCG@10"), "{said}");
    assert!(said.contains("gpt-test (openai+http://127.0.0.1"), "{said}");
}

#[test]
fn peoples_queries_are_brought_into_one_style_and_keep_what_was_written() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = Project::new();
    let url = server.url("/v1");
    let more = format!(
        "\n[queries]\ncomments = false\nfiles = [\"asked.csv\"]\nalign = {{ model = \"openai+{url}#gpt-test\", max-tokens = 500, \
         tries = 2, leaking = \"set-aside\" }}\n"
    );
    // The second asks for the same function, and comes back in the same words.
    let asked = "text,function\nwhich sum stays below a limit,add_below\nwhat adds with a bound,add_below\n";
    project.write("asked.csv", asked);
    project.write("recipe.toml", crate::project::RECIPE.to_owned() + &more);
    server.set(&json!({}));
    assert_eq!(run(&project, &["build", "recipe.toml"]).code, Some(0));
    let parts = [
        "part-00000.parquet",
        "part-00001.parquet",
        "part-00002.parquet",
    ];
    let folder = project.path("runs/shelf/04-queries");
    let queries: Vec<Query> = parts
        .iter()
        .flat_map(|part| table::read::<Query>(&folder.join(part)).unwrap())
        .collect();
    let [query] = &queries[..] else {
        panic!("{queries:?}");
    };
    assert!(query.text.starts_with("It "), "{}", query.text);
    assert_eq!(query.raw.as_deref(), Some("which sum stays below a limit"));
    assert_eq!(query.stated_at.as_deref(), Some("asked.csv:2"));
    assert_eq!((&*query.writer, query.tries), ("person", Some(1)));
    assert_eq!(query.model.as_deref(), Some("gpt-test-2025"));
    let card = fs::read_to_string(project.path("runs/shelf/05-dataset/README.md")).unwrap();
    assert!(
        card.contains("written by people, and brought into one style by gpt-test-2025"),
        "{card}"
    );

    let twice = set_aside(&project.path("runs/shelf"));
    let twice = twice
        .iter()
        .find(|row| row.reason == Reason::QueryDuplicate)
        .unwrap();
    assert!(
        twice.detail.starts_with("alignment: u-"),
        "{}",
        twice.detail
    );

    // What the model cannot rewrite without names is set aside, with its reason where the person looks.
    server.set(&json!({ "bad": 100, "always": 0 }));
    let recipe = fs::read_to_string(project.path("recipe.toml")).unwrap();
    project.write("recipe.toml", recipe.replace("tries = 2", "tries = 3"));
    let said = ok(&project, &["query", "recipe.toml", "--no-cache", "--json"]);
    let said: Value = serde_json::from_str(&said).unwrap();
    let own = &said["stages"]["query"]["counts"]["own queries"];
    assert_eq!((number(own, "entered"), number(own, "kept")), (2, 0));
    assert_eq!(own["set_aside"], json!({ "query_leaks": 2 }));
    let rows = set_aside(&project.path("runs/shelf"));
    let row = rows
        .iter()
        .find(|row| row.reason == Reason::QueryLeaks)
        .unwrap();
    assert!(
        row.detail
            .starts_with("alignment: add_below in: It is add_below."),
        "{}",
        row.detail
    );
}

#[test]
fn what_reviewers_decided_is_applied_when_the_dataset_is_assembled() {
    let project = Project::new();
    project.build();
    let folder = project.path("runs/shelf");
    let made = table::read::<Query>(&folder.join("04-queries/part-00000.parquet")).unwrap();
    let patch = |rows: &[&str]| {
        let text = format!(
            "record,decision,text,reviewer,at,note\n{}\n",
            rows.join("\n")
        );
        project.write("reviews.csv", text);
    };
    let (dropped, edited) = (&made[0], &made[1]);
    let drop = format!("{},drop,,anna,2026-11-22,wrong", dropped.id);
    let edit = format!(
        "{},edit,counts what nobody counted before,anna,,",
        edited.id
    );
    patch(&[&drop, &edit, "q-0000000000000000,keep,,anna,,"]);
    let recipe = format!(
        "{}\n[queries]\nreviews = [\"reviews.csv\"]\n",
        crate::project::RECIPE
    );
    project.write("recipe.toml", recipe);
    let built = project.build();
    let counts = &built["stages"]["assemble"]["counts"];
    let reviews = &counts["reviews"];
    assert_eq!(
        (number(reviews, "entered"), number(reviews, "kept")),
        (3, 2)
    );
    assert_eq!(reviews["set_aside"], json!({ "review_unknown": 1 }));
    assert_eq!(counts["queries"]["set_aside"]["review_dropped"], 1);
    let (entered, kept) = (
        number(&counts["queries"], "entered"),
        number(&counts["queries"], "kept"),
    );
    let aside = counts["queries"]["set_aside"].as_object().unwrap();
    let aside: u64 = aside.values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!(entered, kept + aside);
    let listed = table::read::<ListedSubset>(&folder.join("05-dataset/subsets.parquet")).unwrap();
    let texts: Vec<String> = listed
        .iter()
        .flat_map(|subset| {
            let file = folder
                .join("05-dataset")
                .join(&subset.name)
                .join("queries.parquet");
            table::read::<barecode_records::QueryText>(&file).unwrap()
        })
        .map(|query| query.text)
        .collect();
    assert!(
        texts
            .iter()
            .any(|text| text == "counts what nobody counted before")
    );
    assert!(
        texts
            .iter()
            .all(|text| *text != dropped.text && *text != edited.text)
    );

    // Nobody guesses which of two decisions was meant.
    let other = format!("{},keep,,ben,,", dropped.id);
    patch(&[&drop, &other]);
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("reviews.csv:3: another decision about"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_is_wrong_with_a_writer_is_said_before_anything_is_done() {
    let project = Project::new();
    let recipe = |more: &str| {
        project.write(
            "recipe.toml",
            format!("{}\n[queries]\n{more}\n", crate::project::RECIPE),
        );
    };
    let refused = |more: &str| {
        recipe(more);
        let ended = project.run(&["build", "recipe.toml"]);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        assert!(!project.path("runs").exists());
        ended.stderr
    };
    for (more, why) in [
        ("write = [\"voyage:voyage-code-3\"]", "does not write"),
        (
            "write = [\"openai+http://localhost:1/v1\"]",
            "name it: openai+URL#MODEL",
        ),
        ("write = [{ name = \"x\" }]", "needs `model` or `models`"),
        (
            "write = [{ model = \"openai:gpt-4o\", tries = 0 }]",
            "at least 1",
        ),
        (
            "write = [{ model = \"openai:gpt-4o\", temperature = 7.0 }]",
            "not a number from 0 to 2",
        ),
        (
            "write = [{ model = \"openai:gpt-4o\", prompts = \"mine\" }]",
            "neither `default`, `clarc` nor a folder",
        ),
        (
            "write = [{ model = \"openai:gpt-4o\", examples = \"none.toml\" }]",
            "cannot read the examples",
        ),
        (
            "write = [{ model = \"openai:gpt-4o\", promts = \"clarc\" }]",
            "did you mean `prompts`",
        ),
        (
            "write = [\"openai:gpt-4o\", \"anthropic:gpt-4o\"]",
            "two sets of queries are named `gpt-4o`",
        ),
        (
            "write = [{ model = \"openai:gpt-4o\", name = \"person\" }]",
            "two sets of queries are named `person`",
        ),
        (
            "align = { model = \"openai:gpt-4o\", prompts = \"clarc\" }",
            "lacks 3 examples",
        ),
        (
            "write = [\"openai+http://me:secret@localhost:1/v1#m\"]",
            "must not contain a secret",
        ),
    ] {
        let said = refused(more);
        assert!(said.contains(why), "{more}: {said}");
        assert!(!said.contains("me:secret"), "{said}");
    }
    // A missing key is said before the compilers start.
    recipe("write = [\"anthropic:claude-sonnet-4-5\"]");
    let mut command = project.command(&["build", "recipe.toml"]);
    let ended = Ended::of(&command.env_remove("ANTHROPIC_API_KEY").output().unwrap());
    assert!(
        ended.stderr.contains("no key for anthropic"),
        "{}",
        ended.stderr
    );
    assert!(!ended.stderr.contains("extract"), "{}", ended.stderr);
}
