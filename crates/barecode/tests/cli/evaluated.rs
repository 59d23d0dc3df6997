//! The stages and `eval` are one road: a call that was killed resumes, and a recipe has the same numbers.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::project::{Ended, Project, RECIPE, repository};

/// The checkpoint of a reranker, as a model of the command line.
fn reranker() -> String {
    let folder = repository().join("crates/encoders/tests/checkpoints/reranker-bert");
    format!("local:{}", folder.display())
}

/// A dataset with as many queries as documents.
fn dataset(project: &Project, rows: usize) {
    let words = [
        "copy", "bytes", "list", "free", "sum", "bound", "file", "line",
    ];
    let row = |i: usize| {
        let word = |by: usize| words[i / by % words.len()];
        json!({
            "query_id": format!("q{i}"), "query_text": format!("{} {} of {}", word(1), word(8), word(3)),
            "code_id": format!("c{i}"), "code_text": format!("{} {} {}", word(1), word(8), word(5)), "relevance": 1,
        })
    };
    let rows: Vec<Value> = (0..rows).map(row).collect();
    project.write("set.json", Value::from(rows).to_string());
}

/// Every file below a folder but the ledger, which has times.
fn bytes_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(root, &path, files);
            } else if !path.ends_with("ledger.json") {
                let name = path.strip_prefix(root).unwrap().to_string_lossy();
                files.insert(name.into_owned(), fs::read(&path).unwrap());
            }
        }
    }
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

fn names(files: &BTreeMap<String, Vec<u8>>) -> Vec<&str> {
    files.keys().map(String::as_str).collect()
}

