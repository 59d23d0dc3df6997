//! Our functions and their references beside those of libclang, on translation units that it reads cleanly.
//!
//! Enters: a source and its extraction. Leaves: how many translation units libclang reads without an error
//! and, over these, precision and recall of our functions and of what each refers to, by role.
//!
//! libclang is loaded when it is asked for: `LIBCLANG_PATH` names its folder, else the usual places are
//! searched. It knows types and scopes, so where it reads a unit it is right about roles; but it needs all
//! headers, and it is clang: branches that ask for gcc differ. Headers that it would bring itself (`stddef.h`)
//! are gcc's.
//!
//! What differs by definition is evened out: macros that macros use are followed by name, as we do it.

#![expect(unsafe_code, reason = "libclang is a library in C")]
#![expect(non_upper_case_globals, reason = "and these are its names")]

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CStr, CString, c_int, c_void};
use std::fs;
use std::path::Path;
use std::process::Command;

use barecode_records::{Function, Group, Language, Outcome, References};
use barecode_sources::{Content, Source};
use clang_sys::{
    CXChildVisit_Continue, CXChildVisit_Recurse, CXChildVisitResult, CXClientData, CXCursor,
    CXCursor_CXXForRangeStmt, CXCursor_CXXMethod, CXCursor_CallExpr, CXCursor_ClassDecl,
    CXCursor_ClassTemplate, CXCursor_ClassTemplatePartialSpecialization, CXCursor_Constructor,
    CXCursor_ConversionFunction, CXCursor_DeclRefExpr, CXCursor_Destructor,
    CXCursor_EnumConstantDecl, CXCursor_EnumDecl, CXCursor_FunctionDecl, CXCursor_FunctionTemplate,
    CXCursor_MacroDefinition, CXCursor_MacroExpansion, CXCursor_MemberRefExpr,
    CXCursor_OverloadedDeclRef, CXCursor_StructDecl, CXCursor_TypeAliasDecl, CXCursor_TypedefDecl,
    CXCursor_UnionDecl, CXCursor_VarDecl, CXDiagnostic_Error, CXDiagnostic_Fatal, CXSourceLocation,
    CXString, CXTranslationUnit, CXTranslationUnit_DetailedPreprocessingRecord,
    clang_Cursor_isNull, clang_createIndex, clang_disposeDiagnostic, clang_disposeIndex,
    clang_disposeString, clang_disposeTokens, clang_disposeTranslationUnit, clang_equalCursors,
    clang_getCString, clang_getCanonicalCursor, clang_getCursorExtent, clang_getCursorKind,
    clang_getCursorLocation, clang_getCursorReferenced, clang_getCursorSemanticParent,
    clang_getCursorSpelling, clang_getDiagnostic, clang_getDiagnosticLocation,
    clang_getDiagnosticSeverity, clang_getExpansionLocation, clang_getFileName,
    clang_getNumDiagnostics, clang_getOverloadedDecl, clang_getRangeEnd, clang_getRangeStart,
    clang_getTokenSpelling, clang_getTranslationUnitCursor, clang_isCursorDefinition,
    clang_parseTranslationUnit, clang_tokenize, clang_visitChildren,
};
use serde::Serialize;
use tempfile::TempDir;

/// True and false positives, and what was missed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Agreement {
    /// Both sides have it.
    pub(crate) both: usize,
    /// Only we have it.
    pub(crate) only_ours: usize,
    /// Only libclang has it.
    pub(crate) only_theirs: usize,
}

impl Agreement {
    /// The part of ours that libclang has too.
    pub(crate) fn precision(self) -> f64 {
        self.both as f64 / (self.both + self.only_ours).max(1) as f64
    }

    /// The part of libclang's that we have too.
    pub(crate) fn recall(self) -> f64 {
        self.both as f64 / (self.both + self.only_theirs).max(1) as f64
    }
}

/// The roles of what a function refers to, in the order of the counts.
pub(crate) const ROLES: [&str; 4] = ["functions", "types", "globals", "macros"];

