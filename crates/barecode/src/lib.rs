//! barecode builds code-retrieval benchmarks from real repositories and measures what is left of a retriever
//! when the names are gone.
//!
//! This crate is the program ([`main`]), and the same for other programs: its commands ([`call`]) and its stages over
//! records ([`Workbench`]). A recipe and a command enter; a run folder, a table on stdout and a page leave. The
//! stages themselves are pure functions in library crates; this crate adds what they leave out: files, threads,
//! the terminal, the times in the manifest, and exit codes.
//!
//! The hard thing is to be killed at any moment and to end in the same bytes; `engine` is about that. This crate
//! decides nothing about code, queries or numbers.

mod known_maps;
mod look;
mod evaluation;
mod site;
mod stages;
mod flow;
mod models;
mod encoders;
mod commands;
mod library;
mod session;
mod answer;
mod workbench;
mod asked_model;
mod spread;

use std::ffi::OsString;
use std::mem;

use barecode_recipe as recipe;
use barecode_recipe::members;
use barecode_report as report;
use barecode_runs::{console, engine, exit, interrupt, journal, layout, run_folder, share, verify};

use commands::Cli;
use console::Console;
use session::Session;

pub use asked_model::{AskedModel, ModelOptions};
pub use console::Listener;
pub use exit::{Exit, Failure};
pub use library::{Request, call, command_line};
pub use session::{CallOptions, Held};
pub use spread::{DoneShard, Piece, PlannedShard, SPREAD, Spread};
pub use workbench::Workbench;

/// Runs the program: does the work that the arguments name, the first being its own name, prints, and returns the exit
/// code.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    let mut cli = Cli::read(arguments).unwrap_or_else(|error| error.exit());
    let console = Console::new(cli.options.color, cli.options.quiet, cli.options.json);
    let session = Session {
        console,
        held: Held::default(),
        options: mem::take(&mut cli.options),
    };
    let exit = match interrupt::listen(console)
        .map_err(anyhow::Error::from)
        .and_then(|()| cli.run(&session)?.give(console))
    {
        Ok(exit) => exit,
        // The reader of our output has closed it.
        Err(error) if exit::is_broken_pipe(&error) => Exit::Done,
        Err(error) => {
            let failure = exit::classify(&error);
            console.failure(&failure);
            failure.exit
        }
    };
    exit as u8
}
