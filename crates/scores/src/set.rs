//! `SetP`, `SetR`, `SetF`, `SetAP`: the retrieved documents, without their order.
//!
//! # Definition
//! With `f` relevant documents among the `n` retrieved, of `R`: `SetP` is `f / n`, or with `relative=True`
//! `f / min(n, R)`; `SetR` is `f / R`; `SetF` is `(b + 1) P R / (R + b P)` with `b` = `beta`, not squared;
//! `SetAP` is `P · R`.
//!
//! # Range and direction
//! 0 to 1, higher is better.
//!
//! # Ties and empty cases
//! Order does not matter. Where a denominator is 0 the value is 0.
//!
//! # Example worked by hand
//! Four retrieved, one of the two relevant ones among them: `SetP` 1/4, `SetR` 1/2, `SetF` 1/3, `SetAP` 1/8.
//!
//! ```
//! use std::collections::BTreeMap;
//! use barecode_scores::{Measure, Ranked, Ties, evaluate};
//! let ranked = ["a", "x", "y", "z"].map(|doc| Ranked { doc, score: 0.0 });
//! let qrels = BTreeMap::from([("a", 1), ("b", 1)]);
//! let names = ["SetP", "SetP(relative=True)", "SetR", "SetF", "SetAP"];
//! let measures: Vec<Measure> = names.iter().map(|name| name.parse().unwrap()).collect();
//! assert_eq!(evaluate(&measures, &ranked, &qrels, Ties::Expected), [0.25, 0.5, 0.5, 1.0 / 3.0, 0.125]);
//! ```
//!
//! # Source
//! `trec_eval`'s `set_P`, `set_relative_P`, `set_recall`, `set_F`, `set_map`.

use crate::matching::share;
use crate::ties::List;

/// Number of relevant documents retrieved.
pub(crate) fn found(rel: i32, list: &List) -> usize {
    list.groups.iter().map(|group| group.relevant(rel)).sum()
}

/// Precision; `total` is the number of all relevant documents of the query.
pub(crate) fn precision(relative: bool, rel: i32, list: &List, total: usize) -> f64 {
    let most = if relative {
        list.length.min(total)
    } else {
        list.length
    };
    share(found(rel, list), most)
}

/// Recall.
pub(crate) fn recall(rel: i32, list: &List, total: usize) -> f64 {
    share(found(rel, list), total)
}

/// Weighted harmonic mean of the two.
pub(crate) fn f(beta: f64, rel: i32, list: &List, total: usize) -> f64 {
    let precision = precision(false, rel, list, total);
    let recall = recall(rel, list, total);
    if precision == 0.0 || recall == 0.0 {
        return 0.0;
    }
    (beta + 1.0) * precision * recall / (recall + beta * precision)
}

/// Product of the two.
pub(crate) fn average_precision(rel: i32, list: &List, total: usize) -> f64 {
    precision(false, rel, list, total) * recall(rel, list, total)
}
