//! The use of a local model, if it differs from its files and from its authors' advice.

use barecode_models::{ModelSpec, Pooling, Source};

use super::published::{Published, published};

/// The use of a model, if it differs from its files and from its authors' advice.
///
/// A setting that is `None` comes from sentence-transformers' files in the folder, else from the table of published
/// models by `name`, else from the architecture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalOptions {
    /// The name under which the model was published, such as `intfloat/e5-base-v2`.
    pub name: Option<String>,
    /// The revision, for the identity only.
    pub revision: Option<String>,
    /// The pooling of rows into a vector.
    pub pooling: Option<Pooling>,
    /// True if vectors are brought to length 1.
    pub normalize: Option<bool>,
    /// The text before a query.
    pub query_prompt: Option<String>,
    /// The text before a document.
    pub document_prompt: Option<String>,
    /// Tokens that are read of a text, with those that the tokenizer adds; at most the positions of the model.
    pub max_length: Option<usize>,
    /// The first numbers of a vector that are kept, for models trained for it (Matryoshka).
    pub dimensions: Option<usize>,
    /// True if a token sees the tokens after it.
    pub both_ways: Option<bool>,
    /// A token that ends every text, if the tokenizer does not set it.
    pub end: Option<String>,
}

impl LocalOptions {
    /// The options of a `local:` or `hf:` model.
    ///
    /// ```
    /// use barecode_encoders::LocalOptions;
    /// use barecode_models::ModelSpec;
    /// let spec: ModelSpec = "hf:intfloat/e5-base-v2@main".parse()?;
    /// assert_eq!(LocalOptions::of(&spec).name.as_deref(), Some("intfloat/e5-base-v2"));
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    pub fn of(spec: &ModelSpec) -> Self {
        // Only a name of the hub is a published one; a folder may be called anything.
        let name = match &spec.source {
            Source::Hub(name) => name.split('@').next().map(str::to_owned),
            _ => None,
        };
        LocalOptions {
            name,
            revision: spec.revision.clone(),
            pooling: spec.pooling,
            normalize: spec.normalize,
            query_prompt: spec.query_prompt.clone(),
            document_prompt: spec.document_prompt.clone(),
            max_length: spec.max_length.map(|length| length as usize),
            dimensions: spec.dimensions.map(|numbers| numbers as usize),
            ..LocalOptions::default()
        }
    }

    /// The settings that the model's authors recommend.
    pub(super) fn published(&self) -> Option<&'static Published> {
        self.name.as_deref().and_then(published)
    }
}
