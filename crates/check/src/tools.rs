//! Which programs are here.

use serde::Serialize;

/// A program that barecode can make use of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The program.
    pub name: String,
    /// What it is for.
    pub purpose: String,
    /// The first line of its `--version`; `None` where it is not installed.
    pub version: Option<String>,
    /// The Debian package that brings it.
    pub package: String,
    /// Whether nothing works without it.
    pub required: bool,
}

/// Looks for every program that barecode can make use of.
pub fn tools() -> Vec<Tool> {
    todo!()
}
