//! Commands for other programs: what `barecode … --json` does, in this process and without a terminal.
//!
//! Enters: a [`Request`]. Leaves: the printed output, sent to a [`Listener`], and the [`Failure`] as a value. The
//! Python package calls this, so that it contains no second implementation. A request is read by the description that
//! the command line has too: options have one list of names, defaults, bounds and messages.

use std::ffi::OsString;
use std::sync::Arc;

use clap::CommandFactory;
use clap::error::ErrorKind;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::commands::Cli;
use crate::console::{Console, Listener};
use crate::exit::{Exit, Failure, classify};
use crate::session::{Held, Session};

/// A command in the form that another program sends:
/// `{"command": "audit", "arguments": ["clarc"], "options": {"fail_on": "warning", "ignore": ["BA5", "BA6"]}}`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The verb.
    command: String,
    /// The arguments without a name, such as a dataset; first the verb's own verb, if it has any.
    #[serde(default)]
    arguments: Vec<String>,
    /// Options by name, with `_` for `-`; a list repeats an option, and `null` and `false` omit it.
    #[serde(default)]
    options: Map<String, Value>,
}

impl Request {
    /// Reads a request in JSON.
    ///
    /// # Errors
    /// If the text is not a request.
    pub fn read(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| Failure::new(Exit::Usage, error.to_string()))
    }

    /// Returns the same as words of a command line. Words that are not options come last, so that a name may begin with
    /// a dash.
    fn words(&self) -> Vec<String> {
        let known = Cli::command();
        let mut verb = known.find_subcommand(&self.command);
        let mut words = vec!["barecode".to_owned(), self.command.clone()];
        let mut rest = self.arguments.as_slice();
        while let (Some(known), [first, others @ ..]) = (verb, rest)
            && let Some(own) = known.find_subcommand(first)
        {
            words.push(first.clone());
            (verb, rest) = (Some(own), others);
        }
        for (name, value) in &self.options {
            let flag = format!("--{}", name.trim_end_matches('_').replace('_', "-"));
            let values = match value {
                Value::Array(values) => values.as_slice(),
                one => std::slice::from_ref(one),
            };
            words.extend(values.iter().filter_map(|value| match value {
                Value::Null | Value::Bool(false) => None,
                Value::Bool(true) => Some(flag.clone()),
                Value::String(text) => Some(format!("{flag}={text}")),
                other => Some(format!("{flag}={other}")),
            }));
        }
        if verb.is_none_or(|verb| !verb.has_subcommands()) {
            words.push("--".to_owned());
        }
        words.extend_from_slice(rest);
        words
    }
}

/// The description of the command line: each command with its options and their help.
pub fn command_line() -> clap::Command {
    let mut command = Cli::command();
    command.build();
    command
}

/// Does the work of a request.
///
/// # Errors
/// Everything that would end the program with another code than those of [`Exit::Done`] and [`Exit::Below`].
pub fn call(request: &Request, held: Held, listener: &Arc<dyn Listener>) -> Result<Exit, Failure> {
    let (console, _heard) = Console::heard(Arc::clone(listener));
    let mut cli = match Cli::read(request.words().into_iter().map(OsString::from)) {
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
    cli.options.json = true;
    let session = Session {
        console,
        held,
        options: std::mem::take(&mut cli.options),
    };
    let pool = session.pool().map_err(|error| classify(&error))?;
    let done = pool.install(|| cli.run(&session)?.give(console));
    done.map_err(|error| classify(&error))
}
