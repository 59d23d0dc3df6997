//! One text, looked at once.
//!
//! Enters: a text. Leaves: [`TextFacts`]: digests under several definitions of equality, sizes, and the facts that
//! some check needs. A benchmark of a million documents is read once, in parallel, and afterwards every check works
//! on these few numbers. Texts are compared by digests of 128 bits.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use crate::renamed::Renamed;
use barecode_languages::{Balance, Form};

/// A digest of a text; two texts with the same digest are the same.
pub(crate) type Digest = u128;

/// Number of features in a [`Layout`].
pub(crate) const LAYOUT: usize = 14;

/// The layout of a text, as numbers; none of them depends on its words.
pub(crate) type Layout = [f32; LAYOUT];

/// The properties of one text.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Debug, Clone)]
pub(crate) struct TextFacts {
    /// Of the bytes.
    pub(crate) exact: Digest,
    /// Of the text with runs of white space as one blank, and no blanks at the ends.
    pub(crate) spaced: Digest,
    /// Of the text without comments and without any white space. Letters' case counts.
    pub(crate) code: Digest,
    /// Of the text as it looks: compatibility characters composed (NFKC), nothing invisible, blanks as in `spaced`.
    pub(crate) seen: Digest,
    /// The same in small letters.
    pub(crate) folded: Digest,
    /// Of its tokens with all names replaced; `None` for texts too short to be distinguished by them.
    pub(crate) renamed: Option<Renamed>,
    /// Number of characters.
    pub(crate) characters: u32,
    /// Number of lines that are not blank.
    pub(crate) lines: u32,
    /// Number of words between white space.
    pub(crate) words: u32,
    /// The kind of text.
    pub(crate) form: Form,
    /// It has a comment.
    pub(crate) has_comment: bool,
    /// It has a string literal with a word of three letters.
    pub(crate) has_string: bool,
    /// It has a condition of the preprocessor.
    pub(crate) has_condition: bool,
    /// It has an address or a comment of a disassembler.
    pub(crate) has_address: bool,
    /// Its brackets.
    pub(crate) balance: Balance,
    /// The byte at which text of another encoding begins.
    pub(crate) mojibake: Option<usize>,
    /// The byte of the first control character that is neither a tab nor a line break.
    pub(crate) control: Option<usize>,
    /// It has a NUL or a mark of byte order.
    pub(crate) has_nul: bool,
    /// It ends in an ellipsis.
    pub(crate) ends_in_ellipsis: bool,
    /// Its layout.
    pub(crate) layout: Layout,
}

impl TextFacts {
    /// Looks at a text; `form` is its form, if known.
    pub(crate) fn of(text: &str, form: Option<Form>) -> Self {
        let form = form.unwrap_or_else(|| Form::of_text(text));
        let comments = form.comments(text);
        let strings = form.strings(text);
        let end = text.trim_end();
        let seen = spaced(&as_seen(text));
        TextFacts {
            exact: digest(text),
            spaced: digest(&spaced(text)),
            code: digest(&bare(text, &comments)),
            seen: digest(&seen),
            folded: digest(&seen.to_lowercase()),
            renamed: Renamed::of(text, form, &comments),
            characters: clipped(text.chars().count()),
            lines: clipped(text.lines().filter(|line| !line.trim().is_empty()).count()),
            words: clipped(text.split_whitespace().count()),
            form,
            has_comment: !comments.is_empty(),
            has_string: strings
                .iter()
                .any(|&(start, end)| has_word(text.get(start..end).unwrap_or_default())),
            has_condition: form == Form::C && text.lines().any(is_condition),
            has_address: form == Form::Assembly && text.lines().any(|line| address(line).is_some()),
            balance: form.balance(text),
            mojibake: mojibake(text),
            control: text
                .char_indices()
                .find(|&(_, c)| is_odd_control(c))
                .map(|(at, _)| at),
            has_nul: text.contains(['\0', '\u{feff}']),
            ends_in_ellipsis: end.ends_with('…') || end.ends_with("...") && !end.ends_with("...."),
            layout: layout(text),
        }
    }
}

