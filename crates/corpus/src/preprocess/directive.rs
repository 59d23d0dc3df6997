//! A file → its lines as the preprocessor sees them: text and directives.
//!
//! This is done once a file; which lines are active is decided anew in each translation unit.

use std::sync::Arc;

use barecode_languages::lex::{Token, TokenKind, lex_with_comments};

use super::macros::Macro;

/// The request of a directive. Tokens are those after the directive's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectiveKind {
    /// `#include "name"` or `#include <name>`.
    Include {
        /// The name between the quotes or brackets; `None` when a macro makes it.
        name: Option<String>,
        /// True if it was in brackets.
        system: bool,
    },
    /// `#define`.
    Define,
    /// `#undef`.
    Undef,
    /// `#if`.
    If,
    /// `#ifdef`.
    Ifdef,
    /// `#ifndef`.
    Ifndef,
    /// `#elif`.
    Elif,
    /// `#elifdef` (C23).
    Elifdef,
    /// `#elifndef` (C23).
    Elifndef,
    /// `#else`.
    Else,
    /// `#endif`.
    Endif,
    /// `#pragma once`.
    PragmaOnce,
    /// `#pragma` with anything else.
    Pragma,
    /// `#error`, `#warning`, `#line`, `#ident`, an empty or unknown directive.
    Other,
}

impl DirectiveKind {
    /// Returns `true` if the directive opens, divides or closes a conditional group.
    pub fn is_conditional(&self) -> bool {
        matches!(
            self,
            DirectiveKind::If
                | DirectiveKind::Ifdef
                | DirectiveKind::Ifndef
                | DirectiveKind::Elif
                | DirectiveKind::Elifdef
                | DirectiveKind::Elifndef
                | DirectiveKind::Else
                | DirectiveKind::Endif
        )
    }
}

/// A directive and its position.
#[derive(Debug, Clone)]
pub struct Directive {
    /// Its request.
    pub kind: DirectiveKind,
    /// First byte: the `#`.
    pub start: usize,
    /// One past its last byte, comments included, line break excluded.
    pub end: usize,
    /// Index in [`Lines::tokens`] of its first token: its name, where it has one.
    pub first: usize,
    /// Range in [`Lines::tokens`] of the tokens after its name.
    pub tokens: std::ops::Range<usize>,
    /// The macro that a `#define` defines.
    pub definition: Option<(Arc<str>, Arc<Macro>)>,
}

/// A file cut into directives and the text between them.
#[derive(Debug, Clone)]
pub struct Lines {
    /// Every token of the file except comments and line breaks, directives' tokens included.
    pub tokens: Vec<Token>,
    /// The comments, in order.
    pub comments: Vec<Token>,
    /// The directives, in order.
    pub directives: Vec<Directive>,
}

impl Lines {
    /// About the bytes that they take.
    pub(crate) fn weight(&self) -> usize {
        // The definition of a macro has words of its own.
        (self.tokens.len() + self.comments.len()) * size_of::<Token>()
            + self.directives.len() * 2 * size_of::<Directive>()
    }

    /// Cuts a text.
    pub fn of(text: &str) -> Lines {
        let mut lines = Lines {
            tokens: Vec::new(),
            comments: Vec::new(),
            directives: Vec::new(),
        };
        let mut at_line_start = true;
        let mut all = lex_with_comments(text).into_iter().peekable();
        while let Some(token) = all.next() {
            match token.kind {
                TokenKind::Newline => at_line_start = true,
                TokenKind::Comment => lines.comments.push(token),
                TokenKind::Punctuator
                    if at_line_start && matches!(token.text(text), "#" | "%:") =>
                {
                    let first = lines.tokens.len();
                    let mut end = token.end;
                    while let Some(next) = all.next_if(|next| next.kind != TokenKind::Newline) {
                        end = next.end;
                        match next.kind {
                            TokenKind::Comment => lines.comments.push(next),
                            _ => lines.tokens.push(next),
                        }
                    }
                    let name = lines
                        .tokens
                        .get(first)
                        .filter(|name| name.kind == TokenKind::Identifier);
                    let name = name.map_or("", |name| name.text(text));
                    let after = if name.is_empty() { first } else { first + 1 };
                    let kind = kind_of(name, &lines.tokens[after..], text);
                    let tokens = after..lines.tokens.len();
                    let definition = match kind {
                        DirectiveKind::Define => Macro::parse(&lines.tokens[after..], text),
                        _ => None,
                    };
                    lines.directives.push(Directive {
                        kind,
                        start: token.start,
                        end,
                        first,
                        tokens,
                        definition: definition.map(|(name, made)| (name, Arc::new(made))),
                    });
                }
                _ => {
                    at_line_start = false;
                    lines.tokens.push(token);
                }
            }
        }
        lines
    }
}

fn kind_of(name: &str, rest: &[Token], text: &str) -> DirectiveKind {
    match name {
        "include" | "include_next" | "import" => include(rest, text),
        "define" => DirectiveKind::Define,
        "undef" => DirectiveKind::Undef,
        "if" => DirectiveKind::If,
        "ifdef" => DirectiveKind::Ifdef,
        "ifndef" => DirectiveKind::Ifndef,
        "elif" => DirectiveKind::Elif,
        "elifdef" => DirectiveKind::Elifdef,
        "elifndef" => DirectiveKind::Elifndef,
        "else" => DirectiveKind::Else,
        "endif" => DirectiveKind::Endif,
        "pragma" if rest.len() == 1 && rest[0].text(text) == "once" => DirectiveKind::PragmaOnce,
        "pragma" => DirectiveKind::Pragma,
        _ => DirectiveKind::Other,
    }
}

fn include(rest: &[Token], text: &str) -> DirectiveKind {
    let Some(first) = rest.first() else {
        return DirectiveKind::Include {
            name: None,
            system: false,
        };
    };
    let shown = first.text(text);
    if first.kind == TokenKind::String {
        let name = shown.trim_matches('"').to_owned();
        return DirectiveKind::Include {
            name: Some(name),
            system: false,
        };
    }
    // `<sys/types.h>` is several tokens to the lexer; the bytes between the brackets count.
    let close = rest.iter().find(|token| token.text(text) == ">");
    match close {
        Some(close) if shown == "<" => {
            let name = text
                .get(first.end..close.start)
                .unwrap_or_default()
                .trim()
                .to_owned();
            DirectiveKind::Include {
                name: Some(name),
                system: true,
            }
        }
        _ => DirectiveKind::Include {
            name: None,
            system: false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found_at_line_starts_only() {
        let text = "int a; # not\n  # define X 1 /* c */ \\\n  2\n#include <sys/types.h>\n#include \"a.h\" // b\n";
        let lines = Lines::of(text);
        let kinds: Vec<_> = lines
            .directives
            .iter()
            .map(|directive| directive.kind.clone())
            .collect();
        assert_eq!(
            kinds,
            [
                DirectiveKind::Define,
                DirectiveKind::Include {
                    name: Some("sys/types.h".into()),
                    system: true
                },
                DirectiveKind::Include {
                    name: Some("a.h".into()),
                    system: false
                },
            ]
        );
        let define = &lines.directives[0];
        let tokens: Vec<_> = lines.tokens[define.tokens.clone()]
            .iter()
            .map(|t| t.text(text))
            .collect();
        assert_eq!(tokens, ["X", "1", "2"]);
        assert_eq!(lines.comments.len(), 2);
    }
}
