//! Datasets in the hub's layout: a card that names configurations, and a table for each of their splits.
//!
//! Three layouts are read by one rule. A configuration `X-corpus`, `X-queries`, `X-qrels` is a part of subset
//! `X`, and without the prefix of `default` (MTEB); `X-top_ranked` and `X-instruction` add candidates and
//! instructions; any other configuration is a flat one, whose rows are judged pairs
//! (`query_id, query_text, code_id, code_text, relevance`, as CLARC publishes them). A flat configuration beside its
//! parts has nothing new for their splits, and is read for other splits only. Tables are Parquet or JSON Lines. Pairs
//! under other names are read as [common tables](crate::common).
//!
//! The splits of a subset are those of its judgments. Documents and queries of a split are those of the same split,
//! or of the only split that exists: MTEB's rule (`retrieval_dataset_loaders.py`). Without a card the names of
//! folders and files have the same role: `X/corpus.parquet`, or `X-corpus/test-00000-of-00001.parquet`.
//!
//! A dataset of `barecode build` lists its subsets in `subsets.parquet`, and from there they have their facets.
//!
//! `CoIR` has two such datasets for a task, `{task}-queries-corpus`, with the splits `queries` and `corpus`, and
//! `{task}-qrels`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::{ListedSubset, Record, Subset as Described, SubsetKind, TableError, table};
use serde_json::{Value, json};

use crate::card::{self, Card, CardTable, Config, Listed};
use crate::gather::{Gather, Read};
use crate::parquet_rows::{self, Column, ColumnKind, Wanted};
use crate::row::{self, Row, with_cells};
use crate::staging::{Writer, cannot};
use crate::texts::{documents_once, judged, queries_once};
use crate::{Extra, Facts, FormatError, Judgment, Place, Query, Subset, clarc, common, source};

const ID: &[&str] = &["id", "_id"];
const TEXT: &[&str] = &["text"];
const QUERY_ID: &[&str] = &["query-id", "query_id"];
const CORPUS_ID: &[&str] = &["corpus-id", "corpus_id"];
const CORPUS_IDS: &[&str] = &["corpus-ids", "corpus_ids"];
const SCORE: &[&str] = &["score"];
const FLAT: [Wanted<'_>; 5] = [
    &["query_id"],
    &["query_text"],
    &["code_id"],
    &["code_text"],
    &["relevance"],
];

/// A part of a subset.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Corpus,
    Queries,
    Qrels,
    TopRanked,
    Instruction,
    Flat,
}

/// The configurations of a subset.
#[derive(Default)]
struct Parts<'a> {
    by_part: BTreeMap<Part, &'a Config>,
}

/// Returns true if a folder has a card with configurations, or Parquet files.
pub(crate) fn is_folder(folder: &Path) -> Result<bool, FormatError> {
    Ok(!configs(folder)?.configs.is_empty())
}

/// Returns true if the configurations of a folder are all parts, as MTEB requires.
pub(crate) fn is_mteb(folder: &Path) -> Result<bool, FormatError> {
    let card = configs(folder)?;
    let names: Vec<&str> = card.configs.iter().map(|one| one.name.as_str()).collect();
    let parts = names.iter().map(|name| part_of(name, &names));
    Ok(!names.is_empty() && parts.into_iter().all(|(part, _)| part != Part::Flat))
}

/// Returns true if a folder has the two datasets of `CoIR`.
pub(crate) fn is_coir(folder: &Path) -> Result<bool, FormatError> {
    Ok(!coir_tasks(folder)?.is_empty())
}

