//! How far a score would move with other queries.
//!
//! Enters: columns of per-query values. Leaves: means with an interval ([`Interval`]). What is drawn again is
//! what the interval speaks of: queries ([`Bootstrap::mean`]), whole repositories ([`Bootstrap::cluster_mean`]),
//! queries and the seeds of a random setting ([`Bootstrap::over_seeds`]), queries within the members of a suite
//! ([`Bootstrap::mean_of_strata`]). An interval says nothing about what
//! was not drawn.
//!
//! Three rules, by name: [`Method::Student`], which holds for few queries too and is the default; and from resamples
//! [`Method::Percentile`] and [`Method::Bca`].

mod bootstrap;
mod bca;
mod student;
mod clusters;
mod seeds;
mod strata;

pub use bca::bca;
pub(crate) use bootstrap::quantile;
pub use bootstrap::{Bootstrap, Interval, Method, Resampled, percentile};
pub use clusters::ClusterInterval;
pub use seeds::{Pooling, SeedInterval, Trials, trials};
pub(crate) use student::jackknife;
pub use student::{FEWEST_QUERIES, Range, student};
