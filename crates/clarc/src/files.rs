//! The files that CLARC released, and their texts by id.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use barecode_records::guarded;
use serde_json::Value;

/// A released file that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Unreadable {
    message: String,
    hint: Option<&'static str>,
}

impl Unreadable {
    fn new(message: String, hint: Option<&'static str>) -> Self {
        Unreadable { message, hint }
    }

    /// The advice to the user.
    pub fn hint(&self) -> Option<&str> {
        self.hint
    }
}

/// Two files of one benchmark: the originals, and one setting of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The originals.
    pub original: PathBuf,
    /// The same in a setting.
    pub released: PathBuf,
    /// CLARC's name of the setting, from the name of the file.
    pub setting: String,
}

impl Pair {
    /// Returns `true` if the setting is still source.
    pub fn is_renamed(&self) -> bool {
        self.setting.ends_with("_renamed")
    }
}

/// CLARC's names of its settings in names of files.
const SETTINGS: [&str; 5] = [
    "usual_renamed",
    "hash_renamed",
    "asm_short",
    "asm_long",
    "wasm",
];

/// The pairs in a folder, by the beginning of their names.
pub fn find(folder: &Path) -> Result<Vec<Pair>, Unreadable> {
    let cannot = |error: std::io::Error| {
        let message = format!("cannot list `{}`: {error}", folder.display());
        let hint = "the argument is the folder with the released files";
        Unreadable::new(message, Some(hint))
    };
    let mut files: Vec<(String, PathBuf)> = Vec::new();
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        if let (Some(name), true) = (
            path.file_name().and_then(|name| name.to_str()),
            path.extension().is_some_and(|ending| ending == "json"),
        ) {
            files.push((name.to_owned(), path.clone()));
        }
    }
    files.sort();
    let mut pairs = Vec::new();
    for (name, original) in &files {
        let Some((stem, _)) = name.rsplit_once("_original") else {
            continue;
        };
        for setting in SETTINGS {
            let beginning = format!("{stem}_{setting}");
            let of_setting = files
                .iter()
                .filter(|(name, _)| name.starts_with(&beginning));
            pairs.extend(of_setting.map(|(_, released)| Pair {
                original: original.clone(),
                released: released.clone(),
                setting: setting.to_owned(),
            }));
        }
    }
    Ok(pairs)
}

/// The texts of a file by the ids of their rows.
///
/// A list of rows has each its own text. In the tables of group 3, only the documents that answer a query best
/// count; the others are rows of group 1.
pub fn texts(path: &Path) -> Result<BTreeMap<String, String>, Unreadable> {
    let shown = path.display();
    let bytes = guarded::read(path)
        .map_err(|error| Unreadable::new(format!("cannot read `{shown}`: {error}"), None))?;
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| {
        let hint = "fetch the file again: it may be cut off, or a pointer to a large file";
        Unreadable::new(format!("`{shown}` is not JSON: {error}"), Some(hint))
    })?;
    let texts = match &value {
        Value::Array(rows) => of_rows(rows),
        Value::Object(_) => of_tables(&value),
        _ => Err("neither a list of rows nor an object with tables".to_owned()),
    };
    texts.map_err(|what| {
        let hint = "expected a list of objects with `code_id` and `code_text`, or an object with `corpus` and `qrel`";
        Unreadable::new(format!("`{shown}`: {what}"), Some(hint))
    })
}

fn of_rows(rows: &[Value]) -> Result<BTreeMap<String, String>, String> {
    let mut texts = BTreeMap::new();
    for (at, row) in rows.iter().enumerate() {
        let text = |key: &str| {
            let value = row.get(key).and_then(Value::as_str);
            value.ok_or_else(|| format!("row {at} has no text `{key}`"))
        };
        texts.insert(text("code_id")?.to_owned(), text("code_text")?.to_owned());
    }
    Ok(texts)
}

fn of_tables(value: &Value) -> Result<BTreeMap<String, String>, String> {
    let table = |key: &str| {
        let table = value.get(key).and_then(Value::as_object);
        table.ok_or_else(|| format!("no table `{key}`"))
    };
    let corpus = table("corpus")?;
    let mut texts = BTreeMap::new();
    for (query, grades) in table("qrel")? {
        let grades = grades
            .as_object()
            .ok_or_else(|| format!("the grades of `{query}` are not a table"))?;
        let grades = grades
            .iter()
            .filter_map(|(id, grade)| Some((id, grade.as_i64()?)));
        let Some((id, _)) = grades.max_by_key(|(_, grade)| *grade) else {
            continue;
        };
        let text = corpus.get(id).and_then(Value::as_str);
        let text = text.ok_or_else(|| format!("`{id}` answers `{query}` but has no text"))?;
        texts.insert(id.clone(), text.to_owned());
    }
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(text: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a_original.json");
        fs::write(&path, text).unwrap();
        (folder, path)
    }

    #[test]
    fn files_are_matched_by_the_beginning_of_their_names() {
        let (folder, original) = written("[]");
        for name in [
            "a_usual_renamed_sample.json",
            "b_usual_renamed.json",
            "a_wasm.json",
        ] {
            fs::write(folder.path().join(name), "[]").unwrap();
        }
        let found = find(folder.path()).unwrap();
        let pair = |file: &str, setting: &str| Pair {
            original: original.clone(),
            released: folder.path().join(file),
            setting: setting.to_owned(),
        };
        let expected = [
            pair("a_usual_renamed_sample.json", "usual_renamed"),
            pair("a_wasm.json", "wasm"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn both_shapes_are_read() {
        let (_folder, path) = written(r#"[{"code_id": "c", "code_text": "int f();"}]"#);
        assert_eq!(texts(&path).unwrap()["c"], "int f();");
        let (_folder, path) =
            written(r#"{"corpus": {"c": "x", "d": "y"}, "qrel": {"q": {"c": 1, "d": 2}}}"#);
        let found = texts(&path).unwrap();
        assert_eq!(found.keys().collect::<Vec<_>>(), ["d"]);
    }

    #[test]
    fn errors_say_where() {
        for (text, expected) in [
            ("version https://git-lfs", "is not JSON"),
            ("7", "neither a list"),
            (r#"[{"code_id": "c"}]"#, "row 0 has no text `code_text`"),
            (r#"{"corpus": {}}"#, "no table `qrel`"),
            (r#"{"corpus": {}, "qrel": {"q": {"c": 2}}}"#, "has no text"),
        ] {
            let (_folder, path) = written(text);
            let error = texts(&path).unwrap_err();
            assert!(error.message.contains(expected), "{}", error.message);
            assert!(error.hint().is_some());
        }
    }
}
