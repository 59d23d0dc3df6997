use crate::project::{Ended, Project};

#[test]
fn list_tells_what_would_be_done_and_does_nothing() {
    let project = Project::new();
    let ended = project.run(&["list", "recipe.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended
            .stdout
            .contains("extract   01-functions  2 shards to do, 0 current"),
        "{}",
        ended.stdout
    );
    assert!(
        ended
            .stdout
            .contains("check     02-units      depends on the stages before it"),
        "{}",
        ended.stdout
    );
    assert!(!project.path("runs").exists(), "list makes no folder");
    project.build();
    let ended = project.run(&["list", "recipe.toml"]);
    assert!(!ended.stdout.contains("to do"), "{}", ended.stdout);
    assert!(
        ended
            .stdout
            .contains("report    08-report     current (2 shards)"),
        "{}",
        ended.stdout
    );
}

#[test]
fn list_as_json_has_every_stage() {
    let project = Project::new();
    let ended = project.run(&["list", "recipe.toml", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(value["stages"].as_array().unwrap().len(), 8);
    assert_eq!(value["stages"][0]["to_do"], 2);
    assert!(value["stages"][1]["to_do"].is_null());
}

/// A recipe whose compiler is not there either: what is said about it would be said too late.
fn recipe(source: &str, model: &str) -> String {
    format!(
        "name = \"shelf\"\n[[source]]\nfrom = \"{source}\"\n[check]\ncompiler = \"no-such-gcc\"\n\
         [[retriever]]\nkind = \"dense\"\nname = \"m\"\nmodel = \"{model}\"\n"
    )
}

#[test]
fn what_is_not_there_is_refused_before_anything_runs() {
    let project = Project::new();
    for (source, model, said) in [
        ("path:shelf", "local:nowhere", "no folder `"),
        (
            "path:shelf",
            "hf:nope/nope",
            "the hub at http://127.0.0.1:9",
        ),
        ("path:nowhere", "local:nowhere", "no such folder"),
        ("archive:a.zip", "local:nowhere", "no such file"),
        ("git:nowhere", "local:nowhere", "not an address"),
    ] {
        project.write("recipe.toml", recipe(source, model));
        for verb in [&["build"][..], &["list"]] {
            let mut arguments = verb.to_vec();
            arguments.push("recipe.toml");
            let mut command = project.command(&arguments);
            command
                .env("HF_ENDPOINT", "http://127.0.0.1:9")
                .env("HF_HOME", project.path("hub"));
            let ended = Ended::of(&command.output().unwrap());
            assert!(
                ended.stderr.contains(said) && !ended.stderr.contains("no-such-gcc"),
                "{verb:?}: {}",
                ended.stderr
            );
            assert_ne!(ended.code, Some(0), "{verb:?} {source} {model}");
            assert!(!project.path("runs/shelf/01-functions").exists());
        }
    }
    // What can be done without is not refused, and neither is a finished stage.
    let optional = recipe("path:shelf", "local:nowhere").replace(
        "[check]",
        "[[source]]\nfrom = \"path:nowhere\"\noptional = true\n[check]",
    );
    project.write("recipe.toml", optional);
    let ended = project.run(&["list", "recipe.toml"]);
    assert!(ended.stderr.contains("no folder `"), "{}", ended.stderr);
}
