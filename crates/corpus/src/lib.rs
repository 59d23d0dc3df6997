//! *Files → functions.*
//!
//! Enters: a [`Source`](barecode_sources::Source). Leaves: an [`Outcome`](barecode_records::Outcome): every function
//! definition of the source, each with a file that holds it and all it needs ([`closure`]), and every file and
//! function that was left out, with its reason.
//!
//! The flow inside, a module a step:
//!
//! | step | module |
//! | --- | --- |
//! | bytes → marked files of a translation unit | [`preprocess`] |
//! | text → tree | [`syntax`] |
//! | marked files → top-level items | [`items`] |
//! | names → numbers, which closures compare | `names` |
//! | brackets → the functions that a reader would see | `outline` |
//! | items → the closure of a function | [`closure`] |
//! | text → the names in it, and those that must stay | [`symbols`] |
//! | ranges of files → text without comments | [`emit`] |
//! | the comment above a declaration | [`doc`] |
//! | prototypes of C++ → the overloads that they declare | `overload` |
//! | comments and pages elsewhere → the functions they are about | `documented` |
//! | all of these over a source | [`extract`](mod@extract) |
//! | a language → its way from file to proof | `front_end` |
//! | closures of languages that are not compiled → units | [`check_read`] |
//! | R scripts → comments with the code below them | [`scripts`] |
//! | text → its length and complexity | [`measure`] |
//! | texts → those that are nearly the same | [`duplicates`] |
//!
//! The hard thing is the preprocessor: see [`preprocess`]. Deliberately absent: compilation (that is `check`), and
//! errors for texts: extraction returns the functions that it found and the items that it skipped.

pub mod preprocess;
pub mod syntax;
pub mod items;
pub mod emit;
pub mod doc;
pub mod closure;
pub mod symbols;
pub mod extract;
mod front_end;
mod front_ends;
pub mod scripts;
pub mod spellings;
mod definitions;
mod documented;
mod overload;
mod names;
mod lines;
mod outline;
pub mod measure;
pub mod duplicates;

pub use extract::c_like::needs_cpp;
pub use extract::{Drawn, ExtractConfig, Take, Wanted, extract, extract_parts};
pub use front_ends::{analyzed, check_read, quoted, reader};
pub use preprocess::headers::{Dialects, MoreHeaders, StandardHeaders};
