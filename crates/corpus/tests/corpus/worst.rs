//! Input that nobody would write, and that somebody will feed. How the work grows with it is in `growth.rs`.

use std::fmt::Write;

use barecode_corpus::{ExtractConfig, extract};
use barecode_records::{Function, Outcome, Reason};
use proptest::prelude::*;

use crate::{config, folder_source, headers};

/// Extracts, and checks what holds for every input.
pub(crate) fn survives(files: &[(&str, &[u8])]) -> Outcome<Vec<Function>> {
    let (_folder, source) = folder_source(files, &config("path:lib"));
    let extraction = extract(&source, &ExtractConfig::default(), &headers(), 0);
    assert!(extraction.balances());
    for function in &extraction.kept {
        let closure = &function.closure;
        assert_eq!(closure.target.of(&closure.text), function.text);
        for helper in &closure.helpers {
            assert!(!helper.span.of(&closure.text).is_empty());
        }
    }
    extraction
}

/// Names of the functions kept from one file.
fn kept(text: impl AsRef<[u8]>) -> Vec<String> {
    let extraction = survives(&[("a.c", text.as_ref())]);
    let functions = extraction.kept.into_iter();
    functions.map(|function| function.name).collect()
}

#[test]
fn braces_that_do_not_close() {
    kept("int f(void) { { { return 1; }\nint g(void) { return 2; }\n");
    kept("}}}} int g(void) { return 2; } {{{");
    kept("int f(void) { if (a) { #ifdef X\n");
    kept("struct { int f(void) { ((((");
}

#[test]
fn deep_nesting_of_parentheses() {
    let depth = 10_000;
    let text = format!(
        "int f(int a) {{ return {}a{}; }}\nint after(void) {{ return 1; }}\n",
        "(".repeat(depth),
        ")".repeat(depth)
    );
    assert!(kept(text).contains(&"after".to_owned()));
    kept(format!("int f(int a) {{ return {}", "(".repeat(depth)));
}

#[test]
fn deep_nesting_of_braces() {
    let depth = 10_000;
    kept(format!(
        "int f(void) {{ {}{} }}\n",
        "{".repeat(depth),
        "}".repeat(depth)
    ));
    kept("{".repeat(depth));
    kept("struct a {".repeat(depth));
    kept(format!(
        "int t[] = {}1{};",
        "{".repeat(depth),
        "}".repeat(depth)
    ));
}

#[test]
fn deep_nesting_of_conditions() {
    let depth = 10_000;
    let text = format!(
        "{}int deep(void) {{ return 1; }}\n{}int after(void) {{ return 2; }}\n",
        "#if 1\n".repeat(depth),
        "#endif\n".repeat(depth)
    );
    assert_eq!(kept(text), ["deep", "after"]);
    kept("#if 0\n".repeat(depth));
    kept("#endif\n#else\n#elif 1\n".repeat(depth));
}

#[test]
fn long_conditions() {
    let n = 200_000;
    for condition in [
        format!("{}1", "!".repeat(n)),
        format!("{}1", "- ".repeat(n)),
        format!("{}1{}", "(".repeat(n), ")".repeat(n)),
        format!("1{}", " ? 1 : 1".repeat(n / 10)),
        format!("1{}", " + 1".repeat(n / 10)),
        format!("defined{}", " defined".repeat(n / 10)),
    ] {
        assert_eq!(
            kept(format!(
                "#if {condition}\n#endif\nint f(void) {{ return 1; }}\n"
            )),
            ["f"]
        );
    }
}

#[test]
fn numbers_beyond_every_type_in_conditions() {
    for condition in [
        "99999999999999999999999999999999999999999999999999",
        "1 << 999",
        "1 << -1",
        "-170141183460469231731687303715884105728 / -1",
        "(-170141183460469231731687303715884105727 - 1) / -1",
        "(-170141183460469231731687303715884105727 - 1) % -1",
        "170141183460469231731687303715884105727 * 170141183460469231731687303715884105727",
        "170141183460469231731687303715884105727 + 1",
        "-(-170141183460469231731687303715884105727 - 1)",
        "1 / 0",
        "1 % 0",
        "0x",
        "'\\777'",
        "''",
        "1 ? ",
        "",
    ] {
        assert_eq!(
            kept(format!(
                "#if {condition}\n#endif\nint f(void) {{ return 1; }}\n"
            )),
            ["f"],
            "{condition}"
        );
    }
}

