//! Which crate depends on which: ARCHITECTURE.md and the `Cargo.toml` files agree, and there is no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use crate::house::{members, root};

/// Crates by name, each with the crates of the workspace that it depends on.
type Graph = BTreeMap<String, BTreeSet<String>>;

/// The rows that the table must have, in an order in which each crate follows those that it depends on.
fn rows(graph: &Graph) -> String {
    let mut open = graph.clone();
    let mut text = String::new();
    while !open.is_empty() {
        let done: Vec<String> = open
            .iter()
            .filter(|(_, needs)| needs.iter().all(|need| !open.contains_key(need)))
            .map(|(name, _)| name.clone())
            .collect();
        assert!(!done.is_empty(), "a circle among {:?}", open.keys());
        for name in done {
            let needs: Vec<String> = open
                .remove(&name)
                .unwrap_or_default()
                .iter()
                .map(|need| format!(" `{need}`"))
                .collect();
            text += &["| `", &*name, "` |", &needs.join(","), " |\n"].concat();
        }
    }
    text
}

/// ARCHITECTURE.md: what comes before the rows of the table of crates, these rows, and what comes after them.
fn documented(text: &str) -> (&str, &str, &str) {
    let (before, rest) = text
        .split_once("| crate | depends on |\n| --- | --- |\n")
        .expect("ARCHITECTURE.md has the table of crates");
    let end = rest.find("\n\n").map_or(rest.len(), |end| end + 1);
    let (rows, after) = rest.split_at(end);
    (before, rows, after)
}

/// The dependencies under `[dependencies]`, without those of tests.
fn declared() -> Graph {
    let mut graph = Graph::new();
    for member in members() {
        let manifest =
            fs::read_to_string(member.folder.join("Cargo.toml")).expect("a crate has a manifest");
        let dependencies = manifest
            .lines()
            .skip_while(|line| *line != "[dependencies]")
            .skip(1)
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| {
                let program = line.starts_with("barecode.").then_some(line);
                line.strip_prefix("barecode-").or(program)
            })
            .map(|line| {
                let end = line.find(['.', ' ', '=']).unwrap_or(line.len());
                line.chars().take(end).collect()
            })
            .collect();
        graph.insert(member.name, dependencies);
    }
    graph
}

#[test]
fn the_edges_are_those_of_the_cargo_files() {
    let path = root().join("ARCHITECTURE.md");
    let text = fs::read_to_string(&path).expect("ARCHITECTURE.md exists");
    let wanted = rows(&declared());
    let (before, found, after) = documented(&text);
    if std::env::var_os("BARECODE_UPDATE").is_some() {
        let head = "| crate | depends on |\n| --- | --- |\n";
        fs::write(&path, format!("{before}{head}{wanted}{after}")).expect("it can be written");
        return;
    }
    assert!(
        found == wanted,
        "the edges in ARCHITECTURE.md are not those of the Cargo.toml files; run the test with BARECODE_UPDATE=1:\n{wanted}"
    );
}
