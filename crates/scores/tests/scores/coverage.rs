//! How often intervals contain the truth, by simulation: columns of scores whose mean is known are drawn again and
//! again. `examples/coverage.rs` prints the table of docs/src/explanation/intervals.md; the test holds the default to
//! what is claimed.

use barecode_scores::intervals::Range;
use barecode_scores::{Bootstrap, Method};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A number in `0..1`.
fn uniform(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.next_u32()) / 4_294_967_296.0
}

/// Ranks of answers: the first with one chance, the others up to `last` evenly by the logarithm of the rank.
#[derive(Debug, Clone, Copy)]
struct Ranks {
    first: f64,
    last: u32,
}

impl Ranks {
    fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        if uniform(rng) < self.first {
            return 1.0;
        }
        (2.0 * (uniform(rng) * (f64::from(self.last) / 2.0).ln()).exp()).floor()
    }

    /// The exact mean of a function of the rank.
    fn mean(self, value: fn(f64) -> f64) -> f64 {
        let span = (f64::from(self.last) / 2.0).ln();
        let others: f64 = (2..self.last)
            .map(f64::from)
            .map(|rank| value(rank) * ((rank + 1.0) / rank).ln() / span)
            .sum();
        self.first * value(1.0) + (1.0 - self.first) * others
    }
}

fn reciprocal(rank: f64) -> f64 {
    rank.recip()
}

fn ndcg_at_10(rank: f64) -> f64 {
    if rank <= 10.0 {
        1.0 / (1.0 + rank).log2()
    } else {
        0.0
    }
}

/// What a query's value is.
#[derive(Debug, Clone, Copy)]
enum Column {
    /// A measure of the rank.
    Of(Ranks, fn(f64) -> f64),
    /// 1 with this chance, else 0.
    Success(f64),
    /// The difference of a measure of two ranks, which are the same for a share of the queries.
    Difference(f64, Ranks, Ranks, fn(f64) -> f64),
}

/// Many answers first, the others far down.
const GOOD: Ranks = Ranks {
    first: 0.7,
    last: 1000,
};
/// Hardly an answer first.
const POOR: Ranks = Ranks {
    first: 0.1,
    last: 2000,
};

/// The simulated columns by name.
const COLUMNS: [(&str, Column); 7] = [
    ("RR, many answers first", Column::Of(GOOD, reciprocal)),
    ("RR, few answers first", Column::Of(POOR, reciprocal)),
    (
        "nDCG@10, half of the answers first",
        Column::Of(
            Ranks {
                first: 0.5,
                last: 300,
            },
            ndcg_at_10,
        ),
    ),
    (
        "nDCG@10, nearly constant",
        Column::Of(
            Ranks {
                first: 0.9,
                last: 20,
            },
            ndcg_at_10,
        ),
    ),
    ("Success@10 of 0.95", Column::Success(0.95)),
    (
        "differences of RR, half are 0",
        Column::Difference(0.5, GOOD, POOR, reciprocal),
    ),
    (
        "differences of nDCG@10, nearly all are 0",
        Column::Difference(0.8, GOOD, POOR, ndcg_at_10),
    ),
];

impl Column {
    fn draw(self, rng: &mut ChaCha8Rng) -> f64 {
        match self {
            Column::Of(ranks, value) => value(ranks.draw(rng)),
            Column::Success(chance) => f64::from(u8::from(uniform(rng) < chance)),
            Column::Difference(same, first, second, value) => {
                if uniform(rng) < same {
                    0.0
                } else {
                    value(first.draw(rng)) - value(second.draw(rng))
                }
            }
        }
    }

    fn mean(self) -> f64 {
        match self {
            Column::Of(ranks, value) => ranks.mean(value),
            Column::Success(chance) => chance,
            Column::Difference(same, first, second, value) => {
                (1.0 - same) * (first.mean(value) - second.mean(value))
            }
        }
    }

    fn range(self) -> Range {
        match self {
            Column::Of(..) | Column::Success(_) => Range::SCORES,
            Column::Difference(..) => Range::DIFFERENCES,
        }
    }
}

/// Of a column, a number of queries and a method: how often the interval contains the mean, and how wide it is.
pub(crate) struct Covered {
    pub(crate) column: &'static str,
    pub(crate) queries: usize,
    pub(crate) share: f64,
    pub(crate) width: f64,
}

/// The simulation, column by column.
///
/// The width is for the table.
pub(crate) fn simulate(queries: &[usize], method: Method, trials: u32) -> Vec<Covered> {
    let mut found = Vec::new();
    for (name, column) in COLUMNS {
        let truth = column.mean();
        for &n in queries {
            let mut rng = ChaCha8Rng::seed_from_u64(n as u64);
            let (mut hits, mut width) = (0_u32, 0.0);
            for trial in 0..trials {
                let values: Vec<f64> = (0..n).map(|_| column.draw(&mut rng)).collect();
                let bootstrap = Bootstrap {
                    resamples: 2_000,
                    confidence: 0.95,
                    seed: trial.into(),
                };
                let interval = bootstrap.mean_within(&values, column.range(), method);
                let interval = interval.expect("the values are finite");
                hits += u32::from(interval.low <= truth + 1e-12 && truth <= interval.high + 1e-12);
                width += interval.high - interval.low;
            }
            found.push(Covered {
                column: name,
                queries: n,
                share: f64::from(hits) / f64::from(trials),
                width: width / f64::from(trials),
            });
        }
    }
    found
}

#[test]
fn the_default_interval_holds_what_it_says_from_ten_queries_on() {
    for covered in simulate(&[10, 15, 50], Method::default(), 8_000) {
        // The errors of the simulation are 0.2 to 0.3 points.
        let least = if covered.queries < 50 { 0.93 } else { 0.94 };
        let Covered {
            column,
            queries,
            share,
            width,
        } = covered;
        assert!(
            share >= least,
            "{column}, {queries} queries: {share}, {width} wide"
        );
    }
}
