//! The stages and how they depend on each other, as a table, and the walk over it.
//!
//! ```text
//! extract ─▶ check ─┬─▶ vary ──┬─▶ assemble ─▶ retrieve ─▶ score ─▶ report
//!                   └─▶ query ─┘
//! ```
//!
//! If a recipe has programs, `choose` is between `extract` and `check`; other flows skip it.
//!
//! A plan needs the tickets of the stages before it, so the flow is walked from its start for any goal. Stages before
//! the goal are done by `build`, and only checked by a single verb and by `list`.
//!
//! Anything outside of the run folder is checked for the stages that use the same tools as the goal. `build` checks
//! everything; `check` uses the compiler, so it also finds out if `extract` is current with it; `score` uses nothing
//! from outside, and relies on the files on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{SystemTime, UNIX_EPOCH};

use barecode_records::{Judged, Manifest, Stage};

use crate::engine::{self, Finished, Plan, Progressed};
use crate::exit::Failure;
use crate::look::{Before, Look};
use crate::recipe::Recipe;
use crate::share::Share;
use crate::site::Site;
use crate::stages::{assemble, check, extract, programs, query, report, retrieve, score, vary};

/// The version of the manifest's format.
const MANIFEST_FORMAT: u32 = 1;

/// A stage of the flow.
struct Node {
    stage: Stage,
    /// Whose output it reads, or whose account.
    needs: &'static [Stage],
    /// The tools that it uses from outside of the run folder.
    uses: &'static [Tool],
    /// The plan of its work.
    plan: for<'a> fn(&'a Site, &'a Before, Look) -> anyhow::Result<Plan<'a>>,
}

/// The flow: each stage is behind those that it needs.
#[rustfmt::skip]
static FLOW: [Node; 9] = {
    use Stage::{Assemble, Check, Choose, Extract, Query, Report, Retrieve, Score, Vary};
    [
        Node { stage: Extract, needs: &[], uses: &[Tool::Sources, Tool::Programs, Tool::Compiler], plan: extract::plan },
        Node { stage: Choose, needs: &[Extract], uses: &[Tool::Alternates], plan: programs::choose::plan },
        Node { stage: Check, needs: &[Extract, Choose], uses: &[Tool::Compiler, Tool::Python], plan: check::plan },
        Node { stage: Vary, needs: &[Check], uses: &[Tool::Compiler, Tool::Lowerers, Tool::Python], plan: vary::plan },
        Node { stage: Query, needs: &[Extract, Check], uses: &[Tool::Writers], plan: query::plan },
        Node { stage: Assemble, needs: &[Extract, Choose, Check, Vary, Query], uses: &[], plan: assemble::plan },
        Node { stage: Retrieve, needs: &[Assemble], uses: &[Tool::Models], plan: retrieve::plan },
        Node { stage: Score, needs: &[Assemble, Retrieve], uses: &[], plan: score::plan },
        Node { stage: Report, needs: &[Extract, Choose, Check, Vary, Query, Assemble, Retrieve, Score], uses: &[], plan: report::plan },
    ]
};

/// A resource that a stage uses from outside of the run folder, in the order in which they are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tool {
    /// The sources of the recipe.
    Sources,
    /// The data sets of programs.
    Programs,
    /// The models that choose among solutions of a problem.
    Alternates,
    /// The models of the retrievers.
    Models,
    /// The models that write queries.
    Writers,
    /// The compilers that judge, and their headers.
    Compiler,
    /// The compilers of lowered settings.
    Lowerers,
    /// The interpreter of programs under test.
    Python,
}

/// The end of a walk through the flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// All stages are done.
    Everything,
    /// One stage is done, those before it must be current.
    Only(Stage),
    /// A share of one stage is done, those before it must be current.
    Share(Stage, Share),
    /// No stage is done.
    Look(Look),
}

impl Goal {
    /// The stage that is done, where it is one.
    fn stage(self) -> Option<Stage> {
        match self {
            Goal::Only(stage) | Goal::Share(stage, _) => Some(stage),
            Goal::Everything | Goal::Look(_) => None,
        }
    }

    /// Returns `true` if the flow passes through a stage on its way to the goal.
    fn passes(self, stage: Stage) -> bool {
        self.stage()
            .is_none_or(|goal| goal == stage || leads(stage, goal))
    }

    /// Returns the range of inputs that the plan of a stage reads on the way to the goal.
    fn look(self, node: &Node) -> Look {
        match self {
            Goal::Everything => Look::Fetch,
            Goal::Look(look) => look,
            Goal::Only(goal) | Goal::Share(goal, _) => {
                let uses = node_of(goal).uses;
                // Models are fetched only where they will be used.
                if node.uses.iter().any(|tool| uses.contains(tool)) {
                    Look::Fetch
                } else {
                    Look::Folder
                }
            }
        }
    }
}

fn node_of(stage: Stage) -> &'static Node {
    let found = FLOW.iter().find(|node| node.stage == stage);
    found.expect("the flow has every stage")
}