/// Reads a folder, or one table of judged pairs.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    if path.is_file() {
        let files = [path.to_owned()];
        return flat(&files, &source::stem(path), "test", read);
    }
    let card = configs(path)?;
    read.facts = card.facts;
    if card.configs.is_empty() {
        let message = "neither a card with `configs` nor a Parquet file was found";
        return Err(FormatError::invalid(Place::file(path), message));
    }
    let listed = listed(&path.join("subsets.parquet"))?;
    let probes: Vec<&str> = listed
        .iter()
        .filter(|subset| subset.kind == SubsetKind::Probe)
        .map(|subset| subset.name.as_str())
        .collect();
    for probe in &probes {
        read.notes.push(format!(
            "the subset `{probe}` is left out: it compares pairs of texts and has no queries; `barecode probe` reads it"
        ));
    }
    let is_of_probe = |config: &Config| {
        let mut rests = probes.iter().map(|probe| config.name.strip_prefix(probe));
        rests.any(|rest| rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
    };
    let configs: Vec<&Config> = card
        .configs
        .iter()
        .filter(|one| !is_of_probe(one))
        .collect();
    if configs.is_empty() {
        let message = "all subsets are probes, which compare pairs of texts and have no queries";
        let error = FormatError::invalid(Place::file(path), message);
        return Err(error.with_hint("give the folder to `barecode probe`"));
    }
    let names: Vec<&str> = configs.iter().map(|one| one.name.as_str()).collect();
    let mut order: Vec<String> = Vec::new();
    let mut subsets: BTreeMap<String, Parts<'_>> = BTreeMap::new();
    for config in configs {
        let (part, subset) = part_of(&config.name, &names);
        if !order.contains(&subset) {
            order.push(subset.clone());
        }
        subsets
            .entry(subset)
            .or_default()
            .by_part
            .insert(part, config);
    }
    for name in order {
        let Some(parts) = subsets.get(&name) else {
            continue;
        };
        let mut splits: Vec<&str> = Vec::new();
        if let Some(qrels) = parts.by_part.get(&Part::Qrels) {
            for (split, files) in &qrels.splits {
                splits.push(split);
                retrieval(path, parts, files, (&name, split), read)?;
            }
        } else if !parts.by_part.contains_key(&Part::Flat) {
            let message =
                format!("the subset `{name}` has no judgments: a configuration `{name}-qrels`");
            return Err(FormatError::invalid(Place::file(path), message));
        }
        if let Some(config) = parts.by_part.get(&Part::Flat) {
            for (split, files) in &config.splits {
                if !splits.contains(&split.as_str()) {
                    flat(files, &name, split, read)?;
                }
            }
        }
    }
    add_facets(listed, read);
    Ok(())
}

/// The subsets that a dataset of barecode lists; a file of another program that is called the same is left alone.
fn listed(list: &Path) -> Result<Vec<ListedSubset>, FormatError> {
    let invalid = |error: TableError| FormatError::invalid(Place::file(list), error.to_string());
    if !list.is_file()
        || !table::footer(list)
            .map_err(invalid)?
            .table
            .starts_with(ListedSubset::TABLE)
    {
        return Ok(Vec::new());
    }
    table::read::<ListedSubset>(list).map_err(invalid)
}

/// Sets the facets of subsets by the list.
fn add_facets(listed: Vec<ListedSubset>, read: &mut Read) {
    for described in listed.into_iter().map(Described::from) {
        let of_name = read.subsets.iter_mut();
        for subset in of_name.filter(|subset| subset.name == described.name) {
            subset.facets = described.facets.clone();
        }
    }
}

fn part_of(config: &str, names: &[&str]) -> (Part, String) {
    let endings = [
        ("corpus", Part::Corpus),
        ("queries", Part::Queries),
        ("query", Part::Queries),
        ("qrels", Part::Qrels),
        ("top_ranked", Part::TopRanked),
        ("instruction", Part::Instruction),
    ];
    for (ending, part) in endings {
        if config == ending {
            return (part, "default".to_owned());
        }
        let prefix = config
            .strip_suffix(ending)
            .and_then(|rest| rest.strip_suffix('-'));
        if let Some(subset) = prefix.filter(|subset| !subset.is_empty()) {
            return (part, subset.to_owned());
        }
    }
    if config == "default" && names.contains(&"corpus") && !names.contains(&"qrels") {
        return (Part::Qrels, config.to_owned());
    }
    (Part::Flat, config.to_owned())
}

