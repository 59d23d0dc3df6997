//! Problems to those of their solutions that stay, by the measures of a recipe.
//!
//! A model's threshold is calibrated on a [`Sample`] of the problems before any is chosen from: it starts at the mean
//! similarity of programs of different problems. Vectors are asked for only where a problem has several solutions.

use std::collections::BTreeMap;

use barecode_records::Id;
use barecode_records::python::Program;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::alternates::{
    Alternates, Chosen, Matrix, Measure, MeasureConfig, alternates, calibrated, relaxed, too_many,
};
use crate::error::{ProgramsError, Stopped};
use crate::problems::seed_of;

/// Problems that a threshold is calibrated with, and programs whose pairs are unrelated.
const SAMPLE: usize = 300;

/// The vectors of texts, none of those that are too long for the model.
pub type Vectors = Vec<Option<Vec<f32>>>;

/// Asks the model of a measure, by its number, for the vectors of texts.
pub type Embed<'e, E> = &'e dyn Fn(usize, &[&str]) -> Result<Vectors, E>;

/// What came of choosing among the solutions of a data set.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// Problems.
    pub(crate) problems: usize,
    /// Those with several solutions.
    pub(crate) with_several_solutions: usize,
    /// Connected components of solutions that are not near the one that stands for their problem.
    pub(crate) components: usize,
    /// Alternates.
    pub(crate) alternates: usize,
    /// How often a model could not read a solution whole.
    pub(crate) too_long: usize,
}

/// Problems that stand for all: those with the lowest seeds.
pub(crate) struct Sample {
    seed: u64,
    most: usize,
    /// A program of each problem.
    pub(crate) unrelated: BTreeMap<u64, String>,
    /// The solutions of problems that have more than may stay.
    many: BTreeMap<u64, Vec<(Id, String)>>,
    /// Whether there is anything to choose from.
    chooses: bool,
}

impl Sample {
    pub(crate) fn new(seed: u64, most: u32) -> Self {
        Sample {
            seed,
            most: most as usize,
            unrelated: BTreeMap::new(),
            many: BTreeMap::new(),
            chooses: false,
        }
    }

    /// Looks at the solutions of a problem.
    pub(crate) fn add(&mut self, solutions: Vec<Program>) {
        let Some(first) = solutions.first() else {
            return;
        };
        let seed = seed_of(self.seed, first);
        keep(&mut self.unrelated, seed, || first.text.clone());
        self.chooses |= solutions.len() > 1;
        if solutions.len() > 1 + self.most {
            let of = |program: Program| (program.id, program.text);
            keep(&mut self.many, seed, || {
                solutions.into_iter().map(of).collect()
            });
        }
    }
}

/// Keeps a value if its seed is among the lowest.
fn keep<T>(kept: &mut BTreeMap<u64, T>, seed: u64, value: impl FnOnce() -> T) {
    let last = kept.last_key_value().map(|(last, _)| *last);
    if kept.len() < SAMPLE || last.is_some_and(|last| seed < last) {
        kept.insert(seed, value());
    }
    if kept.len() > SAMPLE {
        kept.pop_last();
    }
}

/// A measure of the recipe with its threshold, for the account of a data set.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Applied {
    /// What it is.
    by: String,
    /// Solutions with a similarity above this are near-duplicates; `None` if no problem has several solutions.
    threshold: Option<f64>,
    /// What says so: `recipe`, `paper` or `calibrated`.
    from: String,
    /// The mean similarity of programs of different problems, if it was calibrated, …
    unrelated: Option<f64>,
    /// … of so many programs, each with each other.
    unrelated_programs: Option<usize>,
    /// Problems with more solutions than may stay, which it was calibrated on.
    calibrated_on: Option<usize>,
}

impl Applied {
    fn of(measure: &MeasureConfig) -> Self {
        Applied {
            by: measure.name.clone(),
            threshold: measure.known(),
            from: measure.threshold.to_string(),
            unrelated: None,
            unrelated_programs: None,
            calibrated_on: None,
        }
    }

    /// The threshold and where it comes from, in words (`above 0.5 by shingles`); `None` if nothing was compared.
    pub fn words(&self) -> Option<String> {
        let (by, threshold) = (&self.by, self.threshold?);
        let from = match (self.from.as_str(), self.unrelated, self.calibrated_on) {
            ("calibrated", Some(unrelated), Some(problems)) => format!(
                ", calibrated on {problems} problems from {unrelated:.3}, the mean of {} programs of different problems",
                self.unrelated_programs.unwrap_or_default()
            ),
            ("paper", ..) => ", the paper's threshold".to_owned(),
            _ => String::new(),
        };
        Some(format!("above {threshold} by `{by}`{from}"))
    }

    /// What is to be told of a threshold that was just calibrated.
    fn news(&self, most: u32) -> Option<String> {
        let (by, threshold, unrelated) = (&self.by, self.threshold?, self.unrelated?);
        let from = format!("unrelated programs are at {unrelated:.3}");
        Some(match self.calibrated_on? {
            0 => format!(
                "note: `{by}` keeps no solutions more alike than {threshold}, which unrelated programs are: \
                 no problem has more than {} solutions to calibrate on; `threshold` of `[alternates]` says another",
                most + 1
            ),
            problems => format!(
                "alternates: solutions above {threshold} by `{by}` are near-duplicates (calibrated on {problems} problems; {from})"
            ),
        })
    }
}

