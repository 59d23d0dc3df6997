//! `build`: all stages of a recipe. Also one of them, for the verbs of the stages.

use barecode_evaluate::options_of;
use barecode_queries::query;
use barecode_records::{ProbeScore, Score, Stage, Unit};
use serde_json::{Value, json};

use crate::answer::{Answer, joined};
use crate::console::Screen;
use crate::encoders::Fetch;
use crate::engine;
use crate::exit::Failure;
use crate::flow::{self, Goal, Walked};
use crate::journal;
use crate::look::Look;
use crate::recipe::Recipe;
use crate::report;
use crate::report::ahead::{self, programs_left};
use crate::report::cut;
use crate::report::lacking::Lacking;
use crate::report::own::OwnQueries;
use crate::report::unread::Unread;
use crate::run_folder::RunFolder;
use crate::session::{Session, Spending};
use crate::share::Share;
use crate::site::Site;
use crate::stages::programs::choose;
use crate::stages::query::{classifying, writing};
use crate::stages::retrieve;

/// Does all stages of a recipe, one of them, or a share of one, or estimates the cost of its models; the stages before
/// a single one must be current. After a share, the manifest is left to the call that finds the stage whole.
pub(super) fn run(
    session: &Session,
    recipe: Recipe,
    stage: Option<Stage>,
    share: Option<Share>,
    spending: &Spending,
) -> anyhow::Result<Answer> {
    if spending.dry_run {
        return dry_run(session, recipe, spending);
    }
    let out = session.out(&recipe);
    let (folder, goal, what) = match (stage, share) {
        (Some(stage), Some(share)) => (
            RunFolder::work_on_share(&out, share)?,
            Goal::Share(stage, share),
            format!("share {share} of `{stage}`"),
        ),
        (Some(stage), None) => (
            RunFolder::work_in(&out)?,
            Goal::Only(stage),
            format!("`{stage}`"),
        ),
        (None, _) => (
            RunFolder::work_in(&out)?,
            Goal::Everything,
            "every stage".to_owned(),
        ),
    };
    let site = session.site(recipe, folder, spending)?;
    if stage.is_none() {
        note_missing_keys(session, &site);
    }
    let threads = site.shop.pool.current_num_threads();
    let walked = flow::walk_telling(&site, goal, |finished| {
        if stage.is_some() {
            return Ok(());
        }
        programs_left(&site.shop.recipe, finished)?;
        let lines = ahead::lines(&site.shop.recipe, site.folder.layout(), finished, threads)?;
        if finished.worked {
            for line in &lines {
                session.note(line);
            }
        }
        Ok(())
    })?;
    if !walked.worked() {
        session.note(&format!("nothing to do: {what} is current"));
    }
    let shows = |one| stage.is_none_or(|stage| stage == one);
    let scored = shows(Stage::Score).then(|| Scored::of(&site)).transpose()?;
    let writing = shows(Stage::Query).then(|| journal::taken(&site.folder));
    let (writing, page) = (writing.transpose()?, site.folder.layout().page());
    let (mut own, mut cuts, mut lacking) = (None, Vec::new(), Vec::new());
    if stage.is_none() {
        lacking = Lacking::of(
            &site.folder.layout().set_aside(Stage::Check)?,
            &site.shop.recipe,
        );
        own = OwnQueries::of(&site.shop.recipe, site.folder.layout())?;
        cuts = cut::cuts(&walked.finished[&Stage::Retrieve]);
    }
    let data = || {
        let mut value = account(&site, &walked);
        if let Some(scored) = &scored {
            value["scores"] = json!(scored.scores);
            value["probe"] = json!(scored.probe);
        }
        if let Some(writing) = &writing {
            value["writing"] = json!(writing);
        }
        if stage.is_none() {
            value["report"] = json!(page);
            value["cut"] = json!(cuts);
            value["own_queries"] = json!(own);
            value["lacking_headers"] = json!(lacking);
        }
        value
    };
    session.answer(data, |screen| {
        let mut texts = Vec::new();
        if let Some(scored) = &scored {
            texts.extend(scored.tables(&site, screen)?);
        }
        texts.extend(own.iter().flat_map(OwnQueries::sentences));
        texts.extend(writing.iter().flat_map(journal::sentences));
        texts.extend(cut::sentences(&cut::of_known(&cuts)));
        texts.extend(Lacking::sentences(&lacking));
        match stage {
            None => texts.push(format!("report: {}", page.display())),
            Some(Stage::Report) => texts.push(page.display().to_string()),
            Some(_) => {}
        }
        Ok(joined(texts))
    })
}

/// Reports models whose key is missing: hours may pass until a run calls them.
fn note_missing_keys(session: &Session, site: &Site) {
    for model in site.shop.recipe.models.values() {
        let needs_key = matches!(
            model.spec.source.kind(),
            "openai" | "voyage" | "cohere" | "jina" | "gemini" | "anthropic"
        );
        if let (true, Err(failure)) = (needs_key, site.shop.encoders.open(model, Fetch::Never))
            && failure.message.contains("no key for")
        {
            let message = failure.message;
            session.note(&format!(
                "{message}: the run stops where it is called, unless its answers are cached"
            ));
        }
    }
}

