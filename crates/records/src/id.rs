//! Content-derived identifiers.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// A BLAKE3 digest of a sequence of fields, for ids, cache keys and shard keys.
///
/// Every field is hashed with its length before it, so that `("ab", "c")` and `("a", "bc")` differ.
#[derive(Debug, Clone)]
pub struct Digest(blake3::Hasher);

impl Digest {
    /// Starts a digest of a kind of thing; two kinds never share a value.
    pub fn new(kind: &str) -> Self {
        Digest(blake3::Hasher::new()).field(kind)
    }

    /// Adds one field.
    #[must_use]
    pub fn field(mut self, bytes: impl AsRef<[u8]>) -> Self {
        let bytes = bytes.as_ref();
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
        self
    }

    /// Adds one field of this length from a reader.
    ///
    /// # Errors
    /// Of the reader.
    pub(crate) fn field_from(mut self, length: u64, bytes: impl io::Read) -> io::Result<Self> {
        self.0.update(&length.to_le_bytes());
        self.0.update_reader(bytes)?;
        Ok(self)
    }

    /// Adds every field of a sequence, and their number.
    #[must_use]
    pub fn fields<T: AsRef<[u8]>>(mut self, items: impl IntoIterator<Item = T>) -> Self {
        let mut count = 0_u64;
        for item in items {
            self = self.field(item);
            count += 1;
        }
        self.field(count.to_le_bytes())
    }

    /// The whole digest as 64 hexadecimal digits.
    pub fn hex(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }

    /// The whole digest.
    pub fn bytes(&self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }

    /// The first eight bytes as a number, for seeds.
    pub fn seed(&self) -> u64 {
        let hash = self.0.finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash.as_bytes()[..8]);
        u64::from_le_bytes(first)
    }
}

/// The id of a record: a short prefix that shows its kind, then 16 hexadecimal digits of a [`Digest`].
///
/// ```
/// use barecode_records::{Digest, Id};
/// let id = Id::new("f", &Digest::new("function").field("lib.c").field("int f(void);"));
/// assert_eq!(id.as_str().len(), 18);
/// assert!(id.as_str().starts_with("f-"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Id(String);

impl Id {
    /// Joins a prefix and the first 16 digits of a digest.
    pub fn new(prefix: &str, digest: &Digest) -> Self {
        let hex: String = digest.hex().chars().take(16).collect();
        Id(format!("{prefix}-{hex}"))
    }

    /// The id as text, as it is in every file.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for Id {
    fn from(text: String) -> Self {
        Id(text)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<[u8]> for Id {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}
