//! A source → its functions, and what was set aside.
//!
//! Three passes. The first reads every translation unit and finds the functions; the second drops doubles
//! and draws a sample where the recipe limits the source; the third reads the translation units of what is
//! left again and builds the closures. Reading twice costs less than holding every translation unit of a
//! large repository in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use barecode_records::{
    Closure, Counts, Digest, DocComment, DocPlace, Function, FunctionKind, Language, Reason,
    SetAside, Stage,
};
use barecode_sources::{Content, Source, mined_paths, origin, readable};
use foldhash::{HashMap, HashSet};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::closure::{Bounds, Index, Target, external};
use crate::definitions::Definitions;
use crate::doc;
use crate::items::{self, Item, ItemKind, NameKind};
use crate::names::Names;
use crate::preprocess::headers::{Dialects, MoreHeaders};
use crate::preprocess::lex::{TokenKind, lex};
use crate::preprocess::unit::{self, Files, Mark, SourceText, TranslationUnit};

/// The `[extract]` part of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExtractConfig {
    /// Files larger than this many bytes are set aside.
    pub max_file_bytes: u64,
    /// Functions whose closure is larger than this many bytes are set aside.
    pub max_closure_bytes: u32,
    /// Functions whose closure has more items than this are set aside.
    pub max_closure_items: u32,
    /// Where a closure is larger than this many bytes, helpers stand in it as prototypes.
    pub max_bytes_with_helpers: u32,
    /// What units may include besides the headers of the lists.
    pub standard_headers: MoreHeaders,
}

impl Default for ExtractConfig {
    fn default() -> Self {
        ExtractConfig {
            max_file_bytes: 16 << 20,
            max_closure_bytes: 256 << 10,
            max_closure_items: 10_000,
            max_bytes_with_helpers: 64 << 10,
            standard_headers: MoreHeaders::default(),
        }
    }
}

/// What came out of a source.
#[derive(Debug, Clone, Default)]
pub struct Extraction {
    /// The functions that were kept, by path and place.
    pub functions: Vec<Function>,
    /// Files and functions that were not.
    pub set_aside: Vec<SetAside>,
    /// The account of files.
    pub files: Counts,
    /// The account of functions.
    pub counts: Counts,
}

