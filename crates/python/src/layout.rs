//! Positions where text can be inserted: lines of their own, parentheses, blanks between words.

use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{AnyNodeRef, Expr, OperatorPrecedence};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use crate::{Edit, Module};

/// The blanks that one more block is indented by, as the first block of a text has it.
pub(crate) fn unit<'t>(module: &Module<'t>) -> &'t str {
    let mut tokens = module.tokens().iter();
    let indent = tokens.find(|token| token.kind() == TokenKind::Indent);
    let blanks = indent.map(|indent| module.indentation(indent.end()));
    blanks.filter(|blanks| !blanks.is_empty()).unwrap_or("    ")
}

/// The line end that the text uses.
pub(crate) fn newline(module: &Module<'_>) -> &'static str {
    if module.text().contains("\r\n") {
        "\r\n"
    } else {
        "\n"
    }
}

/// The blanks before a statement that begins its line and is the only one on it; `None` for any other.
pub(crate) fn alone<'t>(module: &Module<'t>, statement: TextRange) -> Option<&'t str> {
    let blanks = begins_line(module, statement.start())?;
    let rest = TextRange::new(statement.end(), module.line_end(statement.end()));
    let rest = module.of(rest).trim();
    (rest.is_empty() || rest.starts_with('#')).then_some(blanks)
}

/// The blanks before a position, if its line has nothing else before it and is not a continuation.
pub(crate) fn begins_line<'t>(module: &Module<'t>, place: TextSize) -> Option<&'t str> {
    let start = module.line_start(place);
    let blanks = module.of(TextRange::new(start, place));
    let before = module.of(TextRange::up_to(start));
    let goes_on = before
        .strip_suffix('\n')
        .is_some_and(|before| before.trim_end_matches('\r').ends_with('\\'));
    let is_blank = blanks.chars().all(|c| matches!(c, ' ' | '\t'));
    (is_blank && !goes_on && !before.contains("\r\r")).then_some(blanks)
}

/// Returns `true` if a range has a comment.
pub(crate) fn has_comment(module: &Module<'_>, range: TextRange) -> bool {
    let tokens = module.tokens().in_range(range).iter();
    tokens
        .into_iter()
        .any(|token| token.kind() == TokenKind::Comment)
}

/// The text of an expression, in parentheses if it has none and binds less than `least`, or goes over lines.
pub(crate) fn operand<'a>(
    module: &'a Module<'_>,
    expression: &'a Expr,
    parent: AnyNodeRef<'a>,
    least: OperatorPrecedence,
) -> String {
    let range = module.with_parentheses(expression, parent);
    let text = module.of(range);
    let bare = range == expression.range();
    let needs = match expression {
        Expr::Tuple(tuple) => !tuple.parenthesized,
        _ => OperatorPrecedence::from_expr(expression) < least,
    };
    let brackets = matches!(
        expression,
        Expr::List(_) | Expr::ListComp(_) | Expr::Dict(_) | Expr::Set(_) | Expr::Tuple(_)
    );
    if bare && (needs || (text.contains('\n') && !brackets)) {
        format!("({text})")
    } else {
        text.to_owned()
    }
}

/// The text of an expression as it can be written on a line: in parentheses if it goes over lines without brackets.
pub(crate) fn on_a_line<'a>(
    module: &'a Module<'_>,
    expression: &'a Expr,
    parent: AnyNodeRef<'a>,
) -> String {
    operand(module, expression, parent, OperatorPrecedence::Lambda)
}

/// Replaces a range, with blanks where words would run together.
pub(crate) fn spaced(module: &Module<'_>, range: TextRange, text: &str) -> Edit {
    let before = module.of(TextRange::up_to(range.start()));
    let after = module.text().get(range.end().to_usize()..);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let joins = |c: char| is_word(c) || matches!(c, '"' | '\'');
    let (first, last) = (text.chars().next(), text.chars().next_back());
    let left = before.chars().next_back().is_some_and(is_word) && first.is_some_and(joins);
    let next = after.unwrap_or_default().chars().next();
    let right = last.is_some_and(is_word) && next.is_some_and(joins);
    let (left, right) = (if left { " " } else { "" }, if right { " " } else { "" });
    Edit::replace(range, format!("{left}{text}{right}"))
}
