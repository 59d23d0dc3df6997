//! `compare`, `robustness` and `study`.

use std::fmt::Write as _;

use crate::project::Project;

const QRELS: &str =
    "q1 0 a 1\nq2 0 a 1\nq3 0 b 1\nq4 0 b 1\nq5 0 c 1\nq6 0 c 1\nq7 0 a 1\nq8 0 b 1\n";

/// A run that has each answer at this rank.
fn run(name: &str, ranks: [usize; 8]) -> String {
    let answers = ["a", "a", "b", "b", "c", "c", "a", "b"];
    let mut text = String::new();
    for (query, (answer, rank)) in answers.into_iter().zip(ranks).enumerate() {
        let mut others = vec!["x", "y", "z"];
        others.insert(rank - 1, answer);
        for (at, document) in others.into_iter().enumerate() {
            writeln!(
                text,
                "q{} Q0 {document} {} {} {name}",
                query + 1,
                at + 1,
                9 - at
            )
            .unwrap();
        }
    }
    text
}

#[test]
fn runs_are_compared_query_by_query() {
    let project = Project::new();
    project.write("qrels", QRELS);
    project.write("good.trec", run("good", [1; 8]));
    project.write("like.trec", run("like", [1, 1, 1, 1, 1, 1, 1, 2]));
    project.write("bad.trec", run("bad", [4; 8]));
    let arguments = [
        "compare",
        "qrels",
        "good.trec",
        "bad.trec",
        "like.trec",
        "-m",
        "RR",
        "--json",
    ];
    let ended = project.run(&arguments);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let compared = &account["comparisons"][0];
    assert_eq!(compared["measure"], "RR");
    assert_eq!(compared["queries"], 8);
    assert_eq!(compared["too_few"], true);
    let pair = |first: &str, second: &str| {
        let pairs = compared["pairs"].as_array().unwrap().iter();
        let mut found =
            pairs.filter(|pair| pair["first_name"] == first && pair["second_name"] == second);
        found.next().unwrap().clone()
    };
    let far = pair("good", "bad");
    assert_eq!(far["difference"]["value"], 0.75);
    // All eight differences have one sign: two of the 256 ways to flip them are as far from 0.
    assert_eq!(far["permutation"]["p"], 2.0 / 256.0);
    assert_eq!(far["holm"], 6.0 / 256.0);
    assert_eq!(pair("good", "like")["permutation"]["p"], 1.0);
    assert_eq!(
        compared["groups"]["letters"],
        serde_json::json!(["a", "b", "a"])
    );
    let table = project.run(&arguments[..7]);
    assert!(
        table.stdout.starts_with(
            "too few queries: 10 are the least for which a mean is shown\nRR over 8 queries"
        ),
        "{}",
        table.stdout
    );
    assert!(table.stdout.contains("7 / 1 / 0") || table.stdout.contains("8 / 0 / 0"));
}

#[test]
fn one_run_has_nothing_to_be_compared_with() {
    let project = Project::new();
    project.write("qrels", QRELS);
    project.write("good.trec", run("good", [1; 8]));
    let ended = project.run(&["compare", "qrels", "good.trec"]);
    assert_eq!(ended.code, Some(2));
    assert!(
        ended.stderr.contains("a single run cannot be compared"),
        "{}",
        ended.stderr
    );
}

#[test]
fn what_settings_cost_is_told_of_a_run() {
    let project = Project::new();
    let early = project.run(&["robustness", "recipe.toml"]);
    assert_eq!(early.code, Some(4), "{}", early.stderr);
    project.build();
    let ended = project.run(&["robustness", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let account: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
    let drops = account["drops"].as_array().unwrap();
    assert!(!drops.is_empty());
    for drop in drops {
        let number = |name: &str| drop[name].as_f64().unwrap();
        assert!((number("standard") - number("value") - number("drop")).abs() < 1e-12);
        assert!(number("low") <= number("high") && (0.0..=1.0).contains(&number("p")));
        assert!(number("worst_case") <= number("worst_draw") + 1e-12);
        // Nobody asked for other queries: a retriever that does not look loses nothing.
        if drop["retriever"] == "random" {
            assert!(number("drop").abs() < 1e-12, "{drop}");
        }
    }
    let table = project.run(&["robustness", "recipe.toml"]);
    assert!(table.stdout.starts_with("nDCG@10: what each setting costs"));
    assert!(table.stdout.contains("too few"), "{}", table.stdout);
    let other = project.run(&["robustness", "recipe.toml", "--measure", "RR"]);
    assert_eq!(other.code, Some(4));
    assert!(
        other.stderr.contains("only nDCG@10, R@1"),
        "{}",
        other.stderr
    );
    let retrievers = project.run(&["compare", "recipe.toml"]);
    assert_eq!(retrievers.code, Some(0), "{}", retrievers.stderr);
    assert!(retrievers.stdout.contains("bm25"), "{}", retrievers.stdout);
}

#[test]
fn a_study_shows_what_it_can() {
    let project = Project::new();
    let mut text = String::from("item,rater,llm,human,better\n");
    for item in 0..40 {
        // Both correct and as good, but every tenth item, where the model is wrong.
        let row = if item % 10 == 0 {
            "wrong,correct,"
        } else {
            "correct,correct,equal"
        };
        for rater in ["anna", "ben"] {
            writeln!(text, "f{item},{rater},{row}").unwrap();
        }
    }
    project.write("ratings.csv", &text);
    let study = |arguments: &[&str]| {
        let all = [&["study", "statistics", "ratings.csv", "--json"], arguments].concat();
        let ended = project.run(&all);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let account: serde_json::Value = serde_json::from_str(&ended.stdout).unwrap();
        account["studies"][0].clone()
    };
    let found = study(&[]);
    // Four of forty: -1 for the model, +1 for the people beside it; 36 times 0.5 for both.
    assert_eq!(found["totals"]["first"]["value"], 36.0 * 0.5 - 4.0);
    assert_eq!(found["totals"]["second"]["value"], 36.0 * 0.5 + 4.0);
    assert_eq!(found["non_inferiority"]["shown"], false);
    assert_eq!(found["agreement"][0]["candidate"]["value"], 1.0);
    let paper = study(&["--rule", "paper"]);
    assert_eq!(paper["totals"]["second"]["value"], 40.0 * 0.5);
    assert_eq!(study(&["--margin", "1"])["non_inferiority"]["shown"], true);
    // Shown not to be worse, but perhaps better: equality needs both.
    assert_eq!(found["equivalence"]["shown"], false);
    assert_eq!(study(&["--margin", "1"])["equivalence"]["shown"], true);
    // Two items are no total, whatever they say.
    let two: Vec<&str> = text.lines().take(5).collect();
    project.write("two.csv", two.join("\n"));
    let few = project.run(&["study", "statistics", "two.csv"]);
    assert!(few.stdout.contains("too few (2)"), "{}", few.stdout);
    assert!(
        few.stdout
            .contains("2 items are too few for totals and tests"),
        "{}",
        few.stdout
    );
    assert!(!few.stdout.contains("100.00 %"), "{}", few.stdout);
    project.write(
        "ratings.csv",
        text.replace("f7,ben,correct,correct,equal", "f7,ben,maybe,correct,"),
    );
    let ended = project.run(&["study", "statistics", "ratings.csv"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains("ratings.csv:17: `maybe` in column `llm`"),
        "{}",
        ended.stderr
    );
}
