//! A scored list as groups of documents that the scores do not order.
//!
//! Every measure is computed from [`TieGroup`]s, so each has one formula for all rules: under [`Ties::Expected`] a
//! group is all documents of one score, under the other rules it is one document. Groups without any judged document
//! are left out, because no measure needs more of them than the length of the list. That makes a list of a thousand
//! documents with three judged ones three groups, found by counting the documents above and beside each, without
//! sorting.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The treatment of equal scores.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// Equally scored documents are in random order; a measure is its exact expectation.
    #[default]
    Expected,
    /// Equally scored documents are in descending order of their ids, as in `trec_eval`, and scores that
    /// are equal as 32-bit numbers are equal, as in `trec_eval` up to version 9 and in `pytrec_eval`.
    Docno,
    /// Equally scored documents are in the order in which they were given: that of the file.
    Input,
    /// The worst order: among equals, unjudged documents first, then lower grades before higher
    /// ones.
    Pessimistic,
    /// The best order: the reverse of the worst.
    Optimistic,
}

/// No rule for ties has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown rule for ties `{0}`, expected {names}", names = Ties::ALL.map(Ties::name).join(", "))]
pub struct TiesError(String);

impl Ties {
    /// All rules, the default first.
    pub const ALL: [Ties; 5] = [
        Ties::Expected,
        Ties::Docno,
        Ties::Input,
        Ties::Pessimistic,
        Ties::Optimistic,
    ];

    /// The rule's name in recipes and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Ties::Expected => "expected",
            Ties::Docno => "docno",
            Ties::Input => "input",
            Ties::Pessimistic => "pessimistic",
            Ties::Optimistic => "optimistic",
        }
    }
}

impl FromStr for Ties {
    type Err = TiesError;

    fn from_str(text: &str) -> Result<Self, TiesError> {
        Ties::ALL
            .into_iter()
            .find(|ties| ties.name() == text)
            .ok_or_else(|| TiesError(text.to_owned()))
    }
}

impl fmt::Display for Ties {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A document with the score that a retriever gave it.
///
/// Documents come in any order, each at most once. Higher scores are better; not-a-number comes last.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<'a> {
    /// The document's id.
    pub doc: &'a str,
    /// Its score.
    pub score: f64,
}

/// The judgments of a scored list, with documents by their index in it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Judged<'a> {
    /// The documents that the query judges, with their grades.
    pub here: &'a [(usize, i32)],
    /// The documents that only other queries judge; they matter to `Hole` alone.
    pub elsewhere: &'a [usize],
    /// All grades that the query gives, also to documents that are not in the list, highest first.
    pub grades: &'a [i32],
}

/// A scored list, as far as the measures need it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct List {
    /// From best to worst; groups without a judged document are left out.
    pub(crate) groups: Vec<TieGroup>,
    /// Number of documents.
    pub(crate) length: usize,
}

/// Documents of equal score.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct TieGroup {
    /// Number of documents with higher scores.
    pub(crate) before: usize,
    /// Number of documents in the group, at least one.
    pub(crate) size: usize,
    /// The grades of the documents that the query judges, highest first.
    pub(crate) grades: Vec<i32>,
    /// Number of documents that only other queries judge.
    pub(crate) elsewhere: usize,
}

impl TieGroup {
    /// Number of documents of at least this grade.
    pub(crate) fn relevant(&self, rel: i32) -> usize {
        self.grades.iter().filter(|&&grade| grade >= rel).count()
    }

    /// Number of documents that are judged and not relevant: grades from 0 to below `rel`.
    pub(crate) fn not_relevant(&self, rel: i32) -> usize {
        let grades = self.grades.iter();
        grades.filter(|&&grade| (0..rel).contains(&grade)).count()
    }

    /// The number of the group's positions that are in the first `k` of the list.
    pub(crate) fn within(&self, k: usize) -> usize {
        k.saturating_sub(self.before).min(self.size)
    }
}

impl List {
    /// The list without the documents that the query does not judge; a negative grade is not a judgment.
    pub(crate) fn judged_only(&self) -> List {
        let mut length = 0;
        let mut groups = Vec::new();
        for group in &self.groups {
            let grades: Vec<i32> = group.grades.iter().copied().filter(|&g| g >= 0).collect();
            if grades.is_empty() {
                continue;
            }
            let size = grades.len();
            groups.push(TieGroup {
                before: length,
                size,
                grades,
                elsewhere: 0,
            });
            length += size;
        }
        List { groups, length }
    }
}

/// Up to this many judged documents are placed by counting; with more, sorting is faster.
const FEW: usize = 12;

