//! Others' files and a [`Benchmark`], in both directions.
//!
//! [`load`] detects the format of a path and reads it; every reader returns the same types, with ids that are unique
//! and judgments whose texts exist. A fault of a file is reported with its position.
//!
//! The hard part is the cases that formats leave open: ids that come twice, judgments of absent things, queries
//! without judgments. Each format's essay describes the result of its own loader for these, and [`Strictness`]
//! chooses between that and an error. Outside of this crate: it scores nothing, audits nothing and changes no text.

mod benchmark;
mod error;
mod format;
mod gather;
mod hub;
mod card;
mod parquet_rows;
mod beir;
mod trec_folder;
mod clarc;
mod code_split;
mod stat_code_search;
mod cosqa;
mod code_search_net;
mod pair_rows;
mod common;
mod roles;
mod csv_rows;
mod row;
mod rows;
mod source;
mod texts;
mod split_folder;
mod staging;
mod write;
mod agreement;
mod license_family;
pub mod croissant;
mod places;
mod release;
mod mteb_result;
mod training;

mod columns;
pub mod ranx;
pub mod run;
pub mod trec;

pub use agreement::differences;
pub use benchmark::{Benchmark, Document, Extra, Facts, Judgment, Kind, Query, Subset};
pub use card::{CardTable, new_card};
pub use columns::{Columns as RunColumns, Filling as RunFilling};
pub use error::{FormatError, Place};
pub use format::{Format, Loaded, Reading, detect, load, load_as, load_columns, read};
pub use gather::{Rendering, Strictness};
pub use license_family::{Family, census, expression, family, gate, split_by_family};
pub use mteb_result::{MtebResult, MtebScores, mteb_measure, read_mteb_result, write_mteb_result};
pub use places::name_places;
pub use release::{Part, Publication, release, release_split};
pub use roles::{Columns, Role, Taken};
pub use row::Row;
pub use rows::{Rows, first_names};
pub use staging::Existing;
pub use training::{TrainingPair, TrainingPart, write_training};
pub use write::{impossible, in_one_folder, losses, write};
