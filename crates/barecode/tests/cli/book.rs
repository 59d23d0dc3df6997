//! The tutorials of the book, done: each block of `sh` is run in order, and a block of `text` below it is what it prints.
//!
//! `BARECODE_UPDATE=1` writes what is printed into the book. A block of `sh,ignore` needs a network or a key, and is
//! shown only.

use std::collections::BTreeSet;
use std::fmt::Write as _;
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

/// The keys of a section whose default is a TOML value, as lines of a recipe. `kind` leaves out the keys of other
/// kinds of retrievers.
fn documented_defaults(chapter: &str, heading: &str, kind: &str) -> Vec<(String, String)> {
    let (_, body) = chapter
        .split_once(&format!("\n## `{heading}`\n"))
        .unwrap_or_else(|| panic!("no section {heading}"));
    let body = body.split("\n## ").next().unwrap_or_default();
    let mut defaults = Vec::new();
    let mut in_keys = false;
    for row in body.lines() {
        in_keys = (in_keys || row.starts_with("| key |")) && row.starts_with('|');
        let cells: Vec<&str> = row.split(" | ").collect();
        if !in_keys || cells.len() < 4 || cells[3].contains("` only") && !cells[3].contains(kind) {
            continue;
        }
        let literals = |cell: &str| -> Vec<String> {
            let words = cell.split('`').skip(1).step_by(2);
            words.map(str::to_owned).collect()
        };
        let values = literals(cells[2]).into_iter();
        let values = values.filter(|_| cells[2].starts_with('`'));
        for (key, value) in literals(cells[0]).into_iter().zip(values) {
            if format!("{key} = {value}").parse::<toml::Table>().is_ok() {
                defaults.push((key, value));
            }
        }
    }
    defaults
}

/// The recipe that a run of `extract` writes into its manifest, with every default spelled out.
fn resolved(project: &Project, recipe: &str, out: &str) -> serde_json::Value {
    project.write("recipe.toml", recipe);
    let ended = project.run(&["extract", "recipe.toml", "--out", out]);
    assert_eq!(ended.code, Some(0), "{recipe}\n{}", ended.stderr);
    let manifest = fs::read_to_string(project.path(out).join("manifest.json")).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    manifest["recipe"].take()
}

#[test]
fn the_reference_of_the_recipe_has_the_defaults_of_the_code() {
    let chapter = fs::read_to_string(tutorials().join("../reference/recipe.md")).unwrap();
    let source = "[[source]]\nfrom = \"path:src\"";
    let programs = "[[programs]]\nfrom = \"set.jsonl\"\nformat = \"humaneval\"\nlicense = \"MIT\"";
    let retriever = |kind: &str| format!("[[retriever]]\nkind = \"{kind}\"");
    let retrievers = ["bm25", "structural", "jaccard"].map(|kind| (kind, retriever(kind)));
    let pipeline = "[[pipeline]]\nname = \"p\"\nkind = \"clone\"";
    let sources = vec![
        ("[[source]]", "", source.to_owned()),
        ("[extract]", "", String::new()),
        ("[check]", "", String::new()),
        ("[settings]", "", String::new()),
        ("[queries]", "", String::new()),
        ("[dataset]", "", String::new()),
        ("[retrieve]", "", String::new()),
        ("[scores]", "", String::new()),
    ];
    let sources = sources.into_iter().chain(
        retrievers
            .iter()
            .map(|(kind, start)| ("[[retriever]]", *kind, start.clone())),
    );
    let of_programs = [
        ("[[programs]]", "", programs.to_owned()),
        ("[filters]", "", String::new()),
        ("[alternates]", "", String::new()),
        ("[python]", "", String::new()),
        ("[[pipeline]]", "", pipeline.to_owned()),
        ("[probe]", "", String::new()),
    ];
    let mut compared = 0;
    for sections in [sources.collect::<Vec<_>>(), of_programs.to_vec()] {
        let project = Project::empty();
        project.write(
            "src/a.c",
            "/** Adds two numbers. */\nint add(int a, int b) { return a + b; }\n",
        );
        let program = serde_json::json!({
            "task_id": "x/0", "entry_point": "add", "prompt": "def add(a, b):\n",
            "canonical_solution": "    return a + b\n",
            "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
        });
        project.write("set.jsonl", format!("{program}\n"));
        let (mut plain, mut spelled) = ("name = \"x\"\n".to_owned(), "name = \"x\"\n".to_owned());
        for (heading, kind, start) in &sections {
            let start = if start.is_empty() {
                heading.to_string()
            } else {
                start.clone()
            };
            let defaults = documented_defaults(&chapter, heading, &format!("`{kind}`"));
            let defaults = defaults
                .iter()
                .filter(|(key, _)| !(key == "delta" && *kind == "bm25"));
            for text in [&mut plain, &mut spelled] {
                writeln!(text, "\n{start}").unwrap();
            }
            for (key, value) in defaults {
                writeln!(spelled, "{key} = {value}").unwrap();
                compared += 1;
            }
        }
        let plain = resolved(&project, &plain, "plain");
        let spelled = resolved(&project, &spelled, "spelled");
        for (section, value) in plain.as_object().unwrap() {
            assert_eq!(*value, spelled[section], "the defaults of {section}");
        }
    }
    assert!(compared > 70, "only {compared} defaults were compared");
}
