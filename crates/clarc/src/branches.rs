//! The parts of a text that a preprocessor passes on: directives, and the code between them.
//!
//! Only the text itself is known of the project, so a macro that neither the compiler, nor a standard
//! header, nor the text defines counts as not defined.

use std::collections::BTreeSet;

use barecode_corpus::preprocess::condition::{apply, precedence};
use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_records::Language;

use barecode_languages::standard_names;

/// The position of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// In code that is compiled.
    Active,
    /// In a branch that is not taken, or in a directive of such a branch.
    Inactive,
    /// A name in a condition that is evaluated; the flag is true if it is defined as a macro.
    Condition(bool),
    /// The name after an active `#define`.
    Define,
    /// The rest of an active directive.
    Directive,
}

/// The position of each token, in their order. `tokens` includes line ends.
pub(super) fn places(text: &str, tokens: &[Token]) -> Vec<Place> {
    let mut reader = Reader {
        text,
        defined: BTreeSet::new(),
        open: Vec::new(),
    };
    let mut places = Vec::with_capacity(tokens.len());
    for line in tokens.split_inclusive(|token| token.kind == TokenKind::Newline) {
        reader.line(line, &mut places);
    }
    places
}

/// Returns `true` if the text has a conditional directive.
pub(super) fn has_conditions(text: &str, tokens: &[Token]) -> bool {
    let lines = tokens.split(|token| token.kind == TokenKind::Newline);
    lines.into_iter().any(|line| {
        let mut words = line.iter().map(|token| token.text(text));
        words.next() == Some("#") && words.next().is_some_and(|word| word.starts_with("if"))
    })
}

/// An open conditional.
struct Conditional {
    /// True if the code around it is compiled.
    outside: bool,
    /// True if the current branch is taken.
    now: bool,
    /// True if one of its branches was taken.
    done: bool,
}

struct Reader<'t> {
    text: &'t str,
    defined: BTreeSet<&'t str>,
    open: Vec<Conditional>,
}

impl<'t> Reader<'t> {
    fn active(&self) -> bool {
        self.open.last().is_none_or(|open| open.outside && open.now)
    }

    fn line(&mut self, line: &[Token], places: &mut Vec<Place>) {
        let words: Vec<&'t str> = line.iter().map(|token| token.text(self.text)).collect();
        if words.first() != Some(&"#") {
            let place = if self.active() {
                Place::Active
            } else {
                Place::Inactive
            };
            places.extend(line.iter().map(|_| place));
            return;
        }
        let outside = self.active();
        let directive = words.get(1).copied().unwrap_or_default();
        let rest = words.get(2..).unwrap_or_default();
        let mut evaluated = false;
        match directive {
            "if" | "ifdef" | "ifndef" => {
                evaluated = outside;
                let now = outside && self.holds(directive, rest);
                self.open.push(Conditional {
                    outside,
                    now,
                    done: now,
                });
            }
            "elif" => {
                if let Some(mut open) = self.open.pop() {
                    evaluated = open.outside && !open.done;
                    open.now = evaluated && self.holds("if", rest);
                    open.done |= open.now;
                    self.open.push(open);
                }
            }
            "else" => {
                if let Some(open) = self.open.last_mut() {
                    open.now = !open.done;
                    open.done = true;
                }
            }
            "endif" => {
                self.open.pop();
            }
            "define" if outside => {
                self.defined.extend(rest.first());
            }
            "undef" if outside => {
                if let Some(name) = rest.first() {
                    self.defined.remove(name);
                }
            }
            _ => {}
        }
        let goes_on = !matches!(directive, "elif" | "else" | "endif");
        let plain = if outside && goes_on || evaluated {
            Place::Directive
        } else {
            Place::Inactive
        };
        for (at, token) in line.iter().enumerate() {
            let name = at > 1 && token.kind == TokenKind::Identifier;
            let place = match words.get(at).copied() {
                Some(word) if name && evaluated => Place::Condition(self.is_defined(word)),
                Some(_) if at == 2 && name && outside && directive == "define" => Place::Define,
                _ => plain,
            };
            places.push(place);
        }
    }

