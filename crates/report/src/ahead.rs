//! The expected extent of a run, known before anything is compiled.

use std::collections::BTreeMap;

use barecode_evaluate::System;
use barecode_languages::{Entry, LANGUAGES};
use barecode_programs::PROGRAMS;
use barecode_queries::could_ask;
use barecode_recipe::Recipe;
use barecode_records::{Function, Group, Language, Reason, Stage, Unit};
use barecode_runs::console::grouped;
use barecode_runs::engine::Finished;
use barecode_runs::exit::Failure;
use barecode_runs::layout::Layout;
use barecode_scores::intervals::FEWEST_QUERIES;
use serde::Serialize;

/// Processor seconds for a function of C until it is judged, and for each variant. Rough: runs over C needed 0.12 to 0.16
/// a function; a variant is one more compile.
const SECONDS: (f64, f64) = (0.15, 0.1);

/// The same for C++, most of whose time goes into the headers of its library.
const SECONDS_OF_CPP: (f64, f64) = (0.9, 0.3);

/// The share of functions that will probably compile alone: in thirteen projects as cloned 89 % of C, 55 % of C++ without
/// templates.
const STANDS: f64 = 0.75;

/// The functions and queries that are available for a measurement.
#[derive(Debug, Serialize)]
pub struct Ahead {
    /// Functions of the source, and how many of them are drawn.
    found: u64,
    drawn: usize,
    /// Drawn functions by language.
    languages: BTreeMap<String, u64>,
    /// Drawn functions whose comment can be a query, by dependency group, with those of the group.
    groups: BTreeMap<&'static str, (usize, usize)>,
    /// Drawn functions with a comment, and those whose comment can be a query.
    documented: usize,
    asking: usize,
    /// Queries of the user's own.
    own: usize,
    /// Queries that models write.
    written: usize,
    /// True if functions are drawn with no regard to their comments.
    any_are_drawn: bool,
    /// True if functions are queries for themselves too.
    code_asks: bool,
    /// Systems that do not read every function.
    not_read: Vec<NotRead>,
    /// Files that were not read, and why.
    files_set_aside: BTreeMap<String, u64>,
    /// About how long compiling takes; 0 if nothing is compiled.
    seconds: f64,
}

/// A system that does not read every language of a run.
#[derive(Debug, Serialize)]
struct NotRead {
    system: String,
    /// The languages that it reads, of all that are mined.
    reads: Vec<&'static str>,
    /// Those of the run that it does not read.
    not: Vec<&'static str>,
    /// Drawn functions in these.
    functions: u64,
}

impl NotRead {
    /// Returns `None` for a system that reads all of these languages.
    fn of(system: &System, drawn: &BTreeMap<Language, u64>) -> Option<Self> {
        let title = |(language, _): (&Language, &u64)| barecode_languages::title(*language);
        let not = drawn
            .iter()
            .filter(|(language, _)| !system.reads(**language));
        let functions: u64 = not.clone().map(|(_, count)| count).sum();
        let mined = LANGUAGES.iter().filter(|entry| entry.is_mined());
        (functions > 0).then(|| NotRead {
            system: system.name().to_owned(),
            reads: mined
                .filter(|entry| system.reads(entry.language))
                .map(|entry| entry.title)
                .collect(),
            not: not.map(title).collect(),
            functions,
        })
    }

    fn line(&self, drawn: usize) -> String {
        let Self {
            system, functions, ..
        } = self;
        let [reads, not] = [&self.reads, &self.not].map(|names| names.join(", "));
        let all = *functions == drawn as u64;
        format!(
            "{system} reads {reads}, and not {not} ({} of {} functions): it has no score for these{}",
            grouped(*functions),
            grouped(drawn as u64),
            if all {
                ""
            } else {
                " and is not compared with the others on all; one language alone is `try --language NAME` or `languages` of a source"
            }
        )
    }
}

