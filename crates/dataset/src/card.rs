//! The text of the dataset's card for readers, and the tables that it names.
//!
//! [`card_sections`] describe the origin of the data, the changes to the texts of each setting and their proofs, the
//! licenses of the code, and the limits of the numbers; every number is counted from rows. [`card_tables`] name a
//! configuration for each table, so that `load_dataset(folder, name)` finds it: `group1-standard` is the flat view,
//! and `group1-standard-corpus`, `-queries` and `-qrels` are the three tables that retrieval benchmarks such as MTEB
//! read. The front matter that Hugging Face reads is for `formats` to write.

mod programs;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

use barecode_records::{
    Document, Facets, Id, Leak, Length, Proof, Query, Roles, Scheme, Setting, Split, Statistic,
    Toolchain, Variant,
};

use crate::{
    CONCENTRATED, CORPUS_FILE, Configuration, DatasetConfig, PAIRS_FILE, QRELS_FILE, QUERIES_FILE,
    TRAIN_FILE, Train, View,
};

pub use programs::{PROBE_FILE, PROGRAMS_FILE, PipelineFacts, ProbeFacts, SourceFacts};

/// The facts of the card that the configurations do not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct CardFacts {
    /// barecode's version.
    pub barecode: String,
    /// The toolchain that compiled the units.
    pub toolchain: Option<Toolchain>,
    /// The run's seed.
    pub seed: u64,
    /// The options by which its functions were selected.
    pub config: DatasetConfig,
    /// The statistics of both splits.
    pub statistics: Vec<Statistic>,
    /// The changes to the texts of each setting.
    pub settings: Vec<SettingFacts>,
    /// The sets of queries, by writer.
    pub sets: Vec<QuerySet>,
    /// The probe, if there is one.
    pub probe: Option<ProbeFacts>,
}

/// The queries of one writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuerySet {
    /// Their writer.
    pub writer: String,
    /// The number of queries before any is left out.
    pub queries: usize,
    /// The models that wrote or rewrote them, as their servers call them.
    pub models: BTreeSet<String>,
}

/// The sets of queries, by writer.
pub fn query_sets(queries: &[Query]) -> Vec<QuerySet> {
    let mut sets: BTreeMap<&str, QuerySet> = BTreeMap::new();
    for query in queries {
        let set = sets.entry(&query.writer).or_insert_with(|| QuerySet {
            writer: query.writer.clone(),
            queries: 0,
            models: BTreeSet::new(),
        });
        set.queries += 1;
        set.models.extend(query.model.clone());
    }
    sets.into_values().collect()
}

/// The origin of the texts of a setting: numbers of documents, all draws together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingFacts {
    /// The setting.
    pub setting: Setting,
    /// All of them.
    pub documents: usize,
    /// Those in which a name was changed.
    pub renamed: usize,
    /// Those in which a name of the project had to stay.
    pub with_kept_names: usize,
    /// The number of identifiers of the documents that are names of the project, and the number of these that stay.
    pub own_names: (u64, u64),
    /// The number of documents by the proof that they have the meaning of the source.
    pub proofs: BTreeMap<Proof, usize>,
    /// The toolchains that lowered them.
    pub toolchains: BTreeSet<String>,
}

/// Counts the variants of the units in a configuration, by setting.
pub fn setting_facts<'a>(
    variants: &[Variant],
    configurations: impl IntoIterator<Item = &'a Configuration>,
) -> Vec<SettingFacts> {
    let shown: BTreeSet<&Id> = configurations
        .into_iter()
        .flat_map(|configuration| &configuration.documents)
        .map(|document| &document.id)
        .collect();
    let mut by_setting: BTreeMap<Setting, SettingFacts> = BTreeMap::new();
    for variant in variants.iter().filter(|one| shown.contains(&one.unit_id)) {
        let facts = by_setting
            .entry(variant.setting)
            .or_insert_with(|| SettingFacts {
                setting: variant.setting,
                documents: 0,
                renamed: 0,
                with_kept_names: 0,
                own_names: (0, 0),
                proofs: BTreeMap::new(),
                toolchains: BTreeSet::new(),
            });
        facts.documents += 1;
        facts.renamed += usize::from(!variant.renamed.is_empty());
        facts.with_kept_names += usize::from(!variant.kept.is_empty());
        facts.own_names.0 += variant.own_names.map_or(0, u64::from);
        facts.own_names.1 += variant.own_names_kept.map_or(0, u64::from);
        *facts.proofs.entry(variant.proof).or_default() += 1;
        facts
            .toolchains
            .extend(variant.toolchain.as_ref().map(command));
    }
    by_setting.into_values().collect()
}

