//! The card of a hub dataset: `README.md`, whose front matter names configurations and their files.
//!
//! The part between two lines of `---` is YAML; the rest is for readers. `configs` names the files of a
//! configuration's splits, as a text, a list, a map from splits, or a list of `{split, path}`, with `*` in paths.
//! Facts that the hub has no key for (`description`, `version`, `creators`, `url`, `published`, `citation`) are under
//! these names.
//!
//! The hard part is to leave no guess to the hub: every configuration is named with its files, and `dataset_info` has
//! their columns and counts, which `datasets` checks against its own reading.
//!
//! Sections for readers ([`Facts::about`]) are preserved: they are read, and are part of the card that is written.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_records::guarded;
use globset::{GlobBuilder, GlobMatcher};
use serde_json::{Map, Value, json};

use crate::parquet_rows::Column;
use crate::{Facts, FormatError, Place, source};

/// The card's name in its folder.
pub(crate) const CARD: &str = "README.md";

/// A configuration: named files for each split.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// Its name.
    pub(crate) name: String,
    /// Its splits with their files, in the order of the card.
    pub(crate) splits: Vec<(String, Vec<PathBuf>)>,
}

/// The content of a card.
#[derive(Debug, Default)]
pub(crate) struct Card {
    pub(crate) facts: Facts,
    pub(crate) configs: Vec<Config>,
}

/// Reads the card of a folder; `None` if it has none, or one without front matter.
pub(crate) fn read(folder: &Path) -> Result<Option<Card>, FormatError> {
    let path = folder.join(CARD);
    if !path.is_file() {
        return Ok(None);
    }
    let Some(front) = front_matter(&path)? else {
        return Ok(None);
    };
    let mut card = Card {
        facts: facts(front.clone()),
        ..Card::default()
    };
    let text = guarded::text(&path).map_err(|error| source::cannot_read(&path, error))?;
    card.facts.about = about(&card.facts, &text);
    let Some(configs) = front.get("configs") else {
        return Ok(Some(card));
    };
    let wrong = |message: &str| FormatError::invalid(Place::file(&path), message);
    let Some(configs) = configs.as_array() else {
        return Err(wrong("`configs` is not a list"));
    };
    let files = files_below(folder, "")?;
    for config in configs {
        let Some(name) = config.get("config_name").and_then(Value::as_str) else {
            return Err(wrong("a configuration has no `config_name`"));
        };
        let Some(data_files) = config.get("data_files") else {
            return Err(wrong(&format!(
                "the configuration `{name}` has no `data_files`"
            )));
        };
        let mut splits = Vec::new();
        for (split, patterns) in split_patterns(data_files) {
            let mut found = Vec::new();
            for pattern in &patterns {
                let glob = glob(pattern).ok_or_else(|| {
                    wrong(&format!(
                        "the configuration `{name}` has the path `{pattern}`, which is not a pattern"
                    ))
                })?;
                let before = found.len();
                found.extend(
                    files
                        .iter()
                        .filter(|file| glob.is_match(file))
                        .map(|file| folder.join(file)),
                );
                if found.len() == before {
                    let message = format!(
                        "the configuration `{name}` names `{pattern}`, which matches no file"
                    );
                    return Err(wrong(&message));
                }
            }
            splits.push((split, found));
        }
        card.configs.push(Config {
            name: name.to_owned(),
            splits,
        });
    }
    Ok(Some(card))
}

fn glob(pattern: &str) -> Option<GlobMatcher> {
    let pattern = pattern.trim_start_matches("./");
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    glob.ok().map(|glob| glob.compile_matcher())
}

