//! The meaning of each name of a module: a scope for each block of the language reference, and for each occurrence of
//! a name the scope that binds it.
//!
//! The rules are CPython's (`symtable.c`): a name belongs to the innermost function, lambda, comprehension or module
//! around it that binds it; classes are seen from their own body only; `global` and `nonlocal` change this; the first
//! iterable of a comprehension is evaluated outside of it, and a walrus inside of it binds outside; `__x` in a class
//! is another name. CPython's own `symtable` is the oracle of the tests.

mod build;
#[cfg(test)]
mod oracle;

use std::collections::BTreeMap;

use foldhash::HashMap;
use ruff_python_ast as ast;
use ruff_python_ast::name::Name as Spelling;
use ruff_text_size::{TextRange, TextSize};

use crate::Module;

/// A scope by its number; the module is 0.
pub type ScopeId = usize;

/// The kind of a scope.
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

/// A scope.
#[derive(Debug)]
pub struct Scope {
    /// Its kind.
    pub kind: ScopeKind,
    /// The scope around it; `None` for the module.
    pub parent: Option<ScopeId>,
    /// The statement or expression that it belongs to.
    pub(crate) range: TextRange,
    /// Its name: of functions and classes their name, else a word in angle brackets.
    pub name: String,
}

/// A name in a scope that has it or that others mean by it. All facts about an occurrence are stored in these, which
/// are fewer than occurrences.
#[derive(Debug)]
struct Variable {
    scope: ScopeId,
    /// Its number among the spellings.
    spelling: u32,
    flags: Flags,
    /// The scope that binds the name as it is seen from here.
    binding: Option<ScopeId>,
    /// The variable of that scope.
    meant: usize,
}

/// The uses of a name in a scope; all false if the name is not in the scope's table.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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

/// The use of a name at one occurrence.
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
    /// It is in a `global` or `nonlocal` statement.
    Declare,
}

/// One occurrence of a name.
#[derive(Debug, Clone)]
#[expect(clippy::struct_field_names, reason = "a place of a name has the name")]
pub struct Name {
    /// Its range.
    pub(crate) range: TextRange,
    /// As Python knows it: in a class, `__x` is `_Class__x`.
    pub(crate) name: Spelling,
    /// The scope that it is written in.
    pub(crate) scope: ScopeId,
    /// Its use.
    pub(crate) usage: Use,
    /// The scope that binds it; `None` if it is a builtin, comes from a star import, or is bound nowhere.
    pub(crate) binding: Option<ScopeId>,
    /// The variable that it is in its scope.
    variable: usize,
}

/// The scopes of a module, and what its names mean.
#[derive(Debug)]
#[expect(clippy::struct_field_names, reason = "scopes with their names")]
pub struct Scopes {
    scopes: Vec<Scope>,
    /// In the order of the text.
    names: Vec<Name>,
    /// The number of each spelling.
    spellings: HashMap<Spelling, u32>,
    variables: Vec<Variable>,
    /// Variables by scope and spelling.
    index: HashMap<(ScopeId, u32), usize>,
    /// Of each spelling, whether a scope declares it `global` and binds it.
    globals: Vec<bool>,
    /// True if it has `from … import *`, so that any name may be bound.
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

    /// The occurrences of names, in the order of the text.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The scope of a class.
    pub(crate) fn of_class(&self, class: &ast::StmtClassDef) -> Option<ScopeId> {
        let body = build::class_body(class);
        let is_its = |scope: &Scope| scope.kind == ScopeKind::Class && scope.range == body;
        self.scopes.iter().position(is_its)
    }

    /// Returns `true` if two texts mean the same by their names: the same number of names and scopes, each name bound
    /// in the same scope, and for each variable of the one text exactly one of the other.
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

    /// The names in a range.
    pub(crate) fn names_in(&self, range: TextRange) -> &[Name] {
        let start = self
            .names
            .partition_point(|name| name.range.start() < range.start());
        let end = self
            .names
            .partition_point(|name| name.range.start() < range.end());
        self.names.get(start..end).unwrap_or_default()
    }

    /// The name that begins at a position.
    pub(crate) fn at(&self, start: TextSize) -> Option<&Name> {
        let index = self
            .names
            .binary_search_by_key(&start, |name| name.range.start())
            .ok()?;
        self.names.get(index)
    }

    /// The occurrences of the same variable: a name of the scope that binds it.
    pub(crate) fn of_binding(&self, scope: ScopeId, name: &str) -> impl Iterator<Item = &Name> {
        let names = self.names.iter();
        names.filter(move |place| place.binding == Some(scope) && place.name == name)
    }

    /// Returns `true` if the name at a position is the builtin of this name.
    pub(crate) fn is_builtin(&self, start: TextSize, builtin: &str) -> bool {
        !self.has_star_import
            && self
                .at(start)
                .is_some_and(|name| name.binding.is_none() && name.name == builtin)
    }

