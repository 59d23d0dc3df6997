//! Solutions of problems to those that stay, by the measures of a recipe.
//!
//! Enter programs as an extraction leaves them, and a source of vectors, if a model chooses; leave, a problem at a
//! time, those that stay and rows for the others. All problems are one piece of work, as they share the thresholds:
//! if one is to be calibrated, programs are read twice.
//!
//! A model's threshold is calibrated on a [`Sample`] of the problems before any is chosen from: it starts at the mean
//! similarity of programs of different problems. Vectors are requested only if a problem has several solutions.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::Id;
use barecode_records::python::Program;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::alternates::{
    Alternates, Chosen, Matrix, Measure, MeasureConfig, alternates, calibrated, relaxed, too_many,
};
use crate::error::{ProgramsError, Stopped};
use crate::problems::{BATCH, seed_of};

/// Problems that a threshold is calibrated with, and programs whose pairs are unrelated.
const SAMPLE: usize = 300;

/// The vectors of texts, `None` for those that are too long for the model.
pub type Vectors = Vec<Option<Vec<f32>>>;

/// Asks the model of a measure, by its number, for the vectors of texts.
pub type Embed<'e, E> = &'e dyn Fn(usize, &[&str]) -> Result<Vectors, E>;

/// The settings of a choice.
#[derive(Debug, Clone, Copy)]
pub struct Choosing<'a> {
    /// The rules for the solutions of a problem that stay.
    pub alternates: &'a Alternates,
    /// The run's seed.
    pub seed: u64,
}

/// The counts of a choice among the solutions of a data set.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Choices {
    /// Programs that stay.
    pub programs: usize,
    /// Problems.
    pub problems: usize,
    /// Those with several solutions.
    pub with_several_solutions: usize,
    /// Connected components of solutions that are not near the one that represents their problem.
    pub components: usize,
    /// Alternates.
    pub alternates: usize,
    /// The number of solutions that a model could not read whole.
    pub too_long: usize,
}

/// The counts of all data sets.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Account {
    /// By the name of a data set in records, if it has programs.
    pub choices: BTreeMap<String, Choices>,
    /// The measures by which solutions were near-duplicates.
    pub alternates_by: Vec<Applied>,
}

impl Choosing<'_> {
    /// Chooses: `read` returns all programs in their order, `tell` is called with a message on each threshold that
    /// was calibrated, and `take` with the solutions and rows of each problem.
    ///
    /// # Errors
    /// A threshold that cannot be found, and any error of `read`, `embed` and `take`.
    pub fn run<E, P: Iterator<Item = Result<Program, E>>>(
        &self,
        read: impl Fn() -> P,
        embed: Embed<'_, E>,
        tell: impl Fn(&str),
        mut take: impl FnMut(Chosen) -> Result<(), E>,
    ) -> Result<Account, Stopped<E>> {
        let mut chooser = Chooser::new(self.alternates, self.seed);
        if chooser.calibrates() {
            let sample = self.sample(problems(read())).map_err(Stopped::Outside)?;
            for news in chooser.calibrate(&sample, embed)? {
                tell(&news);
            }
        }
        let mut choices: BTreeMap<String, Choices> = BTreeMap::new();
        let mut choose = |problems: Vec<Vec<Program>>| -> Result<(), E> {
            let Some(first) = problems.first().and_then(|one| one.first()) else {
                return Ok(());
            };
            let choices = choices.entry(first.origin.source.clone()).or_default();
            for chosen in chooser.choose(problems, embed, choices)? {
                choices.programs += chosen.kept.len();
                take(chosen)?;
            }
            Ok(())
        };
        let mut waiting: Vec<Vec<Program>> = Vec::new();
        for solutions in problems(read()) {
            let solutions = solutions.map_err(Stopped::Outside)?;
            let count: usize = waiting.iter().map(Vec::len).sum();
            let source = |problem: &Vec<Program>| problem[0].origin.source.clone();
            let is_other = waiting.first().map(source) != Some(source(&solutions));
            if count >= BATCH || is_other {
                choose(std::mem::take(&mut waiting)).map_err(Stopped::Outside)?;
            }
            waiting.push(solutions);
        }
        choose(waiting).map_err(Stopped::Outside)?;
        Ok(Account {
            choices,
            alternates_by: chooser.applied,
        })
    }

    /// The texts that the model of each measure would read; empty for a measure without one. Calls no model.
    ///
    /// # Errors
    /// Any error of `programs`.
    pub fn would_read<E>(
        &self,
        programs: impl Iterator<Item = Result<Program, E>>,
    ) -> Result<Vec<BTreeSet<String>>, E> {
        let mut texts = BTreeSet::new();
        let sample = self.sample(problems(programs).inspect(|solutions| {
            if let Ok(solutions) = solutions
                && solutions.len() > 1
            {
                texts.extend(solutions.iter().map(|one| one.text.clone()));
            }
        }))?;
        let read = self.alternates.measures.iter().map(|measure| {
            if texts.is_empty() || !measure.is_of_model() {
                return BTreeSet::new();
            }
            let mut read = texts.clone();
            if measure.known().is_none() {
                read.extend(sample.unrelated.values().cloned());
            }
            read
        });
        Ok(read.collect())
    }

    fn sample<E>(
        &self,
        mut problems: impl Iterator<Item = Result<Vec<Program>, E>>,
    ) -> Result<Sample, E> {
        let mut sample = Sample::new(self.seed, self.alternates.most);
        problems.try_for_each(|solutions| solutions.map(|solutions| sample.add(solutions)))?;
        Ok(sample)
    }
}