#[test]
fn a_killed_eval_resumes_and_ends_in_the_same_bytes_on_any_number_of_threads() {
    let project = Project::empty();
    dataset(&project, 60);
    let reranker = reranker();
    let arguments = |out: &'static str, threads: &'static str| {
        vec![
            "eval",
            "set.json",
            "--model",
            "bm25",
            "--model",
            "bm25:tokenizer=plain,k1=1.2",
            "--model",
            "random",
            "--fuse",
            "rrf",
            "--fuse",
            "convex:0.4,0.6",
            "--rerank",
            reranker.as_str(),
            "--rerank-depth",
            "10",
            "--pool",
            "uniform:20",
            "--draws",
            "2",
            "--resamples",
            "200",
            "--no-cache",
            "--threads",
            threads,
            "--out",
            out,
        ]
    };
    let ended = project.run(&arguments("whole", "1"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let whole = bytes_of(&project.path("whole"));
    let tables = whole
        .keys()
        .filter(|name| name.starts_with("06-runs/") && name.ends_with(".parquet"));
    // Two models and random order, two fused lists, both reranked: two draws each, and the candidates.
    assert_eq!(tables.count(), 7 * 2 + 1, "{:?}", names(&whole));
    let mut killed = 0;
    for first in ["06-runs/bm25", "06-runs/rrf", "07-scores"] {
        let mut child = project.start(&arguments("killed", "2"));
        while !project.path("killed").join(first).exists() && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
    }
    assert!(killed > 0, "no call was killed before its end");
    let ended = project.run(&arguments("killed", "2"));
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let again = bytes_of(&project.path("killed"));
    assert_eq!(names(&whole), names(&again));
    for (name, bytes) in &whole {
        assert!(again[name] == *bytes, "{name} differs");
    }
    let ended = project.run(&arguments("killed", "2"));
    assert!(ended.stderr.contains("nothing to do"), "{}", ended.stderr);
    let is_same = bytes_of(&project.path("killed")) == whole;
    assert!(is_same, "a run with nothing to do changed a file");
}

fn read(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn a_recipe_and_eval_fuse_rerank_and_draw_candidates_alike() {
    let project = Project::new();
    let checkpoints = repository().join("crates/encoders/tests/checkpoints");
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let bytes = fs::read(checkpoints.join("bert").join(file)).unwrap();
        project.write(&format!("models/tiny/{file}"), bytes);
        let bytes = fs::read(checkpoints.join("reranker-bert").join(file)).unwrap();
        project.write(&format!("models/judge/{file}"), bytes);
    }
    let more = "\n[[retriever]]\nname = \"tiny\"\nkind = \"dense\"\nmodel = \"local:models/tiny\"\n\
                \n[[retriever]]\nname = \"described\"\nkind = \"dense\"\nmodel = \"local:models/tiny\"\ndescribed = true\n\
                \n[[retriever]]\nname = \"both\"\nkind = \"fused\"\nof = [\"bm25\", \"described\"]\nmethod = \"convex\"\n\
                weights = [0.25, 0.75]\n\
                \n[[retriever]]\nname = \"judged\"\nkind = \"reranked\"\nof = \"both\"\nmodel = \"local:models/judge\"\n\
                depth = 2\n\
                \n[[retriever]]\nname = \"ordered\"\nkind = \"reranked\"\nof = \"both\"\n\
                model = \"structural:names=false\"\ndepth = 2\n\
                \n[[model]]\nname = \"nameless\"\nkind = \"structural\"\nnames = false\n\
                \n[[retriever]]\nname = \"named\"\nkind = \"reranked\"\nof = \"both\"\n\
                model = \"nameless\"\ndepth = 2\n\
                \n[[retriever]]\nname = \"canonical\"\nkind = \"dense\"\nmodel = \"local:models/tiny\"\ncanonical = true\n\
                \n[retrieve]\npool = \"uniform:2\"\ndraws = 2\n";
    project.write("recipe.toml", RECIPE.to_owned() + more);
    let account = project.build();
    let evaluated = read(&project.run(&[
        "eval",
        "runs/shelf/05-dataset",
        "--model",
        "bm25:tokenizer=code",
        "--model",
        "local:models/tiny",
        "--fuse",
        "convex:0.25,0.75",
        "--rerank",
        "local:models/judge",
        "--rerank",
        "structural:names=false",
        "--rerank-depth",
        "2",
        "--canonical",
        "--described",
        "--pool",
        "uniform:2",
        "--draws",
        "2",
        "--seed",
        "7",
        "--measure",
        "nDCG@10",
        "--out",
        "evaluated",
        "--json",
    ]));
    let pairs = [
        ("bm25", "bm25:tokenizer=code"),
        ("tiny", "local:tiny"),
        ("both", "convex:0.25,0.75 (described)"),
        ("judged", "convex:0.25,0.75 (described) > local:judge"),
        (
            "ordered",
            "convex:0.25,0.75 (described) > structural:names=false",
        ),
        (
            "named",
            "convex:0.25,0.75 (described) > structural:names=false",
        ),
        ("canonical", "local:tiny (canonical)"),
        ("described", "local:tiny (described)"),
    ];
    let scores = account["scores"].as_array().unwrap();
    let mut compared = 0;
    for row in evaluated["scores"].as_array().unwrap() {
        let models = row["models"].as_array().unwrap();
        for (retriever, system) in pairs {
            let of_recipe = scores.iter().find(|score| {
                score["retriever"] == retriever
                    && score["subset"] == row["subset"]
                    && score["slice"] == "all"
                    && score["measure"] == "nDCG@10"
            });
            let of_recipe =
                of_recipe.unwrap_or_else(|| panic!("no {retriever} on {}", row["subset"]));
            assert_eq!(of_recipe["draws"], row["draws"]);
            assert!(row["draws"].as_u64().unwrap() >= 2);
            let model = models
                .iter()
                .find(|model| model["model"] == system)
                .unwrap();
            let value = |value: &Value| value.as_f64().unwrap();
            let (one, other) = (value(&of_recipe["value"]), value(&model["value"]));
            assert!(
                (one - other).abs() < 1e-12,
                "{retriever} on {}: {one} {other}",
                row["subset"]
            );
            assert!((value(&of_recipe["floor"]) - value(&row["floor"])).abs() < 1e-12);
            compared += 1;
        }
    }
    assert!(compared >= 10, "{evaluated}");
    // What the recipe names must stand before, and a name that is not there is an error with its place.
    project.write(
        "recipe.toml",
        RECIPE.to_owned() + &more.replace("\"bm25\", \"described\"", "\"bm25\", \"big\""),
    );
    let ended = project.run(&["list", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("`both` is made of `big`"),
        "{}",
        ended.stderr
    );
}
