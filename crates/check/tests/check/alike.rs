//! Texts that are shown to leave one object without making it.

use barecode_check::{Judge, Question};

use crate::{compiled, config, judge, of_c};

/// Whether a text with the function `g` is shown to be alike one with `f`.
fn shown(judge: &Judge, one: &str, two: &str) -> bool {
    let alike = judge.alike(&of_c(one, "f"), &[of_c(two, "g")]).unwrap();
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
    let alike = |one: &Question, others: &[Question]| judge.alike(one, others).unwrap();
    assert_eq!(alike(&good, &[bad.clone(), good.clone()]), [false, true]);
    assert_eq!(alike(&bad, &[bad.clone(), good]), [false, false]);
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
    assert_eq!(judge.alike(&text("a"), &others).unwrap(), [true; 4]);
    assert_eq!(
        judge.compiler().started() - before,
        2,
        "the preprocessor and the compiler"
    );
    let again = open();
    let before = again.compiler().started();
    assert_eq!(again.alike(&text("a"), &others).unwrap(), [true; 4]);
    assert_eq!(again.compiler().started(), before);
}
