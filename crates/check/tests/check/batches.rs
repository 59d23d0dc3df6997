//! Many texts in one process: no text sees another, and each verdict is that of the text alone.

use barecode_check::{Judge, Question, Verdict};
use barecode_records::{Language, Span};

use crate::{config, judge, judge_of_both, of_c, of_cpp};

/// Asserts that the verdicts about these texts together are those about each alone; how many were accepted.
fn same_alone(judge: &Judge, questions: &[Question]) -> usize {
    let together = judge.judge_all(questions).unwrap();
    let mut accepted = 0;
    for (question, together) in questions.iter().zip(&together) {
        assert_eq!(
            together,
            &judge.judge(question).unwrap(),
            "{}",
            question.text
        );
        accepted += usize::from(matches!(together, Verdict::Compiled { .. }));
    }
    // Another order is another neighborhood, and nothing else.
    let mut turned = questions.to_vec();
    turned.rotate_left(questions.len() / 3);
    turned.reverse();
    let mut again = judge.judge_all(&turned).unwrap();
    again.reverse();
    again.rotate_right(questions.len() / 3);
    assert_eq!(together, again);
    accepted
}

const HEADERS: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <assert.h>\n#include <stdint.h>\n";

/// Texts as libraries have them, in many shapes; every fifth has a mistake.
fn texts_of_c() -> Vec<Question> {
    let bodies = [
        "struct node { struct node *next; int value; };\nint f(struct node *n) { int sum = 0; while (n) { sum += n->value * N; n = n->next; } return sum; }",
        "typedef enum { RED, GREEN = N } color;\nstatic const char *names[] = {\"red\", \"green\"};\nconst char *f(color c) { return names[c == GREEN]; }",
        "#define ERROR(name) PREFIX_##name\nenum { PREFIX_none, PREFIX_bad = N };\nint f(int a) { return a ? ERROR(none) : ERROR(bad); }",
        "#define SAY(x) printf(#x \" %d\\n\", x)\nint f(int count) { assert(count > N); return SAY(count); }",
        "static uint32_t h(uint32_t a) { return a << 3 ^ N; }\nuint32_t f(const void *p, size_t n) { const uint8_t *b = p; uint32_t r = 0; for (size_t i = 0; i < n; i++) r = h(r + b[i]); return r; }",
        "int f(int argc, char **argv) { static int calls; calls++; switch (argc) { case 1: return N; case 2: return 3; default: goto out; } out: free(argv[0]); return calls; }",
        "#undef NULL\n#define NULL ((char *) N)\nchar *f(void) { return NULL; }",
        "union value { double real; long whole; char bytes[8 + N % 8]; };\nint f(union value *v, int (*g)(union value *)) { return g ? g(v) : (int) v->whole + (int) sizeof *v; }",
        "#define FOR(i, n) for (int i = 0; i < (n); i++)\nint f(char *name) { int len = 0; FOR(i, N) len += name[i % 3]; return (int) strlen(name) + len; }",
        "static inline __attribute__((always_inline)) int f(const char *s) { return s ? __builtin_popcount(N) + *s : fprintf(stderr, \"no\"); }",
        "int f(void) { return missing_N; }",
        "missing_t f(void) { return N; }",
        "int f(void) { return N }",
        "#error nothing\nint f(void) { return N; }",
        "#include \"none_N.h\"\nint f(void) { return 1; }",
        "int f(void);",
        "int f(int a) { puts(a, N); return 0; }",
        "#pragma pack(1)\nstruct s { char a; int b; };\nint f(void) { return sizeof(struct s) + N; }",
        "__asm__(\".globl here_N\");\nint f(void) { return N; }",
        "int index; int f(void) { return index + N; }",
        "int strlen_(int a); int f(int a) { return strlen_(a) + __LINE__ + N; }",
        "int g(int);\n#define TAKE(x) { int r = g(x); if (r == 1) goto match; else if (r == 2) goto out; }\nint f(int a) { do { TAKE(a) if (a > N) TAKE(a + 1) a--; } while (a); out: return 1; match: return a; }",
        "int g(int);\n#define LEAVE(x, r) do { if (g(x)) return r; } while (0)\nvoid f(int a) { if (a > N) LEAVE(a,); LEAVE(a + 1,); }",
        "typeof(1) f(a, b) int a; char *b; { return a + *b + N; }",
    ];
    (0..220)
        .map(|number| {
            let body = bodies[number % bodies.len()];
            let text = body.replace('N', &number.to_string());
            // Names with an N in them would be other names.
            let text = text
                .replace(&format!("{number}ULL"), "NULL")
                .replace(&format!("GREE{number}"), "GREEN");
            of_c(&format!("{HEADERS}{text}\n"), "f")
        })
        .collect()
}

