//! Other languages than C and C++: one function in each, and any text in each.

use barecode_records::Language;
use barecode_structural::{Concept, Field, Options, Rendering, StructuralIndex, render_in};
use proptest::prelude::*;

const LANGUAGES: [&str; 10] = [
    "csharp",
    "go",
    "java",
    "javascript",
    "php",
    "python",
    "r",
    "ruby",
    "rust",
    "typescript",
];

/// Adds the values that are above a limit, and stops at one below zero. Names begin with `x`.
const SUMS: [(&str, &str); 10] = [
    (
        "csharp",
        "public static int xSum(List<int> xValues, int xLimit) {\n    int xTotal = 0;\n    foreach (var xOne in xValues) {\n        if (xOne < 0) {\n            break;\n        } else if (xOne > xLimit) {\n            xTotal += xOne;\n        }\n    }\n    return xTotal;\n}",
    ),
    (
        "go",
        "func xSum(xValues []int, xLimit int) int {\n\txTotal := 0\n\tfor _, xOne := range xValues {\n\t\tif xOne < 0 {\n\t\t\tbreak\n\t\t} else if xOne > xLimit {\n\t\t\txTotal += xOne\n\t\t}\n\t}\n\treturn xTotal\n}",
    ),
    (
        "java",
        "public int xSum(List<Integer> xValues, int xLimit) {\n    int xTotal = 0;\n    for (int xOne : xValues) {\n        if (xOne < 0) {\n            break;\n        } else if (xOne > xLimit) {\n            xTotal += xOne;\n        }\n    }\n    return xTotal;\n}",
    ),
    (
        "javascript",
        "xSum(xValues, xLimit) {\n    let xTotal = 0;\n    for (const xOne of xValues) {\n        if (xOne < 0) {\n            break;\n        } else if (xOne > xLimit) {\n            xTotal += xOne;\n        }\n    }\n    return xTotal;\n}",
    ),
    (
        "php",
        "public function xSum(array $xValues, int $xLimit): int {\n    $xTotal = 0;\n    foreach ($xValues as $xOne) {\n        if ($xOne < 0) {\n            break;\n        } elseif ($xOne > $xLimit) {\n            $xTotal += $xOne;\n        }\n    }\n    return $xTotal;\n}",
    ),
    (
        "python",
        "def xsum(xvalues: list[int], xlimit: int) -> int:\n    xtotal = 0\n    for xone in xvalues:\n        if xone < 0:\n            break\n        elif xone > xlimit:\n            xtotal += xone\n    return xtotal\n",
    ),
    (
        "r",
        "xsum <- function(xvalues, xlimit) {\n  xtotal <- 0\n  for (xone in xvalues) {\n    if (xone < 0) {\n      break\n    } else if (xone > xlimit) {\n      xtotal <- xtotal + xone\n    }\n  }\n  xtotal\n}",
    ),
    (
        "ruby",
        "def xsum(xvalues, xlimit)\n  xtotal = 0\n  for xone in xvalues\n    if xone < 0\n      break\n    elsif xone > xlimit\n      xtotal += xone\n    end\n  end\n  xtotal\nend",
    ),
    (
        "rust",
        "pub fn xsum(xvalues: &[i32], xlimit: i32) -> i32 {\n    let mut xtotal = 0;\n    for xone in xvalues {\n        if *xone < 0 {\n            break;\n        } else if *xone > xlimit {\n            xtotal += xone;\n        }\n    }\n    xtotal\n}",
    ),
    (
        "typescript",
        "public xSum(xValues: number[], xLimit: number): number {\n    let xTotal: number = 0;\n    for (const xOne of xValues) {\n        if (xOne < 0) {\n            break;\n        } else if (xOne > xLimit) {\n            xTotal += xOne;\n        }\n    }\n    return xTotal;\n}",
    ),
];

fn rendered(text: &str, language: &str) -> Rendering {
    let entry = barecode_languages::find(language);
    render_in(text, entry.map(|entry| entry.language))
}

