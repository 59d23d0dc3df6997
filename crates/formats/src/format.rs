//! The formats by name, which of them a path is, and reading any of them.
//!
//! A path's format is detected by its content: by the files of a folder, by the columns of a table's first row, by
//! the names in the first JSON object; the ending of a name is used only if the content has no mark of its own. A
//! folder of files of one format is one benchmark, with the files as subsets in the order of their names.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use barecode_records::words;

use crate::gather::{Read, Rendering};
use crate::roles::{Columns, Taken};
use crate::row::{self, Shape};
use crate::{
    Benchmark, Facts, FormatError, Place, Strictness, beir, clarc, code_search_net, code_split,
    common, cosqa, csv_rows, hub, parquet_rows, source, stat_code_search, trec_folder,
};

words! {
    /// A format that a benchmark is read from, or written to, in the order of lists for users.
    pub enum Format {
        /// Hugging Face Parquet with a card: the layout of `barecode build`, and flat configurations.
        HuggingFace = "huggingface",
        /// MTEB's configurations for retrieval.
        Mteb = "mteb",
        /// `CoIR`'s two datasets a task.
        Coir = "coir",
        /// BEIR's folder of JSON Lines and tab-separated judgments.
        Beir = "beir",
        /// TREC judgments with Anserini's collection and topics.
        Trec = "trec",
        /// CLARC's JSON of `query`, `corpus` and `qrel`.
        ClarcOriginal = "clarc-original",
        /// CLARC's JSON rows of judged pairs.
        ClarcCleaned = "clarc-cleaned",
        /// `GenCodeSearchNet`'s JSON Lines of `comment [CODESPLIT] code`.
        CodeSplit = "codesplit",
        /// `CodeSearchNet`'s JSON Lines.
        CodeSearchNet = "codesearchnet",
        /// `StatCodeSearch`'s JSON or CSV.
        StatCodeSearch = "statcodesearch",
        /// `CoSQA`'s JSON.
        Cosqa = "cosqa",
        /// A table of queries and documents under any names.
        Table = "table",
    }
}

impl Format {
    /// Returns `true` if a benchmark can be written to it.
    pub fn is_written(self) -> bool {
        !matches!(self, Format::StatCodeSearch | Format::Cosqa | Format::Table)
    }

    /// Returns `true` if a file is a whole subset, so that a folder may have several.
    fn is_file(self) -> bool {
        matches!(
            self,
            Format::ClarcOriginal
                | Format::ClarcCleaned
                | Format::CodeSplit
                | Format::StatCodeSearch
                | Format::Cosqa
                | Format::Table
        )
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Format::named(text).ok_or_else(|| {
            let names = Format::ALL.map(Format::name).join(", ");
            format!("no format `{text}`; there are {names}")
        })
    }
}

/// The way in which a benchmark is read; an option that is not given is detected.
#[derive(Debug, Clone, Copy, Default)]
pub struct Reading<'a> {
    /// The format that it is in.
    pub format: Option<Format>,
    /// The handling of judgments that name absent texts.
    pub strictness: Strictness,
    /// The columns of a table.
    pub columns: Option<&'a Columns>,
    /// Which spelling of texts is read.
    pub rendering: Rendering,
}

/// A benchmark as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The benchmark.
    pub benchmark: Benchmark,
    /// The format that it was in.
    pub format: Format,
    /// The content that was left out or changed while reading, as messages for readers.
    pub notes: Vec<String>,
    /// Which columns were read of common tables.
    pub taken: Vec<Taken>,
}

/// Reads a benchmark; without a format, the one that it is in is found.
///
/// # Errors
/// [`FormatError::Io`] if a file cannot be read, [`FormatError::Invalid`] with the position if the content does not
/// fit the format, or a judgment names an absent text.
pub fn read(path: &Path, format: Option<Format>) -> Result<Benchmark, FormatError> {
    load(path, format, Strictness::Strict).map(|loaded| loaded.benchmark)
}

/// Reads a benchmark, with the notes of the reader.
///
/// # Errors
/// As [`read`]; with [`Strictness::AsLoader`] the texts that a judgment names may be absent.
pub fn load(
    path: &Path,
    format: Option<Format>,
    strictness: Strictness,
) -> Result<Loaded, FormatError> {
    load_columns(path, format, strictness, None)
}

/// The same for a table whose columns the caller names.
///
/// # Errors
/// As [`load`], and if a column does not exist.
pub fn load_columns(
    path: &Path,
    format: Option<Format>,
    strictness: Strictness,
    columns: Option<&Columns>,
) -> Result<Loaded, FormatError> {
    let reading = Reading {
        format,
        strictness,
        columns,
        ..Reading::default()
    };
    load_as(path, &reading)
}