/// Extracts the functions of a source. Never fails on source text: what cannot be read is set aside.
pub fn extract(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
) -> Extraction {
    let readable = readable(source, config.max_file_bytes);
    let mut extraction = Extraction {
        set_aside: readable.set_aside,
        files: readable.counts,
        ..Extraction::default()
    };
    let texts = readable.texts.into_iter();
    let context = Context {
        source,
        config,
        headers,
        targets: &readable.mined,
        files: texts
            .map(|(path, text)| (path.clone(), Arc::new(SourceText::new(path, text))))
            .collect(),
        names: Names::default(),
        cache: Mutex::default(),
        taken: Mutex::default(),
        units: Mutex::default(),
        kept_bytes: AtomicUsize::new(0),
    };
    let found = context.find(&mut extraction);
    let definitions = Definitions::of(&found);
    let sampled = context.sample(found, seed, &mut extraction);
    context.close(sampled, &definitions, &mut extraction);
    extraction.functions.sort_by(|a, b| {
        let key = |function: &Function| {
            (
                function.origin.path.clone(),
                function.origin.start_line,
                function.id.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    extraction.set_aside.sort_by(|a, b| {
        let key = |row: &SetAside| {
            (
                row.origin
                    .as_ref()
                    .map(|origin| (origin.path.clone(), origin.start_line)),
                row.name.clone(),
                row.reason,
            )
        };
        key(a).cmp(&key(b))
    });
    extraction
}

/// A function that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) root: String,
    pub(crate) language: Language,
    kind: FunctionKind,
    pub(crate) is_template: bool,
    pub(crate) path: String,
    pub(crate) range: Range<usize>,
    pub(crate) name: String,
    pub(crate) text: String,
    doc: Option<DocComment>,
    start_line: u32,
    end_line: u32,
    pub(crate) refused: Option<(Reason, String)>,
}

impl Found {
    /// What it is to its language.
    pub(crate) fn kind(&self) -> FunctionKind {
        self.kind
    }
}

/// What one translation unit shows.
#[derive(Default)]
struct Seen {
    found: Vec<Found>,
    /// Bytes that are switched on, by file.
    active: BTreeMap<String, Vec<bool>>,
    /// The files that were read and whose functions are wanted.
    visited: BTreeSet<String>,
    language: Option<Language>,
    /// Why the file it begins with is not read: another language, or too much of it.
    refused: Option<(String, Reason, String)>,
}

/// The items of a reading; readings that look alike share them.
type Items = Arc<Vec<Item>>;

/// Units that were read, by the file they begin with and the language.
type Units = BTreeMap<(String, Language), (TranslationUnit, Vec<Items>)>;

struct Context<'a> {
    source: &'a Source,
    config: &'a ExtractConfig,
    headers: &'a Dialects,
    targets: &'a BTreeSet<String>,
    files: Files,
    /// The names that items mention and declare.
    names: Names,
    /// Items by the digest of what the parser sees of a file: headers look alike in most units.
    cache: Mutex<HashMap<String, Items>>,
    /// The first unit in turn that keeps the function at a place, by file and byte.
    taken: Mutex<HashMap<String, HashMap<usize, usize>>>,
    /// Units that are kept for the third pass.
    units: Mutex<Units>,
    kept_bytes: AtomicUsize,
}

/// How many bytes of source text the units that are kept may have; the others are read twice.
const KEPT_BYTES: usize = 128 << 20;

impl Context<'_> {
    fn read(
        &self,
        root: &str,
        language: Language,
    ) -> Result<(TranslationUnit, Vec<Items>, Vec<bool>), unit::TooLarge> {
        let headers = self
            .headers
            .of(language)
            .expect("files of other languages are set aside before");
        let unit = unit::read(root, &self.files, headers, &self.source.config().defines)?;
        let (items, new) = unit
            .readings
            .iter()
            .map(|reading| self.items(reading, language))
            .unzip();
        Ok((unit, items, new))
    }

    /// A file that was read before.
    fn file(&self, path: &str) -> &SourceText {
        self.files
            .get(path)
            .expect("targets and readings are files")
    }

    /// Whether a unit that comes before this one in turn keeps the function at this place.
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

    /// Keeps a unit for the third pass, while there is room.
    fn keep(&self, root: &str, language: Language, unit: TranslationUnit, items: Vec<Items>) {
        let bytes: usize = unit
            .readings
            .iter()
            .map(|reading| reading.marks.len())
            .sum();
        let kept = self.kept_bytes.fetch_add(bytes, Ordering::Relaxed);
        if kept + bytes <= KEPT_BYTES {
            let mut units = self.units.lock().expect("no thread panics with the lock");
            units.insert((root.to_owned(), language), (unit, items));
        }
    }

    /// The items of a reading, and whether it is the first that looks like this.
    fn items(&self, reading: &unit::Reading, language: Language) -> (Items, bool) {
        // Whether a header was included before or here makes no difference to the parser.
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
        if let Some(known) = self
            .cache
            .lock()
            .expect("no thread panics with the lock")
            .get(&key)
        {
            return (known.clone(), false);
        }
        let mut items = items::items_of(reading, language);
        let mut table = self.names.table();
        for item in &mut items {
            item.number(&mut table);
        }
        drop(table);
        let items = Arc::new(items);
        let before = self
            .cache
            .lock()
            .expect("no thread panics with the lock")
            .insert(key, items.clone());
        (items, before.is_none())
    }

    /// The first pass: every function definition of the source, each once.
    fn find(&self, extraction: &mut Extraction) -> Vec<Found> {
        let roots: Vec<(&String, Language)> = self
            .targets
            .iter()
            .filter_map(|path| Some((path, language_of_unit(path)?)))
            .collect();
        let mut seen: Vec<Seen> = roots
            .par_iter()
            .enumerate()
            .map(|(turn, &(root, language))| self.look(root, language, turn))
            .collect();
        // Headers that no unit includes are read by themselves: header-only libraries, public interfaces.
        let visited: BTreeSet<String> = seen
            .iter()
            .flat_map(|seen| seen.visited.iter().cloned())
            .collect();
        let alone: Vec<(&String, Language)> = self
            .targets
            .iter()
            .filter(|path| !visited.contains(*path))
            .filter_map(|path| Some((path, self.language_of_header(path, &roots)?)))
            .collect();
        seen.extend(
            alone
                .par_iter()
                .enumerate()
                .map(|(turn, &(root, language))| self.look(root, language, roots.len() + turn))
                .collect::<Vec<_>>(),
        );

        let mut active: BTreeMap<String, (Language, Vec<bool>)> = BTreeMap::new();
        let mut by_place: BTreeMap<(String, usize), Found> = BTreeMap::new();
        for one in seen {
            for (path, bytes) in one.active {
                let language = one.language.unwrap_or(Language::C);
                let (first, known) = active
                    .entry(path)
                    .or_insert_with(|| (language, vec![false; bytes.len()]));
                // Which unit brings a reading is a matter of luck; the languages are not.
                *first = language.min(*first);
                known
                    .iter_mut()
                    .zip(bytes)
                    .for_each(|(known, byte)| *known |= byte);
            }
            for found in one.found {
                let place = (found.path.clone(), found.range.start);
                // A unit that keeps the function wins over one that refuses it; else the first does.
                match by_place.get(&place) {
                    Some(known) if known.refused.is_none() || found.refused.is_some() => {}
                    _ => {
                        by_place.insert(place, found);
                    }
                }
            }
            if let Some((root, reason, detail)) = one.refused {
                extraction.files.kept -= 1;
                *extraction
                    .files
                    .set_aside
                    .entry(reason.code().to_owned())
                    .or_default() += 1;
                extraction.set_aside.push(SetAside {
                    stage: Stage::Extract,
                    kind: "file".to_owned(),
                    id: None,
                    origin: Some(origin(self.source, &root, 1, 1)),
                    name: None,
                    reason,
                    detail,
                });
            }
        }
        self.inactive(&active, extraction);
        by_place.into_values().collect()
    }

    /// The language of a header that is read by itself; `None` for files that are not.
    fn language_of_header(&self, path: &str, units: &[(&String, Language)]) -> Option<Language> {
        match ending(path) {
            "h" => {}
            ending if CPP_HEADERS.contains(&ending) => return Some(Language::Cpp),
            _ => return None,
        }
        let file = self.file(path);
        if looks_like_cpp(&file.text) {
            return Some(Language::Cpp);
        }
        // A header that could be either is what most of the units around it are.
        let cpp = units
            .iter()
            .filter(|(_, language)| *language == Language::Cpp)
            .count();
        let is_cpp = cpp * 2 > units.len();
        Some(if is_cpp { Language::Cpp } else { Language::C })
    }

    fn look(&self, root: &str, language: Language, turn: usize) -> Seen {
        let mut seen = Seen {
            language: Some(language),
            ..Seen::default()
        };
        if self.headers.of(language).is_none() {
            let detail = format!("{language} is not read here");
            seen.refused = Some((root.to_owned(), Reason::FileOtherLanguage, detail));
            return seen;
        }
        let (unit, items, new) = match self.read(root, language) {
            Ok(read) => read,
            Err(unit::TooLarge { bound }) => {
                let reason = Reason::TranslationUnitTooLarge;
                seen.refused = Some((root.to_owned(), reason, bound));
                return seen;
            }
        };
        if is_module(&unit) {
            let detail = "it is a module of C++20".to_owned();
            seen.refused = Some((root.to_owned(), Reason::FileOtherLanguage, detail));
            return seen;
        }
        let classes: BTreeSet<&str> = items
            .iter()
            .flat_map(|items| items.iter())
            .flat_map(|item| &item.declares)
            .filter(|declared| declared.kind == NameKind::Tag)
            .map(|declared| &*declared.name)
            .collect();
        let macros = unit.macro_events.iter().filter(|event| {
            let definition = event.definition.as_ref();
            definition.is_some_and(|definition| definition.parameters.is_some())
        });
        let macros: HashSet<&str> = macros.map(|event| &*event.name).collect();
        for (at, reading) in unit.readings.iter().enumerate() {
            let path = &reading.file.path;
            if !self.targets.contains(path) {
                continue;
            }
            seen.visited.insert(path.clone());
            if new[at] {
                let on = reading.marks.iter().map(|&mark| mark != Mark::Off);
                let known = seen
                    .active
                    .entry(path.clone())
                    .or_insert_with(|| vec![false; reading.marks.len()]);
                known
                    .iter_mut()
                    .zip(on)
                    .for_each(|(known, on)| *known |= on);
            }
            for item in items[at].iter() {
                let wanted = |start: usize| !self.is_taken(path, start, turn);
                let found = found(&unit, at, item, root, (&classes, &macros), &wanted);
                let kept = found.iter().filter(|found| found.refused.is_none());
                self.take(path, kept.map(|found| found.range.start), turn);
                seen.found.extend(found);
            }
        }
        drop((classes, macros));
        self.keep(root, language, unit, items);
        seen
    }

    /// Counts the functions that no translation unit switches on.
    fn inactive(
        &self,
        active: &BTreeMap<String, (Language, Vec<bool>)>,
        extraction: &mut Extraction,
    ) {
        for (path, (language, active)) in active {
            let file = self.file(path);
            let mut hidden = active.clone();
            let covered = file
                .lines
                .comments
                .iter()
                .map(|comment| comment.start..comment.end);
            let covered = covered.chain(
                file.lines
                    .directives
                    .iter()
                    .map(|directive| directive.start..directive.end),
            );
            // What is in force stands between pieces that belong to nothing together.
            let bytes = file.text.as_bytes();
            let mut cuts: Vec<bool> = active
                .iter()
                .zip(bytes)
                .map(|(&active, byte)| active && !byte.is_ascii_whitespace())
                .collect();
            for range in covered {
                hidden[range.clone()].fill(true);
                cuts[range].fill(false);
            }
            let mut start = 0;
            for piece in cuts.split_inclusive(|&cut| cut) {
                let end = start + piece.len();
                for (name, range) in hidden_functions(bytes, &hidden, start..end, *language) {
                    let (first, last) = (
                        file.line_of(range.start),
                        file.line_of(range.end.saturating_sub(1)),
                    );
                    let reason = Reason::InactiveConfig;
                    let detail = String::new();
                    self.refuse(extraction, Some(&name), path, first, last, reason, detail);
                }
                start = end;
            }
        }
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of one row")]
    fn refuse(
        &self,
        extraction: &mut Extraction,
        name: Option<&str>,
        path: &str,
        start_line: u32,
        end_line: u32,
        reason: Reason,
        detail: String,
    ) {
        extraction.counts.set_aside(reason);
        extraction.set_aside.push(SetAside {
            stage: Stage::Extract,
            kind: "function".to_owned(),
            id: None,
            origin: Some(origin(self.source, path, start_line, end_line)),
            name: name.filter(|name| !name.is_empty()).map(str::to_owned),
            reason,
            detail,
        });
    }

    fn refuse_found(
        &self,
        extraction: &mut Extraction,
        found: &Found,
        reason: Reason,
        detail: String,
    ) {
        let (start, end) = (found.start_line, found.end_line);
        self.refuse(
            extraction,
            Some(&found.name),
            &found.path,
            start,
            end,
            reason,
            detail,
        );
    }

    /// The second pass: without doubles, and no more than the recipe's limit.
    fn sample(&self, found: Vec<Found>, seed: u64, extraction: &mut Extraction) -> Vec<Found> {
        let mut first_place: BTreeMap<String, String> = BTreeMap::new();
        let mut kept = Vec::new();
        for found in found {
            if let Some((reason, detail)) = found.refused.clone() {
                self.refuse_found(extraction, &found, reason, detail);
                continue;
            }
            let tokens = lex(&found.text);
            let tokens = tokens
                .iter()
                .filter(|token| token.kind != TokenKind::Newline);
            let digest = Digest::new("tokens")
                .fields(tokens.map(|token| token.text(&found.text)))
                .hex();
            let place = format!("{}:{}", found.path, found.start_line);
            if let Some(first) = first_place.get(&digest) {
                let detail = format!("of {first}");
                self.refuse_found(extraction, &found, Reason::Duplicate, detail);
            } else {
                first_place.insert(digest, place);
                kept.push(found);
            }
        }
        let Some(limit) = self
            .source
            .config()
            .limit
            .map(|limit| limit as usize)
            .filter(|&limit| limit < kept.len())
        else {
            return kept;
        };
        let lot = |found: &Found| {
            let id = Function::id_of(self.source.label(), &found.path, &found.name, &found.text);
            Digest::new("sample")
                .field(seed.to_le_bytes())
                .field(id)
                .hex()
        };
        let mut lots: Vec<(String, Found)> =
            kept.into_iter().map(|found| (lot(&found), found)).collect();
        lots.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, found) in lots.split_off(limit) {
            self.refuse_found(
                extraction,
                &found,
                Reason::NotSampled,
                format!("`limit = {limit}`"),
            );
        }
        lots.into_iter().map(|(_, found)| found).collect()
    }

    /// The third pass: closures.
    fn close(&self, sampled: Vec<Found>, definitions: &Definitions, extraction: &mut Extraction) {
        let mut by_root: BTreeMap<(String, Language), Vec<Found>> = BTreeMap::new();
        for found in sampled {
            let key = (found.root.clone(), found.language);
            by_root.entry(key).or_default().push(found);
        }
        let closed: Vec<Vec<(Found, Result<Function, String>)>> = by_root
            .into_par_iter()
            .map(|((root, language), found)| self.close_unit(&root, language, found))
            .collect();
        let mut closed: Vec<(Found, Result<Function, String>)> =
            closed.into_iter().flatten().collect();
        self.bring_helpers(&mut closed, definitions);
        for (found, result) in closed {
            match result {
                Ok(function) => {
                    extraction.counts.keep();
                    extraction.functions.push(function);
                }
                Err(detail) => {
                    self.refuse_found(extraction, &found, Reason::ClosureTooLarge, detail);
                }
            }
        }
    }

    fn close_unit(
        &self,
        root: &str,
        language: Language,
        found: Vec<Found>,
    ) -> Vec<(Found, Result<Function, String>)> {
        let (unit, items) = self.unit(root, language);
        let index = Index::new(&unit, &items, &self.names);
        let places = places(&unit, &items, &index);
        let close = |found: Found| {
            let target = places[&(&*found.path, found.range.start)];
            let function = self.function(&unit, &index, target, &found);
            (found, function)
        };
        let closed = found.into_par_iter().map(close).collect();
        drop(places);
        drop(index);
        self.keep(root, language, unit, items);
        closed
    }

    /// A unit that the first pass read, kept or read again.
    fn unit(&self, root: &str, language: Language) -> (TranslationUnit, Vec<Items>) {
        let mut units = self.units.lock().expect("no thread panics with the lock");
        let kept = units.remove(&(root.to_owned(), language));
        drop(units);
        if let Some((unit, items)) = kept {
            let bytes: usize = unit
                .readings
                .iter()
                .map(|reading| reading.marks.len())
                .sum();
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return (unit, items);
        }
        let (unit, items, _) = self
            .read(root, language)
            .expect("the first pass read the same unit");
        (unit, items)
    }

    /// The fourth pass: bodies of helpers that other files define.
    fn bring_helpers(
        &self,
        closed: &mut [(Found, Result<Function, String>)],
        definitions: &Definitions,
    ) {
        let functions = closed
            .iter()
            .filter_map(|(_, function)| function.as_ref().ok());
        let mut by_root: BTreeMap<(&str, Language), BTreeSet<(&str, usize)>> = BTreeMap::new();
        for function in functions {
            for (_, definition) in definitions.elsewhere(function) {
                let root = (definition.root.as_str(), definition.language);
                let place = (definition.path.as_str(), definition.start);
                by_root.entry(root).or_default().insert(place);
            }
        }
        let brought: BTreeMap<(&str, usize), Closure> = by_root
            .into_par_iter()
            .flat_map_iter(|((root, language), wanted)| {
                let (unit, items) = self.unit(root, language);
                let index = Index::new(&unit, &items, &self.names);
                let places = places(&unit, &items, &index);
                let close = |place: (&'_ str, usize)| {
                    let target = *places.get(&place)?;
                    let references = index.references(target);
                    let label = self.source.label();
                    let closure =
                        index.signature_closure(target, &references, label, self.bounds());
                    closure.ok()
                };
                let closures: Vec<_> = wanted
                    .into_iter()
                    .filter_map(|place| Some((place, close(place)?)))
                    .collect();
                closures
            })
            .collect();
        closed.par_iter_mut().for_each(|(_, function)| {
            let Ok(function) = function else { return };
            for (name, definition) in definitions.elsewhere(function) {
                let place = (definition.path.as_str(), definition.start);
                let merged = brought.get(&place).and_then(|closure| {
                    let id = Function::id_of(
                        self.source.label(),
                        &definition.path,
                        &name,
                        closure.target.of(&closure.text),
                    );
                    let bytes = self.bounds().bytes_with_helpers;
                    external::merged(&function.closure, closure, &name, &id, bytes)
                });
                match merged {
                    Some(merged) => function.closure = merged,
                    None => function.closure.helper_external.push(name),
                }
            }
        });
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            bytes: self.config.max_closure_bytes as usize,
            items: self.config.max_closure_items as usize,
            bytes_with_helpers: self.config.max_bytes_with_helpers as usize,
        }
    }

    fn function(
        &self,
        unit: &TranslationUnit,
        index: &Index,
        target: Target,
        found: &Found,
    ) -> Result<Function, String> {
        let references = index.references(target);
        let bounds = self.bounds();
        let closure = index
            .closure(target, &references, self.source.label(), bounds)
            .map_err(|too_large| {
                let (bytes, items) = (too_large.bytes, too_large.items);
                format!(
                    "reached {bytes} bytes in {items} items, the limits are {} and {}",
                    bounds.bytes, bounds.items
                )
            })?;
        let declared_doc = || {
            index
                .prototypes(target)
                .into_iter()
                .find_map(|(reading, start)| {
                    let file = &unit.readings[reading].file;
                    doc::before(file, start, DocPlace::Declaration)
                })
        };
        Ok(Function {
            id: Function::id_of(self.source.label(), &found.path, &found.name, &found.text),
            origin: origin(self.source, &found.path, found.start_line, found.end_line),
            language: found.language,
            name: found.name.clone(),
            qualified_name: index.qualified_name(target),
            kind: found.kind,
            is_template: found.is_template,
            translation_unit: found.root.clone(),
            text: found.text.clone(),
            doc: found.doc.clone().or_else(declared_doc),
            references,
            closure,
        })
    }
}

