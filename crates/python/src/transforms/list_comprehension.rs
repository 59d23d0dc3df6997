//! Writes list comprehensions as loops.
//!
//! # Rewrites
//! `x = [f(i) for i in a if c]` to a list that a loop fills, which is then assigned; the same where a comprehension
//! is returned or is a statement. Its variables get names that the text does not have.
//!
//! # Keeps the meaning because
//! The comprehension is the whole value of its statement, so nothing is evaluated before it. New names neither leak nor
//! hide others, and the target is bound at the end, so that an error on the way leaves it as it was.
//!
//! # Declines
//! Comprehensions elsewhere, in class bodies, asynchronous ones; functions in them that keep a variable for later;
//! statements that share their line, or have comments inside; modules that list their variables; `super()`.
//!
//! # Paper
//! The same.

use std::fmt::Write as _;

use barecode_records::python::Safety;
use ruff_python_ast::{AnyNodeRef, Expr, ExprListComp, StmtRef};
use ruff_text_size::{Ranged as _, TextRange};

use crate::bound::is_bound;
use crate::edit::edited;
use crate::types::{Ty, Types};
use crate::visible::{Visible, is_in_class};
use crate::walk::{any, walk};
use crate::{Context, Edit, Fresh, Module, ScopeKind, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
    if context.safety == Safety::Safe && Visible::in_module(module).variables {
        return Vec::new();
    }
    let types = Types::of(module);
    let mut sites = Vec::new();
    walk(module, |node, _| {
        let Some(statement) = node.as_stmt_ref() else {
            return;
        };
        let value = match statement {
            StmtRef::Assign(it) => Some(&*it.value),
            StmtRef::AnnAssign(it) => it.value.as_deref(),
            StmtRef::Return(it) => it.value.as_deref(),
            StmtRef::Expr(it) => Some(&*it.value),
            _ => None,
        };
        if let Some(value @ Expr::ListComp(list)) = value
            && !is_in_class(module, node.start())
        {
            sites.extend(written_out(&types, node, value, list, fresh));
        }
    });
    sites
}

fn written_out<'a>(
    types: &Types<'_>,
    statement: AnyNodeRef<'a>,
    value: &'a Expr,
    list: &'a ExprListComp,
    fresh: &mut Fresh<'_>,
) -> Option<Site> {
    let module = types.module;
    let range = statement.range();
    let blanks = layout::alone(module, range)?;
    if layout::has_comment(module, range) || list.generators.iter().any(|part| part.is_async) {
        return None;
    }
    if any(value, &mut |part| is_unfit(part)) || list.elt.is_starred_expr() {
        return None;
    }
    let names_only = list
        .generators
        .iter()
        .all(|part| has_names_only(&part.target));
    if !names_only || keeps(types, value) {
        return None;
    }
    let renames = renames(module, list, fresh)?;
    let made = fresh.name("result");
    let text_of = |expression: &'a Expr, parent: AnyNodeRef<'a>| -> String {
        let range = module.with_parentheses(expression, parent);
        let inside = renames.iter().filter(|edit| {
            range.start().to_u32() <= edit.range.0 && edit.range.1 <= range.end().to_u32()
        });
        let shifted: Vec<Edit> = inside
            .map(|edit| Edit {
                range: (
                    edit.range.0 - range.start().to_u32(),
                    edit.range.1 - range.start().to_u32(),
                ),
                text: edit.text.clone(),
            })
            .collect();
        let text = edited(module.of(range), &shifted);
        if text.contains('\n') {
            format!("({text})")
        } else {
            text
        }
    };
    let (line, unit) = (layout::newline(module), layout::unit(module));
    let mut depth = blanks.to_owned();
    let mut text = format!("{made} = []{line}");
    for part in &list.generators {
        let parent = AnyNodeRef::from(part);
        let target = text_of(&part.target, parent);
        let iterated = text_of(&part.iter, parent);
        let _ = write!(text, "{depth}for {target} in {iterated}:{line}");
        depth += unit;
        for test in &part.ifs {
            let _ = write!(text, "{depth}if {}:{line}", text_of(test, parent));
            depth += unit;
        }
    }
    let element = text_of(&list.elt, AnyNodeRef::from(list));
    let _ = write!(text, "{depth}{made}.append({element})");
    if !matches!(statement, AnyNodeRef::StmtExpr(_)) {
        let value = module.with_parentheses(list, statement);
        let head = module.of(TextRange::new(range.start(), value.start()));
        let tail = module.of(TextRange::new(value.end(), range.end()));
        let _ = write!(text, "{line}{blanks}{head}{made}{tail}");
    }
    // In a comprehension, a variable of the function around it that has no value raises another error.
    let here = module.scopes().scope_at(range.start());
    let is_other_error = |part: &Expr| {
        let Expr::Name(name) = part else { return false };
        let place = module.scopes().at(name.start());
        place.is_some_and(|place| {
            place.scope != here && place.binding.is_some_and(|scope| scope > 0)
        }) && !is_bound(module, name)
    };
    let proven = !any(value, &mut { is_other_error });
    // The first line has its blanks already.
    Some(Site::one(range, vec![Edit::replace(range, text)]).proven(proven))
}

