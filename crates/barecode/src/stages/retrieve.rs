//! Dataset and retrievers to runs: a shard for each retriever and configuration. Judgments are not read here.
//!
//! Configurations share most of their queries and some of their documents, so before the first shard each text is
//! embedded once for all of them ([`embed`]); what the shards ask then is kept already. What that cost is written to
//! `06-runs/ledger.json` ([`ledger`]), also where it broke off.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_models::{Embeddings, Encoder, ModelError, RetrieverConfig, Side};
use barecode_records::{ConfigName, Document, Hit, QueryText, Stage, table};
use barecode_retrieval::{RetrieveError, embedded_text, retrieve};

use super::assemble;
use crate::console::grouped;
use crate::encoders::Fetch;
use crate::engine::{Key, Plan, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::flow::{Before, Look};
use crate::recipe::RecipeModel;
use crate::site::Site;

mod dry_run;
mod ledger;

pub(crate) use dry_run::dry_run;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// What `retrieve` would do. Models are opened as far as it takes to know whether their runs are current; where none
/// may be fetched, the runs of one that is not here are to do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let dataset = &before[&Stage::Assemble];
    if site.recipe.retrievers.is_empty() {
        return Err(Failure::invalid(
            "the recipe has no `[[retriever]]`: there is nobody to evaluate",
        )
        .hint("add a table with `name = \"bm25\"` and `kind = \"bm25\"`")
        .into());
    }
    let configurations = assemble::configurations(site)?;
    let seed = site.seed("retrieve", "");
    let mut shards = Vec::new();
    for retriever in &site.recipe.retrievers {
        let identity = match (site.recipe.models.get(retriever.name()), look) {
            (_, Look::Folder) => None,
            (None, Look::Around | Look::Fetch) => Some(String::new()),
            (Some(model), Look::Around) => Some(identity(site, model, Fetch::Never)?),
            (Some(model), Look::Fetch) => Some(identity(site, model, Fetch::Allowed)?),
        };
        for &name in &configurations {
            let content = |file: PathBuf| {
                dataset
                    .content(&file)
                    .expect("a configuration has all its tables")
            };
            let queries = content(assemble::queries_of(name));
            let key = Key::new(Stage::Retrieve, CODE)
                .format::<Hit>()
                .field(retriever.digest())
                .field(seed.to_le_bytes())
                .field(&content(assemble::corpus_of(name)).digest)
                .field(&queries.digest);
            let key = match &identity {
                None => key.unseen(),
                Some(identity) => key.tool(retriever.name(), identity),
            };
            shards.push(Shard {
                key,
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
        prepare: Some(Box::new(move |to_do| {
            let texts = |retriever| Texts::of(site, retriever, &configurations, to_do);
            embed(site, texts)
        })),
    })
}

/// The identity of a model; of one that may not be fetched, one that no run has.
fn identity(site: &Site, model: &RecipeModel, fetch: Fetch) -> anyhow::Result<String> {
    match (site.encoders.identity(model, fetch), fetch) {
        (Ok(identity), _) => Ok(identity),
        (Err(failure), Fetch::Allowed) => Err(failure.into()),
        (Err(failure), Fetch::Never) => {
            let name = &model.spec.name;
            site.console.note(&format!(
                "`{name}` cannot be looked at: {}",
                failure.message
            ));
            Ok("not here".to_owned())
        }
    }
}

/// The hits of a retriever, relative to the stage's folder.
pub(super) fn run_of(retriever: &RetrieverConfig, name: ConfigName) -> PathBuf {
    Path::new(retriever.name()).join(format!("{name}.parquet"))
}

/// The distinct texts that a retriever compares in the configurations that are to do.
#[derive(Debug, Default)]
struct Texts {
    documents: BTreeSet<String>,
    queries: BTreeSet<String>,
}

impl Texts {
    fn of(
        site: &Site,
        retriever: &RetrieverConfig,
        configurations: &[ConfigName],
        to_do: &[&Path],
    ) -> anyhow::Result<Self> {
        let mut texts = Texts::default();
        for &name in configurations {
            if to_do.contains(&run_of(retriever, name).as_path()) {
                let (documents, queries) = read(site, name)?;
                let documents = documents.iter().map(embedded_text);
                texts.documents.extend(documents.map(str::to_owned));
                texts
                    .queries
                    .extend(queries.into_iter().map(|query| query.text));
            }
        }
        Ok(texts)
    }

    fn sides(&self) -> [(Side, Vec<&str>); 2] {
        fn list(texts: &BTreeSet<String>) -> Vec<&str> {
            texts.iter().map(String::as_str).collect()
        }
        [
            (Side::Document, list(&self.documents)),
            (Side::Query, list(&self.queries)),
        ]
    }
}

/// Embeds what retrievers will ask for, one after another, and writes what each took. All models are opened first: a
/// key or a folder that is missing is told before anything is paid for.
fn embed<'a>(
    site: &'a Site,
    texts: impl Fn(&'a RetrieverConfig) -> anyhow::Result<Texts>,
) -> anyhow::Result<()> {
    let mut asked = Vec::new();
    for retriever in &site.recipe.retrievers {
        let Some(model) = site.recipe.models.get(retriever.name()) else {
            continue;
        };
        let texts = texts(retriever)?;
        if !texts.documents.is_empty() {
            let encoder = site.encoders.open(model, Fetch::Allowed)?;
            asked.push((retriever, encoder, texts));
        }
    }
    for (retriever, encoder, texts) in asked {
        let embedded = embed_all(site, retriever, &*encoder, &texts);
        ledger::write(site, retriever, encoder.identity())?;
        embedded?;
    }
    Ok(())
}

fn embed_all(
    site: &Site,
    retriever: &RetrieverConfig,
    encoder: &dyn Encoder,
    texts: &Texts,
) -> Result<(), ModelError> {
    for (side, texts) in texts.sides() {
        let cut = AtomicUsize::new(0);
        let count = |_: &[usize], part: Embeddings| {
            let truncated = part.truncated.iter().filter(|cut| **cut).count();
            cut.fetch_add(truncated, Ordering::Relaxed);
            Ok(())
        };
        encoder.encode_parts(side, &texts, &count)?;
        let cut = cut.into_inner();
        if cut > 0 {
            let noun = match side {
                Side::Document => "documents",
                Side::Query => "queries",
            };
            site.console.note(&format!(
                "{:>9}  {}: {} of {} {noun} are longer than the model reads",
                "embed",
                retriever.name(),
                grouped(cut as u64),
                grouped(texts.len() as u64)
            ));
        }
    }
    Ok(())
}

fn read(site: &Site, name: ConfigName) -> anyhow::Result<(Vec<Document>, Vec<QueryText>)> {
    let dataset = site.folder.stage(Stage::Assemble);
    let documents = table::read(&dataset.join(assemble::corpus_of(name)))?;
    let queries = table::read(&dataset.join(assemble::queries_of(name)))?;
    Ok((documents, queries))
}

fn work(
    site: &Site,
    retriever: &RetrieverConfig,
    name: ConfigName,
    seed: u64,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let (documents, queries) = read(site, name)?;
    let encoder = match site.recipe.models.get(retriever.name()) {
        Some(model) => Some(site.encoders.open(model, Fetch::Allowed)?),
        None => None,
    };
    let hits = retrieve(retriever, encoder.as_deref(), &documents, &queries, seed);
    let hits = hits.map_err(|error| match error {
        RetrieveError::Model(error) => anyhow::Error::from(error),
        RetrieveError::Vectors { .. } => Failure::invalid(error.to_string()).into(),
        RetrieveError::NoModel { .. } => Failure::internal(error.to_string()).into(),
    })?;
    writer.finish(run_of(retriever, name), &hits, BTreeMap::new())
}
