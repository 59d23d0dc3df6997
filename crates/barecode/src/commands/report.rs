//! `report`: the pages of a run, opened in a browser or written for others.

use std::fs;
use std::path::{Path, PathBuf};

use barecode_records::Stage;
use barecode_records::table::write_atomically;
use clap::Args;
use serde_json::json;

use super::build::account;
use crate::answer::Answer;
use crate::exit::{Exit, Failure};
use crate::flow::{self, Goal};
use crate::layout::PAGE;
use crate::recipe::Recipe;
use crate::report::browse::make_room;
use crate::run_folder::RunFolder;
use crate::session::{Session, Spending};
use crate::stages::report::{pages, single};

/// Write the pages of a run (stage 8 of 8), and print the path of the first.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode report recipes/demo.toml --open\n  barecode report recipes/demo.toml --export public --without-code"
)]
pub(super) struct Request {
    /// The recipe, a TOML file.
    recipe: PathBuf,
    /// Open the first page in the browser.
    #[arg(long)]
    open: bool,
    /// Also write the pages to this folder, to publish or send them.
    #[arg(long, value_name = "DIR")]
    export: Option<PathBuf>,
    /// Also write one file, with the page and the first 200 queries: for mail, or as an artifact of a job.
    #[arg(long, value_name = "FILE")]
    single: Option<PathBuf>,
    /// Leave the code out of what is exported. Queries, names, paths and ranks stay.
    #[arg(long)]
    without_code: bool,
    /// Replace the pages in an existing folder of --export.
    #[arg(long, requires = "export")]
    force: bool,
}

/// Brings the pages up to date, and writes and opens them as requested.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let recipe = Recipe::read(&arguments.recipe)?;
    let folder = RunFolder::work_in(&session.out(&recipe))?;
    let site = session.site(recipe, folder, &Spending::default())?;
    let walked = flow::walk(&site, Goal::Only(Stage::Report))?;
    if !walked.worked() {
        session.note("nothing to do: `report` is current");
    }
    let mut page = site.folder.layout().page();
    if arguments.without_code && arguments.export.is_none() && arguments.single.is_none() {
        let message = "--without-code needs --export or --single; the pages of a run have its code";
        return Err(Failure::new(Exit::Usage, message).into());
    }
    if let Some(file) = &arguments.single {
        let text = single(&site, &walked.finished, !arguments.without_code)?;
        write_atomically(file, |out| std::io::Write::write_all(out, text.as_bytes()))?;
        page.clone_from(file);
    }
    if let Some(export) = &arguments.export {
        let files = pages(&site, &walked.finished, !arguments.without_code)?;
        write_pages(export, arguments.force, files)?;
        page = export.join(PAGE);
    }
    if arguments.open {
        open_in_browser(&page)?;
    }
    let data = || {
        let mut value = account(&site, &walked);
        value["report"] = json!(page);
        value
    };
    session.answer(data, |_| Ok(page.display().to_string()))
}

/// Writes pages to a folder of their own.
///
/// # Errors
/// If the folder exists and is not to be replaced, or cannot be written.
pub(super) fn write_pages(
    folder: &Path,
    force: bool,
    files: impl IntoIterator<Item = (PathBuf, String)>,
) -> anyhow::Result<()> {
    make_room(folder, force)?;
    for (file, text) in files {
        let path = folder.join(file);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Failure::cannot_write(parent, &error))?;
        write_atomically(&path, |out| std::io::Write::write_all(out, text.as_bytes()))?;
    }
    Ok(())
}

/// Opens a page.
///
/// # Errors
/// If no browser does.
pub(super) fn open_in_browser(page: &Path) -> Result<(), Failure> {
    open::that_detached(page).map_err(|error| {
        let message = format!("no browser opens `{}`: {error}", page.display());
        Failure::new(Exit::ToolMissing, message).hint("open the file yourself")
    })
}
