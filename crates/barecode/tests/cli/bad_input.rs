use std::fs;
use std::io::Write;

use crate::project::{Ended, Project, RECIPE};

/// How many things of a kind a stage set aside for a reason.
fn set_aside(account: &serde_json::Value, stage: &str, kind: &str, reason: &str) -> u64 {
    account["stages"][stage]["counts"][kind]["set_aside"][reason]
        .as_u64()
        .unwrap_or(0)
}

#[test]
fn a_missing_compiler_is_exit_code_5_with_what_installs_it() {
    let project = Project::new();
    project.write(
        "recipe.toml",
        format!("{RECIPE}\n[check]\ncompiler = \"no-such-gcc\"\n"),
    );
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("no-such-gcc") && ended.stderr.contains("hint: "),
        "{}",
        ended.stderr
    );
}

#[test]
fn a_source_that_is_not_there_is_exit_code_4_with_its_path() {
    let project = Project::new();
    project.write("recipe.toml", RECIPE.replace("path:extra", "path:extar"));
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("extar"), "{}", ended.stderr);
}

#[test]
fn a_folder_that_may_not_be_read_is_exit_code_4() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    let extra = project.path("extra");
    fs::set_permissions(&extra, fs::Permissions::from_mode(0o000)).unwrap();
    // Root may read every folder, unless it gives that right away.
    let usual = project.command(&["build", "recipe.toml"]);
    let mut command = if fs::read_dir(&extra).is_ok() {
        project.without_rights(&usual)
    } else {
        usual
    };
    let ended = Ended::of(&command.output().unwrap());
    fs::set_permissions(&extra, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("extra"), "{}", ended.stderr);
}

#[test]
fn a_file_that_is_not_utf_8_is_set_aside_and_the_run_goes_on() {
    let project = Project::new();
    project.write(
        "extra/latin.c",
        b"/* gr\xfc\xdfe */\nint greet(void) { return '\xfc'; }\n",
    );
    // In a comment it does no harm.
    project.write(
        "extra/comment.c",
        b"/* gr\xfc\xdfe */\nint leave(void) { return 1; }\n",
    );
    let account = project.build();
    assert_eq!(set_aside(&account, "extract", "files", "file_not_utf8"), 1);
}

#[test]
fn a_generated_source_of_50_megabytes_is_set_aside() {
    let project = Project::new();
    let mut file = fs::File::create(project.path("extra/generated.c")).unwrap();
    let line = "static const unsigned char bytes_of_a_picture[] = { 0x00, 0x01, 0x02, 0x03 };\n"
        .repeat(1000);
    for _ in 0..(50_000_000 / line.len()) {
        file.write_all(line.as_bytes()).unwrap();
    }
    drop(file);
    let ended = project.run(&["extract", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        set_aside(&account, "extract", "files", "file_too_large"),
        1,
        "{}",
        ended.stdout
    );
}

#[test]
fn a_function_that_does_not_compile_is_set_aside_with_the_compilers_words() {
    let project = Project::new();
    project.write(
        "extra/broken.c",
        "int broken(int a) { return a + undeclared_somewhere; }\n",
    );
    let account = project.build();
    let aside = account["stages"]["check"]["counts"]["functions"]["set_aside"]
        .as_object()
        .unwrap();
    assert!(!aside.is_empty(), "{account}");
}

#[test]
fn a_folder_with_other_things_is_not_taken_for_a_run() {
    let project = Project::new();
    let ended = project.run(&["build", "recipe.toml", "--out", "shelf"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended
            .stderr
            .contains("`shelf` contains other files than a run's"),
        "{}",
        ended.stderr
    );
    assert!(!project.path("shelf/barecode.lock").exists());
}

#[test]
fn a_damaged_table_is_made_anew() {
    let project = Project::new();
    project.build();
    let before = project.bytes();
    let path = project.path("runs/shelf/02-units/part-00001.parquet");
    let half = fs::metadata(&path).unwrap().len() / 2;
    fs::OpenOptions::new()
        .write(true)
        .open(&path)
        .unwrap()
        .set_len(half)
        .unwrap();
    project.build();
    crate::project::assert_same(&before, &project.bytes());
}
