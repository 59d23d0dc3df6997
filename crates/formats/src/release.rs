//! All that a publication needs, in one folder, each part read back.
//!
//! In come a benchmark and the facts about it; out come `huggingface/` (Parquet, card, `croissant.json`), `mteb/`
//! with a task's class beside it, `coir/`, `beir/`, `trec/`, `CITATION.cff` and `SHA256SUMS`. Every part is read
//! again before the folder gets its name, and has to have the same documents, queries and judgments.
//!
//! The hard part is content that a format cannot hold: its part is written without it, with a note, as long as
//! documents' texts and judgments are the same. If ids or texts would break the format, the part is left out, with
//! the reason.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::staging::{self, Existing, Writer};
use crate::write::{shares_texts, write_files};
use crate::{
    Benchmark, Facts, Format, FormatError, Kind, Place, Strictness, card, croissant, differences,
    expression, gate, impossible, in_one_folder, load, losses,
};

/// The facts about a publication.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Publication {
    /// The name in files and identifiers: letters, digits, `-` and `_`.
    pub name: String,
    /// The facts that formats share.
    pub facts: Facts,
    /// The facts about responsible use, by the names in [`croissant::RAI`].
    pub rai: BTreeMap<String, Value>,
}

/// A part of a publication, and the result of reading it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its folder or file.
    pub path: String,
    /// Its format.
    pub format: String,
    /// The parts of the benchmark that its files lack; empty if nothing is lost.
    pub lost: Vec<String>,
    /// Why it was not written.
    pub left_out: Option<String>,
    /// Documents, queries and judgments that were read back.
    pub counts: [u64; 3],
}

impl Publication {
    /// All the facts that a publication needs and this one lacks.
    pub fn missing(&self) -> Vec<&'static str> {
        let facts = &self.facts;
        let given =
            |fact: &Option<String>| fact.as_ref().is_some_and(|text| !text.trim().is_empty());
        let mut missing = Vec::new();
        for (name, given) in [
            ("name", !self.name.is_empty()),
            ("description", given(&facts.description)),
            ("license", given(&facts.license)),
            ("creators", !facts.creators.is_empty()),
            ("url", given(&facts.url)),
            ("version", given(&facts.version)),
            ("published", given(&facts.published)),
            ("citation", given(&facts.citation)),
        ] {
            if !given {
                missing.push(name);
            }
        }
        missing
    }
}

/// Writes a publication and reads it back.
///
/// # Errors
/// [`FormatError::Invalid`] if facts are missing, the license gate refuses, or a part does not read back the same;
/// [`FormatError::Io`] if the disk refuses. No files are left behind then.
pub fn release(
    benchmark: &Benchmark,
    publication: &Publication,
    out: &Path,
    existing: Existing,
) -> Result<Vec<Part>, FormatError> {
    told(publication, out)?;
    let wrong = |message: String| FormatError::invalid(Place::file(out), message);
    let label = publication.facts.license.clone().unwrap_or_default();
    if let Some(message) = gate(benchmark, &label) {
        return Err(wrong(message).with_hint(
            "divide the subsets by families of licenses with --split-licenses, or declare a license that covers all, such as `MIT AND GPL-3.0-only`",
        ));
    }
    let mut benchmark = benchmark.clone();
    benchmark.name.clone_from(&publication.name);
    benchmark.facts = Facts {
        extra: without_licenses(benchmark.facts.extra),
        about: benchmark.facts.about,
        ..publication.facts.clone()
    };
    staging::folder(out, existing, |writer| {
        write_all(&benchmark, publication, writer)
    })
}

/// Of fewer documents, random order finds the answer one time in ten.
const FEWEST_DOCUMENTS: usize = 10;

/// Removes the subsets that are too small for a ranking, and returns a part for each.
fn without_small(benchmark: &mut Benchmark) -> Vec<Part> {
    let mut small = Vec::new();
    benchmark.subsets.retain(|subset| {
        let few = subset.kind == Kind::Retrieval && subset.documents.len() < FEWEST_DOCUMENTS;
        let unasked = subset.queries.is_empty();
        if !few && !unasked {
            return true;
        }
        let counts = [subset.documents.len(), subset.queries.len(), subset.judgments.len()];
        let counts = counts.map(|count| count as u64);
        let why = if few {
            format!(
                "a pool of {} document(s), fewer than {FEWEST_DOCUMENTS}, with {} queries: anything finds the answer there",
                counts[0], counts[1]
            )
        } else {
            format!("none of its {} documents answers a query", counts[0])
        };
        small.push(Part {
            left_out: Some(why),
            counts,
            ..file_part(&format!("{} ({})", subset.name, subset.split), "subset")
        });
        false
    });
    small
}

