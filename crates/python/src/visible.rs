//! The code in a module that can see how the module is written: code that lists its own variables, classes with
//! operators of their own, arrays that change in place.

use std::sync::LazyLock;

use ruff_python_ast::{AnyNodeRef, Expr};
use ruff_text_size::TextSize;

use crate::rename::words;
use crate::walk::walk;
use crate::{Module, ScopeKind};

/// Builtins that list variables, or run text that can.
const LISTING: &[&str] = &["locals", "globals", "vars", "dir", "eval", "exec"];
/// Packages whose values change in place, or whose operators do not return a truth value.
static ARRAYS: LazyLock<Vec<&str>> = LazyLock::new(|| words::list("arrays"));

/// The parts of a module that other code can see.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
pub(crate) struct Visible {
    /// New variables would be noticed.
    pub(crate) variables: bool,
    /// A class defines what operators do when they assign.
    pub(crate) in_place: bool,
    /// A class defines how it is compared.
    pub(crate) comparisons: bool,
    /// Arrays may occur.
    pub(crate) arrays: bool,
    /// Its tests show Python's messages about operands that do not fit, which name the operator and the operands in
    /// order.
    pub(crate) messages: bool,
    /// It catches errors by name or shows their trace: their texts have names of functions, classes and variables.
    pub(crate) errors: bool,
}

impl Visible {
    pub(crate) fn in_module(module: &Module<'_>) -> Self {
        let text = module.text();
        let mut seen = Visible {
            messages: text.contains("unsupported operand type")
                || text.contains("not supported between"),
            ..Visible::default()
        };
        let is_array = |name: &str| {
            let first = name.split('.').next().unwrap_or(name);
            ARRAYS.contains(&first)
        };
        walk(module, |node, above| match node {
            AnyNodeRef::ExprName(name) if LISTING.contains(&name.id.as_str()) => {
                seen.variables = true;
            }
            AnyNodeRef::ExceptHandlerExceptHandler(it) => seen.errors |= it.name.is_some(),
            AnyNodeRef::ExprAttribute(it)
                if matches!(it.attr.as_str(), "exc_info" | "format_exc" | "print_exc") =>
            {
                seen.errors = true;
            }
            AnyNodeRef::ExprAttribute(it)
                if matches!(it.attr.as_str(), "_getframe" | "f_locals" | "currentframe") =>
            {
                seen.variables = true;
            }
            AnyNodeRef::StmtImport(it) => {
                seen.arrays |= it.names.iter().any(|alias| is_array(&alias.name));
            }
            AnyNodeRef::StmtImportFrom(it) => {
                seen.arrays |= it.module.as_deref().is_some_and(is_array);
            }
            AnyNodeRef::StmtFunctionDef(it)
                if matches!(above.last(), Some(AnyNodeRef::StmtClassDef(_))) =>
            {
                seen.method(&it.name);
            }
            AnyNodeRef::StmtAssign(it) => {
                for target in &it.targets {
                    match target {
                        Expr::Name(name) => seen.method(&name.id),
                        Expr::Attribute(it) => seen.method(&it.attr),
                        _ => {}
                    }
                }
            }
            _ => {}
        });
        seen
    }

    fn method(&mut self, name: &str) {
        match name {
            "__eq__" | "__ne__" | "__lt__" | "__le__" | "__gt__" | "__ge__" => {
                self.comparisons = true;
            }
            "__iadd__" | "__isub__" | "__imul__" | "__imatmul__" | "__itruediv__"
            | "__ifloordiv__" | "__imod__" | "__ipow__" | "__ilshift__" | "__irshift__"
            | "__iand__" | "__ixor__" | "__ior__" => self.in_place = true,
            _ => {}
        }
    }
}

/// Returns `true` if a position is in a class body, where each name that is bound is an attribute.
pub(crate) fn is_in_class(module: &Module<'_>, place: TextSize) -> bool {
    let scopes = module.scopes();
    let mut scope = scopes.scope_at(place);
    // A comprehension or type parameter in a class body binds there, too.
    loop {
        let here = &scopes.all()[scope];
        match (here.kind, here.parent) {
            (ScopeKind::Class, _) => return true,
            (ScopeKind::Comprehension | ScopeKind::TypeParameters, Some(parent)) => scope = parent,
            _ => return false,
        }
    }
}
