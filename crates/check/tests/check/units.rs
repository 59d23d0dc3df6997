//! Functions to units.

use barecode_check::{CheckConfig, check};
use barecode_records::{
    Closure, Function, FunctionKind, Group, HelperBodies, HelperSpan, Language, Origin, Outcome,
    Reason, References, Span, Stage, Unit,
};

use crate::{config, judge};

/// A function called `f` whose closure is `text`, with a helper `h` where there is one.
pub(super) fn function(text: &str, missing_headers: &[&str]) -> Function {
    let target = text.find("int f(").unwrap_or(0);
    let span = |start: usize, end: usize| Span {
        start: start.try_into().unwrap(),
        end: end.try_into().unwrap(),
    };
    let body = text.get(target..).unwrap();
    let id = Function::id_of("path:lib", "lib.c", "f", text);
    let helpers = text.find("static int h(").map(|start| HelperSpan {
        name: "h".to_owned(),
        function_id: id.clone(),
        span: span(
            start,
            start + text.get(start..).unwrap().find('}').unwrap() + 1,
        ),
    });
    Function {
        origin: Origin {
            source: "path:lib".to_owned(),
            repository: None,
            version: None,
            commit: None,
            license: Some("MIT".to_owned()),
            license_from: None,
            first_commit: None,
            path: "lib.c".to_owned(),
            start_line: 1,
            end_line: 2,
        },
        language: Language::C,
        name: "f".to_owned(),
        qualified_name: "f".to_owned(),
        kind: FunctionKind::Function,
        is_template: false,
        translation_unit: "lib.c".to_owned(),
        text: body.to_owned(),
        docs: Vec::new(),
        references: References::default(),
        closure: Closure {
            text: text.to_owned(),
            target: span(target, text.len()),
            helpers: helpers.into_iter().collect(),
            helper_bodies: HelperBodies::Full,
            items: 1,
            pieces: Vec::new(),
            helper_external: Vec::new(),
            missing_headers: missing_headers
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
            assumed_headers: Vec::new(),
        },
        id,
    }
}

fn checked(functions: &[Function]) -> Outcome<Vec<Unit>> {
    let checked = check(functions, &judge(&config())).unwrap();
    assert!(checked.balances());
    assert_eq!(checked.of("functions").entered, functions.len() as u64);
    assert_eq!(checked.of("functions").kept, checked.kept.len() as u64);
    checked
}

#[test]
fn what_compiles_is_kept_and_the_rest_says_why_not() {
    let checked = checked(&[
        function("int f(void) { return 1; }", &[]),
        function("int f(missing_t a) { return 1; }", &[]),
        function(
            "#include \"curl.h\"\nint f(CURL a) { return 1; }",
            &["curl.h", "z.h"],
        ),
        function("int f(void) { return 1; }", &["curl.h"]),
        function("int f(void);", &[]),
    ]);
    let reasons: Vec<_> = checked
        .set_aside
        .iter()
        .map(|it| (it.reason, it.detail.as_str()))
        .collect();
    assert_eq!(
        reasons,
        [
            (Reason::UndeclaredName, "unknown type name 'missing_t'"),
            (
                Reason::NeedsThirdParty,
                "curl.h, z.h: curl.h: No such file or directory"
            ),
            (Reason::NoCode, "no machine code for `f`"),
        ]
    );
    assert!(
        checked
            .set_aside
            .iter()
            .all(|it| it.stage == Stage::Check && it.id.is_some() && it.origin.is_some())
    );
    assert_eq!(checked.kept.len(), 2);
    let unit = &checked.kept[0];
    assert_eq!(unit.group, Group::Group1);
    assert!(unit.code_bytes > 0);
    assert_eq!(unit.toolchain.compiler, "gcc");
}

#[test]
fn a_limit_is_named_with_its_value() {
    let slow = function(include_str!("attacks/slow_macros.c"), &[]);
    let hurried = CheckConfig {
        seconds: 1,
        ..config()
    };
    let checked = check(&[slow], &judge(&hurried)).unwrap();
    assert!(checked.balances());
    let set_aside = &checked.set_aside[0];
    assert_eq!(
        (set_aside.reason, set_aside.detail.as_str()),
        (Reason::TimeLimit, "1 s of processor time")
    );
}

#[test]
fn a_prelude_is_put_in_front_where_it_helps_and_every_span_moves() {
    let text = "static int h(uint8_t a) { return a; }\nint f(size_t n) { bool b = n; return b ? h(3) : 0; }";
    let checked = checked(&[
        function(text, &[]),
        function("int f(void *a) { return a == NULL; }", &[]),
        function("int f(void) { return INT32_MAX; }", &[]),
        function("int f(size_t n, missing_t m) { return 0; }", &[]),
    ]);
    assert_eq!(checked.kept.len(), 3);
    let closure = &checked.kept[0].closure;
    assert!(closure.text.starts_with("#include <stdbool.h>\n") && closure.text.ends_with(text));
    assert_eq!(
        closure.target.of(&closure.text),
        "int f(size_t n) { bool b = n; return b ? h(3) : 0; }"
    );
    assert_eq!(
        closure.helpers[0].span.of(&closure.text),
        "static int h(uint8_t a) { return a; }"
    );
    assert_eq!(checked.set_aside[0].detail, "unknown type name 'size_t'");
}

#[test]
fn a_text_that_needs_no_prelude_gets_none() {
    let text = "#include <stddef.h>\nint f(size_t n) { return n; }";
    assert_eq!(checked(&[function(text, &[])]).kept[0].closure.text, text);
}

/// What units cost, in processes: those of a shard share them.
#[test]
fn a_unit_costs_little() {
    let judge = judge(&config());
    let texts: Vec<Function> = (0..20)
        .map(|n| function(&format!("#include <stdio.h>\n#include <string.h>\nint f(char *a) {{ return strlen(a) + printf(\"%d\", {n}); }}"), &[]))
        .collect();
    let before = judge.compiler().started();
    let checked = check(&texts, &judge).unwrap();
    let started = judge.compiler().started() - before;
    assert_eq!(checked.kept.len(), 20);
    assert!(
        (1..=40).contains(&started),
        "{started} processes for 20 units"
    );
}