#[test]
fn hundreds_of_texts_of_c_get_the_verdicts_that_each_gets_alone() {
    let judge = judge(&config());
    let questions = texts_of_c();
    let accepted = same_alone(&judge, &questions);
    assert!(accepted > 110 && accepted < questions.len(), "{accepted}");
}

const HEADERS_OF_CPP: &str = "#include <cstdio>\n#include <string>\n#include <vector>\n";

fn texts_of_cpp() -> Vec<Question> {
    let bodies = [
        "namespace lib { struct node { node *next; int value; }; }\nint f(lib::node *n) { int sum = 0; for (; n; n = n->next) sum += n->value * @; return sum; }",
        "namespace lib { class list { std::vector<int> items; public: int f(); }; }\nint lib::list::f() { return items.empty() ? @ : items.back(); }",
        "template <class T> T twice(T a) { return a + a; }\nint f(int a) { return twice(a) + @; }",
        "struct p { int x; bool operator==(const p &o) const; };\nbool p::operator==(const p &f) const { return x == f.x + @; }",
        "enum class color { red, green = @ };\nstd::string f(color c) { return c == color::red ? \"red\" : \"green\"; }",
        "using namespace std;\nstring f(const vector<string> &all) { string one; for (auto &part : all) one += part; return one + to_string(@); }",
        "namespace { int counter; }\nint f() { return ++counter + @; }",
        "#define CALL(x) ((x)(@))\nint f(int (*g)(int)) { return CALL(g); }",
        "auto f(int a) { return [a](int b) { return a + b + @; }(2); }",
        "int f(FILE *file) { return ::fputs(\"@\", file); }",
        "struct probe;\nnamespace lib { class open { friend struct ::probe; int a = @; }; }\nstruct probe { static int of(lib::open &o) { return o.a; } };\nint f(lib::open &o) { return ::probe::of(o); }",
        "namespace lib { int probe; }\nint f() { return ::probe + @; }",
        "extern \"C\" int f(int a) { return a + @; }",
        "int f() { return missing_@; }",
        "int f(std::missing a) { return @; }",
        "using namespace std;\nint vector;\nint f() { return vector + @; }",
        "int puts(int a);\nint f() { return puts(@); }",
        "struct s { private: int a; };\nint f(s *p) { return p->a + @; }",
        "int f(std::vector<int> v) { return v + @; }",
        "int f() { return @ }",
    ];
    (0..120)
        .map(|number| {
            let body = bodies[number % bodies.len()].replace('@', &number.to_string());
            let heads = [
                "int lib::list::f(",
                "bool p::operator==(const p &f)",
                "std::string f(",
                "string f(",
                "auto f(",
                "extern \"C\" int f(",
                "int f(",
            ];
            let head = heads.iter().find(|head| body.contains(**head)).unwrap();
            of_cpp(&format!("{HEADERS_OF_CPP}{body}\n"), head)
        })
        .collect()
}

