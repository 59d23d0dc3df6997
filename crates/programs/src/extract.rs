//! Data sets to programs with tests: read, prepared and admitted.
//!
//! Enter data sets as a recipe names them; leave, one at a time, programs, rows for what was left out, and what each
//! data set had. All data sets are one piece of work, because a program of one may be a duplicate of another's. The
//! solutions of a problem leave side by side, and the first has the bugs that are published for it; which of them stay
//! is for [`Choosing`](crate::Choosing).

use std::path::Path;

use barecode_records::SetAside;
use barecode_records::python::Program;
use serde::Serialize;

use crate::base::Base;
use crate::config::ProgramConfig;
use crate::error::{ProgramsError, Stopped};
use crate::problems::{ProblemOrRow, Problems};
use crate::source::{ProgramSource, labels};

/// The settings of an extraction.
#[derive(Debug, Clone, Copy)]
pub struct Extraction<'a> {
    /// The data sets.
    pub sources: &'a [ProgramSource],
    /// The folder that their paths are relative to.
    pub folder: &'a Path,
    /// The filters that programs must pass.
    pub filters: &'a ProgramConfig,
    /// The run's seed.
    pub seed: u64,
}

/// The results: for each data set its programs and rows, then its account.
#[derive(Debug)]
pub enum Extracted {
    /// A program.
    Program(Box<Program>),
    /// Something that was left out.
    SetAside(Box<SetAside>),
    /// A data set is done.
    DataSet(DataSet),
}

/// The counts of a data set.
#[derive(Debug, Clone, Serialize)]
pub struct DataSet {
    /// Its name in records.
    pub source: String,
    /// Its license, if the recipe names one.
    pub license: Option<String>,
    /// The digest of its files, once it is computed; empty before.
    pub digest: String,
    /// Programs that were kept.
    pub programs: u64,
    /// Test cases beyond the limits, which are not run.
    pub cut_cases: u64,
    /// Published bugs that were kept.
    pub bugs: u64,
}

impl Extraction<'_> {
    /// Extracts, and hands out what is found.
    ///
    /// # Errors
    /// A data set that cannot be read as a whole, and any error of `take`.
    pub fn run<E>(
        &self,
        take: &mut dyn FnMut(Extracted) -> Result<(), E>,
    ) -> Result<(), Stopped<E>> {
        let mut take = |extracted| take(extracted).map_err(Stopped::Outside);
        let mut base = Base::new();
        for (source, label) in self.sources.iter().zip(labels(self.sources)) {
            let (folder, filters) = (self.folder, self.filters);
            let problems = Problems::open(source, &label, folder, filters, self.seed, &mut base);
            let mut problems = problems.map_err(ProgramsError::Unreadable)?;
            let mut data_set = DataSet {
                source: label,
                license: source.license.clone(),
                digest: String::new(),
                programs: 0,
                cut_cases: 0,
                bugs: 0,
            };
            for found in &mut problems {
                let (solutions, rows) = match found {
                    ProblemOrRow::Problem(problem) => problem.end(self.seed),
                    ProblemOrRow::Row(row) => (Vec::new(), vec![*row]),
                };
                for row in rows {
                    take(Extracted::SetAside(Box::new(row)))?;
                }
                for program in solutions {
                    data_set.programs += 1;
                    data_set.bugs += program.bugs.len() as u64;
                    take(Extracted::Program(Box::new(program)))?;
                }
            }
            data_set.cut_cases = problems.cut_cases;
            take(Extracted::DataSet(data_set))?;
        }
        Ok(())
    }
}
