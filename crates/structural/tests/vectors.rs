//! What is done to the elements of small arrays: the same for code that is written out, in a loop, over members, and
//! lowered. The listings in `lowered/` were compiled from functions of our own by GCC 12 and clang 14.

use barecode_structural::{
    Concept, Question, Rendering, StructuralIndex, render_assembly, render_c, render_wasm,
};
use proptest::prelude::*;

/// One operation for each element.
#[derive(Debug, Clone, Copy)]
struct Operation {
    value: &'static str,
    concept: Concept,
}

/// `A` and `B` are elements of two parameters, `s` is a scalar.
const OPERATIONS: [Operation; 14] = [
    of("A + B", Concept::AddElements),
    of("A - B", Concept::SubtractElements),
    of("A * B", Concept::MultiplyElements),
    of("A / B", Concept::DivideElements),
    of("A * s", Concept::ScaleElements),
    of("A / s", Concept::DivideByScalar),
    of("A + s", Concept::AddScalar),
    of("-A", Concept::NegateElements),
    of("A", Concept::CopyElements),
    of("s", Concept::Broadcast),
    of("A < B ? A : B", Concept::MinimumElements),
    of("A < B ? B : A", Concept::MaximumElements),
    of("A + (B - A) * s", Concept::Interpolate),
    of("(A + B) / 2", Concept::Midpoint),
];

const fn of(value: &'static str, concept: Concept) -> Operation {
    Operation { value, concept }
}

const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];

/// The value with the elements at `index` of `a` and `b`.
fn value(operation: Operation, index: &str) -> String {
    let value = operation.value.replace('A', &format!("a{index}"));
    value.replace('B', &format!("b{index}"))
}

fn function(body: &str) -> String {
    format!("void f(float *out, const float *a, const float *b, float s) {{ {body} }}")
}

/// Written out with constant indices.
fn written_out(operation: Operation, count: usize) -> String {
    let lines = (0..count).map(|at| {
        let index = format!("[{at}]");
        format!("out{index} = {};", value(operation, &index))
    });
    function(&lines.collect::<String>())
}

/// A loop with a constant end.
fn counted(operation: Operation, count: usize) -> String {
    let body = value(operation, "[i]");
    function(&format!(
        "for (int i = 0; i < {count}; ++i) {{ out[i] = {body}; }}"
    ))
}

/// The members of structures.
fn members(operation: Operation, count: usize) -> String {
    let lines = MEMBERS.iter().take(count).map(|member| {
        let value = value(operation, &format!("->{member}"));
        format!("out->{member} = {value};")
    });
    format!(
        "void f(struct v *out, const struct v *a, const struct v *b, float s) {{ {} }}",
        lines.collect::<String>()
    )
}

/// A structure that is returned.
fn returned(operation: Operation, count: usize) -> String {
    let values = MEMBERS.iter().take(count);
    let values: Vec<String> = values
        .map(|member| value(operation, &format!(".{member}")))
        .collect();
    format!(
        "struct v f(struct v a, struct v b, float s) {{ return (struct v){{ {} }}; }}",
        values.join(", ")
    )
}

fn outputs(rendering: &Rendering) -> Vec<u32> {
    let sizes = rendering.signature.sizes_out.iter();
    sizes.map(|size| size.iter().product()).collect()
}

