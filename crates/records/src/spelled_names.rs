//! The facts about the names of a source in one language. A large source has a million names, so each is stored once.

use foldhash::fast::FixedState;
use indexmap::{IndexMap, IndexSet};

use crate::{Language, Role, SourceName};

/// The names of a source in a language, with what is known of each, in the order of their first appearance.
#[derive(Debug)]
pub struct SpelledNames {
    language: Language,
    facts: IndexMap<Box<str>, NameFacts, FixedState>,
    /// The files that import names from elsewhere.
    files: IndexSet<Box<str>, FixedState>,
    /// The numbers of a name and of a file that imports something of this name from elsewhere, in order.
    imports: Vec<(u32, u32)>,
}

/// The facts about a name.
#[derive(Debug, Default, Clone, Copy)]
pub struct NameFacts {
    /// As in [`SourceName::role`].
    pub role: Option<Role>,
    /// As in [`SourceName::is_module`].
    pub is_module: bool,
    /// As in [`SourceName::is_foreign`].
    pub is_foreign: bool,
    /// As in [`SourceName::tokens`].
    pub tokens: u32,
}

impl SpelledNames {
    /// No names.
    pub fn none(language: Language) -> SpelledNames {
        SpelledNames {
            language,
            facts: IndexMap::default(),
            files: IndexSet::default(),
            imports: Vec::new(),
        }
    }

    /// Adds the facts of a row.
    pub fn add(&mut self, row: &SourceName) {
        let number = self.number(&row.name);
        *self.facts_mut(number) = NameFacts {
            role: row.role,
            is_module: row.is_module,
            is_foreign: row.is_foreign,
            tokens: row.tokens,
        };
        for path in &row.imported_in {
            self.import(number, path);
        }
    }

    /// The number of a name, a new one if it has none.
    pub fn number(&mut self, name: &str) -> u32 {
        let number = match self.facts.get_index_of(name) {
            Some(number) => number,
            None => self.facts.insert_full(name.into(), NameFacts::default()).0,
        };
        narrow(number)
    }

    /// The facts about a name, by its number.
    pub fn facts_mut(&mut self, number: u32) -> &mut NameFacts {
        &mut self.facts[number as usize]
    }

    /// Records that a file imports something of a name, by its number, from elsewhere.
    pub fn import(&mut self, number: u32, path: &str) {
        let file = match self.files.get_index_of(path) {
            Some(file) => file,
            None => self.files.insert_full(path.into()).0,
        };
        let import = (number, narrow(file));
        if self.imports.last() != Some(&import) {
            self.imports.push(import);
        }
    }

    /// Ends the reading: `see` may change the facts about each name.
    pub fn settle(&mut self, see: impl Fn(&str, &mut NameFacts)) {
        self.imports.sort_unstable();
        self.imports.dedup();
        self.imports.shrink_to_fit();
        for (name, facts) in &mut self.facts {
            see(name, facts);
        }
    }

    /// Their language.
    pub fn language(&self) -> Language {
        self.language
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.facts.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.facts.is_empty()
    }

    /// The facts about a name, if the source has it.
    pub fn get(&self, name: &str) -> Option<NameFacts> {
        self.facts.get(name).copied()
    }

    /// Returns `true` if a file imports something of this name from elsewhere.
    pub fn is_imported(&self, name: &str, path: &str) -> bool {
        let name = self.facts.get_index_of(name);
        let file = self.files.get_index_of(path);
        name.zip(file).is_some_and(|(name, file)| {
            let import = (narrow(name), narrow(file));
            self.imports.binary_search(&import).is_ok()
        })
    }

    /// The number of a name, in the order of first appearance and from zero, if the source has it.
    pub fn number_of(&self, name: &str) -> Option<usize> {
        self.facts.get_index_of(name)
    }

    /// The names that the source declares, in the order of first appearance, with the role of each.
    pub fn declared(&self) -> impl Iterator<Item = (&str, Role)> {
        let names = self.facts.iter();
        names.filter_map(|(name, facts)| Some((&**name, facts.role?)))
    }

    /// Names of other packages that the source does not declare, in the order of first appearance.
    pub fn foreign(&self) -> impl Iterator<Item = &str> {
        let names = self.facts.iter();
        let foreign = names.filter(|(_, facts)| facts.role.is_none() && facts.is_foreign);
        foreign.map(|(name, _)| &**name)
    }

    /// Returns `true` if an identifier of the source is spelled like this.
    pub fn has(&self, name: &str) -> bool {
        self.facts.contains_key(name)
    }

    /// The rows of the names, of a source with this label.
    pub fn rows(&self, label: &str) -> impl Iterator<Item = SourceName> {
        let label = label.to_owned();
        let mut imports = self.imports.as_slice();
        let names = self.facts.iter().enumerate();
        names.map(move |(number, (name, facts))| {
            let number = narrow(number);
            let (own, others) =
                imports.split_at(imports.partition_point(|(name, _)| *name <= number));
            imports = others;
            let files = own.iter().map(|(_, file)| &self.files[*file as usize]);
            let mut imported_in: Vec<String> = files.map(ToString::to_string).collect();
            imported_in.sort_unstable();
            SourceName {
                source: label.clone(),
                language: self.language,
                name: name.to_string(),
                role: facts.role,
                is_module: facts.is_module,
                imported_in,
                is_foreign: facts.is_foreign,
                tokens: facts.tokens,
            }
        })
    }
}

fn narrow(number: usize) -> u32 {
    u32::try_from(number).expect("a source has fewer names than memory has bytes")
}
