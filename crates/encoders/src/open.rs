//! A description of a model → the model from its folder.
//!
//! The settings of a table or a short form precede those of the folder's files and of the model's authors, which fill
//! the rest.

use std::path::Path;

use barecode_models::{Encoder, LocalModels, ModelError, ModelSpec, Reranker, Side};

use crate::{LocalEncoder, LocalOptions, LocalReranker, LocalTokens, published};

/// Loads models of `local:` and `hf:`; goes into [`Opening::local`](barecode_models::Opening::local).
///
/// ```no_run
/// use std::sync::Arc;
/// use barecode_encoders::Local;
/// use barecode_models::{Encoder, Opening, Side, open_encoder};
/// let mut opening = Opening::new()?;
/// opening.local = Some(Arc::new(Local));
/// let encoder = open_encoder(&"hf:intfloat/e5-base-v2".parse()?, &opening)?;
/// let vectors = encoder.encode(Side::Document, &["int f(void) { return 1; }"])?;
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Local;

impl LocalModels for Local {
    fn encoder(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError> {
        Ok(Box::new(LocalEncoder::load(
            folder,
            &LocalOptions::of(spec),
        )?))
    }

    fn reranker(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Reranker>, ModelError> {
        let longest = LocalOptions::of(spec).max_length;
        Ok(Box::new(LocalReranker::load(folder, longest)?))
    }

    fn count(
        &self,
        folder: &Path,
        spec: &ModelSpec,
        side: Side,
        texts: &[&str],
    ) -> Result<Vec<u32>, ModelError> {
        LocalTokens::load(folder, &LocalOptions::of(spec))?.count(side, texts)
    }

    fn revision(&self, repository: &str) -> Option<&'static str> {
        published(repository).and_then(|model| model.revision)
    }
}
