//! Templates and build files → the headers that a build would make, with the project's defaults on this platform.
//!
//! Nothing is run. A header is assumed where a template of it is in the source (`config.h.in`, `config.h.cmake`) or
//! `CMake` is told to make it (`generate_export_header`). What the template asks is answered in this order: by the
//! project's own defaults (`option`, `set`, `project`, `AC_INIT`), by what the standard library and the compiler of
//! this platform have (`HAVE_STRDUP`, `HAVE_UNISTD_H`, `SIZEOF_LONG`), and with no. A wrong answer may cost a function,
//! and never passes unseen: the compiler judges every unit, and a unit names the headers that were assumed.

use std::collections::BTreeMap;

use barecode_languages::standard_names::is_standard;
use barecode_languages::{FileKind, ending, of_path};
use barecode_records::Language;

use crate::preprocess::headers::{Dialects, StandardHeaders};

mod build_files;

use build_files::{Command, commands};

/// A header that is not in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assumed {
    pub(crate) path: String,
    pub(crate) text: String,
    /// The template or build file that it was made from.
    pub(crate) from: String,
}

/// The headers that the templates and build files of a source lead to, by path; the first of a path counts.
pub(crate) fn headers(texts: &BTreeMap<String, Vec<u8>>, dialects: &Dialects) -> Vec<Assumed> {
    let text = |bytes: &'_ Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
    let is_cmake = |path: &str| last_part(path) == "CMakeLists.txt" || ending(path) == "cmake";
    // Outer files come before inner ones.
    let mut build: Vec<(&String, Vec<Command>)> = texts
        .iter()
        .filter(|(path, _)| is_cmake(path) && template_name(path).is_none())
        .map(|(path, bytes)| (path, commands(&text(bytes))))
        .collect();
    build.sort_by_key(|(path, _)| (path.matches('/').count(), *path));
    let mut platform = Platform::of(dialects);
    for (_, commands) in &build {
        for command in commands {
            platform.cmake(command);
        }
    }
    for (_, bytes) in texts.iter().filter(|(path, _)| is_autoconf(path)) {
        platform.autoconf(&text(bytes));
    }
    let mut made: BTreeMap<String, Assumed> = BTreeMap::new();
    let mut add = |path: String, text: String, from: &str| {
        let from = from.to_owned();
        let header = Assumed {
            path: path.clone(),
            text,
            from,
        };
        made.entry(path).or_insert(header);
    };
    for (path, bytes) in texts {
        let folder = folder_of(path);
        let all = build.iter().flat_map(|(_, commands)| commands);
        let configured = all.filter_map(|command| command.configures(last_part(path)));
        let mut names: Vec<String> = configured.filter(|name| is_header(name)).collect();
        names.extend(template_name(path));
        if names.is_empty() {
            continue;
        }
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
            add(format!("{}{name}", folder_of(path)), text, path);
        }
    }
    made.into_values().collect()
}