/// The functions in a piece of a file that is switched off: what is hidden there is blank.
fn hidden_functions(
    bytes: &[u8],
    hidden: &[bool],
    piece: Range<usize>,
    language: Language,
) -> Vec<(Box<str>, Range<usize>)> {
    let shown = |at: usize| match bytes[at] {
        b'\n' => b'\n',
        _ if hidden[at] => b' ',
        byte => byte,
    };
    if !piece.clone().any(|at| shown(at) == b'{') {
        return Vec::new();
    }
    let text = String::from_utf8(piece.clone().map(shown).collect()).unwrap_or_default();
    let functions = items::functions_in(&text, language).into_iter();
    let named = functions.filter(|(name, _)| !name.is_empty() && !is_keyword(name));
    named
        .map(|(name, range)| (name, piece.start + range.start..piece.start + range.end))
        .collect()
}

/// Where the functions of a unit stand: by file and first byte.
fn places<'a>(
    unit: &'a TranslationUnit,
    items: &[Items],
    index: &Index,
) -> BTreeMap<(&'a str, usize), Target> {
    let mut places = BTreeMap::new();
    for (at, placed) in index.placed().iter().enumerate() {
        let path = &*unit.readings[placed.reading].file.path;
        let item = &items[placed.reading][placed.item];
        let whole = Target {
            item: at,
            inner: None,
        };
        if item.kind == ItemKind::Function {
            places.entry((path, item.range.start)).or_insert(whole);
        }
        for (number, inner) in item.inner.iter().enumerate() {
            places.entry((path, inner.range.start)).or_insert(Target {
                item: at,
                inner: Some(number),
            });
        }
    }
    places
}