/// `gcc -O1 for x86_64-linux-gnu (gcc (Debian) 14.2.0)`
fn command(toolchain: &Toolchain) -> String {
    let command: Vec<&str> = [toolchain.compiler.as_str()]
        .into_iter()
        .chain(toolchain.flags.iter().map(String::as_str))
        .collect();
    format!(
        "`{}` for {} ({})",
        command.join(" "),
        toolchain.target,
        toolchain.version
    )
}

/// The licenses of all documents; `None` represents documents without one.
pub fn licenses_of<'a>(
    configurations: &'a [Configuration],
    probe: Option<&'a ProbeFacts>,
) -> BTreeSet<Option<&'a str>> {
    let of_probe = probe.into_iter().flat_map(|probe| probe.sources.keys());
    let of_probe = of_probe.map(|(_, license)| license.as_deref());
    let documents = documents(configurations).into_values();
    let licenses = documents.map(|document| document.license.as_deref());
    licenses.chain(of_probe).collect()
}

/// A table of a dataset as its card names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTable {
    /// The configuration that loads it.
    pub config: String,
    /// Its split.
    pub split: Split,
    /// Its file, from the dataset's folder.
    pub path: String,
    /// Its number of rows.
    pub rows: usize,
}

/// The tables of a dataset, those of a configuration together: the flat view of both splits, then the parts; last those
/// of a probe.
pub fn card_tables(
    configurations: &[Configuration],
    train: &[Configuration],
    probe: Option<&ProbeFacts>,
) -> Vec<NamedTable> {
    let mut tables = Vec::new();
    let mut name = |folder: &str, suffix: &str, split: Split, file: &str, rows: usize| {
        tables.push(NamedTable {
            config: format!("{folder}{suffix}"),
            split,
            path: format!("{folder}/{file}"),
            rows,
        });
    };
    let learned = |folder: &str| train.iter().find(|one| one.name() == folder);
    for configuration in configurations {
        let folder = configuration.name().to_owned();
        let pairs = configuration.pairs().len();
        name(&folder, "", Split::Test, PAIRS_FILE, pairs);
        if let Some(train) = learned(&folder) {
            name(&folder, "", Split::Train, TRAIN_FILE, train.pairs().len());
        }
        for (suffix, file, rows) in [
            ("-corpus", CORPUS_FILE, configuration.documents.len()),
            ("-queries", QUERIES_FILE, configuration.queries.len()),
            ("-qrels", QRELS_FILE, configuration.judgments.len()),
        ] {
            name(&folder, suffix, Split::Test, file, rows);
        }
    }
    let scored = |one: &&Configuration| {
        configurations
            .iter()
            .any(|other| other.name() == one.name())
    };
    for train in train.iter().filter(|one| !scored(one)) {
        let folder = train.name().to_owned();
        name(&folder, "", Split::Train, TRAIN_FILE, train.pairs().len());
    }
    tables.extend(probe.into_iter().flat_map(programs::tables));
    tables
}

/// The sections of a dataset's card, in Markdown, below its title.
///
/// # Panics
/// Never: text is written to memory.
pub fn card_sections(facts: &CardFacts, configurations: &[Configuration]) -> String {
    let mut text = String::new();
    body(&mut text, facts, configurations).expect("memory takes any text");
    text.truncate(text.trim_end().len());
    text
}

