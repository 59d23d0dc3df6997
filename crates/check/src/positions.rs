//! Functions whose code may change with the positions of their tokens.
//!
//! Without optimization, gcc gives a jump an instruction of its own, which does nothing, if neither neighbor has the
//! jump's line and column. All tokens of a macro, and of its arguments, have the position where the macro is used.
//! After a separate run of the preprocessor each has its own, and the code may have a few bytes more. Such functions
//! of C are compiled alone. Macros of the headers are not looked into: those that may jump are recognized by their
//! use.

use std::collections::{BTreeMap, BTreeSet};

use crate::Question;
use crate::isolate::is_keyword;
use crate::token::{Kind, Token, directive, tokens};

/// Returns `true` if a macro that the function uses branches, or an argument of something that may be a macro.
pub(crate) fn may_branch_in_macros(question: &Question) -> bool {
    let all = tokens(&question.text);
    let target = question.target.start as usize..question.target.end as usize;
    // Without a span the function may be anywhere; what is always inlined is part of its code.
    let whole = target.is_empty() || question.text.contains("always_inline");
    let mut macros: BTreeMap<&str, Vec<Token<'_>>> = BTreeMap::new();
    let mut code = Vec::new();
    for token in all {
        if token.kind != Kind::Directive {
            if whole || target.contains(&token.start) {
                code.push(token);
            }
        } else if let ("define", name) = directive(token.text) {
            macros.entry(name).or_default().extend(body(token.text));
        }
    }
    let mut open: Vec<&str> = defined(&code, &macros).collect();
    let mut seen = BTreeSet::new();
    while let Some(name) = open.pop() {
        if seen.insert(name) {
            let body = &macros[name];
            if branches(body) {
                return true;
            }
            open.extend(defined(body, &macros));
        }
    }
    has_branching_call(&code, &macros)
}

/// The names of macros among the tokens.
fn defined<'t>(
    code: &[Token<'t>],
    macros: &BTreeMap<&'t str, Vec<Token<'t>>>,
) -> impl Iterator<Item = &'t str> {
    code.iter()
        .filter(|token| token.kind == Kind::Word && macros.contains_key(token.text))
        .map(|token| token.text)
}

/// The tokens of a `#define` after its name and parameters.
fn body(define: &str) -> Vec<Token<'_>> {
    // The mark itself, `define`, and the name.
    let inside = tokens(define.get(1..).unwrap_or_default());
    let Some(name) = inside.get(1) else {
        return Vec::new();
    };
    let with_parameters = inside
        .get(2)
        .is_some_and(|next| next.is("(") && next.start == name.end());
    let end = inside.iter().position(|token| token.is(")"));
    let start = match end {
        Some(end) if with_parameters => end + 1,
        _ => 2,
    };
    inside.get(start..).unwrap_or_default().to_vec()
}

