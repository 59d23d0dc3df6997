//! A `[[retriever]]` table as it is written: every option may be missing.

use serde::{Deserialize, Serialize};

use crate::retriever::{
    Bm25, DEFAULT_DEPTH, Form, RetrieverConfig, RetrieverError, RetrieverKind, Stemmer, StopWords,
    Tokenizer,
};

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Wire {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<Tokenizer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_words: Option<StopWords>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stemmer: Option<Stemmer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    k1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    b: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delta: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bm25,
    Random,
}

impl TryFrom<Wire> for RetrieverConfig {
    type Error = RetrieverError;

    fn try_from(wire: Wire) -> Result<Self, RetrieverError> {
        let kind = match wire.kind {
            Kind::Bm25 => {
                let usual = Bm25::default();
                let form = wire.form.unwrap_or(usual.form);
                if wire.delta.is_some() && !form.has_delta() {
                    return Err(RetrieverError::NoSuchOption {
                        kind: match form {
                            Form::Robertson => "bm25 of form robertson",
                            Form::Atire => "bm25 of form atire",
                            Form::Lucene | Form::Bm25l | Form::Bm25Plus => "bm25 of form lucene",
                        },
                        option: "delta",
                    });
                }
                RetrieverKind::Bm25(Bm25 {
                    form,
                    tokenizer: wire.tokenizer.unwrap_or(usual.tokenizer),
                    stop_words: wire.stop_words.unwrap_or(usual.stop_words),
                    stemmer: wire.stemmer.unwrap_or(usual.stemmer),
                    k1: wire.k1.unwrap_or(usual.k1),
                    b: wire.b.unwrap_or(usual.b),
                    delta: wire.delta.unwrap_or(usual.delta),
                })
            }
            Kind::Random => {
                let given = [
                    ("form", wire.form.is_some()),
                    ("tokenizer", wire.tokenizer.is_some()),
                    ("stop-words", wire.stop_words.is_some()),
                    ("stemmer", wire.stemmer.is_some()),
                    ("k1", wire.k1.is_some()),
                    ("b", wire.b.is_some()),
                    ("delta", wire.delta.is_some()),
                ];
                if let Some((option, _)) = given.into_iter().find(|&(_, is_given)| is_given) {
                    return Err(RetrieverError::NoSuchOption {
                        kind: "random",
                        option,
                    });
                }
                RetrieverKind::Random
            }
        };
        RetrieverConfig::new(wire.name, kind, wire.depth.unwrap_or(DEFAULT_DEPTH))
    }
}

impl From<RetrieverConfig> for Wire {
    fn from(config: RetrieverConfig) -> Self {
        let (kind, options) = match config.kind() {
            RetrieverKind::Bm25(options) => (Kind::Bm25, Some(options)),
            RetrieverKind::Random => (Kind::Random, None),
        };
        Wire {
            name: Some(config.name().to_owned()),
            kind,
            form: options.map(|options| options.form),
            tokenizer: options.map(|options| options.tokenizer),
            stop_words: options.map(|options| options.stop_words),
            stemmer: options.map(|options| options.stemmer),
            k1: options.map(|options| options.k1),
            b: options.map(|options| options.b),
            delta: options
                .filter(|options| options.form.has_delta())
                .map(|options| options.delta),
            depth: Some(config.depth()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Result<RetrieverConfig, String> {
        toml::from_str(table).map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_is_read_and_written_with_every_default() {
        let config = read("kind = 'bm25'\ntokenizer = 'code'\nstop-words = 'english'").unwrap();
        assert_eq!(config.name(), "bm25-code-stop");
        let written = toml::to_string(&config).unwrap();
        assert!(
            written.contains("k1 = 1.5\nb = 0.75\ndepth = 1000"),
            "{written}"
        );
        assert_eq!(read(&written).unwrap(), config);
        let config = read("kind = 'bm25'\nform = 'bm25+'\ndelta = 1.0").unwrap();
        assert_eq!(config.name(), "bm25plus-delta-1");
        assert_eq!(read(&toml::to_string(&config).unwrap()).unwrap(), config);
    }

    #[test]
    fn random_has_a_short_table() {
        let config = read("kind = 'random'\ndepth = 50").unwrap();
        assert_eq!(
            toml::to_string(&config).unwrap(),
            "name = \"random\"\nkind = \"random\"\ndepth = 50\n"
        );
    }

    #[test]
    fn what_means_nothing_is_refused() {
        assert!(
            read("kind = 'bm26'")
                .unwrap_err()
                .contains("unknown variant `bm26`")
        );
        assert!(
            read("kind = 'bm25'\nstopwords = 'none'")
                .unwrap_err()
                .contains("unknown field `stopwords`")
        );
        assert!(
            read("kind = 'random'\nk1 = 1.0")
                .unwrap_err()
                .contains("`random` has no option `k1`")
        );
        assert!(
            read("kind = 'bm25'\nform = 'atire'\ndelta = 1.0")
                .unwrap_err()
                .contains("`bm25 of form atire` has no option `delta`")
        );
        assert!(
            read("tokenizer = 'code'")
                .unwrap_err()
                .contains("missing field `kind`")
        );
    }
}
