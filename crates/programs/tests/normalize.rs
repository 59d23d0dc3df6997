//! Normalization keeps what a program does, by CPython's own trees, and is idempotent.

use std::path::Path;

use barecode_programs::ProgramConfig;
use barecode_programs::normalize::{Keep, normalize};
use barecode_programs::read::read;
use barecode_python::Unparsable;
use barecode_testing::needs;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

/// What CPython answers; nothing without an interpreter.
fn ask(input: &Value) -> Option<Value> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/normalize.py");
    needs::ask(&script, input, &[])
}

const KEEPS: [Keep; 2] = [
    Keep {
        docstrings: false,
        comments: false,
    },
    Keep {
        docstrings: false,
        comments: true,
    },
];

/// Texts that normalization changed in meaning, or changes when it is done again.
fn wrong(texts: &[String]) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut pairs = Vec::new();
    for (text, keep) in texts.iter().flat_map(|text| KEEPS.map(|keep| (text, keep))) {
        match normalize(text, keep) {
            Ok(normalized) => {
                let again = normalize(&normalized.text, keep).map(|again| again.text);
                if again.as_ref() != Ok(&normalized.text) {
                    wrong.push(format!("not idempotent ({again:?}): {text}"));
                }
                pairs.push((text, normalized.text));
            }
            // A text that is refused is not changed.
            Err(Unparsable::TooDeep) => {}
            Err(error) => wrong.push(format!("{error}: {text}")),
        }
    }
    let Some(Value::Array(different)) = ask(&json!(pairs)) else {
        return wrong;
    };
    let different = different.iter().filter_map(Value::as_u64);
    let different = different.filter_map(|index| pairs.get(usize::try_from(index).ok()?));
    wrong.extend(different.map(|(before, after)| format!("{before}\n=== became\n{after}")));
    wrong
}

#[test]
fn programs_of_data_sets_keep_their_trees() {
    let Some(folder) = needs::data("python") else {
        return;
    };
    let reader = read(&folder, None, "path:x", ProgramConfig::default().cases());
    let candidates = reader.expect("the data sets are known").flatten();
    let texts: Vec<String> = candidates.map(|one| one.text).collect();
    assert!(texts.len() > 1000, "{}", texts.len());
    let wrong = wrong(&texts);
    assert!(wrong.is_empty(), "{} programs: {}", wrong.len(), wrong[0]);
}

#[test]
fn the_standard_library_keeps_its_trees() {
    let Some(Value::Array(texts)) = ask(&json!({"library": true})) else {
        return;
    };
    let texts: Vec<String> = texts
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    assert!(texts.len() > 150, "{}", texts.len());
    let wrong = wrong(&texts);
    assert!(
        wrong.is_empty(),
        "{} of {}: {}",
        wrong.len(),
        texts.len(),
        wrong[0]
    );
}

/// Programs of pieces that are hard to lay out.
fn made() -> impl Strategy<Value = String> {
    let simple = prop::sample::select(vec![
        "x = 1  # c",
        "'s'",
        "\"\"\"a\n# b\n\n\n  c\"\"\"",
        "x = [1,  # c\n\n  2]  ",
        "f'{x}# {x!r:>{3}}'",
        "pass;",
        "'d'; x = 2",
        "x = 1 + \\\n\t2",
        "('doc')",
        "'a' 'b'",
        "# only",
        "",
        "",
        "\x0c",
        "x = '''\\\n\t \n'''",
        "global g",
        "r'\\\\'  ",
        "b'x'",
        "x = (  # c\n  'a'  # d\n  # e\n)",
        "if x: 'a'  # c",
        "lambda: (yield)",
        "x\t=\t1\t",
        "rf'''{x}\n# {x}\n\n'''",
    ]);
    let block = (
        prop::sample::select(vec![
            "def f():",
            "class A: # c",
            "if x:",
            "async def g(a,\n  b): ",
            "while x:  ",
            "@d\ndef h(x):",
        ]),
        prop::collection::vec(simple.clone(), 1..5),
        prop::sample::select(vec!["    ", "\t", "  ", "        \t"]),
    );
    let block = block.prop_map(|(head, body, indent)| {
        let body = body.iter().map(|line| {
            // Inside of brackets and strings an indentation of the first line is enough.
            format!("{indent}{line}\n")
        });
        format!("{head}\n{}{indent}x = 0\n", body.collect::<String>())
    });
    let piece = prop_oneof![simple.prop_map(|line| format!("{line}\n")), block];
    let end = prop::sample::select(vec!["", "\n\n\n", "# end", "  ", "x"]);
    (prop::collection::vec(piece, 0..8), end, any::<bool>()).prop_map(|(pieces, end, carriage)| {
        let text = pieces.concat() + end;
        if carriage {
            text.replace('\n', "\r\n")
        } else {
            text
        }
    })
}

#[test]
fn made_programs_keep_their_trees() {
    let mut runner = TestRunner::new_with_rng(
        Config::default(),
        proptest::test_runner::TestRng::deterministic_rng(
            proptest::test_runner::RngAlgorithm::ChaCha,
        ),
    );
    let strategy = made();
    let texts = (0..3000).map(|_| {
        strategy
            .new_tree(&mut runner)
            .expect("a text is made")
            .current()
    });
    let texts: Vec<String> = texts
        .filter(|text| normalize(text, Keep::default()).is_ok())
        .collect();
    assert!(texts.len() > 2000, "{}", texts.len());
    let wrong = wrong(&texts);
    assert!(
        wrong.is_empty(),
        "{} of {}: {}",
        wrong.len(),
        texts.len(),
        wrong[0]
    );
}

proptest! {
    #[test]
    fn no_text_makes_normalization_panic(text in "[ \t\n\r'\"#\\\\(){}a-z:=\u{a0}\u{feff}f0-9.,;@e\u{301}]{0,60}") {
        for keep in KEEPS {
            if let Ok(normalized) = normalize(&text, keep) {
                let again = normalize(&normalized.text, keep).map(|again| again.text);
                prop_assert_eq!(again, Ok(normalized.text));
            }
        }
    }
}
