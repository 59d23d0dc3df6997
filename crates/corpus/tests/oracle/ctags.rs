//! Our functions beside those of universal-ctags, on the same files.
//!
//! Enters: a source and its extraction. Leaves: both counts, and for each function that only one side has a
//! category that says why. A function of ours is one that was kept or set aside: both are in the account.
//!
//! The hard thing is that ctags neither preprocesses nor parses: it walks tokens, takes every branch of a
//! conditional that does not confuse it, and guesses. So the two are expected to differ where conditional
//! compilation or macros make functions; a difference that no category explains is a defect of one of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::process::Command;

use barecode_records::{Function, Outcome, Reason};
use barecode_sources::{Content, Source};
use serde::Serialize;
use tempfile::TempDir;

/// A function as one side names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) struct Named {
    /// The file.
    pub(crate) path: String,
    /// First line; for ctags, the line of the name.
    pub(crate) start: u32,
    /// Last line.
    pub(crate) end: u32,
    /// Name without qualifiers.
    pub(crate) name: String,
    /// Why we set it aside, if we did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<Reason>,
}

/// The outcome for one source.
#[derive(Debug, Serialize)]
pub(crate) struct Comparison {
    /// The source.
    pub(crate) source: String,
    /// Files that both sides read.
    pub(crate) files: usize,
    /// Functions of ours, kept or set aside.
    pub(crate) ours: usize,
    /// Functions of ctags.
    pub(crate) theirs: usize,
    /// Functions that both have.
    pub(crate) both: usize,
    /// Functions that one side has, by category.
    pub(crate) differences: BTreeMap<&'static str, Vec<Named>>,
}

/// Categories of functions that we ought to have: each is a defect of ours.
pub(crate) const MISSED: [&str; 2] = [
    "only ctags: missed, swallowed by a function of ours",
    "only ctags: missed, under a conditional",
];

/// The category of a difference that no other fits.
pub(crate) const UNEXPLAINED: [&str; 2] = ["only ours: unexplained", "only ctags: unexplained"];

impl Comparison {
    /// How many differences no category explains.
    pub(crate) fn unexplained(&self) -> usize {
        let of = |category| self.differences.get(category).map_or(0, Vec::len);
        UNEXPLAINED.into_iter().map(of).sum()
    }

    /// How many functions of ctags we ought to have.
    pub(crate) fn missed(&self) -> usize {
        let of = |category| self.differences.get(category).map_or(0, Vec::len);
        MISSED.into_iter().map(of).sum()
    }
}

/// Whether the program is here, and is the universal one: others know no JSON.
pub(crate) fn is_here() -> bool {
    let output = ctags().arg("--version").output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Universal Ctags"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "a comparison with a program runs the program"
)]
fn ctags() -> Command {
    Command::new("ctags")
}

/// Compares. An error is a sentence.
pub(crate) fn compare(
    source: &Source,
    extraction: &Outcome<Vec<Function>>,
) -> Result<Comparison, String> {
    let refused: BTreeSet<&str> = extraction
        .set_aside
        .iter()
        .filter(|row| row.kind == "file")
        .filter_map(|row| Some(row.origin.as_ref()?.path.as_str()))
        .collect();
    let mut texts: BTreeMap<&str, String> = BTreeMap::new();
    for (path, file) in source.files() {
        if let (Content::Bytes(bytes), false) = (&file.content, refused.contains(path.as_str())) {
            texts.insert(path, String::from_utf8_lossy(&bytes.bytes()).into_owned());
        }
    }
    let ours = ours(extraction, &texts);
    let theirs = theirs(&texts)?;
    Ok(join(source.label(), &texts, &ours, &theirs))
}

fn ours(extraction: &Outcome<Vec<Function>>, texts: &BTreeMap<&str, String>) -> Vec<Named> {
    let kept = extraction.kept.iter().map(|function| Named {
        path: function.origin.path.clone(),
        start: function.origin.start_line,
        end: function.origin.end_line,
        name: function.name.clone(),
        reason: None,
    });
    let rows = extraction
        .set_aside
        .iter()
        .filter(|row| row.kind == "function");
    let set_aside = rows.filter_map(|row| {
        let origin = row.origin.as_ref()?;
        Some(Named {
            path: origin.path.clone(),
            start: origin.start_line,
            end: origin.end_line,
            name: row.name.clone().unwrap_or_default(),
            reason: Some(row.reason),
        })
    });
    let known = |named: &Named| texts.contains_key(named.path.as_str());
    let mut all: Vec<Named> = kept.chain(set_aside).filter(known).collect();
    all.sort();
    all
}

