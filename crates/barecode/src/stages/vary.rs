//! Units to variants: a shard for each shard of `check`.

use std::path::PathBuf;

use barecode_records::{SetAside, Stage, Variant};
use barecode_settings::vary;

use super::{check, finish, part};
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::flow::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 3;

/// What `vary` would do.
pub(crate) fn plan<'a>(site: &'a Site, units: &Finished) -> Plan<'a> {
    let tools = site.judge.digest();
    let lowerers = site.lowerers.iter();
    let lowerers: Vec<&str> = lowerers.map(|(_, lowerer)| lowerer.digest()).collect();
    let draws = site.recipe.draws();
    let labels: Vec<String> = draws
        .iter()
        .map(|(setting, seed)| setting.label(*seed))
        .collect();
    let shards = units
        .shards
        .iter()
        .enumerate()
        .map(|(number, (file, ticket))| {
            let content = ticket.files.get(file).expect("a ticket lists its own file");
            let key = engine::key(Stage::Vary, CODE)
                .field(engine::format_of::<Variant>())
                .field(engine::format_of::<SetAside>())
                .field(tools)
                .fields(&lowerers)
                .field(site.recipe.seed.to_le_bytes())
                .fields(&labels)
                .field(&content.digest);
            let file = file.clone();
            Shard {
                key: key.hex(),
                last: part(number),
                items: content.rows * draws.len() as u64,
                work: Box::new(move |writer| work(site, file.clone(), number, writer)),
            }
        });
    Plan {
        prepare: None,
        stage: Stage::Vary,
        noun: "variants",
        shards: shards.collect(),
    }
}

fn work(site: &Site, file: PathBuf, number: usize, writer: ShardWriter) -> anyhow::Result<Ticket> {
    let units = check::read(site, [file])?;
    let varied = vary(
        &units,
        &site.recipe.draws(),
        site.recipe.seed,
        &site.judge,
        &site.lowerers,
    )?;
    finish(writer, number, "variants", varied)
}
