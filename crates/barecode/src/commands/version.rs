//! `--version --verbose`: the versions that a report of a bug, and a reader of tables, need.

use std::env::consts::{ARCH, OS};
use std::fmt::Write as _;
use std::sync::LazyLock;

use barecode_records::table::TABLES;

use crate::console::SCHEMA_VERSION;

/// The versions of the program, of what it prints as JSON, and of each table.
pub(super) static TEXT: LazyLock<String> = LazyLock::new(|| {
    let mut text = format!(
        "{}\nsystem: {OS} {ARCH}\njson: schema_version {SCHEMA_VERSION}\n",
        env!("CARGO_PKG_VERSION")
    );
    let tables = TABLES
        .iter()
        .map(|(table, version)| format!("{table} {version}"));
    let _ = write!(text, "tables: {}", tables.collect::<Vec<_>>().join(", "));
    text
});
