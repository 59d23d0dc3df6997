//! The items of a study: units with the texts of two writers, units to write for, records to review.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_records::{Id, Query, Unit};
use barecode_web::Item;
use serde_json::Value;

use crate::exit::{Failure, read_text};
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;
use crate::session::{BUILD_FIRST, Session};

/// A run by its folder or its recipe.
fn folder(run: &Path) -> anyhow::Result<RunFolder> {
    Ok(if run.is_dir() {
        RunFolder::existing(run)?
    } else {
        RunFolder::existing(&Recipe::read(run)?.out)?
    })
}

/// Returns the code of a unit and the code that it needs. Its doc comment is in neither, so it cannot reveal the source
/// of a text.
fn of_unit(unit: &Unit, texts: [String; 2]) -> Item {
    let closure = &unit.closure;
    let around = |range: (usize, usize)| {
        closure
            .text
            .get(range.0..range.1)
            .unwrap_or_default()
            .trim()
    };
    let (start, end) = (closure.target.start as usize, closure.target.end as usize);
    let parts = [around((0, start)), around((end, closure.text.len()))];
    let context: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Item {
        id: unit.id.as_str().to_owned(),
        group: unit.group.name().to_owned(),
        language: unit.language.name().to_owned(),
        code: unit.text.clone(),
        context: context.join("\n\n"),
        texts,
    }
}

/// All units of a run.
pub(super) fn units(run: &Path) -> anyhow::Result<Vec<Item>> {
    let units = folder(run)?.layout().units()?;
    if units.is_empty() {
        let message = format!("`{}` has no units yet", run.display());
        return Err(Failure::invalid(message).hint(BUILD_FIRST).into());
    }
    Ok(units
        .iter()
        .map(|unit| of_unit(unit, [String::new(), String::new()]))
        .collect())
}

/// The units that have a query of both writers, with these.
pub(super) fn pairs(
    session: &Session,
    run: &Path,
    sources: &[String; 2],
) -> anyhow::Result<Vec<Item>> {
    let layout = folder(run)?;
    let (units, queries) = (layout.layout().units()?, layout.layout().queries()?);
    let mut by_writer: BTreeMap<&str, BTreeMap<&Id, &Query>> = BTreeMap::new();
    let mut further = 0;
    for query in &queries {
        let of_unit = by_writer.entry(&query.writer).or_default();
        if of_unit.contains_key(&query.target_id) {
            further += u32::from(sources.contains(&query.writer));
        } else {
            of_unit.insert(&query.target_id, query);
        }
    }
    let of = |writer: &String| {
        by_writer.get(&**writer).ok_or_else(|| {
            let known: Vec<String> = by_writer
                .iter()
                .map(|(name, queries)| format!("`{name}` ({} functions)", queries.len()))
                .collect();
            Failure::invalid(format!(
                "`{}` has no queries of the writer `{writer}`",
                run.display()
            ))
            .hint(if known.is_empty() {
                BUILD_FIRST.to_owned()
            } else {
                format!("its writers are {}", known.join(", "))
            })
        })
    };
    let (candidate, reference) = (of(&sources[0])?, of(&sources[1])?);
    let both = |unit: &Unit| {
        let texts =
            [candidate.get(&unit.id)?, reference.get(&unit.id)?].map(|query| query.text.clone());
        Some(of_unit(unit, texts))
    };
    let items: Vec<Item> = units.iter().filter_map(both).collect();
    session.note(&format!(
        "{} functions have a query of `{}`, {} of `{}`, {} of both",
        candidate.len(),
        sources[0],
        reference.len(),
        sources[1],
        items.len()
    ));
    if further > 0 {
        session.note(&format!(
            "note: {further} queries are a writer's second for a function and are not compared"
        ));
    }
    if items.is_empty() {
        return Err(Failure::invalid("no function has a query of both writers").into());
    }
    Ok(items)
}

/// A row of an input table: its columns by name.
type Row = BTreeMap<String, String>;

fn rows(path: &Path) -> anyhow::Result<(Vec<String>, Vec<Row>)> {
    let text = read_text(path)?;
    let broken =
        |error: csv::Error| Failure::invalid(format!("cannot read `{}`: {error}", path.display()));
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::Headers)
        .from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let head: Vec<String> = reader
        .headers()
        .map_err(broken)?
        .iter()
        .map(str::to_owned)
        .collect();
    let rows: Vec<Row> = reader
        .deserialize()
        .collect::<Result<_, _>>()
        .map_err(broken)?;
    if rows.is_empty() {
        return Err(Failure::invalid(format!(
            "`{}` has no rows below the names of its columns",
            path.display()
        ))
        .into());
    }
    Ok((head, rows))
}

fn take(row: &mut Row, name: &str) -> String {
    row.remove(name).unwrap_or_default()
}

