//! A finished run on a machine that has neither the compilers nor the sources nor the network; and files whose bytes
//! are not those that were written.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Ended, Project, RECIPE, assert_same, bytes_of};

/// Runs the binary where no program is found.
fn bare(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = project.command(arguments);
    command.env("PATH", project.path("nothing"));
    Ended::of(&command.output().unwrap())
}

fn done(ended: &Ended) {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

#[test]
fn a_finished_dataset_is_scored_without_compilers_and_sources() {
    let project = Project::new();
    project.build();
    let before = project.bytes();
    fs::rename(project.path("shelf"), project.path("gone")).unwrap();
    fs::rename(project.path("extra"), project.path("gone too")).unwrap();
    for stage in ["06-runs", "07-scores", "08-report"] {
        fs::remove_dir_all(project.path("runs/shelf").join(stage)).unwrap();
    }
    let note = "sources and compilers were not looked at again";
    for verb in ["retrieve", "score", "report"] {
        let ended = bare(&project, &[verb, "recipe.toml"]);
        done(&ended);
        assert!(ended.stderr.contains(note), "{verb}: {}", ended.stderr);
    }
    assert_same(&before, &project.bytes());
    let listed = bare(&project, &["list", "recipe.toml"]);
    done(&listed);
    assert!(!listed.stdout.contains("to do"), "{}", listed.stdout);
    assert!(
        listed
            .stdout
            .contains("current (2 shards, by what is in the folder)"),
        "{}",
        listed.stdout
    );
    assert!(listed.stderr.contains("list --full"), "{}", listed.stderr);
    // What is cheap to look for is missed first: the sources, then the compilers.
    for missing in [4, 5] {
        for verb in ["build", "extract", "check", "vary"] {
            let ended = bare(&project, &[verb, "recipe.toml"]);
            assert_eq!(ended.code, Some(missing), "{verb} looks: {}", ended.stderr);
        }
        let full = bare(&project, &["list", "recipe.toml", "--full"]);
        assert_eq!(
            full.code,
            Some(5),
            "`list` asks the compilers first: {}",
            full.stderr
        );
        for (gone, source) in [("gone", "shelf"), ("gone too", "extra")] {
            if missing == 4 {
                fs::rename(project.path(gone), project.path(source)).unwrap();
            }
        }
    }
}

#[test]
fn another_recipe_is_not_taken_for_the_one_on_the_disk() {
    let project = Project::new();
    project.build();
    let changes = [
        (RECIPE.replace("seed = 7", "seed = 8"), "extract"),
        (RECIPE.replace("path:extra", "path:other"), "extract"),
        (
            format!("{RECIPE}\n[extract]\nmax-file-bytes = 30000\n"),
            "extract",
        ),
        (
            format!("{RECIPE}\n[check]\ncompiler = \"no-such-gcc\"\n"),
            "check",
        ),
        (format!("{RECIPE}\n[check]\nseconds = 3\n"), "check"),
        (
            RECIPE.replace("randomized-seeds = 2", "randomized-seeds = 3"),
            "vary",
        ),
        (format!("{RECIPE}\n[queries]\nmin-words = 9\n"), "query"),
        (
            format!("{RECIPE}\n[dataset]\nnear-duplicates = false\n"),
            "assemble",
        ),
    ];
    for (recipe, stage) in changes {
        project.write("recipe.toml", &recipe);
        let ended = bare(&project, &["score", "recipe.toml"]);
        assert_eq!(ended.code, Some(4), "{recipe}\n{}", ended.stderr);
        let wanted = format!("the stage `{stage}` is not current");
        assert!(ended.stderr.contains(&wanted), "{recipe}\n{}", ended.stderr);
    }
}

#[test]
fn list_asks_no_network_for_a_hundred_repositories() {
    let project = Project::new();
    let mut recipe = String::from("name = \"many\"\n");
    for number in 0..100 {
        writeln!(
            recipe,
            "[[source]]\nfrom = \"git:https://192.0.2.1/nobody/{number}\""
        )
        .unwrap();
    }
    project.write("recipe.toml", recipe);
    // Nobody answers at these addresses, so a single connection would outlast the test.
    let ended = bare(&project, &["list", "recipe.toml"]);
    done(&ended);
    assert!(
        ended.stdout.contains("100 shards to do"),
        "{}",
        ended.stdout
    );
}

/// Every table of some stages, below the run folder.
fn tables(project: &Project, stages: &[&str]) -> Vec<PathBuf> {
    let run = project.path("runs/shelf");
    let files = bytes_of(&run).into_keys();
    let ours = |name: &String| {
        name.ends_with(".parquet") && stages.iter().any(|stage| name.starts_with(stage))
    };
    files.filter(ours).map(|name| run.join(name)).collect()
}

/// Places in a file: some in its pages, some in its footer, and its last eight bytes.
fn places(size: usize, among: usize) -> Vec<usize> {
    let footer = size.saturating_sub(2_500);
    let mut places: Vec<usize> = (0..among).map(|at| at * footer / among).collect();
    places.extend((0..among).map(|at| footer + at * (size - footer) / among));
    places.extend([size - 8, size - 1]);
    places
}

/// Flips a byte at each of the places, and gives each damaged file to `check`.
fn flipped(path: &Path, among: usize, check: &mut impl FnMut(usize)) -> usize {
    let whole = fs::read(path).unwrap();
    let places = places(whole.len(), among);
    for &at in &places {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x01;
        fs::write(path, &bytes).unwrap();
        check(at);
    }
    fs::write(path, &whole).unwrap();
    places.len()
}

/// Either an error that names the file, or what is printed otherwise.
fn same_or_named(ended: &Ended, before: &str, file: &Path, at: usize) {
    if ended.code == Some(0) {
        assert_eq!(ended.stdout, before, "{}, byte {at}", file.display());
    } else {
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        let name = file.file_name().unwrap().to_string_lossy();
        assert!(ended.stderr.contains(&*name), "byte {at}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("hint: ") || ended.stderr.contains("\"hint\":\""),
            "byte {at}: {}",
            ended.stderr
        );
    }
}

