//! `eval`: models on any dataset that can be read.
//!
//! A dataset and models come in; a run folder comes out. It has the lists of each system and subset (a table, and the
//! same as a TREC run) and the values of each query. It also has a table with intervals, tied groups, ceiling and
//! floor, and a ledger. The work is that of the stages `retrieve` and `score` ([`crate::evaluation`]), so an
//! interrupted call resumes when it is made again, and a call that finds everything current does nothing. The way
//! inside: `systems` (the systems to evaluate) and `asked` (their tasks) → `work` (the two stages) → `table` (the
//! output). A suite of test sets is a dataset with several members, each evaluated in up to three ways; its additions
//! are in `suite` and `training`.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::Path;

use barecode_evaluate::{DEFAULT_DEPTH, ProbeConfig, Reading, System, Task, options_of};
use barecode_records::table::write_atomically;
use barecode_records::{Difference, Score};
use barecode_results::evaluated::Kept;
use barecode_scores::Ties;
use serde_json::json;

use super::chosen::chosen;
use crate::answer::{Answer, joined};
use crate::console::grouped;
use crate::evaluation::ledger::{Fields, dollars};
use crate::exit::Failure;
use crate::members::Members;
use crate::models::{Means, choices};
use crate::recipe::{RetrieveConfig, ScoreConfig, Suite};
use crate::session::{DatasetArguments, Session};
use asked::Asked;
use request::RESAMPLES;
use shown::Report;
use systems::Systems;
use table::Evaluated;
use training::Train;
use work::{CONFIDENCE, Done, Work};

mod asked;
mod explain;
mod request;
mod shown;
mod suite;
pub(super) mod systems;
mod table;
mod training;
pub(super) mod work;

pub(super) use request::Request;

/// Evaluates.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let suite = arguments.suite()?;
    let mut members = read(session, arguments, suite.as_ref())?;
    let systems = Systems::of(arguments)?;
    session.use_threads()?;
    let train = Train::of(session, arguments, &members, &systems.all)?;
    let tasks = asked::tasks(&members);
    members.forget_texts();
    if tasks.iter().all(|task| task.queries.is_empty()) {
        let dataset = arguments.dataset.display();
        let message = format!("no query of `{dataset}` has a judgment");
        return Err(Failure::invalid(message)
            .hint("is the file with the judgments (qrels) there?")
            .into());
    }
    if !arguments.allow_unjudged {
        tasks.iter().try_for_each(asked::answers_exist)?;
    }
    if let Some(query) = &arguments.explain {
        return explain::explain(session, &systems.all, &tasks, query);
    }
    let asked = asked::all(&members, tasks, train.as_ref(), &systems.all, arguments);
    if let Some(folder) = &arguments.suite.pairs {
        asked::write_pairs(&asked, folder, arguments.seed)?;
        session.note(&format!("pairs: {}", folder.display()));
    }
    let scoring = arguments.scoring(members.suite);
    let out = session.out_or(|| Path::new("eval").join(&members.name));
    let work = Work {
        session,
        systems: &systems,
        means: &arguments.means,
        probe: ProbeConfig::default(),
        scoring: &scoring,
        seed: arguments.seed,
        out: &out,
        noun: "list",
        dry_run: arguments.dry_run,
    };
    let done = match work.on(asked.iter().map(Asked::subset).collect())? {
        Ok(done) => done,
        Err(estimates) => return Ok(estimates),
    };
    let mut kept = Kept::new(&members.name, arguments.again(), scoring.ties);
    let not_kept = keep(&mut kept, &asked, (&systems.all, arguments.seed), &out)?;
    if let Some(reason) = not_kept {
        session.note(&format!("no board can read this folder: {reason}"));
    }
    let names = systems.all.iter().map(System::name).collect();
    let training = train.map(|train| train.said);
    let report: Box<dyn Report> = if members.suite.is_some() {
        Box::new(suite::report(
            &members,
            names,
            training,
            &scoring,
            arguments.seed,
            &done,
        )?)
    } else {
        let tasks = asked.iter().map(|it| &*it.task).collect();
        Box::new(Evaluated::of(
            arguments,
            members.columns,
            tasks,
            names,
            &scoring,
            &done,
        )?)
    };
    answer(session, (&*report, &systems.all), &done, &out)
}

/// Reads a dataset or the members of a suite of test sets, and prints notes about it.
fn read<'a>(
    session: &Session,
    arguments: &Request,
    suite: Option<&'a Suite>,
) -> anyhow::Result<Members<'a>> {
    let Some(suite) = suite else {
        let mut loaded = session.dataset(&arguments.dataset, &arguments.how)?;
        let subsets = std::mem::take(&mut loaded.benchmark.subsets);
        loaded.benchmark.subsets = chosen(subsets, &arguments.subset)?;
        return Ok(Members::of_dataset(loaded, &arguments.dataset));
    };
    let members = suite.members(&arguments.subset)?;
    for found in &members.found {
        let (title, file) = (&found.member.title, found.file.display());
        session.note(&format!("{title}: {file}"));
        for note in &found.notes {
            session.note(&format!("note: {note}"));
        }
    }
    for sentence in members.not_here() {
        session.note(&sentence);
    }
    Ok(members)
}

