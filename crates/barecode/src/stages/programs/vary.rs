//! Programs to clones and bugs: a shard for each shard of `check`.

use std::borrow::Cow;
use std::path::Path;

use barecode_programs::{PipelineConfig, VARIANTS, vary};
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::{Outcome, SetAside, Stage};

use super::check::{ran_in, tools, with_tools};
use super::finish;
use crate::engine::{Finished, Key, Shard, ShardWriter, Ticket};
use crate::exit::Failure;
use crate::layout::program_part;
use crate::look::Look;
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 7;

/// The shards of `vary` for programs.
pub(crate) fn shards<'a>(
    site: &'a Site,
    programs: &'a Finished,
    look: Look,
) -> anyhow::Result<Vec<Shard<'a>>> {
    let tools = tools(site, look)?;
    let pipelines = &site.shop.recipe.programs.pipelines;
    let config = serde_json::to_string(&(&site.shop.recipe.programs.python, pipelines))?;
    let draws: u64 = pipelines.iter().map(|one| u64::from(one.draws)).sum();
    let shards = programs
        .of_programs()
        .enumerate()
        .map(|(number, (file, ticket))| {
            let content = ticket.files.get(file).expect("a ticket lists its own file");
            let key = Key::new(Stage::Vary, CODE)
                .format::<ProgramVariant>()
                .format::<SetAside>()
                .field(&config)
                .field(site.shop.recipe.seed.to_le_bytes())
                .field(&content.digest);
            Shard {
                key: with_tools(key, tools.as_deref()),
                last: program_part(number),
                items: content.rows * draws,
                work: Box::new(move |writer| work(site, file, number, writer)),
            }
        });
    Ok(shards.collect())
}

fn work(
    site: &Site,
    file: &Path,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let programs = site.folder.layout().rows::<Program>(Stage::Check, [file])?;
    let outcome = variants(&site.shop, &programs, |done| writer.advance(done))?;
    writer.made_from(ran_in(site.shop.python()?));
    finish(writer, number, VARIANTS, outcome)
}

/// Returns the variants that the recipe's pipelines make of programs.
pub(crate) fn variants(
    shop: &Workshop,
    programs: &[Program],
    done: impl Fn(u64),
) -> anyhow::Result<Outcome<Vec<ProgramVariant>>> {
    let pipelines = pipelines(shop);
    let pipelines = pipelines.iter().map(|config| {
        let pipeline = config.pipeline().map(|pipeline| (config, pipeline));
        pipeline.map_err(|error| Failure::internal(error.to_string()))
    });
    let pipelines = pipelines.collect::<Result<Vec<_>, _>>()?;
    let (seed, python) = (shop.recipe.seed, shop.python()?);
    Ok(vary(programs, &pipelines, seed, python, done)?)
}

/// The recipe's pipelines; the paper's, where a part of a recipe has none.
pub(crate) fn pipelines(shop: &Workshop) -> Cow<'_, [PipelineConfig]> {
    match &shop.recipe.programs.pipelines[..] {
        [] => PipelineConfig::usual().into(),
        pipelines => pipelines.into(),
    }
}