fn clipped(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The digest of a text.
pub(crate) fn digest(text: &str) -> Digest {
    let hash = blake3::hash(text.as_bytes());
    let mut bytes = [0; 16];
    for (to, from) in bytes.iter_mut().zip(hash.as_bytes()) {
        *to = *from;
    }
    u128::from_le_bytes(bytes)
}

/// The text with runs of white space as one blank.
pub(crate) fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// The text as a reader sees it: compatibility characters composed (NFKC), without invisible characters.
fn as_seen(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().filter(|&c| !is_invisible(c));
    Cow::Owned(shown.nfkc().collect())
}

/// Returns `true` if a character is invisible: of width zero, a soft hyphen, or a mark of direction.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2064}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// The text without comments and white space.
fn bare(text: &str, comments: &[(usize, usize)]) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut from = 0;
    let ends = comments.iter().copied().chain([(text.len(), text.len())]);
    for (start, end) in ends {
        let part = text.get(from..start).unwrap_or_default();
        bare.extend(part.chars().filter(|c| !c.is_whitespace()));
        from = end;
    }
    // The content of a text that is all comment is the comment.
    if bare.is_empty() {
        bare.extend(text.chars().filter(|c| !c.is_whitespace()));
    }
    bare
}

/// Returns `true` if a literal has three letters in a row.
pub(crate) fn has_word(literal: &str) -> bool {
    literal
        .split(|c: char| !c.is_alphabetic())
        .any(|word| word.chars().count() >= 3)
}

/// The first lines of a text that are not blank, without white space at their ends; or the last ones, from the end on.
pub(crate) fn lines_from(text: &str, at_start: bool, most: usize) -> Vec<&str> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    if at_start {
        lines.take(most).collect()
    } else {
        lines.rev().take(most).collect()
    }
}

/// Returns `true` if a line begins a condition of the preprocessor.
pub(crate) fn is_condition(line: &str) -> bool {
    let rest = line.trim_start().strip_prefix('#').map(str::trim_start);
    rest.is_some_and(|rest| rest.starts_with("if") || rest.starts_with("elif"))
}

/// The position of an address in a line of disassembly: the target of a call or jump (`call 0x1c`), or a
/// disassembler's comment (`# 0x46`).
pub(crate) fn address(line: &str) -> Option<usize> {
    if let Some(at) = line.find("# ")
        && line
            .get(at + 2..)
            .is_some_and(|rest| rest.starts_with("0x") || rest.contains('<'))
    {
        return Some(at);
    }
    let mut at = 0;
    let mut is_jump = false;
    for word in line.split_inclusive(char::is_whitespace) {
        let shown = word.trim();
        if is_jump && !shown.is_empty() {
            let digits = shown.strip_prefix("0x").unwrap_or(shown);
            let is_hexadecimal =
                !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            return (is_hexadecimal && digits.bytes().any(|byte| byte.is_ascii_digit()))
                .then_some(at);
        }
        if !shown.is_empty() {
            is_jump = shown.starts_with("call") || shown.starts_with('j') && shown.len() <= 5;
        }
        at += word.len();
    }
    None
}

fn is_odd_control(c: char) -> bool {
    c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{85}') || c == '\u{feff}'
}

/// The byte at which a text shows UTF-8 that was read as Latin-1 or Windows-1252 (`Â²`, `Ã©`, `â€™`), or at which a
/// character was lost (U+FFFD).
///
/// A character that represents the first byte of two (`Â`, `Ã`) is followed by one that represents a second byte; of
/// other first bytes two such pairs must follow each other, because `Ð²`-like neighbors also occur in real text.
pub(crate) fn mojibake(text: &str) -> Option<usize> {
    if text.is_ascii() {
        return None;
    }
    let chars: Vec<(usize, char)> = text
        .char_indices()
        .filter(|(_, c)| !c.is_ascii() || *c == '.')
        .collect();
    let second = |place: usize, first: usize| {
        let (at, c) = *chars.get(place)?;
        let (before, previous) = chars[first];
        (at == before + previous.len_utf8())
            .then_some(c)
            .filter(|&c| is_second_byte(c))
    };
    for (place, &(at, c)) in chars.iter().enumerate() {
        let next = second(place + 1, place);
        let after = || second(place + 2, place + 1).filter(|_| next.is_some());
        let found = match c {
            '\u{fffd}' => true,
            'Â' | 'Ã' => next.is_some(),
            'à'..='ï' => after().is_some(),
            'ð' => after().is_some() && second(place + 3, place + 2).is_some(),
            'Ä'..='ß' => {
                next.is_some()
                    && matches!(chars.get(place + 2), Some(&(_, 'Ä'..='ß')))
                    && second(place + 3, place + 2).is_some()
            }
            _ => false,
        };
        // `Ã¯..ID`: R turned unreadable bytes into dots.
        if found {
            return Some(at);
        }
    }
    None
}

