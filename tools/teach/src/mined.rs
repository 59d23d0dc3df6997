//! The functions that were mined, without those that are near a text that is to be found.
//!
//! A file has rows with `comment`, `source`, and where they were compiled `assembly` and `wasm`. Functions of other
//! languages are pairs as `barecode pairs` writes them. A function is near a snippet if it shares more than three of
//! ten of its runs of ten words with one.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{fs, io, mem};

use anyhow::Context as _;
use barecode_formats::Rows;
use barecode_records::Language;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::training::Example;

#[derive(Default, Deserialize)]
struct Mine {
    #[serde(default)]
    name: String,
    comment: Option<String>,
    source: String,
    assembly: Option<String>,
    wasm: Option<String>,
    /// The language of a pair; C or C++ without one.
    #[serde(skip)]
    language: Option<Language>,
}

#[derive(Deserialize)]
struct Snippet {
    code_text: String,
}

/// Functions to learn from.
#[derive(Default)]
pub(crate) struct Mined {
    pub(crate) examples: Vec<Example>,
    /// The name of each.
    pub(crate) names: Vec<String>,
    /// The number of functions with each property, and of those that were left out.
    pub(crate) counts: BTreeMap<&'static str, usize>,
    held_out: BTreeSet<u64>,
    before: BTreeSet<(u64, u64)>,
}

impl Mined {
    /// Reads the files of a folder, and at most `most` functions of each.
    pub(crate) fn read(folder: &Path, snippets: &[String], most: usize) -> anyhow::Result<Self> {
        let mut mined = Mined::default();
        for path in snippets {
            let rows: Vec<Snippet> = read(Path::new(path))?;
            let runs = rows.iter().flat_map(|row| runs(&row.code_text));
            mined.held_out.extend(runs);
        }
        let files = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        let files: io::Result<Vec<PathBuf>> = files.map(|entry| Ok(entry?.path())).collect();
        let mut files = files?;
        files.sort();
        for file in files {
            let repository = file.file_stem().unwrap_or_default().to_string_lossy();
            let mut taken = 0;
            for row in read::<Vec<Mine>>(&file)? {
                if taken == most {
                    mined.count("over the most of a repository", true);
                } else {
                    taken += usize::from(mined.take(row, &repository));
                }
            }
            println!("{repository}: {taken}");
        }
        Ok(mined)
    }

    /// Adds pairs of functions in other languages, and at most `most` of a language in a repository: a folder as
    /// `barecode pairs` writes it.
    pub(crate) fn add_pairs(&mut self, folder: &Path, most: usize) -> anyhow::Result<()> {
        let mut taken: BTreeMap<String, usize> = BTreeMap::new();
        for row in Rows::open(&folder.join("train/standard.parquet"), &[])? {
            let mut row = row?;
            let repository = row
                .text(&["repository"])?
                .replace("https://github.com/", "");
            let language = row.text(&["language"])?;
            let taken = taken.entry(format!("{language} {repository}")).or_default();
            if *taken == most {
                self.count("over the most of a repository", true);
                continue;
            }
            let mine = Mine {
                comment: Some(row.text(&["anchor"])?),
                source: row.text(&["positive"])?,
                language: Some(known(&language)?),
                ..Mine::default()
            };
            *taken += usize::from(self.take(mine, &repository));
        }
        for (repository, taken) in taken {
            println!("{repository}: {taken}");
        }
        Ok(())
    }

    /// Leaves out functions of these repositories, `owner/name` each.
    pub(crate) fn leave_out(&mut self, repositories: &[String]) {
        let (examples, names) = (mem::take(&mut self.examples), mem::take(&mut self.names));
        for (example, name) in examples.into_iter().zip(names) {
            if repositories.contains(&example.repository.replace('+', "/")) {
                self.count("of a repository that is held out", true);
            } else {
                self.examples.push(example);
                self.names.push(name);
            }
        }
    }

    fn count(&mut self, what: &'static str, holds: bool) {
        if holds {
            *self.counts.entry(what).or_default() += 1;
        }
    }

    /// Takes a function, unless it came before or is near a snippet.
    fn take(&mut self, row: Mine, repository: &str) -> bool {
        let comment = hashed(row.comment.as_deref().unwrap_or(""));
        if !self.before.insert((comment, hashed(&row.source))) {
            self.count("twice", true);
            return false;
        }
        let runs = runs(&row.source);
        let shared = runs.iter().filter(|it| self.held_out.contains(it)).count();
        if shared * 10 > runs.len() * 3 {
            self.count("near a snippet", true);
            return false;
        }
        self.count("comment", row.comment.is_some());
        self.count("assembly", row.assembly.is_some());
        self.count("WebAssembly", row.wasm.is_some());
        self.names.push(row.name);
        self.examples.push(Example {
            repository: repository.to_owned(),
            sentence: row.comment,
            language: row.language,
            texts: [Some(row.source), row.assembly, row.wasm]
                .into_iter()
                .flatten()
                .collect(),
        });
        true
    }
}

fn known(language: &str) -> anyhow::Result<Language> {
    let entry = barecode_languages::find(language);
    Ok(entry
        .with_context(|| format!("no language is named `{language}`"))?
        .language)
}

fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<T> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    serde_json::from_str(&text).with_context(|| file.display().to_string())
}

pub(crate) fn hashed(text: &str) -> u64 {
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
