//! Fingerprints: names are not part of them, everything else is.

use std::fs;
use std::path::Path;
use std::process::Command;

use barecode_check::{Judge, Object};
use proptest::prelude::*;

use crate::{compiled, config, judge};

/// Compares two texts whose function is `f` in the first and `g` in the second.
fn pair(judge: &Judge, one: &str, two: &str) -> (Object, Object) {
    (compiled(judge, one, "f"), compiled(judge, two, "g"))
}

const WALK: &str = "
#include <stdlib.h>
struct node { struct node *next; int value; };
static const int weights[3] = {1, 2, 3};
static int depth;
extern int limit(int);
static int step(struct node *node) { depth++; return node->value * weights[depth % 3]; }
int f(struct node *node) {
    int sum = 0;
    while (node && limit(sum)) { sum += step(node); node = node->next; }
    switch (sum) { case 0: abort(); case 1: return 3; case 2: return 9; case 3: return 27; case 4: return 2; case 5: exit(1); }
    return sum;
}
";

const WALK_RENAMED: &str = "
#include <stdlib.h>
struct s { struct s *much_longer_name; int b; };
static const int zz[3] = {1, 2, 3};
static int a;
extern int the_limit_of_all_limits(int);
static int x(struct s *q) { a++; return q->b * zz[a % 3]; }
int g(struct s *q) {
    int w = 0;
    while (q && the_limit_of_all_limits(w)) { w += x(q); q = q->much_longer_name; }
    switch (w) { case 0: abort(); case 1: return 3; case 2: return 9; case 3: return 27; case 4: return 2; case 5: exit(1); }
    return w;
}
";

#[test]
fn renaming_everything_changes_nothing() {
    let (one, two) = pair(&judge(&config()), WALK, WALK_RENAMED);
    assert_eq!(one, two);
}

#[test]
fn one_operator_changes_both_fingerprints() {
    let (one, two) = pair(
        &judge(&config()),
        WALK,
        &WALK_RENAMED.replace("q->b *", "q->b +"),
    );
    assert_ne!(one.fingerprint, two.fingerprint);
    assert_ne!(one.code_fingerprint, two.code_fingerprint);
}

#[test]
fn one_number_in_the_data_changes_the_object_and_not_the_code() {
    let (one, two) = pair(
        &judge(&config()),
        WALK,
        &WALK_RENAMED.replace("{1, 2, 3}", "{1, 2, 4}"),
    );
    assert_ne!(one.fingerprint, two.fingerprint);
    assert_eq!(one.code_fingerprint, two.code_fingerprint);
}

#[test]
fn a_name_that_reaches_a_string_changes_the_object_and_not_the_code() {
    let judge = judge(&config());
    for (one, two) in [
        (
            "#include <assert.h>\nint f(int count) { assert(count > 0); return 10 / count; }",
            "#include <assert.h>\nint g(int n_of_them) { assert(n_of_them > 0); return 10 / n_of_them; }",
        ),
        (
            "#include <stdio.h>\n#define SAY(x) puts(#x)\nint f(int a) { SAY(first); return SAY(a); }",
            "#include <stdio.h>\n#define SAY(x) puts(#x)\nint g(int bcd) { SAY(first); return SAY(bcd); }",
        ),
        (
            "const char *f(void) { return __func__; }",
            "const char *g(void) { return __func__; }",
        ),
    ] {
        let (one, two) = pair(&judge, one, two);
        assert_ne!(one.fingerprint, two.fingerprint);
        assert_eq!(one.code_fingerprint, two.code_fingerprint);
    }
}

#[test]
fn other_targets_of_calls_are_noticed_without_names() {
    let judge = judge(&config());
    let text = |calls: &str| {
        format!(
            "static int a(void) {{ return 1; }} static int b(void) {{ return 2; }} int c(void); int d(void); int f(void) {{ return {calls}; }}"
        )
    };
    let different = [
        ("a() + b()", "b() + a()"),
        ("a() + a() + b()", "a() + b() + b()"),
        ("c() + c() + d()", "c() + d() + d()"),
        ("c() + a()", "a() + c()"),
        ("c() + a()", "c() + b()"),
    ];
    for (one, two) in different {
        let (one, two) = (
            compiled(&judge, &text(one), "f"),
            compiled(&judge, &text(two), "f"),
        );
        assert_ne!(one.fingerprint, two.fingerprint);
        assert_ne!(one.code_fingerprint, two.code_fingerprint);
    }
    // Swapped everywhere: the same as renamed.
    let (one, two) = (
        compiled(&judge, &text("c() + d() + c()"), "f"),
        compiled(&judge, &text("d() + c() + d()"), "f"),
    );
    assert_eq!(one, two);
}

