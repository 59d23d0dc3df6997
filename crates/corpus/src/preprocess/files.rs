//! The files of a source: by path, and by the name in an `#include`.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use super::directive::Lines;
use crate::lines::LineStarts;

/// Folders of other platforms than this one: a header that several folders have is not theirs.
const FOREIGN: &str = "\
    win32 win64 windows windows_nt win mingw mingw32 cygwin msvc msc vc darwin macos macosx osx mac apple ios bsd \
    freebsd openbsd netbsd dragonfly solaris sunos aix hpux irix qnx vms os2 dos msdos wince uwp amiga beos haiku \
    android emscripten wasm wasi arm arm64 aarch64 mips ppc powerpc riscv sparc s390 s390x";

/// A file that may be read.
#[derive(Debug)]
pub struct SourceText {
    /// Its path in the source, with `/` between folders.
    pub path: String,
    /// Its text.
    pub text: String,
    /// The template that it was made from, where the source has it as such only.
    pub template: Option<String>,
    /// Its directives.
    pub lines: Lines,
    /// The beginnings of its lines.
    line_starts: LineStarts,
}

impl SourceText {
    /// Cuts a file into lines.
    pub fn new(path: String, text: String) -> SourceText {
        SourceText {
            path,
            template: None,
            lines: Lines::of(&text),
            line_starts: LineStarts::of(&text),
            text,
        }
    }

    /// The first and the last line of a range of bytes, from 1.
    pub fn lines_of(&self, range: &Range<usize>) -> (u32, u32) {
        self.line_starts.of_range(range)
    }
}

/// The files of a source that may be read.
#[derive(Debug, Default)]
pub struct Files {
    by_path: BTreeMap<String, Arc<SourceText>>,
    /// Paths by their last part, in order: an include names few files of many.
    by_name: HashMap<String, Vec<String>>,
}

impl Files {
    /// Adds a file, or replaces one of the same path.
    pub fn insert(&mut self, path: String, file: Arc<SourceText>) {
        let paths = self.by_name.entry(last_part(&path).to_owned()).or_default();
        if let Err(place) = paths.binary_search(&path) {
            paths.insert(place, path.clone());
        }
        self.by_path.insert(path, file);
    }

    /// All files, by path.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<SourceText>> {
        self.by_path.values()
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<&Arc<SourceText>> {
        self.by_path.get(path)
    }

    /// The file that an include means: beside the including file, otherwise in the first of the folders of a build,
    /// otherwise the nearest whose path ends so, otherwise one of that name that a build makes. In angle brackets
    /// (`system`) a file does not mean itself (`adapters/lib.h` includes the `<lib.h>` that it adapts), and the
    /// folders of a build come first.
    pub fn resolve(
        &self,
        from: &str,
        name: &str,
        system: bool,
        folders: &[String],
    ) -> Option<&Arc<SourceText>> {
        let in_folder = |folder: &String| self.get(&normalized(folder, name)?);
        let mut in_folders = folders.iter().filter_map(in_folder);
        if let Some(file) = in_folders.next().filter(|_| system) {
            return Some(file);
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = normalized(folder, name)?;
        let is_meant = |path: &str| !(system && path == from);
        if let Some(file) = self.get(&beside).filter(|file| is_meant(&file.path)) {
            return Some(file);
        }
        if let Some(file) = folders.iter().find_map(in_folder) {
            return Some(file);
        }
        let wanted = normalized("", name.trim_start_matches("../").trim_start_matches("./"))?;
        let ends_so = |path: &&String| {
            path.strip_suffix(wanted.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
        };
        let common = |path: &str| {
            path.split('/')
                .zip(from.split('/'))
                .take_while(|(a, b)| a == b)
                .count()
        };
        let named = self.by_name.get(last_part(&wanted))?;
        let is_foreign = |path: &str| {
            let mut parts = path.split('/');
            parts.any(|part| {
                FOREIGN
                    .split_whitespace()
                    .any(|word| part.eq_ignore_ascii_case(word))
            })
        };
        // Ties go to the first path in order.
        let meant = named.iter().filter(ends_so).filter(|path| is_meant(path));
        let nearest = meant.min_by_key(|path| {
            let deep = path.matches('/').count();
            (usize::MAX - common(path), is_foreign(path), deep)
        });
        // The build decides the path of a header that it makes, which its template need not show.
        let is_made = |path: &&String| self.get(path).is_some_and(|file| file.template.is_some());
        let made = || named.iter().find(is_made);
        self.get(nearest.or_else(made)?)
    }
}

impl FromIterator<(String, Arc<SourceText>)> for Files {
    fn from_iter<I: IntoIterator<Item = (String, Arc<SourceText>)>>(list: I) -> Files {
        let mut files = Files::default();
        for (path, file) in list {
            files.insert(path, file);
        }
        files
    }
}

impl<const N: usize> From<[(String, Arc<SourceText>); N]> for Files {
    fn from(list: [(String, Arc<SourceText>); N]) -> Files {
        list.into_iter().collect()
    }
}

fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// Joins and tidies a path; `None` when it leaves the source.
fn normalized(folder: &str, name: &str) -> Option<String> {
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(name.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
