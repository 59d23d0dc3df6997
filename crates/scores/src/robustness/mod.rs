//! What is left of a score when names, and then more, are taken away.
//!
//! In come per-query values under several settings; out come drops with paired intervals ([`drop_from`]), the
//! worst of several seeds ([`worst_over_seeds`]), how far embeddings move ([`shift()`]) and what that goes with
//! ([`correlation()`]), curves over a dose ([`dose_curve`]), what became of each query ([`trajectories()`]),
//! and whether a subset with queries of people tells the same as the whole ([`subset()`]).
//!
//! Settings share their queries, so every interval of a difference is over the differences.

mod drop;
mod worst;
mod shift;
mod correlation;
mod kendall;
mod dose;
mod trajectories;
mod subset;

pub use correlation::{Coefficient, Correlation, cluster_correlation, correlation};
pub use dose::{DoseCurve, DosePoint, dose_curve};
pub use drop::{Drop, drop_from};
pub use kendall::{Kendall, kendall};
pub use shift::{Distance, shift};
pub use subset::{Subset, subset};
pub use trajectories::{Change, Trajectories, Trajectory, trajectories};
pub use worst::{Worst, worst_over_seeds};
