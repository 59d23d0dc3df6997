//! How long a text may be: the most tokens that an architecture reads.
//!
//! In comes `config.json`, out comes a number, before any weights are opened: each architecture says it under keys of
//! its own, or does not say it at all.

use barecode_models::ModelError;

use super::folder::Config;

/// T5's places are not learned, so a text may be as long as memory allows; this is a limit of reason.
const LONGEST_T5: usize = 1 << 20;

/// The most tokens of a text, as far as places are learned, turned by a table, or trained for.
pub(super) fn longest(config: &Config) -> Result<usize, ModelError> {
    let places = || config.size("max_position_embeddings");
    let alibi = config.word_or("position_embedding_type", "absolute")? == "alibi";
    match config.word_or("model_type", "")?.to_lowercase().as_str() {
        // Not learned, so a limit of what it was trained for.
        "bert" | "jina_bert" if alibi => config.size_or("max_position_embeddings", 8192),
        "roberta" | "xlm-roberta" | "camembert" => {
            Ok(places()?.saturating_sub(config.first_place()))
        }
        "mpnet" => Ok(places()?.saturating_sub(2)),
        "t5" | "codet5p" | "codet5p_embedding" => Ok(LONGEST_T5),
        // Beyond what it was trained on, the authors' code turns differently.
        "nomic_bert" if config.value("max_trained_positions").is_some() => {
            config.size("max_trained_positions")
        }
        "nomic_bert" | "codesage" | "gpt_bigcode" => {
            config.either("max_position_embeddings", "n_positions")
        }
        // Models name up to ten times as many places as they were trained on; rotations of these are in a table.
        "qwen2" | "qwen3" | "mistral" | "gemma2" | "codexembed2b" => Ok(places()?.min(1 << 15)),
        _ => places(),
    }
}
