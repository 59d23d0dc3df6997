//! A stage in several shares: one after the other, at the same time, and in folders of their own.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::project::{Ended, Project, assert_same, bytes_of};

const SHARED: [&str; 4] = ["extract", "check", "vary", "query"];

fn tables(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    files.retain(|name, _| name.ends_with(".parquet"));
    files
}

fn done(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

/// Lays the files of one run folder over those of another.
fn join(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            join(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn shares_one_after_the_other_leave_what_build_leaves() {
    let (shared, whole) = (Project::new(), Project::new());
    whole.build();
    for verb in SHARED {
        for share in ["2/2", "1/2"] {
            done(&shared.run(&[verb, "recipe.toml", "--shard", share]));
        }
    }
    assert!(
        !shared.path("runs/shelf/manifest.json").exists(),
        "a share knows nothing of the others, so it writes no manifest"
    );
    done(&shared.run(&["assemble", "recipe.toml"]));
    let listed = shared.run(&["list", "recipe.toml", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.stdout).unwrap();
    assert_eq!(listed["stages"][1]["to_do"], 0);
    let manifest = fs::read_to_string(shared.path("runs/shelf/manifest.json")).unwrap();
    for verb in SHARED {
        assert!(
            manifest.contains(&format!("\"{verb}\": {{")),
            "{verb} is in the manifest"
        );
    }
    shared.build();
    assert_same(&whole.bytes(), &shared.bytes());
}

#[test]
fn a_share_does_its_shards_and_the_rest_is_done_without_a_share() {
    let project = Project::new();
    done(&project.run(&["extract", "recipe.toml", "--shard", "2/2"]));
    assert!(
        !project
            .path("runs/shelf/01-functions/part-00000.parquet")
            .exists()
    );
    let second = project.path("runs/shelf/01-functions/part-00001.parquet");
    let written = fs::metadata(&second).unwrap().modified().unwrap();
    let ended = project.run(&["check", "recipe.toml", "--shard", "1/2"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains("the stage `extract` is not current: 1 of 2 shards are to do"),
        "{}",
        ended.stderr
    );
    let again = project.run(&["extract", "recipe.toml", "--shard", "2/2"]);
    assert!(
        again
            .stderr
            .contains("nothing to do: share 2/2 of `extract` is current"),
        "{}",
        again.stderr
    );
    done(&project.run(&["extract", "recipe.toml"]));
    assert_eq!(written, fs::metadata(&second).unwrap().modified().unwrap());
}

#[test]
fn shares_in_folders_of_their_own_are_joined_by_copying() {
    let (project, whole) = (Project::new(), Project::new());
    whole.build();
    let join_shares = |verb: &str| {
        for (share, out) in [("1/2", "one"), ("2/2", "two")] {
            join(&project.path("runs/shelf"), &project.path(out));
            done(&project.run(&[verb, "recipe.toml", "--shard", share, "--out", out]));
        }
        for out in ["one", "two"] {
            join(&project.path(out), &project.path("runs/shelf"));
        }
    };
    fs::create_dir_all(project.path("runs/shelf")).unwrap();
    SHARED.into_iter().for_each(join_shares);
    let before = tables(files_of(&project));
    assert!(before.len() > 8);
    let account = project.build();
    for verb in SHARED {
        assert_eq!(account["stages"][verb]["worked"], false, "{verb}");
    }
    assert_same(&whole.bytes(), &project.bytes());
    let after = tables(bytes_of(&project.path("runs/shelf")));
    for (name, bytes) in before {
        assert!(after.get(&name) == Some(&bytes), "{name} was done again");
    }
}

fn files_of(project: &Project) -> BTreeMap<String, Vec<u8>> {
    let run = project.path("runs/shelf");
    fs::write(run.join("manifest.json"), "{}").unwrap();
    let files = bytes_of(&run);
    fs::remove_file(run.join("manifest.json")).unwrap();
    files
}

#[test]
fn shares_at_the_same_time_in_one_folder_leave_what_build_leaves() {
    let (shared, whole) = (Project::new(), Project::new());
    whole.build();
    for verb in SHARED {
        let children: Vec<_> = ["1/3", "2/3", "3/3"]
            .map(|share| shared.start(&[verb, "recipe.toml", "--shard", share]))
            .into_iter()
            .collect();
        for child in children {
            done(&Ended::of(&child.wait_with_output().unwrap()));
        }
    }
    let account = shared.build();
    assert_eq!(account["stages"]["check"]["worked"], false);
    assert_same(&whole.bytes(), &shared.bytes());
}

#[test]
fn who_works_without_a_share_and_who_works_with_one_do_not_meet() {
    let project = Project::new();
    done(&project.run(&["extract", "recipe.toml", "--shard", "1/2"]));
    let refused = |arguments: &[&str], says: &str| {
        let ended = project.run(arguments);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    };
    let common = fs::File::open(project.path("runs/shelf/barecode.lock")).unwrap();
    common.lock_shared().unwrap();
    refused(
        &["extract", "recipe.toml"],
        "another barecode is working in this run folder",
    );
    let own = fs::File::open(project.path("runs/shelf/barecode-1-of-2.lock")).unwrap();
    own.lock().unwrap();
    refused(
        &["extract", "recipe.toml", "--shard", "1/2"],
        "another barecode is working on share 1/2",
    );
    refused(
        &["extract", "recipe.toml", "--shard", "2/3"],
        "all processes in one folder must have the same N",
    );
    done(&project.run(&["extract", "recipe.toml", "--shard", "2/2"]));
    drop(common);
    drop(own);
    done(&project.run(&["extract", "recipe.toml"]));
    assert!(
        !project.path("runs/shelf/barecode-1-of-2.lock").exists(),
        "the locks of shares are cleared away"
    );
}

#[test]
fn what_is_no_share_is_refused_with_the_reason() {
    let project = Project::new();
    for (share, says) in [
        ("0/2", "the first share is 1/2"),
        ("3/2", "the last share of 2 is 2/2"),
        ("1/0", "a stage cannot be divided into 0 shares"),
        ("x", "a share is I/N, such as 1/4"),
        ("1/2/3", "a share is I/N, such as 1/4"),
    ] {
        let ended = project.run(&["check", "recipe.toml", "--shard", share]);
        assert_eq!(ended.code, Some(2), "{share}");
        assert!(ended.stderr.contains(says), "{}", ended.stderr);
    }
    assert!(!project.path("runs").exists());
}
