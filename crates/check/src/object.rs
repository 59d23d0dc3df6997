//! What an object file says when names are left out.

use serde::{Deserialize, Serialize};

/// The object file of a text, without names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Object {
    /// Digest of all that would be loaded: sections, their bytes, their relocations.
    pub fingerprint: String,
    /// Digest of the machine code only.
    pub code_fingerprint: String,
    /// Size of the function's own machine code in bytes; 0 where it has none.
    pub code_bytes: u64,
}
