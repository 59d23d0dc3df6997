//! The file of a source that defines a function which another file calls.
//!
//! A linker would know; here a name counts if exactly one definition of the source has it and is visible from other
//! files. That is nearly always right for C, and for functions of C++ outside of classes. Members are left out: their
//! names belong to many classes.

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_languages::lex::lex;
use barecode_records::{Function, FunctionKind, Language};

use crate::extract::found::Found;

/// A definition that other files can call.
pub(crate) struct Definition {
    pub(crate) root: Arc<str>,
    pub(crate) language: Language,
    pub(crate) path: Arc<str>,
    pub(crate) start: usize,
}

/// The definitions of a source by name; `None` where several have it.
pub(crate) struct Definitions {
    by_name: BTreeMap<(Language, String), Option<Definition>>,
}

impl Definitions {
    /// Collects the functions of units that are neither templates nor `static`.
    pub(crate) fn of(found: &[Found]) -> Definitions {
        let mut by_name = BTreeMap::new();
        for found in found {
            let in_unit = found.path == found.root;
            let counts = found.refused.is_none() && in_unit && !found.is_template;
            if !counts || !is_visible(found) {
                continue;
            }
            let definition = Definition {
                root: found.root.clone(),
                language: found.language,
                path: found.path.clone(),
                start: found.range.start,
            };
            by_name
                .entry((found.language, found.name.to_string()))
                .and_modify(|known| *known = None)
                .or_insert(Some(definition));
        }
        Definitions { by_name }
    }

    /// The direct helpers of a function that are in its closure without a body and that another file defines, by
    /// name.
    pub(crate) fn elsewhere(&self, function: &Function) -> Vec<(String, &Definition)> {
        let closure = &function.closure;
        let missing = function.references.functions.iter().filter(|name| {
            !closure.helpers.iter().any(|helper| helper.name == **name)
                && !closure.helper_external.contains(name)
        });
        let found = missing.filter_map(|name| {
            let definition = self.by_name.get(&(function.language, name.clone()))?;
            let definition = definition.as_ref()?;
            (*definition.root != *function.translation_unit).then(|| (name.clone(), definition))
        });
        found.collect()
    }
}

/// Returns `true` if a function can be called from another file, and is found by its name alone.
pub(crate) fn is_visible(found: &Found) -> bool {
    let free = matches!(found.kind, FunctionKind::Function);
    let text = found.text.get();
    let head = text.split('{').next().unwrap_or_default();
    let is_static = lex(head).iter().any(|token| token.text(head) == "static");
    free && !is_static
}
