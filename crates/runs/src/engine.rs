//! The engine: a stage is a list of shards, and a shard whose inputs did not change is not done again.
//!
//! Each [`Shard`] has a [`Key`] of everything that its output depends on: the stage and the version of its code, the
//! format of its records, its part of the recipe, the *content* of the files that it reads, and the things that it
//! uses from outside of the run folder. A shard writes its files one by one, each atomically, and its [`Ticket`]
//! travels in the last one: key, counts, and the digest of the rows of every file. So a shard is either done, which
//! its last file shows, or it is done again; no partial state can be mistaken for the whole. A file that does not
//! agree with its ticket is damaged: a caller that only looks reads footers and texts, and a caller that works reads
//! every byte and makes the shard again.
//!
//! A key has parts, so that a finished stage is recognized on a machine without sources and compilers: the content of
//! recipe and tables is always compared; things outside are compared if the plan looked at them. If it did not, the
//! shards of a stage must at least agree about their tools, so that a stage done half with one compiler and half with
//! another does not count as a whole one.
//!
//! The hard part is to stop the wave. A digest of file bytes would change with the key in the footer, so that a new
//! recipe reached every later stage even if the rows came out the same. The digests in a ticket are therefore taken
//! over rows, and keys of later shards are made from those.
//!
//! The engine does not know what a stage does, and it never looks at a clock: its output depends on the inputs only,
//! on any number of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use anyhow::Context;
use barecode_records::table::{self, Table};
use barecode_records::{
    Counts, Digest, Manifest, Record, Stage, StageAccount, TableError, guarded,
};
use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use serde::{Deserialize, Serialize};

use crate::console::{self, Console, Progress, Pulse};
use crate::exit::{Exit, Failure};
use crate::interrupt;
use crate::run_folder::RunFolder;
use crate::share::Share;

/// A piece of a stage that is done at once or not at all.
pub struct Shard<'a> {
    /// The inputs that everything in its output depends on.
    pub key: Key,
    /// The file that it writes last, relative to the stage's folder.
    pub last: PathBuf,
    /// Number of things that it works on, for the bar.
    pub items: u64,
    /// The function that does it.
    pub work: Work<'a>,
}

/// The work of a shard: it writes its files and returns the ticket of the last one.
pub type Work<'a> = Box<dyn Fn(ShardWriter) -> anyhow::Result<Ticket> + Send + Sync + 'a>;

/// The work of a stage.
pub struct Plan<'a> {
    /// The stage.
    pub stage: Stage,
    /// The noun of the things that its bar counts.
    pub noun: &'static str,
    /// Its shards, in the order of their files.
    pub shards: Vec<Shard<'a>>,
    /// The preparation, done once before any shard, if there is a shard to do.
    pub prepare: Option<Prepare<'a>>,
    /// The second counter of its bar, if its things take long.
    pub pulse: Option<Pulse>,
}

/// The preparation before the shards of a stage: it receives the last files of the shards to do. Shards may share its
/// output, and none waits for another.
pub type Prepare<'a> = Box<dyn Fn(&[&Path]) -> anyhow::Result<()> + Send + Sync + 'a>;

impl<'a> Plan<'a> {
    /// A plan whose shards need no preparation.
    pub fn new(
        stage: Stage,
        noun: &'static str,
        shards: impl IntoIterator<Item = Shard<'a>>,
    ) -> Self {
        Plan {
            stage,
            noun,
            shards: shards.into_iter().collect(),
            prepare: None,
            pulse: None,
        }
    }

    /// The plan without the shards of other shares.
    #[must_use]
    pub fn only(mut self, share: Share) -> Self {
        let mut at = 0..;
        self.shards
            .retain(|_| at.next().is_some_and(|at| share.has(at)));
        self
    }
}

/// The inputs that all output of a shard depends on.
#[derive(Debug, Clone)]
pub struct Key {
    /// The content of the recipe, and the tables that the shard reads.
    inside: Digest,
    /// The things that it uses from outside of the run folder; `None` if they were not looked at.
    outside: Option<Outside>,
}

/// The things that a shard uses from outside of the run folder.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Outside {
    /// Digests of the things that are common to all shards that name them: compilers, headers, a model.
    tools: BTreeMap<String, String>,
    /// Digest of the shard's own thing, such as a source; empty if there is none.
    own: String,
}

