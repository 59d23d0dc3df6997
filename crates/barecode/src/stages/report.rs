//! Scores to a page: one shard.

use std::collections::BTreeMap;

use barecode_audit::audit_settings;
use barecode_dataset::STATISTICS_FILE;
use barecode_records::{
    Difference, Query, QueryScore, Score, SetAside, Setting, SettingDrop, Stage, Statistic, Unit,
    Variant, table,
};

use super::check;
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::flow::Site;
use crate::report::page::{self, Facts, Sample};
use crate::report::robustness::{Robustness, trajectories};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 4;

/// How many queries the page shows.
const SAMPLES: usize = 10;

/// What `report` would do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a [Finished]) -> anyhow::Result<Plan<'a>> {
    let mut key = engine::key(Stage::Report, CODE)
        .field(site.recipe.resolved().to_string())
        .field(serde_json::to_string(site.judge.compiler().toolchain())?)
        .fields(
            site.describe_sources()
                .iter()
                .map(serde_json::Value::to_string),
        );
    for finished in before {
        let files = finished.shards.iter().flat_map(|(_, ticket)| &ticket.files);
        key = key
            .field(serde_json::to_string(&finished.counts())?)
            .fields(files.map(|(file, content)| format!("{} {}", file.display(), content.digest)));
    }
    let shard = Shard {
        key: key.hex(),
        last: "index.html".into(),
        items: 1,
        work: Box::new(move |writer| work(site, before, writer)),
    };
    Ok(Plan {
        prepare: None,
        stage: Stage::Report,
        noun: "pages",
        shards: vec![shard],
    })
}

fn work(site: &Site, before: &[Finished], writer: ShardWriter) -> anyhow::Result<Ticket> {
    let scores_folder = site.folder.stage(Stage::Score);
    let scores: Vec<Score> = table::read(&scores_folder.join("scores.parquet"))?;
    let query_scores: Vec<QueryScore> = table::read(&scores_folder.join("queries.parquet"))?;
    let drops: Vec<SettingDrop> = table::read(&scores_folder.join("drops.parquet"))?;
    let differences: Vec<Difference> = table::read(&scores_folder.join("differences.parquet"))?;
    let trajectories = trajectories(&query_scores);
    let dataset = site.folder.stage(Stage::Assemble);
    let statistics: Vec<Statistic> = table::read(&dataset.join(STATISTICS_FILE))?;
    let files_of = |stage: Stage| {
        let finished = before.iter().find(|finished| finished.stage == stage);
        finished
            .into_iter()
            .flat_map(|finished| finished.shards.iter().map(|(file, _)| file.clone()))
    };
    let units = check::read(site, files_of(Stage::Check))?;
    let mut queries: Vec<Query> = Vec::new();
    for file in files_of(Stage::Query) {
        queries.extend(table::read::<Query>(
            &site.folder.stage(Stage::Query).join(file),
        )?);
    }
    let mut variants: Vec<Variant> = Vec::new();
    for file in files_of(Stage::Vary) {
        variants.extend(table::read::<Variant>(
            &site.folder.stage(Stage::Vary).join(file),
        )?);
    }
    let mut lost: Vec<SetAside> = Vec::new();
    for file in files_of(Stage::Vary) {
        let aside = site.folder.stage(Stage::Vary).join("set-aside").join(file);
        lost.extend(table::read::<SetAside>(&aside)?);
    }
    let audits = audit_settings(&units, &variants, &lost);
    let html = page::render(&Facts {
        recipe: &site.recipe,
        toolchain: site.judge.compiler().toolchain(),
        sources: site.describe_sources(),
        counts: before
            .iter()
            .map(|finished| (finished.stage, finished.counts()))
            .collect(),
        scores: &scores,
        statistics: &statistics,
        audits: &audits,
        robustness: Robustness {
            drops: &drops,
            differences: &differences,
            trajectories: &trajectories,
        },
        samples: samples(site, &query_scores, &queries, &units, &variants),
    });
    writer.finish_page("index.html", &html)
}

/// Ten queries drawn with the run's seed: chosen ones would say what we like to hear.
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
    drawn.sort_by_cached_key(|id| site.seed("sample", id));
    let sample = |id: &&str| {
        let query = queries.iter().find(|query| query.id.as_str() == *id)?;
        let unit = units.iter().find(|unit| unit.id == query.target_id)?;
        let ranks = ranks[id].iter().map(|row| (*row).clone()).collect();
        // One draw of each setting is enough to look at.
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
