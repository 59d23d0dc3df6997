//! Which documents a query is asked of.
//!
//! In come the documents, a query and its answers; out come the places of the candidates, in the order of the corpus.
//! The answers are always among them: a pool is what an answer has to be told from.
//!
//! - [`Pool::Everyone`]: all documents, the rule of CLARC and of information retrieval at large.
//! - [`Pool::Sampled`]: the answers and some others drawn for each query alone. `GenCodeSearchNet` draws 99 (section 4.2)
//!   and reports MRR among the hundred.
//! - [`Pool::Nearest`]: the answers and the documents that another retriever takes for them, as pydra's ranking task has
//!   it: hard ones, of which the reader should know who chose them.
//!
//! A pool makes scores higher the smaller it is, and those of two pools are not to be compared.
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
    /// All.
    Everyone,
    /// The answers and `distractors` others, each others as likely as any.
    Sampled {
        /// How many; all if there are fewer.
        distractors: usize,
        /// The run's seed.
        seed: u64,
        /// Whether another copy of an answer can be drawn.
        twins: Twins,
    },
    /// The answers and the `distractors` first documents of a list that are none.
    Nearest {
        /// How many; all of the list where it is shorter. A group of equal scores at the end is cut by document id:
        /// a pool has to have a size.
        distractors: usize,
        /// The list of the retriever that chooses, best first.
        list: &'a [Scored],
        /// As in [`Pool::Sampled`].
        twins: Twins,
    },
}

/// Whether a document with exactly the text of an answer can stand beside it as a wrong one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Twins {
    /// It can, as in the published benchmarks: no retriever can tell the two apart.
    Allowed,
    /// It cannot.
    LeftOut,
}

/// Documents to draw candidates from.
pub struct Corpus<'a> {
    /// Id and text of each.
    documents: Vec<(&'a str, &'a str)>,
    /// Their places in the order of their ids.
    by_id: Vec<usize>,
}

