//! Learns the tables of the structural retriever from functions that `recipes/structural/mine.py` mined and from pairs
//! of other languages, or writes these as pairs or sentences.
//!
//! ```text
//! cargo run --release -p barecode-teach -- OUT FOLDER [SNIPPETS …] [NAME=VALUE …]
//! ```
//!
//! `FOLDER` has a file of JSON rows for each repository ([`mined`]). A function that is near a text of `SNIPPETS`
//! (files as CLARC publishes them) is left out and counted; so is one whose comment and source came before.
//! `model=FOLDER` is a model of English whose vectors rows begin with ([`prior`]); `repository=N` is the largest
//! number of functions that are taken from a repository. `others=FOLDER` adds functions of other languages, as
//! `barecode pairs` writes them; `held-out=OWNER/NAME,…` leaves out repositories, to choose settings on them. The other
//! settings are those of a [`Lesson`]. With `pairs=FILE` nothing is learned: FILE gets a line of JSON for each text,
//! with `anchor`, `positive`, `setting`, `repository` and `language`, as `barecode train` reads it. The anchor is the
//! comment, or the name if there is no comment; half of them state the types too. With `sentences=FILE` nothing is
//! learned either: FILE gets the words of 4,096 such comments of 4 to 100 words, at most 96 of a repository. With
//! `second-stage=true` the weights of the [second stage](second) are printed: `FOLDER` then has folders of pairs, and
//! `check=FOLDER` others to try the weights on.
//!
//! Nothing of this is part of the program: it brings the tables, not what learned them.

#![expect(clippy::print_stdout, reason = "a tool that says how far it is")]

mod mined;
mod prior;
mod second;
#[cfg(test)]
mod tests;
mod training;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use barecode_encoders::{LocalEncoder, LocalOptions};
use barecode_models::{Encoder as _, Side};
use barecode_records::Language;
use barecode_structural::{Form, Question, render_in, sentence_line};

use mined::{Mined, hashed};
use prior::Prior;
use training::{Example, Lesson, learn};

/// The number of sentences that are drawn to identify hubs, and the most of one repository.
const SENTENCES: usize = 4096;
const OF_REPOSITORY: usize = 96;

/// The values of the arguments that are settings.
#[derive(Default)]
struct Settings {
    lesson: Lesson,
    /// Functions of a repository at most.
    repository: Option<usize>,
    pairs: Option<String>,
    sentences: Option<String>,
    model: Option<String>,
    others: Option<String>,
    held_out: Vec<String>,
    second_stage: bool,
    check: Option<String>,
}

impl Settings {
    fn set(&mut self, name: &str, value: &str) -> anyhow::Result<()> {
        match name {
            "epochs" => self.lesson.epochs = value.parse()?,
            "batch" => self.lesson.batch = value.parse()?,
            "together" => self.lesson.together = value.parse()?,
            "temperature" => self.lesson.temperature = value.parse()?,
            "rate" => self.lesson.rate = value.parse()?,
            "left-out" => self.lesson.left_out = value.parse()?,
            "stated" => self.lesson.stated = value.parse()?,
            "features" => self.lesson.most_features = value.parse()?,
            "repository" => self.repository = Some(value.parse()?),
            "pairs" => self.pairs = Some(value.to_owned()),
            "sentences" => self.sentences = Some(value.to_owned()),
            "held-out" => self.held_out = value.split(',').map(str::to_owned).collect(),
            "others" => self.others = Some(value.to_owned()),
            "check" => self.check = Some(value.to_owned()),
            "second-stage" => self.second_stage = value.parse()?,
            "model" => self.model = Some(value.to_owned()),
            _ => bail!("no such setting"),
        }
        Ok(())
    }
}

fn main() -> anyhow::Result<()> {
    let mut settings = Settings::default();
    let mut paths = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some((name, value)) => settings
                .set(name, value)
                .with_context(|| format!("`{argument}`"))?,
            None => paths.push(argument),
        }
    }
    let [out, folder, snippets @ ..] = paths.as_slice() else {
        bail!("expected OUT FOLDER [SNIPPETS …] [NAME=VALUE …]");
    };
    if settings.second_stage {
        return second::fit(Path::new(folder), snippets, settings.check.as_deref());
    }
    let most = settings.repository.unwrap_or(usize::MAX);
    let mut mined = Mined::read(Path::new(folder), snippets, most)?;
    println!(
        "{} functions of C and C++; {:?}",
        mined.examples.len(),
        mined.counts
    );
    if let Some(folder) = &settings.others {
        mined.add_pairs(Path::new(folder), most)?;
    }
    mined.leave_out(&settings.held_out);
    println!(
        "{} functions in all; {:?}",
        mined.examples.len(),
        mined.counts
    );
    if let Some(path) = settings.pairs {
        return write_pairs(&path, &mined);
    }
    if let Some(path) = settings.sentences {
        return write_sentences(&path, &mined.examples);
    }
    let options = LocalOptions::default();
    let encoder = settings
        .model
        .map(|folder| LocalEncoder::load(Path::new(&folder), &options))
        .transpose()?;
    let vectors = encoder.as_ref().map(|encoder| {
        move |texts: &[&str]| -> Vec<Vec<f32>> {
            let found = encoder.encode(Side::Document, texts);
            let found = found.expect("the model was loaded and reads any text");
            let vectors = found.values.chunks(found.dimensions);
            vectors.map(<[f32]>::to_vec).collect()
        }
    });
    let prior = vectors.as_ref().map(|vectors| -> &Prior<'_> { vectors });
    let learned = learn(&mined.examples, &settings.lesson, prior, |epoch, loss| {
        println!("round {epoch}: loss {loss:.3}");
    });
    let bytes = learned.write();
    println!("{:?} features, {} bytes", learned.features(), bytes.len());
    std::fs::write(out, bytes).with_context(|| out.clone())
}

/// The anchor of an example: the comment, or the name if there is none; half of them state the types too.
fn anchor(example: &Example, name: &str) -> String {
    let said = example.sentence.clone();
    let said = said.unwrap_or_else(|| name.replace('_', " "));
    match example.texts.first() {
        Some(source) if hashed(&said).is_multiple_of(2) => {
            let description =
                barecode_structural::description(&render_in(source, example.language));
            let types = description.split(". ").next().unwrap_or_default();
            format!("{}. {said}", types.trim_end_matches('.'))
        }
        _ => said,
    }
}

/// As the fixed sentences of the retriever, each behind its repository; drawn by their hashes.
fn write_sentences(path: &str, examples: &[Example]) -> anyhow::Result<()> {
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
    std::fs::write(path, lines.concat()).with_context(|| path.to_owned())
}

fn write_pairs(path: &str, mined: &Mined) -> anyhow::Result<()> {
    let mut file = BufWriter::new(File::create(path).with_context(|| path.to_owned())?);
    for (example, name) in mined.examples.iter().zip(&mined.names) {
        let anchor = anchor(example, name);
        for text in &example.texts {
            let setting = match render_in(text, example.language).form {
                Form::Source if example.sentence.is_none() => continue,
                Form::Source => "standard",
                Form::Assembly => "assembly",
                Form::Wasm => "wasm",
            };
            let row = serde_json::json!({
                "anchor": anchor, "positive": text, "setting": setting, "repository": example.repository,
                "language": example.language.map(Language::name),
            });
            writeln!(file, "{row}")?;
        }
    }
    Ok(file.flush()?)
}