/// Writes a publication whose subsets are divided by families of licenses, so the gate has nothing to refuse. A
/// family that is then too small, or has no queries, is left out, and is among the parts with the reason.
///
/// # Errors
/// As [`release`], and if no subset is large enough.
pub fn release_split(
    benchmark: &Benchmark,
    publication: &Publication,
    out: &Path,
    existing: Existing,
) -> Result<Vec<Part>, FormatError> {
    told(publication, out)?;
    let mut split = crate::split_by_family(benchmark);
    let small = without_small(&mut split);
    if split.subsets.is_empty() {
        let shown: Vec<String> = small
            .iter()
            .filter_map(|part| Some(format!("{}: {}", part.path, part.left_out.as_ref()?)))
            .collect();
        let message = format!(
            "no subset is large enough once divided: {}",
            shown.join("; ")
        );
        return Err(FormatError::invalid(Place::file(out), message)
            .with_hint("declare a license that covers all, such as `MIT AND GPL-3.0-only`, or leave out the documents that it does not cover"));
    }
    split.name.clone_from(&publication.name);
    let families: Vec<String> = crate::census(&split)
        .into_iter()
        .map(|(family, licenses)| {
            let names: Vec<String> = licenses.keys().cloned().collect();
            format!("{family}: {}", names.join(", "))
        })
        .collect();
    let mut publication = publication.clone();
    // One label would be wrong now; the card and the columns name the license of each document.
    publication.facts.license = Some("per-document".to_owned());
    let about = split.facts.about.take().map(|about| {
        format!("The text below was written before the subsets were divided by families of licenses.\n\n{about}")
    });
    split.facts = Facts {
        extra: without_licenses(std::mem::take(&mut split.facts.extra)),
        about,
        ..publication.facts.clone()
    };
    split
        .facts
        .extra
        .insert("license_details".to_owned(), json!(families.join("; ")));
    let written = staging::folder(out, existing, |writer| {
        write_all(&split, &publication, writer)
    })?;
    Ok(written.into_iter().chain(small).collect())
}

/// Refuses a publication that lacks facts, or has facts that cannot be read.
fn told(publication: &Publication, out: &Path) -> Result<(), FormatError> {
    let wrong = |message: String| FormatError::invalid(Place::file(out), message);
    let missing = publication.missing();
    if !missing.is_empty() {
        let message = format!(
            "a publication needs facts that are missing: {}",
            missing.join(", ")
        );
        return Err(wrong(message).with_hint("give them in a file of facts, or as options"));
    }
    let mut keys = publication.rai.keys();
    if let Some(key) = keys.find(|key| !croissant::RAI.contains(&key.as_str())) {
        let message = format!("`{key}` is not a field of the RAI vocabulary");
        return Err(
            wrong(message).with_hint(format!("its fields are {}", croissant::RAI.join(", ")))
        );
    }
    Ok(())
}

/// The facts of an earlier card about its license (`license_link`, `license_details`) are not those of this one.
fn without_licenses(mut extra: crate::Extra) -> crate::Extra {
    extra.retain(|name, _| !name.starts_with("license_"));
    extra
}

const PARTS: [(Format, &str); 5] = [
    (Format::HuggingFace, "huggingface"),
    (Format::Mteb, "mteb"),
    (Format::Coir, "coir"),
    (Format::Beir, "beir"),
    (Format::Trec, "trec"),
];

