//! Texts that are shown to leave one object without making it.

use barecode_check::{Family, Judge, Question};

use crate::{compiled, config, judge, judge_of_both, of_c, of_cpp};

/// Which texts are shown to be alike the first.
fn alike(judge: &Judge, original: &Question, others: &[Question]) -> Vec<bool> {
    let family = Family {
        original: original.clone(),
        others: others.to_vec(),
    };
    judge.alike(&[family]).unwrap().remove(0)
}

/// Whether a text with the function `g` is shown to be alike one with `f`.
fn shown(judge: &Judge, one: &str, two: &str) -> bool {
    let alike = alike(judge, &of_c(one, "f"), &[of_c(two, "g")]);
    // What is shown has to hold of the objects.
    let (one_alone, two_alone) = (compiled(judge, one, "f"), compiled(judge, two, "g"));
    let same = one_alone.fingerprint == two_alone.fingerprint;
    assert!(same || !alike[0], "{one}\n{two}");
    alike[0]
}

const TEXT: &str = "#include <stdlib.h>
#include <stdio.h>
struct node { struct node *next; int value; };
enum kind { NONE, SOME = 7 };
static const int weights[3] = {1, 2, 3};
static int depth, width;
double half = 0.5;
const char *title = \"title\";
extern int limit(int);
extern int bound(int);
static int step(struct node *node) { static int calls; static long times = 4; calls++; times--; depth++; return node->value * weights[depth % 3]; }
int f(struct node *node) {
    int sum = 0;
    while (node && limit(sum) && bound(width)) { sum += step(node) * 2.25 + SOME; node = node->next; }
    switch (sum) { case 0: abort(); case 1: return 3; case 2: return 9; case 3: return 27; case 4: return 2; case 5: exit(1); }
    printf(\"title\"); puts(title); puts(\"words \\\" and node\");
    return sum;
}
int (*table[])(struct node *) = { f, step };
";

/// The text under other names.
fn renamed(text: &str) -> String {
    let words = [
        ("struct node", "struct s"),
        ("*node", "*a_name_that_is_longer"),
        ("node &&", "a_name_that_is_longer &&"),
        ("(node)", "(a_name_that_is_longer)"),
        ("node->", "a_name_that_is_longer->"),
        ("node =", "a_name_that_is_longer ="),
        ("next", "m1"),
        ("value", "m2"),
        ("NONE", "E1"),
        ("SOME", "E2"),
        ("kind", "e"),
        ("weights", "zz"),
        ("depth", "aa"),
        ("width", "x"),
        ("half", "lot"),
        ("title;", "q;"),
        ("*title", "*q"),
        ("(title)", "(q)"),
        ("limit", "u1"),
        ("bound", "b0"),
        ("step", "inner"),
        ("calls", "n1"),
        ("times", "n2"),
        ("f(", "g("),
        ("{ f,", "{ g,"),
        ("table", "t"),
        ("sum", "w"),
    ];
    let mut text = text.to_owned();
    for (old, new) in words {
        // `if(` and the like are not in the text.
        text = text.replace(old, new);
    }
    text.replace("printg(", "printf(")
}

#[test]
fn a_text_under_other_names_is_alike() {
    let judge = judge(&config());
    assert!(shown(&judge, TEXT, &renamed(TEXT)));
    let plain = "int f(int a) { return a + 1; }";
    assert!(shown(
        &judge,
        plain,
        "int g(int longer) { return longer + 1; }"
    ));
}

#[test]
fn a_difference_of_any_kind_is_not_alike() {
    let judge = judge(&config());
    let renamed = renamed(TEXT);
    for (old, new) in [
        ("m2 * zz", "m2 + zz"),
        ("{1, 2, 3}", "{1, 2, 4}"),
        ("static const int zz", "static int zz"),
        ("static const int zz", "const int zz"),
        ("2.25", "2.5"),
        ("double lot = 0.5", "double lot = 0.75"),
        ("\"title\";", "\"titled\";"),
        ("(\"title\")", "(\"title \")"),
        ("and node", "and s"),
        ("E2 = 7", "E2 = 8"),
        ("static long n2 = 4", "static long n2 = 5"),
        ("static int n1", "static long n1"),
        ("u1(w) && b0(x)", "u1(x) && b0(w)"),
        ("case 4: return 2", "case 4: return 9"),
        ("{ g, inner }", "{ inner, g }"),
        (
            "static int aa, x;",
            "static int x; static __attribute__((aligned(64))) int aa;",
        ),
        (
            "int (*t[])",
            "__attribute__((section(\"here\"))) int (*t[])",
        ),
        (
            "extern int u1(int);",
            "extern __attribute__((weak)) int u1(int);",
        ),
        ("puts(q)", "puts(\"title\")"),
    ] {
        let two = renamed.replacen(old, new, 1);
        assert_ne!(two, renamed, "`{old}` is not there");
        assert!(!shown(&judge, TEXT, &two), "`{old}` became `{new}`");
    }
}

#[test]
fn names_that_become_data_are_not_alike() {
    let judge = judge(&config());
    for (one, two) in [
        (
            "const char *f(void) { return __func__; }",
            "const char *g(void) { return __func__; }",
        ),
        (
            "const char *f(void) { return __PRETTY_FUNCTION__; }",
            "const char *g(void) { return __PRETTY_FUNCTION__; }",
        ),
        (
            "#include <assert.h>\nint f(int a) { assert(a); return a; }",
            "#include <assert.h>\nint g(int b) { assert(b); return b; }",
        ),
        (
            "#define S(x) #x\nint a;\nconst char *f(void) { return a ? S(a) : 0; }",
            "#define S(x) #x\nint b;\nconst char *g(void) { return b ? S(b) : 0; }",
        ),
    ] {
        assert!(!shown(&judge, one, two), "{two}");
    }
}

#[test]
fn what_does_not_compile_is_not_alike() {
    let judge = judge(&config());
    let good = of_c("int f(void) { return 1; }", "f");
    let bad = of_c("int f(void) { return missing; }", "f");
    let of = |one: &Question, others: &[Question]| alike(&judge, one, others);
    assert_eq!(of(&good, &[bad.clone(), good.clone()]), [false, true]);
    assert_eq!(of(&bad, &[bad.clone(), good]), [false, false]);
}

#[test]
fn variants_are_compiled_together_and_shown_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let open = || {
        let compiler = barecode_check::Compiler::probe(&config()).unwrap();
        Judge::new(compiler, None, Some(&path)).unwrap()
    };
    let text = |name: &str| of_c(&format!("int f(int {name}) {{ return {name} * 3; }}"), "f");
    let others: Vec<Question> = ["b", "c", "d", "e"].map(text).into();
    let judge = open();
    let before = judge.compiler().started();
    assert_eq!(alike(&judge, &text("a"), &others), [true; 4]);
    assert_eq!(
        judge.compiler().started() - before,
        2,
        "the preprocessor and the compiler"
    );
    let again = open();
    let before = again.compiler().started();
    assert_eq!(alike(&again, &text("a"), &others), [true; 4]);
    assert_eq!(again.compiler().started(), before);
}

