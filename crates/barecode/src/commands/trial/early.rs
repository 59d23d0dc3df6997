//! Early results of `try`.
//!
//! Heavy headers make compiling take minutes. Scores with names need no compiler, so they come first, over the functions
//! as they were found. A run over the first functions of the draw, those with a comment before others, answers the whole
//! question sooner, with wider intervals. Both are the usual flow in a folder that is removed afterwards. Verdicts and
//! embeddings go through the caches, so the whole run does not compute them again.

use std::time::Instant;

use barecode_evaluate::System;
use barecode_models::Source;
use barecode_records::{Setting, Stage};
use tempfile::TempDir;

use super::verdict;
use crate::flow::{self, Goal};
use crate::look::Look;
use crate::report::ahead::Ahead;
use crate::report::verdict::Verdict;
use crate::run_folder::RunFolder;
use crate::session::Session;
use crate::site::{Site, Workshop};

/// The functions of each table before the last, in turn: enough for a score if a half of them have a comment that asks.
const SAMPLES: [u32; 2] = [64, 160];

/// Compiling that is expected to take fewer seconds is not worth an early look.
const WORTH: f64 = 20.0;

/// Shows scores and tables before the whole run has them, where compiling takes long. Whatever keeps one of them from
/// being made is left to the whole run to report.
pub(super) fn results(session: &Session, site: &mut Site, ahead: &Ahead) {
    let all = u32::try_from(ahead.drawn()).unwrap_or(u32::MAX);
    let mut left = ahead.seconds();
    // A writer's answers belong to the run; without caches everything would be computed twice.
    let is_cheap = site.shop.caches() && !site.shop.recipe.writes();
    if !is_cheap || left < WORTH || is_compiled(site) {
        return;
    }
    let found = early(site, with_names);
    if let Some(line) = found.and_then(|verdict| verdict.with_names()) {
        session.note(&line);
    }
    for size in SAMPLES {
        if left < WORTH || size > all / 2 || session.console.is_stopped() {
            return;
        }
        let begun = now();
        let found = early(site, |shop| shop.set_limit(size));
        if let Some(verdict) = found {
            session.note(&format!(
                "\nfirst results, over {size} of {all} functions, those with a comment first; with fewer candidates, scores tend to be higher than the final ones\n{}",
                verdict.terminal(session.console.screen()),
            ));
        }
        left = begun.elapsed().as_secs_f64() / f64::from(size) * f64::from(all - size);
    }
}

/// Returns `true` if an earlier call has made the variants.
fn is_compiled(site: &Site) -> bool {
    let walked = flow::walk(site, Goal::Look(Look::Around));
    let vary = walked
        .ok()
        .and_then(|mut walked| walked.progressed.remove(&Stage::Vary));
    vary.is_some_and(|vary| vary.to_do == 0)
}

#[expect(
    clippy::disallowed_methods,
    reason = "it decides what is shown meanwhile, and nothing that is written"
)]
fn now() -> Instant {
    Instant::now()
}

/// Leaves out everything that needs a compiler.
fn with_names(shop: &mut Workshop) {
    shop.as_found = true;
    shop.recipe.settings = vec![Setting::Standard];
    shop.recipe.dataset.code_queries.clear();
}

/// The conclusions of a run with a change to its recipe, which is undone; `None` if it comes to none. Only retrievers
/// that ask no server take part: answers that cost money belong to the whole run.
fn early(site: &mut Site, change: impl FnOnce(&mut Workshop)) -> Option<Verdict> {
    let temporary = TempDir::new().ok()?;
    let folder = RunFolder::work_in(temporary.path()).ok()?;
    let folder = std::mem::replace(&mut site.folder, folder);
    let (recipe, console) = (site.shop.recipe.clone(), site.shop.console);
    site.shop.console = console.in_passing();
    let models = &recipe.models;
    let is_local = |system: &System| {
        let model = models.get(system.name());
        model.is_some_and(|model| matches!(model.spec.source, Source::Local(_) | Source::Hub(_)))
    };
    let asks_no_server = |system: &System| system.model().is_none() || is_local(system);
    site.shop.recipe.retrievers.retain(asks_no_server);
    change(&mut site.shop);
    let walked = flow::walk(site, Goal::Everything);
    let found = walked.and_then(|_| verdict(&site.shop.recipe, site.folder.layout()));
    site.folder = folder;
    site.shop.console = console;
    site.shop.as_found = false;
    site.shop.restore(recipe);
    found.ok().map(|(verdict, _)| verdict)
}