proptest! {
    #[test]
    fn an_operation_is_the_same_however_it_is_written(
        which in 0..OPERATIONS.len(),
        count in 2_usize..=4,
        side in 2_usize..=40,
    ) {
        let operation = OPERATIONS[which];
        for (form, text) in [
            ("written out", written_out(operation, count)),
            ("counted", counted(operation, count)),
            ("members", members(operation, count)),
            ("returned", returned(operation, count)),
        ] {
            let rendering = render_c(&text);
            let found = &rendering.signature.operations;
            prop_assert!(found.contains(&operation.concept), "{form}: {text} {found:?}");
            prop_assert_eq!(outputs(&rendering), [u32::try_from(count).unwrap()], "{}: {}", form, text);
        }
        // The end of a loop changes the dimensions only.
        let long = render_c(&counted(operation, side)).signature;
        let short = render_c(&counted(operation, count)).signature;
        prop_assert_eq!(long.operations, short.operations);
    }

    #[test]
    fn any_body_is_read_to_its_end(
        parts in proptest::collection::vec("(for \\(i = [0-9]{1,6}; i < [n0-9]{1,4}; i\\+\\+\\) |if \\(a\\[i\\]\\) |a\\[[0-9i]{1,9}\\] = b\\[i\\] [*+/] |b\\[255\\]\\[4095\\]\\[[0-9]{1,5}\\]\\[9\\] = |\\*a(\\+\\+|--)? = |return |\\{|\\}|;|i = -1;|while \\(1\\)|a = b;|m\\(1, 2\\)|x\\.y\\.z = |\\(\\{)", 0..60)
    ) {
        let text = format!("float f(float *a, float b[4][4], int i, struct s m) {{ {} }}", parts.concat());
        let rendering = render_c(&text);
        prop_assert_eq!(render_c(&text), rendering);
    }
}

#[test]
fn reductions_are_found_in_sums_and_in_loops() {
    let head = "float f(const float a[3], const float b[3])";
    for (body, concept) in [
        (
            "return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];",
            Concept::DotProduct,
        ),
        (
            "float r = 0; for (int i = 0; i < 3; i++) r += a[i] * b[i]; return r;",
            Concept::DotProduct,
        ),
        (
            "return sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);",
            Concept::Norm,
        ),
        (
            "float r = 0; for (int i = 0; i < 3; i++) r += a[i] * a[i]; return sqrt(r);",
            Concept::Norm,
        ),
        ("return a[0] + a[1] + a[2];", Concept::SumOfElements),
        ("return a[0] * a[1] * a[2];", Concept::ProductOfElements),
        (
            "return fabsf(a[0]) + fabsf(a[1]) + fabsf(a[2]);",
            Concept::SumOfAbsolutes,
        ),
        (
            "float m = a[0]; if (a[1] < m) m = a[1]; if (a[2] < m) m = a[2]; return m;",
            Concept::SmallestElement,
        ),
        (
            "float x = a[0] - b[0], y = a[1] - b[1]; return sqrtf(x * x + y * y);",
            Concept::Distance,
        ),
        (
            "return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];",
            Concept::AllEqual,
        ),
        (
            "for (int i = 0; i < 3; i++) if (a[i] != b[i]) return 0; return 1;",
            Concept::AllEqual,
        ),
    ] {
        let found = render_c(&format!("{head} {{ {body} }}"))
            .signature
            .operations;
        assert!(found.contains(&concept), "{body}: {found:?}");
    }
}

#[test]
fn matrices_are_turned_multiplied_and_summed() {
    for (text, concept, sizes) in [
        (
            "void f(float d[2][3], float m[3][2]) { for (int i = 0; i < 2; i++) for (int j = 0; j < 3; j++) d[i][j] = m[j][i]; }",
            Concept::Transpose,
            vec![vec![2, 3]],
        ),
        (
            "void f(float d[2][3], float m[3][2]) { d[0][0] = m[0][0]; d[0][1] = m[1][0]; d[0][2] = m[2][0]; d[1][0] = m[0][1]; d[1][1] = m[1][1]; d[1][2] = m[2][1]; }",
            Concept::Transpose,
            vec![vec![2, 3]],
        ),
        (
            "void f(float *d, float *m, float *v) { d[0] = m[0] * v[0] + m[1] * v[1]; d[1] = m[2] * v[0] + m[3] * v[1]; }",
            Concept::MatrixByVector,
            vec![vec![2]],
        ),
        (
            "float f(float m[3][3]) { return m[0][0] + m[1][1] + m[2][2]; }",
            Concept::Diagonal,
            vec![],
        ),
        (
            "float f(float m[2][2]) { return m[0][0] * m[1][1] - m[0][1] * m[1][0]; }",
            Concept::Determinant,
            vec![],
        ),
        (
            "void f(float m[3][3]) { memset(m, 0, 36); m[0][0] = m[1][1] = m[2][2] = 1; }",
            Concept::Identity,
            vec![vec![3, 3]],
        ),
        (
            "void f(struct m *d, struct m *a) { d->p.x = -a->p.x; d->p.y = -a->p.y; d->q.x = -a->q.x; d->q.y = -a->q.y; }",
            Concept::NegateElements,
            vec![vec![2, 2]],
        ),
        (
            "struct q f(struct q a) { struct q r; r.v.x = -a.v.x; r.v.y = -a.v.y; r.v.z = -a.v.z; r.s = a.s; return r; }",
            Concept::Conjugate,
            vec![vec![4]],
        ),
    ] {
        let signature = render_c(text).signature;
        assert!(
            signature.operations.contains(&concept),
            "{text}: {:?}",
            signature.operations
        );
        assert_eq!(signature.sizes_out, sizes, "{text}");
    }
}

