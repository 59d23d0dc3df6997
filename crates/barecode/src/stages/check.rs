//! Functions to units: shards of up to 256 functions of one source.

use std::path::Path;
use std::sync::Arc;

use barecode_check::check_telling;
use barecode_corpus::{check_read, reader};
use barecode_languages::judged;
use barecode_records::{Function, Judged, Outcome, SetAside, Stage, Toolchain, Unit};

use super::extract::is_compiled_shard;
use super::{finish, programs};
use crate::console::Pulse;
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::part;
use crate::look::{Before, Look};
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 12;

/// The number of functions in a shard. Those with the same headers are compiled together, so more functions cost less;
/// a kill may lose them, except for the verdicts in the cache.
pub(crate) const SHARD: u64 = 256;

/// Returns the plan of `check`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let functions = &before[&Stage::Extract];
    let mut of_functions = functions.of_functions();
    let compiles = of_functions.any(|(_, ticket)| is_compiled_shard(ticket));
    let tools = match look {
        _ if !compiles => None,
        Look::Folder => None,
        Look::Around | Look::Fetch => Some(site.shop.judge()?.digest()),
    };
    let config = serde_json::to_string(&site.shop.recipe.check)?;
    let mut shards = Vec::new();
    for (file, ticket) in functions.of_functions() {
        let content = ticket.files.get(file).expect("a ticket lists its own file");
        for start in (0..content.rows).step_by(usize::try_from(SHARD)?) {
            let number = site.slice.first_shard + shards.len();
            let end = content.rows.min(start + SHARD);
            let key = Key::new(Stage::Check, CODE)
                .format::<Unit>()
                .format::<SetAside>()
                .field(&config)
                .field(&content.digest)
                .field(start.to_le_bytes())
                .field(end.to_le_bytes());
            let key = match tools {
                Some(tools) if is_compiled_shard(ticket) => key.tool("compilers", tools),
                _ if look == Look::Folder => key.unseen(),
                _ => key,
            };
            let input = file.as_path();
            shards.push(Shard {
                key,
                last: part(number),
                items: end - start,
                work: Box::new(move |writer| work(site, input, start..end, number, writer)),
            });
        }
    }
    if let Some(chosen) = before.get(&Stage::Choose) {
        shards.extend(programs::check::shards(site, chosen, look)?);
    }
    let pulse = if compiles { pulse(site, look)? } else { None };
    Ok(Plan {
        pulse,
        ..Plan::new(Stage::Check, "functions", shards)
    })
}

/// Returns the counter of compiler starts, if the plan looks at compilers.
pub(super) fn pulse(site: &Site, look: Look) -> anyhow::Result<Option<Pulse>> {
    Ok(match look {
        Look::Folder => None,
        Look::Around | Look::Fetch => {
            Some(("compilations", Arc::new(site.shop.judge()?.compilations())))
        }
    })
}

/// Returns the toolchain that judged the units of a finished stage, a compiler before others; `None` if it has none.
pub(crate) fn toolchain(units: &Finished) -> Option<Toolchain> {
    let made_from = units.made_from();
    let toolchains: Vec<Toolchain> = made_from
        .filter_map(|made_from| serde_json::from_value(made_from.clone()).ok())
        .collect();
    let mut of_compilers = toolchains.iter();
    let compiler = of_compilers.find(|toolchain| toolchain.judged() == Judged::Compiler);
    compiler.or(toolchains.first()).cloned()
}

/// Returns `true` if a shard of a finished stage has units that were compiled.
pub(super) fn is_compiled(ticket: &Ticket) -> bool {
    let toolchain: Result<Toolchain, _> = serde_json::from_value(ticket.made_from.clone());
    toolchain.is_ok_and(|toolchain| toolchain.judged() == Judged::Compiler)
}

/// The shards of a source, by the number of its own: `check` cuts sources in order.
pub(super) fn shards_of_sources(functions: &Finished) -> Vec<std::ops::Range<usize>> {
    let mut next = 0;
    let shards = functions.of_functions().map(|(file, ticket)| {
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
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let functions = site.folder.layout().functions_in(input, rows)?;
    let (checked, judged_by) = units(&site.shop, &functions, |done| writer.advance(done))?;
    let entered = checked.of("functions").entered;
    engine::agree("functions entered", entered, functions.len())?;
    writer.made_from(serde_json::to_value(judged_by)?);
    finish(writer, number, &["functions"], checked)
}

/// The units of some functions, and what judged them, a compiler before others; `done` is called with the number of
/// functions that are decided. Where the workshop takes functions as they were found, every one is a unit.
pub(crate) fn units(
    shop: &Workshop,
    functions: &[Function],
    done: impl Fn(u64) + Sync,
) -> anyhow::Result<(Outcome<Vec<Unit>>, Option<Toolchain>)> {
    let mut checked = Outcome::counting(["functions"]);
    let (mut judged_by, mut read) = (None, None);
    let is_compiled = |function: &Function| judged(function.language) == Some(Judged::Compiler);
    // In the order of the functions: runs of a language alternate where files do.
    for run in functions.chunk_by(|one, next| is_compiled(one) == is_compiled(next)) {
        if shop.as_found {
            for function in run {
                let (closure, reader) = (function.closure.clone(), reader(function.language));
                checked.keep("functions", Unit::of(function, closure, reader));
            }
            done(run.len() as u64);
        } else if run.first().is_some_and(is_compiled) {
            let judge = shop.judge()?;
            checked.append(check_telling(run, judge, &done)?);
            judged_by = Some(judge.compiler().toolchain().clone());
        } else {
            checked.append(check_read(run));
            done(run.len() as u64);
            read = read.or(run.first().map(|function| reader(function.language)));
        }
    }
    Ok((checked, judged_by.or(read)))
}