/// The stages of a recipe, in the order of the flow: only programs are solutions of problems.
pub(crate) fn stages(recipe: &Recipe) -> impl Iterator<Item = Stage> {
    let all = Stage::ALL.into_iter();
    all.filter(|stage| *stage != Stage::Choose || !recipe.programs.sources.is_empty())
}

/// Returns `true` if a stage is among those that another one needs, or that they need.
fn leads(stage: Stage, to: Stage) -> bool {
    let needs = node_of(to).needs;
    needs.contains(&stage) || needs.iter().any(|need| leads(stage, *need))
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct Walked {
    /// The findings about each stage that could be planned.
    pub(crate) progressed: BTreeMap<Stage, Progressed>,
    /// The stages that are done.
    pub(crate) finished: Before,
    /// The tools that were not checked, though stages that were found done use them.
    pub(crate) unseen: BTreeMap<Stage, Vec<Tool>>,
}

impl Walked {
    /// Returns `true` if anything was done.
    pub(crate) fn worked(&self) -> bool {
        self.finished.values().any(|finished| finished.worked)
    }

    /// Returns the tools that were not checked, in words: `sources, compilers`.
    pub(crate) fn unseen(&self) -> Option<String> {
        let mut tools: Vec<Tool> = self.unseen.values().flatten().copied().collect();
        tools.sort_unstable();
        let mut words: Vec<&str> = tools.into_iter().map(Tool::plural).collect();
        words.dedup();
        let last = words.pop()?;
        Some(match words.as_slice() {
            [] => last.to_owned(),
            others => format!("{} and {last}", others.join(", ")),
        })
    }
}

impl Tool {
    /// Returns `true` if the recipe needs any.
    fn is_used(self, site: &Site) -> bool {
        match self {
            Tool::Sources | Tool::Compiler | Tool::Lowerers => !site.shop.recipe.sources.is_empty(),
            Tool::Programs | Tool::Python => !site.shop.recipe.programs.sources.is_empty(),
            Tool::Alternates => site
                .shop
                .recipe
                .programs
                .alternates
                .models()
                .next()
                .is_some(),
            Tool::Models => !site.shop.recipe.models.is_empty(),
            Tool::Writers => site.shop.recipe.writes(),
        }
    }

    fn plural(self) -> &'static str {
        match self {
            Tool::Sources => "sources",
            Tool::Programs => "programs",
            Tool::Compiler | Tool::Lowerers => "compilers",
            Tool::Python => "interpreters",
            Tool::Alternates | Tool::Models | Tool::Writers => "models",
        }
    }
}

/// Returns the plan of a stage, after those that it needs.
pub(crate) fn plan<'a>(
    site: &'a Site,
    stage: Stage,
    before: &'a Before,
    look: Look,
) -> anyhow::Result<Plan<'a>> {
    (node_of(stage).plan)(site, before, look)
}

/// Walks the flow towards the goal.
pub(crate) fn walk(site: &Site, goal: Goal) -> anyhow::Result<Walked> {
    walk_telling(site, goal, |_| Ok(()))
}

/// The same; `after` is called with each stage that is done, and may end the walk.
pub(crate) fn walk_telling(
    site: &Site,
    goal: Goal,
    after: impl Fn(&Finished) -> anyhow::Result<()>,
) -> anyhow::Result<Walked> {
    let stages: Vec<Stage> = stages(&site.shop.recipe).collect();
    let nodes = FLOW.iter().filter(|node| stages.contains(&node.stage));
    let nodes = nodes.filter(|node| goal.passes(node.stage));
    // Report the missing tools of later stages before the first one begins, the cheap checks first.
    let looking = nodes.clone().filter(|node| goal.look(node) != Look::Folder);
    let uses: BTreeSet<Tool> = looking.flat_map(|node| node.uses).copied().collect();
    let uses = uses.into_iter().filter(|tool| tool.is_used(site));
    for tool in uses {
        match tool {
            // A call that only looks reports the work to do first; `list` refuses after that.
            Tool::Sources | Tool::Programs | Tool::Alternates | Tool::Models | Tool::Writers
                if matches!(goal, Goal::Look(_)) => {}
            Tool::Programs => site.shop.look_for_programs()?,
            Tool::Sources => site.shop.look_for_sources()?,
            Tool::Alternates => site.shop.look_for_alternates()?,
            Tool::Models => site.shop.look_for_models()?,
            Tool::Writers => site.look_for_writers()?,
            Tool::Compiler => site.shop.look_for_compilers()?,
            Tool::Lowerers => site.shop.look_for_lowerers()?,
            Tool::Python => site.shop.python().map(drop)?,
        }
    }
    let mut walked = Walked::default();
    for node in nodes {
        let mut needs = node.needs.iter().filter(|need| stages.contains(need));
        if !needs.all(|need| walked.finished.contains_key(need)) {
            continue;
        }
        let (progressed, finished) = take(site, goal, node, &walked.finished)?;
        site.shop.tell_damage();
        walked.progressed.insert(node.stage, progressed);
        if let Some(finished) = finished {
            after(&finished)?;
            let uses = node.uses.iter().copied();
            let uses: Vec<Tool> = uses.filter(|tool| tool.is_used(site)).collect();
            if goal.look(node) == Look::Folder && !uses.is_empty() {
                walked.unseen.insert(node.stage, uses);
            }
            walked.finished.insert(node.stage, finished);
        }
    }
    if goal.stage().is_some()
        && let Some(unseen) = walked.unseen()
    {
        site.shop.console.note(&format!(
            "by what is in the run folder: {unseen} were not looked at again (`barecode build` looks)"
        ));
    }
    Ok(walked)
}

