//! Damaged files of a finished run: `build` makes each again or refuses, and `verify` names each.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use barecode_testing::needs::is_long;
use serde_json::Value;

use crate::project::{Project, assert_same, copy, files_of, program};

/// One source of one file, two settings, one retriever: few files, and all kinds of them.
const SMALL: &str = r#"
name = "shelf"
seed = 7

[[source]]
from = "path:extra"

[settings]
names = ["standard", "randomized"]
randomized-seeds = 1

[[retriever]]
name = "bm25"
kind = "bm25"
tokenizer = "code"

[scores]
measures = ["nDCG@10"]
resamples = 50
"#;

/// Kinds of damage to a file. `make test` does three of them to the files of a round, and the next three to those of
/// the next round; `make test-long` does all.
const DAMAGES: [&str; 7] = [
    "cut", "flipped", "emptied", "digit", "head", "longer", "removed",
];

fn small() -> Project {
    let project = Project::new();
    project.write("recipe.toml", SMALL);
    project.build();
    project
}

/// The damages of the files of a round.
fn damages_of(round: usize) -> impl Iterator<Item = &'static str> {
    let taken = if is_long() { DAMAGES.len() } else { 3 };
    let from = round * taken;
    (from..from + taken).map(|at| DAMAGES[at % DAMAGES.len()])
}

/// Damages a file in one of the ways.
fn damage(path: &Path, how: &str) {
    let mut bytes = fs::read(path).unwrap();
    let middle = bytes.len() / 2;
    match how {
        // The end of a table's footer is gone.
        "cut" => bytes.truncate(bytes.len() - 9),
        "flipped" => bytes[middle] ^= 0x01,
        "emptied" => bytes.clear(),
        "head" => bytes[5] ^= 0x20,
        "longer" => bytes.push(b'\n'),
        "digit" => {
            let mut places = (middle..bytes.len()).chain(0..middle);
            let at = places.find(|at| bytes[*at].is_ascii_digit()).unwrap();
            bytes[at] = if bytes[at] == b'9' {
                b'3'
            } else {
                bytes[at] + 1
            };
        }
        "removed" => return fs::remove_file(path).unwrap(),
        other => panic!("{other}"),
    }
    fs::write(path, bytes).unwrap();
}

/// What `verify` says, and how it ends.
fn verify(project: &Project) -> (Option<i32>, Value) {
    let ended = project.run(&["verify", "runs/shelf", "--json"]);
    let said = serde_json::from_str(&ended.stdout);
    (ended.code, said.unwrap_or_else(|_| ended.stderr.into()))
}

fn names(said: &Value) -> Vec<&str> {
    let list = said.as_array().unwrap().iter();
    list.map(|name| name.as_str().unwrap()).collect()
}

#[test]
fn each_damage_of_each_file_is_named_and_mended() {
    let project = small();
    let run = project.path("runs/shelf");
    let before = project.bytes();
    let (code, said) = verify(&project);
    assert_eq!(code, Some(0), "{said}");
    // All but the manifest and the lock.
    assert_eq!(said["files"], before.len() - 2);
    for (round, mut damaged) in rounds(&before).into_iter().enumerate() {
        damaged.sort();
        for how in damages_of(round) {
            for name in &damaged {
                damage(&run.join(name), how);
            }
            let (code, said) = verify(&project);
            assert_eq!(code, Some(4), "{how}: {said}");
            let kind = if how == "removed" {
                "missing"
            } else {
                "damaged"
            };
            assert_eq!(names(&said[kind]), damaged, "{how}");
            assert_eq!(names(&said["foreign"]), Vec::<&str>::new());
            let ended = project.run(&["build", "recipe.toml"]);
            assert_eq!(ended.code, Some(0), "{how}: {}", ended.stderr);
            for name in damaged.iter().filter(|_| how != "removed") {
                let said = format!("{name}` is damaged, and is made again");
                assert!(ended.stderr.contains(&said), "{how}: {}", ended.stderr);
            }
            assert_same(&before, &project.bytes());
            assert_eq!(verify(&project).0, Some(0), "{how}");
        }
    }
}

