//! Templates and build files → the headers that a build would make, with the project's defaults on this platform.
//!
//! Nothing is run. A header is assumed if the source has a template of it (`config.h.in`, `config.h.cmake`), if
//! `CMake` generates it (`generate_export_header`), or if autoheader would write its template. The questions of the
//! template are answered in this order: by the project's own defaults (`option`, `set`, `project`, `AC_INIT`), by
//! the features of this platform's standard library and compiler (`HAVE_STRDUP`, `HAVE_UNISTD_H`, `SIZEOF_LONG`),
//! and with no. A wrong answer may cost a function, and never passes unseen. The compiler judges every unit, and a
//! unit names the headers that were assumed, with the names whose values are in doubt.
//!
//! This crate reads no code and runs no compiler.

use std::collections::{BTreeMap, BTreeSet};

use barecode_languages::standard_names::is_standard;
use barecode_languages::{FileKind, ending, of_path};
use barecode_records::Language;

mod autoconf;
mod build_files;
mod chains;
mod conditions;
mod follow;
mod words;

use build_files::{Command, commands};
use words::{capitals, is_true, last_part, size_of};

/// A header that is not in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assumed {
    /// Its path in the source.
    pub path: String,
    /// Its text, with every question answered.
    pub text: String,
    /// The template or build file that it was made from.
    pub template: String,
    /// The names in it whose values are in doubt.
    pub doubts: BTreeSet<String>,
}

impl Assumed {
    /// The description of the header in a unit: its template, and the names whose values are in doubt.
    pub fn from(&self) -> String {
        if self.doubts.is_empty() {
            return self.template.clone();
        }
        let doubts: Vec<&str> = self.doubts.iter().map(String::as_str).collect();
        format!("{}, unsure of {}", self.template, doubts.join(", "))
    }

    /// Returns `true` if a file of this name was made by a build from the template: its last lines are the
    /// template's, except for the answers to the template's questions.
    pub fn is_made(&self, template: &str, path: &str, text: &str) -> bool {
        if last_part(path) != last_part(&self.path) {
            return false;
        }
        let mut asked = template.lines().rev();
        let mut made = text.lines().rev();
        let mut same = 0;
        let is_same = |line: &str| {
            let is_plain = questions(line).is_empty();
            let is_as_written = made
                .next()
                .is_some_and(|made| made.trim_end() == line.trim_end());
            same += usize::from(is_plain && is_as_written && !line.trim().is_empty());
            !is_plain || is_as_written
        };
        asked.all(is_same) && same > 0
    }
}

/// The files and macros that a build would make from a source.
#[derive(Debug, Default)]
pub struct Build {
    /// Its headers, by path.
    pub headers: Vec<Assumed>,
    /// Macros that it defines, each with its value where all that the library is made of has this one.
    defines: BTreeMap<String, Option<String>>,
}

impl Build {
    /// The macros that the build defines for the code. Some are for the whole library, such as `PLATFORM_POSIX=1`;
    /// without others, such as `HAVE_CONFIG_H`, a file does not include the headers that the build makes.
    pub fn macros(&self, texts: impl Iterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
        let mut macros = self.guards(texts);
        for (name, value) in &self.defines {
            if let Some(value) = value {
                macros.remove(name);
                macros.insert(format!("{name}={value}"));
            }
        }
        macros
    }

    fn guards(&self, texts: impl Iterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
        if self.headers.is_empty() || self.defines.is_empty() {
            return BTreeSet::new();
        }
        let made: BTreeSet<&str> = self.headers.iter().map(|it| last_part(&it.path)).collect();
        let mut guards = BTreeSet::new();
        for text in texts {
            let lines = text
                .as_ref()
                .lines()
                .map(str::trim)
                .filter(|line| !line.is_empty());
            let mut condition = "";
            for line in lines {
                let directive = line.strip_prefix('#').map_or("", str::trim_start);
                if let Some(name) = directive.strip_prefix("include") {
                    let name = last_part(name.trim().trim_matches(['"', '<', '>']));
                    let words = || condition.split(|c: char| !c.is_alphanumeric() && c != '_');
                    if made.contains(name) {
                        let of_build = words().filter(|word| self.defines.contains_key(*word));
                        guards.extend(of_build.map(str::to_owned));
                    }
                }
                let is_positive = !directive.starts_with("ifndef") && !line.contains('!');
                let is_condition = is_positive && directive.starts_with("if");
                condition = if is_condition { line } else { "" };
            }
        }
        guards
    }
}

