//! Dissimilar solutions of one problem (pydra, appendix B.3).
//!
//! One solution, drawn with the seed, represents the problem. Others that any measure finds more similar to it than
//! the measure's threshold are left out. The rest is a graph with an edge wherever any measure exceeds its threshold.
//! Of each connected component one solution stays, and of these the requested number. A draw depends on the seed and
//! the ids of the solutions, not on their order. A measure is a matrix: cosines of a model's vectors, or, without any
//! model, the shares of common token sequences.
//!
//! The hard thing is the threshold of a model, which differs from model to model. The paper starts at the similarity
//! of unrelated programs and relaxes the threshold "until the pipeline admitted at most one or two alternate
//! solutions per problem". It names neither the step nor the meaning of admitting; here the steps are of [`STEP`],
//! and the threshold is the last one before more than one problem in [`ONE_IN`] has too many alternates.

mod config;

use std::collections::BTreeSet;

pub use config::{Alternates, MeasureConfig, Threshold, Way};

use barecode_records::python::{Program, PublishedBug};
use barecode_records::{Digest, Id, Reason, SetAside, Stage};

/// The thresholds that the paper calibrated, by the names of its models.
pub const PAPER_THRESHOLDS: [(&str, f64); 7] = [
    ("Salesforce/SFR-Embedding-Code-2B_R", 0.8),
    ("nomic-ai/nomic-embed-code", 0.6),
    ("codesage/codesage-large-v2", 0.5),
    ("Salesforce/SFR-Embedding-Mistral", 0.9),
    ("bigcode/starencoder", 0.9),
    ("jinaai/jina-embeddings-v2-base-code", 0.9),
    ("Salesforce/codet5p-220m", 0.9),
];

/// The measure without a model: the share of common shingles.
pub const SHINGLES: &str = "shingles";

/// Solutions that share more of their shingles are near-duplicates, unless a recipe sets another threshold.
pub const SHINGLES_THRESHOLD: f64 = 0.5;

/// The step by which a threshold is relaxed.
pub const STEP: f64 = 0.01;

/// One in this many problems may have too many alternates at a calibrated threshold.
pub const ONE_IN: usize = 20;

/// Tokens in a row that are compared without a model.
const SHINGLE: usize = 5;

/// Similarities of a problem's solutions by one measure.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    size: usize,
    /// The lower triangle; `None` if the measure does not compare two solutions.
    values: Vec<Option<f64>>,
}

impl Matrix {
    /// The matrix of a symmetric function.
    pub fn from_fn(size: usize, similarity: impl Fn(usize, usize) -> Option<f64>) -> Self {
        let pairs = (0..size).flat_map(|a| (0..a).map(move |b| (a, b)));
        Matrix {
            size,
            values: pairs.map(|(a, b)| similarity(a, b)).collect(),
        }
    }

    /// Cosines of vectors; a solution that is too long for the model has no vector and is not compared.
    pub fn of_vectors(vectors: &[Option<Vec<f32>>]) -> Self {
        Matrix::from_fn(vectors.len(), |a, b| {
            cosine(vectors.get(a)?.as_ref()?, vectors.get(b)?.as_ref()?)
        })
    }

    /// The shares of common shingles (Jaccard), of tokens without blanks.
    pub fn of_texts(texts: &[&str]) -> Self {
        let shingles: Vec<BTreeSet<u64>> = texts.iter().map(|text| shingles(text)).collect();
        Matrix::from_fn(texts.len(), |a, b| {
            let (a, b) = (shingles.get(a)?, shingles.get(b)?);
            let common = a.intersection(b).count();
            let all = a.len() + b.len() - common;
            Some(if all == 0 {
                1.0
            } else {
                common as f64 / all as f64
            })
        })
    }

    /// The mean of all similarities; `None` if there are none.
    pub fn mean(&self) -> Option<f64> {
        let known = self.values.iter().flatten();
        let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), one| (sum + one, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    fn of(&self, a: usize, b: usize) -> Option<f64> {
        let (low, high) = (a.min(b), a.max(b));
        *self.values.get(high * high.saturating_sub(1) / 2 + low)?
    }
}

fn cosine(a: &[f32], b: &[f32]) -> Option<f64> {
    let sum = |a: &[f32], b: &[f32]| -> f64 {
        let products = a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b));
        products.sum()
    };
    let lengths = (sum(a, a) * sum(b, b)).sqrt();
    (lengths > 0.0).then(|| sum(a, b) / lengths)
}

