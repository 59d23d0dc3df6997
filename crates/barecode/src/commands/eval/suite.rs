//! `eval` of a recipe of test sets: ranking among drawn candidates and among all, matching, and what it amounts to by type
//! of generalization.
//!
//! Each member is up to three subsets of one evaluation: `NAME`, whose candidates are drawn; `NAME-all`, in which all
//! documents are ranked; and `NAME-pairs`, whose pairs are judged. So every text is embedded once, and lists, tables of
//! scores and resuming are those of any other dataset.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_evaluate::{
    Decision, MATCHING_TOKENS, MatchingParts, PoolConfig, System, Task, decision, pair_rows,
};
use barecode_formats::Benchmark;
use barecode_records::table::write_atomically;
use barecode_records::{QueryScore, SubsetKind};
use barecode_scores::Bootstrap;
use clap::{Args, ValueEnum};
use serde_json::json;

use super::{CONFIDENCE, EvalArguments, Work, print_costs, scoring, subset};
use crate::commands::call::Call;
use crate::console::grouped;
use crate::encoders::Encoders;
use crate::evaluation::{SubsetIn, cut};
use crate::exit::{Exit, Failure};
use crate::recipe::{RetrieveConfig, Suite, SuiteMember};
use crate::report::distinct;
use crate::report::suite::{MISSING_TRAIN, Member, Missing, SuiteReport, page, terminal};
use crate::suite::{Found, Members, some_of, training_set, where_from, without_tests};

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
    train: Option<PathBuf>,
    /// How many texts of the training set thresholds are fitted on, drawn from --seed.
    #[arg(long, value_name = "N", default_value = "2000")]
    train_pairs: NonZeroU32,
    /// How often the pairs are drawn, seeded from --seed up.
    #[arg(long, value_name = "N", default_value_t = NonZeroU32::MIN)]
    pair_draws: NonZeroU32,
    /// Write the pairs of each member to this folder, for a classifier elsewhere.
    #[arg(long, value_name = "DIR")]
    pairs: Option<PathBuf>,
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

/// Evaluates and prints.
pub(super) fn run(call: &Call, arguments: &EvalArguments) -> anyhow::Result<Exit> {
    let mut suite = Suite::read(&arguments.dataset)?;
    adjust(&mut suite, arguments);
    let Members { found, missing } = suite.members(&arguments.subset)?;
    for found in &found {
        call.console
            .note(&format!("{}: {}", found.member.title, found.file.display()));
        for note in &found.notes {
            call.console.note(&format!("note: {note}"));
        }
    }
    for member in &missing {
        call.console
            .note(&format!("not here: {}", where_from(member)));
    }
    let systems = super::systems::Systems::of(arguments)?;
    call.use_threads()?;
    let encoders = Encoders::new(Path::new("."), Some(call.opening(&arguments.means)?))?;
    let train = train(call, arguments, &found, &systems.all)?;
    let tasks = Tasks::of(&found, train, &systems.all, arguments.suite.pairs.is_some());
    if let Some(folder) = &arguments.suite.pairs {
        tasks.write_pairs(folder, arguments)?;
        call.console.note(&format!("pairs: {}", folder.display()));
    }
    let measures = if arguments.measures.is_empty() {
        vec!["RR".parse().expect("this is a measure")]
    } else {
        arguments.measures.clone()
    };
    let scoring = scoring(arguments, measures, suite.ties);
    let work = Work {
        call,
        arguments,
        systems: &systems,
        encoders: &encoders,
        out: super::out(call, &suite.name),
    };
    let folder = work.folder()?;
    let subsets = tasks.subsets(suite.retrieve, arguments.suite.pair_draws.get());
    let evaluation = work.evaluation(&folder, subsets);
    let Some(runs) = work.run(&folder, &evaluation, &scoring)? else {
        return Ok(Exit::Done);
    };
    let layout = folder.layout();
    let bootstrap = Bootstrap {
        resamples: arguments.resamples,
        confidence: CONFIDENCE,
        seed: arguments.seed,
    };
    let rows = layout.query_scores()?;
    let mut report = SuiteReport {
        suite: &suite,
        measure: scoring.measures[0].to_string(),
        members: members(&suite, &found),
        missing: missing.iter().map(|member| Missing::of(member)).collect(),
        systems: systems.all.iter().map(System::name).collect(),
        scores: layout.scores()?,
        matched: evaluation.matched()?,
        aggregates: Vec::new(),
        training: tasks.training(),
    };
    report.aggregate(&means(&rows), &bootstrap)?;
    write(
        call,
        arguments,
        &report,
        &evaluation.books.taken(),
        &work.out,
    )?;
    for sentence in cut::sentences(&cut::cuts(&runs)) {
        call.console.note(&sentence);
    }
    Ok(Exit::Done)
}