#[test]
fn includes_in_a_circle() {
    let extraction = survives(&[
        ("a.c", b"#include \"a.h\"\nint f(void) { return 1; }\n"),
        ("a.h", b"#include \"b.h\"\n"),
        ("b.h", b"#include \"a.h\"\n#include \"a.h\"\n"),
    ]);
    let reasons: Vec<_> = extraction.set_aside.iter().map(|row| row.reason).collect();
    assert!(
        reasons.contains(&Reason::TranslationUnitTooLarge),
        "{reasons:?}"
    );
}

#[test]
fn includes_that_double() {
    let mut files: Vec<(String, String)> = (0..40)
        .map(|n| {
            (
                format!("h{n}.h"),
                format!("#include \"h{0}.h\"\n#include \"h{0}.h\"\n", n + 1),
            )
        })
        .collect();
    files.push(("a.c".to_owned(), "#include \"h0.h\"\n".to_owned()));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_bytes()))
        .collect();
    survives(&files);
}

/// `A30` stands for more words than there are atoms.
fn bomb(last: &str) -> String {
    let mut text = format!("#define A0 {last}\n");
    for n in 1..=30 {
        let inner = format!(" A{}", n - 1).repeat(10);
        writeln!(text, "#define A{n}{inner}").unwrap();
    }
    text
}

#[test]
fn macros_that_explode() {
    for last in ["x", "const", "", ";", "__attribute__((unused))"] {
        let bomb = bomb(last);
        for user in [
            "int f(void) { return A30; }\n",
            "A30 int f(void) { return 1; }\n",
            "A30;\nint f(void) { return 1; }\n",
            "A30\nint f(void) { return 1; }\n",
            "#if A30\n#endif\nint f(void) { return 1; }\n",
        ] {
            kept(format!("{bomb}{user}"));
        }
    }
}

#[test]
fn macros_that_call_each_other() {
    kept(
        "#define A B(A)\n#define B(x) A x B(x)\nA A A B(A) int f(void) { return A; }\n#if A\n#endif\n",
    );
    kept("#define F(x) x F\nF(1)(2)(3)(4)\nint f(void) { return 1; }\n");
    kept(format!(
        "#define F(x) x\nint f(void) {{ return 1; }}\n{}1{}\n",
        "F(".repeat(5_000),
        ")".repeat(5_000)
    ));
    kept(format!(
        "#define F(x) x\nint f(void) {{ return 1; }}\n{}",
        "F(".repeat(5_000)
    ));
    kept(format!(
        "int f(void) {{ return 1; }}\n{}",
        "__attribute__((".repeat(5_000)
    ));
    kept(
        "#define F(\n#define F()(\n#define F(,)\n#define F(...,a) a\n#define 1\n#define\n#undef\n#undef 3\nF() F(,)\nint f(void) { return F(1,2); }\n",
    );
    kept(
        "#define P(a,b) a##b\n#define Q ##\n#define R(a) ## a ##\n#define S(a) # a #\nP(,) Q R(1) S() P(/,/) P(\",\")\nint f(void) { return P(1,2); }\n",
    );
}

#[test]
fn line_ends_marks_and_zero_bytes() {
    assert_eq!(
        kept("int f(void)\r\n{\r\n#if 1\r\n  return 1;\r\n#endif\r\n}\r\n"),
        ["f"]
    );
    assert_eq!(kept("\u{feff}int f(void) { return 1; }"), ["f"]);
    kept("int f(void) { return 1; }\0int g(void) { return 2; }\0");
    kept("\0\0\0");
    kept("int f(void)\r{\r  return 1;\r}\r");
    kept("\\");
    kept("#define X \\");
    kept("#include \"");
    kept("#include <");
    kept("#");
    kept("/*");
    kept("int f(void) ??< return 1; ??>\n??=define X 1\n");
    kept("int f(void) <% return a<:1:>; %>\n%:define X 1\n");
    kept("int größe(int ä) { return ä; } // ö\\\nint hidden(void) { return 1; }\n");
}