fn theirs(texts: &BTreeMap<&str, String>) -> Result<Vec<Named>, String> {
    #[derive(serde::Deserialize)]
    struct Tag {
        name: String,
        path: String,
        line: u32,
        end: Option<u32>,
    }
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    let mut list = String::new();
    for (path, text) in texts {
        let file = folder.path().join(path);
        let above = file.parent().expect("a file lies in a folder");
        fs::create_dir_all(above)
            .and_then(|()| fs::write(&file, text))
            .map_err(|error| format!("`{path}`: {error}"))?;
        list += path;
        list.push('\n');
    }
    let list_file = folder.path().join(".list");
    fs::write(&list_file, list).map_err(|error| error.to_string())?;
    let mut command = ctags();
    command.current_dir(folder.path()).args([
        "--options=NONE",
        "--kinds-C=f",
        "--kinds-C++=f",
        "--languages=C,C++",
        "--fields=+neKS",
        "--output-format=json",
        "--sort=no",
        "-f",
        "-",
        "-L",
        ".list",
    ]);
    // ctags takes every header for C++, which K&R definitions are not.
    let is_cpp = |path: &&str| matches!(ending(path), "cc" | "cpp" | "cxx" | "hpp" | "hh" | "hxx");
    let headers = if texts.keys().any(is_cpp) { "C++" } else { "C" };
    for ending in ["h", "inc", "inl", "def", "tbl", "ipp", "x"] {
        command.arg(format!("--map-{headers}=+.{ending}"));
    }
    let output = command
        .output()
        .map_err(|error| format!("cannot start `ctags`: {error}"))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let mut all = Vec::new();
    for line in said.lines() {
        let tag: Tag = serde_json::from_str(line).map_err(|error| format!("`{line}`: {error}"))?;
        all.push(Named {
            path: tag.path,
            start: tag.line,
            end: tag.end.unwrap_or(tag.line),
            name: tag.name,
            reason: None,
        });
    }
    if all.is_empty() && !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    all.sort();
    Ok(all)
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// `operator ==` and `operator==` are one name.
fn bare(name: &str) -> String {
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

/// The name that a line defines as a macro with arguments, or for what only attributes stand.
fn macro_name(line: &str) -> Option<&str> {
    let line = line
        .trim_start()
        .strip_prefix('#')?
        .trim_start()
        .strip_prefix("define")?;
    let line = line.trim_start();
    let end = line
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(line.len());
    let (name, rest) = line.split_at(end);
    rest.starts_with('(').then_some(name)
}

/// Pairs the two lists, and finds a category for the rest.
fn join(
    label: &str,
    texts: &BTreeMap<&str, String>,
    ours: &[Named],
    theirs: &[Named],
) -> Comparison {
    let mut taken = vec![false; theirs.len()];
    let mut paired = vec![false; ours.len()];
    let mut by_path: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, tag) in theirs.iter().enumerate() {
        by_path.entry(&tag.path).or_default().push(at);
    }
    for (at, our) in ours.iter().enumerate() {
        let candidates = by_path
            .get(our.path.as_str())
            .map_or(&[][..], Vec::as_slice);
        let fits = |&&tag: &&usize| {
            let tag: usize = tag;
            let (tag, taken) = (&theirs[tag], taken[tag]);
            !taken
                && (our.start..=our.end).contains(&tag.start)
                && bare(&tag.name) == bare(&our.name)
        };
        if let Some(&tag) = candidates.iter().find(fits) {
            taken[tag] = true;
            paired[at] = true;
        }
    }
    let mut comparison = Comparison {
        source: label.to_owned(),
        files: texts.len(),
        ours: ours.len(),
        theirs: theirs.len(),
        both: paired.iter().filter(|&&paired| paired).count(),
        differences: BTreeMap::new(),
    };
    let lines: BTreeMap<&str, Vec<&str>> = texts
        .iter()
        .map(|(path, text)| (*path, text.lines().collect()))
        .collect();
    let macros = lines
        .values()
        .flatten()
        .filter_map(|line| macro_name(line))
        .collect();
    let place = Place {
        lines: &lines,
        macros,
        ours,
        theirs,
    };
    for (our, _) in ours.iter().zip(&paired).filter(|(_, paired)| !**paired) {
        let category = place.only_ours(our);
        comparison
            .differences
            .entry(category)
            .or_default()
            .push(our.clone());
    }
    for (tag, _) in theirs.iter().zip(&taken).filter(|(_, taken)| !**taken) {
        let category = place.only_theirs(tag);
        comparison
            .differences
            .entry(category)
            .or_default()
            .push(tag.clone());
    }
    comparison
}

/// What stands around a difference.
struct Place<'a> {
    lines: &'a BTreeMap<&'a str, Vec<&'a str>>,
    /// Names of macros that take arguments.
    macros: BTreeSet<&'a str>,
    ours: &'a [Named],
    theirs: &'a [Named],
}

