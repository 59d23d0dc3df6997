//! Learns the tables of the learned part from functions that `recipes/structural/mine.py` mined, or writes these as pairs.
//!
//! ```text
//! cargo run --release -p barecode-structural --example learn -- OUT FOLDER [SNIPPETS …] [NAME=VALUE …]
//! ```
//!
//! `FOLDER` has a file of JSON rows for each repository: `comment`, `source`, and where they were compiled `assembly` and
//! `wasm`. A function that shares more than three of ten of its runs of ten words with a text of `SNIPPETS` (files as
//! CLARC publishes them) is left out and counted; so is one whose comment and source came before. `model=FOLDER` is a
//! model of English whose vectors rows begin with. With `pairs=FILE`
//! nothing is learned: FILE gets a line of JSON for each text, with `anchor`, `positive`, `setting` and `repository`, as
//! `barecode train` reads it. The anchor is the comment, or the name where there is none; half of them say the types too.
//! With `sentences=FILE` nothing is learned either: FILE gets the words of 4,096 such comments of 4 to 100 words, at most 96 of a
//! repository.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an experiment that prints and stops at the first fault"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::Path;

use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Encoder as _, Side};
use barecode_structural::{Example, Form, Lesson, Prior, Question, learn, render, sentence_line};
use serde::Deserialize;

/// How many sentences are drawn to identify hubs, and how many of one repository at most.
const SENTENCES: usize = 4096;
const OF_REPOSITORY: usize = 96;

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    name: String,
    comment: Option<String>,
    source: String,
    assembly: Option<String>,
    wasm: Option<String>,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (settings, paths): (Vec<&String>, Vec<&String>) =
        arguments.iter().partition(|it| it.contains('='));
    let (out, folder) = (paths[0], paths[1]);
    let mut lesson = Lesson::default();
    let mut most = usize::MAX;
    let mut pairs = None;
    let mut sentences = None;
    let mut model = None;
    for (name, value) in settings.iter().filter_map(|it| it.split_once('=')) {
        match name {
            "epochs" => lesson.epochs = value.parse().unwrap(),
            "batch" => lesson.batch = value.parse().unwrap(),
            "temperature" => lesson.temperature = value.parse().unwrap(),
            "rate" => lesson.rate = value.parse().unwrap(),
            "left-out" => lesson.left_out = value.parse().unwrap(),
            "stated" => lesson.stated = value.parse().unwrap(),
            "features" => lesson.most_features = value.parse().unwrap(),
            "pairs" => pairs = Some(value),
            "sentences" => sentences = Some(value),
            "model" => model = Some(value),
            "repository" => most = value.parse().unwrap(),
            other => panic!("no such setting: {other}"),
        }
    }
    let mut held_out: BTreeSet<u64> = BTreeSet::new();
    for path in &paths[2..] {
        let text = std::fs::read_to_string(path).unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        for row in rows {
            held_out.extend(runs(row["code_text"].as_str().unwrap()));
        }
    }
    let mut examples: Vec<Example> = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut before: BTreeSet<(u64, u64)> = BTreeSet::new();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|it| it.unwrap().path())
        .collect();
    files.sort();
    for file in files {
        let repository = file.file_stem().unwrap().to_string_lossy().into_owned();
        let rows = rows(&file);
        let mut of_repository = 0;
        for row in rows {
            if of_repository == most {
                *counts.entry("over the most of a repository").or_default() += 1;
                continue;
            }
            if !before.insert((
                hashed(row.comment.as_deref().unwrap_or("")),
                hashed(&row.source),
            )) {
                *counts.entry("twice").or_default() += 1;
                continue;
            }
            let runs = runs(&row.source);
            let shared = runs.iter().filter(|it| held_out.contains(it)).count();
            if shared * 10 > runs.len() * 3 {
                *counts.entry("near a snippet").or_default() += 1;
                continue;
            }
            of_repository += 1;
            *counts.entry("comment").or_default() += usize::from(row.comment.is_some());
            *counts.entry("assembly").or_default() += usize::from(row.assembly.is_some());
            *counts.entry("WebAssembly").or_default() += usize::from(row.wasm.is_some());
            names.push(row.name);
            examples.push(Example {
                repository: repository.clone(),
                sentence: row.comment,
                texts: [Some(row.source), row.assembly, row.wasm]
                    .into_iter()
                    .flatten()
                    .collect(),
            });
        }
        println!("{repository}: {of_repository}");
    }
    println!("{} functions; {counts:?}", examples.len());
    if let Some(path) = pairs {
        write_pairs(path, &examples, &names);
        return;
    }
    if let Some(path) = sentences {
        write_sentences(path, &examples);
        return;
    }
    let encoder = model
        .map(|folder| LocalEncoder::load(Path::new(folder), &LocalOptions::default()).unwrap());
    let vectors = |texts: &[&str]| {
        let encoder = encoder.as_ref().unwrap();
        let found = encoder.encode(Side::Document, texts).unwrap();
        let vectors = found.values.chunks(found.dimensions);
        vectors.map(<[f32]>::to_vec).collect()
    };
    let prior: Option<&Prior<'_>> = if model.is_some() {
        Some(&vectors)
    } else {
        None
    };
    let learned = learn(&examples, &lesson, prior, |epoch, loss| {
        println!("round {epoch}: loss {loss:.3}");
    });
    let bytes = learned.write();
    println!("{:?} features, {} bytes", learned.features(), bytes.len());
    std::fs::write(out, bytes).unwrap();
}

