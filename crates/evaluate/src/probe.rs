//! The similarity of pairs of programs for a system (pydra, section 5).
//!
//! In come the texts of a probe, its pairs and a system; out comes a similarity for each pair, for some random pairs
//! of programs, and for the programs nearest to each. A model embeds all texts as documents, for a pair has no query,
//! and compares vectors by their cosine; a retriever compares the texts as they are. The pairs are the same for all
//! systems.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_models::{Embeddings, Encoder, Side};
use barecode_records::{Digest, Id, Relation, Similarity};
use barecode_retrieval::{
    Alike, Compares, DenseIndex, RetrieverError, Scored, Similarity as Measured, Vectors,
};
use rayon::prelude::*;

use crate::error::EvaluateError;
use crate::reading::Reading;
use crate::system::SystemKind;
use crate::task::{ProbeParts, Task};

/// The number of other programs that each program is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct ProbeConfig {
    /// Random programs.
    pub random: usize,
    /// The nearest ones, among which a clone is ranked (100 in the paper).
    pub nearest: usize,
    /// Bins of lengths.
    pub bins: usize,
}

impl Default for ProbeConfig {
    fn default() -> Self {
        ProbeConfig {
            random: 100,
            nearest: 100,
            bins: 8,
        }
    }
}

/// The results of a system on a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The similarities: by program, then relation, then the other text; the nearest ones nearest first.
    pub rows: Vec<Similarity>,
    /// Texts that the system read in part.
    pub truncated: usize,
    /// All texts.
    pub texts: usize,
}

/// The means by which the documents of a probe are compared: it needs one vector of each, or no model at all.
pub enum Prober {
    /// The system's model, whose vectors are compared.
    Model,
    /// The system's retriever.
    Retriever(Arc<dyn Compares>),
}

impl Prober {
    /// The means by which a system compares documents; `None` if it can only answer queries.
    pub fn of(kind: &SystemKind) -> Option<Self> {
        match kind {
            SystemKind::Retriever(retriever) => {
                Arc::clone(retriever).compares().map(Prober::Retriever)
            }
            SystemKind::Dense(dense) if dense.reading == Reading::Whole => Some(Prober::Model),
            _ => None,
        }
    }
}

/// Compares the pairs of a probe; `open` returns the model, if one is needed. A task that is not a probe has no
/// pairs.
///
/// # Errors
/// As the model reports, and for pairs of texts that do not exist.
pub fn probe<E: From<EvaluateError>>(
    by: &Prober,
    open: impl FnOnce() -> Result<Arc<dyn Encoder>, E>,
    task: &Task,
    config: &ProbeConfig,
    seed: u64,
) -> Result<Probed, E> {
    let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    let (alike, truncated): (Box<dyn Alike + '_>, usize) = match by {
        Prober::Retriever(retriever) => (retriever.alike(&texts), 0),
        Prober::Model => {
            let embedded = open()?.encode(Side::Document, &texts);
            let embedded = embedded.map_err(EvaluateError::from)?;
            let truncated = embedded.truncated.iter().filter(|cut| **cut).count();
            (Box::new(ByVectors(embedded)), truncated)
        }
    };
    Ok(Probed {
        rows: compared(&*alike, task, config, seed)?,
        truncated,
        texts: texts.len(),
    })
}

/// By the cosine of a model's vectors.
struct ByVectors(Embeddings);

impl ByVectors {
    fn vector(&self, document: usize) -> &[f32] {
        let dimensions = self.0.dimensions;
        &self.0.values[document * dimensions..(document + 1) * dimensions]
    }
}

impl Alike for ByVectors {
    fn similarity(&self, first: usize, second: usize) -> f64 {
        cosine(self.vector(first), self.vector(second))
    }

    fn nearest(
        &self,
        documents: &[usize],
        depth: usize,
    ) -> Result<Vec<Vec<Scored>>, RetrieverError> {
        let values = documents.iter().flat_map(|document| self.vector(*document));
        let vectors = Vectors::new(self.0.dimensions, values.copied().collect())?;
        let index = DenseIndex::new(&vectors, Measured::Cosine);
        Ok(index.search_all(&vectors, depth)?)
    }
}

