//! The models that choose among the solutions of a problem: opened when the first is asked, and booked.

use std::collections::BTreeSet;
use std::sync::Arc;

use barecode_models::{Encoder, Estimate, Side};
use barecode_programs::alternates::MeasureConfig;
use barecode_programs::{Applied, Vectors};
use barecode_records::Stage;

use super::extract::{data_sets, extraction, of_programs};
use crate::encoders::Fetch;
use crate::engine::Finished;
use crate::evaluation::ledger::Books;
use crate::exit::Failure;
use crate::recipe::RecipeModel;
use crate::run_folder::RunFolder;
use crate::site::{Site, Workshop};

/// What each model that chooses would read; asks nobody.
pub(crate) fn estimates(site: &Site) -> anyhow::Result<Vec<(String, Estimate)>> {
    let read = extraction(&site.shop).would_read();
    let read = read.map_err(|error| of_programs(&error))?;
    let measures = site.shop.recipe.programs.alternates.measures().zip(&read);
    let estimate = |((config, model), read): ((&MeasureConfig, Option<&RecipeModel>), _)| {
        let read: &BTreeSet<String> = read;
        let read: Vec<&str> = read.iter().map(String::as_str).collect();
        let estimate = site.shop.encoders.estimate(model?, Side::Document, &read);
        Some(estimate.map(|estimate| (config.name.clone(), estimate)))
    };
    Ok(measures.filter_map(estimate).collect::<Result<_, _>>()?)
}

/// What makes solutions near-duplicates by the account of a finished stage, a measure each: `above 0.5 by shingles`.
pub(crate) fn near_duplicates(functions: &Finished) -> Vec<String> {
    // All data sets have the same.
    let sets = data_sets(functions).into_iter().take(1);
    let measures = sets.flat_map(|mut set| {
        let measures: Vec<Applied> =
            serde_json::from_value(set["alternates_by"].take()).unwrap_or_default();
        measures
    });
    measures.filter_map(|one| one.words()).collect()
}

/// The models of the measures.
pub(super) struct Models<'s> {
    shop: &'s Workshop,
    /// Where what they took is booked.
    folder: Option<&'s RunFolder>,
    books: Books,
}

impl<'s> Models<'s> {
    pub(super) fn new(shop: &'s Workshop, folder: Option<&'s RunFolder>) -> Self {
        let named = shop.recipe.programs.alternates.measures();
        let named = named.filter_map(|(config, model)| {
            let name = model?.spec.name.clone();
            Some((name, config.model.clone()))
        });
        Models {
            shop,
            folder,
            books: Books::new(Stage::Extract, named.collect()),
        }
    }

    /// The vectors of texts by the model of a measure; none of what it cannot read whole.
    pub(super) fn vectors(&self, at: usize, texts: &[&str]) -> anyhow::Result<Vectors> {
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

    /// All models, open before any is asked.
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
