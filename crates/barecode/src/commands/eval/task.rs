//! A subset with what every system is asked on it.

use std::collections::{BTreeMap, BTreeSet};

use barecode_formats::{Benchmark, Subset};

use super::pool::Drawn;

/// The grades of one query's judged documents.
pub(super) type Grades<'a> = BTreeMap<&'a str, i32>;

/// A subset with what every system is asked on it.
pub(super) struct Task<'a> {
    pub(super) subset: &'a Subset,
    /// Its name in files, which no other task has: `SUBSET.SPLIT`.
    pub(super) file: String,
    /// Title and text of each document.
    pub(super) documents: Vec<String>,
    /// The queries that have a judgment.
    pub(super) queries: Vec<(&'a str, &'a str)>,
    /// Their judgments.
    pub(super) qrels: BTreeMap<&'a str, Grades<'a>>,
    /// The candidates of each draw: one that has every document, unless a pool or the dataset says otherwise.
    pub(super) draws: Vec<Drawn>,
}

impl<'a> Task<'a> {
    /// A task for each subset, without a pool.
    pub(super) fn all(benchmark: &'a Benchmark) -> Vec<Task<'a>> {
        let mut names = Names::default();
        benchmark
            .subsets
            .iter()
            .map(|subset| {
                let file = names.of(&format!("{}.{}", subset.name, subset.split));
                Task::new(subset, file)
            })
            .collect()
    }

    fn new(subset: &'a Subset, file: String) -> Self {
        let mut qrels: BTreeMap<&str, Grades<'_>> = BTreeMap::new();
        for judgment in &subset.judgments {
            let of_query = qrels.entry(&judgment.query).or_default();
            of_query.insert(&judgment.document, judgment.grade);
        }
        let documents = subset.documents.iter().map(|document| {
            format!("{} {}", document.title, document.text)
                .trim()
                .to_owned()
        });
        let mut task = Task {
            subset,
            file,
            documents: documents.collect(),
            queries: subset
                .queries
                .iter()
                .filter(|query| qrels.contains_key(query.id.as_str()))
                .map(|query| (query.id.as_str(), query.text.as_str()))
                .collect(),
            qrels,
            draws: vec![Drawn::Everyone],
        };
        if !subset.candidates.is_empty() {
            let places = task.places();
            let of_query = |(query, _): &(&str, &str)| match subset.candidates.get(*query) {
                None => (0..task.documents.len()).collect(),
                Some(own) => {
                    let own = own.iter().filter_map(|id| places.get(id.as_str()));
                    let own: BTreeSet<usize> = own.copied().collect();
                    own.into_iter().collect()
                }
            };
            let candidates = task.queries.iter().map(of_query).collect();
            task.draws = vec![Drawn::Candidates(candidates)];
        }
        task
    }

    /// Id and text of each document.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        let ids = self.subset.documents.iter().map(|document| &*document.id);
        ids.zip(self.documents.iter().map(String::as_str)).collect()
    }

    /// Where each document stands.
    pub(super) fn places(&self) -> BTreeMap<&'a str, usize> {
        let ids = self.subset.documents.iter().map(|document| &*document.id);
        ids.zip(0..).collect()
    }

    /// The repository of each query's first answer, where the dataset tells it for all of them.
    pub(super) fn repositories(&self) -> Option<Vec<&'a str>> {
        let places = self.places();
        let of_query = |(query, _): &(&str, &str)| {
            let mut answers = self.qrels[query].iter().filter(|(_, grade)| **grade > 0);
            let answer = answers.find_map(|(document, _)| places.get(document))?;
            self.subset.documents[*answer].repository()
        };
        self.queries.iter().map(of_query).collect()
    }
}

/// Names that can be files', each given once.
#[derive(Default)]
pub(super) struct Names {
    given: BTreeSet<String>,
}

impl Names {
    /// The name with `_` for other characters than letters, digits, `.`, `-` and `_`; with a number behind it where
    /// that was given before.
    pub(super) fn of(&mut self, name: &str) -> String {
        let kept = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let plain: String = name
            .chars()
            .map(|c| if kept(c) { c } else { '_' })
            .collect();
        let plain = plain.trim_start_matches('.');
        // File systems that do not tell cases apart would make one file of two.
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut names = std::iter::once(plain.to_owned()).chain(numbered);
        names
            .find(|name| self.given.insert(name.to_lowercase()))
            .expect("numbers do not end")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_names_are_one_file() {
        let mut names = Names::default();
        assert_eq!(names.of("c++.test"), "c__.test");
        assert_eq!(names.of("c--.test"), "c--.test");
        assert_eq!(names.of("c//.test"), "c__.test-2");
        assert_eq!(names.of("C__.test"), "C__.test-3");
        assert_eq!(names.of("../x"), "_x");
    }
}
