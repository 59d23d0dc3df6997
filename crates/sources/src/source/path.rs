//! `path:FOLDER`: a folder on this machine.

use std::convert::Infallible;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use barecode_records::{Reason, Spool, guarded};
use walkdir::{DirEntry, WalkDir};

use super::error::SourceError;
use super::listing::{Content, Facts, Listing, NEVER_READ_ABOVE};
use super::paths::{may_be_code, readable_path};
use super::wanted::Wanted;

/// Folders in which version control stores its own files.
const CONTROL: [&str; 4] = [".git", ".hg", ".svn", ".bzr"];

/// The file that marks a run folder of barecode: its files are output, not input.
const RUN: &str = "barecode.lock";

/// `ELOOP` of Linux: too many links on the way.
const LOOP: i32 = 40;

/// Reads the wanted files below a folder; symbolic links are not followed, and so can form no loop.
pub(super) fn read(
    from: &str,
    folder: &Path,
    wanted: &Wanted,
) -> Result<(Facts, Listing), SourceError> {
    let unreadable = |path: &Path, message: String| SourceError::Unreadable {
        from: from.to_owned(),
        path: path.to_owned(),
        message,
    };
    let metadata = fs::metadata(folder).map_err(|error| unreadable(folder, error.to_string()))?;
    if !metadata.is_dir() {
        return Err(unreadable(folder, "it is not a folder".to_owned()));
    }
    fs::read_dir(folder).map_err(|error| unreadable(folder, error.to_string()))?;
    let mut listing = Listing::default();
    let is_code = |entry: &DirEntry| {
        let name = entry.file_name().to_str();
        let is_control = name.is_some_and(|name| CONTROL.contains(&name));
        let is_run = entry.file_type().is_dir() && entry.path().join(RUN).is_file();
        entry.depth() == 0 || !is_control && !is_run
    };
    for entry in WalkDir::new(folder)
        .sort_by_file_name()
        .into_iter()
        .filter_entry(is_code)
    {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                let path = relative(folder, error.path().unwrap_or(folder));
                let message = error
                    .into_io_error()
                    .map_or_else(|| "a loop of links".to_owned(), |io| io.to_string());
                listing.aside(wanted, path, Reason::FileUnreadable, message);
                continue;
            }
        };
        let path = relative(folder, entry.path());
        let kind = entry.file_type();
        if kind.is_symlink() {
            link(&mut listing, wanted, path, entry.path());
        } else if kind.is_file() {
            if let Some(wish) = wanted.wish(&path) {
                let text = |spool: &Spool| Ok::<_, Infallible>(content(entry.path(), spool));
                let Ok(()) = listing.add(path, wish, text);
                listing.check(from)?;
            }
        } else if !kind.is_dir() && wanted.wish(&path).is_some() && may_be_code(&path) {
            let detail = "it is neither a file nor a folder";
            listing.aside(wanted, path, Reason::FileUnreadable, detail);
        }
    }
    absent_submodules(&mut listing, wanted, folder);
    Ok((Facts::default(), listing))
}

fn relative(folder: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(folder).unwrap_or(path);
    readable_path(relative.as_os_str().as_bytes())
}

/// Lists a link that would lead to code: to a file by its ending, to a folder, or in a circle.
fn link(listing: &mut Listing, wanted: &Wanted, path: String, link: &Path) {
    let to = fs::read_link(link).unwrap_or_default();
    let to = readable_path(to.as_os_str().as_bytes());
    let detail = match fs::metadata(link) {
        Err(error) if error.raw_os_error() == Some(LOOP) => {
            format!("to `{to}`, in a circle")
        }
        Ok(metadata) if metadata.is_dir() => format!("to the folder `{to}`"),
        _ if wanted.wish(&path).is_some() && may_be_code(&path) => format!("to `{to}`"),
        _ => return,
    };
    listing.aside(wanted, path, Reason::FileIsLink, detail);
}

fn content(path: &Path, spool: &Spool) -> Content {
    let unreadable =
        |error: std::io::Error| Content::Aside(Reason::FileUnreadable, error.to_string());
    match fs::metadata(path) {
        Ok(metadata) if metadata.len() > NEVER_READ_ABOVE => Content::TooLarge(metadata.len()),
        Ok(_) => {
            guarded::read(path).map_or_else(unreadable, |bytes| Content::Bytes(spool.put(bytes)))
        }
        Err(error) => unreadable(error),
    }
}

/// A `.gitmodules` beyond this is not read.
const MOST_GITMODULES_BYTES: u64 = 1 << 20;

/// Lists the submodules that `.gitmodules` names and whose folders are empty.
fn absent_submodules(listing: &mut Listing, wanted: &Wanted, folder: &Path) {
    const NAME: &str = ".gitmodules";
    let file = folder.join(NAME);
    let Ok(metadata) = fs::symlink_metadata(&file) else {
        return;
    };
    let (reason, detail) = if metadata.is_symlink() {
        (
            Reason::FileIsLink,
            "its submodules are not known".to_owned(),
        )
    } else if !metadata.is_file() {
        let detail = "it is neither a file nor a folder";
        (Reason::FileUnreadable, detail.to_owned())
    } else if metadata.len() > MOST_GITMODULES_BYTES {
        (Reason::FileTooLarge, format!("{} bytes", metadata.len()))
    } else {
        let text = guarded::read(&file).unwrap_or_default();
        for path in submodules(&text) {
            let mut parts = Path::new(&path).components();
            let is_inside = parts.all(|part| matches!(part, std::path::Component::Normal(_)));
            if is_inside && !has_files(&folder.join(&path)) {
                let detail = "`git submodule update --init` brings its files";
                listing.aside(wanted, path, Reason::SubmoduleAbsent, detail);
            }
        }
        return;
    };
    listing.aside(wanted, NAME.to_owned(), reason, detail);
}

fn has_files(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut files| files.next().is_some())
}

/// The paths in a `.gitmodules`.
fn submodules(text: &[u8]) -> Vec<String> {
    let text = readable_path(text);
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("path"));
    let values = lines.filter_map(|rest| rest.trim_start().strip_prefix('='));
    values
        .map(|value| value.trim().trim_matches('"').to_owned())
        .collect()
}