fn last_part(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// The folder of a path with a slash behind it; empty for the root.
fn folder_of(path: &str) -> &str {
    path.strip_suffix(last_part(path)).unwrap_or_default()
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

/// What is known of the project's settings, and of the machine.
struct Platform {
    settings: BTreeMap<String, String>,
    /// The standard headers as configuration scripts write them: `SYS_TYPES_H`.
    headers: Vec<String>,
}

impl Platform {
    fn of(dialects: &Dialects) -> Platform {
        let all = dialects
            .c
            .known()
            .chain(dialects.cpp.iter().flat_map(StandardHeaders::known));
        Platform {
            settings: BTreeMap::new(),
            headers: all.map(capitals).collect(),
        }
    }

    /// A default; the first one counts.
    fn set(&mut self, name: &str, value: &str) {
        let value = self.substituted(value);
        self.settings.entry(name.to_owned()).or_insert(value);
    }

    fn cmake(&mut self, command: &Command) {
        match (command.name.as_str(), command.arguments.as_slice()) {
            ("option" | "cmake_dependent_option", [name, _, value, ..]) => self.set(name, value),
            ("option", [name, _]) => self.set(name, "OFF"),
            ("set", [name, value, ..]) if value != "CACHE" => self.set(name, value),
            ("project", [name, rest @ ..]) => {
                self.set("PROJECT_NAME", name);
                let at = rest.iter().position(|word| word == "VERSION");
                let version = at.and_then(|at| rest.get(at + 1));
                let version = version.map(|version| self.substituted(version));
                let Some(version) = version else { return };
                for prefix in ["PROJECT", name] {
                    self.version(prefix, &version);
                }
            }
            _ => {}
        }
    }

    fn version(&mut self, prefix: &str, version: &str) {
        self.set(&format!("{prefix}_VERSION"), version);
        let parts = version.split('.').chain(std::iter::repeat("0"));
        for (part, value) in ["MAJOR", "MINOR", "PATCH"].into_iter().zip(parts) {
            self.set(&format!("{prefix}_VERSION_{part}"), value);
        }
    }

    /// The name and the version of a project, as `AC_INIT([name], [version])` gives them.
    fn autoconf(&mut self, text: &str) {
        for command in commands(text)
            .iter()
            .filter(|command| command.name == "ac_init")
        {
            let joined = command.arguments.join(" ");
            let mut words = joined
                .split(',')
                .map(|word| word.trim_matches(['[', ']', ' ', '"']));
            let (name, version) = (
                words.next().unwrap_or("package"),
                words.next().unwrap_or("0"),
            );
            for key in ["PACKAGE", "PACKAGE_NAME", "PACKAGE_TARNAME"] {
                self.set(key, &format!("\"{name}\""));
            }
            self.set("PACKAGE_STRING", &format!("\"{name} {version}\""));
            for key in ["VERSION", "PACKAGE_VERSION"] {
                self.set(key, &format!("\"{version}\""));
            }
            for key in ["PACKAGE_URL", "PACKAGE_BUGREPORT"] {
                self.set(key, "\"\"");
            }
        }
    }

    /// What a name is defined as; `None` where it is not.
    fn answer(&self, name: &str) -> Option<String> {
        if let Some(value) = self.settings.get(name) {
            return is_true(value).then(|| match value.as_str() {
                "ON" | "TRUE" | "YES" | "on" | "true" | "yes" => "1".to_owned(),
                value => value.to_owned(),
            });
        }
        if let Some(of) = name.strip_prefix("SIZEOF_") {
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

    /// Whether Linux with glibc and gcc has it: a header, a function, a type, an attribute.
    fn has(&self, what: &str) -> bool {
        if what.ends_with("_H") {
            return self.headers.iter().any(|header| header == what);
        }
        let kinds = ["DECL_", "FUNC_", "FUNCTION_", "TYPE_", "WORKING_", "C_"];
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
        ];
        of_gcc.iter().any(|family| what.starts_with(family))
            || own.contains(&plain)
            || is_standard(&plain.to_ascii_lowercase(), Language::C)
            || is_standard(plain, Language::C)
    }

    /// The template with its questions answered.
    fn fill(&self, template: &str) -> String {
        let lines = template.lines().map(|line| self.line(line));
        lines.collect::<Vec<_>>().join("\n") + "\n"
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
            return value.clone();
        }
        match self.answer(name) {
            Some(value) => value,
            None if name.contains("HAVE") || name.ends_with("_01") => "0".to_owned(),
            None if name.ends_with("inline") => "inline".to_owned(),
            None => String::new(),
        }
    }
}

/// `sys/types.h` → `SYS_TYPES_H`
fn capitals(name: &str) -> String {
    let letter = |c: char| {
        if c.is_ascii_alphanumeric() {
            c.to_ascii_uppercase()
        } else {
            '_'
        }
    };
    name.chars().map(letter).collect()
}

/// Whether `CMake` takes a value for true.
fn is_true(value: &str) -> bool {
    let value = value.to_ascii_uppercase();
    !matches!(
        value.as_str(),
        "" | "0" | "OFF" | "NO" | "FALSE" | "N" | "IGNORE" | "NOTFOUND"
    ) && !value.ends_with("-NOTFOUND")
}

/// The size of a type on Linux, on machines of 64 bits.
fn size_of(name: &str) -> Option<u8> {
    Some(match name {
        "CHAR" | "INT8_T" | "UINT8_T" | "_BOOL" => 1,
        "SHORT" | "SHORT_INT" | "UNSIGNED_SHORT" | "INT16_T" | "UINT16_T" => 2,
        "INT" | "UNSIGNED_INT" | "FLOAT" | "WCHAR_T" | "INT32_T" | "UINT32_T" => 4,
        "LONG" | "LONG_INT" | "UNSIGNED_LONG" | "LONG_LONG" | "UNSIGNED_LONG_LONG"
        | "LONG_LONG_INT" | "SIZE_T" | "SSIZE_T" | "OFF_T" | "OFF64_T" | "TIME_T" | "VOID_P"
        | "CHAR_P" | "INTPTR_T" | "UINTPTR_T" | "PTRDIFF_T" | "DOUBLE" | "INT64_T" | "UINT64_T"
        | "INTMAX_T" => 8,
        "LONG_DOUBLE" => 16,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(texts: &[(&str, &str)]) -> Vec<Assumed> {
        let header = ("sys/uio.h".to_owned(), Some(String::new()));
        let c = StandardHeaders::new(Language::C, "", [header]);
        let texts = texts
            .iter()
            .map(|&(path, text)| (path.to_owned(), text.as_bytes().to_vec()));
        headers(&texts.collect(), &Dialects { c, cpp: None })
    }

    #[test]
    fn templates_are_answered_by_the_project_then_by_the_platform() {
        let cmake = "project(Kite VERSION 3.14.1)\noption(KITE_LOUD \"say more\" ON)\noption(KITE_SLOW \"\" OFF)\nset(KITE_WORD tail) # and wind\nconfigure_file(cmake/kite.h.in ${PROJECT_BINARY_DIR}/kite/config.h)\n";
        let template = "#cmakedefine KITE_LOUD\n#cmakedefine KITE_SLOW 1\n#cmakedefine01 HAVE_STRDUP\n#cmakedefine01 HAVE_STRFLY\n#define VERSION \"@PROJECT_VERSION@\"\n#define MINOR ${PROJECT_VERSION_MINOR}\n#if ${HAVE_SYS_UIO_H_01}\n#define WORD \"@KITE_WORD@\"\n";
        let all = made(&[("CMakeLists.txt", cmake), ("cmake/kite.h.in", template)]);
        let paths: Vec<&str> = all.iter().map(|header| header.path.as_str()).collect();
        assert_eq!(paths, ["cmake/kite.h", "kite/config.h"]);
        assert_eq!(all[0].from, "cmake/kite.h.in");
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
        assert_eq!(made(&[("README.in", "@X@"), ("a.c.in", "x")]), []);
    }
}