impl Ahead {
    /// Reads the result of `extract`; returns `None` for other stages. Compiling uses this number of threads.
    ///
    /// # Errors
    /// If no function was found, or a table cannot be read.
    pub fn of(
        recipe: &Recipe,
        layout: Layout<'_>,
        finished: &Finished,
        threads: usize,
    ) -> anyhow::Result<Option<Self>> {
        if finished.stage != Stage::Extract || recipe.sources.is_empty() {
            return Ok(None);
        }
        let functions: Vec<Function> = layout.rows(Stage::Extract, finished.parts())?;
        let counts = finished.counts();
        let mut ahead = Ahead {
            found: 0,
            drawn: functions.len(),
            languages: BTreeMap::new(),
            groups: BTreeMap::new(),
            documented: 0,
            asking: 0,
            own: recipe.own_queries.len(),
            written: functions.len() * recipe.writers.len(),
            any_are_drawn: !recipe.sources.iter().all(|source| source.documented_first),
            code_asks: !recipe.dataset.code_queries.is_empty(),
            not_read: Vec::new(),
            files_set_aside: BTreeMap::new(),
            seconds: 0.0,
        };
        if let Some(counts) = counts.get("functions") {
            let left = counts.set_aside.get(Reason::NotSampled.code());
            ahead.found = counts.kept + left.copied().unwrap_or_default();
        }
        if let Some(counts) = counts.get("files") {
            ahead.files_set_aside = counts.set_aside.clone();
        }
        let variants = (recipe.draws().len() - 1) as f64;
        let mut by_language: BTreeMap<Language, u64> = BTreeMap::new();
        for function in &functions {
            let entry = barecode_languages::of(function.language);
            if entry.is_some_and(Entry::is_compiled) {
                let is_cpp = function.language == Language::CPP;
                let (judged, varied) = if is_cpp { SECONDS_OF_CPP } else { SECONDS };
                ahead.seconds += (judged + varied * variants) / threads as f64;
            }
            *by_language.entry(function.language).or_default() += 1;
            let asks = function
                .docs
                .iter()
                .any(|doc| could_ask(&doc.text, &function.name, &recipe.queries));
            let group = Group::of(&function.references).name();
            let of_group = ahead.groups.entry(group).or_default();
            of_group.0 += 1;
            of_group.1 += usize::from(asks);
            ahead.documented += usize::from(!function.docs.is_empty());
            ahead.asking += usize::from(asks);
        }
        let titled = by_language.iter();
        ahead.languages = titled
            .map(|(language, count)| (barecode_languages::title(*language).to_owned(), *count))
            .collect();
        let systems = recipe.retrievers.iter();
        ahead.not_read = systems
            .filter_map(|system| NotRead::of(system, &by_language))
            .collect();
        if functions.is_empty() {
            return Err(ahead.nothing(recipe).into());
        }
        Ok(Some(ahead))
    }

    /// The number of functions that are drawn.
    pub fn drawn(&self) -> usize {
        self.drawn
    }

    /// About how many seconds compiling takes; 0 if nothing is compiled.
    pub fn seconds(&self) -> f64 {
        self.seconds
    }

    /// Returns the failure with the reason why nothing can be measured.
    fn nothing(&self, recipe: &Recipe) -> Failure {
        let sources = recipe.sources.iter().map(|source| source.from.as_str());
        let sources: Vec<&str> = sources.collect();
        let files = self.files_set_aside.iter();
        let files =
            files.map(|(reason, count)| format!("{} set aside as {reason}", grouped(*count)));
        let files: Vec<String> = files.collect();
        let files = if files.is_empty() {
            "no file of such a language has one".to_owned()
        } else {
            format!("files: {}", files.join(", "))
        };
        let sources = sources.join(", ");
        let languages = recipe.sources.iter().flat_map(|source| &source.languages);
        let mut languages: Vec<&str> = languages
            .map(|name| barecode_languages::title(Language::named(name)))
            .collect();
        languages.sort_unstable();
        languages.dedup();
        let of = match languages.as_slice() {
            [] => "a language that is mined".to_owned(),
            some => some.join(" or "),
        };
        Failure::invalid(format!("no function of {of} was found in {sources} ({files})"))
            .hint("name the folder with the code; `include = [\"src/**\"]` of a source, or --include 'src/**' of `try`, chooses files")
    }

    /// The same for a reader, a sentence each.
    pub fn lines(&self) -> Vec<String> {
        let languages: Vec<String> = self
            .languages
            .iter()
            .map(|(language, count)| format!("{} of {language}", grouped(*count)))
            .collect();
        let mut lines = vec![format!(
            "{} functions; {} are drawn ({})",
            grouped(self.found),
            grouped(self.drawn as u64),
            languages.join(", ")
        )];
        let groups: Vec<String> = self
            .groups
            .iter()
            .map(|(group, (functions, asking))| {
                let needs = match *group {
                    "group1" => "that need nothing of their project",
                    "group2" => "that need its types or variables",
                    "group3" => "that call its functions",
                    other => other,
                };
                format!("{asking} of {functions} {needs}")
            })
            .collect();
        lines.push(format!(
            "{} of them have a comment that can ask for them ({}){}",
            grouped(self.asking as u64),
            groups.join(", "),
            expected(self.asking)
        ));
        if self.own > 0 {
            lines.push(format!(
                "{} queries are your own{}",
                grouped(self.own as u64),
                expected(self.own)
            ));
        }
        if self.written > 0 {
            lines.push(format!(
                "models write {} queries{}",
                grouped(self.written as u64),
                expected(self.written)
            ));
        }
        if self.code_asks {
            lines.push(format!(
                "all can ask for themselves without their names{}",
                expected(self.drawn)
            ));
        }
        let asking = self.asking + self.own + self.written;
        if asking < FEWEST_QUERIES * 3 {
            let can_draw_others = self.any_are_drawn && self.found > self.drawn as u64;
            lines.push(format!(
                "with so few comments {}; what helps: {}more code with comments (other folders, a larger limit), queries of your own (`try --queries`, `[queries] files`), or a model that writes them (`try --write`, `[queries] write`)",
                if asking < FEWEST_QUERIES && self.code_asks {
                    "only code can ask, which shows whether a model knows a function again, not whether it understands a question"
                } else if asking < FEWEST_QUERIES {
                    "no score will mean anything"
                } else {
                    "only large differences will show"
                },
                if can_draw_others {
                    "functions with a comment are drawn first with `documented-first = true` in `[[source]]`, "
                } else {
                    ""
                }
            ));
        }
        lines.extend(self.not_read.iter().map(|one| one.line(self.drawn)));
        if self.seconds > 0.0 {
            lines.push(format!("compiling takes about {}", minutes(self.seconds)));
        }
        lines
    }
}

