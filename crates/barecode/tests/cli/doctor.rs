use crate::project::Project;

#[test]
fn doctor_names_the_compiler_and_the_settings() {
    let project = Project::new();
    let ended = project.run(&["doctor"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("gcc"), "{}", ended.stdout);
    let is_ready = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words == ["randomized", "ready"]
    };
    assert!(ended.stdout.lines().any(is_ready), "{}", ended.stdout);
    let confined = "Confinement\n  landlock: compilers read their own files only\n";
    assert!(ended.stdout.contains(confined), "{}", ended.stdout);
}

#[test]
fn doctor_without_a_compiler_gives_the_line_that_installs_it() {
    let project = Project::new();
    let ended = crate::project::Ended::of(
        &project
            .command(&["doctor"])
            .env("PATH", "/nonexistent")
            .output()
            .unwrap(),
    );
    assert_eq!(ended.code, Some(5), "{}", ended.stdout);
    let hint = ended.stderr.lines().find(|line| line.contains("hint: "));
    let line = "sudo apt-get install -y $package";
    let hint = hint.unwrap_or_default();
    assert!(
        hint.contains("gcc") && hint.contains(line),
        "{}",
        ended.stderr
    );
    let json = project
        .command(&["doctor", "--json"])
        .env("PATH", "/nonexistent")
        .output()
        .unwrap();
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(value["settings"][0]["enabled"], false);
}
