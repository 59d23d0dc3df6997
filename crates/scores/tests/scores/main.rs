//! The measures against their definitions, against laws, and against other programs.
//!
//! `laws` needs nothing. `oracle` compares with `pytrec_eval`, `ir_measures` and its providers, `ranx`, and `scipy` where the environment
//! variable `BARECODE_PYTHON` names an interpreter that has them, and says so where it does not.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod naive;
mod by_hand;
mod coverage;
mod laws;
mod oracle;
mod statistics_laws;
mod statistics_oracle;
mod pairs;
mod planned;
