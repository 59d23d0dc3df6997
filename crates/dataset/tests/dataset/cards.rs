//! What the card says.

use barecode_dataset::Dataset;
use barecode_records::{Proof, Setting, Toolchain};
use expect_test::expect;

use crate::{Project, SETTINGS, card};

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
    let card = card(&project, &done.kept);
    expect![[r#"
        configs:
        - config_name: group1-standard
          data_files:
          - path: group1-standard/pairs.parquet
            split: test
          default: true
        - config_name: group1-standard-corpus
          data_files:
          - path: group1-standard/corpus.parquet
            split: test
        - config_name: group1-standard-queries
          data_files:
          - path: group1-standard/queries.parquet
            split: test
        - config_name: group1-standard-qrels
          data_files:
          - path: group1-standard/qrels.parquet
            split: test
        license: mit
        pretty_name: 'Bare: a "small" project'
        size_categories:
        - n<1K"#]]
    .assert_eq(&front_matter(&card).join("\n"));
}

#[test]
fn the_body_counts_documents_queries_twins_and_leaks() {
    let project = Project::small();
    let done = project.assembled();
    let card = card(&project, &done.kept);
    for line in [
        "# Bare: a \"small\" project",
        "Made by barecode 0.1.0 with seed 7.",
        "Every function was compiled by itself, with what it needs, by `gcc -std=gnu17 -O1` for x86_64-linux-gnu (gcc (Debian) 14.2.0).",
        "| group1-neutralized | 2 | 1 | 1 | 2 |",
        "| group3-short-standard | 3 | 1 | 3 | 0 |",
        "| group | none | word | identifier | function |",
        "| group1 | 0 | 0 | 0 | 1 |",
        "| group3-long | 1 | 0 | 0 | 0 |",
        "| test | group1 | neutralized | 1 | 5.0 | 10.0 | 1.0 | 1.0 | 3.00 | – | 1 | 1.0 | 100 % |",
        "**group1**: 100 % of the pairs are from `cargo:lib`, so the scores describe this repository more than code in general.",
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
        let card = card(&project, &done.kept);
        let lines = front_matter(&card)
            .into_iter()
            .filter(|line| line.starts_with("license"));
        lines.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(license([Some("MIT"); 2]), "license: mit");
    assert_eq!(license([Some("GPL-2.0-only"); 2]), "license: gpl-2.0");
    assert_eq!(license([None; 2]), "license: unknown");
    let other = |details: &str| {
        format!(
            "license: other, license_details: {details}, license_link: README.md, license_name: per-document"
        )
    };
    assert_eq!(
        license([Some("MIT"), Some("BSD-3-Clause")]),
        other("BSD-3-Clause, MIT")
    );
    assert_eq!(license([Some("blessing"); 2]), other("blessing"));
    assert_eq!(
        license([Some("MIT OR Apache-2.0"), None]),
        other("unknown, MIT OR Apache-2.0")
    );
}

#[test]
fn an_empty_dataset_has_a_card_too() {
    let card = card(&Project::small(), &Dataset::default());
    assert!(!card.contains("configs:"));
    assert!(card.contains("license: other"));
    assert!(!card.contains("## Settings"));
}

#[test]
fn a_card_without_renaming_speaks_of_none() {
    let mut project = Project::small();
    project
        .variants
        .retain(|variant| variant.setting == Setting::Standard);
    for variant in &mut project.variants {
        variant.proof = Proof::Identity;
    }
    let card = card(&project, &project.assembled_under(&SETTINGS[..1]).kept);
    for absent in [
        "renam",
        "machine code",
        "object code",
        "neutralized",
        "randomized",
        "all settings",
    ] {
        assert!(!card.contains(absent), "{absent} in {card}");
    }
    let line =
        "- **standard**: the code as written, comments removed, no name changed (4 documents).";
    assert!(card.lines().any(|found| found == line), "{line} in {card}");
}

#[test]
fn each_setting_says_what_was_done_and_what_is_proven() {
    let mut project = Project::small();
    let clarc: Setting = "neutralized-clarc".parse().unwrap();
    let lowered: Setting = "assembly-o0".parse().unwrap();
    for variant in &mut project.variants {
        match variant.setting {
            Setting::Standard => variant.proof = Proof::Identity,
            Setting::NEUTRALIZED => {
                variant.setting = clarc;
                variant.proof = Proof::Imitation;
            }
            _ if variant.unit_id.as_str() == "u-abc" => variant.proof = Proof::Code,
            _ => {}
        }
    }
    let of_standard: Vec<_> = project.variants.clone();
    for mut variant in of_standard {
        if variant.setting == Setting::Standard {
            variant.setting = lowered;
            variant.proof = Proof::Lowered;
            variant.toolchain = Some(Toolchain {
                flags: vec!["-O0".to_owned()],
                ..barecode_testing::made::toolchain()
            });
            project.variants.push(variant);
        }
    }
    let settings = [
        (Setting::Standard, None),
        (clarc, None),
        SETTINGS[2],
        (lowered, None),
    ];
    let card = card(&project, &project.assembled_under(&settings).kept);
    for line in [
        "- **neutralized-clarc**: each name of the project replaced by its kind and a number (`func_0`, `var_1`); 0 of 4 documents renamed; in the form of files that others released, without any proof, for all 4.",
        "- **randomized**: each name of the project replaced by random letters, drawn per function and draw; 0 of 4 documents renamed; object code equal to the source's, for 3 of 4; machine code equal to the source's, data different, because names reach them, for 1 of 4.",
        "- **assembly-o0**: what `gcc -O0` for x86_64-linux-gnu (gcc (Debian) 14.2.0) made of the code (4 documents).",
    ] {
        assert!(card.lines().any(|found| found == line), "{line} in {card}");
    }
    // Lowered code has instructions, and neither complexity nor keywords.
    let counts = card
        .lines()
        .find(|line| line.starts_with("| test | group1 | assembly-o0 |"));
    assert!(counts.unwrap().contains(" | – | – | "), "{card}");
}
