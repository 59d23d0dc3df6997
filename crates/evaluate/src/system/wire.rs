//! A `[[retriever]]` table as it is written: every option may be missing.
//!
//! The options of retrievers without a model are known to the registry only, those of other kinds are fields here.
//! Both are read in one go, so that every error has the position of the invalid value.

use std::path::PathBuf;
use std::sync::LazyLock;

use barecode_models::{Dtype, Similarity};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::fusion::FusionConfig;
use super::kind::{Dense, RerankedBy, SystemKind, VectorOptions};
use super::system_error::SystemError;
use super::{DEFAULT_DEPTH, RERANK_DEPTH, System};
use crate::options::{Given, apart, form, value};
use crate::reading::Reading;
use crate::retrievers;

/// A table, its options of retrievers apart.
#[derive(Debug)]
pub(crate) struct Wire {
    rest: Rest,
    given: Given,
}

/// The other options; [`FIELDS`] has their names.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Rest {
    name: Option<String>,
    kind: Kind,
    of: Option<OneOrMany>,
    method: Option<String>,
    weights: Option<Vec<f64>>,
    path: Option<PathBuf>,
    model: Option<String>,
    similarity: Option<Similarity>,
    dtype: Option<Dtype>,
    dimensions: Option<u32>,
    chunk: Option<WireChunk>,
    canonical: Option<bool>,
    average: Option<u32>,
    described: Option<bool>,
    depth: Option<u32>,
}

const FIELDS: [&str; 15] = [
    "name",
    "kind",
    "of",
    "method",
    "weights",
    "path",
    "model",
    "similarity",
    "dtype",
    "dimensions",
    "chunk",
    "canonical",
    "average",
    "described",
    "depth",
];

/// The kinds that are not retrievers of the registry, with their options. `chat` and `labels` are written where a
/// system is described, and never read.
const KINDS: [(&str, &[&str]); 5] = [
    (
        "dense",
        &[
            "model",
            "similarity",
            "dtype",
            "dimensions",
            "chunk",
            "canonical",
            "average",
            "described",
        ],
    ),
    ("vectors", &["path", "similarity", "dtype", "dimensions"]),
    ("run", &["path"]),
    ("fused", &["of", "method", "weights"]),
    ("reranked", &["of", "model"]),
];

static ALL_KINDS: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let others: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    [retrievers::kinds(), &others].concat()
});

/// One of [`ALL_KINDS`].
#[derive(Debug, Default)]
struct Kind(&'static str);

impl<'de> Deserialize<'de> for Kind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kind = String::deserialize(deserializer)?;
        let known = ALL_KINDS.iter().find(|known| **known == kind);
        known
            .map(|known| Kind(known))
            .ok_or_else(|| D::Error::unknown_variant(&kind, &ALL_KINDS))
    }
}

/// A name, or a list of names.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

/// A number of bytes, or `BYTES:OVERLAP`.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum WireChunk {
    Bytes(u64),
    Text(String),
}

impl<'de> Deserialize<'de> for Wire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (rest, given) = apart(deserializer, Some(&FIELDS))?;
        Ok(Wire { rest, given })
    }
}

impl Rest {
    /// The value of a required option.
    fn required<T>(
        kind: &str,
        option: &str,
        value: Option<T>,
        expected: &str,
    ) -> Result<T, SystemError> {
        let missing =
            || format!("retriever of kind `{kind}` has no `{option}`, expected {expected}");
        value.ok_or_else(|| SystemError(missing()))
    }

    fn reading(&self) -> Result<Reading, SystemError> {
        let chunks = match &self.chunk {
            None => None,
            Some(WireChunk::Bytes(bytes)) => Some(bytes.to_string()),
            Some(WireChunk::Text(text)) => Some(text.clone()),
        };
        let chunks = chunks.map(|text| Reading::chunks(&text)).transpose();
        let chunks = chunks.map_err(SystemError)?;
        let canonical = self
            .canonical
            .unwrap_or(false)
            .then_some(Reading::Canonical);
        let averaged = match self.average {
            Some(0) => return Err(SystemError::zero("average")),
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
            return Err(SystemError(message));
        }
        Ok(reading)
    }
}

