//! The choice that `--model`, a table `[[model]]` or a recipe's `model` names: a retriever that needs no model, or a
//! model.
//!
//! Enters a short form (`bm25:k1=1.2`, `hf:ORG/NAME`) or a table; leaves a [`Choice`] under a name. The forms of
//! retrievers are read by the registry ([`crate::retrievers`]), those of models by `barecode-models`. Not part of
//! this: checking that a model exists.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::Arc;

use barecode_models::{
    Described, Encoder, ModelError, ModelSpec, Refused, Source, nearest, short_form,
};
use barecode_retrieval::Retriever;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use crate::asked::{Asked, Lists};
use crate::error::EvaluateError;
use crate::lists::{embedded, of_run, of_vectors, retrieved};
use crate::options::{Given, apart, unusual, value};
use crate::reading::Reading;
use crate::retrievers;
use crate::system::{Dense, RerankedBy, SystemKind, VectorOptions};

/// A source of lists of documents, under a name.
#[derive(Debug, Clone, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "a command names few, and each is taken apart at once"
)]
pub enum Choice {
    /// A retriever that needs no model.
    Retriever {
        /// The name in tables and files.
        name: String,
        /// The retriever.
        retriever: Arc<dyn Retriever>,
    },
    /// A model, or vectors or lists that exist already.
    Model(ModelSpec),
}

impl Choice {
    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Choice::Retriever { name, .. } | Choice::Model(ModelSpec { name, .. }) => name,
        }
    }

    /// The same under another name.
    #[must_use]
    pub fn renamed(mut self, to: &str) -> Self {
        match &mut self {
            Choice::Retriever { name, .. } | Choice::Model(ModelSpec { name, .. }) => {
                to.clone_into(name);
            }
        }
        self
    }

    /// The kind, as short forms begin.
    pub fn kind(&self) -> &'static str {
        match self {
            Choice::Retriever { retriever, .. } => retriever.kind(),
            Choice::Model(spec) => spec.source.kind(),
        }
    }

    /// Returns `true` if it shows the scores of chance.
    pub fn is_chance(&self) -> bool {
        matches!(self, Choice::Retriever { retriever, .. } if retriever.is_chance())
    }

    /// The model, if it makes vectors of texts.
    pub fn encoder(&self) -> Option<&ModelSpec> {
        match self {
            Choice::Model(spec) if spec.source.embeds() => Some(spec),
            _ => None,
        }
    }

    /// The model where a retriever will not do; `cannot` makes the error from a name and a kind.
    ///
    /// # Errors
    /// If the choice is a retriever, which needs no model.
    pub fn model(self, cannot: fn(&str, &str) -> ModelError) -> Result<ModelSpec, ModelError> {
        match self {
            Choice::Model(spec) => Ok(spec),
            Choice::Retriever { name, retriever } => Err(cannot(&name, retriever.kind())),
        }
    }

    /// The system that lists documents; a model reads them as `reading` defines.
    pub fn system(&self, reading: Reading) -> SystemKind {
        match self {
            Choice::Retriever { retriever, .. } => SystemKind::Retriever(Arc::clone(retriever)),
            Choice::Model(spec) => match &spec.source {
                Source::Vectors(path) => SystemKind::Vectors {
                    path: path.clone(),
                    vectors: vectors(spec),
                },
                Source::Run(path) => SystemKind::Run(path.clone()),
                _ => SystemKind::Dense(dense(spec, reading)),
            },
        }
    }

    /// Its lists; `open` returns the model, if one embeds.
    ///
    /// # Errors
    /// As the model reports, and for files that do not fit the task.
    pub fn lists<E: From<EvaluateError>>(
        &self,
        open: impl FnOnce() -> Result<Arc<dyn Encoder>, E>,
        asked: &Asked<'_>,
    ) -> Result<Lists, E> {
        Ok(match self {
            Choice::Retriever { retriever, .. } => retrieved(&**retriever, asked)?,
            Choice::Model(spec) => match &spec.source {
                Source::Vectors(path) => of_vectors(path, &vectors(spec), asked)?,
                Source::Run(path) => of_run(path, asked)?,
                _ => embedded(&dense(spec, Reading::Whole), &*open()?, asked)?,
            },
        })
    }

    /// The reranker: a model, or a retriever that scores every document.
    ///
    /// # Errors
    /// A retriever that does not score every document.
    pub fn reranker(&self) -> Result<RerankedBy, ModelError> {
        let retriever = match self {
            Choice::Model(spec) => return Ok(RerankedBy::Model(spec.name.clone())),
            Choice::Retriever { retriever, .. } => Arc::clone(retriever),
        };
        match retriever.scores_all() {
            Some(retriever) => Ok(RerankedBy::Retriever(retriever)),
            None => Err(ModelError::cannot_rerank(self.name(), self.kind())),
        }
    }

    /// The table `[[model]]` that describes it.
    pub fn to_table(&self) -> Map<String, Value> {
        match self {
            Choice::Model(spec) => spec.to_table(),
            Choice::Retriever { name, retriever } => {
                let mut table = Map::new();
                table.insert("name".to_owned(), json!(name));
                table.insert("kind".to_owned(), json!(retriever.kind()));
                for (option, setting) in unusual(&**retriever) {
                    table.insert(option.to_owned(), value(&setting));
                }
                table
            }
        }
    }
}

