//! Which architecture a folder holds, by `model_type` of its `config.json`.
//!
//! In comes a folder's configuration with its weights, out comes the network.
//! The hard thing is that a name says little: fine-tuned variants keep `model_type` and change what is attended
//! to, so what the weights hold beyond the network is refused.

use super::folder::Config;
use super::linear::Linear;
use super::network::Network;
use super::weights::Weights;
use super::{bert, decoder, gpt, jina, modernbert, nomic, t5, unusable};
use barecode_models::{ModelError, Pooling};

/// A network, and what it is used with where nothing else is said.
pub(super) struct Loaded {
    pub(super) network: Network,
    /// Pooling of the models of this architecture.
    pub(super) pooling: Pooling,
    /// A projection behind the pooling.
    pub(super) head: Option<Linear>,
    /// Tensors that change no vector.
    pub(super) harmless: &'static [&'static str],
}

/// The architectures that are read, as a message lists them.
const KNOWN: &str = "bert (also with ALiBi), roberta, xlm-roberta, camembert, mpnet, t5, codet5p, modernbert, \
                     nomic_bert, qwen2, qwen3, mistral, gemma2, codesage and gpt_bigcode";

/// Puts together what `config.json` describes.
///
/// `both_ways` is whether a token sees what stands after it; `None` is what the architecture does.
pub(super) fn load(
    config: &Config,
    weights: &mut Weights,
    both_ways: Option<bool>,
) -> Result<Loaded, ModelError> {
    let kind = config.word_or("model_type", "")?;
    let alibi = config.word_or("position_embedding_type", "absolute")? == "alibi";
    let mut head = None;
    let name = kind.to_lowercase();
    let (network, pooling, harmless) = match name.as_str() {
        "bert" | "jina_bert" if alibi => {
            let network = jina::network(config, weights)?;
            (network, Pooling::Mean, bert::HARMLESS)
        }
        "bert" | "roberta" | "xlm-roberta" | "camembert" | "mpnet" => {
            let family = match name.as_str() {
                "bert" => bert::Family::Bert,
                "mpnet" => bert::Family::MpNet,
                _ => bert::Family::Roberta,
            };
            let network = bert::network(config, weights, family)?;
            (network, Pooling::Mean, bert::HARMLESS)
        }
        "t5" | "codet5p" | "codet5p_embedding" => {
            let network = t5::network(config, weights)?;
            head = t5::head(config, weights)?;
            let pooling = if head.is_some() {
                Pooling::First
            } else {
                Pooling::Mean
            };
            (network, pooling, t5::HARMLESS)
        }
        "modernbert" => {
            let network = modernbert::network(config, weights)?;
            (network, Pooling::First, modernbert::HARMLESS)
        }
        "nomic_bert" => {
            let network = nomic::network(config, weights)?;
            (network, Pooling::Mean, nomic::HARMLESS)
        }
        // CodeXEmbed of 2 billion parameters is Gemma 2 under a name of its own.
        "qwen2" | "qwen3" | "mistral" | "gemma2" | "codexembed2b" => {
            let family = match name.as_str() {
                "qwen2" => decoder::Family::Qwen2,
                "qwen3" => decoder::Family::Qwen3,
                "mistral" => decoder::Family::Mistral,
                _ => decoder::Family::Gemma2,
            };
            let network = decoder::network(config, weights, family, both_ways)?;
            (network, Pooling::Last, decoder::HARMLESS)
        }
        "codesage" | "gpt_bigcode" => {
            let (family, pooling) = match name.as_str() {
                "codesage" => (gpt::Family::CodeSage, Pooling::Mean),
                _ => (gpt::Family::BigCode, Pooling::Last),
            };
            let network = gpt::network(config, weights, family, both_ways)?;
            (network, pooling, gpt::HARMLESS)
        }
        _ => {
            return Err(unusable(
                format!(
                    "`model_type` in `{}` is `{kind}`, which is no architecture that is read here",
                    config.path().display()
                ),
                Some(&format!(
                    "known are {KNOWN}; others can be served over HTTP or computed elsewhere"
                )),
            ));
        }
    };
    Ok(Loaded {
        network,
        pooling,
        head,
        harmless,
    })
}
