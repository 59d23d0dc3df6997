//! *Addresses → files.*
//!
//! Enters: a `[[source]]` of a recipe. Leaves: a [`Source`], its files with proof of their origin and license; and
//! of these the ones that are mined ([`Readable`]), the others set aside with the rule that decided.
//!
//! | step | module |
//! | --- | --- |
//! | an address → files, read in process, never unpacked to disk | `source` |
//! | what each file is licensed under | [`license`] |
//! | which files are mined, and why the others are not | `file_rules` |
//! | which files a program made | `generated` |
//! | where a line came from, as every record carries it | `provenance` |
//!
//! Two programs are started, git to clone an address and cargo to find a package, and neither runs anything that a
//! source contains. Deliberately absent: this crate does not parse any language.

mod source;
mod file_rules;
mod generated;
pub mod license;
mod provenance;

pub use file_rules::{Readable, mined_paths, readable};
pub use provenance::origin;
pub use source::{
    Build, CompileOptions, Content, FileRule, MOST_COMMITS, Source, SourceConfig, SourceError,
    SourceFile,
};
