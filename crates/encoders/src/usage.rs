//! What a program needs of a folder to write one like it.
//!
//! In comes a folder, out come where the network's files are, its configuration, and whether modules are listed.
//!
//! What this file does not do: it opens no weights and builds no network.

use std::path::{Path, PathBuf};

use barecode_models::ModelError;
use serde_json::{Map, Value};

use super::folder::{Folder, read_json};

/// The files of a folder.
#[derive(Debug, Clone)]
pub struct Usage {
    /// The folder with `config.json`, `tokenizer.json` and `model.safetensors`.
    pub transformer: PathBuf,
    /// `config.json`.
    pub config: Map<String, Value>,
    /// Whether there is a `modules.json`, as sentence-transformers writes it.
    pub has_modules: bool,
}

impl Usage {
    /// Reads a folder's configuration.
    ///
    /// # Errors
    /// As [`LocalEncoder::load`](crate::LocalEncoder::load), as far as configurations are concerned.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        Ok(Usage {
            config: read_json(folder.config.path())?,
            has_modules: folder.normalize.is_some(),
            transformer: folder.transformer,
        })
    }
}