/// Whether a source has files whose functions are wanted and that are written in C++, by ending or by look.
pub fn needs_cpp(source: &Source) -> bool {
    mined_paths(source).any(|(path, file)| match ending(path) {
        "h" => matches!(&file.content, Content::Bytes(bytes)
            if std::str::from_utf8(bytes).is_ok_and(looks_like_cpp)),
        ending => language_of_unit(path) == Some(Language::Cpp) || CPP_HEADERS.contains(&ending),
    })
}

/// Endings of headers that only C++ has.
const CPP_HEADERS: [&str; 5] = ["hh", "hpp", "hxx", "h++", "H"];

/// The language of a file that is compiled by itself; `None` for files that are included.
fn language_of_unit(path: &str) -> Option<Language> {
    match ending(path) {
        "c" => Some(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "C" => Some(Language::Cpp),
        _ => None,
    }
}

/// Whether a header has words at the start of declarations that only C++ has there.
fn looks_like_cpp(text: &str) -> bool {
    const WORDS: [&str; 7] = [
        "namespace",
        "template",
        "class",
        "using",
        "public",
        "private",
        "constexpr",
    ];
    let mut begins = true;
    let mut guarded = 0_usize;
    let mut directive = false;
    let mut condition = 0_usize;
    for token in lex(text) {
        let shown = token.text(text);
        if token.kind == TokenKind::Newline {
            directive = false;
            continue;
        }
        if shown == "#" && begins_line(text, token.start) {
            directive = true;
            condition = 0;
            continue;
        }
        if directive {
            // What stands under `#ifdef __cplusplus` does not make a header C++.
            condition += 1;
            match (condition, shown) {
                (1, "if" | "ifdef" | "ifndef") => guarded += usize::from(guarded > 0),
                (1, "endif") => guarded = guarded.saturating_sub(1),
                (_, "__cplusplus") if guarded == 0 => guarded = 1,
                _ => {}
            }
            continue;
        }
        if guarded == 0 && begins && WORDS.contains(&shown) {
            return true;
        }
        begins = matches!(shown, ";" | "}" | "{");
    }
    false
}

/// Whether the file a unit begins with declares a module, which headers know and act on.
fn is_module(unit: &TranslationUnit) -> bool {
    let root = unit
        .readings
        .iter()
        .find(|reading| reading.file.path == unit.root);
    let Some(root) = root.filter(|_| unit.language == Language::Cpp) else {
        return false;
    };
    let mut words = root.file.lines.tokens.windows(2).map(|two| {
        let text = &root.file.text;
        (two[0].text(text), two[1].text(text))
    });
    words.any(|words| matches!(words, ("export" | ";", "module")))
}

fn begins_line(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim().is_empty()
}

/// Looks at the functions of an item that the parser found.
fn found(
    unit: &TranslationUnit,
    reading: usize,
    item: &Item,
    root: &str,
    (classes, macros): (&BTreeSet<&str>, &HashSet<&str>),
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<Found> {
    let mut all = Vec::new();
    let one = |name: &str, range: &Range<usize>, has_error: bool, typeless: bool| {
        let file = &unit.readings[reading].file;
        let text = crate::emit::text(unit, reading, range.clone());
        let is_macro = macros.contains(name);
        let head = || text.lines().next().unwrap_or_default().chars().take(120);
        let refused = if is_macro || name.is_empty() || typeless {
            Some((Reason::MacroGenerated, head().collect()))
        } else if has_error && !is_balanced(&text) {
            Some((
                Reason::ParseError,
                "its braces do not close where the parser ends it".to_owned(),
            ))
        } else {
            None
        };
        Found {
            root: root.to_owned(),
            language: unit.language,
            kind: FunctionKind::Function,
            is_template: false,
            path: file.path.clone(),
            start_line: file.line_of(range.start),
            end_line: file.line_of(range.end.saturating_sub(1)),
            doc: doc::before(file, range.start, DocPlace::Definition),
            range: range.clone(),
            name: name.to_owned(),
            text,
            refused,
        }
    };
    if item.kind == ItemKind::Function && wanted(item.range.start) {
        let name = item.function_name().unwrap_or_default();
        let mut function = one(name, &item.range, item.has_error, item.typeless);
        function.is_template = item.is_template;
        function.kind = item.function;
        if item.lost && function.refused.is_none() {
            let detail = "it is `const` and in no class that the parser knows".to_owned();
            function.refused = Some((Reason::ParseError, detail));
        }
        // What a namespace qualifies is no method.
        let in_class = item
            .qualifiers
            .last()
            .is_some_and(|class| classes.contains(&**class));
        if function.kind == FunctionKind::Method && !in_class {
            function.kind = FunctionKind::Function;
        }
        all.push(function);
    }
    for (name, range) in item.local.iter().filter(|(_, range)| wanted(range.start)) {
        let mut function = one(name, range, false, false);
        let around = item.function_name().unwrap_or_default();
        function.refused = Some((Reason::LocalFunction, format!("inside of `{around}`")));
        all.push(function);
    }
    for inner in item.inner.iter().filter(|inner| wanted(inner.range.start)) {
        let mut function = one(&inner.name, &inner.range, inner.has_error, inner.typeless);
        function.is_template = inner.is_template;
        function.kind = inner.kind;
        all.push(function);
    }
    all
}

fn is_balanced(text: &str) -> bool {
    let mut depth = 0_i64;
    let mut closed = 0;
    for token in lex(text) {
        match token.text(text) {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                closed += i64::from(depth == 0);
            }
            _ => {}
        }
    }
    depth == 0 && closed == 1
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "for" | "while" | "switch" | "return" | "sizeof" | "do" | "else" | "defined"
    )
}
