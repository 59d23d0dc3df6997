//! Units, variants and queries to a dataset: one shard, because every configuration sees all of them.

use std::collections::BTreeMap;
use std::path::PathBuf;

use barecode_dataset::{
    CLUSTERS_FILE, CardFacts, Dataset, Draw, Inputs, Probe, ProbeFacts, STATISTICS_FILE,
    SUBSETS_FILE, Tokenizer, Train, assemble, card_sections, card_tables, licenses_of, query_sets,
    setting_facts, statistics,
};
use barecode_formats::{CardTable, Facts, new_card};
use barecode_queries::{REVIEWS, apply_reviews, code_queries};
use barecode_records::table::Table;
use barecode_records::{
    ClusterMember, Document, Judgment, ListedSubset, Origin, Outcome, Pair, ProbePair,
    ProbeProgram, Query, QueryText, SetAside, Split, Stage, Statistic, Subset, Unit, Variant,
};
use barecode_sources::SourceConfig;

use serde_json::json;

use super::{agree_on_set_aside, check, extract, programs, shown};
use crate::engine::{self, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::{self, pairs_of, part, set_aside_of};
use crate::look::{Before, Look};
use crate::recipe::Recipe;
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 11;

/// The file that is written last.
fn last() -> PathBuf {
    set_aside_of(&part(0))
}

/// Returns the plan of `assemble`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let sources = extract::sources(&before[&Stage::Extract]);
    refuse_divided(&sources, &site.shop.recipe)?;
    let parts = [Stage::Check, Stage::Vary, Stage::Query].map(|stage| &before[&stage]);
    let [units, ..] = parts;
    let near_duplicates = programs::choose::near_duplicates(before.get(&Stage::Choose));
    let labels = site
        .shop
        .recipe
        .draws()
        .into_iter()
        .map(|(setting, seed)| setting.label(seed));
    let mut key = Key::new(Stage::Assemble, CODE)
        .format::<ProbeProgram>()
        .format::<ProbePair>()
        .format::<ListedSubset>()
        .format::<Document>()
        .format::<QueryText>()
        .format::<Judgment>()
        .format::<Pair>()
        .format::<SetAside>()
        .format::<ClusterMember>()
        .format::<Statistic>()
        .field(serde_json::to_string(&site.shop.recipe.dataset)?)
        .fields(
            site.shop
                .recipe
                .reviews
                .iter()
                .map(|review| format!("{review:?}")),
        )
        .field(site.shop.recipe.name.as_str())
        .field(site.shop.recipe.seed.to_le_bytes())
        .field(serde_json::to_string(&check::toolchain(units))?)
        .fields(labels)
        .fields(&near_duplicates);
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
        last: last(),
        items,
        work: Box::new(move |writer| work(site, parts, &near_duplicates, writer)),
    };
    Ok(Plan::new(Stage::Assemble, "units", [shard]))
}

