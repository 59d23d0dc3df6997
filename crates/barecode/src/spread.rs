//! A run whose first stages are done on many machines, shard by shard.
//!
//! A program that spreads a run cuts it into slices of sources, and has the shards of each slice done anywhere. A shard
//! needs its recipe, the tickets of the slice's shards before it, and the files that these name. It leaves the files
//! that it would leave on one machine, byte for byte. So the rest of the flow (`barecode build`) goes on from them
//! wherever they are brought together. A shard that is done twice leaves the same.
//!
//! It knows no cluster, moves no files, and does not assign work to machines.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use barecode_models::Ledger;
use barecode_records::{Counts, Stage};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::console::{Console, Heard, Listener};
use crate::engine::{self, Finished, Holds, Plan, Shard, Ticket};
use crate::exit::{Failure, classify};
use crate::flow;
use crate::layout::is_set_aside;
use crate::look::{Before, Look};
use crate::models::Means;
use crate::recipe::Recipe;
use crate::run_folder::RunFolder;
use crate::session::{CallOptions, Session};
use crate::site::{Site, Slice};
use crate::stages::vary;

/// The stages that are spread; those after them need the whole run.
pub const SPREAD: [Stage; 5] = [
    Stage::Extract,
    Stage::Choose,
    Stage::Check,
    Stage::Vary,
    Stage::Query,
];

/// A part of a run, with the tickets of what is done of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Piece {
    /// The range of its sources in the recipe: the first index, and one behind the last.
    pub sources: (usize, usize),
    /// The number of shards of `check` that belong to earlier sources.
    pub first_shard: usize,
    /// True if it is the programs of the recipe; it has no sources then.
    pub programs: bool,
    /// By stage, the last file and the ticket of each shard that is done, in the order of the shards.
    pub done: Vec<(Stage, Vec<(PathBuf, String)>)>,
}

/// A shard of a piece.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedShard {
    /// The file that it writes last, relative to the run folder.
    pub last: PathBuf,
    /// Number of things that it works on.
    pub items: u64,
    /// The files that it reads, relative to the run folder.
    pub reads: Vec<PathBuf>,
}

/// A shard that is done.
#[derive(Debug, Clone, Serialize)]
pub struct DoneShard {
    /// The file that it wrote last, relative to the stage's folder.
    pub last: PathBuf,
    /// Its ticket.
    pub ticket: String,
    /// All its files with their rows, relative to the run folder; the last one is at the end.
    pub files: Vec<(PathBuf, u64)>,
    /// True if it was done before.
    pub found: bool,
    /// The numbers of things that entered and were kept, by kind.
    pub counts: Vec<(String, Counts)>,
}

/// A recipe and a folder in which shards of it are done.
pub struct Spread {
    recipe: Recipe,
    options: CallOptions,
    console: Console,
    held: Mutex<Held>,
    _heard: Heard,
}

/// The folder that shards are done in, and the tools.
struct Held {
    root: PathBuf,
    /// The resources that were found and read already; a piece is planned, looked for and done with the same.
    site: Option<Site>,
}

impl Spread {
    /// Reads a recipe file; `root` is the folder that files are read from and written into. It is not locked: the
    /// caller ensures that no two runs use one folder.
    ///
    /// # Errors
    /// A problem with the recipe.
    pub fn open(
        recipe: &Path,
        root: &Path,
        options: CallOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Failure> {
        let (console, heard) = Console::heard(listener);
        Ok(Spread {
            recipe: Recipe::read(recipe)?,
            options,
            console,
            held: Mutex::new(Held {
                root: root.to_owned(),
                site: None,
            }),
            _heard: heard,
        })
    }

    /// Goes on in another folder, with the tools that were found.
    pub fn move_to(&self, root: &Path) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        root.clone_into(&mut held.root);
        if let Some(site) = &mut held.site {
            site.folder = RunFolder::look_at(root);
        }
    }

    /// Returns the number of sources of the recipe, and true if it has programs.
    pub fn extent(&self) -> (usize, bool) {
        (
            self.recipe.sources.len(),
            !self.recipe.programs.sources.is_empty(),
        )
    }

