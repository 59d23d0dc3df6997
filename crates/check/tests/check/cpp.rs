//! Functions of C++, of every kind, in both dialects.

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, Question, Verdict, check};
use barecode_records::Language;

use crate::units::function;
use crate::{config, judge, judge_of_both, of_c, of_cpp};

#[test]
fn every_kind_of_function_is_found_in_its_object_alone_and_among_others() {
    let class = "struct base { virtual ~base(); };\nstruct s : virtual base { int x; s(); ~s(); explicit s(int); int m(int); operator bool() const; s &operator=(const s &); static int k(); ";
    // The text before the function, and the function.
    let kinds: &[(&str, &str)] = &[
        ("", "int f(int a) { return a + 1; }"),
        ("", "static inline int f(int a) { return a + 2; }"),
        (
            "namespace n { namespace {",
            "constexpr int f(int a) { return a + 3; }",
        ),
        ("", "[[nodiscard]] int f(int a) { return a + 4; }"),
        ("", "extern \"C\" int f(int a) { return a + 5; }"),
        ("extern \"C\" {", "int f(int a) { return a + 6; }"),
        (
            "template <class T> T t(T a) { return a; }\n",
            "template <> int t<int>(int a) { return a + 7; }",
        ),
        (
            "struct q { int x; };\n",
            "bool operator<(const q &a, const q &b) { return a.x < b.x; }",
        ),
        ("struct q { int x;", "int m() { return x; }"),
        (
            "struct q { int x;",
            "virtual int v() const { return x + 1; }",
        ),
        ("struct q { int x;", "explicit q(int a) : x(a) {}"),
        ("struct q { int x;", "~q() { x = 0; }"),
        ("struct q { int x;", "operator int() const { return x; }"),
        ("struct q { int x;", "friend int g(q &a) { return a.x; }"),
        (
            "struct q { int x;",
            "static constexpr int k(int a) { return a * 2; }",
        ),
        (
            "struct q { int x; private:",
            "int p() const noexcept { return x; }",
        ),
        (
            "union u { int a; char b[4];",
            "char first() { return b[0]; }",
        ),
    ];
    let out_of_class: &[&str] = &[
        "s::s() : x(1) {}",
        "s::s(int a) : x(a) {}",
        "s::~s() { x = 0; }",
        "int s::m(int a) { return x + a; }",
        "s::operator bool() const { return x; }",
        "s &s::operator=(const s &o) { x = o.x; return *this; }",
        "int s::k() { return 9; }",
        "inline int s::k() { return 10; }",
    ];
    for standard in ["gnu++17", "gnu++20"] {
        let config = CheckConfig {
            cpp_standard: standard.to_owned(),
            ..config()
        };
        let Some(judge) = judge_of_both(&config) else {
            return;
        };
        let mut questions: Vec<Question> = Vec::new();
        for (before, function) in kinds {
            let mut question = of_cpp(&format!("{before} {function}"), function);
            let closing = before.matches('{').count() - before.matches('}').count();
            question.text.push_str(
                match (
                    closing,
                    before.contains("namespace") || before.contains("extern"),
                ) {
                    (0, _) => "",
                    (1, true) => "}",
                    (1, false) => "};",
                    _ => "}}",
                },
            );
            questions.push(question);
        }
        for function in out_of_class {
            let text = format!("{class}}};\n{function}");
            questions.push(of_cpp(&text, function));
        }
        let together = judge.judge_all(&questions).unwrap();
        for (question, verdict) in questions.iter().zip(together) {
            assert!(
                matches!(verdict, Verdict::Compiled { code_bytes } if code_bytes > 4),
                "{standard}: {verdict:?}\n{}",
                question.text
            );
            assert_eq!(verdict, judge.judge(question).unwrap(), "{}", question.text);
            let object = judge.object(question).unwrap().unwrap();
            assert_eq!(
                verdict,
                Verdict::Compiled {
                    code_bytes: object.code_bytes
                }
            );
        }
    }
}

