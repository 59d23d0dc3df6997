//! The files and settings of a folder that a program needs to write one like it.
//!
//! In comes a folder, out come the folder of the network's files, its configuration, and a flag for listed modules.
//!
//! This file opens no weights and builds no network.

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
    /// True if the folder has a `modules.json`, as sentence-transformers writes it.
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
