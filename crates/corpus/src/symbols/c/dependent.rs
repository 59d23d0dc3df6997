//! The names in a template of C++ that depend on its parameters: `x` in `T::x`, and in `a.x` where `a` is a `T`.
//!
//! They are members of the types that the template is used with, even if the standard library has something of that
//! name.

use std::collections::BTreeSet;

use barecode_records::Role;

use super::declared::{Declared, Space};
use crate::preprocess::lex::{Token, TokenKind};

/// The names in a file that represent parameters of templates.
pub(super) struct Dependent<'t> {
    text: &'t str,
    tokens: &'t [Token],
    /// Template parameters, and variables of their types.
    roots: BTreeSet<&'t str>,
}

impl<'t> Dependent<'t> {
    /// Looks for variables whose type is a parameter: `T a`, `const T &a`, `T *a`.
    pub(super) fn of(text: &'t str, tokens: &'t [Token], declared: &Declared) -> Dependent<'t> {
        let mut roots = BTreeSet::new();
        for (at, token) in tokens.iter().enumerate() {
            let name = token.text(text);
            if token.kind != TokenKind::Identifier
                || declared.role(Space::Ordinary, name) != Some(Role::TemplateParameter)
            {
                continue;
            }
            roots.insert(name);
            let mut rest = tokens.get(at + 1..).unwrap_or_default().iter();
            let next = rest.find(|next| !matches!(next.text(text), "const" | "&" | "&&" | "*"));
            if let Some(next) = next.filter(|next| next.kind == TokenKind::Identifier) {
                roots.insert(next.text(text));
            }
        }
        Dependent {
            text,
            tokens,
            roots,
        }
    }

    /// Returns `true` if the name at a token is behind a root: `root.a`, `root->a.b[0].c()`.
    pub(super) fn has(&self, at: usize) -> bool {
        let shown = |at: usize| self.tokens[at].text(self.text);
        let mut at = at;
        loop {
            let Some(mut before) = at.checked_sub(1) else {
                return false;
            };
            if shown(before) == "template" && before > 0 {
                before -= 1;
            }
            if !matches!(shown(before), "." | "->" | "::") {
                return self.roots.contains(shown(at));
            }
            let Some(mut end) = before.checked_sub(1) else {
                return false;
            };
            while matches!(shown(end), ")" | "]") {
                match self.opening(end).and_then(|open| open.checked_sub(1)) {
                    Some(before) => end = before,
                    None => return false,
                }
            }
            if self.tokens[end].kind != TokenKind::Identifier {
                return false;
            }
            at = end;
        }
    }

    /// The bracket that opens the pair of the one at `close`.
    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0_usize;
        (0..=close).rev().find(|&at| {
            match self.tokens[at].text(self.text) {
                ")" | "]" => depth += 1,
                "(" | "[" => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }
}
