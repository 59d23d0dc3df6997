//! Data sets to programs: one shard, because a program of one data set may be a duplicate of another's.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use barecode_programs::{DataSet, Extracted, Extraction};
use barecode_records::python::Program;
use barecode_records::{Digest, Outcome, SetAside, Stage, guarded};

use super::{Kept, failed};
use crate::engine::{Key, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{program_part, set_aside_of};
use crate::look::Look;
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 7;

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
            key.own(Digest::new("programs").fields(&digests).hex())
        }
    };
    Ok(vec![Shard {
        key,
        last: set_aside_of(&program_part(0)),
        items: programs.sources.len() as u64,
        work: Box::new(move |writer| work(site, &digests, writer)),
    }])
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
        let name = path.strip_prefix(root).unwrap_or(&path);
        digest = digest.field(name.as_os_str().as_encoded_bytes());
        if path != root && !about.is_file() {
            // A pipe or a device has no bytes; the reader of the data set refuses it.
            continue;
        }
        let mut file = guarded::open(&path).map_err(|error| unreadable(&path, &error))?;
        let mut buffer = vec![0; 1 << 16];
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

/// Notes the parts of a data set that are not run.
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
    let mut kept = Kept::new(Some(writer));
    let mut digests = digests.iter().cloned();
    let mut data_sets: Vec<DataSet> = Vec::new();
    run(&site.shop, &mut kept, |data_set| {
        data_sets.push(DataSet {
            digest: digests.next().unwrap_or_default(),
            ..data_set
        });
    })?;
    kept.finish(serde_json::json!({ "programs": data_sets }))
}

/// The programs of the recipe's data sets.
///
/// `done` is called for each data set.
pub(crate) fn programs(shop: &Workshop, done: impl Fn()) -> anyhow::Result<Outcome<Vec<Program>>> {
    let mut kept = Kept::new(None);
    run(shop, &mut kept, |_| done())?;
    Ok(kept.outcome)
}

fn run(shop: &Workshop, kept: &mut Kept, mut done: impl FnMut(DataSet)) -> anyhow::Result<()> {
    let mut number = 0;
    let mut take = |extracted: Extracted| -> anyhow::Result<()> {
        match extracted {
            Extracted::SetAside(row) => kept.set_aside(*row),
            Extracted::Program(program) => kept.keep(*program)?,
            Extracted::DataSet(data_set) => {
                tell(shop, number, &data_set);
                number += 1;
                kept.advance(1);
                done(data_set);
            }
        }
        Ok(())
    };
    extraction(shop).run(&mut take).map_err(failed)
}

/// Returns the extraction that the recipe configures.
fn extraction(shop: &Workshop) -> Extraction<'_> {
    let programs = &shop.recipe.programs;
    Extraction {
        sources: &programs.sources,
        folder: &shop.recipe.base,
        filters: &programs.filters,
        seed: shop.recipe.seed,
    }
}
