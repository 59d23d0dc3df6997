//! Writes conditional expressions of assignments as `if` statements.
//!
//! # Rewrites
//! `x = a if c else b` to an `if` statement with an assignment in each branch; a conditional expression behind `else`
//! becomes an `elif`. Assignments to several targets, annotated ones, and augmented ones of a name.
//!
//! # Keeps the meaning because
//! The condition is evaluated first in both, then one value, then the targets. An augmented assignment reads its target
//! before the condition, so its target is a name that nothing else binds.
//!
//! # Declines
//! Values that only contain a conditional expression; statements that share their line, or have comments inside; other
//! augmented assignments.
//!
//! # Paper
//! The same.

use std::fmt::Write as _;

use ruff_python_ast::{AnyNodeRef, Expr, ExprIf};
use ruff_text_size::{Ranged as _, TextRange};

use crate::types::Types;
use crate::walk::{any, is_fixed, walk};
use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, _: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let types = Types::of(module);
    let mut sites = Vec::new();
    walk(module, |node, _| {
        let value = match node {
            AnyNodeRef::StmtAssign(it) => &*it.value,
            AnyNodeRef::StmtAnnAssign(it) => match &it.value {
                Some(value) => value,
                None => return,
            },
            AnyNodeRef::StmtAugAssign(it) if is_settled(&types, &it.target, &it.value) => &it.value,
            _ => return,
        };
        if let Expr::If(conditional) = value {
            sites.extend(written_out(module, node, conditional));
        }
    });
    sites
}

/// Returns `true` if a target of an augmented assignment is read to the same value after the condition of its value.
fn is_settled(types: &Types<'_>, target: &Expr, value: &Expr) -> bool {
    let Expr::If(conditional) = value else {
        return false;
    };
    let binds = any(&conditional.test, &mut |part| {
        matches!(part, Expr::Named(_))
    });
    matches!(target, Expr::Name(name) if types.is_stable(name)) && !binds && !is_fixed(value)
}

fn written_out<'a>(
    module: &'a Module<'_>,
    statement: AnyNodeRef<'a>,
    conditional: &'a ExprIf,
) -> Option<Site> {
    let range = statement.range();
    let blanks = layout::alone(module, range)?;
    if layout::has_comment(module, range) {
        return None;
    }
    let value = module.with_parentheses(conditional, statement);
    // `x = `, with its targets and annotation.
    let head = module.of(TextRange::new(range.start(), value.start()));
    if value.end() != range.end() || head.contains('\n') {
        return None;
    }
    let (line, unit) = (layout::newline(module), layout::unit(module));
    let mut text = String::new();
    let mut word = "if";
    let mut rest = conditional;
    loop {
        let parent = AnyNodeRef::from(rest);
        let test = layout::on_a_line(module, &rest.test, parent);
        let body = layout::on_a_line(module, &rest.body, parent);
        let _ = write!(
            text,
            "{word} {test}:{line}{blanks}{unit}{head}{body}{line}{blanks}"
        );
        word = "elif";
        match &*rest.orelse {
            Expr::If(inner) => rest = inner,
            last => {
                let last = layout::on_a_line(module, last, parent);
                let _ = write!(text, "else:{line}{blanks}{unit}{head}{last}");
                break;
            }
        }
    }
    Some(Site::one(range, vec![Edit::replace(range, text)]))
}