/// Returns an answer with texts, tokens and dollars of the runs that are to do, and does nothing.
fn dry_run(session: &Session, recipe: Recipe, spending: &Spending) -> anyhow::Result<Answer> {
    let chooses = recipe.programs.alternates.models().next().is_some();
    if recipe.models.is_empty() && !recipe.writes() && !chooses {
        let text = "no model is called: nothing costs tokens or dollars";
        return session.answer(|| json!({ "estimates": [] }), |_| Ok(text.to_owned()));
    }
    let folder = RunFolder::look_at(&session.out(&recipe));
    let site = session.site(recipe, folder, spending)?;
    let walked = flow::walk(&site, Goal::Look(Look::Folder))?;
    let writes = !site.shop.recipe.writers.is_empty() || site.shop.recipe.classifier.is_some();
    let is_asked = !walked.finished.contains_key(&Stage::Query) && writes;
    if is_asked && let Some(units) = walked.finished.get(&Stage::Check) {
        let units: Vec<Unit> = site.folder.layout().rows(Stage::Check, units.parts())?;
        let mut estimates = Vec::new();
        for set in &site.shop.recipe.writers {
            estimates.extend(writing::estimate(&site.shop, set, &units)?);
        }
        if let Some(classifier) = &site.shop.recipe.classifier {
            let queries = query(&units, &site.shop.recipe.queries).kept;
            let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
            let estimate = classifying::estimate(&site.shop, classifier, &texts)?;
            estimates.push((classifier.model.spec.name.clone(), estimate));
        }
        if !site.shop.recipe.writers.is_empty() {
            session.note(writing::AT_MOST);
        }
        return session.estimates("writer", &estimates);
    }
    let mut choosing = site.shop.recipe.programs.alternates.models();
    if choosing.next().is_some() && !walked.finished.contains_key(&Stage::Choose) {
        let Some(extracted) = walked.finished.get(&Stage::Extract) else {
            let message = "the programs are not current, so it is unknown what models would read";
            let hint = "run `barecode extract` on the recipe first";
            return Err(Failure::invalid(message).hint(hint).into());
        };
        let estimates = choose::estimates(&site, extracted)?;
        return session.estimates("alternates", &estimates);
    }
    let Some(dataset) = walked.finished.get(&Stage::Assemble) else {
        return Err(Failure::invalid(
            "the dataset is not current, so it is unknown what models would read",
        )
        .hint("run the stages up to `barecode assemble` on the recipe first")
        .into());
    };
    let plan = retrieve::plan(&site, &walked.finished, Look::Around)?;
    let to_do = engine::to_do(&site.folder, &plan);
    let estimates = retrieve::evaluation(&site, dataset)?.estimates(Some(&to_do))?;
    session.estimates("retriever", &estimates)
}

/// The scores that the stage `score` left.
struct Scored {
    scores: Vec<Score>,
    probe: Vec<ProbeScore>,
    unread: Unread,
}

impl Scored {
    fn of(site: &Site) -> anyhow::Result<Self> {
        let layout = site.folder.layout();
        Ok(Scored {
            scores: layout.scores()?,
            probe: layout.probe_scores()?,
            unread: Unread::read(layout, &site.shop.recipe)?,
        })
    }

    fn tables(&self, site: &Site, screen: Screen) -> anyhow::Result<Vec<String>> {
        let confidence = site.shop.recipe.scores.confidence;
        let layout = site.folder.layout();
        let mut texts = Vec::new();
        // A run of programs alone has no rankings.
        if !site.shop.recipe.sources.is_empty() {
            let mut scores = self.scores.clone();
            let (mut drops, mut differences) = (layout.drops()?, layout.differences()?);
            self.unread.retain(&mut scores);
            self.unread.retain(&mut drops);
            self.unread.retain(&mut differences);
            texts.push(report::table::terminal(
                &scores,
                &drops,
                &differences,
                confidence,
                screen,
            ));
            texts.extend(self.unread.sentences());
            texts.extend(options_of(&site.shop.recipe.retrievers));
        }
        texts.extend(report::sets::terminal(&layout.sets()?, screen));
        texts.extend(report::probe::terminal(&self.probe, confidence, screen));
        Ok(texts)
    }
}

/// Returns the outcome of every stage, for a machine.
pub(super) fn account(site: &Site, walked: &Walked) -> Value {
    let stages = walked.finished.iter().map(|(stage, finished)| {
        let value = json!({
            "shards": finished.shards.len(),
            "worked": finished.worked,
            "counts": finished.counts(),
        });
        (stage.name().to_owned(), value)
    });
    json!({
        "run": site.folder.root(),
        "worked": walked.worked(),
        "stages": stages.collect::<serde_json::Map<_, _>>(),
    })
}
