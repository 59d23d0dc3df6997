//! Which solutions of a problem take part: those that no measure of the recipe finds near-duplicates of each other
//! (pydra, appendix B.3).
//!
//! Enters: the solutions of problems, a few problems at a time. Leaves: those that stay, and rows for the others. A
//! model's threshold is calibrated on a [`Sample`] of the problems before any is chosen from: it starts at the mean
//! similarity of programs of different problems. Models are opened and asked only where a problem has several solutions.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_models::{Encoder, Estimate, Side};
use barecode_programs::alternates::{
    Chosen, Matrix, Measure, alternates, calibrated, relaxed, too_many,
};
use barecode_records::python::Program;
use barecode_records::{Id, Stage};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::extract::{data_sets, each_problem, seed_of};
use crate::encoders::Fetch;
use crate::engine::Finished;
use crate::evaluation::ledger::Books;
use crate::exit::Failure;
use crate::recipe::{By, Threshold, Way};
use crate::site::Site;

/// Problems that a threshold is calibrated with, and programs whose pairs are unrelated.
const SAMPLE: usize = 300;

/// What came of choosing among the solutions of a data set.
#[derive(Debug, Default)]
pub(super) struct Choices {
    /// Problems.
    pub(super) problems: usize,
    /// Those with several solutions.
    pub(super) with_several_solutions: usize,
    /// Connected components of solutions that are not near the one that stands for their problem.
    pub(super) components: usize,
    /// Alternates.
    pub(super) alternates: usize,
    /// How often a model could not read a solution whole.
    pub(super) too_long: usize,
}

/// Problems that stand for all: those with the lowest seeds.
pub(super) struct Sample<'s> {
    site: &'s Site,
    /// A program of each problem.
    unrelated: BTreeMap<u64, String>,
    /// The solutions of problems that have more than may stay.
    many: BTreeMap<u64, Vec<(Id, String)>>,
    /// Whether there is anything to choose from.
    chooses: bool,
}

impl<'s> Sample<'s> {
    pub(super) fn new(site: &'s Site) -> Self {
        Sample {
            site,
            unrelated: BTreeMap::new(),
            many: BTreeMap::new(),
            chooses: false,
        }
    }

