//! Data sets to programs: one shard, because a program of one data set may be a duplicate of another's.
//!
//! Programs are read, prepared in parallel, admitted in their order, chosen among those of the same problem, and written a
//! table at a time, so that memory is bounded by a table, and by a data set's limit where it has one.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};

use barecode_programs::base::{Base, Prepared, prepare};
use barecode_programs::read::read;
use barecode_programs::{Candidate, Cases, ProgramConfig};
use barecode_records::python::{Program, PublishedBug};
use barecode_records::table::Table;
use barecode_records::{Digest, Id, Origin, Outcome, Reason, SetAside, Stage};
use rayon::prelude::*;

use crate::encoders::Fetch;
use crate::engine::{Finished, Key, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{program_part, set_aside_of};
use crate::look::Look;
use crate::recipe::ProgramSource;
use crate::site::Site;
use crate::stages::agree_on_set_aside;

use super::alternates::{Choices, Chooser, Sample};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 4;

/// Programs that a table holds.
const TABLE: usize = 512;

/// Candidates that are prepared at a time.
const BATCH: usize = 256;

/// What the account calls published bugs.
pub(super) const BUGS: &str = "published bugs";

/// The shard of `extract` for programs, if the recipe has any.
pub(crate) fn shards(site: &Site, look: Look) -> anyhow::Result<Vec<Shard<'_>>> {
    let programs = &site.shop.recipe.programs;
    if programs.sources.is_empty() {
        return Ok(Vec::new());
    }
    let key = Key::new(Stage::Extract, CODE)
        .format::<Program>()
        .format::<SetAside>()
        .field(serde_json::to_string(&(
            &programs.sources,
            &programs.filters,
            programs.alternates.resolved(),
        ))?)
        .field(site.shop.recipe.seed.to_le_bytes());
    let mut digests = Vec::new();
    let key = match look {
        Look::Folder => key.unseen(),
        Look::Around | Look::Fetch => {
            let paths = programs
                .sources
                .iter()
                .map(|source| source.path(&site.shop.recipe.base));
            digests = paths
                .map(|path| digest_of(&path))
                .collect::<Result<Vec<String>, Failure>>()?;
            let key = key.own(Digest::new("programs").fields(&digests).hex());
            identified(site, key, look)?
        }
    };
    Ok(vec![Shard {
        key,
        last: set_aside_of(&program_part(0)),
        items: programs.sources.len() as u64,
        work: Box::new(move |writer| work(site, &digests, writer)),
    }])
}

/// The key with the identities of the models that choose alternates; one that is not here, and may not be fetched, has
/// none that any run has.
fn identified(site: &Site, key: Key, look: Look) -> Result<Key, Failure> {
    let fetch = match look {
        Look::Fetch => Fetch::Allowed,
        Look::Around | Look::Folder => Fetch::Never,
    };
    let mut key = key;
    for model in site.shop.recipe.programs.alternates.models() {
        let name = &model.spec.name;
        let identity = match (site.shop.encoders.identity_of_encoder(model, fetch), fetch) {
            (Ok(identity), _) => identity,
            (Err(failure), Fetch::Allowed) => return Err(failure),
            (Err(Failure { message, .. }), Fetch::Never) => {
                let note = format!("`{name}` cannot be looked at: {message}");
                site.shop.console.note(&note);
                "not here".to_owned()
            }
        };
        key = key.tool(name, &identity);
    }
    Ok(key)
}

/// The data sets of a finished stage, in the recipe's order: name, license, numbers of programs, digest.
pub(crate) fn data_sets(functions: &Finished) -> Vec<serde_json::Value> {
    let shards = functions.of_programs();
    let lists = shards.filter_map(|(_, ticket)| ticket.made_from.get("programs")?.as_array());
    lists.flatten().cloned().collect()
}

/// What records call data sets: as many of the last parts of each path as distinguish it from the others, so that no
/// record names a folder of the machine.
fn labels(sources: &[ProgramSource]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = sources
        .iter()
        .map(|source| {
            let path = source.from.strip_prefix("path:").unwrap_or(&source.from);
            let parts = Path::new(path).components();
            let parts = parts.filter_map(|part| match part {
                Component::Normal(part) => part.to_str(),
                _ => None,
            });
            parts.collect()
        })
        .collect();
    let tail = |of: &[&str], n: usize| of[of.len().saturating_sub(n)..].join("/");
    let longest = parts.iter().map(Vec::len).max().unwrap_or_default();
    let label = |(at, of): (usize, &Vec<&str>)| {
        let alone = |n: &usize| {
            let mut others = parts.iter().enumerate();
            others.all(|(other, parts)| other == at || tail(parts, *n) != tail(of, *n))
        };
        let n = (1..=longest).find(alone).unwrap_or(longest);
        match tail(of, n) {
            empty if empty.is_empty() => sources[at].from.clone(),
            label => label,
        }
    };
    parts.iter().enumerate().map(label).collect()
}