fn retrieval(
    folder: &Path,
    parts: &Parts<'_>,
    qrels: &[PathBuf],
    (name, split): (&str, &str),
    read: &mut Read,
) -> Result<(), FormatError> {
    let wanted = |part: Part, what: &str| {
        let config = parts.by_part.get(&part).ok_or_else(|| {
            let message =
                format!("the subset `{name}` has judgments and no configuration `{name}-{what}`");
            FormatError::invalid(Place::file(folder), message)
        })?;
        of_split(config, split).ok_or_else(|| {
            let message = format!(
                "the configuration `{}` has several splits, and none of them is `{split}`",
                config.name
            );
            FormatError::invalid(Place::file(folder), message)
        })
    };
    let corpus = wanted(Part::Corpus, "corpus")?;
    let queries = wanted(Part::Queries, "queries")?;
    let config = parts.by_part.get(&Part::Queries);
    let own_queries =
        config.is_some_and(|config| config.splits.iter().any(|(one, _)| one == split));
    let mut gather = read.gather(name, split);
    three_tables(&mut gather, corpus, queries, qrels, Row::present)?;
    let optional = |part: Part| of_split(parts.by_part.get(&part)?, split);
    if let Some(files) = optional(Part::TopRanked) {
        each_row(files, &[QUERY_ID, CORPUS_IDS], |mut row| {
            let query = row.id(QUERY_ID)?;
            let Some(Value::Array(ids)) = row.take(CORPUS_IDS) else {
                return Err(row.invalid("`corpus-ids` is not a list"));
            };
            let ids = ids
                .iter()
                .map(|id| id.as_str().map_or_else(|| id.to_string(), str::to_owned));
            gather.candidates(query, ids.collect());
            Ok(())
        })?;
    }
    if let Some(files) = optional(Part::Instruction) {
        each_row(files, &[QUERY_ID, &["instruction"]], |mut row| {
            let (query, instruction) = (row.id(QUERY_ID)?, row.text(&["instruction"])?);
            match gather.query_mut(&query) {
                Some(query) => {
                    query
                        .extra
                        .insert("instruction".to_owned(), json!(instruction));
                    Ok(())
                }
                None => Err(row.invalid(format!(
                    "an instruction names the query `{query}`, which is not there"
                ))),
            }
        })?;
    }
    if !own_queries {
        gather.drop_unjudged("MTEB's loader");
    }
    gather.finish(read)
}

/// Reads documents, queries and judgments; `rest` is which other columns of queries stay.
fn three_tables(
    gather: &mut Gather,
    corpus: &[PathBuf],
    queries: &[PathBuf],
    qrels: &[PathBuf],
    rest: fn(Row) -> Extra,
) -> Result<(), FormatError> {
    each_row(corpus, &[ID, TEXT], |row| {
        gather.document_row(row, ID, TEXT, Row::present)
    })?;
    each_row(queries, &[ID, TEXT], |row| {
        gather.query_row(row, ID, TEXT, rest)
    })?;
    each_row(qrels, &[QUERY_ID, CORPUS_ID, SCORE], |mut row| {
        let judgment = Judgment::new(row.id(QUERY_ID)?, row.id(CORPUS_ID)?, row.grade(SCORE)?);
        gather.judgment(row.place, judgment)
    })
}

fn flat(files: &[PathBuf], name: &str, split: &str, read: &mut Read) -> Result<(), FormatError> {
    let names = files.first().map(|file| common::names(file)).transpose()?;
    let names = names.flatten().unwrap_or_default();
    let is_wanted = |wanted: &Wanted<'_>| {
        wanted
            .iter()
            .any(|one| names.iter().any(|name| name == one))
    };
    if read.columns.is_some() || !FLAT.iter().all(is_wanted) {
        return common::table(files, name, split, read);
    }
    let mut gather = read.gather(name, split);
    each_row(files, &FLAT, |row| {
        clarc::pair(&mut gather, row.without_nulls())
    })?;
    gather.finish(read)
}

/// The files of a split, or of the only one.
fn of_split<'a>(config: &'a Config, split: &str) -> Option<&'a [PathBuf]> {
    let own = config.splits.iter().find(|(name, _)| name == split);
    match (own, config.splits.as_slice()) {
        (Some((_, files)), _) | (None, [(_, files)]) => Some(files),
        _ => None,
    }
}