    /// Looks at the solutions of a problem.
    pub(super) fn add(&mut self, solutions: Vec<Program>) {
        let Some(first) = solutions.first() else {
            return;
        };
        let seed = seed_of(self.site, first);
        keep(&mut self.unrelated, seed, || first.text.clone());
        self.chooses |= solutions.len() > 1;
        if solutions.len() > 1 + self.site.shop.recipe.programs.alternates.most as usize {
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

/// What each model that chooses would read; asks nobody.
pub(crate) fn estimates(site: &Site) -> anyhow::Result<Vec<(String, Estimate)>> {
    let (mut texts, mut sample) = (BTreeSet::new(), Sample::new(site));
    each_problem(site, |solutions| {
        if solutions.len() > 1 {
            texts.extend(solutions.iter().map(|one| one.text.clone()));
        }
        sample.add(solutions);
    })?;
    let config = &site.shop.recipe.programs.alternates;
    let estimate = |by: &By| {
        let model = by.model.as_ref()?;
        let calibrates = by.config.threshold == Threshold::Found(Way::Calibrated);
        let unrelated = sample.unrelated.values().filter(|_| calibrates);
        let read = texts.iter().chain(unrelated).map(String::as_str);
        let read: BTreeSet<&str> = read.filter(|_| !texts.is_empty()).collect();
        let read: Vec<&str> = read.into_iter().collect();
        let estimate = site.shop.encoders.estimate(model, Side::Document, &read);
        Some(estimate.map(|estimate| (by.name.clone(), estimate)))
    };
    Ok(config
        .by
        .iter()
        .filter_map(estimate)
        .collect::<Result<_, _>>()?)
}

/// A measure of the recipe with its threshold.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Applied {
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
    /// The threshold and where it comes from, as a sentence; `None` if nothing was compared.
    fn words(&self) -> Option<String> {
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
}

/// What makes solutions near-duplicates by the account of a finished stage, a measure each: `above 0.5 by shingles`.
pub(crate) fn near_duplicates(functions: &Finished) -> Vec<String> {
    // All data sets have the same.
    let sets = data_sets(functions).into_iter().take(1);
    let measures = sets.flat_map(|mut set| {
        let measures: Vec<Applied> =
            serde_json::from_value(set["alternates_by"].take()).unwrap_or_default();
        measures
    });
    measures.filter_map(|one| one.words()).collect()
}

/// The vectors of solutions, none of those that are too long for the model.
type Vectors = Vec<Option<Vec<f32>>>;

/// What chooses.
pub(super) struct Chooser<'s> {
    site: &'s Site,
    applied: Vec<Applied>,
    books: Books,
}

impl<'s> Chooser<'s> {
    /// The measures of the recipe.
    pub(super) fn new(site: &'s Site) -> Self {
        let config = &site.shop.recipe.programs.alternates;
        let applied = config.by.iter().map(|by| Applied {
            by: by.name.clone(),
            threshold: match by.config.threshold {
                Threshold::At(threshold) => Some(threshold),
                Threshold::Found(Way::Paper) => by.of_the_paper(),
                Threshold::Found(Way::Calibrated) => None,
            },
            from: by.config.threshold.to_string(),
            unrelated: None,
            unrelated_programs: None,
            calibrated_on: None,
        });
        let named = config.by.iter().filter_map(|by| {
            let name = by.model.as_ref()?.spec.name.clone();
            Some((name, by.config.model.clone()))
        });
        Chooser {
            site,
            applied: applied.collect(),
            books: Books::new(Stage::Extract, named.collect()),
        }
    }

    /// Whether a threshold is to be calibrated.
    pub(super) fn calibrates(&self) -> bool {
        self.applied.iter().any(|one| one.threshold.is_none())
    }

    /// What was applied, for the account of a data set.
    pub(super) fn described(&self) -> serde_json::Value {
        serde_json::json!(self.applied)
    }

    /// Finds the thresholds that the recipe leaves open.
    pub(super) fn calibrate(&mut self, sample: &Sample<'_>) -> anyhow::Result<()> {
        if !sample.chooses {
            return Ok(());
        }
        let alternates = &self.site.shop.recipe.programs.alternates;
        let most = alternates.most as usize;
        let encoders = self.open()?;
        for (at, by) in alternates.by.iter().enumerate() {
            if self.applied[at].threshold.is_some() {
                continue;
            }
            let encoder = encoders[at].as_deref();
            let texts: Vec<&str> = sample.unrelated.values().map(String::as_str).collect();
            let matrix = |texts: &[&str]| -> anyhow::Result<Matrix> {
                Ok(match encoder {
                    None => Matrix::of_texts(texts),
                    Some(encoder) => Matrix::of_vectors(&self.vectors(by, encoder, texts)?),
                })
            };
            let unrelated = matrix(&texts)?.mean().ok_or_else(|| {
                let message = format!(
                    "the threshold of `{}` cannot be calibrated: no two problems have programs that it compares",
                    by.name
                );
                let hint = format!(
                    "say one: `by = [{{ model = \"{}\", threshold = 0.9 }}]`",
                    by.config.model
                );
                Failure::invalid(message).hint(hint)
            })?;
            let thresholds = relaxed(unrelated);
            let mut problems = Vec::new();
            for (seed, solutions) in &sample.many {
                let texts: Vec<&str> = solutions.iter().map(|(_, text)| text.as_str()).collect();
                let ids: Vec<&Id> = solutions.iter().map(|(id, _)| id).collect();
                problems.push((ids, matrix(&texts)?, *seed));
            }
            let says = problems
                .into_par_iter()
                .map(|(ids, matrix, seed)| too_many(&ids, matrix, &thresholds, most, seed));
            let says: Vec<Vec<bool>> = says.collect();
            let applied = &mut self.applied[at];
            applied.threshold = calibrated(&thresholds, &says);
            applied.unrelated = Some(unrelated);
            applied.unrelated_programs = Some(texts.len());
            applied.calibrated_on = Some(says.len());
            self.tell(at);
        }
        Ok(())
    }

    fn tell(&self, at: usize) {
        let Applied {
            by,
            threshold: Some(threshold),
            unrelated: Some(unrelated),
            calibrated_on: Some(problems),
            ..
        } = &self.applied[at]
        else {
            return;
        };
        let most = self.site.shop.recipe.programs.alternates.most;
        let from = format!("unrelated programs are at {unrelated:.3}");
        self.site.shop.console.note(&match problems {
            0 => format!(
                "note: `{by}` keeps no solutions more alike than {threshold}, which unrelated programs are: \
                 no problem has more than {} solutions to calibrate on; `threshold` of `[alternates]` says another",
                most + 1
            ),
            problems => format!(
                "alternates: solutions above {threshold} by `{by}` are near-duplicates (calibrated on {problems} problems; {from})"
            ),
        });
    }

    /// The models of the measures, all open before any is asked.
    fn open(&self) -> Result<Vec<Option<Arc<dyn Encoder>>>, Failure> {
        let (encoders, recipe) = (&self.site.shop.encoders, &self.site.shop.recipe);
        let open = |by: &By| {
            let model = by.model.as_ref();
            model
                .map(|model| encoders.open(model, Fetch::Allowed))
                .transpose()
        };
        recipe.programs.alternates.by.iter().map(open).collect()
    }

    /// The vectors of texts; none of what the model cannot read whole.
    fn vectors(&self, by: &By, encoder: &dyn Encoder, texts: &[&str]) -> anyhow::Result<Vectors> {
        let (folder, encoders) = (&self.site.folder, &self.site.shop.encoders);
        let embedded = encoder.encode(Side::Document, texts);
        if let Some(model) = &by.model {
            let name = &model.spec.name;
            self.books
                .write(folder, name, encoder.identity(), encoders)?;
        }
        let embedded = embedded?;
        let whole = |at: usize| (!embedded.truncated[at]).then(|| embedded.vector(at).to_vec());
        Ok((0..texts.len()).map(whole).collect())
    }

    /// Chooses among the solutions of each problem; what was chosen is in the order of the problems.
    pub(super) fn choose(
        &self,
        problems: Vec<Vec<Program>>,
        choices: &mut Choices,
    ) -> anyhow::Result<Vec<Chosen>> {
        let several = || problems.iter().filter(|solutions| solutions.len() > 1);
        let texts: Vec<&str> = several().flatten().map(|one| one.text.as_str()).collect();
        let mut vectors = Vec::new();
        if !texts.is_empty() {
            let alternates = &self.site.shop.recipe.programs.alternates;
            for (by, encoder) in alternates.by.iter().zip(self.open()?) {
                let of_model = encoder.map(|encoder| self.vectors(by, &*encoder, &texts));
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
        let most = self.site.shop.recipe.programs.alternates.most as usize;
        let chosen = placed.into_par_iter().map(|(solutions, start)| {
            let Some(first) = solutions.first() else {
                return Chosen::default();
            };
            let seed = seed_of(self.site, first);
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
