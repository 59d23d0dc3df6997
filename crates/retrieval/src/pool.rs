//! The documents that a query is ranked against, if not all of them, as CLARC and information retrieval at large do.
//!
//! Enters: the documents, a query and its answers. Leaves: the positions of the candidates, in the order of the
//! corpus. The answers are always among them: the task is to distinguish an answer from the rest of the pool. A copy
//! of an answer cannot be distinguished from it, so the caller names the copies, and they are never drawn.
//!
//! - [`Pool::Sampled`]: the answers and some others drawn for each query alone. `GenCodeSearchNet` draws 99
//!   (section 4.2) and reports MRR among the hundred.
//! - [`windows`]: the same as `GenCodeSearchNet`'s released script draws it, each pool from the one before.
//! - [`Pool::Nearest`]: the answers and the documents that another retriever takes for them, as pydra's ranking task
//!   has it: hard ones. A report should name the retriever that chose them.
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

/// The documents that are candidates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pool<'a> {
    /// The answers and `distractors` others, each with the same probability.
    Sampled {
        /// The number of others; all if there are fewer.
        distractors: usize,
        /// The run's seed.
        seed: u64,
    },
    /// The answers and the first `distractors` documents of a list that are not answers.
    Nearest {
        /// The number of others; all of the list where it is shorter. A group of equal scores at the end is cut by
        /// document id, because a pool needs a fixed size.
        distractors: usize,
        /// The list of the retriever that chooses, best first.
        list: &'a [Scored],
    },
}

/// Documents to draw candidates from.
pub struct Corpus<'a> {
    /// The id of each.
    documents: Vec<&'a str>,
    /// Their indexes in the order of their ids.
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
    /// The indexes of a query's candidates in the corpus, from first to last.
    ///
    /// `answers` are indexes too; each is a candidate, whatever its grade. `copies` are the indexes of documents that
    /// must not be drawn, because they have the text of an answer.
    ///
    /// ```
    /// use std::collections::BTreeSet;
    /// use barecode_retrieval::{Corpus, Pool};
    /// let corpus = Corpus::new(vec!["d1", "d2"]);
    /// let pool = Pool::Sampled { distractors: 1, seed: 7 };
    /// let no_copies = BTreeSet::new();
    /// assert_eq!(pool.candidates(&corpus, "q1", &BTreeSet::from([0]), &no_copies), [0, 1]);
    /// ```
    pub fn candidates(
        &self,
        corpus: &Corpus<'_>,
        query: &str,
        answers: &BTreeSet<usize>,
        copies: &BTreeSet<usize>,
    ) -> Vec<usize> {
        let is_other = |i: &usize| !answers.contains(i) && !copies.contains(i);
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
                draw(&mut rng, &mut others, distractors);
                (others, distractors)
            }
        };
        others.truncate(distractors);
        let mut pool: Vec<usize> = answers.iter().copied().chain(others).collect();
        pool.sort_unstable();
        pool
    }
}

/// Puts `count` items of a list first, each with the same probability: the first steps of a shuffle.
fn draw(rng: &mut ChaCha8Rng, list: &mut [usize], count: usize) {
    for place in 0..count.min(list.len()) {
        let chosen = place + up_to(rng, list.len() - 1 - place);
        list.swap(place, chosen);
    }
}

