//! The terminal: the only place that prints.
//!
//! Data go to stdout and may be piped; everything else goes to stderr: one bar a stage where stderr is a
//! terminal, one line per finished stage where it is not. Nothing is understood by color alone.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use barecode_records::{Counts, Stage};
use indicatif::{HumanCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use crate::exit::Failure;

/// When to use color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// What may be printed, and how.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Console {
    talk: Talk,
    color_stdout: bool,
    color_stderr: bool,
}

/// What fits on stdout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Screen {
    /// Columns of characters.
    pub(crate) width: u16,
    /// Whether data may carry color.
    pub(crate) color: bool,
}

impl Screen {
    /// No bound and no color.
    pub(crate) const PLAIN: Screen = Screen {
        width: u16::MAX,
        color: false,
    };
}

/// How much is reported on stderr besides failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    Nothing,
    Lines,
    LinesAndBars,
}

/// The columns of a table that is not shown on a terminal.
const PIPED: u16 = 160;

impl Console {
    /// Looks at the terminal once.
    pub(crate) fn new(color: ColorChoice, quiet: bool) -> Self {
        // The convention of no-color.org: any value that is not empty.
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let colored = |terminal: bool| match color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => terminal && !refused,
        };
        let terminal = io::stderr().is_terminal();
        let talk = match (quiet, terminal) {
            (true, _) => Talk::Nothing,
            (false, false) => Talk::Lines,
            (false, true) => Talk::LinesAndBars,
        };
        Console {
            talk,
            color_stdout: colored(io::stdout().is_terminal()),
            color_stderr: colored(terminal),
        }
    }

    /// What fits on stdout; where it is not a terminal, what an editor or a pager shows.
    pub(crate) fn screen(self) -> Screen {
        let table = comfy_table::Table::new();
        Screen {
            width: if io::stdout().is_terminal() {
                table.width().unwrap_or(100)
            } else {
                PIPED
            },
            color: self.color_stdout,
        }
    }

    /// Prints data; a reader that went away is an error of kind `BrokenPipe`.
    pub(crate) fn data(self, text: &str) -> anyhow::Result<()> {
        let colors = if self.color_stdout {
            Colors::Stay
        } else {
            Colors::Go
        };
        self.print(&harmless(text, colors))
    }

    #[expect(clippy::unused_self, reason = "who has no console does not print")]
    fn print(self, text: &str) -> anyhow::Result<()> {
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            stdout.write_all(b"\n")?;
        }
        Ok(stdout.flush()?)
    }

    /// Prints a value for a machine.
    pub(crate) fn json(self, value: &serde_json::Value) -> anyhow::Result<()> {
        self.print(&serde_json::to_string_pretty(value)?)
    }

    /// Shows something in passing.
    pub(crate) fn note(self, text: &str) {
        if self.talk != Talk::Nothing {
            say(&harmless(text, Colors::Go));
        }
    }

    /// Says why the program ends; `--quiet` does not silence it.
    pub(crate) fn failure(self, failure: &Failure) {
        let (red, reset) = if self.color_stderr {
            ("\u{1b}[1;31m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        let message = harmless(&failure.message, Colors::Go);
        say(&format!("{red}error{reset}: {message}"));
        if let Some(hint) = &failure.hint {
            say(&format!("\nhint: {}", harmless(hint, Colors::Go)));
        }
    }

    /// Starts to read sources; nothing stays on the screen where all goes well.
    pub(crate) fn reading(self, total: u64) -> Reading {
        let template = "{prefix:>9} {bar:24} {human_pos}/{human_len} sources, {elapsed}";
        Reading {
            bar: ticking(self.bar(ProgressBar::new(total), "read", template)),
            console: self,
        }
    }

    /// A bar for texts that are compiled; nothing stays on the screen.
    pub(crate) fn lowering(self, total: u64) -> ProgressBar {
        let template = "{prefix:>9} {bar:24} {human_pos}/{human_len} texts, {per_sec}, {eta} left";
        ticking(self.bar(ProgressBar::new(total), "compile", template))
    }

    /// A line whose message says which rule of an audit is at work; nothing stays on the screen.
    pub(crate) fn auditing(self) -> ProgressBar {
        let bar = ProgressBar::new_spinner().with_message("all texts");
        ticking(self.bar(bar, "audit", "{prefix:>9} {msg}, {elapsed}"))
    }

    /// A bar for what models do; nothing stays on the screen.
    pub(crate) fn working(self, verb: &'static str, noun: &str) -> Working {
        let template = format!(
            "{{prefix:>9}} {{bar:24}} {{human_pos}}/{{human_len}} {noun}, {{per_sec}}, {{eta}} left, {{msg}}"
        );
        Working {
            bar: self.bar(ProgressBar::new(0), verb, &template),
        }
    }

    /// Starts the account of a stage with `total` things to do.
    pub(crate) fn stage(self, stage: Stage, noun: &'static str, total: u64) -> Progress {
        let color = if self.color_stderr { ".cyan" } else { "" };
        let template = format!(
            "{{prefix:>9}} {{bar:24{color}}} {{human_pos}}/{{human_len}} {noun}, {{rate}}, {{eta}} left"
        );
        Progress {
            bar: ticking(self.bar(ProgressBar::new(total), stage.verb(), &template)),
            stage,
            console: self,
        }
    }

    /// Draws a bar where bars are drawn; it is cleared when it is dropped.
    fn bar(self, bar: ProgressBar, prefix: &'static str, template: &str) -> ProgressBar {
        if self.talk != Talk::LinesAndBars {
            bar.set_draw_target(ProgressDrawTarget::hidden());
            return bar;
        }
        bar.set_draw_target(ProgressDrawTarget::stderr());
        if let Ok(style) = ProgressStyle::with_template(template) {
            let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
                // A bar that cannot be drawn is not a reason to stop.
                let _ = write!(out, "{:.1}/s", state.per_sec());
            };
            bar.set_style(style.with_key("rate", rate).progress_chars("━╸─"));
        }
        bar.with_prefix(prefix)
    }
}

