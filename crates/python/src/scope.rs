//! What each name of a module means: a scope for each block of the language reference, and for each place where a name
//! is written the scope that binds it.
//!
//! The rules are CPython's (`symtable.c`): a name belongs to the innermost function, lambda, comprehension or module
//! around it that binds it; classes are seen from their own body only; `global` and `nonlocal` say otherwise; the first
//! iterable of a comprehension is evaluated outside of it, and a walrus inside of it binds outside; `__x` in a class is
//! another name. CPython's own `symtable` is the oracle of the tests.

mod build;
#[cfg(test)]
mod oracle;

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast as ast;
use ruff_text_size::{TextRange, TextSize};

use crate::Module;

/// A scope by its number; the module is 0.
pub type ScopeId = usize;

/// What a scope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The text as a whole.
    Module,
    /// A class body.
    Class,
    /// A function or a lambda.
    Function,
    /// A comprehension or a generator expression.
    Comprehension,
    /// Type parameters, and what they are seen from besides the body; or the value of a type alias.
    TypeParameters,
}

/// A scope with the names that are written in it.
#[derive(Debug)]
pub struct Scope {
    /// What it is.
    pub kind: ScopeKind,
    /// The scope around it; none for the module.
    pub parent: Option<ScopeId>,
    /// The statement or expression that it belongs to.
    pub(crate) range: TextRange,
    /// What it is called: of functions and classes their name, else a word in angle brackets.
    pub name: String,
    /// The names in it, mangled.
    names: BTreeMap<String, Flags>,
}

/// What a scope does with a name.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Flags {
    pub(crate) bound: bool,
    pub(crate) used: bool,
    pub(crate) parameter: bool,
    pub(crate) global: bool,
    pub(crate) nonlocal: bool,
    /// Only annotated, without a value.
    pub(crate) annotated: bool,
    pub(crate) imported: bool,
}

/// How a place uses a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// It reads the name.
    Read,
    /// It binds it: an assignment, a loop, a definition, an import, a capture.
    Bind,
    /// It is the parameter itself.
    Parameter,
    /// It removes the name.
    Delete,
    /// It stands in a `global` or `nonlocal` statement.
    Declare,
}

/// A place where a name is written.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "a place of a name has the name")]
pub struct Name {
    /// Where.
    pub(crate) range: TextRange,
    /// As Python knows it: in a class, `__x` is `_Class__x`.
    pub(crate) name: String,
    /// The scope that it is written in.
    pub(crate) scope: ScopeId,
    /// How.
    pub(crate) usage: Use,
    /// The scope that binds it; none if it is a builtin, comes from a star import, or is bound nowhere.
    pub(crate) binding: Option<ScopeId>,
}

/// The scopes of a module, and what its names mean.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "scopes with their names")]
pub struct Scopes {
    scopes: Vec<Scope>,
    /// In the order of the text.
    names: Vec<Name>,
    /// What a scope declares `global` and binds.
    globals: BTreeSet<String>,
    /// Whether it has `from … import *`, so that any name may be bound.
    pub(crate) has_star_import: bool,
}

impl Scopes {
    pub(crate) fn of(module: &Module<'_>) -> Self {
        let mut scopes = build::build(module);
        scopes.resolve();
        scopes
    }

    /// The scopes; the module first, each after the one around it.
    pub fn all(&self) -> &[Scope] {
        &self.scopes
    }

    /// The places where names are written, in the order of the text.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The scope of a class.
    pub(crate) fn of_class(&self, class: &ast::StmtClassDef) -> Option<ScopeId> {
        let body = build::class_body(class);
        let is_its = |scope: &Scope| scope.kind == ScopeKind::Class && scope.range == body;
        self.scopes.iter().position(is_its)
    }

