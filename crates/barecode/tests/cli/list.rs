use crate::project::Project;

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
            .contains("report    08-report     current (1 shards)"),
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
