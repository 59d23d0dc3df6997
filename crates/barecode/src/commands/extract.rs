//! Repositories to functions: a shard a source.

use std::collections::BTreeMap;

use barecode_corpus::{Source, extract};
use barecode_records::{Function, SetAside, Stage};

use super::{part, set_aside_part};
use crate::engine::{self, Plan, Shard, ShardWriter, Ticket};
use crate::flow::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 1;

/// What `extract` would do.
pub(crate) fn plan(site: &Site) -> Plan<'_> {
    let config =
        serde_json::to_string(&site.recipe.extract).expect("a configuration is plain data");
    let headers = site.headers.digest();
    let sources = site
        .recipe
        .sources
        .iter()
        .zip(&site.sources)
        .zip(&site.source_digests);
    let shards = sources
        .enumerate()
        .map(|(number, ((source_config, source), digest))| {
            let seed = site.seed("extract", source.label());
            let source_config =
                serde_json::to_string(source_config).expect("a configuration is plain data");
            let key = engine::key(Stage::Extract, CODE)
                .field(engine::format_of::<Function>())
                .field(engine::format_of::<SetAside>())
                .field(&config)
                .field(source_config)
                .field(digest)
                .field(&headers)
                .field(seed.to_le_bytes());
            Shard {
                key: key.hex(),
                last: part(number),
                items: 1,
                work: Box::new(move |writer| work(site, source, seed, number, writer)),
            }
        });
    Plan {
        stage: Stage::Extract,
        noun: "sources",
        shards: shards.collect(),
    }
}

fn work(
    site: &Site,
    source: &Source,
    seed: u64,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let extraction = extract(source, &site.recipe.extract, &site.headers, seed);
    engine::agree(
        "functions kept",
        extraction.counts.kept,
        extraction.functions.len(),
    )?;
    let aside: u64 = [&extraction.files, &extraction.counts]
        .into_iter()
        .flat_map(|counts| counts.set_aside.values())
        .sum();
    engine::agree(
        "files and functions set aside",
        aside,
        extraction.set_aside.len(),
    )?;
    writer.table(set_aside_part(number), &extraction.set_aside)?;
    let counts = BTreeMap::from([
        ("files".to_owned(), extraction.files),
        ("functions".to_owned(), extraction.counts),
    ]);
    writer.finish(part(number), &extraction.functions, counts)
}