/// The storage and comparison of vectors that a description defines.
fn vectors(spec: &ModelSpec) -> VectorOptions {
    VectorOptions {
        similarity: spec.similarity,
        dtype: spec.dtype,
        dimensions: spec.dimensions,
    }
}

fn dense(spec: &ModelSpec, reading: Reading) -> Dense {
    Dense {
        model: spec.name.clone(),
        vectors: vectors(spec),
        reading,
    }
}

/// The retriever of a kind, with the options of a short form.
pub(crate) fn of_form(kind: &str, options: &str) -> Option<Result<Arc<dyn Retriever>, String>> {
    let mut retriever = retrievers::named(kind)?;
    let parts = options.split(',').filter(|part| !part.trim().is_empty());
    for part in parts {
        let (option, value) = match part.split_once('=') {
            Some((option, value)) => (option.trim(), Some(value.trim())),
            None => (part.trim(), None),
        };
        if let Err(why) = retriever.set(option, value) {
            let known = retriever.options().into_iter().map(|(known, _)| known);
            let is_known = known.clone().any(|known| known == option);
            let near = nearest(option, known.filter(|_| !is_known && value.is_some()));
            return Some(Err(why + &near));
        }
    }
    Some(Ok(retriever.into()))
}

impl FromStr for Choice {
    type Err = ModelError;

    fn from_str(text: &str) -> Result<Self, ModelError> {
        short_form(text)
    }
}

impl From<ModelSpec> for Choice {
    fn from(spec: ModelSpec) -> Self {
        Choice::Model(spec)
    }
}

impl Described for Choice {
    fn kinds() -> &'static [&'static str] {
        retrievers::kinds()
    }

    fn options() -> &'static [&'static str] {
        retrievers::option_names()
    }

    fn forms() -> &'static str {
        retrievers::forms()
    }

    fn of_form(form: &str, kind: &str, options: &str) -> Result<Self, String> {
        let retriever = of_form(kind, options).unwrap_or_else(|| Err(String::new()))?;
        let name = form.to_owned();
        Ok(Choice::Retriever { name, retriever })
    }

    fn of_table<'de, D: Deserializer<'de>>(table: D) -> Result<Result<Self, Refused>, D::Error> {
        let (table, given): (Table, Given) = apart(table, None)?;
        Ok(table.read(&given))
    }

    fn name(&self) -> &str {
        Choice::name(self)
    }
}

/// A table of a retriever, without its options.
#[derive(Deserialize)]
struct Table {
    name: Option<String>,
    kind: String,
    #[serde(flatten)]
    foreign: BTreeMap<String, Value>,
}

impl Table {
    fn read(self, given: &Given) -> Result<Choice, Refused> {
        let kind = &self.kind;
        let Some(mut retriever) = retrievers::named(kind) else {
            return Err(Refused::new(
                "kind",
                format!("`{kind}` is not a kind of model"),
            ));
        };
        let own: Vec<&str> = retriever
            .options()
            .iter()
            .map(|(option, _)| *option)
            .collect();
        let none = |option: &str| {
            Refused::new(
                option,
                format!("a model of kind `{kind}` has no `{option}`"),
            )
        };
        for (option, value) in given.options() {
            if !own.contains(&option) {
                return Err(none(option));
            }
            let set = retriever.set(option, Some(value));
            set.map_err(|why| Refused::new(option, why))?;
        }
        if let Some(option) = self.foreign.keys().next() {
            let near = nearest(&option.replace('_', "-"), own);
            return Err(match near.as_str() {
                "" => none(option),
                near => Refused::new(
                    option,
                    format!("`{option}` is not an option of a model{near}"),
                ),
            });
        }
        match self.name {
            Some(name) if name.trim().is_empty() => Err(Refused::new("name", "the name is empty")),
            None => Err(Refused::new("name", "this model has no `name`")),
            Some(name) => Ok(Choice::Retriever {
                name,
                retriever: retriever.into(),
            }),
        }
    }
}