const CPP: &str = "#include <string>
#include <vector>
#include <algorithm>
#include <stdexcept>
struct Shape { virtual ~Shape(); virtual int area() const = 0; int side = 3; };
struct Square : Shape { int area() const override { return side * side; } };
template <class Item> struct Holder { std::vector<Item> items; void put(const Item &item) { items.push_back(item); } };
namespace { int depth; const char *title = \"title\"; }
static const double weights[3] = {1, 2.5, 3};
extern int limit(int);
extern \"C\" int bound(int);
int f(const Shape &shape, std::string &name) {
    static int calls; static const std::string kept = name; calls++; depth--;
    Holder<Square> holder; holder.put(Square()); std::vector<int> numbers{3, 1, 2};
    std::sort(numbers.begin(), numbers.end(), [](int left, int right) { return left > right; });
    try { if (limit(shape.area()) > bound(depth)) throw std::runtime_error(title); }
    catch (const std::exception &error) { name += error.what(); return 7; }
    switch (calls) { case 0: return 3; case 1: return 9; case 2: return 27; case 3: return 2; case 4: return 1; }
    return static_cast<int>(weights[calls % 3] * 2.25) + numbers[0] + holder.items[0].area();
}
";

/// A text with each of some words replaced.
fn with_words(text: &str, words: &[(&str, &str)]) -> String {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut out = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| is_word(c) != is_word(first));
        let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
        let new = words.iter().find(|(old, _)| *old == word);
        out.push_str(new.map_or(word, |(_, new)| new));
        rest = after;
    }
    out
}

