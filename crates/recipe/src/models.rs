//! The models of a recipe: those that its dense and reranked retrievers name.
//!
//! Enters: the retrievers as they are written, tables `[[model]]` of the recipe, and the file that `models` names.
//! Leaves: for each retriever that calls a model a [`RecipeModel`]. A name is looked for among the tables first and
//! then read as a short form (`hf:ORG/NAME`). The presence of the model is not checked; a run that is only read needs
//! none.
//!
//! Folders stay relative to the recipe's folder, so the resolved recipe is the same in any folder; those in the file
//! of `models` are relative to that file.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use barecode_evaluate::{Choice, Dense, System, SystemKind, VectorOptions, check_references};
use barecode_models::{
    ModelError, ModelSpec, Similarity, Source, models_in, public_address, read_models,
};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::recipe_text::{RecipeText, nearest};
use barecode_runs::exit::{Failure, classify};

/// The model of a retriever.
#[derive(Debug, Clone)]
pub struct RecipeModel {
    /// The model that is opened; it has the name of the retriever.
    pub spec: ModelSpec,
    /// Its position in the recipe: `recipe.toml:12:9`.
    pub position: String,
}

/// The tables that a recipe may name.
#[derive(Debug)]
pub(super) struct Known {
    all: Vec<Choice>,
    /// The tables that were used, for the resolved recipe.
    pub(super) used: Vec<Choice>,
}

impl Known {
    /// Reads all tables `[[model]]`, of the file first.
    pub(super) fn read(
        file: Option<&Spanned<String>>,
        recipe: &RecipeText<'_>,
        base: &Path,
    ) -> Result<Self, Failure> {
        Ok(Known {
            all: tables(file, recipe, base)?,
            used: Vec::new(),
        })
    }

    /// Finds the model with this name, or this short form.
    pub(super) fn find(
        &mut self,
        named: &str,
        recipe: &RecipeText<'_>,
        span: &Range<usize>,
    ) -> Result<Choice, Failure> {
        let choice = match self.all.iter().find(|choice| choice.name() == named) {
            Some(choice) => {
                if !self.used.iter().any(|other| other.name() == choice.name()) {
                    self.used.push(choice.clone());
                }
                choice.clone()
            }
            None => short_form(named, &self.all, recipe, span)?,
        };
        if let Choice::Model(spec) = &choice {
            refuse_secret(spec, recipe, span)?;
        }
        Ok(choice)
    }
}

/// The retrievers with the values of their models' tables, and the models by the name of the retriever.
pub(super) fn check(
    retrievers: Vec<Spanned<System>>,
    known: &mut Known,
    recipe: &RecipeText<'_>,
) -> Result<(Vec<System>, BTreeMap<String, RecipeModel>), Failure> {
    let (mut checked, mut models) = (Vec::new(), BTreeMap::new());
    let spans: Vec<Range<usize>> = retrievers.iter().map(Spanned::span).collect();
    for (number, retriever) in retrievers.into_iter().enumerate() {
        let table = retriever.span();
        let config = retriever.into_inner();
        let Some(named) = config.model() else {
            checked.push(config);
            continue;
        };
        let span = model_span(recipe.text, number).unwrap_or(table);
        let choice = known.find(named, recipe, &span)?;
        // Some retrievers rerank without a model.
        if let (SystemKind::Reranked { of, .. }, Choice::Retriever { .. }, Ok(by)) =
            (config.kind(), &choice, choice.reranker())
        {
            let of = of.clone();
            let config = config.with_kind(SystemKind::Reranked { of, by });
            checked.push(config.map_err(|error| recipe.refuse(span.clone(), &error.to_string()))?);
            continue;
        }
        let mut spec = suited(choice, recipe, &span)?;
        config.name().clone_into(&mut spec.name);
        let name = config.name().to_owned();
        let config = match config.dense() {
            None => config,
            Some(dense) => {
                let stated = dense.vectors;
                spec.dtype = stated.dtype.or(spec.dtype);
                spec.dimensions = stated.dimensions.or(spec.dimensions);
                let vectors = VectorOptions {
                    // A value that the retriever leaves open may be in the model's table.
                    similarity: match stated.similarity {
                        Similarity::Cosine => spec.similarity,
                        similarity => similarity,
                    },
                    dtype: spec.dtype,
                    dimensions: spec.dimensions,
                };
                let dense = Dense {
                    vectors,
                    ..dense.clone()
                };
                config
                    .with_kind(SystemKind::Dense(dense))
                    .map_err(|error| recipe.refuse(span.clone(), &error.to_string()))?
            }
        };
        let model = RecipeModel {
            spec,
            position: recipe.of(&span),
        };
        models.insert(name, model);
        checked.push(config);
    }
    if let Err((at, message)) = check_references(&checked) {
        return Err(recipe
            .error(Some(spans[at].clone()), &message, None)
            .hint("name retrievers that come before it in the recipe"));
    }
    Ok((checked, models))
}

