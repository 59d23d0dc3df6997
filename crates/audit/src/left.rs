//! The share of a project's names that a renaming left: of the identifiers that are its own, those that stay.
//!
//! A score under other names shows the benefit of names to a retriever only as far as the names are gone. So the
//! share that stays is beside every such score, and no text is called *without names* above [`MOST_LEFT`].

use std::collections::{BTreeMap, HashMap, HashSet};

use barecode_languages::library_names::library;
use barecode_languages::words_of;
use barecode_records::{Id, Language, Setting, SourceName, Unit, Variant};
use serde::Serialize;

/// Texts are called *without names* below this share of names that stay.
pub const MOST_LEFT: f64 = 0.05;

/// The identifiers of some texts that are the project's own, and those of them that stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Identifiers that are names of the project.
    pub own: u64,
    /// Those of them that stay.
    pub kept: u64,
}

impl Left {
    fn add(&mut self, variant: &Variant) {
        self.own += variant.own_names.map_or(0, u64::from);
        self.kept += variant.own_names_kept.map_or(0, u64::from);
    }

    /// The share that stays; `None` if the texts have no names of the project.
    pub fn share(self) -> Option<f64> {
        (self.own > 0).then(|| self.kept as f64 / self.own as f64)
    }

    /// Returns true if so little stays that the texts are *without names*.
    pub fn is_bare(self) -> bool {
        self.share().is_none_or(|share| share < MOST_LEFT)
    }

    /// `1.8 % of the project's names stay`.
    pub fn sentence(self) -> String {
        match self.share() {
            Some(share) => format!("{:.1} % of the project's names stay", share * 100.0),
            None => "they have no names of the project".to_owned(),
        }
    }
}

/// The names that one setting left: over all languages, in each, and by spelling alone.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LeftOf {
    /// In all.
    pub all: Left,
    /// In each.
    pub by_language: BTreeMap<String, Left>,
    /// The same counted by spelling alone, which does not depend on the renaming: of the words of the texts that the
    /// source declares and the library has not, those that remain. `None` if a compiler judges.
    pub by_spelling: Option<Left>,
}

/// The names that sources declare and the libraries of their languages have not.
#[derive(Debug, Default)]
pub struct OwnNames(HashMap<String, HashMap<Language, HashSet<Box<str>>>>);

impl OwnNames {
    /// Adds a name, if it is one of them.
    pub fn add(&mut self, name: &SourceName) {
        let library = library(name.language);
        if name.role.is_none() || library.is_some_and(|library| library.has(&name.name)) {
            return;
        }
        let of_source = match self.0.get_mut(&name.source) {
            Some(of_source) => of_source,
            None => self.0.entry(name.source.clone()).or_default(),
        };
        let of_language = of_source.entry(name.language).or_default();
        of_language.insert(name.name.as_str().into());
    }

    fn of(&self, source: &str, language: Language) -> Option<&HashSet<Box<str>>> {
        self.0.get(source)?.get(&language)
    }
}

/// Counts the names that each renaming left in the variants of some units; `own` are those of their sources.
pub fn left(units: &[Unit], variants: &[Variant], own: &OwnNames) -> BTreeMap<Setting, LeftOf> {
    let languages: BTreeMap<&Id, Language> =
        units.iter().map(|unit| (&unit.id, unit.language)).collect();
    let units: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let mut settings: BTreeMap<Setting, LeftOf> = BTreeMap::new();
    for variant in variants.iter().filter(|one| one.own_names.is_some()) {
        let of_setting = settings.entry(variant.setting).or_default();
        of_setting.all.add(variant);
        if let Some(unit) = units.get(&variant.unit_id).filter(|_| !own.0.is_empty()) {
            let count = |text: &str| {
                let Some(own) = own.of(&unit.origin.source, unit.language) else {
                    return 0;
                };
                let words = words_of(text, unit.language).into_iter();
                words.filter(|word| own.contains(*word)).count() as u64
            };
            let by_spelling = of_setting.by_spelling.get_or_insert_default();
            by_spelling.own += count(&unit.text);
            by_spelling.kept += count(&variant.text);
        }
        if let Some(language) = languages.get(&variant.unit_id) {
            let of_language = &mut of_setting.by_language;
            of_language
                .entry(language.name().to_owned())
                .or_default()
                .add(variant);
        }
    }
    settings
}
