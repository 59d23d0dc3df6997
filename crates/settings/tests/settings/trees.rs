//! Renamed functions of languages that tree-sitter reads: the samples of `barecode-trees`.

use std::collections::BTreeSet;
use std::path::Path;

use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, check_read, extract};
use barecode_records::{Language, Outcome, Proof, Setting, Unit};
use barecode_settings::{bound, vary};
use barecode_sources::{Source, SourceConfig};
use barecode_trees::Parsed;

use super::no_compilers;

fn units() -> Outcome<Vec<Unit>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trees/tests/samples");
    let config = SourceConfig {
        from: "path:.".to_owned(),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, &folder).unwrap();
    let none = Dialects {
        c: StandardHeaders::new(Language::C, "", []),
        cpp: None,
    };
    let extracted = extract(&source, &ExtractConfig::default(), &none, 3);
    assert!(extracted.balances());
    check_read(&extracted.kept)
}

#[test]
fn every_function_is_renamed_in_every_way_and_no_way_changes_what_is_code() {
    let checked = units();
    assert!(checked.set_aside.is_empty(), "{:?}", checked.set_aside);
    let languages: BTreeSet<&str> = checked
        .kept
        .iter()
        .map(|unit| unit.language.name())
        .collect();
    assert_eq!(languages.len(), 9);
    let settings: Vec<(Setting, Option<u32>)> = Setting::kinds()
        .into_iter()
        .filter(|setting| matches!(setting, Setting::Renamed { scheme, .. } if scheme.is_naming()))
        .map(|setting| (setting, setting.is_seeded().then_some(1)))
        .collect();
    assert!(settings.len() > 8);
    let varied = vary(&checked.kept, &settings, 0, &bound, no_compilers).unwrap();
    assert!(varied.set_aside.is_empty(), "{:?}", varied.set_aside);
    for variant in &varied.kept {
        let unit = checked
            .kept
            .iter()
            .find(|unit| unit.id == variant.unit_id)
            .unwrap();
        assert_eq!(variant.proof, Proof::Text);
        let parsed = Parsed::of(&variant.compiled_text, unit.language).unwrap();
        assert!(!parsed.has_error(), "{}", variant.compiled_text);
        // Literals, keywords and layout stay: only letters of names differ.
        let marks = |text: &str| {
            text.chars()
                .filter(|c| !c.is_alphanumeric() && *c != '_' && *c != '.')
                .collect::<String>()
        };
        assert_eq!(marks(&unit.closure.text), marks(&variant.compiled_text));
        let kept = variant
            .kept
            .iter()
            .any(|kept| unit.name.trim_matches('`').contains(&kept.name));
        let is_renamed = variant
            .renamed
            .iter()
            .any(|renaming| unit.name.contains(&renaming.from));
        assert!(kept || is_renamed, "{} of {:?}", unit.name, unit.language);
    }
}

#[test]
fn canonical_forms_of_renamed_texts_are_one() {
    let checked = units();
    let canonical = [(Setting::CANONICAL, None)];
    let of_unit = vary(&checked.kept, &canonical, 0, &bound, no_compilers)
        .unwrap()
        .kept;
    let neutral = vary(
        &checked.kept,
        &[(Setting::NEUTRALIZED, None)],
        0,
        &bound,
        no_compilers,
    )
    .unwrap()
    .kept;
    let renamed: Vec<Unit> = checked
        .kept
        .iter()
        .zip(&neutral)
        .map(|(unit, variant)| {
            let mut renamed = unit.clone();
            renamed.closure.text.clone_from(&variant.compiled_text);
            renamed.closure.target = variant.target;
            renamed.closure.helpers.clone_from(&variant.helpers);
            let function = variant
                .renamed
                .iter()
                .find(|renaming| renaming.from == unit.name);
            renamed.name = function.map_or(unit.name.clone(), |renaming| renaming.to.clone());
            renamed
        })
        .collect();
    let of_renamed = vary(&renamed, &canonical, 0, &bound, no_compilers)
        .unwrap()
        .kept;
    for (one, other) in of_unit.iter().zip(&of_renamed) {
        assert_eq!(one.text, other.text);
    }
}
