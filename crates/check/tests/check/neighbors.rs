//! What is found about a function is the same whatever is asked about beside it, or was before.

use std::path::Path;

use barecode_check::{Compiler, Judge, check};
use barecode_records::{Function, Language, PieceKind, Unit};
use barecode_testing::needs::{is_long, skip};

use crate::config;
use crate::smaller::of_pieces;
use PieceKind::{Declaration, Definition, Header, Helper, Scope, Target};

type Parts<'p> = [(PieceKind, &'p str, &'p str)];

/// Shapes in which texts of C could hear of each other's mistakes; `@` is a number.
const OF_C: &[&Parts<'static>] = &[
    // Its own prototype, which it does not need, and a constant, which it does.
    &[
        (Declaration, "int f(int a);", "f"),
        (Declaration, "enum { LIMIT = @ };", "LIMIT"),
        (Declaration, "int unused;", "unused"),
        (Target, "int f(int a) { return a + LIMIT; }", "f"),
    ],
    // A word of the headers that is no name of theirs: as a size, where it is missed once in a file.
    &[
        (Header, "#include <time.h>", "time.h"),
        (Declaration, "enum { tm_year = 3 };", "tm_year"),
        (Declaration, "typedef int row[tm_year];", "row"),
        (Declaration, "int other(row *r);", "other"),
        (Target, "int f(row *r) { return (*r)[0] + @; }", "f"),
    ],
    // The same, called before it is declared, which is said once in a file.
    &[
        (Header, "#include <time.h>", "time.h"),
        (Declaration, "int tm_hour(int a);", "tm_hour"),
        (Declaration, "struct rest { int a; };", "rest"),
        (Declaration, "int g(struct rest *r, int (*h)(int));", "g"),
        (
            Target,
            "int f(int a) { return tm_hour(a) + g(0, tm_hour) + @; }",
            "f",
        ),
    ],
    // One type after the other is found to be missing.
    &[
        (Declaration, "typedef int a0;", "a0"),
        (Declaration, "struct a1 { a0 a; };", "a1"),
        (Declaration, "struct a2 { struct a1 a; };", "a2"),
        (Declaration, "struct a3 { struct a2 a; };", "a3"),
        (Declaration, "struct a4 { struct a3 a; };", "a4"),
        (Declaration, "struct a5 { struct a4 a; };", "a5"),
        (Declaration, "struct a6 { struct a5 a; };", "a6"),
        (
            Target,
            "int f(struct a6 *a) { return a->a.a.a.a.a.a + @; }",
            "f",
        ),
    ],
    // A helper, and what only its declaration needs.
    &[
        (Header, "#include <stdio.h>", "stdio.h"),
        (Declaration, "static int deep(int a);", "deep"),
        (Helper, "static int h(int a) { return deep(a); }", "h"),
        (
            Definition,
            "static int deep(int a) { return a * @; }",
            "deep",
        ),
        (Target, "int f(int a) { return h(a) + puts(\"@\"); }", "f"),
    ],
    // Nothing is missing.
    &[
        (Declaration, "int unused;", "unused"),
        (Target, "int f(int a) { return a * @; }", "f"),
    ],
    // A mistake of the preprocessor before others.
    &[
        (Declaration, "enum { ONE = 1 };", "ONE"),
        (Declaration, "int f(int a);", "f"),
        (PieceKind::Directive, "#define ADD(a, b) ((a) + (b))", "ADD"),
        (Target, "int f(int a) { return ADD(a, @) + ONE; }", "f"),
    ],
];

