//! The lengths of programs and their variants, and the number of transforms applied to them (pydra, Figures 4 and 9 to
//! 11).
//!
//! In come the two tables of a probe, and the length in tokens of each text; out comes a row for the programs, one for
//! each pipeline of clones, then of bugs, and one for alternates.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Id, ProbePair, ProbeProgram, Relation};
use serde::Serialize;

/// Texts of one kind in numbers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lengths {
    /// `programs`, `alternates`, or the name of a pipeline.
    pub texts: String,
    /// Their relation to their programs; `None` for the programs themselves.
    pub relation: Option<Relation>,
    /// The number of texts.
    pub count: usize,
    /// Their lengths in tokens (Figure 9).
    pub tokens: Spread,
    /// Their lengths in lines.
    pub lines: Spread,
    /// Tokens of all of them over lines of all of them (Figure 10).
    pub tokens_per_line: f64,
    /// The lines that they have more than their programs, fewer being negative (Figure 11); `None` for the programs.
    pub added_lines: Option<Spread>,
    /// At index *n*, the number of programs of which a variant has at least *n* + 1 different transforms (Figure 4);
    /// as long as the most transforms of one variant. Of pipelines only.
    pub at_least: Vec<usize>,
}

/// The distribution of whole numbers: their mean, and values that a share of them is below.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// One in twenty is below.
    pub p5: i64,
    /// One in four is below.
    pub p25: i64,
    /// Half of them are below.
    pub p50: i64,
    /// Three in four are below.
    pub p75: i64,
    /// Nineteen in twenty are below.
    pub p95: i64,
}

impl Spread {
    /// Computes it for numbers; zeros if there are none. A quantile is the number nearest to its rank.
    fn of(numbers: impl Iterator<Item = i64>) -> Self {
        let mut sorted: Vec<i64> = numbers.collect();
        sorted.sort_unstable();
        let last = sorted.len().saturating_sub(1);
        let at = |percent: usize| {
            let rank = (last * percent + 50) / 100;
            sorted.get(rank).copied().unwrap_or_default()
        };
        Spread {
            mean: ratio(sorted.iter().copied(), sorted.len()),
            p5: at(5),
            p25: at(25),
            p50: at(50),
            p75: at(75),
            p95: at(95),
        }
    }
}

/// The sum of numbers over a count, or zero.
#[expect(
    clippy::cast_precision_loss,
    reason = "lengths and counts are far below 2^52"
)]
fn ratio(numbers: impl Iterator<Item = i64>, count: usize) -> f64 {
    numbers.sum::<i64>() as f64 / count.max(1) as f64
}

/// The rows of a probe: programs, clones and bugs by pipeline, alternates. `tokens` are the lengths of texts by their
/// ids; a text that it does not name has the length in the tables.
pub fn lengths(
    programs: &[ProbeProgram],
    pairs: &[ProbePair],
    tokens: &BTreeMap<Id, u32>,
) -> Vec<Lengths> {
    let lines_of: BTreeMap<&Id, u32> = programs.iter().map(|one| (&one.id, one.lines)).collect();
    let measured = |id: &Id, own: u32| i64::from(tokens.get(id).copied().unwrap_or(own));
    let mut rows = Vec::new();
    // Alternates are programs, too; those that represent their problems are counted first.
    let alternates: BTreeSet<&Id> = pairs
        .iter()
        .filter(|pair| pair.relation == Relation::Alternate)
        .map(|pair| &pair.other_id)
        .collect();
    let mains: Vec<(i64, i64)> = programs
        .iter()
        .filter(|one| !alternates.contains(&one.id))
        .map(|one| (measured(&one.id, one.tokens), i64::from(one.lines)))
        .collect();
    rows.push(row("programs", None, &mains));
    let mut kinds: BTreeMap<(Relation, &str), Vec<&ProbePair>> = BTreeMap::new();
    for pair in pairs {
        let name = pair.pipeline.as_deref().unwrap_or("alternates");
        kinds.entry((pair.relation, name)).or_default().push(pair);
    }
    for ((relation, name), pairs) in kinds {
        let sizes: Vec<(i64, i64)> = pairs
            .iter()
            .map(|pair| {
                let tokens = measured(&pair.other_id, pair.tokens);
                (tokens, i64::from(pair.lines))
            })
            .collect();
        let added = pairs.iter().filter_map(|pair| {
            let before = lines_of.get(&pair.program_id)?;
            Some(i64::from(pair.lines) - i64::from(*before))
        });
        let mut found = row(name, Some(relation), &sizes);
        found.added_lines = Some(Spread::of(added));
        found.at_least = at_least(&pairs);
        rows.push(found);
    }
    rows
}

