//! The answer of a command, and the exit code of its call.
//!
//! Enters: a result, as data for a machine and as text for readers. Leaves: the form that the session requested; the
//! other one is never made. A command prints nothing itself; only `study serve` prints its address before it serves.

use barecode_models::Estimate;
use serde_json::Value;

use crate::console::{Console, Screen};
use crate::exit::Exit;
use crate::report::estimates;
use crate::session::Session;

/// The answer of a command.
#[derive(Debug)]
pub(crate) struct Answer {
    shown: Shown,
    notes: Vec<String>,
    end: anyhow::Result<Exit>,
}

#[derive(Debug)]
enum Shown {
    Data(Value),
    Text(String),
}

impl Session {
    /// An answer in the form that this session talks in.
    pub(crate) fn answer(
        &self,
        data: impl FnOnce() -> Value,
        text: impl FnOnce(Screen) -> anyhow::Result<String>,
    ) -> anyhow::Result<Answer> {
        Ok(Answer::of(if self.options.json {
            Shown::Data(data())
        } else {
            Shown::Text(text(self.console.screen())?)
        }))
    }

    /// An answer with the estimated cost of models; `what` describes the named things.
    pub(crate) fn estimates(
        &self,
        what: &'static str,
        estimates: &[(String, Estimate)],
    ) -> anyhow::Result<Answer> {
        self.answer(
            || estimates::json(what, estimates),
            |screen| Ok(estimates::terminal(what, estimates, screen)),
        )
    }
}

impl Answer {
    /// Data that has no other form.
    pub(crate) fn data(data: Value) -> Self {
        Answer::of(Shown::Data(data))
    }

    /// A text, which is the same for a machine; an empty one where everything was already printed as notes.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Answer::of(Shown::Text(text.into()))
    }

    fn of(shown: Shown) -> Self {
        Answer {
            shown,
            notes: Vec::new(),
            end: Ok(Exit::Done),
        }
    }

    /// Notes something after the answer.
    pub(crate) fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Ends the call in another way, after the answer.
    pub(crate) fn ending(mut self, end: anyhow::Result<Exit>) -> Self {
        self.end = end;
        self
    }

    /// Prints the answer, and ends the call.
    ///
    /// # Errors
    /// A reader that went away; the failure that the call ends with.
    pub(crate) fn give(self, console: Console) -> anyhow::Result<Exit> {
        match self.shown {
            Shown::Data(data) => console.json(data)?,
            Shown::Text(text) if !text.is_empty() => console.data(&text)?,
            Shown::Text(_) => {}
        }
        for note in self.notes {
            console.note(&note);
        }
        self.end
    }
}

/// Some texts as one, each from the beginning of a line.
pub(crate) fn joined<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> String {
    let mut all = String::new();
    for text in texts {
        all.push_str(text.as_ref());
        if !all.ends_with('\n') {
            all.push('\n');
        }
    }
    all
}
