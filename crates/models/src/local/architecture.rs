//! Which architecture a folder holds, by `model_type` and `architectures` of its `config.json`.
//!
//! In comes a folder's configuration with its weights, out comes the network.
//! The hard thing is that a name says little: fine-tuned variants keep `model_type` and change what is attended
//! to, so what the weights hold beyond the network is refused.

use super::bert::{self, Family};
use super::folder::Config;
use super::network::Network;
use super::pooling::Pooling;
use super::unusable;
use super::weights::Weights;
use crate::ModelError;

/// What an architecture is used with where nothing else is said.
pub(super) struct Loaded {
    pub(super) network: Network,
    /// Pooling of the models of this architecture.
    pub(super) pooling: Pooling,
    /// Tensors that change no vector.
    pub(super) harmless: &'static [&'static str],
}

/// The architectures that are read, as a message lists them.
const KNOWN: &str = "bert, roberta, xlm-roberta";

/// Puts together what `config.json` describes.
///
/// `both_ways` is whether a token sees what stands after it; `None` is what the architecture does.
pub(super) fn load(
    config: &Config,
    weights: &mut Weights,
    both_ways: Option<bool>,
) -> Result<Loaded, ModelError> {
    let kind = config.word_or("model_type", "")?;
    let (network, pooling, harmless) = match kind {
        "bert" => (
            bert::network(config, weights, Family::Bert)?,
            Pooling::Mean,
            bert::HARMLESS,
        ),
        "roberta" | "xlm-roberta" | "camembert" => (
            bert::network(config, weights, Family::Roberta)?,
            Pooling::Mean,
            bert::HARMLESS,
        ),
        other => {
            return Err(unusable(
                format!(
                    "`model_type` in `{}` is `{other}`, which is no architecture that is read here",
                    config.path().display()
                ),
                Some(&format!(
                    "known are {KNOWN}; others can be served over HTTP or computed elsewhere"
                )),
            ));
        }
    };
    let _ = both_ways;
    Ok(Loaded {
        network,
        pooling,
        harmless,
    })
}