fn each_row(
    files: &[PathBuf],
    wanted: &[Wanted<'_>],
    mut each: impl FnMut(Row) -> Result<(), FormatError>,
) -> Result<(), FormatError> {
    for file in files {
        let name = file.to_string_lossy();
        if name.ends_with(".parquet") || name.ends_with(".parq") {
            parquet_rows::read(file, wanted, &mut each)?;
        } else if name.ends_with(".jsonl") || name.ends_with(".jsonl.gz") {
            row::json_lines(file, &mut each)?;
        } else {
            return Err(FormatError::invalid(
                Place::file(file),
                "a table of another kind than `.parquet`, `.jsonl` and `.jsonl.gz`",
            ));
        }
    }
    Ok(())
}

/// The configurations of the card, or else of the names of the Parquet files.
fn configs(folder: &Path) -> Result<Card, FormatError> {
    let mut card = card::read(folder)?.unwrap_or_default();
    if !card.configs.is_empty() {
        return Ok(card);
    }
    for file in card::files_below(folder, "")? {
        let Some(stem) = file.strip_suffix(".parquet") else {
            continue;
        };
        let (config, split) = match stem.rsplit_once('/') {
            None => ("default".to_owned(), split_of(stem)),
            Some((folder, "pairs")) => (folder.to_owned(), "test".to_owned()),
            Some((folder, part @ ("corpus" | "queries" | "qrels"))) => {
                (format!("{folder}-{part}"), "test".to_owned())
            }
            Some((folder, stem)) => (folder.to_owned(), split_of(stem)),
        };
        let path = folder.join(&file);
        let known = card.configs.iter_mut().find(|one| one.name == config);
        let Some(known) = known else {
            card.configs.push(Config {
                name: config,
                splits: vec![(split, vec![path])],
            });
            continue;
        };
        match known.splits.iter_mut().find(|(one, _)| *one == split) {
            Some((_, files)) => files.push(path),
            None => known.splits.push((split, vec![path])),
        }
    }
    Ok(card)
}

/// `test-00000-of-00001` → `test`.
fn split_of(stem: &str) -> String {
    let shard = stem
        .rsplit_once("-of-")
        .and_then(|(before, _)| before.rsplit_once('-'));
    shard.map_or(stem, |(split, _)| split).to_owned()
}

/// Reads `CoIR`'s pairs of datasets.
pub(crate) fn read_coir(folder: &Path, read: &mut Read) -> Result<(), FormatError> {
    let tasks = coir_tasks(folder)?;
    if tasks.is_empty() {
        let message = "no pair of folders `{task}-queries-corpus` and `{task}-qrels` was found";
        return Err(FormatError::invalid(Place::file(folder), message));
    }
    for task in tasks {
        let texts_folder = folder.join(format!("{task}-queries-corpus"));
        let qrels_folder = folder.join(format!("{task}-qrels"));
        let texts = configs(&texts_folder)?;
        let qrels = configs(&qrels_folder)?;
        let part = |part: &str| {
            let splits = texts.configs.iter().flat_map(|config| &config.splits);
            let found = splits.into_iter().find(|(split, _)| split == part);
            found.map(|(_, files)| files.as_slice()).ok_or_else(|| {
                let message = format!("split `{part}` not found");
                FormatError::invalid(Place::file(&texts_folder), message)
            })
        };
        let (corpus, queries) = (part("corpus")?, part("queries")?);
        for (split, files) in qrels.configs.iter().flat_map(|config| &config.splits) {
            let mut gather = read.gather(&task, split);
            // In this layout queries have the columns of documents, so an empty title.
            let rest = |mut row: Row| {
                row.take(&["title"]);
                row.present()
            };
            three_tables(&mut gather, corpus, queries, files, rest)?;
            gather.drop_unjudged("CoIR's loader");
            gather.finish(read)?;
        }
    }
    Ok(())
}

fn coir_tasks(folder: &Path) -> Result<Vec<String>, FormatError> {
    let mut tasks = Vec::new();
    for entry in source::entries(folder)? {
        let name = entry.file_name().and_then(|name| name.to_str());
        if let Some(task) = name.and_then(|name| name.strip_suffix("-queries-corpus"))
            && folder.join(format!("{task}-qrels")).is_dir()
        {
            tasks.push(task.to_owned());
        }
    }
    Ok(tasks)
}

/// The rows of a table, made when they are written.
type Rows<'a> = Box<dyn Iterator<Item = Extra> + 'a>;

/// A table that is about to be written.
struct Table<'a> {
    config: String,
    split: String,
    path: String,
    columns: Vec<Column>,
    rows: Rows<'a>,
}

