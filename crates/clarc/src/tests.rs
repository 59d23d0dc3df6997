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
fn macros_in_the_body_of_a_definition_stay() {
    assert_eq!(
        one("int f(int n) {\n#define ONE 1\n#define TWO (ONE + ONE)\n  return n + TWO;\n}"),
        "int func_0(int var_0) {\n#define MACRO_0 1\n#define MACRO_1 (ONE + ONE)\n  return var_0 + MACRO_1;\n}"
    );
}

/// The conditions that hold for clang 14 with `-std=c++17` on 64-bit Linux.
#[test]
fn conditions_hold_where_clang_says_so() {
    let is_taken = |condition: &str| {
        let text = format!("int f(int n) {{\n#if {condition}\n  return n;\n#endif\n}}");
        neutralized(&text, Group::Two).contains("return var_0;")
    };
    for condition in [
        "__GNUC__ >= 4",
        "__clang__",
        "__cplusplus >= 201703L",
        "__SIZEOF_POINTER__ == 8 && CHAR_BIT == 8",
        "__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__",
        "INT_MAX == 0x7fffffff && UINT_MAX == 0XFFFFFFFFu",
        "LONG_MAX == INT64_MAX && ULONG_MAX == SIZE_MAX",
        "LONG_MAX > INT_MAX && ULONG_MAX > LONG_MAX",
        "defined __linux__ && !defined(LIB_FAST)",
        "-1 < 0 && ~0 == -1 && +1 == 1",
        "1'000 == 10 * (99 + 1)",
        "LIB_FAST == 0",
    ] {
        assert!(is_taken(condition), "{condition}");
    }
    for condition in [
        "__GNUC__ > 4",
        "__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__",
        "defined linux || defined(unix)",
        "LIB_FAST",
        "0x10 == 10",
        "!(2 - 1)",
    ] {
        assert!(!is_taken(condition), "{condition}");
    }
}

#[test]
fn macros_with_arguments_among_specifiers() {
    assert_eq!(
        one("LIB_API(int) twice(int n) { return 2 * n; }"),
        "MACRO_0(int) func_0(int var_0) { return 2 * var_0; }"
    );
}

/// Text before a function changes only the number of functions in it.
#[test]
fn a_function_behind_another_is_read_as_alone() {
    let first = "static void first(void) { return; }\n";
    for second in [
        "LIB_API real_t half(real_t x) { return x / 2; }",
        "LIB_API(int) twice(int n) { return 2 * n; }",
        "LIB_API LIB_INLINE real_t *twice(int n UNUSED) NOTHROW { return n; }",
        "LIB_OLD(\"why\") lib::text twice(int n) { return n; }",
        "lib_api struct node *next(struct node *n) { return n->next; }",
        "lib_api node_t *next(node_t *n) { return n->next; }",
    ] {
        for group in [Group::One, Group::Two, Group::Three] {
            let alone = neutralized(second, group).replace("func_0", "func_1");
            let both = neutralized(&format!("{first}{second}"), group);
            let expected = format!("static void func_0(void) {{ return; }}\n{alone}");
            assert_eq!(both, expected, "{group:?}");
        }
    }
}

#[test]
fn members_are_named_by_the_type_of_their_variable() {
    assert_eq!(
        neutralized(
            "int f(const struct tm *t, node_t *n) { return t->tm_year + n->tm_year; }",
            Group::Two
        ),
        "int func_0(const struct tm *var_0, struct_0 *var_1) { return var_0->tm_year + var_1->field_0; }"
    );
}

#[test]
fn branches_that_are_not_compiled_have_names_of_their_own_by_type() {
    let text = "int f(int n) {\n#if LIB_FAST\n  long m = n;\n  p.n(m, ns::n);\n#else\n  int m = n;\n#endif\n  return m;\n}";
    let expected = "int func_0(int var_0) {\n#if LIB_FAST\n  long var_1 = var_0;\n  p.n(var_1, ns::n);\n#else\n  int var_2 = var_0;\n#endif\n  return var_2;\n}";
    assert_eq!(one(text), format!("{MARKER}{expected}"));
}

