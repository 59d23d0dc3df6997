//! The files of a source: by path, and by the name in an `#include`.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use barecode_records::Recent;
use barecode_sources::Source;

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

    /// About the bytes that it takes.
    fn weight(&self) -> usize {
        self.text.len() + self.lines.weight() + self.line_starts.weight()
    }

    /// The first and the last line of a range of bytes, from 1.
    pub fn lines_of(&self, range: &Range<usize>) -> (u32, u32) {
        self.line_starts.of_range(range)
    }
}

/// The files of a source that may be read. Texts of the source are cut into lines when they are needed, and those that
/// were not needed for long are dropped.
pub struct Files<'s> {
    by_path: BTreeMap<String, Place>,
    /// Paths by their last part, in order: an include names few files of many.
    by_name: HashMap<String, Vec<String>>,
    source: Option<&'s Source>,
    recent: Recent<String, Arc<SourceText>>,
}

/// The place of a file's text.
#[derive(Debug)]
enum Place {
    /// The source has it; true if a build made it.
    Source(bool),
    /// Memory holds it: it is not a file of the source.
    Here(Arc<SourceText>),
}

/// The template of a header that the build of its source made.
const BUILD: &str = "the build";

/// The bytes that files of a source may have in memory, and those of a large source.
const RECENT: [usize; 2] = [160 << 20, 48 << 20];

impl Default for Files<'_> {
    fn default() -> Self {
        Files {
            by_path: BTreeMap::new(),
            by_name: HashMap::new(),
            source: None,
            recent: Recent::of_weight(RECENT[0], |file| file.weight()),
        }
    }
}

impl<'s> Files<'s> {
    /// Files of a source at these paths.
    pub(crate) fn of(source: &'s Source, paths: Vec<String>) -> Files<'s> {
        let mut files = Files {
            source: Some(source),
            recent: Recent::of_weight(RECENT[usize::from(source.is_large())], |file| file.weight()),
            ..Files::default()
        };
        for path in paths {
            let is_made = source.build().is_some_and(|build| build.made(&path));
            files.add(path, Place::Source(is_made));
        }
        files
    }

    /// Adds a file, or replaces one of the same path.
    pub fn insert(&mut self, path: String, file: Arc<SourceText>) {
        self.add(path, Place::Here(file));
    }

    fn add(&mut self, path: String, place: Place) {
        let paths = self.by_name.entry(last_part(&path).to_owned()).or_default();
        if let Err(place) = paths.binary_search(&path) {
            paths.insert(place, path.clone());
        }
        self.by_path.insert(path, place);
    }

    /// The paths of all files, in order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(String::as_str)
    }

    /// The paths of the files whose last part is that of a path, in order.
    pub(crate) fn named(&self, path: &str) -> &[String] {
        self.by_name.get(last_part(path)).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if a file has this path.
    pub fn has(&self, path: &str) -> bool {
        self.by_path.contains_key(path)
    }

    /// The file at a path.
    pub fn get(&self, path: &str) -> Option<Arc<SourceText>> {
        let is_made = match self.by_path.get(path)? {
            Place::Here(file) => return Some(Arc::clone(file)),
            Place::Source(is_made) => *is_made,
        };
        if let Some(file) = self.recent.get(path) {
            return Some(file);
        }
        let mut file = SourceText::new(path.to_owned(), self.source?.text(path));
        file.template = is_made.then(|| BUILD.to_owned());
        Some(self.recent.put(path.to_owned(), Arc::new(file)))
    }

    /// Drops what can be read again.
    pub(crate) fn forget(&self) {
        self.recent.clear();
    }

    /// The text of a file.
    pub(crate) fn text(&self, path: &str) -> Option<String> {
        match self.by_path.get(path)? {
            Place::Here(file) => Some(file.text.clone()),
            Place::Source(_) => Some(self.source?.text(path)),
        }
    }

    /// Returns `true` if a build makes the file at a path, or would make it.
    fn is_made(&self, path: &str) -> bool {
        match self.by_path.get(path) {
            Some(Place::Here(file)) => file.template.is_some(),
            Some(Place::Source(is_made)) => *is_made,
            None => false,
        }
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
    ) -> Option<Arc<SourceText>> {
        let in_folder = |folder: &String| normalized(folder, name).filter(|path| self.has(path));
        let mut in_folders = folders.iter().filter_map(in_folder);
        if let Some(path) = in_folders.next().filter(|_| system) {
            return self.get(&path);
        }
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = normalized(folder, name)?;
        let is_meant = |path: &str| !(system && path == from);
        if self.has(&beside) && is_meant(&beside) {
            return self.get(&beside);
        }
        if let Some(path) = folders.iter().find_map(in_folder) {
            return self.get(&path);
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
        let made = || named.iter().find(|path| self.is_made(path));
        self.get(nearest.or_else(made)?)
    }
}

impl FromIterator<(String, Arc<SourceText>)> for Files<'_> {
    fn from_iter<I: IntoIterator<Item = (String, Arc<SourceText>)>>(list: I) -> Self {
        let mut files = Files::default();
        for (path, file) in list {
            files.insert(path, file);
        }
        files
    }
}

impl<const N: usize> From<[(String, Arc<SourceText>); N]> for Files<'_> {
    fn from(list: [(String, Arc<SourceText>); N]) -> Self {
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
