//! How alike a model finds pairs of programs (pydra, section 5).
//!
//! In come the texts of a probe, its pairs and a model; out comes a similarity for each pair, for some random pairs of
//! programs, and for the programs nearest to each. All texts are embedded as documents: a pair has no query.

use std::collections::{BTreeMap, BTreeSet};

use barecode_models::{Encoder, Side};
use barecode_records::{Digest, Id, Relation, Similarity};
use barecode_retrieval::{DenseIndex, Similarity as Measured, Vectors, VectorsError};
use rayon::prelude::*;

use crate::error::EvaluateError;
use crate::task::{ProbeParts, Task};

/// How many other programs each program is compared with.
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

/// What a model says about a probe.
#[derive(Debug, Clone, PartialEq)]
pub struct Probed {
    /// The similarities: by program, then relation, then the other text; the nearest by how near they are.
    pub rows: Vec<Similarity>,
    /// Texts that the model read in part.
    pub truncated: usize,
    /// All texts.
    pub texts: usize,
}

/// Compares the pairs of a probe. A task that is none has no pairs.
///
/// # Errors
/// As the model has it, and pairs of texts that are not there.
pub fn probe(
    task: &Task,
    encoder: &dyn Encoder,
    config: &ProbeConfig,
    seed: u64,
) -> Result<Probed, EvaluateError> {
    let nothing = ProbeParts::default();
    let parts = task.probe.as_ref().unwrap_or(&nothing);
    let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    let embedded = encoder.encode(Side::Document, &texts)?;
    let truncated = embedded.truncated.iter().filter(|cut| **cut).count();
    let dimensions = embedded.dimensions;
    let row = |text: usize| &embedded.values[text * dimensions..(text + 1) * dimensions];
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
            similarity: cosine(row(*program), row(*other)),
        });
    }

    let programs: Vec<(usize, &Id, &str)> = (parts.programs.iter())
        .filter_map(|it| Some((*places.get(it.id.as_str())?, &it.id, it.problem.as_str())))
        .collect();
    let other = |relation: Relation, first: usize, second: usize| Similarity {
        program_id: programs[first].1.clone(),
        other_id: programs[second].1.clone(),
        relation,
        similarity: cosine(row(programs[first].0), row(programs[second].0)),
    };
    let random = (0..programs.len()).into_par_iter().flat_map_iter(|first| {
        let drawn = partners(&programs, first, config.random, seed);
        drawn.into_iter().map(move |second| (first, second))
    });
    let random: Vec<(usize, usize)> = random.collect();
    let random = random.into_iter();
    rows.extend(random.map(|(first, second)| other(Relation::Random, first, second)));

    let values: Vec<f32> = programs
        .iter()
        .flat_map(|(place, ..)| row(*place))
        .copied()
        .collect();
    if config.nearest > 0 && !programs.is_empty() {
        let invalid =
            |error: VectorsError| EvaluateError::invalid(error.to_string()).hinted(error.hint());
        let vectors = Vectors::new(dimensions, values).map_err(invalid)?;
        let index = DenseIndex::new(&vectors, Measured::Cosine);
        // A program finds itself and the others of its problem first.
        let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, _, problem) in &programs {
            *sizes.entry(problem).or_default() += 1;
        }
        let depth = config.nearest + sizes.values().max().copied().unwrap_or(0);
        let lists = index.search_all(&vectors, depth).map_err(invalid)?;
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
    Ok(Probed {
        rows,
        truncated,
        texts: texts.len(),
    })
}

/// Other programs for one, drawn by ids: a program that is added does not change whom the others are compared with,
/// except where it is drawn itself.
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

/// The cosine of two vectors; 0 if one of them is nothing.
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
