//! `cache`.

use std::fs;

use serde_json::{Value, json};

use crate::project::{Ended, Project};

/// A program that answers one vector for every text.
fn model(vector: &str) -> String {
    format!(
        "process:while IFS= read -r line; do [ -n \"$line\" ] || continue; \
         index=${{line#*\\\"index\\\":}}; index=${{index%%,*}}; \
         printf '{{\"index\": %s, \"vector\": {vector}, \"tokens\": 3}}\\n' \"$index\"; done"
    )
}

fn eval(project: &Project, model: &str) -> Value {
    let ended = project.run(&["eval", "set.json", "--model", model, "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn cache(project: &Project, arguments: &[&str]) -> Value {
    let ended = project.run(&[&["cache", "--json"], arguments].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

fn names(told: &Value) -> Vec<&str> {
    let models = told["vectors"]["models"].as_array().unwrap();
    models
        .iter()
        .map(|model| model["model"].as_str().unwrap())
        .collect()
}

#[test]
fn what_is_kept_is_shown_by_model_and_forgotten_on_demand() {
    let project = Project::empty();
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes", "code_id": "c1", "code_text": "int f;", "relevance": 1 },
        { "query_id": "q2", "query_text": "free it", "code_id": "c2", "code_text": "int g;", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
    // Looking makes nothing.
    let told = cache(&project, &[]);
    assert_eq!(told["vectors"]["bytes"], 0);
    assert!(!project.path("cache").exists());

    let (short, long) = (model("[1, 0]"), model("[1, 0, 0]"));
    // The ledger has the work of programs, too.
    let ledger = &eval(&project, &short)["ledger"][&short];
    let counts = ["requests", "texts", "tokens", "cache-hits"].map(|name| &ledger[name]);
    assert_eq!(counts, [0, 4, 12, 0]);
    eval(&project, &long);
    let told = cache(&project, &[]);
    assert_eq!(names(&told), [&long, &short]);
    let vectors = &told["vectors"];
    assert_eq!(vectors["models"][0]["vectors"], 4);
    // Four vectors of three numbers of four bytes.
    assert_eq!(vectors["models"][0]["bytes"], 48);
    assert!(vectors["bytes"].as_u64().unwrap() >= 4096);
    assert_eq!(vectors["limit"], 20_u64 << 30);
    assert_eq!(told["verdicts"]["bytes"], 0);
    let path = project.path("cache/barecode/vectors.sqlite");
    assert_eq!(vectors["path"], path.to_str().unwrap());

    let Ended { code, stdout, .. } = project.run(&["cache"]);
    assert_eq!(code, Some(0));
    for part in [
        "of at most 20.0 GiB",
        "used",
        "today",
        "verdicts of compilers: 0 B",
    ] {
        assert!(stdout.contains(part), "{part}: {stdout}");
    }

    // Nothing here is old, and there is room.
    let told = cache(&project, &["--older-than", "1", "--prune", "1GB"]);
    assert_eq!(told["vectors"]["forgotten"], 0);
    let told = cache(&project, &["--forget", &short]);
    assert_eq!(
        (&told["vectors"]["forgotten"], names(&told)),
        (&json!(4), vec![&*long])
    );
    // Its answers are asked for again, and only with the old ones gone.
    fs::remove_dir_all(project.path("eval")).unwrap();
    let again = eval(&project, &short);
    assert_eq!(
        again["ledger"][&short]["texts"], 4,
        "forgotten is forgotten"
    );
    let told = cache(&project, &["--prune", "0"]);
    assert_eq!(
        (&told["vectors"]["forgotten"], names(&told).len()),
        (&json!(8), 0)
    );
    assert!(path.exists());
}

#[test]
fn what_cannot_be_forgotten_is_told() {
    let project = Project::empty();
    for (arguments, code, said) in [
        (
            vec!["--forget", "openai:x"],
            4,
            "the cache has nothing for a model `openai:x`",
        ),
        (
            vec!["--no-cache"],
            4,
            "caching is off, or the cache folder was not found",
        ),
        (vec!["--prune", "many"], 2, "unknown unit"),
        (vec!["--older-than", "soon"], 2, "--older-than"),
    ] {
        let ended = project.run(&[vec!["cache"], arguments].concat());
        assert_eq!(ended.code, Some(code), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{}", ended.stderr);
    }
    // Another program's file is left alone.
    project.write("cache/barecode/vectors.sqlite", "no database");
    let ended = project.run(&["cache", "--prune", "0"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert_eq!(
        fs::read(project.path("cache/barecode/vectors.sqlite")).unwrap(),
        b"no database"
    );
}

#[test]
fn a_cache_that_cannot_be_written_serves_what_it_holds() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::empty();
    let rows = json!([
        { "query_id": "q1", "query_text": "copy bytes", "code_id": "c1", "code_text": "int f;", "relevance": 1 },
    ]);
    project.write("set.json", rows.to_string());
    let model = model("[1, 0]");
    eval(&project, &model);
    let folder = project.path("cache/barecode");
    let allow = |mode| {
        for path in [folder.join("vectors.sqlite"), folder.clone()] {
            let mode = if path.is_dir() { mode | 0o111 } else { mode };
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    allow(0o444);
    let run = |set: &str| {
        let usual = project.command(&["eval", set, "--model", &model, "--json"]);
        Ended::of(&project.without_rights(&usual).output().unwrap())
    };
    // The same texts in another dataset, so that no list of them is current.
    project.write("same.json", rows.to_string());
    let again = run("same.json");
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let told: Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(told["ledger"][&model]["cache-hits"], 2);
    // What is new was asked for and cannot be kept.
    project.write("other.json", rows.to_string().replace("bytes", "words"));
    let other = run("other.json");
    allow(0o644);
    assert_eq!(other.code, Some(4), "{}", other.stderr);
    assert!(
        other.stderr.contains("both must be writable"),
        "{}",
        other.stderr
    );
}