fn shingles(text: &str) -> BTreeSet<u64> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut tokens: Vec<&str> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let (token, after) =
            rest.split_at(word.max(if is_word(first) { 0 } else { first.len_utf8() }));
        tokens.push(token);
        rest = after.trim_start();
    }
    let length = SHINGLE.min(tokens.len().max(1));
    let windows = tokens.windows(length);
    windows
        .map(|window| Digest::new("shingle").fields(window).seed())
        .collect()
}

/// A measure of similarity for the solutions of one problem.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The model, or another name for rows that are set aside.
    pub name: String,
    /// Above it two solutions are near-duplicates.
    pub threshold: f64,
    /// The similarities, in the order of the solutions.
    pub matrix: Matrix,
}

impl Measure {
    /// The shares of common shingles, for pairs that none of the measures compares: one of the two is longer than
    /// every model reads. `None` if there is no such pair.
    pub fn of_the_rest(measures: &[Measure], texts: &[&str]) -> Option<Self> {
        let compared = |a, b| measures.iter().any(|one| one.matrix.of(a, b).is_some());
        let mut pairs = (0..texts.len()).flat_map(|a| (0..a).map(move |b| (a, b)));
        if pairs.all(|(a, b)| compared(a, b)) {
            return None;
        }
        let shared = Matrix::of_texts(texts);
        Some(Measure {
            name: SHINGLES.to_owned(),
            threshold: SHINGLES_THRESHOLD,
            matrix: Matrix::from_fn(texts.len(), |a, b| {
                shared.of(a, b).filter(|_| !compared(a, b))
            }),
        })
    }
}

/// The solutions of a problem that stay.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The one that represents the problem.
    pub main: usize,
    /// The alternates, in the order in which they were drawn.
    pub alternates: Vec<usize>,
    /// The connected components of those that are not near the main one.
    pub components: usize,
    /// The others in their order, each with the reason and what decided.
    pub left_out: Vec<(usize, Reason, String)>,
}

/// Chooses one solution and at most `most` alternates; `None` if there are no solutions.
pub fn choose(ids: &[&Id], measures: &[Measure], most: usize, seed: u64) -> Option<Choice> {
    let mut drawn: Vec<usize> = (0..ids.len()).collect();
    drawn.sort_by_cached_key(|&index| {
        let digest = Digest::new("alternate").field(seed.to_le_bytes());
        digest
            .field(ids.get(index).map_or("", |id| id.as_str()))
            .bytes()
    });
    let (&main, others) = drawn.split_first()?;
    let similar = |a: usize, b: usize| {
        measures.iter().find_map(|measure| {
            let value = measure.matrix.of(a, b)?;
            (value > measure.threshold).then_some((measure, value))
        })
    };
    let row = |index: usize, other: usize, (measure, value): (&Measure, f64)| {
        let other = ids.get(other).map_or("", |id| id.as_str());
        let Measure {
            name, threshold, ..
        } = measure;
        let detail = format!("{value:.3} with {other} by {name}, at most {threshold}");
        (index, Reason::SimilarSolution, detail)
    };
    let mut left_out = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for &index in others {
        match similar(main, index) {
            Some(found) => left_out.push(row(index, main, found)),
            None => open.push(index),
        }
    }
    let mut alternates: Vec<usize> = Vec::new();
    let mut components = 0;
    while !open.is_empty() {
        let first = open.remove(0);
        // A component: whatever is reached from its first, which stays.
        let mut reached = vec![first];
        while let Some(from) = reached.pop() {
            let (near, far): (Vec<usize>, Vec<usize>) = open
                .iter()
                .partition(|&&index| similar(from, index).is_some());
            for &index in &near {
                let found = similar(from, index).expect("it was found near");
                left_out.push(row(index, from, found));
            }
            reached.extend(near);
            open = far;
        }
        components += 1;
        if alternates.len() < most {
            alternates.push(first);
        } else {
            let detail = format!("{most} alternates stay");
            left_out.push((first, Reason::EnoughSolutions, detail));
        }
    }
    left_out.sort_by_key(|(index, ..)| *index);
    Some(Choice {
        main,
        alternates,
        components,
        left_out,
    })
}

/// The programs of a problem that are kept or left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chosen {
    /// The programs that stay in their order, alternates with the id of the main one.
    pub kept: Vec<Program>,
    /// The others.
    pub set_aside: Vec<SetAside>,
    /// As [`Choice::components`].
    pub components: usize,
}

