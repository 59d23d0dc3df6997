//! Writes `for` loops over `range`, `enumerate`, `zip` and `tqdm` as `while` loops.
//!
//! # Rewrites
//! `for i in range(a, b)` with ints: a counter that the text does not use runs from `a` to `b`, and the loop assigns
//! it to `i` and advances it before its body. Other calls are kept: `next` reads their values one by one, until it
//! returns an object that nothing else has.
//!
//! # Keeps the meaning because
//! Bounds are evaluated once, in order, and the counter is advanced first, so `continue`, `break`, `else`,
//! assignments to `i`, an empty range and the last value of `i` are as they were. `for` itself calls `iter` and
//! `next`.
//!
//! # Declines
//! `async for`; calls that are not the builtin; class bodies; modules that list their variables; headers with
//! comments; positions where `iter`, `next` or `object` means something else. An iterator that `break` would have
//! closed stays open until the function ends: such loops are verified by tests only.
//!
//! # Paper
//! The counter for bounds of any type, too.

use barecode_records::python::Safety;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{AnyNodeRef, Expr, ExprCall, Stmt, StmtFor};
use ruff_text_size::{Ranged as _, TextRange};

use super::mutant::integer;
use crate::types::{Ty, Types};
use crate::visible::{Visible, is_in_class};
use crate::walk::{blocks, is_fixed, walk};
use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, fresh: &mut Fresh<'_>) -> Vec<Site> {
    if context.safety == Safety::Safe && Visible::in_module(module).variables {
        return Vec::new();
    }
    let types = Types::of(module);
    let mut sites = Vec::new();
    walk(module, |node, _| {
        if let AnyNodeRef::StmtFor(it) = node
            && !it.is_async
            && !is_in_class(module, it.start())
        {
            sites.extend(as_while(&types, context.safety, it, fresh));
        }
    });
    sites
}

fn as_while(
    types: &Types<'_>,
    safety: Safety,
    it: &StmtFor,
    fresh: &mut Fresh<'_>,
) -> Option<Site> {
    let module = types.module;
    let Expr::Call(call) = &*it.iter else {
        return None;
    };
    let is_range = types.builtin(&call.func, &["range"]);
    if !is_range && !types.builtin(&call.func, &["enumerate", "zip"]) && !is_tqdm(types, &call.func)
    {
        return None;
    }
    let blanks = layout::begins_line(module, it.start())?;
    let first = it.body.first()?;
    let iter = module.with_parentheses(&*it.iter, AnyNodeRef::from(it));
    let mut behind = module.tokens_in(TextRange::new(iter.end(), first.start()));
    let colon = behind
        .find(|token| token.kind() == TokenKind::Colon)?
        .range();
    let header = TextRange::new(it.start(), colon.end());
    if layout::has_comment(module, header) {
        return None;
    }
    let target = module.of(module.with_parentheses(&*it.target, AnyNodeRef::from(it)));
    if target.contains('\n') {
        return None;
    }
    let line = layout::newline(module);
    let counted = if is_range {
        counter(types, safety, call, fresh)
    } else {
        None
    };
    let (lines, condition, advance, proven) = if let Some(loop_) = counted {
        let advance = vec![
            format!("{target} = {}", loop_.variable),
            format!("{} {}", loop_.variable, loop_.step),
        ];
        (loop_.starts, loop_.condition, advance, loop_.proven)
    } else {
        let scopes = module.scopes();
        let here = scopes.scope_at(it.start());
        let shadowed = |name| scopes.binding_from(here, name).is_some();
        if scopes.has_star_import || ["iter", "next", "object"].into_iter().any(shadowed) {
            return None;
        }
        let end = fresh.name("end");
        let iterator = fresh.name("iterator");
        let value = fresh.name("value");
        let starts = vec![
            format!("{end} = object()"),
            format!("{iterator} = iter({})", module.of(iter)),
        ];
        let condition = format!("({value} := next({iterator}, {end})) is not {end}");
        // A generator that is not read to its end is closed when it is no longer held: `for` releases it earlier.
        let reads_all = !has_break(&it.body) && !types.builtin(&call.func, &["zip"]);
        let closes_nothing = is_range || reads_all || holds_nothing(types, call);
        (
            starts,
            condition,
            vec![format!("{target} = {value}")],
            closes_nothing,
        )
    };
    let starts: Vec<String> = lines
        .iter()
        .map(|text| format!("{text}{line}{blanks}"))
        .collect();
    let mut edits = vec![Edit::replace(
        header,
        format!("{}while {condition}:", starts.concat()),
    )];
    let own_line = layout::begins_line(module, first.start())
        .filter(|_| module.line_start(first.start()) > colon.end());
    match own_line {
        Some(inner) => {
            let lines: Vec<String> = advance
                .iter()
                .map(|text| format!("{text}{line}{inner}"))
                .collect();
            edits.push(Edit::insert(first.start(), lines.concat()));
        }
        // `for …: a; b` on one line.
        None if module.line_start(first.start()) <= colon.start() => {
            let gap = TextRange::new(colon.end(), first.start());
            if module.of(gap).contains(['\n', '\\']) {
                return None;
            }
            let advance = advance.join("; ");
            edits.push(Edit::replace(gap, format!(" {advance}; ")));
        }
        None => return None,
    }
    Some(Site::one(it.range(), edits).proven(proven))
}

