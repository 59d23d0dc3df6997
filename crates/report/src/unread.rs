//! Systems that do not read every language of a run: their means over all queries are of other queries than those of
//! other systems, so they are not shown.

use std::collections::BTreeMap;

use barecode_evaluate::System;
use barecode_languages::LANGUAGES;
use barecode_recipe::Recipe;
use barecode_records::{
    Difference, Document, Id, Language, QueryScore, Score, Setting, SettingDrop, Split, Stage,
    SubsetKind,
};
use barecode_runs::console::grouped;
use barecode_runs::layout::{Layout, corpus_of};

/// The documents of a run by language, and the systems that do not read all of them.
#[derive(Debug, Default)]
pub struct Unread {
    /// Functions of the dataset, by language.
    pub functions: BTreeMap<Language, u64>,
    /// Functions that a system does not read; systems that read all are not here.
    systems: BTreeMap<String, u64>,
}

impl Unread {
    /// Counts the functions of the dataset. Nothing is read if all systems read every language.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn read(layout: Layout<'_>, recipe: &Recipe) -> anyhow::Result<Self> {
        let reads_all = |system: &System| {
            let mut languages = LANGUAGES.iter();
            languages.all(|entry| system.reads(entry.language))
        };
        if recipe.sources.is_empty() || recipe.retrievers.iter().all(reads_all) {
            return Ok(Unread::default());
        }
        let mut languages: BTreeMap<Id, Language> = BTreeMap::new();
        let subsets = layout.subsets()?.into_iter().filter(|subset| {
            subset.kind == SubsetKind::Retrieval
                && subset.setting == Some(Setting::Standard)
                && subset.splits.contains(&Split::Test)
        });
        for subset in subsets {
            let documents: Vec<Document> =
                layout.rows(Stage::Assemble, [corpus_of(&subset.name)])?;
            languages.extend(documents.into_iter().map(|one| (one.id, one.language)));
        }
        let mut functions = BTreeMap::new();
        for language in languages.into_values() {
            *functions.entry(language).or_default() += 1;
        }
        Ok(Unread::of(&recipe.retrievers, functions))
    }

    /// Compares systems with the languages of some functions.
    pub fn of(systems: &[System], functions: BTreeMap<Language, u64>) -> Self {
        let unread = |system: &System| {
            let unknown = functions
                .iter()
                .filter(|(language, _)| !system.reads(**language));
            let count: u64 = unknown.map(|(_, count)| count).sum();
            (count > 0).then(|| (system.name().to_owned(), count))
        };
        let systems = systems.iter().filter_map(unread).collect();
        Unread { functions, systems }
    }

    /// The functions that a system does not read.
    pub fn by(&self, system: &str) -> u64 {
        self.systems.get(system).copied().unwrap_or_default()
    }

    /// Returns `true` if a system reads all of them.
    pub fn is_compared(&self, system: &str) -> bool {
        !self.systems.contains_key(system)
    }

    /// Leaves the rows of systems that are compared.
    pub fn retain<T: OfSystems>(&self, rows: &mut Vec<T>) {
        if !self.systems.is_empty() {
            rows.retain(|row| row.systems().into_iter().all(|name| self.is_compared(name)));
        }
    }

    /// `structural does not read 42 of the 60 functions, so it is not compared`, for each of them.
    pub fn sentences(&self) -> Vec<String> {
        let all: u64 = self.functions.values().sum();
        let several = self.functions.len() > 1;
        let sentence = |(system, count): (&String, &u64)| {
            let [count_text, all_text] = [*count, all].map(grouped);
            let advice = if several && *count < all {
                "; one language alone is `try --language NAME`, or `languages` of a source"
            } else {
                ""
            };
            format!(
                "{system} does not read {count_text} of the {all_text} functions, so it is not compared{advice}"
            )
        };
        self.systems.iter().map(sentence).collect()
    }
}

/// A row of one system or of two.
pub trait OfSystems {
    /// Their names.
    fn systems(&self) -> Vec<&str>;
}

impl OfSystems for Score {
    fn systems(&self) -> Vec<&str> {
        vec![&self.retriever]
    }
}

impl OfSystems for QueryScore {
    fn systems(&self) -> Vec<&str> {
        vec![&self.retriever]
    }
}

impl OfSystems for SettingDrop {
    fn systems(&self) -> Vec<&str> {
        vec![&self.retriever]
    }
}

impl OfSystems for Difference {
    fn systems(&self) -> Vec<&str> {
        vec![&self.first, &self.second]
    }
}
