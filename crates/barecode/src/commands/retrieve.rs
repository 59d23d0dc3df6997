//! Dataset and retrievers to runs: a shard for each retriever and configuration. Judgments are not read here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_models::RetrieverConfig;
use barecode_records::{ConfigName, Document, Hit, QueryText, Stage, table};
use barecode_retrieval::retrieve;

use super::assemble;
use crate::engine::{self, Finished, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::flow::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// What `retrieve` would do.
pub(crate) fn plan<'a>(site: &'a Site, dataset: &Finished) -> anyhow::Result<Plan<'a>> {
    if site.recipe.retrievers.is_empty() {
        return Err(Failure::invalid(
            "the recipe has no `[[retriever]]`: there is nobody to evaluate",
        )
        .hint("add a table with `name = \"bm25\"` and `kind = \"bm25\"`")
        .into());
    }
    let configurations = assemble::configurations(&site.recipe, dataset);
    let seed = site.seed("retrieve", "");
    let mut shards = Vec::new();
    for retriever in &site.recipe.retrievers {
        for &name in &configurations {
            let content = |file: PathBuf| {
                dataset
                    .content(&file)
                    .expect("a configuration has all its tables")
            };
            let queries = content(assemble::queries_of(name));
            let key = engine::key(Stage::Retrieve, CODE)
                .field(engine::format_of::<Hit>())
                .field(retriever.digest())
                .field(seed.to_le_bytes())
                .field(&content(assemble::corpus_of(name)).digest)
                .field(&queries.digest);
            shards.push(Shard {
                key: key.hex(),
                last: run_of(retriever, name),
                items: queries.rows,
                work: Box::new(move |writer| work(site, retriever, name, seed, writer)),
            });
        }
    }
    Ok(Plan {
        stage: Stage::Retrieve,
        noun: "queries",
        shards,
    })
}

/// The hits of a retriever, relative to the stage's folder.
pub(super) fn run_of(retriever: &RetrieverConfig, name: ConfigName) -> PathBuf {
    Path::new(retriever.name()).join(format!("{name}.parquet"))
}

fn work(
    site: &Site,
    retriever: &RetrieverConfig,
    name: ConfigName,
    seed: u64,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let dataset = site.folder.stage(Stage::Assemble);
    let documents: Vec<Document> = table::read(&dataset.join(assemble::corpus_of(name)))?;
    let queries: Vec<QueryText> = table::read(&dataset.join(assemble::queries_of(name)))?;
    let hits = retrieve(retriever, &documents, &queries, seed);
    writer.finish(run_of(retriever, name), &hits, BTreeMap::new())
}
