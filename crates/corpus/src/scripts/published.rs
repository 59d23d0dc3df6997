//! The rules of `GenCodeSearchNet`'s released notebook, to the letter.
//!
//! 1. A file is read as Latin-1; lines end as in Python's text mode (`\n`, `\r\n`, `\r`); each is stripped of what
//!    Python calls white space in Latin-1; empty ones are dropped.
//! 2. If some line contains `library(`, reading begins behind the first line that *starts* with it, and all such lines
//!    are skipped.
//! 3. A line that starts with `#` is appended to the current comment with a blank behind it; every `#`, `-` and `=` is
//!    removed from the comment.
//! 4. Any other line is appended, with a blank behind it, to the code of the last comment if that has more than one word
//!    (`\b[a-zA-Z]+\b`); in any case the next comment line begins a new comment.
//! 5. The same comment text twice in a file is one pair.
//!
//! The blanks at the ends of comment and code are the notebook's own, as the first rows of its files show. One thing
//! is not repeated: the notebook writes a file back as UTF-8 when it drops blank lines and then reads it as Latin-1
//! again, so that characters outside of ASCII are decoded twice.

use std::ops::Range;

use barecode_records::Reason;
use foldhash::HashMap;

use super::{Lines, Pair, Pairs};

/// The mark of a line that loads a package.
const LIBRARY: &[u8] = b"library(";

/// The pairs of a script, by the published rules.
///
/// ```
/// use barecode_corpus::scripts::published;
/// let read = published(b"library(x)\n# Load the data --\nd <- f()\n\n  g(d) # twice\n# done\n");
/// assert_eq!(read.pairs[0].comment, " Load the data  ");
/// assert_eq!(read.pairs[0].code, "d <- f() g(d) # twice ");
/// assert_eq!(read.left.len(), 1);
/// ```
pub fn published(bytes: &[u8]) -> Pairs {
    let mut reading = Reading {
        is_open: memchr::memmem::find(bytes, LIBRARY).is_none(),
        ..Reading::default()
    };
    let mut rest = 0..bytes.len();
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let (line, next) = line_of(bytes, rest.clone());
        rest.start = next;
        let line = strip(&bytes[line]);
        if !line.is_empty() {
            reading.take(line, number);
        }
    }
    reading.end()
}

/// The end of the first line of a range, and the beginning of the next one.
fn line_of(bytes: &[u8], rest: Range<usize>) -> (Range<usize>, usize) {
    let Some(length) = memchr::memchr2(b'\n', b'\r', &bytes[rest.clone()]) else {
        return (rest.clone(), rest.end);
    };
    let end = rest.start + length;
    let is_pair = bytes[end] == b'\r' && bytes.get(end + 1) == Some(&b'\n');
    (rest.start..end, end + 1 + usize::from(is_pair))
}

fn strip(mut line: &[u8]) -> &[u8] {
    let is_space = |byte: &u8| matches!(byte, b'\t'..=b'\r' | 0x1c..=0x1f | b' ' | 0x85 | 0xa0);
    while let [first, rest @ ..] = line
        && is_space(first)
    {
        line = rest;
    }
    while let [rest @ .., last] = line
        && is_space(last)
    {
        line = rest;
    }
    line
}

/// A comment, line by line.
#[derive(Default)]
struct Comment {
    /// The text as it was cleaned.
    text: Vec<u8>,
    lines: Lines,
    state: State,
}

/// The state of a comment.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing yet, or dropped: code is ignored.
    #[default]
    Dropped,
    /// The last line was one of it.
    Growing,
    /// It has code, in the pair of this number.
    HasCode(usize),
}

/// The content that has been read of a file.
#[derive(Default)]
struct Reading {
    /// True if the lines count: behind the first `library(`, or in a file without it.
    is_open: bool,
    comment: Comment,
    /// Texts and code of pairs, in Latin-1.
    made: Vec<(Comment, Vec<u8>, Lines)>,
    by_text: HashMap<Vec<u8>, usize>,
    read: Pairs,
}

impl Reading {
    fn take(&mut self, line: &[u8], number: u32) {
        let is_comment = line.first() == Some(&b'#');
        if line.starts_with(LIBRARY) {
            if !self.is_open {
                self.leave(Reason::CommentBeforeLibrary);
                self.is_open = true;
            }
        } else if is_comment {
            if self.comment.state != State::Growing {
                self.comment = Comment {
                    text: Vec::new(),
                    lines: (number, number),
                    state: State::Growing,
                };
            }
            let text = line.iter().filter(|byte| !b"#-=".contains(byte));
            self.comment.text.extend(text);
            self.comment.text.push(b' ');
            self.comment.lines.1 = number;
        } else if self.is_open {
            self.code(line, number);
        } else {
            self.leave(Reason::CommentBeforeLibrary);
        }
    }

