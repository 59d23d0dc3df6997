//! A module of LLVM's intermediate representation → the text of its functions.
//!
//! From `define` to the closing brace, one instruction per line without indentation. Parts that are not the
//! function's own are removed: comments, metadata and attribute groups, linkage, sections. Functions are `@func_0`
//! and so on, variables and constants `@data_0`, named types `%type_0`, each numbered by first appearance; values
//! and blocks have numbers from the compiler. Of the function itself the name is left out.

use std::collections::{BTreeMap, BTreeSet};

/// A module, read.
#[derive(Debug)]
pub(super) struct Module<'t> {
    functions: BTreeSet<&'t str>,
    /// The lines of each defined function.
    defined: Vec<Vec<&'t str>>,
    /// Attribute groups that hold a mark, by its number.
    marks: BTreeMap<usize, &'t str>,
}

/// The names in a module, and the numbers that replace them.
#[derive(Debug, Default)]
pub(super) struct SymbolNames {
    functions: BTreeMap<String, usize>,
    data: BTreeMap<String, usize>,
    types: BTreeMap<String, usize>,
}

impl<'t> Module<'t> {
    /// Reads a module's text.
    pub(super) fn read(text: &'t str) -> Module<'t> {
        let mut module = Module {
            functions: BTreeSet::new(),
            defined: Vec::new(),
            marks: BTreeMap::new(),
        };
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("define ") || line.starts_with("declare ") {
                module.functions.extend(function_name(line));
            }
            if line.starts_with("define ") {
                let body = lines.by_ref().take_while(|line| *line != "}");
                module
                    .defined
                    .push([line].into_iter().chain(body).collect());
            }
            if let Some((group, rest)) = line
                .strip_prefix("attributes ")
                .and_then(|rest| rest.split_once(' '))
                && let Some((_, rest)) = rest.split_once("\"patchable-function-prefix\"=\"")
                && let Some((number, _)) = rest.split_once('"')
                && let Ok(number) = number.parse()
            {
                module.marks.insert(number, group);
            }
        }
        module
    }

    /// The function with the mark of this number, as its index among the defined ones.
    pub(super) fn marked(&self, mark: usize) -> Option<usize> {
        let group = self.marks.get(&mark)?;
        let has = |lines: &Vec<&str>| {
            lines
                .first()
                .is_some_and(|head| head.split(' ').any(|word| word == *group))
        };
        self.defined.iter().position(has)
    }

    /// The name of a defined function in texts.
    pub(super) fn name(&self, function: usize, names: &mut SymbolNames) -> Option<String> {
        let name = function_name(self.defined.get(function)?.first()?)?;
        Some(names.global(name, true))
    }
}

impl SymbolNames {
    fn global(&mut self, name: &str, is_function: bool) -> String {
        let (all, kind) = if is_function {
            (&mut self.functions, "func")
        } else {
            (&mut self.data, "data")
        };
        let next = all.len();
        let number = all.entry(name.to_owned()).or_insert(next);
        format!("@{kind}_{number}")
    }
}

/// The name of a function after its `@`.
fn function_name(head: &str) -> Option<&str> {
    let (_, rest) = head.split_once('@')?;
    Some(rest.split_at_checked(name_length(rest))?.0)
}

/// The length of the name at the start.
fn name_length(text: &str) -> usize {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.find('"').map_or(text.len(), |end| end + 2);
    }
    let ends = |c: char| !(c.is_alphanumeric() || "$._-".contains(c));
    text.find(ends).unwrap_or(text.len())
}

/// Words of a function's head that describe its linkage and not its behavior.
const LINKAGE: &[&str] = &[
    "dso_local",
    "internal",
    "private",
    "weak",
    "weak_odr",
    "linkonce",
    "linkonce_odr",
    "external",
    "hidden",
    "protected",
    "local_unnamed_addr",
    "unnamed_addr",
    "comdat",
];

/// A function's text.
pub(super) fn strict(
    module: &Module<'_>,
    function: usize,
    names: &mut SymbolNames,
) -> Option<String> {
    let mut lines = Vec::new();
    for (number, line) in module.defined.get(function)?.iter().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(';') {
            continue;
        }
        let mut line = if number == 0 {
            head(line)
        } else {
            without_trailers(line).to_owned()
        };
        line = renamed(&line, module, names);
        lines.push(line);
    }
    lines.push("}".to_owned());
    Some(lines.join("\n"))
}

/// `define i32 @(i32 noundef %0) {`: the head without the parts that are not the function's own.
fn head(line: &str) -> String {
    let (before, rest) = line.split_once('@').unwrap_or((line, ""));
    let (_, rest) = rest
        .split_at_checked(name_length(rest))
        .unwrap_or((rest, ""));
    let words = before.split(' ').filter(|word| !LINKAGE.contains(word));
    let before: Vec<&str> = words.collect();
    let mut depth = 0_usize;
    let end = rest.find(|c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ')' && depth == 0
    });
    let parameters = end.and_then(|end| rest.get(..=end)).unwrap_or(rest);
    format!("{}@{parameters} {{", before.join(" "))
}

/// A line without comment, metadata and attribute group at its end.
fn without_trailers(line: &str) -> &str {
    let mut end = line.len();
    let mut quoted = false;
    for (at, byte) in line.bytes().enumerate() {
        match byte {
            b'"' => quoted = !quoted,
            b';' if !quoted => {
                end = at;
                break;
            }
            b',' if !quoted && line.get(at..).is_some_and(|rest| rest.starts_with(", !")) => {
                end = at;
                break;
            }
            b'#' if !quoted
                && line.get(..at).is_some_and(|before| before.ends_with(' '))
                && line
                    .get(at + 1..at + 2)
                    .is_some_and(|next| next.bytes().all(|byte| byte.is_ascii_digit())) =>
            {
                end = at;
                break;
            }
            _ => {}
        }
    }
    line.get(..end).unwrap_or(line).trim_end()
}

/// A line with numbers for the names of the module.
fn renamed(line: &str, module: &Module<'_>, names: &mut SymbolNames) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(at) = rest.find(['@', '%', '"']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(before);
        let (mark, after) = from.split_at_checked(1).unwrap_or(("", ""));
        if mark == "\"" {
            // Text of the assembler, or an attribute.
            let end = after.find('"').map_or(after.len(), |end| end + 1);
            let (text, after) = after.split_at_checked(end).unwrap_or((after, ""));
            out.push('"');
            out.push_str(text);
            rest = after;
            continue;
        }
        let (name, after) = after
            .split_at_checked(name_length(after))
            .unwrap_or((after, ""));
        rest = after;
        if name.is_empty() || mark == "%" && name.bytes().all(|byte| byte.is_ascii_digit()) {
            out.push_str(mark);
            out.push_str(name);
        } else if mark == "@" {
            if name.starts_with("llvm.") {
                out.extend(["@", name]);
            } else {
                out.push_str(&names.global(name, module.functions.contains(name)));
            }
        } else {
            let next = names.types.len();
            let number = names.types.entry(name.to_owned()).or_insert(next);
            out.push_str("%type_");
            out.push_str(&number.to_string());
        }
    }
    out.push_str(rest);
    out
}
