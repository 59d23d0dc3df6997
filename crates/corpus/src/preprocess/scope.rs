//! Tokens → the openings and closings of C++'s namespaces and linkage blocks.

use barecode_languages::lex::{Token, TokenKind};

use super::macros::Word;

/// One brace of a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// The opening: its spelling in one form, and its addition to the path of names.
    Open { opening: String, name: String },
    /// The closing.
    Close,
}

/// Words beyond which an opening is not looked for.
const LONGEST: usize = 40;

/// The brace that ends the opening of a scope which begins at `at`; `None` if none begins there.
pub(super) fn opening_brace(tokens: &[Token], at: usize, text: &str) -> Option<usize> {
    let word = |at: usize| tokens.get(at).map(|token| token.text(text));
    let mut next = at;
    if word(next) == Some("inline") {
        next += 1;
    }
    match word(next)? {
        "namespace" => {
            let rest = tokens.get(next + 1..)?.iter().take(LONGEST);
            let stop = rest
                .enumerate()
                .find(|(_, token)| matches!(token.text(text), "{" | ";" | "=" | "}"));
            let (offset, stop) = stop?;
            (stop.text(text) == "{").then_some(next + 1 + offset)
        }
        "extern" if next == at => {
            let literal = tokens.get(at + 1)?.kind == TokenKind::String;
            (literal && word(at + 2) == Some("{")).then_some(at + 2)
        }
        _ => None,
    }
}

/// The openings and closings in words; `None` if there are none, or anything else.
pub(super) fn steps(words: &[Word]) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut at = 0;
    while at < words.len() {
        match &*words[at].text {
            "}" => {
                steps.push(Step::Close);
                at += 1;
            }
            ";" => at += 1,
            "extern" => {
                let literal = words.get(at + 1)?;
                if literal.kind != TokenKind::String || &*words.get(at + 2)?.text != "{" {
                    return None;
                }
                let opening = format!("extern {} {{", literal.text);
                let name = String::new();
                steps.push(Step::Open { opening, name });
                at += 3;
            }
            "inline"
                if words
                    .get(at + 1)
                    .is_some_and(|next| &*next.text == "namespace") =>
            {
                at += 1;
            }
            "namespace" => {
                let open = words[at..].iter().position(|word| &*word.text == "{")?;
                let name = namespace_name(&words[at + 1..at + open])?;
                let inline = at > 0 && &*words[at - 1].text == "inline";
                let opening = match (inline, name.as_str()) {
                    (_, "") => "namespace {".to_owned(),
                    (true, name) => format!("inline namespace {name} {{"),
                    (false, name) => format!("namespace {name} {{"),
                };
                steps.push(Step::Open { opening, name });
                at += open + 1;
            }
            _ => return None,
        }
    }
    (!steps.is_empty()).then_some(steps)
}

/// The name between `namespace` and its brace, attributes left out.
fn namespace_name(words: &[Word]) -> Option<String> {
    let mut name = String::new();
    let mut depth = 0_usize;
    for (at, word) in words.iter().enumerate() {
        match &*word.text {
            "[" | "(" => depth += 1,
            "]" | ")" => depth = depth.checked_sub(1)?,
            _ if depth > 0 => {}
            "__attribute__" | "__attribute" => {}
            "::" => name.push_str("::"),
            // `namespace a::inline v1`
            "inline" => name.push_str("inline "),
            text => {
                let joined = at == 0 || name.is_empty() || name.ends_with([':', ' ']);
                if word.kind != TokenKind::Identifier || !joined {
                    return None;
                }
                name.push_str(text);
            }
        }
    }
    Some(name)
}

/// The content of a brace at file scope, or in a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brace {
    /// The members of a class.
    Class,
    /// Enumerators.
    Enumeration,
    /// A function's body, or an initializer.
    Body,
}

/// The content of the brace at `at`, by the text before it.
pub(super) fn brace(tokens: &[Token], at: usize, text: &str) -> Brace {
    const FARTHEST: usize = 200;
    let before = tokens.get(..at).unwrap_or_default();
    let mut called = false;
    // Text between parentheses belongs to parameters.
    let mut depth = 0_usize;
    for (index, token) in before.iter().enumerate().rev().take(FARTHEST) {
        match token.text(text) {
            ";" | "{" | "}" | "=" => return Brace::Body,
            ")" => depth += 1,
            "(" => {
                depth = depth.saturating_sub(1);
                let name = index.checked_sub(1).map(|name| tokens[name].text(text));
                let harmless = ["alignas", "decltype", "__attribute__", "__declspec"];
                called |= !name.is_some_and(|name| harmless.contains(&name));
            }
            _ if depth > 0 => {}
            "enum" if called => return Brace::Body,
            "enum" => return Brace::Enumeration,
            "class" | "struct" | "union" => {
                let name = index.checked_sub(1).map(|name| tokens[name].text(text));
                match name {
                    // In `template <class T>` the word is a parameter's.
                    Some("<" | "," | "enum") => {}
                    _ if called => return Brace::Body,
                    _ => return Brace::Class,
                }
            }
            _ => {}
        }
    }
    Brace::Body
}

#[cfg(test)]
mod tests {
    use super::*;
    use barecode_languages::lex::lex;

    fn shown(text: &str) -> Option<Vec<String>> {
        let steps = steps(&Word::lex(text))?;
        let shown = steps.into_iter().map(|step| match step {
            Step::Open { opening, .. } => opening,
            Step::Close => "}".to_owned(),
        });
        Some(shown.collect())
    }

    #[test]
    fn scopes_are_read_in_one_form() {
        let text = "inline namespace v1 { namespace a::b { namespace [[deprecated]] c { namespace { extern \"C\" { } } ;";
        let expected = [
            "inline namespace v1 {",
            "namespace a::b {",
            "namespace c {",
            "namespace {",
            "extern \"C\" {",
            "}",
            "}",
        ];
        assert_eq!(shown(text).expect("scopes only"), expected);
        for other in [
            "",
            "int x;",
            "namespace a = b;",
            "extern \"C\" int f();",
            "using x",
        ] {
            assert_eq!(shown(other), None, "{other}");
        }
    }

    #[test]
    fn braces_of_classes_are_told_from_others() {
        let opens = |text: &str| {
            let tokens = lex(text);
            brace(&tokens, tokens.len() - 1, text)
        };
        for text in ["enum {", "enum class A : int {", "enum struct A {"] {
            assert_eq!(opens(text), Brace::Enumeration, "{text}");
        }
        for text in [
            "struct A {",
            "template <class T, typename U> class A : public B<T> {",
            "class alignas(8) A final {",
            "; union {",
        ] {
            assert_eq!(opens(text), Brace::Class, "{text}");
        }
        for text in [
            "struct A *f(int a) {",
            "int f(struct A *a, enum B b) {",
            "template <class T> void f() {",
            "struct A a = {",
            "void f() const {",
        ] {
            assert_eq!(opens(text), Brace::Body, "{text}");
        }
    }
}
