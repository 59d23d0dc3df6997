//! The best of a list, without cutting equal scores apart.

use std::cmp::Ordering;

use barecode_records::Document;

/// A document, by its place in the corpus, with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Scored {
    /// Place in the corpus.
    pub(crate) document: usize,
    /// Score; never not-a-number.
    pub(crate) score: f64,
}

/// The best `depth` documents and those that score the same as the last of them, best first.
pub(crate) fn top(mut list: Vec<Scored>, documents: &[Document], depth: usize) -> Vec<Scored> {
    if depth < list.len() {
        let (_, last, _) = list.select_nth_unstable_by(depth - 1, better);
        let least = last.score;
        list.retain(|scored| scored.score >= least);
    }
    let by_id = |a: &Scored, b: &Scored| documents[a.document].id.cmp(&documents[b.document].id);
    list.sort_unstable_by(|a, b| better(a, b).then_with(|| by_id(a, b)));
    list
}

fn better(a: &Scored, b: &Scored) -> Ordering {
    b.score.total_cmp(&a.score)
}

#[cfg(test)]
mod tests {
    use barecode_records::{Id, Language};
    use proptest::prelude::*;

    use super::*;

    fn document(id: &str) -> Document {
        Document {
            id: Id::from(id.to_owned()),
            title: String::new(),
            text: String::new(),
            language: Language::C,
            source: String::new(),
            repository: None,
            version: None,
            commit: None,
            first_commit: None,
            license: None,
            path: String::new(),
            start_line: 1,
            end_line: 1,
        }
    }

    proptest! {
        #[test]
        fn top_is_sort_and_truncate_with_ties_kept(
            scores in prop::collection::vec(0_u8..5, 0..40),
            depth in 1_usize..50,
        ) {
            // Ids run against the order of the corpus.
            let documents: Vec<Document> =
                (0..scores.len()).map(|i| document(&format!("d{:02}", 99 - i))).collect();
            let list: Vec<Scored> = scores
                .iter()
                .enumerate()
                .map(|(document, &score)| Scored { document, score: f64::from(score) })
                .collect();
            let mut sorted = list.clone();
            sorted.sort_by(|a, b| {
                b.score.total_cmp(&a.score).then(b.document.cmp(&a.document))
            });
            let last = sorted.get(depth - 1).map_or(0.0, |scored| scored.score);
            sorted.retain(|scored| scored.score >= last);
            prop_assert_eq!(top(list, &documents, depth), sorted);
        }
    }
}
