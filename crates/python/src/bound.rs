//! Variables that surely have a value where they are read.
//!
//! If a variable may have no value, reading it raises an error, and the kind and time of the error depend on how the
//! code around it is written. A variable has a value if a statement that always runs before the position binds it:
//! one that comes before it in its block or in a block around it. "It may have none" is always a right answer.

use ruff_python_ast::{ExceptHandler, Expr, ExprName, Stmt};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::scope::Use;
use crate::walk::{blocks, statements};
use crate::{Module, ScopeKind};

/// Returns `true` if a name surely has a value at its position.
pub(crate) fn is_bound(module: &Module<'_>, name: &ExprName) -> bool {
    let scopes = module.scopes();
    if scopes.is_builtin(name.start(), &name.id) {
        return true;
    }
    let Some(place) = scopes.at(name.start()) else {
        return false;
    };
    let Some(binding) = place.binding else {
        return false;
    };
    let uses = || scopes.of_binding(binding, &place.name);
    if uses().any(|one| one.usage == Use::Delete) {
        return false;
    }
    let scope = &scopes.all()[binding];
    if scope.kind == ScopeKind::Comprehension || uses().any(|one| one.usage == Use::Parameter) {
        return true;
    }
    // A function may run before the rest of the module does.
    if binding == 0 {
        return scopes.scope_at(name.start()) == 0
            && binds_before(module.body(), name, name.start());
    }
    let mut functions = statements(module.body()).into_iter();
    let body = functions.find_map(|statement| match statement {
        Stmt::FunctionDef(it) if scope.range == TextRange::new(it.parameters.start(), it.end()) => {
            Some(&it.body[..])
        }
        _ => None,
    });
    body.is_some_and(|body| binds_before(body, name, name.start()))
}

/// Returns `true` if statements of a block bind a name before a position in it.
fn binds_before(body: &[Stmt], name: &ExprName, place: TextSize) -> bool {
    for statement in body {
        if statement.end() <= place {
            if binds(statement, name) {
                return true;
            }
            continue;
        }
        if statement.start() > place {
            return false;
        }
        let is_inside = |block: &&[Stmt]| {
            block.first().is_some_and(|first| first.start() <= place)
                && block.last().is_some_and(|last| place < last.end())
        };
        let Some(block) = blocks(statement).into_iter().find(is_inside) else {
            return false;
        };
        let at_its_head = match statement {
            Stmt::For(it) => it.body.as_ptr() == block.as_ptr() && is_target(&it.target, name),
            Stmt::With(_) => binds(statement, name),
            Stmt::Try(it) => it.handlers.iter().any(|handler| {
                let ExceptHandler::ExceptHandler(it) = handler;
                it.body.as_ptr() == block.as_ptr()
                    && it
                        .name
                        .as_ref()
                        .is_some_and(|caught| caught.as_str() == name.id.as_str())
            }),
            _ => false,
        };
        return at_its_head || binds_before(block, name, place);
    }
    false
}

/// Returns `true` if a statement that was run to its end has bound a name.
fn binds(statement: &Stmt, name: &ExprName) -> bool {
    let is_it = |other: &str| other == name.id.as_str();
    match statement {
        Stmt::Assign(it) => it.targets.iter().any(|target| is_target(target, name)),
        Stmt::AnnAssign(it) => it.value.is_some() && is_target(&it.target, name),
        Stmt::AugAssign(it) => is_target(&it.target, name),
        Stmt::FunctionDef(it) => is_it(&it.name),
        Stmt::ClassDef(it) => is_it(&it.name),
        Stmt::Import(it) => it.names.iter().any(|alias| match &alias.asname {
            Some(given) => is_it(given),
            None => is_it(alias.name.split('.').next().unwrap_or_default()),
        }),
        Stmt::ImportFrom(it) => it
            .names
            .iter()
            .any(|alias| is_it(alias.asname.as_ref().unwrap_or(&alias.name))),
        Stmt::With(it) => it
            .items
            .iter()
            .filter_map(|item| item.optional_vars.as_deref())
            .any(|target| is_target(target, name)),
        Stmt::If(it) => {
            let has_else = it
                .elif_else_clauses
                .last()
                .is_some_and(|last| last.test.is_none());
            let any = |block: &[Stmt]| block.iter().any(|statement| binds(statement, name));
            has_else && blocks(statement).into_iter().all(any)
        }
        _ => false,
    }
}

fn is_target(target: &Expr, name: &ExprName) -> bool {
    match target {
        Expr::Name(it) => it.id == name.id,
        Expr::Starred(it) => is_target(&it.value, name),
        Expr::Tuple(it) => it.elts.iter().any(|part| is_target(part, name)),
        Expr::List(it) => it.elts.iter().any(|part| is_target(part, name)),
        _ => false,
    }
}
