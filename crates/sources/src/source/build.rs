//! `compile_commands.json`, which a build leaves → the options that each file is compiled with, and the headers that
//! the build made.
//!
//! Nothing is run: the build was made before. Its paths are absolute, so the root of the source among them is the
//! beginning that most files of the source share. A header that only the build has becomes a file of the source that
//! is not mined. Its path is below the build's folder of the source if the build is inside the source, else below
//! `<build>`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use barecode_languages::{FileKind, of_path};
use barecode_records::{Spool, guarded};
use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use super::error::SourceError;
use super::listing::{Content, Listing, NEVER_READ_ABOVE, SourceFile};
use super::paths::mined;

/// The folder of the source that represents a build outside of it.
const OUTSIDE: &str = "<build>";

/// The options of the compiler besides a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct CompileOptions {
    /// `-D` and `-U` in order, as lines: `#define LEVEL 3`, `#undef LOUD`.
    pub macros: Vec<String>,
    /// The folders of the source that includes are looked up in, in order; empty for its root.
    pub folders: Vec<String>,
    /// Headers to include first.
    pub forced: Vec<String>,
}

/// A build of a source.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Build {
    commands: BTreeMap<String, CompileOptions>,
    /// The options that all commands share, for headers that are read by themselves.
    shared: CompileOptions,
    headers: BTreeSet<String>,
    /// Not part of the digest: their location depends on this machine.
    #[serde(skip)]
    folders_elsewhere: BTreeSet<String>,
}

/// One command of the file.
#[derive(Deserialize)]
struct Command {
    directory: PathBuf,
    file: PathBuf,
    #[serde(rename = "command")]
    line: Option<String>,
    arguments: Option<Vec<String>>,
}

impl Build {
    /// The options of a file that begins a translation unit, or of a header by itself; `None` for a file that the
    /// build does not compile.
    pub fn options_of(&self, path: &str) -> Option<&CompileOptions> {
        let is_unit = of_path(path).is_some_and(|(_, kind)| kind == FileKind::Unit);
        let shared = (!is_unit).then_some(&self.shared);
        self.commands.get(path).or(shared)
    }

    /// Returns `true` if only the build has this file.
    pub fn made(&self, path: &str) -> bool {
        self.headers.contains(path)
    }

    /// Returns the number of files that it compiles, headers it made, and include folders it has that are neither in
    /// the source nor in the build.
    pub fn describe(&self) -> serde_json::Value {
        serde_json::json!({
            "files": self.commands.len(),
            "headers": self.headers.len(),
            "folders_elsewhere": self.folders_elsewhere.len(),
        })
    }

    /// Reads the commands, and adds the build's headers to the files.
    pub(super) fn read(
        from: &str,
        json: &Path,
        Listing { files, spool, .. }: &mut Listing,
    ) -> Result<Build, SourceError> {
        let unreadable = |message: String| SourceError::Unreadable {
            from: from.to_owned(),
            path: json.to_owned(),
            message: format!(
                "{message} (`cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON` or `bear -- make` writes it)"
            ),
        };
        // Editors like a link to it in the source.
        let real = json
            .canonicalize()
            .map_err(|error| unreadable(error.to_string()))?;
        let text = guarded::read(&real).map_err(|error| unreadable(error.to_string()))?;
        let commands: Vec<Command> =
            serde_json::from_slice(&text).map_err(|error| unreadable(error.to_string()))?;
        let compiled: Vec<(PathBuf, &Command)> = commands
            .iter()
            .map(|command| (tidy(&command.directory.join(&command.file)), command))
            .collect();
        let Some(root) = root_of(compiled.iter().map(|(path, _)| &**path), files) else {
            let count = commands.len();
            return Err(unreadable(format!(
                "none of its {count} commands compiles a file of the source"
            )));
        };
        let folder = real.parent().unwrap_or(Path::new("/")).to_owned();
        let mut places = Places {
            root,
            folder,
            build: Build::default(),
            folders: BTreeSet::new(),
        };
        for (path, command) in &compiled {
            let Some(path) = places
                .in_source(path)
                .filter(|path| files.contains_key(path))
            else {
                continue;
            };
            let options = places.options(command, files).map_err(&unreadable)?;
            places.build.commands.entry(path).or_insert(options);
        }
        places.add_headers(files, spool);
        let mut build = places.build;
        build.shared = shared(build.commands.values());
        Ok(build)
    }
}

/// The locations of the source and the build.
struct Places {
    root: PathBuf,
    folder: PathBuf,
    build: Build,
    /// Folders of the build that includes are looked up in.
    folders: BTreeSet<PathBuf>,
}

impl Places {
    /// The path in the source of a path on the machine that built it.
    fn in_source(&self, path: &Path) -> Option<String> {
        if let Ok(inside) = path.strip_prefix(&self.root) {
            return inside.to_str().map(str::to_owned);
        }
        let inside = path.strip_prefix(&self.folder).ok()?.to_str()?;
        let path = format!("{OUTSIDE}/{inside}");
        Some(path.trim_end_matches('/').to_owned())
    }