/// A key as in a ticket.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stamp {
    inside: String,
    outside: Outside,
}

impl Key {
    /// The start of a key: the stage, its code and barecode's version.
    pub fn new(stage: Stage, code_version: u32) -> Self {
        let inside = Digest::new("shard")
            .field(stage.name())
            .field(code_version.to_le_bytes())
            .field(env!("CARGO_PKG_VERSION"));
        Key {
            inside,
            outside: Some(Outside::default()),
        }
    }

    /// Adds a part of the recipe or of an input.
    #[must_use]
    pub fn field(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.inside = self.inside.field(bytes);
        self
    }

    /// Adds several, and their number.
    #[must_use]
    pub fn fields<T: AsRef<[u8]>>(mut self, items: impl IntoIterator<Item = T>) -> Self {
        self.inside = self.inside.fields(items);
        self
    }

    /// Adds a table and the version of its columns.
    #[must_use]
    pub fn format<T: Record>(self) -> Self {
        self.field(format!("{} v{}", T::TABLE, T::VERSION))
    }

    /// Adds something from outside that is common to all shards of the stage that name it.
    #[must_use]
    pub fn tool(mut self, name: &str, digest: &str) -> Self {
        let outside = self.outside.get_or_insert_default();
        outside.tools.insert(name.to_owned(), digest.to_owned());
        self
    }

    /// Adds something from outside that is the shard's own.
    #[must_use]
    pub fn own(mut self, digest: impl Into<String>) -> Self {
        self.outside.get_or_insert_default().own = digest.into();
        self
    }

    /// Accepts any things from outside: they were not looked at.
    #[must_use]
    pub fn unseen(mut self) -> Self {
        self.outside = None;
        self
    }

    fn fits(&self, stamp: &Stamp) -> bool {
        let outside = self.outside.as_ref();
        self.inside.hex() == stamp.inside && outside.is_none_or(|seen| *seen == stamp.outside)
    }

    /// The key as in a ticket; `None` if the outside was not looked at.
    fn stamp(&self) -> Option<Stamp> {
        Some(Stamp {
            inside: self.inside.hex(),
            outside: self.outside.clone()?,
        })
    }
}

impl Stamp {
    /// All of it in 64 digits.
    fn hex(&self) -> String {
        let Outside { tools, own } = &self.outside;
        let tools = tools.iter().flat_map(|(name, digest)| [name, digest]);
        Digest::new("key")
            .field(&self.inside)
            .fields(tools)
            .field(own)
            .hex()
    }
}

/// The kind of the records of a shard.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Holds {
    /// Functions and their variants, or records about all of them.
    #[default]
    Functions,
    /// Programs and their variants.
    Programs,
}

/// The description of a finished shard, in the footer of its last table or the head of its page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ticket {
    /// The shard's key.
    pub key: Stamp,
    /// The kind of its records.
    #[serde(default)]
    pub holds: Holds,
    /// The inputs from outside of the run folder, for readers: a source, a compiler.
    pub made_from: serde_json::Value,
    /// The number of things that entered and their outcomes, by kind of thing.
    pub counts: BTreeMap<String, Counts>,
    /// Rows and their digest for every file of the shard, by path relative to the stage's folder.
    pub files: BTreeMap<PathBuf, Content>,
}

impl Ticket {
    /// The ticket behind a digest of itself: it is read without the rest of its table, whose digest covers it too.
    pub fn to_text(&self) -> anyhow::Result<String> {
        let json = serde_json::to_string(self).context("a ticket is plain data")?;
        Ok(format!("{} {json}", Ticket::digest(&json)))
    }

    /// Reads what [`Ticket::to_text`] wrote, and refuses any other text.
    pub fn of_text(text: &str) -> Option<Self> {
        let (digest, json) = text.split_once(' ')?;
        if digest != Ticket::digest(json) {
            return None;
        }
        serde_json::from_str(json).ok()
    }

    fn digest(json: &str) -> String {
        Digest::new("ticket").field(json).hex()
    }
}

/// The content of a file, without its inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Content {
    /// Number of rows; of lines, if it is a text.
    pub rows: u64,
    /// Digest of the rows, or of the text.
    pub digest: String,
}

