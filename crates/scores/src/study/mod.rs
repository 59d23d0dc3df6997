//! Tests of whether model-written texts are as good as human-written ones.
//!
//! A study shows annotators two descriptions of one function, blind, and asks which are correct and which is better.
//! From their verdicts come points and totals under a paper's rules ([`points()`], [`totals()`]), a test that can
//! show that one side is not worse ([`non_inferiority()`]), and the agreement of annotators ([`krippendorff_alpha`]).
//! [`of_group`] computes all of this for one group. The number of functions and raters that this needs is simulated
//! ([`simulated_power`], [`functions_needed`]).

mod points;
mod totals;
mod non_inferiority;
mod equivalence;
mod alpha;
mod group;
mod simulation;

pub use alpha::{Alpha, Level, krippendorff_alpha};
pub use equivalence::{Equivalence, equivalence};
pub use group::{Agreement, Disagreement, GroupStudy, Question, Rated, Test, of_group};
pub use non_inferiority::{
    NonInferiority, non_inferiority, power, queries_needed, smallest_margin,
};
pub use points::{Preference, Rule, Verdict, points};
pub use simulation::{
    Assumed, MOST_FUNCTIONS, Planned, SimulatedPower, functions_needed, simulated_power,
};
pub use totals::{Totals, totals};
