//! The settings of a recipe for extraction.

use barecode_sources::{FileRule, SourceConfig};
use serde::{Deserialize, Serialize};

use crate::preprocess::headers::MoreHeaders;
use crate::scripts::Profile;

/// The `[extract]` part of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExtractConfig {
    /// Files larger than this many bytes are set aside.
    pub max_file_bytes: u64,
    /// Functions whose closure is larger than this many bytes are set aside.
    pub max_closure_bytes: u32,
    /// Functions whose closure has more items than this are set aside.
    pub max_closure_items: u32,
    /// Above this number of bytes in a closure, its helpers are prototypes.
    pub max_bytes_with_helpers: u32,
    /// True if headers that a build makes are read from their templates, filled in with the project's defaults.
    pub assume_headers: bool,
    /// True if comments that name their function (`\fn`) and pages of documentation are used for functions that have
    /// no comment before them.
    pub documentation: bool,
    /// The headers that units may include besides those of the lists.
    pub standard_headers: MoreHeaders,
    /// The rules by which comments of R scripts are paired with the code below them, in place of functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Profile>,
}

impl ExtractConfig {
    /// Sets the files that a source has to provide, before it is read: the published rules read every script, ours
    /// also documents and notebooks.
    pub fn prepare(&self, source: &mut SourceConfig) {
        match self.pairs {
            None => {}
            Some(Profile::Statements) => source.documents = true,
            Some(Profile::StatCodeSearch) => source.keep = FileRule::ALL.to_vec(),
        }
    }
}

impl ExtractConfig {
    /// The detail for a closure of this size, if it is larger than the recipe allows.
    pub(crate) fn refuses(&self, bytes: usize, items: usize) -> Option<String> {
        let is_too_large =
            bytes > self.max_closure_bytes as usize || items > self.max_closure_items as usize;
        is_too_large.then(|| self.reached(bytes, items))
    }

    pub(crate) fn reached(&self, bytes: usize, items: usize) -> String {
        format!(
            "reached {bytes} bytes in {items} items, the limits are {} and {}",
            self.max_closure_bytes, self.max_closure_items
        )
    }
}

impl Default for ExtractConfig {
    fn default() -> Self {
        ExtractConfig {
            max_file_bytes: 16 << 20,
            max_closure_bytes: 256 << 10,
            max_closure_items: 10_000,
            max_bytes_with_helpers: 64 << 10,
            assume_headers: true,
            documentation: true,
            standard_headers: MoreHeaders::default(),
            pairs: None,
        }
    }
}
