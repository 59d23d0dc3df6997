//! Transforms against CPython: programs are run before and after.

mod common;
mod rename_traps;
mod rename_programs;
mod mutants;
mod laws;
mod many_edits;
mod doctests;
