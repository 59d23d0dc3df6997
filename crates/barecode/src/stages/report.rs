//! Scores to pages: one shard is the page of the run, another the pages of its queries.

use std::path::PathBuf;

use barecode_audit::audit_settings;
use barecode_records::{Query, SetAside, Stage};
use maud::Markup;

use super::shown::own_names;
use super::{check, extract, programs, shown};
use crate::engine::{Key, Plan, Shard, ShardWriter, Ticket, Work};
use crate::layout::{PAGE, set_aside_of};
use crate::look::{Before, Look};
use crate::report::asker::asked_by;
use crate::report::browse::{Browsed, LIST};
use crate::report::cut;
use crate::report::facts::{self, Facts};
use crate::report::figures;
use crate::report::page;
use crate::report::robustness::{Robustness, trajectories};
use crate::report::samples;
use crate::report::unread::Unread;
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 16;

/// The queries of a page that is one file.
const SINGLE: usize = 200;

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
    let shard = |last: &str, work: Work<'a>| Shard {
        key: key.clone(),
        last: last.into(),
        items: 1,
        work,
    };
    let work = move |mut writer: ShardWriter| {
        let (page, figures) = page(site, before, true, None)?;
        for (file, text) in figures {
            writer.text(file, &text)?;
        }
        writer.finish_page(PAGE, &page)
    };
    let first = shard(PAGE, Box::new(work));
    let queries = shard(LIST, Box::new(move |writer| browse(site, before, writer)));
    // A run of programs alone has no rankings.
    let has_queries = !site.shop.recipe.sources.is_empty();
    let shards = [first].into_iter().chain(has_queries.then_some(queries));
    Ok(Plan::new(Stage::Report, "pages", shards))
}

/// Returns all pages of a run by their files, with or without the code of functions.
pub(crate) fn pages(
    site: &Site,
    before: &Before,
    with_code: bool,
) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let (page, mut files) = page(site, before, with_code, None)?;
    files.push((PAGE.into(), page));
    if !site.shop.recipe.sources.is_empty() {
        let mut all = browsed(site, before)?;
        if !with_code {
            all.forget_code();
        }
        files.extend((0..all.pages()).flat_map(|number| all.page(number)));
        files.extend(all.shared());
    }
    Ok(files)
}

/// Returns the page of a run with its first queries as one file.
pub(crate) fn single(site: &Site, before: &Before, with_code: bool) -> anyhow::Result<String> {
    if site.shop.recipe.sources.is_empty() {
        return Ok(page(site, before, with_code, None)?.0);
    }
    let mut all = browsed(site, before)?;
    if !with_code {
        all.forget_code();
    }
    let (page, _) = page(site, before, with_code, Some(all.part(SINGLE)))?;
    Ok(page)
}

/// Writes the pages of the queries.
fn browse(site: &Site, before: &Before, mut writer: ShardWriter) -> anyhow::Result<Ticket> {
    let all = browsed(site, before)?;
    for number in 0..all.pages() {
        for (file, text) in all.page(number) {
            writer.text(file, &text)?;
        }
    }
    let mut shared = all.shared();
    let (last, list) = shared.pop().expect("the table is the last file");
    for (file, text) in shared {
        writer.text(file, &text)?;
    }
    writer.finish_page(last, &list)
}

/// Reads the queries of a run, one's own first.
fn browsed(site: &Site, before: &Before) -> anyhow::Result<Browsed> {
    let layout = site.folder.layout();
    let of = |stage: Stage| before[&stage].parts();
    let units = shown::units(layout, of(Stage::Check))?;
    let names = units
        .into_iter()
        .map(|unit| (unit.id, unit.qualified_name))
        .collect();
    let queries: Vec<Query> = layout.rows(Stage::Query, of(Stage::Query))?;
    let mut all = Browsed::read(layout, &site.shop.recipe, &names, &queries)?;
    all.sort(&[Query::PERSON]);
    Ok(all)
}

/// Renders the page of the run, and its figures and tables as files.
fn page(
    site: &Site,
    before: &Before,
    with_code: bool,
    part: Option<Markup>,
) -> anyhow::Result<(String, Vec<(PathBuf, String)>)> {
    let layout = site.folder.layout();
    let unread = Unread::read(layout, &site.shop.recipe)?;
    let (mut scores, mut query_scores) = (layout.scores()?, layout.query_scores()?);
    let (mut drops, mut differences) = (layout.drops()?, layout.differences()?);
    unread.retain(&mut scores);
    unread.retain(&mut query_scores);
    unread.retain(&mut drops);
    unread.retain(&mut differences);
    let sets = layout.sets()?;
    let probe = layout.probe_scores()?;
    let trajectories = trajectories(&query_scores);
    let statistics = layout.statistics()?;
    let of = |stage: Stage| before[&stage].parts();
    let units = shown::units(layout, of(Stage::Check))?;
    let queries: Vec<Query> = layout.rows(Stage::Query, of(Stage::Query))?;
    let variants = shown::variants(layout, of(Stage::Vary))?;
    let lost: Vec<SetAside> = layout.rows(Stage::Vary, of(Stage::Vary).map(set_aside_of))?;
    let audits = audit_settings(&units, &variants, &lost, &own_names(layout)?);
    let cuts = cut::sentences(&cut::of_known(&cut::cuts(&before[&Stage::Retrieve])));
    let mut samples = samples::drawn(
        |id| site.shop.seed("sample", id),
        &query_scores,
        (&queries, &units, &variants),
    );
    if !with_code {
        for sample in &mut samples {
            sample.variants.clear();
        }
    }
    let facts = Facts {
        recipe: &site.shop.recipe,
        toolchain: check::toolchain(&before[&Stage::Check]),
        sources: extract::sources(&before[&Stage::Extract]),
        near_duplicates: programs::choose::near_duplicates(before.get(&Stage::Choose)),
        data_sets: programs::choose::data_sets(
            &before[&Stage::Extract],
            before.get(&Stage::Choose),
        ),
        assumed: facts::assumed(&units),
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
        cuts: cuts.into_iter().chain(unread.sentences()).collect(),
        samples,
        asking: (&queries, &query_scores),
        queries: part,
    };
    Ok((page::render(&facts), figures::files(&facts)))
}
