//! Are texts by a model as good as texts by people?
//!
//! A study shows annotators two descriptions of one function, blind, and asks which are correct and which is
//! better. In come their verdicts; out come points and totals under a paper's rules ([`points()`], [`totals()`]),
//! a test that can show that one side is not worse ([`non_inferiority()`]), and how far annotators agree
//! ([`krippendorff_alpha`]).

mod points;
mod totals;
mod non_inferiority;
mod alpha;

pub use alpha::{Alpha, Level, krippendorff_alpha};
pub use non_inferiority::{
    NonInferiority, non_inferiority, power, queries_needed, smallest_margin,
};
pub use points::{Preference, Rule, Verdict, points};
pub use totals::{Totals, totals};