/// The same with all options.
///
/// # Errors
/// As [`load_columns`].
pub fn load_as(path: &Path, reading: &Reading<'_>) -> Result<Loaded, FormatError> {
    let &Reading {
        format,
        strictness,
        columns,
        rendering,
    } = reading;
    if let Err(error) = std::fs::metadata(path) {
        return Err(source::cannot_read(path, error));
    }
    let mut read = Read {
        strictness,
        subsets: Vec::new(),
        facts: Facts::default(),
        notes: Vec::new(),
        columns: columns.cloned(),
        rendering,
        taken: Vec::new(),
    };
    let format = match format {
        Some(format) => format,
        None if columns.is_some() && path.is_dir() && hub::is_folder(path)? => Format::HuggingFace,
        None if columns.is_some() => Format::Table,
        // A table of `CodeSearchNet` has tokens too; as any other table only its texts would be read.
        None if rendering == Rendering::Tokens && is_code_search_net(path)? => {
            Format::CodeSearchNet
        }
        None => detect(path)?,
    };
    if path.is_dir() && format.is_file() {
        for file in files_of(path, format)? {
            let own = match format {
                Format::Table => format,
                _ => detect(&file)?,
            };
            read_one(&file, own, &mut read)?;
        }
    } else {
        read_one(path, format, &mut read)?;
    }
    let benchmark = Benchmark {
        name: source::stem(path),
        facts: read.facts,
        subsets: read.subsets,
    };
    unique_subsets(path, &benchmark)?;
    Ok(Loaded {
        benchmark,
        format,
        notes: read.notes,
        taken: read.taken,
    })
}

fn is_code_search_net(path: &Path) -> Result<bool, FormatError> {
    Ok(path.is_file()
        && source::starts_with(path, b"PAR1")?
        && code_search_net::is_row(&parquet_rows::names(path)?))
}

fn read_one(path: &Path, format: Format, read: &mut Read) -> Result<(), FormatError> {
    match format {
        Format::Beir => beir::read(path, read),
        Format::ClarcOriginal => clarc::read_original(path, read),
        Format::ClarcCleaned => clarc::read_cleaned(path, read),
        Format::CodeSplit => code_split::read(path, read),
        Format::StatCodeSearch => match row::first_names(path)? {
            Some(_) => stat_code_search::read_json(path, read),
            None => stat_code_search::read_csv(path, read),
        },
        Format::Cosqa => cosqa::read(path, read),
        Format::CodeSearchNet => code_search_net::read(path, read),
        Format::Trec => trec_folder::read(path, read),
        Format::HuggingFace | Format::Mteb => hub::read(path, read),
        Format::Coir => hub::read_coir(path, read),
        Format::Table => common::read(path, read),
    }
}

fn unique_subsets(path: &Path, benchmark: &Benchmark) -> Result<(), FormatError> {
    let mut seen = std::collections::BTreeSet::new();
    for subset in &benchmark.subsets {
        if !seen.insert((&subset.name, &subset.split)) {
            let message = format!(
                "the subset `{}` with split `{}` occurs twice",
                subset.name, subset.split
            );
            return Err(FormatError::invalid(Place::file(path), message)
                .with_hint("give the two files different names, or read one of them"));
        }
    }
    Ok(())
}

/// The format of a file or folder, detected by its content.
///
/// # Errors
/// [`FormatError::Invalid`] if it has the marks of none, or its files have those of several.
pub fn detect(path: &Path) -> Result<Format, FormatError> {
    if path.is_dir() {
        detect_folder(path)
    } else {
        match detect_file(path)? {
            Some(format) => Ok(format),
            None => Err(match common::names(path)? {
                Some(names) => common::unknown(path, &names),
                None => unknown(path),
            }),
        }
    }
}

