//! The best value that a model could reach, and the value by chance.
//!
//! Twins are documents with the same text: after renaming, short functions often become one. No model can distinguish
//! them, but the judgments do, so a strict score cannot reach 1. [`ceiling`] is the expected value of a model that
//! knows everything except which twin is meant: it orders the texts in the best possible way and ties those that are
//! equal. [`floor`] is the expectation of one big tie.
//!
//! The best order of texts depends on the measure. For nDCG, R and P each position of a text is worth the text's mean
//! grade (or share of relevant documents), so texts by that mean, highest first, are best. For RR and Success only
//! the first text matters, and each is tried. For AP texts whose documents are all relevant come first; the others
//! are tried in every order up to [`TRIED`] of them, ties between texts included, because a tie of two texts can be
//! worth more than either order. Beyond that they are ordered by their share of relevant documents, which may then be
//! a little below the best.
//!
//! Queries have twins too: any model returns the same list for two with the same text, though their answers differ.
//! [`ceiling_of_twins`] is the mean over such queries of the best list for all of them together; by the same rules,
//! with worth summed over the queries. RR, Success, AP and Rprec are then tried in every order up to [`TRIED`] texts,
//! and beyond that are ordered by worth. [`floor`] is the same for every query, so twins among queries do not change
//! it.
//!
//! Some measures have no ceiling here: those that only use the retrieved or judged documents (`SetP`, `Judged`,
//! `NumRet`, …), and `Bpref`, `infAP`, `IPrec`, `ERR` and `Accuracy`, for which the best order of texts is not known
//! in general. [`ceiling`] is `None` for these rather than a number that is nearly right.

use std::collections::{BTreeMap, BTreeSet};

use crate::evaluate::{grades_of, value};
use crate::measure::{Gain, Kind, Measure};
use crate::names::Takes;
use crate::ties::{List, TieGroup};

/// Up to this many texts that mix relevant and other documents, AP's ceiling tries every order: 541 of five.
const TRIED: usize = 5;

/// The documents that have the same text.
#[derive(Debug, Clone)]
pub struct Twins<'a> {
    class_of: BTreeMap<&'a str, usize>,
    classes: Vec<Vec<&'a str>>,
}

impl<'a> Twins<'a> {
    /// Finds the twins among documents, given as id and text.
    pub fn among(documents: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut by_text: BTreeMap<&str, Vec<&'a str>> = BTreeMap::new();
        for (doc, text) in documents {
            by_text.entry(text).or_default().push(doc);
        }
        let classes: Vec<Vec<&str>> = by_text.into_values().collect();
        let class_of = classes
            .iter()
            .enumerate()
            .flat_map(|(class, docs)| docs.iter().map(move |&doc| (doc, class)))
            .collect();
        Twins { class_of, classes }
    }

    /// Number of documents.
    pub fn documents(&self) -> usize {
        self.class_of.len()
    }

    /// Number of different texts.
    pub fn texts(&self) -> usize {
        self.classes.len()
    }

    /// Number of documents that share their text with another one.
    pub fn with_twin(&self) -> usize {
        self.classes
            .iter()
            .map(Vec::len)
            .filter(|&size| size > 1)
            .sum()
    }

    /// The documents that have this document's text, itself included; empty for an unknown document.
    pub fn of(&self, doc: &str) -> &[&'a str] {
        self.class_of
            .get(doc)
            .map_or(&[], |&class| &self.classes[class])
    }

    /// The grades of each query by the texts of documents that are relevant for any of them; judged documents that
    /// are not among the candidates are left out.
    fn asked(&self, queries: &[&BTreeMap<&str, i32>]) -> Vec<Asked> {
        let relevant = queries
            .iter()
            .copied()
            .flatten()
            .filter(|&(_, &grade)| grade > 0);
        let classes: BTreeSet<usize> = relevant
            .filter_map(|(doc, _)| self.class_of.get(doc).copied())
            .collect();
        let of_query = |qrels: &&BTreeMap<&str, i32>| {
            let group = |class: &usize| {
                let docs = &self.classes[*class];
                let grade = |doc: &&str| qrels.get(doc).copied().filter(|&grade| grade > 0);
                TieGroup {
                    before: 0,
                    size: docs.len(),
                    grades: docs.iter().filter_map(grade).collect(),
                    elsewhere: 0,
                }
            };
            Asked {
                groups: classes.iter().map(group).collect(),
                grades: grades_of(qrels),
            }
        };
        queries.iter().map(of_query).collect()
    }
}