impl Wire {
    /// The retriever of a kind of the registry.
    fn retriever(&self) -> Result<Option<SystemKind>, SystemError> {
        let kind = self.rest.kind.0;
        let Some(mut retriever) = retrievers::named(kind) else {
            return Ok(None);
        };
        for (option, value) in self.given.options() {
            let set = retriever.set(option, Some(value));
            set.map_err(|error| SystemError(format!("retriever option {error}")))?;
        }
        for (option, _) in self.given.options() {
            let reads = retriever.reads(option);
            reads.map_err(|kind| SystemError::no_such_option(&kind, option))?;
        }
        Ok(Some(SystemKind::Retriever(retriever.into())))
    }
}

impl TryFrom<Wire> for System {
    type Error = SystemError;

    fn try_from(wire: Wire) -> Result<Self, SystemError> {
        let kind = wire.rest.kind.0;
        let retriever = retrievers::named(kind).map(|retriever| retriever.options());
        let own = KINDS.iter().find(|(other, _)| *other == kind);
        let is_own = |option: &&str| match &retriever {
            Some(options) => options.iter().any(|(own, _)| own == option),
            None => own.is_some_and(|(_, own)| own.contains(option)),
        };
        let options = wire.given.options().map(|(option, _)| option);
        let fields = wire.given.fields.iter().map(|at| FIELDS[*at]);
        let fields = fields.filter(|field| !["name", "kind", "depth"].contains(field));
        if let Some(option) = options.chain(fields).find(|option| !is_own(option)) {
            return Err(SystemError::no_such_option(kind, option));
        }
        let built = match wire.retriever()? {
            Some(retriever) => retriever,
            None => wire.rest.kind()?,
        };
        let usual = match built {
            SystemKind::Reranked { .. } => RERANK_DEPTH,
            _ => DEFAULT_DEPTH,
        };
        System::new(wire.rest.name, built, wire.rest.depth.unwrap_or(usual))
    }
}

impl Rest {
    /// The system of a kind that is not a retriever of the registry.
    fn kind(&self) -> Result<SystemKind, SystemError> {
        const MODEL: &str =
            "a short form such as \"hf:ORG/NAME\", or a name from `models` or `[[model]]`";
        let kind = self.kind.0;
        let model = || {
            let model = self.model.clone().filter(|model| !model.trim().is_empty());
            Rest::required(kind, "model", model, MODEL)
        };
        let path = || {
            let expected = "a file or a folder";
            Rest::required(kind, "path", self.path.clone(), expected)
        };
        let vectors = VectorOptions {
            similarity: self.similarity.unwrap_or_default(),
            dtype: self.dtype,
            dimensions: self.dimensions,
        };
        Ok(match kind {
            "dense" => SystemKind::Dense(Dense {
                model: model()?,
                vectors,
                reading: self.reading()?,
            }),
            "vectors" => SystemKind::Vectors {
                path: path()?,
                vectors,
            },
            "fused" => {
                let names = "a list of names of retrievers before it";
                let of = match Rest::required(kind, "of", self.of.clone(), names)? {
                    OneOrMany::One(name) => vec![name],
                    OneOrMany::Many(names) => names,
                };
                let method = self.method.as_deref().unwrap_or("rrf");
                let mut how: FusionConfig = method.parse().map_err(SystemError)?;
                if let Some(weights) = self.weights.clone() {
                    how = FusionConfig::new(how.method(), weights).map_err(SystemError)?;
                }
                SystemKind::Fused { of, how }
            }
            "reranked" => {
                let name = "the name of a retriever before it";
                let of = match Rest::required(kind, "of", self.of.clone(), name)? {
                    OneOrMany::One(name) => name,
                    OneOrMany::Many(_) => {
                        let message = "a reranked retriever is made of one, not of a list";
                        return Err(SystemError(message.to_owned()));
                    }
                };
                // The recipe decides its meaning, since it may have a table of that name.
                let by = RerankedBy::Model(model()?);
                SystemKind::Reranked { of, by }
            }
            _ => SystemKind::Run(path()?),
        })
    }
}

