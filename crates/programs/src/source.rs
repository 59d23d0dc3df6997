//! The origin of programs: a data set as a recipe names it (`[[programs]]`), and its name in records.

use std::path::{Path, PathBuf};

use barecode_records::tails;
use serde::{Deserialize, Serialize};

use crate::read::Format;

/// A data set of programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct ProgramSource {
    /// A file or folder, relative to the recipe's.
    pub from: String,
    /// Its format; found by name and content unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Format>,
    /// Its license, as an SPDX expression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The most problems that are taken from it, drawn by the seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The most bugs of a problem that are taken of those that the data set publishes, drawn by the seed.
    #[serde(default = "one")]
    pub bugs: u32,
}

fn one() -> u32 {
    1
}

impl ProgramSource {
    /// Its path, if `folder` is the recipe's.
    pub fn path(&self, folder: &Path) -> PathBuf {
        folder.join(self.bare())
    }

    fn bare(&self) -> &str {
        self.from.strip_prefix("path:").unwrap_or(&self.from)
    }
}

/// The names of data sets in records: the ends of their paths, so that no record names a folder of the machine.
pub(crate) fn labels(sources: &[ProgramSource]) -> Vec<String> {
    let paths: Vec<&str> = sources.iter().map(ProgramSource::bare).collect();
    let tails = tails(&paths).into_iter().zip(sources);
    let label = |(tail, source): (String, &ProgramSource)| match tail {
        empty if empty.is_empty() => source.from.clone(),
        tail => tail,
    };
    tails.map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_called_by_the_end_of_their_path() {
        let of = |paths: &[&str]| {
            let sources = paths.iter().map(|from| ProgramSource {
                from: (*from).to_owned(),
                format: None,
                license: None,
                limit: None,
                bugs: 1,
            });
            labels(&sources.collect::<Vec<_>>())
        };
        assert_eq!(
            of(&["/home/me/HumanEval.jsonl.gz", "path:../data/mbpp.jsonl"]),
            ["HumanEval.jsonl.gz", "mbpp.jsonl"]
        );
        assert_eq!(
            of(&["/a/x/train.jsonl", "/a/y/train.jsonl", "train.json"]),
            ["x/train.jsonl", "y/train.jsonl", "train.json"]
        );
        assert_eq!(
            of(&["train.jsonl", "/a/train.jsonl"]),
            ["train.jsonl", "a/train.jsonl"]
        );
        assert_eq!(of(&["."]), ["."]);
    }
}
