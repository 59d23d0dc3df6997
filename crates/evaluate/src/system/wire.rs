//! A `[[retriever]]` table as it is written: every option may be missing.

use std::path::PathBuf;

use barecode_models::{
    Bm25, Dtype, Form, Lexical, Similarity, Stemmer, StopWords, Structural, Tokenizer,
};
use serde::{Deserialize, Serialize};

use super::fusion::FusionConfig;
use super::kind::{Dense, RerankedBy, SystemKind, VectorOptions};
use super::system_error::SystemError;
use super::{DEFAULT_DEPTH, RERANK_DEPTH, System};
use crate::matching::MATCHING_TOKENS;
use crate::reading::Reading;

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Wire {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    kind: Kind,
    #[serde(skip_serializing_if = "Option::is_none")]
    form: Option<Form>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokenizer: Option<WireTokenizer>,
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
    names: Option<bool>,
    learned: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    of: Option<OneOrMany>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weights: Option<Vec<f64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathBuf>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    similarity: Option<Similarity>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dtype: Option<Dtype>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chunk: Option<WireChunk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    canonical: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    average: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    described: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    #[default]
    Bm25,
    Jaccard,
    Structural,
    Random,
    Dense,
    Vectors,
    Run,
    Fused,
    Reranked,
    /// Written where a system is described, and never read: a recipe's retrievers list documents.
    #[serde(skip_deserializing)]
    Chat,
    /// As above.
    #[serde(skip_deserializing)]
    Labels,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Bm25 => "bm25",
            Kind::Jaccard => "jaccard",
            Kind::Structural => "structural",
            Kind::Random => "random",
            Kind::Dense => "dense",
            Kind::Vectors => "vectors",
            Kind::Run => "run",
            Kind::Fused => "fused",
            Kind::Reranked => "reranked",
            Kind::Chat => "chat",
            Kind::Labels => "labels",
        }
    }
}

/// A name, or a list of names.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// `plain`, `code`, or a file `tokenizer.json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
enum WireTokenizer {
    Known(Tokenizer),
    File(PathBuf),
}

impl TryFrom<String> for WireTokenizer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        match text.as_str() {
            "plain" => Ok(WireTokenizer::Known(Tokenizer::Plain)),
            "code" => Ok(WireTokenizer::Known(Tokenizer::Code)),
            _ if text.to_lowercase().ends_with(".json") => Ok(WireTokenizer::File(text.into())),
            _ => Err(format!(
                "unknown tokenizer `{text}`, expected `plain`, `code` or a file tokenizer.json"
            )),
        }
    }
}