fn detect_folder(path: &Path) -> Result<Format, FormatError> {
    let entries = source::entries(path)?;
    let folders = || {
        std::iter::once(path)
            .chain(entries.iter().map(PathBuf::as_path))
            .filter(|entry| entry.is_dir())
    };
    if folders().any(beir::is_folder) {
        return Ok(Format::Beir);
    }
    if folders().any(trec_folder::is_folder) {
        return Ok(Format::Trec);
    }
    if hub::is_coir(path)? {
        return Ok(Format::Coir);
    }
    if hub::is_folder(path)? {
        return Ok(if hub::is_mteb(path)? {
            Format::Mteb
        } else {
            Format::HuggingFace
        });
    }
    let mut found = Vec::new();
    for file in data_files(&entries) {
        if let Some(format) = detect_file(&file)? {
            found.push((format, file));
        }
    }
    let families: std::collections::BTreeSet<Format> =
        found.iter().map(|(format, _)| family(*format)).collect();
    match families.len() {
        0 => {}
        1 => {
            return Ok(found.first().map_or(Format::Beir, |(format, _)| *format));
        }
        _ => {
            let shown: Vec<String> = found
                .iter()
                .map(|(format, file)| format!("{} is {format}", source::stem(file)))
                .take(4)
                .collect();
            let message = format!("files of several formats: {}", shown.join(", "));
            return Err(FormatError::invalid(Place::file(path), message)
                .with_hint("name the format, or one of the files"));
        }
    }
    if let Some(shard) = code_search_net::shards(path)?.first()
        && detect_file(shard)? == Some(Format::CodeSearchNet)
    {
        return Ok(Format::CodeSearchNet);
    }
    Err(unknown(path))
}

/// CLARC's two forms may be in one folder.
fn family(format: Format) -> Format {
    match format {
        Format::ClarcCleaned => Format::ClarcOriginal,
        other => other,
    }
}

fn files_of(folder: &Path, format: Format) -> Result<Vec<PathBuf>, FormatError> {
    let mut files = Vec::new();
    for file in data_files(&source::entries(folder)?) {
        if detect_file(&file)?.map(family) == Some(family(format)) {
            files.push(file);
        }
    }
    if files.is_empty() {
        let message = format!("no file of this folder is {format}");
        return Err(FormatError::invalid(Place::file(folder), message));
    }
    Ok(files)
}

fn data_files(entries: &[PathBuf]) -> Vec<PathBuf> {
    let endings = [
        ".json",
        ".jsonl",
        ".csv",
        ".tsv",
        ".json.gz",
        ".jsonl.gz",
        ".csv.gz",
        ".tsv.gz",
    ];
    let is_data = |entry: &&PathBuf| {
        let name = entry.to_string_lossy();
        entry.is_file() && endings.iter().any(|ending| name.ends_with(ending))
    };
    entries.iter().filter(is_data).cloned().collect()
}

fn detect_file(path: &Path) -> Result<Option<Format>, FormatError> {
    if source::starts_with(path, b"PAR1")? {
        return Ok(Some(Format::HuggingFace));
    }
    let Some((shape, names)) = row::first_names(path)? else {
        return detect_lines(path);
    };
    let has = |wanted: &[&str]| {
        wanted
            .iter()
            .all(|wanted| names.iter().any(|name| name == wanted))
    };
    Ok(match shape {
        Shape::Array if has(&["query_id", "code_id", "relevance"]) => Some(Format::ClarcCleaned),
        Shape::Array if has(&["Comment", "Code"]) => Some(Format::StatCodeSearch),
        Shape::Array if has(&["doc", "code", "label"]) => Some(Format::Cosqa),
        Shape::Object if has(&["query", "corpus", "qrel"]) => Some(Format::ClarcOriginal),
        Shape::Object if has(&["input", "target"]) => Some(Format::CodeSplit),
        Shape::Object if code_search_net::is_row(&names) => Some(Format::CodeSearchNet),
        Shape::Array | Shape::Object => Columns::guess(&names).map(|_| Format::Table),
    })
}

/// Detects the formats that are not JSON: a CSV table, or TREC judgments.
fn detect_lines(path: &Path) -> Result<Option<Format>, FormatError> {
    let mut lines = source::Lines::open(path)?;
    while let Some((_, line)) = lines.next()? {
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if line.contains("Comment,Code") {
            return Ok(Some(Format::StatCodeSearch));
        }
        if let Some(separator) = csv_rows::separator(path)
            && Columns::guess(&csv_rows::names(path, separator)?).is_some()
        {
            return Ok(Some(Format::Table));
        }
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let [_, _, _, grade] = fields.as_slice() else {
            return Ok(None);
        };
        return Ok(grade.parse::<i32>().is_ok().then_some(Format::Trec));
    }
    Ok(None)
}

fn unknown(path: &Path) -> FormatError {
    let names: Vec<&str> = Format::ALL.iter().map(|one| one.name()).collect();
    FormatError::invalid(
        Place::file(path),
        "this has the marks of no format that is known",
    )
    .with_hint(format!("name the format: {}", names.join(", ")))
}
