//! R scripts: the published rules beside an independent reading of them, and scripts that nobody would write.

use std::path::{Path, PathBuf};

use barecode_corpus::scripts::{Document, Pairs, Profile, published, statements};
use barecode_corpus::{ExtractConfig, extract, syntax};
use barecode_records::{Function, FunctionKind, Language, Outcome, Reason};
use barecode_sources::SourceConfig;
use barecode_testing::needs;
use proptest::prelude::*;
use serde_json::json;

use crate::{config, folder_source, headers};

/// The scripts that were written for these tests, with their bytes.
fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let read = paths.into_iter().map(|path| {
        let bytes = std::fs::read(&path).unwrap();
        (path, bytes)
    });
    read.collect()
}

/// Scripts of pieces that the rules speak of, in an order that a number decides.
fn made(number: u64) -> Vec<u8> {
    const PIECES: [&[u8]; 24] = [
        b"# two words",
        b"#",
        b"# one",
        b"##--==",
        b"library(a)",
        b" library(b)",
        b"f(library(c))",
        b"x <- 1",
        b"\n",
        b"\n",
        b"\n",
        b"\n",
        b"\r\n",
        b"\r",
        b"  ",
        b"\t",
        b"\xa0",
        b"\x85",
        b"\xe9",
        b"a-b",
        b"c=d e",
        b"# two words",
        b"word_1 ",
        b"# say more",
    ];
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut bytes = Vec::new();
    for _ in 0..number % 60 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let piece = usize::try_from(state % PIECES.len() as u64).unwrap();
        bytes.extend_from_slice(PIECES[piece]);
    }
    bytes
}

#[test]
fn the_published_rules_agree_with_an_independent_reading_of_them() {
    let mut texts: Vec<Vec<u8>> = fixtures().into_iter().map(|(_, bytes)| bytes).collect();
    let n_fixtures = texts.len();
    assert!(n_fixtures >= 7, "{n_fixtures}");
    texts.extend((0..3_000).map(made));
    let letters = |bytes: &Vec<u8>| bytes.iter().copied().map(char::from).collect::<String>();
    let input = json!({ "texts": texts.iter().map(letters).collect::<Vec<String>>() });
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statcodesearch.py");
    let Some(answer) = needs::ask(&script, &input, &[]) else {
        return;
    };
    let theirs: Vec<Vec<(String, String)>> = serde_json::from_value(answer).unwrap();
    let mut n_pairs = 0;
    for (text, theirs) in texts.iter().zip(&theirs) {
        let ours: Vec<(String, String)> = published(text)
            .pairs
            .into_iter()
            .map(|pair| (pair.comment, pair.code))
            .collect();
        assert_eq!(ours, *theirs, "{}", letters(text));
        n_pairs += ours.len();
    }
    assert!(n_pairs > 500, "{n_pairs}");
}

fn r() -> Language {
    Language::of_name("r")
}

fn read(text: &str) -> Pairs {
    let chunks = Document::Script.chunks(text.to_owned()).unwrap();
    statements(&chunks[0])
}

/// What must hold for every text.
fn holds(text: &str) {
    let Pairs { pairs, left } = read(text);
    for pair in &pairs {
        let tree = syntax::parse(&pair.code, r()).unwrap();
        let root = tree.root_node();
        assert!(!root.has_error(), "{pair:?} of {text:?}");
        assert!(pair.comment_lines.1 <= pair.code_lines.0, "{pair:?}");
        assert!(pair.code_lines.0 <= pair.code_lines.1, "{pair:?}");
    }
    // A comment is in one pair or in one row.
    let mut lines: Vec<(u32, u32)> = pairs.iter().map(|pair| pair.comment_lines).collect();
    lines.extend(left.iter().map(|left| left.lines));
    lines.sort_unstable();
    let is_apart = |pair: &[(u32, u32)]| pair[0].1 < pair[1].0 || pair[0] == pair[1];
    assert!(lines.windows(2).all(is_apart), "{lines:?} of {text:?}");
    // What is marked stays marked, and what is not does not become a comment.
    assert!(pairs.len() + left.len() <= text.matches('#').count());
    let _ = published(text.as_bytes());
    for document in [Document::Markdown, Document::Notebook] {
        for chunk in document.chunks(text.to_owned()).unwrap_or_default() {
            let _ = statements(&chunk);
        }
    }
}

proptest! {
    #[test]
    fn no_text_is_an_error(text in "\\PC{0,200}") {
        holds(&text);
    }

    #[test]
    fn no_text_of_the_pieces_of_r_is_an_error(pieces in prop::collection::vec(prop::sample::select(vec![
        "# two words\n", "#' roxygen here\n", "#| tool\n", "# x <- f(\n", "x <- 1\n", "\n", "{\n", "}\n", "(", ")", "f(x, # why not\n",
        "function(x) ", "if (x) ", "else ", "'a # b'", "\"", "`", "library(a)\n", "require(b); ", "%>% ", "# ---- Title ----\n", "\t", "  ",
        "```{r}\n", "```\n", "é", "\\", "\r\n", "+ ", "#\n",
    ]), 0..40)) {
        holds(&pieces.concat());
    }
}