#[test]
fn a_template_compiles_to_nothing_and_is_a_unit() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let mut template = function("template <class T> T f(T a) { return a; }", &[]);
    template.language = Language::CPP;
    template.is_template = true;
    template.closure.target.start = 0;
    let mut nothing = function("int f(int a);", &[]);
    nothing.language = Language::CPP;
    let checked = check(&[template.clone(), nothing, template], &judge).unwrap();
    assert_eq!(checked.kept.len(), 2);
    assert_eq!(checked.kept[0].code_bytes, 0);
    assert_eq!(checked.kept[0].toolchain.compiler, "g++");
    assert!(
        checked.kept[0]
            .toolchain
            .flags
            .contains(&"-std=gnu++17".to_owned())
    );
    assert_eq!(checked.kept[0].compiles_as_cpp, None);
    assert_eq!(checked.set_aside[0].reason.code(), "no_code");
}

#[test]
fn a_function_of_c_linkage_behind_a_macro_has_code() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let head = "#define LINKAGE extern \"C\"\n#define API LINKAGE __attribute__((visibility(\"default\")))\n\
                #define ENTRY(name) extern \"C\" int name(int a)\n";
    for text in [
        "API int f(int a) { return a + 1; }",
        "ENTRY(f) { return a + 1; }",
    ] {
        let question = of_cpp(&format!("{head}{text}"), text);
        let verdicts = judge
            .judge_all(&[question.clone(), question.clone()])
            .unwrap();
        let object = judge.object(&question).unwrap().unwrap();
        assert!(object.code_bytes > 0, "{text}");
        for verdict in verdicts {
            let code_bytes = object.code_bytes;
            assert_eq!(verdict, Verdict::Compiled { code_bytes }, "{text}");
        }
    }
}

#[test]
fn a_function_of_cpp_without_a_compiler_of_it_is_an_error_with_a_hint() {
    let judge = judge(&config());
    let error = judge
        .judge(&of_cpp("int f() { return 1; }", "int f"))
        .unwrap_err();
    assert!(
        matches!(&error, CheckError::CompilerMissing { .. }),
        "{error:?}"
    );
    let text = format!("{error}\n{}", error.hint().unwrap_or_default());
    assert!(
        text.contains("`g++`") && text.contains("C++") && text.contains("apt-get install"),
        "{text}"
    );
    assert!(judge.judge(&of_c("int f(void) { return 1; }", "f")).is_ok());
    let missing = CheckConfig {
        cpp_compiler: "/nonexistent/g++".to_owned(),
        ..config()
    };
    let error = Compiler::probe_for(&missing, Language::CPP).unwrap_err();
    assert!(
        matches!(error, CheckError::CompilerMissing { .. }),
        "{error:?}"
    );
}

#[test]
fn what_a_text_of_c_is_to_cpp_is_told() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let texts = [
        ("#include <stdlib.h>\nint f(int a) { return abs(a); }", true),
        (
            "#include <stdlib.h>\nchar *f(void) { char *a = malloc(3); return a; }",
            false,
        ),
        ("int f(int class) { return class; }", false),
        (
            "#include <stdlib.h>\n#define TWICE(x) ((x) + (x))\nint f(int a) { return TWICE(abs(a)); }",
            true,
        ),
        (
            "struct s { int a; };\nint f(struct s *s) { return s->a; }",
            true,
        ),
        ("int f(a) int a; { return a; }", false),
        ("__asm__(\"\");\nint f(void) { return 1; }", true),
        ("int index(int); int f(void) { return index(1); }", true),
    ];
    let functions: Vec<_> = texts.iter().map(|(text, _)| function(text, &[])).collect();
    let checked = check(&functions, &judge).unwrap();
    let told: Vec<_> = checked
        .kept
        .iter()
        .map(|unit| unit.compiles_as_cpp)
        .collect();
    let wanted: Vec<_> = texts.iter().map(|(_, is_cpp)| Some(*is_cpp)).collect();
    assert_eq!(told, wanted);
    let silent = CheckConfig {
        compiles_as_cpp: false,
        ..config()
    };
    let Some(judge) = judge_of_both(&silent) else {
        return;
    };
    assert_eq!(
        check(&functions, &judge).unwrap().kept[0].compiles_as_cpp,
        None
    );
}

