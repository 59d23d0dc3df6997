//! `TypoInName`: a letter of a name missing, or two letters swapped.
//!
//! *Rewrites.* A read of a variable or a parameter: `total` into `toal`, `ttoal`. Definitions stay.
//!
//! *Breaks the meaning because* the misspelled name is bound nowhere: no name of the text, no attribute, no word of its
//! strings, no builtin, no keyword.
//!
//! *Declines* names of functions, classes and imports, names of one letter, names in annotations, and texts with a star
//! import of an unknown module.
//!
//! *Paper.* `missing_char` and the swap are the paper's `typo_type`s.

use barecode_records::Role;
use barecode_records::python::VariantKind;
use ruff_python_ast::AnyNodeRef;
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::{any_of, is_covered, is_idle};
use crate::rename::{star_names, symbols, words};
use crate::scope::Use;
use crate::walk::walk;
use crate::{Context, Edit, Fresh, Module, Site, Transform};

/// The kind of typos that are made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TypoType {
    /// Either kind.
    #[default]
    Any,
    /// A letter is missing.
    MissingChar,
    /// Two letters are swapped.
    SwappedChars,
}

/// Misspells names.
#[derive(Debug, Clone, Copy, Default)]
pub struct TypoInName {
    /// The kind of the typo.
    pub typo_type: TypoType,
}

impl Transform for TypoInName {
    fn name(&self) -> &'static str {
        "TypoInName"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
        let Some(stars) = star_names(module) else {
            return Vec::new();
        };
        let is_unbound = |name: &str| {
            let starts = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            let is_name = starts && name.chars().any(|c| c != '_');
            is_name && !fresh.is_taken(name) && !words::is_word(name) && !stars.contains(name)
        };
        let symbols = symbols(module, &context.protected);
        let variables = symbols
            .iter()
            .filter(|symbol| matches!(symbol.role, Role::Variable | Role::Parameter));
        let mut places: Vec<u32> = variables
            .flat_map(|symbol| symbol.places.iter().map(|place| place.start))
            .collect();
        places.sort_unstable();
        let mut sites = Vec::new();
        walk(module, |node, around| {
            let AnyNodeRef::ExprName(name) = node else {
                return;
            };
            let range: TextRange = name.range();
            let is_variable = places.binary_search(&range.start().to_u32()).is_ok();
            let reads = module.scopes().at(range.start());
            let reads = reads.is_some_and(|place| place.usage == Use::Read);
            if !is_variable
                || !reads
                || is_idle(range, around)
                || !is_covered(module, context, range.start())
            {
                return;
            }
            let typos = typos(module.of(range), self.typo_type);
            let typos = typos.into_iter().filter(|typo| is_unbound(typo));
            let choices = typos.map(|typo| vec![Edit::replace(range, typo)]);
            sites.extend(any_of(range, choices.collect()));
        });
        sites
    }
}

/// The misspellings of a name, each once.
fn typos(name: &str, kind: TypoType) -> Vec<String> {
    let letters: Vec<char> = name.chars().collect();
    let mut typos = std::collections::BTreeSet::new();
    if kind != TypoType::SwappedChars && letters.len() > 1 {
        for missing in 0..letters.len() {
            let mut typo = letters.clone();
            typo.remove(missing);
            typos.insert(typo.into_iter().collect::<String>());
        }
    }
    if kind != TypoType::MissingChar {
        for at in 1..letters.len() {
            let mut typo = letters.clone();
            typo.swap(at - 1, at);
            typos.insert(typo.into_iter().collect());
        }
    }
    typos.remove(name);
    typos.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_misspelling_once() {
        assert_eq!(typos("aab", TypoType::MissingChar), ["aa", "ab"]);
        assert_eq!(typos("aab", TypoType::SwappedChars), ["aba"]);
        assert!(typos("n", TypoType::Any).is_empty());
    }
}
