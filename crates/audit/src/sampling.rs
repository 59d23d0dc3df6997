//! Faults in the draws of candidates: not at random, or not from all.

use std::collections::BTreeMap;

use crate::look::{Look, SubsetLook};
use crate::provenance::repository;
use crate::rule::{Example, Finding, Report, Severity, counted, grouped, percent, rule, share_of};

rule! {
    /// Documents next to documents of their own repository, so that a window of rows is not a random draw.
    ///
    /// **Why it matters.** Evaluations with the next or the previous rows as distractors compare a query with documents
    /// of its own project. Their scores are not those of random distractors.
    ///
    /// **Method.** Neighbors in the order of the file with the same repository, against what a shuffled file would have
    /// (`expected`). It is reported if there are more than twice as many, and at least 5 %.
    ///
    /// **Example.** 506 of 1,069 neighboring rows of StatCodeSearch are of the same project.
    ///
    /// **Remedy.** Draw distractors with a seed from all documents.
    ///
    /// **Limits.** The rule sees the order of the file, not the draw of distractors from it.
    NEIGHBORS = "BA605" "local-neighbors", local_neighbors;
}

rule! {
    /// Candidate pools that are not a uniform draw from the documents.
    ///
    /// **Why it matters.** A score over 100 candidates is valid only if the 99 others were drawn at random, or in a
    /// documented way.
    ///
    /// **Method.** Pools that are smaller than the subset are measured without the answers. `distance` is the mean
    /// distance between the positions of an answer and of its candidates; a uniform draw has 1. `shared with previous`
    /// is the number of candidates that a pool shares with the pool before it, in units of the number by chance.
    /// `dispersion` is the variance of the number of draws of a document over its mean; a uniform draw has about 1.
    /// Each is a normal deviate, and the rule reports from 6 on. It is a warning if pools are local or depend on each
    /// other. Otherwise it is a note, because hubs come from retrieval and hard negatives may be intended.
    ///
    /// **Example.** GenCodeSearchNet's evaluation draws the distractors of a query from the hundred of the query
    /// before it.
    ///
    /// **Remedy.** Draw each pool by itself, with a seed, from all documents; or document the draw.
    ///
    /// **Limits.** Pools made by a retriever are intentionally not uniform.
    POOLS = "BA606" "pools-not-uniform", pools_not_uniform;
}

fn local_neighbors(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let names: Vec<Option<&str>> = (0..subset.documents.len())
            .map(|at| repository(subset, at))
            .collect();
        let known = names.iter().flatten().count();
        if known < 50 {
            continue;
        }
        let neighbors: Vec<usize> = (1..names.len())
            .filter(|&at| names[at].is_some() && names[at - 1] == names[at])
            .collect();
        let of = (1..names.len())
            .filter(|&at| names[at].is_some() && names[at - 1].is_some())
            .count();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for name in names.iter().flatten() {
            *counts.entry(name).or_default() += 1;
        }
        let n = known as f64;
        let expected: f64 = counts
            .values()
            .map(|&count| count as f64 * (count as f64 - 1.0) / (n * (n - 1.0)))
            .sum();
        let share = share_of(neighbors.len(), of);
        if share < 0.05 || share < 2.0 * expected {
            continue;
        }
        let examples = neighbors.iter().take(3).map(|&at| Example {
            ids: vec![
                subset.document(at - 1).id.clone(),
                subset.document(at).id.clone(),
            ],
            excerpt: names[at].unwrap_or_default().to_owned(),
        });
        let message = format!(
            "{} of {} are of the same repository; in a shuffled file {} would be",
            grouped(neighbors.len()),
            counted(of, "neighboring pair"),
            percent(expected)
        );
        report.add(Finding {
            numbers: vec![("expected", expected)],
            examples: examples.collect(),
            ..subset.found("neighbors", neighbors.len(), of, message)
        });
    }
}

/// Sums for a normal deviate.
#[derive(Default)]
struct Deviate {
    observed: f64,
    expected: f64,
    variance: f64,
}

impl Deviate {
    fn z(&self) -> f64 {
        if self.variance > 0.0 {
            (self.observed - self.expected) / self.variance.sqrt()
        } else {
            0.0
        }
    }

    fn ratio(&self) -> f64 {
        if self.expected > 0.0 {
            self.observed / self.expected
        } else {
            1.0
        }
    }
}

