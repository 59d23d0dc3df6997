//! How much of a project's names a renaming left: of the identifiers that are its own, those that stay.
//!
//! A score under other names says what a retriever owes to names only as far as the names are gone. So the share that
//! stays is beside every such score, and nothing is called *without names* above [`MOST_LEFT`].

use std::collections::BTreeMap;

use barecode_records::{Id, Language, Setting, Unit, Variant};
use serde::Serialize;

/// Texts are called *without names* below this share of names that stay.
pub const MOST_LEFT: f64 = 0.05;

/// The identifiers of some texts that are the project's own, and those of them that stay.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Left {
    /// Identifiers that are names of the project.
    pub own: u64,
    /// Those that stay.
    pub kept: u64,
}

impl Left {
    fn add(&mut self, variant: &Variant) {
        self.own += variant.own_names.map_or(0, u64::from);
        self.kept += variant.own_names_kept.map_or(0, u64::from);
    }

    /// The share that stays; `None` where the texts have no names of the project.
    pub fn share(self) -> Option<f64> {
        (self.own > 0).then(|| self.kept as f64 / self.own as f64)
    }

    /// Whether the texts may be called *without names*.
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

/// What a setting left in all languages, and in each.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LeftOf {
    /// In all.
    pub all: Left,
    /// In each.
    pub by_language: BTreeMap<String, Left>,
}

/// What each renaming left in the variants of some units.
pub fn left(units: &[Unit], variants: &[Variant]) -> BTreeMap<Setting, LeftOf> {
    let languages: BTreeMap<&Id, Language> =
        units.iter().map(|unit| (&unit.id, unit.language)).collect();
    let mut settings: BTreeMap<Setting, LeftOf> = BTreeMap::new();
    for variant in variants.iter().filter(|one| one.own_names.is_some()) {
        let of_setting = settings.entry(variant.setting).or_default();
        of_setting.all.add(variant);
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
