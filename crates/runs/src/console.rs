//! The terminal: the only module that prints.
//!
//! Data go to stdout and may be piped; everything else goes to stderr: one bar a stage if stderr is a terminal, and one
//! line per finished stage if it is not, with lines about a stage that takes longer. No information depends on color
//! alone.

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write as _};
use std::io::{self, IsTerminal, Write};
use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use barecode_records::{Counts, Stage};
use indicatif::{
    HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};

use crate::exit::Failure;
use crate::heartbeat::{self, Heartbeat};
use crate::interrupt;

/// When to use color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// The receiver of a command's output if another program calls the command: nothing is printed then.
pub trait Listener: Send + Sync {
    /// Receives the output for stdout: a document of JSON, or lines.
    fn data(&self, text: &str);
    /// Receives the output for stderr: a line or a few.
    fn note(&self, text: &str);
    /// Receives the progress of the work: `check`, `functions`, 64 of 640.
    fn progress(&self, verb: &str, noun: &str, done: u64, total: u64);
    /// Returns `true` if its call is to stop: shards under way are finished, none is begun, and no more requests go
    /// to models.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// The listeners of the calls that go on, by the number that their consoles carry.
static LISTENERS: Mutex<BTreeMap<u64, Arc<dyn Listener>>> = Mutex::new(BTreeMap::new());

fn listeners() -> MutexGuard<'static, BTreeMap<u64, Arc<dyn Listener>>> {
    LISTENERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A listener as long as its call goes on.
pub struct Heard(u64);

impl Drop for Heard {
    fn drop(&mut self) {
        listeners().remove(&self.0);
    }
}

/// The output of a command: the content that may be printed, and its form.
#[derive(Debug, Clone, Copy)]
pub struct Console {
    talk: Talk,
    glyphs: Glyphs,
    json: bool,
    color_stdout: bool,
    color_stderr: bool,
    /// The number of the listener in place of a terminal.
    heard_by: Option<u64>,
    notes: Notes,
}

/// The treatment of notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notes {
    Shown,
    /// For work in passing: only its progress is shown.
    Hidden,
}

/// The capacity of stdout.
#[derive(Debug, Clone, Copy)]
pub struct Screen {
    /// Columns of characters.
    pub width: u16,
    /// True if data may carry color.
    pub color: bool,
}

impl Screen {
    /// No bound and no color.
    pub const PLAIN: Screen = Screen {
        width: u16::MAX,
        color: false,
    };
}

/// The amount of reports on stderr besides failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Talk {
    Nothing,
    Lines,
    LinesAndBars,
}

/// The version of the fields that `--json` prints; a removed field or a new meaning of a field makes a new version.
pub const SCHEMA_VERSION: u32 = 1;

/// Which characters a terminal has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyphs {
    /// Those of Unicode.
    All,
    /// Those of ASCII.
    Ascii,
}

impl Glyphs {
    /// The characters of the locale; a machine without a locale has all.
    fn of_locale(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = ["LC_ALL", "LC_CTYPE", "LANG"]
            .into_iter()
            .filter_map(variable);
        let locale = set.into_iter().find(|value| !value.is_empty());
        let is_unicode = |locale: String| {
            let locale = locale.to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        };
        if locale.is_none_or(is_unicode) {
            Glyphs::All
        } else {
            Glyphs::Ascii
        }
    }

    /// The text with our own lines, marks and dashes in characters that exist; text of other origin stays.
    pub fn shown(self, text: &str) -> Cow<'_, str> {
        if self == Glyphs::All || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let mut shown = String::with_capacity(text.len());
        for c in text.replace('…', "...").chars() {
            shown.push(match c {
                '│' | '┆' => '|',
                '─' | '–' | '−' | '╌' => '-',
                '═' => '=',
                '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '┼' | '╞' | '╡' | '╪' => {
                    '+'
                }
                '×' => 'x',
                '●' => '*',
                '○' => '.',
                '±' => '~',
                '“' | '”' => '"',
                '’' => '\'',
                'α' => 'a',
                other => other,
            });
        }
        Cow::Owned(shown)
    }
}

