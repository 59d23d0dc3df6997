//! The addition of a suite of test sets to `eval`: a summary by type of generalization.

use std::io::Write as _;
use std::path::Path;

use barecode_records::table::write_atomically;
use barecode_scores::Bootstrap;
use serde_json::Value;

use super::request::{Profile, Request};
use super::shown::Report;
use super::work::{CONFIDENCE, Done};
use crate::console::Screen;
use crate::exit::Failure;
use crate::members::Members;
use crate::recipe::{ScoreConfig, Suite};
use crate::report::cut;
use crate::report::suite::{Member, Missing, SuiteReport, page, terminal};

impl Request {
    /// Returns the suite of test sets, with the options of the command line instead of its own; `None` if the dataset
    /// is not such a recipe.
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

/// Returns the result, with the means by type of generalization.
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
