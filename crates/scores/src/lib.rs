//! Runs and judgments to scores: pure arithmetic.
//!
//! In comes, for each query, a list of scored documents ([`Ranked`]) and the grades of the documents that answer it.
//! Out come the values of [`Measure`]s, each in `0..=1` unless it counts things. With them come the value that a
//! perfect model could reach ([`ceiling`]), the value that random order would reach ([`floor`]), and an interval over
//! queries ([`Bootstrap`]). Columns of such values go on to [`intervals`], to the [`comparison`] of systems, to
//! [`robustness`] over settings; verdicts on queries go to a [`study`].
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//!
//! let measures: Vec<Measure> = ["RR@10", "R@1"].iter().map(|name| name.parse().unwrap()).collect();
//! let ranked = [Ranked { doc: "a", score: 2.0 }, Ranked { doc: "b", score: 1.0 }];
//! let qrels = BTreeMap::from([("b", 1)]);
//! assert_eq!(evaluate(&measures, &ranked, &qrels, Ties::Expected), [0.5, 0.0]);
//! ```
//!
//! The one hard thing is ties. Code without names has many documents of equal score, and tools that break ties by
//! document id turn the ids into part of the score. Here a tie has its average value: every measure is the exact
//! expectation over all orders of equally scored documents, in closed form ([`Ties::Expected`]). The usual rules
//! exist under their names ([`Ties::Docno`], [`Ties::Input`], …).
//!
//! Documents with the same text ([`Twins`]) cannot be distinguished by any model, so a strict score has a
//! ceiling below 1; it is computed per query and belongs beside every number.
//!
//! Not part of this crate: it reads and writes nothing, knows no clock, draws no number without a seed, and knows
//! nothing of barecode's records.

mod measure;
mod names;
mod grammar;
mod parameters;
mod ties;
mod evaluate;
mod hypergeometric;
mod ndcg;
mod scaled_dcg;
mod reciprocal_rank;
mod average_precision;
mod recall;
mod capped_recall;
mod precision;
mod r_precision;
mod success;
mod accuracy;
mod bpref;
mod inferred_ap;
mod interpolated_precision;
mod rank_biased;
mod expected_reciprocal_rank;
mod set;
mod judged;
mod hole;
pub mod matching;
pub mod probe;
mod twins;

// Statistics: from columns of values to intervals, tests and studies.
mod distributions;
mod draws;
mod ranks;
mod statistics_error;
pub mod intervals;
pub mod comparison;
pub mod robustness;
pub mod study;

pub use evaluate::{answer_rank, evaluate, evaluate_in_pool, evaluate_judged};
pub use intervals::{Bootstrap, Interval, Method};
pub use measure::{Gain, Kind, Measure, MeasureError, Relevant};
pub use statistics_error::StatisticsError;
pub use ties::{Judged, Ranked, Ties, TiesError};
pub use twins::{Twins, ceiling, ceiling_of_twins, floor};
