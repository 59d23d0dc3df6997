//! Tests of the transforms that keep the meaning.
//!
//! Programs are run before and after by the interpreter that `BARECODE_PYTHON` names; published programs with tests come
//! from `BARECODE_DATA`.

mod applied;
mod corpus;
mod pairs;
mod properties;
mod traps;