/// A document that some query judges.
#[derive(Debug, Clone, Copy)]
struct Marked {
    at: usize,
    /// `None` if only other queries judge it.
    grade: Option<i32>,
    /// Number of documents with higher scores, and with the same.
    before: usize,
    size: usize,
    /// Number of documents before it, by the rule for ties.
    place: usize,
}

/// The list as groups.
pub(crate) fn list(ranked: &[Ranked], judged: &Judged, ties: Ties) -> List {
    let marks = judged.here.iter().map(|&(at, grade)| (at, Some(grade)));
    let marks = marks.chain(judged.elsewhere.iter().map(|&at| (at, None)));
    let mut marked: Vec<Marked> = marks
        .map(|(at, grade)| Marked {
            at,
            grade,
            before: 0,
            size: 1,
            place: 0,
        })
        .collect();
    let keys: Vec<i64> = match ties {
        Ties::Docno => ranked
            .iter()
            .map(|entry| key(as_trec(entry.score)))
            .collect(),
        _ => ranked.iter().map(|entry| key(entry.score)).collect(),
    };
    stand(&keys, &mut marked);
    let mut groups: Vec<TieGroup> = Vec::with_capacity(marked.len());
    if ties == Ties::Expected {
        marked.sort_unstable_by_key(|mark| (mark.before, std::cmp::Reverse(mark.grade)));
    } else {
        settle(ranked, &keys, &mut marked, ties);
        marked.sort_unstable_by_key(|mark| mark.place);
    }
    for mark in marked {
        let (before, size) = match ties {
            Ties::Expected => (mark.before, mark.size),
            _ => (mark.place, 1),
        };
        if groups.last().is_none_or(|group| group.before != before) {
            groups.push(TieGroup {
                before,
                size,
                ..TieGroup::default()
            });
        }
        let group = groups.last_mut().expect("a group was pushed for this mark");
        match mark.grade {
            Some(grade) => group.grades.push(grade),
            None => group.elsewhere += 1,
        }
    }
    List {
        groups,
        length: ranked.len(),
    }
}

/// Finds the number of documents above and beside each marked one.
fn stand(keys: &[i64], marked: &mut [Marked]) {
    let in_order = |sorted: &[i64], marked: &mut [Marked]| {
        for mark in marked {
            let mine = keys[mark.at];
            mark.before = sorted.partition_point(|&key| key > mine);
            mark.size = sorted.partition_point(|&key| key >= mine) - mark.before;
        }
    };
    if keys.is_sorted_by(|a, b| a >= b) {
        in_order(keys, marked);
    } else if marked.len() <= FEW {
        for mark in marked {
            let mine = keys[mark.at];
            mark.before = keys.iter().filter(|&&key| key > mine).count();
            mark.size = keys.iter().filter(|&&key| key == mine).count();
        }
    } else {
        let mut sorted = keys.to_vec();
        sorted.sort_unstable_by(|a, b| b.cmp(a));
        in_order(&sorted, marked);
    }
}

/// Places each marked document among its equals by a rule.
fn settle(ranked: &[Ranked], keys: &[i64], marked: &mut [Marked], ties: Ties) {
    match ties {
        Ties::Expected => {}
        Ties::Pessimistic | Ties::Optimistic => {
            // From worst to best; everything unjudged is worse still.
            marked.sort_unstable_by_key(|mark| (mark.before, mark.grade, mark.at));
            let mut first = 0;
            while first < marked.len() {
                let before = marked[first].before;
                let n_marked = marked[first..]
                    .iter()
                    .take_while(|mark| mark.before == before)
                    .count();
                for (worse, mark) in marked[first..first + n_marked].iter_mut().enumerate() {
                    mark.place = match ties {
                        Ties::Pessimistic => before + (mark.size - n_marked) + worse,
                        _ => before + (n_marked - 1 - worse),
                    };
                }
                first += n_marked;
            }
        }
        Ties::Docno | Ties::Input => {
            let earlier = |a: usize, b: usize| match ties {
                Ties::Docno => (ranked[a].doc, b) > (ranked[b].doc, a),
                _ => a < b,
            };
            if marked.iter().filter(|mark| mark.size > 1).count() <= FEW {
                for mark in marked {
                    let equals = (0..ranked.len()).filter(|&at| keys[at] == keys[mark.at]);
                    mark.place = mark.before
                        + match mark.size {
                            1 => 0,
                            _ => equals.filter(|&at| earlier(at, mark.at)).count(),
                        };
                }
                return;
            }
            let mut order: Vec<usize> = (0..ranked.len()).collect();
            order.sort_unstable_by(|&a, &b| {
                keys[b].cmp(&keys[a]).then_with(|| match ties {
                    Ties::Docno => ranked[b].doc.cmp(ranked[a].doc).then(a.cmp(&b)),
                    _ => a.cmp(&b),
                })
            });
            let mut places = vec![0; ranked.len()];
            for (place, at) in order.into_iter().enumerate() {
                places[at] = place;
            }
            for mark in marked {
                mark.place = places[mark.at];
            }
        }
    }
}