/// The columns of a table that is not shown on a terminal.
const PIPED: u16 = 160;

impl Console {
    /// Looks at the terminal once.
    pub fn new(color: ColorChoice, quiet: bool, json: bool) -> Self {
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
            glyphs: Glyphs::of_locale(|name| std::env::var(name).ok()),
            json,
            color_stdout: colored(io::stdout().is_terminal()),
            color_stderr: colored(terminal),
            heard_by: None,
            notes: Notes::Shown,
        }
    }

    /// A console without a terminal: `listener` receives all output, until the guard that is returned beside it is
    /// dropped.
    pub fn heard(listener: Arc<dyn Listener>) -> (Self, Heard) {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        listeners().insert(number, listener);
        let console = Console {
            talk: Talk::Lines,
            glyphs: Glyphs::All,
            json: true,
            color_stdout: false,
            color_stderr: false,
            heard_by: Some(number),
            notes: Notes::Shown,
        };
        (console, Heard(number))
    }

    /// The listener, if there is one.
    fn listener(self) -> Option<Arc<dyn Listener>> {
        listeners().get(&self.heard_by?).cloned()
    }

    /// Returns `true` if this call is to stop: by Ctrl-C, or because the caller left.
    pub fn is_stopped(self) -> bool {
        interrupt::asked()
            || self
                .listener()
                .is_some_and(|listener| listener.is_stopped())
    }

    /// Reports the progress of the work to the listener, if there is one.
    fn progress(self, verb: &str, noun: &str, done: u64, total: u64) {
        if let Some(listener) = self.listener() {
            listener.progress(verb, noun, done, total);
        }
    }

    /// The capacity of stdout; if it is not a terminal, that of an editor or a pager.
    pub fn screen(self) -> Screen {
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
    pub fn data(self, text: &str) -> anyhow::Result<()> {
        let colors = if self.color_stdout {
            Colors::Stay
        } else {
            Colors::Go
        };
        self.print(&self.glyphs.shown(&harmless(text, colors)))
    }

    fn print(self, text: &str) -> anyhow::Result<()> {
        if let Some(listener) = self.listener() {
            listener.data(text);
            return Ok(());
        }
        let mut stdout = io::stdout().lock();
        stdout.write_all(text.as_bytes())?;
        if !text.ends_with('\n') {
            stdout.write_all(b"\n")?;
        }
        Ok(stdout.flush()?)
    }

    /// Prints a value for a machine; an object has the version of its fields.
    pub fn json(self, mut value: serde_json::Value) -> anyhow::Result<()> {
        if let Some(fields) = value.as_object_mut() {
            fields.insert("schema_version".to_owned(), SCHEMA_VERSION.into());
        }
        self.print(&serde_json::to_string_pretty(&value)?)
    }

    /// The same for work in passing: its progress is shown, and its notes are not.
    #[must_use]
    pub fn in_passing(self) -> Self {
        Console {
            notes: Notes::Hidden,
            ..self
        }
    }

    /// Returns `true` if notes are not shown.
    pub fn is_in_passing(self) -> bool {
        self.notes == Notes::Hidden
    }

    /// Shows something in passing.
    pub fn note(self, text: &str) {
        if self.notes == Notes::Shown {
            self.tell(text);
        }
    }

    fn tell(self, text: &str) {
        if let Some(listener) = self.listener() {
            listener.note(&harmless(text, Colors::Go));
        } else if self.talk != Talk::Nothing {
            say(&self.glyphs.shown(&harmless(text, Colors::Go)));
        }
    }

    /// Prints the reason for the end of the program, for a machine as one line of JSON; `--quiet` does not silence
    /// it.
    pub fn failure(self, failure: &Failure) {
        if self.json {
            let error = serde_json::json!({
                "code": failure.exit as u8,
                "message": failure.message,
                "hint": failure.hint,
            });
            let line = serde_json::json!({ "error": error, "schema_version": SCHEMA_VERSION });
            return say(&line.to_string());
        }
        let (red, reset) = if self.color_stderr {
            ("\u{1b}[1;31m", "\u{1b}[0m")
        } else {
            ("", "")
        };
        let message = harmless(&failure.message, Colors::Go);
        let message = self.glyphs.shown(&message);
        say(&format!("{red}error{reset}: {message}"));
        if let Some(hint) = &failure.hint {
            let hint = harmless(hint, Colors::Go);
            say(&format!("\nhint: {}", self.glyphs.shown(&hint)));
        }
    }

    /// Starts to read sources; it leaves the screen empty on success.
    pub fn reading(self, total: u64) -> Reading {
        let template = "{prefix:>9} {bar:24} {human_pos}/{human_len} sources, {elapsed}";
        Reading {
            bar: self
                .bar(ProgressBar::new(total), "read", "sources", template)
                .ticking(),
            console: self,
        }
    }

    /// A bar for texts that are compiled; it leaves the screen empty.
    pub fn lowering(self, total: u64) -> Bar {
        let template = "{prefix:>9} {bar:24} {human_pos}/{human_len} texts, {per_sec}, {eta} left";
        self.bar(ProgressBar::new(total), "compile", "texts", template)
            .ticking()
    }

    /// A bar for the steps of a training, whose message is the loss; it leaves the screen empty.
    pub fn training(self, total: u64) -> Bar {
        let template =
            "{prefix:>9} {bar:24} {human_pos}/{human_len} steps, {per_sec}, {eta} left, {msg}";
        self.bar(ProgressBar::new(total), "train", "steps", template)
            .ticking()
    }

    /// A line whose message names the current rule of an audit; it leaves the screen empty.
    pub fn auditing(self) -> Bar {
        let bar = ProgressBar::new_spinner().with_message("all texts");
        self.bar(bar, "audit", "", "{prefix:>9} {msg}, {elapsed}")
            .ticking()
    }

    /// A bar for the work of models; it leaves the screen empty.
    pub fn working(self, verb: &'static str, noun: &str) -> Working {
        Working {
            bar: Mutex::default(),
            verb,
            noun: noun.to_owned(),
            console: self,
        }
    }

    /// Starts the account of a stage with `total` things to do; `pulse` counts the work between two of them.
    pub fn stage(
        self,
        stage: Stage,
        noun: &'static str,
        total: u64,
        pulse: Option<Pulse>,
    ) -> Progress {
        let color = if self.color_stderr { ".cyan" } else { "" };
        let template =
            format!("{{prefix:>9}} {{bar:24{color}}} {{human_pos}}/{{human_len}} {noun}{{tail}}");
        let pace = Arc::new(Pace::new(total));
        let tail = {
            let pace = Arc::clone(&pace);
            move || {
                let mut tail = String::new();
                if let Some(left) = pace.left() {
                    let _ = write!(tail, ", {} left", HumanDuration(left));
                }
                if let Some((noun, count)) = &pulse {
                    let _ = write!(tail, ", {} {noun}", grouped(count()));
                }
                tail
            }
        };
        let (bar, heartbeat) = if self.talk == Talk::LinesAndBars {
            let bar = self.styled(ProgressBar::new(total), stage.name(), &template);
            let shown = move |_: &ProgressState, out: &mut dyn fmt::Write| {
                let _ = out.write_str(&tail());
            };
            bar.set_style(bar.style().with_key("tail", shown));
            bar.enable_steady_tick(TICK);
            (bar, Some(Heartbeat::drawn()))
        } else {
            let pace = Arc::clone(&pace);
            let heartbeat = self.heartbeat(move || {
                let done = grouped(pace.done.load(Ordering::Relaxed));
                let total = grouped(pace.total);
                format!("{:>9}  {done} of {total} {noun}{}", stage.name(), tail())
            });
            (ProgressBar::hidden(), heartbeat)
        };
        Progress {
            bar,
            heartbeat: Arc::new(Mutex::new(heartbeat)),
            stage,
            noun,
            pace,
            console: self,
        }
    }

    /// Opens the heartbeat of work without a bar: `verb  what` is printed while nothing else is.
    pub fn at_work(self, verb: &'static str, what: &'static str) -> AtWork {
        AtWork {
            _heartbeat: self.heartbeat(move || format!("{verb:>9}  {what}")),
        }
    }

    fn heartbeat(self, line: impl Fn() -> String + Send + Sync + 'static) -> Option<Heartbeat> {
        let is_read = self.talk != Talk::Nothing && self.heard_by.is_none();
        is_read.then(|| Heartbeat::speaking(move || self.tell(&line())))
    }

    /// A bar that is cleared when it is dropped; lines in its place if bars are not drawn.
    fn bar(self, bar: ProgressBar, verb: &'static str, noun: &str, template: &str) -> Bar {
        if self.talk == Talk::LinesAndBars {
            return Bar {
                bar: self.styled(bar, verb, template),
                _heartbeat: Some(Heartbeat::drawn()),
            };
        }
        bar.set_draw_target(ProgressDrawTarget::hidden());
        let noun = noun.to_owned();
        let shown = bar.clone();
        let heartbeat = self.heartbeat(move || {
            let total = shown.length().filter(|total| *total > 0);
            let count = total.map(|total| {
                let (done, total) = (grouped(shown.position()), grouped(total));
                format!("{done} of {total} {noun}")
            });
            let message = Some(shown.message()).filter(|message| !message.is_empty());
            let texts: Vec<String> = [count, message].into_iter().flatten().collect();
            let what = if texts.is_empty() {
                "at work".to_owned()
            } else {
                texts.join(", ")
            };
            format!("{verb:>9}  {what}")
        });
        Bar {
            bar,
            _heartbeat: heartbeat,
        }
    }

    fn styled(self, bar: ProgressBar, prefix: &'static str, template: &str) -> ProgressBar {
        bar.set_draw_target(ProgressDrawTarget::stderr());
        // A bar that cannot be drawn is not a reason to stop.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars(match self.glyphs {
                Glyphs::All => "━╸─",
                Glyphs::Ascii => "=> ",
            }));
        }
        bar.with_prefix(prefix)
    }
}

