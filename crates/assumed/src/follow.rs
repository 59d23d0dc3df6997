//! The commands of a build file → the settings that they make on Linux with gcc.
//!
//! Branches whose condition is false are not followed, nor are calls of a project's own functions. A variable that a
//! function, an unsure branch or an unknown command may set is in doubt: it has a value, and a unit that uses it
//! names the doubt.

use std::collections::BTreeSet;

use crate::Platform;
use crate::build_files::Command;
use crate::conditions::{Truth, Value, filled, holds};
use crate::words::last_part;

/// Build files by path, the outermost first.
type Files<'a> = [(&'a String, Vec<Command>)];

/// The conditions that are true on this platform, and those that are false.
const HOLDS: &str = "\
    UNIX LINUX CMAKE_HOST_UNIX CMAKE_HOST_LINUX CMAKE_COMPILER_IS_GNUCC CMAKE_COMPILER_IS_GNUCXX Threads_FOUND \
    THREADS_FOUND CMAKE_USE_PTHREADS_INIT CMAKE_HAVE_PTHREAD_H";
const FAILS: &str = "\
    WIN32 MSVC MINGW CYGWIN MSYS APPLE IOS ANDROID BORLAND WATCOM XCODE EMSCRIPTEN MSVC_IDE MSVC_VERSION MSVC12 MSVC14 \
    BEOS HAIKU BSD FREEBSD SOLARIS WINDOWS_STORE WINDOWS_PHONE VCPKG_TARGET_TRIPLET CMAKE_CROSSCOMPILING CMAKE_HOST_WIN32 \
    CMAKE_HOST_APPLE CMAKE_CL_64 CMAKE_TOOLCHAIN_FILE";
const IS: [(&str, &str); 8] = [
    ("CMAKE_VERSION", "3.31.0"),
    ("CMAKE_SYSTEM_NAME", "Linux"),
    ("CMAKE_HOST_SYSTEM_NAME", "Linux"),
    ("CMAKE_SYSTEM_PROCESSOR", "x86_64"),
    ("CMAKE_SIZEOF_VOID_P", "8"),
    ("CMAKE_C_COMPILER_ID", "GNU"),
    ("CMAKE_CXX_COMPILER_ID", "GNU"),
    ("CMAKE_CXX_SIMULATE_ID", ""),
];

/// Commands that set none of the variables that they name, by how they begin.
const READERS: &str = "\
    message install target_ add_ link_ export mark_as_ cmake_minimum cmake_policy configure_file set_property \
    set_target_ set_source_ source_group enable_ generate_export return endif endforeach endfunction endmacro \
    endwhile break";

/// The way in which a branch is followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Taken,
    /// It is taken, or would be if a guess was wrong.
    Guessed,
    /// It is not taken, unless a guess was wrong.
    Doubted,
    Dead,
}

/// The branches of an `if` so far.
struct Branches {
    around: Way,
    way: Way,
    /// True if one of them was taken; sure if every decision so far is sure.
    before: Truth,
}

impl Branches {
    /// Goes on to the next branch.
    fn enter(&mut self, truth: Truth) {
        let is_sure = self.before.is_sure && truth.is_sure;
        let holds = truth.holds && !self.before.holds;
        let is_over = self.before.holds && self.before.is_sure;
        self.way = match (self.around, holds, is_sure) {
            (Way::Dead, _, _) | (Way::Taken | Way::Guessed, false, true) => Way::Dead,
            _ if is_over || (truth.is_sure && !truth.holds) => Way::Dead,
            (Way::Doubted, _, _) | (_, false, false) => Way::Doubted,
            (Way::Taken, true, true) => Way::Taken,
            (_, true, _) => Way::Guessed,
        };
        self.before = Truth {
            holds: self.before.holds || truth.holds,
            is_sure,
        };
    }
}

impl Platform {
    /// Takes the settings of all build files, the outermost first, included ones at the point of inclusion.
    /// Variables that a later file sets are its own.
    pub(super) fn follow(&mut self, files: &Files) {
        let mut seen = BTreeSet::new();
        for at in 0..files.len() {
            let outer: BTreeSet<String> = self.settings.keys().cloned().collect();
            self.follow_file(at, files, &outer, &mut seen);
        }
    }