/// A score as `trec_eval` and `pytrec_eval` keep it.
#[expect(clippy::cast_possible_truncation, reason = "trec_eval keeps 32 bits")]
fn as_trec(score: f64) -> f64 {
    f64::from(score as f32)
}

/// A number in the order of scores; not-a-number is below everything and equal to itself, and the two zeros
/// are equal.
fn key(score: f64) -> i64 {
    if score.is_nan() {
        return i64::MIN;
    }
    let bits = (score + 0.0).to_bits().cast_signed();
    // Of negative numbers the greater have the smaller bits.
    bits ^ ((bits >> 63) & i64::MAX)
}

/// A cutoff as a length; no cutoff is the longest.
pub(crate) fn length(k: Option<u32>) -> usize {
    k.map_or(usize::MAX, |k| usize::try_from(k).unwrap_or(usize::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked<'a>(entries: &[(&'a str, f64)]) -> Vec<Ranked<'a>> {
        entries
            .iter()
            .map(|&(doc, score)| Ranked { doc, score })
            .collect()
    }

    fn groups(entries: &[(&str, f64)], here: &[(usize, i32)], ties: Ties) -> Vec<TieGroup> {
        let judged = Judged {
            here,
            ..Judged::default()
        };
        list(&ranked(entries), &judged, ties).groups
    }

    #[test]
    fn equal_scores_are_one_group() {
        let entries = [("d", 1.0), ("a", 2.0), ("c", 1.0), ("b", 2.0), ("e", 0.5)];
        let groups = groups(&entries, &[(2, 2), (4, 1), (1, 0), (3, -1)], Ties::Expected);
        let shape: Vec<_> = groups
            .iter()
            .map(|group| (group.before, group.size, group.grades.as_slice()))
            .collect();
        assert_eq!(
            shape,
            [(0, 2, &[0, -1][..]), (2, 2, &[2][..]), (4, 1, &[1][..])]
        );
    }

    #[test]
    fn each_rule_has_its_order() {
        let entries = [("a", 1.0), ("c", 1.0), ("b", 1.0), ("d", 1.0)];
        let here = [(0, 2), (1, 1), (2, 3)];
        let order = |ties| -> Vec<(usize, i32)> {
            groups(&entries, &here, ties)
                .iter()
                .map(|group| (group.before, group.grades[0]))
                .collect()
        };
        assert_eq!(order(Ties::Docno), [(1, 1), (2, 3), (3, 2)]);
        assert_eq!(order(Ties::Input), [(0, 2), (1, 1), (2, 3)]);
        assert_eq!(order(Ties::Pessimistic), [(1, 1), (2, 2), (3, 3)]);
        assert_eq!(order(Ties::Optimistic), [(0, 3), (1, 2), (2, 1)]);
    }

    #[test]
    fn zeros_tie_and_what_is_no_number_comes_last() {
        let entries = [
            ("a", f64::NAN),
            ("b", -0.0),
            ("c", 0.0),
            ("d", f64::NEG_INFINITY),
            ("e", f64::NAN),
            ("f", -1.0),
        ];
        let all: Vec<(usize, i32)> = (0..6).map(|at| (at, 1)).collect();
        let sizes: Vec<_> = groups(&entries, &all, Ties::Expected)
            .iter()
            .map(|group| group.size)
            .collect();
        assert_eq!(sizes, [2, 1, 1, 2]);
    }

    #[test]
    fn docno_compares_scores_as_32_bit_numbers() {
        let entries = [("a", 0.1 + 1e-12), ("b", 0.1)];
        let place = |ties| groups(&entries, &[(0, 1)], ties)[0].before;
        assert_eq!((place(Ties::Input), place(Ties::Docno)), (0, 1));
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for ties in Ties::ALL {
            assert_eq!(ties.name().parse(), Ok(ties));
        }
        let error = "random".parse::<Ties>().unwrap_err().to_string();
        assert!(error.starts_with("unknown rule for ties `random`, expected expected, docno"));
    }
}