impl Request {
    /// Returns the configuration of scoring.
    fn scoring(&self, suite: Option<&Suite>) -> ScoreConfig {
        let (usual, ties): (&[&str], Ties) = match suite {
            Some(suite) => (&["RR"], suite.ties),
            None => (&["nDCG@10", "RR@10", "R@1"], Ties::default()),
        };
        let mut measures = self.measures.clone();
        if measures.is_empty() {
            let usual = usual.iter().map(|name| name.parse());
            measures.extend(usual.map(|measure| measure.expect("it is a measure")));
        }
        ScoreConfig {
            measures,
            resamples: self.resamples,
            confidence: CONFIDENCE,
            ties: self.ties.unwrap_or(ties),
        }
    }
}

/// Evaluates models on a dataset as `eval` does, and prints nothing: returns means, and the differences between models.
pub(super) fn scores(
    session: &Session,
    dataset: &Path,
    models: &[String],
    (measure, seed): (&str, u64),
    out: &Path,
) -> anyhow::Result<(Vec<Score>, Vec<Difference>)> {
    let loaded = session.dataset(dataset, &DatasetArguments::default())?;
    let mut systems = Systems::default();
    for choice in choices(models, None)? {
        systems.add_choice(&choice, Reading::Whole, DEFAULT_DEPTH)?;
    }
    let tasks = Task::all(&loaded.benchmark.subsets).into_iter();
    let everyone = RetrieveConfig::EVERYONE;
    let asked: Vec<Asked> = tasks.map(|task| Asked::of(task, everyone)).collect();
    drop(loaded);
    let work = Work {
        session,
        systems: &systems,
        means: &Means::default(),
        probe: ProbeConfig::default(),
        scoring: &ScoreConfig {
            measures: vec![measure.parse()?],
            resamples: RESAMPLES,
            confidence: CONFIDENCE,
            ties: Ties::default(),
        },
        seed,
        out,
        noun: "list",
        dry_run: false,
    };
    let done = work.on(asked.iter().map(Asked::subset).collect())?;
    let done = done.expect("it is not a dry run");
    let layout = done.folder.layout();
    Ok((layout.scores()?, layout.differences()?))
}

/// Writes the judgments and the facts of the lists, for `board`.
fn keep(
    kept: &mut Kept,
    asked: &[Asked],
    (systems, seed): (&[System], u64),
    out: &Path,
) -> anyhow::Result<Option<String>> {
    for system in systems {
        kept.system(system);
    }
    let tested = asked.iter().filter(|one| !one.trains);
    for one in tested.clone() {
        kept.task(&one.task, &one.candidates(seed, systems), systems);
    }
    kept.write(out, tested.map(|one| &*one.task))
}

/// Writes what came out, and answers with it.
fn answer(
    session: &Session,
    (report, systems): (&dyn Report, &[System]),
    done: &Done,
    out: &Path,
) -> anyhow::Result<Answer> {
    let mut account = report.account()?;
    account["options"] = systems
        .iter()
        .filter_map(|system| Some((system.name(), system.spelled()?)))
        .collect();
    let text = serde_json::to_string_pretty(&account)?;
    write_atomically(&out.join("scores.json"), |file| writeln!(file, "{text}"))?;
    report.write(out)?;
    let mut notes = Vec::new();
    if !session.options.json {
        notes = costs(&done.taken);
        notes.push(report.rest(out));
    }
    notes.extend(report.notes());
    let data = || {
        account["ledger"] = json!(done.taken);
        account
    };
    let answer = session.answer(data, |screen| {
        let options = options_of(systems);
        Ok(joined(report.texts(screen).into_iter().chain(options)))
    })?;
    Ok(answer.noting(notes))
}

/// Returns a line for each model that was used.
fn costs(taken: &BTreeMap<String, Fields>) -> Vec<String> {
    let cost = |(name, usage): (&String, &Fields)| {
        let count = |field: &str| usage.get(field).copied().unwrap_or(0);
        (count("texts") > 0 || count("requests") > 0).then(|| {
            format!(
                "{name}: {} texts, {} tokens, {} dollars, {} requests, {} retries, {} texts cut, {} from the cache",
                grouped(count("texts")),
                grouped(count("tokens")),
                dollars(usage),
                grouped(count("requests")),
                grouped(count("retries")),
                grouped(count("truncations")),
                grouped(count("cache-hits"))
            )
        })
    };
    taken.iter().filter_map(cost).collect()
}
