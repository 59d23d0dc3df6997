//! What a recipe of test sets adds to `eval`: options, and a summary by type of generalization.

use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use barecode_evaluate::MATCHING_TOKENS;
use barecode_records::table::write_atomically;
use barecode_scores::Bootstrap;
use clap::{Args, ValueEnum};
use serde_json::Value;

use super::work::{CONFIDENCE, Done};
use super::{Report, Request};
use crate::console::Screen;
use crate::evaluation::cut;
use crate::exit::Failure;
use crate::members::Members;
use crate::recipe::{ScoreConfig, Suite};
use crate::report::suite::{Member, Missing, SuiteReport, page, terminal};

/// What the evaluation of a suite takes.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options for a recipe of test sets")]
pub(super) struct SuiteArguments {
    /// The folder of the files, in place of the recipe's.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Draw and count as published: `gecs` is --pool gecs:99 --draws 1 --ties pessimistic, without the rows that the
    /// released script skips, from the authors' own files if they are there.
    #[arg(long, value_enum, value_name = "NAME", conflicts_with_all = ["pool", "draws", "ties"])]
    profile: Option<Profile>,
    /// A chat model that is asked whether pairs match, with the paper's prompts: `openai:MODEL`, `openai+URL#MODEL`,
    /// `anthropic:MODEL`, `process:COMMAND`, or a name from --models; may be given several times.
    #[arg(long, value_name = "MODEL")]
    pub(super) ask: Vec<String>,
    /// Tokens at which an answer is cut.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::new(MATCHING_TOKENS).expect("it is above 0"))]
    pub(super) ask_tokens: NonZeroU32,
    /// What a classifier said of the pairs, 1/2 dividing yes from no: a run file, or a folder with NAME-pairs.test.trec for
    /// each member. NAME=PATH gives it a name in tables; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub(super) labels: Vec<String>,
    /// Judge pairs by similarity too, with a threshold that is fitted on the training set of the recipe, or on this one.
    #[arg(long, value_name = "DATASET")]
    pub(super) train: Option<PathBuf>,
    /// How many texts of the training set thresholds are fitted on, drawn from --seed.
    #[arg(long, value_name = "N", default_value = "2000")]
    pub(super) train_pairs: NonZeroU32,
    /// How often the pairs are drawn, seeded from --seed up.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pub(super) pair_draws: NonZeroU32,
    /// Write the pairs of each member to this folder, for a classifier elsewhere.
    #[arg(long, value_name = "DIR")]
    pub(super) pairs: Option<PathBuf>,
}

/// A published way to draw and count.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Profile {
    /// `GenCodeSearchNet`'s released script.
    Gecs,
}

impl SuiteArguments {
    /// Refuses options that only a suite has.
    pub(super) fn refuse_without_suite(&self) -> Result<(), Failure> {
        let given = [
            ("--data", self.data.is_some()),
            ("--profile", self.profile.is_some()),
            ("--ask", !self.ask.is_empty()),
            ("--labels", !self.labels.is_empty()),
            ("--train", self.train.is_some()),
            ("--pairs", self.pairs.is_some()),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(()),
            Some((option, _)) => Err(Failure::invalid(format!(
                "{option} is for a recipe of test sets, and this is a dataset"
            ))
            .hint("write a recipe with one `[[benchmark]]`, as recipes/gencodesearchnet.toml has nine")),
        }
    }
}

impl Request {
    /// The recipe of test sets, with what the command line says in its place; nothing where the dataset is none.
    pub(super) fn suite(&self) -> Result<Option<Suite>, Failure> {
        let Some(mut suite) = Suite::at(&self.dataset, self.suite.data.as_deref())? else {
            self.suite.refuse_without_suite()?;
            return Ok(None);
        };
        if let Some(Profile::Gecs) = self.suite.profile {
            suite.as_gecs();
        }
        suite.retrieve = self.retrieve(suite.retrieve);
        suite.ties = self.ties.unwrap_or(suite.ties);
        Ok(Some(suite))
    }
}

/// What came out, with the means by type of generalization.
pub(super) fn report<'a>(
    members: &'a Members<'_>,
    systems: Vec<&'a str>,
    training: Option<String>,
    scoring: &ScoreConfig,
    seed: u64,
    done: &'a Done,
) -> anyhow::Result<SuiteReport<'a>> {
    let suite = members.suite.expect("its members are those of a recipe");
    let tests = suite.members.iter().filter(|member| !member.trains);
    let member = |of| Member {
        of,
        found: members.tests().find(|found| found.member.name == of.name),
    };
    let layout = done.folder.layout();
    let mut report = SuiteReport {
        suite,
        seed,
        measure: scoring.measures[0].to_string(),
        members: tests.map(member).collect(),
        missing: members.missing.iter().map(|it| Missing::of(it)).collect(),
        systems,
        scores: layout.scores()?,
        matched: &done.matched,
        aggregates: Vec::new(),
        training,
        cuts: cut::sentences(&done.cuts),
    };
    let bootstrap = Bootstrap {
        resamples: scoring.resamples,
        confidence: CONFIDENCE,
        seed,
    };
    report.aggregate(&layout.query_scores()?, &bootstrap)?;
    Ok(report)
}

impl Report for SuiteReport<'_> {
    fn account(&self) -> anyhow::Result<Value> {
        Ok(self.json())
    }

    fn write(&self, out: &Path) -> anyhow::Result<()> {
        for (name, text) in [
            ("genbench-card.md", self.card().markdown()),
            ("report.html", page(self)),
        ] {
            write_atomically(&out.join(name), |file| file.write_all(text.as_bytes()))?;
        }
        Ok(())
    }

    fn texts(&self, screen: Screen) -> Vec<String> {
        vec![terminal(self, screen)]
    }

    fn rest(&self, out: &Path) -> String {
        let out = out.display();
        format!("{out}: scores.json, report.html, genbench-card.md")
    }

    fn notes(&self) -> Vec<String> {
        self.cuts.clone()
    }
}
