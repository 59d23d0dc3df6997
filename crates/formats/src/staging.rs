//! A folder that exists as a whole or not at all.
//!
//! Files are written into a hidden folder beside the target, flushed, and the folder is renamed at the end; a failure
//! leaves no files behind. Files that end in `.gz` are packed, without a time in their head, so that the same
//! benchmark always has the same bytes.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

use crate::{Extra, FormatError, Place};

/// The handling of a folder that already exists.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Existing {
    /// Refuse, unless it is empty.
    #[default]
    Keep,
    /// Put the new folder in its place, once that is complete.
    Replace,
}

/// Writes files into the hidden folder.
pub(crate) struct Writer {
    root: PathBuf,
}

impl Writer {
    /// Writes a file; folders on its way are made.
    pub(crate) fn file(
        &self,
        relative: &str,
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), FormatError> {
        let path = self.place(relative)?;
        let failed = |error| cannot("write", &path, error);
        let file = File::create(&path).map_err(failed)?;
        let mut out = BufWriter::new(file);
        if path.extension().is_some_and(|ending| ending == "gz") {
            let mut packed = GzEncoder::new(&mut out, Compression::default());
            fill(&mut packed).map_err(failed)?;
            packed.finish().map_err(failed)?;
        } else {
            fill(&mut out).map_err(failed)?;
        }
        let file = out
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)
    }

    /// Writes rows as JSON, one a line.
    pub(crate) fn json_lines(
        &self,
        relative: &str,
        rows: impl Iterator<Item = Extra>,
    ) -> Result<(), FormatError> {
        self.file(relative, |out| {
            for row in rows {
                writeln!(out, "{}", Value::Object(row))?;
            }
            Ok(())
        })
    }

    /// The path of a file that is about to be written; its folder is made.
    pub(crate) fn place(&self, relative: &str) -> Result<PathBuf, FormatError> {
        let path = self.root.join(relative);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(|error| cannot("make", parent, error))?;
        }
        Ok(path)
    }

    /// A writer for a folder of this one.
    pub(crate) fn below(&self, folder: &str) -> Writer {
        Writer {
            root: self.root.join(folder),
        }
    }

    /// The hidden folder.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }
}

/// Writes a folder with the files that `fill` puts into it.
pub(crate) fn folder<T>(
    out: &Path,
    existing: Existing,
    fill: impl FnOnce(&Writer) -> Result<T, FormatError>,
) -> Result<T, FormatError> {
    refuse(out, existing)?;
    let hidden = Hidden::beside(out)?;
    let writer = Writer {
        root: hidden.path.clone(),
    };
    let made = fill(&writer)?;
    hidden.become_folder(out)?;
    Ok(made)
}

fn refuse(out: &Path, existing: Existing) -> Result<(), FormatError> {
    let Ok(metadata) = fs::symlink_metadata(out) else {
        return Ok(());
    };
    let empty = metadata.is_dir()
        && fs::read_dir(out)
            .map_err(|error| cannot("read", out, error))?
            .next()
            .is_none();
    match existing {
        _ if empty => Ok(()),
        Existing::Replace if metadata.is_dir() => Ok(()),
        Existing::Replace => Err(FormatError::invalid(
            Place::file(out),
            "this is a file, and a folder is to be written",
        )),
        Existing::Keep => Err(FormatError::invalid(
            Place::file(out),
            "this is already there, and not an empty folder",
        )
        .with_hint("choose another folder, or replace this one with --force")),
    }
}

/// A folder that vanishes unless it gets its name.
struct Hidden {
    path: PathBuf,
}

impl Hidden {
    fn beside(out: &Path) -> Result<Self, FormatError> {
        let path = hidden_name(out, "partial")?;
        if let Some(parent) = path
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty())
        {
            fs::create_dir_all(parent).map_err(|error| cannot("make", parent, error))?;
        }
        // A process of the same number that was killed may have left it.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).map_err(|error| cannot("make", &path, error))?;
        Ok(Hidden { path })
    }

    fn become_folder(self, out: &Path) -> Result<(), FormatError> {
        if out.exists() {
            let old = hidden_name(out, "old")?;
            fs::rename(out, &old).map_err(|error| cannot("rename", out, error))?;
            if let Err(error) = fs::rename(&self.path, out) {
                let _ = fs::rename(&old, out);
                return Err(cannot("rename", &self.path, error));
            }
            return fs::remove_dir_all(&old).map_err(|error| cannot("remove", &old, error));
        }
        fs::rename(&self.path, out).map_err(|error| cannot("rename", &self.path, error))
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // It is gone already if it got its name.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn hidden_name(out: &Path, what: &str) -> Result<PathBuf, FormatError> {
    let Some(name) = out.file_name() else {
        return Err(FormatError::invalid(
            Place::file(out),
            "this path has no name of its own, and the folder to write needs one",
        ));
    };
    let process = std::process::id();
    Ok(out.with_file_name(format!(".{}.{what}-{process}", name.to_string_lossy())))
}

pub(crate) fn cannot(action: &'static str, path: &Path, source: io::Error) -> FormatError {
    FormatError::Io {
        action,
        path: path.to_owned(),
        source,
    }
}
