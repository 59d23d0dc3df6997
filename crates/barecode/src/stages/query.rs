//! Units to queries: a shard a source, so that repeated comments of one project are seen.

use std::path::PathBuf;

use barecode_queries::query;
use barecode_records::{Query, SetAside, Stage};

use super::{check, finish, part};
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::flow::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 1;

/// What `query` would do.
pub(crate) fn plan<'a>(site: &'a Site, functions: &Finished, units: &Finished) -> Plan<'a> {
    let config =
        serde_json::to_string(&site.recipe.queries).expect("a configuration is plain data");
    let sources = check::shards_of_sources(functions).into_iter().enumerate();
    let shards = sources.map(|(number, range)| {
        let inputs = &units.shards[range];
        let files: Vec<PathBuf> = inputs.iter().map(|(file, _)| file.clone()).collect();
        let contents: Vec<_> = inputs
            .iter()
            .map(|(file, ticket)| &ticket.files[file])
            .collect();
        let key = engine::key(Stage::Query, CODE)
            .field(engine::format_of::<Query>())
            .field(engine::format_of::<SetAside>())
            .field(&config)
            .fields(contents.iter().map(|content| &content.digest));
        Shard {
            key: key.hex(),
            last: part(number),
            items: contents.iter().map(|content| content.rows).sum(),
            work: Box::new(move |writer| work(site, &files, number, writer)),
        }
    });
    Plan {
        prepare: None,
        stage: Stage::Query,
        noun: "units",
        shards: shards.collect(),
    }
}

fn work(
    site: &Site,
    files: &[PathBuf],
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let units = check::read(site, files.iter().cloned())?;
    let queried = query(&units, &site.recipe.queries);
    engine::agree("units entered", queried.of("units").entered, units.len())?;
    finish(writer, number, "units", queried)
}
