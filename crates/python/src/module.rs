//! A parsed text.

use std::cell::OnceCell;

use barecode_records::Quoted;
use ruff_python_ast::PySourceType;
use ruff_python_ast::token::{Token, TokenKind, Tokens};
use ruff_python_ast::{ExprRef, ModModule, Stmt, token};
use ruff_python_parser::lexer::lex;
use ruff_python_parser::{Mode, Parsed, parse_unchecked_source};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::depth;
use crate::scope::Scopes;

/// A text that is Python by the newest grammar, with its tree and tokens.
#[derive(Debug)]
pub struct Module<'t> {
    text: &'t str,
    parsed: Parsed<ModModule>,
    scopes: OnceCell<Scopes>,
    /// The positions of line ends.
    line_ends: OnceCell<Vec<usize>>,
}

/// The reason that a text was not parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unparsable {
    /// It is not Python.
    #[error("line {line}: {message}")]
    Syntax {
        /// The line of the first mistake, from 1.
        line: usize,
        /// The tokens that the parser expected.
        message: String,
    },
    /// It nests too deep.
    #[error("it nests more than {} levels deep", depth::DEEPEST)]
    TooDeep,
    /// It is longer than 4 GiB.
    #[error("it is longer than 4 GiB")]
    TooLong,
}

/// Returns `true` if a line ends with the byte at a position: with a line feed, or with a carriage return alone.
fn ends_line(text: &[u8], at: usize) -> bool {
    match text.get(at) {
        Some(b'\n') => true,
        Some(b'\r') => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}

impl<'t> Module<'t> {
    /// Parses a text.
    pub fn parse(text: &'t str) -> Result<Self, Unparsable> {
        if u32::try_from(text.len()).is_err() {
            return Err(Unparsable::TooLong);
        }
        if depth::is_too_deep(text) {
            return Err(Unparsable::TooDeep);
        }
        let parsed = parse_unchecked_source(text, PySourceType::Python);
        if let Some(error) = parsed.errors().first() {
            let before = text.get(..error.location.start().to_usize());
            return Err(Unparsable::Syntax {
                line: before.unwrap_or_default().matches('\n').count() + 1,
                message: error.error.to_string(),
            });
        }
        Ok(Module {
            text,
            parsed,
            scopes: OnceCell::new(),
            line_ends: OnceCell::new(),
        })
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// A piece of the text.
    pub(crate) fn of(&self, range: TextRange) -> &'t str {
        self.text
            .get(range.start().to_usize()..range.end().to_usize())
            .expect("ranges of a tree lie in its text")
    }

    /// The statements.
    pub(crate) fn body(&self) -> &[Stmt] {
        &self.parsed.syntax().body
    }

    /// The tokens, comments among them.
    pub(crate) fn tokens(&self) -> &Tokens {
        self.parsed.tokens()
    }

    /// The scopes, which resolve each name.
    pub fn scopes(&self) -> &Scopes {
        self.scopes.get_or_init(|| Scopes::of(self))
    }

    /// The comments, in order.
    pub(crate) fn comments(&self) -> impl Iterator<Item = TextRange> {
        let tokens = self.tokens().iter();
        tokens
            .filter(|token| token.kind() == TokenKind::Comment)
            .map(Ranged::range)
    }

    /// The insides of string literals, by position; of f-strings, the text between the expressions.
    pub fn quoted(&self) -> Vec<Quoted> {
        let insides = self.tokens().iter().filter_map(|token| {
            let range = token.range();
            let (start, end) = (range.start().to_usize(), range.end().to_usize());
            match token.kind() {
                TokenKind::FStringMiddle | TokenKind::TStringMiddle => Some(start..end),
                TokenKind::String => {
                    let text = self.of(range);
                    let open = text.find(['"', '\''])?;
                    let quote = text.get(open..=open)?;
                    let is_long = text.get(open..open + 3) == Some(&quote.repeat(3));
                    let marks = if is_long { 3 } else { 1 };
                    (start + open + marks <= end - marks).then(|| start + open + marks..end - marks)
                }
                _ => None,
            }
        });
        let quoted = insides
            .filter(|range| !range.is_empty())
            .map(|range| Quoted {
                range,
                may_be_empty: true,
            });
        quoted.collect()
    }

    /// Returns `true` if another module has the same tokens, as far as their kinds go.
    pub fn is_shaped_as(&self, other: &Module<'_>) -> bool {
        // Words that are keywords only in some positions are names in others.
        let kind = |token: &Token| match token.kind() {
            TokenKind::Case | TokenKind::Match | TokenKind::Type => TokenKind::Name,
            kind => kind,
        };
        let (mine, others) = (self.tokens().iter(), other.tokens().iter());
        mine.map(kind).eq(others.map(kind))
    }

    /// The range of an expression with the parentheses around it.
    pub(crate) fn with_parentheses<'a>(
        &'a self,
        expression: impl Into<ExprRef<'a>>,
        parent: impl Into<ruff_python_ast::AnyNodeRef<'a>>,
    ) -> TextRange {
        let expression = expression.into();
        token::parenthesized_range(expression, parent.into(), self.tokens())
            .unwrap_or(expression.range())
    }

    /// The tokens in a range, without comments and line ends inside of brackets.
    pub(crate) fn tokens_in(&self, range: TextRange) -> impl DoubleEndedIterator<Item = &Token> {
        let tokens = self.tokens().in_range(range).iter();
        tokens.filter(|token| !token.kind().is_trivia())
    }

    /// The start of the line of a position.
    pub(crate) fn line_start(&self, place: TextSize) -> TextSize {
        let text = self.text.as_bytes();
        let start = (0..place.to_usize()).rfind(|&at| ends_line(text, at));
        TextSize::new(u32::try_from(start.map_or(0, |at| at + 1)).expect("the text fits in 4 GiB"))
    }

    /// The end of the line of a position, before its line end.
    pub(crate) fn line_end(&self, place: TextSize) -> TextSize {
        let text = self.text.as_bytes();
        let end = (place.to_usize()..text.len()).find(|&at| ends_line(text, at));
        let end = end.unwrap_or(text.len());
        TextSize::new(u32::try_from(end).expect("the text fits in 4 GiB"))
    }

    /// The blanks that a line begins with.
    pub(crate) fn indentation(&self, place: TextSize) -> &'t str {
        let start = self.line_start(place).to_usize();
        let line = self.text.get(start..).unwrap_or_default();
        let length = line.len() - line.trim_start_matches([' ', '\t', '\x0c']).len();
        line.get(..length).unwrap_or_default()
    }

    /// The number of the line of a position, from 1.
    pub fn line_of(&self, place: u32) -> u32 {
        let ends = self.line_ends.get_or_init(|| {
            let text = self.text.as_bytes();
            (0..text.len()).filter(|&at| ends_line(text, at)).collect()
        });
        let lines = ends.partition_point(|end| *end < place as usize);
        u32::try_from(lines + 1).expect("the text fits in 4 GiB")
    }
}

/// The number of tokens of a text, without comments, line ends and blanks: the length that does not depend on a model.
///
/// ```
/// assert_eq!(barecode_python::count_tokens("x = f(1)  # one\n"), 6);
/// ```
pub fn count_tokens(text: &str) -> u32 {
    let mut lexer = lex(text, Mode::Module);
    let mut tokens = 0_u32;
    loop {
        match lexer.next_token() {
            TokenKind::EndOfFile => return tokens,
            TokenKind::Indent | TokenKind::Dedent => {}
            kind if kind.is_trivia() || kind.is_any_newline() => {}
            _ => tokens = tokens.saturating_add(1),
        }
    }
}