/// The time after which a bar is drawn again even without progress.
const TICK: Duration = Duration::from_millis(200);

/// Work that goes on, without a bar.
#[derive(Debug)]
pub struct AtWork {
    /// `None` where nobody reads it.
    _heartbeat: Option<Heartbeat>,
}

/// A bar, or the lines in its place.
#[derive(Debug)]
pub struct Bar {
    bar: ProgressBar,
    _heartbeat: Option<Heartbeat>,
}

impl Bar {
    /// The same, drawn again even without progress.
    fn ticking(self) -> Self {
        if !self.bar.is_hidden() {
            self.bar.enable_steady_tick(TICK);
        }
        self
    }
}

impl Deref for Bar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.bar
    }
}

/// Sources that are being read.
pub struct Reading {
    bar: Bar,
    console: Console,
}

impl Reading {
    /// Counts sources that are read.
    pub fn advance(&self, by: u64) {
        self.bar.inc(by);
        let (done, total) = (self.bar.position(), self.bar.length().unwrap_or_default());
        self.console.progress("read", "sources", done, total);
    }

    /// Reports a source that takes long, or that is missing.
    pub fn tell(&self, text: &str) {
        self.bar
            .suspend(|| self.console.note(&format!("{:>9}  {text}", "read")));
    }
}

