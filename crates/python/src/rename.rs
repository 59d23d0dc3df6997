//! The names of a module, and those that can change: [`symbols`].
//!
//! A symbol is a variable in the sense of the language: a name in the scope that binds it. All occurrences that mean
//! it change together, and nothing else of that spelling does. A name stays if something may see the name itself: a
//! keyword argument, `eval`, `{x=}`, a printed class, tests. A new name must not occur in the text as a name, an
//! attribute or a word of a string ([`Fresh`](crate::Fresh)), so it neither captures nor is captured.
//!
//! *Known limits.* The messages of exceptions contain names (`name 'x' is not defined`), and a program that prints these
//! prints new names; where a module catches errors by name, only tests show that it does not matter.

mod attributes;
mod facts;
#[cfg(test)]
mod laws;
mod protected;
pub(crate) mod stays;
pub(crate) mod words;

use std::collections::BTreeSet;
use std::rc::Rc;

use barecode_records::{Role, Span};
use ruff_text_size::TextRange;

pub use attributes::attributes;
pub use protected::protected_names;
pub use stays::{DECORATED, SHOWN};

use crate::outline::span;
use crate::scope::Use;
use crate::{Edit, Module, ScopeId, ScopeKind};
use facts::{Definition, Facts};

/// A name in the scope that binds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    /// As it is spelled.
    pub name: String,
    /// Its role. Variables of types are [`Role::TemplateParameter`], modules [`Role::Namespace`].
    pub role: Role,
    /// The scope that binds it.
    pub scope: ScopeId,
    /// Its occurrences, in the order of the text; never empty.
    pub places: Vec<Span>,
    /// The reason that it stays, if it must.
    pub stays: Option<&'static str>,
    /// True if an import binds it, also under another name.
    pub is_imported: bool,
}

/// The symbols of a module, by their first occurrence. `protected` are names that must stay because others use them.
pub fn symbols(module: &Module<'_>, protected: &BTreeSet<String>) -> Vec<Symbol> {
    let scopes = module.scopes();
    let facts = Facts::of(module);
    let stays = stays::Stays::of(module, &facts, protected);
    let places = scopes.places();
    let symbols = places.of_variables().map(|places| {
        let first = &scopes.names()[places[0]];
        let scope = first.binding.expect("a variable is bound");
        let spans = places
            .iter()
            .map(|index| span(scopes.names()[*index].range));
        Symbol {
            name: module.of(first.range).to_owned(),
            role: role(module, &facts, scope, places),
            scope,
            places: spans.collect(),
            stays: stays.reason(scope, &first.name, places),
            is_imported: scopes.flags(scope, &first.name).imported,
        }
    });
    symbols.collect()
}

/// By the first definition; a parameter is one whatever else binds it.
fn role(module: &Module<'_>, facts: &Facts<'_>, scope: ScopeId, places: &[usize]) -> Role {
    let scopes = module.scopes();
    let names = || places.iter().map(|index| &scopes.names()[*index]);
    if names().any(|name| name.usage == Use::Parameter) {
        return Role::Parameter;
    }
    let is_class = scopes.all()[scope].kind == ScopeKind::Class;
    let mut bound = names().filter(|name| name.usage == Use::Bind);
    let definition = bound.find_map(|name| facts.defined_at(name.range.start()));
    match definition {
        Some(Definition::Function { .. }) if is_class => Role::Method,
        Some(Definition::Function { .. }) => Role::Function,
        Some(Definition::Class { .. }) => Role::Class,
        Some(Definition::Import) => Role::Namespace,
        Some(Definition::TypeParameter) => Role::TemplateParameter,
        Some(Definition::TypeAlias) => Role::Alias,
        None if is_class => Role::Field,
        None => Role::Variable,
    }
}

/// The edits that rename a symbol.
pub(crate) fn edits(symbol: &Symbol, new: &str) -> Vec<Edit> {
    let new: Rc<str> = new.into();
    let edit = |span: &Span| {
        let range = TextRange::new(span.start.into(), span.end.into());
        Edit::replace(range, Rc::clone(&new))
    };
    symbol.places.iter().map(edit).collect()
}

/// Names that the star imports of a module may bind; `None` if one of its modules is not known.
pub(crate) fn star_names(module: &Module<'_>) -> Option<BTreeSet<&'static str>> {
    if !module.scopes().has_star_import {
        return Some(BTreeSet::new());
    }
    Facts::of(module).star_names()
}
