//! Solutions of problems to those that stay: one shard, because a threshold is calibrated on all problems.
//!
//! It runs between `extract` and `check`, because a solution that does not stay is neither run nor changed. The models
//! that choose are opened when the first one is needed, and their costs are booked.

use std::collections::BTreeSet;
use std::sync::Arc;

use barecode_models::{Encoder, Estimate, Side};
use barecode_programs::alternates::{Chosen, MeasureConfig};
use barecode_programs::{Account, Applied, Choosing, Vectors};
use barecode_records::python::Program;
use barecode_records::{Outcome, SetAside, Stage};
use serde_json::Value;

use super::{Kept, failed, tables};
use crate::encoders::{Fetch, identity_or_absent};
use crate::engine::{Finished, Key, Plan, Shard, ShardWriter, Ticket};
use crate::evaluation::ledger::Books;
use crate::exit::Failure;
use crate::layout::{program_part, set_aside_of};
use crate::look::{Before, Look};
use crate::recipe::RecipeModel;
use crate::run_folder::RunFolder;
use crate::site::{Site, Workshop};

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 1;

/// Plans the stage: one shard if `extract` left programs, else none.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    let extracted = &before[&Stage::Extract];
    let mut shards = Vec::new();
    if extracted.of_programs().next().is_some() {
        let key = Key::new(Stage::Choose, CODE)
            .format::<Program>()
            .format::<SetAside>()
            .field(serde_json::to_string(
                &site.shop.recipe.programs.alternates.config,
            )?)
            .field(site.shop.recipe.seed.to_le_bytes())
            .fields(tables(extracted).map(|(_, content)| &content.digest));
        shards.push(Shard {
            key: identified(site, key, look)?,
            last: set_aside_of(&program_part(0)),
            items: tables(extracted).map(|(_, content)| content.rows).sum(),
            work: Box::new(move |writer| work(site, extracted, writer)),
        });
    }
    Ok(Plan::new(Stage::Choose, "programs", shards))
}

/// Returns the key with the identities of the models that choose. A model that is not on this machine, and may not be
/// fetched, has an identity that no run has.
fn identified(site: &Site, mut key: Key, look: Look) -> Result<Key, Failure> {
    if look == Look::Folder {
        return Ok(key.unseen());
    }
    let fetch = look.into();
    for model in site.shop.recipe.programs.alternates.models() {
        let name = &model.spec.name;
        let found = site.shop.encoders.identity_of_encoder(model, fetch);
        let identity = identity_or_absent(found, fetch, name, site.shop.console)?;
        key = key.tool(name, &identity);
    }
    Ok(key)
}

fn work(site: &Site, extracted: &Finished, writer: ShardWriter) -> anyhow::Result<Ticket> {
    let mut kept = Kept::new(Some(writer));
    let read = || read(site, extracted);
    let account = run(&site.shop, Some(&site.folder), read, &mut kept, |_| {})?;
    kept.finish(serde_json::to_value(account)?)
}

/// The programs that `extract` left, a table at a time.
fn read<'a>(
    site: &'a Site,
    extracted: &'a Finished,
) -> impl Iterator<Item = anyhow::Result<Program>> {
    tables(extracted).flat_map(move |(file, _)| {
        let rows = site.folder.layout().rows(Stage::Extract, [file]);
        let (rows, error) = match rows {
            Ok(rows) => (rows, None),
            Err(error) => (Vec::new(), Some(Err(error.into()))),
        };
        rows.into_iter().map(Ok).chain(error)
    })
}

/// Returns the programs that stay; `done` is called with the number of programs that were checked.
pub(crate) fn chosen(
    shop: &Workshop,
    programs: &[Program],
    done: impl Fn(u64),
) -> anyhow::Result<Outcome<Vec<Program>>> {
    let mut kept = Kept::new(None);
    let read = || programs.iter().cloned().map(Ok);
    run(shop, None, read, &mut kept, done)?;
    Ok(kept.outcome)
}

fn run<P: Iterator<Item = anyhow::Result<Program>>>(
    shop: &Workshop,
    folder: Option<&RunFolder>,
    read: impl Fn() -> P,
    kept: &mut Kept,
    done: impl Fn(u64),
) -> anyhow::Result<Account> {
    let models = Models::new(shop, folder);
    let embed = |at: usize, texts: &[&str]| models.vectors(at, texts);
    let tell = |news: &str| shop.console.note(news);
    let take = |problem: Chosen| {
        let solutions = (problem.kept.len() + problem.set_aside.len()) as u64;
        kept.advance(solutions);
        done(solutions);
        for row in problem.set_aside {
            kept.set_aside(row);
        }
        let mut programs = problem.kept.into_iter();
        programs.try_for_each(|one| kept.keep(one))
    };
    choosing(shop).run(read, &embed, tell, take).map_err(failed)
}