/// Texts or queries that a model is given.
pub struct Working {
    /// The bar of the current model.
    bar: Mutex<Option<Bar>>,
    verb: &'static str,
    noun: String,
    console: Console,
}

impl Working {
    /// Reports the progress of a model.
    pub fn tell(&self, model: &str, done: u64, total: u64) {
        self.console.progress(self.verb, &self.noun, done, total);
        let mut current = self.bar.lock().unwrap_or_else(PoisonError::into_inner);
        if done == total {
            *current = None;
            return;
        }
        let is_its_own = |bar: &Bar| bar.message() == model && bar.length() == Some(total);
        let bar = match current.take().filter(is_its_own) {
            Some(bar) => bar,
            None => self.bar_of(model, total),
        };
        bar.set_position(done);
        *current = Some(bar);
    }

    fn bar_of(&self, model: &str, total: u64) -> Bar {
        let template = format!(
            "{{prefix:>9}} {{bar:24}} {{human_pos}}/{{human_len}} {}, {{per_sec}}, {{eta}} left, {{msg}}",
            self.noun
        );
        let bar = ProgressBar::new(total).with_message(model.to_owned());
        let bar = self.console.bar(bar, self.verb, &self.noun, &template);
        bar.ticking()
    }
}

/// A counter that runs while a thing is being done, with the name of its unit.
pub type Pulse = (&'static str, Arc<dyn Fn() -> u64 + Send + Sync>);

/// The speed of a stage.
struct Pace {
    begun: Instant,
    total: u64,
    /// Things that are done, and those among them that were not done before.
    done: AtomicU64,
    worked: AtomicU64,
    /// The time since the start, and what was worked by then; the oldest first.
    recent: Mutex<VecDeque<(Duration, u64)>>,
}

/// The speed of a stage is that of its last quarter, or of this time if it is longer: functions that are compiled follow
/// those that are not, and take much longer.
const RECENT: Duration = Duration::from_secs(20);

/// A stage that takes longer reports its duration.
const WORTH_SAYING: Duration = Duration::from_secs(5);

impl Pace {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the console, and nothing that is written depends on it"
    )]
    fn new(total: u64) -> Self {
        let begun = Instant::now();
        Pace {
            begun,
            total,
            done: AtomicU64::new(0),
            worked: AtomicU64::new(0),
            recent: Mutex::new(VecDeque::from([(Duration::ZERO, 0)])),
        }
    }

    /// The remaining time if the rest goes on at the present speed.
    fn left(&self) -> Option<Duration> {
        self.left_after(self.begun.elapsed())
    }

    fn left_after(&self, elapsed: Duration) -> Option<Duration> {
        let worked = self.worked.load(Ordering::Relaxed);
        let rest = self.total.saturating_sub(self.done.load(Ordering::Relaxed));
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent
            .back()
            .is_none_or(|(at, _)| elapsed >= *at + Duration::from_secs(1))
        {
            recent.push_back((elapsed, worked));
        }
        let begin = elapsed.saturating_sub(RECENT.max(elapsed / 4));
        while recent.get(1).is_some_and(|(at, _)| *at <= begin) {
            recent.pop_front();
        }
        let (at, before) = recent.front()?;
        let share = rest as f64 / worked.checked_sub(*before).filter(|now| *now > 0)? as f64;
        Duration::try_from_secs_f64(elapsed.saturating_sub(*at).as_secs_f64() * share).ok()
    }
}

