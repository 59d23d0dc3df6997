//! *Source → its names by spelling*, and a closure's text → which of them stand where: what a renaming by spelling goes by.
//!
//! A renaming that is proven to keep every binding changes what its unit declares. By spelling, one map for a whole source
//! changes each identifier that is spelled as something which the source declares anywhere, whatever it is bound to there.
//! It takes two passes: [`source_names`] reads every file of a source, [`Spellings`] is what later stages know of it, and
//! [`spelled`] says of a text which of its identifiers change.
//!
//! What is not the source's own stays: keywords, the language's library, names that were imported from other packages. A
//! spelling that is both changes where the text shows that it is the source's, and is counted as kept elsewhere.

use std::collections::{BTreeMap, HashMap, HashSet};

use barecode_languages::library_names::{Library, library};
use barecode_languages::{Entry, FileKind, judged, of_path};
use barecode_python::Module;
use barecode_records::{Closure, Judged, Language, Role, SourceName, Spelled, Whose};
use barecode_sources::{Source, readable};
use barecode_trees::Ours;
use rayon::prelude::*;

use crate::extract::ExtractConfig;
use crate::front_ends::front_end;
use crate::scripts::Document;
use crate::symbols::{Analyzed, SpaceId, Stays, Symbols, Unreadable};

/// Why a name of the source stays where its object is not known.
pub const LIBRARYS_TOO: &str = "the library has this name too, and whose it is here does not show";
/// Why a name of the source stays where another package has it.
pub const IMPORTED_TOO: &str =
    "another package has this name too, and whose it is here does not show";

/// The names of a source in languages that are not compiled: by language, in the order of their first appearance.
pub fn source_names(source: &Source, config: &ExtractConfig) -> Vec<SourceName> {
    let texts = readable(source, config.max_file_bytes).kept.texts;
    let mut files: BTreeMap<Language, Vec<(String, String)>> = BTreeMap::new();
    for (path, text) in texts {
        let Some((entry, kind)) = of_path(&path).filter(|(entry, _)| is_spelled(entry.language))
        else {
            continue;
        };
        // Of a document its code counts.
        let code = match kind {
            FileKind::Document => code_of(&path, text),
            _ => Some(text),
        };
        if let Some(code) = code {
            let of_language = files.entry(entry.language).or_default();
            of_language.push((path, code));
        }
    }
    let label = source.config().name();
    let packages = packages(source.build_files());
    let names = files.into_iter().flat_map(|(language, mut files)| {
        files.sort();
        of_files(label, language, &files, &packages)
    });
    names.collect()
}

/// The code of a document; `None` if it has none, or is broken.
fn code_of(path: &str, text: String) -> Option<String> {
    let chunks = Document::of_path(path)?.chunks(text).ok()?;
    let code: Vec<String> = chunks.into_iter().map(|chunk| chunk.text).collect();
    Some(code.join("\n"))
}

/// Whether names of a language may change by spelling: no compiler judges its functions.
pub fn is_spelled(language: Language) -> bool {
    judged(language).is_some_and(|judged| judged != Judged::Compiler)
}

/// What is known of one spelling while files are read.
struct Seen {
    role: Option<Role>,
    is_imported: bool,
    tokens: u32,
}

fn of_files(
    label: &str,
    language: Language,
    files: &[(String, String)],
    packages: &HashSet<String>,
) -> Vec<SourceName> {
    let mut modules = Modules::of(label, files);
    if modules.names.is_empty() {
        modules.names.clone_from(packages);
    }
    let known = library(language);
    let is_known = |name: &str| known.is_some_and(|library| library.has(name));
    let read = files.par_iter().map(|(_, text)| {
        let places = front_end(language).spellings(text, language, &modules);
        places.unwrap_or_default()
    });
    let read: Vec<Vec<Spelled>> = read.collect();
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut names: Vec<(&str, Seen)> = Vec::new();
    for ((_, text), places) in files.iter().zip(&read) {
        for place in places {
            let Some(name) = text.get(place.range.clone()) else {
                continue;
            };
            let number = *numbers.entry(name).or_insert_with(|| {
                let seen = Seen {
                    role: None,
                    is_imported: false,
                    tokens: 0,
                };
                names.push((name, seen));
                names.len() - 1
            });
            let seen = &mut names[number].1;
            seen.tokens = seen.tokens.saturating_add(1);
            match place.whose {
                Whose::Declared(role) => seen.declare(role),
                Whose::Asked(role) if !is_known(name) => seen.declare(role),
                Whose::Imported => seen.is_imported = true,
                _ => {}
            }
        }
    }
    let row = |(name, seen): (&str, Seen)| SourceName {
        source: label.to_owned(),
        language,
        name: name.to_owned(),
        role: seen
            .role
            .or_else(|| modules.is_module(name).then_some(Role::Namespace)),
        is_module: modules.is_module(name),
        is_imported: seen.is_imported,
        tokens: seen.tokens,
    };
    names.into_iter().map(row).collect()
}