impl Content {
    /// Checks that a file has it: every byte is as it was written.
    pub fn is_of(&self, path: &Path) -> Result<(), TableError> {
        let found = if is_table(path) {
            let (rows, digest) = table::content(path)?;
            Content { rows, digest }
        } else {
            let text = guarded::text(path).map_err(|source| TableError::Io {
                action: "read",
                path: path.to_owned(),
                source,
            })?;
            match without_ticket(&text) {
                Some((_, page)) => text_content(&page),
                None => text_content(&text),
            }
        };
        if found == *self {
            return Ok(());
        }
        Err(TableError::Damaged {
            path: path.to_owned(),
            message: "it is not what was written".to_owned(),
        })
    }
}

/// A stage that is done.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The stage.
    pub stage: Stage,
    /// A ticket for every shard, in the order of the plan, with the file that carries it.
    pub shards: Vec<(PathBuf, Ticket)>,
    /// True if any shard had to be done.
    pub worked: bool,
}

impl Finished {
    /// All counts, by kind of thing.
    pub fn counts(&self) -> BTreeMap<String, Counts> {
        let mut sum: BTreeMap<String, Counts> = BTreeMap::new();
        for (_, ticket) in &self.shards {
            for (kind, counts) in &ticket.counts {
                sum.entry(kind.clone()).or_default().add(counts);
            }
        }
        sum
    }

    /// All files, relative to the stage's folder.
    pub fn files(&self) -> BTreeSet<PathBuf> {
        self.shards
            .iter()
            .flat_map(|(_, ticket)| ticket.files.keys().cloned())
            .collect()
    }

    /// The shards of functions, which come before those of programs.
    pub fn of_functions(&self) -> impl Iterator<Item = &(PathBuf, Ticket)> {
        self.holding(Holds::Functions)
    }

    /// The shards of programs.
    pub fn of_programs(&self) -> impl Iterator<Item = &(PathBuf, Ticket)> {
        self.holding(Holds::Programs)
    }

    fn holding(&self, holds: Holds) -> impl Iterator<Item = &(PathBuf, Ticket)> {
        let shards = self.shards.iter();
        shards.filter(move |(_, ticket)| ticket.holds == holds)
    }

    /// The tables that its shards of functions write last, relative to the stage's folder.
    pub fn parts(&self) -> impl Iterator<Item = &Path> {
        self.of_functions().map(|(file, _)| file.as_path())
    }

    /// The digest of the rows of a file.
    pub fn content(&self, file: &Path) -> Option<&Content> {
        self.shards
            .iter()
            .find_map(|(_, ticket)| ticket.files.get(file))
    }

    /// The inputs of its shards from outside of the run folder, in the order of the plan.
    pub fn made_from(&self) -> impl Iterator<Item = &serde_json::Value> {
        let all = self.shards.iter().map(|(_, ticket)| &ticket.made_from);
        all.filter(|made_from| !made_from.is_null())
    }

    /// The digest of the keys of its shards.
    pub fn key(&self) -> String {
        Digest::new("stage")
            .fields(self.shards.iter().map(|(_, ticket)| ticket.key.hex()))
            .hex()
    }

    /// Returns `true` if a manifest knows of it.
    pub fn is_in(&self, manifest: &Manifest) -> bool {
        let account = manifest.stages.get(self.stage.name());
        account.is_some_and(|account| account.key == self.key())
    }

    /// The digests of the ledgers. A stage that worked may have used any model; after one that did not, a ledger is
    /// as it was, and one that differs cannot be made again.
    pub fn ledgers(
        &self,
        folder: &RunFolder,
        last: &Manifest,
        console: Console,
    ) -> Result<BTreeMap<String, String>, Failure> {
        let found = folder.ledgers()?;
        if self.worked || !self.is_in(last) {
            return Ok(found);
        }
        let mut ledgers = last.ledgers.clone();
        for (name, digest) in found {
            if ledgers.entry(name.clone()).or_insert(digest.clone()) != &digest
                && Path::new(&name).starts_with(self.stage.folder())
            {
                console.note(&format!(
                    "`{name}` is not as it was written, and what models cost cannot be counted again"
                ));
            }
        }
        Ok(ledgers)
    }