/// The same for programs of one problem; the main one has the bugs that are published for it.
pub fn alternates(
    mut programs: Vec<Program>,
    measures: &[Measure],
    most: usize,
    seed: u64,
) -> Chosen {
    let ids: Vec<Id> = programs.iter().map(|program| program.id.clone()).collect();
    let by_index: Vec<&Id> = ids.iter().collect();
    let Some(choice) = choose(&by_index, measures, most, seed) else {
        return Chosen::default();
    };
    let mut chosen = Chosen {
        components: choice.components,
        ..Chosen::default()
    };
    let published = programs.iter_mut();
    let mut bugs: Vec<PublishedBug> = published
        .flat_map(|one| std::mem::take(&mut one.bugs))
        .collect();
    let mut left_out = choice.left_out.into_iter().peekable();
    for (index, mut program) in programs.into_iter().enumerate() {
        if let Some((_, reason, detail)) = left_out.next_if(|(left, ..)| *left == index) {
            chosen.set_aside.push(SetAside {
                id: Some(program.id),
                origin: Some(program.origin),
                name: Some(program.problem),
                ..SetAside::new(Stage::Choose, "program", reason, detail)
            });
        } else {
            if index == choice.main {
                program.bugs = std::mem::take(&mut bugs);
            } else {
                program.alternate_of = ids.get(choice.main).cloned();
            }
            chosen.kept.push(program);
        }
    }
    chosen
}

/// The thresholds from the mean similarity of unrelated programs to 1, each rounded to three digits, so that the
/// threshold in a record is the one that was applied.
pub fn relaxed(unrelated: f64) -> Vec<f64> {
    let steps = (0_u32..).map(|step| unrelated + f64::from(step) * STEP);
    let rounded = steps.map(|threshold| (threshold * 1e3).round() / 1e3);
    rounded.take_while(|threshold| *threshold <= 1.0).collect()
}

/// For each threshold, whether a problem would have more than `most` alternates by this matrix alone.
pub fn too_many(
    ids: &[&Id],
    matrix: Matrix,
    thresholds: &[f64],
    most: usize,
    seed: u64,
) -> Vec<bool> {
    let mut measure = [Measure {
        name: String::new(),
        threshold: 0.0,
        matrix,
    }];
    let mut at = |threshold: f64| {
        measure[0].threshold = threshold;
        choose(ids, &measure, most, seed).is_some_and(|choice| choice.components > most)
    };
    thresholds.iter().map(|threshold| at(*threshold)).collect()
}

