//! `show`: one record, its origins, and everything that was made from it.
//!
//! For any id, the whole line is shown: function → unit → variants → queries → ranks, or the stage at which the line
//! ended and the reason. The tables are read from the folder as they are; nothing is made.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use barecode_queries::code_queries;
use barecode_records::{Facets, Function, Id, Query, SetAside, Setting, Stage, Unit, Variant};
use clap::Args;
use serde::Serialize;
use serde_json::json;

use crate::answer::Answer;
use crate::console::Screen;
use crate::exit::Failure;
use crate::report::diff;
use crate::run_folder::RunFolder;
use crate::session::{RunArguments, Session};
use named::Found;

mod named;
mod programs;

/// Show one function with its variants, queries and ranks.
///
/// Any id of a function, unit, variant, query or program works, and the name of a function, also of one that was set
/// aside.
#[derive(Debug, Args)]
#[command(
    override_usage = "barecode show [OPTIONS] <NAME|ID> <RECIPE>\n       barecode show [OPTIONS] <NAME|ID> --run <DIR>",
    after_help = "Examples:\n  barecode show sqlite3_open recipes/demo.toml\n  barecode show q-0123456789abcdef recipes/demo.toml\n  barecode show u-0123456789abcdef --run runs/demo --json\n  barecode show u-0123456789abcdef recipes/demo.toml --diff neutralized"
)]
pub(super) struct Request {
    /// The name of a function; or the id of a record, from a table or the report: `f-…` a function, `u-…` a unit, `v-…`
    /// a variant, `q-…` a query, `p-…` a program, `w-…` a variant of one.
    id: String,
    #[command(flatten)]
    run: RunArguments,
    /// Show the function as written beside its text under this setting, changed names marked: `neutralized`,
    /// `randomized-2`, `assembly-o0`; or a program beside its variant by a pipeline: `positive`, `negative-2`.
    #[arg(long, value_name = "SETTING|PIPELINE")]
    diff: Option<String>,
}

/// The line of one function through a run.
#[derive(Debug, Default, Serialize)]
struct Lineage {
    function: Option<Function>,
    unit: Option<Unit>,
    variants: Vec<Variant>,
    queries: Vec<Query>,
    ranks: Vec<Placed>,
    set_aside: Vec<SetAside>,
}

/// The rank of the answer to a query by a retriever.
#[derive(Debug, PartialEq, Serialize)]
struct Placed {
    query_id: Id,
    retriever: String,
    subset: String,
    group: Option<String>,
    setting: Option<Setting>,
    draw: Option<u32>,
    /// `None` if the answer was not retrieved.
    answer_rank: Option<f64>,
}

/// The line of a record.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let folder = arguments.run.folder(session)?;
    if programs::is_meant(&arguments.id) {
        return programs::show(session, &folder, &arguments.id, arguments.diff.as_deref());
    }
    let mut id = arguments.id.clone();
    if named::is_name(&id) {
        match named::found(&folder, &id)? {
            Found::One(function) => id = function.to_string(),
            Found::Several(records) => return records.answer(session),
        }
    }
    let lineage = Lineage::of(&folder, &id)?;
    if let Some(label) = &arguments.diff {
        return lineage.beside(session, label);
    }
    session.answer(
        || json!(lineage),
        |screen| Ok(lineage.describe(screen.color)?),
    )
}

impl Lineage {
    fn of(folder: &RunFolder, id: &str) -> anyhow::Result<Self> {
        let layout = folder.layout();
        let (functions, units) = (layout.functions()?, layout.units()?);
        let (variants, mut queries) = (layout.variants()?, layout.queries()?);
        // Variants that are queries are only in the dataset's table of queries.
        let subsets = if layout.has_dataset() {
            layout.subsets()?
        } else {
            Vec::new()
        };
        let asking = subsets.iter();
        let asking = asking.filter(|subset| subset.group.as_deref() == Some(Facets::CODE));
        for (setting, draw) in asking.filter_map(|subset| Some((subset.setting?, subset.draw))) {
            queries.extend(code_queries(&units, &variants, (setting, draw)));
        }
        let unit_of = |is_meant: &dyn Fn(&Unit) -> bool| {
            let unit = units.iter().find(|unit| is_meant(unit));
            unit.map(|unit| unit.id.clone())
        };
        let unit_id = match id.get(..2) {
            Some("f-") => unit_of(&|unit| unit.function_id.as_str() == id),
            Some("u-") => unit_of(&|unit| unit.id.as_str() == id),
            Some("v-") => {
                let variant = variants.iter().find(|variant| variant.id.as_str() == id);
                variant.map(|variant| variant.unit_id.clone())
            }
            Some("q-") => {
                let query = queries.iter().find(|query| query.id.as_str() == id);
                query.map(|query| query.target_id.clone())
            }
            _ => {
                return Err(Failure::invalid(format!("`{id}` is not an id"))
                    .hint("ids start with f- (function), u- (unit), v- (variant), q- (query), p- (program) or w- (its clones and bugs)")
                    .into());
            }
        };
        let unit = unit_id.and_then(|unit_id| units.into_iter().find(|unit| unit.id == unit_id));
        let function_id = unit.as_ref().map_or(id, |unit| unit.function_id.as_str());
        let mut functions = functions.into_iter();
        let mut lineage = Lineage {
            function: functions.find(|function| function.id.as_str() == function_id),
            ..Lineage::default()
        };
        if let Some(unit) = unit {
            let variants = variants.into_iter();
            let variants = variants.filter(|variant| variant.unit_id == unit.id);
            lineage.variants = variants.collect();
            let queries = queries.into_iter();
            let queries = queries.filter(|query| query.target_id == unit.id);
            lineage.queries = queries.collect();
            lineage.unit = Some(unit);
        }
        lineage.ranks = ranks(folder, &lineage.queries)?;
        lineage.set_aside = set_aside(folder, id, &lineage)?;
        if lineage.function.is_none() && lineage.unit.is_none() && lineage.set_aside.is_empty() {
            return Err(Failure::invalid(format!(
                "no record `{id}` in `{}`",
                folder.root().display()
            ))
            .hint("find ids in the tables and on the report page")
            .into());
        }
        Ok(lineage)
    }