    /// The stage's line in the manifest. All its files were checked: a damaged file is an error, also if no stage
    /// reads it.
    pub fn account(&self, folder: &RunFolder) -> anyhow::Result<StageAccount> {
        let root = folder.stage(self.stage);
        for (file, content) in self.shards.iter().flat_map(|(_, ticket)| &ticket.files) {
            content.is_of(&root.join(file))?;
        }
        Ok(StageAccount {
            key: self.key(),
            shards: self.shards.len() as u64,
            counts: self.counts(),
            files: folder.digests(self.stage, &self.files())?,
        })
    }
}

/// The progress of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Progressed {
    /// Shards whose files exist and fit.
    pub current: usize,
    /// Shards that would be done.
    pub to_do: usize,
    /// A file of a shard that would be current, and is damaged.
    pub damaged: Option<PathBuf>,
}

/// The depth of the check of a shard's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Texts, and the footers of tables.
    Footers,
    /// All bytes.
    Bytes,
}

/// The files of a shard that exist.
enum Found {
    /// Files that fit its key, by its ticket.
    Current(Ticket),
    /// A file that is not as it was written.
    Damaged(PathBuf),
    /// A part of the files, or files from other inputs.
    Missing,
}

impl Found {
    fn ticket(self) -> Option<Ticket> {
        match self {
            Found::Current(ticket) => Some(ticket),
            Found::Damaged(_) | Found::Missing => None,
        }
    }

    fn damaged(&self) -> Option<&Path> {
        match self {
            Found::Damaged(path) => Some(path),
            Found::Current(_) | Found::Missing => None,
        }
    }
}

/// Looks which shards of a plan are done.
pub fn look(folder: &RunFolder, plan: &Plan<'_>) -> (Progressed, Option<Finished>) {
    let shards = plan.shards.iter();
    let found: Vec<Found> = shards
        .map(|shard| find(folder, plan.stage, &shard.key, &shard.last, Care::Footers))
        .collect();
    let damaged = found.iter().find_map(Found::damaged).map(Path::to_owned);
    let mut tickets: Vec<Option<Ticket>> = found.into_iter().map(Found::ticket).collect();
    agree_on_tools(&mut tickets);
    let current = tickets.iter().flatten().count();
    let progressed = Progressed {
        current,
        to_do: tickets.len() - current,
        damaged,
    };
    let all: Option<Vec<Ticket>> = tickets.into_iter().collect();
    let finished = all.map(|tickets| finished(plan, tickets, false));
    (progressed, finished)
}

/// Leaves out the tickets of shards that were done with other tools than those before them: if a plan looked at the
/// tools, there are none.
fn agree_on_tools(tickets: &mut [Option<Ticket>]) {
    let mut known: BTreeMap<String, String> = BTreeMap::new();
    for ticket in tickets {
        let tools = ticket.iter().flat_map(|ticket| &ticket.key.outside.tools);
        let mut agrees = true;
        for (name, digest) in tools {
            agrees &= known.entry(name.clone()).or_insert_with(|| digest.clone()) == digest;
        }
        if !agrees {
            *ticket = None;
        }
    }
}

/// The last files of the shards that are to do, in the order of the plan.
pub fn to_do<'p>(folder: &RunFolder, plan: &'p Plan<'_>) -> Vec<&'p Path> {
    plan.shards
        .iter()
        .filter(|shard| !is_current(folder, plan.stage, &shard.key, &shard.last))
        .map(|shard| shard.last.as_path())
        .collect()
}