/// The YAML between the first two lines of `---`.
pub(crate) fn front_matter(path: &Path) -> Result<Option<Map<String, Value>>, FormatError> {
    let mut lines = source::Lines::open(path)?;
    match lines.next()? {
        Some((_, "---")) => {}
        _ => return Ok(None),
    }
    let mut text = String::new();
    loop {
        match lines.next()? {
            None => {
                return Err(FormatError::invalid(
                    Place::file(path),
                    "the front matter has no end: a line `---`",
                ));
            }
            Some((_, "---")) => break,
            Some((_, line)) => {
                text.push_str(line);
                text.push('\n');
            }
        }
    }
    if text.trim().is_empty() {
        return Ok(Some(Map::new()));
    }
    let read: Result<Map<String, Value>, _> = serde_yaml_ng::from_str(&text);
    read.map(Some).map_err(|error| {
        let place = match error.location() {
            Some(at) => Place::column(path, at.line() as u64 + 1, at.column() as u64),
            None => Place::file(path),
        };
        FormatError::invalid(
            place,
            format!("the front matter is not a YAML map: {error}"),
        )
    })
}

fn split_patterns(data_files: &Value) -> Vec<(String, Vec<String>)> {
    match data_files {
        Value::String(path) => vec![("train".to_owned(), vec![path.clone()])],
        Value::Object(splits) => splits
            .iter()
            .map(|(split, paths)| (split.clone(), texts(paths)))
            .collect(),
        Value::Array(items) if items.iter().all(Value::is_string) => {
            vec![("train".to_owned(), texts(data_files))]
        }
        Value::Array(items) => items
            .iter()
            .map(|item| {
                let split = item.get("split").and_then(Value::as_str).unwrap_or("train");
                (
                    split.to_owned(),
                    item.get("path").map(texts).unwrap_or_default(),
                )
            })
            .collect(),
        _ => Vec::new(),
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => items
            .iter()
            .filter_map(|item| item.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// The files below a folder, as paths from it with `/`, by name; hidden ones are not looked at.
pub(crate) fn files_below(folder: &Path, base: &str) -> Result<Vec<String>, FormatError> {
    let mut files = Vec::new();
    for entry in source::entries(folder)? {
        let Some(name) = entry.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if name.starts_with('.') {
            continue;
        }
        let path = format!("{base}{name}");
        if entry.is_dir() {
            files.extend(files_below(&entry, &format!("{path}/"))?);
        } else {
            files.push(path);
        }
    }
    Ok(files)
}

const KNOWN: [&str; 9] = [
    "pretty_name",
    "license",
    "description",
    "version",
    "creators",
    "url",
    "published",
    "citation",
    "configs",
];

fn facts(mut front: Map<String, Value>) -> Facts {
    let text = |name: &str| match front.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        _ => None,
    };
    let mut facts = Facts {
        title: text("pretty_name"),
        description: text("description"),
        license: text("license"),
        url: text("url"),
        version: text("version"),
        published: text("published"),
        citation: text("citation"),
        creators: front.get("creators").map(texts).unwrap_or_default(),
        ..Facts::default()
    };
    if let Some(name) = front.get("license_name").and_then(Value::as_str)
        && facts.license.as_deref() == Some("other")
    {
        facts.license = Some(name.to_owned());
        front.remove("license_name");
    }
    for name in KNOWN {
        front.remove(name);
    }
    front.remove("dataset_info");
    front.remove("size_categories");
    facts.extra = front;
    facts
}

/// A table that a card names, with the numbers that `datasets` checks against it.
pub(crate) struct Listed {
    pub(crate) table: CardTable,
    pub(crate) columns: Vec<Column>,
    /// The size of its rows in memory.
    pub(crate) bytes: u64,
    /// The size of the file on disk.
    pub(crate) file_bytes: u64,
}

/// The text of a card for these tables.
pub(crate) fn write(
    facts: &Facts,
    title: &str,
    tables: &[CardTable],
    listed: Option<&[Listed]>,
) -> Result<String, serde_yaml_ng::Error> {
    let mut front = facts.extra.clone();
    let mut put = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            front.insert(name.to_owned(), value);
        }
    };
    let text = |text: &Option<String>| text.as_ref().map(|text| json!(text));
    put(
        "pretty_name",
        Some(json!(facts.title.as_deref().unwrap_or(title))),
    );
    if let Some(license) = facts.license.as_deref() {
        let known = hub_license(license);
        if known.is_none() {
            put("license_name", Some(json!(license)));
        }
        put(
            "license",
            Some(json!(known.unwrap_or_else(|| "other".to_owned()))),
        );
    }
    put("description", text(&facts.description));
    put("version", text(&facts.version));
    put("url", text(&facts.url));
    put("published", text(&facts.published));
    put("citation", text(&facts.citation));
    put(
        "creators",
        (!facts.creators.is_empty()).then(|| json!(facts.creators)),
    );
    let rows = tables.iter().map(|table| table.rows).sum();
    put("size_categories", Some(json!([size_category(rows)])));
    let names = config_names(tables);
    if !names.is_empty() {
        put(
            "configs",
            Some(json!(
                names
                    .iter()
                    .enumerate()
                    .map(|(i, name)| config(name, i == 0, tables))
                    .collect::<Vec<_>>()
            )),
        );
        // Of a new dataset the columns are for `datasets` to find.
        let infos = |listed| names.iter().map(|name| info(name, listed)).collect();
        put("dataset_info", listed.map(infos).map(Value::Array));
    }
    let yaml = serde_yaml_ng::to_string(&front)?;
    Ok(format!("---\n{yaml}---\n\n{}", body(facts, title, tables)))
}

