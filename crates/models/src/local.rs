//! The interface for local models: the use of a model from a folder.
//!
//! `barecode-encoders` implements it with networks; tests implement it with stand-ins. This crate
//! finds folders, by path or on the hub, and never looks at weights.

use std::path::Path;

use crate::{Encoder, ModelError, ModelSpec, Reranker, Side};

/// Loads models from folders.
pub trait LocalModels: Send + Sync {
    /// The embedding model in a folder, used according to its description.
    ///
    /// # Errors
    /// If the folder has no such model, or one that cannot be used like this.
    fn encoder(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError>;

    /// The reranker in a folder.
    ///
    /// # Errors
    /// As [`LocalModels::encoder`].
    fn reranker(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Reranker>, ModelError>;

    /// Tokens that the model would read of each text; no weights are loaded for it.
    ///
    /// # Errors
    /// If the folder has no tokenizer that fits.
    fn count(
        &self,
        folder: &Path,
        spec: &ModelSpec,
        side: Side,
        texts: &[&str],
    ) -> Result<Vec<u32>, ModelError>;

    /// The revision of a repository of the hub that has its weights in a form that can be loaded, if that is another
    /// than `main`.
    fn revision(&self, repository: &str) -> Option<&'static str>;
}