#[test]
fn a_product_among_arguments_declares_nothing() {
    let text = "int f(int n) {\n  int a = n;\n  int b = n;\n#if LIB_FAST\n  a = 1;\n#endif\n  return both(a * b, b);\n}";
    let expected = "int func_0(int var_0) {\n  int var_1 = var_0;\n  int var_2 = var_0;\n#if LIB_FAST\n  var_1 = 1;\n#endif\n  return MACRO_0(var_1 * var_2, var_2);\n}";
    assert_eq!(one(text), format!("{MARKER}{expected}"));
}

/// Our text beside a released one: why they are not equal, and whether ours has the form.
fn compared(released: Released, ours: &str, theirs: &str) -> (Option<&'static str>, bool) {
    let lowered = barecode_check::Lowered {
        target: Some(ours.to_owned()),
        helpers: Vec::new(),
        whole: Some(ours.to_owned()),
    };
    let comparison = compare(released, &Ok(lowered), theirs);
    assert_eq!(comparison.equal, comparison.cause.is_none());
    assert_eq!(comparison.equal, comparison.detail.is_empty());
    (comparison.cause, comparison.same_form)
}

#[test]
fn a_difference_of_assembly_has_a_cause() {
    let cause = |ours: &str, theirs: &str| compared(Released::AssemblyShort, ours, theirs).0;
    let text = "mov $0x1,%eax\nadd %edi,%eax\nret";
    assert_eq!(cause(text, "mov $0x1,%eax  \n\nadd %edi,%eax\nret\n"), None);
    let number = cause(text, "mov $0x2,%eax\nadd %edi,%eax\nret").unwrap();
    assert!(number.starts_with("a number"), "{number}");
    let order = cause(text, "add %edi,%eax\nmov $0x7,%eax\nret").unwrap();
    assert!(order.starts_with("the same instructions"), "{order}");
    for other in ["mov $0x1,%eax\nret", "mov $0x1,%eax\nsub %edi,%eax\nret"] {
        let other = cause(text, other).unwrap();
        assert!(other.starts_with("other instructions"), "{other}");
    }
}

#[test]
fn labels_and_names_are_not_of_the_form_of_a_listing() {
    let has_form = |ours: &str| compared(Released::AssemblyLong, ours, "ret").1;
    assert!(has_form("mov $0x1,%eax\nret"));
    for line in [
        ".L0:",
        "call func_0",
        "lea data_0(%rip),%rax",
        "call 10 <puts>",
    ] {
        assert!(!has_form(&format!("{line}\nret")), "{line}");
    }
}

#[test]
fn a_difference_of_webassembly_has_a_cause() {
    let text = |head: &str, local: &str, body: &str| {
        format!("(func (;5;) {head}\n  (local {local})\n  local.get 0\n  call 7\n  {body})")
    };
    let ours = text("(type 1) (param i32) (result i32)", "i32", "i32.const 3");
    let cause = |theirs: String| compared(Released::Wasm, &ours, &theirs).0;
    // Indices and addresses of data are the linker's.
    let linked = ours.replace("call 7", "call 9").replace("(;5;)", "(;6;)");
    assert_eq!(cause(linked.replace("(type 1)", "(type 2)")), None);
    for (theirs, expected) in [
        (ours.replace("(result i32)", "(result i64)"), "another type"),
        (
            ours.replace("i32.const 3", "f32.const 3"),
            "other instructions",
        ),
        (ours.replace("(local i32)", "(local i64)"), "other locals"),
        (
            ours.replace("i32.const 3", "i32.const 4"),
            "the same instructions",
        ),
    ] {
        let found = cause(theirs).unwrap();
        assert!(found.starts_with(expected), "{found}, expected {expected}");
    }
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
