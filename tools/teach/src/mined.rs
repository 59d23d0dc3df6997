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

pub(crate) fn known(language: &str) -> anyhow::Result<Language> {
    let entry = barecode_languages::find(language);
    Ok(entry
        .with_context(|| format!("no language is named `{language}`"))?
        .language)
}

pub(crate) fn read<T: DeserializeOwned>(file: &Path) -> anyhow::Result<T> {
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

#[cfg(test)]
mod tests {
    use barecode_formats::{Existing, Facts, TrainingPair, TrainingPart, write_training};
    use tempfile::TempDir;

    use super::*;

    const LONG: &str =
        "def f(a, b, c):\n    d = a + b\n    e = d * c\n    return d, e, a, b, c, d, e\n";

    fn pair(repository: &str, language: &str, anchor: &str, positive: &str) -> TrainingPair {
        TrainingPair {
            anchor: anchor.to_owned(),
            positive: positive.to_owned(),
            repository: format!("https://github.com/{repository}"),
            language: language.to_owned(),
            ..TrainingPair::default()
        }
    }

    /// What is mined of pairs, at most two of a language in a repository, near a snippet left out.
    fn mined(pairs: Vec<TrainingPair>) -> anyhow::Result<Mined> {
        let folder = TempDir::new()?;
        let snippets = folder.path().join("snippets.json");
        fs::write(
            &snippets,
            serde_json::json!([{ "code_text": LONG }]).to_string(),
        )?;
        let none = folder.path().join("c");
        fs::create_dir(&none)?;
        let mut mined = Mined::read(&none, &[snippets.display().to_string()], 2)?;
        let part = TrainingPart {
            split: "train".to_owned(),
            name: "standard".to_owned(),
            pairs,
        };
        let to = folder.path().join("pairs");
        write_training(&to, Existing::Keep, &Facts::default(), &[part], &[])?;
        mined.add_pairs(&to, 2)?;
        Ok(mined)
    }

    #[test]
    fn pairs_are_counted_by_language_and_repository_and_each_is_taken_once() {
        let mut mined = mined(vec![
            pair("a/one", "python", "Adds.", "def f(a): return a + 1"),
            pair("a/one", "python", "Adds.", "def f(a): return a + 1"),
            pair("a/one", "python", "Is near.", LONG),
            pair("a/one", "python", "Subtracts.", "def g(a): return a - 1"),
            pair("a/one", "python", "Halves.", "def h(a): return a / 2"),
            pair("a/one", "go", "Adds.", "func f(a int) int { return a + 1 }"),
            pair("b/two", "python", "Doubles.", "def f(a): return a * 2"),
        ])
        .unwrap();
        let expected = [
            ("comment", 4),
            ("near a snippet", 1),
            ("over the most of a repository", 1),
            ("twice", 1),
        ];
        assert_eq!(mined.counts, BTreeMap::from(expected));
        let of = |at: usize| {
            let example: &Example = &mined.examples[at];
            let language = example.language.map(Language::name);
            (&*example.repository, language, example.sentence.as_deref())
        };
        assert_eq!(of(1), ("a/one", Some("python"), Some("Subtracts.")));
        assert_eq!(of(2), ("a/one", Some("go"), Some("Adds.")));
        mined.leave_out(&["a/one".to_owned()]);
        assert_eq!(mined.counts["of a repository that is held out"], 3);
        assert_eq!(mined.examples.len(), mined.names.len());
        assert_eq!(mined.examples[0].texts, ["def f(a): return a * 2"]);
    }

    #[test]
    fn a_language_without_a_name_is_an_error() {
        let unknown = mined(vec![pair("a/one", "klingon", "Adds.", "x")]);
        let error = unknown.err().unwrap().to_string();
        assert_eq!(error, "no language is named `klingon`");
    }
}
