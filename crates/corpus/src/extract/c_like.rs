//! C and C++: files → functions, each with a file that compiles by itself.
//!
//! The first pass (`find`) reads every translation unit and finds the functions. Once the sample is drawn, the second
//! (`close`) reads the translation units of the remaining functions again and builds the closures. Reading twice
//! costs less than holding every translation unit of a large repository in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{Account, Closure, Digest, Language, Quoted, Recent};
use barecode_sources::CompileOptions;
use foldhash::{HashMap, HashSet};

use crate::definitions::{Definitions, is_visible};
use crate::documented::Documented;
use crate::extract::Draw;
use crate::extract::found::Found;
use crate::front_end::{Asked, Close, FrontEnd};
use crate::items::{self, Item};
use crate::names::Names;
use crate::preprocess::unit::{self, Files, MacroEvent, Mark, SourceText, TranslationUnit};
use crate::symbols::{Analyzed, Unreadable, c};

mod active;
mod close;
mod find;

pub use find::needs_cpp;

/// C and C++. A compiler decides whether a closure stands alone, and whether a renamed one means the same.
pub(crate) struct CLike;

impl FrontEnd for CLike {
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        paths: Vec<String>,
        draw: &mut Draw<'_>,
        account: &mut Account,
    ) -> Close<'s> {
        let mut context = Context::of(asked, paths, account);
        let found = context.find(account);
        context.forget();
        let definitions = Definitions::of(&found);
        context.ambiguous = ambiguous(&found);
        draw.enter(found, account);
        Box::new(move |drawn| context.close(drawn, &definitions))
    }

    fn quoted(&self, text: &str, _: Language) -> Result<Vec<Quoted>, Unreadable> {
        let mut quoted = Vec::new();
        let mut words = ["", ""];
        for token in lex(text) {
            let written = token.text(text);
            // The argument of an include is a file.
            if token.kind == TokenKind::String && words != ["#", "include"] {
                quoted.extend(inside(token.start, written));
            }
            words = [words[1], written];
        }
        Ok(quoted)
    }

    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        _: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable> {
        Ok(Analyzed {
            symbols: c::of_closure(closure, language)?,
            same: Box::new(|_| Err("only a compiler can decide")),
        })
    }
}

/// The names that mean more than one function. Two functions of C that any file can call are one to their callers,
/// written once for each platform: no program has both.
fn ambiguous(found: &[Found]) -> BTreeSet<String> {
    let mut by_name: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for found in found {
        by_name.entry(&found.name).or_default().push(found);
    }
    let is_one = |of_name: &[&Found]| {
        let is_shared = |found: &&Found| found.language == Language::C && is_visible(found);
        of_name.len() == 1 || of_name.iter().all(is_shared)
    };
    by_name.retain(|_, of_name| !is_one(of_name));
    by_name.into_keys().map(str::to_owned).collect()
}

/// The items of a reading; readings that look alike share them.
type Items = Arc<Vec<Item>>;

/// Units that were read, by the file they begin with and the language.
type Units = BTreeMap<(String, Language), (TranslationUnit, Vec<Items>)>;

struct Context<'a> {
    asked: Asked<'a>,
    files: Files<'a>,
    /// The paths of the files that are mined, shared by what is found in them.
    paths: HashSet<Arc<str>>,
    /// The names that items mention and declare.
    names: Names,
    /// Items by the digest of the part of a file that the parser sees: headers look alike in most units.
    cache: Recent<String, Items>,
    /// The first unit in turn that keeps the function at a position, by file and byte.
    taken: Mutex<HashMap<String, HashMap<usize, usize>>>,
    /// Units that are kept for the third pass.
    units: Mutex<Units>,
    kept_bytes: AtomicUsize,
    /// Documentation of functions away from them.
    documented: Documented,
    /// Names that several functions have.
    ambiguous: BTreeSet<String>,
    /// The definitions before each unit.
    defines: Vec<String>,
}

/// The bytes that units for later passes may have in memory, and those of a large source; others are read again.
const KEPT_BYTES: [usize; 2] = [128 << 20, 32 << 20];

/// The bytes that items of readings may have in memory, and those of a large source.
const ITEMS: [usize; 2] = [160 << 20, 48 << 20];

