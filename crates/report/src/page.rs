//! The page: one self-contained HTML file.
//!
//! It needs no network and no script, prints well, and reads on a phone, on light and on dark. In come scores
//! and counts that were computed before; out comes a text that depends on them only: no clock, no path of a machine.
//! Every number has its measure, its queries, its interval and its ceiling, and the page ends with the recipe that
//! makes it again.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use barecode_audit::Left;
use barecode_evaluate::System;
use barecode_records::python::VariantKind;
use barecode_records::{
    Counts, Difference, Judged, Language, Reason, Score, Setting, Stage, Toolchain,
};
use maud::{Markup, html};

use super::asker::{Asker, counted};
use super::facts::Facts;
use super::leader::Leader;
use super::{
    audit, group_name, main_measure, markup, own, probe, programs, robustness, samples, scored,
    sets, statistics,
};
use barecode_recipe::Recipe;
use barecode_runs::console::grouped;

/// The fewest queries of a headline.
pub(super) const TOLD_FROM: u64 = 20;

/// The page as a text.
pub fn render(facts: &Facts<'_>) -> String {
    let sections = html! {
        (head(facts))
        (own::section(facts.asking.0, facts.asking.1, bare_setting(facts), facts.queries.is_none()))
        @if has_functions(facts) { (scored::section(facts)) }
        @if let Some(measure) = main_measure(facts.scores) {
            (robustness::section(&facts.robustness, facts.scores, measure, facts.recipe.scores.confidence))
        }
        (sets::section(facts.sets))
        (probe::section(facts.probe, facts.recipe.scores.confidence))
        (programs::section(&facts.programs))
        @if has_functions(facts) { (scored::leaks(facts)) }
        (flow(facts))
        @if has_functions(facts) {
            (samples::section(&facts.samples, facts.queries_link()))
            (markup::folded("dataset", "The dataset", statistics::section(facts.statistics)))
            (markup::folded("settings", "The names that stay", audit::section(facts.audits, facts.recipe.scope)))
        }
        @if let Some(queries) = &facts.queries { (queries) }
        (markup::folded("sources", "Sources", provenance(facts)))
        (markup::folded("again", "Make it again", reproduce(facts)))
    };
    let page = markup::page(&facts.recipe.name, &sections);
    let paths = paths_of_the_machine(facts.recipe);
    paths
        .iter()
        .fold(page, |page, (path, shown)| page.replace(path, shown))
}

/// The absolute paths of a recipe, each with the part that a published page shows: its last one.
fn paths_of_the_machine(recipe: &Recipe) -> BTreeMap<String, String> {
    let sources = recipe.sources.iter().map(|source| source.from.as_str());
    let models = recipe.retrievers.iter().filter_map(System::model);
    let measures = recipe.programs.alternates.config.measures.iter();
    let measures = measures.map(|measure| measure.model.as_str());
    let models = models.chain(measures);
    let mut shown: BTreeMap<String, String> =
        sources.chain(models).filter_map(without_folder).collect();
    for source in &recipe.programs.sources {
        let path = Path::new(source.from.strip_prefix("path:").unwrap_or(&source.from));
        if let (true, Some(last)) = (path.is_absolute(), path.file_name()) {
            let path = path.display().to_string();
            shown.insert(path, format!("…/{}", last.to_string_lossy()));
        }
    }
    shown
}

/// `path:/home/me/src` and `path:…/src`. The kind is part of both: `/src` alone is in many other paths.
fn without_folder(from: &str) -> Option<(String, String)> {
    let (kind, path) = from.split_once(':')?;
    // A revision follows the last `@`.
    let path = path.rsplit_once('@').map_or(path, |(path, _)| path);
    let last = Path::new(path).file_name()?.to_string_lossy();
    let pair = || (format!("{kind}:{path}"), format!("{kind}:…/{last}"));
    path.starts_with('/').then(pair)
}

/// Returns `true` if the run is about functions of sources; it may be about programs alone.
fn has_functions(facts: &Facts<'_>) -> bool {
    !facts.recipe.sources.is_empty()
}

