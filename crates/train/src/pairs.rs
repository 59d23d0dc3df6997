//! Files of pairs → pairs to train on and pairs to judge by.
//!
//! In comes a file (JSON Lines, a JSON array or Parquet) with the columns `anchor`, `positive` and, if it has them,
//! `negative` or `negative_1`, `negative_2`, …, `setting`, `repo` and `language`. Or a folder with `train.parquet` or
//! `train/*.parquet`, and `dev.parquet` or `dev/*.parquet` if it has a dev split. A file in `train/` or `dev/`
//! without a column `setting` holds the setting that it is named after. Out come pairs with the file and line that
//! they come from, and the number of those that were left out, by reason.
//!
//! This file compares no texts with benchmarks (`exclude`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use barecode_formats::{Row, Rows};
use barecode_records::Digest;

use crate::TrainError;
use crate::options::Options;
use crate::seen::Seen;

/// Names under which a column is known.
const ANCHOR: &[&str] = &["anchor", "query"];
const POSITIVE: &[&str] = &["positive", "document"];
const SETTING: &[&str] = &["setting"];
const REPOSITORY: &[&str] = &["repo", "repository"];
const LANGUAGE: &[&str] = &["language"];

/// A text and its answer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pair {
    /// The query.
    pub anchor: String,
    /// Its answer.
    pub positive: String,
    /// Texts that do not answer it.
    pub negatives: Vec<String>,
    /// The setting of the positive.
    pub setting: Option<String>,
    /// The repository that the positive is from.
    pub repository: Option<String>,
    /// The value of the column `language`: the programming language of the positive.
    pub language: Option<String>,
    /// File and row, for messages.
    pub row: String,
}

/// Pairs, and the number of those that were left out.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// Pairs to train on.
    pub train: Vec<Pair>,
    /// Pairs to judge by.
    pub dev: Vec<Pair>,
    /// The number of pairs, and of negatives, that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The texts that were read, if they were described since.
    pub read: Option<Seen>,
}

impl Pairs {
    /// Reads a file or a folder, and splits by repository if the files have no dev split and the options request one.
    ///
    /// # Errors
    /// A file that cannot be read, a row without a needed column, nothing to train on.
    pub fn read(path: &Path, options: &Options) -> Result<Self, TrainError> {
        let mut pairs = Pairs::default();
        if path.is_dir() {
            for file in split_files(path, &["train"])? {
                pairs.add(&file, true)?;
            }
            for file in split_files(path, &["dev", "validation", "valid"])? {
                pairs.add(&file, false)?;
            }
            if pairs.train.is_empty() {
                return Err(TrainError::invalid(
                    format!("`{}` has no pairs to train on", path.display()),
                    "name a folder with `train.parquet` or `train/*.parquet`, or a file with the columns `anchor` and `positive`",
                ));
            }
        } else {
            pairs.add(
                &PairFile {
                    path: path.to_owned(),
                    setting: None,
                },
                true,
            )?;
        }
        if pairs.dev.is_empty() && options.dev_share > 0.0 {
            pairs.split(options.seed, options.dev_share)?;
        }
        Ok(pairs)
    }

    /// Counts something that was left out.
    pub(crate) fn count(&mut self, reason: &str, number: u64) {
        if number > 0 {
            *self.left_out.entry(reason.to_owned()).or_default() += number;
        }
    }

    fn add(&mut self, file: &PairFile, train: bool) -> Result<(), TrainError> {
        for row in Rows::open(&file.path, &[])? {
            let mut row = row?;
            let setting = row.text_or_empty(SETTING)?;
            let setting = if setting.is_empty() {
                file.setting.clone()
            } else {
                Some(setting)
            };
            let repository = row.text_or_empty(REPOSITORY)?;
            // A class label under this name is none.
            let language = row.text_or_empty(LANGUAGE).unwrap_or_default();
            let pair = Pair {
                anchor: row.text(ANCHOR)?,
                positive: row.text(POSITIVE)?,
                setting,
                repository: (!repository.is_empty()).then_some(repository),
                language: (!language.is_empty()).then_some(language),
                row: format!("{}:{}", file.path.display(), row.number),
                negatives: negatives(row)?,
            };
            if pair.anchor.trim().is_empty() || pair.positive.trim().is_empty() {
                self.count("an empty anchor or positive", 1);
            } else if train {
                self.train.push(pair);
            } else {
                self.dev.push(pair);
            }
        }
        Ok(())
    }

