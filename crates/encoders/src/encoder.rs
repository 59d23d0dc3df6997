//! A local model as an [`Encoder`]: texts to vectors, on all threads of the pool it is called in.
//!
//! In come texts, out come their vectors with the tokens that were read.
//! The one hard thing is to keep every core busy with texts of very different length: texts are sorted by length
//! and concatenated up to a budget of tokens, longest first, and each such pack is one thread's work.
//! Which texts share a pack changes no bit of a vector.
//!
//! What this file does not do: it keeps no vectors; the cache does.

use std::path::Path;
use std::sync::Mutex;

use barecode_records::Digest;
use rayon::prelude::*;

use super::architecture;
use super::folder::{DenseFiles, Folder};
use super::linear::{Bias, Layout, Linear, Rows};
use super::network::{Desk, Network};
use super::pooling::Pooling;
use super::published::published;
use super::tokens::{Ids, Tokens};
use super::unusable;
use super::vector::{Activation, normalize};
use super::weights::Weights;
use barecode_models::{Embeddings, Encoder, ModelError, Side};

/// Tokens that are worked on together, unless one text has more.
pub(super) const PACK: usize = 1024;

/// How a model is used, where it shall differ from what its files and its authors say.
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

/// A dense layer behind the pooling.
struct Dense {
    linear: Linear,
    activation: Activation,
}