#[test]
fn a_loop_without_a_constant_end_has_the_operation_and_no_dimensions() {
    let text = "void f(double *v, double by, int n) { for (int i = 0; i < n; i++) v[i] *= by; }";
    let signature = render_c(text).signature;
    assert!(signature.operations.contains(&Concept::ScaleElements));
    assert!(signature.sizes_in.is_empty() && signature.sizes_out.is_empty());
}

#[test]
fn what_is_no_operation_on_elements_is_none() {
    for text in [
        // Pointers that move on.
        "struct n *f(struct n *p) { while (p->next) p = p->next; return p; }",
        "void f(struct n *p) { free(p); p = NULL; }",
        // Rows and columns of unknown number, which are not followed.
        "void f(float **t, float **a, int n, int m) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) t[j][i] = a[i][j]; }",
        "void f(int *out, int n) { for (int i = 0; i < n; i++) out[i] = i; }",
        "void f(int *a, int n) { switch (n) { case 0: a[0] = 1; a[1] = 1; break; } a[0] = 0; a[1] = 0; }",
    ] {
        assert_eq!(render_c(text).signature.operations, [], "{text}");
    }
    let sign = "void f(float *r, float *a) { r[0] = a[0] < 0 ? -1 : 1; r[1] = a[1] < 0 ? -1 : 1; }";
    assert_eq!(
        render_c(sign).signature.operations,
        [Concept::ComponentWise]
    );
}

#[test]
fn pointers_copies_and_ends_of_loops_are_followed() {
    for (text, concept, sizes) in [
        (
            "void f(float *d, const float *s) { *d++ = *s++; *d++ = *s++; *d++ = *s++; }",
            Concept::CopyElements,
            vec![vec![3]],
        ),
        (
            "void f(float *d, const float *s) { const float *p = &s[1]; d[0] = p[1]; d[1] = p[0]; d[2] = *s; }",
            Concept::Reverse,
            vec![vec![3]],
        ),
        (
            "struct v f(struct v a, float s) { struct v r = a; r.x = r.x * s; r.y = r.y * s; return r; }",
            Concept::ScaleElements,
            vec![vec![2]],
        ),
        (
            "void f(float *d, float *a) { for (int i = 0; i < 9; i++) { if (i == 2) break; d[i] = -a[i]; } }",
            Concept::NegateElements,
            vec![vec![2]],
        ),
        (
            "void f(float *d, float *a, float *b) { for (int i = 0; i < 2; i++) d[i] = (a[i] + b[i]) * (1.0f / 2.0f); }",
            Concept::Midpoint,
            vec![vec![2]],
        ),
    ] {
        let signature = render_c(text).signature;
        let found = &signature.operations;
        assert!(found.contains(&concept), "{text}: {found:?}");
        assert_eq!(signature.sizes_out, sizes, "{text}");
    }
}

#[test]
fn large_indices_are_no_dimensions() {
    for text in [
        "int f(int ****a) { a[255][255][255][255] = 1; a[0][0][0][0] = 1; return 0; }",
        "int f(int ***a) { return a[4095][4095][4095] + a[1][1][1]; }",
        "int f(int ***a) { memset(a, 0, 9); a[4095][4095][4095] = 1; a[0][0][0] = 1; return 0; }",
        "int f(int *a) { a[99999999999999999999] = 1; a[4294967295] = 2; return a[-1]; }",
    ] {
        let signature = render_c(text).signature;
        assert!(
            signature.sizes_in.is_empty() && signature.sizes_out.is_empty(),
            "{text}"
        );
    }
    let far = "(func (param i32) local.get 0 i32.const 1 i32.store8 offset=4294967295 local.get 0 i32.const 1 i32.store8 offset=1)";
    assert_eq!(render_wasm(far).signature.sizes_out, [[2]]);
}

