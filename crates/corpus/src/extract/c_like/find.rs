//! The first pass: every function definition of a source, each once, and the code that no translation unit switches
//! on.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_languages::lex::{TokenKind, lex};
use barecode_languages::other_systems::system_of;
use barecode_languages::{FileKind, of_path, title};
use barecode_records::{DocPlace, Function, FunctionKind, Language, Outcome, Reason};
use barecode_sources::{Content, Source, mined_paths};
use foldhash::HashSet;
use rayon::prelude::*;

use super::Context;
use crate::doc;
use crate::extract::found::{Found, refuse_file, refused};
use crate::items::{self, Item, ItemKind, NameKind};
use crate::outline::{self, Outlined};
use crate::preprocess::unit::{self, Mark, TranslationUnit};

/// Functions that have a row or will have one, by file: name and bytes.
type Known = BTreeMap<String, Vec<(String, Range<usize>)>>;

/// The content of one translation unit.
#[derive(Default)]
struct Seen {
    found: Vec<Found>,
    /// Bytes that are switched on, by file.
    active: BTreeMap<String, Vec<bool>>,
    /// The files that were read and whose functions are requested.
    visited: BTreeSet<String>,
    language: Option<Language>,
    /// Why the file it begins with is not read: another language, or too much of it.
    refused: Option<(String, Reason, String)>,
}

impl Context<'_> {
    /// The first pass: every function definition of the source, each once.
    pub(super) fn find(&self, extraction: &mut Outcome<Vec<Function>>) -> Vec<Found> {
        let roots: Vec<(&String, Language)> = self
            .asked
            .mined
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
            .asked
            .mined
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
                // The unit that brings a reading is a matter of luck; the languages are not.
                *first = language.min(*first);
                known
                    .iter_mut()
                    .zip(bytes)
                    .for_each(|(known, byte)| *known |= byte);
            }
            for found in one.found {
                let place = (found.path.clone(), found.range.start);
                // A unit that keeps the function wins over one that refuses it; otherwise the first wins.
                match by_place.get(&place) {
                    Some(known) if known.refused.is_none() || found.refused.is_some() => {}
                    _ => {
                        by_place.insert(place, found);
                    }
                }
            }
            if let Some((root, reason, detail)) = one.refused {
                refuse_file(self.asked.source, &root, (reason, detail), extraction);
            }
        }
        let mut known: Known = BTreeMap::new();
        for ((path, _), found) in &by_place {
            let place = (found.name.clone(), found.range.clone());
            known.entry(path.clone()).or_default().push(place);
        }
        self.inactive(&active, &mut known, extraction);
        self.unplaced(&active, &known, extraction);
        by_place.into_values().collect()
    }

    /// Sets aside code that a reader would call a function and that has no row yet.
    fn unplaced(
        &self,
        active: &BTreeMap<String, (Language, Vec<bool>)>,
        known: &Known,
        extraction: &mut Outcome<Vec<Function>>,
    ) {
        let unread: BTreeSet<String> = extraction
            .set_aside
            .iter()
            .filter(|row| row.kind == "file")
            .filter_map(|row| Some(row.origin.as_ref()?.path.clone()))
            .collect();
        let of_units = |path: &&String| of_path(path).is_some_and(|(entry, _)| entry.is_compiled());
        let targets = self.asked.mined.iter().filter(of_units);
        for path in targets.filter(|path| !unread.contains(*path)) {
            let file = self.file(path);
            let active = active.get(path).map(|(_, active)| active);
            let known = known.get(path).map_or(&[][..], Vec::as_slice);
            for function in without_row(outline::functions(&file.text, &file.lines), known) {
                let is_active = active.map(|active| active[function.open]);
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
                extraction.set_aside("functions", row);
            }
        }
    }

    /// The language of a header that is read by itself; `None` for files that are not.
    fn language_of_header(&self, path: &str, units: &[(&String, Language)]) -> Option<Language> {
        match of_path(path) {
            Some((entry, FileKind::Header)) if entry.language == Language::C => {}
            Some((entry, FileKind::Header)) if entry.is_compiled() => return Some(entry.language),
            _ => return None,
        }
        let file = self.file(path);
        if looks_like_cpp(&file.text) {
            return Some(Language::CPP);
        }
        // A header that could be either has the language of most of the units around it.
        let cpp = units
            .iter()
            .filter(|(_, language)| *language == Language::CPP)
            .count();
        let is_cpp = cpp * 2 > units.len();
        Some(if is_cpp { Language::CPP } else { Language::C })
    }

    fn look(&self, root: &str, language: Language, turn: usize) -> Seen {
        let mut seen = Seen {
            language: Some(language),
            ..Seen::default()
        };
        if self.asked.headers.of(language).is_none() {
            let detail = format!("{} is not read here", title(language));
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
                let mut found = found(&unit, at, item, root, (&classes, &macros), &wanted);
                for found in &mut found {
                    found.refused = found.refused.take().or_else(|| other_system.clone());
                }
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
        known: &mut Known,
        extraction: &mut Outcome<Vec<Function>>,
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
                    extraction.set_aside("functions", row);
                    let place = (name.into(), range);
                    known.entry(path.clone()).or_default().push(place);
                }
                start = end;
            }
        }
    }
}

/// The functions without a known counterpart: of the same name if possible, each once.
fn without_row(outlined: Vec<Outlined>, known: &[(String, Range<usize>)]) -> Vec<Outlined> {
    let mut by_start: Vec<&(String, Range<usize>)> = known.iter().collect();
    by_start.sort_by_key(|(_, range)| range.start);
    let mut claimed = vec![false; by_start.len()];
    let mut claim = |function: &Outlined, same_name: bool| {
        let before = by_start.partition_point(|(_, range)| range.start <= function.open);
        let fits = (0..before).rev().take(64).find(|&at| {
            let (name, range) = by_start[at];
            !claimed[at] && range.contains(&function.open) && (!same_name || *name == function.name)
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
                if std::str::from_utf8(bytes).is_ok_and(looks_like_cpp))
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
            root: root.to_owned(),
            language: unit.language,
            kind: FunctionKind::Function,
            is_template: false,
            path: file.path.clone(),
            start_line,
            end_line,
            doc: doc::before(file, range.start, name, DocPlace::Definition),
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

fn is_keyword(name: &str) -> bool {
    matches!(
        name,
        "if" | "for" | "while" | "switch" | "return" | "sizeof" | "do" | "else" | "defined"
    )
}
