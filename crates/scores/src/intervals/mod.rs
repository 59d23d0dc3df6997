//! The range in which a score would move with other queries.
//!
//! Enters: columns of per-query values. Leaves: means with an interval ([`Interval`]). The interval is about the
//! units that are drawn again: queries ([`Bootstrap::mean`]), whole repositories ([`Bootstrap::cluster_mean`]),
//! queries within the members of a suite ([`Bootstrap::mean_of_strata`]). An interval has no information about units
//! that were not drawn; the draws of a random setting have a standard error of their own ([`trials()`]).
//!
//! Three rules, by name: [`Method::Student`], which holds for few queries too and is the default; and from resamples
//! [`Method::Percentile`] and [`Method::Bca`].

mod bootstrap;
mod bca;
mod student;
mod clusters;
mod strata;
mod trials;

pub use bca::bca;
pub(crate) use bootstrap::quantile;
pub use bootstrap::{Bootstrap, Interval, Method, Resampled, percentile};
pub use clusters::ClusterInterval;
pub(crate) use student::jackknife;
pub use student::{FEWEST_QUERIES, Range, student};
pub use trials::{Trials, trials};