/// The digest of a file, or of all files in a folder with their names.
fn digest_of(path: &Path) -> Result<String, Failure> {
    let unreadable = |path: &Path, error: &std::io::Error| {
        Failure::invalid(format!(
            "cannot read the programs of `{}`: {error}",
            path.display()
        ))
        .hint("`from` of `[[programs]]` is a file or a folder, relative to the recipe's")
    };
    let root = path;
    let mut files = vec![path.to_owned()];
    let mut digest = Digest::new("files");
    while let Some(path) = files.pop() {
        let about = std::fs::metadata(&path).map_err(|error| unreadable(&path, &error))?;
        if about.is_dir() {
            let entries = std::fs::read_dir(&path).map_err(|error| unreadable(&path, &error))?;
            let mut inside: Vec<PathBuf> = entries
                .map(|entry| Ok(entry.map_err(|error| unreadable(&path, &error))?.path()))
                .collect::<Result<_, Failure>>()?;
            // The last one is taken next.
            inside.sort_unstable_by(|a, b| b.cmp(a));
            files.extend(inside);
            continue;
        }
        let mut file = File::open(&path).map_err(|error| unreadable(&path, &error))?;
        let mut buffer = vec![0; 1 << 16];
        let name = path.strip_prefix(root).unwrap_or(&path);
        digest = digest.field(name.as_os_str().as_encoded_bytes());
        loop {
            let n = file
                .read(&mut buffer)
                .map_err(|error| unreadable(&path, &error))?;
            if n == 0 {
                break;
            }
            digest = digest.field(&buffer[..n]);
        }
    }
    Ok(digest.hex())
}

/// What is read of data sets.
enum Found {
    /// A problem, with all that passed the filters.
    Problem(Problem),
    /// Something that was left out.
    SetAside(Box<SetAside>),
}

/// The solutions of a problem, and the bugs that are published with them.
#[derive(Default)]
struct Problem {
    name: String,
    solutions: Vec<Program>,
    bugs: Vec<Bug>,
    /// The most bugs that are taken.
    most_bugs: u32,
}

/// A published bug that no program has yet.
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

/// Gives bugs of a problem to the program that stands for it, in the order of a draw; the others are rows.
fn give(bugs: Problem, kept: &mut [Program], seed: u64) -> Vec<SetAside> {
    let Problem {
        name,
        mut bugs,
        most_bugs,
        ..
    } = bugs;
    let mut main = kept.iter_mut().find(|one| one.alternate_of.is_none());
    bugs.sort_by_cached_key(|one| {
        let digest = Digest::new("published bug").field(seed.to_le_bytes());
        digest.field(&one.id).bytes()
    });
    let mut rows = Vec::new();
    for one in bugs {
        match &mut main {
            None => rows.push(one.set_aside(&name, Reason::BugAlone, "no solution was kept")),
            Some(main) if main.bugs.len() < most_bugs as usize => main.bugs.push(one.published),
            Some(_) => {
                let detail = format!("bugs = {most_bugs}");
                rows.push(one.set_aside(&name, Reason::NotSampled, detail));
            }
        }
    }
    rows
}

/// Programs on their way to tables.
struct Tables<'s> {
    site: &'s Site,
    writer: ShardWriter,
    chooser: Chooser<'s>,
    /// Problems whose solutions are to be chosen from.
    problems: Vec<Problem>,
    waiting: Vec<Program>,
    written: usize,
    outcome: Outcome<()>,
    chosen: Choices,
}

