//! Functions of a run by their name, also those that were set aside.

use std::fmt::Write as _;

use barecode_records::{Function, Id, SetAside, Stage};
use serde_json::json;

use crate::answer::Answer;
use crate::exit::Failure;
use crate::run_folder::RunFolder;
use crate::session::Session;

/// The records that have a name.
pub(super) enum Found {
    /// A function that was extracted, if no other has the name.
    One(Id),
    /// All others.
    Several(Records),
}

/// Functions of one name, and the rows of those that were set aside before they had an id.
pub(super) struct Records {
    functions: Vec<Function>,
    set_aside: Vec<SetAside>,
}

/// Returns `true` for a text that is not an id.
pub(super) fn is_name(text: &str) -> bool {
    let is_id = |(kind, digest): (&str, &str)| {
        matches!(kind, "f" | "u" | "v" | "q" | "p" | "w")
            && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    !text.split_once('-').is_some_and(is_id)
}

/// Looks for a function by its name, with or without what is around it.
///
/// # Errors
/// If nothing has the name, or a table cannot be read.
pub(super) fn found(folder: &RunFolder, name: &str) -> anyhow::Result<Found> {
    let layout = folder.layout();
    let mut functions = layout.functions()?;
    functions.retain(|one| one.name == name || one.qualified_name == name);
    let mut set_aside = layout.set_aside(Stage::Extract)?;
    set_aside.retain(|row| row.name.as_deref() == Some(name));
    match (functions.as_slice(), set_aside.as_slice()) {
        ([], []) => Err(Failure::invalid(format!(
            "no function `{name}` in `{}`",
            folder.root().display()
        ))
        .hint("names are those of the source: `list_add`, `List::add`; ids start with f-, u-, v-, q-, p- or w-")
        .into()),
        ([function], []) => Ok(Found::One(function.id.clone())),
        _ => Ok(Found::Several(Records {
            functions,
            set_aside,
        })),
    }
}

impl Records {
    /// Returns one line a record.
    pub(super) fn answer(&self, session: &Session) -> anyhow::Result<Answer> {
        let data = || json!({ "functions": self.functions, "set_aside": self.set_aside });
        session.answer(data, |_| {
            let mut text = String::new();
            for function in &self.functions {
                let (id, name) = (&function.id, &function.qualified_name);
                let origin = &function.origin;
                writeln!(text, "{id}  {name}, {} {}", origin.source, origin.place())?;
            }
            for row in &self.set_aside {
                let name = row.name.as_deref().unwrap_or_default();
                let place = row.origin.as_ref();
                let place = place.map(|at| format!(", {} {}", at.source, at.place()));
                let (stage, reason) = (row.stage, row.reason);
                writeln!(
                    text,
                    "set aside in {stage}: {name}{}: {reason} — {}",
                    place.unwrap_or_default(),
                    reason.explanation()
                )?;
                if !row.detail.is_empty() {
                    writeln!(text, "  {}", super::tame(&row.detail))?;
                }
            }
            Ok(text)
        })
    }
}