/// Writes `NAME/corpus.parquet`, `queries`, `qrels` and the flat `pairs`, and a card: the layout of `barecode build`.
pub(crate) fn write(
    name: &str,
    facts: &Facts,
    subsets: &[Subset],
    writer: &Writer,
) -> Result<(), FormatError> {
    let mut tables: Vec<Table<'_>> = Vec::new();
    for subset in subsets {
        let (name, split) = (&subset.name, &subset.split);
        let file = |part: &str| {
            if split == "test" {
                format!("{name}/{part}.parquet")
            } else {
                format!("{name}/{split}/{part}.parquet")
            }
        };
        tables.push(table(name.clone(), split, file("pairs"), pairs(subset)));
        for (part, content) in parts(subset) {
            tables.push(table(format!("{name}-{part}"), split, file(part), content));
        }
    }
    with_card(name, facts, tables, "", writer)
}

/// Writes `X-corpus/test-00000-of-00001.parquet` and so on, and a card: the input of MTEB's loader.
pub(crate) fn write_mteb(
    name: &str,
    facts: &Facts,
    subsets: &[Subset],
    writer: &Writer,
) -> Result<(), FormatError> {
    let bare = subsets.iter().all(|subset| subset.name == "default");
    let mut tables = Vec::new();
    for subset in subsets {
        for (part, content) in parts(subset) {
            let config = if bare {
                part.to_owned()
            } else {
                format!("{}-{part}", subset.name)
            };
            let path = format!("{config}/{}-00000-of-00001.parquet", subset.split);
            tables.push(table(config, &subset.split, path, content));
        }
    }
    with_card(name, facts, tables, "", writer)
}

/// Writes `CoIR`'s two datasets for each subset.
pub(crate) fn write_coir(
    facts: &Facts,
    subsets: &[Subset],
    writer: &Writer,
) -> Result<(), FormatError> {
    let mut names: Vec<&str> = Vec::new();
    for subset in subsets {
        if names.contains(&subset.name.as_str()) {
            continue;
        }
        names.push(&subset.name);
        let splits: Vec<&Subset> = subsets
            .iter()
            .filter(|one| one.name == subset.name)
            .collect();
        let base = format!("{}-queries-corpus/", subset.name);
        let (corpus, queries) = (all_documents(&splits, "_id"), all_queries(&splits, "_id"));
        let texts = [("corpus", corpus), ("queries", queries)].map(|(part, content)| {
            let path = format!("data/{part}-00000-of-00001.parquet");
            table("default".to_owned(), part, path, content)
        });
        with_card(&subset.name, facts, texts.into(), &base, writer)?;
        let base = format!("{}-qrels/", subset.name);
        let judgments = splits.iter().map(|split| {
            let path = format!("data/{}-00000-of-00001.parquet", split.split);
            let names = ["query_id", "corpus_id"];
            table(
                "default".to_owned(),
                &split.split,
                path,
                judgments(split, names),
            )
        });
        with_card(&subset.name, facts, judgments.collect(), &base, writer)?;
    }
    Ok(())
}

type Content<'a> = (Vec<Column>, Rows<'a>);

fn table<'a>(config: String, split: &str, path: String, (columns, rows): Content<'a>) -> Table<'a> {
    Table {
        config,
        split: split.to_owned(),
        path,
        columns,
        rows,
    }
}

fn with_card(
    name: &str,
    facts: &Facts,
    tables: Vec<Table<'_>>,
    base: &str,
    writer: &Writer,
) -> Result<(), FormatError> {
    // Of one configuration all splits have the same columns: `datasets` joins them.
    let mut columns: BTreeMap<String, Vec<Column>> = BTreeMap::new();
    for table in &tables {
        let joined = columns.entry(table.config.clone()).or_default();
        for column in &table.columns {
            match joined.iter_mut().find(|known| known.name == column.name) {
                None => joined.push(column.clone()),
                Some(known) if known.kind != column.kind => known.kind = ColumnKind::Json,
                Some(_) => {}
            }
        }
    }
    let (mut named, mut listed) = (Vec::new(), Vec::new());
    for table in tables {
        let columns = columns.get(&table.config).cloned().unwrap_or_default();
        let path = writer.place(&format!("{base}{}", table.path))?;
        let size = parquet_rows::write(&path, &columns, table.rows)?;
        let file = std::fs::metadata(&path).map_err(|error| source::cannot_read(&path, error))?;
        let table = CardTable {
            config: table.config,
            split: table.split,
            path: table.path,
            rows: size.rows,
        };
        named.push(table.clone());
        listed.push(Listed {
            table,
            columns,
            bytes: size.bytes,
            file_bytes: file.len(),
        });
    }
    let card = format!("{base}{}", card::CARD);
    let text = card::write(facts, name, &named, Some(&listed)).map_err(|error| {
        cannot(
            "write",
            &writer.root().join(&card),
            std::io::Error::other(error),
        )
    })?;
    writer.file(&card, |out| out.write_all(text.as_bytes()))
}