/// The headers and macros that a build would make of a source. `texts` are its templates and build files by path,
/// `headers` the standard headers that the compiler has. Of two headers at one path the first counts.
pub fn build<'h>(
    texts: &BTreeMap<String, Vec<u8>>,
    headers: impl IntoIterator<Item = &'h str>,
) -> Build {
    let text = |bytes: &'_ Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    // Outer files come before inner ones.
    let mut build: Vec<(&String, Vec<Command>)> = texts
        .iter()
        .filter(|(path, _)| is_cmake(path) && template_name(path).is_none())
        .map(|(path, bytes)| (path, commands(&text(bytes))))
        .collect();
    build.sort_by_key(|(path, _)| (path.matches('/').count(), *path));
    let mut platform = Platform::of(headers);
    platform.follow(&build);
    for (_, commands) in &mut build {
        for word in commands
            .iter_mut()
            .flat_map(|command| &mut command.arguments)
        {
            *word = platform.substituted(word);
        }
    }
    let scripts = texts.iter().filter(|(path, _)| is_autoconf(path));
    let scripts: Vec<(&String, autoconf::Script)> = scripts
        .map(|(path, bytes)| (path, autoconf::script(&text(bytes))))
        .collect();
    // The questions of an autoconf script are not CMake's.
    let cmake = platform.clone();
    for (_, script) in &scripts {
        platform.autoconf(script);
    }
    let mut made: BTreeMap<String, Assumed> = BTreeMap::new();
    let mut add = |path: String, (text, doubts): (String, BTreeSet<String>), from: &str| {
        let header = Assumed {
            path: path.clone(),
            text,
            template: from.to_owned(),
            doubts,
        };
        made.entry(path).or_insert(header);
    };
    for (path, bytes) in texts {
        let folder = folder_of(path);
        let all = build.iter().flat_map(|(_, commands)| commands);
        let configured = all.filter_map(|command| command.configures(last_part(path)));
        let mut names: Vec<String> = configured.filter(|name| is_header(name)).collect();
        let is_of_cmake = !names.is_empty();
        names.extend(template_name(path));
        if names.is_empty() {
            continue;
        }
        let platform = if is_of_cmake { &cmake } else { &platform };
        let filled = platform.fill(&text(bytes));
        for name in names {
            let place = if name.contains('/') {
                name
            } else {
                format!("{folder}{name}")
            };
            add(place, filled.clone(), path);
        }
    }
    for (path, commands) in &build {
        for (name, text) in commands.iter().filter_map(Command::export_header) {
            add(
                format!("{}{name}", folder_of(path)),
                (text, BTreeSet::new()),
                path,
            );
        }
    }
    for (path, script) in &scripts {
        for (header, template) in &script.headers {
            let place = |name: &str| format!("{}{name}", folder_of(path));
            if !texts.contains_key(&place(template)) {
                add(place(header), platform.fill(&script.template()), path);
            }
        }
    }
    if scripts.iter().any(|(_, script)| !script.headers.is_empty()) {
        platform.defines.insert("HAVE_CONFIG_H".to_owned());
    }
    let value = |name: &String| platform.of_all.get(name).cloned().flatten();
    let defines = platform.defines.iter();
    Build {
        headers: made.into_values().collect(),
        defines: defines.map(|name| (name.clone(), value(name))).collect(),
    }
}

/// The folder of a path with a slash after it; empty for the root.
fn folder_of(path: &str) -> &str {
    path.strip_suffix(last_part(path)).unwrap_or_default()
}