#[test]
fn a_flipped_byte_of_units_or_dataset_never_changes_an_answer() {
    let project = Project::new();
    project.build();
    // Counted anew, `stats` reads the units and the pairs; the audit reads units, variants, documents, and queries.
    let units = ["audit", "--run", "runs/shelf", "--json"];
    let dataset = ["audit", "runs/shelf/05-dataset", "--json"];
    let stored = ["stats", "--run", "runs/shelf", "--json"];
    let mut flips = 0;
    for (arguments, stages) in [
        (&units[..], &["02-units"][..]),
        (&dataset[..], &["05-dataset/group1"][..]),
        (&stored[..], &["05-dataset/statistics"][..]),
    ] {
        let before = project.run(arguments);
        done(&before);
        for file in tables(&project, stages) {
            flips += flipped(&file, 5, &mut |at| {
                let ended = project.run(arguments);
                same_or_named(&ended, &before.stdout, &file, at);
            });
        }
    }
    assert!(flips >= 250, "only {flips} bytes were flipped");
}

#[test]
fn a_damaged_table_is_named_by_a_stage_that_reads_it_and_made_anew() {
    let project = Project::new();
    project.build();
    let before = project.bytes();
    for file in [
        "05-dataset/group1-standard/corpus.parquet",
        "06-runs/bm25/group1-standard.parquet",
    ] {
        let path = project.path("runs/shelf").join(file);
        let mut bytes = fs::read(&path).unwrap();
        bytes[60] ^= 0x40;
        fs::write(&path, &bytes).unwrap();
        let scores = project.path("runs/shelf/07-scores/scores.parquet");
        fs::remove_file(&scores).unwrap();
        let ended = bare(&project, &["score", "recipe.toml"]);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        assert!(ended.stderr.contains(file), "{}", ended.stderr);
        assert!(
            ended.stderr.contains("hint: remove the file"),
            "{}",
            ended.stderr
        );
        fs::remove_file(&path).unwrap();
        project.build();
        assert_same(&before, &project.bytes());
    }
    // A table that no stage reads is looked at before the manifest vouches for it.
    let path = project.path("runs/shelf/01-functions/_set-aside/part-00000.parquet");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60] ^= 0x40;
    fs::write(&path, &bytes).unwrap();
    let ended = project.run(&["build", "recipe.toml"]);
    done(&ended);
    let said = "_set-aside/part-00000.parquet` is damaged, and is made again";
    assert!(ended.stderr.contains(said), "{}", ended.stderr);
    assert_same(&before, &project.bytes());
    // In the last table of a shard the ticket is damaged as well.
    let path = project.path("runs/shelf/02-units/part-00000.parquet");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 0x40;
    fs::write(&path, &bytes).unwrap();
    let ended = bare(&project, &["score", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("part-00000.parquet` is damaged"),
        "{}",
        ended.stderr
    );
    project.build();
    assert_same(&before, &project.bytes());
}
