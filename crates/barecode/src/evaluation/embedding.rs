//! Texts to vectors before the first shard. Subsets share most of their queries and some of their documents, so each
//! text is embedded once for all of them, and the shards find the vectors in the cache.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_evaluate::SystemKind;
use barecode_models::{Embeddings, Encoder, ModelError, Side};

use super::candidates::candidates_of;
use super::state::Evaluation;
use crate::console::grouped;
use crate::encoders::{Fetch, sampling};

/// The distinct texts that a model embeds.
#[derive(Debug, Default)]
pub(super) struct Texts {
    documents: BTreeSet<String>,
    queries: BTreeSet<String>,
}

impl Texts {
    /// Both sides, each in the order of its texts.
    pub(super) fn sides(&self) -> [(Side, Vec<&str>); 2] {
        fn list(texts: &BTreeSet<String>) -> Vec<&str> {
            texts.iter().map(String::as_str).collect()
        }
        [
            (Side::Document, list(&self.documents)),
            (Side::Query, list(&self.queries)),
        ]
    }
}

impl Evaluation<'_> {
    /// Opens models, embeds texts and draws candidates for the shards that are to do. All models are opened first: a
    /// missing key or folder is reported before anything is paid for.
    pub(super) fn prepare(&self, to_do: &[&Path]) -> anyhow::Result<()> {
        for (system, config) in self.systems.iter().enumerate() {
            let Some(model) = self.models.get(config.name()) else {
                continue;
            };
            if self.is_to_do(system, to_do) {
                match config.kind() {
                    SystemKind::Reranked { .. } => {
                        self.encoders.open_reranker(model, Fetch::Allowed)?;
                    }
                    &SystemKind::Chat { max_tokens, .. } => {
                        self.encoders.open_writer(model, sampling(max_tokens))?;
                    }
                    _ => drop(self.encoders.open(model, Fetch::Allowed)?),
                }
            }
        }
        for (system, texts) in self.texts(to_do)? {
            let model = &self.models[self.systems[system].name()];
            let encoder = self.encoders.open(model, Fetch::Allowed)?;
            let embedded = self.embed(&model.spec.name, &*encoder, &texts);
            self.books.write(
                self.folder,
                &model.spec.name,
                encoder.identity(),
                self.encoders,
            )?;
            embedded?;
        }
        for at in self.drawn_from() {
            let of_subset = |system| to_do.contains(&&*self.last(system, at));
            let candidates = candidates_of(&self.subsets[at]);
            if to_do.contains(&&*candidates) || (0..self.systems.len()).any(of_subset) {
                self.task(at)?;
            }
        }
        Ok(())
    }

    fn is_to_do(&self, system: usize, to_do: &[&Path]) -> bool {
        (0..self.subsets.len()).any(|at| to_do.contains(&&*self.last(system, at)))
    }

    /// The distinct texts that each model embeds for the tables that are to do, with a system that has this model.
    pub(super) fn texts(&self, to_do: &[&Path]) -> anyhow::Result<Vec<(usize, Texts)>> {
        let mut found: Vec<(usize, Texts)> = Vec::new();
        for (system, config) in self.systems.iter().enumerate() {
            let (Some(dense), Some(model)) = (config.dense(), self.models.get(config.name()))
            else {
                continue;
            };
            let same =
                |other: usize| self.models[self.systems[other].name()].spec.name == model.spec.name;
            let mut texts = Texts::default();
            for at in 0..self.subsets.len() {
                if !to_do.contains(&&*self.last(system, at)) {
                    continue;
                }
                let task = (self.subsets[at].load)()?;
                let (documents, _) = dense.reading.texts(&task, self.seed);
                let documents = documents.into_iter().flatten();
                texts.documents.extend(documents.map(Cow::into_owned));
                let queries = task.queries.iter().map(|query| query.text.clone());
                texts.queries.extend(queries);
            }
            match found.iter_mut().find(|(other, _)| same(*other)) {
                Some((_, known)) => {
                    known.documents.extend(texts.documents);
                    known.queries.extend(texts.queries);
                }
                None => found.push((system, texts)),
            }
        }
        found.retain(|(_, texts)| !texts.documents.is_empty());
        Ok(found)
    }

    fn embed(&self, name: &str, encoder: &dyn Encoder, texts: &Texts) -> Result<(), ModelError> {
        for (side, texts) in texts.sides() {
            let (cut, empty) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let count = |_: &[usize], part: Embeddings| {
                let truncated = part.truncated.iter().filter(|cut| **cut).count();
                cut.fetch_add(truncated, Ordering::Relaxed);
                let vectors = part.values.chunks(part.dimensions.max(1));
                let zeros = vectors.filter(|vector| vector.iter().all(|number| *number == 0.0));
                empty.fetch_add(zeros.count(), Ordering::Relaxed);
                Ok(())
            };
            encoder.encode_parts(side, &texts, &count)?;
            let (cut, empty) = (cut.into_inner(), empty.into_inner());
            let noun = match side {
                Side::Document => "documents",
                Side::Query => "queries",
            };
            if empty > 0 {
                self.console.note(&format!(
                    "{:>9}  {name}: the vectors of {} of {} {noun} are all zeros, which is as near to one text as to another",
                    "embed",
                    grouped(empty as u64),
                    grouped(texts.len() as u64)
                ));
            }
            if cut > 0 {
                self.console.note(&format!(
                    "{:>9}  {name}: {} of {} {noun} are longer than the model reads",
                    "embed",
                    grouped(cut as u64),
                    grouped(texts.len() as u64)
                ));
            }
        }
        let usage = self.encoders.usage();
        let damaged = usage.get(name).map_or(0, |usage| usage.cache_damaged);
        if damaged > 0 {
            self.console.note(&format!(
                "{:>9}  {name}: {} cached vectors were damaged, and were requested again",
                "embed",
                grouped(damaged)
            ));
        }
        Ok(())
    }
}
