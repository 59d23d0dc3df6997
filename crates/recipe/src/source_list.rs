//! `[[manifest]]`: a file that lists many sources.
//!
//! ```toml
//! [[manifest]]
//! file = "repositories.json"
//! base = "git:mirrors/{owner}+{name}"   # `git:https://github.com/{repo}` unless given
//! where = { role = "dev" }              # only entries that say so
//! exclude = ["cli/**"]                  # what all its sources have in common
//! ```
//!
//! The result is a list of plain sources: the manifest of a run names each of them, and a resolved recipe has no
//! `[[manifest]]`. A source of a list is optional unless configured otherwise: one repository that is no longer on
//! the net must not stop the other hundred.
//!
//! | ending | content |
//! | --- | --- |
//! | `.json` | a list of objects: `repo`, and optionally `commit` and `license`; other keys serve `where` |
//! | `.jsonl` | the same, an object a line |
//! | `.toml` | `[[source]]` tables, as in a recipe |
//! | `.txt` | a repository or a source a line, optionally `owner/name@commit`; `#` begins a comment |
//!
//! `repo` is `owner/name`, an address, or a source as in `from`.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_records::guarded;
use barecode_sources::{FileRule, SourceConfig, license};
use serde::Deserialize;
use serde_json::Value;

/// `[[manifest]]` of a recipe.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct ManifestConfig {
    /// The file, relative to the recipe.
    pub(crate) file: String,
    /// The address that an `owner/name` represents, with `{repo}`, `{owner}`, `{name}` and `{commit}`.
    #[serde(default = "default_base")]
    base: String,
    /// The public repository of an `owner/name`.
    #[serde(default = "default_repository")]
    repository: String,
    /// Only entries that have these values.
    #[serde(default, rename = "where")]
    filter: BTreeMap<String, OneOrMore>,
    #[serde(default)]
    include: Vec<String>,
    #[serde(default)]
    exclude: Vec<String>,
    #[serde(default)]
    keep: Vec<FileRule>,
    #[serde(default)]
    defines: Vec<String>,
    #[serde(default)]
    limit: Option<u32>,
    #[serde(default)]
    license: Option<String>,
    #[serde(default)]
    first_commit: Option<bool>,
    #[serde(default = "yes")]
    optional: bool,
}

fn default_base() -> String {
    "git:https://github.com/{repo}".to_owned()
}

fn default_repository() -> String {
    "https://github.com/{repo}".to_owned()
}

fn yes() -> bool {
    true
}

/// A value, or any of several.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl OneOrMore {
    fn holds(&self, value: &str) -> bool {
        match self {
            OneOrMore::One(one) => one == value,
            OneOrMore::More(more) => more.iter().any(|one| one == value),
        }
    }
}

/// The fields of an entry, by key.
type Fields = serde_json::Map<String, Value>;

/// The file of a TOML list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TomlList {
    source: Vec<toml::Table>,
}

impl ManifestConfig {
    /// The sources of the list with the number of their entries, from 1; or why it cannot be used.
    pub(crate) fn read(&self, base: &Path) -> Result<Vec<(usize, SourceConfig)>, String> {
        let file = &self.file;
        let text = guarded::text(base.join(file))
            .map_err(|error| format!("cannot read the list of sources `{file}`: {error}"))?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let entries = self.entries(text)?;
        let count = entries.len();
        let mut sources = Vec::new();
        for (number, (stated, fields)) in (1..).zip(entries) {
            let fits = self.filter.iter().all(|(key, values)| {
                let value = fields.get(key);
                value.is_some_and(|value| values.holds(&plain(value)))
            });
            if !fits {
                continue;
            }
            let source = stated.map_or_else(|| self.of_fields(&fields), Ok);
            let source =
                source.map_err(|message| format!("`{file}`, entry {number}: {message}"))?;
            sources.push((number, self.completed(source)));
        }
        if sources.is_empty() {
            return Err(format!(
                "`where` matches none of the {count} entries in `{file}`"
            ));
        }
        Ok(sources)
    }

