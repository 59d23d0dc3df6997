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

use barecode_records::{Digest, Document, Id};
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
        /// How many; all where there are fewer.
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

impl Pool<'_> {
    /// The places of the candidates in `documents`, from first to last.
    ///
    /// `answers` are places too; each is a candidate, graded how it may.
    pub fn candidates(
        &self,
        documents: &[Document],
        query: &Id,
        answers: &BTreeSet<usize>,
    ) -> Vec<usize> {
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
            Twins::LeftOut => answers.iter().map(|&i| &*documents[i].text).collect(),
        };
        let is_other = |i: &usize| !answers.contains(i) && !texts.contains(&*documents[*i].text);
        let mut others: Vec<usize> = match *self {
            Pool::Nearest { list, .. } => {
                let mut list = list.to_vec();
                list.sort_by(|a, b| {
                    let id = |scored: &Scored| &documents[scored.document].id;
                    b.score.total_cmp(&a.score).then_with(|| id(a).cmp(id(b)))
                });
                list.iter()
                    .map(|scored| scored.document)
                    .filter(is_other)
                    .collect()
            }
            Pool::Sampled { .. } | Pool::Everyone => {
                let mut others: Vec<usize> = (0..documents.len()).filter(is_other).collect();
                others.sort_unstable_by(|&a, &b| documents[a].id.cmp(&documents[b].id));
                others
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
    use barecode_records::Language;

    use super::*;

    fn documents(texts: &[&str]) -> Vec<Document> {
        let document = |(i, text): (usize, &&str)| Document {
            id: Id::from(format!("d{:03}", 999 - i)),
            title: String::new(),
            text: (*text).to_owned(),
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
        };
        texts.iter().enumerate().map(document).collect()
    }

    fn sampled(distractors: usize, seed: u64, twins: Twins) -> Pool<'static> {
        Pool::Sampled {
            distractors,
            seed,
            twins,
        }
    }

    fn query(name: &str) -> Id {
        Id::from(name.to_owned())
    }

    #[test]
    fn answers_are_always_candidates() {
        let documents = documents(&["a", "b", "c", "a", "e"]);
        let answers = BTreeSet::from([0, 4]);
        let of = |pool: Pool| pool.candidates(&documents, &query("q"), &answers);
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
        let forward = documents(&texts);
        let backward: Vec<Document> = forward.iter().rev().cloned().collect();
        let ids = |documents: &[Document], answer: usize, name: &str, seed| {
            let pool = sampled(9, seed, Twins::LeftOut);
            let places = pool.candidates(documents, &query(name), &BTreeSet::from([answer]));
            assert_eq!(places.len(), 10);
            places
                .into_iter()
                .map(|i| documents[i].id.clone())
                .collect::<BTreeSet<_>>()
        };
        let first = ids(&forward, 7, "q1", 1);
        assert_eq!(first, ids(&backward, 52, "q1", 1));
        assert_ne!(first, ids(&forward, 7, "q2", 1));
        assert_ne!(first, ids(&forward, 7, "q1", 2));
    }

    #[test]
    fn everyone_else_is_drawn_equally_often() {
        let documents = documents(&["a", "b", "c", "d", "e", "f"]);
        let mut drawn = [0_usize; 6];
        for i in 0..6000 {
            let pool = sampled(2, 5, Twins::LeftOut);
            let answers = BTreeSet::from([2]);
            for place in pool.candidates(&documents, &query(&format!("q{i}")), &answers) {
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
