//! Renamed functions of Python's own library, as CPython reads them: its parser and symbol tables are the oracle.

use std::path::Path;

use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, check_read, extract};
use barecode_records::{Language, Proof, Reason, Setting};
use barecode_settings::{bound, vary};
use barecode_sources::{Source, SourceConfig};
use barecode_testing::needs;
use serde_json::{Value, json};

use super::no_compilers;

#[test]
fn renamed_functions_of_the_library_have_the_tree_and_the_symbols_that_they_had() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python_names.py");
    let Some(Value::String(library)) = needs::ask(&script, &json!({"do": "library"}), &[]) else {
        return;
    };
    let config = SourceConfig {
        from: "path:.".to_owned(),
        include: [
            "*.py",
            "email/*.py",
            "json/*.py",
            "http/*.py",
            "importlib/*.py",
        ]
        .map(str::to_owned)
        .to_vec(),
        limit: Some(400),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, Path::new(&library)).unwrap();
    let none = Dialects {
        c: StandardHeaders::new(Language::C, "", []),
        cpp: None,
    };
    let extracted = extract(&source, &ExtractConfig::default(), &none, 3);
    assert_eq!(extracted.kept.len(), 400);
    assert!(extracted.balances());
    let checked = check_read(&extracted.kept);
    assert!(checked.kept.len() > 380, "{:?}", checked.set_aside);
    let settings = ["neutralized", "canonical", "randomized"].map(|name| {
        (
            name.parse::<Setting>().unwrap(),
            (name == "randomized").then_some(1),
        )
    });
    let varied = vary(&checked.kept, &settings, 0, &bound, no_compilers).unwrap();
    assert!(varied.set_aside.is_empty(), "{:?}", varied.set_aside);
    let mut changed = 0;
    let pairs: Vec<(&str, &str)> = varied
        .kept
        .iter()
        .map(|variant| {
            assert_eq!(variant.proof, Proof::Text);
            let mut units = checked.kept.iter();
            let unit = units.find(|unit| unit.id == variant.unit_id).unwrap();
            changed += variant.renamed.len();
            (unit.closure.text.as_str(), variant.compiled_text.as_str())
        })
        .collect();
    let answer = needs::ask(&script, &json!({"do": "compare", "pairs": pairs}), &[]).unwrap();
    let differences: Vec<(&Value, &(&str, &str))> = answer
        .as_array()
        .unwrap()
        .iter()
        .zip(&pairs)
        .filter(|(difference, _)| !difference.is_null())
        .collect();
    assert!(
        differences.is_empty(),
        "{} of {}: {:?}",
        differences.len(),
        pairs.len(),
        differences[0]
    );
    assert!(changed > 5000, "{changed}");

    let lowered = [("assembly-o2".parse::<Setting>().unwrap(), None)];
    let varied = vary(&checked.kept, &lowered, 0, &bound, no_compilers).unwrap();
    assert!(varied.kept.is_empty());
    let mut rows = varied.set_aside.iter();
    assert!(rows.all(|row| row.reason == Reason::SettingOtherLanguage));
}