    /// The entries with the values that `where` looks at, each with its source if it is a `[[source]]`.
    fn entries(&self, text: &str) -> Result<Vec<(Option<SourceConfig>, Fields)>, String> {
        let file = &self.file;
        let malformed = |message: String| format!("`{file}`: {message}");
        let of_value = |value: Value| match value {
            Value::Object(fields) => Ok(fields),
            Value::String(repo) => Ok(line_fields(&repo)),
            other => Err(malformed(format!(
                "`{other}` is not an entry; an entry is an object with `repo`"
            ))),
        };
        let fields: Vec<Fields> = match ending(file) {
            "json" => {
                let values: Vec<Value> =
                    serde_json::from_str(text).map_err(|error| malformed(error.to_string()))?;
                values.into_iter().map(of_value).collect::<Result<_, _>>()?
            }
            "jsonl" => {
                let lines = (1..)
                    .zip(text.lines())
                    .filter(|(_, line)| !line.trim().is_empty());
                let value = |(number, line): (usize, &str)| {
                    let value = serde_json::from_str(line);
                    value.map_err(|error| malformed(format!("line {number}: {error}")))
                };
                lines
                    .map(|line| of_value(value(line)?))
                    .collect::<Result<_, _>>()?
            }
            "txt" => {
                let words = text.lines().map(|line| {
                    // A `#` inside a word belongs to it.
                    let comment = line
                        .find(" #")
                        .map_or(line, |at| line.get(..at).unwrap_or(line));
                    comment.trim()
                });
                words
                    .filter(|line| !line.is_empty() && !line.starts_with('#'))
                    .map(line_fields)
                    .collect()
            }
            "toml" => {
                let list: TomlList =
                    toml::from_str(text).map_err(|error| malformed(error.to_string()))?;
                let entry = |table: toml::Table| {
                    let source = SourceConfig::deserialize(table.clone())
                        .map_err(|error| malformed(error.to_string()))?;
                    let fields = serde_json::to_value(table).expect("TOML has no more than JSON");
                    let fields = fields.as_object().cloned().unwrap_or_default();
                    Ok((Some(source), fields))
                };
                return list.source.into_iter().map(entry).collect();
            }
            _ => {
                return Err(format!(
                    "`{file}` is not a list of sources: it must end in .json, .jsonl, .toml or .txt"
                ));
            }
        };
        Ok(fields.into_iter().map(|fields| (None, fields)).collect())
    }

    /// A source with the options that all sources of the list share.
    fn completed(&self, mut source: SourceConfig) -> SourceConfig {
        let or = |own: Vec<String>, common: &[String]| {
            if own.is_empty() { common.to_vec() } else { own }
        };
        source.include = or(source.include, &self.include);
        source.exclude.extend(self.exclude.iter().cloned());
        source.defines = or(source.defines, &self.defines);
        if source.keep.is_empty() {
            source.keep.clone_from(&self.keep);
        }
        source.limit = source.limit.or(self.limit);
        source.license = source.license.or_else(|| self.license.clone());
        source.first_commit = source.first_commit.or(self.first_commit);
        source.optional |= self.optional;
        source
    }

    fn of_fields(&self, fields: &Fields) -> Result<SourceConfig, String> {
        let text = |keys: &[&str]| {
            let value = keys.iter().find_map(|key| fields.get(*key)?.as_str());
            value.filter(|value| !value.is_empty())
        };
        let repo = text(&["repo", "repository", "url", "from"])
            .ok_or("no `repo`: the repository as `owner/name` or as an address")?;
        let commit = text(&["commit", "revision"]);
        // The license in a list is often not an SPDX expression; the repository's own files are more reliable.
        let license = text(&["license", "licence"])
            .and_then(license::normalize)
            .filter(|expression| !expression.contains("LicenseRef-"));
        let is_source = ["git:", "path:", "archive:", "cargo:"]
            .iter()
            .any(|kind| repo.starts_with(kind));
        let (mut from, repository) = if is_source {
            (repo.to_owned(), None)
        } else if repo.contains("://") || repo.starts_with("git@") {
            (format!("git:{repo}"), None)
        } else {
            let (owner, name) = repo
                .split_once('/')
                .filter(|(owner, name)| is_name(owner) && is_name(name))
                .ok_or_else(|| format!("`{repo}` is neither `owner/name` nor an address"))?;
            let fill = |template: &str| {
                template
                    .replace("{repo}", repo)
                    .replace("{owner}", owner)
                    .replace("{name}", name)
                    .replace("{commit}", commit.unwrap_or("HEAD"))
            };
            (fill(&self.base), Some(fill(&self.repository)))
        };
        let has_commit = !is_source && self.base.contains("{commit}") && repository.is_some();
        if let Some(commit) = commit.filter(|_| !has_commit && from.starts_with("git:")) {
            from = format!("{from}@{commit}");
        }
        Ok(SourceConfig {
            from,
            repository,
            license,
            ..SourceConfig::default()
        })
    }
}

/// A part of `owner/name`; it becomes a part of a path, so it may not lead elsewhere.
fn is_name(part: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    !part.is_empty() && part.chars().all(plain) && part.chars().any(|c| c != '.')
}

