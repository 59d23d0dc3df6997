//! Units, variants and queries to a dataset: one shard, because every configuration sees all of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_dataset::{
    CLUSTERS_FILE, CORPUS_FILE, CardFacts, Dataset, PAIRS_FILE, Parts, QRELS_FILE, QUERIES_FILE,
    STATISTICS_FILE, SUBSETS_FILE, TRAIN_FILE, Tokenizer, Train, assemble, card, statistics,
};
use barecode_records::{
    ClusterMember, ConfigName, Document, Judgment, ListedSubset, Origin, Pair, Query, QueryText,
    SetAside, Split, Stage, Statistic, Subset, Variant, table,
};

use super::{agree_on_set_aside, check};
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::flow::{Resolved, Site};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 3;

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
        .field(engine::format_of::<ListedSubset>())
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
    let entered = assembled.of("units").entered;
    engine::agree("units entered", entered, units.len())?;
    agree_on_set_aside(&assembled)?;
    let dataset = &assembled.kept;
    for configuration in &dataset.configurations {
        let folder = Path::new(configuration.name());
        writer.table(folder.join(CORPUS_FILE), &configuration.documents)?;
        writer.table(folder.join(QUERIES_FILE), &configuration.queries)?;
        writer.table(folder.join(QRELS_FILE), &configuration.judgments)?;
        writer.table(folder.join(PAIRS_FILE), &configuration.pairs())?;
    }
    for configuration in &dataset.train {
        let file = Path::new(configuration.name()).join(TRAIN_FILE);
        writer.table(file, &configuration.pairs())?;
    }
    let mut numbers = statistics(Split::Test, &dataset.configurations, &Tokenizer::CTokens)?;
    numbers.extend(statistics(
        Split::Train,
        &dataset.train,
        &Tokenizer::CTokens,
    )?);
    writer.table(SUBSETS_FILE, &dataset.subsets())?;
    writer.table(STATISTICS_FILE, &numbers)?;
    writer.table(CLUSTERS_FILE, &dataset.clusters)?;
    let facts = card_facts(site, dataset, numbers);
    writer.text("README.md", &card(&facts, &dataset.configurations))?;
    writer.finish(LAST, &assembled.set_aside, assembled.counts)
}

fn card_facts(site: &Site, dataset: &Dataset, statistics: Vec<Statistic>) -> CardFacts {
    CardFacts {
        title: site.recipe.name.clone(),
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        toolchain: Some(site.judge.compiler().toolchain().clone()),
        seed: site.recipe.seed,
        config: site.recipe.dataset.clone(),
        statistics,
        train: dataset
            .train
            .iter()
            .map(|configuration| configuration.name().to_owned())
            .collect(),
    }
}

/// The subsets of a dataset that have queries to retrieve and score, in the order of its list.
pub(super) fn subsets(site: &Site) -> anyhow::Result<Vec<Subset>> {
    let listed = site.folder.stage(Stage::Assemble).join(SUBSETS_FILE);
    let listed: Vec<ListedSubset> = table::read(&listed)?;
    let test = listed
        .into_iter()
        .filter(|subset| subset.splits.contains(&Split::Test));
    Ok(test.map(Subset::from).collect())
}

/// The same as `retrieve` and `score` name them.
pub(super) fn configurations(site: &Site) -> anyhow::Result<Vec<ConfigName>> {
    let mut names = Vec::new();
    for subset in subsets(site)? {
        names.push(subset.name.parse::<ConfigName>().map_err(Failure::internal)?);
    }
    Ok(names)
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
