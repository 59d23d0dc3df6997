//! How far a score would move with other queries.
//!
//! Enters: columns of per-query values. Leaves: means with an interval ([`Interval`]). What is drawn again is
//! what the interval speaks of: queries ([`Bootstrap::mean`]), whole repositories ([`Bootstrap::cluster_mean`]),
//! queries and the seeds of a random setting ([`Bootstrap::over_seeds`]). An interval says nothing about what
//! was not drawn.
//!
//! Two rules turn resamples into an interval, by name: [`Method::Percentile`] and [`Method::Bca`].

mod bootstrap;
mod bca;
mod clusters;
mod seeds;

pub use bca::bca;
pub use bootstrap::{Bootstrap, Interval, Method, Resampled, percentile};
pub use clusters::ClusterInterval;
pub use seeds::{Pooling, SeedInterval, Trials, trials};