/// Does the shards of a plan that are to do. Output of an earlier plan stays where it is; damaged output is made
/// again.
pub fn run(
    folder: &RunFolder,
    plan: &Plan<'_>,
    pool: &ThreadPool,
    console: Console,
) -> anyhow::Result<Finished> {
    let found = |shard: &Shard<'_>| find(folder, plan.stage, &shard.key, &shard.last, Care::Bytes);
    let found: Vec<Found> = pool.install(|| plan.shards.par_iter().map(found).collect());
    let root = folder.stage(plan.stage);
    for (shard, found) in plan.shards.iter().zip(&found) {
        if let Some(path) = found.damaged() {
            let what = format!("`{}` is damaged, and is made again", path.display());
            console.note(&what);
            // Shards that are made of others must not read it as a finished one.
            forget(&root.join(&shard.last))?;
        }
    }
    let mut tickets: Vec<Option<Ticket>> = found.into_iter().map(Found::ticket).collect();
    agree_on_tools(&mut tickets);
    let lasts = plan.shards.iter().zip(&tickets);
    let to_do = lasts.filter(|(_, ticket)| ticket.is_none());
    let to_do: Vec<&Path> = to_do.map(|(shard, _)| shard.last.as_path()).collect();
    if to_do.is_empty() {
        let tickets = tickets.into_iter().flatten().collect();
        return Ok(finished(plan, tickets, false));
    }
    if console.is_stopped() {
        return Err(interrupted(plan, &tickets).into());
    }
    fs::create_dir_all(&root).map_err(|error| Failure::cannot_write(&root, &error))?;
    if let Some(prepare) = &plan.prepare {
        pool.install(|| prepare(&to_do))
            .map_err(|error| error.context(format!("stage `{}`", plan.stage)))?;
    }
    let total = plan.shards.iter().map(|shard| shard.items).sum();
    let progress = console.stage(plan.stage, plan.noun, total, plan.pulse.clone());
    let failed = AtomicBool::new(false);
    let first_error = Mutex::new(None);
    let do_shard = |(shard, found): (&Shard<'_>, Option<Ticket>)| -> Option<Ticket> {
        if failed.load(Ordering::SeqCst) || console.is_stopped() {
            return None;
        }
        let ticket = match found {
            Some(ticket) => {
                progress.found(shard.items);
                Ok(ticket)
            }
            None => work(shard, plan.stage, &root, &progress),
        };
        match ticket {
            Ok(ticket) => Some(ticket),
            Err(error) => {
                failed.store(true, Ordering::SeqCst);
                let mut first = first_error
                    .lock()
                    .expect("no thread panics while it holds the error");
                first.get_or_insert(error);
                None
            }
        }
    };
    let tickets: Vec<Option<Ticket>> = pool.install(|| {
        // One shard at a time: by default a thread takes many in a row, which no idle thread can take from it.
        let shards = plan.shards.par_iter().zip(tickets).with_max_len(1);
        shards.map(do_shard).collect()
    });
    let error = first_error
        .into_inner()
        .expect("no thread panics while it holds the error");
    if let Some(error) = error {
        return Err(error.context(format!("stage `{}`", plan.stage)));
    }
    if tickets.iter().any(Option::is_none) {
        return Err(interrupted(plan, &tickets).into());
    }
    let finished = finished(plan, tickets.into_iter().flatten().collect(), true);
    let counts = finished.counts();
    let lines: Vec<String> = counts
        .iter()
        .map(|(kind, counts)| console::account(kind, counts))
        .collect();
    if lines.is_empty() {
        progress.finish(&console::counted(total, plan.noun));
    } else {
        progress.finish(&lines.join("\n           "));
    }
    Ok(finished)
}

/// The failure of work that was stopped; `tickets` are of the shards that are done.
fn interrupted(plan: &Plan<'_>, tickets: &[Option<Ticket>]) -> Failure {
    interrupt::stopped();
    let message = format!(
        "interrupted in `{}`: {} of {} shards are done and saved",
        plan.stage,
        tickets.iter().flatten().count(),
        plan.shards.len()
    );
    Failure::new(Exit::Interrupted, message).hint("run the same command again to continue")
}

fn finished(plan: &Plan<'_>, tickets: Vec<Ticket>, worked: bool) -> Finished {
    let shards = plan
        .shards
        .iter()
        .map(|shard| shard.last.clone())
        .zip(tickets)
        .collect();
    Finished {
        stage: plan.stage,
        shards,
        worked,
    }
}

