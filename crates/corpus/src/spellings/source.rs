//! *Source → its names by spelling*: every file of it is read.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use barecode_languages::library_names::{Library, library};
use barecode_languages::{FileKind, of_path};
use barecode_python::Module;
use barecode_records::{
    Function, Language, NameFacts, Owner, Role, SourceName, Spelled, SpelledNames, Whose,
};
use barecode_sources::{Source, readable};
use barecode_trees::Ours;
use rayon::prelude::*;

use super::{Spellings, is_anothers, is_spelled, owner_of, owner_of_name, rank, spelled};
use crate::extract::ExtractConfig;
use crate::front_end::together;
use crate::front_ends::front_end;
use crate::scripts::Document;

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
        let files = Files {
            source,
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

/// The names of a source, by language.
#[derive(Default)]
pub struct SourceNames {
    label: String,
    languages: Vec<Spellings>,
}

impl SourceNames {
    /// The names of a source with this label, from rows: `each` calls its argument for each of them.
    ///
    /// # Errors
    /// Those of `each`.
    pub fn of_rows<E>(
        label: &str,
        each: impl FnOnce(&mut dyn FnMut(&SourceName)) -> Result<(), E>,
    ) -> Result<SourceNames, E> {
        let mut names = SourceNames {
            label: label.to_owned(),
            languages: Vec::new(),
        };
        each(&mut |row| {
            if row.source == label {
                names.of_language(row.language).0.add(row);
            }
        })?;
        for of_language in &mut names.languages {
            of_language.0.settle(|_, _| {});
        }
        Ok(names)
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.languages
            .iter()
            .all(|of_language| of_language.is_empty())
    }

    /// The names, by language.
    pub fn into_languages(self) -> Vec<Spellings> {
        self.languages
    }

    fn of_language(&mut self, language: Language) -> &mut Spellings {
        let mut languages = self.languages.iter();
        let known = languages.position(|one| one.language() == language);
        let number = known.unwrap_or_else(|| {
            self.languages.push(Spellings::none(language));
            self.languages.len() - 1
        });
        &mut self.languages[number]
    }

    /// Their rows, by language, in the order of their first appearance.
    pub fn rows(&self) -> impl Iterator<Item = SourceName> {
        let languages = self.languages.iter();
        languages.flat_map(|of_language| of_language.rows(&self.label))
    }

    /// Records the names in functions of the source that a renaming by spelling changes.
    pub fn note(&self, functions: &mut [Function]) {
        functions.par_iter_mut().for_each(|function| {
            let mut languages = self.languages.iter();
            let spellings = languages.find(|one| one.language() == function.language);
            let Some(spellings) = spellings.filter(|spellings| !spellings.is_empty()) else {
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

/// The files of a language, and their code.
#[derive(Clone, Copy)]
struct Files<'a> {
    source: &'a Source,
    /// In order.
    paths: &'a [String],
    /// The code of the file at a path; `None` if it has none.
    code: &'a (dyn Fn(&str) -> Option<String> + Sync),
}

impl Files<'_> {
    /// Calls `see` for each file with code, in order, with what `read` makes of it.
    fn each<T: Send>(self, read: impl Fn(&str) -> T + Sync, mut see: impl FnMut(&str, String, T)) {
        for paths in together(self.source, self.paths) {
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

fn of_files(
    label: &str,
    language: Language,
    files: Files<'_>,
    packages: &HashSet<String>,
) -> Spellings {
    let mut modules = Modules::of(label, language, files);
    if modules.names.is_empty() {
        modules.names.clone_from(packages);
    }
    let known = library(language);
    let is_known = |name: &str| known.is_some_and(|library| library.has(name));
    let entry = barecode_languages::of(language);
    let mut names = SpelledNames::none(language);
    let read = |text: &str| -> Vec<Spelled> {
        let places = front_end(language).spellings(text, language, &modules);
        places.unwrap_or_default()
    };
    files.each(read, |path, text, places| {
        for place in places {
            let Some(name) = text.get(place.range.clone()) else {
                continue;
            };
            let number = names.number(name);
            if place.whose == Whose::Imported {
                names.import(number, path);
            }
            let facts = names.facts_mut(number);
            facts.tokens = facts.tokens.saturating_add(1);
            match place.whose {
                Whose::Declared(role) => declare(facts, role),
                Whose::Asked(role) if !is_known(name) => declare(facts, role),
                _ => {}
            }
            facts.is_foreign = facts.is_foreign || is_anothers(name, place.owner, entry, known);
        }
    });
    names.settle(|name, facts| {
        facts.is_module = modules.is_module(name);
        let module = facts.is_module.then_some(Role::Namespace);
        facts.role = facts.role.or(module);
    });
    Spellings(names)
}

/// Of several roles the most informative one stays: types, functions, members, variables.
fn declare(facts: &mut NameFacts, role: Role) {
    if facts.role.is_none_or(|known| rank(role) < rank(known)) {
        facts.role = Some(role);
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
    fn of(label: &str, language: Language, files: Files<'_>) -> Modules {
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
fn package_itself(label: &str, files: Files<'_>, modules: &HashSet<String>) -> Vec<String> {
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