fn is_cmake(path: &str) -> bool {
    last_part(path) == "CMakeLists.txt" || ending(path) == "cmake"
}

fn is_autoconf(path: &str) -> bool {
    matches!(last_part(path), "configure.ac" | "configure.in")
}

fn is_header(path: &str) -> bool {
    of_path(path).is_some_and(|(entry, kind)| kind == FileKind::Header && entry.is_compiled())
}

/// The name of the header that a template is of, by the template's name.
fn template_name(path: &str) -> Option<String> {
    let name = last_part(path);
    let name = match name.strip_suffix(".in") {
        Some(name) => name.strip_suffix(".cmake").unwrap_or(name),
        None => name.strip_suffix(".cmake")?,
    };
    is_header(name).then(|| name.to_owned())
}

/// The known settings of the project, and the known features of the machine.
#[derive(Clone)]
struct Platform {
    settings: BTreeMap<String, String>,
    /// Names whose values something may set that is not followed.
    doubts: BTreeSet<String>,
    /// Forms of names that something sets, each as the text before and after its variables: `TYPES_${FORMAT}`.
    open: Vec<(String, String)>,
    /// The macros that are defined on the command line of a compiler.
    defines: BTreeSet<String>,
    /// Those of them that apply to the whole library, with the value where that is sure.
    of_all: BTreeMap<String, Option<String>>,
    /// The libraries that the build makes.
    libraries: BTreeSet<String>,
    /// The standard headers as configuration scripts write them: `SYS_TYPES_H`.
    headers: Vec<String>,
}

