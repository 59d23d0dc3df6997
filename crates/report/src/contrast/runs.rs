//! Runs of recipes: the values of their queries, and their lists.

use std::collections::{BTreeMap, BTreeSet};

use barecode_recipe::Recipe;
use barecode_records::{Leak, Query, QueryScore};
use barecode_runs::exit::Failure;
use barecode_runs::run_folder::RunFolder;

use super::Field;
use crate::browse::{Browsed, Home};
use crate::distinct;
use crate::draws::MeanByQuery;
use crate::unread::Unread;

/// A run with its scores. Its systems have the name of the run before theirs if there are several runs.
pub struct Scored {
    folder: RunFolder,
    recipe: Recipe,
    label: Option<String>,
    rows: Vec<QueryScore>,
    measures: Vec<String>,
    /// Sentences about systems that are left out.
    pub notes: Vec<String>,
}

/// The retrievers of runs, on each subset that all have, and sentences about queries that were left out; draws of a
/// setting are averaged per query.
///
/// # Errors
/// There are no two systems on the same queries.
pub fn fields(runs: &[Scored], systems: &[String]) -> anyhow::Result<(Vec<Field>, Vec<String>)> {
    let known: usize = runs.iter().map(|run| run.systems().len()).sum();
    if known < 2 {
        let failure = Failure::invalid(format!(
            "the run has {known} retrievers with scores of queries; a comparison needs two"
        ));
        return Err(failure
            .hint("add another `[[retriever]]` to the recipe")
            .into());
    }
    let (mut fields, mut notes) = (Vec::new(), Vec::new());
    let (first, others) = runs.split_first().expect("there is a run");
    for subset in distinct(first.main_rows().map(|row| row.subset.as_str())) {
        for measure in &first.measures {
            let columns = first.columns(subset, measure);
            let mut named = first.named(columns);
            for other in others {
                named.extend(other.named(other.columns(subset, measure)));
            }
            // Systems that cannot read the documents of a subset have no rows for it.
            let some_are_missing = runs
                .iter()
                .any(|run| run.columns(subset, measure).is_empty());
            if named.len() < 2 || some_are_missing {
                continue;
            }
            let field = field(first, (subset, measure), &named, &mut notes)?;
            fields.push(field.chosen(systems)?);
        }
    }
    if fields.is_empty() {
        let failure = Failure::invalid("no subset has scores of two systems on the same queries");
        return Err(failure
            .hint("runs are compared on subsets and queries that all have")
            .into());
    }
    Ok((fields, notes))
}

