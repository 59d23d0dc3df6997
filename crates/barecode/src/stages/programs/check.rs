//! Programs to programs that pass their tests: shards of 32.

use std::ops::Range;
use std::path::Path;

use barecode_check::Python;
use barecode_programs::{PROGRAMS, check};
use barecode_records::python::Program;
use barecode_records::{SetAside, Stage};

use super::{finish, tables};
use crate::engine::{Finished, Key, Shard, ShardWriter, Ticket};
use crate::layout::program_part;
use crate::look::Look;
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 4;

/// Number of programs that a shard holds.
pub(crate) const SHARD: u64 = 32;

/// The shards of `check` for programs.
pub(crate) fn shards<'a>(
    site: &'a Site,
    programs: &'a Finished,
    look: Look,
) -> anyhow::Result<Vec<Shard<'a>>> {
    let mut shards = Vec::new();
    let tools = tools(site, look)?;
    let config = serde_json::to_string(&site.shop.recipe.programs.python)?;
    for (file, content) in tables(programs) {
        for start in (0..content.rows).step_by(usize::try_from(SHARD)?) {
            let number = shards.len();
            let end = content.rows.min(start + SHARD);
            let key = Key::new(Stage::Check, CODE)
                .format::<Program>()
                .format::<SetAside>()
                .field(&config)
                .field(&content.digest)
                .field(start.to_le_bytes())
                .field(end.to_le_bytes());
            shards.push(Shard {
                key: with_tools(key, tools.as_deref()),
                last: program_part(number),
                items: end - start,
                work: Box::new(move |writer| work(site, file, start..end, number, writer)),
            });
        }
    }
    Ok(shards)
}

/// The digest of the interpreter, where it is looked at.
pub(super) fn tools(site: &Site, look: Look) -> anyhow::Result<Option<String>> {
    if site.shop.recipe.programs.sources.is_empty() {
        return Ok(None);
    }
    Ok(match look {
        Look::Folder => None,
        Look::Around | Look::Fetch => Some(site.shop.python()?.digest()),
    })
}

pub(super) fn with_tools(key: Key, tools: Option<&str>) -> Key {
    match tools {
        None => key.unseen(),
        Some(tools) => key.tool("python", tools),
    }
}

fn work(
    site: &Site,
    input: &Path,
    rows: Range<u64>,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let programs = site.folder.layout().programs_in(input, rows)?;
    let python = site.shop.python()?;
    let outcome = check(programs, python, || writer.advance(1))?;
    writer.made_from(ran_in(python));
    finish(writer, number, PROGRAMS, outcome)
}

/// Returns the interpreter of programs, for readers.
pub(super) fn ran_in(python: &Python) -> serde_json::Value {
    serde_json::json!({
        "python": python.version(),
        "sandbox": python.level().to_string(),
    })
}