impl Platform {
    fn of<'h>(headers: impl IntoIterator<Item = &'h str>) -> Platform {
        Platform {
            settings: BTreeMap::new(),
            doubts: BTreeSet::new(),
            open: Vec::new(),
            defines: BTreeSet::new(),
            of_all: BTreeMap::new(),
            libraries: BTreeSet::new(),
            headers: headers.into_iter().map(capitals).collect(),
        }
    }

    /// Sets a name that has no value, or has another one; it is in doubt where that is not sure.
    fn set(&mut self, name: &str, value: &str, overrides: bool, is_sure: bool) {
        let is_sure = is_sure && conditions::filled(value, &|name| self.known(name)).1;
        let value = self.substituted(value);
        let known = self.settings.get(name);
        let is_other = known.is_none_or(|known| *known != value);
        if !is_sure && is_other {
            self.doubts.insert(name.to_owned());
        } else if is_sure && overrides {
            self.doubts.remove(name);
        }
        if known.is_none() || overrides {
            self.settings.insert(name.to_owned(), value);
        }
    }

    fn default(&mut self, name: &str, value: &str) {
        self.set(name, value, false, true);
    }

    fn version(&mut self, prefix: &str, version: &str) {
        self.default(&format!("{prefix}_VERSION"), version);
        let parts = version.split('.').chain(std::iter::repeat("0"));
        for (part, value) in ["MAJOR", "MINOR", "PATCH"].into_iter().zip(parts) {
            self.default(&format!("{prefix}_VERSION_{part}"), value);
        }
    }

    /// Adds the project of an autoconf script, and the macros that the script may define.
    fn autoconf(&mut self, script: &autoconf::Script) {
        if let Some((name, version)) = &script.package {
            for key in ["PACKAGE", "PACKAGE_NAME", "PACKAGE_TARNAME"] {
                self.default(key, &format!("\"{name}\""));
            }
            self.default("PACKAGE_STRING", &format!("\"{name} {version}\""));
            for key in ["VERSION", "PACKAGE_VERSION"] {
                self.default(key, &format!("\"{version}\""));
            }
            for key in ["PACKAGE_URL", "PACKAGE_BUGREPORT"] {
                self.default(key, "\"\"");
            }
        }
        for (name, value) in &script.defines {
            if let Some(value) = value {
                self.default(name, value);
            }
            self.doubts.insert(name.clone());
        }
        self.doubts.extend(script.questions.iter().cloned());
        self.doubts.extend(script.substitutes.iter().cloned());
    }

    /// The definition of a name; `None` if it is not defined.
    fn answer(&self, name: &str) -> Option<String> {
        if let Some(value) = self.settings.get(name).filter(|value| {
            // A setting that is off by a guess is on if the machine has the feature.
            let is_guess = !is_true(value) && self.doubts.contains(name);
            let what = name.strip_prefix("HAVE_").filter(|_| is_guess);
            !what.is_some_and(|what| self.has(what))
        }) {
            return is_true(value).then(|| match value.as_str() {
                "ON" | "TRUE" | "YES" | "on" | "true" | "yes" => "1".to_owned(),
                value => value.to_owned(),
            });
        }
        let size = name
            .find("SIZEOF_")
            .filter(|&at| at == 0 || name.as_bytes()[at - 1] == b'_');
        if let Some(of) = size.and_then(|at| name.get(at + 7..)) {
            return size_of(of).map(|size| size.to_string());
        }
        let name = name.strip_suffix("_01").unwrap_or(name);
        let has = match name.find("HAVE_") {
            Some(at) if at == 0 || name.as_bytes()[at - 1] == b'_' => {
                self.has(name.get(at + 5..).unwrap_or_default())
            }
            _ => matches!(name, "STDC_HEADERS" | "_GNU_SOURCE" | "TIME_WITH_SYS_TIME"),
        };
        has.then(|| "1".to_owned())
    }

    /// Returns `true` if Linux with glibc and gcc has it: a header, a function, a type, an attribute.
    fn has(&self, what: &str) -> bool {
        if what.ends_with("_H") {
            return self.headers.iter().any(|header| header == what);
        }
        let kinds = [
            "DECL_",
            "FUNC_",
            "FUNCTION_",
            "TYPE_",
            "STRUCT_",
            "WORKING_",
            "C_",
        ];
        let plain = kinds
            .iter()
            .find_map(|kind| what.strip_prefix(kind))
            .unwrap_or(what);
        let of_gcc = [
            "BUILTIN_",
            "ATTRIBUTE_",
            "__ATTRIBUTE__",
            "GCC_",
            "VISIBILITY",
            "SYNC_",
            "ATOMIC_",
        ];
        let own = [
            "LONG_LONG",
            "INLINE",
            "STDBOOL",
            "VA_COPY",
            "STDINT",
            "INT64",
            "UINT64",
            "PTHREAD",
        ];
        of_gcc.iter().any(|family| what.starts_with(family))
            || own.contains(&plain)
            || size_of(plain).is_some()
            || is_standard(&plain.to_ascii_lowercase(), Language::C)
            || is_standard(plain, Language::C)
    }

    /// The template with its questions answered, and those whose answers are in doubt.
    fn fill(&self, template: &str) -> (String, BTreeSet<String>) {
        let is_unsure = |name: &&str| !self.known(name).1;
        let mut lines: Vec<String> = template.lines().map(|line| self.line(line)).collect();
        for chain in chains::chains(template) {
            let holds_none = chain.names.iter().all(|name| self.answer(name).is_none());
            if holds_none && chain.names.iter().all(is_unsure) {
                "#if 1".clone_into(&mut lines[chain.line]);
            }
        }
        let names = template.lines().flat_map(questions);
        let doubts = names.filter(is_unsure).map(str::to_owned).collect();
        (lines.into_iter().map(|line| line + "\n").collect(), doubts)
    }

    fn line(&self, line: &str) -> String {
        let rest = line.trim_start();
        let Some(directive) = rest.strip_prefix('#').map(str::trim_start) else {
            return self.substituted(line);
        };
        let mut words = directive.splitn(3, [' ', '\t']);
        let (verb, name) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default().trim(),
        );
        let behind = words.next().unwrap_or_default();
        match verb {
            "cmakedefine01" => {
                format!("#define {name} {}", u8::from(self.answer(name).is_some()))
            }
            "cmakedefine" => match self.answer(name) {
                Some(_) => format!("#define {name} {}", self.substituted(behind)),
                None => format!("/* #undef {name} */"),
            },
            // Autoheader's templates have this line for each of its questions.
            "undef" | "mesondefine" if behind.trim().is_empty() => match self.answer(name) {
                Some(value) => format!("#define {name} {value}"),
                None => format!("/* #undef {name} */"),
            },
            _ => self.substituted(line),
        }
    }

    /// Puts values in for `@NAME@` and `${NAME}`.
    fn substituted(&self, text: &str) -> String {
        let is_name = |name: &str| {
            !name.is_empty()
                && name
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte))
        };
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once(['@', '$']) {
            filled.push_str(before);
            let sign = rest
                .get(before.len()..rest.len() - behind.len())
                .unwrap_or_default();
            let (inner, close) = match sign {
                "@" => (Some(behind), '@'),
                _ => (behind.strip_prefix('{'), '}'),
            };
            let parts = inner.and_then(|inner| inner.split_once(close));
            if let Some((name, after)) = parts.filter(|(name, _)| is_name(name)) {
                filled.push_str(&self.value(name));
                rest = after;
            } else {
                filled.push_str(sign);
                rest = behind;
            }
        }
        filled + rest
    }

    fn value(&self, name: &str) -> String {
        if let Some(value) = self.settings.get(name) {
            return self.answer(name).unwrap_or_else(|| value.clone());
        }
        // Autoconf scripts substitute their results under lowercase names: `@kite_have_atomic_builtins@`.
        let is_small = name.contains("have_");
        let found = is_small.then(|| self.answer(&name.to_ascii_uppercase()));
        match self.answer(name).or(found.flatten()) {
            Some(value) => value,
            None if is_small => "0".to_owned(),
            None if name.contains("HAVE") || name.ends_with("_01") => "0".to_owned(),
            None if name.ends_with("inline") => "inline".to_owned(),
            // Without a name it would be another in each file; most are called as the project is.
            None if name.ends_with("NAMESPACE") => {
                let project = self.settings.get("PROJECT_NAME");
                project.map_or_else(String::new, |name| capitals(name).to_ascii_lowercase())
            }
            None => String::new(),
        }
    }
}