fn body(out: &mut String, facts: &CardFacts, configurations: &[Configuration]) -> fmt::Result {
    if let (Some(probe), []) = (&facts.probe, configurations) {
        writeln!(out, "Programs in Python with their clones and bugs.\n")?;
        writeln!(out, "## How it was made\n")?;
        made_by(out, facts)?;
        writeln!(out)?;
        programs::section(out, probe)?;
        licenses(out, facts, configurations)?;
        out.push_str("## Limits\n\n");
        return limits_of_programs(out);
    }
    let languages = languages(configurations);
    writeln!(
        out,
        "Queries in English, and the functions of {languages} that answer them.\n"
    )?;
    how_made(out, facts)?;
    settings(out, facts)?;
    tables(out, configurations)?;
    selection(out, facts)?;
    numbers(out, facts)?;
    leaks(out, configurations)?;
    if let Some(probe) = &facts.probe {
        programs::section(out, probe)?;
    }
    licenses(out, facts, configurations)?;
    limits(out, configurations)?;
    match facts.probe {
        Some(_) => limits_of_programs(out),
        None => Ok(()),
    }
}

/// `C and C++`
fn languages(configurations: &[Configuration]) -> String {
    let names: BTreeSet<&str> = documents(configurations)
        .values()
        .map(|document| barecode_languages::title(document.language))
        .collect();
    let names: Vec<&str> = names.into_iter().collect();
    match names.split_last() {
        None => "no language".to_owned(),
        Some((only, [])) => (*only).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
    }
}

fn made_by(out: &mut String, facts: &CardFacts) -> fmt::Result {
    writeln!(
        out,
        "Made by barecode {} with seed {}.",
        facts.barecode, facts.seed
    )
}

fn how_made(out: &mut String, facts: &CardFacts) -> fmt::Result {
    writeln!(out, "## How it was made\n")?;
    made_by(out, facts)?;
    if let Some(toolchain) = &facts.toolchain {
        writeln!(
            out,
            "Every function was compiled by itself, with what it needs, by {}.",
            command(toolchain)
        )?;
    }
    match facts.sets.as_slice() {
        [] => writeln!(out, "The code has no comments.\n")?,
        [one] => writeln!(
            out,
            "The queries are {}; the code has no comments.\n",
            written(one)
        )?,
        several => {
            writeln!(
                out,
                "The code has no comments. There are several sets of queries over the same functions, each with subsets of its own:\n"
            )?;
            for set in several {
                writeln!(
                    out,
                    "- **{}**: {} ({}).",
                    set.writer,
                    written(set),
                    set.queries
                )?;
            }
            writeln!(out)?;
        }
    }
    for view in &facts.config.views {
        let what = match view {
            View::Group1 => "functions that use the standard library only",
            View::Group2 => "functions that use types or variables of their project",
            View::Group3Short => {
                "functions that call functions of their project; these are candidates of their own (grades 2 and 1)"
            }
            View::Group3Long => {
                "the same functions, each in one candidate with those that it calls"
            }
            View::All => "all functions, each by itself",
        };
        writeln!(out, "- **{view}**: {what}.")?;
    }
    if !facts.config.code_queries.is_empty() {
        let asked: Vec<String> = facts
            .config
            .code_queries
            .iter()
            .map(Setting::to_string)
            .collect();
        writeln!(
            out,
            "- **{}**: each function asks for itself as it was written, among all functions; its text under a \
             setting is the query ({}). It shows whether a function is known again, with no words to find it by: \
             literals and names of libraries are the same on both sides.",
            Facets::CODE,
            asked.join(", ")
        )?;
    }
    writeln!(out)
}

/// The description of the queries of a set, in words.
fn written(set: &QuerySet) -> String {
    let models: Vec<&str> = set.models.iter().map(String::as_str).collect();
    let models = models.join(", ");
    match set.writer.as_str() {
        Query::DOC_COMMENT => "the first paragraphs of the functions' own doc comments".to_owned(),
        Query::PERSON if models.is_empty() => {
            "written by people for the functions that answer them".to_owned()
        }
        _ if !models.is_empty() && set.writer == Query::PERSON => {
            format!("written by people, and brought into one style by {models}")
        }
        _ if models.is_empty() => format!(
            "given with the functions that answer them, as written by `{}`",
            set.writer
        ),
        _ => format!(
            "written by {models} from the functions' text, with instructions not to name what is in it"
        ),
    }
}

