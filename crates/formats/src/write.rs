//! Writers of a benchmark to any format, and the content that a format cannot represent.
//!
//! [`losses`] lists, in sentences, the content that reading the written files back would not return: a benchmark
//! without losses comes back the same, which the tests hold us to. Losses are of two kinds. Content that a format
//! cannot represent (a title in CLARC's JSON) is left out, if the caller agrees; content that would make the files
//! mean something else (an id with a blank in TREC) is always an error of [`write()`].

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::staging::{self, Existing, Writer};
use crate::{
    Benchmark, Facts, Format, FormatError, Kind, Place, Subset, beir, clarc, code_search_net,
    code_split, hub, pair_rows, trec_folder,
};

/// Writes a benchmark as a folder; it exists as a whole or not at all.
///
/// # Errors
/// [`FormatError::Invalid`] if the format is only read, if the folder already exists, or if ids or names would mean
/// something else in the format; [`FormatError::Io`] if the disk refuses.
pub fn write(
    benchmark: &Benchmark,
    format: Format,
    out: &Path,
    existing: Existing,
) -> Result<(), FormatError> {
    if let Some(message) = impossible(benchmark, format) {
        return Err(FormatError::invalid(Place::file(out), message));
    }
    staging::folder(out, existing, |writer| {
        write_files(benchmark, format, writer)
    })
}

/// Writes the files of a benchmark that is not [`impossible`] in this format.
pub(crate) fn write_files(
    benchmark: &Benchmark,
    format: Format,
    writer: &Writer,
) -> Result<(), FormatError> {
    let (name, facts, subsets) = (&benchmark.name, &benchmark.facts, &benchmark.subsets);
    match format {
        Format::HuggingFace => hub::write(name, facts, subsets, writer),
        Format::Mteb => hub::write_mteb(name, facts, subsets, writer),
        Format::Coir => hub::write_coir(facts, subsets, writer),
        Format::Beir => beir::write(subsets, writer),
        Format::Trec => trec_folder::write(subsets, writer),
        Format::ClarcOriginal => clarc::write_original(subsets, writer),
        Format::ClarcCleaned => clarc::write_cleaned(subsets, writer),
        Format::CodeSplit => code_split::write(subsets, writer),
        Format::CodeSearchNet => code_search_net::write(subsets, writer),
        Format::StatCodeSearch | Format::Cosqa | Format::Table => {
            unreachable!("a format that is only read is impossible to write")
        }
    }
}

/// Why this benchmark cannot be written to this format at all.
pub fn impossible(benchmark: &Benchmark, format: Format) -> Option<String> {
    if !format.is_written() {
        return Some(format!("{format} is read, and not written"));
    }
    if benchmark.subsets.is_empty() {
        return Some("the benchmark has no subset".to_owned());
    }
    for subset in &benchmark.subsets {
        for (what, name) in [("subset", &subset.name), ("split", &subset.split)] {
            if !is_file_name(name) {
                return Some(format!(
                    "the {what} `{name}` cannot be a part of a file's name"
                ));
            }
        }
        let is_bad = |id: &str| match format {
            Format::Trec => id.starts_with('#') || id.chars().any(char::is_whitespace),
            Format::Beir => id.contains(['\t', '\n', '\r', '"']),
            _ => false,
        };
        if let Some((what, id)) = ids(subset).into_iter().find(|(_, id)| is_bad(id)) {
            let why = if format == Format::Trec {
                "a blank, or begins with `#`, and in TREC files blanks divide fields"
            } else {
                "a tab, a quote or the end of a line, and BEIR's judgments are divided by tabs"
            };
            return Some(format!(
                "the id {id:?} of a {what} of `{}` has {why}",
                subset.name
            ));
        }
        if format == Format::CodeSplit
            && let Some(query) = subset
                .queries
                .iter()
                .find(|query| query.text.contains(code_split::SEPARATOR))
        {
            return Some(format!(
                "the query `{}` of `{}` has the separator {} in its text",
                query.id,
                subset.name,
                code_split::SEPARATOR
            ));
        }
        if format == Format::CodeSplit
            && let Some(judgment) = subset.judgments.iter().find(|one| one.grade < 0)
        {
            return Some(format!(
                "the grade {} of query `{}` is neither a match nor none",
                judgment.grade, judgment.query
            ));
        }
    }
    same_path(&benchmark.subsets, format)
}

