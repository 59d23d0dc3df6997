//! A `[[retriever]]` table as it is written: every option may be missing.

use serde::{Deserialize, Serialize};

use crate::config::Dtype;
use crate::retriever::{
    Bm25, DEFAULT_DEPTH, Dense, Form, RetrieverConfig, RetrieverError, RetrieverKind, Similarity,
    Stemmer, StopWords, Tokenizer,
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
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<Similarity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtype: Option<Dtype>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Bm25,
    Random,
    Dense,
}

impl Wire {
    /// The first option that is written and that only BM25 has.
    fn of_words(&self) -> Option<&'static str> {
        let given = [
            ("form", self.form.is_some()),
            ("tokenizer", self.tokenizer.is_some()),
            ("stop-words", self.stop_words.is_some()),
            ("stemmer", self.stemmer.is_some()),
            ("k1", self.k1.is_some()),
            ("b", self.b.is_some()),
            ("delta", self.delta.is_some()),
        ];
        first(&given)
    }

    /// The first option that is written and that only vectors have.
    fn of_vectors(&self) -> Option<&'static str> {
        let given = [
            ("model", self.model.is_some()),
            ("similarity", self.similarity.is_some()),
            ("dtype", self.dtype.is_some()),
            ("dimensions", self.dimensions.is_some()),
        ];
        first(&given)
    }
}

fn first(given: &[(&'static str, bool)]) -> Option<&'static str> {
    given
        .iter()
        .find(|(_, is_given)| *is_given)
        .map(|(option, _)| *option)
}

impl TryFrom<Wire> for RetrieverConfig {
    type Error = RetrieverError;

    fn try_from(wire: Wire) -> Result<Self, RetrieverError> {
        let (kind, foreign) = match wire.kind {
            Kind::Bm25 => ("bm25", wire.of_vectors()),
            Kind::Random => ("random", wire.of_words().or(wire.of_vectors())),
            Kind::Dense => ("dense", wire.of_words()),
        };
        if let Some(option) = foreign {
            return Err(RetrieverError::NoSuchOption { kind, option });
        }
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
            Kind::Random => RetrieverKind::Random,
            Kind::Dense => {
                let model = wire.model.filter(|model| !model.trim().is_empty());
                let Some(model) = model else {
                    return Err(RetrieverError::Missing {
                        kind: "dense",
                        option: "model",
                        expected: "a short form such as \"hf:ORG/NAME\", or a name from `models`",
                    });
                };
                RetrieverKind::Dense(Dense {
                    similarity: wire.similarity.unwrap_or_default(),
                    dtype: wire.dtype,
                    dimensions: wire.dimensions,
                    ..Dense::new(&model)
                })
            }
        };
        RetrieverConfig::new(wire.name, kind, wire.depth.unwrap_or(DEFAULT_DEPTH))
    }
}

impl From<RetrieverConfig> for Wire {
    fn from(config: RetrieverConfig) -> Self {
        let (kind, words, dense) = match config.kind() {
            RetrieverKind::Bm25(options) => (Kind::Bm25, Some(options), None),
            RetrieverKind::Random => (Kind::Random, None, None),
            RetrieverKind::Dense(dense) => (Kind::Dense, None, Some(dense)),
        };
        Wire {
            name: Some(config.name().to_owned()),
            kind,
            form: words.map(|options| options.form),
            tokenizer: words.map(|options| options.tokenizer),
            stop_words: words.map(|options| options.stop_words),
            stemmer: words.map(|options| options.stemmer),
            k1: words.map(|options| options.k1),
            b: words.map(|options| options.b),
            delta: words
                .filter(|options| options.form.has_delta())
                .map(|options| options.delta),
            model: dense.map(|dense| dense.model.clone()),
            similarity: dense.map(|dense| dense.similarity),
            dtype: dense.map(|dense| dense.dtype.unwrap_or(Dtype::Float32)),
            dimensions: dense.and_then(|dense| dense.dimensions),
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
    fn a_model_is_read_and_written() {
        let config = read("kind = 'dense'\nmodel = 'hf:a/mini'\ndtype = 'int8'").unwrap();
        assert_eq!(config.name(), "mini-int8");
        let written = toml::to_string(&config).unwrap();
        assert_eq!(
            written,
            "name = \"mini-int8\"\nkind = \"dense\"\nmodel = \"hf:a/mini\"\nsimilarity = \"cosine\"\n\
             dtype = \"int8\"\ndepth = 1000\n"
        );
        assert_eq!(read(&written).unwrap(), config);
        for (table, wanted) in [
            ("kind = 'dense'", "kind `dense` has no `model`"),
            ("kind = 'dense'\nmodel = ' '", "kind `dense` has no `model`"),
            (
                "kind = 'dense'\nmodel = 'a'\nk1 = 1.0",
                "`dense` has no option `k1`",
            ),
            (
                "kind = 'dense'\nmodel = 'a'\ndimensions = 0",
                "`dimensions` is 0",
            ),
            ("kind = 'bm25'\nmodel = 'a'", "`bm25` has no option `model`"),
            (
                "kind = 'random'\ndtype = 'int8'",
                "`random` has no option `dtype`",
            ),
        ] {
            let error = read(table).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
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
