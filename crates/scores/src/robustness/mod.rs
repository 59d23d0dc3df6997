//! What is left of a score when names, and then more, are taken away.
//!
//! From per-query values under several settings it computes drops with paired intervals ([`drop_from`]), curves
//! over a dose ([`dose_curve`]), how far embeddings move ([`shift()`]) and what that correlates with ([`Shifts`],
//! [`correlation()`]), and whether a subset with human-written queries scores as the whole does ([`subset()`]).
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