/// An encoder with weights from a folder, computing in 32-bit floats.
pub struct LocalEncoder {
    identity: String,
    tokens: Tokens,
    network: Network,
    pooling: Pooling,
    dense: Vec<Dense>,
    normalize: bool,
    dimensions: usize,
    lower_case: bool,
    query_prompt: String,
    document_prompt: String,
    desks: Mutex<Vec<Desk>>,
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
    /// or of another shape than `config.json` says, a tokenizer with more ids than the model has tokens.
    pub fn load(path: &Path, options: &LocalOptions) -> Result<Self, ModelError> {
        let folder = Folder::read(path)?;
        let known = options.name.as_deref().and_then(published);
        let both_ways = options
            .both_ways
            .or(known.and_then(|known| known.both_ways));
        let mut weights = Weights::open(&folder.transformer)?;
        let loaded = architecture::load(&folder.config, &mut weights, both_ways)?;
        weights.finish(loaded.harmless)?;
        let network = loaded.network;
        let longest = options
            .max_length
            .or(folder.max_length)
            .or(known.map(|known| known.max_length))
            .unwrap_or(network.longest)
            .min(network.longest);
        let start = known.map_or(&[][..], |known| known.start);
        let end = options.end.as_deref().or(known.and_then(|known| known.end));
        let tokens = Tokens::read(&folder.transformer, network.vocabulary, longest, start, end)?;
        let mut digest = weights.digest();
        let tokenizer = tokens.digest().to_owned();
        let pooling = options
            .pooling
            .or(folder.pooling)
            .or(known.map(|known| known.pooling))
            .unwrap_or(loaded.pooling);
        let prompt = |own: &Option<String>, file: Option<String>, known: Option<&'static str>| {
            own.clone()
                .or(file)
                .or(known.map(str::to_owned))
                .unwrap_or_default()
        };
        let query_prompt = prompt(
            &options.query_prompt,
            folder.query_prompt,
            known.map(|known| known.query_prompt),
        );
        let document_prompt = prompt(
            &options.document_prompt,
            folder.document_prompt,
            known.map(|known| known.document_prompt),
        );
        let mut width = network.width;
        let mut dense = Vec::new();
        if let Some(linear) = loaded.head {
            width = linear.outputs();
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
            tokens,
            network,
            pooling,
            dense,
            normalize: options
                .normalize
                .or(folder.normalize)
                .or(known.map(|known| known.normalize))
                .unwrap_or(true),
            dimensions,
            lower_case: folder.lower_case,
            query_prompt,
            document_prompt,
            desks: Mutex::default(),
        };
        let around = format!("{start:?} {end:?} {both_ways:?}");
        encoder.identity = encoder.describe(
            path,
            &digest.field(tokenizer).hex(),
            longest,
            &around,
            options,
        );
        Ok(encoder)
    }

    /// Length of every vector.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Everything that a vector depends on, in words.
    fn describe(
        &self,
        path: &Path,
        weights: &str,
        longest: usize,
        around: &str,
        options: &LocalOptions,
    ) -> String {
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
            .field([u8::from(self.normalize), u8::from(self.lower_case)])
            .field(&self.query_prompt)
            .field(&self.document_prompt)
            .field(longest.to_le_bytes())
            .field(self.dimensions.to_le_bytes())
            .field(around)
            .hex();
        let short = |hex: &str| hex.chars().take(16).collect::<String>();
        format!(
            "local:{name}@{} weights={} {} {} tokens={longest} dimensions={} f32 settings={}",
            options.revision.as_deref().unwrap_or("unknown"),
            short(weights),
            self.pooling.name(),
            if self.normalize {
                "normalized"
            } else {
                "as-computed"
            },
            self.dimensions,
            short(&settings),
        )
    }

    /// The ids of every text, behind its prompt.
    fn ids(&self, side: Side, texts: &[&str]) -> Result<Vec<Ids>, ModelError> {
        let prompt = match side {
            Side::Query => &self.query_prompt,
            Side::Document => &self.document_prompt,
        };
        texts
            .par_iter()
            .map(|text| {
                if prompt.is_empty() && !self.lower_case {
                    return self.tokens.ids(text);
                }
                let text = format!("{prompt}{text}");
                if self.lower_case {
                    self.tokens.ids(&text.to_lowercase())
                } else {
                    self.tokens.ids(&text)
                }
            })
            .collect()
    }

    /// The vectors of some texts, one after another.
    fn run(&self, texts: &[&Ids], desk: &mut Desk) -> Vec<f32> {
        let ids: Vec<u32> = texts
            .iter()
            .flat_map(|text| text.ids.iter().copied())
            .collect();
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let width = self.network.width;
        let rows = self.network.run(&ids, None, &lengths, desk).all();
        let mut pooled = Rows::default();
        pooled.reshape(texts.len(), width);
        let mut rest = rows;
        for (length, vector) in lengths
            .into_iter()
            .zip(pooled.all_mut().chunks_exact_mut(width))
        {
            let (text, others) = rest.split_at(length * width);
            self.pooling.apply(text, vector);
            rest = others;
        }
        for dense in &self.dense {
            let mut next = Rows::default();
            dense.linear.apply(&pooled, &mut next, &mut desk.band);
            dense.activation.apply(next.all_mut());
            pooled = next;
        }
        let mut vectors = Vec::with_capacity(texts.len() * self.dimensions);
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

    /// A text without a token, which only tokenizers that add none leave of an empty text, has a vector of zeros.
    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        let ids = self.ids(side, texts)?;
        let packs = packs(&ids, rayon::current_num_threads(), PACK);
        let parts: Vec<Vec<f32>> = packs
            .par_iter()
            .with_max_len(1)
            .map(|pack| {
                let mut desk = self
                    .desks
                    .lock()
                    .ok()
                    .and_then(|mut desks| desks.pop())
                    .unwrap_or_default();
                let texts: Vec<&Ids> = pack.iter().map(|&text| &ids[text]).collect();
                let vectors = self.run(&texts, &mut desk);
                if let Ok(mut desks) = self.desks.lock() {
                    desks.push(desk);
                }
                vectors
            })
            .collect();
        let mut values = vec![0.0; texts.len() * self.dimensions];
        for (pack, vectors) in packs.iter().zip(&parts) {
            for (&text, vector) in pack.iter().zip(vectors.chunks_exact(self.dimensions)) {
                values[text * self.dimensions..(text + 1) * self.dimensions]
                    .copy_from_slice(vector);
            }
        }
        Ok(Embeddings {
            dimensions: self.dimensions,
            values,
            tokens: ids
                .iter()
                .map(|text| u32::try_from(text.ids.len()).unwrap_or(u32::MAX))
                .collect(),
            truncated: ids.iter().map(|text| text.truncated).collect(),
        })
    }
}

/// Which texts are worked on together: sorted by length, longest first, up to `most` tokens.
pub(super) fn packs(ids: &[Ids], threads: usize, most: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..ids.len())
        .filter(|&text| !ids[text].ids.is_empty())
        .collect();
    order.sort_by_key(|&text| std::cmp::Reverse(ids[text].ids.len()));
    let total: usize = ids.iter().map(|text| text.ids.len()).sum();
    let budget = (total / threads.max(1)).clamp(64, most.max(64));
    let mut packs: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for text in order {
        let length = ids[text].ids.len();
        match packs.last_mut() {
            Some(pack) if length <= room => {
                pack.push(text);
                room -= length;
            }
            _ => {
                packs.push(vec![text]);
                room = budget.saturating_sub(length);
            }
        }
    }
    packs
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
