//! The dataset's card: `README.md` with the front matter that Hugging Face reads.
//!
//! The front matter names a configuration for each table, so that `load_dataset(folder, name)` finds it:
//! `group1-standard` is the flat view, and `group1-standard-corpus`, `-queries` and `-qrels` are the three
//! tables that retrieval benchmarks such as MTEB read. The body says how the data was made, under which
//! licenses the code stands, and what the numbers cannot show.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use barecode_formats::{hub_license, size_category};
use barecode_records::{Document, Id, Leak, Split, Statistic, Toolchain};

use crate::{
    CONCENTRATED, CORPUS_FILE, Configuration, DatasetConfig, PAIRS_FILE, QRELS_FILE, QUERIES_FILE,
    TRAIN_FILE, Train,
};

/// What the card says that the configurations do not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFacts {
    /// The dataset's name, for people.
    pub title: String,
    /// barecode's version.
    pub barecode: String,
    /// What compiled the units.
    pub toolchain: Option<Toolchain>,
    /// The run's seed.
    pub seed: u64,
    /// How its functions were selected.
    pub config: DatasetConfig,
    /// The statistics of both splits.
    pub statistics: Vec<Statistic>,
    /// The configurations of the train split.
    pub train: Vec<String>,
}

/// The card of a dataset with these configurations.
///
/// # Panics
/// Never: text is written to memory.
pub fn card(facts: &CardFacts, configurations: &[Configuration]) -> String {
    let mut text = String::new();
    front_matter(&mut text, facts, configurations)
        .and_then(|()| body(&mut text, facts, configurations))
        .expect("memory takes any text");
    text
}

fn front_matter(
    out: &mut String,
    facts: &CardFacts,
    configurations: &[Configuration],
) -> fmt::Result {
    let rows: usize = configurations
        .iter()
        .map(|configuration| configuration.documents.len())
        .sum();
    writeln!(out, "---")?;
    writeln!(out, "pretty_name: {}", quoted(&facts.title))?;
    writeln!(out, "language:\n- en")?;
    license(out, configurations)?;
    writeln!(out, "task_categories:\n- text-retrieval")?;
    writeln!(out, "task_ids:\n- document-retrieval")?;
    writeln!(out, "size_categories:\n- {}", size_category(rows as u64))?;
    writeln!(
        out,
        "tags:\n- code\n- c\n- code-search\n- code-retrieval\n- barecode"
    )?;
    if configurations.is_empty() && facts.train.is_empty() {
        // An empty list would not be valid here.
        return writeln!(out, "---\n");
    }
    writeln!(out, "configs:")?;
    for (i, configuration) in configurations.iter().enumerate() {
        let folder = configuration.name();
        for (suffix, file) in [
            ("", PAIRS_FILE),
            ("-corpus", CORPUS_FILE),
            ("-queries", QUERIES_FILE),
            ("-qrels", QRELS_FILE),
        ] {
            writeln!(out, "- config_name: {folder}{suffix}")?;
            if i == 0 && suffix.is_empty() {
                writeln!(out, "  default: true")?;
            }
            writeln!(
                out,
                "  data_files:\n  - split: test\n    path: {folder}/{file}"
            )?;
            if suffix.is_empty() && facts.train.iter().any(|name| name == folder) {
                writeln!(out, "  - split: train\n    path: {folder}/{TRAIN_FILE}")?;
            }
        }
    }
    let scored = |name: &str| configurations.iter().any(|scored| scored.name() == name);
    for name in facts.train.iter().filter(|name| !scored(name)) {
        writeln!(
            out,
            "- config_name: {name}\n  data_files:\n  - split: train\n    path: {name}/{TRAIN_FILE}"
        )?;
    }
    writeln!(out, "---\n")
}

/// One license where all documents share one that Hugging Face knows, else `other` with where to look.
fn license(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    let licenses: BTreeSet<Option<&str>> = documents(configurations)
        .values()
        .map(|document| document.license.as_deref())
        .collect();
    let only = if licenses.len() == 1 {
        licenses.first().copied()
    } else {
        None
    };
    match only {
        Some(None) => writeln!(out, "license: unknown"),
        Some(Some(spdx)) if hub_license(spdx).is_some() => {
            writeln!(out, "license: {}", hub_license(spdx).unwrap_or_default())
        }
        _ => {
            writeln!(out, "license: other")?;
            writeln!(out, "license_name: per-document")?;
            writeln!(out, "license_link: README.md")?;
            let names: Vec<&str> = licenses
                .iter()
                .map(|license| license.unwrap_or("unknown"))
                .collect();
            writeln!(out, "license_details: {}", quoted(&names.join(", ")))
        }
    }
}