#[test]
fn hundreds_of_texts_of_cpp_get_the_verdicts_that_each_gets_alone() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let questions = texts_of_cpp();
    let accepted = same_alone(&judge, &questions);
    assert!(accepted >= 60 && accepted < questions.len(), "{accepted}");
}

#[test]
fn a_text_of_c_cannot_use_what_only_its_neighbor_has() {
    let judge = judge(&config());
    let pairs = [
        (
            "#define SIZE 3\nint f(void) { return SIZE; }",
            "int f(void) { return SIZE; }",
        ),
        (
            "typedef int whole;\nwhole f(void) { return 1; }",
            "whole f(void) { return 1; }",
        ),
        (
            "int g(int);\nint f(void) { return g(1); }",
            "int f(void) { return g(1); }",
        ),
        (
            "enum { A };\nint f(void) { return A; }",
            "int f(void) { return A; }",
        ),
        (
            "struct s { int a; };\nint f(struct s *p) { return p->a; }",
            "int f(struct s *p) { return p->a; }",
        ),
        (
            "static int v;\nint f(void) { return v; }",
            "int f(void) { return v; }",
        ),
        // Words that the headers have, but not as names of the file.
        (
            "int __stream;\nint f(void) { return __stream; }",
            "int f(void) { return __stream; }",
        ),
        (
            "int __s(void);\nint f(void) { return __s(); }",
            "int f(void) { return __s(); }",
        ),
        (
            "enum { __n = 2 };\nint f(void) { return __n; }",
            "int f(void) { return __n; }",
        ),
        (
            "struct __n { int a; };\nint f(struct __n *p) { return p->a; }",
            "int f(struct __n *p) { return p->a; }",
        ),
        (
            "struct _IO_marker { int a; };\nint f(struct _IO_marker *p) { return p->a; }",
            "int f(struct _IO_marker *p) { return p->a; }",
        ),
        (
            "int f(void) { return 1; }\nstatic int g(int a) { return a; }",
            "int f(void) { return g(2); }",
        ),
        (
            "int f(void) { return sizeof(struct in_f { int a; }); }",
            "int f(struct in_f *p) { return p->a; }",
        ),
        (
            "#undef EOF\n#define EOF (1, 2)\nint f(void) { return EOF; }",
            "int a[EOF + 3]; int f(void) { return a[0]; }",
        ),
    ];
    for (whole, lacking) in pairs {
        let with = |text: &str| {
            of_c(
                &format!("#include <stdio.h>\n#include <string.h>\n{text}\n"),
                "f",
            )
        };
        let plain = with("int f(void) { return puts(\"\"); }");
        for questions in [
            vec![with(whole), with(lacking), plain.clone()],
            vec![with(whole), plain.clone(), with(whole), with(lacking)],
        ] {
            let verdicts = judge.judge_all(&questions).unwrap();
            for (question, verdict) in questions.iter().zip(verdicts) {
                assert_eq!(verdict, judge.judge(question).unwrap(), "{}", question.text);
            }
        }
        let refused = matches!(
            judge.judge(&with(lacking)).unwrap(),
            Verdict::Refused { .. }
        );
        assert_eq!(refused, !lacking.contains("EOF"), "{lacking}");
    }
}

