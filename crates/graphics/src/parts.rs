//! What a network is put together from, as plain data: which tensor is what, and which of the field's variants a part is.
//!
//! A tensor is named by its place in the list that comes with the parts, so that who trains knows which gradient is whose.
//! The variants are those that `barecode-encoders` computes on the processor; it says where each is from.

use std::fmt;
use std::sync::Arc;

use barecode_models::Pooling;

/// A tensor's place in the list.
pub type Place = usize;

/// A tensor on the processor, row by row; a vector is one row.
#[derive(Debug, Clone)]
pub struct Numbers {
    /// Rows and columns.
    pub shape: [usize; 2],
    /// As many numbers as both say.
    pub values: Vec<f32>,
}

/// A network: embedding, layers, a norm behind the last one, and how rows become a vector.
#[derive(Debug, Clone)]
pub struct Parts {
    /// What a token is before the first layer.
    pub embedding: Embedding,
    /// In their order.
    pub layers: Vec<Layer>,
    /// Behind the last layer.
    pub norm: Option<Norm>,
    /// How rows become a vector.
    pub pooling: Pooling,
    /// Whether vectors are brought to length 1.
    pub normalize: bool,
}

/// What a token is before the first layer.
#[derive(Debug, Clone)]
pub struct Embedding {
    /// A row for each id.
    pub words: Place,
    /// A row for each place, and the place of a text's first token.
    pub places: Option<(Place, usize)>,
    /// A row for each kind.
    pub kinds: Option<Place>,
    /// What the rows of words are multiplied by.
    pub factor: Option<f32>,
    /// Over the sum.
    pub norm: Option<Norm>,
}

/// A norm over rows.
#[derive(Debug, Clone)]
pub struct Norm {
    /// What a row's size is.
    pub kind: NormKind,
    /// A factor for each column.
    pub weight: Place,
    /// A summand for each column.
    pub bias: Option<Place>,
    /// What is added to the mean of squares.
    pub epsilon: f32,
}

/// What a row's size is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NormKind {
    /// By mean and variance.
    Layer,
    /// By the mean square.
    RootMeanSquare,
}

/// How a matrix lies in its tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// A row for each output.
    Outputs,
    /// A row for each input.
    Inputs,
}

/// Dense layers with the same inputs, whose outputs stand one after another.
#[derive(Debug, Clone)]
pub struct Linear {
    /// Weights, and the biases of those that have one.
    pub parts: Vec<(Place, Option<Place>)>,
    /// How all of them lie.
    pub layout: Layout,
}

/// The norms around attention or a feed-forward part: `between(x + after(f(before(x))))`.
#[derive(Debug, Clone, Default)]
pub struct Norms {
    /// Of what the part is given.
    pub before: Option<Norm>,
    /// Of what it answers.
    pub after: Option<Norm>,
    /// Of the sum.
    pub between: Option<Norm>,
}

/// Attention, then feed-forward.
#[derive(Debug, Clone)]
pub struct Layer {
    /// The part where tokens see each other.
    pub attention: Attention,
    /// Around it.
    pub attention_norms: Norms,
    /// The part that sees each token alone.
    pub feed_forward: FeedForward,
    /// Around it.
    pub feed_forward_norms: Norms,
}

/// One attention layer.
#[derive(Debug, Clone)]
pub struct Attention {
    /// To queries, keys and values, in this order, head by head: one dense layer or three.
    pub project: Linear,
    /// From all heads.
    pub output: Linear,
    /// Heads of queries.
    pub heads: usize,
    /// Heads of keys and values; they divide those of queries.
    pub key_heads: usize,
    /// Numbers a head.
    pub size: usize,
    /// What scores are multiplied by.
    pub factor: f32,
    /// Whether a token sees only itself and what stands before it.
    pub causal: bool,
    /// How many steps away it sees.
    pub reach: Option<usize>,
    /// What scores are pressed into, on both sides of 0.
    pub cap: Option<f32>,
    /// Turns queries and keys.
    pub rotary: Option<Rotary>,
    /// Is added to scores.
    pub distance: Option<Distances>,
    /// Over each head of queries, or over all of them, by its width.
    pub query_norm: Option<Norm>,
    /// The same for keys.
    pub key_norm: Option<Norm>,
}

/// Rotary positions.
#[derive(Debug, Clone)]
pub struct Rotary {
    /// Numbers of a head that are turned, from its first on.
    pub width: usize,
    /// A row for each place: `width / 2` cosines, then as many sines.
    pub table: Place,
}

/// What is added to the score of two tokens, by how far apart they stand.
#[derive(Clone)]
pub struct Distances {
    /// For a head and a length, the numbers for the distances `1 - length ..= length - 1`, key less query.
    pub line: Arc<dyn Fn(usize, usize) -> Vec<f32> + Send + Sync>,
}

impl fmt::Debug for Distances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Distances")
    }
}

/// The part of a layer that sees each token alone.
#[derive(Debug, Clone)]
pub struct FeedForward {
    /// To the inner width, twice that with a gate.
    pub up: Linear,
    /// And back.
    pub down: Linear,
    /// Between them.
    pub activation: Activation,
    /// Whether the inner numbers are a product of two halves.
    pub gate: Gate,
}

/// Whether the numbers between `up` and `down` are a product of two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// They are not.
    None,
    /// They are, and the first half is activated.
    First,
    /// They are, and the second half is activated.
    Second,
}

/// A function of one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Activation {
    /// x times the normal distribution function of x, by the error function.
    Gelu,
    /// The same by an approximation with the hyperbolic tangent.
    GeluTanh,
    /// x times the logistic function of x.
    Silu,
    /// What is positive.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// x itself.
    Identity,
}