/// The candidates of all queries as `GenCodeSearchNet`'s released script draws them (`eval_mrr_cosine.py`). The list
/// of documents is bound again inside the loop. So the first query has `distractors` of all documents, and every
/// later one has them of the pool before it, without the document at the query's own number in that pool. So a pool
/// is nearly the pool before it, and copies of an answer are wrong answers.
///
/// `answers` has the index of each query's answer, in the order of the queries; indexes are the order of the file.
/// The script may draw a query's own answer a second time and count it against the query; a pool has it once here.
///
/// ```
/// use barecode_retrieval::windows;
/// let pools = windows(1000, &[0, 1, 2], 3, 42);
/// assert!(pools[1].contains(&1) && pools[1].len() == 4);
/// // Three of the second pool are of the four of the first, whose document of number 1 is left out.
/// assert_eq!(pools[1].iter().filter(|place| pools[0].contains(place)).count(), 3);
/// ```
pub fn windows(
    documents: usize,
    answers: &[usize],
    distractors: usize,
    seed: u64,
) -> Vec<Vec<usize>> {
    let digest = Digest::new("published-pools").field(seed.to_le_bytes());
    let mut rng = ChaCha8Rng::seed_from_u64(digest.seed());
    let mut codes: Vec<usize> = (0..documents).collect();
    let mut pools = Vec::with_capacity(answers.len());
    for (number, &answer) in answers.iter().enumerate() {
        if number < codes.len() {
            codes.remove(number);
        }
        draw(&mut rng, &mut codes, distractors);
        codes.truncate(distractors);
        codes.insert(0, answer);
        let pool: BTreeSet<usize> = codes.iter().copied().collect();
        pools.push(pool.into_iter().collect());
    }
    pools
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids that run backward.
    fn ids(n: usize) -> Vec<String> {
        (0..n).map(|i| format!("d{:04}", 9999 - i)).collect()
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
        let of = |pool: Pool| pool.candidates(&documents, "q", &answers, &BTreeSet::new());
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
            let places = pool.candidates(corpus, name, &BTreeSet::from([answer]), &BTreeSet::new());
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

    /// The chi-square of the counts of draws of each of `n - 1` documents, over the pools of a query under many
    /// seeds. With draws without replacement the sum of squares over the expectation is smaller by the share that is
    /// not drawn.
    fn chi_square(n: usize, distractors: usize, seeds: std::ops::Range<u64>) -> f64 {
        let ids = ids(n);
        let documents = documents(&ids);
        let answers = BTreeSet::from([2]);
        let mut drawn = vec![0_u32; n];
        let n_seeds = seeds.end - seeds.start;
        for seed in seeds {
            let pool = sampled(distractors, seed);
            for place in pool.candidates(&documents, "q", &answers, &BTreeSet::new()) {
                drawn[place] += 1;
            }
        }
        assert_eq!(u64::from(drawn[2]), n_seeds);
        let share = distractors as f64 / (n - 1) as f64;
        let expected = n_seeds as f64 * share;
        let others = drawn.iter().enumerate().filter(|(place, _)| *place != 2);
        let squares: f64 = others
            .map(|(_, &count)| (f64::from(count) - expected).powi(2))
            .sum();
        squares / (expected * (1.0 - share)) * (n - 2) as f64 / (n - 1) as f64
    }

    #[test]
    fn distractors_are_uniform_over_seeds() {
        // Of 1,068 degrees of freedom, 99.9 % of the values are between 925 and 1,222 (mean 1,068, deviation 46).
        for first in [0, 10_000, 20_000] {
            let value = chi_square(1070, 99, first..first + 2_000);
            assert!((925.0..1222.0).contains(&value), "{first}: {value}");
        }
        // Of 4 degrees, 99.9 % are below 18.5.
        let value = chi_square(6, 2, 0..6_000);
        assert!(value < 18.5, "{value}");
    }

    #[test]
    fn copies_of_an_answer_are_never_drawn() {
        let ids = ids(30);
        let documents = documents(&ids);
        let (answers, copies) = (BTreeSet::from([2]), BTreeSet::from([2, 5, 7]));
        for seed in 0..200 {
            let pool = sampled(9, seed).candidates(&documents, "q", &answers, &copies);
            assert!(
                pool.len() == 10 && !pool.contains(&5) && !pool.contains(&7),
                "{pool:?}"
            );
        }
        let all = sampled(99, 1).candidates(&documents, "q", &answers, &copies);
        assert_eq!(all.len(), 28);
    }

    #[test]
    fn the_released_script_draws_each_pool_from_the_one_before() {
        let answers: Vec<usize> = (0..500).collect();
        let pools = windows(1000, &answers, 99, 42);
        assert_eq!(pools, windows(1000, &answers, 99, 42));
        assert_ne!(pools, windows(1000, &answers, 99, 43));
        for (query, pair) in pools.windows(2).enumerate() {
            let of_before = pair[1]
                .iter()
                .filter(|place| pair[0].contains(place))
                .count();
            // All but its own answer; fewer where answers were drawn a second time, which the list then has twice.
            assert!((90..=100).contains(&of_before), "{query}: {of_before}");
            assert!(pair[1].contains(&(query + 1)));
        }
        // A uniform draw shares 10 of 99 with the pool before; after 400 queries the pool is a window of the file.
        let near = pools[450]
            .iter()
            .filter(|place| (100..=450).contains(*place))
            .count();
        assert!(near > 90, "{near}");
    }
}
