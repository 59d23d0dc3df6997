//! The measures of a probe from its similarities: pydra's Tables 5 to 8 and Figures 6 to 10, and measures beyond
//! them.
//!
//! Each row is one number with its interval over programs. `measure` names it:
//!
//! | measure | of | in the paper |
//! | --- | --- | --- |
//! | `similarity` | clones or bugs of a pipeline, alternates, random pairs; also by transform and by bins of length | Tables 5 and 8, Figures 6 to 8 |
//! | `length-normalized` | random pairs, weighted by the lengths of programs and their clones | equation 1 |
//! | `accuracy`, `precision`, `recall`, `auc` | clones versus bugs, at the length-normalized threshold | Table 6 |
//! | `clone-above-bug` | programs whose clone is more like them than their bug is | |
//! | `top-1`, `reciprocal-rank` | the clone among the programs nearest to its program | Table 7 |
//! | `change` | one less the similarity, per changed range | |

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Id, ProbePair, ProbeScore, Relation, Similarity};
use barecode_scores::Interval;
use barecode_scores::probe::{
    Bins, Cell, RandomPair, Spread, by_bins, classify, length_normalized, random_pairs, rank,
};

use crate::{ProbeConfig, ProbeParts};

/// The numbers of a retriever on a probe, by the names of both.
///
/// `rows` are its similarities, as [`probe`](crate::probe()) makes them.
pub fn summarize_probe(
    (retriever, subset): (&str, &str),
    ProbeParts { programs, pairs }: &ProbeParts,
    rows: &[Similarity],
    config: &ProbeConfig,
    confidence: f64,
) -> Vec<ProbeScore> {
    let blank = ProbeScore {
        retriever: retriever.to_owned(),
        subset: subset.to_owned(),
        measure: String::new(),
        relation: None,
        pipeline: None,
        against: None,
        transform: None,
        bin: None,
        other_bin: None,
        value: f64::NAN,
        low: f64::NAN,
        high: f64::NAN,
        deviation: None,
        n: 0,
        missing: 0,
    };
    let indexes: BTreeMap<&Id, usize> = programs
        .iter()
        .enumerate()
        .map(|(at, it)| (&it.id, at))
        .collect();
    let lengths: Vec<u32> = programs.iter().map(|it| it.tokens).collect();
    let bins = Bins::of(&lengths, config.bins);

    let random = random_of(rows, &indexes);
    let cells = by_bins(&random, &lengths, &bins);
    let mut scores = by_length(&random, &cells, &bins, &blank, confidence);

    let similarity: BTreeMap<(&Id, &Id), f64> = rows
        .iter()
        .filter(|row| !matches!(row.relation, Relation::Random | Relation::Nearest))
        .map(|row| ((&row.program_id, &row.other_id), row.similarity))
        .collect();
    let of = |pair: &ProbePair| similarity.get(&(&pair.program_id, &pair.other_id)).copied();
    let mut nearest: BTreeMap<&Id, Vec<f64>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.relation == Relation::Nearest) {
        nearest
            .entry(&row.program_id)
            .or_default()
            .push(row.similarity);
    }

    let groups = groups_of(pairs);
    for ((relation, pipeline), group) in &groups {
        let row = ProbeScore {
            relation: Some(*relation),
            pipeline: pipeline.map(str::to_owned),
            ..blank.clone()
        };
        // A program's draws count as one.
        let by_program = mean_by_program(group, &of);
        let values: Vec<f64> = by_program.values().copied().collect();
        if let Some(spread) = Spread::of(&values, confidence) {
            scores.push(spread_row(&row, "similarity", spread));
        }
        if *relation != Relation::Clone {
            continue;
        }
        let clone_lengths: Vec<(u32, u32)> = group
            .iter()
            .filter_map(|pair| Some((lengths[*indexes.get(&pair.program_id)?], pair.tokens)))
            .collect();
        let (normalized, missing) = length_normalized(&cells, &clone_lengths, &bins, confidence);
        let threshold = normalized.map(|spread| spread.mean.value);
        if let Some(spread) = normalized {
            scores.push(ProbeScore {
                missing: missing as u64,
                ..spread_row(&row, "length-normalized", spread)
            });
        }
        let ranked = by_program.iter().filter_map(|(id, similarity)| {
            let others = nearest.get(id)?;
            Some((*similarity, others.as_slice()))
        });
        if let Some(ranking) = rank(ranked, confidence) {
            for (measure, interval) in [
                ("top-1", ranking.top_1),
                ("reciprocal-rank", ranking.reciprocal_rank),
            ] {
                scores.push(ProbeScore {
                    missing: (by_program.len() - ranking.n) as u64,
                    ..interval_row(&row, measure, interval, ranking.n)
                });
            }
        }
        let Some(threshold) = threshold else {
            continue;
        };
        scores.extend(against_bugs(
            &by_program,
            threshold,
            &groups,
            &of,
            &row,
            confidence,
        ));
    }
    scores.extend(by_transform(&groups, &of, &blank, confidence));
    scores
}