/// Returns the choice that the recipe configures.
fn choosing(shop: &Workshop) -> Choosing<'_> {
    Choosing {
        alternates: &shop.recipe.programs.alternates.config,
        seed: shop.recipe.seed,
    }
}

/// Returns the texts that each model that chooses would read; makes no requests.
pub(crate) fn estimates(
    site: &Site,
    extracted: &Finished,
) -> anyhow::Result<Vec<(String, Estimate)>> {
    let read = choosing(&site.shop).would_read(read(site, extracted))?;
    let measures = site.shop.recipe.programs.alternates.measures().zip(&read);
    let estimate = |((config, model), read): ((&MeasureConfig, Option<&RecipeModel>), _)| {
        let read: &BTreeSet<String> = read;
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        let estimate = site.shop.encoders.estimate(model?, Side::Document, &read);
        Some(estimate.map(|estimate| (config.name.clone(), estimate)))
    };
    Ok(measures.filter_map(estimate).collect::<Result<_, _>>()?)
}

/// The data sets of finished stages, in the recipe's order: what was read of each, and once it was chosen what stayed.
pub(crate) fn data_sets(extracted: &Finished, chosen: Option<&Finished>) -> Vec<Value> {
    let lists = extracted
        .of_programs()
        .filter_map(|(_, ticket)| ticket.made_from.get("programs")?.as_array());
    let mut sets: Vec<Value> = lists.flatten().cloned().collect();
    if let Some(account) = chosen.and_then(account) {
        for set in &mut sets {
            let source = set["source"].as_str().unwrap_or_default();
            let of_source = account.choices.get(source).cloned().unwrap_or_default();
            let choices = serde_json::to_value(of_source).expect("counts are plain data");
            if let (Value::Object(set), Value::Object(choices)) = (&mut *set, choices) {
                set.extend(choices);
            }
            set["alternates_by"] = serde_json::json!(account.alternates_by);
        }
    }
    sets
}

/// Returns the criteria of near-duplicate solutions by the account of a finished stage, a measure each:
/// `above 0.5 by shingles`.
pub(crate) fn near_duplicates(chosen: Option<&Finished>) -> Vec<String> {
    let account = chosen.and_then(account).unwrap_or_default();
    let measures = account.alternates_by.iter();
    measures.filter_map(Applied::words).collect()
}

fn account(chosen: &Finished) -> Option<Account> {
    let (_, ticket) = chosen.of_programs().next()?;
    serde_json::from_value(ticket.made_from.clone()).ok()
}

/// The models of the measures.
struct Models<'s> {
    shop: &'s Workshop,
    /// The folder in which their usage is booked.
    folder: Option<&'s RunFolder>,
    books: Books,
}

impl<'s> Models<'s> {
    fn new(shop: &'s Workshop, folder: Option<&'s RunFolder>) -> Self {
        let named = shop.recipe.programs.alternates.measures();
        let named = named.filter_map(|(config, model)| {
            let name = model?.spec.name.clone();
            Some((name, config.model.clone()))
        });
        Models {
            shop,
            folder,
            books: Books::new(Stage::Choose, named.collect()),
        }
    }

    /// Returns the vectors of texts by the model of a measure; none for texts that it cannot read whole.
    fn vectors(&self, at: usize, texts: &[&str]) -> anyhow::Result<Vectors> {
        let open = self.open()?;
        let Some((model, encoder)) = &open[at] else {
            return Err(Failure::internal(format!("measure {at} has no model")).into());
        };
        let embedded = encoder.encode(Side::Document, texts);
        if let Some(folder) = self.folder {
            let (name, encoders) = (&model.spec.name, &self.shop.encoders);
            self.books
                .write(folder, name, encoder.identity(), encoders)?;
        }
        let embedded = embedded?;
        let whole = |at: usize| (!embedded.truncated[at]).then(|| embedded.vector(at).to_vec());
        Ok((0..texts.len()).map(whole).collect())
    }

    /// Opens all models before the first one is used.
    fn open(&self) -> Result<Vec<Opened<'s>>, Failure> {
        let open = |(_, model): (_, Option<&'s RecipeModel>)| {
            let opened = model.map(|model| {
                let encoder = self.shop.encoders.open(model, Fetch::Allowed)?;
                Ok::<_, Failure>((model, encoder))
            });
            opened.transpose()
        };
        let measures = self.shop.recipe.programs.alternates.measures();
        measures.map(open).collect()
    }
}

/// The model of a measure, if it has one.
type Opened<'s> = Option<(&'s RecipeModel, Arc<dyn Encoder>)>;