/// The items of a table, and the names of its two sources.
pub(super) fn of_csv(path: &Path) -> anyhow::Result<([String; 2], Vec<Item>)> {
    const KNOWN: [&str; 5] = ["item", "group", "code", "context", "language"];
    let (head, rows) = rows(path)?;
    let sources: Vec<String> = head
        .iter()
        .filter(|name| !KNOWN.contains(&&***name))
        .cloned()
        .collect();
    let is_whole = head.iter().any(|name| name == "item") && head.iter().any(|name| name == "code");
    let (true, [candidate, reference]) = (is_whole, &*sources) else {
        return Err(Failure::invalid(format!("the columns of `{}` are `{}`", path.display(), head.join(",")))
            .hint("it needs `item`, `code` and two columns with texts; `group`, `context` and `language` are optional")
            .into());
    };
    let mut items = Vec::new();
    for (at, mut row) in rows.into_iter().enumerate() {
        let item = Item {
            id: take(&mut row, "item"),
            group: take(&mut row, "group"),
            language: take(&mut row, "language"),
            code: take(&mut row, "code"),
            context: take(&mut row, "context"),
            texts: [take(&mut row, candidate), take(&mut row, reference)],
        };
        let empty = [
            ("item", &item.id),
            (candidate, &item.texts[0]),
            (reference, &item.texts[1]),
        ];
        if let Some((column, _)) = empty.into_iter().find(|(_, text)| text.trim().is_empty()) {
            return Err(Failure::invalid(format!(
                "row {} of `{}` has nothing in `{column}`",
                at + 1,
                path.display()
            ))
            .into());
        }
        items.push(item);
    }
    Ok(([candidate.clone(), reference.clone()], items))
}

/// The records to review: queries of a run, rows of a table or of JSON lines, or what an audit found.
pub(super) fn records(input: &Path) -> anyhow::Result<Vec<Item>> {
    let ending = input
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    let items = match ending {
        _ if input.is_dir() => queries(input)?,
        "toml" => queries(input)?,
        "csv" => {
            let (_, rows) = rows(input)?;
            rows.into_iter().map(of_row).collect()
        }
        "jsonl" => {
            let text = read_text(input)?;
            let lines = text
                .lines()
                .enumerate()
                .filter(|(_, line)| !line.trim().is_empty());
            let parsed = lines.map(|(at, line)| {
                let row: BTreeMap<String, Value> = serde_json::from_str(line).map_err(|error| {
                    Failure::invalid(format!(
                        "{}:{}: not a JSON object: {error}",
                        input.display(),
                        at + 1
                    ))
                })?;
                let plain = row.into_iter().map(|(name, value)| match value {
                    Value::String(text) => (name, text),
                    other => (name, other.to_string()),
                });
                Ok(of_row(plain.collect()))
            });
            parsed.collect::<Result<_, Failure>>()?
        }
        "json" => findings(input)?,
        _ => {
            return Err(Failure::invalid(format!("`{}` is not a list of records", input.display()))
                .hint("give a run folder, a recipe, a .csv or .jsonl with `id` and `text`, or the .json of `barecode audit --json`")
                .into());
        }
    };
    match items.iter().position(|item| item.id.trim().is_empty()) {
        Some(at) => Err(Failure::invalid(format!(
            "record {} of `{}` has no `id`",
            at + 1,
            input.display()
        ))
        .into()),
        None => Ok(items),
    }
}

/// A record by the usual names of its columns.
fn of_row(mut row: Row) -> Item {
    let mut first = |names: &[&str]| {
        let found = names.iter().find_map(|name| row.remove(*name));
        found.unwrap_or_default()
    };
    Item {
        id: first(&["id", "record", "_id"]),
        group: first(&["group"]),
        language: first(&["language"]),
        code: first(&["code", "document", "function"]),
        context: first(&["context"]),
        texts: [first(&["text", "query", "comment"]), String::new()],
    }
}

fn queries(run: &Path) -> anyhow::Result<Vec<Item>> {
    let folder = folder(run)?;
    let (units, queries) = (folder.layout().units()?, folder.layout().queries()?);
    let units: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let item = |query: &Query| {
        let unit = units.get(&query.target_id);
        let item = unit.map_or_else(Item::default, |unit| {
            of_unit(unit, [query.text.clone(), String::new()])
        });
        Item {
            id: query.id.as_str().to_owned(),
            // Where comments are in classes, the class is the group.
            group: query.class.clone().unwrap_or(item.group),
            ..item
        }
    };
    let items: Vec<Item> = queries.iter().map(item).collect();
    if items.is_empty() {
        return Err(
            Failure::invalid(format!("`{}` has no queries yet", run.display()))
                .hint(BUILD_FIRST)
                .into(),
        );
    }
    Ok(items)
}

/// The examples of an audit's findings, each once.
fn findings(path: &Path) -> anyhow::Result<Vec<Item>> {
    let audit: Value = serde_json::from_str(&read_text(path)?)
        .map_err(|error| Failure::invalid(format!("`{}` is not JSON: {error}", path.display())))?;
    let text = |value: &Value, name: &str| value[name].as_str().unwrap_or_default().to_owned();
    let mut items: BTreeMap<String, Item> = BTreeMap::new();
    for finding in audit["findings"].as_array().into_iter().flatten() {
        for example in finding["examples"].as_array().into_iter().flatten() {
            for id in example["ids"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
            {
                let item = items.entry(id.to_owned()).or_insert_with(|| Item {
                    id: id.to_owned(),
                    group: text(finding, "code"),
                    texts: [text(example, "excerpt"), String::new()],
                    ..Item::default()
                });
                item.context += &[text(finding, "code"), text(finding, "message")].join(" ");
                item.context.push('\n');
            }
        }
    }
    if items.is_empty() {
        return Err(Failure::invalid(format!(
            "`{}` has no findings with examples",
            path.display()
        ))
        .hint("make it with `barecode audit DATASET --json`")
        .into());
    }
    Ok(items.into_values().collect())
}
