//! The resolver against CPython's own: `symtable` on every file of the standard library.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use barecode_testing::needs;
use serde_json::json;

use super::{Flags, ScopeId, ScopeKind, Scopes};
use crate::{Module, Unparsable};

impl Scopes {
    fn spelled(&self, number: u32) -> &str {
        let mut spellings = self.spellings.iter();
        let found = spellings.find(|(_, other)| **other == number);
        found.map(|(name, _)| name.as_str()).unwrap()
    }
}

/// The output of `scopes.py` for our scopes.
fn described(scopes: &Scopes) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    for (id, scope) in scopes.all().iter().enumerate() {
        let kind = match scope.kind {
            ScopeKind::Module => "module",
            ScopeKind::Class => "class",
            ScopeKind::Function | ScopeKind::Comprehension => "function",
            ScopeKind::TypeParameters => "type parameters",
        };
        let around = scope.parent.map_or("", |parent| &paths[parent]);
        let path = format!("{around}/{kind}:{}", scope.name);
        let listed = scopes
            .variables
            .iter()
            .filter(|variable| variable.scope == id && variable.flags != Flags::default());
        let names = listed
            .map(|variable| scopes.spelled(variable.spelling))
            .filter(|name| *name != "__class__")
            .map(|name| format!("{name}={}", flags(scopes, id, name)));
        let mut line = vec![path.clone()];
        line.extend(names);
        line[1..].sort();
        lines.push(line.join(" "));
        paths.push(path);
    }
    lines.sort();
    lines
}

fn flags(scopes: &Scopes, scope: ScopeId, name: &str) -> String {
    let flags = scopes.flags(scope, name);
    let mut said = String::new();
    said += match scopes.binding_from(scope, name) {
        _ if scope == 0 && flags.bound => "b",
        _ if scope == 0 => "",
        Some(binding) if binding == scope => "l",
        None | Some(0) => "g",
        Some(_) => "f",
    };
    said += if flags.parameter { "p" } else { "" };
    said += if flags.imported { "i" } else { "" };
    said
}

/// The (scope, name) pairs that only one side has.
fn differing(ours: &[String], theirs: &[String]) -> Vec<String> {
    let pairs = |lines: &[String]| {
        let mut pairs: BTreeMap<String, i32> = BTreeMap::new();
        for line in lines {
            let mut words = line.split(' ');
            let path = words.next().unwrap_or_default();
            *pairs.entry(path.to_owned()).or_default() += 1;
            for word in words {
                *pairs.entry(format!("{path} {word}")).or_default() += 1;
            }
        }
        pairs
    };
    let (ours, theirs) = (pairs(ours), pairs(theirs));
    let keys: BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    let differs = |key: &&&String| ours.get(**key) != theirs.get(**key);
    let count =
        |pairs: &BTreeMap<String, i32>, key: &str| pairs.get(key).copied().unwrap_or_default();
    keys.iter()
        .filter(differs)
        .map(|key| {
            format!(
                "{key}: {} against {}",
                count(&ours, key),
                count(&theirs, key)
            )
        })
        .collect()
}

#[test]
fn scopes_are_those_of_symtable() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scopes.py");
    let folder = std::env::var("BARECODE_SYMTABLE_FOLDER").ok();
    let Some(answer) = needs::ask(&script, &json!({ "folder": folder }), &[]) else {
        return;
    };
    if answer.is_null() {
        needs::not_here("`symtable` knows comprehensions as scopes up to Python 3.11");
        return;
    }
    let files: BTreeMap<String, Vec<String>> = serde_json::from_value(answer).unwrap();
    assert!(files.len() > 100, "only {} files", files.len());
    let (mut scopes, mut names, mut too_deep) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (path, theirs) in &files {
        let text = std::fs::read_to_string(path).unwrap();
        let module = match Module::parse(&text) {
            Ok(module) => module,
            Err(Unparsable::TooDeep) => {
                too_deep += 1;
                continue;
            }
            Err(error) => {
                wrong.push(format!("{path}: {error}"));
                continue;
            }
        };
        let ours = described(module.scopes());
        scopes += theirs.len();
        names += theirs
            .iter()
            .map(|line| line.split(' ').count() - 1)
            .sum::<usize>();
        if &ours != theirs {
            let lines = differing(&ours, theirs);
            wrong.extend(lines.iter().map(|line| format!("{path}: {line}")));
        }
    }
    println!(
        "{} files, {scopes} scopes, {names} names; {} differ; {too_deep} files too deep",
        files.len(),
        wrong.len(),
    );
    wrong.truncate(40);
    assert!(wrong.is_empty() && too_deep < 5, "{wrong:#?}");
}