#[test]
fn a_text_of_cpp_cannot_use_what_only_its_neighbor_has() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let pairs = [
        (
            "#define SIZE 3\nint f() { return SIZE; }",
            "int f() { return SIZE; }",
        ),
        (
            "using whole = int;\nint f() { return whole(1); }",
            "int f() { return whole(1); }",
        ),
        (
            "namespace n { int g(int); }\nint f() { return n::g(1); }",
            "int f() { return n::g(1); }",
        ),
        (
            "struct s { int a; };\nint f() { return s().a; }",
            "int f() { return s().a; }",
        ),
        (
            "int g();\nint f() { return ::g(); }",
            "int f() { return ::g(); }",
        ),
        (
            "extern \"C\" int g();\nint f() { return g(); }",
            "int f() { return g(); }",
        ),
        (
            "namespace std { struct mine { int a; }; }\nint f() { return std::mine().a; }",
            "int f() { return std::mine().a; }",
        ),
        (
            "template <class T> T g(T a) { return a; }\nint f() { return g(1); }",
            "int f() { return g(1); }",
        ),
        (
            "#define OPEN namespace o {\nOPEN }\nint f() { return 1; }",
            "OPEN } int f() { return 1; }",
        ),
    ];
    for (whole, lacking) in pairs {
        let with = |text: &str| of_cpp(&format!("#include <string>\n{text}\n"), "int f()");
        let questions = [
            with(whole),
            with(lacking),
            with("int f() { return 2; }"),
            with(whole),
        ];
        let verdicts = judge.judge_all(&questions).unwrap();
        for (question, verdict) in questions.iter().zip(verdicts) {
            assert_eq!(verdict, judge.judge(question).unwrap(), "{}", question.text);
        }
        assert!(
            matches!(
                judge.judge(&with(lacking)).unwrap(),
                Verdict::Refused { .. }
            ),
            "{lacking}"
        );
    }
}

#[test]
fn both_languages_may_be_asked_about_at_once_and_the_order_is_kept() {
    let Some(judge) = judge_of_both(&config()) else {
        return;
    };
    let c = of_c("int f(int class) { return class; }", "f");
    let cpp = of_cpp("int f(int a) { return a + sizeof(int()) ; }", "int f");
    let bad = of_c("int f(void) { return x; }", "f");
    let questions = [c.clone(), cpp.clone(), bad, c, cpp];
    let verdicts = judge.judge_all(&questions).unwrap();
    assert_eq!(verdicts[0], verdicts[3]);
    assert_eq!(verdicts[1], verdicts[4]);
    assert!(matches!(verdicts[2], Verdict::Refused { .. }));
    assert_eq!(questions[1].language, Language::CPP);
}

/// gcc's code for a jump of a macro depends on how the text reaches it; see `positions.rs`.
#[test]
fn code_of_macros_has_the_same_size_together_and_alone() {
    let bodies = [
        "if (x) g(1); else g(2);",
        "do { g(x); } while (0)",
        "while (!(x))",
        "for (; x; )",
        "switch (x) { case 1: g(1); default: g(2); }",
        "((x) ? g(1) : g(2))",
        "((x) && g(2))",
        "((x) || g(2))",
        "((void) ((!!(x)) || (g(2), 0)))",
        "((x) < 3)",
        "({ if (x) ; else g(2); 1; })",
        "__builtin_expect(!!(x), 1)",
        "return x",
        "if (x) return 3;",
        "(g(1), g(2))",
        "l: g(3)",
    ];
    let uses = [
        "M(x, y);",
        "if (M(x, y)) g(5);",
        "return M(x, y);",
        "M(x && y, y);",
        "if (M(x || y, x ? y : 3)) g(4); else g(6);",
        "if (x) M(y, x); else g(1);",
        "assert(x && y); M(x, y)",
        "while (x) { M(y, x); }",
    ];
    let questions: Vec<Question> = bodies
        .iter()
        .flat_map(|body| uses.iter().map(move |used| (body, used)))
        .map(|(body, used)| {
            let function = format!("int f(int x, int y) {{ g(0); {used}; g(7); return 0; }}");
            let text =
                format!("#include <assert.h>\nint g(int);\n#define M(x, y) {body}\n{function}\n");
            let start = text.len() - 1 - function.len();
            let offset = |at: usize| u32::try_from(at).unwrap();
            Question {
                target: Span {
                    start: offset(start),
                    end: offset(start + function.len()),
                },
                ..of_c(&text, "f")
            }
        })
        .collect();
    let accepted = same_alone(&judge(&config()), &questions);
    assert!(accepted > 80, "{accepted}");
}
