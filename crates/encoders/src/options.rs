//! How a local model is used, where that differs from what its files and its authors say.

use barecode_models::{ModelSpec, Pooling, Source};

use super::published::{Published, published};

/// How a model is used, where this differs from its files and its authors' advice.
///
/// What is `None` here comes from sentence-transformers' files in the folder, else from the table of published
/// models by `name`, else from the architecture.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LocalOptions {
    /// The name under which the model was published, such as `intfloat/e5-base-v2`.
    pub name: Option<String>,
    /// The revision, for the identity only.
    pub revision: Option<String>,
    /// How rows become a vector.
    pub pooling: Option<Pooling>,
    /// Whether vectors are brought to length 1.
    pub normalize: Option<bool>,
    /// What stands before a query.
    pub query_prompt: Option<String>,
    /// What stands before a document.
    pub document_prompt: Option<String>,
    /// Tokens that are read of a text, with those that the tokenizer adds; more than the model knows places for
    /// is cut to that.
    pub max_length: Option<usize>,
    /// Only the first so many numbers of a vector are kept, for models trained for it (Matryoshka).
    pub dimensions: Option<usize>,
    /// Whether a token sees what stands after it.
    pub both_ways: Option<bool>,
    /// A token that ends every text, where the tokenizer does not set it.
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

    /// What the model's authors use it with.
    pub(super) fn published(&self) -> Option<&'static Published> {
        self.name.as_deref().and_then(published)
    }
}
