//! Names of a file that no declaration of it shows: those that its own macros declare (`cursor` in
//! `FOREACH(cursor, list)`) or drop (`FATAL` in `LOG(FATAL)`), and tags of C that are only mentioned
//! (`struct later *`).
//!
//! They are the file's own if all of its headers are the library's, whose names are known; another header may declare
//! anything. Words that a macro joins, or passes to the compiler as words (`__attribute__`), are skipped.

use std::collections::{BTreeMap, BTreeSet};

use barecode_languages::standard_headers;
use barecode_languages::standard_names::is_standard;
use barecode_records::{Language, Role};

use super::declared::{Declared, Space, is_keyword};
use super::paste::Pasted;
use crate::preprocess::directive::DirectiveKind;
use crate::preprocess::lex::{Token, TokenKind};
use crate::preprocess::macros::Macro;
use crate::preprocess::unit::SourceText;

/// Words of a replacement whose operands are joined, or are words of the compiler and not names.
const WORDS: [&str; 8] = [
    "##",
    "__attribute__",
    "__attribute",
    "__declspec",
    "_Pragma",
    "__asm__",
    "__asm",
    "asm",
];

/// Declares the names of a file that no declaration shows.
pub(super) fn declare(declared: &mut Declared, file: &SourceText, pasted: &Pasted) {
    let language = declared.language;
    let known: BTreeSet<&str> = standard_headers(language).collect();
    let is_of_library = |kind: &DirectiveKind| match kind {
        DirectiveKind::Include { name, system } => {
            *system && name.as_deref().is_some_and(|name| known.contains(name))
        }
        _ => true,
    };
    let mut directives = file.lines.directives.iter();
    if !directives.all(|directive| is_of_library(&directive.kind)) {
        return;
    }
    let is_free = |declared: &Declared, name: &str| {
        !is_keyword(name)
            && !is_standard(name, language)
            && !pasted.fragments.contains(name)
            && !pasted.kept.contains_key(name)
            && !declared.contains(name)
    };
    let tokens = &file.lines.tokens;
    let shown = |at: usize| tokens.get(at).map_or("", |token| token.text(&file.text));
    if language == Language::C {
        for (at, token) in tokens.iter().enumerate().skip(1) {
            let role = match shown(at - 1) {
                "struct" => Role::Struct,
                "union" => Role::Union,
                "enum" => Role::Enum,
                _ => continue,
            };
            if token.kind == TokenKind::Identifier && is_free(declared, shown(at)) {
                declared.insert(Space::Tag, shown(at), role);
            }
        }
    }
    let macros = macros(file);
    let in_directive = |token: &Token| {
        let after = (file.lines.directives).partition_point(|one| one.start <= token.start);
        after > 0 && token.start < file.lines.directives[after - 1].end
    };
    // The end of the argument list of the outermost macro call.
    let mut call_end = 0;
    let mut at = 0;
    while at < tokens.len() {
        let name = shown(at);
        let called = macros.get(name).filter(|_| shown(at + 1) == "(");
        let takes_words = WORDS.contains(&name) || called == Some(&false);
        if tokens[at].kind != TokenKind::Identifier || in_directive(&tokens[at]) {
            at += 1;
            continue;
        }
        if takes_words {
            let mut open = at + 1;
            while matches!(shown(open), "volatile" | "__volatile__" | "goto" | "inline") {
                open += 1;
            }
            at = super::end_of_call(tokens, open, &file.text).max(open);
            continue;
        }
        if called.is_some() {
            call_end = call_end.max(super::end_of_call(tokens, at + 1, &file.text));
        }
        // In C++ a name outside of macros may be inherited, or found by the types of arguments.
        let is_shown = language == Language::C || at < call_end;
        let is_access = at > 0 && matches!(shown(at - 1), "." | "->" | "::");
        if is_shown && !is_access && is_free(declared, name) {
            let role = match shown(at + 1) {
                "(" => Role::Function,
                _ => Role::Variable,
            };
            declared.insert(Space::Ordinary, name, role);
        }
        at += 1;
    }
}

/// The macros of a file that take arguments, each with whether these are names: neither joined nor the compiler's words.
fn macros(file: &SourceText) -> BTreeMap<&str, bool> {
    let definitions: Vec<(&str, &Macro)> = (file.lines.directives.iter())
        .filter_map(|directive| directive.definition.as_ref())
        .map(|(name, definition)| (&**name, &**definition))
        .collect();
    let takes_words = |definition: &Macro, among: &BTreeSet<&str>| {
        let mut words = definition.body.iter().map(|word| &*word.text);
        words.any(|word| WORDS.contains(&word) || among.contains(word))
    };
    let mut taking: BTreeSet<&str> = BTreeSet::new();
    loop {
        let before = taking.len();
        let more: Vec<&str> = definitions
            .iter()
            .filter(|(_, definition)| takes_words(definition, &taking))
            .map(|(name, _)| *name)
            .collect();
        taking.extend(more);
        if taking.len() == before {
            break;
        }
    }
    definitions
        .into_iter()
        .filter(|(_, definition)| definition.parameters.is_some())
        .map(|(name, _)| (name, !taking.contains(name)))
        .collect()
}