fn pools_not_uniform(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let n = subset.documents.len();
        // For each query with a pool: its answer's index and the indices of the other candidates.
        let pools: Vec<(usize, Option<usize>, Vec<usize>)> = (0..subset.queries.len())
            .filter_map(|query| pool(subset, query))
            .collect();
        if pools.len() < 20 || n < 50 || pools.iter().all(|(_, _, pool)| pool.len() * 10 > n * 9) {
            continue;
        }
        let size = n as f64;
        let mut distance = Deviate::default();
        let mut chained = Deviate::default();
        let mut drawn = vec![0_u32; n];
        let mut chances = 0.0;
        let mut worst: Option<(f64, usize)> = None;
        for (at, (query, answer, pool)) in pools.iter().enumerate() {
            for &place in pool {
                drawn[place] += 1;
            }
            chances += pool.len() as f64;
            if let Some(answer) = answer {
                let (before, after) = (*answer as f64, size - 1.0 - *answer as f64);
                let mean = (before * (before + 1.0) + after * (after + 1.0)) / (2.0 * (size - 1.0));
                let square = |k: f64| k * (k + 1.0) * (2.0 * k + 1.0) / 6.0;
                let variance = (square(before) + square(after)) / (size - 1.0) - mean * mean;
                let m = pool.len() as f64;
                let sum: f64 = pool
                    .iter()
                    .map(|place| place.abs_diff(*answer) as f64)
                    .sum();
                distance.observed += sum;
                distance.expected += m * mean;
                distance.variance += m * variance * ((size - m) / (size - 1.0)).max(0.0);
                let ratio = sum / (m * mean).max(1.0);
                if worst.is_none_or(|(lowest, _)| ratio < lowest) {
                    worst = Some((ratio, *query));
                }
            }
            if let Some((.., before)) = at.checked_sub(1).and_then(|before| pools.get(before)) {
                let both = pool
                    .iter()
                    .filter(|place| before.binary_search(place).is_ok())
                    .count() as f64;
                let (m, k) = (pool.len() as f64, before.len() as f64);
                chained.observed += both;
                chained.expected += m * k / size;
                chained.variance +=
                    m * k / size * (1.0 - k / size) * ((size - m) / (size - 1.0)).max(0.0);
            }
        }
        let mean = chances / size;
        let spread: f64 = drawn
            .iter()
            .map(|&count| (f64::from(count) - mean).powi(2))
            .sum::<f64>()
            / (size - 1.0);
        let share = chances / size / pools.len() as f64;
        let dispersion = spread / (mean * (1.0 - share)).max(f64::MIN_POSITIVE);
        // The sum of squares over its mean is close to chi-square with n − 1 degrees of freedom.
        let hubs = (dispersion - 1.0) * ((size - 1.0) / 2.0).sqrt();
        let (local, chain) = (-distance.z(), chained.z());
        if local < 6.0 && chain < 6.0 && hubs < 6.0 {
            continue;
        }
        let is_local =
            local >= 6.0 && distance.ratio() < 0.9 || chain >= 6.0 && chained.ratio() > 2.0;
        let example = worst.map(|(_, query)| subset.show_query(query, 0));
        let message = format!(
            "candidates are {:.2} as far from the answer as random ones, {:.1} times as many are shared with the pool before, \
                 and how often a document is drawn varies {:.1} times as much",
            distance.ratio(),
            chained.ratio(),
            dispersion
        );
        report.add(Finding {
            severity: if is_local {
                Severity::Warning
            } else {
                Severity::Note
            },
            numbers: vec![
                ("distance", distance.ratio()),
                ("distance z", -local),
                ("shared with previous", chained.ratio()),
                ("shared z", chain),
                ("dispersion", dispersion),
                ("dispersion z", hubs),
            ],
            examples: example.into_iter().collect(),
            ..subset.found("pools", pools.len(), subset.queries.len(), message)
        });
    }
}

fn pool(subset: &SubsetLook<'_>, query: usize) -> Option<(usize, Option<usize>, Vec<usize>)> {
    let ids = subset.subset.candidates.get(&subset.query(query).id)?;
    let answers: Vec<usize> = subset.answers(query).collect();
    let mut places: Vec<usize> = ids
        .iter()
        .filter_map(|id| subset.document_at.get(id.as_str()).copied())
        .filter(|at| answers.binary_search(at).is_err())
        .collect();
    places.sort_unstable();
    places.dedup();
    (!places.is_empty()).then(|| (query, answers.first().copied(), places))
}
