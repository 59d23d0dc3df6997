//! A list and a reranker to a new list.
//!
//! Enters: one query's list, best first, and the source of new scores: a [`Reranker`] with the texts, or scores that
//! exist already. Leaves: the list with its first documents in the order of these scores, and the others below in the
//! order that they had.
//!
//! The one hard thing is that lists are compared by score everywhere else, so the scores must express the same order
//! across the cut. Documents above it have the reranker's scores. Documents below it have the least of these minus 1,
//! 2, … for each score that differs: their order and their ties are kept, and their scores have no other meaning.
//!
//! Ties: the cut is never made between equal scores, so more than `depth` documents may be scored. Documents of the
//! same text are scored once and stay equal, whatever the effect of the other texts on the model.
//!
//! Not part of this: it remembers nothing from one query to the next; a cache belongs to the model.

use std::collections::BTreeMap;

use barecode_models::Reranker;

use crate::error::EvaluateError;

/// The list with its best `depth` documents, and those that score the same as the last of them, in the reranker's
/// order; equal scores in the order of `D`.
///
/// `list` is best first. `text` returns the text of a document, and is called for those above the cut only.
///
/// # Errors
/// If the model does not answer, returns more or fewer scores than there are texts, or a score that is not finite.
pub(super) fn rerank<'t, D: Ord + Clone>(
    reranker: &dyn Reranker,
    query: &str,
    list: &[(D, f64)],
    text: impl Fn(&D) -> &'t str,
    depth: usize,
) -> Result<Vec<(D, f64)>, EvaluateError> {
    let (above, below) = list.split_at(n_above(list, depth));
    // Each text once, in the order of first appearance.
    let mut texts: Vec<&str> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let asked: Vec<usize> = above
        .iter()
        .map(|(document, _)| {
            let text = text(document);
            *places.entry(text).or_insert_with(|| {
                texts.push(text);
                texts.len() - 1
            })
        })
        .collect();
    let scores = if texts.is_empty() {
        Vec::new()
    } else {
        reranker.score(query, &texts)?
    };
    if scores.len() != texts.len() {
        return Err(EvaluateError::invalid(format!(
            "the reranker {} gave {} scores for {} texts",
            reranker.identity(),
            scores.len(),
            texts.len()
        )));
    }
    if let Some(text) = scores.iter().position(|score| !score.is_finite()) {
        return Err(EvaluateError::invalid(format!(
            "the reranker {} gave the score {} to text {text} of {}, expected a finite number",
            reranker.identity(),
            scores[text],
            texts.len()
        )));
    }
    let scored = above
        .iter()
        .zip(asked)
        .map(|((document, _), place)| (document.clone(), f64::from(scores[place]) + 0.0));
    Ok(joined(scored.collect(), below))
}

/// As [`rerank`], where each document has a score already, which `score` returns: of a retriever that scores all of a
/// corpus.
pub(super) fn reorder<D: Ord + Clone>(
    list: &[(D, f64)],
    score: impl Fn(&D) -> f64,
    depth: usize,
) -> Vec<(D, f64)> {
    let (above, below) = list.split_at(n_above(list, depth));
    let scored = above
        .iter()
        .map(|(document, _)| (document.clone(), score(document)));
    joined(scored.collect(), below)
}

/// Returns the number of the best `depth` documents and of those that score the same as the last of them.
fn n_above<D>(list: &[(D, f64)], depth: usize) -> usize {
    match depth.checked_sub(1).map(|last| list.get(last)) {
        None => 0,
        Some(None) => list.len(),
        Some(Some(last)) => list.partition_point(|(_, score)| *score >= last.1),
    }
}