/// What chooses.
pub(crate) struct Chooser<'a> {
    config: &'a Alternates,
    seed: u64,
    pub(crate) applied: Vec<Applied>,
}

impl<'a> Chooser<'a> {
    /// The measures of the recipe.
    pub(crate) fn new(config: &'a Alternates, seed: u64) -> Self {
        Chooser {
            config,
            seed,
            applied: config.measures.iter().map(Applied::of).collect(),
        }
    }

    /// Whether a threshold is to be calibrated.
    pub(crate) fn calibrates(&self) -> bool {
        self.applied.iter().any(|one| one.threshold.is_none())
    }

    /// Finds the thresholds that the recipe leaves open; what is to be told of each.
    pub(crate) fn calibrate<E>(
        &mut self,
        sample: &Sample,
        embed: Embed<'_, E>,
    ) -> Result<Vec<String>, Stopped<E>> {
        let mut news = Vec::new();
        if !sample.chooses {
            return Ok(news);
        }
        let most = self.config.most;
        for (at, measure) in self.config.measures.iter().enumerate() {
            if self.applied[at].threshold.is_some() {
                continue;
            }
            let texts: Vec<&str> = sample.unrelated.values().map(String::as_str).collect();
            let matrix = |texts: &[&str]| -> Result<Matrix, Stopped<E>> {
                Ok(if measure.is_of_model() {
                    Matrix::of_vectors(&embed(at, texts).map_err(Stopped::Outside)?)
                } else {
                    Matrix::of_texts(texts)
                })
            };
            let unrelated = matrix(&texts)?.mean();
            let unrelated = unrelated.ok_or_else(|| ProgramsError::NotCalibrated {
                name: measure.name.clone(),
                model: measure.model.clone(),
            })?;
            let thresholds = relaxed(unrelated);
            let mut problems = Vec::new();
            for (seed, solutions) in &sample.many {
                let texts: Vec<&str> = solutions.iter().map(|(_, text)| text.as_str()).collect();
                let ids: Vec<&Id> = solutions.iter().map(|(id, _)| id).collect();
                problems.push((ids, matrix(&texts)?, *seed));
            }
            let says = problems.into_par_iter().map(|(ids, matrix, seed)| {
                too_many(&ids, matrix, &thresholds, most as usize, seed)
            });
            let says: Vec<Vec<bool>> = says.collect();
            let applied = &mut self.applied[at];
            applied.threshold = calibrated(&thresholds, &says);
            applied.unrelated = Some(unrelated);
            applied.unrelated_programs = Some(texts.len());
            applied.calibrated_on = Some(says.len());
            news.extend(applied.news(most));
        }
        Ok(news)
    }

    /// Chooses among the solutions of each problem; what was chosen is in the order of the problems.
    pub(crate) fn choose<E>(
        &self,
        problems: Vec<Vec<Program>>,
        embed: Embed<'_, E>,
        choices: &mut Choices,
    ) -> Result<Vec<Chosen>, E> {
        let several = || problems.iter().filter(|solutions| solutions.len() > 1);
        let texts: Vec<&str> = several().flatten().map(|one| one.text.as_str()).collect();
        let mut vectors = Vec::new();
        if !texts.is_empty() {
            for (at, measure) in self.config.measures.iter().enumerate() {
                let of_model = measure.is_of_model().then(|| embed(at, &texts));
                vectors.push(of_model.transpose()?);
            }
        }
        let without = vectors.iter().flatten().flatten();
        choices.too_long += without.filter(|vector| vector.is_none()).count();
        choices.problems += problems.iter().filter(|one| !one.is_empty()).count();
        choices.with_several_solutions += several().count();
        let mut start = 0;
        let mut placed = Vec::new();
        for solutions in problems {
            let count = solutions.len();
            placed.push((solutions, start));
            start += if count > 1 { count } else { 0 };
        }
        let most = self.config.most as usize;
        let chosen = placed.into_par_iter().map(|(solutions, start)| {
            let Some(first) = solutions.first() else {
                return Chosen::default();
            };
            let seed = seed_of(self.seed, first);
            let measures = match solutions.len() {
                1 => Vec::new(),
                _ => self.measures(&solutions, &vectors, start),
            };
            alternates(solutions, &measures, most, seed)
        });
        let chosen: Vec<Chosen> = chosen.collect();
        for one in &chosen {
            choices.components += one.components;
            choices.alternates += one.kept.len().saturating_sub(1);
        }
        Ok(chosen)
    }

    /// The measures on the solutions of one problem, whose vectors begin at `start`.
    fn measures(
        &self,
        solutions: &[Program],
        vectors: &[Option<Vectors>],
        start: usize,
    ) -> Vec<Measure> {
        let texts: Vec<&str> = solutions.iter().map(|one| one.text.as_str()).collect();
        let of = |(applied, vectors): (&Applied, &Option<Vectors>)| Measure {
            name: applied.by.clone(),
            threshold: applied.threshold.expect("thresholds are calibrated first"),
            matrix: match vectors {
                None => Matrix::of_texts(&texts),
                Some(vectors) => Matrix::of_vectors(&vectors[start..start + texts.len()]),
            },
        };
        let mut measures: Vec<Measure> = self.applied.iter().zip(vectors).map(of).collect();
        let rest = Measure::of_the_rest(&measures, &texts);
        measures.extend(rest);
        measures
    }
}
