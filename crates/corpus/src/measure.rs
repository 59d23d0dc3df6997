//! The text of a function → its length, its complexity, and its number of kinds of instructions.
//!
//! These are the numbers of CLARC's Tables 1, 7 and 10. The paper does not define them, so each is defined here, as
//! is common in the field.

use std::collections::BTreeSet;

use barecode_languages::lex::{TokenKind, lex};
use barecode_languages::words_of;
use barecode_python::Module;
use barecode_records::Language;

use crate::syntax::parse;

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

/// The number of different keywords of a language in a text: of C17, C++20, or as its entry lists them. `None` if the
/// language has no entry.
pub fn keywords(text: &str, language: Language) -> Option<u32> {
    let entry = barecode_languages::of(language)?;
    let found: BTreeSet<&str> = words_of(text, language)
        .into_iter()
        .filter(|word| entry.is_keyword(word))
        .collect();
    Some(u32::try_from(found.len()).unwrap_or(u32::MAX))
}

/// The number of different instructions in a lowered text, one a line: assembly, WebAssembly or LLVM's.
///
/// An instruction is the first word of a line; of LLVM's the first behind `%0 =`, where `tail call` is a `call`.
/// Declarations are not instructions: WebAssembly's `(func` and `(local`, the head and the last brace of a function
/// of LLVM's, labels, directives of the assembler.
pub fn instructions(text: &str) -> u32 {
    let found: BTreeSet<&str> = text.lines().filter_map(instruction).collect();
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

fn instruction(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.split_once(" = ") {
        Some((value, rest)) if value.starts_with('%') && !value.contains(' ') => rest,
        _ => line,
    };
    let mut words = line.split([' ', '\t']);
    let word = words.next()?;
    let word = if matches!(word, "tail" | "musttail" | "notail") {
        words.next()?
    } else {
        word.trim_end_matches(')')
    };
    let is_instruction = word.starts_with(|first: char| first.is_ascii_alphabetic());
    (is_instruction && !word.ends_with(':') && word != "define").then_some(word)
}

/// The cyclomatic complexity of a text (`McCabe` 1976): 1 for each function in it, and 1 for each decision.
///
/// Decisions are `if`, `for` (over a range too), `while`, `do`, `case`, `catch`, `?:`, `&&` and `||`; `default`,
/// `else`, `goto` and conditional compilation are not decisions. A lambda belongs to the function around it. A text
/// in which no function is found counts as one. For Python, see [`Module::complexity`]; for languages that
/// tree-sitter reads, [`barecode_trees::complexity`]. `None` for a language without a grammar, and for a text that is
/// not Python.
pub fn complexity(text: &str, language: Language) -> Option<u32> {
    if language == Language::PYTHON {
        return Some(Module::parse(text).ok()?.complexity());
    }
    if barecode_languages::of(language)?.tree().is_some() {
        return barecode_trees::complexity(text, language);
    }
    let tree = parse(text, language)?;
    let (mut functions, mut decisions) = (0_u32, 0_u32);
    let mut cursor = tree.walk();
    // The end of the condition of an `#if`: operators before it are not decisions.
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
    Some(functions.max(1) + decisions)
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
        let c =
            |body: &str| complexity(&format!("int f(int a) {{ {body} }}"), Language::C).unwrap();
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
        let cpp =
            |body: &str| complexity(&format!("int f(S &&s) {{ {body} }}"), Language::CPP).unwrap();
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
        assert_eq!(complexity(text, Language::C), Some(3));
        assert_eq!(complexity("", Language::C), Some(1));
    }

    #[test]
    fn deep_nests_are_no_problem() {
        let text = format!(
            "int f(int a) {{ return {}a{}; }}",
            "(".repeat(20_000),
            ")".repeat(20_000)
        );
        assert_eq!(complexity(&text, Language::C), Some(1));
    }

    #[test]
    fn keywords_are_counted_once_and_by_language() {
        let text = "const int f(int class) { const char *s = \"while\"; return class; } /* for */";
        assert_eq!(keywords(text, Language::C), Some(4));
        assert_eq!(keywords(text, Language::CPP), Some(5));
        let text = "for x in xs:  # while\n    yield 'if'\n";
        assert_eq!(keywords(text, Language::named("python")), Some(3));
        assert_eq!(keywords(text, Language::named("klingon")), None);
    }

    #[test]
    fn instructions_are_the_different_words_that_begin_lines() {
        let assembly = ".L0:\nendbr64 \nmov    %edi,-0x4(%rbp)\nmov %eax,%edx\njmp .L0\nret    \n";
        assert_eq!(instructions(assembly), 4);
        let wasm = "(func (;1;) (type 2) (result i32)\n(local i32)\nlocal.get 0\nlocal.get 1\ni32.sub\nreturn)";
        assert_eq!(instructions(wasm), 3);
        let llvm = "define i32 @(i32 %0) {\n  %2 = tail call i32 @func_0(i32 %0)\ncall void @func_1()\n3:\nbr label %4\nret i32 %2\n}";
        assert_eq!(instructions(llvm), 3);
        assert_eq!(instructions(""), 0);
    }
}