/// The head of a run of programs alone.
fn head_of_programs(facts: &Facts<'_>) -> Markup {
    let kept = |stage: Stage, kind: &str| {
        let of_stage = facts.counts.iter().find(|(found, _)| *found == stage);
        let counts = of_stage.and_then(|(_, counts)| counts.get(kind));
        grouped(counts.map_or(0, |counts| counts.kept))
    };
    html! {
        header {
            h1 { (facts.recipe.name) ": programs, their clones and bugs" }
            @if let Some(sentence) = headline_of_programs(facts) { p.lead { strong { (sentence) } } }
            p {
                "A clone does the same as its program and passes the same tests; a bug is the same but for a mistake, and fails one. "
                "A model that knows what code means finds a program more like its clone than like its bug."
            }
            p {
                strong { (kept(Stage::Check, "programs")) } " programs pass their tests; "
                strong { (kept(Stage::Vary, "program variants")) } " clones and bugs were made of them and run. "
                "Retrievers: " (facts.recipe.retrievers.iter().map(described).collect::<Vec<_>>().join(", ")) "."
            }
            nav aria-label="Sections" {
                ul {
                    (links_to_programs(facts))
                    li { a href="#flow" { "Kept and set aside" } }
                    li { a href="#sources" { "Sources" } }
                    li { a href="#again" { "Make it again" } }
                }
            }
        }
    }
}

/// The result of the probe for the first pipeline that makes clones and the first that makes bugs.
fn headline_of_programs(facts: &Facts<'_>) -> Option<String> {
    let first = |kind| {
        let mut pipelines = facts.recipe.programs.pipelines.iter();
        pipelines.find(|one| one.kind == kind)
    };
    let clones = first(VariantKind::Clone)?;
    let bugs = first(VariantKind::Bug)?;
    let asked = asked_about(&facts.recipe.retrievers);
    let asked: Vec<&str> = asked.into_iter().map(System::name).collect();
    probe::headline(facts.probe, &asked, (&clones.name, &bugs.name))
}

/// The links to the sections about programs.
fn links_to_programs(facts: &Facts<'_>) -> Markup {
    html! {
        @if !facts.probe.is_empty() { li { a href="#probe" { "Clones and bugs" } } }
        @if !facts.programs.made.is_empty() { li { a href="#transforms" { "Transforms" } } }
        @if !facts.programs.examples.is_empty() { li { a href="#programs" { "Examples" } } }
    }
}

fn head(facts: &Facts<'_>) -> Markup {
    if !has_functions(facts) {
        return head_of_programs(facts);
    }
    let settings: Vec<String> = facts
        .recipe
        .settings
        .iter()
        .map(Setting::to_string)
        .collect();
    let kept = |stage: Stage, kind: &str| {
        let of_stage = facts.counts.iter().find(|(found, _)| *found == stage);
        of_stage
            .and_then(|(_, counts)| counts.get(kind))
            .map_or(0, |counts| counts.kept)
    };
    let of_compiler = |toolchain: &Toolchain| toolchain.judged() == Judged::Compiler;
    let is_compiled = facts.toolchain.as_ref().is_none_or(of_compiler);
    let (shown, stand) = match (is_compiled, not_compiled(&facts.sources).is_empty()) {
        (true, true) => (
            "every renamed function compiles to the same machine code as its original.",
            "compile",
        ),
        (true, false) => (
            "every renamed function of C and C++ compiles to the same machine code as its original, and in the other \
             languages every name stands for what it stood for, as far as the text alone shows it.",
            "stand",
        ),
        (false, _) => (
            "every name of a renamed function stands for what it stood for, as far as the text alone shows it; nothing \
             was compiled.",
            "stand",
        ),
    };
    html! {
        header {
            h1 { (facts.recipe.name) ": code retrieval without names" }
            @if let Some((sentence, leaders)) = headline(facts) {
                p.lead { strong { (sentence) } }
                @if !leaders.is_empty() { p { (leaders.join(" ")) } }
            }
            p {
                "Somebody describes what a function does; a retriever ranks functions by that description. "
                "The same functions are shown as written, and again with their names taken away ("
                (settings.join(", ")) "); " (shown) " "
                "The loss of a retriever from one setting to the next is the value of the names."
            }
            p {
                @let sources = facts.sources.iter().filter(|source| source.get("set_aside").is_none()).count();
                strong { (grouped(kept(Stage::Check, "functions"))) } " functions of "
                strong { (sources) } (if sources == 1 { " source " } else { " sources " }) (stand) " by themselves. "
                @if !facts.asked.is_empty() { "They are asked for by " (asked(facts)) ". " }
                "Retrievers: " (facts.recipe.retrievers.iter().map(described).collect::<Vec<_>>().join(", ")) "."
            }
            nav aria-label="Sections" {
                ul {
                    li { a href=(facts.queries_link()) { "All queries" } }
                    li { a href="#picture" { "Picture" } }
                    li { a href="#scores" { "Scores" } }
                    li { a href="#robustness" { "The value of names" } }
                    @if !facts.sets.is_empty() { li { a href="#sets" { "Sets of queries" } } }
                    (links_to_programs(facts))
                    li { a href="#leaks" { "By leak" } }
                    li { a href="#flow" { "Kept and set aside" } }
                    li { a href="#queries" { "Queries" } }
                    li { a href="#dataset" { "The dataset" } }
                    li { a href="#settings" { "The names that stay" } }
                    li { a href="#sources" { "Sources" } }
                    li { a href="#again" { "Make it again" } }
                }
            }
        }
    }
}