    fn follow_file(
        &mut self,
        at: usize,
        files: &Files,
        outer: &BTreeSet<String>,
        seen: &mut BTreeSet<usize>,
    ) {
        if !seen.insert(at) {
            return;
        }
        let mut stack: Vec<Branches> = Vec::new();
        let (path, commands) = &files[at];
        let depth = |path: &str| path.matches('/').count();
        let is_outermost = files
            .first()
            .is_some_and(|(first, _)| depth(first) == depth(path));
        for command in commands {
            let way = stack.last().map_or(Way::Taken, |branches| branches.way);
            let open = |way| Branches {
                around: way,
                way,
                before: Truth::sure(false),
            };
            match command.name.as_str() {
                "if" => {
                    let truth = holds(&command.arguments, &|name| self.known(name));
                    let mut branches = open(way);
                    branches.enter(truth);
                    stack.push(branches);
                }
                "elseif" | "else" => {
                    let truth = match command.name.as_str() {
                        "else" => Truth::sure(true),
                        _ => holds(&command.arguments, &|name| self.known(name)),
                    };
                    if let Some(branches) = stack.last_mut() {
                        branches.enter(truth);
                    }
                }
                "foreach" | "while" => stack.push(open(match way {
                    Way::Taken => Way::Guessed,
                    way => way,
                })),
                "function" | "macro" => stack.push(open(match way {
                    Way::Dead => Way::Dead,
                    _ => Way::Doubted,
                })),
                "endif" | "endforeach" | "endwhile" | "endfunction" | "endmacro" => {
                    stack.pop();
                }
                _ if way == Way::Dead => {}
                "include" if way != Way::Doubted => {
                    let module = command.arguments.first().map_or("", |path| last_part(path));
                    let module = format!("{}.cmake", module.trim_end_matches(".cmake"));
                    let mut paths = files.iter().map(|(path, _)| last_part(path));
                    if let Some(at) = paths.position(|name| name == module) {
                        self.follow_file(at, files, outer, seen);
                    }
                }
                _ => self.take(command, way, is_outermost, outer),
            }
        }
    }

    fn take(&mut self, command: &Command, way: Way, is_outermost: bool, outer: &BTreeSet<String>) {
        let appended = self.appended(command);
        let mut set = |name: &str, value: &str, overrides: bool| {
            let Some(name) = self.composed(name) else {
                return;
            };
            let name = name.as_str();
            if outer.contains(name) {
                return;
            }
            match way {
                Way::Doubted => {
                    self.doubts.insert(name.to_owned());
                }
                way => self.set(name, value, overrides, way == Way::Taken),
            }
        };
        match (command.name.as_str(), command.arguments.as_slice()) {
            ("option" | "cmake_dependent_option", [name, _, value, ..]) => set(name, value, false),
            ("option", [name, _]) => set(name, "OFF", false),
            ("check_type_size", [kind, name, ..])
                if super::words::size_of(&super::words::capitals(kind)).is_some()
                    && *kind == kind.to_lowercase() =>
            {
                let size = super::words::size_of(&super::words::capitals(kind)).unwrap_or_default();
                set(name, &size.to_string(), true);
                set(&format!("HAVE_{name}"), "1", true);
            }
            ("list", [_, name, ..]) if appended.is_some() => {
                set(name, &appended.unwrap_or_default(), true);
            }
            ("set", [name, value, rest @ ..]) if value != "CACHE" && value != "PARENT_SCOPE" => {
                set(name, value, !rest.iter().any(|word| word == "CACHE"));
            }
            ("project", [name, rest @ ..]) => {
                set("PROJECT_NAME", name, false);
                let at = rest.iter().position(|word| word == "VERSION");
                let version = at.and_then(|at| rest.get(at + 1));
                let version = version.map(|version| self.substituted(version));
                let Some(version) = version else { return };
                for prefix in ["PROJECT", name] {
                    self.version(prefix, &version);
                }
            }
            ("add_library", [name, ..]) => {
                self.libraries.insert(self.substituted(name));
            }
            (
                "target_compile_definitions" | "add_compile_definitions" | "add_definitions",
                words,
            ) => {
                let of_target = command.name.starts_with("target_");
                let target = words.first().map(|name| self.substituted(name));
                let is_of_library = target.is_some_and(|name| self.libraries.contains(&name));
                let is_for_all = if of_target {
                    is_of_library
                } else {
                    is_outermost
                };
                for word in words.get(usize::from(of_target)..).unwrap_or_default() {
                    self.define(word, way == Way::Taken, is_for_all);
                }
            }
            (name, _)
                if READERS
                    .split_whitespace()
                    .any(|reader| name.starts_with(reader)) => {}
            (_, arguments) => self.doubts.extend(arguments.iter().cloned()),
        }
    }

