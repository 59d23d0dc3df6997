//! A description of a model → the model from its folder.
//!
//! What a table or a short form says goes before what the folder's files and the model's authors say; what it does not
//! say is left to them.

use std::path::Path;

use barecode_models::{Encoder, LocalModels, ModelError, ModelSpec, Reranker, Side, Source};
use serde_json::Value;

use crate::{LocalEncoder, LocalOptions, LocalReranker, LocalTokens, Pooling, published};

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
#[derive(Debug, Clone, Copy, Default)]
pub struct Local;

impl LocalModels for Local {
    fn encoder(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError> {
        let options = LocalOptions::of(spec)?;
        Ok(Box::new(LocalEncoder::load(folder, &options)?))
    }

    fn reranker(&self, folder: &Path, spec: &ModelSpec) -> Result<Box<dyn Reranker>, ModelError> {
        let longest = spec.max_length.map(|length| length as usize);
        Ok(Box::new(LocalReranker::load(folder, longest)?))
    }

    fn count(
        &self,
        folder: &Path,
        spec: &ModelSpec,
        side: Side,
        texts: &[&str],
    ) -> Result<Vec<u32>, ModelError> {
        LocalTokens::load(folder, &LocalOptions::of(spec)?)?.count(side, texts)
    }

    fn revision(&self, repository: &str) -> Option<&'static str> {
        published(repository).and_then(|model| model.revision)
    }
}

impl LocalOptions {
    /// The options of a `local:` or `hf:` model.
    ///
    /// ```
    /// use barecode_encoders::LocalOptions;
    /// use barecode_models::ModelSpec;
    /// let spec: ModelSpec = "hf:intfloat/e5-base-v2@main".parse()?;
    /// assert_eq!(LocalOptions::of(&spec)?.name.as_deref(), Some("intfloat/e5-base-v2"));
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// Where its pooling is none that is known.
    pub fn of(spec: &ModelSpec) -> Result<Self, ModelError> {
        // Only a name of the hub is a published one; a folder may be called anything.
        let name = match &spec.source {
            Source::Hub(name) => name.split('@').next().map(str::to_owned),
            _ => None,
        };
        Ok(LocalOptions {
            name,
            revision: spec.revision.clone(),
            pooling: spec.pooling.as_deref().map(pooling).transpose()?,
            normalize: spec.normalize,
            query_prompt: spec.query_prompt.clone(),
            document_prompt: spec.document_prompt.clone(),
            max_length: spec.max_length.map(|length| length as usize),
            dimensions: spec.dimensions.map(|numbers| numbers as usize),
            ..LocalOptions::default()
        })
    }
}

fn pooling(name: &str) -> Result<Pooling, ModelError> {
    serde_json::from_value(Value::from(name)).map_err(|_| ModelError::Unusable {
        message: format!("unknown pooling `{name}`"),
        hint: Some("it is first, mean, max, last, mean-root or weighted-mean".to_owned()),
    })
}