/// The retrievers that a headline speaks of: models, or the first retriever if there are none.
fn asked_about(retrievers: &[System]) -> Vec<&System> {
    let models = retrievers.iter().filter(|it| it.model().is_some());
    let mut systems: Vec<&System> = models.collect();
    if systems.is_empty() {
        systems.extend(retrievers.first());
    }
    systems
}

/// The first setting that renames.
fn bare_setting(facts: &Facts<'_>) -> Option<Setting> {
    let settings = facts.recipe.settings.iter().copied();
    settings
        .into_iter()
        .find(|setting| matches!(setting, Setting::Renamed { .. }))
}

/// The loss without names of the models that were requested, or of the first retriever if there are none, on the
/// queries of `try`; empty if these are few, or if a score is no better than random order. Then the systems that lead on
/// these queries, with names and without, if there are several.
fn headline(facts: &Facts<'_>) -> Option<(String, Vec<String>)> {
    let measure = main_measure(facts.scores)?;
    let systems = asked_about(&facts.recipe.retrievers);
    let bare = bare_setting(facts)?;
    let asker = Asker::of(facts.scores, &facts.asked, facts.recipe);
    let percent = |share: f64| (share * 100.0).round() + 0.0;
    let loses = |system: &&System| {
        let drops = facts.robustness.drops.iter();
        let drops = drops
            .filter(|drop| drop.retriever == system.name() && drop.setting == bare)
            .filter(|drop| drop.measure == measure && u64::from(drop.queries) >= TOLD_FROM);
        let (functions, drop) = asker.drop(drops)?;
        let mut standard = facts.scores.iter().filter(|score| {
            score.retriever == drop.retriever
                && score.group == drop.group
                && score.setting == Some(Setting::Standard)
        });
        let standard = standard.find(|it| it.measure == measure && it.slice == "all")?;
        if standard.floor.is_some_and(|floor| standard.low <= floor) {
            return None;
        }
        let (low, high) = drop.relative_low.zip(drop.relative_high)?;
        let [value, low, high] = [drop.relative?, low, high].map(percent);
        let said = format!("{} loses {value} % [{low}, {high}]", system.name());
        Some((said, (functions, drop)))
    };
    let (said, drops): (Vec<String>, Vec<_>) = systems.iter().filter_map(loses).unzip();
    let (functions, drop) = drops.first()?;
    let mut audits = facts.audits.iter();
    let left = audits.find(|audit| audit.setting == bare);
    let left = left
        .and_then(|audit| audit.left.as_ref())
        .map_or(Left::default(), |left| left.all);
    let when = if left.is_bare() {
        "Without names"
    } else {
        "Under other names"
    };
    let sentence = format!(
        "{when} ({bare}; {}), {} of its {measure}: {} queries ({}), {}.",
        left.sentence(),
        said.join(", "),
        grouped(drop.queries.into()),
        asker.who,
        group_name(Some(functions)).to_lowercase()
    );
    let group = asker.group(functions);
    let leaders = [(Setting::Standard, "As written"), (bare, when)]
        .into_iter()
        .filter_map(|(setting, when)| leading(facts, (measure, &group, setting), when));
    Some((sentence, leaders.collect()))
}