#[test]
fn a_damaged_manifest_vouches_for_nothing_and_is_written_again() {
    let project = small();
    let path = project.path("runs/shelf/manifest.json");
    let before = project.bytes();
    for how in ["cut", "emptied", "removed"] {
        damage(&path, how);
        let (code, said) = verify(&project);
        assert_eq!(code, Some(4), "{how}: {said}");
        assert!(said.as_str().unwrap().contains("manifest"), "{how}: {said}");
        project.build();
        assert_same(&before, &project.bytes());
        assert_eq!(verify(&project).0, Some(0));
    }
    // A digest that is another is one of a file that is not there.
    let text = fs::read_to_string(&path).unwrap();
    let (_, digest) = text.split_once("05-dataset/README.md\": \"").unwrap();
    let digest = digest.get(..64).unwrap();
    let changed: String = digest.chars().rev().collect();
    fs::write(&path, text.replace(digest, &changed)).unwrap();
    let (code, said) = verify(&project);
    assert_eq!(
        (code, names(&said["damaged"])),
        (Some(4), vec!["05-dataset/README.md"])
    );
    project.build();
    assert_same(&before, &project.bytes());
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    // A name that leads out of the run is not followed.
    fs::write(
        &path,
        text.replace("05-dataset/README.md", "../recipe.toml"),
    )
    .unwrap();
    let (code, said) = verify(&project);
    assert_eq!(code, Some(4), "{said}");
    assert!(
        said.as_str().unwrap().contains("`../recipe.toml`"),
        "{said}"
    );
}