/// A loop that counts.
struct Counter {
    starts: Vec<String>,
    condition: String,
    variable: String,
    step: String,
    proven: bool,
}

fn counter(
    types: &Types<'_>,
    safety: Safety,
    call: &ExprCall,
    fresh: &mut Fresh<'_>,
) -> Option<Counter> {
    let arguments = &call.arguments.args;
    if !call.arguments.keywords.is_empty() || arguments.iter().any(Expr::is_starred_expr) {
        return None;
    }
    let (start, stop, step) = match &**arguments {
        [stop] => (None, stop, 1),
        [start, stop] => (Some(start), stop, 1),
        [start, stop, step] => (Some(start), stop, integer(step)?),
        _ => return None,
    };
    if step == 0 {
        return None;
    }
    let proven =
        types.ty(stop).is(Ty::INTEGER) && start.is_none_or(|start| types.ty(start).is(Ty::INT));
    let likely = safety == Safety::Paper && !start.into_iter().chain([stop]).any(is_fixed);
    if !proven && !likely {
        return None;
    }
    let module = types.module;
    let parent = AnyNodeRef::from(&call.arguments);
    let counter = fresh.name("counter");
    let first = start.map_or_else(
        || "0".to_owned(),
        |start| layout::on_a_line(module, start, parent),
    );
    let mut starts = vec![format!("{counter} = {first}")];
    let bound = layout::on_a_line(module, stop, parent);
    let bound = if integer(stop).is_some() {
        bound
    } else {
        let name = fresh.name("stop");
        starts.push(format!("{name} = {bound}"));
        name
    };
    let (order, step) = if step > 0 {
        ("<", format!("+= {step}"))
    } else {
        (">", format!("-= {}", step.unsigned_abs()))
    };
    Some(Counter {
        starts,
        condition: format!("{counter} {order} {bound}"),
        variable: counter,
        step,
        proven,
    })
}

/// Returns `true` if a call is to the progress bar: imported by this name, or an attribute of this name.
fn is_tqdm(types: &Types<'_>, function: &Expr) -> bool {
    let scopes = types.module.scopes();
    let imported = |name: &ruff_python_ast::ExprName| {
        let place = scopes.at(name.start());
        let binding = place.and_then(|place| place.binding);
        name.id.as_str() == "tqdm"
            && binding.is_some_and(|scope| scopes.flags(scope, "tqdm").imported)
    };
    match function {
        Expr::Name(name) => imported(name),
        Expr::Attribute(it) => {
            it.attr.as_str() == "tqdm" && matches!(&*it.value, Expr::Name(name) if imported(name))
        }
        _ => false,
    }
}

/// Returns `true` if a loop can end by its own `break`.
fn has_break(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::Break(_) => true,
        Stmt::FunctionDef(_) | Stmt::ClassDef(_) => false,
        Stmt::For(it) => has_break(&it.orelse),
        Stmt::While(it) => has_break(&it.orelse),
        other => blocks(other).into_iter().any(has_break),
    })
}

/// Returns `true` if the loop iterates only over containers, which nothing has to close.
fn holds_nothing(types: &Types<'_>, call: &ExprCall) -> bool {
    let is_container = |argument: &Expr| {
        types.ty(argument).is_builtin()
            || matches!(argument, Expr::Call(inner) if types.builtin(&inner.func, &["range"]))
    };
    !is_tqdm(types, &call.func) && call.arguments.args.iter().all(is_container)
}