/// A repository that the recipe names by two sources cannot be on both sides.
fn refuse_divided(sources: &[serde_json::Value], recipe: &Recipe) -> Result<(), Failure> {
    let Train::Sources(listed) = &recipe.dataset.train else {
        return Ok(());
    };
    let mut sides: BTreeMap<String, (bool, &str)> = BTreeMap::new();
    let read = sources
        .iter()
        .filter(|source| source.get("set_aside").is_none());
    for source in read {
        let text = |key: &str| source.get(key).and_then(serde_json::Value::as_str);
        let label = text("source").unwrap_or_default();
        let known = recipe.sources.iter().find(|source| source.from == label);
        let name = known.map_or(label, SourceConfig::name);
        let trains = listed.iter().any(|listed| listed == name);
        let whole = Origin::whole_of(text("repository"), name);
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
    [checked, varied, queries]: [&Finished; 3],
    near_duplicates: &[String],
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let toolchain = check::toolchain(checked);
    let layout = site.folder.layout();
    let units = shown::units(layout, checked.parts())?;
    let variants = shown::variants(layout, varied.parts())?;
    let queries: Vec<Query> = layout.rows(Stage::Query, queries.parts())?;
    let (assembled, queries) = dataset(&site.shop, &units, &variants, queries)?;
    let entered = assembled.of("units").entered;
    engine::agree("units entered", entered, units.len())?;
    agree_on_set_aside(&assembled.counts, assembled.set_aside.len())?;
    let dataset = &assembled.kept;
    for configuration in &dataset.configurations {
        let name = configuration.name();
        writer.table(layout::corpus_of(name), Table::of(&configuration.documents))?;
        writer.table(layout::queries_of(name), Table::of(&configuration.queries))?;
        writer.table(
            layout::judgments_of(name),
            Table::of(&configuration.judgments),
        )?;
        writer.table(
            pairs_of(name, Split::Test),
            Table::of(&configuration.pairs()),
        )?;
    }
    for configuration in &dataset.train {
        let file = pairs_of(configuration.name(), Split::Train);
        writer.table(file, Table::of(&configuration.pairs()))?;
    }
    let mut numbers = statistics(Split::Test, &dataset.configurations, &Tokenizer::CTokens)?;
    numbers.extend(statistics(
        Split::Train,
        &dataset.train,
        &Tokenizer::CTokens,
    )?);
    let mut subsets = dataset.subsets();
    let probe = programs::assemble::write(site, checked, varied, &mut writer)?;
    let probe = probe.map(|facts| ProbeFacts {
        near_duplicates: near_duplicates.to_vec(),
        ..facts
    });
    subsets.extend(probe.iter().map(|_| Probe::subset()));
    writer.table(SUBSETS_FILE, Table::of(&subsets))?;
    writer.table(STATISTICS_FILE, Table::of(&numbers))?;
    writer.table(CLUSTERS_FILE, Table::of(&dataset.clusters))?;
    let sections = CardFacts {
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        toolchain,
        seed: site.shop.recipe.seed,
        config: site.shop.recipe.dataset.clone(),
        statistics: numbers,
        settings: setting_facts(
            &variants,
            dataset.configurations.iter().chain(&dataset.train),
        ),
        sets: query_sets(&queries),
        probe,
    };
    let card = card(site, dataset, &sections)?;
    writer.text("README.md", &card)?;
    writer.finish(last(), Table::of(&assembled.set_aside), assembled.counts)
}

/// The dataset of the recipe's views and settings, and the queries after what reviewers decided about them.
pub(crate) fn dataset(
    shop: &Workshop,
    units: &[Unit],
    variants: &[Variant],
    queries: Vec<Query>,
) -> anyhow::Result<(Outcome<Dataset>, Vec<Query>)> {
    let mut reviewed = reviewed(shop, queries, units)?;
    let queries = std::mem::take(&mut reviewed.kept);
    let code_queries = asking(shop, units, variants);
    let parts = Inputs {
        units,
        variants,
        queries: &queries,
        code_queries: &code_queries,
        settings: &shop.recipe.draws(),
    };
    // A recipe of programs alone has no views.
    let mut assembled = if shop.recipe.sources.is_empty() && units.is_empty() {
        Outcome::default()
    } else {
        assemble(parts, &shop.recipe.dataset, shop.seed("assemble", ""))
    };
    take_reviews(&mut assembled, reviewed);
    Ok((assembled, queries))
}

/// The queries after what reviewers decided about them.
fn reviewed(
    shop: &Workshop,
    queries: Vec<Query>,
    units: &[Unit],
) -> anyhow::Result<Outcome<Vec<Query>>> {
    if shop.recipe.reviews.is_empty() {
        return Ok(Outcome {
            kept: queries,
            ..Outcome::default()
        });
    }
    let done = apply_reviews(queries, &shop.recipe.reviews, units);
    Ok(done.map_err(|error| Failure::invalid(error.to_string()))?)
}

/// Adds to the account what reviewers dropped, and what became of each review.
fn take_reviews(assembled: &mut Outcome<Dataset>, reviewed: Outcome<Vec<Query>>) {
    if let Some(counts) = reviewed.counts.get(REVIEWS) {
        assembled.counts.insert(REVIEWS.to_owned(), counts.clone());
    }
    for row in reviewed.set_aside {
        if row.kind == "query" {
            assembled.set_aside("queries", row);
        } else {
            assembled.set_aside.push(row);
        }
    }
}

/// Returns, by the settings and draws in which functions are queries for themselves, their queries.
fn asking(shop: &Workshop, units: &[Unit], variants: &[Variant]) -> Vec<(Draw, Vec<Query>)> {
    let draws = shop.recipe.draws().into_iter();
    let asked = draws.filter(|(setting, _)| shop.recipe.dataset.code_queries.contains(setting));
    let of_draw = |draw: Draw| (draw, code_queries(units, variants, draw));
    asked.map(of_draw).collect()
}

/// Returns the dataset's card: `dataset` writes the description, `formats` the metadata that Hugging Face reads.
fn card(site: &Site, dataset: &Dataset, sections: &CardFacts) -> anyhow::Result<String> {
    let (test, train) = (&dataset.configurations, &dataset.train);
    let probe = sections.probe.as_ref();
    let mut facts = Facts {
        title: Some(site.shop.recipe.name.clone()),
        about: Some(card_sections(sections, test)),
        ..Facts::default()
    };
    facts.license_documents(&licenses_of(test, probe));
    let front: &[(&str, &[&str])] = if test.is_empty() && probe.is_some() {
        &[
            ("language", &["code"]),
            ("task_categories", &["sentence-similarity"]),
            ("tags", &["code", "code-clones", "python", "barecode"]),
        ]
    } else {
        &[
            ("language", &["en"]),
            ("task_categories", &["text-retrieval"]),
            ("task_ids", &["document-retrieval"]),
            (
                "tags",
                &["code", "code-search", "code-retrieval", "barecode"],
            ),
        ]
    };
    for (key, values) in front {
        facts.extra.insert((*key).to_owned(), json!(values));
    }
    let tables: Vec<CardTable> = card_tables(test, train, probe)
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

/// The subsets of a dataset that have queries to retrieve and score, in the order of its list.
pub(super) fn subsets(site: &Site) -> anyhow::Result<Vec<Subset>> {
    let listed = site.folder.layout().subsets()?;
    let test = listed
        .into_iter()
        .filter(|subset| subset.splits.contains(&Split::Test));
    Ok(test.map(Subset::from).collect())
}