/// Finds the files of a shard that exist: its ticket, if it is done, its key still fits, and all its files agree with
/// the ticket.
fn find(folder: &RunFolder, stage: Stage, key: &Key, last: &Path, care: Care) -> Found {
    let root = folder.stage(stage);
    let path = root.join(last);
    let text = ticket_text(&path);
    let Some(ticket) = text.as_deref().and_then(Ticket::of_text) else {
        // The tickets of earlier versions were objects of JSON without a digest; these are old and not damaged.
        let is_old = text.is_some_and(|text| text.starts_with('{'));
        return if is_old || !path.is_file() {
            Found::Missing
        } else {
            Found::Damaged(path)
        };
    };
    let mut files = ticket.files.keys();
    if !key.fits(&ticket.key) || !files.all(|file| root.join(file).is_file()) {
        return Found::Missing;
    }
    let hex = ticket.key.hex();
    let is_whole = |file: &Path, content: &Content| match care {
        Care::Footers if is_table(file) => table::footer(&root.join(file))
            .is_ok_and(|footer| footer.rows == content.rows && (file == last || footer.key == hex)),
        Care::Footers | Care::Bytes => content.is_of(&root.join(file)).is_ok(),
    };
    let damaged = ticket
        .files
        .iter()
        .find(|(file, content)| !is_whole(file, content));
    match damaged.map(|(file, _)| root.join(file)) {
        Some(path) => Found::Damaged(path),
        None => Found::Current(ticket),
    }
}

/// The ticket of a shard, if its last file exists and its key still fits; its other files are not looked at.
pub fn ticket(folder: &RunFolder, stage: Stage, shard: &Shard<'_>) -> Option<Ticket> {
    let text = ticket_text(&folder.stage(stage).join(&shard.last))?;
    Ticket::of_text(&text).filter(|ticket| shard.key.fits(&ticket.key))
}

/// Does one shard of a plan, even if it is done.
pub fn run_one(
    folder: &RunFolder,
    plan: &Plan<'_>,
    shard: &Shard<'_>,
    progress: &Progress,
) -> anyhow::Result<Ticket> {
    let root = folder.stage(plan.stage);
    fs::create_dir_all(&root).map_err(|error| Failure::cannot_write(&root, &error))?;
    work(shard, plan.stage, &root, progress)
        .map_err(|error| error.context(format!("stage `{}`", plan.stage)))
}

/// Returns `true` if a shard is done, by its key and the file that it writes last.
pub fn is_current(folder: &RunFolder, stage: Stage, key: &Key, last: &Path) -> bool {
    matches!(
        find(folder, stage, key, last, Care::Footers),
        Found::Current(_)
    )
}

/// The ticket in the last file of a shard.
fn ticket_text(path: &Path) -> Option<String> {
    if is_table(path) {
        return Some(table::footer(path).ok()?.key);
    }
    let page = guarded::text(path).ok()?;
    let (ticket, _) = without_ticket(&page)?;
    Some(ticket.to_owned())
}

fn is_table(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "parquet")
}

/// Removes the file that a shard writes last, and its ticket with it.
fn forget(last: &Path) -> Result<(), Failure> {
    match fs::remove_file(last) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Failure::cannot_write(last, &error))
        }
        _ => Ok(()),
    }
}

fn work(
    shard: &Shard<'_>,
    stage: Stage,
    root: &Path,
    progress: &Progress,
) -> anyhow::Result<Ticket> {
    let Some(key) = shard.key.stamp() else {
        return Err(Failure::internal(format!(
            "stage `{stage}` is done without a look at its tools"
        ))
        .into());
    };
    // The old ticket goes first: killed between two files, the shard must not pass for the one it was before.
    forget(&root.join(&shard.last))?;
    let writer = ShardWriter {
        root: root.to_owned(),
        key,
        holds: Holds::default(),
        made_from: serde_json::Value::Null,
        files: BTreeMap::new(),
        steps: Steps {
            progress: progress.clone(),
            left: Arc::new(AtomicU64::new(shard.items)),
        },
    };
    let steps = writer.steps.clone();
    let ticket = (shard.work)(writer)?;
    steps.advance(shard.items);
    for (kind, counts) in &ticket.counts {
        if !counts.balances() {
            let message = format!(
                "stage `{stage}`, `{}`: {} {kind} entered, but {} were kept and {} set aside",
                shard.last.display(),
                counts.entered,
                counts.kept,
                counts.set_aside.values().sum::<u64>(),
            );
            return Err(Failure::internal(message).into());
        }
    }
    Ok(ticket)
}

/// The progress of a shard.
#[derive(Clone)]
struct Steps {
    progress: Progress,
    /// Things of the shard that are not counted yet.
    left: Arc<AtomicU64>,
}

