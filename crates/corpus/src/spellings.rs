//! *Source → its names by spelling*, and a closure's text → those of them in it: the basis of a renaming by spelling.
//!
//! A renaming that is proven to keep every binding changes the declarations of its unit. By spelling, one map for a
//! whole source changes each identifier that is spelled as something which the source declares anywhere, whatever it
//! is bound to there. It needs two passes: [`source_names`] reads every file of a source, [`Spellings`] holds the
//! facts that later stages use, and [`spelled`] lists the identifiers of a text that change.
//!
//! Names that are not the source's own stay: keywords, the language's library, names that were imported from other
//! packages. A spelling that is both changes where the text shows that it is the source's, and is counted as kept
//! elsewhere. If names of other packages are included too, all names change except those of the language or its
//! library: by an import if the text has one, and otherwise by a list of all that the library makes public.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use barecode_languages::library_names::{Library, library};
use barecode_languages::{Entry, FileKind, judged, of_path};
use barecode_python::Module;
use barecode_records::{
    Closure, Function, Judged, Language, Owner, Role, SourceName, Spelled, Whose,
};
use barecode_sources::{Source, readable};
use barecode_trees::Ours;
use rayon::prelude::*;

use crate::extract::ExtractConfig;
use crate::front_end::TOGETHER;
use crate::front_ends::front_end;
use crate::scripts::Document;
use crate::symbols::{Analyzed, SpaceId, Stays, Symbols, Unreadable};

/// Why a name of the source stays where its object is not known.
pub const LIBRARYS_TOO: &str =
    "the library has this name too, and the text does not show whose it is";
/// Why a name of the source stays where another package has it.
pub const IMPORTED_TOO: &str =
    "another package has this name too, and the text does not show whose it is";

/// The names of a source in languages that are not compiled: by language, in the order of their first appearance.
pub fn source_names(source: &Source, config: &ExtractConfig) -> SourceNames {
    let paths = readable(source, config.max_file_bytes).kept.paths;
    let mut files: BTreeMap<Language, Vec<String>> = BTreeMap::new();
    for path in paths {
        let entry = of_path(&path).map(|(entry, _)| entry);
        if let Some(entry) = entry.filter(|entry| is_spelled(entry.language)) {
            files.entry(entry.language).or_default().push(path);
        }
    }
    let label = source.config().name();
    let packages = packages(source.build_files());
    let names = files.into_iter().map(|(language, paths)| {
        let code = |path: &str| code_of(path, source.text(path));
        let files = Code {
            paths: &paths,
            code: &code,
        };
        of_files(label, language, files, &packages)
    });
    SourceNames {
        label: label.to_owned(),
        languages: names.collect(),
    }
}

/// The names of a source. A large one has a million of them, so their rows are made one by one.
#[derive(Default)]
pub struct SourceNames {
    label: String,
    languages: Vec<NamesOfLanguage>,
}

struct NamesOfLanguage {
    modules: Modules,
    names: Vec<(Arc<str>, Seen)>,
}

impl SourceNames {
    /// Their rows, by language, in the order of their first appearance.
    pub fn rows(&self) -> impl Iterator<Item = SourceName> {
        let languages = self.languages.iter();
        languages.flat_map(|of_language| of_language.rows(&self.label))
    }
}

impl NamesOfLanguage {
    fn rows(&self, label: &str) -> impl Iterator<Item = SourceName> {
        let modules = &self.modules;
        self.names.iter().map(move |(name, seen)| SourceName {
            source: label.to_owned(),
            language: modules.language,
            name: name.to_string(),
            role: seen
                .role
                .or_else(|| modules.is_module(name).then_some(Role::Namespace)),
            is_module: modules.is_module(name),
            imported_in: seen.imported_in.iter().map(ToString::to_string).collect(),
            is_foreign: seen.is_foreign,
            tokens: seen.tokens,
        })
    }
}

/// The files of a language, and their code.
#[derive(Clone, Copy)]
struct Code<'a> {
    /// In order.
    paths: &'a [String],
    /// The code of the file at a path; `None` if it has none.
    code: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

