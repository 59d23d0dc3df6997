//! Is one system better than another?
//!
//! Two systems that answered the same queries are compared query by query ([`compare`]): the mean difference with its
//! interval, and tests of whether the difference could be chance. Resampling two means separately would ignore that a
//! hard query is hard for both. Several systems are compared in all pairs ([`compare_all`]), with corrections for the
//! number of tests ([`holm()`], [`tukey_hsd`], [`randomized_tukey`]), and form tied groups ([`tied_groups()`]) rather
//! than strict ranks.
//!
//! A test answers "could this be chance, with these queries?". It does not show that a difference matters, and a
//! large p value does not show that two systems are equal: `study::non_inferiority` is for that.

mod paired;
mod permutation;
mod t_test;
mod wilcoxon;
mod holm;
mod tukey;
mod all_pairs;
mod tied_groups;

pub use all_pairs::{AllPairs, Judge, PairOfSystems, compare_all};
pub use holm::holm;
pub use paired::{Paired, Plan, compare, detectable};
pub use permutation::{Permutation, permutation_test};
pub(crate) use t_test::standard_error;
pub use t_test::{TTest, t_test};
pub use tied_groups::{TiedGroups, tied_groups};
pub use tukey::{Tukey, TukeyPair, randomized_tukey, tukey_blocked, tukey_hsd};
pub use wilcoxon::{Wilcoxon, wilcoxon};
