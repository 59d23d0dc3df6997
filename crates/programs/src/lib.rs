//! Data sets of Python programs to programs with tests, their clones and bugs.
//!
//! Four stages, each a function of records, of a recipe, and of a seed: [`Extraction`] reads data sets, [`Choosing`]
//! selects the solutions of a problem that stay, [`check()`] runs programs with their tests, [`vary()`] makes clones
//! and bugs and runs those.
//!
//! A program enters as a row of a data set or as a file, and is a [`Candidate`]. It is normalized, passes the gates
//! and filters, and becomes, unless it is a duplicate, a [`Program`](barecode_records::python::Program); [`base`]
//! does all of this for one candidate at a time. Everything that is left out is a row with its reason. Programs run
//! in the sandbox of the crate `check` only.

mod candidate;
mod config;
mod doctest;
mod protected;
mod source;
mod problems;
mod error;
mod chooser;
mod extract;
mod pipeline;
mod check;
mod inputs;
mod differ;
mod vary;
pub mod read;
pub mod normalize;
pub mod sensitive;
pub mod gates;
pub mod filters;
pub mod duplicates;
pub mod base;
pub mod alternates;

pub use candidate::{Candidate, Cases};
pub use check::{BUGS, PROGRAMS, check};
pub use chooser::{Account, Applied, Choices, Choosing, Embed, Vectors};
pub use config::ProgramConfig;
pub use error::{ProgramsError, Stopped};
pub use extract::{DataSet, Extracted, Extraction};
pub use pipeline::PipelineConfig;
pub use protected::protected_names;
pub use read::Format;
pub use source::ProgramSource;
pub use vary::{VARIANTS, vary};
