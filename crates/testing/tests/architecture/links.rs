//! Links between the documents: each leads to a file of the repository, and to a heading that is there.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::house::root;

/// All documents, by their path from the root.
fn documents() -> BTreeMap<PathBuf, String> {
    let mut paths = Vec::new();
    for folder in [
        "",
        "docs/src",
        "recipes/structural",
        "crates/queries/prompts",
    ] {
        collect(&root().join(folder), !folder.is_empty(), &mut paths);
    }
    let documents = paths.into_iter().map(|path| {
        let text = fs::read_to_string(&path).unwrap();
        (path.strip_prefix(root()).unwrap().to_owned(), text)
    });
    documents.collect()
}

fn collect(folder: &Path, deep: bool, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && deep {
            collect(&path, deep, into);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            into.push(path);
        }
    }
}

/// The lines that are no code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut in_block = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        in_block ^= is_fence;
        !in_block && !is_fence
    })
}

/// The anchors of a document: of each heading, numbered where several are equal.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for line in prose(text) {
        let Some((_, heading)) = line
            .split_once("# ")
            .filter(|(marks, _)| marks.trim_matches('#').is_empty())
        else {
            continue;
        };
        let letters = heading.to_lowercase();
        let letters = letters
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        let anchor = letters.collect::<String>().trim().replace(' ', "-");
        let free = (0..).map(|number| match number {
            0 => anchor.clone(),
            number => format!("{anchor}-{number}"),
        });
        let free = free.into_iter().find(|name| !anchors.contains(name));
        anchors.extend(free);
    }
    anchors
}

/// What links of a line lead to.
fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    // Code is no link; what remains of a span is what is between two of its marks.
    for text in line.split('`').step_by(2) {
        let mut rest = text;
        while let Some((_, behind)) = rest.split_once("](") {
            let (target, after) = behind.split_once(')').unwrap_or((behind, ""));
            targets.push(target);
            rest = after;
        }
    }
    targets
}

fn joined(from: &Path, target: &str) -> PathBuf {
    let mut path = PathBuf::new();
    for part in from.parent().unwrap().join(target).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[test]
fn links_lead_to_files_and_headings() {
    let documents = documents();
    let known: BTreeMap<&PathBuf, BTreeSet<String>> = documents
        .iter()
        .map(|(path, text)| (path, anchors(text)))
        .collect();
    let mut broken = Vec::new();
    let mut count = 0;
    for (path, text) in &documents {
        for target in prose(text).flat_map(targets) {
            if target.contains("://") {
                continue;
            }
            count += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                path.clone()
            } else {
                joined(path, file)
            };
            let is_there = root().join(&file).exists();
            let has_anchor = anchor.is_empty()
                || known
                    .get(&file)
                    .is_none_or(|anchors| anchors.contains(anchor));
            if !is_there || !has_anchor {
                broken.push(format!("{}: {target}", path.display()));
            }
        }
    }
    assert!(count > 100, "only {count} links were found");
    assert!(
        broken.is_empty(),
        "links that lead nowhere:\n{}",
        broken.join("\n")
    );
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let documents = documents();
    let summary = &documents[Path::new("docs/src/SUMMARY.md")];
    let listed: BTreeSet<PathBuf> = prose(summary)
        .flat_map(targets)
        .map(|target| Path::new("docs/src").join(target))
        .collect();
    let pages = documents.keys().filter(|path| path.starts_with("docs/src"));
    let missing: Vec<_> = pages
        .filter(|path| !path.ends_with("SUMMARY.md") && !listed.contains(*path))
        .collect();
    assert!(
        missing.is_empty(),
        "pages that the summary lacks: {missing:?}"
    );
}
