//! Text of C or C++ → words, numbers, strings, punctuation, directives.
//!
//! The tokens of the lexer of C and C++, as coarse as this crate needs them: the words that a text uses and their
//! depth in brackets. Nothing here fails: tokens that are open at the end of the text end there.

use barecode_languages::lex::{TokenKind, lex};

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An identifier or a keyword.
    Word,
    /// A number, as the preprocessor reads it.
    Number,
    /// A string or a character, with its prefix.
    Text,
    /// `::`, `##`, or one character.
    Mark,
    /// A line that starts with `#`, with the lines that it continues on.
    Directive,
}

/// A token and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    /// Its first byte in the text.
    pub(crate) start: usize,
}

impl Token<'_> {
    /// Returns `true` if it is this word or mark.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of a text, without blanks and comments.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut add = |kind, start: usize, end: usize| {
        let text = text.get(start..end).unwrap_or_default();
        found.push(Token { kind, text, start });
    };
    let mut is_line_start = true;
    let mut all = lex(text).into_iter();
    while let Some(token) = all.next() {
        let (start, end) = (token.start, token.end);
        let kind = match token.kind {
            TokenKind::Newline => {
                is_line_start = true;
                continue;
            }
            TokenKind::Comment => continue,
            TokenKind::Identifier => Kind::Word,
            TokenKind::Number => Kind::Number,
            TokenKind::String | TokenKind::Character => Kind::Text,
            TokenKind::Punctuator => Kind::Mark,
        };
        if kind == Kind::Mark && is_line_start && token.text(text).starts_with('#') {
            let line_end = all.find(|token| token.kind == TokenKind::Newline);
            add(
                Kind::Directive,
                start,
                line_end.map_or(text.len(), |end| end.start),
            );
            // The line that follows begins here.
            continue;
        }
        is_line_start = false;
        if kind == Kind::Mark && !matches!(token.text(text), "::" | "##") {
            (start..end).for_each(|at| add(kind, at, at + 1));
        } else {
            add(kind, start, end);
        }
    }
    found
}

/// The words in a text, strings and comments left out, directives looked into.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    tokens(text).into_iter().flat_map(|token| match token.kind {
        Kind::Word => vec![token.text],
        Kind::Directive => {
            let inside = token.text.trim_start_matches('#');
            let inside = tokens(inside).into_iter();
            inside
                .filter(|token| token.kind == Kind::Word)
                .map(|token| token.text)
                .collect()
        }
        _ => Vec::new(),
    })
}

/// The name of a directive and the first word after it: `("define", "N")`.
pub(crate) fn directive(line: &str) -> (&str, &str) {
    let inside = tokens(line.trim_start_matches('#'));
    let word = |at: usize| {
        inside
            .get(at)
            .filter(|token| token.kind == Kind::Word)
            .map_or("", |token| token.text)
    };
    (word(0), word(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn a_text_falls_into_its_tokens() {
        let text = "#define A \\\n 1\nint f(void) { /* x */ return L\"a\\\"b\"[0] + 1e+5 + u8'c'; } // end\n::std::x a##b R\"(\")\" 1'000";
        assert_eq!(
            texts(text),
            [
                "#define A \\\n 1",
                "int",
                "f",
                "(",
                "void",
                ")",
                "{",
                "return",
                "L\"a\\\"b\"",
                "[",
                "0",
                "]",
                "+",
                "1e+5",
                "+",
                "u8'c'",
                ";",
                "}",
                "::",
                "std",
                "::",
                "x",
                "a",
                "##",
                "b",
                "R\"(\")\"",
                "1'000"
            ]
        );
        assert_eq!(directive("#  define A(x) x"), ("define", "A"));
    }

    #[test]
    fn what_is_open_at_the_end_ends_there() {
        for text in [
            "\"abc",
            "/* abc",
            "R\"x(",
            "#define A \\",
            "'",
            "\\",
            "1e",
            "\"\\",
        ] {
            let end = tokens(text).last().map_or(0, Token::end);
            assert!(end <= text.len(), "{text}");
        }
    }
}
