//! How a folder's model is used: what a program needs that builds the network itself, such as one that trains it.
//!
//! In come a folder and options, out come where the network's files are, its configuration, and what follows the network.
//!
//! What this file does not do: it opens no weights and builds no network.

use std::path::{Path, PathBuf};

use barecode_models::{ModelError, Pooling};
use serde_json::{Map, Value};

use super::folder::{Folder, read_json};
use super::options::LocalOptions;

/// How a folder's model is used.
#[derive(Debug, Clone)]
pub struct Usage {
    /// The folder with `config.json`, `tokenizer.json` and `model.safetensors`.
    pub transformer: PathBuf,
    /// `config.json`.
    pub config: Map<String, Value>,
    /// How rows become a vector, where files, options or authors say it.
    pub pooling: Option<Pooling>,
    /// Dense layers behind the pooling.
    pub dense_layers: usize,
    /// Whether there is a `modules.json`, as sentence-transformers writes it.
    pub has_modules: bool,
}

impl Usage {
    /// Reads a folder's configuration.
    ///
    /// # Errors
    /// As [`LocalEncoder::load`](crate::LocalEncoder::load), as far as configurations are concerned.
    pub fn read(path: &Path, options: &LocalOptions) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let known = options.published();
        Ok(Usage {
            config: read_json(folder.config.path())?,
            pooling: options
                .pooling
                .or(folder.pooling)
                .or(known.map(|known| known.pooling)),
            dense_layers: folder.dense.len(),
            has_modules: folder.normalize.is_some(),
            transformer: folder.transformer,
        })
    }
}
