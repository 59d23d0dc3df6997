//! What a function leaves: the end of its execution, the beginning of what is found in it.

use std::collections::BTreeMap;

use super::value::{Node, Place};

/// The first number of local arrays; lower ones are parameters.
pub(crate) const LOCAL: u8 = 64;
/// The array that is returned.
pub(crate) const RESULT: u8 = 200;
/// The object of a method.
pub(crate) const THIS: u8 = 201;

/// What a function leaves.
#[derive(Debug, Default)]
pub(crate) struct Effects {
    /// The last value of each element that it writes.
    pub(crate) stores: BTreeMap<Place, Node>,
    /// The values that it returns, each with the condition under which it does.
    pub(crate) returned: Vec<(Option<Node>, Node)>,
}
