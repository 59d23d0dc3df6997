//! Names that a text does not have.

use std::collections::BTreeSet;

use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged as _;

use crate::Module;

/// Gives names that nothing in a text uses: no name, no attribute, no word inside of a string.
#[derive(Debug, Clone, Default)]
pub struct Fresh {
    taken: BTreeSet<String>,
    /// Whence random names come.
    pub(crate) seed: u64,
}

impl Fresh {
    /// Names that neither the module nor a list of other names has.
    pub fn new<'a>(module: &Module<'_>, others: impl IntoIterator<Item = &'a String>) -> Self {
        let mut taken: BTreeSet<String> = others.into_iter().cloned().collect();
        for token in module.tokens() {
            let words = matches!(
                token.kind(),
                TokenKind::Name
                    | TokenKind::Case
                    | TokenKind::Match
                    | TokenKind::Type
                    | TokenKind::String
                    | TokenKind::FStringMiddle
                    | TokenKind::TStringMiddle
            );
            if words {
                let text = module.of(token.range());
                let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
                // Most names stand in many places.
                for part in parts.filter(|part| !part.is_empty()) {
                    if !taken.contains(part) {
                        taken.insert(part.to_owned());
                    }
                }
            }
        }
        Fresh { taken, seed: 0 }
    }

    /// The same, with random names from a seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Fresh { seed, ..self }
    }

    /// Whether a name is taken.
    pub fn is_taken(&self, name: &str) -> bool {
        self.taken.contains(name)
    }

    /// All that are taken, sorted.
    pub fn taken(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(String::as_str)
    }

    /// Takes a name, if it is free.
    pub fn take(&mut self, name: &str) -> bool {
        self.taken.insert(name.to_owned())
    }

    /// A new name that begins with `stem`: `stem`, or `stem_2`, ….
    pub(crate) fn name(&mut self, stem: &str) -> String {
        let numbered = (2..).map(|number| format!("{stem}_{number}"));
        let mut names = std::iter::once(stem.to_owned()).chain(numbered);
        let free = names.find(|name| !self.taken.contains(name));
        let free = free.expect("numbers do not end");
        self.taken.insert(free.clone());
        free
    }
}