/// Documents with new scores, best first, and below them others in the order that they had.
fn joined<D: Ord + Clone>(mut reranked: Vec<(D, f64)>, below: &[(D, f64)]) -> Vec<(D, f64)> {
    reranked.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    let mut score = reranked.last().map_or(0.0, |(_, score)| *score);
    let mut last = None;
    for (document, old) in below {
        if last != Some(*old) {
            // Subtracting 1 would not change a score beyond 2^53.
            score = (score - 1.0).min(score.next_down());
            last = Some(*old);
        }
        reranked.push((document.clone(), score));
    }
    reranked
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use barecode_models::ModelError;

    use super::*;

    /// Scores a text by the number of bytes that it shares with the query, at the same positions.
    struct Bytes(Mutex<Vec<usize>>);

    impl Reranker for Bytes {
        fn identity(&self) -> &'static str {
            "bytes"
        }

        fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
            self.0.lock().unwrap().push(texts.len());
            let score = |text: &&str| {
                let same = query.bytes().zip(text.bytes()).filter(|(a, b)| a == b);
                f32::from(u8::try_from(same.count()).unwrap())
            };
            Ok(texts.iter().map(score).collect())
        }
    }

    const TEXTS: [&str; 6] = ["abx", "xxx", "abc", "axx", "abx", "abc"];

    fn reranked(scores: &[f64], depth: usize) -> (Vec<(usize, f64)>, Vec<usize>) {
        let list: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
        let model = Bytes(Mutex::default());
        let reranked = rerank(&model, "abc", &list, |&i| TEXTS[i], depth).unwrap();
        (reranked, model.0.into_inner().unwrap())
    }

    #[test]
    fn the_top_is_ordered_anew_and_the_rest_stays() {
        let (list, calls) = reranked(&[9.0, 8.0, 7.0, 6.0, 5.0, 4.0], 3);
        assert_eq!(
            list,
            [
                (2, 3.0),
                (0, 2.0),
                (1, 0.0),
                (3, -1.0),
                (4, -2.0),
                (5, -3.0)
            ]
        );
        assert_eq!(calls, [3]);
    }

    #[test]
    fn equal_scores_are_not_cut_apart_and_equal_texts_stay_equal() {
        let (list, calls) = reranked(&[9.0, 8.0, 7.0, 7.0, 7.0, 4.0], 3);
        assert_eq!(
            list,
            [(2, 3.0), (0, 2.0), (4, 2.0), (3, 1.0), (1, 0.0), (5, -1.0)]
        );
        // Four texts for five documents.
        assert_eq!(calls, [4]);
        let (list, _) = reranked(&[9.0, 8.0, 8.0, 3.0, 3.0, 1.0], 1);
        assert_eq!(
            list,
            [(0, 2.0), (1, 1.0), (2, 1.0), (3, 0.0), (4, 0.0), (5, -1.0)]
        );
    }

    #[test]
    fn nothing_to_do_is_no_call() {
        let (list, calls) = reranked(&[2.0, 1.0], 0);
        assert_eq!(list, [(0, -1.0), (1, -2.0)]);
        assert!(calls.is_empty());
        assert_eq!(reranked(&[], 5), (vec![], vec![]));
    }

    #[test]
    fn scores_that_are_there_already_order_like_those_of_a_model() {
        for (scores, depth) in [
            (vec![9.0, 8.0, 7.0, 6.0, 5.0, 4.0], 3),
            (vec![9.0, 8.0, 7.0, 7.0, 7.0, 4.0], 3),
            (vec![9.0, 8.0, 8.0, 3.0, 3.0, 1.0], 1),
            (vec![2.0, 1.0], 0),
            (vec![], 5),
        ] {
            let (expected, _) = reranked(&scores, depth);
            let list: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
            let model = Bytes(Mutex::default());
            let score =
                |&document: &usize| f64::from(model.score("abc", &[TEXTS[document]]).unwrap()[0]);
            assert_eq!(reorder(&list, score, depth), expected);
        }
    }

    struct Wrong(Vec<f32>);

    impl Reranker for Wrong {
        fn identity(&self) -> &'static str {
            "wrong"
        }

        fn score(&self, _: &str, _: &[&str]) -> Result<Vec<f32>, ModelError> {
            Ok(self.0.clone())
        }
    }

    #[test]
    fn scores_that_cannot_be_are_refused() {
        let list = [(0_usize, 2.0), (1, 1.0)];
        let message = |scores: Vec<f32>| {
            rerank(&Wrong(scores), "q", &list, |&i| TEXTS[i], 2)
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            message(vec![1.0]),
            "the reranker wrong gave 1 scores for 2 texts"
        );
        assert!(message(vec![1.0, f32::NAN]).contains("score NaN to text 1 of 2"));
    }
}