fn config_names(tables: &[CardTable]) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    for table in tables {
        if !names.contains(&table.config.as_str()) {
            names.push(&table.config);
        }
    }
    names
}

fn config(name: &str, default: bool, tables: &[CardTable]) -> Value {
    let of_config = tables.iter().filter(|table| table.config == name);
    let files: Vec<Value> = of_config
        .map(|table| json!({ "split": table.split, "path": table.path }))
        .collect();
    let mut config = json!({ "config_name": name, "data_files": files });
    if default && let Some(config) = config.as_object_mut() {
        config.insert("default".to_owned(), json!(true));
    }
    config
}

fn info(name: &str, tables: &[Listed]) -> Value {
    let of_config: Vec<&Listed> = tables
        .iter()
        .filter(|one| one.table.config == name)
        .collect();
    let columns = of_config
        .first()
        .map(|table| table.columns.as_slice())
        .unwrap_or_default();
    let features: Vec<Value> = columns
        .iter()
        .map(|column| match column.kind.feature() {
            (kind, false) => json!({ "name": column.name, "dtype": kind }),
            (kind, true) => json!({ "name": column.name, "list": kind }),
        })
        .collect();
    let splits: Vec<Value> = of_config
        .iter()
        .map(|one| json!({ "name": one.table.split, "num_bytes": one.bytes, "num_examples": one.table.rows }))
        .collect();
    json!({
        "config_name": name,
        "features": features,
        "splits": splits,
        "download_size": of_config.iter().map(|table| table.file_bytes).sum::<u64>(),
        "dataset_size": of_config.iter().map(|table| table.bytes).sum::<u64>(),
    })
}

/// The text that is always rewritten below a card's sections: the table of its files, and the citation.
const FILES: &str = "## Configurations\n\n| configuration | split | rows |\n";

fn body(facts: &Facts, title: &str, tables: &[CardTable]) -> String {
    let mut text = format!("# {}\n\n", facts.title.as_deref().unwrap_or(title));
    for part in [&facts.description, &facts.about].into_iter().flatten() {
        text.push_str(part);
        text.push_str("\n\n");
    }
    text.push_str(FILES);
    text.push_str("| --- | --- | ---: |\n");
    for table in tables {
        let (config, split, rows) = (&table.config, &table.split, table.rows);
        writeln!(text, "| {config} | {split} | {rows} |").expect("memory takes any text");
    }
    if let Some(citation) = &facts.citation {
        text.push_str(&cited(citation));
    }
    text
}

fn cited(citation: &str) -> String {
    format!("\n## Citation\n\n```\n{citation}\n```\n")
}