    /// Sources and data sets that exist on this machine only: everything but URLs of other machines. A Cargo package is found
    /// through the workspace of the recipe's folder, so it counts too.
    pub fn local_paths(&self) -> Vec<String> {
        let sources = self.recipe.sources.iter().map(|source| &source.from);
        let is_local = |from: &&String| !from.contains("://") || from.contains("file://");
        let programs = self
            .recipe
            .programs
            .sources
            .iter()
            .map(|source| &source.from);
        let sources = sources.filter(is_local);
        sources.chain(programs).cloned().collect()
    }

    /// The shards of a stage of a piece.
    ///
    /// # Errors
    /// As the stage: sources that do not exist, tools that are missing.
    pub fn plan(&self, stage: Stage, piece: &Piece) -> Result<Vec<PlannedShard>, Failure> {
        self.with(stage, piece, |_, plan, before| {
            let planned = |shard: &Shard<'_>| PlannedShard {
                last: Path::new(stage.folder()).join(&shard.last),
                items: shard.items,
                reads: reads(stage, shard, before),
            };
            Ok(plan.shards.iter().map(planned).collect())
        })
    }

    /// Returns the shards of a stage of a piece that are done in the folder already, by the files that they write last.
    /// Their other files need not be present.
    ///
    /// # Errors
    /// As [`Spread::plan`].
    pub fn found(&self, stage: Stage, piece: &Piece) -> Result<Vec<Option<DoneShard>>, Failure> {
        self.with(stage, piece, |site, plan, _| {
            let found = |shard: &Shard<'_>| {
                let ticket = engine::ticket(&site.folder, stage, shard)?;
                done(stage, shard, &ticket, true).ok()
            };
            Ok(plan.shards.iter().map(found).collect())
        })
    }

    /// Does some shards of a stage of a piece, by their indices in its plan.
    ///
    /// # Errors
    /// As the stage.
    pub fn work(
        &self,
        stage: Stage,
        piece: &Piece,
        places: &[usize],
    ) -> Result<Vec<DoneShard>, Failure> {
        self.with(stage, piece, |site, plan, _| {
            let shards: Vec<&Shard<'_>> = places
                .iter()
                .filter_map(|&place| plan.shards.get(place))
                .collect();
            let total = shards.iter().map(|shard| shard.items).sum();
            let progress = self.console.stage(stage, plan.noun, total, None);
            let one = |shard: &&Shard<'_>| {
                let ticket = engine::run_one(&site.folder, plan, shard, &progress)?;
                done(stage, shard, &ticket, false)
            };
            let all: Vec<_> = site
                .shop
                .pool
                .install(|| shards.par_iter().with_max_len(1).map(one).collect());
            all.into_iter().collect()
        })
    }

    fn with<T>(
        &self,
        stage: Stage,
        piece: &Piece,
        work: impl FnOnce(&Site, &Plan<'_>, &Before) -> anyhow::Result<T>,
    ) -> Result<T, Failure> {
        let open = || {
            let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            let open = match held.site.take() {
                Some(open) => open,
                None => self.site(&held.root)?,
            };
            let site = held.site.insert(open);
            // The last slice of a large run, done after the others by one caller, needs no more memory than the first.
            site.keep_sources(piece.sources.0..piece.sources.1);
            site.slice = Slice {
                sources: piece.sources.0..piece.sources.1,
                first_shard: piece.first_shard,
                programs: piece.programs,
                rest: false,
            };
            let before = before(piece)?;
            let plan = flow::plan(site, stage, &before, Look::Fetch)?;
            work(site, &plan, &before)
        };
        open().map_err(|error| classify(&error))
    }

    fn site(&self, root: &Path) -> anyhow::Result<Site> {
        let session = Session::of_program(&self.options, self.console);
        let same = |ledger: Ledger| ledger;
        let shop = session.workshop(self.recipe.clone(), &Means::default(), same)?;
        Ok(Site::new(shop, RunFolder::look_at(root)))
    }
}

