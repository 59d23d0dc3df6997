//! The checks that the parts of a recipe share: names, numbers of draws, and the position of a fault in the text: the
//! line with a caret under it, and the nearest known word.

use std::ops::Range;

use barecode_runs::exit::Failure;
use toml::Spanned;

/// More draws than this add nothing new, and each compiles every unit once more.
pub(super) const MAX_SEEDS: u32 = 1_000;

/// The text of a recipe, for messages that show the position of a fault.
pub(super) struct RecipeText<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
}

impl RecipeText<'_> {
    /// The line that a span begins on, from 1.
    pub(super) fn line(&self, span: &Range<usize>) -> usize {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        before.matches('\n').count() + 1
    }

    /// `demo.toml:3:1`.
    pub(super) fn of(&self, span: &Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let column = 1 + before.rsplit('\n').next().unwrap_or("").chars().count();
        format!("{}:{}:{column}", self.file, self.line(span))
    }

    /// `demo.toml:3:1: message`, the line, and a caret under it.
    pub(super) fn error(
        &self,
        span: Option<Range<usize>>,
        message: &str,
        nearest: Option<String>,
    ) -> Failure {
        let mut failure = match span {
            None => Failure::invalid(format!("{}: {message}", self.file)),
            Some(span) => {
                let before = self.text.get(..span.start).unwrap_or(self.text);
                let line_number = before.matches('\n').count() + 1;
                let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
                let line = first_line(self.text.get(line_start..));
                let indent = before.get(line_start..).unwrap_or_default().chars().count();
                let marked = first_line(self.text.get(span));
                let carets = "^".repeat(marked.chars().count().max(1));
                let gutter = line_number.to_string();
                let blank = " ".repeat(gutter.len());
                let padding = " ".repeat(indent);
                Failure::invalid(format!(
                    "{}:{line_number}:{}: {message}\n{blank} |\n{gutter} | {line}\n{blank} | {padding}{carets}",
                    self.file,
                    indent + 1,
                ))
            }
        };
        failure.hint = nearest.map(|word| format!("did you mean `{word}`?"));
        failure
    }

    /// Returns the value of an option if it fits; else the fault and the remedy.
    pub(super) fn fitting<T>(
        &self,
        value: Option<Spanned<T>>,
        fits: impl FnOnce(&T) -> bool,
        wrong: impl FnOnce(&T) -> String,
        hint: Option<&str>,
    ) -> Result<Option<T>, Failure> {
        match value {
            Some(value) if !fits(value.get_ref()) => {
                let mut failure = self.refuse(value.span(), &wrong(value.get_ref()));
                failure.hint = hint.map(str::to_owned);
                Err(failure)
            }
            value => Ok(value.map(Spanned::into_inner)),
        }
    }

    /// The same without a nearest word.
    pub(super) fn refuse(&self, span: Range<usize>, message: &str) -> Failure {
        self.error(Some(span), message, None)
    }
}

fn first_line(text: Option<&str>) -> &str {
    text.unwrap_or_default().lines().next().unwrap_or_default()
}

/// The known word that is nearest to an unknown one, if any is near.
pub(super) fn nearest<'a>(
    unknown: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let unknown = unknown.to_lowercase();
    let near = known
        .into_iter()
        .map(|word| {
            (
                strsim::damerau_levenshtein(&unknown, &word.to_lowercase()),
                word,
            )
        })
        .min_by_key(|(distance, _)| *distance)?;
    // More than a third of the letters wrong is another word, not a slip.
    (near.0 <= near.1.len().max(3).div_ceil(3)).then(|| near.1.to_owned())
}

/// The nearest word in serde's message ``unknown field `x`, expected one of `a`, `b` ``.
pub(super) fn nearest_in(message: &str) -> Option<String> {
    if !message.starts_with("unknown") {
        return None;
    }
    let mut words = message.split('`').skip(1).step_by(2);
    let unknown = words.next()?;
    nearest(unknown, words)
}

/// Checks the name of a recipe, which names its run folder.
pub(super) fn check_name(
    name: Spanned<String>,
    recipe: &RecipeText<'_>,
) -> Result<String, Failure> {
    check_file_name("name", name.get_ref(), name.span(), recipe)?;
    Ok(name.into_inner())
}

/// Names become folders, so they may not hold characters with a meaning in paths.
pub(super) fn check_file_name(
    what: &str,
    name: &str,
    span: Range<usize>,
    recipe: &RecipeText<'_>,
) -> Result<(), Failure> {
    let fits = !name.is_empty()
        && name.len() <= 64
        && !name.starts_with('.')
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    if fits {
        return Ok(());
    }
    Err(recipe
        .refuse(span, &format!("the {what} `{name}` cannot name a folder"))
        .hint("use up to 64 letters, digits, `.`, `_` and `-`, and no dot at the start"))
}
