//! Folders to compile in.
//!
//! A [`Workplace`] is one private folder in the system's temporary folder; each text gets a [`Scratch`] folder
//! inside it, which is removed when its verdict is known. A process that is killed cannot clean up. A workplace
//! therefore holds a lock on its folder, and opening the next one removes those of the user that are no longer
//! locked.

use std::env;
use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use tempfile::TempDir;

use crate::CheckError;

const PREFIX: &str = "barecode-work-";

/// The folder in which one process's compilers work.
#[derive(Debug)]
pub(crate) struct Workplace {
    folder: TempDir,
    /// Locked as long as the workplace is in use; the system unlocks it when the process ends.
    _held: File,
    /// The number of programs that were run in the workplace.
    pub(crate) started: AtomicU64,
}

impl Workplace {
    /// Makes a workplace, and removes abandoned ones.
    pub(crate) fn open() -> Result<Self, CheckError> {
        Workplace::open_in(&env::temp_dir())
    }

    /// The same in the folder `parent`.
    fn open_in(parent: &Path) -> Result<Self, CheckError> {
        let workplace = make(parent).map_err(|source| scratch_error(parent, source))?;
        // Folders that cannot be removed do no harm.
        let _ = clear_abandoned(&workplace);
        Ok(workplace)
    }

    /// A fresh folder with one file in it.
    pub(crate) fn scratch_with(&self, name: &str, text: &str) -> Result<Scratch, CheckError> {
        let scratch = self.scratch()?;
        fs::write(scratch.path().join(name), text).map_err(|source| self.error(source))?;
        Ok(scratch)
    }

    /// A fresh folder.
    pub(crate) fn scratch(&self) -> Result<Scratch, CheckError> {
        tempfile::tempdir_in(&self.folder)
            .map(Scratch)
            .map_err(|source| self.error(source))
    }

    /// The [`CheckError`] for an error in a scratch folder.
    pub(crate) fn error(&self, source: io::Error) -> CheckError {
        let folder = self.folder.path();
        scratch_error(folder.parent().unwrap_or(folder), source)
    }
}

/// The folder that one program works in; it is gone afterwards.
#[derive(Debug)]
pub(crate) struct Scratch(TempDir);

impl Scratch {
    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Returns `true` if the disk is full. A text can print any message; only the disk can be full.
    pub(crate) fn disk_is_full(&self) -> bool {
        // The compiler removed its incomplete output, so a little space may be free.
        let wrote = fs::write(self.path().join("room"), vec![0; 256 * 1024]);
        wrote.is_err_and(|error| is_full(&error))
    }
}

fn make(parent: &Path) -> io::Result<Workplace> {
    let private = Permissions::from_mode(0o700);
    loop {
        let folder = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(private.clone())
            .tempdir_in(parent)?;
        // Until it is locked, another process may treat the folder as abandoned.
        let held = match File::open(&folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            opened => opened?,
        };
        held.lock()?;
        let same = fs::metadata(&folder)
            .is_ok_and(|now| held.metadata().is_ok_and(|then| now.ino() == then.ino()));
        if same {
            return Ok(Workplace {
                folder,
                _held: held,
                started: AtomicU64::new(0),
            });
        }
    }
}

fn clear_abandoned(workplace: &Workplace) -> io::Result<()> {
    let own = workplace.folder.path();
    let user = fs::symlink_metadata(own)?.uid();
    for entry in fs::read_dir(own.parent().unwrap_or(own))? {
        // Other folders appear and disappear meanwhile; an entry that cannot be read is not ours to remove.
        let Ok(entry) = entry else { continue };
        let Ok(metadata) = entry.metadata() else {
            continue;
        };
        let named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if named && metadata.is_dir() && metadata.uid() == user && entry.path() != own {
            let Ok(held) = File::open(entry.path()) else {
                continue;
            };
            if held.try_lock().is_ok() {
                // Under the lock, so that the process that just made it waits, sees it gone, and makes another.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }
    Ok(())
}

fn is_full(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
    )
}

fn scratch_error(folder: &Path, source: io::Error) -> CheckError {
    let folder = PathBuf::from(folder);
    if is_full(&source) {
        let hint = "make room, or let TMPDIR name a folder on another disk; then run the same command again";
        return CheckError::DiskFull {
            path: folder,
            hint: hint.to_owned(),
        };
    }
    CheckError::Scratch { folder, source }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn many_may_open_workplaces_at_once_and_keep_them() {
        let parent = tempfile::tempdir().unwrap();
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let workplace = Workplace::open_in(parent.path()).unwrap();
                        let scratch = workplace.scratch_with("unit.c", "int f;").unwrap();
                        assert_eq!(
                            fs::read_to_string(scratch.path().join("unit.c")).unwrap(),
                            "int f;"
                        );
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&parent).unwrap().count(), 0);
    }

    #[test]
    fn what_a_killed_process_left_is_cleared_away() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join(format!("{PREFIX}left"));
        let other = parent.path().join("other");
        for folder in [&left, &other] {
            fs::create_dir(folder).unwrap();
            fs::write(folder.join("unit.c"), "int f;").unwrap();
        }
        let workplace = Workplace::open_in(parent.path()).unwrap();
        assert!(!left.exists() && other.exists());
        // One that is in use stays.
        let next = Workplace::open_in(parent.path()).unwrap();
        assert!(workplace.folder.path().exists() && next.folder.path().exists());
    }
}
