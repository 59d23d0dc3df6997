//! The second stage: the first documents of a question are scored once more, feature by feature.
//!
//! The learned part of the first stage compares one vector of the sentence with one of the document. Here every row of
//! the sentence meets every row of the document, and what counts is the nearest (late interaction; Khattab and Zaharia,
//! *`ColBERT`*, SIGIR 2020). That is too much for a whole corpus, so only the first documents take part. The rows are
//! those of the [learned tables](crate::learned); only the weights of the [parts](PARTS) were fitted, by `tools/teach`
//! with `second-stage`.
//!
//! A document's new score is the old one plus its parts. Where that puts one of the first documents below
//! another one, all of the first are raised by the same number.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::learned::Learned;
use crate::learned::features::{self, Kind};
use crate::learned::table::{Vector, dot};
use crate::query::Question;
use crate::rendering::Rendering;
use crate::stems::Stems;

/// The number of documents that are scored once more. All that share the last place take part, so that equal scores stay
/// equal; if that makes more than twice as many, none of those that share it does.
const FIRST: usize = 50;

/// The parts of a second score: the term of each in explanations, and its weight. Each part is a share from 0 to 1:
///
/// - of the idf of the sentence's words, the part of those in names of the document;
/// - of the document's rows, by their lengths, how near the nearest row of the sentence is to each;
/// - of the sentence's rows, by their lengths, how near the nearest row of the document's signature is to each;
/// - the same with the rows of the documentation of called functions;
/// - of the sentence's rows, those whose word the document lacks;
/// - of the sentence's rows, how near the nearest row of the document is to those whose word it lacks.
pub const PARTS: [(&str, f64); 6] = [
    ("words among the names", 9.86),
    ("what the code does is said", 14.4),
    ("near to the signature", 5.22),
    ("near to the calls", -5.74),
    ("words that are missing", -6.29),
    ("near to words that are missing", 21.2),
];

/// The parts of a second score, before their weights.
pub(crate) type Parts = [f64; PARTS.len()];

/// The sum of the weighted parts.
pub(crate) fn added(parts: &Parts) -> f64 {
    let parts = parts.iter().zip(PARTS);
    parts.map(|(part, (_, weight))| part * weight).sum()
}

/// The term for the number that all of the first documents are raised by.
pub(crate) const RAISED: &str = "among the first";

/// A row of a document: its place in the table, how much it counts, and its kind.
#[derive(Debug, Clone, Copy)]
struct Row {
    at: u32,
    weight: f32,
    kind: Kind,
}

/// The rows of a document.
#[derive(Debug, Default)]
pub(crate) struct Late(Vec<Row>);

impl Late {
    /// Of a rendering.
    pub(crate) fn of(rendering: &Rendering, learned: &Learned, stems: &mut Stems) -> Self {
        let mut counts: BTreeMap<u64, (Kind, f32)> = BTreeMap::new();
        features::each(rendering, stems, |feature, kind, _| {
            counts.entry(feature).or_insert((kind, 0.0)).1 += 1.0;
        });
        let rows = counts.into_iter().filter_map(|(feature, (kind, count))| {
            let at = learned.documents.place(feature)?;
            let weight = learned.documents.length(at) * (1.0 + count).ln();
            (weight > 0.0).then_some(Row {
                at: u32::try_from(at).ok()?,
                weight,
                kind,
            })
        });
        Late(rows.collect())
    }
}

/// A row of a sentence, of length 1.
struct Asked {
    vector: Vector,
    weight: f32,
    /// The stem that it is the row of; `None` for words in a row and statements about types.
    word: Option<Arc<str>>,
}

/// A sentence for the second stage.
pub(crate) struct Sentence<'a> {
    learned: &'a Learned,
    rows: Vec<Asked>,
    /// Each stem of it once, with its idf.
    words: Vec<(Arc<str>, f64)>,
}

