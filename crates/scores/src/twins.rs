//! What could be reached at best, and by chance.
//!
//! Twins are documents with the same text: after renaming, short functions often become one. No model can
//! distinguish them, but the judgments do, so a strict score cannot reach 1. [`ceiling`] is what a model can
//! expect that knows everything except which twin is meant: it orders the texts in the best way there is and
//! ties those that are equal. [`floor`] is the expectation of one big tie.
//!
//! The best order of texts depends on the measure. For nDCG, R and P each place of a text is worth the text's
//! mean grade (or share of relevant documents), so texts by that mean, highest first, are best. For RR and
//! Success only the first text matters, and each is tried. For AP texts whose documents are all relevant come
//! first; the others are tried in every order up to [`TRIED`] of them, ties between texts included, because a
//! tie of two texts can be worth more than either order. Beyond that they stand by their share of relevant
//! documents, which may then be a little below the best.
//!
//! Some measures have no ceiling here: those that see only what was retrieved or judged (`SetP`, `Judged`,
//! `NumRet`, …), and `Bpref`, `infAP`, `IPrec`, `ERR` and `Accuracy`, for which the best order of texts is not
//! known in general. [`ceiling`] says `None` for these rather than a number that is nearly right.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use crate::evaluate::{grades_of, value};
use crate::measure::{Gain, Kind, Measure};
use crate::names::Takes;
use crate::ties::{List, TieGroup};

/// Up to this many texts that mix relevant and other documents, AP's ceiling tries every order: 541 of five.
const TRIED: usize = 5;

/// Which documents have the same text.
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

    /// The texts of relevant documents as groups at the top of a list; judged documents that are not among
    /// the candidates are in none.
    fn relevant_groups(&self, qrels: &BTreeMap<&str, i32>) -> Vec<TieGroup> {
        let relevant = qrels.iter().filter(|&(_, &grade)| grade > 0);
        let classes: BTreeSet<usize> = relevant
            .filter_map(|(doc, _)| self.class_of.get(doc).copied())
            .collect();
        let group = |class: usize| {
            let docs = &self.classes[class];
            let grade = |doc: &&str| qrels.get(doc).copied().filter(|&grade| grade > 0);
            TieGroup {
                before: 0,
                size: docs.len(),
                grades: docs.iter().filter_map(grade).collect(),
                elsewhere: 0,
            }
        };
        classes.into_iter().map(group).collect()
    }
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
    let groups = twins.relevant_groups(qrels);
    let grades = grades_of(qrels);
    measures
        .iter()
        .map(|measure| best(measure, &groups, &grades))
        .collect()
}

/// The expected value for random order of `documents` documents, per measure; `None` for measures that only see
/// what was retrieved, and for `Hole`, which needs the judgments of other queries.
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
    // Judged documents are candidates; a caller that counts fewer than there are is put right.
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
    /// Whether there is a ceiling and a floor for it.
    ///
    /// ```
    /// use barecode_scores::Measure;
    /// assert!("RR@10".parse::<Measure>().unwrap().has_ceiling());
    /// assert!(!"NumRet".parse::<Measure>().unwrap().has_ceiling());
    /// ```
    pub fn has_ceiling(&self) -> bool {
        best(self, &[], &[]).is_some()
    }
}

fn best(measure: &Measure, groups: &[TieGroup], grades: &[i32]) -> Option<f64> {
    if measure.judged_only {
        return None;
    }
    let rel = measure.rel.lowest(grades);
    let of = |groups: Vec<TieGroup>| {
        let length = groups.iter().map(|group| group.size).sum();
        value(measure, &List { groups, length }, grades)
    };
    let in_order = |order: &[&TieGroup]| of(stacked(order));
    let relevant = |group: &TieGroup| group.relevant(rel) as f64;
    match &measure.kind {
        Kind::NDcg(gain @ (Gain::Linear | Gain::Exponential)) => {
            Some(in_order(&by_share(groups, |group| {
                let grades = group.grades.iter();
                grades.map(|&grade| gain.of(grade)).sum()
            })))
        }
        Kind::ScaledDcg { min_rel, max_rel } => Some(in_order(&by_share(groups, |group| {
            let grades = group.grades.iter();
            grades
                .map(|&grade| f64::from(grade.clamp(*min_rel, *max_rel) - *min_rel))
                .sum()
        }))),
        Kind::Recall
        | Kind::CappedRecall
        | Kind::Precision
        | Kind::RPrecision
        | Kind::RankBiased { .. } => Some(in_order(&by_share(groups, relevant))),
        Kind::Rr | Kind::Success => Some(
            groups
                .iter()
                .map(|group| in_order(&[group]))
                .fold(0.0, f64::max),
        ),
        Kind::Ap => {
            let order = by_share(groups, relevant);
            let pure = order
                .iter()
                .take_while(|group| group.relevant(rel) == group.size)
                .count();
            let mixed = order
                .iter()
                .skip(pure)
                .take_while(|group| group.relevant(rel) > 0)
                .count();
            if mixed > TRIED {
                return Some(in_order(&order));
            }
            let mixed: Vec<&TieGroup> = order.iter().skip(pure).take(mixed).copied().collect();
            let top: Vec<TieGroup> = order
                .iter()
                .take(pure)
                .map(|&group| group.clone())
                .collect();
            Some(best_order(&top, &mixed, &of))
        }
        // For the others the best order is not known; other gains may reward grades from 0 down, whose texts are not
        // among the groups.
        _ => None,
    }
}

/// Groups with the highest worth per document first; the smaller first among equals.
fn by_share(groups: &[TieGroup], worth: impl Fn(&TieGroup) -> f64) -> Vec<&TieGroup> {
    let mut order: Vec<&TieGroup> = groups.iter().collect();
    let share = |group: &TieGroup| worth(group) / group.size as f64;
    order.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.size.cmp(&b.size)));
    order
}

/// The highest value over all ways to put `rest` behind `top`, one text or a tie of several at a time.
fn best_order(top: &[TieGroup], rest: &[&TieGroup], value: &impl Fn(Vec<TieGroup>) -> f64) -> f64 {
    if rest.is_empty() {
        return value(stacked(top));
    }
    let mut best = 0.0_f64;
    for chosen in 1_u32..1 << rest.len() {
        let is_chosen = |i: &usize| chosen & (1 << i) != 0;
        let (next, later): (Vec<usize>, Vec<usize>) = (0..rest.len()).partition(is_chosen);
        let mut tie = TieGroup::default();
        for i in next {
            tie.size += rest[i].size;
            tie.grades.extend(&rest[i].grades);
        }
        let later: Vec<&TieGroup> = later.into_iter().map(|i| rest[i]).collect();
        best = best.max(best_order(&[top, &[tie]].concat(), &later, value));
    }
    best
}

/// The groups one after another, from the top of the list.
fn stacked<G: Borrow<TieGroup>>(order: &[G]) -> Vec<TieGroup> {
    let mut before = 0;
    let mut groups = Vec::with_capacity(order.len());
    for group in order {
        let group = group.borrow();
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