/// The anchor of an example: the comment, or the name where there is none; half of them say the types too.
fn anchor(example: &Example, name: &str) -> String {
    let said = example.sentence.clone();
    let said = said.unwrap_or_else(|| name.replace('_', " "));
    if hashed(&said).is_multiple_of(2) {
        let text = render(&example.texts[0]).description();
        let types = text.split(". ").next().unwrap().trim_end_matches('.');
        format!("{types}. {said}")
    } else {
        said
    }
}

/// As the fixed sentences of the retriever, each behind its repository; drawn by their hashes.
fn write_sentences(path: &str, examples: &[Example]) {
    let mut lines: BTreeMap<&str, BTreeMap<u64, String>> = BTreeMap::new();
    let mut unfit = 0;
    for example in examples.iter().filter(|it| it.sentence.is_some()) {
        if let Some(line) = sentence_line(&Question::read(&anchor(example, ""))) {
            let of_repository = lines.entry(&example.repository).or_default();
            of_repository.insert(hashed(&line), line);
            if of_repository.len() > OF_REPOSITORY {
                of_repository.pop_last();
            }
        } else {
            unfit += 1;
        }
    }
    let lines = lines.into_iter().flat_map(|(repository, lines)| {
        let line = move |(hash, line)| (hash, (line, repository.replace('+', "/")));
        lines.into_iter().map(line)
    });
    let all: BTreeMap<u64, (String, String)> = lines.collect();
    let mut lines: Vec<(String, String)> = all.into_values().take(SENTENCES).collect();
    lines.sort();
    println!(
        "{} sentences; {unfit} comments are too short or too long",
        lines.len()
    );
    let lines: Vec<String> = lines
        .into_iter()
        .map(|(line, repository)| format!("{repository}\t{line}\n"))
        .collect();
    std::fs::write(path, lines.concat()).unwrap();
}

fn write_pairs(path: &str, examples: &[Example], names: &[String]) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).unwrap());
    for (example, name) in examples.iter().zip(names) {
        let anchor = anchor(example, name);
        for text in &example.texts {
            let setting = match render(text).form {
                Form::Source if example.sentence.is_none() => continue,
                Form::Source => "standard",
                Form::Assembly => "assembly",
                Form::Wasm => "wasm",
            };
            let row = serde_json::json!({
                "anchor": anchor, "positive": text, "setting": setting, "repository": example.repository,
            });
            writeln!(file, "{row}").unwrap();
        }
    }
    file.flush().unwrap();
}

fn rows(file: &Path) -> Vec<Row> {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

fn hashed(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// Runs of ten words, as hashes.
fn runs(code: &str) -> Vec<u64> {
    let words: Vec<&str> = code
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(10)
        .map(|run| hashed(&run.join(" ")))
        .collect()
}