/// The text of C++ under other names: shorter, longer, and in another alphabetical order.
fn renamed_cpp() -> String {
    with_words(
        CPP,
        &[
            ("Shape", "A"),
            ("Square", "a_class_that_has_a_long_name"),
            ("area", "zz"),
            ("side", "aa"),
            ("Item", "T9"),
            ("Holder", "B0"),
            ("items", "x"),
            ("put", "y1"),
            ("depth", "q"),
            ("title;", "w"),
            ("weights", "k"),
            ("limit", "u2"),
            ("bound", "u1"),
            ("shape", "p1"),
            ("name", "p0"),
            ("calls", "n1"),
            ("kept", "n0"),
            ("holder", "local_of_some_length"),
            ("numbers", "m"),
            ("left", "r"),
            ("right", "l"),
            ("error", "e"),
        ],
    )
}

#[test]
fn texts_of_cpp_under_other_names_are_alike() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let head = "int f(const";
    let plain = "int f(int a) { return a + 1; }";
    let family = |one: &str, two: &str, head: &str| Family {
        original: of_cpp(one, head),
        others: vec![of_cpp(two, head)],
    };
    let renamed = renamed_cpp();
    let families = [
        family(CPP, &renamed, head),
        family(plain, "int f(int b) { return b + 1; }", "int f"),
        family(plain, "int f(int b) { return b + 2; }", "int f"),
        family(&renamed, CPP, head),
    ];
    let before = judge.cpp().unwrap().started();
    let alike = judge.alike(&families).unwrap();
    assert_eq!(alike, [[true], [true], [false], [true]]);
    let started = judge.cpp().unwrap().started() - before;
    assert!(started <= 4, "two for each block of headers, not {started}");
    for family in &families[..2] {
        let object = |question: &Question| judge.object(question).unwrap().unwrap();
        let [one, two] = [&family.original, &family.others[0]].map(object);
        assert_eq!(one.fingerprint, two.fingerprint);
    }
}

#[test]
fn a_difference_of_any_kind_in_cpp_is_not_alike() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let renamed = renamed_cpp();
    let head = "int f(const";
    let differences = [
        ("aa = 3", "aa = 4"),
        ("aa * aa", "aa + aa"),
        ("virtual ~A();", "~A();"),
        ("const override", "const volatile override"),
        ("\"title\"", "\"titled\""),
        ("static const double k", "static double k"),
        ("{1, 2.5, 3}", "{1, 2.5, 4}"),
        ("static int n1", "static long n1"),
        ("r > l", "r < l"),
        ("std::runtime_error(", "std::logic_error("),
        ("const std::exception &e", "std::exception &e"),
        ("case 3: return 2", "case 3: return 9"),
        ("* 2.25", "* 2.5"),
        ("std::vector<int> m", "std::vector<short> m"),
        (".y1(a_class", ".x.push_back(a_class"),
        ("u2(p1.zz()) > u1(q)", "u1(p1.zz()) > u2(q)"),
    ];
    let texts = differences.map(|(old, new)| {
        let text = renamed.replacen(old, new, 1);
        assert_ne!(text, renamed, "`{old}` is not there");
        of_cpp(&text, head)
    });
    let family = Family {
        original: of_cpp(CPP, head),
        others: texts.to_vec(),
    };
    let alike = judge.alike(&[family]).unwrap().remove(0);
    let original = judge.object(&of_cpp(CPP, head)).unwrap().unwrap();
    for (((old, new), text), alike) in differences.iter().zip(&texts).zip(alike) {
        // What is shown has to hold of the objects.
        let other = judge.object(text).unwrap();
        let is_same = other.is_ok_and(|other| other.fingerprint == original.fingerprint);
        assert!(is_same || !alike, "`{old}` became `{new}`");
    }
}
