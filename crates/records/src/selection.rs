//! The selection of the functions of a dataset: the split of each, and the functions that are alike.

use serde::{Deserialize, Serialize};

use crate::{Digest, Id, Origin};

words! {
    /// The purpose of a part of a dataset, the scored one first. A repository is in one of them as a whole.
    pub enum Split {
        /// Retrievers answer its queries, and are scored.
        Test = "test",
        /// Models may learn from its pairs; nothing of it is retrieved or scored.
        Train = "train",
    }
}

/// A function among others that are nearly the same (`05-dataset/clusters.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClusterMember {
    /// `c-…`, from the ids of all members.
    pub cluster: Id,
    /// The unit.
    pub unit_id: Id,
    /// True if it represents all of them; the others are set aside.
    pub representative: bool,
    /// The Jaccard similarity of its shingles with those of the representative, in 0..=1. Below the threshold
    /// where the two are alike through other members only.
    pub similarity: f64,
    /// True if its tokens are those of the representative.
    pub exact: bool,
    /// The split of its repository.
    pub split: Split,
    /// Its origin.
    pub origin: Origin,
}

impl ClusterMember {
    /// The id of the cluster with these members.
    pub fn cluster_of<'a>(unit_ids: impl IntoIterator<Item = &'a Id>) -> Id {
        let mut unit_ids: Vec<&Id> = unit_ids.into_iter().collect();
        unit_ids.sort_unstable();
        Id::new("c", &Digest::new("cluster").fields(unit_ids))
    }
}