#[test]
fn one_line_of_five_megabytes() {
    let mut line = String::from("int t[] = {");
    while line.len() < 5 << 20 {
        line += "1234567, ";
    }
    line += "0 }; int f(void) { return t[0]; }";
    assert_eq!(kept(line), [""; 0], "the table does not fit a closure");
    let comment = format!("/*{}*/int f(void) {{ return 1; }}", " x".repeat(5 << 19));
    assert_eq!(kept(comment), ["f"]);
    let string = format!(
        "int f(void) {{ return 1; }} char *s = \"{}\";",
        "é".repeat(5 << 19)
    );
    assert_eq!(kept(string), ["f"]);
}

#[test]
fn long_chains() {
    let n = 20_000;
    kept(format!(
        "int f(struct s *a) {{ return a{}; }}\n",
        "->b".repeat(n)
    ));
    kept(format!(
        "int f(int a) {{ return a{}; }}\n",
        " + a".repeat(n)
    ));
    kept(format!("int f(int a) {{ return {}a; }}\n", "*".repeat(n)));
    kept(format!("int {}p;\n", "*".repeat(n)));
    kept(format!(
        "int f(int a) {{ {} }}\n",
        "if (a) a = 1; else ".repeat(n / 10)
    ));
    kept(format!(
        "int f(int a) {{ return {}a; }}\n",
        "(T)".repeat(n / 10)
    ));
    kept(format!(
        "typedef int {}t{};\n",
        "(*".repeat(n / 10),
        ")(void)".repeat(n / 10)
    ));
}

#[test]
fn many_functions_under_one_comment() {
    let mut text = String::from("/* The only comment. */\n\n");
    for n in 0..3_000 {
        writeln!(text, "int f{n}(void) {{\n  return {n};\n}}").unwrap();
    }
    assert_eq!(kept(text).len(), 3_000);
}

#[test]
fn a_function_that_needs_all_others() {
    let mut text = String::new();
    for n in 0..2_000_u32 {
        let value = n
            .checked_sub(1)
            .map_or("0".to_owned(), |n| format!("f{n}()"));
        writeln!(text, "static int f{n}(void) {{ return {value}; }}").unwrap();
    }
    kept(text);
}

/// Words of C, and of nothing.
fn soup() -> impl Strategy<Value = String> {
    let words = [
        "int",
        "f",
        "g",
        "(",
        ")",
        "(void)",
        "{",
        "}",
        ";",
        ",",
        "*",
        "=",
        "1",
        "return",
        "struct",
        "s",
        "union",
        "enum",
        "e",
        "typedef",
        "t",
        "static",
        "inline",
        "->",
        ".",
        "x",
        "M",
        "M(x)",
        "\n#define M 1\n",
        "\n#define M(x) x\n",
        "\n#undef M\n",
        "\n#if M\n",
        "\n#ifdef M\n",
        "\n#else\n",
        "\n#endif\n",
        "\n#include \"b.h\"\n",
        "\n#include <stdio.h>\n",
        "##",
        "#",
        "\"s\"",
        "'c'",
        "/*",
        "*/",
        "//",
        "\n",
        "\\\n",
        "é",
        "__attribute__((unused))",
        "int f(void) {",
        "int g(int x) { return x; }",
        "struct s { int x; };",
        "[",
        "]",
        "case",
        ":",
        "goto",
        "l:",
        "sizeof",
        "\r\n",
        "...",
        "__VA_ARGS__",
        "asm(\"nop\")",
        "\0",
    ];
    proptest::collection::vec(proptest::sample::select(words.to_vec()), 0..60)
        .prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn any_soup_of_words_is_extracted(a in soup(), b in soup()) {
        let files: [(&str, &[u8]); 2] = [("a.c", a.as_bytes()), ("b.h", b.as_bytes())];
        let extraction = survives(&files);
        let ids: std::collections::BTreeSet<_> = extraction.kept.iter().map(|function| &function.id).collect();
        prop_assert_eq!(ids.len(), extraction.kept.len());
        for function in &extraction.kept {
            prop_assert!(!function.name.is_empty());
            prop_assert!(function.origin.start_line <= function.origin.end_line);
        }
    }
}
