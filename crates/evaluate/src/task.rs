//! A subset with the data that every system gets.

use std::collections::{BTreeMap, BTreeSet};

use barecode_formats as formats;
use barecode_records::{
    Digest, Document, Facets, Judgment, Leak, ProbePair, ProbeProgram, QueryText, Subset,
};

use crate::drawn::Drawn;
use crate::prompt::MatchingParts;

/// A subset with the data that every system gets.
#[derive(Debug, Clone)]
pub struct Task {
    /// Name, kind and facets; the name is unique among the tasks of a dataset.
    pub subset: Subset,
    /// The name as the dataset has it, which two splits may share.
    pub title: String,
    /// The split.
    pub split: String,
    /// Its name in files, which no other task has: `SUBSET.SPLIT`.
    pub file: String,
    /// The documents that can be listed.
    pub documents: Vec<TaskDocument>,
    /// The queries of the task.
    pub queries: Vec<TaskQuery>,
    /// The grades of judged documents, by query and document.
    pub grades: BTreeMap<String, BTreeMap<String, i32>>,
    /// The candidates of each draw: one draw that has every document, unless a pool or the dataset defines others.
    pub draws: Vec<Drawn>,
    /// The parts that are compared, where the subset is a probe; its texts are the documents, and it has no queries.
    pub probe: Option<ProbeParts>,
    /// The prompt of a chat model about pairs, where the subset is for matching.
    pub matching: Option<MatchingParts>,
}

/// The parts that are compared in a probe.
#[derive(Debug, Clone, Default)]
pub struct ProbeParts {
    /// The programs.
    pub programs: Vec<ProbeProgram>,
    /// The pairs.
    pub pairs: Vec<ProbePair>,
}

/// A document of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskDocument {
    /// Its id.
    pub id: String,
    /// Title and text, without blanks at the ends, as MTEB's retrieval tasks give them to a model.
    pub text: String,
    /// Its language, if known.
    pub language: Option<String>,
    /// Its repository, if known.
    pub repository: Option<String>,
}

/// A query of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskQuery {
    /// Its id.
    pub id: String,
    /// The text of the query.
    pub text: String,
    /// The strongest name that it shares with its answer, if leaks were looked for.
    pub leak: Option<Leak>,
}