/// The names that a line of a template tests.
fn questions(line: &str) -> Vec<&str> {
    let asks = ["cmakedefine01", "cmakedefine", "undef", "mesondefine"];
    let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
    let mut words = directive.unwrap_or_default().split_whitespace();
    let asked = words.next().filter(|verb| asks.contains(verb));
    let asked = asked.and_then(|_| words.next());
    let parts = line.split(['@', '{', '}']).skip(1).step_by(2);
    let is_name = |name: &&str| {
        let is_in_name = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
        !name.is_empty() && name.bytes().all(is_in_name)
    };
    asked.into_iter().chain(parts.filter(is_name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(texts: &[(&str, &str)]) -> Vec<Assumed> {
        let texts = texts
            .iter()
            .map(|&(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        build(&texts.collect(), ["sys/uio.h"]).headers
    }

    #[test]
    fn templates_are_answered_by_the_project_then_by_the_platform() {
        let cmake = "project(Kite VERSION 3.14.1)\noption(KITE_LOUD \"say more\" ON)\noption(KITE_SLOW \"\" OFF)\nset(KITE_WORD tail) # and wind\nconfigure_file(cmake/kite.h.in ${PROJECT_BINARY_DIR}/kite/config.h)\n";
        let template = "#cmakedefine KITE_LOUD\n#cmakedefine KITE_SLOW 1\n#cmakedefine01 HAVE_STRDUP\n#cmakedefine01 HAVE_STRFLY\n#define VERSION \"@PROJECT_VERSION@\"\n#define MINOR ${PROJECT_VERSION_MINOR}\n#if ${HAVE_SYS_UIO_H_01}\n#define WORD \"@KITE_WORD@\"\n";
        let all = made(&[("CMakeLists.txt", cmake), ("cmake/kite.h.in", template)]);
        let paths: Vec<&str> = all.iter().map(|header| header.path.as_str()).collect();
        assert_eq!(paths, ["cmake/kite.h", "kite/config.h"]);
        let doubts = "HAVE_STRDUP, HAVE_STRFLY, HAVE_SYS_UIO_H_01";
        assert_eq!(
            all[0].from(),
            format!("cmake/kite.h.in, unsure of {doubts}")
        );
        assert_eq!(
            all[1].text,
            "#define KITE_LOUD \n/* #undef KITE_SLOW */\n#define HAVE_STRDUP 1\n#define HAVE_STRFLY 0\n#define VERSION \"3.14.1\"\n#define MINOR 14\n#if 1\n#define WORD \"tail\"\n"
        );
    }

    #[test]
    fn templates_of_autoheader_are_read() {
        let all = made(&[
            ("configure.ac", "AC_INIT([kite], [2.1], [a@b])\n"),
            (
                "config.h.in",
                "#undef HAVE_SYS_UIO_H\n#undef HAVE_NOWHERE_H\n# undef SIZEOF_LONG\n#undef VERSION\n#undef inline\n",
            ),
        ]);
        assert_eq!(
            all[0].text,
            "#define HAVE_SYS_UIO_H 1\n/* #undef HAVE_NOWHERE_H */\n#define SIZEOF_LONG 8\n#define VERSION \"2.1\"\n/* #undef inline */\n"
        );
    }

    #[test]
    fn branches_that_do_not_hold_here_set_nothing_and_what_is_unsure_is_named() {
        let cmake = "include(cmake/kite.cmake)\nif(WIN32 AND NOT CYGWIN)\n set(OS_WINDOWS 1)\nelse()\n set(OS_WINDOWS 0)\nendif()\nset(WORD first)\nset(WORD second)\nif(LOUD)\n set(SOUND 1)\nendif()\ncheck_type_size(\"long long\" LONG_LONG_INT)\nif(HAVE_LONG_LONG_INT AND (LONG_LONG_INT EQUAL 8))\n set(INT \"long long\")\nelse()\n set(INT long)\nendif()\nif(Wind_FOUND)\n set(WIND 1)\nelse()\n set(WIND 0)\nendif()\n";
        let module = "option(LOUD \"\" ON)\ncheck_source([==[ #if ( ]==] PAIR)\n#[[ ) ]]\nmacro(fly)\n set(FLOWN 1)\nendmacro()\n";
        let inner = "set(WORD inner)\nset(OS_WINDOWS 1)\n";
        let template = "#define OS_WINDOWS @OS_WINDOWS@\n#define WORD @WORD@\n#cmakedefine01 SOUND\n#define INT @INT@\n#cmakedefine01 WIND\n#cmakedefine01 TAIL\n#cmakedefine01 FLOWN\n#cmakedefine HAVE_NOWHERE_H\n";
        let all = made(&[
            ("CMakeLists.txt", cmake),
            ("cmake/kite.cmake", module),
            ("examples/CMakeLists.txt", inner),
            ("config.h.in", template),
        ]);
        assert_eq!(
            all[0].text,
            "#define OS_WINDOWS 0\n#define WORD second\n#define SOUND 1\n#define INT long long\n#define WIND 0\n#define TAIL 0\n#define FLOWN 0\n/* #undef HAVE_NOWHERE_H */\n"
        );
        assert_eq!(
            all[0].from(),
            "config.h.in, unsure of FLOWN, HAVE_NOWHERE_H, WIND"
        );
    }

    #[test]
    fn a_template_that_autoheader_would_write_is_made() {
        let script = "AC_INIT([kite], [2.1])\ndnl AC_DEFINE([NEVER])\nAC_CONFIG_HEADERS([src/config.h:src/config.hin])\nAC_CHECK_HEADERS([sys/uio.h \\\n  nowhere.h], [], [], [#include <a.h>])\nAC_DEFINE([TAIL], [3], [How long it is.])\nif test $loud; then\n  AC_DEFINE(LOUD, 1, [say more])\nfi\nAC_CHECK_SIZEOF([long])\n";
        let all = made(&[("configure.ac", script)]);
        let lines: Vec<&str> = all[0].text.lines().collect();
        for line in [
            "#define HAVE_SYS_UIO_H 1",
            "/* #undef HAVE_NOWHERE_H */",
            "/* #undef LOUD */",
            "#define SIZEOF_LONG 8",
            "#define TAIL 3",
            "#define VERSION \"2.1\"",
        ] {
            assert!(lines.contains(&line), "{line}: {lines:?}");
        }
        assert_eq!(all[0].path, "src/config.h");
        let doubts: Vec<&str> = all[0].doubts.iter().map(String::as_str).collect();
        assert!(doubts.contains(&"LOUD") && doubts.contains(&"TAIL"));
        assert!(!doubts.contains(&"HAVE_SYS_UIO_H"));
        let build = Build {
            headers: all,
            defines: ["HAVE_CONFIG_H", "FAST"]
                .map(|name| (name.to_owned(), None))
                .into(),
        };
        let text = "#if defined(HAVE_CONFIG_H)\n#  include <config.h>\n#endif\n#ifdef FAST\n#include <a.h>\n";
        let guards: Vec<String> = build.guards([text].into_iter()).into_iter().collect();
        assert_eq!(guards, ["HAVE_CONFIG_H"]);
    }

    #[test]
    fn what_a_build_defines_for_all_its_code_has_its_value() {
        let outer = "project(kite)\nif(WIN32)\n set(PLATFORM KITE_WINDOWS)\nelse()\n set(PLATFORM KITE_POSIX)\nendif()\nadd_definitions(-DKITE_SIZE=3)\ncheck_it(LOUD)\nif(LOUD)\n add_definitions(-DKITE_LOUD)\nendif()\nadd_library(kite \"\")\nlist(APPEND kite_defines KITE_GNU KITE_DEPTH=2)\nif(APPLE)\n list(APPEND kite_defines KITE_MAC)\nendif()\nlist(APPEND kite_defines KITE_LARGE)\ntarget_compile_definitions(kite PRIVATE ${kite_defines})\ntarget_compile_definitions(kite PRIVATE ${PLATFORM}=1 $<$<CONFIG:Debug>:KITE_DEBUG> PUBLIC KITE_LIBRARY)\nadd_executable(fly fly.c)\ntarget_compile_definitions(fly PRIVATE KITE_FLY KITE_SIZE=4)\nset(FORM C99)\nset(\"FORM_${FORM}\" 1)\nfind_form(LOUD OTHER)\nset(FORM_B 0)\nset(\"FORM_${OTHER}\" 1)\nset(HAVE_PTHREAD 0)\nif(Threads_FOUND AND LOUD)\n set(HAVE_PTHREAD 1)\nendif()\nconfigure_file(kite.h.in kite.h)\n";
        let inner = "add_definitions(-DKITE_TEST)\n";
        let script = "AC_SUBST([kite_have_atomic_builtins])\nAC_SUBST(kite_fast)\nAC_CHECK_HEADERS([stdio.h])\n";
        let template = "#define C99 @FORM_C99@\n#define B @FORM_B@\n#cmakedefine HAVE_PTHREAD 1\n#cmakedefine01 HAVE_STDIO_H\n";
        let substituted = "#define ATOMIC @kite_have_atomic_builtins@\n#define FAST @kite_fast@\n";
        let texts = [
            ("CMakeLists.txt", outer),
            ("test/CMakeLists.txt", inner),
            ("configure.ac", script),
            ("kite.h.in", template),
            ("kite_config.h.in", substituted),
        ]
        .map(|(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        let build = build(&texts.into(), []);
        let macros: Vec<String> = build
            .macros(std::iter::empty::<&str>())
            .into_iter()
            .collect();
        let expected = [
            "KITE_DEPTH=2",
            "KITE_GNU=1",
            "KITE_LARGE=1",
            "KITE_LIBRARY=1",
            "KITE_POSIX=1",
            "KITE_SIZE=3",
        ];
        assert_eq!(macros, expected);
        let said = |header: &Assumed| (header.text.clone(), header.from());
        let headers: Vec<_> = build.headers.iter().map(said).collect();
        let form = "#define C99 1\n#define B 0\n#define HAVE_PTHREAD 1\n#define HAVE_STDIO_H 0\n";
        assert_eq!(headers[0].0, form);
        let doubts = "FORM_B, FORM_C99, HAVE_PTHREAD, HAVE_STDIO_H";
        assert_eq!(headers[0].1, format!("kite.h.in, unsure of {doubts}"));
        assert_eq!(headers[1].0, "#define ATOMIC 1\n#define FAST \n");
        let doubts = "kite_fast, kite_have_atomic_builtins";
        assert_eq!(
            headers[1].1,
            format!("kite_config.h.in, unsure of {doubts}")
        );
    }

    #[test]
    fn of_conditions_that_are_all_unsure_the_first_is_taken_where_none_is_an_error() {
        let cmake = "project(Kite-2)\nlist(GET ALL 0 KITE_NAMESPACE)\ncheck_it(FORM)\nset(FORM_A 0)\nset(FORM_B 0)\nset(\"FORM_${FORM}\" 1)\nset(SURE_A 0)\nset(SURE_B 0)\n";
        let template = "#if @FORM_A@ // a\ntypedef int a;\n#elif @FORM_B@\n#else\n# error none\n#endif\n\
                        #if @SURE_A@\n#elif @SURE_B@\n#else\n#error none\n#endif\nnamespace @KITE_NAMESPACE@ {}\n";
        let all = made(&[("CMakeLists.txt", cmake), ("kite.h.in", template)]);
        assert!(
            all[0].text.ends_with("namespace kite_2 {}\n"),
            "{}",
            all[0].text
        );
        let conditions = all[0].text.lines().filter(|line| line.contains("if "));
        let conditions: Vec<&str> = conditions.collect();
        assert_eq!(conditions, ["#if 1", "#elif 0", "#if 0", "#elif 0"]);
        assert_eq!(
            all[0].from(),
            "kite.h.in, unsure of FORM_A, FORM_B, KITE_NAMESPACE"
        );
    }

    #[test]
    fn what_a_build_made_of_a_template_is_told_from_other_files() {
        let template = "// kite\n#undef TAIL\n#cmakedefine01 LOUD\n#define V \"@V@\"\n// end\n";
        let all = made(&[("src/kite.h.in", template)]);
        let is_made = |path: &str, text: &str| all[0].is_made(template, path, text);
        let text = "/* by configure */\n// kite\n#define TAIL 1\n#define LOUD 0\n#define V \"2\"\n// end\n";
        assert!(is_made("include/kite.h", text));
        assert!(!is_made("include/bird.h", text));
        assert!(!is_made(
            "include/kite.h",
            &text.replace("// end", "int end;")
        ));
        assert!(!is_made("include/kite.h", "// end\n"));
    }

    #[test]
    fn export_headers_are_made() {
        let all = made(&[(
            "src/CMakeLists.txt",
            "add_library(kite-core k.c)\ngenerate_export_header(kite-core BASE_NAME kite EXPORT_FILE_NAME ${B}/include/kite_api.h)\n",
        )]);
        assert_eq!(all[0].path, "src/include/kite_api.h");
        assert!(
            all[0].text.contains("#define KITE_EXPORT\n"),
            "{}",
            all[0].text
        );
        let all = made(&[(
            "CMakeLists.txt",
            "project(Kite)\ngenerate_export_header(lib BASE_NAME ${PROJECT_NAME})\n",
        )]);
        assert_eq!(all[0].path, "kite_export.h");
        assert!(all[0].text.contains("#define KITE_EXPORT\n"));
        assert_eq!(made(&[("README.in", "@X@"), ("a.c.in", "x")]), []);
    }
}
