//! Units, variants and queries to a dataset: one shard, because every configuration sees all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_dataset::{
    Assembled, CLUSTERS_FILE, CORPUS_FILE, CardFacts, PAIRS_FILE, Parts, QRELS_FILE, QUERIES_FILE,
    STATISTICS_FILE, TRAIN_FILE, Tokenizer, Train, assemble, card_sections, card_tables,
    licenses_of, setting_facts, statistics,
};
use barecode_formats::{CardTable, Facts, new_card};
use barecode_records::{
    ClusterMember, ConfigName, Document, Judgment, Origin, Pair, Query, QueryText, SetAside, Split,
    Stage, Statistic, Variant, View, table,
};

use serde_json::json;

use super::check;
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::flow::{Resolved, Site};
use crate::recipe::Recipe;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 4;

/// The file that is written last.
const LAST: &str = "set-aside/part-00000.parquet";

/// What `assemble` would do.
pub(crate) fn plan<'a>(
    site: &'a Site,
    units: &'a Finished,
    variants: &'a Finished,
    queries: &'a Finished,
) -> Result<Plan<'a>, Failure> {
    refuse_divided(&site.sources, &site.recipe.dataset.train)?;
    let labels = site
        .recipe
        .draws()
        .into_iter()
        .map(|(setting, seed)| setting.label(seed));
    let mut key = engine::key(Stage::Assemble, CODE)
        .field(engine::format_of::<Document>())
        .field(engine::format_of::<QueryText>())
        .field(engine::format_of::<Judgment>())
        .field(engine::format_of::<Pair>())
        .field(engine::format_of::<SetAside>())
        .field(engine::format_of::<ClusterMember>())
        .field(engine::format_of::<Statistic>())
        .field(serde_json::to_string(&site.recipe.dataset).expect("a configuration is plain data"))
        .field(site.recipe.name.as_str())
        .field(site.recipe.seed.to_le_bytes())
        .field(
            serde_json::to_string(site.judge.compiler().toolchain())
                .expect("a toolchain is plain data"),
        )
        .fields(labels);
    for finished in [units, variants, queries] {
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
        key: key.hex(),
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
fn refuse_divided(sources: &[Resolved], train: &Train) -> Result<(), Failure> {
    let Train::Sources(listed) = train else {
        return Ok(());
    };
    let mut sides: BTreeMap<String, (bool, &str)> = BTreeMap::new();
    for source in sources.iter().filter_map(Resolved::source) {
        let trains = listed.iter().any(|name| name == source.label());
        let whole = Origin::whole_of(source.repository(), source.label());
        let (first_trains, first) = *sides.entry(whole).or_insert((trains, source.label()));
        if first_trains != trains {
            let message = format!(
                "`{first}` and `{}` are one repository, and `train` has only one of them",
                source.label()
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
    let card = card(site, &assembled, numbers, &all_variants)?;
    writer.text("README.md", &card)?;
    writer.finish(LAST, &assembled.set_aside, assembled.counts)
}

/// The dataset's card: `dataset` says what it is, `formats` writes what Hugging Face reads.
fn card(
    site: &Site,
    assembled: &Assembled,
    statistics: Vec<Statistic>,
    variants: &[Variant],
) -> anyhow::Result<String> {
    let (test, train) = (&assembled.configurations, &assembled.train);
    let sections = CardFacts {
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        toolchain: Some(site.judge.compiler().toolchain().clone()),
        seed: site.recipe.seed,
        config: site.recipe.dataset.clone(),
        statistics,
        settings: setting_facts(variants, test.iter().chain(train)),
    };
    let mut facts = Facts {
        title: Some(site.recipe.name.clone()),
        about: Some(card_sections(&sections, test)),
        ..Facts::default()
    };
    facts.license_documents(&licenses_of(test));
    for (key, values) in [
        ("language", &["en"][..]),
        ("task_categories", &["text-retrieval"]),
        ("task_ids", &["document-retrieval"]),
        (
            "tags",
            &["code", "code-search", "code-retrieval", "barecode"],
        ),
    ] {
        facts.extra.insert(key.to_owned(), json!(values));
    }
    let tables: Vec<CardTable> = card_tables(test, train)
        .into_iter()
        .map(|table| CardTable {
            config: table.config,
            split: table.split.to_string(),
            path: table.path,
            rows: table.rows as u64,
        })
        .collect();
    Ok(new_card(&facts, &tables)?)
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
