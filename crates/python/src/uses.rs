//! The names that a module takes from elsewhere: its imports, and each use of an imported name or a builtin by its
//! full path.
//!
//! Paths follow the scopes: `from os import system as s` makes `s("…")` a use of `os.system`, and a local variable `open`
//! is not `builtins.open`. With `from os import *` a name that nothing binds may be a builtin or `os`'s; it is both.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{AnyNodeRef, Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};

use crate::walk::{outer_names, walk};
use crate::{Module, ScopeId};

/// An imported module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Its dotted name; empty in `from . import x`.
    pub module: String,
    /// The number of dots before it.
    pub level: u32,
    /// The line, from 1.
    pub line: u32,
    /// True if it is in a `try` that handles something, so that it may be absent.
    pub guarded: bool,
}

/// A use of something that the module does not define.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Use {
    /// The full path: `os.path.join`, `builtins.open`.
    pub path: String,
    /// The line, from 1.
    pub line: u32,
    /// The source of the first argument if it is called with one that has no name.
    pub argument: Option<String>,
}

impl Module<'_> {
    /// The imports, in order.
    pub fn imports(&self) -> Vec<Import> {
        self.outside().found
    }

    /// The uses of imported names and builtins, in order.
    pub fn uses(&self) -> Vec<Use> {
        let collected = self.outside();
        let mut uses = Uses {
            module: self,
            paths: collected.paths,
            stars: collected.stars,
            found: Vec::new(),
        };
        uses.visit_body(self.body());
        uses.found
    }

    /// Names that the module shares with code that it is run with: those that it leaves unbound or binds for all to
    /// see, attributes, names of arguments, and names that it imports from modules; if it looks names up by strings,
    /// these too.
    pub fn shared_names(&self) -> BTreeSet<String> {
        const BY_STRING: [&str; 9] = [
            "getattr", "hasattr", "setattr", "delattr", "globals", "locals", "vars", "patch",
            "eval",
        ];
        let names = self.scopes().names().iter();
        let shared = names.filter(|name| name.binding.is_none_or(|scope| scope == 0));
        let mut found: BTreeSet<String> = shared.map(|name| name.name.to_string()).collect();
        let mut strings = Vec::new();
        walk(self, |node, _| {
            found.extend(outer_names(node).into_iter().map(str::to_owned));
            if let AnyNodeRef::ExprStringLiteral(string) = node {
                strings.push(string.value.to_str().to_owned());
            }
        });
        if BY_STRING.iter().any(|name| found.contains(*name)) {
            found.extend(strings);
        }
        found
    }

    fn outside(&self) -> Imports<'_, '_> {
        let mut imports = Imports {
            module: self,
            guards: 0,
            found: Vec::new(),
            paths: BTreeMap::new(),
            stars: Vec::new(),
        };
        imports.visit_body(self.body());
        imports
    }
}

/// The paths of names that imports bind, by the scope that binds them.
type Paths = BTreeMap<(ScopeId, String), Vec<String>>;

struct Imports<'m, 't> {
    module: &'m Module<'t>,
    guards: u32,
    found: Vec<Import>,
    paths: Paths,
    stars: Vec<String>,
}

impl Imports<'_, '_> {
    fn import(&mut self, module: &str, level: u32, place: TextSize) {
        self.found.push(Import {
            module: module.to_owned(),
            level,
            line: self.module.line_of(place.to_u32()),
            guarded: self.guards > 0,
        });
    }

    fn bind(&mut self, name: &str, path: String, place: TextSize) {
        let scopes = self.module.scopes();
        if let Some(scope) = scopes.binding_from(scopes.scope_at(place), name) {
            let paths = self.paths.entry((scope, name.to_owned())).or_default();
            paths.push(path);
        }
    }
}

impl<'a> Visitor<'a> for Imports<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let path = alias.name.as_str();
                    self.import(path, 0, import.start());
                    if let Some(name) = &alias.asname {
                        self.bind(name, path.to_owned(), import.start());
                    } else {
                        let top = path.split('.').next().unwrap_or(path);
                        self.bind(top, top.to_owned(), import.start());
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |name| name.as_str());
                self.import(module, import.level, import.start());
                for alias in &import.names {
                    if alias.name.as_str() == "*" {
                        self.stars.push(module.to_owned());
                    } else {
                        let name = alias.asname.as_ref().unwrap_or(&alias.name);
                        self.bind(name, format!("{module}.{}", alias.name), import.start());
                    }
                }
            }
            Stmt::Try(attempt) if !attempt.handlers.is_empty() => {
                self.guards += 1;
                self.visit_body(&attempt.body);
                self.guards -= 1;
                for handler in &attempt.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
            }
            other => walk_stmt(self, other),
        }
    }
}

struct Uses<'m, 't> {
    module: &'m Module<'t>,
    paths: Paths,
    stars: Vec<String>,
    found: Vec<Use>,
}

impl Uses<'_, '_> {
    /// The paths that an expression may refer to; empty if it is not a name from elsewhere, or an attribute of one.
    fn paths(&self, expression: &Expr) -> Vec<String> {
        match expression {
            Expr::Attribute(attribute) => {
                let paths = self.paths(&attribute.value).into_iter();
                paths
                    .map(|path| format!("{path}.{}", attribute.attr))
                    .collect()
            }
            Expr::Name(name) => {
                let Some(place) = self.module.scopes().at(name.start()) else {
                    return Vec::new();
                };
                if let Some(scope) = place.binding {
                    let key = (scope, place.name.to_string());
                    self.paths.get(&key).cloned().unwrap_or_default()
                } else {
                    let sources = self.stars.iter().map(String::as_str);
                    let sources = std::iter::once("builtins").chain(sources);
                    sources
                        .map(|source| format!("{source}.{}", place.name))
                        .collect()
                }
            }
            _ => Vec::new(),
        }
    }

    fn record(&mut self, paths: Vec<String>, place: TextSize, argument: Option<&Expr>) {
        let line = self.module.line_of(place.to_u32());
        let argument = argument.map(|argument| self.module.of(argument.range()).to_owned());
        let uses = paths.into_iter().map(|path| Use {
            path,
            line,
            argument: argument.clone(),
        });
        self.found.extend(uses);
    }
}

impl<'a> Visitor<'a> for Uses<'_, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression {
            let paths = self.paths(&call.func);
            if !paths.is_empty() {
                self.record(paths, call.start(), call.arguments.args.first());
                self.visit_arguments(&call.arguments);
                return;
            }
        }
        let paths = self.paths(expression);
        if paths.is_empty() {
            walk_expr(self, expression);
        } else {
            self.record(paths, expression.start(), None);
        }
    }
}
