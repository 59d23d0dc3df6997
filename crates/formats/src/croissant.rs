//! Croissant 1.1: a JSON-LD description of a dataset's files, with checksums, columns and facts about responsible AI.
//!
//! Enters: facts and a folder in the hub's layout. Leaves: `croissant.json`. Every table is a `FileObject` with its
//! SHA-256, and every configuration's split a `RecordSet` whose fields are the table's columns. The fields of
//! responsible AI (`rai:…`) are the author's statements, and are left out if there are none. The checker is
//! strict about namespaces, so the context is the one that `mlcroissant` writes.
//!
//! [`check`] reads a description again: the name, the files with their checksums, and that each record set uses files
//! that exist. It is not a validator of JSON-LD.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use barecode_records::guarded;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::{Facts, FormatError, Place, card, source};

/// The name of the description in its folder.
pub const CROISSANT: &str = "croissant.json";

/// The facts about responsible use, by the names of the RAI vocabulary 1.0.
pub const RAI: [&str; 20] = [
    "dataCollection",
    "dataCollectionType",
    "dataCollectionTimeframe",
    "dataCollectionRawData",
    "dataCollectionMissingData",
    "dataPreprocessingProtocol",
    "dataManipulationProtocol",
    "dataImputationProtocol",
    "dataAnnotationProtocol",
    "dataAnnotationPlatform",
    "dataAnnotationAnalysis",
    "annotationsPerItem",
    "annotatorDemographics",
    "machineAnnotationTools",
    "dataBiases",
    "dataLimitations",
    "dataUseCases",
    "dataSocialImpact",
    "personalSensitiveInformation",
    "dataReleaseMaintenancePlan",
];

/// The description of a folder that has a card.
///
/// # Errors
/// [`FormatError`] if the card or a table cannot be read.
pub fn describe(
    folder: &Path,
    name: &str,
    facts: &Facts,
    rai: &BTreeMap<String, Value>,
) -> Result<Value, FormatError> {
    let front = card::front_matter(&folder.join(card::CARD))?.unwrap_or_default();
    let card = card::read(folder)?.unwrap_or_default();
    let (mut files, mut record_sets) = (Vec::new(), Vec::new());
    for config in &card.configs {
        for (split, paths) in &config.splits {
            for path in paths {
                let relative = relative(folder, path);
                files.push(json!({
                    "@type": "cr:FileObject",
                    "@id": identifier(&relative),
                    "name": identifier(&relative),
                    "contentUrl": relative,
                    "contentSize": format!("{} B", size(path)?),
                    "encodingFormat": "application/x-parquet",
                    "sha256": sha256(path)?,
                }));
                let id = identifier(&format!("{}/{split}", config.name));
                record_sets.push(json!({
                    "@type": "cr:RecordSet",
                    "@id": id,
                    "name": id,
                    "field": fields(&front, &config.name, &id, &identifier(&relative)),
                }));
            }
        }
    }
    let mut description = Map::new();
    let mut put = |key: &str, value: Value| {
        if !value.is_null() {
            description.insert(key.to_owned(), value);
        }
    };
    put("@context", context());
    put("@type", json!("sc:Dataset"));
    put("conformsTo", json!("http://mlcommons.org/croissant/1.1"));
    put("name", json!(name));
    put("description", json!(facts.description));
    put("license", json!(facts.license));
    put("url", json!(facts.url));
    put("version", json!(facts.version));
    put("datePublished", json!(facts.published));
    put("citeAs", json!(facts.citation));
    let creators: Vec<Value> = facts
        .creators
        .iter()
        .map(|name| json!({ "@type": "sc:Organization", "name": name }))
        .collect();
    put("creator", json!(creators));
    put("distribution", Value::Array(files));
    put("recordSet", Value::Array(record_sets));
    for (key, value) in rai {
        put(&format!("rai:{key}"), value.clone());
    }
    Ok(Value::Object(description))
}

/// The fields of a table, from the card's `dataset_info`.
fn fields(front: &Map<String, Value>, config: &str, id: &str, file: &str) -> Vec<Value> {
    let infos = front.get("dataset_info").and_then(Value::as_array);
    let info = infos
        .into_iter()
        .flatten()
        .find(|info| info.get("config_name").and_then(Value::as_str) == Some(config));
    let features = info.and_then(|info| info.get("features")?.as_array());
    features
        .into_iter()
        .flatten()
        .filter_map(|feature| {
            let name = feature.get("name")?.as_str()?;
            let list = feature.get("list").and_then(Value::as_str);
            let kind = list.or_else(|| feature.get("dtype")?.as_str())?;
            let mut field = json!({
                "@type": "cr:Field",
                "@id": format!("{id}/{}", identifier(name)),
                "name": format!("{id}/{}", identifier(name)),
                "dataType": data_type(kind),
                "source": { "fileObject": { "@id": file }, "extract": { "column": name } },
            });
            if list.is_some()
                && let Some(field) = field.as_object_mut()
            {
                field.insert("isArray".to_owned(), json!(true));
                field.insert("arrayShape".to_owned(), json!("-1"));
            }
            Some(field)
        })
        .collect()
}

