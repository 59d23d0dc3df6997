//! barecode builds code-retrieval benchmarks from real repositories and measures what is left of a retriever
//! when the names are gone.
//!
//! This crate is the program. A recipe and a command enter; a run folder, a table on stdout and a page leave. The
//! stages themselves are pure functions in library crates; this crate adds what they leave out: files, threads,
//! the terminal, the times in the manifest, and exit codes.
//!
//! The hard thing is to be killed at any moment and to end in the same bytes; [`engine`] is about that. What
//! this crate does not do: it decides nothing about code, queries or numbers.

mod recipe;
mod run_folder;
mod layout;
mod source_list;
mod share;
mod engine;
mod look;
mod evaluation;
mod site;
mod stages;
mod flow;
mod ahead;
mod own;
mod journal;
mod models;
mod suite;
mod encoders;
mod commands;
mod report;
mod console;
mod interrupt;
mod exit;

use std::process::ExitCode;

use clap::Parser;

use commands::Cli;
use console::Console;
use exit::Exit;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = Console::new(cli.options.color, cli.options.quiet, cli.options.json);
    let exit = match interrupt::listen(console)
        .map_err(anyhow::Error::from)
        .and_then(|()| cli.run(console))
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
    ExitCode::from(exit as u8)
}