    /// Moves whole repositories into the dev split, in an order that the seed decides, until it has its share of pairs.
    fn split(&mut self, seed: u64, share: f64) -> Result<(), TrainError> {
        let mut repositories: BTreeMap<&str, usize> = BTreeMap::new();
        for pair in &self.train {
            let Some(repository) = &pair.repository else {
                return Err(TrainError::invalid(
                    format!(
                        "`{}` has no `repo`, so no dev split by repository can be made",
                        pair.row
                    ),
                    "add a column `repo`, give a folder with `dev.parquet`, or do without a dev split",
                ));
            };
            *repositories.entry(repository).or_default() += 1;
        }
        if repositories.len() < 2 {
            return Err(TrainError::invalid(
                "all pairs are from one repository, so no dev split by repository can be made",
                "give a folder with `dev.parquet`, or do without a dev split",
            ));
        }
        let mut order: Vec<(&str, usize)> = repositories.into_iter().collect();
        order.sort_by_cached_key(|(name, _)| {
            Digest::new("dev split")
                .field(seed.to_le_bytes())
                .field(name)
                .bytes()
        });
        let wanted = (share * self.train.len() as f64).ceil();
        let (mut taken, mut chosen) = (0, BTreeSet::new());
        // One repository stays to train on.
        for (name, count) in order.iter().take(order.len() - 1) {
            if taken as f64 >= wanted {
                break;
            }
            taken += count;
            chosen.insert((*name).to_owned());
        }
        let is_dev = |pair: &Pair| {
            pair.repository
                .as_ref()
                .is_some_and(|name| chosen.contains(name))
        };
        (self.dev, self.train) = std::mem::take(&mut self.train)
            .into_iter()
            .partition(is_dev);
        Ok(())
    }
}

/// A file, and the setting that its path names.
struct PairFile {
    path: PathBuf,
    setting: Option<String>,
}

/// The files of a split, by name.
fn split_files(folder: &Path, names: &[&str]) -> Result<Vec<PairFile>, TrainError> {
    const ENDINGS: [&str; 5] = ["parquet", "jsonl", "jsonl.gz", "json", "ndjson"];
    let mut files = Vec::new();
    for name in names {
        for ending in ENDINGS {
            let path = folder.join(format!("{name}.{ending}"));
            if path.is_file() {
                files.push(PairFile {
                    path,
                    setting: None,
                });
            }
        }
        let inside = folder.join(name);
        if inside.is_dir() {
            let entries =
                std::fs::read_dir(&inside).and_then(Iterator::collect::<Result<Vec<_>, _>>);
            let mut paths: Vec<PathBuf> = entries
                .map_err(TrainError::io("read", &inside))?
                .iter()
                .map(std::fs::DirEntry::path)
                .collect();
            paths.sort();
            for path in paths {
                let file = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                let stem = ENDINGS
                    .iter()
                    .find_map(|ending| file.strip_suffix(&format!(".{ending}")));
                if let Some(stem) = stem.filter(|stem| !stem.starts_with('.')) {
                    files.push(PairFile {
                        setting: Some(stem.to_owned()),
                        path,
                    });
                }
            }
        }
    }
    Ok(files)
}

/// The texts of `negative`, `negatives` and `negative_1`, `negative_2`, …
fn negatives(row: Row) -> Result<Vec<String>, TrainError> {
    let mut found = Vec::new();
    let place = row.place.clone();
    for (name, value) in row.rest() {
        let is_numbered = name
            .strip_prefix("negative_")
            .is_some_and(|number| number.parse::<u32>().is_ok());
        if name != "negative" && name != "negatives" && !is_numbered {
            continue;
        }
        let order = name
            .strip_prefix("negative_")
            .and_then(|number| number.parse::<u32>().ok())
            .unwrap_or(0);
        match value {
            serde_json::Value::Null => {}
            serde_json::Value::String(text) => found.push((order, text)),
            serde_json::Value::Array(texts) => {
                found.extend(
                    texts
                        .iter()
                        .filter_map(|text| Some((order, text.as_str()?.to_owned()))),
                );
            }
            other => {
                let shown: String = other.to_string().chars().take(40).collect();
                return Err(barecode_formats::FormatError::invalid(
                    place,
                    format!("`{name}` is {shown}, expected a text"),
                )
                .into());
            }
        }
    }
    found.sort_by_key(|(order, _)| *order);
    Ok(found
        .into_iter()
        .map(|(_, text)| text)
        .filter(|text| !text.trim().is_empty())
        .collect())
}
