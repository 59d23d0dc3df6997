//! The tutorials of the book, done: each block of `sh` is run in order, and a block of `text` below it is what it prints.
//!
//! `BARECODE_UPDATE=1` writes what is printed into the book. A block of `sh,ignore` needs a network or a key, and is
//! shown only.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::project::{Project, program};

fn tutorials() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/tutorials")
}

/// A piece of a page: prose, or a fenced block with what its fence says.
enum Piece {
    Prose(String),
    Block(String, String),
}

fn pieces(page: &str) -> Vec<Piece> {
    let mut pieces = vec![Piece::Prose(String::new())];
    for line in page.lines() {
        match (line.strip_prefix("```"), pieces.last_mut().unwrap()) {
            (Some(info), Piece::Prose(_)) => {
                pieces.push(Piece::Block(info.to_owned(), String::new()));
            }
            (Some(_), Piece::Block(..)) => pieces.push(Piece::Prose(String::new())),
            (None, Piece::Prose(text) | Piece::Block(_, text)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    pieces
}

fn page_of(pieces: &[Piece]) -> String {
    let shown = pieces.iter().map(|piece| match piece {
        Piece::Prose(text) => text.clone(),
        Piece::Block(info, text) => format!("```{info}\n{text}```\n"),
    });
    shown.collect()
}

/// Does a page in a folder of its own.
fn done(name: &str) {
    let path = tutorials().join(name);
    let page = fs::read_to_string(&path).unwrap();
    let mut pieces = pieces(&page);
    let project = Project::new();
    let binary = Path::new(env!("CARGO_BIN_EXE_barecode")).parent().unwrap();
    let paths = std::env::var("PATH").unwrap();
    let mut printed: Option<String> = None;
    let mut ran = 0;
    for piece in &mut pieces {
        match piece {
            Piece::Block(info, text) if info == "sh" => {
                let output = program("sh")
                    .args(["-euc", text])
                    .current_dir(project.path(""))
                    .env("PATH", format!("{}:{paths}", binary.display()))
                    .env("XDG_CACHE_HOME", project.path("cache"))
                    .env("LC_ALL", "C.UTF-8")
                    .output()
                    .unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(output.status.success(), "{name}:\n{text}\n{said}");
                printed = Some(String::from_utf8(output.stdout).unwrap());
                ran += 1;
            }
            Piece::Block(info, text) if info == "text" => {
                let found = printed.take().expect("a block of `sh` stands before it");
                let shown = shortened(&found, text);
                if std::env::var_os("BARECODE_UPDATE").is_some() {
                    *text = shown;
                } else {
                    assert_eq!(*text, shown, "{name}: run the test with BARECODE_UPDATE=1");
                }
            }
            _ => {}
        }
    }
    assert!(ran >= 2, "{name}: only {ran} blocks are run");
    if std::env::var_os("BARECODE_UPDATE").is_some() {
        fs::write(&path, page_of(&pieces)).unwrap();
    }
}

/// The printed lines that a page shows: all, or the first and the last ones with `…` between them.
fn shortened(found: &str, shown: &str) -> String {
    let Some((head, tail)) = shown.split_once("…\n").filter(|_| shown != "…\n") else {
        return found.to_owned();
    };
    let lines: Vec<&str> = found.lines().collect();
    let (first, last) = (head.lines().count(), tail.lines().count());
    if first + last > lines.len() {
        return found.to_owned();
    }
    let joined =
        |lines: &[&str]| -> String { lines.iter().flat_map(|line| [*line, "\n"]).collect() };
    format!(
        "{}…\n{}",
        joined(&lines[..first]),
        joined(&lines[lines.len() - last..])
    )
}

#[test]
fn the_tutorial_on_own_code_prints_what_it_shows() {
    done("own-code.md");
}

#[test]
fn the_tutorial_on_publishing_prints_what_it_shows() {
    done("publish.md");
}

#[test]
fn the_tutorial_on_raters_prints_what_it_shows() {
    done("raters.md");
}

#[test]
fn the_tutorial_on_programs_prints_what_it_shows() {
    done("python.md");
}

#[test]
fn the_demo_needs_no_checkout() {
    let project = Project::empty();
    let ended = project.run(&["demo"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stdout.contains("│ all   ┆ standard"),
        "{}",
        ended.stdout
    );
    assert!(
        ended
            .stderr
            .contains("`shelf`, a library of thirty functions"),
        "{}",
        ended.stderr
    );
    let again = project.run(&["demo"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(again.stdout, ended.stdout);
    // A folder of that name with something else in it stays as it is.
    let other = Project::empty();
    other.write("shelf/notes.txt", "mine");
    let refused = other.run(&["demo"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("`shelf` holds something else"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_dir(other.path("shelf")).unwrap().count(), 1);
}

/// The words in backticks of a text.
fn quoted(text: &str) -> BTreeSet<String> {
    let words = text.split('`').skip(1).step_by(2);
    words.map(str::to_owned).collect()
}

#[test]
fn the_reference_of_the_recipe_has_every_key_and_no_other() {
    let chapter = tutorials().join("../reference/recipe.md");
    let chapter = fs::read_to_string(chapter).unwrap();
    let project = Project::empty();
    let sections = chapter.split("\n## `[").skip(1);
    let mut tables = 0;
    for section in sections {
        let (heading, body) = section.split_once('\n').unwrap();
        let heading = format!("[{}", heading.trim_end_matches('`'));
        project.write(
            "recipe.toml",
            format!("name = \"x\"\n{heading}\nnot-a-key = 1\n"),
        );
        let ended = project.run(&["list", "recipe.toml"]);
        let (_, expected) = ended.stderr.split_once("expected ").unwrap();
        let expected = quoted(expected.lines().next().unwrap());
        let own = body.split("\n## ").next().unwrap_or_default();
        let rows = own.lines();
        // The first column of each table whose head is `key`; others are about values.
        let mut documented = BTreeSet::new();
        let mut in_keys = false;
        for row in rows {
            in_keys = (in_keys || row.starts_with("| key |")) && row.starts_with('|');
            if in_keys {
                documented.extend(quoted(row.split('|').nth(1).unwrap()));
            }
        }
        assert_eq!(
            documented, expected,
            "the keys of {heading} in docs/src/reference/recipe.md"
        );
        tables += 1;
    }
    assert!(tables > 12, "only {tables} tables were found");
}