/// The same bar, drawn again even if nothing happens.
fn ticking(bar: ProgressBar) -> ProgressBar {
    if !bar.is_hidden() {
        bar.enable_steady_tick(Duration::from_millis(200));
    }
    bar
}

/// Sources that are being read.
pub(crate) struct Reading {
    bar: ProgressBar,
    console: Console,
}

impl Reading {
    /// Counts sources that are read.
    pub(crate) fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    /// Reports one that takes long, or that is missing.
    pub(crate) fn tell(&self, text: &str) {
        self.bar
            .suspend(|| self.console.note(&format!("{:>9}  {text}", "read")));
    }
}

/// Texts or queries that a model is given.
pub(crate) struct Working {
    bar: ProgressBar,
}

impl Working {
    /// Says how far a model is.
    pub(crate) fn tell(&self, model: &str, done: u64, total: u64) {
        if self.bar.message() != model || self.bar.length() != Some(total) {
            self.bar.reset();
            self.bar.set_length(total);
            self.bar.set_message(model.to_owned());
        }
        self.bar.set_position(done);
        if done == total {
            self.bar.finish_and_clear();
        }
    }
}

/// A stage that is being run.
pub(crate) struct Progress {
    bar: ProgressBar,
    stage: Stage,
    console: Console,
}

impl Progress {
    /// Counts things that are done.
    pub(crate) fn advance(&self, by: u64) {
        self.bar.inc(by);
    }

    /// Removes the bar and leaves one line: what came in, what was kept, what was done.
    pub(crate) fn finish(&self, summary: &str) {
        self.bar.finish_and_clear();
        self.console
            .note(&format!("{:>9}  {summary}", self.stage.verb()));
    }
}

/// `4,212 functions in, 702 kept, 3,510 set aside (not_sampled 2,900, duplicate 610)`.
pub(crate) fn account(kind: &str, counts: &Counts) -> String {
    let aside: u64 = counts.set_aside.values().sum();
    let mut text = format!(
        "{} {kind} in, {} kept, {} set aside",
        grouped(counts.entered),
        grouped(counts.kept),
        grouped(aside)
    );
    if aside > 0 {
        let mut reasons: Vec<_> = counts.set_aside.iter().collect();
        // The greatest first; the map's order by name settles the rest.
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let shown: Vec<String> = reasons
            .iter()
            .take(3)
            .map(|(reason, count)| format!("{reason} {}", grouped(**count)))
            .collect();
        let more = if reasons.len() > 3 { ", …" } else { "" };
        write!(text, " ({}{more})", shown.join(", ")).expect("memory takes any text");
    }
    text
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// What becomes of sequences that only color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colors {
    /// They stay, for they may be ours.
    Stay,
    /// They are spelled out as others are.
    Go,
}

/// The text with what a terminal would obey spelled out: paths, code and what servers say come from strangers.
fn harmless(text: &str, colors: Colors) -> Cow<'_, str> {
    let is_harmful = |c: char| {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        (c.is_control() && !matches!(c, '\n' | '\t' | '\u{c}')) || turns
    };
    if !text.contains(is_harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        let rest = text.get(at..).unwrap_or_default();
        let is_color = || {
            let body = rest.strip_prefix("\u{1b}[");
            body.and_then(|body| {
                body.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')
                    .chars()
                    .next()
            }) == Some('m')
        };
        let stays = (colors == Colors::Stay && is_color()) || rest.starts_with("\r\n");
        if is_harmful(c) && !stays {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    Cow::Owned(shown)
}

fn say(text: &str) {
    // Nobody is left to report to: stderr is gone.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelled_out() {
        let hostile = "a\u{1b}]0;title\u{7}\u{1b}[2Jb\rc\u{9b}31m\u{202e}d";
        let shown = r"a\u{1b}]0;title\u{7}\u{1b}[2Jb\rc\u{9b}31m\u{202e}d";
        assert_eq!(harmless(hostile, Colors::Stay), shown);
        assert_eq!(harmless(hostile, Colors::Go), shown);
        let colored = "\u{1b}[1;31mred\u{1b}[0m\r\n\tü\n";
        assert_eq!(harmless(colored, Colors::Stay), colored);
        assert_eq!(
            harmless(colored, Colors::Go),
            "\\u{1b}[1;31mred\\u{1b}[0m\r\n\tü\n"
        );
    }
}