impl<'a> Context<'a> {
    /// Reads everything that is needed before the search for functions: the texts, headers that a build makes or
    /// would make, and the documentation of functions away from them.
    fn of(asked: Asked<'a>, paths: Vec<String>, account: &mut Account) -> Context<'a> {
        let Asked {
            source,
            config,
            headers,
            ..
        } = asked;
        let mut files = Files::of(source, paths);
        let build = source.build();
        if let Some(build) = build {
            for _ in files.paths().filter(|path| build.made(path)) {
                account.count_kept("headers of the build");
            }
        }
        // A build has made the headers that it needs.
        let assumed = match (config.assume_headers, build) {
            (true, None) => barecode_assumed::build(source.build_files(), headers.known()),
            _ => barecode_assumed::Build::default(),
        };
        let mut defines = source.config().defines.clone();
        defines.extend(assumed.macros(files.paths().filter_map(|path| files.text(path))));
        for header in assumed.headers {
            let template = source.build_files().get(&header.template);
            let template = template.map(|bytes| String::from_utf8_lossy(bytes));
            let is_made = template.is_some_and(|template| {
                let mut named = files.named(&header.path).iter();
                named.any(|path| {
                    let text = files.text(path).unwrap_or_default();
                    header.is_made(&template, path, &text)
                })
            });
            if !is_made && !files.has(&header.path) {
                account.count_kept("assumed headers");
                let from = header.from();
                let mut file = SourceText::new(header.path.clone(), header.text);
                file.template = Some(from);
                files.insert(header.path, Arc::new(file));
            }
        }
        let documented = if config.documentation {
            Documented::in_files(&files, source.pages())
        } else {
            Documented::default()
        };
        let is_large = usize::from(source.is_large());
        Context {
            asked,
            files,
            paths: asked.mined.iter().map(|path| Arc::from(&**path)).collect(),
            names: Names::default(),
            cache: Recent::of_weight(ITEMS[is_large], |items| {
                items.iter().map(Item::weight).sum()
            }),
            taken: Mutex::default(),
            units: Mutex::default(),
            kept_bytes: AtomicUsize::new(0),
            documented,
            ambiguous: BTreeSet::new(),
            defines,
        }
    }

    /// Drops what only finding needs, and for a large source what can be read again.
    fn forget(&mut self) {
        self.taken = Mutex::default();
        if self.asked.source.is_large() {
            self.files.forget();
            self.cache.clear();
            self.units = Mutex::default();
            self.kept_bytes = AtomicUsize::new(0);
        }
    }

    fn read(
        &self,
        root: &str,
        language: Language,
    ) -> Result<(TranslationUnit, Vec<Items>, Vec<String>), unit::TooLarge> {
        let headers = self
            .asked
            .headers
            .of(language)
            .expect("files of other languages are set aside before");
        let options = self
            .asked
            .source
            .build()
            .and_then(|build| build.options_of(root));
        let unit = unit::read_as_built(
            root,
            &self.files,
            headers,
            options.unwrap_or(&CompileOptions::default()),
            &self.defines,
        )?;
        let (items, looks) = unit
            .readings
            .iter()
            .map(|reading| self.items(reading, language))
            .unzip();
        Ok((unit, items, looks))
    }

    /// A file that was read before.
    fn file(&self, path: &str) -> Arc<SourceText> {
        self.files
            .get(path)
            .expect("targets and readings are files")
    }

    /// A path that is mined.
    fn shared_path(&self, path: &str) -> Arc<str> {
        self.paths.get(path).map_or_else(|| path.into(), Arc::clone)
    }

    /// Returns `true` if a unit that comes before this one in turn keeps the function at this position.
    fn is_taken(&self, path: &str, start: usize, turn: usize) -> bool {
        let taken = self.taken.lock().expect("no thread panics with the lock");
        let places = taken.get(path);
        places.is_some_and(|places| places.get(&start).is_some_and(|&first| first < turn))
    }

    fn take(&self, path: &str, starts: impl Iterator<Item = usize>, turn: usize) {
        let mut taken = self.taken.lock().expect("no thread panics with the lock");
        for start in starts {
            let places = taken.entry(path.to_owned()).or_default();
            let first = places.entry(start).or_insert(turn);
            *first = turn.min(*first);
        }
    }

    /// Keeps a unit for later passes, while space is left.
    fn keep(&self, root: &str, language: Language, unit: TranslationUnit, items: Vec<Items>) {
        let bytes = weight(&unit, &items);
        let kept = self.kept_bytes.fetch_add(bytes, Ordering::Relaxed);
        if kept + bytes <= KEPT_BYTES[usize::from(self.asked.source.is_large())] {
            let mut units = self.units.lock().expect("no thread panics with the lock");
            units.insert((root.to_owned(), language), (unit, items));
        } else {
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
        }
    }

    /// The items of a reading, and a digest of its look.
    fn items(&self, reading: &unit::Reading, language: Language) -> (Items, String) {
        // An earlier include of a header makes no difference to the parser.
        let seen = |mark| match mark {
            Mark::Code | Mark::Hidden | Mark::Scope => mark as u8,
            _ => Mark::Off as u8,
        };
        let marks: Vec<u8> = reading.marks.iter().map(|&mark| seen(mark)).collect();
        let key = Digest::new("marks")
            .field(language.name())
            .field(&reading.file.path)
            .field(&marks)
            .hex();
        if let Some(known) = self.cache.get(&key) {
            return (known, key);
        }
        let mut items = items::items_of(reading, language);
        let mut table = self.names.table();
        for item in &mut items {
            item.number(&mut table);
        }
        drop(table);
        let items = self.cache.put(key.clone(), Arc::new(items));
        (items, key)
    }
}

/// About the bytes that a unit and its items take; other units may share the items.
fn weight(unit: &TranslationUnit, items: &[Items]) -> usize {
    let marks = unit.readings.iter().map(|reading| reading.marks.len());
    let items = items.iter().flat_map(|items| items.iter());
    let items = items.map(Item::weight).sum::<usize>() / 4;
    marks.sum::<usize>() + items + unit.macro_events.len() * size_of::<MacroEvent>()
}

/// The inside of a string literal that begins at a byte, without its quotation marks and the text before them.
fn inside(start: usize, written: &str) -> Option<Quoted> {
    let open = written.find('"')?;
    let (open, close) = if written.get(..open)?.ends_with('R') {
        (written.find('(')?, written.rfind(')')?)
    } else {
        (open, written.rfind('"')?)
    };
    (open < close).then(|| Quoted {
        range: start + open + 1..start + close,
        may_be_empty: true,
    })
}
