//! A repository of Python under other names: the examples of its docstrings give what they gave.
//!
//! `BARECODE_DOCTESTS` names a checkout, such as one of `TheAlgorithms/Python`.

use std::path::{Path, PathBuf};

use barecode_python::{Applying, Context, apply};
use barecode_testing::needs;

use crate::common::run_doctests;
use crate::rename_programs::strategies;

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("BARECODE_DOCTESTS is a folder")
        .map(|entry| entry.expect("the folder can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "py") {
            found.push(path);
        }
    }
}

#[test]
fn examples_of_a_repository_give_the_same() {
    let Ok(folder) = std::env::var("BARECODE_DOCTESTS") else {
        needs::not_here("BARECODE_DOCTESTS names no checkout with doctests");
        return;
    };
    let mut paths = Vec::new();
    files(Path::new(&folder), &mut paths);
    let texts: Vec<(PathBuf, String)> = paths
        .into_iter()
        .filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)))
        .filter(|(_, text)| text.contains(">>>"))
        .collect();
    let originals: Vec<String> = texts.iter().map(|(_, text)| text.clone()).collect();
    let Some(before) = run_doctests(&originals, &folder) else {
        return;
    };
    let usable: Vec<usize> = (0..texts.len())
        .filter(|index| before[*index].error.is_none() && !before[*index].printed.is_empty())
        .collect();
    println!(
        "{} files with examples, {} can be run",
        texts.len(),
        usable.len()
    );
    let (mut compared, mut wrong) = (0, Vec::new());
    for strategy in [strategies()[0], strategies()[5]] {
        let renamed = |index: &usize| {
            let applying = Applying {
                sample_p: 1.0,
                seed: 1,
            };
            let made = apply(&strategy, &originals[*index], &Context::default(), applying);
            made.ok().flatten().map(|made| (*index, made))
        };
        let made: Vec<_> = usable.iter().filter_map(renamed).collect();
        let symbols: u32 = made
            .iter()
            .map(|(_, (_, applied, _))| applied.applied)
            .sum();
        let after: Vec<String> = made.iter().map(|(_, (text, ..))| text.clone()).collect();
        let after = run_doctests(&after, &folder).unwrap();
        compared += made.len();
        println!("{strategy:?}: {} files, {symbols} symbols", made.len());
        for ((index, _), after) in made.iter().zip(after) {
            if after != before[*index] {
                let path = texts[*index].0.display();
                wrong.push(format!("{path}: {:?} {after:?}", before[*index]));
            }
        }
    }
    for wrong in &wrong {
        println!("{wrong}");
    }
    assert!(
        wrong.len() * 1000 <= compared,
        "{} of {compared}",
        wrong.len()
    );
}
