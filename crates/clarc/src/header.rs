//! The head of a function: the words in it that are macros unknown to the grammar.

use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_records::Language;

use super::keywords::{is_keyword, is_type_keyword};
use barecode_languages::standard_names;

/// Ranges of bytes that the parser should not see: macros among specifiers, with their arguments.
///
/// `tokens` are those of active code, without line ends. Read are the heads at file level, each up to its body.
pub(super) fn hidden(text: &str, tokens: &[Token]) -> Vec<(usize, usize)> {
    let mut hidden = Vec::new();
    let mut from = 0;
    while from < tokens.len() {
        let (end, next) = head(text, tokens, from);
        if let Some(head) = tokens.get(from..end) {
            read(text, head, &mut hidden);
        }
        from = next;
    }
    hidden
}

/// The end of the head that begins at `from`, and the start of the next one.
fn head(text: &str, tokens: &[Token], from: usize) -> (usize, usize) {
    let mut at = from;
    while let Some(token) = tokens.get(at) {
        match token.text(text) {
            ";" | "}" => return (at, at + 1),
            "(" => at = closing(text, tokens, at),
            "{" => return (at, closing(text, tokens, at)),
            _ => at += 1,
        }
    }
    (at, at)
}

/// The index after the bracket that closes the one at `at`; the last index of the text if it is not closed.
pub(super) fn closing(text: &str, tokens: &[Token], at: usize) -> usize {
    let mut depth = 0_usize;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match token.text(text) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

fn read(text: &str, head: &[Token], hidden: &mut Vec<(usize, usize)>) {
    let word = |at: usize| head.get(at).map_or("", |token: &Token| token.text(text));
    let is_name = |at: usize| {
        head.get(at)
            .is_some_and(|token| token.kind == TokenKind::Identifier)
            && !is_keyword(word(at))
    };
    // Specifiers up to the name of the function, and those of its words that may be types.
    let mut unknown: Vec<usize> = Vec::new();
    let mut has_type = false;
    let mut at = 0;
    let mut name = None;
    while at < head.len() {
        let here = word(at);
        if here == "(" {
            break;
        }
        if word(at + 1) == "(" && (is_name(at) || here == "alignas") {
            let after = closing(text, head, at + 1);
            let another = is_name(after) && after + 1 < head.len()
                || is_keyword(word(after))
                    && !matches!(
                        word(after),
                        "const" | "noexcept" | "try" | "override" | "final"
                    );
            if !another {
                name = Some(at);
                break;
            }
            if let (Some(first), Some(last)) = (head.get(at), head.get(after - 1)) {
                hidden.push((first.start, last.end));
            }
            at = after;
            continue;
        }
        if matches!(here, "struct" | "class" | "union" | "enum") {
            has_type = true;
            at += 2;
            continue;
        }
        if is_type_keyword(here) {
            has_type = true;
        } else if is_name(at) {
            let qualified = word(at + 1) == "::" || at > 0 && word(at - 1) == "::";
            let standard = standard_names::is_standard_type(here, Language::CPP);
            if qualified || standard || word(at + 1) == "<" {
                has_type = true;
            } else {
                unknown.push(at);
            }
        }
        at += 1;
    }
    let Some(name) = name else { return };
    // The last of them is the type, if there is no other; the rest are macros.
    if !has_type {
        unknown.pop();
    }
    let after = closing(text, head, name + 1);
    parameters(
        text,
        head.get(name + 2..after.saturating_sub(1))
            .unwrap_or_default(),
        hidden,
    );
    let trailing = (after..head.len()).take_while(|at| is_name(*at));
    for at in unknown.into_iter().chain(trailing) {
        if let Some(token) = head.get(at) {
            hidden.push((token.start, token.end));
        }
    }
}

/// Hides the words after the name of a parameter: `const char *text UNUSED`.
fn parameters(text: &str, tokens: &[Token], hidden: &mut Vec<(usize, usize)>) {
    for parameter in tokens.split(|token| token.text(text) == ",") {
        let [.., before, last] = parameter else {
            continue;
        };
        let plain = |token: &Token| {
            let word = token.text(text);
            token.kind == TokenKind::Identifier
                && !is_keyword(word)
                && !standard_names::is_standard_type(word, Language::CPP)
        };
        let shouts = !last.text(text).contains(|c: char| c.is_ascii_lowercase());
        if parameter.len() > 2 && plain(before) && plain(last) && shouts {
            hidden.push((last.start, last.end));
        }
    }
}
