//! The position of a mark in front of a function of C++: after everything that must come first.
//!
//! `template <>`, `extern "C"` and attributes in brackets must, also if a macro stands for them. A compiler drops an
//! attribute before them with a warning, so a misplaced mark looks like a function without code.

use crate::token::{Kind, Token, tokens};

/// The depth to which macros that expand to macros are followed.
const DEEPEST: usize = 8;

/// The byte of `text` at which a mark belongs to the function between `start` and `end`.
pub(crate) fn place(text: &str, start: usize, end: usize) -> Option<usize> {
    let head = text.get(start..end)?;
    let before = text.get(..start)?;
    let tokens = tokens(head);
    let mut at = 0;
    loop {
        let rest = tokens.get(at..)?;
        let first = rest.first()?;
        at += match first_of(rest) {
            Some(length) => length,
            None if first.kind == Kind::Word => match in_macro(rest, before) {
                Some(InMacro::Behind(length)) => length,
                Some(InMacro::At(token)) => return Some(start + token.start),
                None => return Some(start + first.start),
            },
            None => return Some(start + first.start),
        };
    }
}

/// The number of tokens at the start that must come first; `None` if the function has no such tokens.
fn first_of(tokens: &[Token<'_>]) -> Option<usize> {
    match tokens {
        [template, open, close, ..] if template.is("template") && open.is("<") && close.is(">") => {
            Some(3)
        }
        [linkage, text, rest @ ..] if linkage.is("extern") && text.kind == Kind::Text => {
            (!rest.first().is_some_and(|brace| brace.is("{"))).then_some(2)
        }
        [one, two, ..] if one.is("[") && two.is("[") => length_of(tokens, "[", "]"),
        _ => None,
    }
}

/// The position of a mark if the part that must come first is a macro.
enum InMacro<'t> {
    /// Behind this many tokens.
    Behind(usize),
    /// Before this argument, which is the function's name.
    At(Token<'t>),
}

/// The position, if the word at the start is a macro that stands for the part that must come first.
fn in_macro<'t>(rest: &[Token<'t>], before: &str) -> Option<InMacro<'t>> {
    let name = rest.first()?.text;
    let macro_ = defined(before, name)?;
    if !comes_first(&macro_, before, 0) {
        return None;
    }
    let Some(parameters) = &macro_.parameters else {
        return Some(InMacro::Behind(1));
    };
    let arguments = rest
        .get(1..)
        .filter(|rest| rest.first().is_some_and(|open| open.is("(")))?;
    let length = length_of(arguments, "(", ")")?;
    if !arguments.get(length).is_some_and(|next| next.is("{")) {
        return Some(InMacro::Behind(1 + length));
    }
    // All of the head is in the macro: the argument that is followed by the parameters is the name.
    if macro_.body.iter().any(|token| token.text.starts_with('#')) {
        return None;
    }
    let number = macro_.body.windows(2).find_map(|pair| {
        if !pair[1].is("(") {
            return None;
        }
        let is_name = |parameter: &&str| pair[0].text == *parameter;
        parameters.iter().position(is_name)
    })?;
    let mut depth = 0_usize;
    let mut commas = 0;
    for token in arguments.get(1..length)? {
        if depth == 0 && commas == number {
            return Some(InMacro::At(*token));
        }
        match token.text {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            "," if depth == 0 => commas += 1,
            _ => {}
        }
    }
    None
}

fn comes_first(macro_: &Macro<'_>, before: &str, depth: usize) -> bool {
    if first_of(&macro_.body).is_some() {
        return true;
    }
    let Some(first) = macro_.body.first().filter(|first| first.kind == Kind::Word) else {
        return false;
    };
    depth < DEEPEST
        && defined(before, first.text).is_some_and(|inner| comes_first(&inner, before, depth + 1))
}

/// The definition of a macro.
struct Macro<'t> {
    parameters: Option<Vec<&'t str>>,
    body: Vec<Token<'t>>,
}

/// The last definition of a macro in a text.
fn defined<'t>(text: &'t str, name: &str) -> Option<Macro<'t>> {
    let rest_of = |line: &'t str| {
        let rest = line.trim_start().strip_prefix('#')?.trim_start();
        let rest = rest
            .strip_prefix("define")?
            .trim_start()
            .strip_prefix(name)?;
        let ends = |next: char| !(next.is_alphanumeric() || next == '_' || next == '$');
        rest.is_empty()
            .then_some(rest)
            .or_else(|| rest.starts_with(ends).then_some(rest))
    };
    let rest = text.lines().filter_map(rest_of).next_back()?;
    let start = rest.as_ptr() as usize - text.as_ptr() as usize;
    let mut end = start;
    for line in text.get(start..)?.split_inclusive('\n') {
        end += line.len();
        if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
            break;
        }
    }
    let rest = text.get(start..end)?;
    let tokens = tokens(rest);
    if !rest.starts_with('(') {
        return Some(Macro {
            parameters: None,
            body: tokens,
        });
    }
    let length = length_of(&tokens, "(", ")")?;
    let (parameters, body) = tokens.split_at_checked(length)?;
    let names = parameters.iter().filter(|token| token.kind == Kind::Word);
    Some(Macro {
        parameters: Some(names.map(|token| token.text).collect()),
        body: body.to_vec(),
    })
}

/// Returns the number of tokens that a bracketed run at the start has.
fn length_of(tokens: &[Token<'_>], open: &str, close: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        if token.is(open) {
            depth += 1;
        } else if token.is(close) {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return Some(at + 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_stands_behind_what_must_come_first() {
        for (head, before) in [
            ("int f() {}", ""),
            ("template <> int f<int>() {}", "template <> "),
            ("[[nodiscard]] static int f() {}", "[[nodiscard]] "),
            ("extern \"C\" int f() {}", "extern \"C\" "),
            (
                "[[a(b[1])]] extern \"C\" [[c]] int f() {}",
                "[[a(b[1])]] extern \"C\" [[c]] ",
            ),
            ("API int f() {}", "API "),
            ("EXPORT int f() {}", "EXPORT "),
            ("RETURNS(a<b, c>) f() {}", "RETURNS(a<b, c>) "),
            ("ENTRY(int, f) { }", "ENTRY(int, "),
            ("JOINED(f) { }", ""),
            ("PLAIN int f() {}", ""),
            ("APIS int f() {}", ""),
            ("RETURNS f() {}", ""),
        ] {
            let macros = "#define API 1\n#  define API extern \"C\" \\\n __attribute__((x))\n#define PLAIN inline\n\
                 #define EXPORT API [[nodiscard]]\n#define RETURNS(...) extern \"C\" __VA_ARGS__\n\
                 #define ENTRY(type, name) extern \"C\" type name(int a)\n#define JOINED(name) extern \"C\" int a##name(int a)\n";
            let text = format!("{macros}{head}");
            let found = place(&text, macros.len(), text.len());
            assert_eq!(found, Some(macros.len() + before.len()), "{head}");
        }
        assert_eq!(place("#define API API\nAPI int f() {}", 16, 30), Some(16));
        assert_eq!(place("", 0, 0), None);
    }
}
