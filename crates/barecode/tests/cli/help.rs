use std::io::Read;

use crate::project::Project;

const COMMANDS: [&str; 33] = [
    "build",
    "extract",
    "choose",
    "check",
    "vary",
    "query",
    "assemble",
    "retrieve",
    "score",
    "report",
    "list",
    "verify",
    "show",
    "stats",
    "audit",
    "eval",
    "train",
    "classify",
    "cache",
    "compare",
    "board",
    "robustness",
    "shift",
    "study",
    "review",
    "conform",
    "convert",
    "release",
    "pairs",
    "doctor",
    "demo",
    "try",
    "completions",
];

#[test]
fn every_command_has_help_with_an_example() {
    let project = Project::new();
    for command in COMMANDS {
        let ended = project.run(&[command, "--help"]);
        assert_eq!(ended.code, Some(0));
        assert!(
            ended.stdout.contains("Example"),
            "{command}: {}",
            ended.stdout
        );
        assert!(
            ended.stdout.contains(&format!("barecode {command}")),
            "{command}: {}",
            ended.stdout
        );
    }
}

#[test]
fn help_lists_the_exit_codes_and_the_commands() {
    let help = Project::new().run(&["help", "--all"]).stdout;
    for line in [
        "  5  a needed tool is missing",
        "  6  a file cannot be written",
        "130  interrupted",
    ] {
        assert!(help.contains(line), "{line}: {help}");
    }
    assert!(
        COMMANDS.iter().all(|command| help.contains(command)),
        "{help}"
    );
}

#[test]
fn help_has_what_most_people_need_first() {
    let project = Project::new();
    let help = project.run(&["--help"]).stdout;
    assert!(help.lines().count() <= 40, "{help}");
    assert!(
        help.lines().all(|line| line.chars().count() <= 100),
        "{help}"
    );
    assert!(
        COMMANDS.iter().all(|command| help.contains(command)),
        "{help}"
    );
    let place = |text: &str| help.find(text).unwrap_or_else(|| panic!("{text}: {help}"));
    let order = [
        "\nStart:\n  try ",
        "\n  doctor ",
        "\nLook:\n",
        "\nScore:\n",
        "\nPeople:\n",
    ];
    let order = order.map(place);
    assert!(order.is_sorted(), "{help}");
    assert!(!help.contains("Options of every command:"), "{help}");
    let all = project.run(&["--help", "--all"]).stdout;
    assert_eq!(all, project.run(&["help", "--all"]).stdout);
    let place = |text: &str| all.find(text).unwrap_or_else(|| panic!("{text}: {all}"));
    assert!(
        place("\n  extract ") < place("Options of every command:"),
        "{all}"
    );
    // `help VERB` is the same as `VERB --help`, and `-h` leaves out what every command has.
    let of_verb = project.run(&["try", "--help"]);
    let asked = project.run(&["help", "try"]);
    assert_eq!((asked.code, &asked.stdout), (Some(0), &of_verb.stdout));
    assert!(of_verb.stdout.contains("--no-cache"));
    assert!(!project.run(&["try", "-h"]).stdout.contains("--no-cache"));
}

#[test]
fn a_wrong_command_line_is_exit_code_2() {
    let project = Project::new();
    assert_eq!(project.run(&["biuld"]).code, Some(2));
    assert_eq!(
        project
            .run(&["build", "recipe.toml", "--threads", "0"])
            .code,
        Some(2)
    );
}

#[test]
fn completions_know_the_commands() {
    let ended = Project::new().run(&["completions", "fish"]);
    assert!(ended.stdout.contains("assemble"), "{}", ended.stdout);
    for known in ["nDCG@10", "structural", "assembly-o2"] {
        assert!(ended.stdout.contains(known), "{known}: {}", ended.stdout);
    }
    // Files are offered for what is a path, and for nothing else.
    let option = |name: &str| {
        let mut lines = ended.stdout.lines();
        let line = lines.find(|line| line.contains("using_subcommand eval") && line.contains(name));
        line.unwrap_or_else(|| panic!("{name}: {}", ended.stdout))
    };
    let offers_files = |line: &str| line.ends_with("-r -F") || line.contains(" -r -F");
    assert!(
        offers_files(option("-l models ")),
        "{}",
        option("-l models ")
    );
    assert!(
        !offers_files(option("-l measure ")),
        "{}",
        option("-l measure ")
    );
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let project = Project::new();
    let mut child = project.start(&["completions", "zsh"]);
    drop(child.stdout.take());
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(
        (child.wait().unwrap().code(), stderr.as_str()),
        (Some(0), "")
    );
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let project = Project::new();
    let ended = project.run(&["manual", "man"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for command in COMMANDS {
        let page = std::fs::read_to_string(project.path(&format!("man/barecode-{command}.1")));
        let page = page.expect("each command has a page");
        assert!(
            page.contains(".SH SYNOPSIS") && page.contains("Example"),
            "{command}"
        );
    }
}
