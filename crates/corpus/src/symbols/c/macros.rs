//! The declarations of a `#define`: a macro, its parameters, and the names in its replacement.
//!
//! A replacement is parsed by itself, as statements, as declarations, and as members of a type; the first of these
//! that parses counts.

use std::collections::BTreeMap;

use barecode_records::{Language, Role};

use super::c_tree::{self, Places};
use super::cpp_tree;
use super::declared::{Declared, Space};
use crate::preprocess::lex::{Token, TokenKind};
use crate::preprocess::macros::Macro;
use crate::preprocess::unit::SourceText;

/// Notes the declarations of a `#define`; `tokens` are those behind the word.
pub(super) fn definition(declared: &mut Declared, file: &SourceText, tokens: &[Token]) {
    let Some((name, definition)) = Macro::parse(tokens, &file.text) else {
        return;
    };
    declared.insert(Space::Macro, &name, Role::Macro);
    let parameters: Vec<Box<str>> = definition
        .parameters
        .iter()
        .flatten()
        .map(|name| (**name).into())
        .collect();
    for parameter in parameters
        .iter()
        .filter(|parameter| &***parameter != "__VA_ARGS__")
    {
        declared.insert(Space::Parameter, parameter, Role::Variable);
    }
    declared.parameters.insert(tokens[0].start, parameters);
    let body = &tokens[tokens.len() - definition.body.len()..];
    let has_names = body.iter().any(|token| token.kind == TokenKind::Identifier);
    if !has_names || body.iter().any(|token| token.text(&file.text) == "##") {
        return;
    }
    for (before, after) in [
        ("void f(void) { ", " ; }"),
        ("", " ;"),
        ("struct s { ", " };"),
    ] {
        let mut text = before.to_owned();
        let mut places = BTreeMap::new();
        for token in body {
            places.insert(text.len(), token.start);
            text.push_str(token.text(&file.text));
            text.push(' ');
        }
        text.push_str(after);
        let parsed = if declared.language == Language::C {
            c_tree::read(declared, &text, &Places::Mapped(places))
        } else {
            let added = if before.starts_with("void") { "f" } else { "s" };
            cpp_tree::replacement(declared, &text, added)
        };
        if parsed {
            break;
        }
    }
}