/// Handles one stage: does it, or checks if it is done.
fn take(
    site: &Site,
    goal: Goal,
    node: &Node,
    before: &Before,
) -> anyhow::Result<(Progressed, Option<Finished>)> {
    let _at_work = site
        .shop
        .console
        .at_work(node.stage.name(), "planning, and checking files");
    let plan = (node.plan)(site, before, goal.look(node))?;
    let (progressed, current) = engine::look(&site.folder, &plan);
    let (folder, pool, console) = (&site.folder, &site.shop.pool, site.shop.console);
    let finished = match goal {
        Goal::Look(_) => current,
        Goal::Only(goal_stage) | Goal::Share(goal_stage, _) if goal_stage != node.stage => {
            let Some(finished) = current else {
                return Err(not_current(node.stage, &progressed).into());
            };
            // Shares leave the manifest to the first call that finds all of them done.
            let recorded = || Some(finished.is_in(&site.folder.manifest()?));
            if matches!(goal, Goal::Only(_)) && recorded() != Some(true) {
                folder.sweep(node.stage, &finished.files())?;
                record(site, before, &finished)?;
            }
            Some(finished)
        }
        Goal::Share(_, share) => {
            // Other shares are at work on other files of the folder, and none can detect that it is the last.
            let plan = plan.only(share);
            Some(engine::run(folder, &plan, pool, console)?)
        }
        Goal::Only(_) | Goal::Everything => {
            let done = engine::run(folder, &plan, pool, console);
            let finished = done.inspect_err(|_| folder.keep_ledgers())?;
            folder.sweep(node.stage, &finished.files())?;
            record(site, before, &finished)?;
            Some(finished)
        }
    };
    Ok((progressed, finished))
}

fn not_current(stage: Stage, progressed: &Progressed) -> Failure {
    let Progressed {
        current,
        to_do,
        damaged,
    } = progressed;
    if let Some(path) = damaged {
        let message = format!(
            "the stage `{stage}` is not current: `{}` is damaged",
            path.display()
        );
        return Failure::invalid(message)
            .hint("remove the file and run `barecode build` again: it will be made anew");
    }
    let message = format!(
        "the stage `{stage}` is not current: {to_do} of {} shards are to do",
        current + to_do
    );
    Failure::invalid(message).hint(format!(
        "run `barecode {stage}` on the recipe first, or `barecode build` for all"
    ))
}

/// Records a finished stage in the manifest; a stage that was current already changes nothing.
fn record(site: &Site, before: &Before, finished: &Finished) -> anyhow::Result<()> {
    let of = |stage: Stage| {
        let this = (finished.stage == stage).then_some(finished);
        this.or_else(|| before.get(&stage))
    };
    let sources = of(Stage::Extract).map(|extracted| {
        let mut sources = extract::sources(extracted);
        sources.extend(programs::choose::data_sets(extracted, of(Stage::Choose)));
        sources
    });
    let toolchain = of(Stage::Check).and_then(check::toolchain);
    // The compilers of this call; a stage that was current already was done with the same.
    let confinement = site.shop.confinement().map(str::to_owned);
    // The compilers of other machines were confined, unless the recipe allows otherwise.
    let elsewhere = toolchain.as_ref().is_some_and(|toolchain| {
        toolchain.judged() == Judged::Compiler && !site.shop.recipe.check.unconfined
    });
    let account = finished.account(&site.folder)?;
    let known = site.folder.manifest();
    let last = known.clone().unwrap_or_default();
    let ledgers = finished.ledgers(&site.folder, &last, site.shop.console)?;
    let mut manifest = Manifest {
        format: MANIFEST_FORMAT,
        barecode: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: site.shop.recipe.resolved(),
        seed: site.shop.recipe.seed,
        confinement: confinement
            .or(last.confinement)
            .or(elsewhere.then(|| "landlock".to_owned())),
        toolchain: toolchain.or(last.toolchain),
        sources: sources.unwrap_or_default(),
        stages: last.stages,
        times: last.times,
        ledgers,
    };
    let verb = finished.stage.name().to_owned();
    if finished.worked || !manifest.stages.contains_key(&verb) {
        manifest.times.insert(verb.clone(), now());
    }
    manifest.stages.insert(verb, account);
    if known.as_ref() == Some(&manifest) {
        return Ok(());
    }
    site.folder.write_manifest(&manifest)
}

#[expect(
    clippy::disallowed_methods,
    reason = "the manifest is the one place that tells the time"
)]
fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |elapsed| elapsed.as_secs())
}
