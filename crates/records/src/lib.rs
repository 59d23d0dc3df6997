//! The nouns: every type that barecode writes to disk, and its format.
//!
//! A benchmark is made in stages, and each stage leaves records of one kind behind:
//!
//! | stage | folder | records |
//! | --- | --- | --- |
//! | extract | `01-functions` | [`Function`], [`SourceName`], [`Program`](python::Program) |
//! | choose | `01-solutions` | [`Program`](python::Program) |
//! | check | `02-units` | [`Unit`], [`Program`](python::Program) |
//! | vary | `03-variants` | [`Variant`], [`ProgramVariant`](python::ProgramVariant) |
//! | query | `04-queries` | [`Query`] |
//! | assemble | `05-dataset` | [`ListedSubset`], [`Document`], [`QueryText`], [`Judgment`], [`Pair`], [`ProbeProgram`], [`ProbePair`], [`ClusterMember`], [`Statistic`] |
//! | retrieve | `06-runs` | [`Hit`], [`Similarity`] |
//! | score | `07-scores` | [`QueryScore`], [`Score`], [`SettingDrop`], [`Difference`], [`SetDifference`], [`ProbeScore`] |
//! | report | `08-report` | a page |
//!
//! Every stage returns an [`Outcome`]. A thing that it leaves out is a [`SetAside`] with a [`Reason`]: at every
//! stage, in = kept + set aside.
//!
//! Each record carries its [`Origin`] (repository, version or commit, license, path, lines) and the ids of its
//! parents, so that every number in a report leads back to lines of a public source. Ids are derived from content
//! ([`Id`]); no order, clock or counter enters them.
//!
//! The fields that code of any language has in common are a [`Snippet`]; the forms that only C and C++ are lowered to
//! are in [`c`], and the types of programs with tests in [`python`].
//!
//! [`table`] writes records as Parquet, atomically, and reads them back; [`Manifest`] is the JSON account of
//! a run. This crate depends on no other crate of barecode and decides nothing.

#[macro_use]
mod words;
mod id;
mod language;
mod origin;
mod snippet;
mod source_name;
mod spelled_names;
pub mod c;
pub mod python;
mod span;
mod closure;
mod references;
mod function;
mod unit;
mod setting;
mod variant;
mod vector;
mod query;
mod dataset;
mod run;
mod probe;
mod score;
mod difference;
mod selection;
mod subset;
mod statistic;
mod set_aside;
mod outcome;
mod account;
mod manifest;
mod caught;
mod encoded;
mod fitted;
mod seal;
mod spool;
mod recent;
pub mod guarded;
pub mod table;

pub use account::{Account, Rows};
pub use caught::caught;
pub use closure::{Closure, HelperBodies, HelperSpan, Piece, PieceKind};
pub use dataset::{Document, Judgment, Pair, QueryText};
pub use difference::{Difference, SetDifference, SettingDrop};
pub use fitted::fitted;
pub use function::{DocComment, DocPlace, Function, FunctionKind};
pub use id::{Digest, Id};
pub use language::Language;
pub use manifest::{Counts, Manifest, StageAccount};
pub use origin::{Origin, tails};
pub use outcome::Outcome;
pub use probe::{ProbePair, ProbeProgram, ProbeScore, Relation, Similarity};
pub use query::{Leak, Query, TargetKind};
pub use recent::Recent;
pub use references::{Group, References};
pub use run::{Candidate, Hit, HitColumns};
pub use score::{QueryScore, Score};
pub use selection::{ClusterMember, Split};
pub use set_aside::{Reason, SetAside, Stage};
pub use setting::{Dose, Length, Literals, Profile, Roles, Scheme, Setting};
pub use snippet::Snippet;
pub use source_name::{Owner, Quoted, Scope, SourceName, Spelled, Whose};
pub use span::Span;
pub use spelled_names::{NameFacts, SpelledNames};
pub use spool::{Spool, Stored};
pub use statistic::Statistic;
pub use subset::{Facets, ListedSubset, Subset, SubsetKind};
pub use table::{Record, TableError};
pub use unit::{Judged, Toolchain, Unit};
pub use variant::{KeptName, Proof, Renaming, Role, Variant};
pub use vector::VectorSimilarity;
