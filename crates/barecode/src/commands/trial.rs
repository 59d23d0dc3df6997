//! `try`: the best model for the user's own code, and its results when names do not help.
//!
//! In comes a repository, out come a table and a sentence. A recipe is written for it ([`Trial`]), and the expected
//! numbers are reported before anything is compiled ([`Ahead`]). `build`'s stages do the work, and the result is read
//! from their tables ([`crate::report::verdict`]). So it resumes as `build` does, and `build` goes on from its end.

use std::path::PathBuf;

use barecode_audit::{LeftOf, left};
use barecode_corpus::reader;
use barecode_evaluate::options_of;
use barecode_models::Side;
use barecode_records::table::write_atomically;
use barecode_records::{Function, Setting, Stage, Unit};
use clap::Args;
use serde_json::json;
use tempfile::TempDir;

use crate::answer::{Answer, joined};
use crate::encoders::Fetch;
use crate::exit::Failure;
use crate::flow::{self, Goal};
use crate::layout::Layout;
use crate::recipe::Recipe;
use crate::recipe::trial::{self, Trial};
use crate::report::ahead::{Ahead, after_check};
use crate::report::asker::asked_by;
use crate::report::cut;
use crate::report::lacking::Lacking;
use crate::report::own::OwnQueries;
use crate::report::unread::Unread;
use crate::report::verdict::Verdict;
use crate::report::{estimates, table};
use crate::run_folder::RunFolder;
use crate::session::{Session, Spending};
use crate::site::Site;
use crate::stages::query::writing;
use crate::stages::shown::own_names;

mod early;

/// Find out which model works on your own code, with names and without.
///
/// Needs no recipe. Doc comments are the queries; functions are searched as written, with neutral names and with random
/// names, and each function without its names is a query too. Prints what to expect before it compiles anything, and
/// writes the recipe. Where compiling takes long, prints scores with names and tables over the first functions meanwhile.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode try .\n  barecode try https://github.com/madler/zlib --model hf:sentence-transformers/all-MiniLM-L6-v2\n  \
                  barecode try src --model voyage:voyage-code-3 --model openai:text-embedding-3-small --dry-run"
)]
pub(super) struct Request {
    /// A folder, an address of a git repository, or a source as recipes write it: `git:…@v1.2`, `archive:…`, `cargo:…`.
    code: String,
    /// A model to compare with BM25: `hf:ORG/NAME`, `local:FOLDER`, `openai:MODEL`, … (all in `barecode help eval`), or
    /// NAME=MODEL; `structural` is the retriever of barecode, it needs no model; may be given several times.
    #[arg(long, short, value_name = "MODEL")]
    model: Vec<String>,
    /// At most this many functions are drawn, those with a doc comment first.
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(20..))]
    functions: u32,
    /// Only functions of this language: `c`, `cpp`, `python`, …; may be given several times.
    #[arg(long, value_name = "NAME", value_parser = barecode_languages::mined)]
    language: Vec<String>,
    /// Only files that match, as a glob pattern relative to the source: `src/**`; may be given several times.
    #[arg(long, value_name = "GLOB")]
    include: Vec<String>,
    /// No files that match; may be given several times.
    #[arg(long, value_name = "GLOB")]
    exclude: Vec<String>,
    /// A file of your own queries: CSV, TSV or JSONL with `text` and `function` (an id, `src/list.c:120`, `list_add`, or
    /// `src/list.c::list_add`); may be given several times.
    #[arg(long, value_name = "FILE")]
    queries: Vec<String>,
    /// A model that writes a query for each function, by its short form: `openai:gpt-4o`,
    /// `anthropic:claude-sonnet-4-5`, `openai+URL#MODEL`; may be given several times. The table uses these queries,
    /// unless you also give --queries.
    #[arg(long, value_name = "MODEL")]
    write: Vec<String>,
    /// Also score each dependency group alone: functions that need nothing of their project, its types or variables, or
    /// its functions.
    #[arg(long)]
    groups: bool,
    #[command(flatten)]
    spending: Spending,
}