fn tables(
    file: Option<&Spanned<String>>,
    recipe: &RecipeText<'_>,
    base: &Path,
) -> Result<Vec<Choice>, Failure> {
    let mut known: Vec<Choice> = Vec::new();
    if let Some(file) = file {
        let path = Path::new(file.get_ref());
        known = read_models(&base.join(path)).map_err(|error| match error {
            ModelError::Io { source, .. } => {
                let message = format!("cannot read the models in `{}`: {source}", path.display());
                recipe
                    .refuse(file.span(), &message)
                    .hint("`models` names a file with tables `[[model]]`, from the recipe's folder")
            }
            error => classify(&error.into()),
        })?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for choice in &mut known {
            if let Choice::Model(ModelSpec {
                source: Source::Local(path),
                ..
            }) = choice
            {
                *path = folder.join(&*path);
            }
        }
    }
    let own: Result<Vec<Choice>, ModelError> = models_in(recipe.file, recipe.text);
    for choice in own.map_err(|error| classify(&error.into()))? {
        if known.iter().any(|other| other.name() == choice.name()) {
            let message = format!(
                "{}: the model `{}` is in a table of the recipe and in the file of `models`",
                recipe.file,
                choice.name()
            );
            return Err(Failure::invalid(message).hint("give one of them another `name`"));
        }
        known.push(choice);
    }
    Ok(known)
}

fn short_form(
    named: &str,
    known: &[Choice],
    recipe: &RecipeText<'_>,
    span: &Range<usize>,
) -> Result<Choice, Failure> {
    named.parse::<Choice>().map_err(|error| {
        let names = known.iter().map(Choice::name);
        if let Some(near) = nearest(named, names) {
            let message = format!("the recipe has no model `{named}`");
            return recipe.error(Some(span.clone()), &message, Some(near));
        }
        let hint = error.hint().unwrap_or(
            "a model is a name from `models` or `[[model]]`, or a short form such as `hf:ORG/NAME` or `local:FOLDER`",
        );
        recipe.refuse(span.clone(), &error.to_string()).hint(hint)
    })
}

/// Refuses an address with a secret in it.
fn refuse_secret(
    spec: &ModelSpec,
    recipe: &RecipeText<'_>,
    span: &Range<usize>,
) -> Result<(), Failure> {
    // A recipe is published, and so is the manifest that has it.
    let address = match &spec.source {
        Source::Compatible { url, .. } | Source::Tei(url) => Some(url),
        _ => spec.remote.url.as_ref(),
    };
    if address.is_some_and(|url| public_address(url) != *url) {
        let message = format!(
            "{}: an address in a recipe must not contain a secret",
            recipe.of(span)
        );
        return Err(Failure::invalid(message).hint(
            "keys come from the environment; `key-variable` of a `[[model]]` names the variable",
        ));
    }
    Ok(())
}

/// The model, if it embeds texts and can be named afterwards.
pub(super) fn suited(
    choice: Choice,
    recipe: &RecipeText<'_>,
    span: &Range<usize>,
) -> Result<ModelSpec, Failure> {
    let (kind, embeds) = (choice.kind(), choice.encoder().is_some());
    let spec = match choice {
        Choice::Model(spec) if embeds => spec,
        other => {
            let message = format!("a model of kind `{kind}` does not embed texts");
            let hint = match other {
                Choice::Retriever { .. } => format!("write `kind = \"{kind}\"` for the retriever"),
                Choice::Model(_) => {
                    "write `kind = \"vectors\"` or `kind = \"run\"` and `path` for the retriever"
                        .to_owned()
                }
            };
            return Err(recipe.refuse(span.clone(), &message).hint(hint));
        }
    };
    if matches!(spec.source, Source::Compatible { model: None, .. }) {
        let message = "the server's model has no name, so the evaluated model would be unknown";
        let refused = recipe.refuse(span.clone(), message);
        return Err(refused.hint("name it: openai+URL#MODEL"));
    }
    Ok(spec)
}

/// The range of the value of `model` in a `[[retriever]]`.
fn model_span(text: &str, number: usize) -> Option<Range<usize>> {
    let table = DeTable::parse(text).ok()?;
    let of = |table: &DeTable<'_>, key: &str| -> Option<usize> {
        table.iter().position(|(name, _)| name.get_ref() == key)
    };
    let (_, retrievers) = table
        .get_ref()
        .iter()
        .nth(of(table.get_ref(), "retriever")?)?;
    let DeValue::Table(entries) = retrievers.get_ref().as_array()?.get(number)?.get_ref() else {
        return None;
    };
    let (_, model) = entries.iter().nth(of(entries, "model")?)?;
    Some(model.span())
}
