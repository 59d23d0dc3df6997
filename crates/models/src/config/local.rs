//! A description of a model → how its folder is used.
//!
//! What a table or a short form says goes before what the folder's files and the model's authors say; what it does not
//! say is left to them.

use serde_json::Value;

use super::{ModelSpec, Source};
use crate::{LocalOptions, ModelError, Pooling};

impl LocalOptions {
    /// The options of a `local:` or `hf:` model.
    ///
    /// ```
    /// use barecode_models::{LocalOptions, ModelSpec};
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
