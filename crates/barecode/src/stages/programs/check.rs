//! Programs to programs that pass their tests: shards of 32.

use std::ops::Range;
use std::path::Path;

use barecode_check::Ran;
use barecode_records::python::Program;
use barecode_records::{Outcome, Reason, SetAside, Stage};

use super::extract::BUGS;
use super::finish;
use crate::engine::{Finished, Key, Shard, ShardWriter, Ticket};
use crate::layout::program_part;
use crate::look::Look;
use crate::site::Site;

/// A change of what the stage leaves for the same input is a new version.
const CODE: u32 = 2;

/// How many programs a shard holds.
const SHARD: u64 = 32;

/// The shards of `check` for programs.
pub(crate) fn shards<'a>(
    site: &'a Site,
    programs: &'a Finished,
    look: Look,
) -> anyhow::Result<Vec<Shard<'a>>> {
    let mut shards = Vec::new();
    let tools = tools(site, look)?;
    let config = serde_json::to_string(&site.shop.recipe.programs.python)?;
    for (_, ticket) in programs.of_programs() {
        for (file, content) in tables(ticket) {
            for start in (0..content.rows).step_by(usize::try_from(SHARD)?) {
                let number = shards.len();
                let end = content.rows.min(start + SHARD);
                let key = Key::new(Stage::Check, CODE)
                    .format::<Program>()
                    .format::<SetAside>()
                    .field(&config)
                    .field(&content.digest)
                    .field(start.to_le_bytes())
                    .field(end.to_le_bytes());
                shards.push(Shard {
                    key: with_tools(key, tools.as_deref()),
                    last: program_part(number),
                    items: end - start,
                    work: Box::new(move |writer| work(site, file, start..end, number, writer)),
                });
            }
        }
    }
    Ok(shards)
}

/// The tables of programs among the files of a shard.
pub(super) fn tables(
    ticket: &Ticket,
) -> impl Iterator<Item = (&std::path::PathBuf, &crate::engine::Content)> {
    let files = ticket.files.iter();
    files.filter(|(file, _)| file.starts_with(crate::layout::PROGRAMS))
}

/// The digest of the interpreter, where it is looked at.
pub(super) fn tools(site: &Site, look: Look) -> anyhow::Result<Option<String>> {
    if site.shop.recipe.programs.sources.is_empty() {
        return Ok(None);
    }
    Ok(match look {
        Look::Folder => None,
        Look::Around | Look::Fetch => Some(site.shop.python()?.digest()),
    })
}

pub(super) fn with_tools(key: Key, tools: Option<&str>) -> Key {
    match tools {
        None => key.unseen(),
        Some(tools) => key.tool("python", tools),
    }
}

fn work(
    site: &Site,
    input: &Path,
    rows: Range<u64>,
    number: usize,
    mut writer: ShardWriter,
) -> anyhow::Result<Ticket> {
    let programs = site.folder.layout().programs_in(input, rows)?;
    let python = site.shop.python()?;
    let mut outcome = Outcome::counting(["programs"]);
    for mut program in programs {
        let ran = python.run(&program.tests, &[&program.text])?;
        match ran.first() {
            Some(Ran::Passed { tests: 0 }) => {
                leave_out(
                    &mut outcome,
                    &program,
                    Reason::TestsMissing,
                    "no test was reached",
                );
            }
            Some(Ran::Passed { .. }) => {
                program.covered = python.coverage(&program.tests, &program.text)?;
                for _ in &program.bugs {
                    outcome.count_kept(BUGS);
                }
                outcome.keep("programs", program);
            }
            other => {
                let (reason, detail) = failed(other);
                leave_out(&mut outcome, &program, reason, &detail);
            }
        }
        writer.advance(1);
    }
    writer.made_from(serde_json::json!({
        "python": python.version(),
        "sandbox": python.level().to_string(),
    }));
    finish(writer, number, "programs", outcome)
}

/// Why a program that was run is left out.
pub(super) fn failed(ran: Option<&Ran>) -> (Reason, String) {
    match ran {
        Some(Ran::Failed {
            fault,
            test,
            message,
        }) => {
            let test = test.map_or_else(String::new, |test| format!(" in test {test}"));
            (
                Reason::TestsFail,
                format!("{}{test}: {message}", fault.name()),
            )
        }
        Some(Ran::NotSeparable { reason }) => (Reason::TestsNotSeparable, reason.clone()),
        Some(Ran::Passed { tests }) => (Reason::TestsMissing, format!("{tests} tests passed")),
        None => (Reason::TestsMissing, "it was not run".to_owned()),
    }
}

/// Leaves out a program, and the bugs that are published for it.
fn leave_out(outcome: &mut Outcome<Vec<Program>>, program: &Program, reason: Reason, detail: &str) {
    let row = |kind: &str, reason: Reason, detail: &str| SetAside {
        id: Some(program.id.clone()),
        origin: Some(program.origin.clone()),
        name: Some(program.problem.clone()),
        ..SetAside::new(Stage::Check, kind, reason, detail)
    };
    outcome.set_aside("programs", row("program", reason, detail));
    for bug in &program.bugs {
        let detail = format!("{}: its program is {}", bug.kind.name(), reason.code());
        outcome.set_aside(BUGS, row("published bug", Reason::BugAlone, &detail));
    }
}