/// The similarities of a probe's pairs, of random pairs, and of each program with those nearest to it.
fn compared(
    alike: &dyn Alike,
    task: &Task,
    config: &ProbeConfig,
    seed: u64,
) -> Result<Vec<Similarity>, EvaluateError> {
    let nothing = ProbeParts::default();
    let parts = task.probe.as_ref().unwrap_or(&nothing);
    let places = task.indexes();
    let mut rows = Vec::new();
    for pair in &parts.pairs {
        let (Some(program), Some(other)) = (
            places.get(pair.program_id.as_str()),
            places.get(pair.other_id.as_str()),
        ) else {
            let message = format!(
                "the pair of `{}` and `{}` has a text that the subset lacks",
                pair.program_id, pair.other_id
            );
            return Err(EvaluateError::invalid(message));
        };
        rows.push(Similarity {
            program_id: pair.program_id.clone(),
            other_id: pair.other_id.clone(),
            relation: pair.relation,
            similarity: alike.similarity(*program, *other),
        });
    }

    let programs: Vec<(usize, &Id, &str)> = (parts.programs.iter())
        .filter_map(|it| Some((*places.get(it.id.as_str())?, &it.id, it.problem.as_str())))
        .collect();
    let other = |relation: Relation, first: usize, second: usize| Similarity {
        program_id: programs[first].1.clone(),
        other_id: programs[second].1.clone(),
        relation,
        similarity: alike.similarity(programs[first].0, programs[second].0),
    };
    let random = (0..programs.len()).into_par_iter().flat_map_iter(|first| {
        let drawn = partners(&programs, first, config.random, seed);
        drawn.into_iter().map(move |second| (first, second))
    });
    let random: Vec<(usize, usize)> = random.collect();
    let random = random.into_iter();
    rows.extend(random.map(|(first, second)| other(Relation::Random, first, second)));

    if config.nearest > 0 && !programs.is_empty() {
        // A program finds itself and the others of its problem first.
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, _, problem) in &programs {
            *sizes.entry(problem).or_default() += 1;
        }
        let depth = config.nearest + sizes.values().max().copied().unwrap_or(0);
        let documents: Vec<usize> = programs.iter().map(|(place, ..)| *place).collect();
        let lists = alike.nearest(&documents, depth)?;
        for (first, list) in lists.iter().enumerate() {
            let problem = programs[first].2;
            let others = list.iter().map(|scored| scored.document);
            let strangers = others.filter(|second| programs[*second].2 != problem);
            let nearest = strangers.take(config.nearest);
            rows.extend(nearest.map(|second| other(Relation::Nearest, first, second)));
        }
    }
    // The order of equal rows is that in which they were made.
    rows.sort_by(|a, b| (&a.program_id, a.relation).cmp(&(&b.program_id, b.relation)));
    Ok(rows)
}

/// Other programs for one, drawn by ids: a program that is added does not change the partners of the others, except
/// where it is drawn itself.
fn partners(programs: &[(usize, &Id, &str)], first: usize, n: usize, seed: u64) -> BTreeSet<usize> {
    let (_, id, problem) = programs[first];
    let mut keyed: Vec<(u64, usize)> = (0..programs.len())
        .filter(|second| programs[*second].2 != problem)
        .map(|second| {
            let digest = Digest::new("random pair").field(seed.to_le_bytes());
            // One key for both orders, so that a pair is drawn from both of its ends or from none where possible.
            let other = programs[second].1;
            let key = digest.field(id.min(other)).field(id.max(other)).seed();
            (key, second)
        })
        .collect();
    if keyed.len() > n {
        keyed.select_nth_unstable(n);
        keyed.truncate(n);
    }
    keyed.into_iter().map(|(_, second)| second).collect()
}

/// The cosine of two vectors; 0 if one of them has length 0.
fn cosine(a: &[f32], b: &[f32]) -> f64 {
    let product = |a: &[f32], b: &[f32]| -> f64 {
        let terms = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        terms.sum()
    };
    let lengths = (product(a, a) * product(b, b)).sqrt();
    if lengths == 0.0 {
        return 0.0;
    }
    (product(a, b) / lengths).clamp(-1.0, 1.0)
}
