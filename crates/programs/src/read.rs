//! Data sets to candidates, one at a time, whatever they are stored as.
//!
//! Enters: a path. Leaves: candidates, and a row for each program, row and file that is not one. The file of each
//! format describes its rows or folders; this module has the part that they share: a problem with its tests and its
//! solutions, of which one at a time becomes a candidate. The hard thing is memory: a problem may have thousands of
//! solutions and megabytes of tests. So solutions in files are read when they are requested, and tests are copied
//! then.

mod apps;
mod code_contests;
mod code_net;
mod files;
mod folder;
mod format;
mod human_eval;
mod leet_code;
mod literal;
mod mbpp;
mod problem;

use std::path::{Path, PathBuf};

use barecode_formats::{FormatError, Row, Rows};
use barecode_records::python::Tests;
use barecode_records::{Origin, Reason, SetAside, Stage};

use crate::{Candidate, Cases};
pub use format::{Format, detect};
use problem::{Place, Problem, Refused, Solution, Stream, Text};

/// A data set that is read, and its name in records.
struct Set {
    root: PathBuf,
    source: String,
}

/// The candidates of a data set, and rows for what is not one.
pub struct Reader {
    set: Set,
    limits: Cases,
    work: std::vec::IntoIter<(Format, PathBuf)>,
    /// Files that are not read, to be reported.
    others: std::vec::IntoIter<PathBuf>,
    stream: Stream,
    problem: Option<(Place, Problem, std::vec::IntoIter<Solution>)>,
}

/// Reads a data set that `source` names in records; without a format, the one that each file is in is found.
///
/// # Errors
/// If the path cannot be read, or nothing in it is in a known format. Errors further inside are rows.
pub fn read(
    path: &Path,
    format: Option<Format>,
    source: &str,
    limits: Cases,
) -> Result<Reader, FormatError> {
    let (work, others) = format::work(path, format)?;
    Ok(Reader {
        set: Set {
            root: path.to_owned(),
            source: source.to_owned(),
        },
        limits,
        work: work.into_iter(),
        others: others.into_iter(),
        stream: Box::new(std::iter::empty()),
        problem: None,
    })
}

impl Set {
    fn origin(&self, place: &Place, lines: (u32, u32)) -> Origin {
        let (start_line, end_line) = match place.line {
            Some(line) => (line, line),
            None => lines,
        };
        Origin {
            source: self.source.clone(),
            repository: None,
            version: None,
            commit: None,
            license: None,
            license_from: None,
            first_commit: None,
            path: place.path.clone(),
            start_line,
            end_line,
        }
    }

    fn set_aside(&self, place: &Place, name: Option<String>, refused: Refused) -> SetAside {
        SetAside {
            origin: Some(self.origin(place, (1, 1))),
            name,
            ..SetAside::new(Stage::Extract, refused.kind, refused.reason, refused.detail)
        }
    }

    #[expect(
        clippy::result_large_err,
        reason = "rows that are set aside are results, too"
    )]
    fn candidate(
        &self,
        place: &Place,
        problem: &Problem,
        solution: Solution,
    ) -> Result<Candidate, SetAside> {
        let name = || Some(problem.name.clone());
        let (place, text) = match solution.text {
            Text::Here(text) => (place.clone(), text),
            Text::File(path) => {
                let at = Place { path, line: None };
                match files::text(&files::under(&self.root, &at.path)) {
                    Ok(text) => (at, text),
                    Err(refused) => return Err(self.set_aside(&at, name(), refused)),
                }
            }
            Text::Refused(path, refused) => {
                let at = match path {
                    Some(path) => Place { path, line: None },
                    None => place.clone(),
                };
                return Err(self.set_aside(&at, name(), refused));
            }
        };
        let lines = u32::try_from(text.lines().count()).unwrap_or(u32::MAX);
        Ok(Candidate {
            origin: self.origin(&place, (1, lines.max(1))),
            problem: problem.name.clone(),
            statement: problem.statement.clone(),
            text,
            tests: Tests {
                entry: solution.entry.or_else(|| problem.tests.entry.clone()),
                ..problem.tests.clone()
            },
            cut_cases: problem.cut_cases,
            wrong: solution.wrong,
        })
    }
}

impl Iterator for Reader {
    type Item = Result<Candidate, SetAside>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some((place, problem, solutions)) = &mut self.problem {
                if let Some(solution) = solutions.next() {
                    let (place, problem) = (&*place, &*problem);
                    return Some(self.set.candidate(place, problem, solution));
                }
                self.problem = None;
            }
            match self.stream.next() {
                Some((place, Ok(mut problem))) => {
                    let solutions = std::mem::take(&mut problem.solutions);
                    self.problem = Some((place, problem, solutions.into_iter()));
                }
                Some((place, Err(refused))) => {
                    return Some(Err(self.set.set_aside(&place, None, refused)));
                }
                None => match self.work.next() {
                    Some((format, path)) => self.stream = self.open(format, &path),
                    None => break,
                },
            }
        }
        let other = self.others.next()?;
        let place = Place {
            path: files::relative(&self.set.root, &other),
            line: None,
        };
        let refused = Refused {
            kind: "file",
            ..Refused::row(
                Reason::FormatUnknown,
                "its fields are those of no data set of programs",
            )
        };
        Some(Err(self.set.set_aside(&place, None, refused)))
    }
}

impl Reader {
    fn open(&self, format: Format, path: &Path) -> Stream {
        let (root, limits) = (self.set.root.clone(), self.limits);
        match format {
            Format::HumanEval | Format::HumanEvalPack | Format::HumanEvalX => {
                table(&root, path, &[], move |row| {
                    human_eval::problem(row, limits.bugs)
                })
            }
            Format::Mbpp => table(&root, path, &[], mbpp::problem),
            Format::LeetCode => table(&root, path, &[], leet_code::problem),
            Format::CodeContests => {
                table(&root, path, code_contests::columns(limits), move |row| {
                    code_contests::problem(row, limits)
                })
            }
            Format::Apps if path.is_dir() => Box::new(apps::folder(&root, path, limits)),
            Format::Apps => {
                let split = files::stem(path);
                table(&root, path, &[], move |row| {
                    apps::problem(row, &split, limits)
                })
            }
            Format::CodeNet => Box::new(code_net::problem(&root, path)),
            Format::Folder => Box::new(folder::program(&root, path, limits)),
        }
    }
}

/// The problems of a table, one a row.
fn table(
    root: &Path,
    file: &Path,
    columns: &[&str],
    problem: impl Fn(&mut Row) -> Result<Problem, Refused> + 'static,
) -> Stream {
    let path = files::relative(root, file);
    let place = move |line: Option<u64>| Place {
        path: path.clone(),
        line: Some(line.map_or(1, |line| u32::try_from(line).unwrap_or(u32::MAX))),
    };
    let corrupt = |error: &FormatError| Refused::row(Reason::RowCorrupt, error.to_string());
    match Rows::open(file, columns) {
        Err(error) => Box::new(std::iter::once((place(None), Err(corrupt(&error))))),
        Ok(rows) => Box::new(rows.map(move |row| match row {
            Ok(mut row) => (place(row.place.line), problem(&mut row)),
            Err(error) => {
                let line = match &error {
                    FormatError::Invalid { place, .. } => place.line,
                    FormatError::Io { .. } => None,
                };
                (place(line), Err(corrupt(&error)))
            }
        })),
    }
}
