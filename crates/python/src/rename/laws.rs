//! A renaming changes only names: their meaning stays, and undoing it restores the text.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_records::Length;
use barecode_testing::needs;
use serde_json::json;

use super::{edits, symbols};
use crate::edit::{Edit, edited};
use crate::scope::{ScopeId, Use};
use crate::transforms::change_names::{ChangeNames, Strategy};
use crate::{Applying, Context, Module, apply};

/// The meaning of each written name, without its spelling.
fn meanings(module: &Module<'_>) -> Vec<(ScopeId, Option<ScopeId>, Use)> {
    let names = module.scopes().names().iter();
    names
        .map(|name| (name.scope, name.binding, name.usage))
        .collect()
}

/// Returns the number of symbols that were renamed and named back.
fn undone(text: &str, strategy: ChangeNames, seed: u64) -> u32 {
    let Ok(before) = Module::parse(text) else {
        return 0;
    };
    let applying = Applying {
        sample_p: 1.0,
        seed,
    };
    let made = apply(&strategy, text, &Context::default(), applying).unwrap();
    let Some((made, applied, places)) = made else {
        return 0;
    };
    let after = Module::parse(&made).unwrap();
    assert_eq!(meanings(&before), meanings(&after), "{made}");
    // By the binding scope and the first position, which names do not change.
    let mut old = BTreeMap::new();
    for (index, name) in before.scopes().names().iter().enumerate() {
        old.insert(index, before.of(name.range).to_owned());
    }
    let mut back: Vec<Edit> = Vec::new();
    let starts: BTreeMap<u32, usize> = after
        .scopes()
        .names()
        .iter()
        .enumerate()
        .map(|(index, name)| (name.range.start().to_u32(), index))
        .collect();
    for symbol in symbols(&after, &std::collections::BTreeSet::new()) {
        let first = starts[&symbol.places[0].start];
        back.extend(edits(&symbol, &old[&first]));
    }
    back.sort();
    assert_eq!(edited(&made, &back), text);
    assert!(places.len() >= applied.applied as usize);
    applied.applied
}

#[test]
fn undoing_gives_the_text_back_and_meanings_stay() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs.py");
    let mut texts: Vec<String> = Vec::new();
    if let Some(files) = needs::ask(&script, &json!({"do": "files"}), &[]) {
        let files: Vec<String> = serde_json::from_value(files).unwrap();
        texts.extend(
            files
                .iter()
                .map(|path| std::fs::read_to_string(path).unwrap()),
        );
    }
    if let Some(folder) = needs::data("python") {
        let listed = needs::ask(&script, &json!({"do": "list", "folder": folder}), &[]);
        let listed: Vec<BTreeMap<String, String>> =
            serde_json::from_value(listed.unwrap_or_default()).unwrap_or_default();
        texts.extend(listed.into_iter().map(|program| program["text"].clone()));
    }
    texts.push("def f(a):\n    b = a\n    return [c for c in b]\n".to_owned());
    let shortest = ChangeNames {
        strategy: Strategy::RandomChars,
        length: Length::Shortest,
        ..ChangeNames::default()
    };
    let mut renamed = 0;
    for text in &texts {
        for strategy in [ChangeNames::default(), shortest] {
            renamed += undone(text, strategy, 3);
        }
    }
    println!("{} texts, {renamed} symbols", texts.len());
    assert!(renamed > 5, "{renamed}");
}