/// The stages of a piece that are done.
fn before(piece: &Piece) -> anyhow::Result<Before> {
    let mut before = Before::new();
    for (stage, shards) in &piece.done {
        let read = |(file, text): &(PathBuf, String)| {
            let ticket = Ticket::of_text(text);
            let damaged =
                || Failure::invalid(format!("the ticket of `{}` is damaged", file.display()));
            Ok((file.clone(), ticket.ok_or_else(damaged)?))
        };
        let shards: Result<Vec<_>, Failure> = shards.iter().map(read).collect();
        before.insert(
            *stage,
            Finished {
                stage: *stage,
                shards: shards?,
                worked: false,
            },
        );
    }
    Ok(before)
}

/// The files that a shard reads: those that the shards before it wrote last, and all tables of programs.
fn reads(stage: Stage, shard: &Shard<'_>, before: &Before) -> Vec<PathBuf> {
    let chosen = before.get(&Stage::Choose);
    let from = match stage {
        Stage::Check if chosen.is_some_and(|it| !it.shards.is_empty()) => Stage::Choose,
        Stage::Choose | Stage::Check => Stage::Extract,
        Stage::Vary | Stage::Query => Stage::Check,
        _ => return Vec::new(),
    };
    let same = (stage == Stage::Vary).then_some(shard.last.as_path());
    let named = same.and_then(|_| names(shard, before));
    let files = before.get(&from).into_iter().flat_map(|it| &it.shards);
    let files = files.flat_map(|(last, ticket)| {
        let tables = ticket.files.keys();
        tables.filter(move |file| match ticket.holds {
            Holds::Functions => *file == last,
            Holds::Programs => !is_set_aside(file),
        })
    });
    files
        .filter(|file| same.is_none_or(|same| *file == same))
        .map(|file| Path::new(from.folder()).join(file))
        .chain(named)
        .collect()
}

/// The table with the names of the source that the units of a shard of `vary` are from.
fn names(shard: &Shard<'_>, before: &Before) -> Option<PathBuf> {
    let (functions, units) = (before.get(&Stage::Extract)?, before.get(&Stage::Check)?);
    let at = units
        .of_functions()
        .position(|(file, _)| *file == shard.last)?;
    let (names, _) = vary::names_of_shards(functions).into_iter().nth(at)?;
    Some(Path::new(Stage::Extract.folder()).join(names))
}

fn done(
    stage: Stage,
    shard: &Shard<'_>,
    ticket: &Ticket,
    found: bool,
) -> anyhow::Result<DoneShard> {
    let folder = Path::new(stage.folder());
    let mut files: Vec<(PathBuf, u64)> = ticket
        .files
        .iter()
        .filter(|(file, _)| **file != shard.last)
        .map(|(file, content)| (folder.join(file), content.rows))
        .collect();
    let rows = ticket
        .files
        .get(&shard.last)
        .map_or(0, |content| content.rows);
    files.push((folder.join(&shard.last), rows));
    Ok(DoneShard {
        last: shard.last.clone(),
        ticket: ticket.to_text()?,
        files,
        found,
        counts: ticket.counts.clone().into_iter().collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A listener that ignores everything.
    struct Deaf;

    impl Listener for Deaf {
        fn data(&self, _: &str) {}
        fn note(&self, _: &str) {}
        fn progress(&self, _: &str, _: &str, _: u64, _: u64) {}
    }

    #[test]
    fn what_other_machines_cannot_reach_is_a_local_path() {
        let of_this_machine = [
            "path:code",
            "archive:lib.tar.gz",
            "cargo:zstd-sys",
            "git:mirrors/a",
            "git:/shared/mirrors/b@v1",
            "git:file:///shared/mirrors/c",
        ];
        let of_others = [
            "git:https://example.org/d.git@v1",
            "git:ssh://git@example.org/e",
        ];
        let folder = tempfile::tempdir().unwrap();
        let recipe = folder.path().join("recipe.toml");
        let all = of_this_machine.iter().chain(&of_others);
        let sources: Vec<_> = all
            .map(|from| format!("[[source]]\nfrom = \"{from}\"\n"))
            .collect();
        std::fs::write(&recipe, format!("name = \"x\"\n{}", sources.concat())).unwrap();
        let options = CallOptions::default();
        let spread = Spread::open(&recipe, folder.path(), options, Arc::new(Deaf)).unwrap();
        assert_eq!(spread.local_paths(), of_this_machine);
        assert_eq!(spread.extent(), (8, false));
    }
}
