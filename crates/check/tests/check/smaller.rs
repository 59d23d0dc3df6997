//! Closures are cut down to what their functions need.

use barecode_check::{CheckConfig, check};
use barecode_records::{
    Closure, Function, HelperSpan, Language, Outcome, Piece, PieceKind, Span, Unit,
};

use crate::units::function;
use crate::{config, judge, judge_of_both};
use PieceKind::{Declaration, Definition, Directive, Header, Helper, Scope, Target};

/// A function whose closure is made of these pieces; names are separated by blanks.
pub(super) fn of_pieces(language: Language, parts: &[(PieceKind, &str, &str)]) -> Function {
    let mut text = String::new();
    let mut pieces = Vec::new();
    let mut helpers = Vec::new();
    let mut target = Span { start: 0, end: 0 };
    for &(kind, part, names) in parts {
        if !text.is_empty() {
            text.push('\n');
        }
        let start = u32::try_from(text.len()).unwrap();
        text.push_str(part);
        let span = Span {
            start,
            end: u32::try_from(text.len()).unwrap(),
        };
        text.push('\n');
        match kind {
            Target => target = span,
            Helper => helpers.push((names.to_owned(), span)),
            _ => {}
        }
        pieces.push(Piece {
            kind,
            span,
            names: names
                .split(' ')
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect(),
            external: false,
        });
    }
    let mut function = function("int f(void) { return 0; }", &[]);
    function.language = language;
    target.of(&text).clone_into(&mut function.text);
    function.closure = Closure {
        target,
        helpers: helpers
            .into_iter()
            .map(|(name, span)| HelperSpan {
                name,
                function_id: function.id.clone(),
                span,
            })
            .collect(),
        items: u32::try_from(
            parts
                .iter()
                .filter(|(kind, ..)| !matches!(kind, Header | Scope))
                .count(),
        )
        .unwrap(),
        text,
        pieces,
        ..function.closure
    };
    function
}

/// The pieces that are left, as texts.
fn left(closure: &Closure) -> Vec<&str> {
    closure
        .pieces
        .iter()
        .map(|piece| piece.span.of(&closure.text))
        .collect()
}

fn same(checked: &Outcome<Vec<Unit>>) -> &Closure {
    assert_eq!(checked.kept.len(), 1, "{:?}", checked.set_aside);
    assert!(
        checked.kept[0].minimized,
        "{}",
        checked.kept[0].closure.text
    );
    &checked.kept[0].closure
}

#[test]
fn what_a_function_of_c_needs_is_left_and_nothing_else() {
    let parts = [
        (Directive, "#define _GNU_SOURCE 1", "_GNU_SOURCE"),
        (Header, "#include <stdio.h>", "stdio.h"),
        (Header, "#include <math.h>", "math.h"),
        (Header, "#include <string.h>", "string.h"),
        (Directive, "#define UNUSED 3", "UNUSED"),
        (Directive, "#define LIMIT (BASE + 1)", "LIMIT"),
        (Directive, "#define BASE 4", "BASE"),
        (Declaration, "typedef struct node node;", "node"),
        (Declaration, "typedef unsigned int whole;", "whole"),
        (
            Declaration,
            "struct node { node *next; whole value; };",
            "node",
        ),
        (Declaration, "struct other { int a; };", "other"),
        (Declaration, "static int deep(int a);", "deep"),
        (Declaration, "int unused(struct other *o);", "unused"),
        (
            Helper,
            "static int h(node *n) { return deep((int) n->value); }",
            "h",
        ),
        (
            Definition,
            "static int deep(int a) { return a * 2; }",
            "deep",
        ),
        (
            Target,
            "int f(node *n) { return h(n) + LIMIT + puts(\"x\"); }",
            "f",
        ),
    ];
    let whole = of_pieces(Language::C, &parts);
    let checked = check(std::slice::from_ref(&whole), &judge(&config())).unwrap();
    let closure = same(&checked);
    let wanted: Vec<&str> = parts
        .iter()
        .map(|(_, part, _)| *part)
        .filter(|part| {
            !["math.h", "string.h", "UNUSED", "other", "unused", "a * 2"]
                .iter()
                .any(|gone| part.contains(gone))
        })
        .collect();
    assert_eq!(left(closure), wanted);
    assert_eq!(
        closure.target.of(&closure.text),
        "int f(node *n) { return h(n) + LIMIT + puts(\"x\"); }"
    );
    assert_eq!(
        closure.helpers[0].span.of(&closure.text),
        "static int h(node *n) { return deep((int) n->value); }"
    );
    assert_eq!(closure.items, 9);
    // What is small already stays as it is.
    let mut again = whole.clone();
    again.closure = closure.clone();
    let checked = check(&[again], &judge(&config())).unwrap();
    assert_eq!(same(&checked).text, closure.text);
}