impl Place<'_> {
    /// Lines of a file, counted from one, both ends included.
    fn text(&self, path: &str, start: u32, end: u32) -> String {
        let lines = self.lines.get(path).map_or(&[][..], Vec::as_slice);
        let range = (start as usize).saturating_sub(1)..(end as usize).min(lines.len());
        lines.get(range).unwrap_or_default().join("\n")
    }

    fn only_ours(&self, our: &Named) -> &'static str {
        let text = self.text(&our.path, our.start, our.end);
        let head = text.split('{').next().unwrap_or_default();
        match our.reason {
            Some(Reason::InactiveConfig) => {
                return "only ours: inactive_config, a branch that ctags skips";
            }
            Some(Reason::MacroGenerated) => return "only ours: macro_generated",
            Some(Reason::ParseError) => return "only ours: parse_error",
            _ => {}
        }
        let in_file = || self.theirs.iter().filter(|tag| tag.path == our.path);
        let inside = |tag: &Named| (our.start..=our.end).contains(&tag.start);
        if in_file().any(|tag| inside(tag) && bare(&tag.name) != bare(&our.name)) {
            return "only ours: ctags has another name there";
        }
        if in_file().any(|tag| bare(&tag.name) == bare(&our.name)) {
            return "only ours: ctags has it once, at another branch of a conditional";
        }
        let twin = |other: &&Named| other.path == our.path && other.start != our.start;
        if self
            .ours
            .iter()
            .filter(twin)
            .any(|other| bare(&other.name) == bare(&our.name))
        {
            return "only ours: one of several definitions in branches of a conditional";
        }
        if head.lines().any(|line| line.trim_start().starts_with('#')) {
            return "only ours: a conditional in the head";
        }
        let parenthesized = format!("({})", bare(&our.name));
        if bare(head).contains(&parenthesized) {
            return "only ours: a name in parentheses";
        }
        if head.contains(')') && head.trim_end().ends_with(';') {
            return "only ours: K&R definition";
        }
        if in_file().any(|tag| tag.start < our.start && tag.end >= our.end) {
            return "only ours: ctags takes it for a part of the function before";
        }
        UNEXPLAINED[0]
    }

    fn only_theirs(&self, tag: &Named) -> &'static str {
        let in_file = || self.ours.iter().filter(|our| our.path == tag.path);
        let covers = |our: &&Named| our.start <= tag.start && tag.start <= our.end;
        // The call of a macro stands alone; the definition of a function has a type before its name.
        let line = self.text(&tag.path, tag.start, tag.start);
        let alone = line.trim_start().starts_with(&tag.name);
        if alone && self.macros.contains(tag.name.as_str()) {
            return "only ctags: the call of a macro";
        }
        if tag.name.starts_with("__anon") {
            return "only ctags: a lambda";
        }
        if let Some(our) = in_file().find(covers) {
            return match our.reason {
                Some(Reason::MacroGenerated) => "only ctags: macro_generated under another name",
                Some(Reason::InactiveConfig) => "only ctags: inside an inactive function of ours",
                Some(Reason::ParseError) => "only ctags: inside a function that we cannot parse",
                _ => MISSED[0],
            };
        }
        if in_file().any(|our| bare(&our.name) == bare(&tag.name)) {
            return "only ctags: we have it once, at another branch of a conditional";
        }
        if in_file().next().is_none() {
            return "only ctags: a file of which we have no function";
        }
        if self.is_conditional(tag) {
            return MISSED[1];
        }
        UNEXPLAINED[1]
    }

    /// Whether the line stands under a conditional that is not around the whole file.
    fn is_conditional(&self, tag: &Named) -> bool {
        let lines = self
            .lines
            .get(tag.path.as_str())
            .map_or(&[][..], Vec::as_slice);
        let directive = |line: &str| {
            let line = line.trim_start().strip_prefix('#')?.trim_start();
            match line {
                _ if line.starts_with("if") => Some(1),
                _ if line.starts_with("endif") => Some(-1),
                _ => None,
            }
        };
        let depth = |lines: &[&str]| lines.iter().filter_map(|line| directive(line)).sum::<i32>();
        let before = lines.get(..tag.start as usize).unwrap_or_default();
        let guard = lines.iter().take_while(|line| !line.contains('{')).count();
        let guard = lines.get(..guard).unwrap_or_default();
        depth(before) > depth(guard).clamp(0, 1)
    }
}
