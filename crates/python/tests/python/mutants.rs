//! Mistakes in `HumanEval` and MBPP: they parse, and most of them are noticed.

use barecode_python::{Applying, Context, Module, apply, transforms};

use crate::common::{Program, programs, run};
use crate::rename_programs::context;

#[test]
fn most_mistakes_are_noticed() {
    let Some(programs) = programs() else { return };
    // A part of the programs, unless all are asked for: mistakes make endless loops.
    let step = if std::env::var_os("BARECODE_TEST_ALL_MUTANTS").is_some() {
        1
    } else {
        10
    };
    let programs: Vec<Program> = programs.into_iter().step_by(step).collect();
    let joined = |text: &str, program: &Program| format!("{text}\n{}", program.tests);
    let originals: Vec<String> = programs.iter().map(|it| joined(&it.text, it)).collect();
    let Some(before) = run(&originals, 5.0) else {
        return;
    };
    for transform in transforms::negative() {
        let (mut texts, mut nodes, mut count) = (Vec::new(), 0, 0);
        for (program, outcome) in programs.iter().zip(&before) {
            if outcome.error.is_some() {
                continue;
            }
            count += 1;
            // One mistake.
            let applying = Applying {
                sample_p: 0.0,
                seed: 11,
            };
            let context = context(program);
            let made = apply(transform.as_ref(), &program.text, &context, applying).unwrap();
            if let Some((text, applied, places)) = made {
                assert!(text != program.text && !places.is_empty());
                Module::parse(&text).unwrap();
                nodes += applied.nodes;
                texts.push(joined(&text, program));
            }
        }
        let after = run(&texts, 0.5).unwrap();
        let survived = after
            .iter()
            .filter(|outcome| outcome.error.is_none())
            .count();
        println!(
            "{}: {} of {count} programs, {:.1} nodes each, {survived} survive ({:.1} %)",
            transform.name(),
            texts.len(),
            f64::from(nodes) / texts.len().max(1) as f64,
            100.0 * survived as f64 / texts.len().max(1) as f64,
        );
        assert!(
            texts.len() < 20 || survived * 2 < texts.len(),
            "{}",
            transform.name()
        );
    }
}

#[test]
fn mistakes_are_made_on_covered_lines_only() {
    let text = "def f(a):\n    if a < 1:\n        return a < 2\n    return a < 3\n";
    let context = Context {
        covered: [2, 4].into(),
        ..Context::default()
    };
    let comparison = transforms::named("WrongComparisonOperator").unwrap();
    let applying = Applying {
        sample_p: 1.0,
        seed: 1,
    };
    let (made, applied, _) = apply(comparison.as_ref(), text, &context, applying)
        .unwrap()
        .unwrap();
    assert_eq!(applied.nodes, 2);
    assert!(made.contains("return a < 2"), "{made}");
}

/// One mistake per pair: the text, the transform, and all that it can become.
#[test]
fn mistakes_are_these() {
    let cases: &[(&str, &str, &[&str])] = &[
        (
            "WrongArithmeticOperator",
            "a + b * c\n",
            &["a * (b * c)", "a + (b + c)", "a - b * c"],
        ),
        ("WrongArithmeticOperator", "-a ** 2\n", &["-(a * 2)"]),
        ("WrongArithmeticOperator", "x = 2 * 3\n", &["x = 2 + 3"]),
        ("WrongComparisonOperator", "a<b\n", &["a>b", "a>=b"]),
        ("WrongComparisonOperator", "(a)in(b)\n", &["(a)not in(b)"]),
        ("WrongComparisonOperator", "a is not b\n", &["a is b"]),
        ("WrongBooleanValue", "f(True)\n", &["f(False)"]),
        (
            "WrongBooleanOperator",
            "a and b or c\n",
            &["a or b or c", "a and b and c"],
        ),
        ("WrongAugAssignOperator", "x += 0\n", &["x *= 0", "x /= 0"]),
        (
            "RangeOffByOne",
            "for i in range(n):\n    pass\n",
            &["range(n + 1)", "range(n - 1)"],
        ),
        (
            "RangeOffByOne",
            "for i in range(a if b else c, 3):\n    pass\n",
            &["range((a if b else c) + 1, 3)"],
        ),
        ("NumberWrongSign", "2 ** n\n", &["(-2) ** n"]),
        ("NumberWrongSign", "f(-5)\n", &["f(5)"]),
        (
            "NumberWrongSign",
            "(5).bit_length()\n",
            &["((-5)).bit_length()"],
        ),
        ("RemoveNegation", "x = not(a)\n", &["x = (a)"]),
        (
            "DeletedStatement",
            "def f():\n    x()\n",
            &["def f():\n    pass\n"],
        ),
        ("DeletedStatement", "if a: b()\n", &["if a: pass", ""]),
        ("TypoInName", "ab = 1\nf(ab)\n", &["f(a)", "f(ba)", "f(b)"]),
    ];
    for (name, text, expected) in cases {
        let transform = transforms::named(name).unwrap();
        let made: std::collections::BTreeSet<String> = (0..200)
            .filter_map(|seed| {
                let applying = Applying {
                    sample_p: 0.0,
                    seed,
                };
                let made = apply(transform.as_ref(), text, &Context::default(), applying);
                made.unwrap().map(|(text, ..)| text)
            })
            .collect();
        for expected in *expected {
            let found = made.iter().any(|made| made.contains(expected));
            assert!(found, "{name}: `{expected}` in {made:#?}");
        }
    }
    // And not these, which would change nothing.
    let declined = [
        ("WrongArithmeticOperator", "x = 2 * 2\n", "2 ** 2"),
        ("WrongArithmeticOperator", "x = a * 1\n", "a / 1"),
        ("WrongAugAssignOperator", "x += 0\n", "x -= 0"),
        ("NumberWrongSign", "x = 0\n", "-0"),
        ("NumberWrongSign", "x = 2 ** 2\n", "(-2)"),
        ("NumberWrongValue", "x: Literal[5]\n", "Literal"),
        (
            "WrongComparisonOperator",
            "if __name__ == '__main__':\n    pass\n",
            "!=",
        ),
        ("RemoveNegation", "x = a not in b\n", "a in"),
        ("DeletedStatement", "def f():\n    'doc'\n    pass\n", "f"),
        ("TypoInName", "sm = 1\nms = 2\nf(sm)\n", "f(ms)"),
    ];
    for (name, text, not) in declined {
        let transform = transforms::named(name).unwrap();
        for seed in 0..100 {
            let applying = Applying {
                sample_p: 0.0,
                seed,
            };
            let made = apply(transform.as_ref(), text, &Context::default(), applying).unwrap();
            let made = made.map(|(text, ..)| text).unwrap_or_default();
            assert!(!made.contains(not), "{name}: {made}");
        }
    }
}
