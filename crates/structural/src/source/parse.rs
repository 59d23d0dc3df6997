//! Tokens to functions, statements and expressions.
//!
//! This is not a compiler: it knows no declarations, expands no macros, and reads the text in one pass. Nothing is an
//! error: code that is not understood becomes `Expression::Unknown`, and every step consumes a token, so time is
//! linear. A grammar that restores every tree would be ten times as slow, and would stumble over macros, which are
//! plain names here.

use barecode_languages::lex::{TokenKind, lex};

use super::tree::Function;

/// The deepest nesting of statements and expressions, the links of a chain (`a + b + c`, `a.b.c`) included; code that
/// is deeper is placed beside instead of inside, or is passed over.
pub(super) const DEPTH: usize = 160;

/// The number of tokens that are examined for the end of a template's arguments after `<`.
pub(super) const TEMPLATE: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
}

pub(super) struct Parser<'a> {
    pub(super) tokens: Vec<Token<'a>>,
    /// For each opening bracket the index of its closing one; otherwise its own.
    partner: Vec<usize>,
    pub(super) at: usize,
    pub(super) depth: usize,
}

/// The functions of a text in their order, and whether parts of it depend on macros.
pub(super) fn read(text: &str) -> (Vec<Function<'_>>, bool) {
    let (tokens, has_conditions) = tokens(text);
    let partner = partners(&tokens);
    let mut parser = Parser {
        tokens,
        partner,
        at: 0,
        depth: 0,
    };
    let mut functions = Vec::new();
    parser.functions(&mut functions);
    if functions.is_empty() && !parser.tokens.is_empty() {
        // A fragment is read as plain statements.
        parser.at = 0;
        let end = parser.tokens.len();
        functions.push(Function {
            body: parser.statements(end),
            ..Function::default()
        });
    }
    (functions, has_conditions)
}

fn tokens(text: &str) -> (Vec<Token<'_>>, bool) {
    let mut tokens = Vec::new();
    let mut has_conditions = false;
    let mut begins_line = true;
    let mut in_directive = false;
    for token in lex(text) {
        if token.kind == TokenKind::Newline {
            begins_line = true;
            in_directive = false;
            continue;
        }
        let word = token.text(text);
        if begins_line && word == "#" {
            in_directive = true;
        }
        begins_line = false;
        has_conditions |= in_directive && matches!(word, "if" | "ifdef" | "ifndef");
        if !in_directive && token.kind != TokenKind::Comment {
            tokens.push(Token {
                kind: token.kind,
                text: word,
            });
        }
    }
    (tokens, has_conditions)
}

fn partners(tokens: &[Token]) -> Vec<usize> {
    let mut partner: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<usize> = Vec::new();
    let closes =
        |open: &str, close: &str| matches!((open, close), ("(", ")") | ("[", "]") | ("{", "}"));
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Punctuator {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                // A bracket that nothing opened is passed over; one that is not closed ends with those around it.
                if let Some(place) = open
                    .iter()
                    .rposition(|&before| closes(tokens[before].text, token.text))
                {
                    for &left in open.get(place + 1..).unwrap_or_default() {
                        partner[left] = at;
                    }
                    if let Some(&before) = open.get(place) {
                        partner[before] = at;
                    }
                    open.truncate(place);
                }
            }
            _ => {}
        }
    }
    for left in open {
        partner[left] = tokens.len();
    }
    partner
}

impl<'a> Parser<'a> {
    pub(super) fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    pub(super) fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    pub(super) fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Identifier)
    }

    /// The index behind the bracket that opens here.
    pub(super) fn behind(&self, at: usize) -> usize {
        self.closing(at) + 1
    }

    /// The index of the closing partner of the bracket that opens here; the end of the text if it is not closed.
    pub(super) fn closing(&self, at: usize) -> usize {
        self.partner.get(at).copied().unwrap_or(self.tokens.len())
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.text(self.at) == text && !text.is_empty();
        self.at += usize::from(found);
        found
    }

    /// The index behind `>` if `<` here opens arguments of a template.
    pub(super) fn behind_angles(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = open;
        while at < self.tokens.len() && at < open + TEMPLATE {
            match self.text(at) {
                "<" => depth += 1,
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                ">>" => {
                    if depth <= 2 {
                        return Some(at + 1);
                    }
                    depth -= 2;
                }
                "(" | "[" => {
                    at = self.behind(at);
                    continue;
                }
                ";" | "{" | "}" | ")" | "]" | "&&" | "||" | "==" | "!=" | "+" | "/" | "%" | "="
                | "?" | "!" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }
}