impl Tables<'_> {
    fn add(&mut self, found: Found) -> anyhow::Result<()> {
        match found {
            Found::SetAside(row) => self.set_aside(*row),
            Found::Problem(problem) => {
                self.problems.push(problem);
                let waiting: usize = self.problems.iter().map(|one| one.solutions.len()).sum();
                if waiting >= BATCH {
                    self.choose()?;
                }
            }
        }
        Ok(())
    }

    fn choose(&mut self) -> anyhow::Result<()> {
        let mut problems = std::mem::take(&mut self.problems);
        let solutions = problems.iter_mut();
        let solutions = solutions.map(|one| std::mem::take(&mut one.solutions));
        let chosen = self.chooser.choose(solutions.collect(), &mut self.chosen)?;
        for (mut chosen, bugs) in chosen.into_iter().zip(problems) {
            let seed = chosen.kept.first().map(|one| seed_of(self.site, one));
            let left = give(bugs, &mut chosen.kept, seed.unwrap_or_default());
            for row in chosen.set_aside.into_iter().chain(left) {
                self.set_aside(row);
            }
            for program in chosen.kept {
                self.keep(program)?;
            }
        }
        Ok(())
    }

    fn keep(&mut self, program: Program) -> anyhow::Result<()> {
        self.outcome.count_kept("programs");
        for _ in &program.bugs {
            self.outcome.count_kept(BUGS);
        }
        self.waiting.push(program);
        if self.waiting.len() == TABLE {
            self.flush()?;
        }
        Ok(())
    }

    fn set_aside(&mut self, row: SetAside) {
        self.outcome.set_aside(&format!("{}s", row.kind), row);
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let programs = std::mem::take(&mut self.waiting);
        self.writer
            .table(program_part(self.written), Table::of(&programs))?;
        self.written += 1;
        Ok(())
    }
}

fn work(site: &Site, digests: &[String], writer: ShardWriter) -> anyhow::Result<Ticket> {
    let sources = &site.shop.recipe.programs.sources;
    let labels = labels(sources);
    let mut tables = Tables {
        site,
        writer,
        chooser: Chooser::new(site),
        problems: Vec::new(),
        waiting: Vec::new(),
        written: 0,
        outcome: Outcome::counting(["programs"]),
        chosen: Choices::default(),
    };
    if tables.chooser.calibrates() {
        // Thresholds are those of all problems, so everything is read once for them, and again for the tables.
        let mut sample = Sample::new(site);
        each_problem(site, |solutions| sample.add(solutions))?;
        tables.chooser.calibrate(&sample)?;
    }
    let mut base = Base::new();
    let mut described = Vec::new();
    for ((source, label), digest) in sources.iter().zip(&labels).zip(digests) {
        let before = ["programs", BUGS].map(|kind| tables.outcome.of(kind).kept);
        let cut_cases = one(site, source, label, &mut base, &mut |found| {
            tables.add(found)
        })?;
        tables.choose()?;
        if cut_cases > 0 {
            site.shop.console.note(&format!(
                "note: `{}`: {cut_cases} test cases are beyond `most-cases` and `most-test-bytes` and are not run",
                source.from
            ));
        }
        let chosen = std::mem::take(&mut tables.chosen);
        described.push(serde_json::json!({
            "source": label,
            "license": source.license,
            "digest": digest,
            "programs": tables.outcome.of("programs").kept - before[0],
            "problems": chosen.problems,
            "with_several_solutions": chosen.with_several_solutions,
            "components": chosen.components,
            "alternates": chosen.alternates,
            "too_long": chosen.too_long,
            "alternates_by": tables.chooser.described(),
            "cut_cases": cut_cases,
            "bugs": tables.outcome.of(BUGS).kept - before[1],
        }));
        tables.writer.advance(1);
    }
    // An empty table says that there is none.
    if !tables.waiting.is_empty() || tables.written == 0 {
        tables.flush()?;
    }
    let Tables {
        mut writer,
        outcome,
        ..
    } = tables;
    agree_on_set_aside(&outcome)?;
    writer.made_from(serde_json::json!({ "programs": described }));
    let last = set_aside_of(&program_part(0));
    writer.finish(last, Table::of(&outcome.set_aside), outcome.counts)
}