    /// The options of a command besides its file.
    fn options(
        &mut self,
        command: &Command,
        files: &BTreeMap<String, SourceFile>,
    ) -> Result<CompileOptions, String> {
        let words = match (&command.arguments, &command.line) {
            (Some(arguments), _) => arguments.clone(),
            (None, Some(line)) => {
                shlex::split(line).ok_or_else(|| format!("a quote is not closed in `{line}`"))?
            }
            (None, None) => {
                let file = command.file.display();
                return Err(format!("`{file}` has neither `command` nor `arguments`"));
            }
        };
        let mut options = CompileOptions::default();
        let (mut quoted, mut system) = (Vec::new(), Vec::new());
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let known = [
                "-iquote",
                "-isystem",
                "-idirafter",
                "-include",
                "-I",
                "-D",
                "-U",
            ];
            let Some(flag) = known.into_iter().find(|flag| word.starts_with(flag)) else {
                continue;
            };
            let behind = word.get(flag.len()..).filter(|rest| !rest.is_empty());
            let Some(value) = behind.map(str::to_owned).or_else(|| words.next()) else {
                break;
            };
            let mut folder = |list: &mut Vec<String>| {
                let place = tidy(&command.directory.join(&value));
                let Some(path) = self.in_source(&place) else {
                    let elsewhere = place.display().to_string();
                    self.build.folders_elsewhere.insert(elsewhere);
                    return;
                };
                if place.starts_with(&self.folder) {
                    self.folders.insert(place);
                }
                list.push(path);
            };
            match flag {
                "-D" => options.macros.push(match value.split_once('=') {
                    Some((name, value)) => format!("#define {name} {value}"),
                    None => format!("#define {value} 1"),
                }),
                "-U" => options.macros.push(format!("#undef {value}")),
                "-include" => {
                    let place = tidy(&command.directory.join(&value));
                    let path = self.in_source(&place);
                    // Else it is looked up as any other include.
                    let is_there = |path: &String| files.contains_key(path) || place.is_file();
                    options.forced.push(path.filter(is_there).unwrap_or(value));
                    let parent = place
                        .parent()
                        .filter(|parent| parent.starts_with(&self.folder));
                    self.folders
                        .extend(parent.filter(|_| place.is_file()).map(Path::to_owned));
                }
                "-iquote" => folder(&mut quoted),
                "-I" => folder(&mut options.folders),
                _ => folder(&mut system),
            }
        }
        quoted.append(&mut options.folders);
        quoted.append(&mut system);
        options.folders = quoted;
        Ok(options)
    }

    /// Reads the headers below the build's folders that the source does not have. Files of the build inside the
    /// source are not mined.
    fn add_headers(&mut self, files: &mut BTreeMap<String, SourceFile>, spool: &Spool) {
        let own = self.in_source(&self.folder).filter(|own| !own.is_empty());
        let in_build = |path: &str| {
            let rest = own.as_ref().and_then(|own| path.strip_prefix(own.as_str()));
            rest.is_some_and(|rest| rest.starts_with('/'))
        };
        for (path, file) in files.iter_mut().filter(|(path, _)| in_build(path)) {
            file.wanted &= self.build.commands.contains_key(path);
            if !file.wanted {
                self.build.headers.insert(path.clone());
            }
        }
        for folder in &self.folders {
            let entries = WalkDir::new(folder).sort_by_file_name().into_iter();
            for entry in entries
                .flatten()
                .filter(|entry| entry.file_type().is_file())
            {
                let Some(path) = self.in_source(entry.path()) else {
                    continue;
                };
                let is_header = mined(&path).is_some_and(|(_, kind)| kind != FileKind::Unit);
                let size = entry.metadata().map_or(u64::MAX, |metadata| metadata.len());
                if !is_header || size > NEVER_READ_ABOVE || files.contains_key(&path) {
                    continue;
                }
                let Ok(bytes) = guarded::read(entry.path()) else {
                    continue;
                };
                let content = Content::Bytes(spool.put(bytes));
                let wanted = false;
                self.build.headers.insert(path.clone());
                files.insert(path, SourceFile { content, wanted });
            }
        }
    }
}

/// The folder that contains most of the paths that are files of the source.
fn root_of<'p>(
    compiled: impl Iterator<Item = &'p Path>,
    files: &BTreeMap<String, SourceFile>,
) -> Option<PathBuf> {
    let mut roots: BTreeMap<&Path, usize> = BTreeMap::new();
    for path in compiled {
        // The longest end that is a file of the source.
        let root = path.ancestors().skip(1).collect::<Vec<_>>();
        let root = root.into_iter().rev().find(|root| {
            let inside = path.strip_prefix(root).ok().and_then(Path::to_str);
            inside.is_some_and(|inside| files.contains_key(inside))
        });
        if let Some(root) = root {
            *roots.entry(root).or_default() += 1;
        }
    }
    let most = roots.into_iter().rev().max_by_key(|(_, count)| *count);
    most.map(|(root, _)| root.to_owned())
}

/// The options that all have in common; folders of any, in the order in which they are found.
fn shared<'o>(all: impl Iterator<Item = &'o CompileOptions> + Clone) -> CompileOptions {
    let mut shared = all.clone().next().cloned().unwrap_or_default();
    for options in all {
        shared.macros.retain(|line| options.macros.contains(line));
        shared.forced.retain(|path| options.forced.contains(path));
        for folder in &options.folders {
            if !shared.folders.contains(folder) {
                shared.folders.push(folder.clone());
            }
        }
    }
    shared
}

/// A path without `.` and `..`.
fn tidy(path: &Path) -> PathBuf {
    let mut tidy = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                tidy.pop();
            }
            part => tidy.push(part),
        }
    }
    tidy
}