/// A stage that is being run.
#[derive(Clone)]
pub struct Progress {
    bar: ProgressBar,
    /// `None` once the stage is over.
    heartbeat: Arc<Mutex<Option<Heartbeat>>>,
    stage: Stage,
    noun: &'static str,
    pace: Arc<Pace>,
    console: Console,
}

impl Progress {
    /// Counts things that are done now.
    pub fn advance(&self, by: u64) {
        self.pace.worked.fetch_add(by, Ordering::Relaxed);
        self.found(by);
    }

    /// Counts things that were done by an earlier run.
    pub fn found(&self, by: u64) {
        let done = by + self.pace.done.fetch_add(by, Ordering::Relaxed);
        self.bar.inc(by);
        let (verb, total) = (self.stage.name(), self.pace.total);
        self.console.progress(verb, self.noun, done, total);
    }

    /// Removes the bar and leaves one line: the things that came in, those that were kept, the work done, and the
    /// duration.
    pub fn finish(&self, summary: &str) {
        self.bar.finish_and_clear();
        let heartbeat = self
            .heartbeat
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        drop(heartbeat);
        let took = self.pace.begun.elapsed();
        let took = if took >= WORTH_SAYING {
            format!(" (in {})", HumanDuration(took))
        } else {
            String::new()
        };
        self.console
            .note(&format!("{:>9}  {summary}{took}", self.stage.name()));
    }
}