impl Code<'_> {
    /// Calls `see` for each file with code, in order, with what `read` makes of it.
    fn each<T: Send>(self, read: impl Fn(&str) -> T + Sync, mut see: impl FnMut(&str, String, T)) {
        for paths in self.paths.chunks(TOGETHER) {
            let read = paths.par_iter().map(|path| {
                let code = (self.code)(path)?;
                let read = read(&code);
                Some((path, code, read))
            });
            let read: Vec<_> = read.collect();
            for (path, code, read) in read.into_iter().flatten() {
                see(path, code, read);
            }
        }
    }
}

/// The code of a file; of a document the code in it. `None` if it has none, or is broken.
fn code_of(path: &str, text: String) -> Option<String> {
    let is_document = of_path(path).is_some_and(|(_, kind)| kind == FileKind::Document);
    if !is_document {
        return Some(text);
    }
    let chunks = Document::of_path(path)?.chunks(text).ok()?;
    let code: Vec<String> = chunks.into_iter().map(|chunk| chunk.text).collect();
    Some(code.join("\n"))
}

/// Returns `true` if names of a language may change by spelling: no compiler judges its functions.
pub fn is_spelled(language: Language) -> bool {
    judged(language).is_some_and(|judged| judged != Judged::Compiler)
}

/// The facts that are known of one spelling while files are read.
#[derive(Default)]
struct Seen {
    role: Option<Role>,
    imported_in: Vec<Arc<str>>,
    is_foreign: bool,
    tokens: u32,
}

fn of_files(
    label: &str,
    language: Language,
    files: Code<'_>,
    packages: &HashSet<String>,
) -> NamesOfLanguage {
    let mut modules = Modules::of(label, language, files);
    if modules.names.is_empty() {
        modules.names.clone_from(packages);
    }
    let known = library(language);
    let is_known = |name: &str| known.is_some_and(|library| library.has(name));
    let entry = barecode_languages::of(language);
    let mut numbers: HashMap<Arc<str>, usize> = HashMap::new();
    let mut names: Vec<(Arc<str>, Seen)> = Vec::new();
    let read = |text: &str| -> Vec<Spelled> {
        let places = front_end(language).spellings(text, language, &modules);
        places.unwrap_or_default()
    };
    files.each(read, |path, text, places| {
        let path: Arc<str> = path.into();
        for place in places {
            let Some(name) = text.get(place.range.clone()) else {
                continue;
            };
            let number = numbers.get(name).copied().unwrap_or_else(|| {
                let name: Arc<str> = name.into();
                names.push((Arc::clone(&name), Seen::default()));
                numbers.insert(name, names.len() - 1);
                names.len() - 1
            });
            let seen = &mut names[number].1;
            seen.tokens = seen.tokens.saturating_add(1);
            match place.whose {
                Whose::Declared(role) => seen.declare(role),
                Whose::Asked(role) if !is_known(name) => seen.declare(role),
                Whose::Imported if seen.imported_in.last() != Some(&path) => {
                    seen.imported_in.push(Arc::clone(&path));
                }
                _ => {}
            }
            seen.is_foreign = seen.is_foreign || is_anothers(name, place.owner, entry, known);
        }
    });
    drop(numbers);
    NamesOfLanguage { modules, names }
}

/// Returns `true` if an identifier belongs to another package rather than to the language or its library; the source
/// does not own it.
fn is_anothers(name: &str, owner: Owner, entry: Option<&Entry>, library: Option<&Library>) -> bool {
    match owner {
        Owner::Library => false,
        // `_`, and operators that stand for functions.
        _ if !name.contains(char::is_alphanumeric) => false,
        Owner::Package => true,
        Owner::Unknown => {
            let is_word = |entry: &Entry| entry.is_keyword(name) || entry.is_builtin(name);
            let is_known = |library: &Library| library.has_anywhere(name);
            !entry.is_some_and(is_word) && !library.is_some_and(is_known)
        }
    }
}

/// The owner of a name that the source does not declare: another package, unless the library has the name.
fn owner_of_name(name: &str, language: Language) -> Owner {
    let entry = barecode_languages::of(language);
    if is_anothers(name, Owner::Unknown, entry, library(language)) {
        Owner::Package
    } else {
        Owner::Unknown
    }
}

