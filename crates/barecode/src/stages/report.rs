//! Scores to a page: one shard.

use std::collections::BTreeMap;

use barecode_audit::audit_settings;
use barecode_records::{Query, QueryScore, SetAside, Setting, Stage, Unit, Variant};

use super::{check, extract, programs, shown};
use crate::engine::{Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::{PAGE, set_aside_of};
use crate::look::{Before, Look};
use crate::report::asker::asked_by;
use crate::report::cut;
use crate::report::facts::Facts;
use crate::report::page;
use crate::report::robustness::{Robustness, trajectories};
use crate::report::samples::Sample;
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 13;

/// Number of queries that the page shows.
const SAMPLES: usize = 10;

/// Returns the plan of `report`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let mut key = Key::new(Stage::Report, CODE).field(site.shop.recipe.resolved().to_string());
    for finished in before.values() {
        key = key.fields(finished.made_from().map(serde_json::Value::to_string));
        let files = finished.shards.iter().flat_map(|(_, ticket)| &ticket.files);
        key = key
            .field(serde_json::to_string(&finished.counts())?)
            .fields(files.map(|(file, content)| format!("{} {}", file.display(), content.digest)));
    }
    let shard = Shard {
        key,
        last: PAGE.into(),
        items: 1,
        work: Box::new(move |writer| work(site, before, writer)),
    };
    Ok(Plan::new(Stage::Report, "pages", [shard]))
}

fn work(site: &Site, before: &Before, writer: ShardWriter) -> anyhow::Result<Ticket> {
    let layout = site.folder.layout();
    let scores = layout.scores()?;
    let query_scores = layout.query_scores()?;
    let drops = layout.drops()?;
    let differences = layout.differences()?;
    let sets = layout.sets()?;
    let probe = layout.probe_scores()?;
    let trajectories = trajectories(&query_scores);
    let statistics = layout.statistics()?;
    let of = |stage: Stage| before[&stage].parts();
    let units = shown::units(layout, of(Stage::Check))?;
    let queries: Vec<Query> = layout.rows(Stage::Query, of(Stage::Query))?;
    let variants = shown::variants(layout, of(Stage::Vary))?;
    let lost: Vec<SetAside> = layout.rows(Stage::Vary, of(Stage::Vary).map(set_aside_of))?;
    let audits = audit_settings(&units, &variants, &lost, &layout.names()?);
    let html = page::render(&Facts {
        recipe: &site.shop.recipe,
        toolchain: check::toolchain(&before[&Stage::Check]),
        sources: extract::sources(&before[&Stage::Extract]),
        near_duplicates: programs::choose::near_duplicates(before.get(&Stage::Choose)),
        data_sets: programs::choose::data_sets(
            &before[&Stage::Extract],
            before.get(&Stage::Choose),
        ),
        assumed: assumed(&units),
        counts: before
            .iter()
            .map(|(stage, finished)| (*stage, finished.counts()))
            .collect(),
        asked: asked_by(&queries),
        scores: &scores,
        statistics: &statistics,
        audits: &audits,
        robustness: Robustness {
            drops: &drops,
            differences: &differences,
            trajectories: &trajectories,
        },
        sets: &sets,
        probe: &probe,
        programs: programs::examples::programs(site, &before[&Stage::Vary])?,
        cuts: cut::sentences(&cut::cuts(&before[&Stage::Retrieve])),
        samples: samples(site, &query_scores, &queries, &units, &variants),
    });
    writer.finish_page(PAGE, &html)
}

/// Returns headers with assumed values, with the number of units that read each, and the number of units that read any.
/// Headers that a build has made are not assumed.
fn assumed(units: &[Unit]) -> (BTreeMap<String, u64>, u64) {
    let (mut headers, mut any) = (BTreeMap::new(), 0);
    for unit in units {
        let of_unit = unit.closure.assumed_headers.iter();
        let of_unit: Vec<&String> = of_unit
            .filter(|at| !at.ends_with(" from the build"))
            .collect();
        any += u64::from(!of_unit.is_empty());
        for header in of_unit {
            *headers.entry(header.clone()).or_default() += 1;
        }
    }
    (headers, any)
}

/// Returns ten queries drawn with the run's seed: chosen ones would favor the authors.
fn samples(
    site: &Site,
    query_scores: &[QueryScore],
    queries: &[Query],
    units: &[Unit],
    variants: &[Variant],
) -> Vec<Sample> {
    let measure = query_scores.first().map(|row| row.measure.clone());
    let mut ranks: BTreeMap<&str, Vec<&QueryScore>> = BTreeMap::new();
    for row in query_scores
        .iter()
        .filter(|row| Some(&row.measure) == measure.as_ref())
    {
        ranks.entry(row.query_id.as_str()).or_default().push(row);
    }
    let mut drawn: Vec<&str> = ranks.keys().copied().collect();
    drawn.sort_by_cached_key(|id| site.shop.seed("sample", id));
    let sample = |id: &&str| {
        let query = queries.iter().find(|query| query.id.as_str() == *id)?;
        let unit = units.iter().find(|unit| unit.id == query.target_id)?;
        let ranks = ranks[id].iter().map(|row| (*row).clone()).collect();
        // One draw of each setting is enough to show.
        let mut texts: BTreeMap<Setting, &Variant> = BTreeMap::new();
        for variant in variants.iter().filter(|variant| variant.unit_id == unit.id) {
            if variant.setting != Setting::Standard {
                texts.entry(variant.setting).or_insert(variant);
            }
        }
        let texts = texts.into_values();
        Some(Sample {
            query: query.clone(),
            name: unit.name.clone(),
            ranks,
            text: unit.text.clone(),
            variants: texts
                .map(|variant| (variant.setting.label(variant.draw), variant.text.clone()))
                .collect(),
        })
    };
    drawn.iter().take(SAMPLES).filter_map(sample).collect()
}