/// A name in an `@id`, where `mlcroissant` accepts no blanks: `Output Types` → `Output~20~Types`.
///
/// A `~` is written so as well, and two names never become one.
fn identifier(name: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let spelled = name.chars().map(|c| {
        if safe(c) {
            c.to_string()
        } else {
            format!("~{:x}~", u32::from(c))
        }
    });
    spelled.collect::<Vec<_>>().concat()
}

fn data_type(kind: &str) -> &'static str {
    match kind {
        "int32" => "cr:Int32",
        "int64" => "cr:Int64",
        "float64" => "cr:Float64",
        "bool" => "sc:Boolean",
        _ => "sc:Text",
    }
}

/// Reads a description again, and checks its files.
///
/// # Errors
/// [`FormatError::Invalid`] if a part is missing, a file does not exist or has another checksum, or a record set uses
/// a file that is not described.
pub fn check(folder: &Path) -> Result<(), FormatError> {
    let path = folder.join(CROISSANT);
    let read: Result<Value, _> = serde_json::from_reader(source::open(&path)?);
    let description = read.map_err(|error| crate::row::invalid_json(&path, &error))?;
    let wrong = |message: String| FormatError::invalid(Place::file(&path), message);
    for key in ["name", "description", "license", "url", "datePublished"] {
        if description
            .get(key)
            .and_then(Value::as_str)
            .is_none_or(str::is_empty)
        {
            return Err(wrong(format!("`{key}` is missing")));
        }
    }
    let list = |key: &str| {
        description
            .get(key)
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default()
    };
    let text = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let mut known = std::collections::BTreeSet::new();
    for file in list("distribution") {
        let (Some(id), Some(url), Some(sum)) = (
            text(file, "@id"),
            text(file, "contentUrl"),
            text(file, "sha256"),
        ) else {
            return Err(wrong(
                "a file has no `@id`, `contentUrl` or `sha256`".to_owned(),
            ));
        };
        let found = sha256(&folder.join(&url))?;
        if found != sum {
            return Err(wrong(format!(
                "`{url}` has the checksum {found}, described is {sum}"
            )));
        }
        known.insert(id);
    }
    if known.is_empty() || list("recordSet").is_empty() {
        return Err(wrong("no files, or no record sets".to_owned()));
    }
    for set in list("recordSet") {
        let fields = set
            .get("field")
            .and_then(Value::as_array)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let name = text(set, "name").unwrap_or_default();
        if fields.is_empty() {
            return Err(wrong(format!("the record set `{name}` has no fields")));
        }
        for field in fields {
            let file = field
                .pointer("/source/fileObject/@id")
                .and_then(Value::as_str)
                .unwrap_or_default();
            if !known.contains(file) {
                return Err(wrong(format!(
                    "the record set `{name}` draws on `{file}`, which is not described"
                )));
            }
        }
    }
    Ok(())
}

/// The SHA-256 of a file, in hexadecimal digits.
///
/// # Errors
/// [`FormatError::Io`] if it cannot be read.
pub fn sha256(path: &Path) -> Result<String, FormatError> {
    let mut file = guarded::open(path).map_err(|error| source::cannot_read(path, error))?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = file
            .read(&mut buffer)
            .map_err(|error| source::cannot_read(path, error))?;
        if read == 0 {
            break;
        }
        digest.update(buffer.get(..read).unwrap_or_default());
    }
    let bytes = digest.finalize();
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digits = digits.filter_map(|digit| char::from_digit(u32::from(digit), 16));
    Ok(digits.collect())
}

fn size(path: &Path) -> Result<u64, FormatError> {
    let metadata = std::fs::metadata(path).map_err(|error| source::cannot_read(path, error))?;
    Ok(metadata.len())
}

fn relative(folder: &Path, path: &Path) -> String {
    let path = path.strip_prefix(folder).unwrap_or(path);
    path.to_string_lossy().replace('\\', "/")
}

/// The terms of Croissant that are called as they are in it.
const TERMS: &str = "\
    arrayShape citeAs column containedIn equivalentProperty extract field fileProperty fileObject fileSet format \
    includes isArray isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace \
    samplingRate separator source subField transform";

fn context() -> Value {
    let mut context = Map::new();
    for name in TERMS.split_ascii_whitespace() {
        context.insert(name.to_owned(), json!(format!("cr:{name}")));
    }
    for (name, value) in [
        ("@language", json!("en")),
        ("@vocab", json!("https://schema.org/")),
        ("conformsTo", json!("dct:conformsTo")),
        ("cr", json!("http://mlcommons.org/croissant/")),
        ("rai", json!("http://mlcommons.org/croissant/RAI/")),
        ("data", json!({ "@id": "cr:data", "@type": "@json" })),
        (
            "dataType",
            json!({ "@id": "cr:dataType", "@type": "@vocab" }),
        ),
        ("dct", json!("http://purl.org/dc/terms/")),
        ("description", json!({ "@container": "@language" })),
        (
            "examples",
            json!({ "@id": "cr:examples", "@type": "@json" }),
        ),
        ("name", json!({ "@container": "@language" })),
        ("sc", json!("https://schema.org/")),
    ] {
        context.insert(name.to_owned(), value);
    }
    Value::Object(context)
}
