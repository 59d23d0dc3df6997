//! Bytes → preprocessing tokens (C17 section 6.4, C++20 section 5.4), with their positions.
//!
//! One lexer serves both languages: what is a token in one of them only (`::`, `R"(…)"`, `1'000`) is never
//! valid in the other, or means the same.
//!
//! The lexer never fails: a quote that is not closed ends at the end of its line, a comment that is not
//! closed ends at the end of the text. A backslash before a line break joins lines and counts as a blank.

/// The kind of a preprocessing token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Identifier,
    /// A preprocessing number.
    Number,
    /// A string literal, prefix included.
    String,
    /// A character constant, prefix included.
    Character,
    /// A punctuator; the longest that fits.
    Punctuator,
    /// A comment. Only [`lex_with_comments`] returns these.
    Comment,
    /// The end of a logical line.
    Newline,
}

/// A token and the bytes it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its kind.
    pub kind: TokenKind,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Token {
    /// The token as it is in `text`.
    pub fn text(self, text: &str) -> &str {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The tokens of `text` without comments.
pub fn lex(text: &str) -> Vec<Token> {
    let mut tokens = lex_with_comments(text);
    tokens.retain(|token| token.kind != TokenKind::Comment);
    tokens
}

/// The tokens of `text`, comments included.
pub fn lex_with_comments(text: &str) -> Vec<Token> {
    let mut lexer = Lexer {
        bytes: text.as_bytes(),
        at: 0,
    };
    let mut tokens = Vec::with_capacity(text.len() / 4);
    while let Some(token) = lexer.next_token() {
        tokens.push(token);
    }
    tokens
}

struct Lexer<'a> {
    bytes: &'a [u8],
    at: usize,
}

/// Returns `true` if a byte can begin an identifier; bytes above ASCII can, as in gcc.
pub fn begins_identifier(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn continues_identifier(byte: u8) -> bool {
    begins_identifier(byte) || byte.is_ascii_digit()
}

/// Length of the punctuator that a text begins with: the longest that fits.
fn punctuator_length(rest: &[u8]) -> usize {
    match rest {
        [b'%', b':', b'%', b':', ..] => 4,
        [b'.', b'.', b'.', ..]
        | [b'<', b'<', b'=', ..]
        | [b'>', b'>', b'=', ..]
        | [b'-', b'>', b'*', ..]
        | [b'<', b'=', b'>', ..] => 3,
        [b'-', b'>' | b'-' | b'=', ..]
        | [b'+', b'+' | b'=', ..]
        | [b'<', b'<' | b'=', ..]
        | [b'>', b'>' | b'=', ..]
        | [b'=' | b'!' | b'*' | b'/' | b'^', b'=', ..]
        | [b'&', b'&' | b'=', ..]
        | [b'|', b'|' | b'=', ..]
        | [b'%', b'=' | b':', ..]
        | [b'#', b'#', ..]
        | [b':', b':', ..]
        | [b'.', b'*', ..] => 2,
        _ => 1,
    }
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    /// Goes on to the first byte that does not hold, or the end.
    fn skip_while(&mut self, holds: impl Fn(u8) -> bool) {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| !holds(byte));
        self.at += length.unwrap_or(rest.len());
    }

    /// Length of a backslash and line break at `at + ahead`, or 0.
    fn splice(&self, ahead: usize) -> usize {
        match (self.peek(ahead), self.peek(ahead + 1), self.peek(ahead + 2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    fn next_token(&mut self) -> Option<Token> {
        while let Some(&byte) = self.bytes.get(self.at) {
            match byte {
                b'\\' if self.splice(0) > 0 => self.at += self.splice(0),
                _ if is_blank(byte) => self.at += 1,
                _ => break,
            }
        }
        if self.at >= self.bytes.len() {
            return None;
        }
        let start = self.at;
        let kind = self.scan();
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }

    fn scan(&mut self) -> TokenKind {
        let byte = self.peek(0);
        match byte {
            b'\n' => {
                self.at += 1;
                TokenKind::Newline
            }
            b'/' if self.peek(1) == b'/' => {
                self.line_comment();
                TokenKind::Comment
            }
            b'/' if self.peek(1) == b'*' => {
                self.block_comment();
                TokenKind::Comment
            }
            b'"' => self.quoted(b'"', TokenKind::String),
            b'\'' => self.quoted(b'\'', TokenKind::Character),
            b'R' | b'L' | b'U' | b'u' if self.raw_prefix() > 0 => {
                self.at += self.raw_prefix();
                self.raw_string()
            }
            b'L' | b'U' | b'u' if self.literal_prefix() > 0 => {
                self.at += self.literal_prefix();
                match self.peek(0) {
                    b'"' => self.quoted(b'"', TokenKind::String),
                    _ => self.quoted(b'\'', TokenKind::Character),
                }
            }
            _ if begins_identifier(byte) => {
                self.skip_while(continues_identifier);
                TokenKind::Identifier
            }
            _ if byte.is_ascii_digit() || (byte == b'.' && self.peek(1).is_ascii_digit()) => {
                self.number();
                TokenKind::Number
            }
            _ => {
                self.at += punctuator_length(&self.bytes[self.at..]);
                TokenKind::Punctuator
            }
        }
    }

    /// Length of `L`, `U`, `u` or `u8` when a quote follows, or 0.
    fn literal_prefix(&self) -> usize {
        let quote = |byte| byte == b'"' || byte == b'\'';
        if quote(self.peek(1)) {
            1
        } else if self.peek(0) == b'u' && self.peek(1) == b'8' && quote(self.peek(2)) {
            2
        } else {
            0
        }
    }

    /// Length of `R`, `LR`, `uR`, `UR` or `u8R` when a quote follows, or 0.
    fn raw_prefix(&self) -> usize {
        let prefixes: [&[u8]; 5] = [b"R\"", b"LR\"", b"uR\"", b"UR\"", b"u8R\""];
        let rest = &self.bytes[self.at..];
        let prefix = prefixes.into_iter().find(|prefix| rest.starts_with(prefix));
        prefix.map_or(0, |prefix| prefix.len() - 1)
    }

    /// `"delimiter(…)delimiter"`; a literal that does not begin so is a string like any other.
    fn raw_string(&mut self) -> TokenKind {
        let rest = &self.bytes[self.at + 1..];
        let stops = |byte: &u8| matches!(byte, b'(' | b')' | b'\\' | b'"' | b' ' | b'\t' | b'\n');
        let open = rest.iter().take(17).position(stops);
        let Some(open) = open.filter(|&open| rest[open] == b'(') else {
            return self.quoted(b'"', TokenKind::String);
        };
        let close = [b")", &rest[..open], b"\""].concat();
        let inside = &rest[open + 1..];
        let end = inside
            .windows(close.len())
            .position(|window| window == close);
        self.at += match end {
            Some(end) => 1 + open + 1 + end + close.len(),
            None => 1 + rest.len(),
        };
        TokenKind::String
    }

    fn line_comment(&mut self) {
        loop {
            self.skip_while(|byte| !matches!(byte, b'\n' | b'\\'));
            if self.peek(0) != b'\\' {
                return;
            }
            self.at += self.splice(0).max(1);
        }
    }

    fn block_comment(&mut self) {
        self.at += 2;
        loop {
            self.skip_while(|byte| byte != b'*');
            if self.at >= self.bytes.len() {
                return;
            }
            self.at += 1;
            if self.peek(0) == b'/' {
                self.at += 1;
                return;
            }
        }
    }

    fn quoted(&mut self, quote: u8, kind: TokenKind) -> TokenKind {
        self.at += 1;
        loop {
            self.skip_while(|byte| byte != quote && !matches!(byte, b'\n' | b'\\'));
            match self.bytes.get(self.at) {
                None | Some(b'\n') => break,
                Some(b'\\') => {
                    let splice = self.splice(0);
                    let escape = if splice > 0 { splice } else { 2 };
                    self.at = (self.at + escape).min(self.bytes.len());
                }
                Some(_) => {
                    self.at += 1;
                    break;
                }
            }
        }
        kind
    }

    fn number(&mut self) {
        while self.at < self.bytes.len() {
            let byte = self.peek(0);
            let exponent = matches!(byte, b'e' | b'E' | b'p' | b'P');
            if exponent && matches!(self.peek(1), b'+' | b'-') {
                self.at += 2;
            } else if continues_identifier(byte) || byte == b'.' {
                self.at += 1;
            } else if byte == b'\'' && continues_identifier(self.peek(1)) && self.peek(2) != b'\'' {
                // A digit separator; `0'a'` would be a number and a character.
                self.at += 2;
            } else {
                break;
            }
        }
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<&str> {
        lex(source)
            .into_iter()
            .map(|token| token.text(source))
            .collect()
    }

    #[test]
    fn tokens_are_the_longest_that_fit() {
        assert_eq!(
            texts("a+++b>>=c->d##e"),
            ["a", "++", "+", "b", ">>=", "c", "->", "d", "##", "e"]
        );
        assert_eq!(
            texts("0x1p-3 1.5e+10f .5 u8\"x\" L'a'"),
            ["0x1p-3", "1.5e+10f", ".5", "u8\"x\"", "L'a'"]
        );
    }

    #[test]
    fn comments_and_quotes_hide_each_other() {
        assert_eq!(texts("a /* \" */ b"), ["a", "b"]);
        assert_eq!(texts("\"/* x */\" b"), ["\"/* x */\"", "b"]);
        assert_eq!(texts("'\"' b // c\nd"), ["'\"'", "b", "\n", "d"]);
    }

    #[test]
    fn a_backslash_joins_lines() {
        assert_eq!(texts("a \\\n b\nc"), ["a", "b", "\n", "c"]);
        assert_eq!(texts("// x \\\n still\nc"), ["\n", "c"]);
    }

    #[test]
    fn raw_strings_and_separated_digits_are_one_token() {
        assert_eq!(
            texts("R\"(a\"b\\)\" x u8R\"--(\n)-\" )--\" y"),
            ["R\"(a\"b\\)\"", "x", "u8R\"--(\n)-\" )--\"", "y"]
        );
        assert_eq!(texts("R\"x y\" R\"(never"), ["R\"x y\"", "R\"(never"]);
        assert_eq!(
            texts("1'000'000ul 0xFF'FF 'a'"),
            ["1'000'000ul", "0xFF'FF", "'a'"]
        );
        assert_eq!(
            texts("a::b->*c.*d"),
            ["a", "::", "b", "->*", "c", ".*", "d"]
        );
    }

    #[test]
    fn unclosed_quotes_and_comments_end_somewhere() {
        assert_eq!(texts("don't\nx"), ["don", "'t", "\n", "x"]);
        assert_eq!(texts("a /* b"), ["a"]);
        assert_eq!(texts("\"\\"), ["\"\\"]);
    }

    proptest::proptest! {
        #[test]
        fn tokens_cover_all_but_blanks(source in "[a-z0-9 \\\\\n\"'/*#(){}.é+-]{0,80}") {
            let mut at = 0;
            for token in lex_with_comments(&source) {
                let gap: String = source.get(at..token.start).expect("tokens begin at characters").into();
                let gap = gap.replace("\\\n", "");
                proptest::prop_assert!(gap.trim_matches([' ', '\t', '\r']).is_empty(), "lost {gap:?}");
                proptest::prop_assert!(token.end > token.start);
                at = token.end;
            }
        }
    }
}
