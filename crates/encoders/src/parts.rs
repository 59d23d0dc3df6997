//! The parts of a network: the one description of every architecture of this crate.
//!
//! A file named after an architecture turns a configuration and a checkpoint into [`Parts`]: the meaning of each
//! tensor, and the variant of each part. Two executors run them: the way forward (`network`, `attention`, `linear`,
//! `norm`) makes vectors, and `backward` trains. A tensor has an index: the order in which it was read from its
//! checkpoint. Training stores a gradient under the same index. Large matrices may stay in their file; the way
//! forward holds the others in memory in the layout of its products.
//!
//! The one hard thing is that norms have four positions and no architecture uses all of them: `x +
//! after(f(before(x)))`, then `between` over the sum.

use std::sync::Arc;

use barecode_models::Pooling;

use super::position::{Distance, Rotary};
use super::vector::Activation;
use super::weights::Tensor;

/// A network: embedding, layers, and a norm behind the last one.
pub(super) struct Parts {
    pub(super) embedding: Embedding,
    pub(super) layers: Vec<Layer>,
    pub(super) norm: Option<Norm>,
    pub(super) width: usize,
}

/// The numbers of a token before the first layer.
pub(super) struct Embedding {
    pub(super) words: Tensor,
    /// Learned positions, and the position of the first token.
    pub(super) places: Option<(Tensor, usize)>,
    /// Kinds of text: 0, or 1 for the second of a pair.
    pub(super) kinds: Option<Tensor>,
    pub(super) factor: Option<f32>,
    pub(super) norm: Option<Norm>,
}

/// Attention, then feed-forward.
pub(super) struct Layer {
    pub(super) attention: Attention,
    pub(super) attention_norms: Norms,
    pub(super) feed_forward: FeedForward,
    pub(super) feed_forward_norms: Norms,
}

/// The norms around attention or a feed-forward part.
#[derive(Default)]
pub(super) struct Norms {
    pub(super) before: Option<Norm>,
    pub(super) after: Option<Norm>,
    pub(super) between: Option<Norm>,
}

/// A norm with its weights.
pub(super) struct Norm {
    pub(super) kind: NormKind,
    pub(super) weight: Vector,
    pub(super) bias: Option<Vector>,
    pub(super) epsilon: f32,
}

/// The measure of a row's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NormKind {
    /// By mean and variance.
    Layer,
    /// By the mean square.
    RootMeanSquare,
}

/// A tensor with one length, in memory.
pub(super) struct Vector {
    pub(super) place: usize,
    pub(super) values: Vec<f32>,
}

/// One attention layer.
pub(super) struct Attention {
    /// To queries, keys and values, in this order, head by head.
    pub(super) project: Linear,
    pub(super) output: Linear,
    pub(super) heads: usize,
    /// Heads of keys and values; several heads of queries may share one.
    pub(super) key_heads: usize,
    /// Numbers a head.
    pub(super) size: usize,
    /// Scores are multiplied by it.
    pub(super) factor: f32,
    pub(super) sight: Sight,
    /// Scores are pressed into (-cap, cap).
    pub(super) cap: Option<f32>,
    pub(super) rotary: Option<Arc<Rotary>>,
    pub(super) distance: Option<Arc<Distance>>,
    /// Norms of queries and of keys: over each head, or over all of them, by the norm's width.
    pub(super) query_norm: Option<Norm>,
    pub(super) key_norm: Option<Norm>,
}

/// The keys that a query looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sight {
    /// Only itself and the tokens before it.
    pub(super) causal: bool,
    /// At most this many steps away.
    pub(super) reach: Option<usize>,
}

/// The part of a layer that looks at each token alone.
pub(super) struct FeedForward {
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) activation: Activation,
    pub(super) gate: Gate,
}

/// The form of the numbers between `up` and `down`: a product of two halves or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// Not a product.
    None,
    /// A product, and the first half is activated.
    First,
    /// A product, and the second half is activated.
    Second,
}

/// A layer `y = W x + b`, put together from tensors with the same inputs; their outputs follow one another.
pub(super) struct Linear {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) layout: Layout,
    pub(super) pieces: Vec<Piece>,
    /// The whole matrix input by input, if it is held in memory.
    pub(super) held: Option<Vec<f32>>,
    pub(super) bias: Option<Vec<f32>>,
}

/// One of the tensors of a [`Linear`].
pub(super) struct Piece {
    pub(super) weight: Tensor,
    /// The index of its bias.
    pub(super) bias: Option<usize>,
    pub(super) outputs: usize,
}

/// The layout of a matrix in its tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Output by output, as in `torch.nn.Linear`.
    Outputs,
    /// Input by input, as in GPT-2's `Conv1D`.
    Inputs,
}

impl Embedding {
    /// Words alone.
    pub(super) fn of(words: Tensor) -> Self {
        Embedding {
            words,
            places: None,
            kinds: None,
            factor: None,
            norm: None,
        }
    }
}

impl Norms {
    /// One before the part.
    pub(super) fn before(norm: Norm) -> Self {
        Norms {
            before: Some(norm),
            ..Norms::default()
        }
    }

    /// One over the sum.
    pub(super) fn between(norm: Norm) -> Self {
        Norms {
            between: Some(norm),
            ..Norms::default()
        }
    }
}

impl Attention {
    /// Every token sees all of its text; heads of keys and queries have the same number; scores over the root of the
    /// size.
    pub(super) fn plain(project: Linear, output: Linear, heads: usize, size: usize) -> Self {
        Attention {
            project,
            output,
            heads,
            key_heads: heads,
            size,
            factor: 1.0 / (size as f32).sqrt(),
            sight: Sight::ALL,
            cap: None,
            rotary: None,
            distance: None,
            query_norm: None,
            key_norm: None,
        }
    }
}

impl Sight {
    /// All of the text.
    pub(super) const ALL: Sight = Sight {
        causal: false,
        reach: None,
    };
}

/// The head that makes a score of the rows of a pair.
pub(super) struct Head {
    /// True if the model distinguishes the second text of a pair by the kind of its tokens.
    pub(super) kinds: bool,
    pub(super) pooling: Pooling,
    pub(super) dense: Linear,
    pub(super) activation: Activation,
    pub(super) norm: Option<Norm>,
    pub(super) output: Linear,
}
