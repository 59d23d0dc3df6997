//! The architecture of a folder, by `model_type` of its `config.json`.
//!
//! In comes a folder's configuration with its weights, out come the parts of its network. Each architecture is a file in
//! `architecture/` and a line of [`TABLE`]. Its entry has everything that other files need: names, parts, the longest
//! text, the usual pooling, heads, and which tensors may be left over. The hard thing is that a name is not enough:
//! fine-tuned variants keep `model_type` and change what is attended to, so weights that the network does not use are
//! refused.

mod bert;
mod decoder;
#[cfg(test)]
mod example;
mod gpt;
mod jina;
mod known;
mod modernbert;
mod nomic;
mod t5;

use barecode_models::{ModelError, Pooling};

use super::folder::Config;
use super::parts::{Head, Linear, Parts};
use super::unusable;
use super::weights::Weights;
use known::{Architecture, places};

/// All architectures, in the order in which a message lists them; the first that fits is taken.
const TABLE: &[&Architecture] = &[
    &jina::JINA,
    &bert::BERT,
    &bert::ROBERTA,
    &bert::MPNET,
    &t5::T5,
    &modernbert::MODERNBERT,
    &nomic::NOMIC,
    &decoder::QWEN2,
    &decoder::QWEN3,
    &decoder::MISTRAL,
    &decoder::GEMMA2,
    &gpt::CODESAGE,
    &gpt::BIGCODE,
];

/// A network, and the defaults that it is used with.
pub(super) struct Loaded {
    pub(super) parts: Parts,
    pub(super) pooling: Pooling,
    /// A projection behind the pooling.
    pub(super) projection: Option<Linear>,
    /// Tensors that change no vector.
    pub(super) harmless: &'static [&'static str],
}

/// Puts together what `config.json` describes.
///
/// `both_ways` is true if a token sees the tokens after it; `None` is the default of the architecture.
pub(super) fn load(
    config: &Config,
    weights: &mut Weights,
    both_ways: Option<bool>,
) -> Result<Loaded, ModelError> {
    let Some(found) = find(config)? else {
        let kind = config.word_or("model_type", "")?;
        let listed: Vec<&str> = TABLE.iter().map(|known| known.listed).collect();
        return Err(unusable(
            format!(
                "`model_type` in `{}` is `{kind}`, which is not an architecture that is read here",
                config.path().display()
            ),
            Some(&format!(
                "known are {}; others can be served over HTTP or computed elsewhere",
                joined(&listed)
            )),
        ));
    };
    let parts = (found.network)(config, weights, both_ways)?;
    let projection = match found.projection {
        Some(read) => read(config, weights)?,
        None => None,
    };
    Ok(Loaded {
        parts,
        pooling: match projection {
            Some(_) => Pooling::First,
            None => found.pooling,
        },
        projection,
        harmless: found.harmless,
    })
}

/// The most tokens of a text, known before any weights are opened.
pub(super) fn longest(config: &Config) -> Result<usize, ModelError> {
    type Longest = fn(&Config) -> Result<usize, ModelError>;
    let longest = find(config)?.map_or(places as Longest, |found| found.longest);
    longest(config)
}

/// The head that turns a pair's rows of this width into a score.
pub(super) fn head(
    config: &Config,
    weights: &mut Weights,
    width: usize,
) -> Result<Head, ModelError> {
    if let Some(read) = find(config)?.and_then(|found| found.head) {
        return read(config, weights, width);
    }
    let with_head = TABLE
        .iter()
        .filter(|known| known.head.is_some() && !known.listed.is_empty());
    let names: Vec<&str> = with_head.flat_map(|known| known.names).copied().collect();
    Err(unusable(
        format!(
            "`model_type` in `{}` is `{}`, which has no head that scores pairs",
            config.path().display(),
            config.word_or("model_type", "")?
        ),
        Some(&format!("rerankers are read of {}", joined(&names))),
    ))
}

fn find(config: &Config) -> Result<Option<&'static Architecture>, ModelError> {
    let name = config.word_or("model_type", "")?.to_lowercase();
    let alibi = config.word_or("position_embedding_type", "absolute")? == "alibi";
    let fits =
        |known: &&&Architecture| known.names.contains(&name.as_str()) && (alibi || !known.alibi);
    Ok(TABLE.iter().find(fits).copied())
}

/// Names as a sentence lists them, without those that are empty.
fn joined(names: &[&str]) -> String {
    let names: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !name.is_empty())
        .collect();
    match &names[..] {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => names.concat(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    #[test]
    fn no_name_is_of_two_architectures() {
        let mut seen = BTreeSet::new();
        for known in TABLE.iter().filter(|known| !known.alibi) {
            for name in known.names {
                assert!(seen.insert(name), "{name}");
                assert_eq!(*name, name.to_lowercase());
            }
        }
    }

    #[test]
    fn the_example_of_contributing_is_an_architecture() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let (_, code) = include_str!("architecture/example.rs")
            .split_once("\n\n")
            .unwrap();
        let document = std::fs::read_to_string(root.join("../../CONTRIBUTING.md")).unwrap();
        assert!(
            document.contains(code.trim()),
            "CONTRIBUTING.md has another example"
        );
        let folder = root.join("tests/checkpoints/bert");
        let config = Config::read(folder.join("config.json")).unwrap();
        let mut weights = Weights::open(&folder).unwrap();
        let parts = (example::STATIC.network)(&config, &mut weights, None).unwrap();
        assert_eq!(parts.width, 32);
        assert!(
            weights.finish(example::STATIC.harmless).is_err(),
            "layers are left over"
        );
    }
}