/// The system that leads on a subset, and those that do not differ significantly from it; `None` if there is only one.
fn leading(
    facts: &Facts<'_>,
    (measure, group, setting): (&str, &str, Setting),
    when: &str,
) -> Option<String> {
    let scores = facts.scores.iter().filter(|score| {
        score.measure == measure
            && score.slice == "all"
            && score.group.as_deref() == Some(group)
            && score.setting == Some(setting)
    });
    let scores: Vec<&Score> = scores.collect();
    let differences = facts.robustness.differences.iter().filter(|one| {
        one.measure == measure
            && one.group.as_deref() == Some(group)
            && one.setting == Some(setting)
    });
    let differences: Vec<&Difference> = differences.collect();
    if scores.len() < 2 {
        return None;
    }
    let leader = Leader::of(&scores, &differences, facts.recipe.scores.confidence)?;
    Some(leader.sentence(when))
}

/// `41 comments, 137 queries of gpt-4o`.
fn asked(facts: &Facts<'_>) -> String {
    let sets = facts.asked.iter().map(counted);
    sets.collect::<Vec<_>>().join(", ")
}

/// A retriever's name, and its model or its options, if any.
fn described(retriever: &System) -> String {
    let model = retriever.model().map(str::to_owned);
    match model.or_else(|| retriever.spelled()) {
        Some(what) => format!("{} ({what})", retriever.name()),
        None => retriever.name().to_owned(),
    }
}

fn flow(facts: &Facts<'_>) -> Markup {
    html! {
        h2 #flow { "Kept and set aside" }
        p.note { "At every stage, what came in was kept or set aside, and each thing set aside has a reason. Nothing else is lost." }
        ol.flow {
            @for (stage, counts) in &facts.counts {
                @for (kind, counts) in counts {
                    li { (flow_step(*stage, kind, counts)) }
                }
            }
        }
    }
}

fn flow_step(stage: Stage, kind: &str, counts: &Counts) -> Markup {
    let aside: u64 = counts.set_aside.values().sum();
    let share = if counts.entered == 0 {
        0.0
    } else {
        counts.kept as f64 / counts.entered as f64 * 100.0
    };
    let mut reasons: Vec<(&String, u64)> = counts
        .set_aside
        .iter()
        .map(|(reason, count)| (reason, *count))
        .collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    html! {
        div.head {
            span { strong { (stage) } ", " (kind) }
            span {
                (grouped(counts.entered)) " in = " strong { (grouped(counts.kept)) " kept" } " + " (grouped(aside)) " set aside"
            }
        }
        svg.bar viewBox="0 0 100 3" preserveAspectRatio="none" role="img" {
            title { (grouped(counts.kept)) " of " (grouped(counts.entered)) " " (kind) " kept" }
            rect.aside width="100" height="3" {}
            rect.kept width=(format!("{share:.2}")) height="3" {}
        }
        @if !reasons.is_empty() {
            details {
                summary { "Reasons" }
                table {
                    thead { tr { th scope="col" { "Reason" } th.num scope="col" { "Set aside" } th scope="col" { "Meaning" } } }
                    tbody {
                        @for (reason, count) in reasons {
                            tr { th.mono scope="row" { (reason) } td.num { (grouped(count)) } td { (explanation(reason)) } }
                        }
                    }
                }
            }
        }
    }
}

fn explanation(code: &str) -> &'static str {
    Reason::ALL
        .iter()
        .find(|reason| reason.code() == code)
        .map_or("", |reason| reason.explanation())
}

fn provenance(facts: &Facts<'_>) -> Markup {
    html! {
        p.note { "All code and all comments are their authors', under the licenses stated here as the sources state them." }
        @if !facts.sources.is_empty() { (described_sources("Sources", &facts.sources)) }
        @if !facts.data_sets.is_empty() { (described_sources("Data sets of programs", &facts.data_sets)) }
        @if !facts.near_duplicates.is_empty() && !facts.data_sets.is_empty() {
            p.note {
                "Of the solutions of one problem one stays, and alternates that are dissimilar to it and to each other; near-duplicates are those with a similarity "
                (markup::prose(&facts.near_duplicates.join(", or "))) "."
            }
        }
        @if let Some(toolchain) = &facts.toolchain {
            p {
                @if toolchain.judged() == Judged::Compiler {
                    "Compiled by " (toolchain.version) " for " (toolchain.target) " with " code { (toolchain.flags.join(" ")) } "."
                } @else {
                    "Nothing was compiled."
                }
                @for sentence in not_compiled(&facts.sources) { " " (sentence) }
            }
        }
        @if facts.assumed.1 > 0 { (assumed(&facts.assumed)) }
    }
}