impl Task {
    /// A task for each subset of a benchmark. Only queries with a judgment are included.
    pub fn all<'a>(
        subsets: impl IntoIterator<Item = &'a formats::Subset, IntoIter: Clone>,
    ) -> Vec<Task> {
        let subsets = subsets.into_iter();
        let mut names = FileNames::default();
        let mut titles: BTreeMap<&str, usize> = BTreeMap::new();
        for subset in subsets.clone() {
            *titles.entry(&subset.name).or_default() += 1;
        }
        let task = |subset: &formats::Subset| {
            let full = format!("{}.{}", subset.name, subset.split);
            let file = names.of(&full);
            if titles[subset.name.as_str()] == 1 {
                return Task::of_subset(subset, subset.name.clone(), file);
            }
            // The queries of two splits are never averaged or pooled.
            let mut task = Task::of_subset(subset, full, file);
            task.subset.facets = Facets::default();
            task
        };
        subsets.map(task).collect()
    }

    fn of_subset(subset: &formats::Subset, name: String, file: String) -> Self {
        let mut grades: BTreeMap<String, BTreeMap<String, i32>> = BTreeMap::new();
        for judgment in &subset.judgments {
            let of_query = grades.entry(judgment.query.clone()).or_default();
            of_query.insert(judgment.document.clone(), judgment.grade);
        }
        let document = |document: &formats::Document| TaskDocument {
            id: document.id.clone(),
            text: format!("{} {}", document.title, document.text)
                .trim()
                .to_owned(),
            language: document.language().map(str::to_owned),
            repository: document.repository().map(str::to_owned),
        };
        let query = |query: &formats::Query| TaskQuery {
            id: query.id.clone(),
            text: query.text.clone(),
            leak: None,
        };
        let judged = |query: &&formats::Query| grades.contains_key(&query.id);
        let mut task = Task {
            // Pairs to be matched are ranked as documents; the pairs for matching are drawn from the positive ones.
            subset: Subset {
                name,
                facets: subset.facets.clone(),
                ..Subset::default()
            },
            title: subset.name.clone(),
            split: subset.split.clone(),
            file,
            documents: subset.documents.iter().map(document).collect(),
            queries: subset.queries.iter().filter(judged).map(query).collect(),
            grades,
            draws: vec![Drawn::Everyone],
            probe: None,
            matching: None,
        };
        if !subset.candidates.is_empty() {
            let indexes = task.indexes();
            let of_query = |query: &TaskQuery| match subset.candidates.get(&query.id) {
                None => (0..task.documents.len()).collect(),
                Some(own) => {
                    let own = own.iter().filter_map(|id| indexes.get(id.as_str()));
                    let own: BTreeSet<usize> = own.copied().collect();
                    own.into_iter().collect()
                }
            };
            let candidates = task.queries.iter().map(of_query).collect();
            task.draws = vec![Drawn::Candidates(candidates)];
        }
        task
    }

    /// The task of a run's subset: all of its queries are included.
    pub fn of_records(
        subset: Subset,
        documents: Vec<Document>,
        queries: Vec<QueryText>,
        judgments: Vec<Judgment>,
    ) -> Self {
        let mut grades: BTreeMap<String, BTreeMap<String, i32>> = BTreeMap::new();
        for judgment in judgments {
            let of_query = grades.entry(judgment.query_id.to_string()).or_default();
            of_query.insert(judgment.corpus_id.to_string(), judgment.score);
        }
        let document = |document: Document| TaskDocument {
            id: document.id.to_string(),
            text: document.text.trim().to_owned(),
            language: Some(document.language.name().to_owned()),
            repository: Some(document.whole()),
        };
        let query = |query: QueryText| TaskQuery {
            id: query.id.to_string(),
            text: query.text,
            leak: Some(query.leak),
        };
        Task {
            title: subset.name.clone(),
            split: "test".to_owned(),
            file: format!("{}.test", subset.name),
            subset,
            documents: documents.into_iter().map(document).collect(),
            queries: queries.into_iter().map(query).collect(),
            grades,
            draws: vec![Drawn::Everyone],
            probe: None,
            matching: None,
        }
    }

    /// The task of a run's probe: its documents are the texts that are compared.
    pub fn of_probe(subset: Subset, documents: Vec<Document>, parts: ProbeParts) -> Self {
        Task {
            probe: Some(parts),
            ..Self::of_records(subset, documents, Vec::new(), Vec::new())
        }
    }

    /// Id and text of each document.
    pub fn pairs(&self) -> Vec<(&str, &str)> {
        let documents = self.documents.iter();
        documents
            .map(|document| (document.id.as_str(), document.text.as_str()))
            .collect()
    }

    /// The index of each document, by id.
    pub fn indexes(&self) -> BTreeMap<&str, usize> {
        let ids = self.documents.iter().map(|document| document.id.as_str());
        ids.zip(0..).collect()
    }

    /// The index of each query, by id.
    pub(crate) fn query_indexes(&self) -> BTreeMap<&str, usize> {
        let ids = self.queries.iter().map(|query| query.id.as_str());
        ids.zip(0..).collect()
    }

    /// Returns `true` if a document, by its index, is an answer to a query.
    pub fn is_answer(&self, query: &str, document: usize) -> bool {
        let grades = self.grades.get(query);
        let grade = grades.and_then(|grades| grades.get(&self.documents[document].id));
        grade.is_some_and(|&grade| grade > 0)
    }

    /// The grades of a query's judged documents.
    pub fn grades_of(&self, query: &str) -> BTreeMap<&str, i32> {
        let grades = self.grades.get(query).into_iter().flatten();
        grades
            .map(|(document, grade)| (document.as_str(), *grade))
            .collect()
    }

    /// By query the repository of its best answer, if it is known for all queries.
    pub fn repositories(&self) -> Option<BTreeMap<&str, &str>> {
        let indexes = self.indexes();
        let of_query = |query: &'_ TaskQuery| {
            let mut best: Option<(&str, i32)> = None;
            for (document, &grade) in self.grades.get(&query.id)? {
                if grade > best.map_or(0, |(_, grade)| grade)
                    && indexes.contains_key(document.as_str())
                {
                    best = Some((document.as_str(), grade));
                }
            }
            self.documents[indexes[best?.0]].repository.as_deref()
        };
        let queries = self.queries.iter();
        queries
            .map(|query| Some((query.id.as_str(), of_query(query)?)))
            .collect()
    }

    /// The number of queries; of a probe, the number of programs.
    pub fn asked(&self) -> usize {
        let programs = self.probe.as_ref().map(|parts| parts.programs.len());
        programs.unwrap_or(self.queries.len())
    }

    /// A digest of documents and queries, which lists depend on.
    pub fn digest(&self) -> String {
        let mut digest = Digest::new("task").field(&self.file);
        for document in &self.documents {
            let language = document.language.as_deref().unwrap_or_default();
            digest = digest
                .field(&document.id)
                .field(&document.text)
                .field(language);
        }
        for query in &self.queries {
            digest = digest.field(&query.id).field(&query.text);
        }
        for draw in &self.draws {
            digest = draw.add_to(digest);
        }
        if let Some(parts) = &self.matching {
            digest = digest.field("matching").field(parts.prompt("", ""));
        }
        digest.hex()
    }

    /// A digest of the grades, and of other data that scores depend on and lists do not.
    pub fn judgments_digest(&self) -> String {
        if let Some(ProbeParts { programs, pairs }) = &self.probe {
            let pairs = format!("{programs:?} {pairs:?}");
            return Digest::new("pairs").field(pairs).hex();
        }
        let mut digest = Digest::new("grades");
        for (query, of_query) in &self.grades {
            digest = digest.field(query);
            for (document, grade) in of_query {
                digest = digest.field(document).field(grade.to_le_bytes());
            }
        }
        let repositories = self.repositories().into_iter().flatten();
        digest
            .fields(repositories.map(|(query, repository)| format!("{query} {repository}")))
            .hex()
    }
}

/// Names that can be files', each returned once.
#[derive(Debug, Default)]
pub struct FileNames {
    given: BTreeSet<String>,
}

impl FileNames {
    /// The name with `_` for other characters than letters, digits, `.`, `-` and `_`; a number is appended if it was
    /// returned before.
    pub fn of(&mut self, name: &str) -> String {
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        let plain: String = name
            .chars()
            .map(|c| if plain(c) { c } else { '_' })
            .collect();
        let plain = plain.trim_start_matches('.');
        // File systems that ignore case would make one file of two.
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
        let mut names = FileNames::default();
        assert_eq!(names.of("c++.test"), "c__.test");
        assert_eq!(names.of("c--.test"), "c--.test");
        assert_eq!(names.of("c//.test"), "c__.test-2");
        assert_eq!(names.of("C__.test"), "C__.test-3");
        assert_eq!(names.of("../x"), "_x");
    }
}