/// A query: its grades, highest first, and those among the documents of each text.
struct Asked {
    groups: Vec<TieGroup>,
    grades: Vec<i32>,
}

/// The expected value for a perfect model that cannot distinguish twins, per measure; `None` for measures that
/// have no such value.
///
/// ```
/// use std::collections::BTreeMap;
/// use barecode_scores::{Measure, Twins, ceiling};
/// let twins = Twins::among([("a", "int f(void);"), ("b", "int f(void);"), ("c", "int g(void);")]);
/// let measures: Vec<Measure> = ["R@1", "NumRet"].iter().map(|name| name.parse().unwrap()).collect();
/// assert_eq!(ceiling(&measures, &twins, &BTreeMap::from([("a", 1)])), [Some(0.5), None]);
/// assert_eq!(ceiling(&measures, &twins, &BTreeMap::from([("c", 1)])), [Some(1.0), None]);
/// ```
pub fn ceiling(
    measures: &[Measure],
    twins: &Twins,
    qrels: &BTreeMap<&str, i32>,
) -> Vec<Option<f64>> {
    ceiling_of_twins(measures, twins, &[qrels])
}

/// The expected mean over queries of the same text for a perfect model, which gives all of them the same list and
/// cannot distinguish documents that are twins.
///
/// ```
/// use std::collections::BTreeMap;
/// use barecode_scores::{Measure, Twins, ceiling_of_twins};
/// let twins = Twins::among([("a", "int f(void);"), ("b", "int g(void);")]);
/// let measures: Vec<Measure> = ["R@1", "RR"].iter().map(|name| name.parse().unwrap()).collect();
/// let (one, other) = (BTreeMap::from([("a", 1)]), BTreeMap::from([("b", 1)]));
/// assert_eq!(ceiling_of_twins(&measures, &twins, &[&one, &other]), [Some(0.5), Some(0.75)]);
/// ```
pub fn ceiling_of_twins(
    measures: &[Measure],
    twins: &Twins,
    queries: &[&BTreeMap<&str, i32>],
) -> Vec<Option<f64>> {
    let asked = twins.asked(queries);
    measures
        .iter()
        .map(|measure| best(measure, &asked))
        .collect()
}

/// The expected value for random order of `documents` documents, per measure; `None` for measures that only use the
/// retrieved documents, and for `Hole`, which needs the judgments of other queries.
///
/// ```
/// use std::collections::BTreeMap;
/// use barecode_scores::{Measure, floor};
/// let measures: Vec<Measure> = ["R@5", "SetP"].iter().map(|name| name.parse().unwrap()).collect();
/// assert_eq!(floor(&measures, 20, &BTreeMap::from([("a", 1)])), [Some(0.25), None]);
/// ```
pub fn floor(
    measures: &[Measure],
    documents: usize,
    qrels: &BTreeMap<&str, i32>,
) -> Vec<Option<f64>> {
    let grades = grades_of(qrels);
    // Judged documents are candidates; a count of the caller that is too small is corrected.
    let size = documents.max(grades.len());
    let mut list = List {
        groups: Vec::new(),
        length: size,
    };
    if size > 0 {
        list.groups.push(TieGroup {
            before: 0,
            size,
            grades: grades.clone(),
            elsewhere: 0,
        });
    }
    measures
        .iter()
        .map(|measure| {
            measure
                .takes(Takes::Floor)
                .then(|| value(measure, &list, &grades))
        })
        .collect()
}

impl Measure {
    /// Returns `true` if there is a ceiling and a floor for it.
    ///
    /// ```
    /// use barecode_scores::Measure;
    /// assert!("RR@10".parse::<Measure>().unwrap().has_ceiling());
    /// assert!(!"NumRet".parse::<Measure>().unwrap().has_ceiling());
    /// ```
    pub fn has_ceiling(&self) -> bool {
        best(self, &[]).is_some()
    }
}