/// The values of the queries that all columns have.
fn field(
    run: &Scored,
    (subset, measure): (&str, &str),
    named: &[(String, MeanByQuery<'_>)],
    notes: &mut Vec<String>,
) -> anyhow::Result<Field> {
    let mut common: BTreeSet<&str> = named[0].1.queries().collect();
    let mut all = common.clone();
    for (_, column) in &named[1..] {
        let queries: BTreeSet<&str> = column.queries().collect();
        common.retain(|query| queries.contains(query));
        all.extend(queries);
    }
    if common.is_empty() {
        let message = format!("the runs have no query of `{subset}` in common");
        return Err(Failure::invalid(message).into());
    }
    if common.len() < all.len() {
        notes.push(format!(
            "{subset}: compared on the {} queries that all systems have, of {}",
            common.len(),
            all.len()
        ));
    }
    let leaks: BTreeMap<&str, Option<Leak>> = run
        .rows
        .iter()
        .filter(|row| row.subset == subset)
        .map(|row| (row.query_id.as_str(), row.leak))
        .collect();
    let facts = run.rows.iter().find(|row| row.subset == subset);
    let value = |column: &MeanByQuery<'_>| -> Vec<f64> {
        common
            .iter()
            .filter_map(|query| column.get(query))
            .collect()
    };
    Ok(Field {
        subset: Some(subset.to_owned()),
        group: facts.and_then(|row| row.group.clone()),
        setting: facts.and_then(|row| Some(row.setting?.to_string())),
        measure: measure.to_owned(),
        names: named.iter().map(|(name, _)| name.clone()).collect(),
        queries: common.iter().map(|&query| query.to_owned()).collect(),
        leaks: common
            .iter()
            .map(|query| leaks.get(query).copied().flatten())
            .collect(),
        values: named.iter().map(|(_, column)| value(column)).collect(),
    })
}

/// The queries of runs with their lists, and sentences about the runs.
///
/// # Errors
/// A table cannot be read.
pub fn browsed(runs: Vec<Scored>, systems: &[String]) -> anyhow::Result<(Browsed, Vec<String>)> {
    let several = runs.len() > 1;
    let mut all: Option<Browsed> = None;
    let mut notes = Vec::new();
    for run in runs {
        let layout = run.folder.layout();
        let units = layout.units()?.into_iter();
        let names = units.map(|unit| (unit.id, unit.qualified_name)).collect();
        let queries: Vec<Query> = layout.queries()?;
        let mut browsed = Browsed::read(layout, &run.recipe, &names, &queries)?;
        browsed.keep_systems(&run.systems());
        browsed.systems = browsed.systems.iter().map(|name| run.label(name)).collect();
        notes.extend(run.notes);
        match &mut all {
            None => all = Some(browsed),
            Some(all) => {
                all.name = format!("{} and {}", all.name, browsed.name);
                all.beside(browsed);
            }
        }
    }
    let mut all = all.unwrap_or_default();
    if !systems.is_empty() {
        let mut kept = all.systems.clone();
        kept.retain(|name| systems.contains(name));
        all.keep_systems(&kept);
    }
    if several {
        notes.push("Each system ranked the documents of its own run. The text of an answer is that of the first run.".to_owned());
    }
    all.compared = true;
    all.home = Home::Comparison;
    all.sort(&[]);
    Ok((all, notes))
}

/// Returns the scores of a run's queries, and the measures to show from `measures`: the main one if none is named.
///
/// # Errors
/// If the run has no scores, or not these.
pub fn query_scores(
    run: &RunFolder,
    measures: &[String],
) -> anyhow::Result<(Vec<QueryScore>, Vec<String>)> {
    if !run.layout().has_scores() {
        let message = format!("`{}` has no scores yet", run.root().display());
        return Err(Failure::invalid(message)
            .hint("run `barecode build` on the recipe first")
            .into());
    }
    let rows = run.layout().query_scores()?;
    let known = distinct(rows.iter().map(|row| row.measure.as_str()));
    if let Some(measure) = measures.iter().find(|name| !known.contains(&name.as_str())) {
        let message = format!(
            "the run has no measure `{measure}`, only {}",
            known.join(", ")
        );
        return Err(Failure::invalid(message)
            .hint("add it to `measures` under `[scores]` in the recipe and build again")
            .into());
    }
    let measures = if measures.is_empty() {
        known.into_iter().take(1).collect()
    } else {
        distinct(measures.iter().map(String::as_str))
    };
    let measures = measures.into_iter().map(str::to_owned).collect();
    Ok((rows, measures))
}

/// Reads the scores of runs: those of `measures`, or of the main measure of each run if none is named. Systems that do
/// not read every function are left out, with a note.
///
/// # Errors
/// A run has no scores, or not these.
pub fn read(folders: Vec<RunFolder>, measures: &[String]) -> anyhow::Result<Vec<Scored>> {
    let several = folders.len() > 1;
    let mut read = Vec::new();
    for folder in folders {
        let (mut rows, measures) = query_scores(&folder, measures)?;
        let manifest = folder.manifest().unwrap_or_default();
        let file = format!("{}/manifest.json", folder.root().display());
        let recipe = Recipe::of_resolved(&manifest.recipe, &file)?;
        let unread = Unread::read(folder.layout(), &recipe)?;
        unread.retain(&mut rows);
        read.push(Scored {
            label: several.then(|| recipe.name.clone()),
            notes: unread.sentences(),
            folder,
            recipe,
            rows,
            measures,
        });
    }
    // Two runs of one name differ by their folders, or else by their order.
    let labels = |read: &[Scored]| -> usize {
        let labels: BTreeSet<_> = read.iter().map(|run| run.label.clone()).collect();
        labels.len()
    };
    if labels(&read) < read.len() {
        for run in &mut read {
            let name = run.folder.root().file_name().unwrap_or_default();
            run.label = Some(name.to_string_lossy().into_owned());
        }
    }
    if labels(&read) < read.len() {
        for (number, run) in (1..).zip(&mut read) {
            run.label = Some(format!("{}-{number}", run.recipe.name));
        }
    }
    Ok(read)
}

impl Scored {
    fn main_rows(&self) -> impl Iterator<Item = &QueryScore> {
        self.rows
            .iter()
            .filter(|row| self.measures.contains(&row.measure))
    }

    /// The retrievers with scores, in the order of the rows.
    fn systems(&self) -> Vec<String> {
        let names = distinct(self.rows.iter().map(|row| row.retriever.as_str()));
        names.into_iter().map(str::to_owned).collect()
    }

    /// The name of a retriever among the systems of all runs.
    fn label(&self, retriever: &str) -> String {
        match &self.label {
            Some(run) => format!("{run}/{retriever}"),
            None => retriever.to_owned(),
        }
    }

    /// The values of each retriever on a subset, by its position.
    fn columns(&self, subset: &str, measure: &str) -> BTreeMap<usize, MeanByQuery<'_>> {
        let systems = self.systems();
        let mut columns: BTreeMap<usize, MeanByQuery<'_>> = BTreeMap::new();
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.subset == subset && row.measure == measure) {
            let at = systems.iter().position(|name| *name == row.retriever);
            columns.entry(at.unwrap_or_default()).or_default().add(row);
        }
        columns
    }

    fn named<'a>(
        &self,
        columns: BTreeMap<usize, MeanByQuery<'a>>,
    ) -> Vec<(String, MeanByQuery<'a>)> {
        let systems = self.systems();
        let columns = columns.into_iter();
        columns
            .map(|(at, column)| (self.label(&systems[at]), column))
            .collect()
    }
}
