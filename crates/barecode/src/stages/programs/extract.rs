//! Data sets to programs: one shard, because a program of one data set may be a duplicate of another's.
//!
//! What is extracted is written a table at a time, so that memory is bounded by a table.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use barecode_programs::{BUGS, DataSet, Extracted, Extraction, PROGRAMS, ProgramsError, Stopped};
use barecode_records::python::Program;
use barecode_records::table::Table;
use barecode_records::{Digest, Outcome, SetAside, Stage};

use super::alternates::Models;
use crate::encoders::identity_or_absent;
use crate::engine::{Finished, Holds, Key, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{program_part, set_aside_of};
use crate::look::Look;
use crate::site::{Site, Workshop};
use crate::stages::agree_on_set_aside;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 5;

/// Programs that a table holds.
const TABLE: usize = 512;

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
            &programs.alternates.config,
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
    let fetch = look.into();
    let mut key = key;
    for model in site.shop.recipe.programs.alternates.models() {
        let name = &model.spec.name;
        let found = site.shop.encoders.identity_of_encoder(model, fetch);
        let identity = identity_or_absent(found, fetch, name, site.shop.console)?;
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

/// Programs on their way to tables.
struct Tables<'s> {
    site: &'s Site,
    digests: std::slice::Iter<'s, String>,
    writer: ShardWriter,
    waiting: Vec<Program>,
    written: usize,
    outcome: Outcome<()>,
    data_sets: Vec<DataSet>,
}

impl Tables<'_> {
    fn take(&mut self, extracted: Extracted) -> anyhow::Result<()> {
        match extracted {
            Extracted::News(news) => self.site.shop.console.note(&news),
            Extracted::SetAside(row) => self.outcome.set_aside(&format!("{}s", row.kind), *row),
            Extracted::Program(program) => {
                count(&mut self.outcome, &program);
                self.waiting.push(*program);
                if self.waiting.len() == TABLE {
                    self.flush()?;
                }
            }
            Extracted::DataSet(mut data_set) => {
                tell(&self.site.shop, self.data_sets.len(), &data_set);
                data_set.digest = self.digests.next().cloned().unwrap_or_default();
                self.data_sets.push(data_set);
                self.writer.advance(1);
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        let programs = std::mem::take(&mut self.waiting);
        self.writer
            .table(program_part(self.written), Table::of(&programs))?;
        self.written += 1;
        Ok(())
    }
}

/// Counts a program, and the bugs that are published with it.
fn count<T>(outcome: &mut Outcome<T>, program: &Program) {
    outcome.count_kept(PROGRAMS);
    for _ in &program.bugs {
        outcome.count_kept(BUGS);
    }
}

/// Tells of what is not run of a data set.
fn tell(shop: &Workshop, number: usize, data_set: &DataSet) {
    let cut_cases = data_set.cut_cases;
    if cut_cases > 0 {
        let from = &shop.recipe.programs.sources[number].from;
        shop.console.note(&format!(
            "note: `{from}`: {cut_cases} test cases are beyond `most-cases` and `most-test-bytes` and are not run"
        ));
    }
}

fn work(site: &Site, digests: &[String], writer: ShardWriter) -> anyhow::Result<Ticket> {
    let mut tables = Tables {
        site,
        digests: digests.iter(),
        writer,
        waiting: Vec::new(),
        written: 0,
        outcome: Outcome::counting([PROGRAMS]),
        data_sets: Vec::new(),
    };
    let models = Models::new(&site.shop, Some(&site.folder));
    extraction(&site.shop)
        .run(&|at, texts| models.vectors(at, texts), &mut |extracted| {
            tables.take(extracted)
        })
        .map_err(failed)?;
    // An empty table says that there is none.
    if !tables.waiting.is_empty() || tables.written == 0 {
        tables.flush()?;
    }
    let Tables {
        mut writer,
        outcome,
        data_sets,
        ..
    } = tables;
    agree_on_set_aside(&outcome)?;
    writer.holds(Holds::Programs);
    writer.made_from(serde_json::json!({ "programs": data_sets }));
    let last = set_aside_of(&program_part(0));
    writer.finish(last, Table::of(&outcome.set_aside), outcome.counts)
}

/// The programs of the recipe's data sets.
///
/// `done` hears of each data set.
pub(crate) fn programs(shop: &Workshop, done: impl Fn()) -> anyhow::Result<Outcome<Vec<Program>>> {
    let mut outcome: Outcome<Vec<Program>> = Outcome::counting([PROGRAMS]);
    let mut number = 0;
    let models = Models::new(shop, None);
    let mut take = |extracted: Extracted| -> anyhow::Result<()> {
        match extracted {
            Extracted::News(news) => shop.console.note(&news),
            Extracted::SetAside(row) => outcome.set_aside(&format!("{}s", row.kind), *row),
            Extracted::Program(program) => {
                count(&mut outcome, &program);
                outcome.kept.push(*program);
            }
            Extracted::DataSet(data_set) => {
                tell(shop, number, &data_set);
                number += 1;
                done();
            }
        }
        Ok(())
    };
    extraction(shop)
        .run(&|at, texts| models.vectors(at, texts), &mut take)
        .map_err(failed)?;
    Ok(outcome)
}

/// What the recipe asks for.
pub(super) fn extraction(shop: &Workshop) -> Extraction<'_> {
    let programs = &shop.recipe.programs;
    Extraction {
        sources: &programs.sources,
        folder: &shop.recipe.base,
        filters: &programs.filters,
        alternates: &programs.alternates.config,
        seed: shop.recipe.seed,
    }
}

/// An error of an extraction as one of the program's.
pub(super) fn failed(stopped: Stopped<anyhow::Error>) -> anyhow::Error {
    match stopped {
        Stopped::Outside(error) => error,
        Stopped::Programs(error) => of_programs(&error).into(),
    }
}

/// An error of data sets as one of the program's.
pub(super) fn of_programs(error: &ProgramsError) -> Failure {
    Failure {
        hint: error.hint(),
        ..Failure::invalid(error.to_string())
    }
}
