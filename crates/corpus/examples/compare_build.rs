//! `compare_build SOURCE FOLDER [SOURCE FOLDER]…`: the headers that are assumed of a source beside those that a real
//! build configured from it in a folder, line by line.
//!
//! A line that differs is told with the doubt that its header names; a line without one is a value that somebody would
//! believe, and ends the tool with an error.

#[path = "../tests/oracle/arguments.rs"]
mod arguments;
#[path = "../tests/oracle/asked.rs"]
mod asked;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use barecode_assumed::{Assumed, build};

fn main() -> ExitCode {
    let mut silent = 0;
    for pair in arguments::sources().chunks(2) {
        let [source, folder] = pair else {
            say("compare_build: expected SOURCE FOLDER");
            return ExitCode::FAILURE;
        };
        match compare(source, Path::new(folder)) {
            Ok(count) => silent += count,
            Err(message) => {
                say(&format!("compare_build: {message}"));
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::from(u8::from(silent > 0))
}

/// How many lines differ without a doubt.
fn compare(source: &str, folder: &Path) -> Result<usize, String> {
    let headers = asked::headers()?;
    let mut made = Vec::new();
    list(folder, &mut made);
    let is_of_cmake = folder.join("CMakeCache.txt").is_file();
    let (mut compared, mut lines, mut doubted, mut silent) = (0, 0, 0, Vec::new());
    for config in asked::configs(&[source.to_owned()])? {
        let source = asked::resolve(&config)?;
        for header in build(source.build_files(), headers.known()).headers {
            let name = header.template.rsplit('/').next().unwrap_or_default();
            let is_of_script = matches!(name, "configure.ac" | "configure.in");
            // Where a project has build files of two kinds, each makes its own header.
            let Some(real) = real(&header.path, &made).filter(|_| is_of_cmake != is_of_script)
            else {
                continue;
            };
            let real = fs::read_to_string(real).map_err(|error| error.to_string())?;
            let template = source.build_files().get(&header.template);
            let template = template.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
            let difference = difference(&header, &real, &template.unwrap_or_default());
            compared += 1;
            lines += real.lines().count();
            doubted += difference.doubted;
            silent.extend(difference.silent);
        }
    }
    say(&format!(
        "{source}: {compared} headers, {lines} lines, {doubted} other and in doubt, {} other without a doubt",
        silent.len(),
    ));
    for line in &silent {
        say(line);
    }
    Ok(silent.len())
}

struct Difference {
    doubted: usize,
    silent: Vec<String>,
}

/// What two versions of a header differ in. Lines of a template stay in their places, or else definitions are compared
/// by their names.
fn difference(header: &Assumed, real: &str, template: &str) -> Difference {
    let plain = |text: &str| -> Vec<String> {
        let words = |line: &str| match line.trim_start() {
            // A comment says nothing, and a macro that is not defined neither.
            line if line.starts_with("/*") => String::new(),
            line => line.split_whitespace().collect::<Vec<_>>().join(" "),
        };
        text.lines().map(words).collect()
    };
    let (ours, theirs, asked) = (plain(&header.text), plain(real), plain(template));
    let mut found = Difference {
        doubted: 0,
        silent: Vec::new(),
    };
    let is_doubted = |line: &str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| header.doubts.contains(word))
    };
    let mut add = |is_doubted: bool, ours: &str, theirs: &str| {
        if is_doubted {
            found.doubted += 1;
        } else {
            let line = format!("  {}: assumed `{ours}`, made `{theirs}`", header.path);
            found.silent.push(line);
        }
    };
    if ours.len() == theirs.len() && ours.len() == asked.len() {
        for ((ours, theirs), asked) in ours.iter().zip(&theirs).zip(&asked) {
            if ours != theirs {
                add(is_doubted(asked), ours, theirs);
            }
        }
        return found;
    }
    let defines = |lines: &[String]| -> BTreeSet<String> {
        let define = |line: &String| line.replace("# ", "#").starts_with("#define ");
        lines.iter().filter(|line| define(line)).cloned().collect()
    };
    let name = |line: &str| {
        line.split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned()
    };
    let (ours, theirs) = (defines(&ours), defines(&theirs));
    for line in ours.difference(&theirs) {
        let name = name(line);
        let asked = asked.iter().find(|line| line.contains(&name));
        let doubt = is_doubted(asked.unwrap_or(line));
        add(doubt, line, "");
    }
    for line in theirs.difference(&ours) {
        let name = name(line);
        let asked = asked.iter().find(|line| line.contains(&name));
        // What the template does not ask is no question that somebody answered.
        if let Some(asked) = asked.map_or_else(|| is_doubted(line).then_some(line), Some) {
            add(is_doubted(asked), "", line);
        }
    }
    found
}

/// The made header whose path has most of its end in common with an assumed one of the same name.
fn real<'a>(path: &str, made: &'a [PathBuf]) -> Option<&'a PathBuf> {
    let shared = |made: &&PathBuf| {
        let parts = made.iter().rev().zip(Path::new(path).iter().rev());
        parts.take_while(|(made, ours)| made == ours).count()
    };
    made.iter()
        .max_by_key(shared)
        .filter(|made| shared(made) > 0)
}

fn list(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort_unstable();
    for path in paths {
        if path.is_dir() {
            list(&path, found);
        } else if path
            .extension()
            .is_some_and(|ending| ending == "h" || ending == "hpp")
        {
            found.push(path);
        }
    }
}

#[expect(clippy::print_stdout, reason = "a tool prints what it found")]
fn say(line: &str) {
    println!("{line}");
}