/// Returns `true` if a token is one at which control may split or leave.
fn is_branch(code: &[Token<'_>], at: usize) -> bool {
    let token = &code[at];
    let next = code.get(at + 1);
    let is_double = |mark: &str| {
        token.is(mark) && next.is_some_and(|next| next.is(mark) && next.start == token.end())
    };
    let once = || {
        let after = code.get(at + 1..at + 4).unwrap_or_default();
        matches!(after, [open, zero, close] if open.is("(") && zero.text == "0" && close.is(")"))
    };
    if token.kind == Kind::Mark {
        return token.is("?") || is_double("&") || is_double("|");
    }
    match token.text {
        "goto" | "break" | "continue" | "return" | "for" | "switch" | "case" | "default" => {
            token.kind == Kind::Word
        }
        // `do { … } while (0)` does not branch.
        "while" => token.kind == Kind::Word && !once(),
        _ => false,
    }
}

/// Returns `true` if the body of a macro is more than an expression or statements in a row.
fn branches(body: &[Token<'_>]) -> bool {
    // For each open bracket, `true` if commas in it separate.
    let mut open: Vec<bool> = Vec::new();
    for (at, token) in body.iter().enumerate() {
        if is_branch(body, at) || token.is(":") {
            return true;
        }
        if token.is("(") {
            open.push(at > 0 && ends_operand(&body[at - 1]));
        } else if token.is("{") || token.is("[") {
            open.push(true);
        } else if token.is(")") || token.is("}") || token.is("]") {
            open.pop();
        } else if token.is(",") && open.last() != Some(&true) {
            return true;
        }
    }
    false
}

/// Returns `true` if a bracket after this token is a call's.
fn ends_operand(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Word => !is_keyword(token.text) || token.text.starts_with("__"),
        _ => token.is(")") || token.is("]"),
    }
}

/// Returns `true` if there is a branch in the arguments of a call, or a call that may be the head of a statement, or
/// one of a name in capitals that the text does not define.
fn has_branching_call(code: &[Token<'_>], macros: &BTreeMap<&str, Vec<Token<'_>>>) -> bool {
    // For each open parenthesis, the callee, if it is one's.
    let mut open: Vec<Option<&Token<'_>>> = Vec::new();
    let mut braces = 0_usize;
    for (at, token) in code.iter().enumerate() {
        if token.is("{") {
            braces += 1;
        } else if token.is("}") {
            braces = braces.saturating_sub(1);
        } else if token.is("(") {
            let callee = at.checked_sub(1).map(|before| &code[before]);
            let callee = callee.filter(|token| token.kind == Kind::Word && !is_keyword(token.text));
            if callee.is_some_and(|callee| is_foreign_macro(callee.text, macros)) {
                return true;
            }
            open.push(callee);
        } else if token.is(")") {
            let heads = code
                .get(at + 1)
                .is_some_and(|next| next.is("{") || next.kind == Kind::Word);
            if open.pop().flatten().is_some() && braces > 0 && heads {
                return true;
            }
        } else if open.iter().any(Option::is_some) && is_branch(code, at) {
            return true;
        }
    }
    false
}

/// Returns `true` if a name is written like a macro's and the text does not define it.
fn is_foreign_macro(name: &str, macros: &BTreeMap<&str, Vec<Token<'_>>>) -> bool {
    let is_capital = |byte: u8| !byte.is_ascii_lowercase();
    name.len() > 1 && name.bytes().all(is_capital) && !macros.contains_key(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use barecode_records::{Language, Span};

    fn may_branch(text: &str, target: &str) -> bool {
        let start = text.find(target).unwrap();
        may_branch_in_macros(&Question {
            language: Language::C,
            text: text.to_owned(),
            function: "f".to_owned(),
            target: Span {
                start: u32::try_from(start).unwrap(),
                end: u32::try_from(start + target.len()).unwrap(),
            },
            is_template: false,
        })
    }

    #[test]
    fn branches_of_macros_are_found() {
        for (define, target) in [
            (
                "#define A(x) if (x) goto out",
                "int f(void) { A(1) out: return 1; }",
            ),
            (
                "#define A do { \\\n break; } while (0)",
                "int f(void) { for (;;) A; }",
            ),
            ("#define A return", "int f(void) { A 1; }"),
            ("#define A(x) while (x)", "int f(void) { A(1) g(); }"),
            ("#define A(x) ((x) || g())", "int f(void) { return A(1); }"),
            ("#define A(x) (g(), x)", "int f(void) { return A(1); }"),
            ("#define A(x) l: g(x)", "int f(void) { A(1); return 1; }"),
            (
                "#define A(x) B(x)\n#define B(x) ((x) ? 1 : 2)",
                "int f(void) { return A(1); }",
            ),
            ("", "int f(int a) { for (; a; a--) A(if (a) continue); }"),
            ("", "int f(int a) { a_(a && 1); return 2; }"),
            ("", "int f(int a) { each(a, b) { a++; } }"),
            ("", "int f(int a) { EACH(a, b); }"),
        ] {
            assert!(
                may_branch(&format!("{define}\n{target}"), target),
                "{define} {target}"
            );
        }
    }

    #[test]
    fn macros_without_branches_and_those_of_other_functions_are_none() {
        for (before, target) in [
            (
                "#define A(x, y) do { g((x) & (y), 1); } while (0)",
                "int f(void) { A(1, 2); return 1; }",
            ),
            (
                "#define A(x, y) {(x), y}",
                "int f(void) { int a[] = A(1, 2); return a[0]; }",
            ),
            (
                "#define A(x) ((x) && g())\nint h(int a) { return A(a); }",
                "int f(int a) { if (a && g(a)) return h(a); return (a); }",
            ),
            (
                "#define A (x) B\n#define return_b 1",
                "int f(int a) { while (g(a)) { if (a) break; } return a & &g; }",
            ),
        ] {
            assert!(
                !may_branch(&format!("{before}\n{target}"), target),
                "{before} {target}"
            );
        }
    }

    #[test]
    fn what_is_always_inlined_belongs_to_the_function() {
        let text = "#define A(x) ((x) && g())\nstatic inline __attribute__((always_inline)) int h(int a) { return A(a); }\nint f(int a) { return h(a); }";
        assert!(may_branch(text, "int f(int a) { return h(a); }"));
    }
}