/// With every default spelled out.
impl Serialize for System {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let vectors = |VectorOptions {
                           similarity,
                           dtype,
                           dimensions,
                       }: &VectorOptions| {
            let dtype = dtype.unwrap_or(Dtype::Float32);
            let mut options = vec![("similarity", json!(similarity)), ("dtype", json!(dtype))];
            options.extend(dimensions.map(|dimensions| ("dimensions", json!(dimensions))));
            options
        };
        let (kind, options): (&str, Vec<(&str, Value)>) = match &self.kind {
            SystemKind::Retriever(retriever) => {
                let options = retriever.options().into_iter();
                let read = options.filter(|(option, _)| retriever.reads(option).is_ok());
                let read = read.map(|(option, setting)| (option, value(&setting)));
                (retriever.kind(), read.collect())
            }
            SystemKind::Dense(dense) => {
                let mut options = vec![("model", json!(dense.model))];
                options.extend(vectors(&dense.vectors));
                options.extend(match dense.reading {
                    Reading::Whole => None,
                    Reading::Chunks(chunking) => {
                        let text = format!("{}:{}", chunking.bytes(), chunking.overlap());
                        Some(("chunk", json!(text)))
                    }
                    Reading::Canonical => Some(("canonical", json!(true))),
                    Reading::Averaged(n) => Some(("average", json!(n))),
                    Reading::Described => Some(("described", json!(true))),
                });
                ("dense", options)
            }
            SystemKind::Vectors { path, vectors: of } => {
                let mut options = vec![("path", json!(path))];
                options.extend(vectors(of));
                ("vectors", options)
            }
            SystemKind::Run(path) => ("run", vec![("path", json!(path))]),
            SystemKind::Fused { of, how } => {
                let mut options = vec![("of", json!(of)), ("method", json!(how.method_name()))];
                if !how.weights().is_empty() {
                    options.push(("weights", json!(how.weights())));
                }
                ("fused", options)
            }
            SystemKind::Reranked { of, by } => {
                let model = match by {
                    RerankedBy::Model(model) => model.clone(),
                    RerankedBy::Retriever(retriever) => form(&**retriever),
                };
                ("reranked", vec![("of", json!(of)), ("model", json!(model))])
            }
            SystemKind::Chat { model, .. } => ("chat", vec![("model", json!(model))]),
            SystemKind::Labels(path) => ("labels", vec![("path", json!(path))]),
        };
        let mut table = vec![("name", json!(self.name)), ("kind", json!(kind))];
        table.extend(options);
        table.push(("depth", json!(self.depth)));
        serializer.collect_map(table)
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
        let config = read("kind = 'bm25'\ntokenizer = 'plain'\nstop-words = 'english'").unwrap();
        assert_eq!(config.name(), "bm25-plain-stop");
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
        for (number, why) in [
            (
                "k1 = -0.1",
                "retriever option `k1` is -0.1, expected a number from 0 up",
            ),
            ("k1 = nan", "`k1` is NaN"),
            ("b = 1.1", "`b` is 1.1"),
            ("form = 'bm25l'\ndelta = -1", "`delta` is -1"),
            (
                "form = 'bm26'",
                "unknown variant `bm26`, expected one of `lucene`",
            ),
            ("tokenizer = 'words'", "`tokenizer` is `words`"),
        ] {
            let error = read(&format!("kind = 'bm25'\n{number}")).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
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
