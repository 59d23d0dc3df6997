//! The renamed text that CLARC released for a function, rebuilt from its original text.
//!
//! Enters: the text of a released row. Leaves: the text that its renamed settings should hold. These rules were
//! inferred from released rows; this module contains none of CLARC's data.
//!
//! CLARC read every file as C++, with clang and with the project's headers, and renamed the entities in its tree.
//! Here only the row is available, so facts that only the headers show are guessed by one general rule each, or not
//! at all: whether `T` is a `typedef`, the number of a member, whether the project redefines `printf`.
//!
//! The rules of renaming:
//!
//! - Each kind has a counter; numbers follow the first appearance in the text. A name is an entity: two locals
//!   of one name in two scopes share a number.
//! - Macros are renamed too, those of the standard library included: `NULL`, `stderr`, `assert`, `INT_MAX`. Other
//!   names of the standard library and the compiler stay, and so do members of its types.
//! - Inside the arguments of a macro only declared names change: clang lists no macro in the arguments of another.
//! - A prototype keeps the names of its parameters; the body of a `#define` keeps everything.
//! - In a condition, macros change if they are defined.
//! - Labels and namespaces keep their names.
//! - A branch that is not compiled stays as it is. In group 1 such texts went through a second pass. It put a line
//!   of comment in front, and renamed in these branches declarations and names with a new name elsewhere.
//!
//! [`randomized`] follows the same rules with one exception: in group 1 macros, prototypes and branches that are not
//! compiled stay, and there is no second pass. Each name has one code in all texts.

use std::collections::BTreeMap;

use barecode_corpus::preprocess::lex::{TokenKind, lex, lex_with_comments};

use super::branches;
use super::entities::{self, Group, Kind};

/// The comment before a text of group 1 with conditions in it.
pub(super) const MARKER: &str = "// Function Start\n\n";

/// The text of setting `neutralized`.
pub fn neutralized(text: &str, group: Group) -> String {
    let text = &stripped(text, group);
    let second_pass = group == Group::One && branches::has_conditions(text, &lex(text));
    let entities = entities::find(text, group, second_pass);
    let mut counters: BTreeMap<Kind, usize> = BTreeMap::new();
    let mut names: BTreeMap<(Kind, &str, usize), String> = BTreeMap::new();
    let renamed = entities.iter().map(|entity| {
        let name = names
            .entry((entity.kind, entity.name, entity.variety))
            .or_insert_with(|| {
                let counter = counters.entry(entity.kind).or_default();
                let name = format!("{}{counter}", entity.kind.prefix());
                *counter += 1;
                name
            });
        (entity.start, entity.end, name.clone())
    });
    let body = replaced(text, renamed.collect());
    if second_pass {
        format!("{MARKER}{body}")
    } else {
        body
    }
}

/// The text of setting `randomized`: each name becomes its first letter and ten hexadecimal digits.
///
/// The digits that CLARC drew are not known; that they are the same for a name in all texts is. So texts agree with
/// CLARC's up to a one-to-one renaming.
pub fn randomized(text: &str, group: Group) -> String {
    let text = &stripped(text, group);
    let entities = entities::find(text, group, false);
    let kept = |entity: &entities::Entity| {
        group == Group::One && (entity.kind == Kind::Macro || entity.prototype)
    };
    let renamed = entities.iter().filter(|entity| !kept(entity));
    let renamed = renamed.map(|entity| (entity.start, entity.end, code(entity.name)));
    replaced(text, renamed.collect())
}

/// The code of a name, the same everywhere.
pub(super) fn code(name: &str) -> String {
    let first = name.chars().next().unwrap_or('_');
    let digits = blake3::hash(name.as_bytes()).to_hex();
    format!("{first}{}", digits.get(..10).unwrap_or_default())
}

/// The text without the parts that CLARC removed in group 2: comments and `#include`.
fn stripped(text: &str, group: Group) -> String {
    if group != Group::Two {
        return text.to_owned();
    }
    let tokens = lex_with_comments(text);
    let mut removed = Vec::new();
    for line in tokens.split(|token| token.kind == TokenKind::Newline) {
        let mut words = line.iter().map(|token| token.text(text));
        let include = words.next() == Some("#") && words.next() == Some("include");
        match (line.first(), line.last()) {
            (Some(first), Some(last)) if include => {
                removed.push((first.start, last.end, String::new()));
            }
            _ => {
                let comments = line.iter().filter(|token| token.kind == TokenKind::Comment);
                removed.extend(comments.map(|token| (token.start, token.end, String::new())));
            }
        }
    }
    replaced(text, removed)
}

/// The text with ranges, in their order, replaced.
fn replaced(text: &str, ranges: Vec<(usize, usize, String)>) -> String {
    let mut result = String::with_capacity(text.len());
    let mut at = 0;
    for (start, end, name) in ranges {
        result.push_str(text.get(at..start).unwrap_or_default());
        result.push_str(&name);
        at = end;
    }
    result.push_str(text.get(at..).unwrap_or_default());
    result
}

/// The position of a byte of a text, as the preprocessor sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// In code that is compiled.
    Active,
    /// In a branch that is not taken.
    Inactive,
    /// In a directive.
    Directive,
}

/// The position of the token that begins at a byte.
pub(crate) fn place(text: &str, at: usize) -> Place {
    let tokens = lex(text);
    let places = branches::places(text, &tokens);
    let found = tokens
        .iter()
        .zip(places)
        .find(|(token, _)| token.start == at);
    match found {
        None | Some((_, branches::Place::Active)) => Place::Active,
        Some((_, branches::Place::Inactive)) => Place::Inactive,
        Some(_) => Place::Directive,
    }
}