/// The mean over the queries of the value of the best list for all of them.
fn best(measure: &Measure, queries: &[Asked]) -> Option<f64> {
    if measure.judged_only {
        return None;
    }
    let of_query = |groups: Vec<TieGroup>, grades: &[i32]| {
        let length = groups.iter().map(|group| group.size).sum();
        value(measure, &List { groups, length }, grades)
    };
    // An order of texts, those of one step tied.
    let of_order = |order: &[Vec<usize>]| {
        let values = queries.iter().map(|query| {
            let tie = |texts: &Vec<usize>| {
                let mut tie = TieGroup::default();
                for text in texts {
                    tie.size += query.groups[*text].size;
                    tie.grades.extend(&query.groups[*text].grades);
                }
                tie.grades.sort_unstable_by(|a, b| b.cmp(a));
                tie
            };
            let order: Vec<TieGroup> = order.iter().map(tie).collect();
            of_query(stacked(&order), &query.grades)
        });
        values.sum::<f64>() / queries.len().max(1) as f64
    };
    // The worth of a document of a text at the top of the list, on average over its twins.
    let n_texts = queries.first().map_or(0, |query| query.groups.len());
    let size = |text: usize| queries[0].groups[text].size;
    let worth = |text: usize| {
        let of_query = queries.iter().map(|query| {
            let grades = query.groups[text].grades.iter();
            let alone = |grade: &i32| TieGroup {
                size: 1,
                grades: vec![*grade],
                ..TieGroup::default()
            };
            let values = grades.map(|grade| of_query(vec![alone(grade)], &query.grades));
            values.sum::<f64>()
        });
        of_query.sum::<f64>() / size(text) as f64
    };
    let mut by_worth: Vec<(f64, usize)> = (0..n_texts).map(|text| (worth(text), text)).collect();
    by_worth.sort_by(|a, b| b.0.total_cmp(&a.0).then(size(a.1).cmp(&size(b.1))));
    let by_worth: Vec<Vec<usize>> = by_worth.into_iter().map(|(_, text)| vec![text]).collect();
    match &measure.kind {
        Kind::NDcg(Gain::Linear | Gain::Exponential)
        | Kind::ScaledDcg { .. }
        | Kind::Recall
        | Kind::CappedRecall
        | Kind::Precision
        | Kind::RankBiased { .. } => Some(of_order(&by_worth)),
        Kind::RPrecision if queries.len() < 2 => Some(of_order(&by_worth)),
        Kind::Rr | Kind::Success if queries.len() < 2 => {
            let firsts = by_worth.iter().map(std::slice::from_ref);
            Some(firsts.map(of_order).fold(0.0, f64::max))
        }
        Kind::Ap if queries.len() < 2 => {
            let rel = |query: &Asked| measure.rel.lowest(&query.grades);
            let relevant = |text: usize| {
                let of = queries.iter();
                of.map(|query| query.groups[text].relevant(rel(query)))
                    .sum::<usize>()
            };
            let pure = by_worth
                .iter()
                .take_while(|text| relevant(text[0]) == size(text[0]))
                .count();
            let (top, rest) = by_worth.split_at(pure);
            let mixed = rest.iter().take_while(|text| relevant(text[0]) > 0).count();
            Some(tried(top, &rest[..mixed], &by_worth, &of_order))
        }
        Kind::Rr | Kind::Success | Kind::Ap | Kind::RPrecision => {
            Some(tried(&[], &by_worth, &by_worth, &of_order))
        }
        // For the others the best order is not known; other gains may reward grades from 0 down, whose texts are not
        // among the groups.
        _ => None,
    }
}

/// The highest value over all ways to put `rest` behind `top`; that of the `usual` order if there are too many ways.
fn tried(
    top: &[Vec<usize>],
    rest: &[Vec<usize>],
    usual: &[Vec<usize>],
    value: &impl Fn(&[Vec<usize>]) -> f64,
) -> f64 {
    if rest.len() > TRIED {
        return value(usual);
    }
    let rest: Vec<usize> = rest.iter().flatten().copied().collect();
    best_order(top, &rest, value)
}

/// The highest value over all ways to put `rest` behind `top`, one text or a tie of several at a time.
fn best_order(top: &[Vec<usize>], rest: &[usize], value: &impl Fn(&[Vec<usize>]) -> f64) -> f64 {
    if rest.is_empty() {
        return value(top);
    }
    let mut best = 0.0_f64;
    for chosen in 1_u32..1 << rest.len() {
        let is_chosen = |i: &usize| chosen & (1 << i) != 0;
        let (next, later): (Vec<usize>, Vec<usize>) = (0..rest.len()).partition(is_chosen);
        let texts = |of: Vec<usize>| of.into_iter().map(|i| rest[i]).collect::<Vec<usize>>();
        best = best.max(best_order(
            &[top, &[texts(next)]].concat(),
            &texts(later),
            value,
        ));
    }
    best
}

/// The groups one after another, from the top of the list.
fn stacked(order: &[TieGroup]) -> Vec<TieGroup> {
    let mut before = 0;
    let mut groups = Vec::with_capacity(order.len());
    for group in order {
        groups.push(TieGroup {
            before,
            size: group.size,
            grades: group.grades.clone(),
            elsewhere: 0,
        });
        before += group.size;
    }
    groups
}
