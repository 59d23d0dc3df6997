//! A local model as an [`Encoder`]: texts to vectors, on all threads of the pool it is called in.
//!
//! In come texts, out come their vectors with the tokens that were read.
//!
//! This file stores no vectors; the cache does.

use std::path::Path;

use barecode_models::{Embeddings, Encoder, ModelError, Pooling, Side};
use barecode_records::Digest;
use barecode_tokens::Ids;

use super::architecture;
use super::engine::Engine;
use super::folder::{DenseFiles, Folder};
use super::linear::{Bias, Rows};
use super::network::Buffers;
use super::options::LocalOptions;
use super::parts::{Layout, Linear};
use super::texts::LocalTokens;
use super::unusable;
use super::vector::{Activation, normalize};
use super::weights::Weights;

/// A dense layer behind the pooling.
struct Dense {
    linear: Linear,
    activation: Activation,
}

/// An encoder with weights from a folder, computing in 32-bit floats.
pub struct LocalEncoder {
    identity: String,
    texts: LocalTokens,
    engine: Engine,
    pooling: Pooling,
    dense: Vec<Dense>,
    normalize: bool,
    dimensions: usize,
}

impl LocalEncoder {
    /// Loads a model.
    ///
    /// ```no_run
    /// use barecode_encoders::{LocalEncoder, LocalOptions};
    /// use barecode_models::{Encoder, Side};
    /// let options = LocalOptions { max_length: Some(128), ..LocalOptions::default() };
    /// let encoder = LocalEncoder::load("models/all-MiniLM-L6-v2".as_ref(), &options)?;
    /// let vectors = encoder.encode(Side::Document, &["int add(int a, int b) { return a + b; }"])?;
    /// assert_eq!(vectors.dimensions, 384);
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// A file that is missing or broken, an architecture that is not known, tensors that are missing, left over
    /// or of another shape than in `config.json`, a tokenizer with more ids than the model has tokens.
    pub fn load(path: &Path, options: &LocalOptions) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let known = options.published();
        let both_ways = options
            .both_ways
            .or(known.and_then(|known| known.both_ways));
        let mut weights = Weights::open(&folder.transformer)?;
        let loaded = architecture::load(&folder.config, &mut weights, both_ways)?;
        weights.finish(loaded.harmless)?;
        let texts = LocalTokens::of(&folder, options)?;
        let mut digest = weights.digest();
        let pooling = options
            .pooling
            .or(folder.pooling)
            .or(known.map(|known| known.pooling))
            .unwrap_or(loaded.pooling);
        let mut width = loaded.parts.width;
        let mut dense = Vec::new();
        if let Some(linear) = loaded.projection {
            width = linear.outputs;
            dense.push(Dense {
                linear,
                activation: Activation::Identity,
            });
        }
        for files in &folder.dense {
            let (layer, part) = Dense::load(files, width)?;
            digest = digest.field(part.hex());
            dense.push(layer);
            width = files.outputs;
        }
        let dimensions = match options.dimensions {
            Some(wanted) if wanted == 0 || wanted > width => {
                return Err(unusable(
                    format!(
                        "{wanted} dimensions of `{}` are wanted, it has {width}",
                        path.display()
                    ),
                    None,
                ));
            }
            Some(wanted) => wanted,
            None => width,
        };
        let mut encoder = LocalEncoder {
            identity: String::new(),
            texts,
            engine: Engine::new(loaded.parts, pooling, false),
            pooling,
            dense,
            normalize: options
                .normalize
                .or(folder.normalize)
                .or(known.map(|known| known.normalize))
                .unwrap_or(true),
            dimensions,
        };
        let weights = digest.field(encoder.texts.tokens.digest()).hex();
        let around = format!("{} {both_ways:?}", encoder.texts.around);
        encoder.identity = encoder.describe(path, &weights, &around, options);
        Ok(encoder)
    }

    /// Length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Everything that a vector depends on, in words.
    fn describe(&self, path: &Path, weights: &str, around: &str, options: &LocalOptions) -> String {
        let name = match &options.name {
            Some(name) => name.clone(),
            None => path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        };
        let settings = Digest::new("local encoder")
            .field(weights)
            .field(self.pooling.name())
            .field([u8::from(self.normalize), u8::from(self.texts.lower_case)])
            .field(&self.texts.query_prompt)
            .field(&self.texts.document_prompt)
            .field(self.texts.longest.to_le_bytes())
            .field(self.dimensions.to_le_bytes())
            .field(around)
            .hex();
        let short = |hex: &str| hex.chars().take(16).collect::<String>();
        format!(
            "local:{name}@{} weights={} {} {} tokens={} dimensions={} f32 settings={}",
            options.revision.as_deref().unwrap_or("unknown"),
            short(weights),
            self.pooling.name(),
            if self.normalize {
                "normalized"
            } else {
                "as-computed"
            },
            self.texts.longest,
            self.dimensions,
            short(&settings),
        )
    }

    /// The vectors of some texts, of their pooled rows.
    fn finish(&self, mut pooled: Rows, buffers: &mut Buffers) -> Vec<f32> {
        for dense in &self.dense {
            let mut next = Rows::default();
            dense.linear.apply(&pooled, &mut next, &mut buffers.band);
            dense.activation.apply(next.all_mut());
            pooled = next;
        }
        let mut vectors = Vec::with_capacity(pooled.count * self.dimensions);
        for row in pooled.all().chunks_exact(pooled.width) {
            let start = vectors.len();
            vectors.extend_from_slice(&row[..self.dimensions]);
            if self.normalize {
                normalize(&mut vectors[start..]);
            }
        }
        vectors
    }
}

impl Encoder for LocalEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    /// A text without a token has a vector of zeros. Only tokenizers that add no tokens make one, of an empty text.
    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let ids = self.texts.ids(side, texts)?;
        let values = self.engine.run(&ids, self.dimensions, |pooled, buffers| {
            self.finish(pooled, buffers)
        });
        Ok(Embeddings {
            dimensions: self.dimensions,
            values,
            tokens: ids.iter().map(Ids::count).collect(),
            truncated: ids.iter().map(|text| text.truncated).collect(),
        })
    }
}

impl Dense {
    fn load(files: &DenseFiles, width: usize) -> Result<(Self, Digest), ModelError> {
        let mut weights = Weights::open_file(&files.weights)?;
        if files.inputs != width {
            return Err(unusable(
                format!(
                    "`{}` takes {} numbers, it is given {width}",
                    files.weights.display(),
                    files.inputs
                ),
                None,
            ));
        }
        let bias = Bias::when(files.bias);
        let linear = Linear::load(
            &mut weights,
            "linear",
            width,
            files.outputs,
            bias,
            Layout::Outputs,
        )?;
        weights.finish(&[])?;
        Ok((
            Dense {
                linear,
                activation: files.activation,
            },
            weights.digest(),
        ))
    }
}
