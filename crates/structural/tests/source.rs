//! What functions of C and C++ are rendered to.

use barecode_records::Language;
use barecode_structural::{
    Concept, Field, Rendering, Shape, Trait, describe, description, render_c,
};
use proptest::prelude::*;

fn words(rendering: &Rendering, field: Field) -> Vec<&str> {
    let words = rendering.words.iter().filter(|(of, _)| *of == field);
    words.map(|(_, word)| word.as_str()).collect()
}

fn has(text: &str, concept: Concept) -> bool {
    render_c(text).concepts.contains(&concept)
}

#[test]
fn a_signature_has_traits() {
    let signature =
        render_c("static inline size_t f(const char *s, uint32_t n, double x[]) { return 0; }")
            .signature;
    assert_eq!(
        signature.returns,
        Shape::of(&[Trait::Int, Trait::Unsigned, Trait::Size])
    );
    let expected = [
        Shape::of(&[Trait::Constant, Trait::Char, Trait::Text, Trait::Pointer]),
        Shape::of(&[Trait::Int, Trait::Unsigned, Trait::Bits32]),
        Shape::of(&[Trait::Double, Trait::Array, Trait::Pointer]),
    ];
    assert_eq!(signature.parameters, expected);
    assert!(signature.is_counted);
}

#[test]
fn heads_of_all_kinds_are_found() {
    for (text, parameters, returned) in [
        ("int f(void) { return 1; }", 0, Trait::Int),
        ("auto f(int a) -> bool { return a; }", 1, Trait::Bool),
        (
            "MACRO_API(int) f(int a, int b) { return a; }",
            2,
            Trait::Int,
        ),
        (
            "__attribute__((noinline)) void f(int a) { }",
            1,
            Trait::Void,
        ),
        (
            "template <typename T, class... R>\nstd::vector<T> K<T>::f(const T& a, std::map<int, T> b) const noexcept { return {}; }",
            2,
            Trait::Vector,
        ),
        ("int f(a, b) char *a; int b; { return b; }", 2, Trait::Int),
        (
            "namespace n { class C { public: bool f(int (*call)(int, int)) { return call(1, 2); } }; }",
            1,
            Trait::Bool,
        ),
        (
            "bool operator==(const P& a, const P& b) { return a.x == b.x; }",
            2,
            Trait::Bool,
        ),
    ] {
        let signature = render_c(text).signature;
        assert_eq!(
            signature.parameters.len(),
            parameters,
            "{text}: {signature:?}"
        );
        assert!(signature.returns.has(returned), "{text}: {signature:?}");
    }
}

#[test]
fn constructs_have_concepts() {
    for (text, concept) in [
        (
            "void f(int *a, int *b) { int t = *a; *a = *b; *b = t; }",
            Concept::Swap,
        ),
        (
            "int f(int a, int b) { return a < b ? a : b; }",
            Concept::Minimum,
        ),
        (
            "int f(int a, int b) { if (a > b) return a; return b; }",
            Concept::Maximum,
        ),
        (
            "int f(int x, int l, int h) { if (x < l) return l; if (x > h) return h; return x; }",
            Concept::Clamp,
        ),
        ("int f(int x) { return x < 0 ? -x : x; }", Concept::Absolute),
        (
            "unsigned f(unsigned x, int n) { return (x << n) | (x >> (32 - n)); }",
            Concept::Rotate,
        ),
        (
            "int f(const char *s) { int n = 0; while (*s >= '0' && *s <= '9') n = n * 10 + (*s++ - '0'); return n; }",
            Concept::ParseDigits,
        ),
        (
            "int f(char c) { return c >= 'a' && c <= 'z'; }",
            Concept::CharacterRange,
        ),
        (
            "int f(const char *s) { int n = 0; while (*s++) n++; return n; }",
            Concept::StringLength,
        ),
        (
            "void f(char *d, const char *s, int n) { for (int i = 0; i < n; i++) d[i] = s[i]; }",
            Concept::CopyLoop,
        ),
        (
            "int f(int *a, int n) { int s = 0; for (int i = 0; i < n; ++i) s += a[i]; return s; }",
            Concept::Accumulate,
        ),
        (
            "struct n *f(struct n *p, int k) { while (p) { if (p->k == k) return p; p = p->next; } return NULL; }",
            Concept::LinkedList,
        ),
        (
            "int f(unsigned x) { return x && !(x & (x - 1)); }",
            Concept::PowerOfTwo,
        ),
        (
            "int f(int n) { return n < 2 ? 1 : n * f(n - 1); }",
            Concept::Recursion,
        ),
        (
            "int f(int (*g)(int), int x) { return g(x); }",
            Concept::IndirectCall,
        ),
        ("void f() { }", Concept::EmptyBody),
        (
            "int f(const char *p) { return unlink(p); }",
            Concept::Wrapper,
        ),
        (
            "float f(float a, float b, float t) { return a + t * (b - a); }",
            Concept::Interpolate,
        ),
        (
            "int f(const void *a, const void *b) { return *(int *)a - *(int *)b; }",
            Concept::ThreeWay,
        ),
        ("constexpr int f() { return 42; }", Concept::CompileTime),
    ] {
        assert!(
            has(text, concept),
            "{concept:?}: {:?}",
            render_c(text).concepts
        );
    }
    assert!(!has(
        "int f(int a) { do { a++; } while (0); return a; }",
        Concept::Loop
    ));
    assert!(!has(
        "int f(int a, int b) { return a < b ? a : 0; }",
        Concept::Minimum
    ));
}