    /// The innermost scope around a position.
    pub(crate) fn scope_at(&self, place: TextSize) -> ScopeId {
        let inside = |scope: &Scope| scope.range.contains(place);
        self.scopes.iter().rposition(inside).unwrap_or(0)
    }

    /// The flags of a name in a scope.
    pub(crate) fn flags(&self, scope: ScopeId, name: &str) -> Flags {
        let spelling = self.spellings.get(name);
        spelling.map_or_else(Flags::default, |spelling| self.flags_of(scope, *spelling))
    }

    /// The scope that binds a name as it is seen from a scope; `None` if no scope does.
    pub(crate) fn binding_from(&self, scope: ScopeId, name: &str) -> Option<ScopeId> {
        self.binding_of(scope, *self.spellings.get(name)?)
    }

    /// The occurrences of each variable that a scope binds, as indices of [`names`](Self::names): first the variable
    /// with the first occurrence.
    pub(crate) fn places(&self) -> Places {
        let mut counts = vec![0_usize; self.variables.len()];
        let mut order = Vec::new();
        let meant = |name: &Name| name.binding.map(|_| self.variables[name.variable].meant);
        for variable in self.names.iter().filter_map(meant) {
            if counts[variable] == 0 {
                order.push(variable);
            }
            counts[variable] += 1;
        }
        let mut sum = 0;
        let mut ends = Vec::with_capacity(order.len());
        for variable in order {
            sum += std::mem::replace(&mut counts[variable], sum);
            ends.push(sum);
        }
        let mut numbers = vec![0; sum];
        for (number, name) in self.names.iter().enumerate() {
            if let Some(variable) = meant(name) {
                numbers[counts[variable]] = number;
                counts[variable] += 1;
            }
        }
        Places { numbers, ends }
    }

    fn flags_of(&self, scope: ScopeId, spelling: u32) -> Flags {
        let variable = self.index.get(&(scope, spelling));
        variable.map_or_else(Flags::default, |index| self.variables[*index].flags)
    }

    fn binding_of(&self, scope: ScopeId, spelling: u32) -> Option<ScopeId> {
        let flags = self.flags_of(scope, spelling);
        if flags.global {
            return self.module_binding(spelling);
        }
        if flags.bound && !flags.nonlocal {
            return Some(scope);
        }
        let mut inner = scope;
        while let Some(parent) = self.scopes[inner].parent {
            let sees_class = self.scopes[inner].kind == ScopeKind::TypeParameters;
            let kind = self.scopes[parent].kind;
            inner = parent;
            if kind == ScopeKind::Module {
                break;
            }
            if kind == ScopeKind::Class && !sees_class {
                continue;
            }
            let flags = self.flags_of(parent, spelling);
            if flags.global {
                break;
            }
            if flags.bound && !flags.nonlocal {
                return Some(parent);
            }
        }
        self.module_binding(spelling)
    }

    fn module_binding(&self, spelling: u32) -> Option<ScopeId> {
        let is_global = self.globals[spelling as usize];
        (is_global || self.flags_of(0, spelling).bound).then_some(0)
    }

    /// The variable of a scope and spelling, which is added at the first request.
    fn variable(&mut self, scope: ScopeId, spelling: u32) -> usize {
        *self.index.entry((scope, spelling)).or_insert_with(|| {
            self.variables.push(Variable {
                scope,
                spelling,
                flags: Flags::default(),
                binding: None,
                meant: 0,
            });
            self.variables.len() - 1
        })
    }

    fn resolve(&mut self) {
        self.globals = vec![false; self.spellings.len()];
        for variable in &self.variables {
            if variable.flags.global && variable.flags.bound {
                self.globals[variable.spelling as usize] = true;
            }
        }
        for index in 0..self.variables.len() {
            let Variable {
                scope, spelling, ..
            } = self.variables[index];
            if let Some(binding) = self.binding_of(scope, spelling) {
                self.variables[index].meant = self.variable(binding, spelling);
                self.variables[index].binding = Some(binding);
            }
        }
        for name in &mut self.names {
            name.binding = self.variables[name.variable].binding;
        }
        self.names
            .sort_by_key(|name| (name.range.start(), name.range.end()));
    }
}

/// The occurrences of variables: see [`Scopes::places`].
#[derive(Debug)]
pub(crate) struct Places {
    /// Those of the first variable, in order, then those of the next one.
    numbers: Vec<usize>,
    /// The end of the occurrences of each variable.
    ends: Vec<usize>,
}

impl Places {
    /// The occurrences of each variable.
    pub(crate) fn of_variables(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        let mut start = 0;
        self.ends.iter().map(move |end| {
            let numbers = &self.numbers[start..*end];
            start = *end;
            numbers
        })
    }
}