fn ids(subset: &Subset) -> Vec<(&'static str, &str)> {
    let queries = subset.queries.iter().map(|one| ("query", one.id.as_str()));
    let documents = subset
        .documents
        .iter()
        .map(|one| ("document", one.id.as_str()));
    queries.chain(documents).collect()
}

fn is_file_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with('.')
        && !name.contains([
            '/', '\\', '\0', '*', '?', '[', ']', '{', '}', '<', '>', ':', '"', '|',
        ])
        && !name.chars().any(char::is_control)
        && name.trim() == name
        && name.len() <= 120
}

/// That two subsets would be one file.
fn same_path(subsets: &[Subset], format: Format) -> Option<String> {
    let mut seen = BTreeSet::new();
    for subset in subsets {
        let path = match format {
            Format::ClarcOriginal | Format::ClarcCleaned => clarc::file_stem(&subset.name),
            Format::CodeSplit => code_split::file_stem(subset),
            _ => format!("{} {}", subset.name, subset.split),
        };
        if !seen.insert(path) {
            return Some(format!(
                "the subset `{}` with split `{}` would have the file of another one",
                subset.name, subset.split
            ));
        }
    }
    None
}

/// The benchmark as a format's own tools expect it: if there is one subset only, BEIR's, TREC's and MTEB's files are
/// in the folder itself, and the subset's name is the folder's.
pub fn in_one_folder(benchmark: &Benchmark, format: Format) -> Cow<'_, Benchmark> {
    let mut names = benchmark.subsets.iter().map(|subset| &subset.name);
    let first = names.next();
    let is_one = names.all(|name| Some(name) == first);
    if !is_one || !matches!(format, Format::Beir | Format::Trec | Format::Mteb) {
        return Cow::Borrowed(benchmark);
    }
    let mut whole = benchmark.clone();
    for subset in &mut whole.subsets {
        "default".clone_into(&mut subset.name);
    }
    Cow::Owned(whole)
}

/// The content that reading the written files back would not return, in sentences; empty if nothing is lost.
pub fn losses(benchmark: &Benchmark, format: Format) -> Vec<String> {
    let mut losses = Vec::new();
    if benchmark.facts != kept_facts(benchmark, format) {
        losses.push("facts about the benchmark as a whole (license, creators, …)".to_owned());
    }
    for subset in &benchmark.subsets {
        let mut lose = |count: usize, what: &str| {
            if count > 0 {
                losses.push(format!(
                    "{} ({}): {count} {what}",
                    subset.name, subset.split
                ));
            }
        };
        of_subset(subset, format, &mut lose);
        if !keeps_name(subset, format) {
            let what = match format {
                Format::CodeSearchNet => "documents without its columns, which are added",
                _ => "the name or the split, which the file's name would not give back",
            };
            losses.push(format!("{} ({}): {what}", subset.name, subset.split));
        }
    }
    if shares_texts(format) {
        shared(&benchmark.subsets, &mut losses);
    }
    losses
}