/// A JSON string is a YAML string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn body(out: &mut String, facts: &CardFacts, configurations: &[Configuration]) -> fmt::Result {
    writeln!(out, "# {}\n", facts.title)?;
    writeln!(
        out,
        "Queries in English, and the functions of C and C++ that answer them, with less and less of the functions' names \
         left.\nA retriever that understands code should find a function whatever it is called; this dataset \
         measures how far that is so.\n"
    )?;
    how_made(out, facts)?;
    tables(out, configurations)?;
    selection(out, facts)?;
    numbers(out, facts)?;
    leaks(out, configurations)?;
    licenses(out, configurations)?;
    limits(out, configurations)
}

fn how_made(out: &mut String, facts: &CardFacts) -> fmt::Result {
    writeln!(out, "## How it was made\n")?;
    writeln!(
        out,
        "Made by barecode {} with seed {}.",
        facts.barecode, facts.seed
    )?;
    if let Some(toolchain) = &facts.toolchain {
        writeln!(
            out,
            "Every function was compiled by itself, with what it needs, by `{} {}` for {}:\n{}.",
            toolchain.compiler,
            toolchain.flags.join(" "),
            toolchain.target,
            toolchain.version
        )?;
    }
    writeln!(
        out,
        "Every renamed function was compiled again, and its machine code equals the original's.\n\
         The queries are the first paragraphs of the functions' own doc comments; the code has no comments.\n\
         Queries, candidates and judgments of a group are the same in all settings.\n"
    )?;
    writeln!(
        out,
        "- **standard**: the code as written, comments removed."
    )?;
    writeln!(
        out,
        "- **neutralized**: each name of the project is its kind and a number (`func_0`, `var_1`)."
    )?;
    writeln!(
        out,
        "- **randomized**: each name of the project is random letters, drawn per function and seed.\n"
    )?;
    writeln!(out, "- **group1** functions use the standard library only.")?;
    writeln!(
        out,
        "- **group2** functions use types or variables of their project."
    )?;
    writeln!(
        out,
        "- **group3** functions call functions of their project: in **short**, function and helpers are candidates of their own (grades 2 and 1); in **long**, they are one candidate.\n"
    )
}

fn tables(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    writeln!(out, "## Configurations\n")?;
    writeln!(
        out,
        "| configuration | documents | queries | judgments | twins |"
    )?;
    writeln!(out, "| --- | ---: | ---: | ---: | ---: |")?;
    for configuration in configurations {
        writeln!(
            out,
            "| {} | {} | {} | {} | {} |",
            configuration.name(),
            configuration.documents.len(),
            configuration.queries.len(),
            configuration.judgments.len(),
            configuration.twins()
        )?;
    }
    writeln!(
        out,
        "\nTwins are documents that share their text with another document of the configuration.\nNo model can \
         tell them apart, so the best possible score is below 1 where a query asks for one of them.\n"
    )?;
    let example = configurations
        .first()
        .map_or_else(String::new, |first| first.name().to_owned());
    writeln!(
        out,
        "```python\nfrom datasets import load_dataset\n\npairs = load_dataset(folder, \"{example}\", \
         split=\"test\")            # query_text, code_text, relevance\ncorpus = load_dataset(folder, \
         \"{example}-corpus\", split=\"test\")    # id, title, text, where it is from\nqueries = \
         load_dataset(folder, \"{example}-queries\", split=\"test\")  # id, text, leak, leaked\nqrels = \
         load_dataset(folder, \"{example}-qrels\", split=\"test\")      # query-id, corpus-id, score\n```\n"
    )
}

fn selection(out: &mut String, facts: &CardFacts) -> fmt::Result {
    let config = &facts.config;
    writeln!(out, "## Selection\n")?;
    if config.near_duplicates > 0.0 {
        writeln!(
            out,
            "- Of functions that are nearly the same, one takes part for all: those whose sets of {} tokens in a row have a \
             Jaccard similarity of {} or more, compared in `{}`. `clusters.parquet` lists them.",
            config.shingle, config.near_duplicates, config.on
        )?;
    } else {
        writeln!(out, "- Near-duplicates are kept.")?;
    }
    match config.max_per_repository {
        Some(most) => writeln!(
            out,
            "- No repository has more than {most} queries in a group; which ones was drawn."
        )?,
        None => writeln!(out, "- A repository may have any number of queries.")?,
    }
    match &config.train {
        Train::Share(share) if *share <= 0.0 => {
            writeln!(out, "- All repositories are in the split `test`.")?;
        }
        Train::Share(_) | Train::Sources(_) => writeln!(
            out,
            "- A repository is in the split `test` or in the split `train` as a whole, and near-duplicates are on one \
             side only."
        )?,
    }
    if let Some(day) = &config.first_commit_after {
        writeln!(
            out,
            "- The split `test` has functions only whose file was first committed after {day}."
        )?;
    }
    writeln!(out)
}

