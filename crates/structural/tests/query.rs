//! What sentences ask for.

use barecode_structural::{Options, Question, Shape, StructuralIndex, Trait, render};

#[test]
fn types_go_in_and_come_out() {
    let read = Question::read(
        "The function takes two unsigned integers and a pointer to a constant character string, and returns a boolean.",
    );
    assert_eq!(read.output, Shape::of(&[Trait::Bool]));
    for one in [
        Trait::Int,
        Trait::Unsigned,
        Trait::Text,
        Trait::Pointer,
        Trait::Constant,
    ] {
        assert!(read.inputs.has(one), "{one:?}");
    }
    assert!(read.several.contains(&(2, Trait::Int)));
}

#[test]
fn inputs_are_counted() {
    for (text, count) in [
        ("Takes no input parameters.", Some(0)),
        (
            "It does not accept any input arguments and returns 1.",
            Some(0),
        ),
        ("Accepts a single input of type int.", Some(1)),
        ("The function takes three constant float inputs.", Some(3)),
        ("No additional parameters are required.", None),
        ("Both the input and the output are of type int.", None),
        ("Sorts an array.", None),
    ] {
        assert_eq!(Question::read(text).count, count, "{text}");
    }
}

#[test]
fn nothing_comes_out_only_if_it_says_so() {
    assert!(
        Question::read("It does not return any value.")
            .output
            .has(Trait::Void)
    );
    assert!(Question::read("Returns no value.").output.has(Trait::Void));
    assert!(
        !Question::read("If the strings do not match, it returns -1.")
            .output
            .has(Trait::Void)
    );
    assert!(
        !Question::read("Reached without differences, it returns 0.")
            .output
            .has(Trait::Void)
    );
}

#[test]
fn numbers_and_characters_are_what_they_stand_for() {
    let words =
        Question::read("Is it in 0x20 to 0x7E, or a '#' or \"\\n\"? -1 if not; uint32_t.").words;
    for word in ["32", "126", "'#'", "newline", "-1", "unsigned"] {
        assert!(words.iter().any(|it| it == word), "{word} in {words:?}");
    }
}

#[test]
fn the_parts_of_a_score_are_its_sum_and_equal_documents_score_the_same() {
    let texts = [
        "int a1(int b1, int c1) { return b1 < c1 ? b1 : c1; }",
        "void a2(void) { puts(\"done\"); }",
        "int z9(int y9, int x9) { return y9 < x9 ? y9 : x9; }",
    ];
    let query = "Takes two integers and returns the smaller of both.";
    let nameless = Options {
        names: false,
        learned: true,
    };
    let index = StructuralIndex::of(&texts, nameless);
    let scores = index.scores(query);
    assert_eq!(scores[0].to_bits(), scores[2].to_bits());
    assert!(scores[0] > scores[1]);
    for (document, score) in scores.iter().enumerate() {
        let sum: f64 = index
            .explain(query, document)
            .iter()
            .map(|part| part.score)
            .sum();
        // The learned part is a sum of numbers of 32 bits.
        assert!((sum - score).abs() < 1e-4, "{sum} {score}");
    }
    assert!(index.explain(query, 3).is_empty());
    let none: [&str; 0] = [];
    assert!(
        StructuralIndex::of(&none, Options::default())
            .scores(query)
            .is_empty()
    );
}

#[test]
fn forms_are_told_by_their_look() {
    let source = render("int f(int a) { return a + 1; }");
    assert_eq!(source.signature.parameters.len(), 1);
    // Neither of the others reads this signature from source.
    let wasm = render("(func (;1;) (type 2) (param i32) (result i32)\nlocal.get 0)");
    let assembly = render(
        "endbr64\npush   %rbp\nmov    %rsp,%rbp\nmov    %edi,-0x4(%rbp)\nmov    -0x4(%rbp),%eax\npop    %rbp\nret",
    );
    assert_ne!(wasm, source);
    assert_ne!(assembly, source);
}
