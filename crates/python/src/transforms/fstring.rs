//! Writes f-strings as calls of `format`.
//!
//! # Rewrites
//! `f"{x!r:>5} {{}}"` to `"{!r:>5} {{}}".format(x)`: fields are numbered by their order, conversions and specifications
//! stay as they are, and what is nested in a specification becomes a further argument. Braces of plain strings that are
//! concatenated are doubled; `{x=}` becomes its text and `{!r}`.
//!
//! # Keeps the meaning because
//! Both call `format(value, specification)` in the same order. An f-string formats a value before it evaluates the
//! next one, `format` evaluates all of them first: so a field that may have an effect may only follow values that
//! cannot change.
//!
//! # Declines
//! Several fields with effects; specifications nested twice; braces written by escapes; f-strings without fields, or
//! inside of another one; comments inside; quotes and backslashes in the text of `{x=}`.
//!
//! # Paper
//! Fields with effects in any order, which tests verify.

use std::fmt::Write as _;

use barecode_records::python::Safety;
use ruff_python_ast::{
    AnyNodeRef, Expr, ExprFString, FStringPart, InterpolatedElement, InterpolatedStringElement,
    InterpolatedStringLiteralElement, OperatorPrecedence, StringLiteral,
};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::bound::is_bound;
use crate::types::{Ty, Types};
use crate::walk::{any, is_frozen, walk};
use crate::{Context, Edit, Fresh, Module, Site, layout};

/// The nodes that it can be applied to.
pub(super) fn sites(module: &Module<'_>, context: &Context, _: &mut Fresh<'_>) -> Vec<Site> {
    let types = Types::of(module);
    let mut sites = Vec::new();
    walk(module, |node, above| {
        if let AnyNodeRef::ExprFString(it) = node
            && !is_frozen(above)
        {
            sites.extend(as_call(&types, context.safety, it));
        }
    });
    sites
}

fn as_call(types: &Types<'_>, safety: Safety, it: &ExprFString) -> Option<Site> {
    let module = types.module;
    if layout::has_comment(module, it.range()) {
        return None;
    }
    let mut made = Made {
        module,
        edits: Vec::new(),
        arguments: Vec::new(),
    };
    for part in it.value.as_slice() {
        match part {
            FStringPart::Literal(literal) => made.plain(literal)?,
            FStringPart::FString(string) => {
                let raw = string.flags.prefix().is_raw();
                made.prefix(string.range())?;
                for element in &string.elements {
                    match element {
                        InterpolatedStringElement::Literal(literal) => {
                            has_plain_braces(module, literal, raw).then_some(())?;
                        }
                        InterpolatedStringElement::Interpolation(field) => {
                            let text = made.field(field, 0)?;
                            made.edits.push(Edit::replace(field.range(), text));
                        }
                    }
                }
            }
        }
    }
    if made.arguments.is_empty() {
        return None;
    }
    let ordered = is_ordered(types, &made.arguments);
    if !ordered && safety == Safety::Safe {
        return None;
    }
    let texts = made.arguments.iter().map(|argument| &*argument.text);
    let texts: Vec<&str> = texts.collect();
    let call = format!(".format({})", texts.join(", "));
    made.edits.push(Edit::insert(it.end(), call));
    let proven = ordered && all_bound(types, &made.arguments);
    Some(Site::one(it.range(), made.edits).proven(proven))
}

/// An argument of the call.
struct Argument<'a> {
    value: &'a Expr,
    text: String,
    /// True if it is formatted in a way that may fail.
    special: bool,
}

struct Made<'a> {
    module: &'a Module<'a>,
    edits: Vec<Edit>,
    arguments: Vec<Argument<'a>>,
}

impl<'a> Made<'a> {
    /// Removes the `f`.
    fn prefix(&mut self, string: TextRange) -> Option<()> {
        let at = self.module.of(string).find(['f', 'F'])?;
        let place = string.start() + TextSize::try_from(at).ok()?;
        self.edits
            .push(Edit::remove(TextRange::at(place, TextSize::new(1))));
        Some(())
    }