fn numbers(out: &mut String, facts: &CardFacts) -> fmt::Result {
    let rows: Vec<&Statistic> = facts
        .statistics
        .iter()
        .filter(|row| row.slice == "all")
        .collect();
    let Some(first) = rows.first() else {
        return Ok(());
    };
    writeln!(out, "## Statistics\n")?;
    writeln!(
        out,
        "Means over the pairs of a query and its answer; tokens as `{}` counts them.\nThe effective number of repositories \
         is one by the sum of their squared shares. `statistics.parquet` has the same by language and by repository.\n",
        first.tokenizer
    )?;
    writeln!(
        out,
        "| split | group | setting | pairs | query tokens | code tokens | lines | complexity | keywords | repositories | \
         effective | largest |"
    )?;
    writeln!(out, "| --- | --- | --- |{}", " ---: |".repeat(9))?;
    for row in &rows {
        writeln!(
            out,
            "| {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {:.1} | {:.2} | {} | {:.1} | {:.0} % |",
            row.split,
            row.group_name(),
            row.setting
                .map_or(String::new(), |setting| setting.to_string()),
            row.pairs,
            row.query_tokens,
            row.code_tokens,
            row.lines,
            row.complexity,
            row.keywords,
            row.repositories,
            row.effective_repositories,
            row.largest_share * 100.0
        )?;
    }
    let mut warned = BTreeSet::new();
    for row in rows {
        if row.split == Split::Test
            && row.largest_share > CONCENTRATED
            && warned.insert(row.group_name())
        {
            write!(
                out,
                "\n**{}**: {:.0} % of the pairs are from `{}`, so the scores say more about it than about code.\n",
                row.group_name(),
                row.largest_share * 100.0,
                row.largest_repository
            )?;
        }
    }
    writeln!(out)
}

fn leaks(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    writeln!(out, "## Leaks\n")?;
    writeln!(
        out,
        "A comment may say the names of the code it stands at, and then names alone can answer it.\nSuch names \
         are not cut out of the queries. They stand in the column `leaked`, and the strongest kind in `leak`:\n"
    )?;
    let kinds: Vec<&str> = Leak::ALL.iter().map(|leak| leak.name()).collect();
    writeln!(out, "| group | {} |", kinds.join(" | "))?;
    writeln!(out, "| --- |{}", " ---: |".repeat(kinds.len()))?;
    let mut known = BTreeSet::new();
    for first in configurations {
        let group = first.subset.facets.group.as_deref();
        let group = group.unwrap_or(first.name());
        if !known.insert(group) {
            continue;
        }
        write!(out, "| {group} |")?;
        for leak in Leak::ALL {
            let count = first
                .queries
                .iter()
                .filter(|query| query.leak == leak)
                .count();
            write!(out, " {count} |")?;
        }
        writeln!(out)?;
    }
    writeln!(
        out,
        "\n`function` is the function's own name, `identifier` a name that nobody writes by chance \
         (`nbBytes`),\n`word` a name that is also an ordinary word (`value`).\n"
    )
}

fn licenses(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    writeln!(out, "## Licenses\n")?;
    writeln!(
        out,
        "The code keeps the license of the project it is from; each document carries its own in the column \
         `license`.\n"
    )?;
    writeln!(out, "| source | version | commit | license | documents |")?;
    writeln!(out, "| --- | --- | --- | --- | ---: |")?;
    let mut sources: BTreeMap<[&str; 4], usize> = BTreeMap::new();
    for document in documents(configurations).values() {
        let key = [
            document.source.as_str(),
            document.version.as_deref().unwrap_or("–"),
            document.commit.as_deref().unwrap_or("–"),
            document.license.as_deref().unwrap_or("unknown"),
        ];
        *sources.entry(key).or_default() += 1;
    }
    for ([source, version, commit, license], count) in sources {
        writeln!(
            out,
            "| {source} | {version} | {commit} | {license} | {count} |"
        )?;
    }
    writeln!(out)
}

fn limits(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    writeln!(out, "## Limits\n")?;
    writeln!(
        out,
        "- A query has one function as its answer; others may answer it as well and count as wrong."
    )?;
    writeln!(
        out,
        "- Doc comments are what authors told their readers, not what people type into a search box."
    )?;
    writeln!(
        out,
        "- What does not compile by itself is absent, and so is what has no comment, as an answer."
    )?;
    writeln!(
        out,
        "- The sources are public: a model may have seen them, names and comments included."
    )?;
    let n_sources: BTreeSet<&str> = documents(configurations)
        .values()
        .map(|document| document.source.as_str())
        .collect();
    writeln!(
        out,
        "- All of it is from {} source(s), in C.",
        n_sources.len()
    )
}

/// Every document once, whatever the views and settings it stands in.
fn documents(configurations: &[Configuration]) -> BTreeMap<&Id, &Document> {
    let all = configurations
        .iter()
        .flat_map(|configuration| &configuration.documents);
    all.map(|document| (&document.id, document)).collect()
}
