//! `[dataset]` of a recipe, once it has been checked.

use barecode_corpus::duplicates::Likeness;
use barecode_records::Setting;
use serde::Serialize;

use crate::View;

/// The selection of functions, and their side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct DatasetConfig {
    /// The Jaccard similarity, above 0 and up to 1, from which two functions are near-duplicates; 0 disables the
    /// test.
    pub near_duplicates: f64,
    /// Tokens of a shingle, from 1.
    pub shingle: usize,
    /// The setting whose texts are compared: standard or neutralized.
    pub on: Setting,
    /// Functions are set aside if their text in any setting is another function's but for white space.
    pub distinct_texts: bool,
    /// At most this many queries of one repository and group.
    pub max_per_repository: Option<u32>,
    /// The content of the train split.
    pub train: Train,
    /// Which functions compete with each other.
    pub views: Vec<View>,
    /// Settings in which functions are queries for themselves as they were written, among all functions of the test
    /// split.
    pub code_queries: Vec<Setting>,
    /// The test split has functions only whose first commit is later than this day: `2024-01-31`.
    pub first_commit_after: Option<String>,
}

impl Default for DatasetConfig {
    /// 5-grams at a Jaccard similarity of 0.7, as the data of `StarCoder` were freed of near-duplicates (Li et al.
    /// 2023); no cap, no train split, functions of any age.
    fn default() -> Self {
        DatasetConfig {
            near_duplicates: 0.7,
            shingle: 5,
            on: Setting::Standard,
            distinct_texts: false,
            max_per_repository: None,
            train: Train::Share(0.0),
            views: View::CLARC.to_vec(),
            code_queries: Vec::new(),
            first_commit_after: None,
        }
    }
}

impl DatasetConfig {
    /// From when on two functions are near-duplicates.
    pub fn likeness(&self) -> Likeness {
        Likeness {
            threshold: self.near_duplicates,
            shingle: self.shingle,
        }
    }
}

/// The content of the train split.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Train {
    /// Repositories drawn until this share of the functions is reached, in 0..1; 0 makes no train split.
    Share(f64),
    /// The repositories of these sources, as records call them.
    Sources(Vec<String>),
}