/// All problems that take part, with their solutions.
pub(super) fn each_problem(site: &Site, mut each: impl FnMut(Vec<Program>)) -> anyhow::Result<()> {
    let sources = &site.shop.recipe.programs.sources;
    let mut base = Base::new();
    for (source, label) in sources.iter().zip(labels(sources)) {
        one(site, source, &label, &mut base, &mut |found| {
            if let Found::Problem(problem) = found {
                each(problem.solutions);
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The programs of a data set; the number of their test cases that are beyond the limits.
fn one(
    site: &Site,
    source: &ProgramSource,
    label: &str,
    base: &mut Base,
    each: &mut dyn FnMut(Found) -> anyhow::Result<()>,
) -> anyhow::Result<u64> {
    let mut cut_cases = 0;
    let config = &site.shop.recipe.programs.filters;
    let cases = Cases {
        bugs: source.bugs > 0,
        ..config.cases()
    };
    let reader = read(
        &source.path(&site.shop.recipe.base),
        source.format,
        label,
        cases,
    );
    let mut reader = reader.map_err(|error| Failure::invalid(error.to_string()))?;
    let mut problem = Problem::default();
    let mut drawn = source.limit.map(|limit| Drawn::new(limit as usize));
    loop {
        let batch: Vec<Result<Candidate, SetAside>> = reader.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        for prepared in prepare_all(batch, config) {
            let admitted = match prepared {
                Ok(prepared) => base.admit(prepared),
                Err(row) => Err(row),
            };
            let (mut program, wrong) = match admitted {
                Ok(prepared) => {
                    let cut = prepared.wrong.is_none().then_some(prepared.cut_cases);
                    cut_cases += u64::from(cut.unwrap_or_default());
                    (prepared.program, prepared.wrong)
                }
                Err(row) => {
                    each(Found::SetAside(Box::new(row)))?;
                    continue;
                }
            };
            program.origin.license.clone_from(&source.license);
            if source.license.is_some() {
                program.origin.license_from = Some("recipe".to_owned());
            }
            if problem.name != program.problem {
                let next = Problem {
                    name: program.problem.clone(),
                    most_bugs: source.bugs,
                    ..Problem::default()
                };
                limited(
                    site,
                    std::mem::replace(&mut problem, next),
                    &mut drawn,
                    each,
                )?;
            }
            match wrong {
                None => problem.solutions.push(program),
                // Its tests are those of the programs.
                Some(kind) => problem.bugs.push(Bug {
                    id: program.id,
                    origin: program.origin,
                    published: PublishedBug {
                        kind,
                        text: program.text,
                    },
                }),
            }
        }
    }
    limited(site, problem, &mut drawn, each)?;
    for problem in drawn.into_iter().flat_map(Drawn::problems) {
        each(Found::Problem(problem))?;
    }
    Ok(cut_cases)
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

/// The seed of a problem.
pub(super) fn seed_of(site: &Site, solution: &Program) -> u64 {
    let Program {
        origin, problem, ..
    } = solution;
    site.shop
        .seed("problem", &format!("{} {problem}", origin.source))
}

/// Chooses among problems if the data set has a limit.
fn limited(
    site: &Site,
    problem: Problem,
    drawn: &mut Option<Drawn>,
    each: &mut dyn FnMut(Found) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let (Some(first), Some(drawn)) = (problem.solutions.first(), drawn) else {
        return each(Found::Problem(problem));
    };
    let detail = format!("limit = {}", drawn.limit);
    for left in drawn.add(seed_of(site, first), problem) {
        let programs = left.solutions.into_iter().map(|program| SetAside {
            id: Some(program.id),
            origin: Some(program.origin),
            name: Some(program.problem),
            ..SetAside::new(Stage::Extract, "program", Reason::NotSampled, &detail)
        });
        let bugs = left.bugs.into_iter();
        let bugs = bugs.map(|bug| bug.set_aside(&left.name, Reason::NotSampled, &detail));
        for row in programs.chain(bugs) {
            each(Found::SetAside(Box::new(row)))?;
        }
    }
    Ok(())
}

/// The problems with the lowest seeds, of which there are at most so many.
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

    /// Adds a problem, and gives back whom it displaces.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_sets_are_called_by_the_end_of_their_path() {
        let of = |paths: &[&str]| {
            let sources = paths.iter().map(|from| ProgramSource {
                from: (*from).to_owned(),
                format: None,
                license: None,
                limit: None,
                bugs: 1,
            });
            labels(&sources.collect::<Vec<_>>())
        };
        assert_eq!(
            of(&["/home/me/HumanEval.jsonl.gz", "path:../data/mbpp.jsonl"]),
            ["HumanEval.jsonl.gz", "mbpp.jsonl"]
        );
        assert_eq!(
            of(&["/a/x/train.jsonl", "/a/y/train.jsonl", "train.json"]),
            ["x/train.jsonl", "y/train.jsonl", "train.json"]
        );
        assert_eq!(
            of(&["train.jsonl", "/a/train.jsonl"]),
            ["train.jsonl", "a/train.jsonl"]
        );
        assert_eq!(of(&["."]), ["."]);
    }
}
