use super::renamed::{MARKER, code};
use super::*;

fn one(text: &str) -> String {
    neutralized(text, Group::One)
}

#[test]
fn functions_and_variables_count_by_first_appearance() {
    let text = "int sum(const int *list, int n) { int total = 0; for (int i = 0; i < n; i++) total += list[i]; return total; }";
    let expected = "int func_0(const int *var_0, int var_1) { int var_2 = 0; for (int var_3 = 0; var_3 < var_1; var_3++) var_2 += var_0[var_3]; return var_2; }";
    assert_eq!(one(text), expected);
}

#[test]
fn standard_names_stay_and_standard_macros_do_not() {
    let text =
        "FILE *load(char *p) { if (p == NULL) fprintf(stderr, \"no\"); return fopen(p, \"r\"); }";
    let expected = "FILE *func_0(char *var_0) { if (var_0 == MACRO_0) fprintf(MACRO_1, \"no\"); return fopen(var_0, \"r\"); }";
    assert_eq!(one(text), expected);
}

#[test]
fn macros_stay_in_the_arguments_of_macros() {
    assert_eq!(
        one("void f(FILE *to) { assert(to != stdout); puts(NAME); }"),
        "void func_0(FILE *var_0) { MACRO_0(var_0 != stdout); puts(MACRO_1); }"
    );
}

#[test]
fn macros_among_specifiers() {
    assert_eq!(
        one("static LIB_INLINE int f(int a UNUSED) NOTHROW { return a; }"),
        "static MACRO_0 int func_0(int var_0 MACRO_1) MACRO_2 { return var_0; }"
    );
    assert_eq!(
        one("LIB_OLD(\"why\") bool f() { return true; }"),
        "MACRO_0(\"why\") bool func_0() { return true; }"
    );
    assert_eq!(
        one("real_t half(real_t x) { return x / 2; }"),
        "MACRO_0 func_0(MACRO_0 var_0) { return var_0 / 2; }"
    );
}

#[test]
fn prototypes_keep_their_parameters() {
    let text = "int twice(int n);\nint twice(int n) { return 2 * n; }";
    assert_eq!(
        one(text),
        "int func_0(int n);\nint func_0(int var_0) { return 2 * var_0; }"
    );
}

#[test]
fn members_and_qualified_names_of_the_library_stay() {
    let text = "std::string name(const std::locale& locale) { std::string copy = locale.name(); return copy.substr(std::string::npos); }";
    let expected = "std::string func_0(const std::locale& var_0) { std::string var_1 = var_0.name(); return var_1.substr(std::string::npos); }";
    assert_eq!(one(text), expected);
}

#[test]
fn labels_stay() {
    assert_eq!(
        one("void f(int n) { if (n) goto end; n = 1; end: return; }"),
        "void func_0(int var_0) { if (var_0) goto end; var_0 = 1; end: return; }"
    );
}

#[test]
fn a_definition_in_the_text_keeps_its_body() {
    assert_eq!(
        one("int f(int n) {\n#define ADD(n) (n + one)\n  return ADD(n);\n}"),
        "int func_0(int var_0) {\n#define MACRO_0(n) (n + one)\n  return MACRO_0(var_0);\n}"
    );
}

#[test]
fn conditions_name_macros_that_are_defined() {
    let text = "int f(int n) {\n#if defined(__GNUC__) && LIB_FAST\n  return n;\n#else\n  int m = n;\n  return m;\n#endif\n}";
    let expected = "int func_0(int var_0) {\n#if defined(MACRO_0) && LIB_FAST\n  return var_0;\n#else\n  int var_1 = var_0;\n  return var_1;\n#endif\n}";
    assert_eq!(one(text), format!("{MARKER}{expected}"));
}

#[test]
fn other_groups_leave_branches_alone() {
    let text = "size_t f(const lib::text *s) {\n#ifdef WIDE\n  return wcslen(s);\n#else\n  return strlen(s);\n#endif\n}";
    let expected = "size_t func_0(const lib::typedef_0 *var_0) {\n#ifdef WIDE\n  return wcslen(s);\n#else\n  return strlen(var_0);\n#endif\n}";
    assert_eq!(neutralized(text, Group::Two), expected);
}

#[test]
fn types_of_the_project_and_their_members() {
    assert_eq!(
        neutralized(
            "int f(const struct node *n) { return n->left + n->right; }",
            Group::Two
        ),
        "int func_0(const struct struct_0 *var_0) { return var_0->field_0 + var_0->field_1; }"
    );
    assert_eq!(
        neutralized("bool f(Mode m) { return m == Mode::kFast; }", Group::Two),
        "bool func_0(struct_0 var_0) { return var_0 == struct_0::enum_0; }"
    );
    assert_eq!(
        neutralized("void f(word_t w) { (void)w; /* gone */ }", Group::Two),
        "void func_0(typedef_0 var_0) { (void)var_0;  }"
    );
}

#[test]
fn helpers_are_functions_in_group_3() {
    assert_eq!(
        neutralized(
            "char f(char c) { return isUpper(c) ? c : LOW(c); }",
            Group::Three
        ),
        "char func_0(char var_0) { return func_1(var_0) ? var_0 : MACRO_0(var_0); }"
    );
}

#[test]
fn codes_keep_the_first_letter_and_are_the_same_everywhere() {
    let text = randomized("int count(int n) { return n + LIMIT; }", Group::One);
    assert_eq!(
        text,
        format!(
            "int {}(int {n}) {{ return {n} + LIMIT; }}",
            code("count"),
            n = code("n")
        )
    );
    assert_eq!(code("count").len(), 11);
    assert!(code("count").starts_with('c'));
}

#[test]
fn any_text_is_taken() {
    for text in [
        "",
        "}",
        "((",
        "#if",
        "#endif\n#else\n",
        "#if ((((",
        "f(",
        "int f(,){",
        "é\u{0}\"",
        "a::",
        "::",
        "->x",
        "#define",
    ] {
        for group in [Group::One, Group::Two, Group::Three] {
            let _ = neutralized(text, group);
            let _ = randomized(text, group);
        }
    }
}