/// The same for C++.
const OF_CPP: &[&Parts<'static>] = &[
    // Names of C's linkage are the same in all name spaces.
    &[
        (Scope, "extern \"C\" {", ""),
        (Declaration, "int g(int a);", "g"),
        (Declaration, "int unused(int a);", "unused"),
        (Scope, "}", ""),
        (
            Target,
            "extern \"C\" int f(int a) { return g(a) + @; }",
            "f",
        ),
    ],
    &[
        (Scope, "extern \"C\" {", ""),
        (Declaration, "int g(char *a);", "g"),
        (Scope, "}", ""),
        (Declaration, "struct unused { int a; };", "unused"),
        (Target, "int f(char *a) { return g(a) + @; }", "f"),
    ],
    // The first function of a process with an exception table declares what reads such tables. One of these texts needs
    // both headers, so it is compared among others than the one that needs one of them.
    &[
        (Header, "#include <string>", "string"),
        (Header, "#include <vector>", "vector"),
        (Declaration, "struct unused { int a; };", "unused"),
        (
            Definition,
            "struct kept { kept(); ~kept(); int a; };",
            "kept",
        ),
        (
            Target,
            "int f(int a) { kept k; std::string s(3, 'a'); return k.a + a + @ + int(s.size()); }",
            "f",
        ),
    ],
    &[
        (Header, "#include <string>", "string"),
        (Header, "#include <vector>", "vector"),
        (Declaration, "struct unused { int a; };", "unused"),
        (
            Definition,
            "struct kept { kept(); ~kept(); std::string a; };",
            "kept",
        ),
        (
            Target,
            "int f(int a) { kept k; std::vector<int> s(a); return a + @ + int(s.size() + k.a.size()); }",
            "f",
        ),
    ],
    // Whether a function of the headers throws is found out when it is emitted, before or after its caller.
    &[
        (Header, "#include <algorithm>", "algorithm"),
        (Header, "#include <string>", "string"),
        (Header, "#include <vector>", "vector"),
        (
            Definition,
            "struct kept { kept(); ~kept(); std::vector<std::string> a; };",
            "kept",
        ),
        (
            Target,
            "int f(std::vector<std::string> b) { kept k; std::swap(k.a, b); std::sort(b.begin(), b.end()); return @; }",
            "f",
        ),
    ],
    // Templates of the headers leave code that is no text's.
    &[
        (Header, "#include <vector>", "vector"),
        (Declaration, "struct unused { int a; };", "unused"),
        (Declaration, "int f(std::vector<int> &a);", "f"),
        (Declaration, "enum { LIMIT = @ };", "LIMIT"),
        (
            Target,
            "int f(std::vector<int> &a) { a.push_back(LIMIT); return 1; }",
            "f",
        ),
    ],
    &[
        (Header, "#include <vector>", "vector"),
        (Scope, "namespace lib {", "lib"),
        (Declaration, "struct part { int a; int b; };", "part"),
        (Declaration, "int never(part *p);", "never"),
        (Scope, "}", ""),
        (
            Target,
            "int f(std::vector<lib::part> &a) { return a.at(@).b; }",
            "f",
        ),
    ],
    &[
        (Declaration, "int f(int a);", "f"),
        (Declaration, "int unused;", "unused"),
        (Target, "int f(int a) { return a * @; }", "f"),
    ],
];

/// Each shape, a few times.
fn functions(language: Language, shapes: &[&Parts<'static>]) -> Vec<Function> {
    let numbers = 0..shapes.len() * if is_long() { 3 } else { 2 };
    let functions = numbers.map(|number| {
        let shape = shapes[number % shapes.len()];
        let texts: Vec<String> = shape
            .iter()
            .map(|(_, text, _)| text.replace('@', &number.to_string()))
            .collect();
        let parts: Vec<(PieceKind, &str, &str)> = shape
            .iter()
            .zip(&texts)
            .map(|((kind, _, names), text)| (*kind, text.as_str(), *names))
            .collect();
        of_pieces(language, &parts)
    });
    functions.collect()
}

/// A judge of both languages that has been asked nothing yet.
fn fresh(cache: Option<&Path>) -> Option<Judge> {
    let Ok(cpp) = Compiler::probe_for(&config(), Language::CPP) else {
        skip("no g++");
        return None;
    };
    let c = Compiler::probe(&config()).unwrap();
    Some(Judge::new(c, Some(cpp), cache).unwrap())
}

fn units(functions: &[Function], judge: &Judge) -> Vec<Unit> {
    let checked = check(functions, judge).unwrap();
    assert_eq!(
        checked.kept.len(),
        functions.len(),
        "{:?}",
        checked.set_aside
    );
    checked.kept
}

fn same(found: &[Unit], wanted: &[Unit], how: &str) {
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(
            (&found.closure.text, found.minimized),
            (&wanted.closure.text, wanted.minimized),
            "{how}"
        );
        assert_eq!(found, wanted, "{how}");
    }
    assert_eq!(found.len(), wanted.len());
}

#[test]
fn a_function_is_the_same_unit_whatever_is_beside_it_and_in_the_cache() {
    for (language, shapes) in [(Language::C, OF_C), (Language::CPP, OF_CPP)] {
        let functions = functions(language, shapes);
        let Some(judge) = fresh(None) else {
            return;
        };
        let alone: Vec<Unit> = functions
            .iter()
            .flat_map(|function| units(std::slice::from_ref(function), &judge))
            .collect();
        assert!(alone.iter().all(|unit| unit.minimized));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("verdicts.sqlite");
        let judge = fresh(Some(&path)).unwrap();
        same(&units(&functions, &judge), &alone, "all at once");
        // The cache now holds what was found of them in other company.
        let strange = fresh(Some(&path)).unwrap();
        let judge = fresh(None).unwrap();
        for (judge, how) in [(&judge, "in parts"), (&strange, "from the cache")] {
            let sizes: &[usize] = if is_long() { &[1, 2, 5] } else { &[1, 5] };
            for &size in sizes {
                let parts = functions.chunks(size);
                let found: Vec<Unit> = parts.flat_map(|part| units(part, judge)).collect();
                same(&found, &alone, how);
            }
        }
        let mut turned = functions.clone();
        turned.reverse();
        let mut found = units(&turned, &judge);
        found.reverse();
        same(&found, &alone, "in another order");
    }
}
