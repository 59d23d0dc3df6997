//! The expected extent of a run, known before anything is compiled.

use std::collections::BTreeMap;

use barecode_languages::Entry;
use barecode_programs::PROGRAMS;
use barecode_queries::could_ask;
use barecode_records::{Group, Reason, Stage};
use barecode_scores::intervals::FEWEST_QUERIES;
use serde::Serialize;

use crate::console::{Console, grouped};
use crate::engine::Finished;
use crate::exit::Failure;
use crate::site::Site;

/// Processor seconds for a function until it is judged, and for each variant. Rough: runs over C needed 0.12 to 0.16 a
/// function; a variant is one more compile.
const SECONDS: (f64, f64) = (0.15, 0.1);

/// The share of functions that will probably compile alone: in thirteen projects as cloned 89 % of C, 55 % of C++ without
/// templates.
const STANDS: f64 = 0.75;

/// The functions and queries that are available for a measurement.
#[derive(Debug, Serialize)]
pub(crate) struct Ahead {
    /// Functions of the source, and how many of them are drawn.
    found: u64,
    drawn: usize,
    /// Drawn functions by language.
    languages: BTreeMap<String, usize>,
    /// Drawn functions whose comment can be a query, by dependency group, with those of the group.
    groups: BTreeMap<&'static str, (usize, usize)>,
    /// Drawn functions with a comment, and those whose comment can be a query.
    documented: usize,
    asking: usize,
    /// Queries of the user's own.
    own: usize,
    /// Queries that models write.
    written: usize,
    /// True if functions are queries for themselves too.
    code_asks: bool,
    /// Files that were not read, and why.
    files_set_aside: BTreeMap<String, u64>,
    /// About how long compiling takes; 0 if nothing is compiled.
    seconds: f64,
}

impl Ahead {
    /// Reads the result of `extract`; returns `None` for other stages.
    ///
    /// # Errors
    /// If no function was found, or a table cannot be read.
    pub(crate) fn of(site: &Site, finished: &Finished) -> anyhow::Result<Option<Self>> {
        if finished.stage != Stage::Extract || site.shop.recipe.sources.is_empty() {
            return Ok(None);
        }
        let functions = site.folder.layout().functions()?;
        let counts = finished.counts();
        let mut ahead = Ahead {
            found: 0,
            drawn: functions.len(),
            languages: BTreeMap::new(),
            groups: BTreeMap::new(),
            documented: 0,
            asking: 0,
            own: site.shop.recipe.own_queries.len(),
            written: functions.len() * site.shop.recipe.writers.len(),
            code_asks: !site.shop.recipe.dataset.code_queries.is_empty(),
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
        let mut compiled = 0_usize;
        for function in &functions {
            let entry = barecode_languages::of(function.language);
            compiled += usize::from(entry.is_some_and(Entry::is_compiled));
            let language = barecode_languages::title(function.language).to_owned();
            *ahead.languages.entry(language).or_default() += 1;
            let asks = function
                .docs
                .iter()
                .any(|doc| could_ask(&doc.text, &function.name, &site.shop.recipe.queries));
            let group = Group::of(&function.references).name();
            let of_group = ahead.groups.entry(group).or_default();
            of_group.0 += 1;
            of_group.1 += usize::from(asks);
            ahead.documented += usize::from(!function.docs.is_empty());
            ahead.asking += usize::from(asks);
        }
        let variants = site.shop.recipe.draws().len() - 1;
        let threads = site.shop.pool.current_num_threads();
        let each = SECONDS.0 + SECONDS.1 * variants as f64;
        ahead.seconds = compiled as f64 * each / threads as f64;
        if functions.is_empty() {
            return Err(ahead.nothing(site).into());
        }
        Ok(Some(ahead))
    }

    /// Returns the failure with the reason why nothing can be measured.
    fn nothing(&self, site: &Site) -> Failure {
        let sources = site
            .shop
            .recipe
            .sources
            .iter()
            .map(|source| source.from.as_str());
        let sources: Vec<&str> = sources.collect();
        let files = self.files_set_aside.iter();
        let files =
            files.map(|(reason, count)| format!("{} set aside as {reason}", grouped(*count)));
        let files: Vec<String> = files.collect();
        let files = if files.is_empty() {
            "no files of such a language".to_owned()
        } else {
            format!("files: {}", files.join(", "))
        };
        let sources = sources.join(", ");
        Failure::invalid(format!("no function of a language that is mined was found in {sources} ({files})"))
            .hint("name the folder with the code; `include = [\"src/**\"]` of a source, or --include 'src/**' of `try`, chooses files")
    }

    /// Prints it as notes.
    pub(crate) fn tell(&self, console: Console) {
        for line in self.lines() {
            console.note(&line);
        }
    }

    /// The same for a reader, a line each.
    pub(crate) fn lines(&self) -> Vec<String> {
        let languages: Vec<String> = self
            .languages
            .iter()
            .map(|(language, count)| format!("{} of {language}", grouped(*count as u64)))
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
            .map(|(group, (functions, asking))| format!("{group} {asking} of {functions}"))
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
            lines.push(format!(
                "with so few comments {}; more code with comments would help (other folders, a larger limit), queries of your own (`try --queries`, `[queries] files`), or a model that writes them (`try --write`, `[queries] write`)",
                if asking < FEWEST_QUERIES && self.code_asks {
                    "only code can ask, which shows whether a model knows a function again, not whether it understands a question"
                } else if asking < FEWEST_QUERIES {
                    "no score will mean anything"
                } else {
                    "only large differences will show"
                }
            ));
        }
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
pub(crate) fn programs_left(site: &Site, finished: &Finished) -> Result<(), Failure> {
    let has_others = !site.shop.recipe.sources.is_empty();
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

/// Returns the expected precision of a mean over the queries that are left: 1.96 standard errors at a standard
/// deviation of 0.4. BM25 had 0.3 to 0.4 on functions as written in the demo and three other projects.
fn expected(queries: usize) -> String {
    let left = (queries as f64 * STANDS).round();
    if left < FEWEST_QUERIES as f64 {
        return ": too few for a score".to_owned();
    }
    format!(": scores to about ±{:.0} points of 100", 78.4 / left.sqrt())
}

/// `40 s` or `3 min`.
fn minutes(seconds: f64) -> String {
    if seconds < 90.0 {
        format!("{:.0} s", (seconds / 10.0).ceil() * 10.0)
    } else {
        format!("{:.0} min", (seconds / 60.0).ceil())
    }
}