impl Steps {
    /// Counts things of the shard, no more than it has.
    fn advance(&self, by: u64) {
        let take = |left: u64| Some(left.saturating_sub(by));
        let order = Ordering::Relaxed;
        let before = self.left.fetch_update(order, order, take).unwrap_or(0);
        self.progress.advance(by.min(before));
    }
}

/// Writes the files of one shard.
pub struct ShardWriter {
    root: PathBuf,
    key: Stamp,
    holds: Holds,
    made_from: serde_json::Value,
    files: BTreeMap<PathBuf, Content>,
    steps: Steps,
}

impl ShardWriter {
    /// Reports that this many things of the shard are done.
    pub fn advance(&self, by: u64) {
        self.steps.advance(by);
    }

    /// Sets the kind of the shard's records, if not functions.
    pub fn holds(&mut self, holds: Holds) {
        self.holds = holds;
    }

    /// Sets the inputs of the shard from outside of the run folder.
    pub fn made_from(&mut self, what: serde_json::Value) {
        self.made_from = what;
    }

    /// Writes a table that is not the last file.
    pub fn table<T: Record>(
        &mut self,
        file: impl AsRef<Path>,
        table: Table<T>,
    ) -> anyhow::Result<()> {
        let path = self.path(file.as_ref())?;
        self.files.insert(file.as_ref().to_owned(), content(&table));
        table.write(&path, &self.key.hex())?;
        Ok(())
    }

    /// Writes a text that is not the last file.
    pub fn text(&mut self, file: impl AsRef<Path>, text: &str) -> anyhow::Result<()> {
        let path = self.path(file.as_ref())?;
        table::write_atomically(&path, |file| file.write_all(text.as_bytes()))?;
        self.files
            .insert(file.as_ref().to_owned(), text_content(text));
        Ok(())
    }

    /// Writes the last file, a table, and with it the ticket.
    pub fn finish<T: Record>(
        mut self,
        file: impl AsRef<Path>,
        table: Table<T>,
        counts: BTreeMap<String, Counts>,
    ) -> anyhow::Result<Ticket> {
        let path = self.path(file.as_ref())?;
        self.files.insert(file.as_ref().to_owned(), content(&table));
        let ticket = self.ticket(counts);
        table.write(&path, &ticket.to_text()?)?;
        Ok(ticket)
    }

    /// Writes the last file, a page, with the ticket in its head.
    pub fn finish_page(mut self, file: impl AsRef<Path>, html: &str) -> anyhow::Result<Ticket> {
        let path = self.path(file.as_ref())?;
        self.files
            .insert(file.as_ref().to_owned(), text_content(html));
        let ticket = self.ticket(BTreeMap::new());
        let page = with_ticket(html, &ticket.to_text()?);
        table::write_atomically(&path, |file| file.write_all(page.as_bytes()))?;
        Ok(ticket)
    }

    fn ticket(self, counts: BTreeMap<String, Counts>) -> Ticket {
        Ticket {
            key: self.key,
            holds: self.holds,
            made_from: self.made_from,
            counts,
            files: self.files,
        }
    }

    /// The path of a file, in a folder that exists.
    fn path(&self, file: &Path) -> Result<PathBuf, Failure> {
        let path = self.root.join(file);
        let parent = path
            .parent()
            .expect("a file of a stage lies in the stage's folder");
        fs::create_dir_all(parent).map_err(|error| Failure::cannot_write(parent, &error))?;
        Ok(path)
    }
}

fn content<T: Record>(table: &Table<T>) -> Content {
    Content {
        rows: table.rows(),
        digest: table.digest().to_owned(),
    }
}

fn text_content(text: &str) -> Content {
    Content {
        rows: text.lines().count() as u64,
        digest: Digest::new("text").field(text).hex(),
    }
}

const TICKET_OPEN: &str = "<script type=\"application/json\" id=\"barecode-ticket\">";
const TICKET_CLOSE: &str = "</script>";

/// A block of data, which no browser runs; a ticket has digests, paths and numbers only, so no `<` is in it.
fn with_ticket(html: &str, ticket: &str) -> String {
    html.replacen(
        "</head>",
        &format!("{TICKET_OPEN}{ticket}{TICKET_CLOSE}</head>"),
        1,
    )
}