#[test]
fn a_prelude_of_cpp_is_put_in_front_where_it_helps() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let mut short = function(
        "int f(const char *a) { return strlen(a) + sizeof(std::uint8_t); }",
        &[],
    );
    short.language = Language::CPP;
    let checked = check(&[short], &judge).unwrap();
    assert_eq!(checked.kept.len(), 1, "{:?}", checked.set_aside);
    let closure = &checked.kept[0].closure;
    assert!(
        closure.text.starts_with("#include <cstddef>\n"),
        "{}",
        closure.text
    );
    assert!(closure.target.of(&closure.text).starts_with("int f("));
}

/// A judge whose memory is a file gives the same verdicts.
#[test]
fn verdicts_of_batches_are_kept() {
    let Some(first) = judge_of_both(&config()) else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("verdicts.sqlite");
    let cached = || {
        let cpp = Compiler::probe_for(&config(), Language::CPP).unwrap();
        Judge::new(Compiler::probe(&config()).unwrap(), Some(cpp), Some(&path)).unwrap()
    };
    let questions: Vec<Question> = (0..6)
        .map(|number| of_cpp(&format!("int f() {{ return {number}; }}"), "int f"))
        .chain((0..6).map(|number| of_c(&format!("int f(void) {{ return {number}; }}"), "f")))
        .collect();
    let verdicts = first.judge_all(&questions).unwrap();
    assert_eq!(cached().judge_all(&questions).unwrap(), verdicts);
    let again = cached();
    assert_eq!(again.judge_all(&questions).unwrap(), verdicts);
    for question in &questions {
        assert!(again.object(question).unwrap().is_ok());
    }
    let rows = rusqlite::Connection::open(&path).unwrap();
    let count = rows.query_row("SELECT count(*) FROM entries", [], |row| row.get(0));
    assert_eq!(count, Ok(12));
}

#[test]
fn restrict_is_defined_where_a_text_of_cpp_uses_it() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let mut texts = [
        function("int f(int *restrict a) { return *a; }", &[]),
        function(
            "#include <cstdio>\nint f(int *a) { int restrict = *a; return std::puts(\"\") + restrict; }",
            &[],
        ),
        function("int f(int *restrict a) { return missing; }", &[]),
    ];
    for text in &mut texts {
        text.language = Language::CPP;
    }
    let checked = check(&texts, &judge).unwrap();
    assert_eq!(checked.kept.len(), 2, "{:?}", checked.set_aside);
    let texts: Vec<&str> = checked
        .kept
        .iter()
        .map(|unit| unit.closure.text.as_str())
        .collect();
    assert!(
        texts[0].starts_with("#define restrict __restrict__\nint f("),
        "{}",
        texts[0]
    );
    assert!(!texts[1].contains("#define"), "{}", texts[1]);
    for unit in &checked.kept {
        let closure = &unit.closure;
        assert!(closure.target.of(&closure.text).starts_with("int f("));
    }
}

#[test]
fn an_error_is_at_the_same_place_before_and_after_the_headers_are_precompiled() {
    let config = config();
    let Some(judge) = judge_of_both(&config) else {
        return;
    };
    let text = "#include <string>\n#include <vector>\nnamespace n {\n\t\tstruct s {\n\
                \t\t\tvirtual int what() const override;\n\t\t\tstd::strin t; /* \u{e9}\u{6f22} */ vectr v;\n\
                \t\t};\n}\nint f() { return sizee(0); }\n";
    let rounds: Vec<_> = (0..5)
        .map(|round| {
            // Another text each time, or the verdict would be remembered.
            let question = of_cpp(&format!("{text}// {round}\n"), "int f()");
            let refused = judge.judge(&question).unwrap();
            (judge.complaints(&question).unwrap(), refused)
        })
        .collect();
    let places: Vec<&str> = rounds[0]
        .0
        .iter()
        .map(|complaint| {
            let rest = text.get(complaint.byte..).unwrap();
            rest.split(|c: char| !c.is_alphanumeric()).next().unwrap()
        })
        .collect();
    assert_eq!(places, ["strin", "vectr", "what", "sizee"]);
    for round in &rounds {
        assert_eq!(round, &rounds[0]);
    }
}