    fn code(&mut self, line: &[u8], number: u32) {
        if self.comment.state == State::Growing {
            if !has_words(&self.comment.text) {
                self.leave(Reason::CommentTooShort);
                return;
            }
            let text = self.comment.text.clone();
            let next = self.made.len();
            let pair = *self.by_text.entry(text).or_insert(next);
            if pair == next {
                let comment = std::mem::take(&mut self.comment);
                self.made.push((comment, Vec::new(), (number, number)));
            } else {
                self.leave(Reason::CommentRepeated);
            }
            self.comment.state = State::HasCode(pair);
        }
        if let State::HasCode(pair) = self.comment.state {
            let (_, code, lines) = &mut self.made[pair];
            code.extend_from_slice(line);
            code.push(b' ');
            lines.1 = number;
        }
    }

    /// Drops the comment that is growing, if any.
    fn leave(&mut self, reason: Reason) {
        let comment = std::mem::take(&mut self.comment);
        if comment.state == State::Growing {
            self.read
                .leave(reason, &latin1(&comment.text), comment.lines);
        }
    }

    fn end(mut self) -> Pairs {
        self.leave(if self.is_open {
            Reason::NoCodeBelow
        } else {
            Reason::CommentBeforeLibrary
        });
        let pairs = self.made.into_iter();
        let pairs = pairs.map(|(comment, code, code_lines)| Pair {
            comment: latin1(&comment.text),
            code: latin1(&code),
            comment_lines: comment.lines,
            code_lines,
        });
        self.read.pairs = pairs.collect();
        self.read
    }
}

/// Returns `true` if a text has more than one word of ASCII letters between borders of words, as Python draws them in
/// Latin-1.
fn has_words(text: &[u8]) -> bool {
    let runs = text.split(|byte| !is_word(*byte));
    let words = runs.filter(|run| !run.is_empty() && run.iter().all(u8::is_ascii_alphabetic));
    words.take(2).count() == 2
}

/// Returns `true` if Python counts a letter of Latin-1 as part of a word: `ª`, `²`, `³`, `µ`, `¹`, `º`, fractions,
/// and letters.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || byte == b'_'
        || matches!(byte, 0xaa | 0xb2 | 0xb3 | 0xb5 | 0xb9 | 0xba | 0xbc..=0xbe)
        || matches!(byte, 0xc0..=0xd6 | 0xd8..=0xf6 | 0xf8..=0xff)
}

fn latin1(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if text.is_ascii() => text.to_owned(),
        _ => bytes.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Comment and code of each pair.
    fn pairs(text: &str) -> Vec<(String, String)> {
        let pairs = published(text.as_bytes()).pairs.into_iter();
        pairs.map(|pair| (pair.comment, pair.code)).collect()
    }

    fn pair(comment: &str, code: &str) -> (String, String) {
        (comment.to_owned(), code.to_owned())
    }

    #[test]
    fn what_stands_before_the_first_package_is_not_read() {
        let text =
            "# not read yet\nx\nlibrary(a)\n# the second part\nlibrary(b)\n# goes on here\ny\n";
        let read = published(text.as_bytes());
        assert_eq!(pairs(text), [pair(" the second part  goes on here ", "y ")]);
        assert_eq!(read.left[0].reason, Reason::CommentBeforeLibrary);
        assert_eq!(read.pairs[0].comment_lines, (4, 6));
        assert_eq!(read.pairs[0].code_lines, (7, 7));
        // A file whose only `library(` is inside of something else yields nothing.
        let hidden = published(b"suppressMessages(library(a))\n# the first part\nx\n");
        assert_eq!((hidden.pairs.len(), hidden.left.len()), (0, 1));
    }

    #[test]
    fn marks_go_wherever_they_stand() {
        assert_eq!(
            pairs("#-- t-test: a == b --#\nx # stays\n"),
            [pair(" ttest: a  b  ", "x # stays ")]
        );
    }

    #[test]
    fn one_word_is_not_enough_and_its_code_goes_nowhere() {
        assert_eq!(
            pairs("# one two\nx\n# Data\ny\nz\n"),
            [pair(" one two ", "x ")]
        );
        // Digits, underscores and letters with accents make a run of letters no word.
        assert_eq!(pairs("# step1 x_2 caf\u{e9} word\nx\n"), []);
    }

    #[test]
    fn the_same_text_twice_is_one_pair() {
        let text = "# plot it\na\n# fit it\nb\n# plot it\nc\nd\n";
        let expected = [pair(" plot it ", "a c d "), pair(" fit it ", "b ")];
        assert_eq!(pairs(text), expected);
        let left = published(text.as_bytes()).left;
        assert_eq!(
            (left[0].reason, left[0].lines),
            (Reason::CommentRepeated, (5, 5))
        );
    }

    #[test]
    fn lines_end_and_are_stripped_as_in_python() {
        let bytes = b"# the first\r\tx\r\n\xa0y\x85\n\x1c\n\x0b z";
        let read = published(bytes);
        assert_eq!(read.pairs[0].code, "x y z ");
        assert_eq!(read.pairs[0].code_lines, (2, 5));
        assert_eq!(
            published(b"# caf\xe9 au lait\nx").pairs[0].comment,
            " caf\u{e9} au lait "
        );
    }
}