impl<'a> Corpus<'a> {
    /// Documents by id and text.
    pub fn new(documents: Vec<(&'a str, &'a str)>) -> Self {
        let mut by_id: Vec<usize> = (0..documents.len()).collect();
        by_id.sort_unstable_by_key(|&place| documents[place].0);
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
    /// use barecode_retrieval::{Corpus, Pool, Twins};
    /// let corpus = Corpus::new(vec![("d1", "int x;"), ("d2", "int y;"), ("d3", "int x;")]);
    /// let pool = Pool::Sampled { distractors: 1, seed: 7, twins: Twins::LeftOut };
    /// assert_eq!(pool.candidates(&corpus, "q1", &BTreeSet::from([0])), [0, 1]);
    /// ```
    pub fn candidates(
        &self,
        corpus: &Corpus<'_>,
        query: &str,
        answers: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let documents = &corpus.documents;
        let (twins, distractors) = match *self {
            Pool::Everyone => return (0..documents.len()).collect(),
            Pool::Sampled {
                twins, distractors, ..
            }
            | Pool::Nearest {
                twins, distractors, ..
            } => (twins, distractors),
        };
        let texts: BTreeSet<&str> = match twins {
            Twins::Allowed => BTreeSet::new(),
            Twins::LeftOut => answers.iter().map(|&i| documents[i].1).collect(),
        };
        let is_other = |i: &usize| !answers.contains(i) && !texts.contains(documents[*i].1);
        let mut others: Vec<usize> = match *self {
            Pool::Nearest { list, .. } => {
                let mut list = list.to_vec();
                list.sort_by(|a, b| {
                    let id = |scored: &Scored| documents[scored.document].0;
                    b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b)))
                });
                list.iter()
                    .map(|scored| scored.document)
                    .filter(is_other)
                    .collect()
            }
            Pool::Sampled { .. } | Pool::Everyone => {
                corpus.by_id.iter().copied().filter(is_other).collect()
            }
        };
        if let Pool::Sampled { seed, .. } = *self {
            let digest = Digest::new("candidate-pool")
                .field(seed.to_le_bytes())
                .field(query);
            let mut rng = ChaCha8Rng::seed_from_u64(digest.seed());
            // The first steps of a shuffle.
            for place in 0..distractors.min(others.len()) {
                let chosen = place + up_to(&mut rng, others.len() - 1 - place);
                others.swap(place, chosen);
            }
        }
        others.truncate(distractors);
        let mut pool: Vec<usize> = answers.iter().copied().chain(others).collect();
        pool.sort_unstable();
        pool
    }

    /// A digest of what a pool is, the query aside: it changes when pools do.
    pub fn digest(&self) -> Digest {
        let digest = Digest::new("pool");
        let twins = |twins| match twins {
            Twins::Allowed => "allowed",
            Twins::LeftOut => "left-out",
        };
        match *self {
            Pool::Everyone => digest.field("everyone"),
            Pool::Sampled {
                distractors,
                seed,
                twins: kind,
            } => digest
                .field("sampled")
                .field((distractors as u64).to_le_bytes())
                .field(seed.to_le_bytes())
                .field(twins(kind)),
            Pool::Nearest {
                distractors,
                list,
                twins: kind,
            } => {
                let rows = list.iter().flat_map(|scored| {
                    let place = scored.document as u64;
                    [place.to_le_bytes(), scored.score.to_le_bytes()]
                });
                digest
                    .field("nearest")
                    .field((distractors as u64).to_le_bytes())
                    .fields(rows)
                    .field(twins(kind))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids that run backward.
    fn ids(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("d{:03}", 999 - i)).collect()
    }

    fn documents<'a>(ids: &'a [String], texts: &[&'a str]) -> Corpus<'a> {
        let ids = ids.iter().map(String::as_str);
        Corpus::new(ids.zip(texts.iter().copied()).collect())
    }

    fn sampled(distractors: usize, seed: u64, twins: Twins) -> Pool<'static> {
        Pool::Sampled {
            distractors,
            seed,
            twins,
        }
    }

    #[test]
    fn answers_are_always_candidates() {
        let ids = ids(5);
        let documents = documents(&ids, &["a", "b", "c", "a", "e"]);
        let answers = BTreeSet::from([0, 4]);
        let of = |pool: Pool| pool.candidates(&documents, "q", &answers);
        assert_eq!(of(Pool::Everyone), [0, 1, 2, 3, 4]);
        assert_eq!(of(sampled(0, 1, Twins::Allowed)), [0, 4]);
        assert_eq!(of(sampled(9, 1, Twins::Allowed)), [0, 1, 2, 3, 4]);
        // Document 3 is a copy of document 0.
        assert_eq!(of(sampled(9, 1, Twins::LeftOut)), [0, 1, 2, 4]);
        let list = [(3, 5.0), (0, 4.0), (1, 2.0), (2, 2.0)]
            .map(|(document, score)| Scored { document, score });
        let nearest = |distractors, twins| Pool::Nearest {
            distractors,
            list: &list,
            twins,
        };
        assert_eq!(of(nearest(1, Twins::Allowed)), [0, 3, 4]);
        // Documents 1 and 2 tie; the second has the smaller id.
        assert_eq!(of(nearest(1, Twins::LeftOut)), [0, 2, 4]);
        assert_eq!(of(nearest(9, Twins::LeftOut)), [0, 1, 2, 4]);
    }

    #[test]
    fn a_draw_depends_on_seed_and_query_and_not_on_the_order_of_the_corpus() {
        let texts: Vec<String> = (0..60).map(|i| format!("t{i}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let names = ids(60);
        let forward = documents(&names, &texts);
        let backward = Corpus::new(forward.documents.iter().rev().copied().collect());
        let ids = |corpus: &Corpus<'_>, answer: usize, name: &str, seed| {
            let pool = sampled(9, seed, Twins::LeftOut);
            let places = pool.candidates(corpus, name, &BTreeSet::from([answer]));
            assert_eq!(places.len(), 10);
            places
                .into_iter()
                .map(|i| corpus.documents[i].0.to_owned())
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
        let documents = documents(&ids, &["a", "b", "c", "d", "e", "f"]);
        let mut drawn = [0_usize; 6];
        for i in 0..6000 {
            let pool = sampled(2, 5, Twins::LeftOut);
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