#[test]
fn one_function_is_the_same_in_each_language() {
    for (language, text) in SUMS {
        let rendering = rendered(text, language);
        for concept in [
            Concept::CountedLoop,
            Concept::Loop,
            Concept::Branch,
            Concept::Otherwise,
            Concept::Less,
            Concept::Greater,
            Concept::Break,
            Concept::Add,
        ] {
            let found = rendering.concepts.contains(&concept);
            assert!(found, "{language}: {concept:?} in {:?}", rendering.concepts);
        }
        let signature = &rendering.signature;
        assert_eq!(signature.parameters.len(), 2, "{language}: {signature:?}");
        let names = rendering.words.iter();
        let names = names.filter(|(field, _)| *field == Field::Names);
        let names: Vec<&str> = names.map(|(_, word)| word.as_str()).collect();
        assert!(
            names.contains(&"sum") || names.contains(&"xsum"),
            "{language}: {names:?}"
        );
    }
}

/// A result that is not returned by a word is a result.
#[test]
fn the_last_expression_of_a_function_is_its_result() {
    let of = |language: &str| {
        let (_, text) = SUMS.iter().find(|(known, _)| *known == language).unwrap();
        rendered(text, language).concepts
    };
    let results = |concepts: &[Concept]| -> Vec<Concept> {
        let of_results = concepts.iter().filter(|it| it.field() == Field::Results);
        of_results.copied().collect()
    };
    let python = results(&of("python"));
    assert!(!python.is_empty());
    for language in ["ruby", "rust", "r"] {
        let concepts = of(language);
        assert_eq!(results(&concepts), python, "{language}");
    }
}

#[test]
fn without_names_a_new_name_changes_nothing() {
    let options = Options {
        names: false,
        learned: true,
    };
    for (language, text) in SUMS {
        let entry = barecode_languages::find(language).unwrap();
        let renamed = text.replace('x', "qv");
        let languages = [Some(entry.language); 2];
        let index = StructuralIndex::of_languages(&[text, &renamed], &languages, options);
        let scores = index.scores("Adds all values that are greater than a limit.");
        assert_eq!(scores[0].to_bits(), scores[1].to_bits(), "{language}");
    }
}

#[test]
fn what_a_language_calls_its_own_is_known() {
    for (language, text, said) in [
        ("python", "def f(a):\n    return sorted(a)\n", "ascending"),
        (
            "python",
            "def f(a):\n    return [b for b in a if b]\n",
            "list",
        ),
        (
            "go",
            "func f(a string) bool {\n\treturn strings.HasPrefix(a, \"b\")\n}",
            "prefix",
        ),
        (
            "java",
            "int f(String a) { return a.indexOf(\"b\"); }",
            "occurrence",
        ),
        (
            "javascript",
            "function f(a) { return a?.b ?? 1; }",
            "default",
        ),
        (
            "rust",
            "fn f(a: &str) -> Option<char> { a.chars().next_back() }",
            "end",
        ),
        ("ruby", "def f(a)\n  a.b rescue nil\nend", "rescue"),
        ("php", "function f($a) { return $a . 'b'; }", "concatenate"),
        (
            "csharp",
            "async Task<int> F() => await G();",
            "asynchronous",
        ),
        ("r", "f <- function(a, b) a %in% b", "contains"),
    ] {
        let rendering = rendered(text, language);
        let words: Vec<&str> = rendering
            .words
            .iter()
            .map(|(_, word)| word.as_str())
            .collect();
        assert!(words.contains(&said), "{language}: {said} in {words:?}");
    }
}

/// Each text has the two names, in a part of a construct that a table could miss.
#[test]
fn no_part_of_a_construct_is_lost() {
    for (language, text) in [
        (
            "go",
            "func f(x int) int {\n\tswitch x {\n\tcase 1:\n\t\treturn frobnicate(zebra)\n\t}\n\treturn 0\n}",
        ),
        (
            "go",
            "func f() error {\n\tif err := frobnicate(zebra); err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}",
        ),
        (
            "python",
            "def f():\n    try:\n        pass\n    except E:\n        frobnicate(zebra)\n",
        ),
        (
            "python",
            "def f(a):\n    for b in a:\n        pass\n    else:\n        frobnicate(zebra)\n",
        ),
        (
            "python",
            "def f(a):\n    match a:\n        case b if frobnicate(zebra):\n            pass\n",
        ),
        (
            "ruby",
            "def f(x)\n  case x\n  when 1 then 2\n  else frobnicate(zebra)\n  end\nend",
        ),
        (
            "ruby",
            "def f(x)\n  case x\n  in 1 then 2\n  in 2 then frobnicate(zebra)\n  else 3\n  end\nend",
        ),
        ("csharp", "void F() { var y = Frobnicate(zebra); }"),
        (
            "csharp",
            "int F(int x) => x switch { 1 => Frobnicate(zebra), _ => 0 };",
        ),
        (
            "csharp",
            "void F(int x) { switch (x) { default: Frobnicate(zebra); break; } }",
        ),
        (
            "rust",
            "fn f(x: Option<u8>) { let Some(y) = x else { frobnicate(zebra); return; }; }",
        ),
        (
            "rust",
            "fn f(x: u8) -> u8 { match x { 1 => frobnicate(zebra), _ => 0 } }",
        ),
        (
            "java",
            "void f() { for (int i = 0, j = 1; i < j; i++, frobnicate(zebra)) {} }",
        ),
        (
            "javascript",
            "const use = (q) => { frobnicate(zebra); function inner() { return q; } return inner; };",
        ),
        (
            "typescript",
            "f(x: number): number { switch (x) { case 1: return frobnicate(zebra); } }",
        ),
        (
            "php",
            "function f($x) { switch ($x) { case 1: return frobnicate(zebra); } }",
        ),
        ("r", "f <- function(x) switch(x, a = frobnicate(zebra), 2)"),
    ] {
        let rendering = rendered(text, language);
        for name in ["frobnicate", "zebra"] {
            let found = rendering.words.iter().any(|(_, word)| word == name);
            assert!(found, "{language}: {name} of {text}");
        }
    }
}