fn write_all(
    benchmark: &Benchmark,
    publication: &Publication,
    writer: &Writer,
) -> Result<Vec<Part>, FormatError> {
    let mut parts = Vec::new();
    for (format, folder) in PARTS {
        let (divided, renamed) = apart(benchmark, format);
        let benchmark = &*in_one_folder(&divided, format);
        let mut part = Part {
            left_out: impossible(benchmark, format),
            ..file_part(&format!("{folder}/"), format.name())
        };
        if part.left_out.is_none() {
            write_files(benchmark, format, &writer.below(folder))?;
            part.counts = proved(
                benchmark,
                format,
                &writer.root().join(folder),
                &mut part.lost,
            )?;
            part.lost.extend(renamed);
        }
        parts.push(part);
    }
    let hub = writer.root().join("huggingface");
    let (name, facts) = (&publication.name, &benchmark.facts);
    if hub.is_dir() {
        let description = croissant::describe(&hub, name, facts, &publication.rai)?;
        writer.file(&format!("huggingface/{}", croissant::CROISSANT), |out| {
            writeln!(out, "{description:#}")
        })?;
        croissant::check(&hub)?;
        parts.push(file_part("huggingface/croissant.json", "croissant 1.1"));
    }
    let task = format!("mteb_{}.py", identifier(name));
    writer.file(&task, |out| {
        let benchmark = in_one_folder(benchmark, Format::Mteb);
        out.write_all(mteb_task(name, &benchmark).as_bytes())
    })?;
    parts.push(file_part(&task, "class of an MTEB task"));
    writer.file("CITATION.cff", |out| {
        out.write_all(citation(facts).as_bytes())
    })?;
    parts.push(file_part("CITATION.cff", "citation file format 1.2"));
    let mut sums = Vec::new();
    for file in card::files_below(writer.root(), "")? {
        sums.push((croissant::sha256(&writer.root().join(&file))?, file));
    }
    writer.file("SHA256SUMS", |out| {
        for (sum, file) in &sums {
            writeln!(out, "{sum}  {file}")?;
        }
        Ok(())
    })?;
    parts.push(file_part("SHA256SUMS", "sha256sum"));
    Ok(parts)
}

/// The benchmark for a format with one corpus for all splits of a subset: a split with other documents than those of
/// the first becomes a subset of its own. Also returns a sentence for each.
fn apart(benchmark: &Benchmark, format: Format) -> (Cow<'_, Benchmark>, Vec<String>) {
    let (mut divided, mut renamed) = (Cow::Borrowed(benchmark), Vec::new());
    if !shares_texts(format) {
        return (divided, renamed);
    }
    for (at, subset) in benchmark.subsets.iter().enumerate() {
        let mut before = benchmark.subsets.iter().take(at);
        let first = before.find(|one| one.name == subset.name);
        if first.is_none_or(|first| first.documents == subset.documents) {
            continue;
        }
        let name = format!("{}-{}", subset.name, subset.split);
        if divided.subsets.iter().any(|one| one.name == name) {
            continue;
        }
        renamed.push(format!(
            "the split `{}` of `{}` is the subset `{name}`: the format has one corpus for all splits",
            subset.split, subset.name
        ));
        divided.to_mut().subsets[at].name = name;
    }
    (divided, renamed)
}

/// Reads a part back and compares it; returns its counts.
fn proved(
    benchmark: &Benchmark,
    format: Format,
    folder: &Path,
    lost: &mut Vec<String>,
) -> Result<[u64; 3], FormatError> {
    let back = load(folder, Some(format), Strictness::Strict)?.benchmark;
    let mut different = differences(benchmark, &back);
    let has_card = matches!(format, Format::HuggingFace | Format::Mteb);
    if has_card && benchmark.facts.about != back.facts.about {
        different.push("the sections of the card".to_owned());
    }
    if !different.is_empty() {
        // Most formats cannot store facts, which are in the card.
        let whole = Benchmark {
            facts: Facts::default(),
            ..benchmark.clone()
        };
        *lost = losses(&whole, format);
        let essential = differences(&essence(benchmark), &essence(&back));
        if lost.is_empty() || !essential.is_empty() {
            let message = format!(
                "what was written reads back differently: {}",
                different.join("; ")
            );
            return Err(FormatError::invalid(Place::file(folder), message));
        }
    }
    let count = |of: fn(&crate::Subset) -> usize| back.subsets.iter().map(of).sum::<usize>() as u64;
    Ok([
        count(|one| one.documents.len()),
        count(|one| one.queries.len()),
        count(|one| one.judgments.len()),
    ])
}

/// The content that no format may lose: documents' texts, the texts of judged queries, and judgments.
fn essence(benchmark: &Benchmark) -> Benchmark {
    let mut essence = benchmark.clone();
    for subset in &mut essence.subsets {
        let judged = subset.judgments.iter().map(|one| one.query.clone());
        let judged: BTreeSet<String> = judged.collect();
        subset.queries.retain(|one| judged.contains(&one.id));
        subset.candidates.clear();
        subset.kind = Kind::Retrieval;
        for document in &mut subset.documents {
            document.title.clear();
            document.extra.clear();
        }
        for query in &mut subset.queries {
            query.extra.clear();
        }
    }
    essence
}

fn file_part(path: &str, format: &str) -> Part {
    Part {
        path: path.to_owned(),
        format: format.to_owned(),
        lost: Vec::new(),
        left_out: None,
        counts: [0; 3],
    }
}

/// `my-set` → `my_set`.
fn identifier(name: &str) -> String {
    let letters = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' });
    letters.collect()
}