#[test]
fn library_functions_are_read_and_own_ones_are_not() {
    let text = "size_t q1(const char *q2) { return strlen(q2); }";
    assert!(words(&render_c(text), Field::Calls).contains(&"length"));
    assert!(words(&render_c(&text.replace("strlen", "XSTRLEN")), Field::Calls).contains(&"length"));
    assert!(words(&render_c(&text.replace("strlen", "q3")), Field::Calls).is_empty());
}

#[test]
fn renaming_changes_nothing_but_the_names() {
    let text = "static int total(const int *values, size_t count) {\n  int sum = 0;\n  for (size_t i = 0; i < count; i++) {\n    \
                if (values[i] > LIMIT) sum += scale(values[i]);\n  }\n  return sum;\n}";
    let mut renamed = text.to_owned();
    for (at, name) in ["total", "values", "count", "sum", "LIMIT", "scale"]
        .iter()
        .enumerate()
    {
        renamed = renamed.replace(name, &format!("z{at}c0ffee9b1d"));
    }
    let nameless = |text: &str| {
        let mut rendering = render_c(text);
        rendering.words.retain(|(field, _)| *field != Field::Names);
        rendering
    };
    assert_eq!(nameless(text), nameless(&renamed));
    assert!(words(&render_c(text), Field::Names).contains(&"total"));
    // Names that nobody wrote have no words.
    assert!(words(&render_c(&renamed), Field::Names).is_empty());
}

#[test]
fn deep_and_unclosed_texts_end() {
    for text in [
        "(".repeat(100_000),
        "int f() {".to_owned() + &"if (x) {".repeat(20_000),
        "a<".repeat(100_000),
        "a ? b : ".repeat(50_000),
        "-".repeat(100_000),
        "int f() { return ".to_owned() + &"!".repeat(50_000) + "x; }",
        "x = [".repeat(30_000),
        "template <".repeat(30_000),
    ] {
        render_c(&text);
    }
}

proptest! {
    #[test]
    fn no_text_is_an_error(text in "\\PC{0,200}") {
        render_c(&text);
    }

    #[test]
    fn no_order_of_tokens_is_an_error(tokens in prop::collection::vec(prop::sample::select(vec![
        "int", "f", "(", ")", "{", "}", "[", "]", "<", ">", ">>", "::", ";", ",", "=", "*", "&", "->", ".", "if", "else", "for", "while",
        "do", "switch", "case", "default", ":", "?", "return", "\"s\"", "'c'", "0x1f", "operator", "template", "class", "auto", "const",
        "static_cast", "new", "delete", "sizeof", "throw", "try", "catch", "#if", "\n", "...", "~", "!", "+", "-", "x", "std", "this",
    ]), 0..120)) {
        let text = tokens.join(" ");
        prop_assert_eq!(render_c(&text), render_c(&text));
    }
}

#[test]
fn a_description_is_the_same_whatever_its_names_are() {
    let named = "static int max_value(const int *values, int n) { int best = values[0]; for (int i = 1; i < n; i++) if (values[i] > best) best = values[i]; return best; }";
    let bare = "static int f1(const int *p1, int p2) { int v1 = p1[0]; for (int v2 = 1; v2 < p2; v2++) if (p1[v2] > v1) v1 = p1[v2]; return v1; }";
    let text = description(&render_c(named));
    assert_eq!(text, description(&render_c(bare)));
    assert!(text.contains("constant"), "{text}");
    assert!(text.contains("loop iterate"), "{text}");
    // Nothing at all is still a sentence, and each construct is named once.
    assert!(description(&render_c("")).starts_with("The function takes no input"));
    assert_eq!(text.matches("greater larger").count(), 1, "{text}");
}

#[test]
fn what_the_renderer_does_not_know_is_not_described() {
    let source = "int f(int a) { return a + 1; }";
    assert!(describe(source, Some(Language::C)).is_some() && describe(source, None).is_none());
    // What it is called does not matter for lowered code.
    for x86 in [
        "push %rbp\nmov %rsp,%rbp\nmov %edi,-0x4(%rbp)\npop %rbp\nret",
        "push rbp\nmov rbp,rsp\nmov eax,DWORD PTR [rbp-4]\npop rbp\nret",
        "endbr64\nret",
    ] {
        assert!(describe(x86, None).is_some(), "{x86}");
    }
    for other in [
        "sub sp, sp, #16\nadd w0, w0, w1\nmov w1, 0\nadd sp, sp, 16\nret",
        "add a0,a0,a1\nadd sp,sp,16\nret",
        "define i32 @f(i32 %0) {\n  %2 = add nsw i32 %0, 1\n  ret i32 %2\n}",
    ] {
        assert!(describe(other, None).is_none(), "{other}");
    }
    assert!(
        describe(
            "define i32 @f(i32 %0) {\n  ret i32 %0\n}",
            Some(Language::C)
        )
        .is_none()
    );
    assert!(describe("(func (param i32) (result i32)\nlocal.get 0)", None).is_some());
}
