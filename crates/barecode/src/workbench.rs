//! Stages over records: the work of a run's stages on records in memory, without a run folder.
//!
//! Enter a recipe, or the part of one that a stage needs, and the records of the stage before. Leaves an [`Outcome`],
//! the rows that the same stage of a run would write: both are the same functions of [`stages`](crate::stages). The
//! additions of a run (shards, keys, resuming after a kill) belong to the engine.

use std::path::Path;
use std::sync::Arc;

use barecode_corpus::spellings::{SourceNames, source_names};
use barecode_dataset::{Dataset, ProbeRows};
use barecode_models::Ledger;
use barecode_queries::FURTHER_COMMENTS;
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::{Function, Outcome, Query, Record, Stage, Unit, Variant};
use rayon::prelude::*;

use crate::console::{Console, Heard, Listener, Progress};
use crate::exit::{Exit, Failure, classify};
use crate::models::Means;
use crate::recipe::Recipe;
use crate::session::{CallOptions, Session};
use crate::site::{Resolved, Workshop};
use crate::stages::{assemble, check, extract, programs, query, vary};

/// The requirements of the stages besides records. Tools are looked for once, when a stage first needs them.
pub struct Workbench {
    shop: Workshop,
    _heard: Heard,
}

impl Workbench {
    /// Reads a recipe in TOML, or the part of one that the requested stages need; paths in it are relative to `base`.
    ///
    /// # Errors
    /// A problem with the recipe, with its position; a cache folder that cannot be made.
    pub fn open(
        recipe: &str,
        base: &Path,
        options: &CallOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Failure> {
        let (console, heard) = Console::heard(listener);
        let recipe = Recipe::parse_part(recipe, "recipe", base)?;
        let session = Session::of_program(options, console);
        let same = |ledger: Ledger| ledger;
        let shop = session.workshop(recipe, &Means::default(), same);
        Ok(Workbench {
            shop: shop.map_err(|error| classify(&error))?,
            _heard: heard,
        })
    }

    /// The functions of the recipe's sources, in their order.
    ///
    /// # Errors
    /// A source that does not exist and is not optional; a compiler that a source needs and that is missing.
    pub fn extract(&self) -> Result<Outcome<Vec<Function>>, Failure> {
        self.failing(|| {
            let sources = self.shop.sources()?;
            let progress = self.progress(Stage::Extract, "sources", sources.len());
            let of_source = |(number, found): (usize, &Resolved)| {
                let key = self.shop.recipe.sources[number].key();
                let mut outcome: Outcome<Vec<Function>> = Outcome::default();
                match found {
                    Resolved::Read { source, .. } => {
                        let seed = self.shop.seed("extract", key);
                        let kept = &mut outcome.kept;
                        let take = &mut |part: Vec<Function>| kept.extend(part);
                        let extracted = extract::functions(&self.shop, source, seed, take)?;
                        outcome.counts = extracted.counts;
                        outcome.set_aside = extracted.rows.collect();
                        outcome.count_kept("sources");
                    }
                    Resolved::Absent {
                        label,
                        reason,
                        detail,
                    } => {
                        outcome.set_aside("sources", extract::absent_row(label, *reason, detail));
                    }
                }
                progress.advance(1);
                Ok(outcome)
            };
            let sources: Vec<_> = sources.into_iter().enumerate().collect();
            self.joined(sources, of_source)
        })
    }

    /// Returns the functions that are self-contained: they compile, or they parse where nothing is compiled.
    ///
    /// # Errors
    /// A compiler that is missing.
    pub fn check(&self, functions: &[Function]) -> Result<Outcome<Vec<Unit>>, Failure> {
        self.failing(|| {
            let progress = self.progress(Stage::Check, "functions", functions.len());
            self.joined(chunks(functions, check::SHARD), |chunk| {
                let (checked, _) = check::units(&self.shop, chunk, |done| progress.advance(done))?;
                Ok(checked)
            })
        })
    }

    /// Each unit under each setting of the recipe, proven.
    ///
    /// # Errors
    /// A compiler that is missing.
    pub fn vary(&self, units: &[Unit]) -> Result<Outcome<Vec<Variant>>, Failure> {
        self.failing(|| {
            let total = units.len() * self.shop.recipe.draws().len();
            let progress = self.progress(Stage::Vary, "variants", total);
            let maps = vary::maps(&self.shop, units, |source| self.names(source))?;
            self.joined(chunks(units, check::SHARD), |chunk| {
                vary::variants(&self.shop, chunk, &maps, |done| progress.advance(done))
            })
        })
    }

    /// The names of a source of the recipe.
    fn names(&self, label: &str) -> anyhow::Result<Option<SourceNames>> {
        let sources = self.shop.sources()?.into_iter();
        let mut read = sources.filter_map(|found| match found {
            Resolved::Read { source, .. } if source.config().name() == label => Some(source),
            _ => None,
        });
        let config = &self.shop.recipe.extract;
        Ok(read.next().map(|source| source_names(source, config)))
    }

    /// Returns the queries in the doc comments of units. Repeated comments are detected within a source, whose units
    /// are adjacent.
    ///
    /// # Errors
    /// A model that puts queries in classes and does not answer.
    pub fn query(&self, units: &[Unit]) -> Result<Outcome<Vec<Query>>, Failure> {
        self.failing(|| {
            let progress = self.progress(Stage::Query, "units", units.len());
            let sources = units.chunk_by(|one, next| one.origin.source == next.origin.source);
            let mut queried = Outcome::counting(["units", FURTHER_COMMENTS]);
            for source in sources {
                queried.append(query::queries(&self.shop, source)?);
                progress.advance(source.len() as u64);
            }
            Ok(queried)
        })
    }

    /// The dataset of the recipe's views and settings.
    ///
    /// # Errors
    /// Reviews that do not fit the queries.
    pub fn assemble(
        &self,
        units: &[Unit],
        variants: &[Variant],
        queries: Vec<Query>,
    ) -> Result<Outcome<Dataset>, Failure> {
        self.failing(|| {
            let (assembled, _) = assemble::dataset(&self.shop, units, variants, queries)?;
            Ok(assembled)
        })
    }

    /// The programs of the recipe's data sets.
    ///
    /// # Errors
    /// A data set that cannot be read as a whole.
    pub fn extract_programs(&self) -> Result<Outcome<Vec<Program>>, Failure> {
        self.failing(|| {
            let total = self.shop.recipe.programs.sources.len();
            let progress = self.progress(Stage::Extract, "sources", total);
            programs::extract::programs(&self.shop, || progress.advance(1))
        })
    }

    /// Returns the programs that stay of the solutions of each problem, which are adjacent.
    ///
    /// # Errors
    /// A model that chooses and does not answer; a threshold that cannot be calibrated.
    pub fn choose_programs(&self, rows: &[Program]) -> Result<Outcome<Vec<Program>>, Failure> {
        self.failing(|| {
            let progress = self.progress(Stage::Choose, "programs", rows.len());
            programs::choose::chosen(&self.shop, rows, |done| progress.advance(done))
        })
    }

    /// The programs that pass their tests.
    ///
    /// # Errors
    /// Solutions of a problem without a choice among them; an interpreter or a sandbox that is missing.
    pub fn check_programs(&self, rows: &[Program]) -> Result<Outcome<Vec<Program>>, Failure> {
        let name = |one: &Program| (one.origin.source.clone(), one.problem.clone());
        let stand = |two: &&[Program]| {
            two.iter().all(|one| one.alternate_of.is_none()) && name(&two[0]) == name(&two[1])
        };
        if let Some(two) = rows.windows(2).find(stand) {
            let problem = &two[0].problem;
            let message = format!("`{problem}` has two solutions that stand for it");
            return Err(Failure::invalid(message).hint("choose first among what `extract` left"));
        }
        self.failing(|| {
            let progress = self.progress(Stage::Check, "programs", rows.len());
            let python = self.shop.python()?;
            self.joined(chunks(rows, programs::check::SHARD), |chunk| {
                let done = || progress.advance(1);
                Ok(barecode_programs::check(chunk.to_vec(), python, done)?)
            })
        })
    }

    /// Returns the variants that the recipe's pipelines make of programs, run with their tests.
    ///
    /// # Errors
    /// As [`Workbench::check_programs`].
    pub fn vary_programs(&self, rows: &[Program]) -> Result<Outcome<Vec<ProgramVariant>>, Failure> {
        self.failing(|| {
            let pipelines = programs::vary::pipelines(&self.shop);
            let draws: usize = pipelines.iter().map(|one| one.draws as usize).sum();
            let progress = self.progress(Stage::Vary, "variants", rows.len() * draws);
            self.joined(chunks(rows, programs::check::SHARD), |chunk| {
                programs::vary::variants(&self.shop, chunk, |done| progress.advance(done))
            })
        })
    }

    /// Returns the rows of the probe of programs and their variants.
    pub fn assemble_programs(
        &self,
        rows: Vec<Program>,
        variants: Vec<ProgramVariant>,
    ) -> Vec<ProbeRows> {
        programs::assemble::rows(&self.shop, rows, variants)
    }

    fn failing<T: Send>(
        &self,
        work: impl FnOnce() -> anyhow::Result<T> + Send,
    ) -> Result<T, Failure> {
        self.shop
            .pool
            .install(work)
            .map_err(|error| classify(&error))
    }

    fn progress(&self, stage: Stage, noun: &'static str, total: usize) -> Progress {
        self.shop.console.stage(stage, noun, total as u64, None)
    }

    /// The outcomes of several pieces as one, in the order of the pieces. The first error is returned.
    fn joined<P: Send, T: Record + Send>(
        &self,
        pieces: Vec<P>,
        work: impl Fn(P) -> anyhow::Result<Outcome<Vec<T>>> + Sync,
    ) -> anyhow::Result<Outcome<Vec<T>>> {
        let work = |piece| {
            if self.shop.console.is_stopped() {
                return Err(Failure::new(Exit::Interrupted, "interrupted").into());
            }
            work(piece)
        };
        let done: Vec<_> = pieces.into_par_iter().with_max_len(1).map(work).collect();
        let mut all = Outcome::default();
        for outcome in done {
            all.append(outcome?);
        }
        Ok(all)
    }
}

/// Returns the records in chunks of the size of a run's shard.
fn chunks<T>(records: &[T], shard: u64) -> Vec<&[T]> {
    let size = usize::try_from(shard).expect("a shard is small");
    records.chunks(size).collect()
}