#[test]
fn what_a_program_says_in_another_place_of_its_data_is_noticed() {
    let judge = judge(&config());
    let text = |index: u32| {
        format!(
            "static int a[9] = {{1}}; extern int e[9]; int f(void) {{ return a[{index}]; }} int h(void) {{ return e[{index}]; }}"
        )
    };
    let (one, two) = (
        compiled(&judge, &text(1), "f"),
        compiled(&judge, &text(2), "f"),
    );
    assert_ne!(one.fingerprint, two.fingerprint);
}

/// The outside judge: what is left after `objcopy --strip-all`, byte for byte. It throws relocations away, so it
/// is asked only about pairs that differ elsewhere or nowhere.
#[test]
fn objcopy_agrees_about_a_dozen_pairs() {
    let judge = judge(&config());
    let base = "#include <string.h>\n#include <stdio.h>\nstatic int n = 4; int f(const char *p) { static char b[8]; int i = strlen(p) & 7; b[i] = 'x'; if (i > n) printf(\"%s!\", b); return b[i] + i * 3; }";
    let changes: &[(&str, &str, bool)] = &[
        ("int f(", "int function(", true),
        (" n", " number", false),
        ("int n = 4", "int n = 5", false),
        ("char b[8]", "char b[16]", false),
        ("& 7", "& 3", false),
        ("'x'", "'y'", false),
        ("i > n", "i < n", false),
        ("%s!", "%s?", false),
        ("%s!", "%s!!", false),
        ("i * 3", "3 * i", true),
        ("static int n", "static long n", false),
        ("(const char *p)", "(  const char\n*p)", true),
        ("static int n", "volatile int n", false),
        (
            "#include <stdio.h>",
            "#include <stdio.h>\n#include <stdlib.h>",
            true,
        ),
    ];
    let (mut equal, mut different) = (0, 0);
    for (from, to, _) in changes {
        let changed = base.replace(from, to);
        let name = if *to == "int function(" {
            "function"
        } else {
            "f"
        };
        let (one, two) = (
            compiled(&judge, base, "f"),
            compiled(&judge, &changed, name),
        );
        let ours = one.fingerprint == two.fingerprint;
        let theirs = stripped(&judge, base) == stripped(&judge, &changed);
        assert_eq!(ours, theirs, "`{from}` to `{to}`");
        if ours { equal += 1 } else { different += 1 }
    }
    assert!(
        equal >= 4 && different >= 8,
        "{equal} equal, {different} different"
    );
}

fn stripped(judge: &Judge, text: &str) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("unit.c"), text).unwrap();
    let run = |program: &str, arguments: &[&str]| {
        let status = Command::new(program)
            .args(arguments)
            .current_dir(folder.path())
            .status()
            .unwrap();
        assert!(status.success(), "{program}");
    };
    let flags: Vec<&str> = judge
        .compiler()
        .toolchain()
        .flags
        .iter()
        .map(String::as_str)
        .collect();
    run("gcc", &[&flags[..], &["unit.c", "-o", "unit.o"]].concat());
    run("objcopy", &["--strip-all", "unit.o", "bare.o"]);
    let read = |name: &str| fs::read(Path::new(folder.path()).join(name)).unwrap();
    read("bare.o")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_names_give_the_same_object(names in prop::collection::hash_set("[a-z]{3}[a-zA-Z0-9_]{1,20}_z", 5)) {
        let judge = judge(&config());
        let names: Vec<String> = names.into_iter().collect();
        let text = |n: &[&str]| format!(
            "struct {0} {{ int {1}; }}; extern int {2}(int); static int {3}(struct {0} *p) {{ return {2}(p->{1}); }} int {4}(struct {0} p) {{ return {3}(&p) + {2}(1); }}",
            n[0], n[1], n[2], n[3], n[4]
        );
        let plain = compiled(&judge, &text(&["a", "b", "c", "d", "e"]), "e");
        let named: Vec<&str> = names.iter().map(String::as_str).collect();
        prop_assert_eq!(plain, compiled(&judge, &text(&named), named[4]));
    }
}