fn settings(out: &mut String, facts: &CardFacts) -> fmt::Result {
    if facts.settings.is_empty() {
        return Ok(());
    }
    writeln!(out, "## Settings\n")?;
    if facts.settings.len() > 1 {
        writeln!(
            out,
            "Queries, candidates and judgments of a group are the same in all settings; where code asks, candidates and judgments are."
        )?;
    }
    writeln!(
        out,
        "Changes to the documents, and the proof that their meaning stays; all draws together:\n"
    )?;
    for setting in &facts.settings {
        let documents = setting.documents;
        let proven = |proof: Proof| setting.proofs.get(&proof).copied().unwrap_or_default();
        let mut parts = vec![what_was_done(setting)];
        if matches!(setting.setting, Setting::Renamed { .. }) {
            let renamed = setting.renamed;
            parts.push(format!("{renamed} of {documents} documents renamed"));
            if setting.with_kept_names > 0 {
                let kept = setting.with_kept_names;
                parts.push(format!("in {kept} some name had to stay"));
            }
            if let (own @ 1.., kept) = setting.own_names {
                let share = 100.0 * kept as f64 / own as f64;
                parts.push(format!("{share:.1} % of the project's names stay"));
            }
        }
        for (proof, words) in [
            (Proof::Object, "object code equal to the source's"),
            (
                Proof::Code,
                "machine code equal to the source's, data different, because names reach them",
            ),
            (
                Proof::Text,
                "no machine code to compare: undoing the renaming gives the source; templates compile, names of \
                 Python are bound where they were, texts of other languages parse to a tree of the same shape",
            ),
            (
                Proof::Spelled,
                "identifiers renamed by spelling, by one map for the whole source and whatever they are bound to; undoing it \
                 gives the source, and the text parses to the same shape",
            ),
            (
                Proof::Imitation,
                "in the form of files that others released, without any proof",
            ),
        ] {
            match proven(proof) {
                0 => {}
                all if all == documents => parts.push(format!("{words}, for all {documents}")),
                some => parts.push(format!("{words}, for {some} of {documents}")),
            }
        }
        writeln!(out, "- **{}**: {}.", setting.setting, parts.join("; "))?;
    }
    writeln!(out)
}

fn what_was_done(facts: &SettingFacts) -> String {
    let documents = facts.documents;
    match facts.setting {
        Setting::Standard => {
            format!(
                "the code as written, comments removed, no name changed ({documents} documents)"
            )
        }
        Setting::Renamed { scheme, dose, .. } => {
            let share = match dose.percent {
                100 => "each name".to_owned(),
                percent => format!("{percent} % of the names"),
            };
            let of = if dose.roles == Roles::PROJECT {
                "of the project".to_owned()
            } else {
                let roles: Vec<&str> = dose
                    .roles
                    .iter()
                    .map(barecode_records::Role::name)
                    .collect();
                format!("of the project that stands for a {}", roles.join(" or a "))
            };
            let by = match scheme {
                Scheme::Neutralized => "its kind and a number (`func_0`, `var_1`)",
                Scheme::Canonical => "a fixed name by order of use",
                Scheme::Randomized => "random letters, drawn per function and draw",
                Scheme::RandomizedSameLength => {
                    "as many random letters as the name had, drawn per function and draw"
                }
                Scheme::Characters(Length::Same) => "as many random characters as the name had",
                Scheme::Characters(Length::Uniform) => "1 to 10 random characters",
                Scheme::Characters(Length::Shortest) => {
                    "the fewest characters that distinguish names"
                }
                Scheme::Characters(Length::Fixed(length)) => {
                    return format!("{share} {of} replaced by {length} random characters");
                }
                Scheme::Shuffled => "its own letters in another order",
                Scheme::AdjectiveNoun => "an adjective and a noun",
                Scheme::AdvTest => "`Func` and `arg_0`, `arg_1`, … as in AdvTest, by scopes",
                Scheme::AdvTestTokens => {
                    "`Func` and `arg_0`, `arg_1`, … as in AdvTest, by spelling"
                }
            };
            format!("{share} {of} replaced by {by}")
        }
        Setting::Lowered { .. } => {
            let toolchains: Vec<&str> = facts.toolchains.iter().map(String::as_str).collect();
            let by = match toolchains.as_slice() {
                [] => "a compiler".to_owned(),
                toolchains => toolchains.join(" and "),
            };
            format!("what {by} made of the code ({documents} documents)")
        }
    }
}