/// The owner of an imported module, by the first word of its path.
fn owner_of(path: &str, library: Option<&Library>) -> Owner {
    let first = path.split(['.', '/', ':', '\\']).next().unwrap_or(path);
    let is_word = first == path;
    let is_known =
        |library: &Library| library.has_module(first) || is_word && library.has_anywhere(first);
    match library {
        Some(library) if is_known(library) => Owner::Library,
        _ if matches!(first, "" | "crate" | "self" | "super") => Owner::Unknown,
        _ => Owner::Package,
    }
}

impl Seen {
    /// Of several roles the most informative one stays: types, functions, members, variables.
    fn declare(&mut self, role: Role) {
        if self.role.is_none_or(|known| rank(role) < rank(known)) {
            self.role = Some(role);
        }
    }
}

fn rank(role: Role) -> u8 {
    match role {
        Role::Class | Role::Struct | Role::Union | Role::Enum | Role::Alias | Role::Typedef => 0,
        Role::Function | Role::Macro => 1,
        Role::Method => 2,
        Role::Field | Role::Enumerator => 3,
        Role::Namespace => 4,
        Role::Variable | Role::Parameter => 5,
        Role::TemplateParameter | Role::Label | Role::Fragment | Role::Foreign => 6,
    }
}

/// The names of the packages of a source, from their manifests: the sources of a crate or an npm package import each
/// other by this name too.
fn packages(manifests: &BTreeMap<String, Vec<u8>>) -> HashSet<String> {
    let mut names = HashSet::new();
    for (path, bytes) in manifests {
        let text = String::from_utf8_lossy(bytes);
        if path.ends_with("package.json") {
            let value: Option<serde_json::Value> = serde_json::from_str(&text).ok();
            let name = value.as_ref().and_then(|value| value["name"].as_str());
            names.extend(name.map(str::to_owned));
        } else if path.ends_with("Cargo.toml") {
            let named = text
                .lines()
                .filter_map(|line| line.trim().strip_prefix("name"));
            let named = named.filter_map(|rest| rest.trim().strip_prefix('='));
            let named = named.map(|name| name.trim().trim_matches(['"', '\'']).replace('-', "_"));
            names.extend(named);
        }
    }
    names
}

/// The modules of a source, by the folders and files that they are in where the language finds them by these, and else its
/// packages.
struct Modules {
    names: HashSet<String>,
    language: Language,
    library: Option<&'static Library>,
}

impl Modules {
    fn of(label: &str, language: Language, files: Code<'_>) -> Modules {
        let mut names = HashSet::new();
        let paths = files.paths.iter();
        for path in paths.filter_map(|path| path.strip_suffix(".py")) {
            let parts = path.split('/');
            let parts = parts.filter(|part| !matches!(*part, "__init__" | "src"));
            names.extend(parts.map(str::to_owned));
        }
        if files.paths.iter().any(|path| path == "__init__.py") {
            names.extend(package_itself(label, files, &names));
        }
        Modules {
            names,
            language,
            library: library(language),
        }
    }
}

/// The names of a source that is a package itself: the folder's name, and the name from which its files import its
/// modules.
fn package_itself(label: &str, files: Code<'_>, modules: &HashSet<String>) -> Vec<String> {
    let mut imported: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let read = |text: &str| Module::parse(text).map(|module| module.imports());
    files.each(read, |_, _, imports| {
        for import in imports.unwrap_or_default() {
            let mut parts = import.module.split('.');
            if let (0, Some(top), Some(module)) = (import.level, parts.next(), parts.next()) {
                let (all, own) = imported.entry(top.to_owned()).or_default();
                *all += 1;
                *own += usize::from(modules.contains(module));
            }
        }
    });
    let is_it = |(all, own): (usize, usize)| all > 1 && own * 5 >= all * 4;
    let found = imported.into_iter().filter(|(_, counts)| is_it(*counts));
    let folder = label.rsplit([':', '/']).next().map(str::to_owned);
    found.map(|(top, _)| top).chain(folder).collect()
}

impl Ours for Modules {
    fn role(&self, _: &str) -> Option<Role> {
        None
    }

