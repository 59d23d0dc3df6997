//! Closures of a library that is there: the packages that barecode is built from.

use std::path::Path;

use barecode_check::{Question, Verdict};
use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, extract};
use barecode_records::{Language, PieceKind};
use barecode_sources::{Source, SourceConfig};

use crate::{config, judge};

const HEADERS: [&str; 12] = [
    "assert.h",
    "ctype.h",
    "inttypes.h",
    "limits.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "wctype.h",
];

#[test]
fn closures_of_a_library_get_the_verdicts_that_each_gets_alone() {
    let judge = judge(&config());
    let compiler = judge.compiler();
    let defines = |name: &str| (name.to_owned(), compiler.header_macros(name).unwrap());
    let headers = Dialects {
        c: StandardHeaders::new(
            Language::C,
            compiler.predefined_macros(),
            HEADERS.map(defines),
        ),
        cpp: None,
    };
    let library = SourceConfig {
        from: "cargo:tree-sitter".to_owned(),
        include: vec!["src/**".to_owned(), "include/**".to_owned()],
        limit: Some(96),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&library, Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
    let questions: Vec<Question> = extraction
        .kept
        .iter()
        .flat_map(|function| {
            let whole = Question::of(function, &function.closure);
            // The same without its first piece that is no header, which many cannot do without.
            let mut lacking = whole.clone();
            let first = function
                .closure
                .pieces
                .iter()
                .find(|piece| piece.kind == PieceKind::Declaration);
            if let Some(piece) = first {
                let (start, end) = (piece.span.start as usize, piece.span.end as usize);
                let blank = " ".repeat(end - start);
                lacking.text.replace_range(start..end, &blank);
            }
            [whole, lacking]
        })
        .collect();
    assert!(questions.len() >= 100, "{}", questions.len());
    let verdicts = judge.judge_all(&questions).unwrap();
    let mut accepted = 0;
    for (question, verdict) in questions.iter().zip(&verdicts) {
        assert_eq!(
            verdict,
            &judge.judge(question).unwrap(),
            "{}",
            question.text
        );
        accepted += usize::from(matches!(verdict, Verdict::Compiled { .. }));
    }
    assert!(
        accepted >= 80 && accepted < questions.len(),
        "{accepted} of {}",
        questions.len()
    );
}