fn tables(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    out.push_str(
        "## Documents, queries, twins\n\n| configuration | documents | queries | judgments | twins |\n\
         | --- | ---: | ---: | ---: | ---: |\n",
    );
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
    out.push_str(
        "\nTwins are documents that share their text with another document of the configuration.\nNo model can \
         tell them apart, so the best possible score is below 1 where a query asks for one of them.\n\n",
    );
    let Some(first) = configurations.first() else {
        return Ok(());
    };
    let example = first.name();
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
    if config.distinct_texts {
        writeln!(
            out,
            "- Of functions that have the same text in a setting, but for white space, one takes part."
        )?;
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
        "| split | group | setting | pairs | query tokens | code tokens | lines | complexity | keywords | instructions | \
         repositories | effective | largest |"
    )?;
    writeln!(out, "| --- | --- | --- |{}", " ---: |".repeat(10))?;
    let maybe = |number: Option<f64>, digits: usize| {
        number.map_or_else(|| "–".to_owned(), |number| format!("{number:.digits$}"))
    };
    for row in &rows {
        writeln!(
            out,
            "| {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {} | {:.1} | {:.0} % |",
            row.split,
            row.group_name(),
            row.setting
                .map_or(String::new(), |setting| setting.to_string()),
            row.pairs,
            row.query_tokens,
            row.code_tokens,
            row.lines,
            maybe(row.complexity, 1),
            maybe(row.keywords, 2),
            maybe(row.instructions, 2),
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
                "\n**{}**: {:.0} % of the pairs are from `{}`, so the scores describe this repository more than code in general.\n",
                row.group_name(),
                row.largest_share * 100.0,
                row.largest_repository
            )?;
        }
    }
    writeln!(out)
}

fn leaks(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    out.push_str(
        "## Leaks\n\n\
         A query may contain names of the code it describes, and then names alone can answer it.\nSuch names \
         are not cut out of the queries. They are in the column `leaked`, and the strongest kind in `leak`:\n\n",
    );
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
    out.write_str(
        "\n`function` is the function's own name, `identifier` a name that nobody writes by chance \
         (`nbBytes`),\n`word` a name that is also an ordinary word (`value`).\n\n",
    )
}

fn licenses(out: &mut String, facts: &CardFacts, configurations: &[Configuration]) -> fmt::Result {
    out.push_str(
        "## Licenses\n\n\
         The code keeps the license of the project or data set it is from, and clones and bugs that of their program; each document carries its own in the column \
         `license`.\n\n| source | version | commit | license | documents |\n| --- | --- | --- | --- | ---: |\n",
    );
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
    let probe = facts.probe.iter().flat_map(|probe| &probe.sources);
    for ((source, license), counts) in probe {
        let license = license.as_deref().unwrap_or("unknown");
        *sources.entry([source, "–", "–", license]).or_default() += counts.documents;
    }
    for (cells, count) in sources {
        writeln!(out, "| {} | {count} |", cells.join(" | "))?;
    }
    writeln!(out)
}

fn limits(out: &mut String, configurations: &[Configuration]) -> fmt::Result {
    out.push_str(
        "## Limits\n\n\
         - A query has one function as its answer; others may answer it as well and count as wrong.\n\
         - Doc comments are what authors wrote for readers of the code, and queries of models describe what is in front of them; \
           neither is what people type into a search box.\n\
         - What does not compile by itself is absent, and so is what has no query, as an answer.\n\
         - The sources are public: a model may have seen them, names and comments included.\n",
    );
    let sources: BTreeSet<&str> = documents(configurations)
        .values()
        .map(|document| document.source.as_str())
        .collect();
    writeln!(
        out,
        "- All of it is from {} source(s), in {}.",
        sources.len(),
        languages(configurations)
    )
}

fn limits_of_programs(out: &mut String) -> fmt::Result {
    out.write_str(
        "- Tests are those of the data sets: a clone may differ from its program where no test looks.\n\
         - The programs are short, and the data sets are public: a model may have seen them.\n\
         - Clones and bugs are made by rules; people write others.\n",
    )
}

/// Every document once, whatever its views and settings.
fn documents(configurations: &[Configuration]) -> BTreeMap<&Id, &Document> {
    let all = configurations
        .iter()
        .flat_map(|configuration| &configuration.documents);
    all.map(|document| (&document.id, document)).collect()
}
