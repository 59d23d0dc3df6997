//! The first pass: every function definition of a source, each once, and the code that no translation unit switches
//! on.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use barecode_languages::lex::{TokenKind, lex};
use barecode_languages::other_systems::system_of;
use barecode_languages::{FileKind, of_path, title};
use barecode_records::{Account, DocPlace, FunctionKind, Language, Reason, Spool};
use barecode_sources::{Content, Source, mined_paths};
use foldhash::HashSet;
use rayon::prelude::*;

use super::Context;
use super::active::Active;
use crate::doc;
use crate::extract::found::{Found, FoundDoc, FoundText, refuse_file, refused};
use crate::items::{self, Item, ItemKind, NameKind};
use crate::outline::{self, Outlined};
use crate::preprocess::unit::{self, Mark, TranslationUnit};

/// Functions that have a row or will have one, by file: name and bytes.
type Known = BTreeMap<Arc<str>, Vec<(Box<str>, Range<usize>)>>;

/// Bytes that are switched on, by file, with the first of the languages of the units that read it.
type ActiveFiles = BTreeMap<Arc<str>, (Language, Active)>;

/// The content of translation units.
#[derive(Default)]
struct Seen {
    /// By file and first byte: the turn of the unit that counts, and the function.
    found: BTreeMap<(Arc<str>, usize), (usize, Found)>,
    active: ActiveFiles,
    /// The digests of the readings that are in `active`.
    looks: HashSet<String>,
    /// The files that were read and whose functions are requested.
    visited: BTreeSet<Arc<str>>,
    /// Why files that units begin with are not read, by turn: another language, or too much of it.
    refused: BTreeMap<usize, (Arc<str>, Reason, String)>,
}

impl Seen {
    /// Adds a function that a unit has; its text goes to the others.
    fn found(&mut self, turn: usize, mut found: Found, texts: &Spool) {
        let place = (found.path.clone(), found.range.start);
        // A unit that keeps the function wins over one that refuses it; otherwise the first wins.
        let rank = |turn: usize, found: &Found| (found.refused.is_some(), turn);
        match self.found.get(&place) {
            Some((before, known)) if rank(*before, known) <= rank(turn, &found) => {}
            _ => {
                found.move_to(texts);
                self.found.insert(place, (turn, found));
            }
        }
    }

    /// Adds bytes of a file that a unit switches on. Which of the units with equal readings comes first is left to
    /// chance, so the language is the first of all.
    fn active(&mut self, path: Arc<str>, language: Language, active: Active) {
        let (first, known) = self
            .active
            .entry(path)
            .or_insert_with(|| (language, Active::default()));
        *first = language.min(*first);
        known.add(active);
    }
}

