//! `DeletedStatement`: a statement less.
//!
//! *Rewrites.* Removes a statement with its lines, or replaces it with `pass` where the block would be empty or the
//! line has other statements. `any`: a simple statement, or one with a block that defines no function or class.
//! `simple_def`: the first assignment of a name.
//!
//! *Breaks the meaning because* what the statement did is not done.
//!
//! *Declines* docstrings and other constants, `pass`, bare annotations, assignments to names that nothing reads, the
//! last `return` of a function if it returns nothing, `global` and `nonlocal`, imports from `__future__`, and blocks
//! under `if __name__ == …`.
//!
//! *Paper.* "Can either target statements where a variable is being assigned for the first time or any statement."

use barecode_records::python::VariantKind;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use super::mutant::{is_covered, is_main_guard};
use crate::scope::Use;
use crate::{Context, Edit, Fresh, Module, Site, Transform, walk};

/// The kind of statements that are deleted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StatementType {
    /// Any statement.
    #[default]
    Any,
    /// The first assignment of a variable.
    SimpleDef,
}

/// Deletes statements.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeletedStatement {
    /// The kind of statements that are deleted.
    pub statement_type: StatementType,
}

impl Transform for DeletedStatement {
    fn name(&self) -> &'static str {
        "DeletedStatement"
    }

    fn kind(&self) -> VariantKind {
        VariantKind::Bug
    }

    fn sites(&self, module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
        let mut sites = Vec::new();
        let mut blocks = vec![(module.body(), false)];
        while let Some((block, is_function)) = blocks.pop() {
            let is_meant = |index: usize, statement: &Stmt| {
                is_covered(module, context, statement.start())
                    && match self.statement_type {
                        StatementType::Any => {
                            let is_last = is_function && index + 1 == block.len();
                            is_deletable(module, statement, is_last)
                        }
                        StatementType::SimpleDef => is_first_assignment(module, statement),
                    }
            };
            let meant = block.iter().enumerate();
            let meant: Vec<bool> = meant
                .map(|(index, statement)| is_meant(index, statement))
                .collect();
            // A block whose statements may all be drawn keeps its first position.
            let may_be_empty = meant.iter().all(|meant| *meant);
            for (index, statement) in block.iter().enumerate() {
                if meant[index] {
                    let keeps_place = may_be_empty && index == 0;
                    let edit = deleted(module, statement, keeps_place);
                    sites.push(Site::one(statement.range(), vec![edit]));
                }
                if !matches!(statement, Stmt::If(it) if is_guard(it)) {
                    let inner = walk::blocks(statement).into_iter();
                    blocks.extend(inner.map(|block| (block, statement.is_function_def_stmt())));
                }
            }
        }
        sites.sort_by_key(|site| (site.node.start(), site.node.end()));
        sites
    }
}

fn is_guard(statement: &ruff_python_ast::StmtIf) -> bool {
    matches!(&*statement.test, Expr::Compare(test) if is_main_guard(&test.left))
}

fn is_deletable(module: &Module<'_>, statement: &Stmt, is_last: bool) -> bool {
    match statement {
        Stmt::FunctionDef(_)
        | Stmt::ClassDef(_)
        | Stmt::TypeAlias(_)
        | Stmt::Pass(_)
        | Stmt::Global(_)
        | Stmt::Nonlocal(_)
        | Stmt::IpyEscapeCommand(_) => false,
        Stmt::If(it) => !is_guard(it),
        Stmt::Expr(it) => !it.value.is_literal_expr() && !it.value.is_name_expr(),
        Stmt::ImportFrom(it) => it.module.as_deref() != Some("__future__"),
        Stmt::Return(it) => {
            let is_nothing = it.value.as_deref().is_none_or(Expr::is_none_literal_expr);
            !(is_last && is_nothing)
        }
        Stmt::Assign(it) => it.targets.iter().any(|target| is_read(module, target)),
        Stmt::AnnAssign(it) => it.value.is_some() && is_read(module, &it.target),
        _ => true,
    }
}

/// Returns `true` if something may read what is assigned.
fn is_read(module: &Module<'_>, target: &Expr) -> bool {
    let Expr::Name(name) = target else {
        return true;
    };
    let scopes = module.scopes();
    let Some(place) = scopes.at(name.start()) else {
        return true;
    };
    match place.binding {
        Some(binding) => {
            let in_function = scopes.all()[binding].kind == crate::ScopeKind::Function;
            // The names of a module or class may be read from outside.
            let mut places = scopes.of_binding(binding, &place.name);
            !in_function || places.any(|place| place.usage == Use::Read)
        }
        None => true,
    }
}

/// Returns `true` if it is the first statement that binds a name, and binds nothing else.
fn is_first_assignment(module: &Module<'_>, statement: &Stmt) -> bool {
    let target = match statement {
        Stmt::Assign(it) => match &it.targets[..] {
            [target] => target,
            _ => return false,
        },
        Stmt::AnnAssign(it) if it.value.is_some() => &*it.target,
        _ => return false,
    };
    let Expr::Name(name) = target else {
        return false;
    };
    let scopes = module.scopes();
    let Some(place) = scopes.at(name.start()) else {
        return false;
    };
    let Some(binding) = place.binding.filter(|binding| *binding == place.scope) else {
        return false;
    };
    let mut binds = scopes
        .of_binding(binding, &place.name)
        .filter(|place| matches!(place.usage, Use::Bind | Use::Parameter));
    binds
        .next()
        .is_some_and(|first| first.range == name.range())
        && is_read(module, target)
}

/// Removes a statement with its lines, or replaces it with `pass`.
fn deleted(module: &Module<'_>, statement: &Stmt, keeps_place: bool) -> Edit {
    let range = statement.range();
    let start = module.line_start(range.start());
    let end = module.line_end(range.end());
    let before = module.of(TextRange::new(start, range.start()));
    let after = module.of(TextRange::new(range.end(), end));
    let after = after.trim_start();
    let alone = before.trim().is_empty() && (after.is_empty() || after.starts_with('#'));
    let above = module.text().get(..start.to_usize()).unwrap_or_default();
    let continues = above.trim_end_matches(['\n', '\r']).ends_with('\\');
    if keeps_place || !alone || continues {
        return Edit::replace(range, "pass");
    }
    let has_line_end = end.to_usize() < module.text().len();
    let end = end + TextSize::new(u32::from(has_line_end));
    Edit::remove(TextRange::new(start, end))
}
