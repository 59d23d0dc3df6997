//! Units to queries: a shard a source, so that repeated comments of one project are seen.

use std::path::PathBuf;

use barecode_queries::query;
use barecode_records::{Query, SetAside, Stage, Unit};

use super::{check, finish};
use crate::engine::{self, Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::part;
use crate::look::{Before, Look};
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// What `query` would do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let config = serde_json::to_string(&site.recipe.queries)?;
    let units = &before[&Stage::Check];
    let sources = check::shards_of_sources(&before[&Stage::Extract])
        .into_iter()
        .enumerate();
    let shards = sources.map(|(number, range)| {
        let inputs = &units.shards[range];
        let files: Vec<PathBuf> = inputs.iter().map(|(file, _)| file.clone()).collect();
        let contents: Vec<_> = inputs
            .iter()
            .map(|(file, ticket)| &ticket.files[file])
            .collect();
        let key = Key::new(Stage::Query, CODE)
            .format::<Query>()
            .format::<SetAside>()
            .field(&config)
            .fields(contents.iter().map(|content| &content.digest));
        Shard {
            key,
            last: part(number),
            items: contents.iter().map(|content| content.rows).sum(),
            work: Box::new(move |writer| work(site, &files, number, writer)),
        }
    });
    Ok(Plan::new(Stage::Query, "units", shards))
}

fn work(
    site: &Site,
    files: &[PathBuf],
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let units: Vec<Unit> = site.folder.layout().rows(Stage::Check, files)?;
    let queried = query(&units, &site.recipe.queries);
    engine::agree("units entered", queried.of("units").entered, units.len())?;
    finish(writer, number, "units", queried)
}
