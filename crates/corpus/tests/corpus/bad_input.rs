//! Bad input beside good: each case says what becomes of the bad file, and that the good one does not suffer.
//!
//! [`worst`](crate::worst) looks for crashes and for time without end; this file says which reason each
//! case has, or which of its functions are kept.

use std::fmt::Write;
use std::path::Path;
use std::thread;

use barecode_corpus::{ExtractConfig, Extraction, extract};
use barecode_records::Reason;
use barecode_sources::Source;
use rayon::ThreadPoolBuilder;

use crate::worst::survives;
use crate::{config, folder_source, headers};

/// What a thread has unless somebody asks for more; rayon's workers and threads of tests alike.
const STACK: usize = 2 << 20;

/// Deeper than any parser expects.
const DEPTH: usize = 10_000;

/// The bad file, a good one that has nothing to do with it, and the bad file's header.
fn beside_good(bad: impl AsRef<[u8]>) -> Extraction {
    let extraction = survives(&[
        ("bad.c", bad.as_ref()),
        (
            "good.c",
            b"#include \"good.h\"\nint good(int a) { return a + ONE; }\n",
        ),
        ("good.h", b"#define ONE 1\n"),
    ]);
    let is_good = |path: &str| path == "good.c";
    let good: Vec<_> = extraction
        .functions
        .iter()
        .filter(|function| is_good(&function.origin.path))
        .collect();
    assert_eq!(good.len(), 1, "the good file is as good as ever");
    extraction
}

/// What is kept of the bad file.
fn kept(extraction: &Extraction) -> Vec<&str> {
    let bad = extraction
        .functions
        .iter()
        .filter(|function| function.origin.path == "bad.c");
    bad.map(|function| function.name.as_str()).collect()
}

/// The reasons of what is set aside of the bad file.
fn reasons(extraction: &Extraction) -> Vec<Reason> {
    let rows = extraction.set_aside.iter();
    let of_bad = |row: &&barecode_records::SetAside| {
        row.origin
            .as_ref()
            .is_some_and(|origin| origin.path == "bad.c")
    };
    rows.filter(of_bad).map(|row| row.reason).collect()
}

#[test]
fn a_brace_too_few_costs_its_own_function_only() {
    let bad = "int before(void) { return 1; }\n\nint open(void) { if (1) { return 2;\n}\n\nint after(void) { return 3; }\n";
    let extraction = beside_good(bad);
    assert!(
        kept(&extraction).contains(&"before"),
        "{:?}",
        kept(&extraction)
    );
}

#[test]
fn a_brace_too_many_costs_nothing_before_it() {
    let extraction =
        beside_good("int before(void) { return 1; }\n}\nint after(void) { return 3; }\n");
    assert!(
        kept(&extraction).contains(&"before"),
        "{:?}",
        kept(&extraction)
    );
}

#[test]
fn deep_nesting_of_everything_fits_a_small_stack() {
    let nested = |open: &str, middle: &str, close: &str| {
        format!("{}{middle}{}", open.repeat(DEPTH), close.repeat(DEPTH))
    };
    let cases = [
        format!("int f(void) {{ {} }}\n", nested("{", "", "}")),
        format!("int f(int a) {{ return {}; }}\n", nested("(", "a", ")")),
        format!("int f(int a) {{ return {}; }}\n", nested("a+(", "a", ")")),
        format!("int f(int *a) {{ return {}; }}\n", nested("a[", "0", "]")),
        format!("int f(int a) {{ return {}; }}\n", nested("f(", "a", ")")),
        format!("int f(int a) {{ return {}; }}\n", nested("a?", "a", ":a")),
        format!("int f(int a) {{ {} }}\n", nested("if (a) {", ";", "}")),
        format!(
            "int f(int a) {{ {} }}\n",
            nested("for (;;) switch (a) {", ";", "}")
        ),
        format!("int f(int a) {{ return {}a; }}\n", "-".repeat(DEPTH)),
        format!("int f(int a) {{ return {}a; }}\n", "(int)".repeat(DEPTH)),
        format!(
            "int f(int a) {{ return {}a{}; }}\n",
            "({".repeat(DEPTH),
            ";})".repeat(DEPTH)
        ),
        format!("{};\n", nested("struct { ", "int a;", "} a;")),
        format!("int t[] = {};\n", nested("{", "1", "}")),
        format!("int {};\n", nested("(*", "p", ")(void)")),
        format!("int {};\n", nested("(", "p", ")")),
        format!("int f({});\n", nested("int (*)(", "int", ")")),
        format!("int f(void) {}\n", nested("{ int g(void) ", ";", "}")),
        nested("extern \"C\" {\n", "", "}\n"),
        nested("#if 1\n", "", "#endif\n"),
        nested("#ifdef A\n#else\n", "", "#endif\n"),
        format!("#if {}\n#endif\n", nested("(", "1", ")")),
        format!(
            "__attribute__({}) int f(void) {{ return 1; }}\n",
            nested("(", "1", ")")
        ),
    ];
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .stack_size(STACK)
        .build()
        .unwrap();
    for case in cases {
        let case = format!("{case}int after(void) {{ return 1; }}\n");
        let files: [(&str, &[u8]); 1] = [("bad.c", case.as_bytes())];
        let (_folder, source) = folder_source(&files, &config("path:lib"));
        let extraction =
            pool.install(|| extract(&source, &ExtractConfig::default(), &headers(), 0));
        let head: String = case.chars().take(60).collect();
        let told = extraction.counts.entered + extraction.set_aside.len() as u64;
        assert!(told > 0, "neither a function nor a reason of {head}");
    }
}