impl Request {
    fn trial(&self) -> Trial {
        Trial {
            models: self.model.clone(),
            functions: self.functions,
            languages: self.language.clone(),
            include: self.include.clone(),
            exclude: self.exclude.clone(),
            queries: self.queries.clone(),
            writers: self.write.clone(),
            by_group: self.groups,
        }
    }
}

/// Extracts, reports the expected numbers, and builds.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let _at_work = session.console.at_work("try", "at work");
    let trial = arguments.trial();
    let mut name = trial::name(&arguments.code);
    let usual = session.out_or(|| PathBuf::from("runs").join(&name));
    let base = usual.parent().unwrap_or(&usual);
    let source = trial::source(&arguments.code, base)?;
    let out = session.out_or(|| {
        name = trial::free_name(&name, &trial, &source, base);
        base.join(&name)
    });
    if out != usual {
        let (usual, out) = (usual.display(), out.display());
        session.note(&format!(
            "`{usual}` is the run of another source or of other files, so this one is `{out}`"
        ));
    }
    let file = trial::file_of(&out);
    let text = trial::text(&trial, &source, &name, &out)?;
    // The recipe's paths lead through its folder.
    std::fs::create_dir_all(base).map_err(|error| Failure::cannot_write(base, &error))?;
    let mut recipe = Recipe::parse(&text, &file.display().to_string(), base)?;
    // The user wrote no line of it.
    for model in recipe.models.values_mut() {
        model.position.clear();
    }
    session.note(&format!("looking at {}", arguments.code));
    let dry = arguments.spending.dry_run.then(TempDir::new).transpose();
    let dry = dry.map_err(|error| Failure::cannot_write(&std::env::temp_dir(), &error))?;
    // A dry run leaves an earlier run as it is.
    let folder = RunFolder::work_in(dry.as_ref().map_or(&out, |dry| dry.path()))?;
    let mut site = session.site(recipe, folder, &arguments.spending)?;
    let models = site.shop.recipe.models.values();
    if arguments.spending.dry_run {
        site.shop.encoders.look_for(models)?;
    } else {
        for model in models {
            site.shop.encoders.open(model, Fetch::Allowed)?;
        }
    }
    let walked = flow::walk(&site, Goal::Only(Stage::Extract))?;
    let (recipe, layout) = (&site.shop.recipe, site.folder.layout());
    let threads = site.shop.pool.current_num_threads();
    let extracted = &walked.finished[&Stage::Extract];
    let ahead = Ahead::of(recipe, layout, extracted, threads)?.expect("the stage is `extract`");
    if arguments.spending.dry_run {
        let functions = layout.functions()?;
        return dry_run(session, &site, &functions, &ahead);
    }
    // A refusal up to this line leaves the recipe of an earlier run as it is.
    write_atomically(&file, |out| std::io::Write::write_all(out, text.as_bytes()))?;
    for line in ahead.lines() {
        session.note(&line);
    }
    early::results(session, &mut site, &ahead);
    let (recipe, layout) = (&site.shop.recipe, site.folder.layout());
    let walked = flow::walk_telling(&site, Goal::Everything, |finished| {
        let left = after_check(recipe, layout, finished)?;
        if let Some(line) = &left {
            session.note(line);
        }
        Ok(())
    })?;
    let cuts = cut::cuts(&walked.finished[&Stage::Retrieve]);
    let scores = layout.scores()?;
    let (drops, differences) = (layout.drops()?, layout.differences()?);
    let (verdict, left) = verdict(recipe, layout)?;
    let options = options_of(&recipe.retrievers);
    let own = OwnQueries::of(recipe, layout)?;
    let lacking = Lacking::of(&layout.set_aside(Stage::Check)?, recipe);
    let page = layout.page();
    let data = || {
        json!({
            "source": source,
            "recipe": file,
            "run": out,
            "report": page,
            "ahead": ahead,
            "systems": verdict.rows(),
            "by_language": verdict.by_language(),
            "names_left": left,
            "options": options,
            "own_queries": own,
            "lacking_headers": lacking,
            "cut": cuts,
            "verdict": verdict.sentences(),
        })
    };
    session.answer(data, |screen| {
        let mut texts = vec![verdict.terminal(screen)];
        texts.extend(options.clone());
        if arguments.groups {
            let confidence = recipe.scores.confidence;
            texts.push(table::terminal(
                &scores,
                &drops,
                &differences,
                confidence,
                screen,
            ));
        }
        texts.extend(verdict.sentences().iter().cloned());
        texts.extend(own.iter().flat_map(OwnQueries::sentences));
        // The verdict names the languages that are not read.
        texts.extend(cut::sentences(&cut::of_known(&cuts)));
        texts.extend(Lacking::sentences(&lacking));
        texts.push(format!(
            "\nrecipe: {}\nreport: {}",
            file.display(),
            page.display()
        ));
        Ok(joined(texts))
    })
}

