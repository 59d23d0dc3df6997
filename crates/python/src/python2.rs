//! Code that only Python 2 reads.

use ruff_python_ast::PySourceType;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::parse_unchecked_source;
use ruff_text_size::Ranged;

use crate::depth;

/// The first construct of a text that Python 2 has and Python 3 has not, with its line.
///
/// The tokens are searched, not a tree: Python 3 has no tree for such a text. `except A, b:` counts if `b` begins
/// with a small letter; Python 3.14 reads it as two exceptions, which begin with a capital.
pub fn python2(text: &str) -> Option<(&'static str, usize)> {
    if u32::try_from(text.len()).is_err() || depth::is_too_deep(text) {
        return None;
    }
    let parsed = parse_unchecked_source(text, PySourceType::Python);
    let tokens: Vec<&Token> = parsed
        .tokens()
        .iter()
        .filter(|token| !token.kind().is_trivia())
        .collect();
    let source = |token: &Token| {
        let range = token.range();
        text.get(range.start().to_usize()..range.end().to_usize())
            .unwrap_or_default()
    };
    let found = (0..tokens.len()).find_map(|index| {
        let (here, rest) = tokens.get(index..)?.split_first()?;
        let construct = construct(tokens.get(..index)?.last().copied(), here, rest, &source)?;
        Some((construct, here.start().to_usize()))
    });
    found.map(|(construct, at)| {
        let before = text.get(..at).unwrap_or_default();
        (construct, before.matches('\n').count() + 1)
    })
}

fn construct<'t>(
    before: Option<&Token>,
    here: &Token,
    rest: &[&Token],
    source: &impl Fn(&Token) -> &'t str,
) -> Option<&'static str> {
    use TokenKind as T;
    let next = rest.first();
    let touches =
        |kind: T| next.is_some_and(|next| next.kind() == kind && next.start() == here.end());
    let begins = before.is_none_or(|token| {
        matches!(
            token.kind(),
            T::Newline | T::Indent | T::Dedent | T::Colon | T::Semi
        )
    });
    let names_value = next.is_some_and(|next| {
        matches!(
            next.kind(),
            T::String
                | T::Name
                | T::Int
                | T::Float
                | T::FStringStart
                | T::None
                | T::True
                | T::False
        )
    });
    match here.kind() {
        T::Unknown if source(here).starts_with('`') => Some("backticks"),
        T::Less if touches(T::Greater) => Some("`<>`"),
        T::Int if touches(T::Name) && next.is_some_and(|n| matches!(source(n), "L" | "l")) => {
            Some("long integer")
        }
        T::Name if touches(T::String) && source(here).eq_ignore_ascii_case("ur") => {
            Some("`ur` string")
        }
        T::Name if begins && source(here) == "print" && names_value => Some("print statement"),
        T::Name if begins && source(here) == "exec" && names_value => Some("exec statement"),
        T::Raise if begins && has_comma(rest, T::Newline) => Some("`raise E, v`"),
        T::Except => {
            let colon = rest.iter().position(|token| token.kind() == T::Colon)?;
            let [.., comma, name] = rest.get(..colon)? else {
                return None;
            };
            let is_variable = comma.kind() == T::Comma
                && name.kind() == T::Name
                && source(name).starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
            is_variable.then_some("`except E, e`")
        }
        _ => None,
    }
}

/// Returns `true` if there is a comma outside of brackets before a token of this kind.
fn has_comma(tokens: &[&Token], end: TokenKind) -> bool {
    let mut depth = 0_i32;
    for token in tokens {
        match token.kind() {
            kind if kind == end => return false,
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => depth += 1,
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => depth -= 1,
            TokenKind::Comma if depth == 0 => return true,
            TokenKind::Semi | TokenKind::Lambda => return false,
            _ => {}
        }
    }
    false
}