/// What the command line says in place of the recipe.
fn adjust(suite: &mut Suite, arguments: &EvalArguments) {
    if let Some(data) = &arguments.suite.data {
        suite.data.clone_from(data);
    }
    if let Some(Profile::Gecs) = arguments.suite.profile {
        suite.as_gecs();
    }
    suite.retrieve = RetrieveConfig {
        pool: arguments.pool.unwrap_or(suite.retrieve.pool),
        draws: arguments
            .draws
            .map_or(suite.retrieve.draws, NonZeroU32::get),
    };
    suite.ties = arguments.ties.unwrap_or(suite.ties);
}

/// The training set that thresholds are fitted on, if a system needs one and it is here.
struct Train {
    subset: barecode_formats::Subset,
    name: String,
    /// How many pairs the whole set has.
    of: usize,
    /// How many of these a test set has too.
    shared: usize,
}

fn train(
    call: &Call,
    arguments: &EvalArguments,
    found: &[Found<'_>],
    systems: &[System],
) -> anyhow::Result<Option<Train>> {
    let needs = |system: &System| decision(system) == Some(Decision::Threshold);
    if !systems.iter().any(needs) {
        return Ok(None);
    }
    let own = found.iter().find(|it| it.member.trains);
    let (subset, name) = match (&arguments.suite.train, own) {
        (Some(path), _) => {
            let (subset, notes) = training_set(path)?;
            for note in notes {
                call.console.note(&format!("note: {note}"));
            }
            (subset, path.display().to_string())
        }
        (None, Some(own)) => (own.subset.clone(), own.member.title.clone()),
        (None, None) => {
            call.console.note(MISSING_TRAIN);
            return Ok(None);
        }
    };
    let of = subset.queries.len();
    let tests = found.iter().filter(|it| !it.member.trains);
    let tests: Vec<_> = tests.map(|it| &it.subset).collect();
    let (subset, shared) = without_tests(subset, &tests);
    if shared > 0 {
        call.console.note(&format!(
            "note: {} of {} pairs of the training set `{name}` are in a test set too; no threshold is fitted on them",
            grouped(shared as u64),
            grouped(of as u64)
        ));
    }
    if subset.queries.len() < 2 {
        let message = format!("the training set `{name}` has no pairs that no test set has");
        return Err(Failure::invalid(message)
            .hint("thresholds must not be fitted on what they are measured on; name another set with --train")
            .into());
    }
    let most = arguments.suite.train_pairs.get() as usize;
    Ok(Some(Train {
        subset: some_of(subset, most, arguments.seed),
        name,
        of,
        shared,
    }))
}

/// The tasks of a suite: each member as it is ranked and as it is matched.
struct Tasks {
    drawn: Vec<Arc<Task>>,
    all: Vec<Arc<Task>>,
    pairs: Vec<Arc<Task>>,
    train: Option<(Arc<Task>, Train)>,
}

impl Tasks {
    /// The tasks that some system takes part in; pairs also if they are `wanted` for a classifier elsewhere.
    fn of(found: &[Found<'_>], train: Option<Train>, systems: &[System], wanted: bool) -> Self {
        let ranks = systems.iter().any(|it| decision(it) != Some(Decision::Own));
        let own = |it: &System| decision(it) == Some(Decision::Own);
        let matches = wanted || train.is_some() || systems.iter().any(own);
        let mut tasks = Tasks {
            drawn: Vec::new(),
            all: Vec::new(),
            pairs: Vec::new(),
            train: None,
        };
        for found in found.iter().filter(|it| !it.member.trains) {
            let member = found.member;
            let task = task(&found.subset, &member.name, &member.title);
            if ranks {
                tasks
                    .all
                    .push(named(&task, &format!("{}-all", member.name)));
                tasks.drawn.push(named(&task, &member.name));
            }
            if matches {
                let mut pairs =
                    Arc::unwrap_or_clone(named(&task, &format!("{}-pairs", member.name)));
                pairs.subset.kind = SubsetKind::Matching;
                pairs.matching = Some(MatchingParts {
                    language: member.language.clone(),
                    wording: member.wording,
                });
                tasks.pairs.push(Arc::new(pairs));
            }
        }
        tasks.train = train.map(|train| {
            let mut task = task(&train.subset, "train-pairs", &train.name);
            task.subset.kind = SubsetKind::Matching;
            (Arc::new(task), train)
        });
        tasks
    }

    /// The subsets of the evaluation; tables are in their order.
    fn subsets(&self, retrieve: RetrieveConfig, pair_draws: u32) -> Vec<SubsetIn<'_>> {
        let pairs = |draws| RetrieveConfig {
            pool: PoolConfig::Pairs,
            draws,
        };
        let everyone = RetrieveConfig::EVERYONE;
        let mut subsets: Vec<SubsetIn<'_>> = Vec::new();
        subsets.extend(self.drawn.iter().map(|task| subset(task, retrieve)));
        subsets.extend(self.all.iter().map(|task| subset(task, everyone)));
        subsets.extend(
            self.pairs
                .iter()
                .map(|task| subset(task, pairs(pair_draws))),
        );
        subsets.extend(self.train.iter().map(|(task, _)| SubsetIn {
            trains: true,
            ..subset(task, pairs(1))
        }));
        subsets
    }

    /// What thresholds are fitted on, in words.
    fn training(&self) -> Option<String> {
        let (task, train) = self.train.as_ref()?;
        let left_out = match train.shared {
            0 => String::new(),
            shared => format!(
                "; {} pairs that a test set has too are left out",
                grouped(shared as u64)
            ),
        };
        Some(format!(
            "{} of {} texts of {}{left_out}",
            grouped(task.queries.len() as u64),
            grouped(train.of as u64),
            train.name
        ))
    }

    /// Writes the pairs of each member as the authors' files have them, with ids.
    fn write_pairs(&self, folder: &Path, arguments: &EvalArguments) -> anyhow::Result<()> {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        let draws = u64::from(arguments.suite.pair_draws.get());
        let train = self.train.iter().map(|(task, _)| (task, 1));
        let tasks = self.pairs.iter().map(|task| (task, draws));
        for (task, draws) in tasks.chain(train) {
            let mut task = Task::clone(task);
            let seeds = (0..draws).map(|draw| arguments.seed.wrapping_add(draw));
            let nobody = |_: &Task, _: usize| Ok::<_, anyhow::Error>(Vec::new());
            if let Some(drawn) = PoolConfig::Pairs.draw(&task, seeds, nobody)? {
                task.draws = drawn;
            }
            let path = folder.join(format!("{}.jsonl", task.file));
            write_atomically(&path, |file| {
                let mut file = std::io::BufWriter::new(file);
                for pair in pair_rows(&task) {
                    let row = json!({
                        "query": pair.query,
                        "document": pair.document,
                        "draw": pair.draw,
                        "input": format!("{} [CODESPLIT] {}", pair.text, pair.code),
                        "target": i32::from(pair.matches),
                        "target_options": ["no_match", "match"],
                    });
                    writeln!(file, "{row}")?;
                }
                file.flush()
            })?;
        }
        Ok(())
    }
}

fn task(subset: &barecode_formats::Subset, name: &str, title: &str) -> Task {
    let benchmark = Benchmark {
        subsets: vec![subset.clone()],
        ..Benchmark::default()
    };
    let mut task = Task::all(&benchmark).remove(0);
    name.clone_into(&mut task.subset.name);
    title.clone_into(&mut task.title);
    "test".clone_into(&mut task.split);
    task.file = format!("{name}.test");
    task
}

fn named(task: &Task, name: &str) -> Arc<Task> {
    let mut task = task.clone();
    name.clone_into(&mut task.subset.name);
    task.file = format!("{name}.test");
    Arc::new(task)
}

fn members<'a>(suite: &'a Suite, found: &[Found<'a>]) -> Vec<Member<'a>> {
    let tests = suite.members.iter().filter(|member| !member.trains);
    let member = |member: &'a SuiteMember| {
        let here = found.iter().find(|it| std::ptr::eq(it.member, member));
        Member {
            of: member,
            file: here.map(|it| it.file.clone()),
            notes: here.map(|it| it.notes.clone()).unwrap_or_default(),
        }
    };
    tests.map(member).collect()
}

/// The values of queries by subset, measure and system, each the mean over its draws.
fn means(rows: &[QueryScore]) -> BTreeMap<(String, String, String), Vec<f64>> {
    let mut columns: BTreeMap<(&str, &str, &str), crate::report::draws::MeanByQuery<'_>> =
        BTreeMap::new();
    for row in rows {
        let key = (&*row.subset, &*row.measure, &*row.retriever);
        columns.entry(key).or_default().add(row);
    }
    columns
        .into_iter()
        .map(|((subset, measure, system), of)| {
            let key = (subset.to_owned(), measure.to_owned(), system.to_owned());
            (key, of.means())
        })
        .collect()
}

/// Writes and prints what came out.
fn write(
    call: &Call,
    arguments: &EvalArguments,
    report: &SuiteReport<'_>,
    taken: &BTreeMap<String, crate::evaluation::ledger::Fields>,
    out: &Path,
) -> anyhow::Result<()> {
    let mut account = report.json(arguments.seed);
    let text = serde_json::to_string_pretty(&account)?;
    write_atomically(&out.join("scores.json"), |file| writeln!(file, "{text}"))?;
    let card = report.card().markdown();
    write_atomically(&out.join("genbench-card.md"), |file| {
        file.write_all(card.as_bytes())
    })?;
    let html = page(report);
    write_atomically(&out.join("report.html"), |file| {
        file.write_all(html.as_bytes())
    })?;
    if call.options.json {
        account["ledger"] = serde_json::to_value(taken)?;
        return call.console.json(&account);
    }
    call.console
        .data(&terminal(report, call.console.screen()))?;
    print_costs(call, taken);
    let names = distinct(["scores.json", "report.html", "genbench-card.md"]);
    call.console
        .note(&format!("{}: {}", out.display(), names.join(", ")));
    Ok(())
}
