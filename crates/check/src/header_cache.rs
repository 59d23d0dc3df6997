//! Cached facts about leading blocks: their words, and precompiled headers of those that are used often.
//!
//! Both only save time; no verdict depends on them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use barecode_records::Language;

use crate::compiler::Precompiled;
use crate::isolate::{Facts, Split};
use crate::order::{Done, Order, Work};
use crate::token::directive;
use crate::{CheckError, Compiler};

/// A block is precompiled when it is used for this time: making the header costs about two readings of it.
const WORTH: u32 = 3;

/// Number of precompiled headers that are cached.
const HEADERS: usize = 32;

/// The disk space that they may use together.
const ROOM: u64 = 2 << 30;

/// The number of blocks whose words are cached.
const FACTS: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct HeaderCache {
    facts: Mutex<BTreeMap<(Language, String), Arc<Facts>>>,
    brings: Mutex<BTreeMap<(Language, String), IncludedNames>>,
    precompiled: Mutex<PrecompiledHeaders>,
}

#[derive(Debug, Default)]
struct PrecompiledHeaders {
    uses: BTreeMap<String, u32>,
    /// With the time of the last use, as the number of uses of all.
    headers: BTreeMap<String, (u64, Slot)>,
    clock: u64,
}

/// A precompiled header and its state; locked while it is being made.
type Slot = Arc<Mutex<Made>>;

#[derive(Debug, Default)]
enum Made {
    #[default]
    NotYet,
    Ready(Arc<Precompiled>),
    Impossible,
}

/// Names that an include declares; `None` if they cannot be known.
type IncludedNames = Option<Arc<BTreeSet<Box<str>>>>;

impl HeaderCache {
    /// The words of a block, if the preprocessor reads it.
    pub(crate) fn facts(
        &self,
        compiler: &Compiler,
        block: &str,
    ) -> Result<Option<Arc<Facts>>, CheckError> {
        let key = (compiler.language(), block.to_owned());
        if let Some(facts) = held(&self.facts).get(&key) {
            return Ok(Some(facts.clone()));
        }
        let done = compiler.work(&Order::of(Work::Preprocess, block))?;
        if done.failed.is_some() {
            return Ok(None);
        }
        Ok(Some(self.learn(
            compiler,
            block,
            &String::from_utf8_lossy(&done.output),
        )))
    }

    /// The words of a block whose preprocessed text is available.
    pub(crate) fn learn(&self, compiler: &Compiler, block: &str, preprocessed: &str) -> Arc<Facts> {
        let key = (compiler.language(), block.to_owned());
        if let Some(facts) = held(&self.facts).get(&key) {
            return facts.clone();
        }
        let facts = Arc::new(Facts::of(preprocessed));
        let mut all = held(&self.facts);
        if all.len() >= FACTS {
            all.clear();
        }
        all.insert(key, facts.clone());
        facts
    }

    /// The names that an include by itself declares; `None` if it cannot be read by itself.
    pub(crate) fn brings(
        &self,
        compiler: &Compiler,
        line: &str,
    ) -> Result<IncludedNames, CheckError> {
        let key = (compiler.language(), line.to_owned());
        if let Some(names) = held(&self.brings).get(&key) {
            return Ok(names.clone());
        }
        let header = line.trim().trim_start_matches("#include").trim();
        let header = header.trim_start_matches('<').trim_end_matches('>');
        let macros = compiler.header_macros(header)?;
        let facts = self.facts(compiler, &format!("{line}\n"))?;
        let names = macros.zip(facts).map(|(macros, facts)| {
            let defined = macros.lines().map(|line| Box::from(directive(line).1));
            Arc::new(facts.spaced.iter().cloned().chain(defined).collect())
        });
        held(&self.brings).insert(key, names.clone());
        Ok(names)
    }

    /// Compiles one text by itself, after a precompiled header of its block if one exists.
    pub(crate) fn work(
        &self,
        compiler: &Compiler,
        work: Work,
        text: &str,
        all_errors: bool,
    ) -> Result<Done, CheckError> {
        let split = Split::of(text);
        let header = self.header(compiler, split.block)?;
        let rest = header.as_ref().map(|_| split.after_header(compiler.file()));
        compiler.work(&Order {
            header: header.as_ref().map(|header| header.header.as_path()),
            all_errors,
            ..Order::of(work, rest.as_deref().unwrap_or(text))
        })
    }

    /// A precompiled header of a block of C++, once it is used often.
    pub(crate) fn header(
        &self,
        compiler: &Compiler,
        block: &str,
    ) -> Result<Option<Arc<Precompiled>>, CheckError> {
        if compiler.language() == Language::C || !block.contains("#include") {
            return Ok(None);
        }
        let slot = {
            let mut precompiled = held(&self.precompiled);
            precompiled.clock += 1;
            let now = precompiled.clock;
            let uses = precompiled.uses.entry(block.to_owned()).or_default();
            *uses = uses.saturating_add(1);
            if *uses < WORTH {
                return Ok(None);
            }
            let (used, slot) = precompiled.headers.entry(block.to_owned()).or_default();
            *used = now;
            slot.clone()
        };
        let mut made = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*made {
            Made::Ready(header) => return Ok(Some(header.clone())),
            Made::Impossible => return Ok(None),
            Made::NotYet => {}
        }
        let header = compiler.precompile(block)?.map(Arc::new);
        *made = header.clone().map_or(Made::Impossible, Made::Ready);
        drop(made);
        self.tidy();
        Ok(header)
    }

    /// Removes the headers that were used longest ago, until the rest fit.
    fn tidy(&self) {
        let mut precompiled = held(&self.precompiled);
        loop {
            let room: u64 = precompiled
                .headers
                .values()
                .map(|(_, slot)| size(slot))
                .sum();
            if precompiled.headers.len() <= HEADERS && room <= ROOM {
                return;
            }
            let oldest = precompiled
                .headers
                .iter()
                .min_by_key(|(_, (used, _))| *used);
            let Some(block) = oldest.map(|(block, _)| block.clone()) else {
                return;
            };
            precompiled.headers.remove(&block);
        }
    }
}

fn size(slot: &Slot) -> u64 {
    // A header that is being made counts once it exists.
    match slot.try_lock().as_deref() {
        Ok(Made::Ready(header)) => header.bytes,
        _ => 0,
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
