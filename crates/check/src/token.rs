//! Text of C or C++ → words, numbers, strings, punctuation, directives.
//!
//! Just enough of a lexer to say which words a text uses and at which depth of brackets they stand. It never
//! fails: whatever is open at the end of the text simply ends there.

/// What a token is.
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

/// A token and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    pub(crate) kind: Kind,
    pub(crate) text: &'t str,
    /// Its first byte in the text.
    pub(crate) start: usize,
}

impl Token<'_> {
    /// Whether it is this word or mark.
    pub(crate) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Word | Kind::Mark) && self.text == text
    }

    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// The tokens of a text, without blanks and comments.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let start = at;
        let kind = match bytes[at] {
            b'\n' => {
                line_start = true;
                at += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'\\' if matches!(bytes.get(at + 1), Some(b'\n' | b'\r')) => {
                at += 2;
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                at = end_of_line(bytes, at);
                continue;
            }
            b'#' if line_start => {
                at = end_of_line(bytes, at);
                Kind::Directive
            }
            byte if is_word(byte) && !byte.is_ascii_digit() => {
                at = end_of_word(bytes, at);
                let word = &bytes[start..at];
                match bytes.get(at) {
                    Some(b'"') if word.ends_with(b"R") && is_prefix(word) => {
                        at = end_of_raw_string(bytes, at);
                        Kind::Text
                    }
                    Some(b'"' | b'\'') if is_prefix(word) => {
                        at = end_of_string(bytes, at);
                        Kind::Text
                    }
                    _ => Kind::Word,
                }
            }
            byte if byte.is_ascii_digit()
                || (byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)) =>
            {
                at = end_of_number(bytes, at);
                Kind::Number
            }
            b'"' | b'\'' => {
                at = end_of_string(bytes, at);
                Kind::Text
            }
            b':' if bytes.get(at + 1) == Some(&b':') => {
                at += 2;
                Kind::Mark
            }
            b'#' if bytes.get(at + 1) == Some(&b'#') => {
                at += 2;
                Kind::Mark
            }
            _ => {
                at += 1;
                Kind::Mark
            }
        };
        line_start = false;
        if let Some(token) = text.get(start..at) {
            found.push(Token {
                kind,
                text: token,
                start,
            });
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

/// What a directive is called and the first word after: `("define", "N")`.
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

/// Whether a byte may stand in a name; every byte beyond ASCII may.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn is_prefix(word: &[u8]) -> bool {
    matches!(
        word,
        b"L" | b"u" | b"U" | b"u8" | b"R" | b"LR" | b"uR" | b"UR" | b"u8R"
    )
}

fn end_of_word(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|&&byte| is_word(byte)).count()
}

fn end_of_number(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        let digits = byte == b'\'' && bytes.get(at + 1).is_some_and(|&next| is_word(next));
        if matches!(byte, b'+' | b'-') {
            if !matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P') {
                break;
            }
        } else if !(is_word(byte) || byte == b'.' || digits) {
            break;
        }
        at += 1;
    }
    at
}

fn end_of_string(bytes: &[u8], at: usize) -> usize {
    let quote = bytes[at];
    let mut at = at + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn end_of_raw_string(bytes: &[u8], at: usize) -> usize {
    let delimiter = bytes.get(at + 1..).unwrap_or_default();
    let length = delimiter.iter().take_while(|&&byte| byte != b'(').count();
    let closing = [b")", &delimiter[..length], b"\""].concat();
    find(bytes, at, &closing).map_or(bytes.len(), |end| end + closing.len())
}

fn end_of_line(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' if bytes.get(at + 1) == Some(&b'\n') => at += 2,
            b'\\' if bytes.get(at + 1..at + 3) == Some(b"\r\n") => at += 3,
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
            }
            b'\n' => return at,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(wanted.len())
        .position(|window| window == wanted)
        .map(|at| from + at)
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
