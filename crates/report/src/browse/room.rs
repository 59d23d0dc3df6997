//! The folder that pages are exported to.

use std::fs;
use std::path::Path;

use barecode_records::guarded;
use barecode_runs::exit::Failure;
use barecode_runs::layout::PAGE;

/// Clears a folder that has pages of a run of their numbered files, so that none of a larger run stays; other files stay.
///
/// # Errors
/// If the folder exists, and has other things or is not to be replaced.
pub fn make_room(folder: &Path, force: bool) -> Result<(), Failure> {
    if !folder.exists() {
        return Ok(());
    }
    if !force {
        let message = format!("`{}` exists", folder.display());
        return Err(Failure::invalid(message).hint("--force replaces its pages"));
    }
    let first = guarded::text(folder.join(PAGE)).unwrap_or_default();
    if !first.contains("name=\"generator\" content=\"barecode ") {
        let message = format!("`{}` has no pages of barecode", folder.display());
        let hint = "name a new folder, or one with pages of barecode";
        return Err(Failure::invalid(message).hint(hint));
    }
    for numbered in [
        "queries",
        "documents",
        "pairs",
        "figures",
        "tables",
        "badges",
    ]
    .map(|name| folder.join(name))
    {
        if numbered.is_dir() {
            fs::remove_dir_all(&numbered)
                .map_err(|error| Failure::cannot_write(&numbered, &error))?;
        }
    }
    Ok(())
}