    fn is_module(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    fn is_librarys_too(&self, name: &str) -> bool {
        self.library.is_some_and(|library| library.has(name))
    }

    fn owner(&self, path: &str) -> Owner {
        owner_of(path, self.library)
    }

    fn owner_of_name(&self, name: &str) -> Owner {
        owner_of_name(name, self.language)
    }
}

/// The names of a source in a language, for renaming.
pub struct Spellings {
    language: Language,
    /// The names that the source declares, in the order of first appearance.
    declared: Vec<(Box<str>, Role)>,
    /// Names of other packages that the source does not declare, in the same order.
    foreign: Vec<Box<str>>,
    numbers: HashMap<Box<str>, Known>,
}

struct Known {
    role: Option<Role>,
    is_module: bool,
    imported_in: Vec<Box<str>>,
    is_foreign: bool,
}

impl Spellings {
    /// The names of one language, from the rows of a source.
    pub fn of(
        rows: impl IntoIterator<Item = impl Borrow<SourceName>>,
        language: Language,
    ) -> Spellings {
        let mut spellings = Spellings {
            language,
            declared: Vec::new(),
            foreign: Vec::new(),
            numbers: HashMap::new(),
        };
        for row in rows {
            let row = row.borrow();
            if row.language != language {
                continue;
            }
            let known = Known {
                role: row.role,
                is_module: row.is_module,
                imported_in: row
                    .imported_in
                    .iter()
                    .map(|path| path.as_str().into())
                    .collect(),
                is_foreign: row.is_foreign,
            };
            spellings.numbers.insert(row.name.as_str().into(), known);
            match row.role {
                Some(role) => spellings.declared.push((row.name.as_str().into(), role)),
                None if row.is_foreign => spellings.foreign.push(row.name.as_str().into()),
                None => {}
            }
        }
        spellings
    }

    /// The names that the source declares, in the order of first appearance, with the role of each.
    pub fn declared(&self) -> &[(Box<str>, Role)] {
        &self.declared
    }

    /// Names of other packages that the source does not declare, in the order of first appearance.
    pub fn foreign(&self) -> &[Box<str>] {
        &self.foreign
    }

    /// Returns `true` if an identifier of the source is spelled like this.
    pub fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// Decides on an identifier of a file: the role that it changes under, or the reason to keep it; `None` if the source
    /// declares no such name.
    fn decide(
        &self,
        name: &str,
        whose: Whose,
        path: &str,
        library: Option<&Library>,
    ) -> Option<Result<Role, Stays>> {
        let known = self.numbers.get(name)?;
        let role = known.role?;
        let is_known = library.is_some_and(|library| library.has(name));
        let is_imported = known.imported_in.iter().any(|file| **file == *path);
        let both = if is_known {
            Err(Stays::Special(LIBRARYS_TOO))
        } else {
            Ok(role)
        };
        let is_member = matches!(
            role,
            Role::Method | Role::Field | Role::Enumerator | Role::Function
        );
        Some(match whose {
            Whose::Asked(_) if is_known => Err(Stays::Elsewhere),
            Whose::Declared(_) | Whose::Asked(_) | Whose::Own => Ok(role),
            Whose::OfOwn if is_member => Ok(role),
            // A bare name here does not mean a declaration that is local or behind an object elsewhere.
            Whose::Free if is_known && rank(role) > rank(Role::Function) => Err(Stays::Elsewhere),
            // An import is meant by a bare name, never by a member.
            Whose::Free if is_imported && !is_known => Err(Stays::Special(IMPORTED_TOO)),
            Whose::OfOwn | Whose::Free | Whose::Open => both,
            Whose::Imported | Whose::Foreign => Err(Stays::Elsewhere),
        })
    }
}

impl Spellings {
    /// The role of an identifier that changes only if names of other packages do; `decided` is the decision without them.
    fn anothers(
        &self,
        name: &str,
        owner: Owner,
        decided: Option<Result<Role, Stays>>,
        library: Option<&Library>,
    ) -> Option<Role> {
        let known = self.numbers.get(name)?;
        let may_be = match decided {
            Some(Ok(_)) => false,
            Some(Err(Stays::Special(reason))) => reason == IMPORTED_TOO,
            Some(Err(_)) | None => true,
        };
        let entry = barecode_languages::of(self.language);
        let is_it = may_be && known.is_foreign && is_anothers(name, owner, entry, library);
        is_it.then_some(known.role.unwrap_or(Role::Foreign))
    }
}

impl Ours for Spellings {
    fn role(&self, name: &str) -> Option<Role> {
        self.numbers.get(name)?.role
    }