/// A class that can be pasted into MTEB, or loaded by an evaluator.
fn mteb_task(name: &str, benchmark: &Benchmark) -> String {
    let facts = &benchmark.facts;
    let class: String = identifier(name)
        .split('_')
        .map(|word| {
            let mut letters = word.chars();
            letters
                .next()
                .map(|first| first.to_ascii_uppercase())
                .into_iter()
                .chain(letters)
                .collect::<String>()
        })
        .collect();
    let class = if class.starts_with(|c: char| c.is_ascii_digit()) {
        format!("Task{class}")
    } else {
        class
    };
    let quoted = |text: &str| Value::from(text).to_string();
    let subsets = || benchmark.subsets.iter();
    let splits: BTreeSet<&str> = subsets().map(|one| one.split.as_str()).collect();
    let names: BTreeSet<&str> = subsets().map(|one| one.name.as_str()).collect();
    let languages = if names == BTreeSet::from(["default"]) {
        "[\"eng-Latn\"]".to_owned()
    } else {
        let each: Vec<String> = names
            .iter()
            .map(|name| format!("        {}: [\"eng-Latn\"],", quoted(name)))
            .collect();
        format!("{{\n{}\n    }}", each.join("\n"))
    };
    let license = facts
        .license
        .as_deref()
        .and_then(expression)
        .map(|one| one.to_string().to_lowercase());
    let license = match license {
        Some(id)
            if id
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || ".-".contains(c)) =>
        {
            quoted(id.trim_end_matches("-only").trim_end_matches("-or-later"))
        }
        _ => "\"not specified\"".to_owned(),
    };
    let date = quoted(facts.published.as_deref().unwrap_or_default());
    format!(
        "\"\"\"{name} as a task of MTEB; `path` is the folder `mteb` beside this file, or where it was uploaded.\"\"\"\n\
         \n\
         from mteb.abstasks.retrieval import AbsTaskRetrieval\n\
         from mteb.abstasks.task_metadata import TaskMetadata\n\
         \n\n\
         class {class}(AbsTaskRetrieval):\n    \
             metadata = TaskMetadata(\n        \
                 name={name_text},\n        \
                 description={description},\n        \
                 reference={url},\n        \
                 dataset={{\"path\": \"mteb\", \"revision\": {version}}},\n        \
                 type=\"Retrieval\",\n        \
                 category=\"t2t\",\n        \
                 modalities=[\"text\"],\n        \
                 eval_splits={splits},\n        \
                 eval_langs={languages},\n        \
                 main_score=\"ndcg_at_10\",\n        \
                 date=({date}, {date}),\n        \
                 domains=[\"Programming\"],\n        \
                 task_subtypes=[\"Code retrieval\"],\n        \
                 license={license},\n        \
                 annotations_creators=\"derived\",\n        \
                 dialect=[],\n        \
                 sample_creation=\"found\",\n        \
                 bibtex_citation={citation},\n    \
             )\n",
        name_text = quoted(&class),
        description = quoted(facts.description.as_deref().unwrap_or_default()),
        url = quoted(facts.url.as_deref().unwrap_or_default()),
        version = quoted(facts.version.as_deref().unwrap_or_default()),
        splits = json!(splits),
        citation = quoted(facts.citation.as_deref().unwrap_or_default()),
    )
}

/// `CITATION.cff`, whose YAML accepts JSON strings.
fn citation(facts: &Facts) -> String {
    let quoted = |text: &str| Value::from(text).to_string();
    let message = match &facts.citation {
        Some(citation) => format!("If you use this dataset, please cite it: {citation}"),
        None => "If you use this dataset, please cite it as below.".to_owned(),
    };
    let title = facts.title.as_ref().or(facts.description.as_ref());
    let mut lines = vec![
        "cff-version: 1.2.0".to_owned(),
        format!("message: {}", quoted(&message)),
        "type: dataset".to_owned(),
        format!("title: {}", quoted(title.map_or("", String::as_str))),
        "authors:".to_owned(),
    ];
    for creator in &facts.creators {
        lines.push(format!("- name: {}", quoted(creator)));
    }
    for (key, value) in [
        ("version", &facts.version),
        ("date-released", &facts.published),
        ("url", &facts.url),
        ("abstract", &facts.description),
    ] {
        if let Some(value) = value {
            lines.push(format!("{key}: {}", quoted(value)));
        }
    }
    let license = facts.license.as_deref();
    if let Some(id) = license.filter(|id| spdx::license_id(id).is_some()) {
        lines.push(format!("license: {id}"));
    }
    lines.join("\n") + "\n"
}