/// The outcome for one source.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Comparison {
    /// The source.
    pub(crate) source: String,
    /// Translation units with functions of ours.
    pub(crate) units: usize,
    /// Those that libclang reads without an error.
    pub(crate) clean: usize,
    /// Functions, in clean units.
    pub(crate) defined: Agreement,
    /// Functions of libclang that a macro makes whole: the text has none there.
    pub(crate) generated: usize,
    /// What the functions that both have refer to, by role.
    pub(crate) references: BTreeMap<&'static str, Agreement>,
    /// Functions that both have.
    pub(crate) judged: usize,
    /// Those in which all roles agree.
    pub(crate) identical: usize,
    /// Those of which libclang does not know the group, because a template's arguments decide what they call.
    pub(crate) open: usize,
    /// Of the others those that fall in the same group (standard only, own types, own functions).
    pub(crate) same_group: usize,
    /// Disagreements: whose name, its role, and whether the function's text says it.
    pub(crate) categories: BTreeMap<String, usize>,
    /// Each disagreement, with its place, function and name.
    pub(crate) examples: Vec<String>,
}

/// Loads the library on this thread; the message says why it cannot.
pub(crate) fn load() -> Result<(), String> {
    if clang_sys::is_loaded() {
        return Ok(());
    }
    clang_sys::load()
}

/// Compares. [`load`] must have succeeded on this thread; an error is a sentence.
#[expect(
    clippy::too_many_lines,
    reason = "each kind of difference is counted where it is found"
)]
pub(crate) fn compare(
    source: &Source,
    extraction: &Outcome<Vec<Function>>,
) -> Result<Comparison, String> {
    let folder = TempDir::new().map_err(|error| error.to_string())?;
    let root = folder
        .path()
        .canonicalize()
        .map_err(|error| error.to_string())?;
    let mut folders = BTreeSet::new();
    for (path, file) in source.files() {
        if let Content::Bytes(bytes) = &file.content {
            let on_disk = root.join(path);
            let above = on_disk.parent().expect("a file lies in a folder");
            fs::create_dir_all(above)
                .and_then(|()| fs::write(&on_disk, bytes.bytes()))
                .map_err(|error| format!("`{path}`: {error}"))?;
            folders.extend(Path::new(path).ancestors().skip(1).map(Path::to_owned));
        }
    }
    let mut by_unit: BTreeMap<(&str, Language), Vec<&Function>> = BTreeMap::new();
    for function in &extraction.kept {
        let unit = (function.translation_unit.as_str(), function.language);
        by_unit.entry(unit).or_default().push(function);
    }
    // What we found, kept or not, by place: a macro may have made another name of it.
    let rows = extraction
        .set_aside
        .iter()
        .filter(|row| row.kind == "function");
    let origins = rows.filter_map(|row| row.origin.as_ref());
    let mut found: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for origin in origins.chain(extraction.kept.iter().map(|function| &function.origin)) {
        let lines = origin.start_line..=origin.end_line;
        found.entry(&origin.path).or_default().push(lines);
    }
    let mut arguments = vec![
        "-w".to_owned(),
        "-ferror-limit=0".to_owned(),
        "-isystem".to_owned(),
        gcc_headers()?,
    ];
    arguments.extend(
        source
            .config()
            .defines
            .iter()
            .map(|define| format!("-D{define}")),
    );
    // A project may have a header of a standard name for itself.
    for path in &folders {
        let path = root.join(path);
        arguments.push(format!("-iquote{}", path.display()));
        arguments.push(format!("-idirafter{}", path.display()));
    }

    let mut comparison = Comparison {
        source: source.label().to_owned(),
        units: by_unit.len(),
        ..Comparison::default()
    };
    let lines: BTreeMap<&str, Vec<String>> = source
        .files()
        .iter()
        .filter_map(|(path, file)| match &file.content {
            Content::Bytes(bytes) => {
                let text = String::from_utf8_lossy(&bytes.bytes()).into_owned();
                Some((path.as_str(), text))
            }
            _ => None,
        })
        .map(|(path, text)| (path, text.lines().map(str::to_owned).collect()))
        .collect();
    let line = |path: &str, line: u32| {
        let lines: Option<&Vec<String>> = lines.get(path);
        lines
            .and_then(|lines| lines.get(line as usize - 1))
            .map_or("", String::as_str)
    };
    let is_directive = |place: &Place| line(&place.path, place.line).trim_start().starts_with('#');
    let mut missed = BTreeSet::new();
    for ((unit, language), ours) in by_unit {
        let Some(read) = Parsed::read(&root, unit, language, &arguments)? else {
            continue;
        };
        comparison.clean += 1;
        let (theirs, macros) = read.functions();
        for function in ours {
            let inside = |their: &&Defined| {
                let lines = function.origin.start_line..=function.origin.end_line;
                their.path == function.origin.path && lines.contains(&their.line)
            };
            let named = |their: &&Defined| inside(their) && their.name == bare(&function.name);
            // A macro may have made another name of it; functions of C are not in each other.
            let is_c = language == Language::C;
            let their = theirs.iter().find(named);
            let inside = || theirs.iter().filter(|_| is_c).find(inside);
            if let Some(their) = their.or_else(inside) {
                let called = macros.of(function, &is_directive);
                comparison.judge(function, their, &macros, called);
            } else {
                comparison.defined.only_ours += 1;
                comparison.example("ours", "defined", function, &function.name);
            }
        }
        for their in theirs {
            let lines = found
                .get(their.path.as_str())
                .map_or(&[][..], Vec::as_slice);
            let is_found = lines.iter().any(|lines| lines.contains(&their.line));
            let wanted = source
                .files()
                .get(&their.path)
                .is_some_and(|file| file.wanted);
            if wanted && !is_found {
                missed.insert((their.path, their.line, their.name));
            }
        }
    }
    let refused = |path: &str| {
        let mut files = extraction.set_aside.iter().filter(|row| row.kind == "file");
        files.any(|row| {
            row.origin
                .as_ref()
                .is_some_and(|origin| origin.path == path)
        })
    };
    for (path, at, name) in missed {
        if refused(&path) {
            continue;
        }
        // `GENERATE(sse2)` is the text of no function.
        if !line(&path, at).contains(name.as_str()) {
            comparison.generated += 1;
            continue;
        }
        comparison.defined.only_theirs += 1;
        comparison
            .examples
            .push(format!("only libclang: defined: {path}:{at} {name}"));
    }
    Ok(comparison)
}

