//! Data sets of Python programs to programs with tests, their clones and bugs.
//!
//! A program enters as a row of a data set or as a file, and is a [`Candidate`]. It is normalized, passes the gates and
//! filters, and what is left of duplicates is a [`Program`](barecode_records::python::Program); [`base`] does all of
//! this for one candidate at a time. What is left out anywhere is a row with its reason. Nothing here runs a program:
//! whether it passes its tests is for `check`.

mod candidate;
mod config;
mod doctest;
mod protected;
pub mod read;
pub mod normalize;
pub mod sensitive;
pub mod gates;
pub mod filters;
pub mod duplicates;
pub mod base;
pub mod alternates;

pub use candidate::{Candidate, Cases};
pub use config::ProgramConfig;
pub use protected::protected_names;
pub use read::Format;