    /// Doubles the braces of a plain string.
    fn plain(&mut self, literal: &StringLiteral) -> Option<()> {
        let text = self.module.of(literal.range());
        let count = |text: &str| text.matches(['{', '}']).count();
        if count(text) != count(&literal.value) {
            return None;
        }
        for (at, brace) in text.match_indices(['{', '}']) {
            let place = literal.start() + TextSize::try_from(at).ok()?;
            self.edits.push(Edit::insert(place, brace));
        }
        Some(())
    }

    /// The replacement of a field, whose value becomes an argument.
    fn field(&mut self, field: &'a InterpolatedElement, depth: usize) -> Option<String> {
        let module = self.module;
        let value = &*field.expression;
        let parent = AnyNodeRef::from(field);
        let least = OperatorPrecedence::IfElse;
        self.arguments.push(Argument {
            value,
            text: layout::operand(module, value, parent, least),
            special: field.format_spec.is_some(),
        });
        let mut text = String::new();
        if let Some(debug) = &field.debug_text {
            let shown = format!(
                "{}{}{}",
                debug.leading(),
                debug.expression(),
                debug.trailing()
            );
            if shown.contains(['"', '\'', '\\', '\n', '{', '}', '#']) {
                return None;
            }
            text += &shown;
        }
        text.push('{');
        let conversion = field.conversion.to_char();
        match (conversion, &field.debug_text, &field.format_spec) {
            (Some(conversion), _, _) => write!(text, "!{conversion}").ok()?,
            (None, Some(_), None) => text += "!r",
            _ => {}
        }
        if let Some(spec) = &field.format_spec {
            if depth > 0 {
                return None;
            }
            text.push(':');
            for element in &spec.elements {
                match element {
                    InterpolatedStringElement::Literal(literal) => {
                        let source = module.of(literal.range());
                        if source.contains(['{', '}', '\\']) {
                            return None;
                        }
                        text += source;
                    }
                    InterpolatedStringElement::Interpolation(nested) => {
                        text += &self.field(nested, depth + 1)?;
                    }
                }
            }
        }
        text.push('}');
        Some(text)
    }
}

/// Returns `true` if each brace of a piece is written as two braces, so that the piece means the same to `format`.
fn has_plain_braces(
    module: &Module<'_>,
    literal: &InterpolatedStringLiteralElement,
    raw: bool,
) -> bool {
    let mut source = module.of(literal.range()).to_owned();
    if !raw {
        // `\N{DASH}` is one character.
        while let Some(start) = source.find("\\N{") {
            let Some(length) = source.get(start..).and_then(|rest| rest.find('}')) else {
                return false;
            };
            source.replace_range(start..=start + length, "");
        }
    }
    let count = |text: &str| text.matches(['{', '}']).count();
    count(&source) == 2 * count(&literal.value)
}

/// Returns `true` if every name after a value that formats itself has a value: its error would come first.
fn all_bound(types: &Types<'_>, arguments: &[Argument<'_>]) -> bool {
    let formats_itself = |argument: &&Argument<'_>| !types.ty(argument.value).is(Ty::SCALAR);
    let behind = arguments
        .iter()
        .skip_while(|argument| !formats_itself(argument))
        .skip(1);
    let mut behind = behind.map(|argument| argument.value);
    !behind.any(|value| {
        any(
            value,
            &mut |part| matches!(part, Expr::Name(name) if !is_bound(types.module, name)),
        )
    })
}

/// Returns `true` if evaluating all values first produces the same text as formatting each before the next is
/// evaluated.
fn is_ordered(types: &Types<'_>, arguments: &[Argument<'_>]) -> bool {
    let mut plain_before = true;
    for (number, argument) in arguments.iter().enumerate() {
        let waits = number > 0 && !types.is_settled(argument.value);
        if waits && !plain_before {
            return false;
        }
        plain_before &= types.ty(argument.value).is(Ty::SCALAR) && !argument.special;
    }
    true
}