impl<'a> Sentence<'a> {
    /// Reads a question; `idf` returns the rarity of a stem in the corpus.
    pub(crate) fn of(question: &Question, learned: &'a Learned, idf: impl Fn(&str) -> f64) -> Self {
        let stems = &mut Stems::new();
        let words = question.words.iter();
        let words: BTreeSet<Arc<str>> = words.filter_map(|word| stems.of(word).cloned()).collect();
        let found = features::query(question, true, stems);
        let rows = found.into_iter().filter_map(|(feature, (text, count))| {
            let at = learned.queries.place(feature)?;
            let (vector, length) = learned.queries.unit(at);
            let word = words.get(text.as_str()).cloned();
            (length > 0.0).then_some(Asked {
                vector,
                weight: length * count,
                word,
            })
        });
        Sentence {
            learned,
            rows: rows.collect(),
            words: words.iter().map(|word| (word.clone(), idf(word))).collect(),
        }
    }

    /// The parts of the second score of a document; `having` returns `None` for a stem that the document lacks, otherwise
    /// whether one of its names has it.
    pub(crate) fn parts(&self, document: &Late, having: impl Fn(&str) -> Option<bool>) -> Parts {
        let rows = &document.0;
        let units: Vec<Vector> = rows
            .iter()
            .map(|row| self.learned.documents.unit(row.at as usize).0)
            .collect();
        // The nearest row of the sentence, for each row of the document.
        let mut nearest = vec![0.0_f32; units.len()];
        let (mut signature, mut calls) = (0.0, 0.0);
        let (mut missing, mut missing_near) = (0.0, 0.0);
        for asked in &self.rows {
            let (mut of_signature, mut of_calls, mut of_any) = (0.0_f32, 0.0_f32, 0.0_f32);
            for ((row, unit), nearest) in rows.iter().zip(&units).zip(&mut nearest) {
                let near = dot(&asked.vector, unit);
                *nearest = nearest.max(near);
                of_any = of_any.max(near);
                match row.kind {
                    Kind::Signature => of_signature = of_signature.max(near),
                    Kind::Calls => of_calls = of_calls.max(near),
                    Kind::Other => {}
                }
            }
            signature += asked.weight * of_signature;
            calls += asked.weight * of_calls;
            if asked
                .word
                .as_ref()
                .is_some_and(|word| having(word).is_none())
            {
                missing += asked.weight;
                missing_near += asked.weight * of_any;
            }
        }
        let asked: f32 = self.rows.iter().map(|asked| asked.weight).sum();
        let whole: f32 = rows.iter().map(|row| row.weight).sum();
        let said = rows.iter().zip(&nearest);
        let said: f32 = said.map(|(row, near)| row.weight * near).sum();
        let share = |part: f32, all: f32| f64::from(part) / f64::from(all.max(f32::MIN_POSITIVE));
        let idf: f64 = self.words.iter().map(|(_, idf)| idf).sum();
        let named = self
            .words
            .iter()
            .filter(|(word, _)| having(word) == Some(true));
        let named: f64 = named.map(|(_, idf)| idf).sum();
        [
            named / idf.max(f64::MIN_POSITIVE),
            share(said, whole),
            share(signature, asked),
            share(calls, asked),
            share(missing, asked),
            share(missing_near, asked),
        ]
    }
}

/// The first documents of a list of scores, in the order of the documents.
pub(crate) fn first(scores: &[f64]) -> Vec<usize> {
    let all = 0..scores.len();
    if scores.len() <= FIRST {
        return all.collect();
    }
    let mut sorted = scores.to_vec();
    let (_, last, _) = sorted.select_nth_unstable_by(FIRST - 1, |a, b| b.total_cmp(a));
    let last = *last;
    let first: Vec<usize> = all.clone().filter(|at| scores[*at] >= last).collect();
    if first.len() > 2 * FIRST {
        return all.filter(|at| scores[*at] > last).collect();
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_fifty_with_all_that_share_the_last_place() {
        let falling: Vec<f64> = (0..80).map(|at| f64::from(100 - at)).collect();
        assert_eq!(first(&falling), (0..50).collect::<Vec<_>>());
        assert_eq!(first(&falling[..7]), (0..7).collect::<Vec<_>>());
        assert!(first(&[]).is_empty());
        // Three share the last place.
        let mut shared = falling.clone();
        shared[50] = shared[49];
        shared[60] = shared[49];
        assert_eq!(first(&shared).len(), 52);
        // Nearly all share it.
        let mut flat = vec![1.0; 200];
        flat[3] = 2.0;
        assert_eq!(first(&flat), [3]);
        assert!(first(&[0.0; 200]).is_empty());
    }
}
