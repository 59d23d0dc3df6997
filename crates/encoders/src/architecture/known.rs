//! The entries of the table of architectures.

use barecode_models::{ModelError, Pooling};

use crate::folder::Config;
use crate::parts::{Head, Linear, Parts};
use crate::weights::Weights;

/// The properties of an architecture.
pub(super) struct Architecture {
    /// Its names in `model_type`, in lower case.
    pub(super) names: &'static [&'static str],
    /// The name in a message that lists architectures; empty if it goes by the name of another.
    pub(super) listed: &'static str,
    /// True if it is only meant for a model with ALiBi positions.
    pub(super) alibi: bool,
    /// Puts the network together.
    pub(super) network: Network,
    /// The most tokens of a text, as far as positions are learned, turned by a table, or trained for.
    pub(super) longest: fn(&Config) -> Result<usize, ModelError>,
    /// The default pooling of its models.
    pub(super) pooling: Pooling,
    /// Reads a projection behind the pooling; its models are pooled by the first row then.
    pub(super) projection: Option<Projection>,
    /// Reads the head that makes the score of a pair.
    pub(super) head: Option<ReadHead>,
    /// Tensors that change no vector.
    pub(super) harmless: &'static [&'static str],
}

/// Puts a network together; the flag is true if a token sees the tokens after it, and `None` without a setting.
type Network = fn(&Config, &mut Weights, Option<bool>) -> Result<Parts, ModelError>;

/// Reads a projection, if the model has one.
type Projection = fn(&Config, &mut Weights) -> Result<Option<Linear>, ModelError>;

/// Reads a head for rows of a width.
type ReadHead = fn(&Config, &mut Weights, usize) -> Result<Head, ModelError>;

/// The number of learned positions, under its usual name in configurations.
pub(super) fn places(config: &Config) -> Result<usize, ModelError> {
    config.size("max_position_embeddings")
}
