//! `#if` conditions (C17 section 6.10.1): words → a truth value.
//!
//! Numbers are evaluated in `i128`, wide enough that `intmax_t` and `uintmax_t` agree for the comparisons
//! that configuration headers make. A condition that cannot be evaluated is false, as an undefined name is.

use barecode_languages::lex::TokenKind;

use super::macros::{MacroTable, Word};

/// Evaluates the words after `#if` or `#elif`; `has_include` answers `__has_include`.
pub fn holds(words: &[Word], macros: &MacroTable, has_include: &dyn Fn(&str) -> bool) -> bool {
    let Some(replaced) = replace_operators(words, macros, has_include) else {
        return false;
    };
    let Some(expanded) = macros.expand(&replaced) else {
        return false;
    };
    // A macro may expand to `defined(X)`; compilers accept it, so it is answered after expansion too.
    let Some(expanded) = replace_operators(&expanded, macros, has_include) else {
        return false;
    };
    let mut parser = Parser {
        words: &expanded,
        at: 0,
        depth: 0,
    };
    let value = parser.conditional();
    value.is_some_and(|value| value != 0 && parser.at == expanded.len())
}

/// Names of gcc's yes-or-no operators beside `defined` and `__has_include`. All are answered with no: code
/// then takes the portable branch, which the compiler accepts as well.
const UNANSWERED: [&str; 6] = [
    "__has_attribute",
    "__has_c_attribute",
    "__has_cpp_attribute",
    "__has_builtin",
    "__has_feature",
    "__has_extension",
];

fn replace_operators(
    words: &[Word],
    macros: &MacroTable,
    has_include: &dyn Fn(&str) -> bool,
) -> Option<Vec<Word>> {
    let mut out = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        let word = &words[at];
        let text = &*word.text;
        if text == "defined" {
            let parenthesized = words.get(at + 1).is_some_and(|next| &*next.text == "(");
            let name = words.get(at + if parenthesized { 2 } else { 1 })?;
            let known = macros.contains(&name.text) || is_operator(&name.text);
            out.push(number(known));
            at += if parenthesized { 4 } else { 2 };
        } else if matches!(text, "__has_include" | "__has_include_next") && is_call(words, at) {
            let close = closing(texts(words), at + 1)?;
            let name: String = words[at + 2..close]
                .iter()
                .map(|word| &*word.text)
                .collect();
            out.push(number(has_include(name.trim_matches(['<', '>', '"']))));
            at = close + 1;
        } else if UNANSWERED.contains(&text) && is_call(words, at) {
            at = closing(texts(words), at + 1)? + 1;
            out.push(number(false));
        } else {
            out.push(word.clone());
            at += 1;
        }
    }
    Some(out)
}

/// Returns `true` if `#ifdef` of the name holds because it is an operator that compilers offer.
///
/// Only `__has_include` is: the others are answered with no, so code that checks for them must not see them.
pub fn is_operator(name: &str) -> bool {
    name == "__has_include"
}

fn is_call(words: &[Word], at: usize) -> bool {
    words.get(at + 1).is_some_and(|next| &*next.text == "(")
}

fn texts(words: &[Word]) -> impl Iterator<Item = &str> {
    words.iter().map(|word| &*word.text)
}

