//! `configure.ac` → its definitions: as settings of the project, and as the template that autoheader writes.
//!
//! A definition that does not begin its line is in a condition of the shell, which is not followed.

/// A call of a macro of autoconf.
struct Call<'a> {
    name: &'a str,
    /// Without brackets around them.
    arguments: Vec<&'a str>,
    begins_line: bool,
}

/// The content of a script.
#[derive(Debug, Default)]
pub(super) struct Script {
    /// `AC_INIT`: the name of the package and its version.
    pub(super) package: Option<(String, String)>,
    /// The headers that it makes, each with its template.
    pub(super) headers: Vec<(String, String)>,
    /// The macros that it may define, with the value where the definition is not in a condition.
    pub(super) defines: Vec<(String, Option<String>)>,
    /// The features of the machine that it tests, as names of macros: `HAVE_UNISTD_H`.
    pub(super) questions: Vec<String>,
    /// The names that it substitutes in templates, as `@name@`.
    pub(super) substitutes: Vec<String>,
}

/// The tests that every script makes: the default includes of its other tests.
const ALWAYS: &str = "\
    STDC_HEADERS HAVE_INTTYPES_H HAVE_STDINT_H HAVE_STDIO_H HAVE_STDLIB_H HAVE_STRINGS_H HAVE_STRING_H \
    HAVE_SYS_STAT_H HAVE_SYS_TYPES_H HAVE_UNISTD_H PACKAGE PACKAGE_BUGREPORT PACKAGE_NAME PACKAGE_STRING \
    PACKAGE_TARNAME PACKAGE_URL PACKAGE_VERSION VERSION";

/// Reads `configure.ac`.
pub(super) fn script(text: &str) -> Script {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("dnl"));
    let text: String = lines.flat_map(|line| [line, "\n"]).collect();
    let mut script = Script::default();
    script
        .questions
        .extend(ALWAYS.split_whitespace().map(str::to_owned));
    for call in calls(&text) {
        let first = call.arguments.first().copied().unwrap_or_default();
        let words = || {
            let words = first.split(|c: char| c.is_whitespace() || matches!(c, ',' | '\\'));
            words.filter(|word| !word.is_empty())
        };
        let have = |word: &str| format!("HAVE_{}", super::words::capitals(word));
        match call.name {
            "AC_INIT" => {
                let version = call.arguments.get(1).copied().unwrap_or("0");
                script.package = Some((first.to_owned(), version.to_owned()));
            }
            "AC_CONFIG_HEADERS" | "AC_CONFIG_HEADER" | "AM_CONFIG_HEADER" => {
                script
                    .headers
                    .extend(words().map(|word| match word.split_once(':') {
                        Some((header, template)) => (header.to_owned(), template.to_owned()),
                        None => (word.to_owned(), format!("{word}.in")),
                    }));
            }
            "AC_CHECK_HEADERS"
            | "AC_CHECK_HEADERS_ONCE"
            | "AC_CHECK_FUNCS"
            | "AC_CHECK_FUNCS_ONCE"
            | "AC_REPLACE_FUNCS"
            | "AC_CHECK_TYPES" => script.questions.extend(words().map(have)),
            "AC_CHECK_DECLS" => {
                script
                    .questions
                    .extend(words().map(|word| have(&format!("DECL_{word}"))));
            }
            "AC_CHECK_SIZEOF" => script
                .questions
                .push(format!("SIZEOF_{}", super::words::capitals(first))),
            "AC_SUBST" => script.substitutes.push(first.to_owned()),
            "AC_USE_SYSTEM_EXTENSIONS" | "AC_GNU_SOURCE" => {
                script.questions.push("_GNU_SOURCE".to_owned());
            }
            "AC_DEFINE" | "AC_DEFINE_UNQUOTED" => {
                let value = call
                    .arguments
                    .get(1)
                    .copied()
                    .unwrap_or("1")
                    .trim_matches('"');
                let is_plain = call.begins_line && !value.contains('$');
                script
                    .defines
                    .push((first.to_owned(), is_plain.then(|| value.to_owned())));
            }
            _ => {}
        }
    }
    script
}

impl Script {
    /// The template that autoheader would write.
    pub(super) fn template(&self) -> String {
        let defines = self.defines.iter().map(|(name, _)| name);
        let names = self.questions.iter().chain(defines);
        let mut names: Vec<&String> = names.collect();
        names.sort_unstable();
        names.dedup();
        let lines: Vec<String> = names
            .iter()
            .map(|name| format!("#undef {name}\n"))
            .collect();
        lines.concat()
    }
}

/// The calls of a script, those inside of others too.
fn calls(text: &str) -> Vec<Call<'_>> {
    let mut calls = Vec::new();
    for (at, _) in text.match_indices('A') {
        let rest = text.get(at..).unwrap_or_default();
        let is_in_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = rest.find(|c| !is_in_name(c)).unwrap_or(rest.len());
        let (name, behind) = rest.split_at(end);
        let before = text.get(..at).unwrap_or_default();
        let is_macro = ["AC_", "AM_"].iter().any(|family| name.starts_with(family));
        if !is_macro || before.ends_with(is_in_name) {
            continue;
        }
        let arguments = behind.strip_prefix('(').map(arguments).unwrap_or_default();
        let begins_line = before.is_empty() || before.ends_with('\n');
        calls.push(Call {
            name,
            arguments,
            begins_line,
        });
    }
    calls
}

/// The greatest length of the arguments of a call.
const LONGEST: usize = 20_000;

/// The arguments up to the closing parenthesis.
fn arguments(text: &str) -> Vec<&str> {
    let mut arguments = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, byte) in text.bytes().enumerate().take(LONGEST) {
        match byte {
            b'[' | b'(' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            b')' if depth > 0 => depth -= 1,
            b',' | b')' if depth == 0 => {
                let one = text.get(start..at).unwrap_or_default().trim();
                arguments.push(one.trim_matches(['[', ']']).trim());
                start = at + 1;
                if byte == b')' {
                    break;
                }
            }
            _ => {}
        }
    }
    arguments
}