/// Returns the conclusions of a run, and what its neutral names left.
fn verdict(recipe: &Recipe, layout: Layout<'_>) -> anyhow::Result<(Verdict, LeftOf)> {
    let (scores, drops, differences) = (layout.scores()?, layout.drops()?, layout.differences()?);
    let left = left(&layout.units()?, &layout.variants()?, &own_names(layout)?);
    let left = left.get(&Setting::NEUTRALIZED).cloned().unwrap_or_default();
    let asked = asked_by(&layout.queries()?);
    let unread = Unread::read(layout, recipe)?;
    let numbers = (&*scores, &*drops, &*differences);
    let verdict = Verdict::of(numbers, (&asked, &unread), left.clone(), recipe);
    Ok((verdict, left))
}

/// Reports the expected numbers and the cost of the models. The texts of all settings, which only compiling makes, are
/// about as long as the existing ones.
fn dry_run(
    session: &Session,
    site: &Site,
    functions: &[Function],
    ahead: &Ahead,
) -> anyhow::Result<Answer> {
    let texts: Vec<&str> = functions.iter().map(|function| &*function.text).collect();
    let comments = functions
        .iter()
        .filter_map(|function| function.docs.first());
    let comments: Vec<&str> = comments.map(|comment| &*comment.text).collect();
    let mut taken = Vec::new();
    for model in site.shop.recipe.models.values() {
        let documents = site.shop.encoders.estimate(model, Side::Document, &texts)?;
        let mut sum = site.shop.encoders.estimate(model, Side::Query, &comments)?;
        sum = sum.and(site.shop.encoders.estimate(model, Side::Query, &texts)?);
        for _ in site.shop.recipe.draws() {
            sum = sum.and(documents);
        }
        sum.tokens_are_exact = false;
        taken.push((model.spec.name.clone(), sum));
    }
    // Only compiling shows which functions are self-contained, so all are counted.
    let unit = |it: &Function| Unit::of(it, it.closure.clone(), reader(it.language));
    let units: Vec<Unit> = functions.iter().map(unit).collect();
    for set in &site.shop.recipe.writers {
        taken.extend(writing::estimate(&site.shop, set, &units)?);
    }
    if !site.shop.recipe.writers.is_empty() {
        session.note(writing::AT_MOST);
    }
    let data = || {
        let models = taken.iter().map(|(name, sum)| {
            json!({ "model": name, "texts": sum.texts, "tokens": sum.tokens, "dollars": sum.dollars })
        });
        json!({ "ahead": ahead, "models": models.collect::<Vec<_>>() })
    };
    session.answer(data, |screen| {
        let mut texts = vec![ahead.lines().join("\n")];
        if !taken.is_empty() {
            texts.push(estimates::terminal("model", &taken, screen));
        }
        Ok(joined(texts))
    })
}