impl Comparison {
    fn example(&mut self, side: &str, role: &str, function: &Function, name: &str) {
        let origin = &function.origin;
        let place = format!("{}:{}", origin.path, origin.start_line);
        // What is said in the text may be dropped by a macro; what is not said comes from one.
        let mut words = function
            .text
            .split(|c: char| !c.is_alphanumeric() && c != '_');
        let how = if words.any(|word| word == name) {
            "said"
        } else {
            "by macro"
        };
        *self
            .categories
            .entry(format!("only {side}: {role}, {how}"))
            .or_default() += 1;
        self.examples.push(format!(
            "only {side}: {role}, {how}: {place} {} {name}",
            function.name
        ));
    }

    fn judge(
        &mut self,
        function: &Function,
        their: &Defined,
        macros: &Macros,
        their_macros: BTreeSet<String>,
    ) {
        let bodies = &macros.bodies;
        self.defined.both += 1;
        self.judged += 1;
        let References {
            functions,
            types,
            globals,
            macros,
            ..
        } = &function.references;
        let [mut their_functions, their_types, their_globals] = their.refers.clone();
        // An object that is made by name may count as a call of its constructor or as a use of its class, and a loop may
        // be over an array.
        their_functions.extend(
            their
                .made
                .iter()
                .filter(|made| functions.contains(made))
                .cloned(),
        );
        let refers = [their_functions, their_types, their_globals, their_macros];
        let mut identical = true;
        for ((role, ours), theirs) in ROLES
            .into_iter()
            .zip([functions, types, globals, macros])
            .zip(&refers)
        {
            let theirs: BTreeSet<&str> = theirs.iter().map(String::as_str).collect();
            // `#define f project_f` renames for the compiler; we call things as the text does.
            let same = |name: &str| {
                let renamed = bodies.get(name).and_then(|words| words.iter().next());
                let renamed = renamed
                    .map(String::as_str)
                    .filter(|other| theirs.contains(other));
                renamed
                    .filter(|_| role != "macros")
                    .unwrap_or(name)
                    .to_owned()
            };
            let ours: BTreeSet<String> = ours.iter().map(|name| same(name)).collect();
            let ours: BTreeSet<&str> = ours.iter().map(String::as_str).collect();
            let agreement = self.references.entry(role).or_default();
            agreement.both += ours.intersection(&theirs).count();
            agreement.only_ours += ours.difference(&theirs).count();
            agreement.only_theirs += theirs.difference(&ours).count();
            identical &= ours == theirs;
            for name in ours.difference(&theirs) {
                self.example("ours", role, function, name);
            }
            for name in theirs.difference(&ours) {
                self.example("libclang", role, function, name);
            }
        }
        self.identical += usize::from(identical);
        let list = |role: usize| refers[role].iter().cloned().collect();
        let theirs = References {
            functions: list(0),
            types: list(1),
            globals: list(2),
            macros: list(3),
            spelled: Vec::new(),
        };
        let groups = [Group::of(&function.references), Group::of(&theirs)];
        if their.is_open && groups[1] != Group::Group3 {
            self.open += 1;
            return;
        }
        self.same_group += usize::from(groups[0] == groups[1]);
        if groups[0] != groups[1] {
            let said = format!("{:?} ours, {:?} libclang", groups[0], groups[1]);
            self.example("either", "group", function, &said);
        }
    }
}

