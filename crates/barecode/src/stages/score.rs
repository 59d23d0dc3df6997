//! Runs and judgments to scores: one shard, because all retrievers and settings of a view share the draws of
//! the bootstrap.

use std::collections::BTreeMap;

use barecode_models::RetrieverConfig;
use barecode_records::{
    ConfigName, Difference, Document, Hit, Judgment, Leak, QueryScore, QueryText, Score, Setting,
    SettingDrop, Stage, View, table,
};
use barecode_scores::{
    Bootstrap, Measure, Method, Ranked, Twins, answer_rank, ceiling, evaluate, floor,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::{assemble, retrieve};
use crate::engine::{Key, Plan, Shard, ShardWriter, Ticket};
use crate::flow::{Before, Look};
use crate::site::Site;
use paired::Columns;

mod paired;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// What `score` would do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let [dataset, runs] = [Stage::Assemble, Stage::Retrieve].map(|stage| &before[&stage]);
    let configurations = assemble::configurations(site)?;
    let mut key = Key::new(Stage::Score, CODE)
        .format::<QueryScore>()
        .format::<Score>()
        .format::<SettingDrop>()
        .format::<Difference>()
        .field(site.recipe.scores.resolved().to_string())
        .field(site.recipe.seed.to_le_bytes())
        .fields(site.recipe.retrievers.iter().map(RetrieverConfig::name));
    for finished in [dataset, runs] {
        let files = finished.shards.iter().flat_map(|(_, ticket)| &ticket.files);
        key = key
            .fields(files.map(|(file, content)| format!("{} {}", file.display(), content.digest)));
    }
    let shard = Shard {
        key,
        last: "scores.parquet".into(),
        items: (configurations.len() * site.recipe.retrievers.len()) as u64,
        work: Box::new(move |writer| work(site, &configurations, writer)),
    };
    Ok(Plan {
        prepare: None,
        stage: Stage::Score,
        noun: "runs",
        shards: vec![shard],
    })
}

fn work(
    site: &Site,
    configurations: &[ConfigName],
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let per_configuration: Vec<Scored> = configurations
        .par_iter()
        .map(|&name| score_queries(site, name))
        .collect::<Result<_, _>>()?;
    let documents: BTreeMap<ConfigName, u32> = configurations
        .iter()
        .zip(&per_configuration)
        .map(|(name, scored)| (*name, scored.documents))
        .collect();
    let mut query_scores: Vec<QueryScore> = Vec::new();
    let mut repositories: BTreeMap<String, String> = BTreeMap::new();
    for scored in per_configuration {
        query_scores.extend(scored.rows);
        repositories.extend(scored.repositories);
    }
    let measures: Vec<String> = site
        .recipe
        .scores
        .measures
        .iter()
        .map(Measure::to_string)
        .collect();
    // The recipe's order of retrievers and measures is the report's.
    let order = Order {
        measures: measures.iter().map(String::as_str).collect(),
        retrievers: site
            .recipe
            .retrievers
            .iter()
            .map(RetrieverConfig::name)
            .collect(),
    };
    let scores = summarize(site, &order, &query_scores, &documents, &repositories)?;
    let columns = Columns::of(&query_scores, &order.retrievers, &order.measures);
    let draws = |view: View| bootstrap(site, view);
    let drops = columns.drops(draws)?;
    let differences = columns.differences(draws)?;
    writer.table("queries.parquet", &query_scores)?;
    writer.table("drops.parquet", &drops)?;
    writer.table("differences.parquet", &differences)?;
    writer.finish("scores.parquet", &scores, BTreeMap::new())
}

/// How the queries of a view are drawn: the same draws for all its numbers.
fn bootstrap(site: &Site, view: View) -> Bootstrap {
    Bootstrap {
        resamples: site.recipe.scores.resamples,
        confidence: site.recipe.scores.confidence,
        seed: site.seed("bootstrap", view.name()),
    }
}

/// What scoring a configuration gives.
struct Scored {
    /// How many documents competed.
    documents: u32,
    /// By query, the repository of its answer.
    repositories: BTreeMap<String, String>,
    /// Every measure of every query, for every retriever.
    rows: Vec<QueryScore>,
}