/// Random pairs, all together and by bins of length.
fn by_length(
    random: &[RandomPair],
    cells: &BTreeMap<(usize, usize), Cell>,
    bins: &Bins,
    blank: &ProbeScore,
    confidence: f64,
) -> Vec<ProbeScore> {
    let mut scores = Vec::new();
    if let Some(spread) = random_pairs(random, confidence) {
        scores.push(ProbeScore {
            relation: Some(Relation::Random),
            ..spread_row(blank, "similarity", spread)
        });
    }
    for ((first, second), cell) in cells {
        scores.push(ProbeScore {
            measure: "similarity".to_owned(),
            relation: Some(Relation::Random),
            bin: Some(bins.edges()[*first]),
            other_bin: Some(bins.edges()[*second]),
            value: cell.mean,
            n: cell.n as u64,
            ..blank.clone()
        });
    }
    scores
}

/// Clones distinguished from the bugs of each pipeline, at the threshold.
fn against_bugs(
    by_program: &BTreeMap<&Id, f64>,
    threshold: f64,
    groups: &Groups<'_>,
    of: &impl Fn(&ProbePair) -> Option<f64>,
    row: &ProbeScore,
    confidence: f64,
) -> Vec<ProbeScore> {
    let mut scores = Vec::new();
    for ((other, bug_pipeline), bugs) in groups {
        if *other != Relation::Bug {
            continue;
        }
        let bugs = mean_by_program(bugs, of);
        let both: Vec<(f64, f64)> = by_program
            .iter()
            .filter_map(|(id, clone)| Some((*clone, *bugs.get(id)?)))
            .collect();
        let Some(found) = classify(&both, threshold, confidence) else {
            continue;
        };
        let row = ProbeScore {
            against: bug_pipeline.map(str::to_owned),
            missing: (by_program.len() - both.len()) as u64,
            ..row.clone()
        };
        for (measure, interval) in [
            ("accuracy", found.accuracy),
            ("precision", found.precision),
            ("recall", found.recall),
            ("auc", found.auc),
            ("clone-above-bug", found.clone_above_bug),
        ] {
            scores.push(interval_row(&row, measure, interval, found.n));
        }
    }
    scores
}

/// Random pairs, each once, no matter which of its programs drew it.
fn random_of(rows: &[Similarity], indexes: &BTreeMap<&Id, usize>) -> Vec<RandomPair> {
    let mut seen = BTreeSet::new();
    let random = rows.iter().filter(|row| row.relation == Relation::Random);
    let pair = |row: &Similarity| {
        let first = *indexes.get(&row.program_id)?;
        let second = *indexes.get(&row.other_id)?;
        seen.insert((first.min(second), first.max(second)))
            .then_some(RandomPair {
                first,
                second,
                similarity: row.similarity,
            })
    };
    random.filter_map(pair).collect()
}

/// Pairs by their relation and by the pipeline that made them.
type Groups<'a> = BTreeMap<(Relation, Option<&'a str>), Vec<&'a ProbePair>>;

fn groups_of(pairs: &[ProbePair]) -> Groups<'_> {
    let mut groups = Groups::new();
    for pair in pairs {
        let key = (pair.relation, pair.pipeline.as_deref());
        groups.entry(key).or_default().push(pair);
    }
    groups
}

fn mean_by_program<'a>(
    pairs: &[&'a ProbePair],
    of: &impl Fn(&ProbePair) -> Option<f64>,
) -> BTreeMap<&'a Id, f64> {
    let mut sums: BTreeMap<&Id, (f64, u32)> = BTreeMap::new();
    for pair in pairs {
        if let Some(similarity) = of(pair) {
            let (sum, n) = sums.entry(&pair.program_id).or_default();
            *sum += similarity;
            *n += 1;
        }
    }
    let mean = |(id, (sum, n)): (&'a Id, (f64, u32))| (id, sum / f64::from(n));
    sums.into_iter().map(mean).collect()
}

/// The change of a program by each transform alone: pipelines that applied only this one. By program, so that one
/// with many changed ranges counts once.
fn by_transform(
    groups: &Groups<'_>,
    of: &impl Fn(&ProbePair) -> Option<f64>,
    blank: &ProbeScore,
    confidence: f64,
) -> Vec<ProbeScore> {
    let mut alone: BTreeMap<(Relation, &str), Vec<&ProbePair>> = BTreeMap::new();
    for ((relation, _), group) in groups {
        for pair in group {
            if let [transform] = pair.transforms.as_slice() {
                alone.entry((*relation, transform)).or_default().push(pair);
            }
        }
    }
    let mut scores = Vec::new();
    for ((relation, transform), pairs) in alone {
        let row = ProbeScore {
            relation: Some(relation),
            transform: Some(transform.to_owned()),
            ..blank.clone()
        };
        let values: Vec<f64> = mean_by_program(&pairs, of).into_values().collect();
        if let Some(spread) = Spread::of(&values, confidence) {
            scores.push(spread_row(&row, "similarity", spread));
        }
        let change = |pair: &ProbePair| Some((1.0 - of(pair)?) / f64::from(pair.places.max(1)));
        let values: Vec<f64> = mean_by_program(&pairs, &change).into_values().collect();
        if let Some(spread) = Spread::of(&values, confidence) {
            scores.push(spread_row(&row, "change", spread));
        }
    }
    scores
}

fn spread_row(row: &ProbeScore, measure: &str, spread: Spread) -> ProbeScore {
    ProbeScore {
        deviation: Some(spread.deviation),
        ..interval_row(row, measure, spread.mean, spread.n)
    }
}

fn interval_row(row: &ProbeScore, measure: &str, interval: Interval, n: usize) -> ProbeScore {
    ProbeScore {
        measure: measure.to_owned(),
        value: interval.value,
        low: interval.low,
        high: interval.high,
        n: n as u64,
        ..row.clone()
    }
}