/// A class, a structure, a union, or a template of one.
fn is_class(cursor: CXCursor) -> bool {
    matches!(
        kind(cursor),
        CXCursor_ClassDecl
            | CXCursor_StructDecl
            | CXCursor_UnionDecl
            | CXCursor_ClassTemplate
            | CXCursor_ClassTemplatePartialSpecialization
    )
}

/// `f<int>` and `f` are one name here, and so are `operator ==` and `operator==`.
fn bare(name: &str) -> String {
    let name = match name.split_once('<') {
        Some((before, _)) if !name.starts_with("operator") => before,
        _ => name,
    };
    name.chars().filter(|c| !c.is_whitespace()).collect()
}

/// Where gcc keeps the headers that belong to the compiler.
#[expect(
    clippy::disallowed_methods,
    reason = "only the compiler knows where they are"
)]
fn gcc_headers() -> Result<String, String> {
    let output = Command::new("gcc").arg("-print-file-name=include").output();
    let output = output.map_err(|error| format!("cannot start `gcc`: {error}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// A function that libclang sees defined.
struct Defined {
    path: String,
    line: u32,
    name: String,
    /// Functions, types and globals that it refers to.
    refers: [BTreeSet<String>; 3],
    /// Classes of which it makes an object, and what its loops may call.
    made: BTreeSet<String>,
    /// Whether it names something that only the arguments of a template decide.
    is_open: bool,
}

/// The source's macros in a translation unit.
struct Macros {
    /// The words that each stands for, over all its definitions.
    bodies: BTreeMap<String, BTreeSet<String>>,
    /// Where they are called, in the order of the text.
    calls: Vec<(Place, String)>,
}

impl Macros {
    /// Those called in the lines of a function, and those that these call. Conditions of `#if` are not part
    /// of a function.
    fn of(&self, function: &Function, is_directive: &dyn Fn(&Place) -> bool) -> BTreeSet<String> {
        let origin = &function.origin;
        let inside = |place: &Place| {
            place.path == origin.path
                && (origin.start_line..=origin.end_line).contains(&place.line)
                && !is_directive(place)
        };
        let called = self.calls.iter().filter(|(place, _)| inside(place));
        let mut open: Vec<&String> = called.map(|(_, name)| name).collect();
        let mut found = BTreeSet::new();
        while let Some(name) = open.pop() {
            if let Some((name, words)) = self.bodies.get_key_value(name)
                && found.insert(name.clone())
            {
                open.extend(words);
            }
        }
        found
    }
}

/// A translation unit of libclang, with the index that it belongs to.
struct Parsed<'a> {
    root: &'a Path,
    index: *mut c_void,
    unit: CXTranslationUnit,
}

impl Drop for Parsed<'_> {
    fn drop(&mut self) {
        // SAFETY: both were made by libclang, and nothing that refers to them outlives this.
        unsafe {
            clang_disposeTranslationUnit(self.unit);
            clang_disposeIndex(self.index);
        }
    }
}

/// A place in a file of the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    path: String,
    line: u32,
    offset: u32,
}