#[test]
fn lowered_code_does_the_same_to_elements() {
    for (assembly, wasm, concept, sizes_in) in [
        (
            include_str!("lowered/plus.s"),
            include_str!("lowered/plus.wat"),
            Concept::AddElements,
            vec![vec![3], vec![3]],
        ),
        (
            include_str!("lowered/inner.s"),
            include_str!("lowered/inner.wat"),
            Concept::DotProduct,
            vec![vec![3], vec![3]],
        ),
        (
            include_str!("lowered/turn.s"),
            include_str!("lowered/turn.wat"),
            Concept::Transpose,
            vec![vec![6]],
        ),
        (
            include_str!("lowered/scaled.s"),
            include_str!("lowered/scaled.wat"),
            Concept::ScaleElements,
            vec![],
        ),
    ] {
        for rendering in [render_assembly(assembly), render_wasm(wasm)] {
            let signature = rendering.signature;
            assert!(
                signature.operations.contains(&concept),
                "{concept:?} {:?}",
                signature.operations
            );
            assert_eq!(signature.sizes_in, sizes_in, "{concept:?}");
        }
    }
}

#[test]
fn sentences_name_operations_and_dimensions() {
    for (text, concept, sizes) in [
        (
            "Computes the transpose of an array of three 2-element float arrays.",
            Some(Concept::Transpose),
            vec![vec![3, 2]],
        ),
        (
            "Calculates the component-wise minimum of two arrays of three integers.",
            Some(Concept::MinimumElements),
            vec![vec![3]],
        ),
        (
            "Returns the determinant of a 3×3 matrix.",
            Some(Concept::Determinant),
            vec![vec![3, 3]],
        ),
        (
            "Multiplies two quaternions.",
            Some(Concept::QuaternionProduct),
            vec![vec![4]],
        ),
        // Words that mean something else where no small array is meant.
        ("Returns the length of the text.", None, vec![]),
        ("Copies the file to another folder.", None, vec![]),
        ("Compares the components of two paths.", None, vec![]),
    ] {
        let read = Question::read(text);
        match concept {
            Some(concept) => assert!(read.operations.contains(&concept), "{text}: {read:?}"),
            None => assert_eq!(read.operations, [], "{text}"),
        }
        let found: Vec<Vec<u32>> = read.sizes.into_iter().map(|(_, size)| size).collect();
        assert_eq!(found, sizes, "{text}");
    }
}

#[test]
fn a_sentence_finds_the_right_one_of_alike_functions() {
    let texts: Vec<String> = [2, 3, 4]
        .into_iter()
        .flat_map(|count| OPERATIONS.map(|operation| written_out(operation, count)))
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let index = StructuralIndex::of(&texts, barecode_structural::Options::default());
    for (sentence, concept, count) in [
        (
            "The component-wise sum of two vectors of 3 elements",
            Concept::AddElements,
            3,
        ),
        (
            "Component-wise maximum of two 4-element float arrays",
            Concept::MaximumElements,
            4,
        ),
        (
            "Linearly interpolates between two 2-element vectors",
            Concept::Interpolate,
            2,
        ),
        (
            "Divides each component of a three-element float array by a scalar",
            Concept::DivideByScalar,
            3,
        ),
    ] {
        let scores = index.scores(sentence);
        let best = (0..texts.len()).max_by(|a, b| scores[*a].total_cmp(&scores[*b]));
        let which = OPERATIONS.iter().position(|it| it.concept == concept);
        let expected = (count - 2) * OPERATIONS.len() + which.unwrap();
        assert_eq!(best, Some(expected), "{sentence}: {}", texts[best.unwrap()]);
    }
}