    /// The value of a list after `list(APPEND …)`.
    fn appended(&self, command: &Command) -> Option<String> {
        let ("list", [verb, name, words @ ..]) = (&*command.name, &*command.arguments) else {
            return None;
        };
        let before = self.known(name).0.filter(|before| !before.is_empty());
        let before = before.filter(|_| self.settings.contains_key(name));
        let words = before.into_iter().chain(words.iter().cloned());
        (verb == "APPEND").then(|| words.collect::<Vec<_>>().join(";"))
    }

    /// A name with its variables replaced by their values: `TYPES_${FORMAT}`. If a value is unknown, every name of
    /// this form is in doubt.
    fn composed(&mut self, name: &str) -> Option<String> {
        let (Some((before, _)), Some((_, behind))) = (name.split_once("${"), name.rsplit_once('}'))
        else {
            return Some(name.to_owned());
        };
        let is_unknown = std::cell::Cell::new(false);
        let value = |name: &str| {
            let value = self.known(name);
            is_unknown.set(is_unknown.get() || value.0.is_none());
            value
        };
        let (filled, is_sure) = filled(name, &value);
        if is_sure && !is_unknown.get() {
            return Some(filled);
        }
        if before.len() + behind.len() > 2 {
            self.open.push((before.to_owned(), behind.to_owned()));
        }
        None
    }

    /// Returns `true` if something sets a name that may be this one.
    fn is_open(&self, name: &str) -> bool {
        let mut open = self.open.iter();
        open.any(|(before, behind)| {
            name.starts_with(before.as_str()) && name.ends_with(behind.as_str())
        })
    }

    /// Adds a macro of a compiler's command line: `-DNAME`, `NAME=value`, `${NAME}=value`. Its value is open if the
    /// build passes it to a part of the code only, or another value elsewhere.
    fn define(&mut self, word: &str, is_taken: bool, is_for_all: bool) {
        if matches!(word, "PUBLIC" | "PRIVATE" | "INTERFACE") {
            return;
        }
        let (words, is_sure) = filled(word, &|name| self.known(name));
        for word in words.split(';') {
            self.define_one(
                word.trim_start_matches("-D"),
                is_sure && is_taken,
                is_for_all,
            );
        }
    }

    fn define_one(&mut self, word: &str, is_sure: bool, is_for_all: bool) {
        let (name, value) = word.split_once('=').unwrap_or((word, "1"));
        let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        if name.is_empty() || !name.bytes().all(is_in_name) {
            return;
        }
        self.defines.insert(name.to_owned());
        if !is_for_all {
            return;
        }
        let is_sure = is_sure && !value.contains(['$', '@']);
        let first = || is_sure.then(|| value.to_owned());
        let known = self.of_all.entry(name.to_owned()).or_insert_with(first);
        if known.as_deref() != Some(value) {
            *known = None;
        }
    }

    /// The value of a variable, and whether that is sure.
    pub(super) fn known(&self, name: &str) -> Value {
        let is_in = |list: &str| list.split_whitespace().any(|one| one == name);
        if let Some(value) = self.settings.get(name) {
            let value = self.answer(name).unwrap_or_else(|| value.clone());
            return (
                Some(value),
                !self.doubts.contains(name) && !self.is_open(name),
            );
        }
        if let Some((_, value)) = IS.iter().find(|(known, _)| *known == name) {
            return (Some((*value).to_owned()), true);
        }
        if is_in(HOLDS) {
            return (Some("1".to_owned()), true);
        }
        let asked = ["_DIR", "HAVE", "SIZEOF", "CMAKE_", "PROJECT_", "HAS_"];
        let is_asked = asked.iter().any(|word| name.contains(word)) || name.ends_with("_FOUND");
        let answer = self.answer(name);
        // A name that no build file mentions is not tested, or it is tested under a composed name.
        let is_mentioned = self.doubts.contains(name);
        let is_strict = self
            .settings
            .get("CMAKE_C_EXTENSIONS")
            .is_some_and(|on| !super::words::is_true(on));
        let is_sure = match &answer {
            Some(_) => is_mentioned && (!is_strict || name.ends_with("_H")),
            None => is_in(FAILS) || !is_asked && !is_mentioned,
        };
        (answer, is_sure)
    }
}
