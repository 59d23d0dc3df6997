//! Repositories to functions: a shard a source.

use std::collections::BTreeMap;

use barecode_corpus::spellings::{SourceNames, is_spelled, source_names};
use barecode_corpus::{Drawn, Take, Wanted, extract_parts};
use barecode_languages::judged;
use barecode_queries::Place;
use barecode_records::table::{Growing, Table};
use barecode_records::{
    Counts, Function, Judged, Language, Outcome, Reason, Rows, SetAside, SourceName, Stage,
};
use barecode_sources::Source;

use super::{agree_on_set_aside, finish, programs};
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::{names_of, part, set_aside_of};
use crate::look::{Before, Look};
use crate::site::{Resolved, Site, Workshop, is_compiled};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 19;

/// Returns the plan of `extract`.
pub(crate) fn plan<'a>(site: &'a Site, _: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let config = serde_json::to_string(&site.shop.recipe.extract)?;
    if look != Look::Folder {
        site.shop.sources_in(site.slice.sources.clone())?;
    }
    let mut shards = Vec::new();
    for number in site.slice.sources.clone() {
        let source = &site.shop.recipe.sources[number];
        let seed = site.shop.seed("extract", source.key());
        let key = Key::new(Stage::Extract, CODE)
            .format::<Function>()
            .format::<SetAside>()
            .format::<SourceName>()
            .field(&config)
            .field(serde_json::to_string(source)?)
            .fields([source.name(), source.key()])
            .field(seed.to_le_bytes());
        // If a source is limited, the functions of the user's own queries are drawn first.
        let key = match source.limit {
            Some(_) if !site.shop.recipe.own_queries.is_empty() => {
                key.fields(site.shop.recipe.own_fields())
            }
            _ => key,
        };
        let key = match look {
            Look::Folder => key.unseen(),
            Look::Around | Look::Fetch => seen(site, number, key)?,
        };
        shards.push(Shard {
            key,
            last: part(number),
            items: 1,
            work: Box::new(move |writer| match site.shop.source(number)? {
                Resolved::Read { source, .. } => work(site, source, seed, number, writer),
                Resolved::Absent {
                    label,
                    reason,
                    detail,
                } => absent(label, *reason, detail, number, writer),
            }),
        });
    }
    if site.slice.programs {
        shards.extend(programs::extract::shards(site, look)?);
    }
    Ok(Plan::new(Stage::Extract, "sources", shards))
}

/// The key of a source that was looked at.
fn seen(site: &Site, number: usize, key: Key) -> anyhow::Result<Key> {
    Ok(match site.shop.source(number)? {
        Resolved::Read { digest, source } => {
            let key = key.own(digest);
            if !is_compiled(source) {
                return Ok(key);
            }
            let dialects = site.shop.dialects(source)?;
            let key = key.tool("headers", &dialects.c.digest());
            match &dialects.cpp {
                Some(cpp) => key.tool("headers of C++", &cpp.digest()),
                None => key,
            }
        }
        Resolved::Absent { reason, detail, .. } => key.own(format!("{reason}: {detail}")),
    })
}

/// The sources of a finished stage as they describe themselves, in the recipe's order.
pub(crate) fn sources(functions: &Finished) -> Vec<serde_json::Value> {
    let shards = functions.of_functions();
    let made_from = shards.map(|(_, ticket)| ticket.made_from.clone());
    made_from.filter(|made_from| !made_from.is_null()).collect()
}

/// The functions of a source by language, in what its shard was made from.
const LANGUAGES: &str = "languages";

/// Returns `true` if a shard of a finished stage has functions that a compiler judges.
pub(crate) fn is_compiled_shard(ticket: &Ticket) -> bool {
    let languages = ticket.made_from[LANGUAGES].as_object();
    let mut names = languages.into_iter().flat_map(|languages| languages.keys());
    names.any(|name| judged(Language::named(name)) == Some(Judged::Compiler))
}

fn work(
    site: &Site,
    source: &Source,
    seed: u64,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    let mut table = Growing::<Function>::default();
    let mut extracted = functions(&site.shop, source, seed, &mut |part| {
        for function in part {
            *languages.entry(function.language.name()).or_default() += 1;
            table.push(function);
        }
    })?;
    extracted
        .counts
        .entry("sources".to_owned())
        .or_default()
        .keep();
    let mut made_from = source.describe();
    made_from[LANGUAGES] = serde_json::json!(languages);
    writer.made_from(made_from);
    let part = part(number);
    let mut names = Growing::default();
    extracted.names.rows().for_each(|row| names.push(row));
    writer.table(names_of(&part), names.end())?;
    drop(extracted.names);
    let (table, mut rows) = (table.end(), Growing::default());
    let kept = extracted
        .counts
        .get("functions")
        .map_or(0, |counts| counts.kept);
    engine::agree("functions kept", kept, usize::try_from(table.rows())?)?;
    agree_on_set_aside(&extracted.counts, extracted.rows.len())?;
    extracted.rows.for_each(|row| rows.push(row));
    writer.table(set_aside_of(&part), rows.end())?;
    writer.finish(part, table, extracted.counts)
}

/// The content of a source besides its functions.
pub(crate) struct Extracted {
    /// The rows of what was left out.
    pub(crate) rows: Rows,
    pub(crate) counts: BTreeMap<String, Counts>,
    /// Its names, if functions of it may be renamed by spelling.
    pub(crate) names: SourceNames,
}

/// Extracts a source: `take` receives its functions, part by part. If the source is limited, the functions of the
/// user's own queries are drawn first.
pub(crate) fn functions(
    shop: &Workshop,
    source: &Source,
    seed: u64,
    take: &mut Take<'_>,
) -> anyhow::Result<Extracted> {
    let wanted = |drawn: Drawn<'_>| {
        let place = Place {
            path: drawn.path,
            lines: drawn.lines.0..=drawn.lines.1,
            name: drawn.name,
            id: drawn.id,
        };
        let mut own = shop.recipe.own_queries.iter();
        own.any(|own| own.may_mean(&place))
    };
    let (config, headers) = (&shop.recipe.extract, shop.dialects(source)?);
    let mut names: Option<SourceNames> = None;
    let draw = (seed, &wanted as &Wanted<'_>);
    let (rows, counts) = extract_parts(source, config, &headers, draw, &mut |mut part| {
        if part.iter().any(|function| is_spelled(function.language)) {
            let names = names.get_or_insert_with(|| source_names(source, config));
            names.note(&mut part);
        }
        take(part);
    });
    Ok(Extracted {
        rows,
        counts,
        names: names.unwrap_or_default(),
    })
}

/// A source that could not be read is a row of its own, without functions.
fn absent(
    label: &str,
    reason: Reason,
    detail: &str,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    writer.made_from(serde_json::json!({
        "source": label,
        "set_aside": reason.code(),
        "detail": detail,
    }));
    writer.table(names_of(&part(number)), Table::of(&[] as &[SourceName]))?;
    let mut nothing = Outcome::<Vec<Function>>::default();
    nothing.set_aside("sources", absent_row(label, reason, detail));
    finish(writer, number, &["functions"], nothing)
}

/// The row of a source that could not be read.
pub(crate) fn absent_row(label: &str, reason: Reason, detail: &str) -> SetAside {
    SetAside {
        name: Some(label.to_owned()),
        ..SetAside::new(Stage::Extract, "source", reason, detail)
    }
}
