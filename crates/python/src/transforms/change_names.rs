//! `ChangeNames`: other names for functions, classes, variables and parameters.
//!
//! *Rewrites.* Every occurrence of a symbol, in the scope that binds it: `def total(items): …` becomes `def
//! quiet_harbor(amber_lion): …`. A node is a symbol, at its first occurrence. Names are random letters, the symbol's
//! own letters in another order, or an adjective with a noun (pydra, appendix B.4), in small letters. With `roles`,
//! only the names of parameters, variables, … are changed.
//!
//! *Keeps the meaning because* scopes are CPython's, a new name does not occur in the text, and nothing sees the old
//! one: see below.
//!
//! *Declines* names that must stay by the rules of `rename`: protected names, attributes, keyword arguments and
//! parameters that may be passed by keyword, names that `eval` and similar functions see, `{x=}`, names of builtins
//! and imports, names that a star import may bind or a class body may mean, classes and functions whose names may be
//! shown, names in strings that are code. A name with no free new name of the required form stays, too.
//!
//! *By tests only* where the module catches errors by name: their texts have names.
//! *Paper.* Names are unique in the whole text, where pydra's are in their scope; so `shortest` has names of two letters
//! earlier. Attributes and names of modules are not renamed. The words of `funky` are barecode's own.

use std::borrow::Cow;

use barecode_namings::adjective_noun::AdjectiveNoun;
use barecode_namings::characters::Characters;
use barecode_namings::shuffled::Shuffled;
use barecode_namings::{Draw, Free, Naming, Old};
use barecode_records::python::VariantKind;
use barecode_records::{Length, Roles};
use ruff_text_size::TextRange;

use crate::rename::{edits, star_names, symbols, words};
use crate::visible::Visible;
use crate::{Context, Fresh, Module, Site, Transform};

/// The source of new names (pydra, appendix B.4).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Random letters.
    RandomChars,
    /// The letters of the old name in another order.
    ShuffleOriginal,
    /// An adjective and a noun.
    #[default]
    Funky,
}

/// Renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChangeNames {
    /// Whence new names come.
    pub strategy: Strategy,
    /// The number of random letters.
    pub length: Length,
    /// Whose names are changed.
    pub roles: Roles,
    /// True if capitals stay at their positions, if the length does.
    pub match_case: bool,
    /// True if underscores stay at their positions, if the length does.
    pub match_underscores: bool,
}

impl Default for ChangeNames {
    fn default() -> Self {
        ChangeNames {
            strategy: Strategy::default(),
            length: Length::Same,
            roles: Roles::PROJECT,
            match_case: false,
            match_underscores: false,
        }
    }
}

impl ChangeNames {
    /// Returns `true` if new names are as long as the old ones.
    pub(crate) fn keeps_length(self) -> bool {
        match self.strategy {
            Strategy::RandomChars => self.length == Length::Same,
            Strategy::ShuffleOriginal => true,
            Strategy::Funky => false,
        }
    }

    fn naming(self, seed: u64) -> Box<dyn Naming> {
        let draw = Draw::from_seed(seed);
        match self.strategy {
            Strategy::RandomChars => Box::new(Characters::new(self.length, draw)),
            Strategy::ShuffleOriginal => Box::new(Shuffled::new(draw)),
            Strategy::Funky => Box::new(AdjectiveNoun::new(draw)),
        }
    }
}

impl Transform for ChangeNames {
    fn name(&self) -> &'static str {
        super::CHANGE_NAMES
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Clone
    }

    fn sites(&self, module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
        let mut naming = self.naming(fresh.seed);
        let stars = star_names(module).unwrap_or_default();
        // The text of an error may have the name, and may be looked at.
        let proven = !Visible::in_module(module).errors;
        let mut sites = Vec::new();
        for symbol in symbols(module, &context.protected) {
            if symbol.stays.is_some() || !self.roles.contains(symbol.role) {
                continue;
            }
            let name = {
                let fitting = Fitting {
                    old: &symbol.name,
                    case: self.match_case && self.keeps_length(),
                    underscores: self.match_underscores && self.keeps_length(),
                    is_free: &|name| {
                        !fresh.is_taken(name) && !words::is_word(name) && !stars.contains(name)
                    },
                };
                let asked = fitting.asked();
                let old = Old {
                    role: symbol.role,
                    name: &asked,
                };
                let found = naming.next(old, &fitting);
                found.map(|name| fitting.fit(&name).into_owned())
            };
            let Some(name) = name else {
                continue;
            };
            fresh.take(&name);
            let first = symbol.places[0];
            let node = TextRange::new(first.start.into(), first.end.into());
            sites.push(Site::one(node, edits(&symbol, &name)).proven(proven));
        }
        sites
    }
}

/// Puts capitals and underscores where the old name has them.
struct Fitting<'a> {
    old: &'a str,
    case: bool,
    underscores: bool,
    is_free: &'a dyn Fn(&str) -> bool,
}

impl Fitting<'_> {
    /// The name that is looked up: without underscores, if they stay.
    fn asked(&self) -> Cow<'_, str> {
        if !self.underscores {
            return Cow::Borrowed(self.old);
        }
        self.old.chars().filter(|c| *c != '_').collect()
    }

    fn fit<'n>(&self, name: &'n str) -> Cow<'n, str> {
        if !self.underscores && !self.case {
            return Cow::Borrowed(name);
        }
        let mut letters = name.chars();
        let mut fitted = String::new();
        for old in self.old.chars() {
            if self.underscores && old == '_' {
                fitted.push('_');
            } else if let Some(letter) = letters.next() {
                let is_capital = self.case && old.is_uppercase();
                fitted.push(if is_capital {
                    letter.to_ascii_uppercase()
                } else {
                    letter
                });
            }
        }
        Cow::Owned(fitted)
    }
}

impl Free for Fitting<'_> {
    fn is_free(&self, name: &str) -> bool {
        let fitted = self.fit(name);
        !fitted.starts_with("__") && (self.is_free)(&fitted)
    }
}
