//! Units, variants and queries to a dataset: one shard, because every configuration sees all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_dataset::{
    Assembled, CLUSTERS_FILE, CORPUS_FILE, CardFacts, PAIRS_FILE, Parts, QRELS_FILE, QUERIES_FILE,
    STATISTICS_FILE, TRAIN_FILE, Tokenizer, Train, assemble, card, statistics,
};
use barecode_records::{
    ClusterMember, ConfigName, Document, Judgment, Origin, Pair, Query, QueryText, SetAside, Split,
    Stage, Statistic, Toolchain, Variant, View, table,
};

use super::{check, extract};
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::flow::{Before, Look};
use crate::recipe::Recipe;
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// The file that is written last.
const LAST: &str = "set-aside/part-00000.parquet";

/// What `assemble` would do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let sources = extract::sources(&before[&Stage::Extract]);
    refuse_divided(&sources, &site.recipe.dataset.train)?;
    let parts = [Stage::Check, Stage::Vary, Stage::Query].map(|stage| &before[&stage]);
    let [units, variants, queries] = parts;
    let labels = site
        .recipe
        .draws()
        .into_iter()
        .map(|(setting, seed)| setting.label(seed));
    let mut key = Key::new(Stage::Assemble, CODE)
        .format::<Document>()
        .format::<QueryText>()
        .format::<Judgment>()
        .format::<Pair>()
        .format::<SetAside>()
        .format::<ClusterMember>()
        .format::<Statistic>()
        .field(serde_json::to_string(&site.recipe.dataset)?)
        .field(site.recipe.name.as_str())
        .field(site.recipe.seed.to_le_bytes())
        .field(serde_json::to_string(&check::toolchain(units))?)
        .fields(labels);
    for finished in parts {
        let contents = finished
            .shards
            .iter()
            .map(|(file, ticket)| &ticket.files[file].digest);
        key = key.fields(contents);
    }
    let items = units
        .shards
        .iter()
        .map(|(file, ticket)| ticket.files[file].rows)
        .sum();
    let shard = Shard {
        key,
        last: LAST.into(),
        items,
        work: Box::new(move |writer| work(site, units, variants, queries, writer)),
    };
    Ok(Plan {
        prepare: None,
        stage: Stage::Assemble,
        noun: "units",
        shards: vec![shard],
    })
}

/// A repository that the recipe names by two sources cannot be on both sides.
fn refuse_divided(sources: &[serde_json::Value], train: &Train) -> Result<(), Failure> {
    let Train::Sources(listed) = train else {
        return Ok(());
    };
    let mut sides: BTreeMap<String, (bool, &str)> = BTreeMap::new();
    let read = sources
        .iter()
        .filter(|source| source.get("set_aside").is_none());
    for source in read {
        let text = |key: &str| source.get(key).and_then(serde_json::Value::as_str);
        let label = text("source").unwrap_or_default();
        let trains = listed.iter().any(|name| name == label);
        let whole = Origin::whole_of(text("repository"), label);
        let (first_trains, first) = *sides.entry(whole).or_insert((trains, label));
        if first_trains != trains {
            let message = format!(
                "`{first}` and `{label}` are one repository, and `train` has only one of them"
            );
            return Err(Failure::invalid(message).hint("list both in `train`, or none"));
        }
    }
    Ok(())
}

fn work(
    site: &Site,
    units: &Finished,
    variants: &Finished,
    queries: &Finished,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let toolchain = check::toolchain(units);
    let units = check::read(site, units.shards.iter().map(|(file, _)| file.clone()))?;
    let mut all_variants: Vec<Variant> = Vec::new();
    for (file, _) in &variants.shards {
        all_variants.extend(table::read::<Variant>(
            &site.folder.stage(Stage::Vary).join(file),
        )?);
    }
    let mut all_queries: Vec<Query> = Vec::new();
    for (file, _) in &queries.shards {
        all_queries.extend(table::read::<Query>(
            &site.folder.stage(Stage::Query).join(file),
        )?);
    }
    let parts = Parts {
        units: &units,
        variants: &all_variants,
        queries: &all_queries,
        settings: &site.recipe.draws(),
    };
    let assembled = assemble(parts, &site.recipe.dataset, site.seed("assemble", ""));
    engine::agree(
        "units entered",
        assembled
            .counts
            .get("units")
            .map_or(0, |counts| counts.entered),
        units.len(),
    )?;
    let aside = assembled
        .counts
        .values()
        .flat_map(|counts| counts.set_aside.values())
        .sum();
    engine::agree(
        "units, queries and views set aside",
        aside,
        assembled.set_aside.len(),
    )?;
    for configuration in &assembled.configurations {
        let name = configuration.name.to_string();
        let folder = Path::new(&name);
        writer.table(folder.join(CORPUS_FILE), &configuration.documents)?;
        writer.table(folder.join(QUERIES_FILE), &configuration.queries)?;
        writer.table(folder.join(QRELS_FILE), &configuration.judgments)?;
        writer.table(folder.join(PAIRS_FILE), &configuration.pairs())?;
    }
    for configuration in &assembled.train {
        let file = Path::new(&configuration.name.to_string()).join(TRAIN_FILE);
        writer.table(file, &configuration.pairs())?;
    }
    let mut numbers = statistics(Split::Test, &assembled.configurations, &Tokenizer::CTokens)?;
    numbers.extend(statistics(
        Split::Train,
        &assembled.train,
        &Tokenizer::CTokens,
    )?);
    writer.table(STATISTICS_FILE, &numbers)?;
    writer.table(CLUSTERS_FILE, &assembled.clusters)?;
    let facts = card_facts(site, toolchain, &assembled, numbers);
    writer.text("README.md", &card(&facts, &assembled.configurations))?;
    writer.finish(LAST, &assembled.set_aside, assembled.counts)
}

fn card_facts(
    site: &Site,
    toolchain: Option<Toolchain>,
    assembled: &Assembled,
    statistics: Vec<Statistic>,
) -> CardFacts {
    CardFacts {
        title: site.recipe.name.clone(),
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        toolchain,
        seed: site.recipe.seed,
        config: site.recipe.dataset.clone(),
        statistics,
        train: assembled
            .train
            .iter()
            .map(|configuration| configuration.name)
            .collect(),
    }
}

/// The configurations of a dataset that is there, in the order of views, settings and draws.
pub(super) fn configurations(recipe: &Recipe, dataset: &Finished) -> Vec<ConfigName> {
    let draws = recipe.draws();
    let names = View::ALL.into_iter().flat_map(|view| {
        draws.iter().map(move |&(setting, seed)| ConfigName {
            view,
            setting,
            seed,
        })
    });
    names
        .filter(|name| dataset.content(&corpus_of(*name)).is_some())
        .collect()
}

/// A configuration's documents, relative to the stage's folder.
pub(super) fn corpus_of(name: ConfigName) -> PathBuf {
    Path::new(&name.to_string()).join(CORPUS_FILE)
}

/// A configuration's queries.
pub(super) fn queries_of(name: ConfigName) -> PathBuf {
    Path::new(&name.to_string()).join(QUERIES_FILE)
}

/// A configuration's judgments.
pub(super) fn judgments_of(name: ConfigName) -> PathBuf {
    Path::new(&name.to_string()).join(QRELS_FILE)
}
