//! `try`: which model to use on one's own code, and whether it still works when names do not help.
//!
//! In comes a repository, out come a table and a sentence. A recipe is written for it ([`recipe`]), what can be expected
//! is said before anything is compiled ([`Ahead`]), `build`'s stages do the work, and what came out is read from their
//! tables ([`verdict`]). So it resumes as `build` does, and `build` goes on from where it ends.

use std::path::PathBuf;

use barecode_models::Side;
use barecode_records::table::write_atomically;
use barecode_records::{Function, Stage};
use clap::Args;
use serde_json::json;

use super::call::{Call, Spending};
use crate::ahead::Ahead;
use crate::encoders::Fetch;
use crate::evaluation::cut;
use crate::exit::Failure;
use crate::flow::{self, Goal};
use crate::own::OwnQueries;
use crate::recipe::Recipe;
use crate::report::{estimates, table};
use crate::run_folder::RunFolder;
use crate::site::Site;
use verdict::Verdict;

mod recipe;
mod verdict;

/// What `try` takes.
#[derive(Debug, Args)]
pub(super) struct TryArguments {
    /// A folder, an address of a git repository, or a source as recipes write it: `git:…@v1.2`, `archive:…`, `cargo:…`.
    code: String,
    /// A model beside BM25, by its short form, or as NAME=MODEL; give it several times for several models.
    #[arg(long, short, value_name = "MODEL")]
    model: Vec<String>,
    /// At most this many functions are drawn, those with a doc comment first.
    #[arg(long, default_value_t = 400, value_name = "N", value_parser = clap::value_parser!(u32).range(20..))]
    functions: u32,
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
    /// A model that writes a query for each function, by its short form: `openai:gpt-4o`, `anthropic:claude-sonnet-4-5`,
    /// `openai+URL#MODEL`; may be given several times. The table is about these queries unless there are your own.
    #[arg(long, value_name = "MODEL")]
    write: Vec<String>,
    /// Measure each dependency group by itself too, and show the table of all groups.
    #[arg(long)]
    groups: bool,
    #[command(flatten)]
    spending: Spending,
}

/// Looks, says what to expect, builds, and says what came out.
pub(super) fn run(call: &Call, arguments: &TryArguments) -> anyhow::Result<()> {
    let name = recipe::name(&arguments.code);
    let out = match &call.options.out {
        Some(out) => out.clone(),
        None => PathBuf::from("runs").join(&name),
    };
    let mut file = out.clone().into_os_string();
    file.push(".toml");
    let file = PathBuf::from(file);
    let base = file.parent().unwrap_or(&out);
    let source = recipe::source(&arguments.code, base)?;
    let text = recipe::text(arguments, &source, &name, &out)?;
    // The recipe's paths lead through its folder.
    std::fs::create_dir_all(base).map_err(|error| Failure::cannot_write(base, &error))?;
    let recipe = Recipe::parse(&text, &file.display().to_string(), base)?;
    call.console.note(&format!("looking at {source}"));
    let folder = RunFolder::work_in(&out)?;
    write_atomically(&file, |out| std::io::Write::write_all(out, text.as_bytes()))?;
    let site = call.site(recipe, folder, &arguments.spending)?;
    for model in site.recipe.models.values() {
        site.encoders.open(model, Fetch::Allowed)?;
    }
    let walked = flow::walk(&site, Goal::Only(Stage::Extract))?;
    let ahead = Ahead::of(&site, &walked.finished[&Stage::Extract])?;
    let ahead = ahead.expect("the stage is `extract`");
    if arguments.spending.dry_run {
        let functions = site.folder.layout().functions()?;
        return dry_run(call, &site, &functions, &ahead);
    }
    ahead.tell(call.console);
    let walked = flow::walk(&site, Goal::Everything)?;
    let cuts = cut::cuts(&walked.finished[&Stage::Retrieve]);
    let layout = site.folder.layout();
    let scores = layout.scores()?;
    let (drops, differences) = (layout.drops()?, layout.differences()?);
    let verdict = Verdict::of(&scores, &drops, &differences, &site.recipe);
    let own = OwnQueries::of(&site)?;
    let (page, screen) = (layout.page(), call.console.screen());
    if call.options.json {
        return call.console.json(&json!({
            "source": source,
            "recipe": file,
            "run": out,
            "report": page,
            "ahead": ahead,
            "systems": verdict.rows(),
            "own_queries": own,
            "cut": cuts,
            "verdict": verdict.sentences(),
        }));
    }
    call.console.data(&verdict.terminal(screen))?;
    if arguments.groups {
        let confidence = site.recipe.scores.confidence;
        call.console.data(&table::terminal(
            &scores,
            &drops,
            &differences,
            confidence,
            screen,
        ))?;
    }
    let own = own.iter().flat_map(OwnQueries::sentences);
    let said = verdict.sentences().iter().cloned().chain(own);
    for sentence in said.chain(cut::sentences(&cuts)) {
        call.console.data(&sentence)?;
    }
    call.console.data(&format!(
        "\nrecipe: {}\nreport: {}",
        file.display(),
        page.display()
    ))
}

/// What can be expected, and what the models would take: the texts of all settings, which only compiling makes, are
/// about as long as those that are there.
fn dry_run(call: &Call, site: &Site, functions: &[Function], ahead: &Ahead) -> anyhow::Result<()> {
    let texts: Vec<&str> = functions.iter().map(|function| &*function.text).collect();
    let comments = functions
        .iter()
        .filter_map(|function| function.docs.first());
    let comments: Vec<&str> = comments.map(|comment| &*comment.text).collect();
    let mut taken = Vec::new();
    for model in site.recipe.models.values() {
        let documents = site.encoders.estimate(model, Side::Document, &texts)?;
        let mut sum = site.encoders.estimate(model, Side::Query, &comments)?;
        sum = sum.and(site.encoders.estimate(model, Side::Query, &texts)?);
        for _ in site.recipe.draws() {
            sum = sum.and(documents);
        }
        sum.tokens_are_exact = false;
        taken.push((model.spec.name.clone(), sum));
    }
    if call.options.json {
        let mut value = json!({ "ahead": ahead });
        let models = taken.iter().map(|(name, sum)| {
            json!({ "model": name, "texts": sum.texts, "tokens": sum.tokens, "dollars": sum.dollars })
        });
        value["models"] = models.collect();
        return call.console.json(&value);
    }
    call.console.data(&ahead.lines().join("\n"))?;
    if taken.is_empty() {
        return Ok(());
    }
    estimates::print(call.console, false, "model", &taken)
}