/// Returns `true` if Latin-1 or Windows-1252 shows this character for a byte from 0x80 to 0xBF.
fn is_second_byte(c: char) -> bool {
    matches!(c, '\u{80}'..='\u{bf}') || "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(c)
}

/// The layout of a text.
fn layout(text: &str) -> Layout {
    #[derive(Default)]
    struct Counts {
        all: f32,
        blanks: f32,
        newlines: f32,
        tabs: f32,
        digits: f32,
        quotes: f32,
        capitals: f32,
        foreign: f32,
        signs: f32,
        loose_signs: f32,
        indents: f32,
        doubled: f32,
        words: f32,
    }
    let mut counts = Counts::default();
    let (mut before, mut is_indent) = (' ', true);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        counts.all += 1.0;
        let next = chars.peek().copied().unwrap_or(' ');
        match c {
            ' ' => {
                counts.blanks += 1.0;
                counts.indents += f32::from(u8::from(is_indent));
                counts.doubled += f32::from(u8::from(before == ' ' && !is_indent));
            }
            '\n' => counts.newlines += 1.0,
            '\t' => {
                counts.tabs += 1.0;
                counts.indents += f32::from(u8::from(is_indent));
            }
            '0'..='9' => counts.digits += 1.0,
            '"' | '\'' | '`' => counts.quotes += 1.0,
            'A'..='Z' => counts.capitals += 1.0,
            _ if !c.is_ascii() => counts.foreign += 1.0,
            _ if c.is_ascii_punctuation() && c != '_' => {
                counts.signs += 1.0;
                counts.loose_signs +=
                    f32::from(u8::from(before.is_whitespace() && next.is_whitespace()));
            }
            _ => {}
        }
        is_indent = c == '\n' || is_indent && (c == ' ' || c == '\t');
        counts.words += f32::from(u8::from(!c.is_whitespace() && next.is_whitespace()));
        before = c;
    }
    let all = counts.all.max(1.0);
    [
        counts.all.ln_1p(),
        counts.words.ln_1p(),
        counts.newlines.ln_1p(),
        counts.newlines / all,
        counts.blanks / all,
        counts.tabs / all,
        counts.indents / all,
        counts.doubled / all,
        counts.digits / all,
        counts.quotes / all,
        counts.capitals / all,
        counts.foreign / all,
        counts.signs / all,
        counts.loose_signs / counts.signs.max(1.0),
    ]
}

/// The words of a text as a compiler cuts them.
pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// Returns `true` if a word is a name that is unlikely to be an ordinary word: with an underscore between letters, a
/// capital inside, or letters and a digit.
pub(crate) fn is_compound(word: &str) -> bool {
    let letters = word.chars().filter(|c| c.is_alphabetic()).count();
    if letters < 2
        || word.chars().count() < 3
        || word.chars().next().is_some_and(|c| c.is_ascii_digit())
    {
        return false;
    }
    let has_underscore = word.trim_matches('_').contains('_');
    let has_small = word.chars().any(char::is_lowercase);
    let has_hump = has_small
        && word
            .chars()
            .zip(word.chars().skip(1))
            .any(|(one, next)| one.is_lowercase() && next.is_uppercase());
    let has_digit = word.chars().any(|c| c.is_ascii_digit());
    has_underscore || has_hump || has_digit
}