    fn is_defined(&self, name: &str) -> bool {
        // CLARC read with clang and without the extensions of GNU.
        let clang = matches!(name, "__clang__" | "__STRICT_ANSI__");
        let plain = matches!(name, "linux" | "unix");
        clang
            || self.defined.contains(name)
            || !plain && standard_names::is_standard_macro(name, Language::CPP)
    }

    fn holds(&self, directive: &str, rest: &[&str]) -> bool {
        let name = rest.first().copied().unwrap_or_default();
        match directive {
            "ifdef" => self.is_defined(name),
            "ifndef" => !self.is_defined(name),
            _ => {
                let mut condition = Condition {
                    words: rest,
                    at: 0,
                    reader: self,
                    depth: 0,
                };
                condition.choice(0) != 0
            }
        }
    }
}

/// A reader of `#if` by precedence; an expression that it does not understand is 0.
struct Condition<'r, 't> {
    words: &'r [&'t str],
    at: usize,
    reader: &'r Reader<'t>,
    depth: usize,
}

/// The greatest depth at which parentheses and signs may nest.
const MAX_DEPTH: usize = 64;

impl Condition<'_, '_> {
    fn next(&mut self) -> &str {
        let word = self.words.get(self.at).copied().unwrap_or_default();
        self.at += 1;
        word
    }

    fn choice(&mut self, weakest: u32) -> i128 {
        let mut left = self.single();
        loop {
            let operator = self.words.get(self.at).copied().unwrap_or_default();
            let Some(strength) = precedence(operator).filter(|&strength| strength > weakest) else {
                return left;
            };
            self.at += 1;
            let right = self.choice(strength);
            left = apply(operator, left, right).unwrap_or(0);
        }
    }

    fn single(&mut self) -> i128 {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.at = self.words.len();
            return 0;
        }
        let value = match self.next() {
            "!" => i128::from(self.single() == 0),
            "-" => self.single().wrapping_neg(),
            "+" => self.single(),
            "~" => !self.single(),
            "(" => {
                let value = self.choice(0);
                self.at += 1; // the closing one
                value
            }
            "defined" => {
                let parenthesis = self.words.get(self.at) == Some(&"(");
                self.at += usize::from(parenthesis);
                let name = self.next().to_owned();
                self.at += usize::from(parenthesis);
                i128::from(self.reader.is_defined(&name))
            }
            word => value(word),
        };
        self.depth -= 1;
        value
    }
}

/// The value of a number, or of a macro that clang for 64-bit Linux defines as one; 0 for any other name.
fn value(word: &str) -> i128 {
    match word {
        "__GNUC__" => 4,
        "__clang__" | "__linux__" | "__x86_64__" | "__STRICT_ANSI__" | "__LP64__" | "true" => 1,
        "__cplusplus" => 201_703,
        "__SIZEOF_POINTER__" | "__SIZEOF_LONG__" | "__CHAR_BIT__" | "CHAR_BIT" => 8,
        "__BYTE_ORDER__" | "__ORDER_LITTLE_ENDIAN__" => 1234,
        "__ORDER_BIG_ENDIAN__" => 4321,
        "INT_MAX" | "INT32_MAX" => i128::from(i32::MAX),
        "UINT_MAX" | "UINT32_MAX" => i128::from(u32::MAX),
        "LONG_MAX" | "LLONG_MAX" | "INT64_MAX" | "INTMAX_MAX" | "PTRDIFF_MAX" => {
            i128::from(i64::MAX)
        }
        "ULONG_MAX" | "ULLONG_MAX" | "UINT64_MAX" | "UINTMAX_MAX" | "SIZE_MAX" => {
            i128::from(u64::MAX)
        }
        _ => {
            let digits = word
                .trim_end_matches(['u', 'U', 'l', 'L'])
                .replace('\'', "");
            let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
            match hex {
                Some(hex) => i128::from_str_radix(hex, 16).unwrap_or(0),
                None => digits.parse().unwrap_or(0),
            }
        }
    }
}
