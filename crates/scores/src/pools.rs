//! Candidate pools: ranking against a few instead of all.
//!
//! In comes the list of scored candidates of a query, with the index of its answer; a pool is the indexes of those
//! that compete with it, and [`in_pool`] gives the values of measures in the pool. `GenCodeSearchNet`'s MRR is `RR`
//! in a pool of 99 others, pydra's top-1 accuracy and MRR are `Success@1` and `RR` in a pool of the 100 nearest.
//!
//! A small pool flatters: the same scores give a higher MRR against 99 than against all. Which others are drawn
//! matters as much: [`gecs`] is the way of `GenCodeSearchNet`'s published code, which does not draw uniformly.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::evaluate::evaluate_judged;
use crate::measure::Measure;
use crate::ties::{Judged, Ranked, Ties};

/// `n` others drawn uniformly without repetition, ascending; all others if there are fewer. Each query has draws
/// of its own, so one query more changes no other pool.
///
/// ```
/// use barecode_scores::pools::uniform;
/// let pool = uniform(1_000, 3, 99, 42, 0);
/// assert_eq!(pool.len(), 99);
/// assert!(!pool.contains(&3));
/// assert_ne!(pool, uniform(1_000, 3, 99, 42, 1));
/// ```
///
/// Source: `GenCodeSearchNet`, section 4 (99 random distractors).
pub fn uniform(candidates: usize, answer: usize, n: usize, seed: u64, query: u64) -> Vec<usize> {
    let mut rng = stream(seed, query);
    let others: Vec<usize> = (0..candidates).filter(|&at| at != answer).collect();
    let mut pool = sample(&mut rng, others, n);
    pool.sort_unstable();
    pool
}

/// The pools of `GenCodeSearchNet`'s published evaluation, one a query, where query `i` has the answer `i`.
///
/// Its script binds the list that it draws from anew in every turn of the loop: from the second query on the others
/// are drawn from the previous query's 100 (answer and pool, less the one at index `i`), so a pool is a window of
/// neighbors in the file, and may hold the query's own answer once more. Equal scores count against the model there: [`Ties::Pessimistic`]. Draws are ours, not
/// Python's.
///
/// Source: `experiments/eval_mrr_cosine.py` of `GenCodeSearchNet`.
pub fn gecs(queries: usize, n: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = stream(seed, 0);
    let mut codes: Vec<usize> = (0..queries).collect();
    let mut pools = Vec::with_capacity(queries);
    for query in 0..queries {
        if query < codes.len() {
            codes.remove(query);
        }
        let pool = sample(&mut rng, codes, n);
        codes = [&[query], pool.as_slice()].concat();
        pools.push(pool);
    }
    pools
}

/// The `n` others with the highest scores, from the best; equal ones in the order of the list.
///
/// ```
/// use barecode_scores::pools::nearest;
/// assert_eq!(nearest(&[0.9, 0.2, 0.7, 0.7, 0.1], 0, 2), [2, 3]);
/// ```
///
/// Source: pydra, section 5.4 (a pool of the 100 most similar of the random pairs).
pub fn nearest(scores: &[f64], answer: usize, n: usize) -> Vec<usize> {
    let mut others: Vec<usize> = (0..scores.len()).filter(|&at| at != answer).collect();
    others.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
    others.truncate(n);
    others
}

/// The values of measures where the answer competes with a pool.
///
/// ```
/// use barecode_scores::pools::in_pool;
/// use barecode_scores::{Measure, Ranked, Ties};
/// let measures: [Measure; 2] = ["RR", "Success@1"].map(|name| name.parse().unwrap());
/// let list = [("a", 0.5), ("b", 0.5), ("c", 0.9)].map(|(doc, score)| Ranked { doc, score });
/// assert_eq!(in_pool(&measures, &list, 0, &[1], Ties::Pessimistic), [0.5, 0.0]);
/// assert_eq!(in_pool(&measures, &list, 0, &[1], Ties::Expected), [0.75, 0.5]);
/// ```
pub fn in_pool(
    measures: &[Measure],
    candidates: &[Ranked],
    answer: usize,
    pool: &[usize],
    ties: Ties,
) -> Vec<f64> {
    let with_answer = [&[answer], pool].concat();
    let ranked: Vec<Ranked> = with_answer.iter().map(|&at| candidates[at]).collect();
    let judged = Judged {
        here: &[(0, 1)],
        elsewhere: &[],
        grades: &[1],
    };
    evaluate_judged(measures, &ranked, &judged, ties)
}

fn stream(seed: u64, number: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number);
    rng
}

/// The first `n` of a random order.
fn sample(rng: &mut ChaCha8Rng, mut from: Vec<usize>, n: usize) -> Vec<usize> {
    let n = n.min(from.len());
    for at in 0..n {
        let other = at + below(rng, (from.len() - at) as u64);
        from.swap(at, other);
    }
    from.truncate(n);
    from
}

/// A number below `bound`, each with equal probability.
#[expect(clippy::cast_possible_truncation, reason = "it is below a length")]
fn below(rng: &mut ChaCha8Rng, bound: u64) -> usize {
    // Of the highest draws, as many are thrown away as would make the first remainders likelier.
    let fair = u64::MAX - u64::MAX % bound;
    loop {
        let draw = rng.next_u64();
        if draw < fair {
            return (draw % bound) as usize;
        }
    }
}
