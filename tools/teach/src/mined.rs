//! The functions that were mined, without those that are near a text that is to be found.
//!
//! A file has rows with `comment`, `source`, and where they were compiled `assembly` and `wasm`. A function is near a
//! snippet if it shares more than three of ten of its runs of ten words with one.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context as _;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::training::Example;

#[derive(Deserialize)]
struct Row {
    #[serde(default)]
    name: String,
    comment: Option<String>,
    source: String,
    assembly: Option<String>,
    wasm: Option<String>,
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
            for row in read::<Vec<Row>>(&file)? {
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

    fn count(&mut self, what: &'static str, holds: bool) {
        if holds {
            *self.counts.entry(what).or_default() += 1;
        }
    }

    /// Takes a function, unless it came before or is near a snippet.
    fn take(&mut self, row: Row, repository: &str) -> bool {
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
            texts: [Some(row.source), row.assembly, row.wasm]
                .into_iter()
                .flatten()
                .collect(),
        });
        true
    }
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