    fn is_module(&self, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|known| known.is_module)
    }

    fn is_librarys_too(&self, name: &str) -> bool {
        library(self.language).is_some_and(|library| library.has(name))
    }

    fn owner(&self, path: &str) -> Owner {
        owner_of(path, library(self.language))
    }

    fn owner_of_name(&self, name: &str) -> Owner {
        owner_of_name(name, self.language)
    }
}

/// The symbols of the text of a closure from a file, by spelling: all that is spelled alike is one. With `foreign`, names of
/// other packages are among them.
///
/// # Errors
/// If the text cannot be read.
pub fn spelled<'t>(
    closure: &'t Closure,
    path: &str,
    spellings: &Spellings,
    foreign: bool,
) -> Result<Analyzed<'t>, Unreadable> {
    let text = &closure.text;
    let language = spellings.language;
    let entry = barecode_languages::of(language);
    let mut symbols = Symbols::new(|_| false);
    let words = entry
        .into_iter()
        .flat_map(|entry| entry.keywords.iter().chain(entry.builtins));
    symbols.reserved.extend(words.copied().map(Box::from));
    symbols.function_spaces = &[SPELLED];
    let tree = entry.and_then(Entry::tree);
    symbols.capitals_count = tree.is_some_and(|tree| tree.capitals_count || tree.has_elements);
    let known = library(language);
    for place in front_end(language).spellings(text, language, spellings)? {
        let Some(name) = text.get(place.range.clone()) else {
            continue;
        };
        let decided = spellings.decide(name, place.whose, path, known);
        let anothers = || spellings.anothers(name, place.owner, decided, known);
        let decided = match foreign.then(anothers).flatten() {
            Some(role) => Some(Ok(role)),
            None => decided,
        };
        match decided {
            Some(Ok(role)) => {
                let symbol = symbols.declare(name, SPELLED, role);
                symbols.occurs(place.range, symbol);
            }
            Some(Err(stays)) => symbols.stays(place.range, stays),
            None => symbols.stays(place.range, Stays::External),
        }
    }
    symbols.settle_in(closure);
    Ok(Analyzed {
        symbols,
        same: Box::new(move |renamed| front_end(language).is_alike(text, renamed, language)),
    })
}

/// Records the names in functions that a renaming by spelling changes.
pub struct SpelledNames(BTreeMap<Language, Spellings>);

impl SpelledNames {
    /// The names of a source.
    pub fn of(names: &SourceNames) -> SpelledNames {
        let languages = names.languages.iter();
        let languages = languages.filter(|of_language| !of_language.names.is_empty());
        let spellings = languages.map(|of_language| {
            let language = of_language.modules.language;
            let rows = of_language.rows(&names.label);
            (language, Spellings::of(rows, language))
        });
        SpelledNames(spellings.collect())
    }

    /// Records them in functions of the source.
    pub fn note(&self, functions: &mut [Function]) {
        functions.par_iter_mut().for_each(|function| {
            let Some(spellings) = self.0.get(&function.language) else {
                return;
            };
            let target = function.closure.target;
            let path = &function.origin.path;
            let Ok(read) = spelled(&function.closure, path, spellings, false) else {
                return;
            };
            let occurrences = read.symbols.occurrences().iter();
            let inside = occurrences.filter(|one| {
                (target.start as usize..target.end as usize).contains(&one.range.start)
            });
            let names = inside.map(|one| &*read.symbols.name_of(one.symbol).text);
            let names: BTreeSet<&str> = names.collect();
            function.references.spelled = names.into_iter().map(str::to_owned).collect();
        });
    }
}

/// The one name space.
const SPELLED: SpaceId = SpaceId(0);