fn of_subset(subset: &Subset, format: Format, lose: &mut impl FnMut(usize, &str)) {
    let keeps = Keeps::of(format);
    let judgments = || subset.judgments.iter();
    let judged: BTreeSet<&str> = judgments().map(|one| one.query.as_str()).collect();
    let found: BTreeSet<&str> = judgments().map(|one| one.document.as_str()).collect();
    let (documents, queries) = (&subset.documents, &subset.queries);
    if !keeps.titles {
        let titled = documents.iter().filter(|one| !one.title.is_empty());
        lose(titled.count(), "titles");
    }
    if !keeps.query_columns {
        let with_columns = queries.iter().filter(|one| !one.extra.is_empty());
        lose(with_columns.count(), "queries with further columns");
    }
    let is_taken = |(name, value): (&String, &Value)| format_takes(format, name, value);
    let taken = documents
        .iter()
        .filter(|one| one.extra.iter().any(is_taken));
    lose(
        taken.count(),
        "documents with columns that the format has for itself",
    );
    if !keeps.unjudged_queries {
        let unjudged = queries
            .iter()
            .filter(|one| !judged.contains(one.id.as_str()));
        lose(unjudged.count(), "queries without a judgment");
    }
    if !keeps.unjudged_documents {
        let unjudged = documents
            .iter()
            .filter(|one| !found.contains(one.id.as_str()));
        lose(unjudged.count(), "documents without a judgment");
    }
    if !keeps.candidates {
        lose(subset.candidates.len(), "queries' own lists of candidates");
    }
    if format == Format::CodeSplit {
        let above = judgments().filter(|one| one.grade > 1);
        lose(above.count(), "grades above 1");
        let zeros = judgments().filter(|one| one.grade == 0).count();
        let both = zeros > 0 && zeros < subset.judgments.len();
        let one_kind = usize::from(both != (subset.kind == Kind::Matching));
        lose(
            one_kind,
            "kind of task, which depends on whether both targets occur",
        );
    } else {
        lose(
            usize::from(subset.kind == Kind::Matching),
            "kind of task: matching",
        );
    }
    if format == Format::CodeSearchNet {
        let others = judgments().filter(|one| one.grade != 1);
        lose(others.count(), "grades other than 1");
    }
    if matches!(format, Format::CodeSplit | Format::CodeSearchNet)
        && !pair_rows::has_row_ids(subset)
    {
        lose(
            subset.judgments.len(),
            "pairs whose ids are not their positions",
        );
    }
    if matches!(format, Format::HuggingFace | Format::Mteb | Format::Coir) {
        lose(
            retyped(documents.iter().map(|one| &one.extra)),
            "columns of documents with several kinds of values, which become JSON text",
        );
        lose(
            retyped(subset.queries.iter().map(|one| &one.extra)),
            "columns of queries with several kinds of values, which become JSON text",
        );
    }
    if format == Format::ClarcCleaned {
        lose(
            out_of_order(subset),
            "documents or queries whose order is another than that of the judgments",
        );
    }
}

/// The content that a format can store.
#[expect(
    clippy::struct_excessive_bools,
    reason = "a row of the table in docs/src/reference/formats.md"
)]
struct Keeps {
    titles: bool,
    query_columns: bool,
    unjudged_queries: bool,
    unjudged_documents: bool,
    candidates: bool,
}

impl Keeps {
    fn of(format: Format) -> Self {
        let tables = matches!(
            format,
            Format::HuggingFace | Format::Mteb | Format::Coir | Format::Beir
        );
        Keeps {
            titles: tables || format == Format::Trec,
            query_columns: tables,
            unjudged_queries: matches!(
                format,
                Format::HuggingFace | Format::Mteb | Format::ClarcOriginal | Format::Trec
            ),
            unjudged_documents: tables || matches!(format, Format::ClarcOriginal | Format::Trec),
            candidates: matches!(format, Format::HuggingFace | Format::Mteb),
        }
    }
}

/// Returns `true` if a column is the format's own, or cannot be distinguished from an absent one.
fn format_takes(format: Format, name: &str, value: &Value) -> bool {
    let own: &[&str] = match format {
        Format::Beir => &["_id", "title", "text"],
        Format::Trec => &["id", "title", "contents"],
        Format::HuggingFace | Format::Mteb | Format::Coir => &["id", "_id", "title", "text"],
        Format::ClarcOriginal => &["query", "corpus", "qrel"],
        Format::ClarcCleaned => &[
            "query_id",
            "query_text",
            "code_id",
            "code_text",
            "relevance",
        ],
        Format::CodeSplit => &["input", "target", "target_options"],
        Format::CodeSearchNet => &["code", "docstring"],
        Format::StatCodeSearch | Format::Cosqa | Format::Table => &[],
    };
    let null =
        value.is_null() && matches!(format, Format::HuggingFace | Format::Mteb | Format::Coir);
    null || own.contains(&name)
}