/// Programs to problems, each with at least one solution: the programs of a problem are next to each other.
fn problems<E>(
    programs: impl Iterator<Item = Result<Program, E>>,
) -> impl Iterator<Item = Result<Vec<Program>, E>> {
    let mut programs = programs.peekable();
    std::iter::from_fn(move || {
        let mut solutions = match programs.next()? {
            Ok(first) => vec![first],
            Err(error) => return Some(Err(error)),
        };
        let is_next = |first: &Program, next: &Result<Program, E>| {
            let is_same = |next: &Program| {
                next.problem == first.problem && next.origin.source == first.origin.source
            };
            next.as_ref().is_ok_and(is_same)
        };
        while let Some(Ok(next)) = programs.next_if(|next| is_next(&solutions[0], next)) {
            solutions.push(next);
        }
        Some(Ok(solutions))
    })
}

/// A sample of the problems: those with the lowest seeds.
struct Sample {
    seed: u64,
    most: usize,
    /// A program of each problem.
    unrelated: BTreeMap<u64, String>,
    /// The solutions of problems that have more than may stay.
    many: BTreeMap<u64, Vec<(Id, String)>>,
    /// True if there is anything to choose from.
    chooses: bool,
}

impl Sample {
    fn new(seed: u64, most: u32) -> Self {
        Sample {
            seed,
            most: most as usize,
            unrelated: BTreeMap::new(),
            many: BTreeMap::new(),
            chooses: false,
        }
    }

    /// Looks at the solutions of a problem.
    fn add(&mut self, solutions: Vec<Program>) {
        let first = &solutions[0];
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
    /// Its kind.
    by: String,
    /// Solutions with a similarity above this are near-duplicates; `None` if no problem has several solutions.
    threshold: Option<f64>,
    /// The source of the threshold: `recipe`, `paper` or `calibrated`.
    from: String,
    /// The mean similarity of programs of different problems, if it was calibrated, …
    unrelated: Option<f64>,
    /// … of this many programs, each with each other.
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

    /// The threshold and its source, in words (`above 0.5 by shingles`); `None` if no solutions were compared.
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

    /// The message on a threshold that was just calibrated.
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

/// Chooses by the measures of the recipe.
struct Chooser<'a> {
    config: &'a Alternates,
    seed: u64,
    applied: Vec<Applied>,
}

impl<'a> Chooser<'a> {
    /// The measures of the recipe.
    fn new(config: &'a Alternates, seed: u64) -> Self {
        Chooser {
            config,
            seed,
            applied: config.measures.iter().map(Applied::of).collect(),
        }
    }

    /// Returns `true` if a threshold is to be calibrated.
    fn calibrates(&self) -> bool {
        self.applied.iter().any(|one| one.threshold.is_none())
    }

    /// Finds the thresholds that the recipe leaves open; returns a message on each.
    fn calibrate<E>(
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
    fn choose<E>(
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
        choices.problems += problems.len();
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
            let seed = seed_of(self.seed, &solutions[0]);
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