/// `4,212 functions in, 702 kept, 3,510 set aside (not_sampled 2,900, duplicate 610)`.
pub fn account(kind: &str, counts: &Counts) -> String {
    let aside: u64 = counts.set_aside.values().sum();
    let mut text = format!(
        "{} in, {} kept, {} set aside",
        counted(counts.entered, kind),
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

/// `12,345 queries` and `1 query`, of a noun in the plural.
pub fn counted(number: u64, nouns: &str) -> String {
    let noun = match (number, nouns.strip_suffix("ies"), nouns.strip_suffix('s')) {
        (1, Some(stem), _) => format!("{stem}y"),
        (1, None, Some(stem)) => stem.to_owned(),
        _ => nouns.to_owned(),
    };
    format!("{} {noun}", grouped(number))
}

/// `12,345`.
pub fn grouped(number: u64) -> String {
    HumanCount(number).to_string()
}

/// The handling of sequences that only color.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colors {
    /// They stay, for they may be ours.
    Stay,
    /// They are spelled out as others are.
    Go,
}

/// The text with control sequences spelled out: paths, code and answers of servers are untrusted.
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
    // No output is left for a report: stderr is gone.
    let _ = writeln!(io::stderr().lock(), "{text}");
    heartbeat::said();
}

/// A word of a command line that is shown, in quotes if a shell needs them.
pub fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./@:+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_follows_the_kind_of_things_that_is_worked_on_now() {
        let pace = Pace::new(3_000);
        let work = |seconds: u64, by: u64| {
            pace.worked.fetch_add(by, Ordering::Relaxed);
            pace.done.fetch_add(by, Ordering::Relaxed);
            pace.left_after(Duration::from_secs(seconds))
        };
        assert_eq!(work(1, 0), None);
        // A hundred in a second, and then one.
        for second in 2..=11 {
            work(second, 100);
        }
        let early = work(12, 100).unwrap();
        assert!((18..=22).contains(&early.as_secs()), "{early:?}");
        for second in 13..=42 {
            work(second, 1);
        }
        let late = work(43, 1).unwrap();
        assert!((1_800..=1_900).contains(&late.as_secs()), "{late:?}");
        // Nothing for long: nothing is known.
        assert_eq!(work(100, 0), None);
    }

    #[test]
    fn a_locale_without_unicode_gets_ascii() {
        let of = |set: &[(&str, &str)]| {
            Glyphs::of_locale(|name| {
                let found = set.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(of(&[]), Glyphs::All);
        assert_eq!(of(&[("LC_ALL", ""), ("LANG", "de_DE.UTF-8")]), Glyphs::All);
        assert_eq!(of(&[("LC_ALL", "C.utf8"), ("LANG", "C")]), Glyphs::All);
        assert_eq!(
            of(&[("LC_ALL", "C"), ("LANG", "en_US.UTF-8")]),
            Glyphs::Ascii
        );
        assert_eq!(Glyphs::Ascii.shown("ä"), "ä");
    }

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
