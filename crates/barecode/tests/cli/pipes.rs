//! Pipes that nobody writes to, and devices without an end, in place of every file that a command reads: nothing waits.

use std::fs;
use std::os::unix::fs::symlink;
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;

use crate::project::{Ended, Project, RECIPE, program};

/// Puts a pipe or a device at a place.
fn put(project: &Project, place: &str, kind: &str) {
    let path = project.path(place);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let _ = fs::remove_file(&path);
    match kind {
        "pipe" => assert!(program("mkfifo").arg(&path).status().unwrap().success()),
        device => symlink(device, &path).unwrap(),
    }
}

const KINDS: [&str; 2] = ["pipe", "/dev/zero"];

/// Runs a command that must not wait, and reads no more than a few megabytes.
fn ends(project: &Project, arguments: &[&str]) -> Ended {
    let mut child = project.start(arguments);
    for _ in 0..1200 {
        if child.try_wait().unwrap().is_some() {
            return Ended::of(&child.wait_with_output().unwrap());
        }
        sleep(Duration::from_millis(50));
    }
    child.kill().unwrap();
    panic!("`{}` waits for ever", arguments.join(" "));
}

fn refused(project: &Project, arguments: &[&str], place: &str) {
    for kind in KINDS {
        put(project, place, kind);
        let ended = ends(project, arguments);
        let said = format!("{arguments:?} with {kind}: {}", ended.stderr);
        assert_eq!(ended.code, Some(4), "{said}");
        let name = place.rsplit('/').next().unwrap();
        assert!(ended.stderr.contains(name), "{said}");
    }
    fs::remove_file(project.path(place)).unwrap();
}

#[test]
fn what_a_recipe_names_is_a_file() {
    let project = Project::empty();
    project.write(
        "extra/add.c",
        "/* Adds one. */\nint add(int a) { return a + 1; }\n",
    );
    refused(&project, &["list", "recipe.toml"], "recipe.toml");
    let source = "name = \"x\"\n[[source]]\nfrom = \"path:extra\"\n";
    for (tables, place) in [
        ("[queries]\nfiles = [\"own.csv\"]\n", "own.csv"),
        ("[queries]\nreviews = [\"seen.jsonl\"]\n", "seen.jsonl"),
        ("[[manifest]]\nfile = \"list.csv\"\n", "list.csv"),
        ("[[source]]\nfrom = \"archive:lib.tar.gz\"\n", "lib.tar.gz"),
        (
            "[[queries.write]]\nmodels = [\"process:cat\"]\nprompts = \"mine\"\n",
            "mine/query.txt",
        ),
        (
            "[[queries.write]]\nmodels = [\"process:cat\"]\nexamples = \"shots.toml\"\n",
            "shots.toml",
        ),
        (
            "[[programs]]\nfrom = \"set.jsonl\"\nlicense = \"MIT\"\nformat = \"humaneval\"\n",
            "set.jsonl",
        ),
    ] {
        project.write("recipe.toml", source.to_owned() + tables);
        refused(&project, &["extract", "recipe.toml"], place);
    }
}

#[test]
fn a_source_or_a_data_set_with_them_goes_on_without_them() {
    let project = Project::new();
    project.write("recipe.toml", RECIPE.split("[settings]").next().unwrap());
    for kind in KINDS {
        put(&project, "extra/more.c", kind);
        put(&project, "programs/one.py", kind);
        put(&project, "programs/two.in", kind);
        project.write("programs/two.py", "print(input())\n");
        project.write("programs/two.out", "1\n");
        let text = "name = \"x\"\n[[source]]\nfrom = \"path:extra\"\n[[programs]]\nfrom = \"programs\"\nlicense = \"MIT\"\nformat = \"folder\"\n";
        project.write("both.toml", text);
        let ended = ends(&project, &["extract", "both.toml"]);
        assert!(matches!(ended.code, Some(0)), "{kind}: {}", ended.stderr);
    }
}

#[test]
fn what_a_command_names_is_a_file() {
    let project = Project::empty();
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes", "code_id": "c1", "code_text": "int f;", "relevance": 1 },
        { "query_id": "q2", "query_text": "free it", "code_id": "c2", "code_text": "int g;", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
    project.write("judged.txt", "q1 0 c1 1\n");
    let model = "openai+http://127.0.0.1:1#m";
    for (arguments, place) in [
        (
            &["eval", "set.json", "--model", model, "--cassette", "pipe"][..],
            "pipe",
        ),
        (
            &[
                "eval",
                "set.json",
                "--model",
                model,
                "--cassette",
                "pipe",
                "--replay",
            ],
            "pipe",
        ),
        (
            &["eval", "set.json", "--model", "m", "--models", "pipe"],
            "pipe",
        ),
        (
            &["eval", "set.json", "--model", "vectors:pipe.npy"],
            "pipe.npy",
        ),
        (&["eval", "pipe.jsonl", "--model", "bm25"], "pipe.jsonl"),
        (&["audit", "pipe.parquet"], "pipe.parquet"),
        (&["score", "pipe", "judged.txt"], "pipe"),
        (&["score", "judged.txt", "pipe"], "pipe"),
        (&["study", "statistics", "pipe"], "pipe"),
        (&["study", "serve", "pipe"], "pipe"),
        (
            &[
                "train",
                "pipe.jsonl",
                "--model",
                "local:none",
                "--out",
                "out",
            ],
            "pipe.jsonl",
        ),
        (&["release", "set.json", "out", "--facts", "pipe"], "pipe"),
    ] {
        refused(&project, arguments, place);
    }
}

#[test]
fn a_model_on_this_machine_is_made_of_files() {
    let project = Project::empty();
    project.write("set.json", json!([
        { "query_id": "q1", "query_text": "copy bytes", "code_id": "c1", "code_text": "int f;", "relevance": 1 },
    ]).to_string());
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        crate::dense::model(&project, "bert");
        refused(
            &project,
            &["eval", "set.json", "--model", "local:models/tiny"],
            &format!("models/tiny/{file}"),
        );
    }
}