impl Context<'_> {
    /// The first pass: every function definition of the source, each once.
    pub(super) fn find(&self, account: &mut Account) -> Vec<Found> {
        let roots: Vec<(&String, Language)> = self
            .asked
            .mined
            .iter()
            .filter_map(|path| Some((path, language_of_unit(path)?)))
            .collect();
        let seen = Mutex::new(Seen::default());
        roots
            .par_iter()
            .enumerate()
            .for_each(|(turn, &(root, language))| self.look(root, language, turn, &seen));
        // Headers that no unit includes are read by themselves: header-only libraries, public interfaces.
        let mut seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        let visited = std::mem::take(&mut seen.visited);
        let cpp = roots
            .iter()
            .filter(|(_, language)| *language == Language::CPP);
        // A header that could be either has the language of most of the units around it.
        let either = if cpp.count() * 2 > roots.len() {
            Language::CPP
        } else {
            Language::C
        };
        let alone: Vec<(&String, Language)> = self
            .asked
            .mined
            .par_iter()
            .filter(|path| !visited.contains(path.as_str()))
            .filter_map(|path| Some((path, self.language_of_header(path, either)?)))
            .collect();
        let seen = Mutex::new(seen);
        alone
            .par_iter()
            .enumerate()
            .for_each(|(turn, &(root, language))| {
                self.look(root, language, roots.len() + turn, &seen);
            });
        let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner);
        for (root, reason, detail) in seen.refused.into_values() {
            refuse_file(self.asked.source, &root, (reason, detail), account);
        }
        let mut known: Known = BTreeMap::new();
        for ((path, _), (_, found)) in &seen.found {
            let place = (found.name.clone(), found.range.clone());
            known.entry(path.clone()).or_default().push(place);
        }
        self.inactive(&seen.active, &mut known, account);
        self.unplaced(&seen.active, &known, account);
        seen.found.into_values().map(|(_, found)| found).collect()
    }

    /// Sets aside code that a reader would call a function and that has no row yet.
    fn unplaced(&self, active: &ActiveFiles, known: &Known, account: &mut Account) {
        let unread: BTreeSet<String> = account.files_left_out().collect();
        let of_units = |path: &&String| of_path(path).is_some_and(|(entry, _)| entry.is_compiled());
        let targets = self.asked.mined.iter().filter(of_units);
        for path in targets.filter(|path| !unread.contains(*path)) {
            let file = self.file(path);
            let active = active.get(path.as_str()).map(|(_, active)| active);
            let known = known.get(path.as_str()).map_or(&[][..], Vec::as_slice);
            for function in without_row(outline::functions(&file.text, &file.lines), known) {
                let is_active = active.map(|active| active.has(function.open));
                let (reason, detail) = match is_active {
                    Some(true) => (Reason::Unplaced, String::new()),
                    Some(false) => (Reason::InactiveConfig, String::new()),
                    None => {
                        let detail = "nothing that is read includes the file".to_owned();
                        (Reason::InactiveConfig, detail)
                    }
                };
                let lines = file.lines_of(&function.range);
                let why = (reason, detail);
                let row = refused(self.asked.source, path, lines, &function.name, why);
                account.set_aside("functions", &row);
            }
        }
    }

    /// The language of a header that is read by itself; `None` for files that are not.
    fn language_of_header(&self, path: &str, either: Language) -> Option<Language> {
        match of_path(path) {
            Some((entry, FileKind::Header)) if entry.language == Language::C => {}
            Some((entry, FileKind::Header)) if entry.is_compiled() => return Some(entry.language),
            _ => return None,
        }
        let file = self.file(path);
        if looks_like_cpp(&file.text) {
            return Some(Language::CPP);
        }
        Some(either)
    }

    /// Reads a unit, and adds what it has.
    fn look(&self, root: &str, language: Language, turn: usize, all: &Mutex<Seen>) {
        let shared = || all.lock().unwrap_or_else(PoisonError::into_inner);
        let refuse = |reason: Reason, detail: String| {
            shared().refused.insert(turn, (root.into(), reason, detail));
        };
        if self.asked.headers.of(language).is_none() {
            let detail = format!("{} is not read here", title(language));
            return refuse(Reason::FileOtherLanguage, detail);
        }
        let (unit, items, looks) = match self.read(root, language) {
            Ok(read) => read,
            Err(unit::TooLarge { bound }) => {
                return refuse(Reason::TranslationUnitTooLarge, bound);
            }
        };
        if is_module(&unit) {
            let detail = "it is a module of C++20".to_owned();
            return refuse(Reason::FileOtherLanguage, detail);
        }
        let shared_root: Arc<str> = root.into();
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
        let mut missing = unit.missing_headers.iter();
        let other_system = missing.find_map(|header| {
            let system = system_of(header)?;
            Some((Reason::OtherSystem, format!("{header}: {system}")))
        });
        for (at, reading) in unit.readings.iter().enumerate() {
            let path = &reading.file.path;
            if !self.asked.mined.contains(path) {
                continue;
            }
            let path: Arc<str> = self.shared_path(path);
            if shared().looks.insert(looks[at].clone()) {
                let on = reading.marks.iter().map(|&mark| mark != Mark::Off);
                let active = Active::of(on);
                shared().active(path.clone(), language, active);
            }
            let mut of_reading = Vec::new();
            for item in items[at].iter() {
                let wanted = |start: usize| !self.is_taken(&path, start, turn);
                let place = (&shared_root, &path);
                let known = (&classes, &macros);
                let mut found = found(&unit, at, item, place, known, &wanted);
                for found in &mut found {
                    found.refused = found
                        .refused
                        .take()
                        .or_else(|| other_system.clone().map(Box::new));
                }
                let kept = found.iter().filter(|found| found.refused.is_none());
                self.take(&path, kept.map(|found| found.range.start), turn);
                of_reading.extend(found);
            }
            let mut shared = shared();
            shared.visited.insert(path);
            for found in of_reading {
                shared.found(turn, found, self.asked.texts);
            }
        }
        drop((classes, macros));
        self.keep(root, language, unit, items);
    }

    /// Counts the functions that no translation unit switches on.
    fn inactive(&self, active: &ActiveFiles, known: &mut Known, account: &mut Account) {
        for (path, (language, active)) in active {
            let file = self.file(path);
            let active = active.bytes(file.text.len());
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
            // Code in force separates pieces that do not belong together.
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
                    let lines = file.lines_of(&range);
                    let why = (Reason::InactiveConfig, String::new());
                    let row = refused(self.asked.source, path, lines, &name, why);
                    account.set_aside("functions", &row);
                    let place = (name, range);
                    known.entry(path.clone()).or_default().push(place);
                }
                start = end;
            }
        }
    }
}

