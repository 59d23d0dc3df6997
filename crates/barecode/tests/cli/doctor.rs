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
fn doctor_names_the_interpreter_of_programs_and_tries_its_sandbox() {
    let project = Project::new();
    let ended = project.run(&["doctor"]);
    let (_, section) = ended.stdout.split_once("\nPython programs\n").unwrap();
    let (section, _) = section.split_once("\n\n").unwrap();
    let lines: Vec<&str> = section.lines().map(str::trim).collect();
    assert!(lines[0].starts_with("CPython 3."), "{section}");
    for lock in ["landlock", "seccomp", "namespaces"] {
        assert!(lines.iter().any(|line| line.starts_with(lock)), "{section}");
    }
    assert!(section.contains("10 of 10 attacks stopped"), "{section}");
    let json = project.run(&["doctor", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(json["python"]["not_stopped"], serde_json::json!([]));

    // What a machine without an interpreter is told.
    let without = crate::project::Ended::of(
        &project
            .command(&["doctor"])
            .env("PATH", "/nonexistent")
            .output()
            .unwrap(),
    );
    let told = "not ready: Python interpreter `python3` not found\n  to mend it: apt-get install";
    assert!(without.stdout.contains(told), "{}", without.stdout);
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
    let line = "apt-get install -y $package";
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
