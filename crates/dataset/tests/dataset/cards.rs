//! What the card says.

use barecode_dataset::card;
use barecode_records::Outcome;
use expect_test::expect;

use crate::{Project, facts};

fn front_matter(card: &str) -> Vec<&str> {
    card.lines()
        .skip(1)
        .take_while(|&line| line != "---")
        .collect()
}

#[test]
fn the_front_matter_names_every_table() {
    let mut project = Project::small();
    project.units.retain(|unit| unit.name == "abc");
    project
        .queries
        .retain(|query| query.target_id.as_str() == "u-abc");
    let mut done = project.assembled();
    done.kept.configurations.truncate(1);
    let card = card(&facts(&done), &done.kept.configurations);
    expect![[r#"
        pretty_name: "Bare: a \"small\" project"
        language:
        - en
        license: mit
        task_categories:
        - text-retrieval
        task_ids:
        - document-retrieval
        size_categories:
        - n<1K
        tags:
        - code
        - c
        - code-search
        - code-retrieval
        - barecode
        configs:
        - config_name: group1-standard
          default: true
          data_files:
          - split: test
            path: group1-standard/pairs.parquet
        - config_name: group1-standard-corpus
          data_files:
          - split: test
            path: group1-standard/corpus.parquet
        - config_name: group1-standard-queries
          data_files:
          - split: test
            path: group1-standard/queries.parquet
        - config_name: group1-standard-qrels
          data_files:
          - split: test
            path: group1-standard/qrels.parquet"#]]
    .assert_eq(&front_matter(&card).join("\n"));
}

#[test]
fn the_body_counts_documents_queries_twins_and_leaks() {
    let done = Project::small().assembled();
    let card = card(&facts(&done), &done.kept.configurations);
    for line in [
        "# Bare: a \"small\" project",
        "Made by barecode 0.1.0 with seed 7.",
        "gcc (Debian) 14.2.0.",
        "| group1-neutralized | 2 | 1 | 1 | 2 |",
        "| group3-short-standard | 3 | 1 | 3 | 0 |",
        "| group | none | word | identifier | function |",
        "| group1 | 0 | 0 | 0 | 1 |",
        "| group3-long | 1 | 0 | 0 | 0 |",
        "| test | group1 | neutralized | 1 | 5.0 | 10.0 | 1.0 | 1.0 | 3.00 | 1 | 1.0 | 100 % |",
        "**group1**: 100 % of the pairs are from `cargo:lib`, so the scores say more about it than about code.",
        "| cargo:lib | 1.2.3 | – | MIT | 4 |",
    ] {
        assert!(card.lines().any(|found| found == line), "{line} in {card}");
    }
}

#[test]
fn several_licenses_are_other_and_listed() {
    let license = |licenses: [Option<&str>; 2]| {
        let mut project = Project::small();
        for (i, unit) in project.units.iter_mut().enumerate() {
            unit.origin.license = licenses[i % 2].map(str::to_owned);
        }
        let done = project.assembled();
        let card = card(&facts(&done), &done.kept.configurations);
        let lines = front_matter(&card)
            .into_iter()
            .filter(|line| line.starts_with("license"));
        lines.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(license([Some("MIT"); 2]), "license: mit");
    assert_eq!(license([Some("GPL-2.0-only"); 2]), "license: gpl-2.0");
    assert_eq!(license([None; 2]), "license: unknown");
    let other =
        "license: other, license_name: per-document, license_link: README.md, license_details: ";
    assert_eq!(
        license([Some("MIT"), Some("BSD-3-Clause")]),
        format!("{other}\"BSD-3-Clause, MIT\"")
    );
    assert_eq!(
        license([Some("blessing"); 2]),
        format!("{other}\"blessing\"")
    );
    assert_eq!(
        license([Some("MIT OR Apache-2.0"), None]),
        format!("{other}\"unknown, MIT OR Apache-2.0\"")
    );
}

#[test]
fn an_empty_dataset_has_a_card_too() {
    let card = card(&facts(&Outcome::default()), &[]);
    assert!(!card.contains("configs:"));
    assert!(card.contains("license: other"));
}