/// Refuses to go on after a stage that kept no program.
///
/// # Errors
/// The stage kept no program, and the recipe has no other source.
pub fn programs_left(recipe: &Recipe, finished: &Finished) -> Result<(), Failure> {
    let has_others = !recipe.sources.is_empty();
    let counts = finished.counts();
    let Some(counts) = counts
        .get(PROGRAMS)
        .filter(|counts| counts.kept == 0 && !has_others)
    else {
        return Ok(());
    };
    let reasons = counts.set_aside.iter();
    let reasons: Vec<String> = reasons
        .map(|(reason, count)| format!("{} as {reason}", grouped(*count)))
        .collect();
    let why = match reasons.as_slice() {
        [] => "none was found".to_owned(),
        all => format!("set aside: {}", all.join(", ")),
    };
    Err(Failure::invalid(format!("no program is left after `{}` ({why})", finished.stage))
        .hint("each is a row with its reason in the folder of the stage; the book describes the search for tests: reference, the recipe, [[programs]]"))
}

/// Returns the expected extent of a run behind `extract`, and of what is left behind `check`, a sentence each; nothing
/// for other stages.
///
/// # Errors
/// As [`Ahead::of`].
pub fn lines(
    recipe: &Recipe,
    layout: Layout<'_>,
    finished: &Finished,
    threads: usize,
) -> anyhow::Result<Vec<String>> {
    match Ahead::of(recipe, layout, finished, threads)? {
        Some(ahead) => Ok(ahead.lines()),
        None => Ok(after_check(recipe, layout, finished)?.into_iter().collect()),
    }
}

/// The same after `check`: the functions that are left, and the precision that their comments allow. `None` for other
/// stages, and if nothing was set aside.
///
/// # Errors
/// A table cannot be read.
pub fn after_check(
    recipe: &Recipe,
    layout: Layout<'_>,
    finished: &Finished,
) -> anyhow::Result<Option<String>> {
    if finished.stage != Stage::Check || recipe.sources.is_empty() {
        return Ok(None);
    }
    let units: Vec<Unit> = layout.rows(Stage::Check, finished.parts())?;
    let counts = finished.counts();
    let set_aside = counts
        .get("functions")
        .map(|counts| counts.set_aside.values().sum());
    let drawn = units.len() as u64 + set_aside.unwrap_or(0);
    if drawn == units.len() as u64 {
        return Ok(None);
    }
    let asking = units.iter().filter(|unit| {
        let mut docs = unit.docs.iter();
        docs.any(|doc| could_ask(&doc.text, &unit.name, &recipe.queries))
    });
    let asking = asking.count();
    Ok(Some(format!(
        "{} of {} functions are left after `check`, {} with a comment that can ask for them{}",
        grouped(units.len() as u64),
        grouped(drawn),
        grouped(asking as u64),
        precision(asking as f64)
    )))
}

/// Returns the expected precision of a mean over the queries that are left after `check`.
fn expected(queries: usize) -> String {
    precision((queries as f64 * STANDS).round())
}

/// Returns the precision of a mean over this number of queries: 1.96 standard errors at a standard deviation of 0.4. BM25 had
/// 0.3 to 0.4 on functions as written in the demo and three other projects.
fn precision(queries: f64) -> String {
    if queries < FEWEST_QUERIES as f64 {
        return format!(": too few for a score, which needs {FEWEST_QUERIES}");
    }
    format!(
        ": scores to about ±{:.0} points of 100",
        78.4 / queries.sqrt()
    )
}

/// `40 s` or `3 min`.
fn minutes(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} s", (seconds / 10.0).ceil() * 10.0)
    } else {
        format!("{:.0} min", (seconds / 60.0).ceil())
    }
}