fn parts(subset: &Subset) -> Vec<(&'static str, Content<'_>)> {
    let mut parts = vec![
        ("corpus", all_documents(&[subset], "id")),
        ("queries", all_queries(&[subset], "id")),
        ("qrels", judgments(subset, ["query-id", "corpus-id"])),
    ];
    if !subset.candidates.is_empty() {
        let columns = vec![
            Column::new("query-id", ColumnKind::Text),
            Column::new("corpus-ids", ColumnKind::Texts),
        ];
        let rows = subset.candidates.iter().map(|(query, documents)| {
            object([("query-id", json!(query)), ("corpus-ids", json!(documents))])
        });
        parts.push(("top_ranked", (columns, Box::new(rows))));
    }
    let instructed: Vec<&Query> = subset
        .queries
        .iter()
        .filter(|query| instruction(query).is_some())
        .collect();
    if !instructed.is_empty() && instructed.len() == subset.queries.len() {
        let columns = text_columns(&["query-id", "instruction"]);
        let rows = instructed.into_iter().map(|query| {
            object([
                ("query-id", json!(query.id)),
                ("instruction", json!(instruction(query))),
            ])
        });
        parts.push(("instruction", (columns, Box::new(rows))));
    }
    parts
}

/// MTEB joins instructions to all queries or to none.
fn instruction(query: &Query) -> Option<&str> {
    query.extra.get("instruction").and_then(Value::as_str)
}

fn all_documents<'a>(splits: &[&'a Subset], id: &'static str) -> Content<'a> {
    let mut columns = text_columns(&[id, "title", "text"]);
    columns.extend(parquet_rows::extra_columns(
        splits
            .iter()
            .flat_map(|split| &split.documents)
            .map(|one| &one.extra),
        &["id", "_id", "title", "text"],
    ));
    let rows = documents_once(splits).into_iter().map(move |one| {
        let cells = [
            (id, json!(one.id)),
            ("title", json!(one.title)),
            ("text", json!(one.text)),
        ];
        with_cells(&one.extra, cells)
    });
    (columns, Box::new(rows))
}

fn all_queries<'a>(splits: &[&'a Subset], id: &'static str) -> Content<'a> {
    let mut columns = text_columns(&[id, "text"]);
    columns.extend(parquet_rows::extra_columns(
        splits
            .iter()
            .flat_map(|split| &split.queries)
            .map(|one| &one.extra),
        &["id", "_id", "text"],
    ));
    let rows = queries_once(splits).into_iter().map(move |one| {
        let cells = [(id, json!(one.id)), ("text", json!(one.text))];
        with_cells(&one.extra, cells)
    });
    (columns, Box::new(rows))
}

fn text_columns(names: &[&str]) -> Vec<Column> {
    let columns = names.iter().map(|name| Column::new(name, ColumnKind::Text));
    columns.collect()
}

fn judgments<'a>(subset: &'a Subset, [query, document]: [&'static str; 2]) -> Content<'a> {
    let mut columns = text_columns(&[query, document]);
    columns.push(Column::new("score", ColumnKind::Grade));
    let rows = subset.judgments.iter().map(move |one| {
        object([
            (query, json!(one.query)),
            (document, json!(one.document)),
            ("score", json!(one.grade)),
        ])
    });
    (columns, Box::new(rows))
}

/// The judged pairs with a grade above 0, which are the content of a flat view.
fn pairs(subset: &Subset) -> Content<'_> {
    let mut columns = text_columns(&["query_id", "query_text", "code_id", "code_text"]);
    columns.push(Column::new("relevance", ColumnKind::Grade));
    let answers = judged(subset).filter(|(judgment, ..)| judgment.grade > 0);
    let rows =
        answers.map(|(judgment, query, document)| clarc::pair_row(judgment, query, document));
    (columns, Box::new(rows))
}

fn object<const N: usize>(cells: [(&str, Value); N]) -> Extra {
    with_cells(&Extra::new(), cells)
}
