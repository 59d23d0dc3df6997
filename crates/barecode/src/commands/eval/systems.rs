//! The systems that are evaluated: models, and combinations of their lists.
//!
//! In come the options of the command line, out comes every system under a name of its own, each after those whose
//! lists it is built from:
//!
//! - each requested model, and with `--chunk`, `--canonical`, `--average` and `--described` the same with documents
//!   read another way;
//! - with `--fuse`, all models' lists as one, with `--described` those of described documents;
//! - with `--rerank`, the fused lists in a reranker's order, or each model's if no lists are fused;
//! - of a suite of test sets, chat models and classifiers that judge pairs.

use std::collections::BTreeMap;

use barecode_evaluate::{Choice, FileNames, FusionConfig, Reading, System, SystemKind};
use barecode_models::{ModelError, ModelSpec};

use super::request::Request;
use crate::encoders::{Encoders, Fetch};
use crate::exit::Failure;
use crate::models::choices;
use crate::recipe::RecipeModel;
use crate::recipe::trial::aliased;

/// Everything that is evaluated.
#[derive(Default)]
pub(in crate::commands) struct Systems {
    /// The systems of the table, in its order.
    pub(in crate::commands) all: Vec<System>,
    /// The models of systems that call one, by the name of the system.
    pub(in crate::commands) models: BTreeMap<String, RecipeModel>,
    names: FileNames,
}

impl Systems {
    /// The systems of a command line.
    pub(super) fn of(arguments: &Request) -> anyhow::Result<Self> {
        let file = arguments.models.as_deref();
        let models = choices(&arguments.model, file)?.into_iter();
        let (chance, models): (Vec<Choice>, Vec<Choice>) = models.partition(Choice::is_chance);
        let mut readings = vec![Reading::Whole];
        readings.extend(arguments.chunk);
        readings.extend(arguments.canonical.then_some(Reading::Canonical));
        readings.extend(arguments.average.map(|n| Reading::Averaged(n.into())));
        readings.extend(arguments.described.then_some(Reading::Described));
        let depth = arguments.depth.get();
        let mut systems = Systems::default();
        let mut whole: Vec<String> = Vec::new();
        let mut parts: Vec<String> = Vec::new();
        for choice in &models {
            // Words, vectors and runs exist already, or read every text whole.
            let embeds = choice.encoder().is_some();
            for &reading in &readings {
                let name = format!("{}{}", choice.name(), reading.suffix());
                if reading == Reading::Whole {
                    whole.push(name.clone());
                } else if !embeds {
                    continue;
                }
                let is_described = arguments.described && embeds;
                if reading
                    == (if is_described {
                        Reading::Described
                    } else {
                        Reading::Whole
                    })
                {
                    parts.push(name);
                }
                systems.add_choice(choice, reading, depth)?;
            }
        }
        for choice in &chance {
            systems.add_choice(choice, Reading::Whole, depth)?;
        }
        if readings.len() > 1 && systems.models.is_empty() {
            let message = "no model embeds texts, which this option needs";
            return Err(Failure::invalid(message)
                .hint("leave out --chunk, --canonical, --average and --described, or add a model")
                .into());
        }
        let mut last = parts.clone();
        if !arguments.fuse.is_empty() {
            if whole.len() < 2 {
                let message = "one model's lists cannot be fused";
                return Err(Failure::invalid(message)
                    .hint("give a second --model")
                    .into());
            }
            last.clear();
        }
        for text in &arguments.fuse {
            let how: FusionConfig = text
                .parse()
                .map_err(|message: String| Failure::invalid(message))?;
            let kind = SystemKind::Fused {
                of: parts.clone(),
                how,
            };
            let name = if parts == whole {
                text.clone()
            } else {
                text.clone() + &Reading::Described.suffix()
            };
            systems.add(&name, kind, depth, None)?;
            last.push(name);
        }
        for choice in choices(&arguments.rerank, file)? {
            // Lists in a retriever's own order stay as they are.
            let reranker = choice.name();
            let (own, others): (Vec<&String>, Vec<&String>) =
                last.iter().partition(|first| **first == reranker);
            if others.is_empty() && !own.is_empty() {
                let message = format!("`{reranker}` would rerank only its own lists");
                return Err(Failure::invalid(message)
                    .hint("give another --model, whose lists it puts in order")
                    .into());
            }
            let asked = match &choice {
                Choice::Model(spec) => Some(spec),
                Choice::Retriever { .. } => None,
            };
            for first in others {
                let name = format!("{first} > {reranker}");
                let (of, by) = (first.clone(), choice.reranker()?);
                let kind = SystemKind::Reranked { of, by };
                systems.add(&name, kind, arguments.rerank_depth, asked)?;
            }
        }
        let chat = &arguments.suite;
        for choice in choices(&chat.ask, file)? {
            let spec = choice.model(ModelError::cannot_write)?;
            let kind = SystemKind::Chat {
                model: spec.name.clone(),
                max_tokens: chat.ask_tokens.get(),
            };
            systems.add(&spec.name, kind, depth, Some(&spec))?;
        }
        for text in &chat.labels {
            let (name, path) = aliased(text).unwrap_or((text, text));
            let kind = SystemKind::Labels(path.into());
            systems.add(name, kind, depth, None)?;
        }
        Ok(systems)
    }

    /// A retriever or a model, with its documents read in some way.
    pub(in crate::commands) fn add_choice(
        &mut self,
        choice: &Choice,
        reading: Reading,
        depth: u32,
    ) -> anyhow::Result<()> {
        let name = format!("{}{}", choice.name(), reading.suffix());
        self.add(&name, choice.system(reading), depth, choice.encoder())
    }

    /// One more, with the model that it calls.
    fn add(
        &mut self,
        name: &str,
        kind: SystemKind,
        depth: u32,
        spec: Option<&ModelSpec>,
    ) -> anyhow::Result<()> {
        let system = System::named(name, &self.names.of(name), kind, depth);
        let system = system.map_err(|error| Failure::invalid(error.to_string()))?;
        if self.all.iter().any(|other| other.name() == system.name()) {
            let message = format!("two systems are called `{}`", system.name());
            return Err(Failure::invalid(message)
                .hint("give the models names in a file of --models")
                .into());
        }
        if let Some(spec) = spec {
            let model = RecipeModel {
                spec: spec.clone(),
                position: String::new(),
            };
            self.models.insert(system.name().to_owned(), model);
        }
        self.all.push(system);
        Ok(())
    }

    /// Checks that every model exists, before anything is written or paid for.
    pub(super) fn check(&self, encoders: &Encoders) -> Result<(), Failure> {
        for system in &self.all {
            if let Some(model) = self.models.get(system.name()) {
                encoders.identity(system, model, Fetch::Allowed)?;
            }
        }
        Ok(())
    }
}