impl From<WireTokenizer> for String {
    fn from(tokenizer: WireTokenizer) -> String {
        match tokenizer {
            WireTokenizer::Known(Tokenizer::Plain) => "plain".to_owned(),
            WireTokenizer::Known(Tokenizer::Code) => "code".to_owned(),
            WireTokenizer::File(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// A number of bytes, or `BYTES:OVERLAP`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(untagged)]
enum WireChunk {
    Bytes(u64),
    Text(String),
}

impl Wire {
    /// The options that are written and that some kind does not have.
    fn given(&self) -> impl Iterator<Item = &'static str> {
        [
            ("form", self.form.is_some()),
            ("tokenizer", self.tokenizer.is_some()),
            ("stop-words", self.stop_words.is_some()),
            ("stemmer", self.stemmer.is_some()),
            ("k1", self.k1.is_some()),
            ("b", self.b.is_some()),
            ("delta", self.delta.is_some()),
            ("names", self.names.is_some()),
            ("learned", self.learned.is_some()),
            ("of", self.of.is_some()),
            ("method", self.method.is_some()),
            ("weights", self.weights.is_some()),
            ("path", self.path.is_some()),
            ("model", self.model.is_some()),
            ("similarity", self.similarity.is_some()),
            ("dtype", self.dtype.is_some()),
            ("dimensions", self.dimensions.is_some()),
            ("chunk", self.chunk.is_some()),
            ("canonical", self.canonical.is_some()),
            ("average", self.average.is_some()),
            ("described", self.described.is_some()),
        ]
        .into_iter()
        .filter_map(|(option, is_given)| is_given.then_some(option))
    }

    /// What stands in a required option.
    fn required<T>(
        kind: &'static str,
        option: &'static str,
        value: Option<T>,
        expected: &'static str,
    ) -> Result<T, SystemError> {
        value.ok_or(SystemError::Missing {
            kind,
            option,
            expected,
        })
    }

    fn lexical(&self) -> Result<Lexical, SystemError> {
        let usual = Bm25::default();
        let form = self.form.unwrap_or(usual.form);
        if self.delta.is_some() && !form.has_delta() {
            return Err(SystemError::NoSuchOption {
                kind: match form {
                    Form::Robertson => "bm25 of form robertson",
                    Form::Atire => "bm25 of form atire",
                    Form::Lucene | Form::Bm25l | Form::Bm25Plus => "bm25 of form lucene",
                },
                option: "delta",
            });
        }
        let (tokenizer, file) = match &self.tokenizer {
            None => (usual.tokenizer, None),
            Some(WireTokenizer::Known(tokenizer)) => (*tokenizer, None),
            Some(WireTokenizer::File(path)) => (usual.tokenizer, Some(path.clone())),
        };
        Ok(Lexical {
            options: Bm25 {
                form,
                tokenizer,
                stop_words: self.stop_words.unwrap_or(usual.stop_words),
                stemmer: self.stemmer.unwrap_or(usual.stemmer),
                k1: self.k1.unwrap_or(usual.k1),
                b: self.b.unwrap_or(usual.b),
                delta: self.delta.unwrap_or(usual.delta),
            },
            tokenizer: file,
        })
    }

    fn reading(&self) -> Result<Reading, SystemError> {
        let chunks = match &self.chunk {
            None => None,
            Some(WireChunk::Bytes(bytes)) => Some(bytes.to_string()),
            Some(WireChunk::Text(text)) => Some(text.clone()),
        };
        let chunks = chunks.map(|text| Reading::chunks(&text)).transpose();
        let chunks = chunks.map_err(SystemError::Option)?;
        let canonical = self
            .canonical
            .unwrap_or(false)
            .then_some(Reading::Canonical);
        let averaged = match self.average {
            Some(0) => {
                return Err(SystemError::OutOfRange {
                    option: "average",
                    value: "0".to_owned(),
                    expected: "a whole number from 1 up",
                });
            }
            average => average.map(Reading::Averaged),
        };
        let described = self
            .described
            .unwrap_or(false)
            .then_some(Reading::Described);
        let readings = [chunks, canonical, averaged, described];
        let mut readings = readings.into_iter().flatten();
        let reading = readings.next().unwrap_or_default();
        if readings.next().is_some() {
            let message =
                "a retriever has one of `chunk`, `canonical`, `average` and `described`".to_owned();
            return Err(SystemError::Option(message));
        }
        Ok(reading)
    }
}

impl TryFrom<Wire> for System {
    type Error = SystemError;

    fn try_from(wire: Wire) -> Result<Self, SystemError> {
        const MODEL: &str =
            "a short form such as \"hf:ORG/NAME\", or a name from `models` or `[[model]]`";
        const WORDS: [&str; 7] = [
            "form",
            "tokenizer",
            "stop-words",
            "stemmer",
            "k1",
            "b",
            "delta",
        ];
        const VECTORS: [&str; 8] = [
            "model",
            "similarity",
            "dtype",
            "dimensions",
            "chunk",
            "canonical",
            "average",
            "described",
        ];
        let own: &[&str] = match wire.kind {
            Kind::Bm25 => &WORDS,
            Kind::Jaccard | Kind::Random => &[],
            Kind::Structural => &["names", "learned"],
            Kind::Dense => &VECTORS,
            Kind::Vectors => &["path", "similarity", "dtype", "dimensions"],
            Kind::Run | Kind::Labels => &["path"],
            Kind::Fused => &["of", "method", "weights"],
            Kind::Reranked => &["of", "model"],
            Kind::Chat => &["model"],
        };
        let kind = wire.kind.name();
        if let Some(option) = wire.given().find(|option| !own.contains(option)) {
            return Err(SystemError::NoSuchOption { kind, option });
        }
        let model = || {
            let model = wire.model.clone().filter(|model| !model.trim().is_empty());
            Wire::required(kind, "model", model, MODEL)
        };
        let path = || {
            let expected = "a file or a folder";
            Wire::required(kind, "path", wire.path.clone(), expected)
        };
        let vectors = VectorOptions {
            similarity: wire.similarity.unwrap_or_default(),
            dtype: wire.dtype,
            dimensions: wire.dimensions,
        };
        let built = match wire.kind {
            Kind::Bm25 => SystemKind::Bm25(wire.lexical()?),
            Kind::Jaccard => SystemKind::Jaccard,
            Kind::Structural => SystemKind::Structural(Structural {
                names: wire.names.unwrap_or(Structural::default().names),
                learned: wire.learned.unwrap_or(Structural::default().learned),
            }),
            Kind::Random => SystemKind::Random,
            Kind::Dense => SystemKind::Dense(Dense {
                model: model()?,
                vectors,
                reading: wire.reading()?,
            }),
            Kind::Vectors => SystemKind::Vectors {
                path: path()?,
                vectors,
            },
            Kind::Run => SystemKind::Run(path()?),
            Kind::Fused => {
                let names = "a list of names of retrievers before it";
                let of = match Wire::required(kind, "of", wire.of.clone(), names)? {
                    OneOrMany::One(name) => vec![name],
                    OneOrMany::Many(names) => names,
                };
                let method = wire.method.as_deref().unwrap_or("rrf");
                let mut how: FusionConfig = method.parse().map_err(SystemError::Option)?;
                if let Some(weights) = wire.weights.clone() {
                    how = FusionConfig::new(how.method(), weights).map_err(SystemError::Option)?;
                }
                SystemKind::Fused { of, how }
            }
            Kind::Reranked => {
                let name = "the name of a retriever before it";
                let of = match Wire::required(kind, "of", wire.of.clone(), name)? {
                    OneOrMany::One(name) => name,
                    OneOrMany::Many(_) => {
                        let message = "a reranked retriever is made of one, not of a list";
                        return Err(SystemError::Option(message.to_owned()));
                    }
                };
                // What it is says the recipe, which may have a table of that name.
                let by = RerankedBy::Model(model()?);
                SystemKind::Reranked { of, by }
            }
            Kind::Chat => SystemKind::Chat {
                model: model()?,
                max_tokens: MATCHING_TOKENS,
            },
            Kind::Labels => SystemKind::Labels(path()?),
        };
        let usual = match wire.kind {
            Kind::Reranked => RERANK_DEPTH,
            _ => DEFAULT_DEPTH,
        };
        System::new(wire.name, built, wire.depth.unwrap_or(usual))
    }
}

impl From<System> for Wire {
    fn from(system: System) -> Self {
        let vectors = system.kind.vectors().copied();
        let named = Wire {
            name: Some(system.name),
            depth: Some(system.depth),
            similarity: vectors.map(|vectors| vectors.similarity),
            dtype: vectors.map(|vectors| vectors.dtype.unwrap_or(Dtype::Float32)),
            dimensions: vectors.and_then(|vectors| vectors.dimensions),
            ..Wire::default()
        };
        match system.kind {
            SystemKind::Bm25(Lexical { options, tokenizer }) => Wire {
                kind: Kind::Bm25,
                form: Some(options.form),
                tokenizer: Some(match tokenizer {
                    Some(path) => WireTokenizer::File(path),
                    None => WireTokenizer::Known(options.tokenizer),
                }),
                stop_words: Some(options.stop_words),
                stemmer: Some(options.stemmer),
                k1: Some(options.k1),
                b: Some(options.b),
                delta: options.form.has_delta().then_some(options.delta),
                ..named
            },
            SystemKind::Jaccard => Wire {
                kind: Kind::Jaccard,
                ..named
            },
            SystemKind::Structural(structural) => Wire {
                kind: Kind::Structural,
                names: Some(structural.names),
                learned: Some(structural.learned),
                ..named
            },
            SystemKind::Random => Wire {
                kind: Kind::Random,
                ..named
            },
            SystemKind::Dense(dense) => {
                let mut wire = Wire {
                    kind: Kind::Dense,
                    model: Some(dense.model),
                    ..named
                };
                match dense.reading {
                    Reading::Whole => {}
                    Reading::Chunks(chunking) => {
                        let text = format!("{}:{}", chunking.bytes(), chunking.overlap());
                        wire.chunk = Some(WireChunk::Text(text));
                    }
                    Reading::Canonical => wire.canonical = Some(true),
                    Reading::Averaged(n) => wire.average = Some(n),
                    Reading::Described => wire.described = Some(true),
                }
                wire
            }
            SystemKind::Vectors { path, .. } => Wire {
                kind: Kind::Vectors,
                path: Some(path),
                ..named
            },
            SystemKind::Run(path) => Wire {
                kind: Kind::Run,
                path: Some(path),
                ..named
            },
            SystemKind::Fused { of, how } => Wire {
                kind: Kind::Fused,
                of: Some(OneOrMany::Many(of)),
                method: Some(how.method_name()),
                weights: Some(how.weights().to_vec()).filter(|weights| !weights.is_empty()),
                ..named
            },
            SystemKind::Reranked { of, by } => Wire {
                kind: Kind::Reranked,
                of: Some(OneOrMany::One(of)),
                model: Some(match by {
                    RerankedBy::Model(model) => model,
                    RerankedBy::Structural(options) => options.to_string(),
                }),
                ..named
            },
            SystemKind::Chat { model, .. } => Wire {
                kind: Kind::Chat,
                model: Some(model),
                ..named
            },
            SystemKind::Labels(path) => Wire {
                kind: Kind::Labels,
                path: Some(path),
                ..named
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(table: &str) -> Result<System, String> {
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

    #[test]
    fn what_is_made_of_others_is_read_and_written() {
        for (table, expected) in [
            (
                "kind = 'fused'\nof = ['bm25', 'mini']\nmethod = 'convex'\nweights = [0.25, 0.75]",
                "name = \"convex\"\nkind = \"fused\"\nof = [\"bm25\", \"mini\"]\nmethod = \"convex\"\n\
                 weights = [0.25, 0.75]\ndepth = 1000\n",
            ),
            (
                "kind = 'reranked'\nof = 'rrf'\nmodel = 'local:m'",
                "name = \"rrf-reranked\"\nkind = \"reranked\"\nof = \"rrf\"\nmodel = \"local:m\"\ndepth = 100\n",
            ),
            (
                "kind = 'dense'\nmodel = 'hf:a/mini'\nchunk = 2000",
                "name = \"mini-chunks\"\nkind = \"dense\"\nmodel = \"hf:a/mini\"\nsimilarity = \"cosine\"\n\
                 dtype = \"float32\"\nchunk = \"2000:400\"\ndepth = 1000\n",
            ),
            (
                "kind = 'dense'\nmodel = 'hf:a/mini'\ndescribed = true",
                "name = \"mini-described\"\nkind = \"dense\"\nmodel = \"hf:a/mini\"\nsimilarity = \"cosine\"\n\
                 dtype = \"float32\"\ndescribed = true\ndepth = 1000\n",
            ),
            (
                "kind = 'run'\npath = 'runs/theirs.trec'",
                "name = \"run-theirs\"\nkind = \"run\"\npath = \"runs/theirs.trec\"\ndepth = 1000\n",
            ),
        ] {
            let system = read(table).unwrap();
            assert_eq!(toml::to_string(&system).unwrap(), expected);
            assert_eq!(toml::to_string(&read(expected).unwrap()).unwrap(), expected);
        }
        for (table, why) in [
            (
                "kind = 'fused'\nof = 'bm25'",
                "one system's lists cannot be fused",
            ),
            ("kind = 'fused'", "kind `fused` has no `of`"),
            (
                "kind = 'fused'\nof = ['a', 'b']\nmethod = 'sum'",
                "lists are fused by",
            ),
            (
                "kind = 'fused'\nof = ['a', 'b']\nmethod = 'z-score'\nweights = [1.0]",
                "1 weights for 2 systems",
            ),
            (
                "kind = 'reranked'\nof = 'a'",
                "kind `reranked` has no `model`",
            ),
            (
                "kind = 'dense'\nmodel = 'a'\ncanonical = true\naverage = 3",
                "one of `chunk`, `canonical`, `average` and `described`",
            ),
            (
                "kind = 'dense'\nmodel = 'a'\ncanonical = true\ndescribed = true",
                "one of `chunk`, `canonical`, `average` and `described`",
            ),
            ("kind = 'bm25'\nof = ['a']", "`bm25` has no option `of`"),
        ] {
            let error = read(table).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }
}
