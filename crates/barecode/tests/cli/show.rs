use serde_json::Value;

use crate::project::Project;

fn show(project: &Project, id: &str) -> Value {
    let ended = project.run(&["show", id, "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

/// The id of a query that stands on the page.
fn some_query(project: &Project) -> String {
    let page = std::fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    let (_, after) = page.split_once("<code>q-").unwrap();
    format!("q-{}", after.chars().take(16).collect::<String>())
}

#[test]
fn any_id_of_a_line_shows_the_whole_line() {
    let project = Project::new();
    project.build();
    let by_query = show(&project, &some_query(&project));
    assert_eq!(by_query["queries"].as_array().unwrap().len(), 1);
    assert_eq!(
        by_query["variants"].as_array().unwrap().len(),
        4,
        "standard, neutralized, two draws"
    );
    assert!(!by_query["ranks"].as_array().unwrap().is_empty());
    let ids = [
        &by_query["function"]["id"],
        &by_query["unit"]["id"],
        &by_query["variants"][2]["id"],
    ];
    for id in ids {
        assert_eq!(
            show(&project, id.as_str().unwrap())["queries"],
            by_query["queries"],
            "{id}"
        );
    }
}

#[test]
fn a_function_is_found_by_its_name() {
    let project = Project::new();
    project.build();
    let by_query = show(&project, &some_query(&project));
    let name = by_query["function"]["qualified_name"].as_str().unwrap();
    assert_eq!(show(&project, name)["function"], by_query["function"]);
    let missing = project.run(&["show", "no_such_function", "recipe.toml"]);
    assert_eq!(missing.code, Some(4), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("no function `no_such_function`"),
        "{}",
        missing.stderr
    );
}

#[test]
fn show_for_people_has_code_and_ranks_and_color_on_request() {
    let project = Project::new();
    project.build();
    let query = some_query(&project);
    let plain = project.run(&["show", &query, "--run", "runs/shelf"]);
    assert!(
        plain.stdout.contains("rank of the answer, bm25 in "),
        "{}",
        plain.stdout
    );
    assert!(!plain.stdout.contains('\u{1b}'));
    let colored = project.run(&["show", &query, "--run", "runs/shelf", "--color", "always"]);
    assert!(
        colored.stdout.contains("\u{1b}[35m"),
        "keywords have a color"
    );
}

#[test]
fn an_unknown_id_is_refused() {
    let project = Project::new();
    project.build();
    let unknown = project.run(&["show", "u-0000000000000000", "recipe.toml"]);
    assert_eq!(unknown.code, Some(4));
    let no_id = project.run(&["show", "ring.c", "recipe.toml"]);
    assert_eq!(no_id.code, Some(4));
    assert!(
        no_id.stderr.contains("ids start with f-"),
        "{}",
        no_id.stderr
    );
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let project = Project::new();
    let ended = project.run(&["show", "u-0000000000000000", "--run", "extra"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.contains("`extra` is not a run folder"),
        "{}",
        ended.stderr
    );
}