    /// Whether two texts mean the same by their names: as many names in as many scopes, each bound where the other's is,
    /// and for each variable of the one text exactly one of the other.
    pub fn same_bindings(&self, other: &Scopes) -> bool {
        let shape = |scopes: &Scopes| -> Vec<(ScopeKind, Option<ScopeId>)> {
            let all = scopes.scopes.iter();
            all.map(|scope| (scope.kind, scope.parent)).collect()
        };
        if shape(self) != shape(other) || self.names.len() != other.names.len() {
            return false;
        }
        let mut forth: BTreeMap<(Option<ScopeId>, &str), &str> = BTreeMap::new();
        let mut back: BTreeMap<(Option<ScopeId>, &str), &str> = BTreeMap::new();
        self.names.iter().zip(&other.names).all(|(one, two)| {
            (one.scope, one.usage, one.binding) == (two.scope, two.usage, two.binding)
                && *forth.entry((one.binding, &one.name)).or_insert(&two.name) == two.name
                && *back.entry((two.binding, &two.name)).or_insert(&one.name) == one.name
        })
    }

    /// What is written in a range.
    pub(crate) fn names_in(&self, range: TextRange) -> &[Name] {
        let start = self
            .names
            .partition_point(|name| name.range.start() < range.start());
        let end = self
            .names
            .partition_point(|name| name.range.start() < range.end());
        self.names.get(start..end).unwrap_or_default()
    }

    /// What is written at a place, by where it begins.
    pub(crate) fn at(&self, start: TextSize) -> Option<&Name> {
        let index = self
            .names
            .binary_search_by_key(&start, |name| name.range.start())
            .ok()?;
        self.names.get(index)
    }

    /// The places that mean the same variable: a name of the scope that binds it.
    pub(crate) fn of_binding(&self, scope: ScopeId, name: &str) -> impl Iterator<Item = &Name> {
        let names = self.names.iter();
        names.filter(move |place| place.binding == Some(scope) && place.name == name)
    }

    /// Whether the name at a place is the builtin of this name.
    pub(crate) fn is_builtin(&self, start: TextSize, builtin: &str) -> bool {
        !self.has_star_import
            && self
                .at(start)
                .is_some_and(|name| name.binding.is_none() && name.name == builtin)
    }

    /// The innermost scope that a place is in.
    pub(crate) fn scope_at(&self, place: TextSize) -> ScopeId {
        let inside = |scope: &Scope| scope.range.contains(place);
        self.scopes.iter().rposition(inside).unwrap_or(0)
    }

    /// The flags of a name in a scope.
    pub(crate) fn flags(&self, scope: ScopeId, name: &str) -> Flags {
        let scope = self.scopes.get(scope);
        scope
            .and_then(|scope| scope.names.get(name))
            .copied()
            .unwrap_or_default()
    }

    /// Whether a name means the same in two places as far as scopes go: it is bound by the same scope, or by none.
    pub(crate) fn binding_from(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        let flags = self.flags(scope, name);
        if flags.global {
            return self.module_binding(name);
        }
        if flags.bound && !flags.nonlocal {
            return Some(scope);
        }
        let mut inner = scope;
        while let Some(parent) = self.scopes[inner].parent {
            let sees_class = self.scopes[inner].kind == ScopeKind::TypeParameters;
            let outer = &self.scopes[parent];
            let flags = self.flags(parent, name);
            match outer.kind {
                ScopeKind::Class if !sees_class => {}
                ScopeKind::Module => return self.module_binding(name),
                _ if flags.global => return self.module_binding(name),
                _ if flags.bound && !flags.nonlocal => return Some(parent),
                _ => {}
            }
            inner = parent;
        }
        self.module_binding(name)
    }

    fn module_binding(&self, name: &str) -> Option<ScopeId> {
        (self.flags(0, name).bound || self.globals.contains(name)).then_some(0)
    }

    fn resolve(&mut self) {
        let names = self.scopes.iter().flat_map(|scope| &scope.names);
        let globals = names.filter(|(_, flags)| flags.global && flags.bound);
        self.globals = globals.map(|(name, _)| name.clone()).collect();
        self.names
            .sort_by_key(|name| (name.range.start(), name.range.end()));
        for index in 0..self.names.len() {
            let Name { scope, name, .. } = &self.names[index];
            let binding = self.binding_from(*scope, name);
            self.names[index].binding = binding;
        }
    }
}