/// The index of the parenthesis that closes the one at `open`.
pub(super) fn closing<'t>(words: impl IntoIterator<Item = &'t str>, open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, word) in words.into_iter().enumerate().skip(open) {
        match word {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

fn number(truth: bool) -> Word {
    Word {
        kind: TokenKind::Number,
        text: if truth { "1" } else { "0" }.into(),
        spaced: true,
    }
}

struct Parser<'a> {
    words: &'a [Word],
    at: usize,
    depth: u32,
}

/// The precedence of a binary operator, from 1 up; `None` if it is not one.
pub fn precedence(operator: &str) -> Option<u32> {
    Some(match operator {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Parser<'_> {
    fn peek(&self) -> &str {
        self.words.get(self.at).map_or("", |word| &*word.text)
    }

    fn take(&mut self, text: &str) -> bool {
        let found = self.peek() == text;
        self.at += usize::from(found);
        found
    }

    fn conditional(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > 500 {
            return None;
        }
        let condition = self.binary(1)?;
        let value = if self.take("?") {
            let then = self.conditional()?;
            if !self.take(":") {
                return None;
            }
            let otherwise = self.conditional()?;
            if condition != 0 { then } else { otherwise }
        } else {
            condition
        };
        self.depth -= 1;
        Some(value)
    }

    fn binary(&mut self, weakest: u32) -> Option<i128> {
        let mut left = self.unary()?;
        while let Some(binding) = precedence(self.peek()).filter(|&binding| binding >= weakest) {
            let operator = self.peek().to_owned();
            self.at += 1;
            let right = self.binary(binding + 1)?;
            left = apply(&operator, left, right)?;
        }
        Some(left)
    }

    fn unary(&mut self) -> Option<i128> {
        self.depth += 1;
        if self.depth > 500 {
            return None;
        }
        let value = if self.take("!") {
            i128::from(self.unary()? == 0)
        } else if self.take("-") {
            self.unary()?.checked_neg()?
        } else if self.take("+") {
            self.unary()?
        } else if self.take("~") {
            !self.unary()?
        } else if self.take("(") {
            let value = self.conditional()?;
            if !self.take(")") {
                return None;
            }
            value
        } else {
            self.primary()?
        };
        self.depth -= 1;
        Some(value)
    }

    fn primary(&mut self) -> Option<i128> {
        let word = self.words.get(self.at)?;
        self.at += 1;
        match word.kind {
            TokenKind::Number => integer(&word.text),
            TokenKind::Character => character(&word.text),
            TokenKind::Identifier => {
                // An undefined name is 0; called like a function it is 0 as a whole.
                if self.peek() == "(" {
                    self.at = closing(texts(self.words), self.at)? + 1;
                }
                Some(i128::from(&*word.text == "true"))
            }
            _ => None,
        }
    }
}

/// The value of a binary operator; `None` if it has no value, as for a division by 0.
pub fn apply(operator: &str, left: i128, right: i128) -> Option<i128> {
    let truth = |holds: bool| Some(i128::from(holds));
    match operator {
        "||" => truth(left != 0 || right != 0),
        "&&" => truth(left != 0 && right != 0),
        "|" => Some(left | right),
        "^" => Some(left ^ right),
        "&" => Some(left & right),
        "==" => truth(left == right),
        "!=" => truth(left != right),
        "<" => truth(left < right),
        ">" => truth(left > right),
        "<=" => truth(left <= right),
        ">=" => truth(left >= right),
        "<<" => left.checked_shl(u32::try_from(right).ok()?),
        ">>" => left.checked_shr(u32::try_from(right).ok()?),
        "+" => left.checked_add(right),
        "-" => left.checked_sub(right),
        "*" => left.checked_mul(right),
        "/" => left.checked_div(right),
        "%" => left.checked_rem(right),
        _ => None,
    }
}

fn integer(text: &str) -> Option<i128> {
    let digits = text
        .trim_end_matches(['u', 'U', 'l', 'L'])
        .replace('\'', "");
    let lower = digits.to_ascii_lowercase();
    if let Some(hexadecimal) = lower.strip_prefix("0x") {
        i128::from_str_radix(hexadecimal, 16).ok()
    } else if let Some(binary) = lower.strip_prefix("0b") {
        i128::from_str_radix(binary, 2).ok()
    } else if lower.len() > 1 && lower.starts_with('0') {
        i128::from_str_radix(&lower, 8).ok()
    } else {
        lower.parse().ok()
    }
}

fn character(text: &str) -> Option<i128> {
    let inner = text.split_once('\'')?.1.strip_suffix('\'')?;
    let mut characters = inner.chars();
    let first = characters.next()?;
    let value = match (first, characters.next()) {
        ('\\', Some('n')) => '\n',
        ('\\', Some('t')) => '\t',
        ('\\', Some('r')) => '\r',
        ('\\', Some('0')) => '\0',
        ('\\', Some(other)) => other,
        (plain, _) => plain,
    };
    Some(i128::from(u32::from(value)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(defines: &str, condition: &str) -> bool {
        holds(
            &Word::lex(condition),
            &MacroTable::from_defines(defines),
            &|name| name == "stdio.h",
        )
    }

    #[test]
    fn arithmetic_binds_as_in_c() {
        assert!(check("", "1 + 2 * 3 == 7 && !(4 < 3)"));
        assert!(check("", "(1 ? 2 : 3) == 2 && -1 < 0"));
        assert!(check(
            "",
            "0x10 == 16 && 010 == 8 && 'A' == 65 && 10UL == 10"
        ));
        assert!(!check("", "1 / 0"));
    }

    #[test]
    fn names_are_macros_or_zero() {
        assert!(check(
            "#define V 201710L",
            "V >= 201112L && defined V && defined(V) && !defined(W)"
        ));
        assert!(!check("", "UNKNOWN"));
        assert!(!check("", "UNKNOWN(1, 2)"));
        assert!(check("#define HAS defined(V)\n#define V", "HAS"));
    }

    #[test]
    fn operators_of_compilers_are_answered() {
        assert!(check(
            "",
            "__has_include(<stdio.h>) && !__has_include(\"x.h\")"
        ));
        assert!(!check(
            "",
            "defined(__has_attribute) && __has_attribute(noinline)"
        ));
        assert!(!check("", "__has_builtin(__builtin_expect)"));
    }

    #[test]
    fn nonsense_is_false() {
        for nonsense in ["", "1 +", "(1", ")", "\"x\"", "1 2", "1 ? 2", "defined"] {
            assert!(!check("", nonsense), "{nonsense}");
        }
        assert!(!check("", &"(".repeat(10_000)));
        assert!(!check("", &"!".repeat(10_000)));
    }

    proptest::proptest! {
        #[test]
        fn no_condition_panics(text in "[-+*/%<>=!&|^~?:()0-9a-z \"']{0,60}") {
            check("#define a b\n#define f(x) x##x", &text);
        }
    }
}