/// Returns the number of columns that become JSON text.
fn retyped<'a>(extras: impl Iterator<Item = &'a crate::Extra>) -> usize {
    let columns = crate::parquet_rows::extra_columns(extras, &[]);
    let json = columns
        .iter()
        .filter(|one| one.kind == crate::parquet_rows::ColumnKind::Json);
    json.count()
}

fn out_of_order(subset: &Subset) -> usize {
    let first_seen = |ids: &mut dyn Iterator<Item = &str>| {
        let mut seen = BTreeMap::new();
        for id in ids {
            let next = seen.len();
            seen.entry(id.to_owned()).or_insert(next);
        }
        seen
    };
    let queries = first_seen(&mut subset.judgments.iter().map(|one| one.query.as_str()));
    let documents = first_seen(&mut subset.judgments.iter().map(|one| one.document.as_str()));
    let moved = |ids: &mut dyn Iterator<Item = &str>, order: &BTreeMap<String, usize>| {
        let places: Vec<usize> = ids.filter_map(|id| order.get(id).copied()).collect();
        places
            .windows(2)
            .filter(|pair| pair.first() > pair.last())
            .count()
    };
    let (of_queries, of_documents) = (subset.queries.iter(), subset.documents.iter());
    moved(&mut of_queries.map(|one| one.id.as_str()), &queries)
        + moved(&mut of_documents.map(|one| one.id.as_str()), &documents)
}

/// Returns `true` if a subset that is read back has its name and split, and no new columns.
fn keeps_name(subset: &Subset, format: Format) -> bool {
    let (name, split) = (subset.name.as_str(), subset.split.as_str());
    match format {
        Format::ClarcOriginal | Format::ClarcCleaned => {
            clarc::subset_name(&clarc::file_stem(name)) == name && split == "test"
        }
        Format::CodeSplit => {
            code_split::names(&code_split::file_stem(subset)) == (split.to_owned(), name.to_owned())
        }
        Format::CodeSearchNet => subset.documents.iter().all(|one| {
            let text = |column| one.extra.get(column).and_then(Value::as_str);
            let own = text(code_search_net::SUBSET).or_else(|| text("language"));
            own == Some(name) && text("partition") == Some(split)
        }),
        Format::HuggingFace | Format::Mteb => !is_part_name(name),
        Format::Beir
        | Format::Trec
        | Format::Coir
        | Format::StatCodeSearch
        | Format::Cosqa
        | Format::Table => true,
    }
}

/// A subset named `x-corpus` would have a configuration that is a part of a subset `x`.
fn is_part_name(name: &str) -> bool {
    let parts = [
        "corpus",
        "queries",
        "query",
        "qrels",
        "top_ranked",
        "instruction",
    ];
    parts
        .iter()
        .any(|part| name == *part || name.ends_with(&format!("-{part}")))
}

/// True if a format has one corpus for all splits of a subset.
pub(crate) fn shares_texts(format: Format) -> bool {
    matches!(format, Format::Beir | Format::Trec | Format::Coir)
}

/// Adds the loss of splits of one name with different documents, if a format has one corpus for all.
fn shared(subsets: &[Subset], losses: &mut Vec<String>) {
    for (i, subset) in subsets.iter().enumerate() {
        let first = subsets.iter().take(i).find(|one| one.name == subset.name);
        let Some(first) = first else { continue };
        if first.documents != subset.documents {
            losses.push(format!(
                "{}: the documents of the splits `{}` and `{}` are not the same, and the format has one corpus for both",
                subset.name, first.split, subset.split
            ));
        }
        let common: BTreeMap<&str, &crate::Query> = first
            .queries
            .iter()
            .map(|one| (one.id.as_str(), one))
            .collect();
        if subset.queries.iter().any(|one| {
            common
                .get(one.id.as_str())
                .is_some_and(|other| *other != one)
        }) {
            losses.push(format!(
                "{}: a query is another one in the splits `{}` and `{}`",
                subset.name, first.split, subset.split
            ));
        }
    }
}

/// The facts that come back.
fn kept_facts(benchmark: &Benchmark, format: Format) -> Facts {
    match format {
        Format::HuggingFace | Format::Mteb => benchmark.facts.clone(),
        _ => Facts::default(),
    }
}
