//! Dataset and retrievers to runs: a shard for each retriever and subset, as `eval` has them too
//! ([`crate::evaluation`]).

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use barecode_evaluate::{ProbeParts, Task};
use barecode_records::{Digest, Facets, Stage, Subset, SubsetKind};

use super::assemble;
use crate::engine::{Finished, Plan};
use crate::evaluation::ledger::Books;
use crate::evaluation::made::Made;
use crate::evaluation::{Evaluation, SubsetIn};
use crate::exit::Failure;
use crate::layout;
use crate::look::{Before, Look};
use crate::site::Site;

/// What `retrieve` would do. Models are opened as far as it takes to know whether their runs are current; where none
/// may be fetched, the runs of one that is not here are to do.
pub(crate) fn plan<'a>(site: &'a Site, before: &'a Before, look: Look) -> anyhow::Result<Plan<'a>> {
    if site.recipe.retrievers.is_empty() {
        return Err(Failure::invalid(
            "the recipe has no `[[retriever]]`, so there is nothing to evaluate",
        )
        .hint("add a table with `name = \"bm25\"` and `kind = \"bm25\"`")
        .into());
    }
    evaluation(site, &before[&Stage::Assemble])?.retrieve(look)
}

/// The retrievers of a recipe on the subsets of its dataset.
pub(crate) fn evaluation<'a>(
    site: &'a Site,
    dataset: &Finished,
) -> anyhow::Result<Arc<Evaluation<'a>>> {
    let of = |subset: Subset| {
        let content = |file: PathBuf| dataset.content(&file).expect("a subset has all its tables");
        let name = &subset.name;
        // What is asked, and what answers it.
        let (asked, answers) = match subset.kind {
            SubsetKind::Probe => (layout::programs_of(name), layout::probe_pairs_of(name)),
            _ => (layout::queries_of(name), layout::judgments_of(name)),
        };
        let queries = content(asked);
        SubsetIn {
            file: subset.name.clone(),
            task: format!("{}.test", subset.name),
            texts: Digest::new("texts")
                .field(&content(layout::corpus_of(&subset.name)).digest)
                .field(&queries.digest)
                .hex(),
            judgments: content(answers).digest.clone(),
            queries: queries.rows,
            kind: subset.kind,
            retrieve: site.recipe.retrieve,
            trains: false,
            load: Box::new(move || read(site, &subset)),
        }
    };
    let recipe = &site.recipe;
    let subsets = assemble::subsets(site)?;
    let named = |(name, model): (&String, &crate::recipe::RecipeModel)| {
        let config = recipe.retrievers.iter().find(|one| one.name() == name);
        let as_written = config.and_then(|config| config.model());
        (
            model.spec.name.clone(),
            as_written.unwrap_or(name).to_owned(),
        )
    };
    Ok(Arc::new(Evaluation {
        folder: &site.folder,
        console: site.console,
        encoders: &site.encoders,
        systems: &recipe.retrievers,
        models: &recipe.models,
        base: &recipe.base,
        probe: recipe.programs.probe,
        seed: recipe.seed,
        subsets: subsets.into_iter().map(of).collect(),
        trec: false,
        drawn: Mutex::default(),
        made: Made::default(),
        books: Books::new(Stage::Retrieve, recipe.models.iter().map(named).collect()),
    }))
}

fn read(site: &Site, subset: &Subset) -> anyhow::Result<Arc<Task>> {
    let layout = site.folder.layout();
    let name = &subset.name;
    if subset.kind == SubsetKind::Probe {
        let parts = ProbeParts {
            programs: layout.probe_programs(name)?,
            pairs: layout.probe_pairs(name)?,
        };
        let documents = layout.documents(name)?;
        return Ok(Arc::new(Task::of_probe(subset.clone(), documents, parts)));
    }
    Ok(Arc::new(Task::of_records(
        subset.clone(),
        layout.documents(name)?,
        layout.query_texts(name)?,
        layout.judgments(name)?,
    )))
}

/// The draws of the bootstrap are those of the group.
pub(super) fn bootstrap_seed(site: &Site, facets: &Facets) -> u64 {
    site.seed("bootstrap", facets.group.as_deref().unwrap_or_default())
}
