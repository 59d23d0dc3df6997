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

/// What is evaluated, and how.
pub(in crate::commands) struct Work<'a> {
    pub(in crate::commands) session: &'a Session,
    pub(in crate::commands) systems: &'a Systems,
    pub(in crate::commands) means: &'a Means,
    pub(in crate::commands) probe: ProbeConfig,
    pub(in crate::commands) scoring: &'a ScoreConfig,
    pub(in crate::commands) seed: u64,
    /// The folder of the results.
    pub(in crate::commands) out: &'a Path,
    /// What a table has: lists or similarities.
    pub(in crate::commands) noun: &'static str,
    /// Whether it is only shown what it would take.
    pub(in crate::commands) dry_run: bool,
}

/// What came out, besides the tables of the folder.
pub(in crate::commands) struct Done {
    pub(in crate::commands) folder: RunFolder,
    pub(in crate::commands) cuts: Vec<Cut>,
    /// What systems said of pairs.
    pub(in crate::commands) matched: Vec<Matched>,
    /// What each model took in this call.
    pub(in crate::commands) taken: BTreeMap<String, Fields>,
}

impl Work<'_> {
    /// Retrieves and scores, once every model is there; of a dry run, only an answer comes out: what it would take.
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
        // Plans and evaluation look at the folder, which is given away.
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
