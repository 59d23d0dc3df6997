//! A benchmark, examined once: the base of all checks.
//!
//! Enters: a benchmark. Leaves: [`TextFacts`] of every document and query, positions of ids, answers of queries, and
//! for each subset the one that shows the same documents as they were written ([`SubsetLook::original`]). The hard
//! part is the last: published sets do not state which file is the setting of which. Two subsets are settings of each
//! other if the smaller shares most of its documents' ids with the other and the queries that they share are the
//! same; the original is the one with such a name, or else the one whose answers share most words with their queries.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::OnceLock;

use barecode_formats::{Benchmark, Document, Kind, Query, Subset};
use rayon::prelude::*;
use serde::Serialize;

use crate::text::{TextFacts, words};
use barecode_languages::Form;

/// A benchmark and the facts about it.
pub(crate) struct Look<'a> {
    /// The benchmark.
    pub(crate) benchmark: &'a Benchmark,
    /// Its subsets, in order.
    pub(crate) subsets: Vec<SubsetLook<'a>>,
    /// The seed of draws.
    pub(crate) seed: u64,
    /// The queries that leak a name, computed on demand.
    pub(crate) leaking: OnceLock<Vec<Leaking>>,
}

/// The names that leak between one query and its answers. Queries without one are left out of lists.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Leaking {
    /// The subset's label.
    pub subset: String,
    /// The query's id.
    pub query: String,
    /// `kept`, `lost`, or `both`.
    pub class: &'static str,
    /// Names that the answer still shows, sorted.
    pub kept: Vec<String>,
    /// Names that the answer showed in the original, sorted.
    pub lost: Vec<String>,
}

/// A subset and the facts about it.
pub(crate) struct SubsetLook<'a> {
    /// The subset.
    pub(crate) subset: &'a Subset,
    /// Its name, with the split if the name alone is not unique.
    pub(crate) label: String,
    /// Of each document.
    pub(crate) documents: Vec<TextFacts>,
    /// Of each query.
    pub(crate) queries: Vec<TextFacts>,
    /// The index of the document with an id; the first of several.
    pub(crate) document_at: HashMap<&'a str, usize>,
    /// The index of the query with an id; the first of several.
    pub(crate) query_at: HashMap<&'a str, usize>,
    /// The judged documents of each query with their grades, by index, each once, in order.
    pub(crate) judged: Vec<Vec<(usize, i32)>>,
    /// The kind of most documents.
    pub(crate) form: Form,
    /// The subset that has the same documents as they were written.
    pub(crate) original: Option<usize>,
}

impl<'a> Look<'a> {
    /// Looks at a benchmark.
    pub(crate) fn at(benchmark: &'a Benchmark, seed: u64) -> Self {
        let mut names: BTreeMap<&str, u32> = BTreeMap::new();
        for subset in &benchmark.subsets {
            *names.entry(&subset.name).or_default() += 1;
        }
        let mut subsets: Vec<SubsetLook<'_>> = benchmark
            .subsets
            .iter()
            .map(|subset| {
                SubsetLook::at(
                    subset,
                    names
                        .get(subset.name.as_str())
                        .is_some_and(|&count| count > 1),
                )
            })
            .collect();
        let originals: Vec<Option<usize>> = (0..subsets.len())
            .map(|which| original(&subsets, which))
            .collect();
        for (subset, original) in subsets.iter_mut().zip(originals) {
            subset.original = original;
        }
        Look {
            benchmark,
            subsets,
            seed,
            leaking: OnceLock::new(),
        }
    }
}

impl<'a> SubsetLook<'a> {
    fn at(subset: &'a Subset, with_split: bool) -> Self {
        // Code that was lowered from C or C++ keeps the column of its source.
        let is_lowered = |form| matches!(form, Form::Assembly | Form::Wasm);
        let of_column = |document: &Document| {
            let form = document.language().and_then(Form::of_language)?;
            (form != Form::C || !is_lowered(Form::of_text(&document.text))).then_some(form)
        };
        let mut documents: Vec<TextFacts> = subset
            .documents
            .par_iter()
            .map(|document| TextFacts::of(&document.text, of_column(document)))
            .collect();
        let form = most(&documents);
        // A short text shows little by itself; the form of most texts holds for it too.
        documents
            .par_iter_mut()
            .zip(&subset.documents)
            .for_each(|(facts, document)| {
                let is_told =
                    of_column(document).is_some_and(|named| named != Form::C || !is_lowered(form));
                if !is_told && facts.form != form && facts.lines <= 3 && form != Form::Other {
                    *facts = TextFacts::of(&document.text, Some(form));
                }
            });
        let queries = subset
            .queries
            .par_iter()
            .map(|query| TextFacts::of(&query.text, Some(Form::Other)))
            .collect();
        let mut document_at = HashMap::with_capacity(subset.documents.len());
        for (at, document) in subset.documents.iter().enumerate() {
            document_at.entry(document.id.as_str()).or_insert(at);
        }
        let mut query_at = HashMap::with_capacity(subset.queries.len());
        for (at, query) in subset.queries.iter().enumerate() {
            query_at.entry(query.id.as_str()).or_insert(at);
        }
        let mut judged = vec![Vec::new(); subset.queries.len()];
        for judgment in &subset.judgments {
            let places = query_at
                .get(judgment.query.as_str())
                .zip(document_at.get(judgment.document.as_str()));
            if let Some((&query, &document)) = places {
                let of_query: &mut Vec<(usize, i32)> = &mut judged[query];
                of_query.push((document, judgment.grade));
            }
        }
        // The highest grade of a pair that is judged twice.
        judged.par_iter_mut().for_each(|of_query| {
            of_query
                .sort_unstable_by_key(|&(document, grade)| (document, std::cmp::Reverse(grade)));
            of_query.dedup_by_key(|&mut (document, _)| document);
        });
        let name = if subset.name.is_empty() {
            "default"
        } else {
            &subset.name
        };
        SubsetLook {
            subset,
            label: if with_split {
                format!("{name}/{}", subset.split)
            } else {
                name.to_owned()
            },
            documents,
            queries,
            document_at,
            query_at,
            judged,
            form,
            original: None,
        }
    }

