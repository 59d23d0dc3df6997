//! Small programs that a careless rewrite breaks, each run before and after.
//!
//! A file a transform; a program begins with `#== name | applied`, `#== name | declined` or `#== name | by tests`, which is
//! what is expected of the safe forms.

use barecode_python::transforms::named;
use barecode_records::python::Safety;

use crate::applied::{everywhere, run};

const FILES: &[(&str, &str)] = &[
    (
        "ArithmeticTransform",
        include_str!("traps/ArithmeticTransform.py"),
    ),
    ("SwapCondition", include_str!("traps/SwapCondition.py")),
    (
        "ForInRangeToWhile",
        include_str!("traps/ForInRangeToWhile.py"),
    ),
    ("CommentDeletion", include_str!("traps/CommentDeletion.py")),
    (
        "ListCompToForLoop",
        include_str!("traps/ListCompToForLoop.py"),
    ),
    ("BooleanSimplify", include_str!("traps/BooleanSimplify.py")),
    (
        "ChainedComparisonToAnd",
        include_str!("traps/ChainedComparisonToAnd.py"),
    ),
    (
        "ConditionalExprToIfElse",
        include_str!("traps/ConditionalExprToIfElse.py"),
    ),
    ("FStringToFormat", include_str!("traps/FStringToFormat.py")),
];

#[test]
fn programs_that_careless_rewrites_break_do_the_same_after_ours() {
    let mut wrong = Vec::new();
    let (mut titles, mut programs) = (Vec::new(), Vec::new());
    for (name, file) in FILES {
        let transform = named(name).expect("a transform");
        for trap in file.split("#== ").skip(1) {
            let (title, program) = trap.split_once('\n').expect("a title and a program");
            let (title, expected) = title
                .split_once(" | ")
                .expect("a title says what is expected");
            let made = everywhere(transform.as_ref(), program, Safety::Safe);
            let is = match &made {
                Some((_, account)) if account.by_tests_only == 0 => "applied",
                Some(_) if expected == "by tests" => "by tests",
                Some(_) => "applied",
                None => "declined",
            };
            if is != expected {
                wrong.push(format!("{name}: {title}: {is}, not {expected}"));
            }
            // Only tests show whether it is the same, and here it is not.
            if expected == "by tests" {
                continue;
            }
            if let Some((text, _)) = made {
                titles.push(format!("{name}: {title}"));
                programs.extend([program.to_owned(), text]);
            } else {
                titles.push(format!("{name}: {title}"));
                programs.extend([program.to_owned(), program.to_owned()]);
            }
        }
    }
    assert!(titles.len() >= 100, "{} traps", titles.len());
    let Some(answers) = run(&programs) else {
        assert!(wrong.is_empty(), "{wrong:#?}");
        return;
    };
    for (index, title) in titles.iter().enumerate() {
        let (before, after) = (&answers[2 * index], &answers[2 * index + 1]);
        if before["error"] == "SyntaxError" || before != after {
            let text = &programs[2 * index + 1];
            wrong.push(format!("{title}: {before} and then {after}\n{text}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