impl<'a> Parsed<'a> {
    /// `None` where libclang finds an error.
    fn read(
        root: &'a Path,
        path: &str,
        language: Language,
        arguments: &[String],
    ) -> Result<Option<Parsed<'a>>, String> {
        let (name, dialect) = match language {
            Language::C => ("c", "gnu17"),
            _ => ("c++", "gnu++17"),
        };
        let mut all = vec![format!("-x{name}"), format!("-std={dialect}")];
        all.extend_from_slice(arguments);
        let text = |text: &str| CString::new(text).map_err(|_| format!("`{text}` has a zero byte"));
        let all: Vec<CString> = all.iter().map(|one| text(one)).collect::<Result<_, _>>()?;
        let pointers: Vec<_> = all.iter().map(|one| one.as_ptr()).collect();
        let file = text(&root.join(path).to_string_lossy())?;
        // SAFETY: the texts outlive the call, their number is given, and the library is loaded.
        let read = unsafe {
            let index = clang_createIndex(0, 0);
            let unit = clang_parseTranslationUnit(
                index,
                file.as_ptr(),
                pointers.as_ptr(),
                c_int::try_from(pointers.len()).expect("there are few arguments"),
                std::ptr::null_mut(),
                0,
                CXTranslationUnit_DetailedPreprocessingRecord,
            );
            Parsed { root, index, unit }
        };
        Ok((!read.unit.is_null() && read.is_clean()).then_some(read))
    }

    /// Whether it has no error in a file of the source. gcc's own headers use what clang does not know, in
    /// bodies of functions that nobody looks at.
    fn is_clean(&self) -> bool {
        // SAFETY: the unit lives; each diagnostic is disposed of once.
        unsafe {
            (0..clang_getNumDiagnostics(self.unit)).all(|at| {
                let diagnostic = clang_getDiagnostic(self.unit, at);
                let severity = clang_getDiagnosticSeverity(diagnostic);
                let place = self.place(clang_getDiagnosticLocation(diagnostic));
                clang_disposeDiagnostic(diagnostic);
                severity < CXDiagnostic_Error || (severity < CXDiagnostic_Fatal && place.is_none())
            })
        }
    }

    /// The place, where it is in a file of the source; of what a macro makes, where the macro is called.
    fn place(&self, location: CXSourceLocation) -> Option<Place> {
        let (mut file, mut line, mut offset) = (std::ptr::null_mut(), 0, 0);
        // SAFETY: the location is of this unit, and the pointers are to our own values.
        let name = unsafe {
            clang_getExpansionLocation(
                location,
                &raw mut file,
                &raw mut line,
                std::ptr::null_mut(),
                &raw mut offset,
            );
            if file.is_null() {
                return None;
            }
            owned(clang_getFileName(file))
        };
        let path = lexical(Path::new(&name));
        let path = Path::new(&path).strip_prefix(self.root).ok()?;
        Some(Place {
            path: path.to_string_lossy().into_owned(),
            line,
            offset,
        })
    }

    fn place_of(&self, cursor: CXCursor) -> Option<Place> {
        // SAFETY: the cursor is of this unit.
        self.place(unsafe { clang_getCursorLocation(cursor) })
    }

    /// Its ends in the file; a macro's call counts as a whole.
    fn extent(&self, cursor: CXCursor) -> Option<(Place, Place)> {
        // SAFETY: the cursor is of this unit.
        let (start, end) = unsafe {
            let extent = clang_getCursorExtent(cursor);
            (clang_getRangeStart(extent), clang_getRangeEnd(extent))
        };
        Some((self.place(start)?, self.place(end)?))
    }

    /// The functions that it defines, and its macros.
    fn functions(&self) -> (Vec<Defined>, Macros) {
        let mut defined = Vec::new();
        let mut macros: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut calls: Vec<(Place, String)> = Vec::new();
        // SAFETY: the unit lives.
        let top = unsafe { clang_getTranslationUnitCursor(self.unit) };
        visit(top, &mut |cursor| {
            let kind = kind(cursor);
            if kind == CXCursor_MacroDefinition {
                if self.place_of(cursor).is_some() {
                    let words = macros.entry(spelling(cursor)).or_default();
                    words.extend(self.tokens(cursor).into_iter().skip(1));
                }
            } else if kind == CXCursor_MacroExpansion {
                if let Some(place) = self.place_of(cursor) {
                    calls.push((place, spelling(cursor)));
                }
            } else if is_function(cursor) {
                // SAFETY: the cursor is of this unit.
                let is_definition = unsafe { clang_isCursorDefinition(cursor) } != 0;
                if let (true, Some(place)) = (is_definition, self.place_of(cursor)) {
                    defined.push(self.function(cursor, place));
                }
                return false;
            }
            true
        });
        let macros = Macros {
            bodies: macros,
            calls,
        };
        (defined, macros)
    }

    fn function(&self, cursor: CXCursor, place: Place) -> Defined {
        let name = bare(&spelling(cursor));
        let mut refers: [BTreeSet<String>; 3] = Default::default();
        let (mut made, mut is_open) = (BTreeSet::new(), false);
        // What makes, unmakes or converts an object is about its class, whatever it does.
        if matches!(
            kind(cursor),
            CXCursor_Constructor | CXCursor_Destructor | CXCursor_ConversionFunction
        ) {
            // SAFETY: the cursor is of this unit.
            refers[1].insert(bare(&spelling(unsafe {
                clang_getCursorSemanticParent(cursor)
            })));
        }
        visit(cursor, &mut |inner| {
            // SAFETY: the cursor is of this unit; a name of several functions has at least one.
            let referenced = unsafe {
                match kind(inner) {
                    CXCursor_OverloadedDeclRef => clang_getOverloadedDecl(inner, 0),
                    _ => clang_getCursorReferenced(inner),
                }
            };
            // What a loop over an object calls is not told.
            if kind(inner) == CXCursor_CXXForRangeStmt {
                made.extend(["begin", "end"].map(str::to_owned));
            }
            // In a template a name may stand for what only its arguments show.
            let names = matches!(
                kind(inner),
                CXCursor_CallExpr | CXCursor_MemberRefExpr | CXCursor_DeclRefExpr
            );
            // SAFETY: the same.
            is_open |= names && unsafe { clang_Cursor_isNull(referenced) } != 0;
            // SAFETY: the cursors are of this unit, or null cursors, which libclang knows.
            let [class, own] = unsafe {
                [referenced, cursor]
                    .map(|it| clang_getCursorSemanticParent(clang_getCanonicalCursor(it)))
            };
            // What is taken from the object is of its class.
            // SAFETY: the same.
            if is_class(class) && unsafe { clang_equalCursors(class, own) } != 0 {
                refers[1].insert(bare(&spelling(class)));
            }
            if let Some(role) = self.role(cursor, inner, referenced) {
                let named = match kind(referenced) {
                    CXCursor_Constructor => {
                        made.insert(bare(&spelling(class)));
                        class
                    }
                    CXCursor_Destructor | CXCursor_ConversionFunction => class,
                    _ => referenced,
                };
                // SAFETY: the same.
                let is_itself = unsafe {
                    let [one, other] = [cursor, referenced].map(|it| clang_getCanonicalCursor(it));
                    clang_equalCursors(one, other) != 0
                };
                if !is_itself {
                    refers[role].insert(bare(&spelling(named)));
                }
            }
            true
        });

        Defined {
            path: place.path,
            line: place.line,
            name,
            refers,
            made,
            is_open,
        }
    }

    /// The role of what a cursor inside a function refers to, where it is the source's and not the function's.
    fn role(&self, function: CXCursor, inner: CXCursor, referenced: CXCursor) -> Option<usize> {
        // SAFETY: the cursors are of this unit, or null cursors, which libclang knows.
        let (is_itself, parent) = unsafe {
            let itself = clang_equalCursors(inner, referenced) != 0;
            let parent = clang_getCursorSemanticParent(clang_getCanonicalCursor(referenced));
            (itself, parent)
        };
        if is_itself || is_function(parent) {
            return None;
        }
        let (start, end) = self.extent(function)?;
        let place = self.place_of(referenced)?;
        let name = spelling(referenced);
        if name.starts_with("__builtin_") || name.starts_with("__sync_") {
            return None;
        }
        let role = match kind(referenced) {
            // What the compiler writes for a class is where the class is, and is not the project's.
            _ if is_function(referenced) && self.place_of(parent) == Some(place.clone()) => {
                return None;
            }
            // Making, unmaking and converting an object refers to its class.
            CXCursor_Constructor | CXCursor_Destructor | CXCursor_ConversionFunction => 1,
            _ if is_function(referenced) => 0,
            CXCursor_StructDecl
            | CXCursor_UnionDecl
            | CXCursor_EnumDecl
            | CXCursor_TypedefDecl
            | CXCursor_TypeAliasDecl
            | CXCursor_ClassDecl
            | CXCursor_ClassTemplate => 1,
            CXCursor_VarDecl | CXCursor_EnumConstantDecl => 2,
            _ => return None,
        };
        let local = place.path == start.path && (start.offset..end.offset).contains(&place.offset);
        (!local).then_some(role)
    }

    /// The words of a cursor's range.
    fn tokens(&self, cursor: CXCursor) -> Vec<String> {
        let (mut tokens, mut count) = (std::ptr::null_mut(), 0);
        // SAFETY: libclang fills both, and the tokens are disposed of after the last use.
        unsafe {
            let extent = clang_getCursorExtent(cursor);
            clang_tokenize(self.unit, extent, &raw mut tokens, &raw mut count);
            let words = (0..count as usize)
                .map(|at| owned(clang_getTokenSpelling(self.unit, *tokens.add(at))))
                .collect();
            clang_disposeTokens(self.unit, tokens, count);
            words
        }
    }
}