#[test]
fn a_file_that_the_manifest_does_not_know_is_foreign() {
    let project = small();
    project.write("runs/shelf/05-dataset/notes.txt", "mine");
    project.write("runs/shelf/08-report/index.html.partial", "half");
    let ended = project.run(&["verify", "runs/shelf"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let listed = "foreign  05-dataset/notes.txt\nforeign  08-report/index.html.partial\n";
    assert!(ended.stdout.starts_with(listed), "{}", ended.stdout);
    assert!(ended.stderr.contains("hint: "), "{}", ended.stderr);
    let elsewhere = project.run(&["verify", "extra"]);
    assert_eq!(elsewhere.code, Some(4));
    assert!(
        elsewhere.stderr.contains("is not a run folder"),
        "{}",
        elsewhere.stderr
    );
}

#[test]
fn what_is_damaged_is_not_published() {
    let project = small();
    let release = || {
        project
            .run(&["release", "runs/shelf/05-dataset", "out", "--name", "x"])
            .stderr
    };
    assert!(release().contains("missing: "), "{}", release());
    damage(&project.path("runs/shelf/05-dataset/README.md"), "digit");
    let said = release();
    assert!(
        said.contains("1 of ") && said.contains("05-dataset/README.md`"),
        "{said}"
    );
    // What is damaged elsewhere in the run is not published.
    project.build();
    damage(&project.path("runs/shelf/08-report/index.html"), "cut");
    assert!(release().contains("missing: "), "{}", release());
}

#[test]
fn a_ledger_that_was_changed_is_named_and_nothing_vouches_for_it() {
    let project = Project::new();
    crate::dense::model(&project, "bert");
    project.write("recipe.toml", SMALL.to_owned() + crate::dense::DENSE);
    project.build();
    let ledger = project.path("runs/shelf/06-runs/ledger.json");
    let whole = fs::read(&ledger).unwrap();
    assert_eq!(verify(&project).0, Some(0));
    for how in DAMAGES {
        damage(&ledger, how);
        for _ in 0..2 {
            let (code, said) = verify(&project);
            let kind = if how == "removed" {
                "missing"
            } else {
                "damaged"
            };
            assert_eq!(
                (code, names(&said[kind])),
                (Some(4), vec!["06-runs/ledger.json"]),
                "{how}"
            );
            let ended = project.run(&["build", "recipe.toml"]);
            assert_eq!(ended.code, Some(0), "{}", ended.stderr);
            let noted = ended
                .stderr
                .contains("06-runs/ledger.json` is not as it was written");
            assert_eq!(noted, how != "removed", "{how}: {}", ended.stderr);
        }
        fs::write(&ledger, &whole).unwrap();
        assert_eq!(verify(&project).0, Some(0));
    }
    // Who works adds to it, and the manifest knows.
    fs::remove_dir_all(project.path("runs/shelf/06-runs/tiny")).unwrap();
    project.build();
    assert_ne!(fs::read(&ledger).unwrap(), whole);
    assert_eq!(verify(&project).0, Some(0));
}

/// The stages' files of a run, one of each stage at a time: what is found in one hides nothing of another.
fn rounds(run: &BTreeMap<String, Vec<u8>>) -> Vec<Vec<&String>> {
    let mut stages: BTreeMap<&str, Vec<&String>> = BTreeMap::new();
    for name in run.keys() {
        if let Some((stage, _)) = name.split_once('/') {
            stages.entry(stage).or_default().push(name);
        }
    }
    assert_eq!(stages.len(), 8);
    let most = stages.values().map(Vec::len).max().unwrap();
    let rounds = (0..most).map(|number| {
        let files = stages.values().filter_map(|files| files.get(number));
        files.copied().collect()
    });
    rounds.collect()
}

#[test]
fn no_damage_is_believed_by_a_recipe_with_one_more_setting() {
    let project = small();
    let before = project.bytes();
    copy(&project.path("runs/shelf"), &project.path("kept"));
    let more = SMALL.replace("\"randomized\"]", "\"randomized\", \"neutralized\"]");
    project.write("recipe.toml", &more);
    project.build();
    let expected = project.bytes();
    let mut damages = 0;
    for (round, files) in rounds(&before).into_iter().enumerate() {
        for how in damages_of(round) {
            fs::remove_dir_all(project.path("runs/shelf")).unwrap();
            copy(&project.path("kept"), &project.path("runs/shelf"));
            for name in &files {
                damage(&project.path("runs/shelf").join(name), how);
                damages += 1;
            }
            project.build();
            assert_same(&expected, &project.bytes());
            assert_eq!(verify(&project).0, Some(0), "{how}: {files:?}");
        }
    }
    assert!(damages >= if is_long() { 200 } else { 85 }, "{damages}");
}

#[test]
fn no_damage_of_a_cache_changes_a_run() {
    let project = Project::new();
    crate::dense::model(&project, "bert");
    let lib = project.path("extra");
    for arguments in [
        &["init", "--quiet"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@example.org",
            "commit",
            "--quiet",
            "-m",
            "one",
        ],
    ] {
        let done = program("git").arg("-C").arg(&lib).args(arguments).status();
        assert!(done.unwrap().success());
    }
    let recipe = SMALL.replace("path:extra", "git:extra");
    project.write("recipe.toml", recipe + crate::dense::DENSE);
    project.build();
    // What is in a cache is not asked for, and the ledger says so.
    let of_run = || {
        let mut bytes = project.bytes();
        bytes.remove("06-runs/ledger.json");
        bytes
    };
    let expected = of_run();
    copy(&project.path("cache"), &project.path("kept"));
    let caches = files_of(&project.path("kept"));
    let named = |part: &str| caches.keys().any(|name| name.contains(part));
    assert!(named("vectors") && named("history"), "{:?}", caches.keys());
    let (mut damages, mut refusals) = (0, 0);
    for (name, bytes) in &caches {
        // Spread over the file; the last is a cut.
        for number in (0..=12).step_by(if is_long() { 1 } else { 2 }) {
            fs::remove_dir_all(project.path("runs")).unwrap();
            fs::remove_dir_all(project.path("cache")).unwrap();
            copy(&project.path("kept"), &project.path("cache"));
            let mut damaged = bytes.clone();
            let at = bytes.len() * number / 12;
            match damaged.get_mut(at) {
                Some(byte) => *byte ^= 1 << (number % 8),
                None => damaged.truncate(bytes.len() * 2 / 3),
            }
            fs::write(project.path("cache").join(name), damaged).unwrap();
            damages += 1;
            let ended = project.run(&["build", "recipe.toml"]);
            if ended.code == Some(4) {
                // What was paid for is not thrown away without a word.
                let said =
                    ended.stderr.contains("vectors.sqlite") && ended.stderr.contains("hint: ");
                assert!(said, "{name} at {at}: {}", ended.stderr);
                refusals += 1;
                fs::create_dir_all(project.path("runs")).unwrap();
                continue;
            }
            assert_eq!(ended.code, Some(0), "{name} at {at}: {}", ended.stderr);
            assert_same(&expected, &of_run());
        }
    }
    assert!(
        damages > 15 && refusals < damages / 2,
        "{refusals} of {damages}"
    );
}
