//! Units to queries: a shard for each source, so that repeated comments of one project are seen. The user's own queries
//! have one shard, as their answers may be in any source. Each set that models write has a shard for each source again.

mod answers;
pub(crate) mod classifying;
pub(crate) mod writing;

use std::path::PathBuf;

use barecode_queries::{FURTHER_COMMENTS, OWN_QUERIES, own_queries, query};
use barecode_records::{Outcome, Query, SetAside, Stage, Unit};

use super::{check, finish, shown};
use crate::engine::{self, Content, Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::layout::{part, set_aside_of};
use crate::look::{Before, Look};
use crate::recipe::{Classifier, QueryWriter};
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 9;

/// Returns the plan of `query`.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, _: Look) -> anyhow::Result<Plan<'a>> {
    let recipe = &site.shop.recipe;
    let queries = &recipe.queries;
    let config = serde_json::to_string(&(
        queries.comments,
        queries.further_comments,
        queries.min_words,
        queries.max_words,
    ))?;
    let units = &before[&Stage::Check];
    let key = |contents: &[&Content]| {
        Key::new(Stage::Query, CODE)
            .format::<Query>()
            .format::<SetAside>()
            .field(&config)
            .fields(contents.iter().map(|content| &content.digest))
    };
    let sources: Vec<Vec<PathBuf>> = check::shards_of_sources(&before[&Stage::Extract])
        .into_iter()
        .map(|range| units.shards[range].iter().map(|(file, _)| file.clone()))
        .map(Iterator::collect)
        .collect();
    let contents = |files: &[PathBuf]| -> Vec<&Content> {
        let contents = files.iter().filter_map(|file| units.content(file));
        contents.collect()
    };
    let classifier = recipe.classifier.as_ref();
    let classes = classifier.map(Classifier::identity).transpose()?;
    let shards = sources.iter().cloned().zip(site.slice.sources.start..);
    let mut shards: Vec<Shard<'a>> = shards
        .map(|(files, number)| {
            let contents = contents(&files);
            Shard {
                key: key(&contents).fields(&classes),
                last: part(number),
                items: contents.iter().map(|content| content.rows).sum(),
                work: Box::new(move |writer| work(site, &files, number, writer)),
            }
        })
        .collect();
    if !site.slice.rest {
        return Ok(Plan::new(Stage::Query, "units", shards));
    }
    if !recipe.own_queries.is_empty() {
        let number = shards.len();
        let aligner = recipe.aligner.as_ref();
        let alignment = aligner.map(QueryWriter::identity).transpose()?;
        let left_out =
            [&before[&Stage::Extract], units].map(|finished| (finished.stage, aside(finished)));
        let read = left_out
            .iter()
            .flat_map(|(stage, files)| files.iter().filter_map(|file| before[stage].content(file)));
        let parts = units.parts().filter_map(|file| units.content(file));
        let own_contents: Vec<&Content> = parts.chain(read).collect();
        let sources = sources.clone();
        shards.push(Shard {
            key: key(&own_contents)
                .fields(recipe.own_fields())
                .fields(alignment),
            last: part(number),
            items: recipe.own_queries.len() as u64,
            work: Box::new(move |writer| own(site, &sources, &left_out, number, writer)),
        });
    }
    for set in &recipe.writers {
        let identity = set.identity()?;
        for files in &sources {
            let contents = contents(files);
            let number = shards.len();
            let files = files.clone();
            let seed = recipe.seed.to_le_bytes();
            shards.push(Shard {
                key: key(&contents).field(&identity).field(seed),
                last: part(number),
                items: contents.iter().map(|content| content.rows).sum(),
                work: Box::new(move |writer| written(site, set, &files, number, writer)),
            });
        }
    }
    Ok(Plan::new(Stage::Query, "units", shards))
}

/// The tables of what a stage left out.
fn aside(finished: &Finished) -> Vec<PathBuf> {
    finished.parts().map(set_aside_of).collect()
}

fn work(
    site: &Site,
    files: &[PathBuf],
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let units = shown::units(site.folder.layout(), files.iter())?;
    let queried = queries(&site.shop, &units)?;
    finish(writer, number, &["units", FURTHER_COMMENTS], queried)
}

/// Returns the queries in the doc comments of a source's units, in classes where the recipe requires them.
pub(crate) fn queries(shop: &Workshop, units: &[Unit]) -> anyhow::Result<Outcome<Vec<Query>>> {
    let queried = query(units, &shop.recipe.queries);
    engine::agree("units entered", queried.of("units").entered, units.len())?;
    match &shop.recipe.classifier {
        Some(classifier) => classifying::classify(shop, classifier, queried),
        None => Ok(queried),
    }
}

/// Returns the queries that models write for the units of a source.
fn written(
    site: &Site,
    set: &QueryWriter,
    files: &[PathBuf],
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let units: Vec<Unit> = site.folder.layout().rows(Stage::Check, files)?;
    let queried = writing::write(&site.shop, set, &units)?;
    let entered = queried.of(writing::WRITTEN).entered;
    engine::agree("functions to write for", entered, units.len())?;
    finish(writer, number, &[writing::WRITTEN], queried)
}

/// Returns the user's own queries over all sources.
fn own(
    site: &Site,
    sources: &[Vec<PathBuf>],
    left_out: &[(Stage, Vec<PathBuf>)],
    number: usize,
    writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let layout = site.folder.layout();
    let (mut units, mut comments, mut missed) = (Vec::new(), Vec::new(), Vec::new());
    for files in sources {
        let of_source = match &site.shop.recipe.aligner {
            // A model that aligns them is shown the closure.
            Some(_) => layout.rows(Stage::Check, files)?,
            None => shown::units(layout, files.iter())?,
        };
        comments.extend(query(&of_source, &site.shop.recipe.queries).kept);
        units.extend(of_source);
    }
    for (stage, files) in left_out {
        missed.extend(layout.rows::<SetAside>(*stage, files)?);
    }
    let asked = &site.shop.recipe.own_queries;
    let mut queried = own_queries(asked, &units, &missed, &comments);
    if let Some(aligner) = &site.shop.recipe.aligner {
        queried = writing::align(&site.shop, aligner, &units, queried, OWN_QUERIES)?;
    }
    engine::agree(
        "own queries entered",
        queried.of(OWN_QUERIES).entered,
        asked.len(),
    )?;
    finish(writer, number, &[OWN_QUERIES], queried)
}
