//! Functions to units: shards of 64 functions of one source.

use std::path::{Path, PathBuf};

use barecode_check::check;
use barecode_records::{Function, SetAside, Stage, Unit, table};

use super::{finish, part};
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::flow::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 3;

/// How many functions a shard holds: what is compiled together, and what a kill may lose.
const SHARD: u64 = 64;

/// What `check` would do.
pub(crate) fn plan<'a>(site: &'a Site, functions: &Finished) -> anyhow::Result<Plan<'a>> {
    let tools = site.judge.digest();
    let config = serde_json::to_string(&site.recipe.check).expect("a configuration is plain data");
    let mut shards = Vec::new();
    for (file, ticket) in &functions.shards {
        let content = ticket.files.get(file).expect("a ticket lists its own file");
        for start in (0..content.rows).step_by(usize::try_from(SHARD)?) {
            let number = shards.len();
            let end = content.rows.min(start + SHARD);
            let key = engine::key(Stage::Check, CODE)
                .field(engine::format_of::<Unit>())
                .field(engine::format_of::<SetAside>())
                .field(tools)
                .field(&config)
                .field(&content.digest)
                .field(start.to_le_bytes())
                .field(end.to_le_bytes());
            let input = site.folder.stage(Stage::Extract).join(file);
            shards.push(Shard {
                key: key.hex(),
                last: part(number),
                items: end - start,
                work: Box::new(move |writer| work(site, &input, start..end, number, writer)),
            });
        }
    }
    Ok(Plan {
        prepare: None,
        stage: Stage::Check,
        noun: "functions",
        shards,
    })
}

/// The shards of a source, by the number of its own: `check` cuts sources in order.
pub(super) fn shards_of_sources(functions: &Finished) -> Vec<std::ops::Range<usize>> {
    let mut next = 0;
    let shards = functions.shards.iter().map(|(file, ticket)| {
        let rows = ticket.files.get(file).map_or(0, |content| content.rows);
        let start = next;
        next += usize::try_from(rows.div_ceil(SHARD)).expect("a table fits in memory");
        start..next
    });
    shards.collect()
}

fn work(
    site: &Site,
    input: &Path,
    rows: std::ops::Range<u64>,
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let functions: Vec<Function> = table::read(input)?;
    let rows = usize::try_from(rows.start)?..usize::try_from(rows.end)?;
    let functions = &functions[rows];
    let checked = check(functions, &site.judge)?;
    let entered = checked.of("functions").entered;
    engine::agree("functions entered", entered, functions.len())?;
    finish(writer, number, "functions", checked)
}

/// Reads the units of these files.
pub(super) fn read(
    site: &Site,
    files: impl IntoIterator<Item = PathBuf>,
) -> anyhow::Result<Vec<Unit>> {
    let folder = site.folder.stage(Stage::Check);
    let mut units = Vec::new();
    for file in files {
        units.extend(table::read::<Unit>(&folder.join(file))?);
    }
    Ok(units)
}
