//! `verify`: checks that a run is as it was written.

use clap::Args;
use serde_json::json;

use crate::answer::Answer;
use crate::exit::Exit;
use crate::session::{RunArguments, Session};
use crate::verify::Verified;

/// Compare every file of a run with the digests of its manifest.
///
/// Lists each file that is damaged or missing, and those that the manifest does not know; if there is any, the exit
/// code is 4. `build` makes damaged and missing files again, except ledgers.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode verify runs/demo\n  barecode verify runs/demo --json"
)]
pub(super) struct Request {
    #[command(flatten)]
    run: RunArguments,
}

/// Reads and compares.
pub(super) fn run(session: &Session, request: &Request) -> anyhow::Result<Answer> {
    let folder = request.run.folder(session)?;
    let pool = session.pool()?;
    let verified = pool.install(|| Verified::of(&folder, "".as_ref()))?;
    let answer = session.answer(|| json!(verified), |_| Ok(verified.lines()))?;
    let end = verified.exact(&folder).map(|()| Exit::Done);
    Ok(answer.ending(end.map_err(Into::into)))
}
