//! Data sets to programs with tests: read, prepared, admitted, and chosen among those of the same problem.
//!
//! Enter data sets as a recipe names them, and who gives vectors, if a model chooses alternates; leave, one at a time,
//! programs, rows for what was left out, and what each data set had. All data sets are one piece of work, because a
//! program of one may be a duplicate of another's. Where a threshold is to be calibrated all is read twice, for
//! thresholds are those of all problems.

use std::collections::BTreeSet;
use std::path::Path;

use barecode_records::SetAside;
use barecode_records::python::Program;
use serde::Serialize;

use crate::alternates::Alternates;
use crate::base::Base;
use crate::chooser::{Applied, Choices, Chooser, Embed, Sample};
use crate::config::ProgramConfig;
use crate::error::{ProgramsError, Stopped};
use crate::problems::{BATCH, Found, Problem, Problems, seed_of};
use crate::source::{ProgramSource, labels};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Extraction<'a> {
    /// The data sets.
    pub sources: &'a [ProgramSource],
    /// The folder that their paths are relative to.
    pub folder: &'a Path,
    /// Which programs take part.
    pub filters: &'a ProgramConfig,
    /// Which solutions of a problem take part.
    pub alternates: &'a Alternates,
    /// The run's seed.
    pub seed: u64,
}

/// What comes out, in this order: news of thresholds, then for each data set its programs and rows and its account.
#[derive(Debug)]
pub enum Extracted {
    /// Something to tell about a threshold that was calibrated.
    News(String),
    /// A program.
    Program(Box<Program>),
    /// Something that was left out.
    SetAside(Box<SetAside>),
    /// A data set is done.
    DataSet(DataSet),
}

/// What a data set had.
#[derive(Debug, Clone, Serialize)]
pub struct DataSet {
    /// What records call it.
    pub source: String,
    /// Its license, if the recipe names one.
    pub license: Option<String>,
    /// The digest of its files, for whom looked; empty before.
    pub digest: String,
    /// Programs that were kept.
    pub programs: u64,
    /// Problems.
    pub problems: usize,
    /// Those with several solutions.
    pub with_several_solutions: usize,
    /// Connected components of solutions that are not near the one that stands for their problem.
    pub components: usize,
    /// Alternates.
    pub alternates: usize,
    /// How often a model could not read a solution whole.
    pub too_long: usize,
    /// What made solutions near-duplicates.
    pub alternates_by: Vec<Applied>,
    /// Test cases beyond the limits, which are not run.
    pub cut_cases: u64,
    /// Published bugs that were kept.
    pub bugs: u64,
}

