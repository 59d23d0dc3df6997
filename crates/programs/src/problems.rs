//! A data set to problems, each with all of its solutions that passed the filters, and the bugs that are published with
//! them.
//!
//! Candidates are prepared in parallel and admitted in their order, a batch at a time, so that memory is bounded by a
//! batch, and by a data set's limit if it has one: then the problems with the lowest seeds take part.

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use barecode_formats::FormatError;
use barecode_records::python::{Program, PublishedBug};
use barecode_records::{Digest, Id, Origin, Reason, SetAside, Stage};
use rayon::prelude::*;

use crate::base::{Base, Prepared, prepare};
use crate::candidate::{Candidate, Cases};
use crate::config::ProgramConfig;
use crate::read::{Reader, read};
use crate::source::ProgramSource;

/// Candidates that are prepared at a time, and solutions that are compared at a time.
pub(crate) const BATCH: usize = 256;

/// The items that are read from a data set.
#[derive(Debug)]
pub(crate) enum ProblemOrRow {
    /// A problem.
    Problem(Problem),
    /// Something that was left out.
    Row(Box<SetAside>),
}

/// The solutions of a problem, and the bugs that are published with them.
#[derive(Debug, Default)]
pub(crate) struct Problem {
    name: String,
    solutions: Vec<Program>,
    bugs: Vec<Bug>,
    /// The most bugs that are taken.
    most_bugs: u32,
}

/// A published bug that no program has yet.
#[derive(Debug)]
struct Bug {
    id: Id,
    origin: Origin,
    published: PublishedBug,
}

impl Bug {
    fn set_aside(self, problem: &str, reason: Reason, detail: impl Into<String>) -> SetAside {
        SetAside {
            id: Some(self.id),
            origin: Some(self.origin),
            name: Some(problem.to_owned()),
            ..SetAside::new(Stage::Extract, "published bug", reason, detail)
        }
    }
}

impl Problem {
    /// Its solutions, of which the first has its bugs, in the order of a draw; the other bugs are rows.
    pub(crate) fn end(self, seed: u64) -> (Vec<Program>, Vec<SetAside>) {
        let Problem {
            name,
            mut solutions,
            mut bugs,
            most_bugs,
        } = self;
        let mut first = solutions.first_mut();
        let seed = first.as_ref().map(|first| seed_of(seed, first));
        let seed = seed.unwrap_or_default();
        bugs.sort_by_cached_key(|one| {
            let digest = Digest::new("published bug").field(seed.to_le_bytes());
            digest.field(&one.id).bytes()
        });
        let mut rows = Vec::new();
        for one in bugs {
            match &mut first {
                None => rows.push(one.set_aside(&name, Reason::BugAlone, "no solution was kept")),
                Some(first) if first.bugs.len() < most_bugs as usize => {
                    first.bugs.push(one.published);
                }
                Some(_) => {
                    let detail = format!("bugs = {most_bugs}");
                    rows.push(one.set_aside(&name, Reason::NotSampled, detail));
                }
            }
        }
        (solutions, rows)
    }

    /// A row for each program and each bug.
    fn not_sampled(self, detail: &str) -> Vec<SetAside> {
        let programs = self.solutions.into_iter().map(|program| SetAside {
            id: Some(program.id),
            origin: Some(program.origin),
            name: Some(program.problem),
            ..SetAside::new(Stage::Extract, "program", Reason::NotSampled, detail)
        });
        let bugs = self.bugs.into_iter();
        let bugs = bugs.map(|bug| bug.set_aside(&self.name, Reason::NotSampled, detail));
        programs.chain(bugs).collect()
    }
}

/// The seed of a solution's problem, derived from the run's.
pub(crate) fn seed_of(seed: u64, solution: &Program) -> u64 {
    let Program {
        origin, problem, ..
    } = solution;
    Digest::new("seed")
        .field(seed.to_le_bytes())
        .field("problem")
        .field(format!("{} {problem}", origin.source))
        .seed()
}

/// The problems of a data set, one at a time.
pub(crate) struct Problems<'a> {
    reader: Reader,
    source: &'a ProgramSource,
    config: &'a ProgramConfig,
    seed: u64,
    base: &'a mut Base,
    /// The problem that the last candidates solve.
    problem: Problem,
    drawn: Option<Drawn>,
    found: VecDeque<ProblemOrRow>,
    is_read: bool,
    /// Test cases that are beyond the limits so far.
    pub(crate) cut_cases: u64,
}