fn kind(cursor: CXCursor) -> c_int {
    // SAFETY: a cursor is a value.
    unsafe { clang_getCursorKind(cursor) }
}

fn is_function(cursor: CXCursor) -> bool {
    matches!(
        kind(cursor),
        CXCursor_FunctionDecl
            | CXCursor_CXXMethod
            | CXCursor_Constructor
            | CXCursor_Destructor
            | CXCursor_ConversionFunction
            | CXCursor_FunctionTemplate
    )
}

fn spelling(cursor: CXCursor) -> String {
    // SAFETY: a cursor is a value.
    owned(unsafe { clang_getCursorSpelling(cursor) })
}

/// Takes a text from libclang.
fn owned(text: CXString) -> String {
    // SAFETY: the text is libclang's, ends with a zero byte, and is disposed of once.
    unsafe {
        let pointer = clang_getCString(text);
        let copy = if pointer.is_null() {
            String::new()
        } else {
            CStr::from_ptr(pointer).to_string_lossy().into_owned()
        };
        clang_disposeString(text);
        copy
    }
}

/// `a/b/../c` → `a/c`: the links of a temporary folder are resolved already.
fn lexical(path: &Path) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let text = path.to_string_lossy();
    for part in text.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

/// Visits what is below a cursor; the visitor says whether to go deeper.
fn visit(cursor: CXCursor, visitor: &mut dyn FnMut(CXCursor) -> bool) {
    extern "C" fn step(cursor: CXCursor, _: CXCursor, data: CXClientData) -> CXChildVisitResult {
        // SAFETY: `data` is the visitor of the call below, which is still running.
        let visitor = unsafe { &mut *data.cast::<&mut dyn FnMut(CXCursor) -> bool>() };
        if visitor(cursor) {
            CXChildVisit_Recurse
        } else {
            CXChildVisit_Continue
        }
    }
    let mut visitor = visitor;
    // SAFETY: the visitor outlives the call.
    unsafe { clang_visitChildren(cursor, step, (&raw mut visitor).cast()) };
}
