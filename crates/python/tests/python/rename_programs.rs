//! `HumanEval` and MBPP under other names.

use std::collections::BTreeSet;

use barecode_python::transforms::change_names::{ChangeNames, Strategy};
use barecode_python::{Applying, Context, apply, protected_names};
use barecode_records::Length;

use crate::common::{Program, programs, run_together};

pub(crate) fn strategies() -> Vec<ChangeNames> {
    let random = |length| ChangeNames {
        strategy: Strategy::RandomChars,
        length,
        ..ChangeNames::default()
    };
    let shuffled = ChangeNames {
        strategy: Strategy::ShuffleOriginal,
        ..ChangeNames::default()
    };
    vec![
        ChangeNames::default(),
        shuffled,
        ChangeNames {
            match_case: true,
            match_underscores: true,
            ..shuffled
        },
        random(Length::Same),
        random(Length::Uniform),
        random(Length::Shortest),
        random(Length::Fixed(3)),
    ]
}

pub(crate) fn context(program: &Program) -> Context {
    let mut protected: BTreeSet<String> = protected_names(&program.tests);
    protected.insert(program.entry.clone());
    Context {
        protected,
        ..Context::default()
    }
}

#[test]
fn renamed_programs_pass_the_tests_that_they_passed() {
    let Some(programs) = programs() else { return };
    let joined = |text: &str, program: &Program| format!("{text}\n{}", program.tests);
    let originals: Vec<String> = programs.iter().map(|it| joined(&it.text, it)).collect();
    // A program that takes longer would take most of the time of all, under each strategy.
    let Some(before) = run_together(&originals, 1.0) else {
        return;
    };
    let passing: Vec<&Program> = programs
        .iter()
        .zip(&before)
        .filter(|(_, outcome)| outcome.error.is_none())
        .map(|(program, _)| program)
        .collect();
    println!("{} programs, {} pass", programs.len(), passing.len());
    assert!(passing.len() > 1000, "{}", passing.len());
    let (mut all, mut broken) = (0, Vec::new());
    for strategy in strategies() {
        let (mut texts, mut of, mut nodes, mut unchanged) = (Vec::new(), Vec::new(), 0, 0);
        for program in &passing {
            let applying = Applying {
                sample_p: 1.0,
                seed: 7,
            };
            match apply(&strategy, &program.text, &context(program), applying).unwrap() {
                Some((text, applied, _)) => {
                    nodes += applied.applied;
                    texts.push(joined(&text, program));
                    of.push(*program);
                }
                None => unchanged += 1,
            }
        }
        let after = run_together(&texts, 5.0).unwrap();
        let mut failed = 0;
        for ((program, outcome), text) in of.iter().zip(&after).zip(&texts) {
            if outcome.error.is_some() {
                failed += 1;
                broken.push(format!("{} {strategy:?}: {outcome:?}\n{text}", program.id));
            }
        }
        all += texts.len();
        println!(
            "{strategy:?}: {} of {} pass, {nodes} symbols, {unchanged} without a node",
            texts.len() - failed,
            texts.len(),
        );
    }
    for broken in &broken {
        println!("{broken}\n");
    }
    assert!(broken.len() * 1000 <= all, "{} of {all} fail", broken.len());
}