#[test]
fn a_file_in_another_encoding_is_set_aside_with_the_byte() {
    let utf_16: Vec<u8> = "int f(void) { return 1; }\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let marked: Vec<u8> = [&[0xff, 0xfe][..], &utf_16].concat();
    assert_eq!(reasons(&beside_good(marked)), [Reason::FileNotUtf8]);
    let latin_1 = b"int f(void) { return '\xe4'; }\n";
    assert_eq!(reasons(&beside_good(latin_1)), [Reason::FileNotUtf8]);
}

#[test]
fn windows_line_ends_and_a_byte_order_mark_change_nothing() {
    let unix = "#define A(x) \\\n  ((x) + 1)\nint f(int a)\n{\n#if 1\n  return A(a);\n#else\n  return 0;\n#endif\n}\n";
    let windows = format!("\u{feff}{}", unix.replace('\n', "\r\n"));
    let (unix, windows) = (beside_good(unix), beside_good(windows));
    let of_bad = |extraction: &Extraction| {
        let bad = extraction
            .functions
            .iter()
            .find(|function| function.origin.path == "bad.c");
        let bad = bad.expect("the function is kept");
        let lines = (bad.origin.start_line, bad.origin.end_line);
        (bad.references.clone(), lines, bad.text.replace('\r', ""))
    };
    assert_eq!(of_bad(&unix), of_bad(&windows));
}

#[test]
fn trigraphs_are_text_as_in_gnu_dialects() {
    let extraction = beside_good(
        "char *s = \"what??/\"; int f(void) { return 1; }\n// why??/\nint g(void) { return 2; }\n",
    );
    assert_eq!(kept(&extraction), ["f", "g"]);
}

#[test]
fn zero_bytes_do_not_end_a_file() {
    let extraction = beside_good("int f(void) { return 1; }\n\0\nint g(void) { return 2; }\n");
    assert_eq!(kept(&extraction), ["f", "g"]);
}

#[test]
fn a_file_that_includes_itself_has_a_reason() {
    let extraction = beside_good("#include \"bad.c\"\nint f(void) { return 1; }\n");
    assert_eq!(reasons(&extraction), [Reason::TranslationUnitTooLarge]);
}

#[test]
fn a_circle_that_guards_break_is_no_circle() {
    let extraction = survives(&[
        (
            "a.h",
            b"#ifndef A_H\n#define A_H\n#include \"b.h\"\nstruct a { struct b *b; };\n#endif\n",
        ),
        (
            "b.h",
            b"#ifndef B_H\n#define B_H\n#include \"a.h\"\nstruct b { struct a *a; };\n#endif\n",
        ),
        (
            "c.c",
            b"#include \"a.h\"\nint f(struct a *a) { return a->b->a == a; }\n",
        ),
    ]);
    assert_eq!(extraction.functions.len(), 1);
    assert_eq!(extraction.functions[0].references.types, ["a"]);
}

#[test]
fn a_chain_of_ten_thousand_includes_has_a_reason() {
    let mut files: Vec<(String, String)> = (0..DEPTH)
        .map(|n| {
            (
                format!("h{n}.h"),
                format!("#pragma once\n#include \"h{}.h\"\n", n + 1),
            )
        })
        .collect();
    files.push((
        "bad.c".to_owned(),
        "#include \"h0.h\"\nint f(void) { return 1; }\n".to_owned(),
    ));
    let files: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(path, text)| (path.as_str(), text.as_bytes()))
        .collect();
    let extraction = survives(&files);
    assert_eq!(reasons(&extraction), [Reason::TranslationUnitTooLarge]);
}

#[test]
fn a_macro_bomb_costs_no_function_that_leaves_it_alone() {
    let mut bomb = String::from("#define A0 x\n");
    for n in 1..=40 {
        writeln!(bomb, "#define A{n}{}", format!(" A{}", n - 1).repeat(10)).unwrap();
    }
    bomb += "int before(void) { return 1; }\nint hit(void) { return A40; }\nint after(void) { return 3; }\n";
    let extraction = beside_good(bomb);
    let kept = kept(&extraction);
    assert!(
        kept.contains(&"before") && kept.contains(&"after"),
        "{kept:?}"
    );
}

#[test]
fn a_line_of_ten_megabytes_is_read() {
    let mut line = String::from("int f(void) { return 1; } int t[] = {");
    while line.len() < 10 << 20 {
        line += "1234567,";
    }
    line += "0 };";
    assert_eq!(kept(&beside_good(line)), ["f"]);
}

#[test]
fn a_hundred_thousand_functions_in_a_file_are_counted() {
    let mut text = String::new();
    for n in 0..100_000 {
        writeln!(text, "int f{n}(void){{return {n};}}").unwrap();
    }
    let mut config = config("path:lib");
    config.limit = Some(10);
    let (_folder, source) = folder_source(&[("bad.c", text.as_bytes())], &config);
    let extraction = extract(&source, &ExtractConfig::default(), &headers(), 0);
    assert_eq!(
        (extraction.functions.len(), extraction.counts.entered),
        (10, 100_000)
    );
}

#[test]
fn a_thread_with_a_small_stack_reads_the_real_library() {
    let from = config(&format!("path:{}", crate::shelf_folder().display()));
    let source = Source::resolve(&from, Path::new(".")).unwrap();
    let work = move || {
        extract(&source, &ExtractConfig::default(), &headers(), 0)
            .functions
            .len()
    };
    let small = thread::Builder::new()
        .stack_size(STACK / 4)
        .spawn(work)
        .unwrap();
    assert!(small.join().unwrap() > 20);
}
