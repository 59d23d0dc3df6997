//! The documents that compete for each query in one draw.

use barecode_records::Digest;

/// The candidates of one draw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Drawn {
    /// All documents.
    Everyone,
    /// For each query some documents, by index from first to last.
    Candidates(Vec<Vec<usize>>),
}

impl Drawn {
    /// Returns `true` if a document is a candidate of a query.
    pub fn has(&self, query: usize, document: usize) -> bool {
        match self {
            Drawn::Everyone => true,
            Drawn::Candidates(candidates) => candidates[query].binary_search(&document).is_ok(),
        }
    }

    pub(crate) fn add_to(&self, digest: Digest) -> Digest {
        match self {
            Drawn::Everyone => digest.field("everyone"),
            Drawn::Candidates(candidates) => {
                let of_query = |own: &Vec<usize>| {
                    let own = own.iter().map(|&document| (document as u64).to_le_bytes());
                    Digest::new("candidates").fields(own).bytes()
                };
                digest.fields(candidates.iter().map(of_query))
            }
        }
    }
}
