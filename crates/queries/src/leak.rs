//! Names of the answer that are in the query.

use std::collections::BTreeSet;

use barecode_languages::Entry;
use barecode_records::{Leak, Unit};

use crate::standard::{is_keyword, is_standard};

/// The strongest leak of a query and all names that leak, sorted.
///
/// Names are those of the function's text as written, in the query as whole words in the same case. Keywords and
/// names of the standard library do not count: they stay in the code under every setting, and so may be in a query.
/// In languages that are not compiled, names are those that a renaming by spelling changes
/// ([`References::spelled`](barecode_records::References::spelled)), so those of other packages do not count either.
/// Names of one or two lowercase letters do not count, unless one is the function's own.
pub fn leaks(text: &str, unit: &Unit) -> (Leak, Vec<String>) {
    let words: BTreeSet<&str> = words(text).collect();
    let mut strongest = Leak::None;
    let mut leaked = Vec::new();
    let references = &unit.references;
    let of_project = |name: &str| {
        [
            &references.functions,
            &references.types,
            &references.globals,
            &references.macros,
        ]
        .into_iter()
        .any(|names| names.iter().any(|other| other == name))
    };
    let is_compiled = barecode_languages::of(unit.language).is_none_or(Entry::is_compiled);
    let mut names = if is_compiled {
        identifiers(&unit.text)
    } else {
        references.spelled.iter().map(String::as_str).collect()
    };
    names.insert(&unit.name);
    for name in names.into_iter().filter(|name| words.contains(name)) {
        let kind = if name == unit.name {
            Leak::Function
        } else if is_compiled && (is_keyword(name) || is_standard(name) && !of_project(name)) {
            Leak::None
        } else {
            kind_of(name)
        };
        if kind != Leak::None {
            strongest = strongest.max(kind);
            leaked.push(name.to_owned());
        }
    }
    (strongest, leaked)
}

/// The certainty that a name in a sentence is the name in the code.
fn kind_of(name: &str) -> Leak {
    let n_letters = name.chars().filter(char::is_ascii_alphabetic).count();
    let has_small = name.contains(|c: char| c.is_ascii_lowercase());
    let is_capitals = !has_small && n_letters >= 2;
    let has_inner_capital = has_small && name.chars().skip(1).any(|c| c.is_ascii_uppercase());
    let has_sign = name.contains(|c: char| c == '_' || c.is_ascii_digit());
    if has_sign || is_capitals || has_inner_capital {
        Leak::Identifier
    } else if n_letters >= 3 {
        Leak::Word
    } else {
        Leak::None
    }
}

/// The words of a sentence as a compiler would cut them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty())
}

/// All identifiers of a C text; literals are skipped.
fn identifiers(code: &str) -> BTreeSet<&str> {
    let mut found = BTreeSet::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let length = if first == '"' || first == '\'' {
            literal_length(rest, first)
        } else if is_part(first) {
            let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
            if !first.is_ascii_digit() {
                found.extend(rest.get(..end));
            }
            end
        } else {
            first.len_utf8()
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    found
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Up to and with the closing quote, or to the end of the line.
fn literal_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (i, c) in text.char_indices().skip(1) {
        match c {
            '\n' if !escaped => return i,
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return i + c.len_utf8(),
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_read_past_literals() {
        let code = "static int f(char *p) { return p[0x1F] == '\\'' ? puts(\"say \\\"no\\\" now\") : n1; }";
        let found: Vec<&str> = identifiers(code).into_iter().collect();
        assert_eq!(
            found,
            ["char", "f", "int", "n1", "p", "puts", "return", "static"]
        );
        assert_eq!(
            identifiers("a \"open\nb").into_iter().collect::<Vec<_>>(),
            ["a", "b"]
        );
    }

    #[test]
    fn names_nobody_writes_by_chance() {
        for name in [
            "nbBytes",
            "sqlite3_stmt",
            "pCur",
            "utf8",
            "MAX",
            "BtShared",
            "_x",
        ] {
            assert_eq!(kind_of(name), Leak::Identifier, "{name}");
        }
        for name in ["value", "index", "Table", "key"] {
            assert_eq!(kind_of(name), Leak::Word, "{name}");
        }
        for name in ["i", "p", "A", "it"] {
            assert_eq!(kind_of(name), Leak::None, "{name}");
        }
    }
}
