//! Which documents a query is ranked against, if not all of them, as CLARC and information retrieval at large do.
//!
//! Enters: the documents, a query and its answers. Leaves: the positions of the candidates, in the order of the
//! corpus. The answers are always among them: a pool is what an answer has to be distinguished from. A document with
//! the text of an answer can be beside it as a wrong one, as in the published benchmarks.
//!
//! - [`Pool::Sampled`]: the answers and some others drawn for each query alone. `GenCodeSearchNet` draws 99
//!   (section 4.2) and reports MRR among the hundred.
//! - [`Pool::Nearest`]: the answers and the documents that another retriever takes for them, as pydra's ranking
//!   task has it: hard ones, of which the reader should know who chose them.
//!
//! The smaller a pool, the higher its scores, so scores of two pools must not be compared.
//!
//! The one hard thing is that a draw must depend on the query alone: it is made from (run seed, query id) over the
//! documents by id, so that another query or another order of the corpus changes nothing.

use std::collections::BTreeSet;

use barecode_records::Digest;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::random::up_to;
use crate::top::Scored;

/// Which documents are candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pool<'a> {
    /// The answers and `distractors` others, each others as likely as any.
    Sampled {
        /// How many; all if there are fewer.
        distractors: usize,
        /// The run's seed.
        seed: u64,
    },
    /// The answers and the `distractors` first documents of a list that are none.
    Nearest {
        /// How many; all of the list where it is shorter. A group of equal scores at the end is cut by document id:
        /// a pool has to have a size.
        distractors: usize,
        /// The list of the retriever that chooses, best first.
        list: &'a [Scored],
    },
}

/// Documents to draw candidates from.
pub struct Corpus<'a> {
    /// The id of each.
    documents: Vec<&'a str>,
    /// Their places in the order of their ids.
    by_id: Vec<usize>,
}

impl<'a> Corpus<'a> {
    /// Documents by id.
    pub fn new(documents: Vec<&'a str>) -> Self {
        let mut by_id: Vec<usize> = (0..documents.len()).collect();
        by_id.sort_unstable_by_key(|&place| documents[place]);
        Corpus { documents, by_id }
    }
}

impl Pool<'_> {
    /// The places of a query's candidates in the corpus, from first to last.
    ///
    /// `answers` are places too; each is a candidate, graded how it may.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use barecode_retrieval::{Corpus, Pool};
    /// let corpus = Corpus::new(vec!["d1", "d2"]);
    /// let pool = Pool::Sampled { distractors: 1, seed: 7 };
    /// assert_eq!(pool.candidates(&corpus, "q1", &BTreeSet::from([0])), [0, 1]);
    /// ```
    pub fn candidates(
        &self,
        corpus: &Corpus<'_>,
        query: &str,
        answers: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let is_other = |i: &usize| !answers.contains(i);
        let (mut others, distractors): (Vec<usize>, usize) = match *self {
            Pool::Nearest { list, distractors } => {
                let mut list = list.to_vec();
                list.sort_by(|a, b| {
                    let id = |scored: &Scored| corpus.documents[scored.document];
                    b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b)))
                });
                let places = list.iter().map(|scored| scored.document);
                (places.filter(is_other).collect(), distractors)
            }
            Pool::Sampled { distractors, seed } => {
                let mut others: Vec<usize> =
                    corpus.by_id.iter().copied().filter(is_other).collect();
                let digest = Digest::new("candidate-pool")
                    .field(seed.to_le_bytes())
                    .field(query);
                let mut rng = ChaCha8Rng::seed_from_u64(digest.seed());
                // The first steps of a shuffle.
                for place in 0..distractors.min(others.len()) {
                    let chosen = place + up_to(&mut rng, others.len() - 1 - place);
                    others.swap(place, chosen);
                }
                (others, distractors)
            }
        };
        others.truncate(distractors);
        let mut pool: Vec<usize> = answers.iter().copied().chain(others).collect();
        pool.sort_unstable();
        pool
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids that run backward.
    fn ids(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("d{:03}", 999 - i)).collect()
    }

    fn documents(ids: &[String]) -> Corpus<'_> {
        Corpus::new(ids.iter().map(String::as_str).collect())
    }

    fn sampled(distractors: usize, seed: u64) -> Pool<'static> {
        Pool::Sampled { distractors, seed }
    }

    #[test]
    fn answers_are_always_candidates() {
        let ids = ids(5);
        let documents = documents(&ids);
        let answers = BTreeSet::from([0, 4]);
        let of = |pool: Pool| pool.candidates(&documents, "q", &answers);
        assert_eq!(of(sampled(0, 1)), [0, 4]);
        assert_eq!(of(sampled(9, 1)), [0, 1, 2, 3, 4]);
        let list = [(3, 5.0), (0, 4.0), (1, 2.0), (2, 2.0)]
            .map(|(document, score)| Scored { document, score });
        let nearest = |distractors| Pool::Nearest {
            distractors,
            list: &list,
        };
        assert_eq!(of(nearest(1)), [0, 3, 4]);
        // Documents 1 and 2 tie; the second has the smaller id.
        assert_eq!(of(nearest(2)), [0, 2, 3, 4]);
        assert_eq!(of(nearest(9)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_draw_depends_on_seed_and_query_and_not_on_the_order_of_the_corpus() {
        let names = ids(60);
        let forward = documents(&names);
        let backward = Corpus::new(forward.documents.iter().rev().copied().collect());
        let ids = |corpus: &Corpus<'_>, answer: usize, name: &str, seed| {
            let pool = sampled(9, seed);
            let places = pool.candidates(corpus, name, &BTreeSet::from([answer]));
            assert_eq!(places.len(), 10);
            places
                .into_iter()
                .map(|i| corpus.documents[i].to_owned())
                .collect::<BTreeSet<_>>()
        };
        let first = ids(&forward, 7, "q1", 1);
        assert_eq!(first, ids(&backward, 52, "q1", 1));
        assert_ne!(first, ids(&forward, 7, "q2", 1));
        assert_ne!(first, ids(&forward, 7, "q1", 2));
    }

    #[test]
    fn everyone_else_is_drawn_equally_often() {
        let ids = ids(6);
        let documents = documents(&ids);
        let mut drawn = [0_usize; 6];
        for i in 0..6000 {
            let pool = sampled(2, 5);
            let answers = BTreeSet::from([2]);
            for place in pool.candidates(&documents, &format!("q{i}"), &answers) {
                drawn[place] += 1;
            }
        }
        assert_eq!(drawn[2], 6000);
        // 2,400 each, with a standard deviation of 38.
        for (place, count) in drawn
            .into_iter()
            .enumerate()
            .filter(|&(place, _)| place != 2)
        {
            assert!(
                count.abs_diff(2400) < 170,
                "{place} was drawn {count} times"
            );
        }
    }
}
