//! Programs in one form (pydra, appendix B.2): same encoding, line ends and blanks; no comments, no docstrings.
//!
//! Enters: a text. Leaves: the text with the list of changes, or the reason that it is not Python. The behavior of a
//! program stays: strings keep every byte (the paper composes them, too), blanks at the beginning of a line become
//! the number that CPython counts (the paper writes four for a tab), and a program that reads `__doc__` keeps its
//! docstrings. Normalizing twice changes nothing.

use std::borrow::Cow;

use barecode_python::{Module, Unparsable};
use unicode_normalization::UnicodeNormalization as _;

/// A program in its form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalized {
    /// The text.
    pub text: String,
    /// The changes, in the order of the steps; `docstrings kept` if the program needs them.
    pub changes: Vec<&'static str>,
}

/// The parts of a text that stay although the paper removes them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Keep {
    /// Docstrings, where they are the tests.
    pub docstrings: bool,
    /// Comments, but for those that name the interpreter or the encoding.
    pub comments: bool,
}

/// Characters that look like blanks and that CPython refuses outside of strings.
const BLANKS: [char; 6] = [
    '\u{a0}', '\u{2009}', '\u{202f}', '\u{3000}', '\u{200b}', '\u{feff}',
];

/// Normalizes a program.
///
/// # Errors
/// If it is not Python 3.
pub fn normalize(text: &str, keep: Keep) -> Result<Normalized, Unparsable> {
    let mut changes = Vec::new();
    let mut text = Cow::Borrowed(text);
    let rest = text.trim_start_matches('\u{feff}');
    if rest.len() < text.len() {
        text = Cow::Owned(rest.to_owned());
        changes.push("byte order mark");
    }
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"));
        changes.push("line ends");
    }
    let mut text = text.into_owned();
    if let Err(error) = Module::parse(&text) {
        // CPython refuses the text as it is, so that no string of a program changes.
        if !text.contains(BLANKS) {
            return Err(error);
        }
        text = text
            .replace(['\u{200b}', '\u{feff}'], "")
            .replace(BLANKS, " ");
        changes.push("blanks");
    }
    let mut lines = text.lines();
    if lines.next().is_some_and(|line| line.starts_with("#!")) {
        changes.push("shebang");
    }
    if text.lines().take(2).any(is_cookie) {
        changes.push("coding cookie");
    }
    let heads = text.lines().take(2).filter(|line| is_head(line)).count();
    if keep.comments {
        text = without_heads(text);
    } else {
        let module = Module::parse(&text)?;
        if let Some(without) = module.without_comments() {
            if module.comment_count() > heads {
                changes.push("comments");
            }
            text = without;
        }
    }
    if keep.docstrings || text.contains("__doc__") {
        if !Module::parse(&text)?.docstrings().is_empty() {
            changes.push("docstrings kept");
        }
    } else if let Some(without) = Module::parse(&text)?.without_docstrings() {
        text = without;
        changes.push("docstrings");
    }
    let composed = outside_strings(&text, &Module::parse(&text)?, |piece, _| {
        piece.nfc().collect()
    });
    if composed != text {
        text = composed;
        changes.push("composed characters");
    }
    let indented = outside_strings(&text, &Module::parse(&text)?, indented);
    if indented != text {
        text = indented;
        changes.push("tabs");
    }
    let laid = lines_of(&text, &Module::parse(&text)?);
    if laid != text {
        changes.push("blank lines");
        text = laid;
    }
    Module::parse(&text)?;
    Ok(Normalized { text, changes })
}

/// Returns `true` if one of the first two lines names the interpreter or the encoding.
fn is_head(line: &str) -> bool {
    line.starts_with("#!") || is_cookie(line)
}

/// The text without lines that name the interpreter or the encoding, those included that would be among the first two
/// then.
fn without_heads(mut text: String) -> String {
    loop {
        let mut start = 0;
        let head = text.split_inclusive('\n').take(2).find_map(|line| {
            let range = start..start + line.len();
            start = range.end;
            is_head(line).then_some(range)
        });
        match head {
            Some(range) => text.replace_range(range, ""),
            None => return text,
        }
    }
}

fn is_cookie(line: &str) -> bool {
    let comment = line.trim_start_matches([' ', '\t', '\x0c']);
    comment.starts_with('#')
        && comment
            .split_once("coding")
            .is_some_and(|(_, rest)| rest.starts_with([':', '=']))
}

/// The text with the parts outside of strings rewritten by `write`, whose argument is true if a line begins there.
fn outside_strings(
    text: &str,
    module: &Module<'_>,
    write: impl Fn(&str, bool) -> String,
) -> String {
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end) in module.strings() {
        let (start, end) = (start as usize, end as usize);
        made.push_str(&write(piece(text, at, start), at == 0));
        made.push_str(piece(text, start, end));
        at = end;
    }
    made.push_str(&write(piece(text, at, text.len()), at == 0));
    made
}

fn piece(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end)
        .expect("strings are in order and whole")
}

/// A piece of code with spaces for tabs and form feeds where a line begins.
fn indented(code: &str, line_begins: bool) -> String {
    let mut made = String::with_capacity(code.len());
    for (index, line) in code.split_inclusive('\n').enumerate() {
        let words = line.trim_start_matches([' ', '\t', '\x0c']);
        let blanks = line.get(..line.len() - words.len()).unwrap_or_default();
        if index > 0 || line_begins {
            let mut column = 0;
            for blank in blanks.chars() {
                column = match blank {
                    '\t' => (column / 8 + 1) * 8,
                    ' ' => column + 1,
                    _ => 0,
                };
            }
            made.extend(std::iter::repeat_n(' ', column));
        } else {
            made.push_str(blanks);
        }
        made.push_str(words);
    }
    made
}

/// The text without blanks at the end of lines, without more than one blank line in a row, with one line end behind.
fn lines_of(text: &str, module: &Module<'_>) -> String {
    let strings = module.strings();
    let in_string = |place: usize| {
        let after = strings.partition_point(|range| range.1 as usize <= place);
        strings
            .get(after)
            .is_some_and(|range| (range.0 as usize) < place)
    };
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    let mut is_blank_before = true;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let body = line.strip_suffix('\n').unwrap_or(line);
        let line_end = start + body.len();
        if in_string(line_end) {
            // The line end belongs to a string.
            made.push_str(line);
            is_blank_before = false;
            continue;
        }
        let body = body.trim_end_matches([' ', '\t', '\x0c']);
        let is_blank = body.is_empty() && !in_string(start);
        if !(is_blank && is_blank_before) {
            made.push_str(body);
            made.push('\n');
        }
        is_blank_before = is_blank;
    }
    let kept = made.trim_end_matches('\n').len();
    made.truncate(kept);
    if !made.is_empty() {
        made.push('\n');
    }
    made
}
