//! The part of a score that is left when names, and then more, are removed.
//!
//! From per-query values under several settings it computes drops with paired intervals ([`drop_from`]), and curves
//! over a dose ([`dose_curve`]). It computes the shifts of embeddings ([`shift()`]) with their correlations
//! ([`Shifts`], [`correlation()`]), and compares a subset with human-written queries with the whole ([`subset()`]).
//!
//! Settings share their queries, so every interval of a difference is over the differences.

mod drop;
mod shift;
mod correlation;
mod dose;
mod subset;

pub use correlation::{Coefficient, Correlation, cluster_correlation, correlation};
pub use dose::{DoseCurve, DosePoint, dose_curve};
pub use drop::{Drop, drop_from};
pub use shift::{Distance, Shifted, Shifts, With, shift};
pub use subset::{Subset, subset};