#[test]
fn each_name_of_a_declaration_is_a_parameter() {
    let of = |language: &str, text: &str| rendered(text, language).signature.parameters.len();
    assert_eq!(
        of("go", "func add(a, b int, c string) int { return a + b }"),
        3
    );
    assert_eq!(of("javascript", "const f = x => x + 1;"), 1);
    assert_eq!(of("csharp", "int F(int a, int b) => a + b;"), 2);
}

/// Code that is broken or deep takes neither the stack nor the machine.
#[test]
fn hostile_code_is_read_in_bounds() {
    let many = |piece: &str, times: usize| piece.repeat(times);
    let times = 50_000;
    for (language, text) in [
        (
            "python",
            format!(
                "for {}x{} in y:\n    pass\n",
                many("(", times),
                many(")", times)
            ),
        ),
        (
            "rust",
            format!("fn f() {{ let {}x = y; }}", many("&", times)),
        ),
        ("rust", format!("fn f({}x: u8) {{}}", many("&", times))),
        (
            "javascript",
            format!(
                "for (let {}x{} of y) {{}}",
                many("[", times),
                many("]", times)
            ),
        ),
        (
            "python",
            format!("if a:\n    b\n{}", many("elif a:\n    b\n", times)),
        ),
        (
            "php",
            format!("if ($a) {{}}{}", many(" elseif ($a) {}", times)),
        ),
        ("python", format!("a{}", many("<a", times))),
        ("python", format!("[a{}]", many(" for x in a", times))),
        (
            "python",
            format!("{}1{}", many("1<(", 100), many(")<2", 100)),
        ),
        ("java", many("a<", times)),
        ("csharp", many("a<", times)),
        ("typescript", many("a<", times)),
    ] {
        rendered(&text, language);
    }
}

proptest! {
    #[test]
    fn any_text_is_rendered_the_same_twice(text in "(?s).{0,300}", at in 0..LANGUAGES.len()) {
        prop_assert_eq!(rendered(&text, LANGUAGES[at]), rendered(&text, LANGUAGES[at]));
    }

    #[test]
    fn any_piece_of_a_function_is_rendered(one in 0..SUMS.len(), other in 0..SUMS.len(), from in 0..400_usize, to in 0..400_usize) {
        let (language, text) = SUMS[one];
        let (_, rest) = SUMS[other];
        let piece: String = text.chars().take(from).chain(rest.chars().skip(to)).collect();
        rendered(&piece, language);
    }
}

/// Deep nesting ends at a depth, in time that grows with the text only.
#[test]
fn deep_code_is_read_to_a_depth() {
    for (language, open, close) in [
        ("python", "(", ")"),
        ("javascript", "[", "]"),
        ("go", "{", "}"),
        ("rust", "{", "}"),
        ("java", "(", ")"),
        ("ruby", "[", "]"),
    ] {
        let deep = format!("{}1{}", open.repeat(20_000), close.repeat(20_000));
        rendered(&deep, language);
    }
    assert_eq!(
        render_in("int f(void) { return 1; }", Some(Language::C)),
        render_in("int f(void) { return 1; }", None)
    );
}
