//! The text of a function → how long and how branched it is.
//!
//! These are the numbers of CLARC's Tables 1, 7 and 10. None of them is defined there, so each is defined here,
//! as the field commonly has it.

use std::collections::BTreeSet;

use barecode_records::Language;

use crate::preprocess::lex::{TokenKind, lex};
use crate::syntax::parse;

const KEYWORDS_C: &str = include_str!("../../languages/src/data/keywords-c17.txt");
const KEYWORDS_CPP: &str = include_str!("../../languages/src/data/keywords-cpp20.txt");

/// Lines of a text: blanks at its ends are left out, then it is cut at line breaks. Empty lines inside count.
pub fn lines(text: &str) -> u32 {
    let text = text.trim();
    let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
    u32::try_from(breaks + 1).unwrap_or(u32::MAX)
}

/// Preprocessing tokens of a text (C17, section 6.4), without comments and line breaks.
pub fn tokens(text: &str) -> u32 {
    let tokens = lex(text);
    let count = tokens
        .iter()
        .filter(|token| token.kind != TokenKind::Newline)
        .count();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// How many different keywords of a language stand in a text: C17's or C++20's.
pub fn keywords(text: &str, language: Language) -> u32 {
    let known: BTreeSet<&str> = keywords_of(language).collect();
    let found: BTreeSet<&str> = lex(text)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| token.text(text))
        .filter(|name| known.contains(name))
        .collect();
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// The keywords of a language.
pub fn keywords_of(language: Language) -> impl Iterator<Item = &'static str> {
    let list = match language {
        Language::C => KEYWORDS_C,
        Language::Cpp => KEYWORDS_CPP,
    };
    list.lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
}

/// The cyclomatic complexity of a text (`McCabe` 1976): 1 for each function in it, and 1 for each decision.
///
/// Decisions are `if`, `for` (over a range too), `while`, `do`, `case`, `catch`, `?:`, `&&` and `||`; `default`,
/// `else`, `goto` and conditional compilation are none. A lambda belongs to the function around it. A text in
/// which no function is found counts as one.
pub fn complexity(text: &str, language: Language) -> u32 {
    let Some(tree) = parse(text, language) else {
        return 1;
    };
    let (mut functions, mut decisions) = (0_u32, 0_u32);
    let mut cursor = tree.walk();
    // Where the condition of an `#if` ends: operators before that are no decisions.
    let mut condition = 0;
    'walk: loop {
        let node = cursor.node();
        match node.kind() {
            _ if node.start_byte() < condition => {}
            "preproc_if" | "preproc_elif" => {
                let found = node.child_by_field_name("condition");
                condition = found.map_or(condition, |found| found.end_byte());
            }
            "function_definition" => functions += 1,
            "if_statement"
            | "for_statement"
            | "for_range_loop"
            | "while_statement"
            | "do_statement"
            | "catch_clause"
            | "conditional_expression" => decisions += 1,
            "case_statement" if node.child(0).is_some_and(|word| word.kind() == "case") => {
                decisions += 1;
            }
            "binary_expression" => {
                let operator = node.child_by_field_name("operator");
                let kind = operator.map_or("", |operator| operator.kind());
                if matches!(kind, "&&" | "||" | "and" | "or") {
                    decisions += 1;
                }
            }
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    functions.max(1) + decisions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_those_between_the_blanks_at_the_ends() {
        assert_eq!(lines("\n int f(void)\n{\n\n}\n\n"), 4);
        assert_eq!(lines("x"), 1);
        assert_eq!(lines(""), 1);
    }

    #[test]
    fn tokens_are_counted_without_comments_and_line_breaks() {
        assert_eq!(
            tokens("int f(void) /* what */\n{ return a+++b; } // end"),
            13
        );
    }

    #[test]
    fn every_decision_counts_one() {
        let c = |body: &str| complexity(&format!("int f(int a) {{ {body} }}"), Language::C);
        assert_eq!(c("return a;"), 1);
        assert_eq!(c("if (a) return 1; else return 2;"), 2);
        assert_eq!(c("if (a) return 1; else if (a > 2) return 2; return 3;"), 3);
        assert_eq!(c("for (;;) while (a) do a--; while (a);"), 4);
        assert_eq!(
            c("switch (a) { case 1: case 2: break; default: break; }"),
            3
        );
        assert_eq!(c("return a && a > 1 || a < 3 ? 1 : 2;"), 4);
        assert_eq!(c("return a & 1 | 2; goto x; x:;"), 1);
        assert_eq!(
            c("\n#if A && B || C\nif (a) return 1;\n#elif D && E\n#else\n#endif\nreturn 2;"),
            2
        );
        let cpp = |body: &str| complexity(&format!("int f(S &&s) {{ {body} }}"), Language::Cpp);
        assert_eq!(cpp("for (auto &x : s) g(x); return 0;"), 2);
        assert_eq!(
            cpp("try { g(); } catch (A &) {} catch (...) {} return 0;"),
            3
        );
        assert_eq!(cpp("return s.a and s.b or s.c;"), 3);
        assert_eq!(
            cpp("auto l = [](int a) { return a ? 1 : 2; }; return l(1);"),
            2
        );
    }

    #[test]
    fn each_function_of_a_text_counts_one() {
        let text = "int g(int a) { return a ? 1 : 2; }\n\nint f(void) { return g(1); }";
        assert_eq!(complexity(text, Language::C), 3);
        assert_eq!(complexity("", Language::C), 1);
    }

    #[test]
    fn deep_nests_are_no_problem() {
        let text = format!(
            "int f(int a) {{ return {}a{}; }}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        );
        assert_eq!(complexity(&text, Language::C), 1);
    }

    #[test]
    fn keywords_are_counted_once_and_by_language() {
        assert_eq!(keywords_of(Language::C).count(), 44);
        assert_eq!(keywords_of(Language::Cpp).count(), 81);
        let text = "const int f(int class) { const char *s = \"while\"; return class; } /* for */";
        assert_eq!(keywords(text, Language::C), 4);
        assert_eq!(keywords(text, Language::Cpp), 5);
    }
}
