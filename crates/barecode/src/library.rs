//! Commands for other programs: what `barecode … --json` does, in this process and without a terminal.
//!
//! Enter the arguments; leave what would be printed, to a [`Listener`], and the [`Failure`] as a value. The Python package
//! calls this, so that nothing there is a second implementation.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_formats::FormatError;
use barecode_formats::run::{Run, open_run, read_qrels};
use barecode_formats::trec::Qrels;
use clap::Parser;
use clap::error::ErrorKind;

use crate::commands::Cli;
use crate::commands::call::{Call, Options};
use crate::console::{Console, Listener};
use crate::exit::{Exit, Failure, classify};
use crate::interrupt;

/// How another program's call works, as on the command line.
#[derive(Debug, Clone, Default)]
pub struct CallOptions {
    /// Number of worker threads; all cores unless given. Results do not depend on it.
    pub threads: Option<u16>,
    /// The folder of caches; barecode's in the user's cache folder unless given.
    pub cache: Option<PathBuf>,
    /// Whether nothing is cached on the disk.
    pub no_cache: bool,
}

impl CallOptions {
    /// The call of a console.
    pub(crate) fn call(&self, console: Console) -> Call {
        Call {
            console,
            held: Held::default(),
            options: Options::of_library(self),
        }
    }
}

/// Judgments and runs in memory, each under the path that stands for it in the arguments of `score` and `compare`.
#[derive(Debug, Default)]
pub struct Held {
    /// Judgments.
    pub qrels: BTreeMap<PathBuf, Qrels>,
    /// Runs.
    pub runs: BTreeMap<PathBuf, Run>,
}

impl Held {
    /// The judgments of a path, from its file where none are held.
    pub(crate) fn qrels(&self, path: &Path) -> Result<Cow<'_, Qrels>, FormatError> {
        match self.qrels.get(path) {
            Some(held) => Ok(Cow::Borrowed(held)),
            None => read_qrels(path).map(Cow::Owned),
        }
    }

    /// Looks at the queries of a run, from its file where none is held.
    pub(crate) fn run(&self, path: &Path) -> Result<Opened<'_>, FormatError> {
        match self.runs.get(path) {
            Some(held) => Ok(Opened::Held(held)),
            None => open_run(path).map(Opened::File),
        }
    }
}

/// A run that can be looked at.
pub(crate) enum Opened<'a> {
    Held(&'a Run),
    File(Run),
}

impl std::ops::Deref for Opened<'_> {
    type Target = Run;

    fn deref(&self) -> &Run {
        match self {
            Opened::Held(run) => run,
            Opened::File(run) => run,
        }
    }
}

/// Does what the arguments say, the first being the verb: `["audit", "clarc", "--json"]`.
///
/// # Errors
/// Everything that would end the program with another code than those of [`Exit::Done`] and [`Exit::Below`].
pub fn call(
    arguments: &[String],
    held: Held,
    listener: &Arc<dyn Listener>,
) -> Result<Exit, Failure> {
    let (console, _heard) = Console::heard(Arc::clone(listener));
    let all = std::iter::once("barecode").chain(arguments.iter().map(String::as_str));
    let cli = match Cli::try_parse_from(all) {
        Ok(cli) => cli,
        Err(error)
            if matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            ) =>
        {
            listener.data(&error.render().to_string());
            return Ok(Exit::Done);
        }
        Err(error) => {
            let text = error.render().to_string();
            let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
            return Err(Failure::new(Exit::Usage, text));
        }
    };
    let pool = cli.options.pool().map_err(|error| classify(&error))?;
    let done = pool.install(|| cli.run(console, held));
    done.map_err(|error| classify(&error))
}

/// Asks everything that goes on in this process to stop, as Ctrl-C does: shards under way are finished, none is begun.
pub fn stop() {
    interrupt::ask();
}

/// Lets calls go on that come after an interruption.
pub fn resume() {
    interrupt::go_on();
}