impl<'a> Problems<'a> {
    /// Opens a data set that records call `label`.
    pub(crate) fn open(
        source: &'a ProgramSource,
        label: &str,
        folder: &Path,
        config: &'a ProgramConfig,
        seed: u64,
        base: &'a mut Base,
    ) -> Result<Self, FormatError> {
        let cases = Cases {
            bugs: source.bugs > 0,
            ..config.cases()
        };
        Ok(Problems {
            reader: read(&source.path(folder), source.format, label, cases)?,
            source,
            config,
            seed,
            base,
            problem: Problem::default(),
            drawn: source.limit.map(|limit| Drawn::new(limit as usize)),
            found: VecDeque::new(),
            is_read: false,
            cut_cases: 0,
        })
    }

    /// Reads one batch.
    fn read(&mut self) {
        let batch: Vec<Result<Candidate, SetAside>> = self.reader.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            self.is_read = true;
            self.end_problem(Problem::default());
            let drawn = self.drawn.take().into_iter().flat_map(Drawn::problems);
            self.found.extend(drawn.map(ProblemOrRow::Problem));
            return;
        }
        for prepared in prepare_all(batch, self.config) {
            let admitted = match prepared {
                Ok(prepared) => self.base.admit(prepared),
                Err(row) => Err(row),
            };
            match admitted {
                Ok(prepared) => self.add(prepared),
                Err(row) => self.found.push_back(ProblemOrRow::Row(Box::new(row))),
            }
        }
    }

    fn add(&mut self, prepared: Prepared) {
        let Prepared {
            mut program,
            wrong,
            cut_cases,
            ..
        } = prepared;
        program.origin.license.clone_from(&self.source.license);
        if self.source.license.is_some() {
            program.origin.license_from = Some("recipe".to_owned());
        }
        if self.problem.name != program.problem {
            self.end_problem(Problem {
                name: program.problem.clone(),
                most_bugs: self.source.bugs,
                ..Problem::default()
            });
        }
        match wrong {
            None => {
                self.cut_cases += u64::from(cut_cases);
                self.problem.solutions.push(program);
            }
            // Its tests are those of the programs.
            Some(kind) => self.problem.bugs.push(Bug {
                id: program.id,
                origin: program.origin,
                published: PublishedBug {
                    kind,
                    text: program.text,
                },
            }),
        }
    }

    /// Ends the problem that is being read; where the data set has a limit, another problem may have to go.
    fn end_problem(&mut self, next: Problem) {
        let problem = std::mem::replace(&mut self.problem, next);
        let (Some(first), Some(drawn)) = (problem.solutions.first(), &mut self.drawn) else {
            self.found.push_back(ProblemOrRow::Problem(problem));
            return;
        };
        let detail = format!("limit = {}", drawn.limit);
        let left = drawn.add(seed_of(self.seed, first), problem);
        let rows = left.into_iter().flat_map(|one| one.not_sampled(&detail));
        self.found
            .extend(rows.map(|row| ProblemOrRow::Row(Box::new(row))));
    }
}

impl Iterator for Problems<'_> {
    type Item = ProblemOrRow;

    fn next(&mut self) -> Option<ProblemOrRow> {
        while self.found.is_empty() && !self.is_read {
            self.read();
        }
        self.found.pop_front()
    }
}

fn prepare_all(
    batch: Vec<Result<Candidate, SetAside>>,
    config: &ProgramConfig,
) -> Vec<Result<Prepared, SetAside>> {
    let rows = batch.into_par_iter().flat_map_iter(|candidate| {
        [match candidate {
            Ok(candidate) => prepare(candidate, config),
            Err(row) => Err(row),
        }]
    });
    rows.collect()
}

/// The problems with the lowest seeds, at most this many.
struct Drawn {
    limit: usize,
    problems: BTreeMap<u64, Vec<Problem>>,
}

impl Drawn {
    fn new(limit: usize) -> Self {
        Drawn {
            limit,
            problems: BTreeMap::new(),
        }
    }

    /// Adds a problem, and returns the problems that it displaces.
    fn add(&mut self, seed: u64, problem: Problem) -> Vec<Problem> {
        self.problems.entry(seed).or_default().push(problem);
        if self.problems.len() <= self.limit {
            return Vec::new();
        }
        let last = self.problems.pop_last();
        last.map(|(_, problems)| problems).unwrap_or_default()
    }

    fn problems(self) -> impl Iterator<Item = Problem> {
        self.problems.into_values().flatten()
    }
}
