//! What an entry of the table of architectures says.

use barecode_models::{ModelError, Pooling};

use crate::folder::Config;
use crate::parts::{Head, Linear, Parts};
use crate::weights::Weights;

/// What is known of an architecture.
pub(super) struct Architecture {
    /// Its names in `model_type`, in lower case.
    pub(super) names: &'static [&'static str],
    /// How a message lists it; not at all if it goes by the name of another.
    pub(super) listed: &'static str,
    /// Whether it is only meant where places are ALiBi's.
    pub(super) alibi: bool,
    /// Puts the network together.
    pub(super) network: Network,
    /// The most tokens of a text, as far as places are learned, turned by a table, or trained for.
    pub(super) longest: fn(&Config) -> Result<usize, ModelError>,
    /// What its models are pooled by where nothing else is said.
    pub(super) pooling: Pooling,
    /// Reads a projection behind the pooling; its models are pooled by the first row then.
    pub(super) projection: Option<Projection>,
    /// Reads what makes a score of a pair.
    pub(super) head: Option<ReadHead>,
    /// Tensors that change no vector.
    pub(super) harmless: &'static [&'static str],
}

/// Puts a network together; the flag is whether a token sees what stands after it, where somebody says so.
type Network = fn(&Config, &mut Weights, Option<bool>) -> Result<Parts, ModelError>;

/// Reads a projection, if the model has one.
type Projection = fn(&Config, &mut Weights) -> Result<Option<Linear>, ModelError>;

/// Reads a head for rows of a width.
type ReadHead = fn(&Config, &mut Weights, usize) -> Result<Head, ModelError>;

/// Learned places, as most configurations name their number.
pub(super) fn places(config: &Config) -> Result<usize, ModelError> {
    config.size("max_position_embeddings")
}