/// The functions without a known counterpart: of the same name if possible, each once.
fn without_row(outlined: Vec<Outlined>, known: &[(Box<str>, Range<usize>)]) -> Vec<Outlined> {
    let mut by_start: Vec<&(Box<str>, Range<usize>)> = known.iter().collect();
    by_start.sort_by_key(|(_, range)| range.start);
    let mut claimed = vec![false; by_start.len()];
    let mut claim = |function: &Outlined, same_name: bool| {
        let before = by_start.partition_point(|(_, range)| range.start <= function.open);
        let fits = (0..before).rev().take(64).find(|&at| {
            let (name, range) = by_start[at];
            !claimed[at]
                && range.contains(&function.open)
                && (!same_name || **name == *function.name)
        });
        fits.inspect(|&at| claimed[at] = true).is_some()
    };
    let mut rest = outlined;
    for same_name in [true, false] {
        rest.retain(|function| !claim(function, same_name));
    }
    rest
}

/// The functions in a piece of a file that is switched off; hidden text in it is blank.
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

/// Returns `true` if a source has files in C++, by ending or by look, whose functions are requested.
pub fn needs_cpp(source: &Source) -> bool {
    mined_paths(source).any(|(path, file)| match of_path(path) {
        Some((_, FileKind::Included)) | None => false,
        Some((entry, FileKind::Header)) if entry.language == Language::C => {
            matches!(&file.content, Content::Bytes(bytes)
                if std::str::from_utf8(&bytes.bytes()).is_ok_and(looks_like_cpp))
        }
        Some((entry, _)) => entry.language == Language::CPP,
    })
}

/// The language of a file that is compiled by itself; `None` for files that are included.
fn language_of_unit(path: &str) -> Option<Language> {
    let (entry, kind) = of_path(path)?;
    (kind == FileKind::Unit && entry.is_compiled()).then_some(entry.language)
}

/// Returns `true` if a header has words at the start of declarations that only C++ has in that position.
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
            // Code under `#ifdef __cplusplus` does not make a header C++.
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

/// Returns `true` if the file a unit begins with declares a module, which headers know and act on.
fn is_module(unit: &TranslationUnit) -> bool {
    let root = unit
        .readings
        .iter()
        .find(|reading| reading.file.path == unit.root);
    let Some(root) = root.filter(|_| unit.language == Language::CPP) else {
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
    (root, path): (&Arc<str>, &Arc<str>),
    (classes, macros): (&BTreeSet<&str>, &HashSet<&str>),
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<Found> {
    let mut all = Vec::new();
    let one = |name: &str, range: &Range<usize>, has_error: bool, typeless: bool| {
        let file = &unit.readings[reading].file;
        let text = crate::emit::text(unit, reading, range.clone());
        let is_macro = macros.contains(name);
        let head = || text.lines().next().unwrap_or_default().chars().take(120);
        let (start_line, end_line) = file.lines_of(range);
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
            root: root.clone(),
            language: unit.language,
            kind: FunctionKind::Function,
            is_template: false,
            path: path.clone(),
            start_line,
            end_line,
            doc: doc::before(file, range.start, name, DocPlace::Definition)
                .map(|doc| FoundDoc::here(&doc)),
            range: range.clone(),
            name: name.into(),
            text: FoundText::here(text),
            refused: refused.map(Box::new),
        }
    };
    if item.kind == ItemKind::Function && wanted(item.range.start) {
        let name = item.function_name().unwrap_or_default();
        let mut function = one(name, &item.range, item.has_error, item.typeless);
        function.is_template = item.is_template;
        function.kind = item.function;
        if item.lost && function.refused.is_none() {
            let detail = "it is `const` and in no class that the parser knows".to_owned();
            function.refused = Some(Box::new((Reason::ParseError, detail)));
        }
        // A function that a namespace qualifies is not a method.
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
        let detail = format!("inside of `{around}`");
        function.refused = Some(Box::new((Reason::LocalFunction, detail)));
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

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "for" | "while" | "switch" | "return" | "sizeof" | "do" | "else" | "defined"
    )
}
