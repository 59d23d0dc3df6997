//! Repositories to functions: a shard a source.

use std::collections::BTreeMap;

use barecode_corpus::extract;
use barecode_records::{Counts, Function, Reason, SetAside, Stage};
use barecode_sources::Source;

use super::{part, set_aside_part};
use crate::engine::{self, Plan, Shard, ShardWriter, Ticket, Work};
use crate::flow::{Resolved, Site};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 3;

/// What `extract` would do.
pub(crate) fn plan<'a>(site: &'a Site) -> Plan<'a> {
    let config =
        serde_json::to_string(&site.recipe.extract).expect("a configuration is plain data");
    let headers = site.headers.digest();
    let shard = |(number, resolved): (usize, &'a Resolved)| {
        let key = engine::key(Stage::Extract, CODE)
            .field(engine::format_of::<Function>())
            .field(engine::format_of::<SetAside>());
        let (key, work): (_, Work<'a>) = match resolved {
            Resolved::Read { source, digest } => {
                let seed = site.seed("extract", source.label());
                let source_config =
                    serde_json::to_string(source.config()).expect("a configuration is plain data");
                let key = key
                    .field(&config)
                    .field(source_config)
                    .field(digest)
                    .field(&headers)
                    .field(seed.to_le_bytes());
                let work = move |writer| work(site, source, seed, number, writer);
                (key, Box::new(work))
            }
            Resolved::Absent {
                label,
                reason,
                detail,
            } => {
                let key = key
                    .field("absent")
                    .field(label)
                    .field(reason.code())
                    .field(detail);
                let work = move |writer| absent(label, *reason, detail, number, writer);
                (key, Box::new(work))
            }
        };
        Shard {
            key: key.hex(),
            last: part(number),
            items: 1,
            work,
        }
    };
    let shards = site.sources.iter().enumerate().map(shard);
    Plan {
        prepare: None,
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
    let mut sources = Counts::default();
    sources.keep();
    let counts = BTreeMap::from([
        ("sources".to_owned(), sources),
        ("files".to_owned(), extraction.files),
        ("functions".to_owned(), extraction.counts),
    ]);
    writer.finish(part(number), &extraction.functions, counts)
}

/// A source that could not be read is a row of its own, without functions.
fn absent(
    label: &str,
    reason: Reason,
    detail: &str,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let row = SetAside {
        stage: Stage::Extract,
        kind: "source".to_owned(),
        id: None,
        origin: None,
        name: Some(label.to_owned()),
        reason,
        detail: detail.to_owned(),
    };
    writer.table(set_aside_part(number), &[row])?;
    let mut sources = Counts::default();
    sources.set_aside(reason);
    let counts = BTreeMap::from([("sources".to_owned(), sources)]);
    writer.finish::<Function>(part(number), &[], counts)
}