#[test]
fn what_changes_the_code_without_an_error_stays() {
    let judge = judge(&config());
    for parts in [
        // A layout.
        vec![
            (Directive, "#pragma pack(1)", ""),
            (Declaration, "struct s { char a; int b; };", "s"),
            (Target, "int f(struct s *s) { return s->b; }", "f"),
        ],
        // A name that means something without the piece, too.
        vec![
            (Header, "#include <stdlib.h>", "stdlib.h"),
            (Directive, "#define abs(x) ((x) * (x))", "abs"),
            (Target, "int f(int a) { return abs(a); }", "f"),
        ],
        // A switch of the headers.
        vec![
            (Directive, "#define NDEBUG 1", "NDEBUG"),
            (Header, "#include <assert.h>", "assert.h"),
            (Target, "int f(int a) { assert(a); return a; }", "f"),
        ],
    ] {
        let texts: Vec<&str> = parts.iter().map(|(_, part, _)| *part).collect();
        let checked = check(&[of_pieces(Language::C, &parts)], &judge).unwrap();
        assert_eq!(left(&checked.kept[0].closure), texts);
    }
}

/// Such a header exists for one kind of processor, so a unit that keeps it compiles nowhere else.
#[test]
fn a_header_of_instructions_gives_way_to_the_one_that_it_brings() {
    if !cfg!(target_arch = "x86_64") {
        barecode_testing::needs::not_here("x86-64, whose headers of instructions are asked for");
        return;
    }
    let judge = judge(&config());
    let left_of = |target| {
        let parts = [
            (Header, "#include <emmintrin.h>", "emmintrin.h"),
            (Target, target, "f"),
        ];
        let checked = check(&[of_pieces(Language::C, &parts)], &judge).unwrap();
        assert!(checked.kept[0].minimized);
        let texts = left(&checked.kept[0].closure).into_iter();
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let memory = "void *f(size_t n) { return malloc(n); }";
    assert_eq!(left_of(memory), ["#include <stdlib.h>", memory]);
    let both = "__m128i f(int *a) { free(a); return _mm_set1_epi32(1); }";
    assert_eq!(left_of(both), ["#include <emmintrin.h>", both]);
    let none = "int f(int a) { return a; }";
    assert_eq!(left_of(none), [none]);
}

#[test]
fn scopes_of_cpp_go_with_what_was_in_them() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let parts = [
        (Header, "#include <string>", "string"),
        (Scope, "namespace a {", "a"),
        (Declaration, "struct used { int x; int m(int); };", "used"),
        (Declaration, "struct gone { int y; };", "gone"),
        (Scope, "}", ""),
        (Scope, "namespace b {", "b"),
        (Declaration, "int never(int);", "never"),
        (Scope, "}", ""),
        (
            Declaration,
            "template <class T> T twice(T t) { return t + t; }",
            "twice",
        ),
        (Scope, "namespace a {", "a"),
        (
            Target,
            "int used::m(int b) { return twice(x) + b + (int) std::string(\"a\").size(); }",
            "m used",
        ),
        (Scope, "}", ""),
    ];
    let wanted: Vec<&str> = [0, 1, 2, 4, 8, 9, 10, 11]
        .iter()
        .map(|&at: &usize| parts[at].1)
        .collect();
    let functions: Vec<Function> = (0..4).map(|_| of_pieces(Language::CPP, &parts)).collect();
    let checked = check(&functions, &judge).unwrap();
    for unit in &checked.kept {
        assert!(unit.minimized, "{}", unit.closure.text);
        assert_eq!(left(&unit.closure), wanted);
        assert_eq!(unit.closure.target.of(&unit.closure.text), parts[10].1);
    }
    assert_eq!(checked.kept.len(), 4);
}

