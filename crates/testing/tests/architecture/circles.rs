//! No circle of files: whoever reads one file of a circle has to read all of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::house::members;
use crate::uses::Uses;

/// The most files that may use each other in a circle.
const LARGEST: usize = 3;

/// The groups of at least two files in which each leads to each other.
fn circles(edges: &[BTreeSet<usize>]) -> Vec<Vec<usize>> {
    let reached: Vec<BTreeSet<usize>> = (0..edges.len()).map(|from| reached(edges, from)).collect();
    let mut circles: Vec<Vec<usize>> = Vec::new();
    for at in 0..edges.len() {
        if circles.iter().any(|circle| circle.contains(&at)) {
            continue;
        }
        let circle: Vec<usize> = (0..edges.len())
            .filter(|&other| reached[at].contains(&other) && reached[other].contains(&at))
            .collect();
        if circle.len() > 1 {
            circles.push(circle);
        }
    }
    circles
}

/// All that `from` leads to.
fn reached(edges: &[BTreeSet<usize>], from: usize) -> BTreeSet<usize> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(at) = open.pop() {
        for &next in &edges[at] {
            if reached.insert(next) {
                open.push(next);
            }
        }
    }
    reached
}

#[test]
fn a_circle_is_found() {
    let edges = [[1].into(), [2].into(), [0, 3].into(), BTreeSet::new()];
    assert_eq!(circles(&edges), [[0, 1, 2]]);
}

#[test]
fn no_circle_has_more_than_three_files() {
    let mut large = Vec::new();
    let mut files = 0;
    for member in members() {
        let uses = Uses::of(&member.folder);
        files += uses.files.len();
        for circle in circles(&uses.edges) {
            if circle.len() <= LARGEST {
                continue;
            }
            let mut text = format!("{}: {} files\n", member.name, circle.len());
            for &at in &circle {
                let name = |at: usize| {
                    let inside = uses.files[at].strip_prefix(member.folder.join("src"));
                    inside.unwrap().display().to_string()
                };
                let to: Vec<String> = uses.edges[at]
                    .iter()
                    .filter(|other| circle.contains(other))
                    .map(|&other| name(other))
                    .collect();
                writeln!(text, "  {} uses {}", name(at), to.join(", "))
                    .expect("memory takes any text");
            }
            large.push(text);
        }
    }
    assert!(files > 500, "only {files} files were read");
    assert!(
        large.is_empty(),
        "circles of more than {LARGEST} files:\n{}",
        large.join("\n")
    );
}
