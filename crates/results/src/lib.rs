//! *Result files → values of queries, checked.*
//!
//! Enters: judgments and runs in files, runs of recipes, results that others state. Leaves: a value for each judged
//! query, and for a board the results that belong to one dataset, the others with the reason why not.
//!
//! | content | module |
//! | --- | --- |
//! | judgments and a run in files → values | [`files`] |
//! | why ids of two files have nothing in common | [`ids`] |
//! | the run of a recipe → a dataset and results | [`run`] |
//! | a folder of `eval` → a dataset and results | [`evaluated`] |
//! | an argument of a board → a dataset, results, refused ones | [`arrived`] |
//! | the files of a board | [`stated`] |
//! | the results that belong to a dataset, and the refused ones | [`board`] |
//!
//! Every figure is a function of the files: this crate prints nothing and reads no clock. Deliberately absent: tables
//! and pages, which are `report`'s.

pub mod files;
pub mod ids;
pub mod run;
pub mod evaluated;
mod scored;
pub mod arrived;
pub mod stated;
pub mod board;
