//! `git:REPOSITORY[@REVISION]`: a commit of a repository, read from its objects without a checkout.
//!
//! An address is cloned bare into the user's cache first; a local path is read where it lies. Hooks,
//! filters and submodules never come into play, because files are read with `git cat-file`.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use barecode_records::Digest;

use super::{Content, Facts, NEVER_READ_ABOVE, SourceError, SourceFile, Wanted, Wish};

/// Reads the wanted files of a commit.
pub(super) fn read(
    from: &str,
    repository: &str,
    base: &Path,
    wanted: &Wanted,
) -> Result<(Facts, BTreeMap<String, SourceFile>), SourceError> {
    let (address, revision) = address_and_revision(repository, base);
    let git = Git {
        from,
        folder: locate(from, address, base)?,
    };
    let commit = git.text(&[
        "rev-parse",
        "--verify",
        "--end-of-options",
        &format!("{revision}^{{commit}}"),
    ])?;
    let commit = commit.trim().to_owned();
    let listing = git.text(&["ls-tree", "-r", "-z", "--long", &commit])?;
    let mut files = BTreeMap::new();
    let mut blobs = Vec::new();
    for entry in listing.split('\0') {
        // `<mode> blob <object> <size>\t<path>`; links and submodules have other modes and types.
        let Some((facts, path)) = entry.split_once('\t') else {
            continue;
        };
        let facts: Vec<&str> = facts.split_ascii_whitespace().collect();
        let &[mode, "blob", object, size] = facts.as_slice() else {
            continue;
        };
        if mode == "120000" {
            continue;
        }
        let Some(wish) = wanted.wish(path) else {
            continue;
        };
        let wanted = wish == Wish::Functions;
        let content = match size.parse::<u64>() {
            _ if wish == Wish::Nothing => Content::NotRead,
            Ok(size) if size > NEVER_READ_ABOVE => Content::TooLarge(size),
            _ => {
                blobs.push((path.to_owned(), object.to_owned()));
                Content::NotRead
            }
        };
        files.insert(path.to_owned(), SourceFile { content, wanted });
    }
    git.contents(&blobs, &mut files)?;
    let repository = address.contains("://").then(|| address.to_owned());
    let facts = Facts {
        repository,
        version: None,
        commit: Some(commit),
        license: None,
    };
    Ok((facts, files))
}

/// Where the repository lies, and the revision behind its last `@`, which may hold slashes: `topic/new`.
fn address_and_revision<'a>(repository: &'a str, base: &Path) -> (&'a str, &'a str) {
    let split = |at: usize| repository.split_at_checked(at);
    // In a folder's name an `@` is a letter; what is a folder is no revision.
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
fn locate(from: &str, address: &str, base: &Path) -> Result<PathBuf, SourceError> {
    let local = base.join(address);
    if local.is_dir() {
        return Ok(local);
    }
    let is_address = address.contains("://") || (address.contains(':') && address.contains('@'));
    if !is_address {
        return Err(SourceError::Unreadable {
            from: from.to_owned(),
            path: local,
            message: "no such folder, and not an address".to_owned(),
        });
    }
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
    let cache =
        cache.or_else(|| std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")));
    let cache = cache
        .unwrap_or_else(std::env::temp_dir)
        .join("barecode/git");
    let name: String = Digest::new("clone")
        .field(address)
        .hex()
        .chars()
        .take(16)
        .collect();
    let folder = cache.join(name);
    let git = Git {
        from,
        folder: folder.clone(),
    };
    if folder.join("HEAD").is_file() {
        // What cannot be reached now may have been fetched before.
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
            reason = "git reads the objects of a source"
        )]
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.folder).args(arguments);
        // Nothing may ask for a password, and the commit that is recorded must be the one that is read: what
        // a hook of another repository sets must not lead there, nor replacements to other objects.
        command.env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
        command.env("GIT_NO_REPLACE_OBJECTS", "1");
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
            .unwrap_or("it said nothing")
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

    /// Reads blobs through one `git cat-file --batch`.
    fn contents(
        &self,
        blobs: &[(String, String)],
        files: &mut BTreeMap<String, SourceFile>,
    ) -> Result<(), SourceError> {
        let arguments = ["cat-file", "--batch"];
        let mut command = self.command(&arguments);
        let mut child = command
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| self.missing(&error))?;
        let mut asking = child.stdin.take().expect("its input is piped");
        let mut answers = BufReader::new(child.stdout.take().expect("its output is piped"));
        let mut set = |path: &str, content| {
            let file = files.get_mut(path).expect("every blob was listed");
            file.content = content;
        };
        let mut read_all = || -> std::io::Result<()> {
            for (path, object) in blobs {
                writeln!(asking, "{object}")?;
                asking.flush()?;
                let mut header = String::new();
                answers.read_line(&mut header)?;
                // `<object> blob <size>`, or `<object> missing` in a partial clone.
                let size = header
                    .split_ascii_whitespace()
                    .nth(2)
                    .and_then(|size| size.parse::<usize>().ok());
                let Some(size) = size else {
                    let message = format!("git has no object {object}");
                    set(path, Content::Unreadable(message));
                    continue;
                };
                let mut bytes = vec![0; size + 1];
                answers.read_exact(&mut bytes)?;
                bytes.pop();
                set(path, Content::Bytes(bytes));
            }
            Ok(())
        };
        let result = read_all();
        drop(asking);
        let _ = child.wait();
        result.map_err(|error| self.failed(&arguments, &error.to_string()))
    }
}