fn row(texts: &str, relation: Option<Relation>, sizes: &[(i64, i64)]) -> Lengths {
    let (tokens, lines) = (sizes.iter().map(|it| it.0), sizes.iter().map(|it| it.1));
    Lengths {
        texts: texts.to_owned(),
        relation,
        count: sizes.len(),
        tokens: Spread::of(tokens),
        lines: Spread::of(lines),
        tokens_per_line: tokens_per_line(sizes),
        added_lines: None,
        at_least: Vec::new(),
    }
}

fn tokens_per_line(sizes: &[(i64, i64)]) -> f64 {
    let lines: i64 = sizes.iter().map(|it| it.1).sum();
    let lines = usize::try_from(lines).unwrap_or_default();
    ratio(sizes.iter().map(|it| it.0), lines)
}

/// Returns the number of programs that have a variant with at least 1, 2, … different transforms.
fn at_least(pairs: &[&ProbePair]) -> Vec<usize> {
    let mut most: BTreeMap<&Id, usize> = BTreeMap::new();
    for pair in pairs {
        let different: BTreeSet<&String> = pair.transforms.iter().collect();
        let known = most.entry(&pair.program_id).or_default();
        *known = different.len().max(*known);
    }
    let top = most.values().copied().max().unwrap_or_default();
    let having = |n: usize| most.values().filter(|&&count| count >= n).count();
    (1..=top).map(having).collect()
}

#[cfg(test)]
mod tests {
    use barecode_records::Digest;

    use super::*;

    fn id(name: &str) -> Id {
        Id::new("t", &Digest::new("test").field(name))
    }

    fn program(name: &str, tokens: u32, lines: u32) -> ProbeProgram {
        ProbeProgram {
            id: id(name),
            problem: name.to_owned(),
            tokens,
            lines,
        }
    }

    fn pair(program: &str, other: &str, pipeline: Option<&str>, transforms: &[&str]) -> ProbePair {
        ProbePair {
            program_id: id(program),
            other_id: id(other),
            relation: match pipeline {
                None => Relation::Alternate,
                Some("negative") => Relation::Bug,
                Some(_) => Relation::Clone,
            },
            clone_type: None,
            pipeline: pipeline.map(str::to_owned),
            draw: None,
            transforms: transforms.iter().map(|&name| name.to_owned()).collect(),
            places: 0,
            by_tests_only: 0,
            tokens: 30,
            lines: 6,
        }
    }

    #[test]
    fn programs_alternates_and_pipelines_have_a_row_each() {
        let programs = [
            program("a", 10, 4),
            program("b", 20, 8),
            program("c", 60, 6),
        ];
        let pairs = [
            pair("a", "c", None, &[]),
            pair("a", "d", Some("positive"), &["X", "Y", "X"]),
            pair("b", "e", Some("positive"), &["X"]),
            pair("a", "f", Some("negative"), &["Z"]),
        ];
        let rows = lengths(&programs, &pairs, &BTreeMap::from([(id("d"), 90)]));
        let seen: Vec<_> = rows
            .iter()
            .map(|row| (row.texts.as_str(), row.count, row.tokens.mean))
            .collect();
        assert_eq!(
            seen,
            [
                ("programs", 2, 15.0),
                ("positive", 2, 60.0),
                ("negative", 1, 30.0),
                ("alternates", 1, 30.0),
            ]
        );
        assert_eq!(rows[1].at_least, [2, 1]);
        let added = rows[1].added_lines.expect("a pipeline has some");
        assert_eq!((added.p5, added.p95, added.mean), (-2, 2, 0.0));
        assert!((rows[0].tokens_per_line - 2.5).abs() < 1e-12);
        assert_eq!(lengths(&[], &[], &BTreeMap::new())[0].count, 0);
    }

    #[test]
    fn quantiles_are_the_numbers_nearest_to_their_ranks() {
        let spread = Spread::of((0..=100).rev());
        assert_eq!(
            (spread.p5, spread.p25, spread.p50, spread.p75, spread.p95),
            (5, 25, 50, 75, 95)
        );
        assert_eq!(Spread::of([7].into_iter()).p95, 7);
    }
}