impl Extraction<'_> {
    /// Extracts, and hands out what is found.
    ///
    /// # Errors
    /// A data set that cannot be read as a whole, a threshold that cannot be found, and whatever `embed` and `take` say.
    pub fn run<E>(
        &self,
        embed: Embed<'_, E>,
        take: &mut dyn FnMut(Extracted) -> Result<(), E>,
    ) -> Result<(), Stopped<E>> {
        let mut chooser = Chooser::new(self.alternates, self.seed);
        if chooser.calibrates() {
            let mut sample = Sample::new(self.seed, self.alternates.most);
            self.each_problem(|solutions| sample.add(solutions))?;
            for news in chooser.calibrate(&sample, embed)? {
                take(Extracted::News(news)).map_err(Stopped::Outside)?;
            }
        }
        let mut base = Base::new();
        for (source, label) in self.sources.iter().zip(labels(self.sources)) {
            let mut set = Set {
                extraction: self,
                chooser: &chooser,
                embed,
                take: &mut *take,
                waiting: Vec::new(),
                choices: Choices::default(),
                kept: [0, 0],
            };
            let mut problems = self.open(source, &label, &mut base)?;
            for found in &mut problems {
                set.add(found).map_err(Stopped::Outside)?;
            }
            let done = set.end(source, label, problems.cut_cases);
            done.map_err(Stopped::Outside)?;
        }
        Ok(())
    }

    /// The texts that the model of each measure would read; none for a measure without one. Asks nobody.
    ///
    /// # Errors
    /// A data set that cannot be read as a whole.
    pub fn would_read(&self) -> Result<Vec<BTreeSet<String>>, ProgramsError> {
        let mut texts = BTreeSet::new();
        let mut sample = Sample::new(self.seed, self.alternates.most);
        self.each_problem(|solutions| {
            if solutions.len() > 1 {
                texts.extend(solutions.iter().map(|one| one.text.clone()));
            }
            sample.add(solutions);
        })?;
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

    /// All problems that take part, with their solutions.
    fn each_problem(&self, mut each: impl FnMut(Vec<Program>)) -> Result<(), ProgramsError> {
        let mut base = Base::new();
        for (source, label) in self.sources.iter().zip(labels(self.sources)) {
            for found in self.open(source, &label, &mut base)? {
                if let Found::Problem(problem) = found {
                    each(problem.solutions);
                }
            }
        }
        Ok(())
    }

    fn open<'b>(
        &'b self,
        source: &'b ProgramSource,
        label: &str,
        base: &'b mut Base,
    ) -> Result<Problems<'b>, ProgramsError> {
        Problems::open(source, label, self.folder, self.filters, self.seed, base)
            .map_err(ProgramsError::Unreadable)
    }
}

/// A data set on its way.
struct Set<'a, E> {
    extraction: &'a Extraction<'a>,
    chooser: &'a Chooser<'a>,
    embed: Embed<'a, E>,
    take: &'a mut dyn FnMut(Extracted) -> Result<(), E>,
    /// Problems whose solutions are to be chosen from.
    waiting: Vec<Problem>,
    choices: Choices,
    /// Programs and published bugs.
    kept: [u64; 2],
}

impl<E> Set<'_, E> {
    fn add(&mut self, found: Found) -> Result<(), E> {
        match found {
            Found::SetAside(row) => (self.take)(Extracted::SetAside(row)),
            Found::Problem(problem) => {
                self.waiting.push(problem);
                let waiting: usize = self.waiting.iter().map(|one| one.solutions.len()).sum();
                if waiting >= BATCH {
                    self.choose()?;
                }
                Ok(())
            }
        }
    }

    fn choose(&mut self) -> Result<(), E> {
        let mut problems = std::mem::take(&mut self.waiting);
        let solutions = problems.iter_mut();
        let solutions = solutions.map(|one| std::mem::take(&mut one.solutions));
        let chosen = self
            .chooser
            .choose(solutions.collect(), self.embed, &mut self.choices)?;
        for (mut chosen, problem) in chosen.into_iter().zip(problems) {
            let first = chosen.kept.first();
            let seed = first.map(|one| seed_of(self.extraction.seed, one));
            let left = problem.give(&mut chosen.kept, seed.unwrap_or_default());
            for row in chosen.set_aside.into_iter().chain(left) {
                (self.take)(Extracted::SetAside(Box::new(row)))?;
            }
            for program in chosen.kept {
                self.kept[0] += 1;
                self.kept[1] += program.bugs.len() as u64;
                (self.take)(Extracted::Program(Box::new(program)))?;
            }
        }
        Ok(())
    }

    fn end(mut self, source: &ProgramSource, label: String, cut_cases: u64) -> Result<(), E> {
        self.choose()?;
        let Choices {
            problems,
            with_several_solutions,
            components,
            alternates,
            too_long,
        } = self.choices;
        (self.take)(Extracted::DataSet(DataSet {
            source: label,
            license: source.license.clone(),
            digest: String::new(),
            programs: self.kept[0],
            problems,
            with_several_solutions,
            components,
            alternates,
            too_long,
            alternates_by: self.chooser.applied.clone(),
            cut_cases,
            bugs: self.kept[1],
        }))
    }
}