/// Code that behaves differently in a comprehension, or is not allowed in one.
fn is_unfit(part: &Expr) -> bool {
    match part {
        Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => true,
        Expr::Name(name) => matches!(name.id.as_str(), "super" | "__class__"),
        Expr::FString(it) => {
            // `{x=}` shows the name.
            let fields = it.value.elements();
            fields
                .filter_map(|element| element.as_interpolation())
                .any(|field| field.debug_text.is_some())
        }
        _ => false,
    }
}

fn has_names_only(target: &Expr) -> bool {
    match target {
        Expr::Name(_) => true,
        Expr::Starred(it) => has_names_only(&it.value),
        Expr::Tuple(it) => it.elts.iter().all(has_names_only),
        Expr::List(it) => it.elts.iter().all(has_names_only),
        _ => false,
    }
}

/// Returns `true` if a function or generator in the comprehension may still read a variable when the loop has gone on.
fn keeps(types: &Types<'_>, list: &Expr) -> bool {
    const CONSUMERS: &[&str] = &[
        "sum", "all", "any", "min", "max", "list", "tuple", "set", "sorted", "dict",
    ];
    let mut consumed: Vec<TextRange> = Vec::new();
    any(list, &mut |part| {
        let generator = match part {
            Expr::Lambda(_) => return true,
            Expr::Generator(generator) => generator,
            Expr::Call(call) => {
                let at_once = types.builtin(&call.func, CONSUMERS)
                    || matches!(&*call.func, Expr::Attribute(it)
                        if it.attr.as_str() == "join" && types.ty(&it.value) == Ty::STR);
                if let (true, Some(Expr::Generator(first))) = (at_once, call.arguments.args.first())
                {
                    consumed.push(first.range());
                }
                return false;
            }
            _ => return false,
        };
        !consumed.contains(&generator.range())
    })
}

/// New names for the variables of a comprehension, at all occurrences in it.
fn renames(module: &Module<'_>, list: &ExprListComp, fresh: &mut Fresh<'_>) -> Option<Vec<Edit>> {
    let scopes = module.scopes();
    let is_it = |scope: &crate::Scope| {
        scope.kind == ScopeKind::Comprehension && scope.range == list.range()
    };
    let scope = scopes.all().iter().position(is_it)?;
    let mut names: Vec<&str> = Vec::new();
    for place in scopes.names() {
        if place.binding == Some(scope) && !names.contains(&place.name.as_str()) {
            names.push(&place.name);
        }
    }
    let mut edits = Vec::new();
    for name in names {
        let stem = name.trim_start_matches('_');
        let new = fresh.name(if stem.is_empty() { "item" } else { stem });
        let places = scopes.of_binding(scope, name);
        edits.extend(places.map(|place| Edit::replace(place.range, new.as_str())));
    }
    edits.sort();
    Some(edits)
}
