//! How the work of the front end grows with its input, counted in bytes that it allocates, whatever the machine and its
//! clock: input four times as long may take four times the work and a half more. Two things may take sixteen times
//! and a quarter more, the square: a closure marks every item of its unit, and nested calls of a macro are expanded at
//! each level.
//!
//! A program of its own with one test: the count is that of the whole process.

#![allow(
    unsafe_code,
    reason = "an allocator can only be wrapped by unsafe functions"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};

use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, extract};
use barecode_records::Language;
use barecode_sources::{Source, SourceConfig};
use tempfile::TempDir;

/// The system's allocator, which counts what it is asked for.
struct Counting;

static BYTES: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size() as u64, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: the place is the system's, with this layout.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The bytes that are allocated while a file is extracted.
fn work(text: &str) -> u64 {
    let folder = TempDir::new().expect("there is room for a folder");
    fs::create_dir(folder.path().join("lib")).expect("there is room for a folder");
    fs::write(folder.path().join("lib/a.c"), text).expect("there is room for a file");
    let config = SourceConfig {
        from: "path:lib".to_owned(),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, folder.path()).expect("the folder is there");
    let none: [(String, Option<String>); 0] = [];
    let headers = Dialects {
        c: StandardHeaders::new(Language::C, "#define __GNUC__ 12\n", none),
        cpp: None,
    };
    let before = BYTES.load(Ordering::Relaxed);
    let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
    assert!(extraction.balances());
    BYTES.load(Ordering::Relaxed) - before
}

/// `A29` stands for ten times as much as `A28`.
fn bomb(levels: usize) -> String {
    let level = |n: usize| format!("#define A{}{}\n", n + 1, format!(" A{n}").repeat(10));
    let levels: String = (0..levels).map(level).collect();
    format!("#define A0 x\n{levels}")
}

/// A file of a size, its name, and how many times the work it may take if it is four times as long.
type Case<'a> = (&'a str, f64, &'a dyn Fn(usize) -> String);

/// How many times the work for input four times as long.
const LINEAR: f64 = 6.0;
const SQUARE: f64 = 20.0;

#[test]
fn work_grows_as_the_input_does() {
    let n = 1_500;
    let functions = |n: usize| -> String {
        let function = |at| format!("int f{at}(void) {{\n  return {at};\n}}\n");
        (0..n).map(function).collect()
    };
    let texts: [Case<'_>; 12] = [
        ("parentheses", LINEAR, &|n| {
            let (open, close) = ("(".repeat(n), ")".repeat(n));
            format!("int f(int a) {{ return {open}a{close}; }}\n")
        }),
        ("open braces", LINEAR, &|n| "{".repeat(n)),
        ("classes", LINEAR, &|n| "struct a {".repeat(n)),
        ("conditions", LINEAR, &|n| {
            let (open, close) = ("#if 1\n".repeat(n), "#endif\n".repeat(n));
            format!("{open}int f(void) {{ return 1; }}\n{close}")
        }),
        ("a long condition", LINEAR, &|n| {
            format!("#if 1{}\n#endif\n", " + 1".repeat(n))
        }),
        ("members", LINEAR, &|n| {
            format!("int f(struct s *a) {{ return a{}; }}\n", "->b".repeat(n))
        }),
        ("alternatives", LINEAR, &|n| {
            format!("int f(int a) {{ {} }}\n", "if (a) a = 1; else ".repeat(n))
        }),
        ("functions", SQUARE, &functions),
        ("functions under a comment", SQUARE, &|n| {
            format!("/* The only comment. */\n\n{}", functions(n))
        }),
        ("a table", LINEAR, &|n| {
            format!("int t[] = {{ {} 0 }};\n", "1234567, ".repeat(n))
        }),
        ("calls of a macro", SQUARE, &|n| {
            format!("#define F(x) x\n{}1{}\n", "F(".repeat(n), ")".repeat(n))
        }),
        ("a comment", LINEAR, &|n| {
            format!("/*{}*/int a;", " x".repeat(n))
        }),
    ];
    // What is read once only is read here.
    work("int f(void) { return 1; }\n");
    let mut grown = Vec::new();
    for (name, most, text) in texts {
        let (one, four) = (work(&text(n)), work(&text(4 * n)));
        grown.push((name, one, four, four as f64 / one as f64, most));
    }
    let beyond: Vec<_> = grown
        .iter()
        .filter(|(.., times, most)| times > most)
        .collect();
    assert!(beyond.is_empty(), "{beyond:#?} of {grown:#?}");

    // What stands for more than there are atoms takes no more than what stands for a lot.
    let user = "int f(void) { return A7; }\nA7\nint g(void) { return 1; }\n";
    let lot = work(&format!("{}{user}", bomb(8)));
    let all = work(&format!("{}{}", bomb(30), user.replace("A7", "A29")));
    assert!(all < 6 * lot, "{all} bytes, {lot} for a lot");
}
