//! Systems on tasks without a recipe: the stages `retrieve` and `score` in a folder, for `eval`, `probe` and
//! `train --matrix`.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_evaluate::{Matched, ProbeConfig};

use super::systems::Systems;
use crate::answer::Answer;
use crate::encoders::Encoders;
use crate::engine;
use crate::evaluation::ledger::Fields;
use crate::evaluation::{Evaluation, SubsetIn};
use crate::look::Look;
use crate::models::Means;
use crate::recipe::ScoreConfig;
use crate::report::cut::{self, Cut};
use crate::run_folder::RunFolder;
use crate::session::Session;

/// The intervals of what is evaluated without a recipe.
pub(in crate::commands) const CONFIDENCE: f64 = 0.95;

/// The systems to evaluate, and the options.
pub(in crate::commands) struct Work<'a> {
    pub(in crate::commands) session: &'a Session,
    pub(in crate::commands) systems: &'a Systems,
    pub(in crate::commands) means: &'a Means,
    pub(in crate::commands) probe: ProbeConfig,
    pub(in crate::commands) scoring: &'a ScoreConfig,
    pub(in crate::commands) seed: u64,
    /// The folder of the results.
    pub(in crate::commands) out: &'a Path,
    /// The content of a table: lists or similarities.
    pub(in crate::commands) noun: &'static str,
    /// True if only the cost is estimated.
    pub(in crate::commands) dry_run: bool,
}

/// The result, besides the tables of the folder.
pub(in crate::commands) struct Done {
    pub(in crate::commands) folder: RunFolder,
    pub(in crate::commands) cuts: Vec<Cut>,
    /// The decisions of systems on pairs.
    pub(in crate::commands) matched: Vec<Matched>,
    /// The usage of each model in this call.
    pub(in crate::commands) taken: BTreeMap<String, Fields>,
}

impl Work<'_> {
    /// Retrieves and scores, once every model is available; a dry run only returns an answer with the cost.
    pub(in crate::commands) fn on(
        &self,
        subsets: Vec<SubsetIn<'_>>,
    ) -> anyhow::Result<Result<Done, Answer>> {
        let (session, console) = (self.session, self.session.console);
        let encoders = Encoders::new(Path::new("."), Some(session.opening(self.means)?))?;
        let folder = if self.dry_run {
            RunFolder::look_at(self.out)
        } else {
            self.systems.check(&encoders)?;
            RunFolder::work_in(self.out)?
        };
        // Plans and the evaluation borrow the folder, which is moved into the result.
        let (cuts, matched, taken) = {
            let systems = (&*self.systems.all, &self.systems.models);
            let evaluation = Evaluation::new(&folder, console, &encoders, systems, self.seed)
                .probing(self.probe)
                .with_trec()
                .on(subsets);
            if self.dry_run {
                let estimates = evaluation.estimates(None)?;
                return Ok(Err(session.estimates("model", &estimates)?));
            }
            let pool = session.pool()?;
            let plan = evaluation.retrieve(Look::Fetch)?;
            let runs = engine::run(&folder, &plan, &pool, console)?;
            let plan = evaluation.score(&runs, self.scoring, |_| self.seed);
            let scored = engine::run(&folder, &plan, &pool, console)?;
            if !runs.worked && !scored.worked {
                let noun = self.noun;
                console.note(&format!("nothing to do: every {noun} is current"));
            }
            let matched = evaluation.matched()?;
            (cut::cuts(&runs), matched, evaluation.taken())
        };
        Ok(Ok(Done {
            folder,
            cuts,
            matched,
            taken,
        }))
    }
}