    /// Shows the function as written beside the variant with this label.
    fn beside(&self, session: &Session, label: &str) -> anyhow::Result<Answer> {
        let found = self.variants.iter().find(|variant| {
            let setting = variant.setting;
            setting.label(variant.draw) == *label || setting.to_string() == *label
        });
        let (Some(unit), Some(variant)) = (&self.unit, found) else {
            let known: Vec<String> = self
                .variants
                .iter()
                .map(|variant| variant.setting.label(variant.draw))
                .collect();
            let failure = Failure::invalid(format!("the function has no variant `{label}`"));
            return Err(if known.is_empty() {
                failure.hint("it has no variants; `barecode show` without --diff prints the reason")
            } else {
                failure.hint(format!("it has {}", known.join(", ")))
            }
            .into());
        };
        let data = || {
            json!({
                "unit_id": unit.id,
                "variant_id": variant.id,
                "before": unit.text,
                "after": variant.text,
                "renamed": variant.renamed,
                "perturbation": variant.perturbation,
                "proof": variant.proof,
            })
        };
        session.answer(data, |Screen { width, color }| {
            // Without the width of a terminal, two columns of usual code fit into this.
            let sides = diff::sides(&unit.text, &variant.text);
            Ok(diff::terminal(&sides, width.min(200), color))
        })
    }

    fn describe(&self, color: bool) -> Result<String, fmt::Error> {
        let code = |text: &str| {
            let text = tame(text);
            if color { highlight(&text) } else { text }
        };
        let mut out = String::new();
        if let Some(function) = &self.function {
            let origin = &function.origin;
            let of = [
                &origin.repository,
                &origin.version,
                &origin.commit,
                &origin.license,
            ];
            let known: Vec<&str> = of.into_iter().flatten().map(String::as_str).collect();
            writeln!(out, "function {}  {}", function.id, function.name)?;
            writeln!(
                out,
                "  {} {}  ({})",
                origin.source,
                origin.place(),
                known.join(", ")
            )?;
            writeln!(out, "{}", indented(&code(&function.text)))?;
        }
        if let Some(unit) = &self.unit {
            writeln!(
                out,
                "unit {}  {}, {} bytes of code, {} items in its closure\n  {} ({})",
                unit.id,
                unit.group.name(),
                unit.code_bytes,
                unit.closure.items,
                unit.toolchain.version,
                unit.toolchain.flags.join(" ")
            )?;
        }
        for variant in &self.variants {
            let renamed = variant.renamed.len();
            let proof = format!("{:?}", variant.proof).to_lowercase();
            writeln!(
                out,
                "\nvariant {}  {}, {renamed} names changed, proof: {proof}",
                variant.id,
                variant.setting.label(variant.draw)
            )?;
            if variant.setting != Setting::Standard {
                writeln!(out, "{}", indented(&code(&variant.text)))?;
            }
        }
        for query in &self.queries {
            write!(
                out,
                "\nquery {}  {} words, leak: {}",
                query.id,
                query.words,
                query.leak.name()
            )?;
            if !query.leaked.is_empty() {
                write!(out, " ({})", query.leaked.join(", "))?;
            }
            writeln!(out, "\n{}", indented(&tame(&query.text)))?;
            out.push_str(&self.ranks_of(&query.id));
        }
        for aside in &self.set_aside {
            let label = |setting: Setting| format!(", {}", setting.label(aside.draw));
            let of = aside.setting.map(label).unwrap_or_default();
            describe_aside(&mut out, aside, &of)?;
        }
        Ok(out)
    }