/// The values that some units rest on, although no build made them.
fn assumed((headers, units): &(BTreeMap<String, u64>, u64)) -> Markup {
    html! {
        p {
            strong { "Units that rest on assumed values: " (grouped(*units)) }
            ". They read a header that a build of their source makes. Nobody ran that build, so barecode filled in the header's template. Another "
            "value could leave out code or add some. To read what a real build made, name its " code { "compile_commands.json" } ": " code { "compile-commands" } " in " code { "[[source]]" } "."
        }
        (markup::table(
            "Headers with assumed values",
            1,
            &["Header", "Units that read it"],
            headers.iter().map(|(header, units)| vec![header.clone(), grouped(*units)]),
        ))
    }
}

/// The facts about units that no compiler judged, by the tool that judged them.
fn not_compiled(sources: &[serde_json::Value]) -> Vec<String> {
    let languages = sources
        .iter()
        .filter_map(|source| source["languages"].as_object());
    let names: BTreeSet<&str> = languages
        .flat_map(|names| names.keys())
        .map(String::as_str)
        .collect();
    let mut sentences = Vec::new();
    if names.contains(Language::PYTHON.name()) {
        let sentence = "A unit of Python has every name bound, and a variant has the same bindings as its unit.";
        sentences.push(sentence.to_owned());
    }
    let read = names
        .iter()
        .filter_map(|name| barecode_languages::of(Language::named(name)));
    let read: Vec<&str> = read
        .filter(|entry| entry.tree().is_some())
        .map(|entry| entry.title)
        .collect();
    if !read.is_empty() {
        sentences.push(format!(
            "Units of {} can be parsed, and a variant's tree has the shape of its unit's; whether they run was not tried.",
            read.join(", ")
        ));
    }
    sentences
}

/// A table of the descriptions of sources.
fn described_sources(label: &str, sources: &[serde_json::Value]) -> Markup {
    // A value that is not plain is too much for a table.
    let plain = |value: &serde_json::Value| match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(_)
        | serde_json::Value::Null
        | serde_json::Value::Array(_)
        | serde_json::Value::Object(_) => None,
    };
    let mut columns: Vec<&String> = Vec::new();
    for source in sources {
        for (key, value) in source.as_object().into_iter().flatten() {
            if plain(value).is_some() && key != "digest" && !columns.contains(&key) {
                columns.push(key);
            }
        }
    }
    markup::scroll(
        label,
        html! {
            table {
                thead { tr { @for column in &columns { th scope="col" { (column.replace('_', " ")) } } } }
                tbody {
                    @for source in sources {
                        tr { @for column in &columns { td { (source.get(*column).and_then(plain).unwrap_or_default()) } } }
                    }
                }
            }
        },
    )
}

fn reproduce(facts: &Facts<'_>) -> Markup {
    html! {
        p {
            "With barecode " (env!("CARGO_PKG_VERSION")) ", save this as " code { "recipe.toml" } ", every default spelled out, and run "
            code { "barecode build recipe.toml" } ". The same sources, compiler and seed give the same bytes, on any number of threads; "
            code { "manifest.json" } " has the digests of all files."
            @if !paths_of_the_machine(facts.recipe).is_empty() { " Of paths of the machine that it ran on, “…” stands for the folder." }
        }
        pre tabindex="0" { code { (facts.recipe.to_toml()) } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_path_is_replaced_only_where_its_kind_stands_before_it() {
        let shown = |from: &str| without_folder(from).map(|(_, shown)| shown);
        assert_eq!(shown("path:/src").as_deref(), Some("path:…/src"));
        assert_eq!(shown("git:/home/me/lib@v1").as_deref(), Some("git:…/lib"));
        assert_eq!(shown("path:src"), None);
        assert_eq!(shown("git:https://example.org/lib@v1"), None);
        assert_eq!(shown("hf:org/model"), None);
        let (whole, _) = without_folder("path:/a").unwrap_or_default();
        assert!(!"<a href=x>lib/a.c</a>".contains(&whole));
    }
}
