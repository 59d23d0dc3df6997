//! Words of names, strings and characters.

use std::sync::LazyLock;

/// Abbreviations in names, and the words that they represent: one a line, in alphabetical order.
static SHORT: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("../data/short.txt").lines();
    lines.filter_map(|line| line.split_once(' ')).collect()
});

/// The word that an abbreviation represents.
fn long_form(part: &str) -> Option<&'static str> {
    /// The letters of the longest abbreviation.
    const LONGEST: usize = 6;
    if part.len() > LONGEST {
        return None;
    }
    let at = SHORT.binary_search_by_key(&part, |(short, _)| short).ok()?;
    Some(SHORT.get(at)?.1)
}

/// The words of a name, in lower case: `parseHTTPHeader` has `parse`, `http`, `header`.
///
/// A generated name (a hash, a counter) has no words: words have at least two letters, and a name that often
/// alternates between digits and letters is not one.
pub fn words_of_name(name: &str, mut take: impl FnMut(&str)) {
    let bytes = name.as_bytes();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let changes = bytes
        .windows(2)
        .filter(|pair| matches!(pair, [a, b] if a.is_ascii_digit() != b.is_ascii_digit() && a.is_ascii_alphanumeric() && b.is_ascii_alphanumeric()))
        .count();
    if changes > 3 || (digits > 3 && digits * 3 > bytes.len()) {
        return;
    }
    let mut part = String::new();
    let mut finish = |part: &mut String| {
        if part.len() >= 2 && part.bytes().any(|byte| !byte.is_ascii_digit()) {
            take(part);
            if let Some(long) = long_form(part) {
                take(long);
            } else if let Some(stem) = part.strip_suffix("err").filter(|it| it.len() > 2) {
                take(stem);
                take("error");
            }
        }
        part.clear();
    };
    let mut chars = name.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let next = chars.peek().copied().unwrap_or(' ');
        let is_border = !c.is_alphanumeric()
            || (last.is_lowercase() && c.is_uppercase())
            || (last.is_uppercase() && c.is_uppercase() && next.is_lowercase())
            || (last.is_ascii_digit() != c.is_ascii_digit());
        if is_border {
            finish(&mut part);
        }
        if c.is_ascii_alphanumeric() {
            part.push(c.to_ascii_lowercase());
        } else if c.is_alphanumeric() {
            part.extend(c.to_lowercase());
        }
        last = c;
    }
    finish(&mut part);
}

/// A name of several words as one word, in lower case: sentences mention names as a whole. `None` for other names.
pub fn joined(name: &str) -> Option<String> {
    let mut parts = 0;
    words_of_name(name, |_| parts += 1);
    (parts > 1).then(|| as_one_word(name))
}

/// The letters and digits of a name, in lower case.
pub fn as_one_word(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

/// The names that people use for a character; empty for one without a name.
pub fn words_of_character(c: char) -> &'static str {
    match c {
        '\0' => "null character terminator zero",
        '\n' => "newline line feed escape",
        '\r' => "carriage return",
        '\t' => "tab",
        ' ' => "space blank",
        ',' => "comma",
        '.' => "dot period point",
        ';' => "semicolon",
        ':' => "colon",
        '/' => "slash path separator forward",
        '\\' => "backslash escape",
        '"' => "quote double quotation",
        '\'' => "quote single apostrophe",
        '(' | ')' => "parenthesis bracket",
        '[' | ']' => "bracket square",
        '{' | '}' => "brace curly",
        '<' | '>' => "angle bracket",
        '-' => "hyphen minus dash sign",
        '+' => "plus sign",
        '*' => "asterisk star",
        '=' => "equal sign",
        '_' => "underscore",
        '#' => "hash number sign",
        '%' => "percent",
        '&' => "ampersand",
        '|' => "pipe vertical bar",
        '~' => "tilde",
        '!' => "exclamation",
        '?' => "question mark",
        '@' => "at sign",
        '$' => "dollar",
        '^' => "caret",
        '`' => "backtick",
        '0' | '9' => "digit numeric",
        'a' | 'z' => "lowercase letter alphabetic",
        'A' | 'Z' => "uppercase letter alphabetic",
        'f' | 'F' => "hexadecimal hex letter",
        'x' | 'X' => "hexadecimal hex",
        _ => "",
    }
}

/// The value of a number as it is written in C, in decimal; `None` if it is not a number.
pub fn value_of_number(text: &str) -> Option<String> {
    let plain: String = text.chars().filter(|c| *c != '\'' && *c != '_').collect();
    let lower = plain.to_ascii_lowercase();
    let integer = lower.trim_end_matches(['u', 'l', 'z']);
    if let Some(hex) = integer.strip_prefix("0x") {
        return u128::from_str_radix(hex, 16)
            .ok()
            .map(|value| value.to_string());
    }
    if let Some(binary) = integer.strip_prefix("0b") {
        return u128::from_str_radix(binary, 2)
            .ok()
            .map(|value| value.to_string());
    }
    if integer.len() > 1
        && integer.starts_with('0')
        && integer.bytes().all(|byte| (b'0'..b'8').contains(&byte))
    {
        return u128::from_str_radix(integer, 8)
            .ok()
            .map(|value| value.to_string());
    }
    if let Ok(value) = integer.parse::<u128>() {
        return Some(value.to_string());
    }
    let float = lower.trim_end_matches(['f', 'l']);
    let value: f64 = float.parse().ok()?;
    value.is_finite().then(|| value.to_string())
}

/// The character that a literal represents: `'\n'`, `L'a'`, `'\x41'`.
pub fn character_of_literal(text: &str) -> Option<char> {
    let start = text.find('\'')?;
    let inner = text.get(start + 1..)?;
    let inner = inner.strip_suffix('\'').unwrap_or(inner);
    first_character(inner)
}

/// The first character of the inside of a literal, its escape resolved.
pub fn first_character(inner: &str) -> Option<char> {
    let mut chars = inner.chars();
    let first = chars.next()?;
    if first != '\\' {
        return Some(first);
    }
    let escape = chars.next()?;
    Some(match escape {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        '0'..='7' => {
            let digits: String = inner
                .chars()
                .skip(1)
                .take_while(|c| ('0'..='7').contains(c))
                .take(3)
                .collect();
            char::from_u32(u32::from_str_radix(&digits, 8).ok()?)?
        }
        'x' => {
            let digits: String = chars.take_while(char::is_ascii_hexdigit).collect();
            char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?
        }
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        other => other,
    })
}
