//! Addresses of repositories, and their copies in the user's cache.
//!
//! A copy is bare and complete; it is made once by `git clone --mirror` and brought up to date before each use where
//! the address can be reached. Nothing in a bare copy runs: it has no hooks of the other side, no filters and no
//! checkout.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use barecode_records::Digest;

use super::error::SourceError;

/// The location of the repository, and the revision after its last `@`, which may contain slashes: `topic/new`.
pub(super) fn address_and_revision<'a>(repository: &'a str, base: &Path) -> (&'a str, &'a str) {
    let split = |at: usize| repository.split_at_checked(at);
    // In a folder's name an `@` is an ordinary character; a path of a folder has no revision.
    let mut ats = repository.rmatch_indices('@').map(|(at, _)| at);
    let folder = |at: &usize| split(*at).is_some_and(|(folder, _)| base.join(folder).is_dir());
    let local = if base.join(repository).is_dir() {
        return (repository, "HEAD");
    } else {
        ats.find(folder)
    };
    // In an address the one before the host is a user's: `ssh://git@host/path`, `git@host:path`.
    let host = match repository.split_once("://") {
        Some((scheme, rest)) => rest.find('/').map(|at| scheme.len() + 3 + at),
        None => repository.find(':'),
    };
    let behind_host = || {
        let (from, path) = (host?, split(host?)?.1);
        path.find('@').map(|at| from + at)
    };
    let last = || (host.is_none()).then(|| repository.rfind('@')).flatten();
    match local.or_else(behind_host).or_else(last).and_then(split) {
        Some((address, revision)) => (address, revision.trim_start_matches('@')),
        None => (repository, "HEAD"),
    }
}

/// The folder of the repository; an address is cloned first.
pub(super) fn locate(from: &str, address: &str, base: &Path) -> Result<PathBuf, SourceError> {
    let local = base.join(address);
    if local.is_dir() {
        return Ok(local);
    }
    if !is_address(address) {
        return Err(SourceError::Unreadable {
            from: from.to_owned(),
            path: local,
            message: "no such folder, and not an address".to_owned(),
        });
    }
    let (cache, folder) = place(address);
    let git = Git {
        from,
        folder: folder.clone(),
    };
    if folder.join("HEAD").is_file() {
        // A revision that cannot be fetched now may have been fetched before.
        let _ = git.text(&["fetch", "--quiet", "--prune", "origin", "+refs/*:refs/*"]);
        return Ok(folder);
    }
    std::fs::create_dir_all(&cache).map_err(|error| SourceError::Unreadable {
        from: from.to_owned(),
        path: cache.clone(),
        message: error.to_string(),
    })?;
    let partial = cache.join(format!(
        "{}.partial-{}",
        folder.file_name().unwrap_or_default().display(),
        std::process::id()
    ));
    let shown = partial.to_string_lossy().into_owned();
    let cloned = Git {
        from,
        folder: cache.clone(),
    }
    .text(&["clone", "--quiet", "--mirror", "--", address, &shown]);
    if let Err(error) = cloned {
        let _ = std::fs::remove_dir_all(&partial);
        return Err(error);
    }
    // Another process may have been faster; its clone is as good.
    if std::fs::rename(&partial, &folder).is_err() {
        let _ = std::fs::remove_dir_all(&partial);
    }
    Ok(folder)
}

pub(super) fn is_address(address: &str) -> bool {
    address.contains("://") || (address.contains(':') && address.contains('@'))
}

/// Returns `true` if an address has no copy on this machine yet.
pub(super) fn is_to_clone(address: &str, base: &Path) -> bool {
    let is_local = base.join(address).is_dir();
    !is_local && is_address(address) && !place(address).1.join("HEAD").is_file()
}

/// The folder of all copies, and that of one address.
fn place(address: &str) -> (PathBuf, PathBuf) {
    let cache = cache().join("git");
    let name = Digest::new("clone").field(address).hex();
    let name: String = name.chars().take(16).collect();
    let folder = cache.join(name);
    (cache, folder)
}

/// The folder in which barecode stores data that it can make again.
pub(super) fn cache() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache =
        cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    cache.unwrap_or_else(std::env::temp_dir).join("barecode")
}

/// Variables that make git look into another repository than the folder's.
const ELSEWHERE: [&str; 6] = [
    "GIT_DIR",
    "GIT_COMMON_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
];

struct Git<'a> {
    from: &'a str,
    folder: PathBuf,
}

impl Git<'_> {
    fn command(&self, arguments: &[&str]) -> Command {
        #[expect(
            clippy::disallowed_methods,
            reason = "git copies a repository from its address"
        )]
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(arguments);
        // Nothing may prompt for a password, and the recorded commit must be the one that is read. Variables that a
        // hook of another repository sets must not redirect git, nor may replacements of objects.
        command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
        // A server that sends nothing for a minute counts as unreachable.
        command
            .env("GIT_HTTP_LOW_SPEED_LIMIT", "1000")
            .env("GIT_HTTP_LOW_SPEED_TIME", "60");
        for variable in ELSEWHERE {
            command.env_remove(variable);
        }
        command
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .stdout(Stdio::piped());
        command
    }

    fn missing(&self, error: &std::io::Error) -> SourceError {
        SourceError::ProgramMissing {
            from: self.from.to_owned(),
            program: "git",
            message: error.to_string(),
        }
    }

    fn failed(&self, arguments: &[&str], message: &str) -> SourceError {
        let message = message
            .trim()
            .lines()
            .last()
            .unwrap_or("it printed nothing")
            .to_owned();
        SourceError::ProgramFailed {
            from: self.from.to_owned(),
            command: format!("git -C {} {}", self.folder.display(), arguments.join(" ")),
            message,
        }
    }

    fn text(&self, arguments: &[&str]) -> Result<String, SourceError> {
        let output = self
            .command(arguments)
            .output()
            .map_err(|error| self.missing(&error))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            Err(self.failed(arguments, &String::from_utf8_lossy(&output.stderr)))
        }
    }
}
