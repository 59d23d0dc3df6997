//! Repositories to functions: a shard a source.

use std::collections::BTreeMap;

use barecode_corpus::extract;
use barecode_records::{Counts, Function, Reason, SetAside, Stage};
use barecode_sources::Source;

use super::{part, set_aside_part};
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::flow::{Before, Look};
use crate::site::{Resolved, Site};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 4;

/// What `extract` would do.
pub(crate) fn plan<'a>(site: &'a Site, _: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let config = serde_json::to_string(&site.recipe.extract)?;
    let found = match look {
        Look::Folder => None,
        Look::Around | Look::Fetch => Some((site.headers()?.digest(), site.sources()?)),
    };
    let mut shards = Vec::new();
    for (number, source) in site.recipe.sources.iter().enumerate() {
        let seed = site.seed("extract", &source.from);
        let key = Key::new(Stage::Extract, CODE)
            .format::<Function>()
            .format::<SetAside>()
            .field(&config)
            .field(serde_json::to_string(source)?)
            .field(seed.to_le_bytes());
        let key = match &found {
            None => key.unseen(),
            Some((headers, sources)) => match &sources[number] {
                Resolved::Read { digest, .. } => key.tool("headers", headers).own(digest),
                Resolved::Absent { reason, detail, .. } => key.own(format!("{reason}: {detail}")),
            },
        };
        shards.push(Shard {
            key,
            last: part(number),
            items: 1,
            work: Box::new(move |writer| match &site.sources()?[number] {
                Resolved::Read { source, .. } => work(site, source, seed, number, writer),
                Resolved::Absent {
                    label,
                    reason,
                    detail,
                } => absent(label, *reason, detail, number, writer),
            }),
        });
    }
    Ok(Plan {
        prepare: None,
        stage: Stage::Extract,
        noun: "sources",
        shards,
    })
}

/// The sources of a finished stage as they describe themselves, in the recipe's order.
pub(crate) fn sources(functions: &Finished) -> Vec<serde_json::Value> {
    functions.made_from().cloned().collect()
}

fn work(
    site: &Site,
    source: &Source,
    seed: u64,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let extraction = extract(source, &site.recipe.extract, site.headers()?, seed);
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
    writer.made_from(source.describe());
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
    writer.made_from(serde_json::json!({
        "source": label,
        "set_aside": reason.code(),
        "detail": detail,
    }));
    writer.table(set_aside_part(number), &[row])?;
    let mut sources = Counts::default();
    sources.set_aside(reason);
    let counts = BTreeMap::from([("sources".to_owned(), sources)]);
    writer.finish::<Function>(part(number), &[], counts)
}