impl Seen {
    /// Of several roles the most telling one stays: types, functions, members, variables.
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
        Role::TemplateParameter | Role::Label | Role::Fragment => 6,
    }
}

/// What the packages of a source are called, as their manifests say: the sources of a crate or an npm package import each
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
}

impl Modules {
    fn of(label: &str, files: &[(String, String)]) -> Modules {
        let mut names = HashSet::new();
        for path in files
            .iter()
            .filter_map(|(path, _)| path.strip_suffix(".py"))
        {
            let parts = path.split('/');
            let parts = parts.filter(|part| !matches!(*part, "__init__" | "src"));
            names.extend(parts.map(str::to_owned));
        }
        if files.iter().any(|(path, _)| path == "__init__.py") {
            names.extend(package_itself(label, files, &names));
        }
        Modules { names }
    }
}

/// What a source is called that is a package itself: the folder's name, and what its files import its modules from.
fn package_itself(
    label: &str,
    files: &[(String, String)],
    modules: &HashSet<String>,
) -> Vec<String> {
    let mut imported: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (_, text) in files {
        let imports = Module::parse(text).map(|module| module.imports());
        for import in imports.unwrap_or_default() {
            let mut parts = import.module.split('.');
            if let (0, Some(top), Some(module)) = (import.level, parts.next(), parts.next()) {
                let (all, own) = imported.entry(top.to_owned()).or_default();
                *all += 1;
                *own += usize::from(modules.contains(module));
            }
        }
    }
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
}

/// What is known of the names of a source in a language, to rename by.
pub struct Spellings {
    language: Language,
    /// What the source declares, in the order of first appearance.
    declared: Vec<(Box<str>, Role)>,
    numbers: HashMap<Box<str>, Known>,
}

#[derive(Clone, Copy)]
struct Known {
    role: Option<Role>,
    is_module: bool,
    is_imported: bool,
}

impl Spellings {
    /// Of the rows of a source, those of a language.
    pub fn of<'r>(rows: impl IntoIterator<Item = &'r SourceName>, language: Language) -> Spellings {
        let mut spellings = Spellings {
            language,
            declared: Vec::new(),
            numbers: HashMap::new(),
        };
        for row in rows.into_iter().filter(|row| row.language == language) {
            let known = Known {
                role: row.role,
                is_module: row.is_module,
                is_imported: row.is_imported,
            };
            spellings.numbers.insert(row.name.as_str().into(), known);
            if let Some(role) = row.role {
                spellings.declared.push((row.name.as_str().into(), role));
            }
        }
        spellings
    }

    /// What the source declares, in the order of first appearance, with what each stands for.
    pub fn declared(&self) -> &[(Box<str>, Role)] {
        &self.declared
    }

    /// Whether an identifier of the source is spelled like this.
    pub fn has(&self, name: &str) -> bool {
        self.numbers.contains_key(name)
    }

    /// What becomes of an identifier: its role where it changes, and else why it stays; `None` if the source declares
    /// nothing of this name.
    fn decide(
        &self,
        name: &str,
        whose: Whose,
        library: Option<&Library>,
    ) -> Option<Result<Role, Stays>> {
        let known = self.numbers.get(name).copied();
        let role = known.and_then(|known| known.role)?;
        let is_known = library.is_some_and(|library| library.has(name));
        let is_imported = known.is_some_and(|known| known.is_imported);
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
            // What is local or behind an object elsewhere is not meant by a bare name here.
            Whose::Free if is_known && rank(role) > rank(Role::Function) => Err(Stays::Elsewhere),
            // What is imported is meant by a bare name, and by no member.
            Whose::Free if is_imported && !is_known => Err(Stays::Special(IMPORTED_TOO)),
            Whose::OfOwn | Whose::Free | Whose::Open => both,
            Whose::Imported | Whose::Foreign => Err(Stays::Elsewhere),
        })
    }
}

impl Ours for Spellings {
    fn role(&self, name: &str) -> Option<Role> {
        self.numbers.get(name)?.role
    }

    fn is_module(&self, name: &str) -> bool {
        self.numbers.get(name).is_some_and(|known| known.is_module)
    }
}

/// The symbols of a closure's text by spelling: all that is spelled alike is one.
///
/// # Errors
/// If the text cannot be read.
pub fn spelled<'t>(
    closure: &'t Closure,
    spellings: &Spellings,
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
        match spellings.decide(name, place.whose, known) {
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

/// The one name space.
const SPELLED: SpaceId = SpaceId(0);