/// The ticket of a page, and the page as it was before it.
fn without_ticket(page: &str) -> Option<(&str, String)> {
    let (before, rest) = page.split_once(TICKET_OPEN)?;
    let (ticket, after) = rest.split_once(TICKET_CLOSE)?;
    Some((ticket, [before, after].concat()))
}

/// Checks that a stage returns the number of rows that it counts.
pub fn agree(what: &str, counted: u64, rows: usize) -> Result<(), Failure> {
    if counted == rows as u64 {
        return Ok(());
    }
    Err(Failure::internal(format!(
        "{what}: {counted} were counted, but there are {rows} rows"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticket(key: &Key) -> Ticket {
        Ticket {
            key: key.stamp().unwrap(),
            holds: Holds::default(),
            made_from: serde_json::Value::Null,
            counts: BTreeMap::new(),
            files: BTreeMap::new(),
        }
    }

    fn key() -> Key {
        Key::new(Stage::Check, 1).field("a recipe")
    }

    #[test]
    fn no_shard_waits_behind_a_long_one() {
        use std::time::Duration;

        use crate::console::ColorChoice;

        const SHARDS: usize = 16;
        let root = tempfile::tempdir().unwrap();
        let folder = RunFolder::work_in(root.path()).unwrap();
        let done = AtomicU64::new(0);
        let done = &done;
        let file = |number: usize| format!("part-{number:05}.html");
        let shards = (0..SHARDS).map(|number| Shard {
            key: key().field(number.to_le_bytes()),
            last: file(number).into(),
            items: 1,
            work: Box::new(move |writer: ShardWriter| {
                // The first is done once all others are.
                let others = || done.load(Ordering::SeqCst);
                for _ in 0..6_000 {
                    if number == 0 && others() < SHARDS as u64 - 1 {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                }
                anyhow::ensure!(
                    number > 0 || others() == SHARDS as u64 - 1,
                    "the others wait"
                );
                done.fetch_add(1, Ordering::SeqCst);
                writer.finish_page(file(number), "<head></head>")
            }),
        });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
        let plan = Plan::new(Stage::Check, "shard", shards);
        let console = Console::new(ColorChoice::Never, true, false);
        run(&folder, &plan, &pool.unwrap(), console).unwrap();
    }

    #[test]
    fn who_looked_sees_other_tools_and_who_did_not_sees_other_recipes() {
        let stamp = ticket(&key().tool("compilers", "gcc 12").own("a source")).key;
        let of = |tool: &str| key().tool("compilers", tool).own("a source");
        assert!(of("gcc 12").fits(&stamp) && key().unseen().fits(&stamp));
        assert!(!of("gcc 13").fits(&stamp) && !key().fits(&stamp));
        assert!(!of("gcc 12").own("another").fits(&stamp));
        assert!(!key().field("more").unseen().fits(&stamp));
    }

    #[test]
    fn a_stage_that_was_done_by_halves_with_two_compilers_is_not_whole() {
        let of = |tool: &str| Some(ticket(&key().tool("compilers", tool)));
        let left = |mut tickets: Vec<Option<Ticket>>| {
            agree_on_tools(&mut tickets);
            tickets.iter().flatten().count()
        };
        assert_eq!(left(vec![of("gcc 12"), of("gcc 13"), of("gcc 12")]), 2);
        assert_eq!(left(vec![Some(ticket(&key())), of("gcc 12")]), 2);
        let others = Some(ticket(&key().tool("a model", "weights")));
        assert_eq!(left(vec![of("gcc 12"), others]), 2);
    }

    #[test]
    fn a_ticket_that_does_not_say_what_it_holds_is_of_functions() {
        let mut old = serde_json::to_value(ticket(&key())).unwrap();
        assert!(old.as_object_mut().unwrap().remove("holds").is_some());
        let text = format!("{} {old}", Ticket::digest(&old.to_string()));
        let read = Ticket::of_text(&text).unwrap();
        assert_eq!(read.holds, Holds::Functions);
    }

    #[test]
    fn a_ticket_with_another_byte_is_none() {
        let text = ticket(&key().own("a source")).to_text().unwrap();
        assert!(Ticket::of_text(&text).is_some());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 0x01;
            let text = String::from_utf8(bytes).unwrap();
            assert!(Ticket::of_text(&text).is_none(), "{text}");
        }
    }
}