#[test]
fn nothing_is_cut_where_nobody_wants_it_or_the_pieces_do_not_tell_all() {
    let parts = [
        (Declaration, "int unused;", "unused"),
        (Target, "int f(void) { return 1; }", "f"),
    ];
    let whole = of_pieces(Language::C, &parts);
    let wordy = CheckConfig {
        minimize: false,
        ..config()
    };
    let checked = check(std::slice::from_ref(&whole), &judge(&wordy)).unwrap();
    assert_eq!(checked.kept[0].closure, whole.closure);
    assert!(!checked.kept[0].minimized);
    let mut untold = whole.clone();
    untold.closure.pieces.remove(0);
    let checked = check(&[untold.clone()], &judge(&config())).unwrap();
    assert_eq!(checked.kept[0].closure, untold.closure);
    assert!(!checked.kept[0].minimized);
    let checked = check(&[whole], &judge(&config())).unwrap();
    assert_eq!(same(&checked).text, "int f(void) { return 1; }\n");
}

#[test]
fn bodies_from_other_files_are_given_up_where_they_do_not_fit() {
    let mut function = of_pieces(
        Language::C,
        &[
            (Declaration, "int h(int a);", "h"),
            (Target, "int f(int a) { return h(a); }", "f"),
            (Declaration, "typedef long odd;", "odd"),
            (Helper, "odd h(int a) { return a; }", "h"),
        ],
    );
    for piece in &mut function.closure.pieces[2..] {
        piece.external = true;
    }
    let checked = check(&[function.clone()], &judge(&config())).unwrap();
    let closure = same(&checked);
    assert_eq!(
        left(closure),
        ["int h(int a);", "int f(int a) { return h(a); }"]
    );
    assert_eq!(closure.helper_external, ["h"]);
    assert!(closure.helpers.is_empty());
    assert_eq!(closure.items, 2);
    // Where they fit they stay.
    function.closure.text = function.closure.text.replace("long odd", "int  odd");
    let checked = check(&[function], &judge(&config())).unwrap();
    assert_eq!(same(&checked).helpers.len(), 1);
    assert!(same(&checked).helper_external.is_empty());
}

#[test]
fn headers_of_cpp_that_bring_nothing_of_use_go() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let function = of_pieces(
        Language::CPP,
        &[
            (Header, "#include <string>", "string"),
            (Header, "#include <vector>", "vector"),
            (Header, "#include <map>", "map"),
            (Header, "#include <iostream>", "iostream"),
            (Header, "#include <cstdio>", "cstdio"),
            (Declaration, "using std::string;", "string"),
            (
                Target,
                "string joined(const string &a, const string &b) { return a + \" \" + b; }",
                "joined",
            ),
        ],
    );
    let checked = check(&[function], &judge).unwrap();
    let closure = &checked.kept[0].closure;
    assert_eq!(
        left(closure)[..2],
        ["#include <string>", "using std::string;"],
        "{}",
        closure.text
    );
}

#[test]
fn a_class_with_a_method_that_is_called_stays_and_the_rest_goes() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let class = "class Slice {\n public:\n  int widths() const { return widths_; }\n private:\n  int widths_;\n};";
    let mut function = of_pieces(
        Language::CPP,
        &[
            (Header, "#include <string>", "string"),
            (Scope, "namespace n {", "n"),
            (Declaration, class, "Slice"),
            (Declaration, "class Other { int a; };", "Other"),
            (Definition, "int idle(int a) { return a; }", "idle"),
            (
                Target,
                "int twice(const Slice &of) { return 2 * of.widths(); }",
                "twice",
            ),
            (Scope, "}", ""),
        ],
    );
    let text = &function.closure.text;
    let body = "int widths() const { return widths_; }";
    let start = text.find(body).unwrap();
    function.closure.helpers = vec![HelperSpan {
        name: "widths".to_owned(),
        function_id: function.id.clone(),
        span: Span::from(start..start + body.len()),
    }];
    let checked = check(&[function], &judge).unwrap();
    let unit = &checked.kept[0];
    assert!(unit.minimized);
    let pieces = left(&unit.closure);
    assert_eq!(pieces.len(), 4, "{}", unit.closure.text);
    assert_eq!(pieces[1], class);
    let helper = unit.closure.helpers[0].span.of(&unit.closure.text);
    assert_eq!(helper, body);
}
