//! The data sets by name, and which of them a path is.
//!
//! A file's format is recognized by the fields of its first row that can be read, or else by its name. A folder is
//! Project `CodeNet` or `APPS` by its layout, else its tables are read, each in its own format, else its `.py` files.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use barecode_formats::{FormatError, first_names};
use barecode_records::words;

use super::{code_net, files, folder};

words! {
    /// A data set of programs.
    pub enum Format {
        /// `HumanEval`.
        HumanEval = "humaneval",
        /// `HumanEvalPack`, Python: each program with a bug.
        HumanEvalPack = "humanevalpack",
        /// `HumanEval-X`, Python.
        HumanEvalX = "humaneval-x",
        /// `MBPP`, whole or sanitized.
        Mbpp = "mbpp",
        /// `LeetCodeDataset`.
        LeetCode = "leetcode",
        /// `DeepMind`'s `CodeContests`.
        CodeContests = "code-contests",
        /// Project `CodeNet`.
        CodeNet = "codenet",
        /// `APPS`.
        Apps = "apps",
        /// A plain folder of programs with their tests.
        Folder = "folder",
    }
}

impl Format {
    /// The format whose rows have these fields.
    fn of_fields(names: &[String]) -> Option<Self> {
        let has = |fields: &[&str]| fields.iter().all(|field| names.iter().any(|n| n == field));
        Some(match () {
            () if has(&["canonical_solution", "buggy_solution", "test"]) => Format::HumanEvalPack,
            () if has(&["canonical_solution", "entry_point", "test"]) => Format::HumanEval,
            () if has(&["canonical_solution", "declaration", "test"]) => Format::HumanEvalX,
            () if has(&["test_list", "code"]) => Format::Mbpp,
            () if has(&["completion", "entry_point", "test"]) => Format::LeetCode,
            () if has(&["solutions", "public_tests"]) => Format::CodeContests,
            () if has(&["solutions", "input_output"]) => Format::Apps,
            () => return None,
        })
    }

    /// The format that the name of a file suggests.
    fn of_name(name: &str) -> Option<Self> {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let name: String = letters.map(|c| c.to_ascii_lowercase()).collect();
        let known = [
            ("humanevalpack", Format::HumanEvalPack),
            ("humanevalx", Format::HumanEvalX),
            ("humaneval", Format::HumanEval),
            ("mbpp", Format::Mbpp),
            ("leetcode", Format::LeetCode),
            ("codecontests", Format::CodeContests),
            ("apps", Format::Apps),
        ];
        let found = known.iter().find(|(part, _)| name.contains(part));
        found.map(|&(_, format)| format)
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Format::named(text).ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            format!("no data set of programs is called `{text}`; use one of {names}")
        })
    }
}

/// The format of a path: the first of them if a folder has tables of several.
///
/// # Errors
/// If it cannot be read, or does not have the marks of any format.
pub fn detect(path: &Path) -> Result<Format, FormatError> {
    let (work, _) = work(path, None)?;
    work.first()
        .map(|&(format, _)| format)
        .ok_or_else(|| unknown(path))
}

/// The files to read one after the other, and files that have the form of a table and are not read.
pub(super) type Work = (Vec<(Format, PathBuf)>, Vec<PathBuf>);

/// The files of a path that are read, with their formats.
pub(super) fn work(path: &Path, format: Option<Format>) -> Result<Work, FormatError> {
    if let Err(source) = std::fs::metadata(path) {
        return Err(FormatError::Io {
            action: "read",
            path: path.to_owned(),
            source,
        });
    }
    let work = if path.is_file() {
        let format = format.or_else(|| of_file(path));
        (
            format
                .map(|one| (one, path.to_owned()))
                .into_iter()
                .collect(),
            Vec::new(),
        )
    } else {
        of_folder(path, format)
    };
    if work.0.is_empty() {
        return Err(unknown(path));
    }
    Ok(work)
}

fn of_file(path: &Path) -> Option<Format> {
    let name = files::name(path);
    if path.extension().is_some_and(|ending| ending == "py") {
        return Some(Format::Folder);
    }
    match first_names(path) {
        Ok(Some(names)) => Format::of_fields(&names).or_else(|| Format::of_name(&name)),
        _ => Format::of_name(&name),
    }
}

fn of_folder(root: &Path, format: Option<Format>) -> Work {
    let with = |format: Format, paths: Vec<PathBuf>| {
        let work = paths.into_iter().map(|path| (format, path));
        (work.collect::<Vec<_>>(), Vec::new())
    };
    let is_or_any = |one: Format| format.is_none_or(|format| format == one);
    if is_or_any(Format::CodeNet) {
        let problems = code_net::problems(root);
        if !problems.is_empty() {
            return with(Format::CodeNet, problems);
        }
    }
    if is_or_any(Format::Apps) {
        let problems = apps_problems(root);
        if !problems.is_empty() {
            return with(Format::Apps, problems);
        }
    }
    if format != Some(Format::Folder) {
        let (mut known, mut others) = (Vec::new(), Vec::new());
        for file in tables(root) {
            match format.or_else(|| of_file(&file)) {
                Some(format) => known.push((format, file)),
                None => others.push(file),
            }
        }
        if !known.is_empty() {
            return (known, others);
        }
    }
    if is_or_any(Format::Folder) {
        return with(Format::Folder, folder::programs(root));
    }
    (Vec::new(), Vec::new())
}

/// Folders with `input_output.json` or `solutions.json`, in the folder or one below it (`train`, `test`).
fn apps_problems(root: &Path) -> Vec<PathBuf> {
    let is_problem = |path: &PathBuf| {
        path.join("solutions.json").is_file()
            || path.join("question.txt").is_file() && path.join("input_output.json").is_file()
    };
    let mut found = Vec::new();
    for folder in files::entries(root) {
        if is_problem(&folder) {
            found.push(folder);
        } else if folder.is_dir() {
            found.extend(files::entries(&folder).into_iter().filter(is_problem));
        }
    }
    found
}

/// Files that may be tables, in the folder or one below it (`data`).
fn tables(root: &Path) -> Vec<PathBuf> {
    const ENDINGS: [&str; 5] = [".jsonl", ".jsonl.gz", ".json", ".json.gz", ".parquet"];
    let is_table = |path: &PathBuf| {
        let name = files::name(path);
        path.is_file() && ENDINGS.iter().any(|ending| name.ends_with(ending))
    };
    let mut found = Vec::new();
    for entry in files::entries(root) {
        if is_table(&entry) {
            found.push(entry);
        } else if entry.is_dir() {
            found.extend(files::entries(&entry).into_iter().filter(is_table));
        }
    }
    found
}

fn unknown(path: &Path) -> FormatError {
    let names = Format::ALL.map(Format::name).join(", ");
    FormatError::Invalid {
        place: barecode_formats::Place::file(path),
        message: "this has the marks of no data set of programs".to_owned(),
        hint: Some(format!("name the format: {names}")),
    }
}