    /// Returns `true` if models are to rank documents.
    pub(crate) fn is_retrieval(&self) -> bool {
        self.subset.kind == Kind::Retrieval
    }

    /// The indices of the documents that answer a query.
    pub(crate) fn answers(&self, query: usize) -> impl Iterator<Item = usize> {
        let judged = self.judged.get(query).map_or(&[][..], Vec::as_slice);
        judged
            .iter()
            .filter(|(_, grade)| *grade > 0)
            .map(|&(document, _)| document)
    }

    /// Number of queries with an answer.
    pub(crate) fn answered(&self) -> usize {
        let queries = 0..self.queries.len();
        queries
            .filter(|&query| self.answers(query).next().is_some())
            .count()
    }

    /// A document.
    pub(crate) fn document(&self, at: usize) -> &'a Document {
        &self.subset.documents[at]
    }

    /// A query.
    pub(crate) fn query(&self, at: usize) -> &'a Query {
        &self.subset.queries[at]
    }

    /// The documents that answer some query, in order.
    pub(crate) fn answering(&self) -> Vec<usize> {
        let mut answering: Vec<usize> = (0..self.queries.len())
            .flat_map(|query| self.answers(query))
            .collect();
        answering.sort_unstable();
        answering.dedup();
        answering
    }
}

/// The form of most texts that have one; the first among equals.
fn most(documents: &[TextFacts]) -> Form {
    let mut counts: BTreeMap<Form, usize> = BTreeMap::new();
    for facts in documents {
        *counts.entry(facts.form).or_default() += 1;
    }
    let most = counts
        .into_iter()
        .max_by_key(|&(form, count)| (count, std::cmp::Reverse(form)));
    most.map_or(Form::Other, |(form, _)| form)
}

/// The subset that shows the documents of `which` as they were written; `None` if it does so itself.
fn original(subsets: &[SubsetLook<'_>], which: usize) -> Option<usize> {
    let this = &subsets[which];
    let settings: Vec<usize> = (0..subsets.len())
        .filter(|&other| other == which || is_setting(this, &subsets[other]))
        .collect();
    if settings.len() < 2 {
        return None;
    }
    let is_called = |&&other: &&usize| {
        let name = subsets[other].subset.name.to_ascii_lowercase();
        ["original", "standard", "unmodified"]
            .iter()
            .any(|word| name.contains(word))
    };
    let of_name = settings
        .iter()
        .filter(is_called)
        .max_by_key(|&&other| {
            let alike = in_front(&this.subset.name, &subsets[other].subset.name);
            (
                alike,
                shared(this, &subsets[other]),
                std::cmp::Reverse(other),
            )
        })
        .copied();
    let best = of_name.or_else(|| {
        let by_words = settings
            .iter()
            .filter(|&&other| subsets[other].form.is_source())
            .max_by(|one, other| {
                let share = |at: usize| words_in_common(&subsets[at]);
                share(**one).total_cmp(&share(**other)).then(other.cmp(one))
            });
        by_words.copied()
    });
    best.filter(|&best| best != which)
}

/// Number of letters that two names begin with alike.
fn in_front(one: &str, other: &str) -> usize {
    one.chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count()
}

fn shared(this: &SubsetLook<'_>, other: &SubsetLook<'_>) -> usize {
    let documents = this.subset.documents.iter();
    documents
        .filter(|document| other.document_at.contains_key(document.id.as_str()))
        .count()
}

/// Returns `true` if two subsets show the same documents in two ways.
fn is_setting(this: &SubsetLook<'_>, other: &SubsetLook<'_>) -> bool {
    if this.subset.split != other.subset.split
        || this.documents.is_empty()
        || this.queries.is_empty()
    {
        return false;
    }
    if shared(this, other) * 2 < this.documents.len() {
        return false;
    }
    let mut same = 0;
    let mut both = 0;
    for (at, query) in this.subset.queries.iter().enumerate() {
        if let Some(&there) = other.query_at.get(query.id.as_str()) {
            both += 1;
            same += usize::from(this.queries[at].spaced == other.queries[there].spaced);
        }
    }
    if both * 2 < this.queries.len() || same * 10 < both * 9 {
        return false;
    }
    let differ = this
        .subset
        .documents
        .iter()
        .enumerate()
        .filter(|(at, document)| {
            let there = other.document_at.get(document.id.as_str());
            there.is_some_and(|&there| other.documents[there].spaced != this.documents[*at].spaced)
        });
    differ.count() > 0
}

/// The mean share of a query's words that are in its answer.
fn words_in_common(look: &SubsetLook<'_>) -> f64 {
    // A thousand queries show as much as a million.
    let queries = look.queries.len().min(1000);
    let mut sum = 0.0;
    for at in 0..queries {
        if let Some(answer) = look.answers(at).next() {
            let of_answer: HashSet<&str> = words(&look.document(answer).text).collect();
            let of_query: HashSet<&str> = words(&look.query(at).text).collect();
            sum += of_query.intersection(&of_answer).count() as f64 / of_query.len().max(1) as f64;
        }
    }
    sum / queries.max(1) as f64
}
