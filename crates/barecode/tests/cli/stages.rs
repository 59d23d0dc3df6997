use crate::project::{Project, assert_same};

const VERBS: [&str; 8] = [
    "extract", "check", "vary", "query", "assemble", "retrieve", "score", "report",
];

#[test]
fn the_eight_verbs_one_by_one_leave_what_build_leaves() {
    let (by_step, at_once) = (Project::new(), Project::new());
    for verb in VERBS {
        let ended = by_step.run(&[verb, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{verb}: {}", ended.stderr);
    }
    at_once.build();
    assert_same(&by_step.bytes(), &at_once.bytes());
}

#[test]
fn a_stage_whose_input_is_not_there_names_the_verb_to_run_first() {
    let project = Project::new();
    let ended = project.run(&["check", "recipe.toml"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains("the stage `extract` is not current: 2 of 2 shards are to do"),
        "{}",
        ended.stderr
    );
    assert!(
        ended.stderr.contains("hint: run `barecode extract`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn queries_do_not_wait_for_variants() {
    let project = Project::new();
    for verb in ["extract", "check", "query"] {
        let ended = project.run(&[verb, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{verb}: {}", ended.stderr);
    }
    let ended = project.run(&["assemble", "recipe.toml"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended.stderr.contains("hint: run `barecode vary`"),
        "{}",
        ended.stderr
    );
}

#[test]
fn report_prints_the_path_of_the_page_and_nothing_else() {
    let project = Project::new();
    project.build();
    let ended = project.run(&["report", "recipe.toml", "--quiet"]);
    assert_eq!(ended.stdout, "runs/shelf/08-report/index.html\n");
}
