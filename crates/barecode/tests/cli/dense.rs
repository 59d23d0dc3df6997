//! Models as retrievers of a recipe, on a tiny checkpoint of random weights.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::project::{Ended, Project, RECIPE, assert_same, bytes_of};

pub(crate) const DENSE: &str =
    "\n[[retriever]]\nname = \"tiny\"\nkind = \"dense\"\nmodel = \"local:models/tiny\"\n";

/// The usual project with a model and a recipe that has it.
fn project() -> Project {
    let project = Project::new();
    model(&project, "bert");
    project.write("recipe.toml", RECIPE.to_owned() + DENSE);
    project
}

/// Puts a checkpoint where the recipe looks for it.
pub(crate) fn model(project: &Project, checkpoint: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let bytes = fs::read(folder.join(checkpoint).join(file)).unwrap();
        project.write(&format!("models/tiny/{file}"), bytes);
    }
}

fn json(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// The runs that the stage would do and those that are current.
fn retrieve(project: &Project) -> (u64, u64) {
    let listed = json(&project.run(&["list", "recipe.toml", "--full", "--json"]));
    let stages = listed["stages"].as_array().unwrap();
    let stage = stages.iter().find(|stage| stage["stage"] == "retrieve");
    let number = |key: &str| stage.unwrap()[key].as_u64().unwrap();
    (number("to_do"), number("current"))
}

#[test]
fn a_model_is_built_scored_and_compared_beside_words() {
    let project = project();
    let account = project.build();
    let scores = account["scores"].as_array().unwrap();
    let of = |retriever: &str| {
        let of = scores.iter().filter(|row| row["retriever"] == retriever);
        of.count()
    };
    assert_eq!(of("tiny"), of("bm25"));
    assert!(of("tiny") > 0);
    // A model has a score for every document, so no answer is missing from its lists.
    let rows = json(&project.run(&["robustness", "recipe.toml", "--json"]));
    let drops = rows["drops"].as_array().unwrap();
    assert!(drops.iter().any(|drop| drop["retriever"] == "tiny"));
    let compared = project.run(&["compare", "recipe.toml"]);
    assert_eq!(compared.code, Some(0), "{}", compared.stderr);
    assert!(compared.stdout.contains("tiny"), "{}", compared.stdout);
    let page = fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    assert!(page.contains("tiny (local:models/tiny)"));
    // Each text is embedded once, whatever the configurations that have it; the books say so.
    let books: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/06-runs/ledger.json")).unwrap())
            .unwrap();
    assert_eq!(books[0]["retriever"], "tiny");
    let identity = books[0]["identity"].as_str().unwrap();
    assert!(
        identity.starts_with("local:tiny@unknown weights="),
        "{identity}"
    );
    assert_eq!(books[0]["usage"]["cache-hits"], 0);
}

#[test]
fn a_second_build_opens_the_model_and_changes_no_byte() {
    let project = project();
    project.build();
    let before = project.bytes();
    let second = project.build();
    assert_eq!(second["worked"], false);
    assert_same(&before, &project.bytes());
    // Without the vectors that were kept, the runs are current all the same.
    fs::remove_file(project.path("cache/barecode/vectors.sqlite")).unwrap();
    assert_eq!(project.build()["worked"], false);
}

#[test]
fn one_and_two_threads_embed_to_the_same_bytes() {
    let project = project();
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
    let bytes = |threads| bytes_of(&project.path(threads));
    assert_same(&bytes("1"), &bytes("2"));
}

#[test]
fn other_weights_are_noticed_and_other_retrievers_stay() {
    let project = project();
    project.build();
    let (to_do, current) = retrieve(&project);
    assert_eq!(to_do, 0);
    model(&project, "bert-masked");
    let (to_do, left) = retrieve(&project);
    assert_eq!((to_do * 3, left * 3), (current, current * 2));
    let scored = project.run(&["score", "recipe.toml"]);
    assert_eq!(scored.code, Some(0), "{}", scored.stderr);
    assert!(
        scored
            .stderr
            .contains("sources, models and compilers were not looked at again"),
        "{}",
        scored.stderr
    );
    project.build();
    assert_eq!(retrieve(&project), (0, current));
    // The books have a page for each of the two.
    let books: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/06-runs/ledger.json")).unwrap())
            .unwrap();
    assert_eq!(books.as_array().unwrap().len(), 2);
}

#[test]
fn shares_embed_what_is_theirs() {
    let project = project();
    for stage in ["extract", "check", "vary", "query", "assemble"] {
        let ended = project.run(&[stage, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    for share in ["1/2", "2/2"] {
        let ended = project.run(&["retrieve", "recipe.toml", "--shard", share]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    assert_eq!(retrieve(&project).0, 0);
    for part in [1, 2] {
        let books = project.path(&format!("runs/shelf/06-runs/ledger-{part}-of-2.json"));
        assert!(books.is_file(), "{}", books.display());
    }
}

#[test]
fn a_folder_that_is_missing_is_told_with_the_line_that_names_it() {
    let project = project();
    fs::remove_dir_all(project.path("models")).unwrap();
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let line = 1 + RECIPE.lines().count() + 4;
    let place = format!("recipe.toml:{line}:9: ");
    assert!(ended.stderr.contains(&place), "{}\n{place}", ended.stderr);
    assert!(ended.stderr.contains("models/tiny"), "{}", ended.stderr);
    assert!(!project.path("runs/shelf/01-functions").exists());
    // Who only looks is told what is to do, and then the same.
    let listed = project.run(&["list", "recipe.toml", "--full", "--json"]);
    assert_eq!(listed.code, Some(4), "{}", listed.stderr);
    assert!(listed.stderr.contains(&place), "{}", listed.stderr);
    let told: Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(told["stages"][0]["to_do"], 2);
}

#[test]
fn a_dry_run_tells_the_price_and_needs_no_key() {
    let project = project();
    let voyage =
        "\n[[retriever]]\nname = \"code\"\nkind = \"dense\"\nmodel = \"voyage:voyage-code-3\"\n";
    let recipe = RECIPE.to_owned() + DENSE + voyage;
    project.write("recipe.toml", &recipe);
    let early = project.run(&["retrieve", "recipe.toml", "--dry-run"]);
    assert_eq!(early.code, Some(4), "{}", early.stderr);
    for stage in ["extract", "check", "vary", "query", "assemble"] {
        let ended = project.run(&[stage, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let told = json(&project.run(&["build", "recipe.toml", "--dry-run", "--json"]));
    assert_eq!(told["estimates"][0]["retriever"], "tiny");
    assert_eq!(told["estimates"][0]["dollars"], 0.0);
    assert_eq!(told["estimates"][1]["retriever"], "code");
    assert_eq!(told["estimates"][1]["texts"], told["estimates"][0]["texts"]);
    assert!(told["estimates"][1]["dollars"].as_f64().unwrap() > 0.0);
    assert!(!project.path("runs/shelf/06-runs").exists());
    // A key that is missing is told before any model is asked.
    let mut command = project.command(&["build", "recipe.toml"]);
    let ended = Ended::of(&command.env_remove("VOYAGE_API_KEY").output().unwrap());
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("no key for voyage"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("runs/shelf/06-runs/ledger.json").exists());
}

#[test]
fn a_table_of_a_file_is_a_model_of_the_recipe() {
    let project = project();
    project.write(
        "models/all.toml",
        "[[model]]\nname = \"small\"\nkind = \"local\"\npath = \"tiny\"\npooling = \"mean\"\ndimensions = 8\n",
    );
    let recipe = format!(
        "models = \"models/all.toml\"\n{RECIPE}\n[[retriever]]\nkind = \"dense\"\nmodel = \"small\"\ndtype = \"int8\"\n\
         similarity = \"euclid\"\n"
    );
    project.write("recipe.toml", recipe);
    let account = project.build();
    let scores = account["scores"].as_array().unwrap();
    assert!(
        scores
            .iter()
            .any(|row| row["retriever"] == "small-euclid-int8")
    );
    let manifest: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/manifest.json")).unwrap())
            .unwrap();
    assert_eq!(manifest["recipe"]["model"][0]["path"], "models/tiny");
    let books: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/06-runs/ledger.json")).unwrap())
            .unwrap();
    let identity = books[0]["identity"].as_str().unwrap();
    assert!(identity.contains("mean normalized"), "{identity}");
    assert!(identity.contains("dimensions=8"), "{identity}");
}

#[test]
fn a_budget_is_kept_before_anything_is_sent() {
    let project = Project::new();
    let voyage = "\n[[retriever]]\nkind = \"dense\"\nmodel = \"voyage:voyage-code-3\"\n";
    let recipe = RECIPE.to_owned() + voyage;
    project.write("recipe.toml", &recipe);
    let build = |more: &[&str]| {
        let mut command = project.command(&["build", "recipe.toml"]);
        // A proxy that is not there: what is sent in spite of the budget fails in another way.
        command
            .args(more)
            .env("VOYAGE_API_KEY", "none")
            .env("HTTPS_PROXY", "http://127.0.0.1:9");
        Ended::of(&command.output().unwrap())
    };
    let ended = build(&["--budget", "0"]);
    assert_eq!(ended.code, Some(3), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("voyage-code-3: the budget is spent"),
        "{}",
        ended.stderr
    );
    project.write("recipe.toml", format!("budget = 0.0\n{recipe}"));
    assert_eq!(build(&[]).code, Some(3));
    let books: Value =
        serde_json::from_slice(&fs::read(project.path("runs/shelf/06-runs/ledger.json")).unwrap())
            .unwrap();
    assert_eq!(books[0]["usage"]["requests"], 0);
    assert_eq!(books[0]["dollars"], 0.0);
}

#[test]
fn a_recipe_and_eval_score_a_model_alike() {
    let project = project();
    let account = project.build();
    let evaluated = json(&project.run(&[
        "eval",
        "runs/shelf/05-dataset",
        "--model",
        "small=local:models/tiny",
        "--measure",
        "nDCG@10",
        "--out",
        "evaluated",
        "--json",
    ]));
    let scores = account["scores"].as_array().unwrap();
    let (mut compared, mut drawn) = (0, 0);
    for row in evaluated["scores"].as_array().unwrap() {
        let subset = row["subset"].as_str().unwrap();
        let of_recipe = scores.iter().find(|score| {
            let name = format!(
                "{}-{}",
                score["group"].as_str().unwrap(),
                score["setting"].as_str().unwrap()
            );
            score["retriever"] == "tiny" && score["measure"] == "nDCG@10" && name == subset
        });
        let of_recipe =
            of_recipe.unwrap_or_else(|| panic!("{subset} is no row of the recipe's table"));
        let value = |value: &Value| value.as_f64().unwrap();
        let (one, other) = (
            value(&of_recipe["value"]),
            value(&row["models"][0]["value"]),
        );
        assert!((one - other).abs() < 1e-12, "{subset}: {one} {other}");
        let draws = |value: &Value| value.as_u64().unwrap();
        assert_eq!(draws(&row["draws"]), draws(&of_recipe["draws"]));
        assert_eq!(row["models"][0]["model"], "small");
        drawn += u64::from(draws(&of_recipe["draws"]) > 1);
        compared += 1;
    }
    // A setting that is drawn is one row of either, and what it costs stands beside it.
    assert!(compared >= 3 && drawn >= 1, "{evaluated}");
    let lost = evaluated["scores"].as_array().unwrap().iter();
    let lost = lost.filter(|row| row["models"][0]["lost"]["value"].is_f64());
    assert!(lost.count() >= 1, "{evaluated}");
}