    fn ranks_of(&self, query: &Id) -> String {
        let mut by_place: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
        for rank in self.ranks.iter().filter(|rank| rank.query_id == *query) {
            let shown = rank
                .answer_rank
                .map_or("not retrieved".to_owned(), |rank| format!("{rank}"));
            // A group under several settings is one line; another subset is a line of its own.
            let (place, label) = match (&rank.group, rank.setting) {
                (Some(group), Some(setting)) => (group, setting.label(rank.draw)),
                _ => (&rank.subset, String::new()),
            };
            let ranks = by_place.entry((&rank.retriever, place)).or_default();
            ranks.push(format!("{label} {shown}").trim_start().to_owned());
        }
        let lines = by_place.iter().map(|((retriever, group), ranks)| {
            format!(
                "  rank of the answer, {retriever} in {group}: {}\n",
                ranks.join(", ")
            )
        });
        lines.collect()
    }
}

fn ranks(folder: &RunFolder, queries: &[Query]) -> anyhow::Result<Vec<Placed>> {
    if !folder.layout().has_scores() || queries.is_empty() {
        return Ok(Vec::new());
    }
    let asked: BTreeSet<&Id> = queries.iter().map(|query| &query.id).collect();
    let mut ranks: Vec<Placed> = Vec::new();
    for row in folder.layout().query_scores()? {
        if asked.contains(&row.query_id) {
            let rank = Placed {
                query_id: row.query_id,
                retriever: row.retriever,
                subset: row.subset,
                group: row.group,
                setting: row.setting,
                draw: row.draw,
                answer_rank: row.answer_rank,
            };
            // One row a measure, and they agree about the rank.
            if !ranks.contains(&rank) {
                ranks.push(rank);
            }
        }
    }
    Ok(ranks)
}

/// Returns the records that were set aside under one of the line's ids.
fn set_aside(folder: &RunFolder, id: &str, lineage: &Lineage) -> anyhow::Result<Vec<SetAside>> {
    let mut ids = BTreeSet::from([id.to_owned()]);
    let function = lineage.function.iter();
    ids.extend(function.map(|function| function.id.to_string()));
    ids.extend(lineage.unit.iter().map(|unit| unit.id.to_string()));
    let mut found = Vec::new();
    for stage in [
        Stage::Extract,
        Stage::Check,
        Stage::Vary,
        Stage::Query,
        Stage::Assemble,
    ] {
        let mut rows = folder.layout().set_aside(stage)?;
        rows.retain(|row| row.id.as_ref().is_some_and(|id| ids.contains(id.as_str())));
        found.extend(rows);
    }
    Ok(found)
}

/// Writes the stage at which a record was set aside, and the reason.
fn describe_aside(out: &mut String, row: &SetAside, of: &str) -> fmt::Result {
    let why = row.reason.explanation();
    writeln!(
        out,
        "\nset aside in {}{of}: {} — {why}",
        row.stage, row.reason
    )?;
    if !row.detail.is_empty() {
        writeln!(out, "{}", indented(&tame(&row.detail)))?;
    }
    Ok(())
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|line| format!("    {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

/// Foreign text without control characters: a terminal would obey them.
fn tame(text: &str) -> String {
    let shown = |character: char| match character {
        '\n' | '\t' => character,
        control if control.is_control() => char::REPLACEMENT_CHARACTER,
        plain => plain,
    };
    text.chars().map(shown).collect()
}

/// The kinds of tokens that get a color, and the color.
const COLORS: [(&str, &str); 9] = [
    ("comment", "\u{1b}[2m"),
    ("constant", "\u{1b}[36m"),
    ("function", "\u{1b}[34m"),
    ("keyword", "\u{1b}[35m"),
    ("label", "\u{1b}[33m"),
    ("number", "\u{1b}[36m"),
    ("property", "\u{1b}[39m"),
    ("string", "\u{1b}[32m"),
    ("type", "\u{1b}[33m"),
];

/// Returns C with colors for a terminal; unchanged where the grammar cannot read it.
fn highlight(code: &str) -> String {
    let color = |kind| {
        COLORS
            .iter()
            .find(|(name, _)| Some(*name) == kind)
            .map(|(_, color)| color)
    };
    let piece = |(kind, text)| match color(kind) {
        Some(color) => format!("{color}{text}\u{1b}[0m"),
        None => String::from(text),
    };
    barecode_web::highlight(code, "c")
        .into_iter()
        .map(piece)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_cannot_command_the_terminal() {
        let text = "a\u{1b}[2Jb\u{7}\r\n\tc";
        assert_eq!(tame(text), "a\u{fffd}[2Jb\u{fffd}\u{fffd}\n\tc");
    }

    #[test]
    fn highlighting_changes_nothing_but_the_color() {
        let code = "static int add(int a) { return a + 1; /* one */ }";
        let colored = highlight(code);
        assert!(colored.contains("\u{1b}["));
        let mut plain = String::new();
        let mut rest = colored.as_str();
        while let Some((before, after)) = rest.split_once('\u{1b}') {
            plain.push_str(before);
            rest = after.split_once('m').unwrap().1;
        }
        plain.push_str(rest);
        assert_eq!(plain, code);
    }
}