/// `owner/name@commit`, or any other text unchanged.
fn line_fields(line: &str) -> Fields {
    let mut fields = serde_json::Map::new();
    let named = line
        .split_once('@')
        .filter(|(repo, _)| !repo.contains(':') && repo.matches('/').count() == 1);
    let (repo, commit) = named.map_or((line, None), |(repo, commit)| (repo, Some(commit)));
    fields.insert("repo".to_owned(), repo.into());
    if let Some(commit) = commit {
        fields.insert("commit".to_owned(), commit.into());
    }
    fields
}

/// A value as in `where`.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn manifest(options: &str) -> ManifestConfig {
        toml::from_str(options).unwrap()
    }

    fn sources(file: &str, text: &str, options: &str) -> Result<Vec<SourceConfig>, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), text).unwrap();
        let manifest = manifest(&format!("file = {file:?}\n{options}"));
        let read = manifest.read(folder.path())?;
        Ok(read.into_iter().map(|(_, source)| source).collect())
    }

    const JSON: &str = r#"[
        {"repo": "a/one", "commit": "0123", "role": "dev", "licence": "MIT (LICENSE)", "files": 3},
        {"repo": "b/two", "role": "demo", "license": "GPL-2.0+"},
        "https://example.org/three.git"
    ]"#;

    #[test]
    fn a_list_in_json_gives_addresses_commits_and_licenses_of_spdx() {
        let all = sources("r.json", JSON, "exclude = [\"cli/**\"]").unwrap();
        let from: Vec<&str> = all.iter().map(|source| source.from.as_str()).collect();
        assert_eq!(
            from,
            [
                "git:https://github.com/a/one@0123",
                "git:https://github.com/b/two",
                "git:https://example.org/three.git"
            ]
        );
        let licenses: Vec<Option<&str>> = all.iter().map(|one| one.license.as_deref()).collect();
        assert_eq!(licenses, [None, Some("GPL-2.0-or-later"), None]);
        assert!(
            all.iter()
                .all(|one| one.optional && one.exclude == ["cli/**"])
        );
    }

    #[test]
    fn where_keeps_the_entries_that_say_so_and_base_leads_to_mirrors() {
        let options = "base = \"git:mirrors/{owner}+{name}/repo\"\nwhere = { role = \"dev\" }";
        let dev = sources("r.json", JSON, options).unwrap();
        assert_eq!(dev.len(), 1);
        assert_eq!(dev[0].from, "git:mirrors/a+one/repo@0123");
        assert_eq!(
            dev[0].repository.as_deref(),
            Some("https://github.com/a/one")
        );
        let both = "where = { role = [\"dev\", \"demo\"], files = \"3\" }";
        assert_eq!(sources("r.json", JSON, both).unwrap().len(), 1);
        let none = sources("r.json", JSON, "where = { role = \"x\" }").unwrap_err();
        assert_eq!(none, "`where` matches none of the 3 entries in `r.json`");
    }

    #[test]
    fn lines_objects_a_line_and_tables_are_read_too() {
        let text = "# the first\na/one@v1\n\npath:lib # mine\n";
        let lines = sources("r.txt", text, "").unwrap();
        let from: Vec<&str> = lines.iter().map(|source| source.from.as_str()).collect();
        assert_eq!(from, ["git:https://github.com/a/one@v1", "path:lib"]);
        let objects = sources(
            "r.jsonl",
            "{\"repo\": \"a/one\"}\n\n{\"repo\": \"b/two\"}\n",
            "",
        );
        assert_eq!(objects.unwrap().len(), 2);
        let tables = "[[source]]\nfrom = \"path:lib\"\nlimit = 3\n[[source]]\nfrom = \"path:b\"\n";
        let tables = sources("r.toml", tables, "limit = 9\noptional = false").unwrap();
        assert_eq!((tables[0].limit, tables[1].limit), (Some(3), Some(9)));
        assert!(!tables[0].optional);
    }

    #[test]
    fn what_is_no_list_is_refused_with_its_place() {
        let refused = |file: &str, text: &str| sources(file, text, "").unwrap_err();
        assert!(refused("r.csv", "").contains("must end in .json"));
        assert!(refused("r.json", "[").starts_with("`r.json`: EOF"));
        assert!(refused("r.json", "[3]").contains("`3` is not an entry"));
        assert!(refused("r.json", "[{\"x\": 1}]").contains("entry 1: no `repo`"));
        assert!(refused("r.txt", "../../etc/passwd").contains("neither `owner/name`"));
        assert!(refused("r.txt", "../..").contains("neither `owner/name`"));
        assert!(refused("r.toml", "[[source]]\nform = \"x\"\n").contains("unknown field `form`"));
    }
}