/// The sections of a card's text that [`body`] does not rewrite; `None` if there are no others.
fn about(facts: &Facts, card: &str) -> Option<String> {
    let (_, rest) = card.strip_prefix("---")?.split_once("\n---")?;
    let mut rest = rest.trim_start();
    if rest.starts_with("# ") {
        rest = rest
            .split_once('\n')
            .map_or("", |(_, rest)| rest)
            .trim_start();
    }
    if let Some(description) = &facts.description {
        rest = rest.strip_prefix(description.as_str()).unwrap_or(rest);
    }
    let citation = facts.citation.as_deref().map(cited);
    if let Some(citation) = &citation {
        rest = rest.strip_suffix(citation.as_str()).unwrap_or(rest);
    }
    let mut text = rest.to_owned();
    if let Some((before, after)) = rest.rsplit_once(FILES) {
        let below: Vec<&str> = after
            .lines()
            .skip_while(|line| line.starts_with('|'))
            .collect();
        text = format!("{before}{}", below.join("\n"));
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A table that the card of a new dataset names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CardTable {
    /// The configuration.
    pub config: String,
    /// The split.
    pub split: String,
    /// The file, from the folder of the card.
    pub path: String,
    /// Number of rows that it has.
    pub rows: u64,
}

/// The card of a new dataset; the first configuration is the one that loads by default.
///
/// # Errors
/// Returns the error of the YAML writer.
pub fn new_card(facts: &Facts, tables: &[CardTable]) -> Result<String, FormatError> {
    write(facts, "", tables, None)
        .map_err(|error| FormatError::invalid(Place::file(Path::new(CARD)), error.to_string()))
}

impl Facts {
    /// Sets the license of the documents: the one that all share if the hub has a name for it, else the statement
    /// that each document carries its own.
    pub fn license_documents(&mut self, licenses: &BTreeSet<Option<&str>>) {
        let only = (licenses.len() == 1).then(|| licenses.first().copied().flatten());
        match only {
            Some(None) => self.license = Some("unknown".to_owned()),
            Some(Some(spdx)) if hub_license(spdx).is_some() => self.license = Some(spdx.to_owned()),
            _ => {
                self.license = Some("per-document".to_owned());
                let names: Vec<&str> = licenses
                    .iter()
                    .map(|license| license.unwrap_or("unknown"))
                    .collect();
                let details = json!(names.join(", "));
                self.extra.insert("license_details".to_owned(), details);
                self.extra
                    .insert("license_link".to_owned(), json!("README.md"));
            }
        }
    }
}

/// The hub's word for the number of rows of a dataset: `1K<n<10K`.
fn size_category(rows: u64) -> &'static str {
    match rows {
        0..1_000 => "n<1K",
        1_000..10_000 => "1K<n<10K",
        10_000..100_000 => "10K<n<100K",
        100_000..1_000_000 => "100K<n<1M",
        1_000_000..10_000_000 => "1M<n<10M",
        _ => "n>10M",
    }
}

/// The name of a license on the Hugging Face hub: the hub's own short name, or an SPDX id that becomes one in lower
/// case; `None` if its list has none.
fn hub_license(license: &str) -> Option<String> {
    let id = license.to_lowercase();
    let id = id
        .strip_suffix("-only")
        .or_else(|| id.strip_suffix("-or-later"))
        .unwrap_or(&id);
    let mut known = HUB_LICENSES.split_ascii_whitespace();
    known.find(|name| *name == id).map(str::to_owned)
}

const HUB_LICENSES: &str = "\
    afl-3.0 agpl-3.0 apache-2.0 artistic-2.0 bsd-2-clause bsd-3-clause bsd-3-clause-clear bsl-1.0 c-uda \
    cc-by-2.0 cc-by-3.0 cc-by-4.0 cc-by-sa-3.0 cc-by-sa-4.0 cc0-1.0 ecl-2.0 epl-1.0 epl-2.0 eupl-1.1 eupl-1.2 \
    gpl-2.0 gpl-3.0 isc lgpl-2.1 lgpl-3.0 lppl-1.3c mit mpl-2.0 ms-pl ncsa odbl ofl-1.1 osl-3.0 postgresql \
    unknown unlicense wtfpl zlib";
