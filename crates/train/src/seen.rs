//! The texts that a model was trained on, as digests: `seen.txt` in its folder.
//!
//! Enters: pairs. Leaves: a line for each text, in order. With it a user who scores the model can count the texts of
//! a benchmark that the model has seen, but cannot read the texts. Anchors are compared up to white space, the others
//! by their tokens, both as they were before they were described. A model that is tuned again has seen what it had
//! seen before.

use std::collections::BTreeSet;
use std::path::Path;

use barecode_corpus::duplicates::token_digest;
use barecode_records::{Digest, guarded};

use crate::exclude::squeezed;
use crate::pairs::{Pair, Pairs};

/// The file's name.
pub(crate) const SEEN: &str = "seen.txt";

/// Hexadecimal digits of a line.
const DIGITS: usize = 16;

/// The texts that a model has seen.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen(BTreeSet<String>);

impl Seen {
    /// All texts of pairs, those of the dev split too: they decide which weights are written.
    pub(crate) fn of(pairs: &Pairs) -> Self {
        let texts = |pair: &Pair| {
            let code = [&pair.positive].into_iter().chain(&pair.negatives);
            let code = code.map(|text| document(text));
            code.chain([query(&pair.anchor)]).collect::<Vec<_>>()
        };
        Seen(
            pairs
                .train
                .iter()
                .chain(&pairs.dev)
                .flat_map(texts)
                .collect(),
        )
    }

    /// The texts that the model of a folder has seen; `None` for a model that was not trained by barecode.
    pub fn read(folder: &Path) -> Option<Self> {
        let lines = guarded::text(folder.join(SEEN)).ok()?;
        Some(Seen(lines.lines().map(str::to_owned).collect()))
    }

    /// Both together.
    pub(crate) fn and(mut self, other: Option<Seen>) -> Self {
        self.0.extend(other.unwrap_or_default().0);
        self
    }

    /// The content of the file.
    pub(crate) fn lines(&self) -> String {
        self.0.iter().flat_map(|line| [line, "\n"]).collect()
    }

    /// Returns `true` if a query was seen.
    pub fn has_query(&self, text: &str) -> bool {
        self.0.contains(&query(text))
    }

    /// Returns `true` if a document was seen.
    pub fn has_document(&self, text: &str) -> bool {
        self.0.contains(&document(text))
    }
}

fn query(text: &str) -> String {
    let digest = Digest::new("query").field(squeezed(text)).hex();
    digest.chars().take(DIGITS).collect()
}

fn document(text: &str) -> String {
    token_digest(text).chars().take(DIGITS).collect()
}
