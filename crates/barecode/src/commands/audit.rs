//! `audit`: what is wrong with a dataset, or what each setting of a run left in the texts.

use std::fs;
use std::path::{Path, PathBuf};

use barecode_audit::{AuditConfig, Severity, audit_benchmark, audit_settings, rule};
use barecode_formats::{Benchmark, Taken};
use barecode_records::Stage;
use clap::{ArgGroup, Args, ValueEnum};
use serde_json::json;

use crate::answer::Answer;
use crate::console::counted;
use crate::exit::{Exit, Failure};
use crate::members::filed;
use crate::recipe::{Suite, is_suite};
use crate::report;
use crate::run_folder::RunFolder;
use crate::session::{BUILD_FIRST, DatasetArguments, Session};
use crate::stages::shown::own_names;

/// Audit a dataset for equal texts and leaks, or a run for what is left of the names.
///
/// Also finds label leakage, duplicates, broken texts and license conflicts.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode audit [OPTIONS] <DATASET|RECIPE>\n       barecode audit [OPTIONS] --run <DIR>\n       barecode audit --explain <CODE>",
    after_help = "Examples:\n  barecode audit clarc/ --html audit.html\n  barecode audit test.jsonl --fail-on warning --ignore BA6\n  barecode audit --explain BA001\n  barecode audit --run runs/demo --json"
)]
#[command(group = ArgGroup::new("where").required(true).args(["path", "run", "explain"]))]
pub(super) struct Request {
    /// A dataset (a file, a folder, or `hf:ORG/NAME`), a suite of test sets, or a recipe (`.toml`) whose run is audited.
    path: Option<PathBuf>,
    /// The folder of the files of a suite of test sets.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// A run folder.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Print the page of a rule (check, method, remedy) by its code or name; `all` for every rule.
    #[arg(long, value_name = "CODE")]
    explain: Option<String>,
    #[command(flatten)]
    how: DatasetArguments,
    /// Apply only these rules: codes, prefixes of codes (`BA5`) or names.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    select: Vec<String>,
    /// Leave these rules out.
    #[arg(long, value_name = "CODE", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Show findings of this severity and worse only.
    #[arg(long, value_name = "SEVERITY", default_value = "note")]
    severity: Least,
    /// Exit with code 3 if there is a finding of this severity or worse.
    #[arg(long, value_name = "SEVERITY")]
    fail_on: Option<Least>,
    /// Show three examples of each finding.
    #[arg(long)]
    examples: bool,
    /// Write a page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// The seed of samples and permutations.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A severity on the command line.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Least {
    /// Good to know.
    Note,
    /// Some queries do not test what they claim to test.
    Warning,
    /// Scores are not comparable with those of a sound dataset.
    Defect,
}

impl Least {
    fn severity(self) -> Severity {
        match self {
            Least::Note => Severity::Note,
            Least::Warning => Severity::Warning,
            Least::Defect => Severity::Defect,
        }
    }
}

/// Audits a dataset or a run.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    if let Some(name) = &arguments.explain {
        return explain(name);
    }
    let path = arguments.path.as_deref();
    let is_run = |path: &Path| {
        let is_recipe = path.extension().is_some_and(|it| it == "toml");
        arguments.run.is_some() || is_recipe || RunFolder::existing(path).is_ok()
    };
    if let Some(path) = path.filter(|path| is_suite(path) || !is_run(path)) {
        return audit(session, arguments, path);
    }
    settings(session, &session.run(arguments.run.as_deref(), path)?)
}

/// The page of a rule.
fn explain(name: &str) -> anyhow::Result<Answer> {
    let text = match rule(name) {
        Some(rule) => rule.page(),
        None if name == "all" => barecode_audit::pages(),
        None => return Err(no_rule(name).into()),
    };
    Ok(Answer::text(text))
}

fn no_rule(name: &str) -> Failure {
    Failure::invalid(format!("no rule `{name}`")).hint("`barecode audit --explain all` lists them")
}

/// Reads a dataset in any known format, or every file of a suite that exists on this machine. Returns the benchmark,
/// its format, and the columns taken from a table.
fn read(
    session: &Session,
    arguments: &Request,
    path: &Path,
) -> anyhow::Result<(Benchmark, &'static str, Vec<Taken>)> {
    let Some(suite) = Suite::at(path, arguments.data.as_deref())? else {
        // An audit reports what a strict reader would refuse.
        let loaded = session.dataset(path, &arguments.how)?;
        return Ok((loaded.benchmark, loaded.format.name(), loaded.taken));
    };
    let (benchmark, notes) = filed(&suite)?;
    for note in &notes {
        session.note(note);
    }
    Ok((benchmark, "suite", Vec::new()))
}

/// Audits a benchmark.
fn audit(session: &Session, arguments: &Request, path: &Path) -> anyhow::Result<Answer> {
    let config = AuditConfig {
        select: arguments.select.clone(),
        ignore: arguments.ignore.clone(),
        seed: arguments.seed,
    };
    if let Some(name) = config.unknown() {
        return Err(no_rule(name).into());
    }
    let (benchmark, format, columns) = read(session, arguments, path)?;
    let mut audit = {
        let bar = session.console.auditing();
        audit_benchmark(&benchmark, &config, &mut |rule| {
            bar.set_message(format!("{} {}", rule.code, rule.name));
        })
    };
    let (worst, totals) = (audit.worst(), report::findings::totals(&audit));
    let found = audit.findings.len();
    audit
        .findings
        .retain(|finding| finding.severity >= arguments.severity.severity());
    match found - audit.findings.len() {
        0 => {}
        hidden => session.note(&format!(
            "{} below --severity",
            counted(hidden as u64, "findings")
        )),
    }
    if let Some(file) = &arguments.html {
        fs::write(file, report::findings::page(&audit))
            .map_err(|error| Failure::cannot_write(file, &error))?;
        session.note(&format!("wrote {}", file.display()));
    }
    let data = || {
        json!({
            "dataset": path,
            "format": format,
            "columns": columns,
            "subsets": audit.subsets,
            "findings": audit.findings,
            "leaks": audit.leaks,
        })
    };
    let answer = session.answer(data, |screen| {
        Ok(report::findings::terminal(
            &audit,
            arguments.examples,
            screen,
        )?)
    })?;
    let fails = arguments.fail_on.map(Least::severity);
    Ok(match (worst, fails) {
        (Some(worst), Some(fails)) if worst >= fails => {
            session.note(&format!("exit code 3 by --fail-on: {totals}"));
            answer.ending(Ok(Exit::Below))
        }
        _ => answer,
    })
}

/// The audit of a run.
fn settings(session: &Session, folder: &RunFolder) -> anyhow::Result<Answer> {
    let layout = folder.layout();
    let (units, variants) = (layout.units()?, layout.variants()?);
    let lost = layout.set_aside(Stage::Vary)?;
    let root = folder.root();
    if variants.is_empty() && lost.is_empty() {
        let message = format!("`{}` has no variants yet", root.display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    let audits = audit_settings(&units, &variants, &lost, &own_names(layout)?);
    session.answer(
        || json!({ "run": root, "units": units.len(), "settings": audits }),
        |screen| Ok(report::audit::terminal(&audits, units.len(), screen)),
    )
}