fn score_queries(site: &Site, name: ConfigName) -> anyhow::Result<Scored> {
    let dataset = site.folder.stage(Stage::Assemble);
    let documents: Vec<Document> = table::read(&dataset.join(assemble::corpus_of(name)))?;
    let queries: Vec<QueryText> = table::read(&dataset.join(assemble::queries_of(name)))?;
    let judgments: Vec<Judgment> = table::read(&dataset.join(assemble::judgments_of(name)))?;
    let texts = documents
        .iter()
        .map(|document| (document.id.as_str(), document.text.as_str()));
    let twins = Twins::among(texts);
    let mut qrels: BTreeMap<&str, BTreeMap<&str, i32>> = BTreeMap::new();
    for judgment in &judgments {
        let of_query = qrels.entry(judgment.query_id.as_str()).or_default();
        of_query.insert(judgment.corpus_id.as_str(), judgment.score);
    }
    let whole: BTreeMap<&str, String> = documents
        .iter()
        .map(|document| (document.id.as_str(), document.whole()))
        .collect();
    let mut repositories: BTreeMap<String, String> = BTreeMap::new();
    for (query, grades) in &qrels {
        let answer = grades.iter().max_by_key(|(_, grade)| **grade);
        if let Some(of) = answer.and_then(|(document, _)| whole.get(document)) {
            repositories.insert((*query).to_owned(), of.clone());
        }
    }
    let config = &site.recipe.scores;
    let nothing = BTreeMap::new();
    let mut rows = Vec::new();
    for retriever in &site.recipe.retrievers {
        let run = site
            .folder
            .stage(Stage::Retrieve)
            .join(retrieve::run_of(retriever, name));
        let hits: Vec<Hit> = table::read(&run)?;
        let mut ranked: BTreeMap<&str, Vec<Ranked<'_>>> = BTreeMap::new();
        for hit in &hits {
            let of_query = ranked.entry(hit.query_id.as_str()).or_default();
            of_query.push(Ranked {
                doc: hit.doc_id.as_str(),
                score: hit.score,
            });
        }
        for query in &queries {
            let qrels = qrels.get(query.id.as_str()).unwrap_or(&nothing);
            let ranked = ranked
                .get(query.id.as_str())
                .map(Vec::as_slice)
                .unwrap_or_default();
            let values = evaluate(&config.measures, ranked, qrels, config.ties);
            let ceilings = ceiling(&config.measures, &twins, qrels);
            let floors = floor(&config.measures, documents.len(), qrels);
            let answer_rank = answer_rank(ranked, qrels, config.ties);
            let numbers = values.into_iter().zip(ceilings).zip(floors);
            for (measure, ((value, ceiling), floor)) in config.measures.iter().zip(numbers) {
                rows.push(QueryScore {
                    retriever: retriever.name().to_owned(),
                    view: name.view,
                    setting: name.setting,
                    seed: name.seed,
                    query_id: query.id.clone(),
                    leak: query.leak,
                    measure: measure.to_string(),
                    value,
                    ceiling: ceiling.expect("a recipe's measures have a ceiling"),
                    floor: floor.expect("what has a ceiling has a floor"),
                    answer_rank,
                });
            }
        }
    }
    Ok(Scored {
        documents: u32::try_from(documents.len())?,
        repositories,
        rows,
    })
}

/// One column of the bootstrap: a measure of a retriever under a setting, a value a query.
#[derive(Default)]
struct Column {
    /// Per query, the sums over draws of value, ceiling and floor, and the number of draws.
    by_query: BTreeMap<String, ([f64; 3], u32)>,
}

/// The names of retrievers and measures, in the order of the recipe.
struct Order<'a> {
    retrievers: Vec<&'a str>,
    measures: Vec<&'a str>,
}

/// The means over queries with their intervals. Draws of one setting are averaged per query first, so a query
/// counts once however often names were drawn.
fn summarize(
    site: &Site,
    order: &Order<'_>,
    query_scores: &[QueryScore],
    documents: &BTreeMap<ConfigName, u32>,
    repositories: &BTreeMap<String, String>,
) -> anyhow::Result<Vec<Score>> {
    let mut scores = Vec::new();
    let subsets = [None].into_iter().chain(Leak::ALL.map(Some));
    for (view, leak) in View::ALL
        .into_iter()
        .flat_map(|view| subsets.clone().map(move |leak| (view, leak)))
    {
        let subset = leak.map_or("all".to_owned(), |leak| format!("leak={}", leak.name()));
        let mut columns: BTreeMap<(&str, Setting, &str), Column> = BTreeMap::new();
        for row in query_scores {
            if row.view == view && leak.is_none_or(|leak| leak == row.leak) {
                let column = columns
                    .entry((&row.retriever, row.setting, &row.measure))
                    .or_default();
                let (sums, draws) = column.by_query.entry(row.query_id.to_string()).or_default();
                for (sum, number) in sums.iter_mut().zip([row.value, row.ceiling, row.floor]) {
                    *sum += number;
                }
                *draws += 1;
            }
        }
        let mean = |column: &Column, which: usize| -> Vec<f64> {
            column
                .by_query
                .values()
                .map(|(sums, draws)| sums[which] / f64::from(*draws))
                .collect()
        };
        let values: Vec<Vec<f64>> = columns.values().map(|column| mean(column, 0)).collect();
        let bootstrap = bootstrap(site, view);
        let intervals = bootstrap.intervals(&values);
        let mut numbered: Vec<((usize, Setting, usize), Score)> = Vec::new();
        for (((retriever, setting, measure), column), interval) in columns.iter().zip(intervals) {
            let average =
                |which| mean(column, which).iter().sum::<f64>() / column.by_query.len() as f64;
            let competed = documents
                .iter()
                .find(|(name, _)| name.view == view && name.setting == *setting);
            let place = |names: &[&str], wanted: &str| {
                names
                    .iter()
                    .position(|name| *name == wanted)
                    .expect("scores name what the recipe names")
            };
            let number = (
                place(&order.retrievers, retriever),
                *setting,
                place(&order.measures, measure),
            );
            let of_query = |query: &String| repositories.get(query).map_or("", String::as_str);
            let clusters: Vec<&str> = column.by_query.keys().map(of_query).collect();
            let by_repository =
                bootstrap.cluster_mean(&mean(column, 0), &clusters, Method::Percentile)?;
            let by_repository = Some(by_repository.interval).filter(|_| by_repository.clusters > 1);
            let score = Score {
                retriever: (*retriever).to_owned(),
                view,
                setting: *setting,
                draws: column
                    .by_query
                    .values()
                    .map(|(_, draws)| *draws)
                    .max()
                    .unwrap_or_default(),
                subset: subset.clone(),
                measure: (*measure).to_owned(),
                queries: u32::try_from(column.by_query.len()).expect("queries fit in memory"),
                documents: competed.map_or(0, |(_, documents)| *documents),
                value: interval.value,
                low: interval.low,
                high: interval.high,
                repository_low: by_repository.map(|interval| interval.low),
                repository_high: by_repository.map(|interval| interval.high),
                ceiling: average(1),
                floor: average(2),
            };
            numbered.push((number, score));
        }
        numbered.sort_by_key(|(number, _)| *number);
        scores.extend(numbered.into_iter().map(|(_, score)| score));
    }
    Ok(scores)
}
