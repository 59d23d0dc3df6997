//! Functions to units.

use barecode_records::{Counts, Function, SetAside, Unit};

use crate::{CheckError, Judge};

/// What became of a shard of functions.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Functions that compile by themselves.
    pub units: Vec<Unit>,
    /// The others.
    pub set_aside: Vec<SetAside>,
    /// How many of each.
    pub counts: Counts,
}

/// Compiles every function's closure.
pub fn check(_functions: &[Function], _judge: &Judge) -> Result<Checked, CheckError> {
    todo!()
}