/// The last of the thresholds before one at which more than one problem in [`ONE_IN`] has too many alternates, by the
/// result of [`too_many`] for each problem. The first one if that has too many already, or if there is no problem.
pub fn calibrated(thresholds: &[f64], problems: &[Vec<bool>]) -> Option<f64> {
    let admits_few = |at: usize| {
        let many = problems.iter().filter(|has| has.get(at) == Some(&true));
        !problems.is_empty() && many.count() * ONE_IN <= problems.len()
    };
    let tried = thresholds.iter().copied().enumerate();
    let few = tried.take_while(|(at, _)| admits_few(*at)).last();
    few.map(|(_, found)| found)
        .or_else(|| thresholds.first().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(count: usize) -> Vec<Id> {
        (0..count)
            .map(|index| Id::from(format!("p-{index}")))
            .collect()
    }

    fn chosen(rows: &[&[f64]], most: usize, seed: u64) -> Choice {
        let matrix = Matrix::from_fn(rows.len() + 1, |a, b| rows.get(a - 1)?.get(b).copied());
        let measure = Measure {
            name: "m".to_owned(),
            threshold: 0.5,
            matrix,
        };
        let ids = ids(rows.len() + 1);
        let ids: Vec<&Id> = ids.iter().collect();
        choose(&ids, &[measure], most, seed).expect("there are solutions")
    }

    /// 0 and 1 are near, 1 and 2 are near, 0 and 2 are not; 3 is not near any of them.
    const CHAIN: &[&[f64]] = &[&[0.9], &[0.1, 0.8], &[0.0, 0.0, 0.0]];

    #[test]
    fn a_component_keeps_one_solution_and_the_main_one_is_near_no_other() {
        for seed in 0..50 {
            let choice = chosen(CHAIN, 2, seed);
            let expected: usize = match choice.main {
                // From 3, the chain is one component; from its end, the other end and 3 remain.
                3 | 1 => 1,
                _ => 2,
            };
            assert_eq!(choice.alternates.len(), expected, "{choice:?}");
            let kept = 1 + choice.alternates.len();
            assert_eq!(kept + choice.left_out.len(), 4);
        }
        let mains: BTreeSet<usize> = (0..50).map(|seed| chosen(CHAIN, 2, seed).main).collect();
        assert_eq!(mains.len(), 4, "the seed draws the main solution");
    }

    #[test]
    fn no_more_alternates_than_wanted_and_the_rest_say_so() {
        let far: &[&[f64]] = &[&[0.0], &[0.0; 2], &[0.0; 3], &[0.0; 4]];
        let choice = chosen(far, 2, 7);
        assert_eq!(choice.alternates.len(), 2);
        assert!(
            choice
                .left_out
                .iter()
                .all(|row| row.1 == Reason::EnoughSolutions)
        );
        assert_eq!(choice.left_out.len(), 2);
    }

    #[test]
    fn any_measure_makes_two_solutions_near() {
        let measure = |value: f64, threshold: f64| Measure {
            name: format!("m{threshold}"),
            threshold,
            matrix: Matrix::from_fn(2, |_, _| Some(value)),
        };
        let ids = ids(2);
        let ids: Vec<&Id> = ids.iter().collect();
        let choice = choose(&ids, &[measure(0.7, 0.8), measure(0.7, 0.6)], 2, 1);
        let (_, reason, detail) = &choice.expect("there are two").left_out[0];
        assert_eq!(*reason, Reason::SimilarSolution);
        assert!(
            detail.contains("m0.6") && detail.contains("0.700"),
            "{detail}"
        );
        let choice = choose(&ids, &[measure(0.7, 0.8)], 2, 1).expect("there are two");
        assert_eq!(choice.alternates.len(), 1);
    }

    #[test]
    fn a_solution_without_a_vector_is_compared_with_nothing() {
        let vectors = [Some(vec![1.0, 0.0]), Some(vec![2.0, 0.0]), None];
        let matrix = Matrix::of_vectors(&vectors);
        assert_eq!(matrix.of(0, 1), Some(1.0));
        assert_eq!(matrix.of(2, 0), None);
    }

    #[test]
    fn layout_does_not_show_in_shingles() {
        let one = "def f(a, b):\n    return a + b * 2\n";
        let matrix = Matrix::of_texts(&[
            one,
            "def f(a,b): return a+b*2",
            "while True: print(input())",
        ]);
        assert_eq!(matrix.of(0, 1), Some(1.0));
        assert_eq!(matrix.of(0, 2), Some(0.0));
    }

    #[test]
    fn a_threshold_is_relaxed_until_problems_have_too_many_alternates() {
        let thresholds = relaxed(0.3);
        assert_eq!((thresholds[0], thresholds.len()), (0.3, 71));
        let (ids, lone) = (ids(5), ids(2));
        let says = |ids: &[Id], similarity: f64| {
            let matrix = Matrix::from_fn(ids.len(), |_, _| Some(similarity));
            too_many(&ids.iter().collect::<Vec<_>>(), matrix, &thresholds, 2, 1)
        };
        // Five solutions, all pairs at 0.62: from that threshold on all four others are alternates.
        let many = says(&ids, 0.62);
        assert_eq!(
            calibrated(&thresholds, std::slice::from_ref(&many)),
            Some(0.61)
        );
        let few = says(&lone, 0.62);
        assert_eq!(
            calibrated(&thresholds, std::slice::from_ref(&few)),
            Some(1.0)
        );
        // One problem in twenty may have too many.
        let mut problems = vec![few; 19];
        problems.push(many.clone());
        assert_eq!(calibrated(&thresholds, &problems), Some(1.0));
        problems.push(says(&ids, 0.8));
        assert_eq!(calibrated(&thresholds, &problems), Some(0.79));
        // If there is nothing to learn from, no two solutions that are more alike than unrelated ones stay.
        assert_eq!(calibrated(&thresholds, &[]), Some(0.3));
        assert_eq!(calibrated(&thresholds, &[says(&ids, 0.1)]), Some(0.3));
    }

    #[test]
    fn solutions_that_no_model_compares_are_compared_by_what_they_share() {
        let texts = ["def f(a):\n    return a + 1\n"; 2];
        let texts = [texts[0], texts[1], "print(input()[::-1])\n"];
        let vectors = [Some(vec![1.0, 0.0]), None, Some(vec![0.0, 1.0])];
        let measure = Measure {
            name: "m".to_owned(),
            threshold: 0.5,
            matrix: Matrix::of_vectors(&vectors),
        };
        let rest = Measure::of_the_rest(std::slice::from_ref(&measure), &texts);
        let rest = rest.expect("one solution has no vector");
        assert_eq!(rest.matrix.of(0, 1), Some(1.0));
        assert_eq!(rest.matrix.of(1, 2), Some(0.0));
        assert_eq!(rest.matrix.of(0, 2), None, "the model compares these");
        assert_eq!(Measure::of_the_rest(&[rest, measure], &texts), None);
    }
}