#[test]
fn scripts_that_nobody_would_write_are_read() {
    for text in [
        format!("# what is this\n{}", "(".repeat(100_000)),
        format!("# what is this\n{}\n", "{".repeat(20_000)),
        format!("# what is this\nx <- {}1\n", "-".repeat(50_000)),
        format!("# {}\nx\n", "a + ".repeat(5_000)),
        format!("{}x\n", "# f(x)\n# and so on\n".repeat(10_000)),
        format!("x <- c({})\n", "1, # one of them\n".repeat(20_000)),
        format!("# in one line\nx <- c({}1)", "1,".repeat(1_000_000)),
        format!("# {}\nx", "word ".repeat(200_000)),
    ] {
        let Pairs { pairs, left } = read(&text);
        assert!(!pairs.is_empty() || !left.is_empty());
    }
}

fn extracted(files: &[(&str, &[u8])], profile: Profile) -> Outcome<Vec<Function>> {
    let extraction = ExtractConfig {
        pairs: Some(profile),
        ..ExtractConfig::default()
    };
    let mut source = SourceConfig {
        license: Some("MIT".to_owned()),
        ..config("path:lib")
    };
    extraction.prepare(&mut source);
    let (_folder, source) = folder_source(files, &source);
    let outcome = extract(&source, &extraction, &headers(), 0);
    assert!(outcome.balances(), "{:?}", outcome.counts);
    outcome
}

#[test]
fn pairs_are_kept_as_functions_with_their_origin() {
    let outcome = extracted(
        &[
            (
                "a.R",
                b"# load the data\nd <- f()\n# fit a model\n\nm <- g(d)\n",
            ),
            (
                "report.Rmd",
                b"# Title\n\n```{r}\n# plot what was fitted\nplot(m)\n```\n",
            ),
            ("tests/b.R", b"# not read here\nx\n"),
            (
                "notes.ipynb",
                b"{\"cells\": [], \"metadata\": {\"kernelspec\": {\"language\": \"python\"}}}",
            ),
            ("broken.ipynb", b"{\"cells\": ["),
        ],
        Profile::Statements,
    );
    let kept: Vec<(&str, u32, &str)> = outcome
        .kept
        .iter()
        .map(|one| {
            (
                one.origin.path.as_str(),
                one.origin.start_line,
                one.docs[0].text.as_str(),
            )
        })
        .collect();
    assert_eq!(
        kept,
        [
            ("a.R", 2, "load the data"),
            ("a.R", 5, "fit a model"),
            ("report.Rmd", 5, "plot what was fitted"),
        ]
    );
    let first = &outcome.kept[0];
    assert_eq!((first.kind, first.language), (FunctionKind::Block, r()));
    assert_eq!(first.origin.license.as_deref(), Some("MIT"));
    let reasons: Vec<(Reason, &str)> = outcome
        .set_aside
        .iter()
        .map(|row| (row.reason, row.origin.as_ref().unwrap().path.as_str()))
        .collect();
    assert_eq!(
        reasons,
        [
            (Reason::NotebookBroken, "broken.ipynb"),
            (Reason::FileOtherLanguage, "notes.ipynb"),
            (Reason::FileTest, "tests/b.R"),
        ]
    );
}

#[test]
fn bytes_that_are_not_utf8_are_latin1_and_counted() {
    let outcome = extracted(
        &[("a.R", b"# gr\xf6\xdfe der gruppe\nx <- \"m\xe4nner\"\n")],
        Profile::Statements,
    );
    assert_eq!(outcome.kept[0].text, "x <- \"männer\"");
    assert_eq!(outcome.kept[0].docs[0].text, "größe der gruppe");
    assert_eq!(outcome.of("files read as Latin-1").kept, 1);
}

#[test]
fn the_published_rules_read_every_script_and_no_document() {
    let text = b"# plot it all\nplot(x)\n  lines(y)\n# plot it all\nplot(x)\n";
    let outcome = extracted(
        &[
            ("tests/a.R", text),
            ("vendor/b.r", text),
            ("c.Rmd", b"```{r}\n# plot it all\nx\n```\n"),
        ],
        Profile::StatCodeSearch,
    );
    let kept: Vec<(&str, &str)> = outcome
        .kept
        .iter()
        .map(|one| (one.origin.path.as_str(), one.text.as_str()))
        .collect();
    let code = "plot(x) lines(y) plot(x) ";
    assert_eq!(kept, [("tests/a.R", code), ("vendor/b.r", code)]);
    assert_eq!(outcome.kept[0].kind, FunctionKind::Lines);
    assert_eq!(outcome.of("comments").set_aside["comment_repeated"], 2);
    assert_eq!(outcome.of("files").set_aside["file_other_language"], 1);
}
