//! Studies and reviews by raters: one file a study, and the pages for answers.
//!
//! Enters: items (functions with texts about them), the raters, the number of items for each, a seed. Leaves: one
//! `SQLite` file, pages on loopback, and the answers as tables that statistics and recipes read.
//!
//! Three [`Kind`]s share one engine: *compare* shows two texts a function and requests a verdict on each and the
//! better one (CLARC, section 3.2), *write* requests a text, *review* requests a decision to keep, drop or edit a
//! record. For every kind, an answer is a row that is never changed: the current one was given last, so that *back*
//! and *change* lose nothing, and the same answer sent twice is one row.
//!
//! The hard thing is blindness. Which text is on the left is drawn per rater and item, exactly half each; a page has
//! no id of an item, no name of a source, and everything on it but the two texts is the same bytes whichever is left.
//!
//! Outside of this crate: it computes no statistics (`scores` does), reads no run and applies no review (`queries`
//! does); it listens on loopback only.

mod error;
mod answer;
mod design;
mod token;
mod tables;
mod study;
mod exchange;
mod import;
mod highlight;
mod pages;
mod connections;
mod server;

pub use answer::{Answer, Decision, Fields};
pub use design::Design;
pub use error::StudyError;
pub use exchange::{Status, StatusOfRater, blank_csv, export_csv, export_json, status};
pub use highlight::highlight;

pub use import::{Imported, import};
pub use pages::{BASE_CSS, offline};
pub use server::{listen, serve};
pub use study::{Item, Kind, NewStudy, Recorded, Serving, Study};
