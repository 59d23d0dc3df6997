//! Profile `clarc` beside the texts that CLARC released, where they are.

use std::collections::BTreeMap;
use std::fs;

use barecode_clarc::{Group, neutralized, randomized};
use barecode_corpus::preprocess::lex::{TokenKind, lex};
use barecode_testing::needs::data;
use serde_json::Value;

/// The texts of a file of group 1 by id.
fn texts(setting: &str) -> Option<BTreeMap<String, String>> {
    let path = data(&format!(
        "clarc/reconstructed_group1_{setting}_cleaned.json"
    ))?;
    let rows: Vec<Value> = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let text = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let texts = rows
        .iter()
        .map(|row| (text(row, "code_id"), text(row, "code_text")));
    Some(texts.collect())
}

/// How many rows group 1 has.
const ROWS: usize = 526;

/// The originals of group 1 beside a setting of them; `None` where there is no published data.
fn pairs(setting: &str) -> Option<Vec<(String, String)>> {
    let (originals, mut released) = (texts("original")?, texts(setting)?);
    let pairs: Vec<_> = originals
        .into_iter()
        .filter_map(|(id, original)| Some((original, released.remove(&id)?)))
        .collect();
    assert_eq!(pairs.len(), ROWS, "rows of {setting} with an original");
    Some(pairs)
}

#[test]
fn neutralized_is_the_released_text_in_most_rows() {
    let Some(pairs) = pairs("usual_renamed") else {
        return;
    };
    let blank = |text: &str| text.split_whitespace().collect::<String>();
    let equal = pairs
        .iter()
        .filter(|(original, released)| blank(&neutralized(original, Group::One)) == blank(released))
        .count();
    assert!(equal >= 470, "{equal} of {ROWS}");
}

#[test]
fn randomized_has_the_released_form_in_nearly_all_rows() {
    let Some(pairs) = pairs("hash_renamed") else {
        return;
    };
    let same = pairs
        .iter()
        .filter(|(original, released)| is_same_form(&randomized(original, Group::One), released))
        .count();
    assert!(same * 100 >= ROWS * 97, "{same} of {ROWS}");
}

/// Whether a one-to-one renaming that keeps first letters makes one text of the other.
fn is_same_form(ours: &str, released: &str) -> bool {
    let words = |text: &str| -> Vec<(String, bool)> {
        let tokens = lex(text).into_iter();
        let tokens = tokens.filter(|token| token.kind != TokenKind::Newline);
        tokens
            .map(|token| {
                (
                    token.text(text).to_owned(),
                    token.kind == TokenKind::Identifier,
                )
            })
            .collect()
    };
    let (ours, released) = (words(ours), words(released));
    let (mut to, mut from) = (BTreeMap::new(), BTreeMap::new());
    ours.len() == released.len()
        && ours.iter().zip(&released).all(|(our, their)| {
            if !(our.1 && their.1) {
                return our == their;
            }
            our.0.chars().next() == their.0.chars().next()
                && *to.entry(&our.0).or_insert(&their.0) == &their.0
                && *from.entry(&their.0).or_insert(&our.0) == &our.0
        })
}
