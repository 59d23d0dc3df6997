//! Random order: the scores of a retriever that knows nothing.
//!
//! The order is drawn per query from (run seed, query id, retriever name), over the documents by id. It is the
//! same in every setting, and adding a query changes no other query's order.

use barecode_records::Digest;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use rayon::prelude::*;

use crate::retriever::{Documents, Query, Retriever, RetrieverError, Scorer};
use crate::top::Scored;

/// Random order as a retriever: `random`.
#[derive(Debug, Clone, Copy, Default)]
pub struct Random;

impl Retriever for Random {
    fn kind(&self) -> &'static str {
        "random"
    }

    fn add_to(&self, digest: Digest, name: &str) -> Digest {
        digest.field(name)
    }

    fn prepare<'c>(&self, corpus: &Documents<'c>) -> Result<Box<dyn Scorer + 'c>, RetrieverError> {
        Ok(Box::new(RandomOrder(*corpus)))
    }

    fn compares_queries(&self) -> bool {
        false
    }

    fn is_chance(&self) -> bool {
        true
    }
}

struct RandomOrder<'c>(Documents<'c>);

impl Scorer for RandomOrder<'_> {
    fn search(
        &self,
        queries: &[Query<'_>],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let Documents {
            ids, name, seed, ..
        } = self.0;
        let seed = Digest::new("seed").field(seed.to_le_bytes());
        let seed = seed.field("retrieve").field("").seed();
        let lists = queries.par_iter().map(|query| {
            let mut list = random_order(ids, query.id, name, seed);
            list.truncate(depth);
            list
        });
        Ok(lists.collect())
    }
}

/// All documents in a random order, by their ids, with scores from `ids.len()` down to 1.
///
/// ```
/// let order = |query| barecode_retrieval::random_order(&["a", "b", "c"], query, "random", 7);
/// assert_eq!(order("q"), order("q"));
/// assert_eq!(order("q")[0].score, 3.0);
/// ```
pub fn random_order(ids: &[&str], query: &str, retriever: &str, seed: u64) -> Vec<Scored> {
    let digest = Digest::new("random-order")
        .field(seed.to_le_bytes())
        .field(query)
        .field(retriever);
    let mut rng = ChaCha8Rng::seed_from_u64(digest.seed());
    let mut order: Vec<usize> = (0..ids.len()).collect();
    order.sort_unstable_by(|&a, &b| ids[a].cmp(ids[b]));
    for last in (1..order.len()).rev() {
        order.swap(last, up_to(&mut rng, last));
    }
    let score = |(above, document)| Scored {
        document,
        score: (ids.len() - above) as f64,
    };
    order.into_iter().enumerate().map(score).collect()
}

/// A number in `0..=most`, each equally likely (Lemire, *Fast random integer generation in an interval*, 2019).
pub(crate) fn up_to(rng: &mut ChaCha8Rng, most: usize) -> usize {
    let n = u32::try_from(most + 1).expect("a corpus has fewer than 2^32 documents");
    loop {
        let product = u64::from(rng.next_u32()) * u64::from(n);
        if product & 0xffff_ffff >= u64::from(n.wrapping_neg() % n) {
            return usize::try_from(product >> 32).expect("the number is below 2^32");
        }
    }
}
