//! Names that a text does not have.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use memchr::memmem;
use ruff_python_ast::token::TokenKind;
use ruff_text_size::Ranged as _;

use crate::Module;

/// Up to this length a text is searched for each name; the words of a longer one are listed first.
const SHORT: usize = 1 << 16;

/// Generates names that do not occur in a text: as a name, an attribute, or a word inside of a string.
#[derive(Debug, Default)]
pub struct Fresh<'m> {
    module: Option<&'m Module<'m>>,
    words: OnceCell<BTreeSet<&'m str>>,
    others: Option<&'m BTreeSet<String>>,
    given: BTreeSet<String>,
    /// Whence random names come.
    pub(crate) seed: u64,
}

impl<'m> Fresh<'m> {
    /// Names that neither the module nor a list of other names has.
    pub fn new(module: &'m Module<'m>, others: &'m BTreeSet<String>) -> Self {
        Fresh {
            module: Some(module),
            others: Some(others),
            ..Fresh::default()
        }
    }

    /// The same, with random names from a seed.
    #[must_use]
    pub fn seeded(self, seed: u64) -> Self {
        Fresh { seed, ..self }
    }

    /// The words of the text that are taken.
    pub fn words(&self) -> &BTreeSet<&'m str> {
        let words = || self.module.map(words).unwrap_or_default();
        self.words.get_or_init(words)
    }

    /// Returns `true` if a name is taken.
    pub fn is_taken(&self, name: &str) -> bool {
        let text = self.module.map_or("", Module::text);
        let is_nowhere = || {
            self.words.get().is_none()
                && text.len() < SHORT
                && memmem::find(text.as_bytes(), name.as_bytes()).is_none()
        };
        self.given.contains(name)
            || self.others.is_some_and(|others| others.contains(name))
            || !is_nowhere() && self.words().contains(name)
    }

    /// Takes a name, if it is free.
    pub fn take(&mut self, name: &str) -> bool {
        !self.is_taken(name) && self.given.insert(name.to_owned())
    }

    /// A new name that begins with `stem`: `stem`, or `stem_2`, ….
    pub(crate) fn name(&mut self, stem: &str) -> String {
        let numbered = (2..).map(|number| format!("{stem}_{number}"));
        let mut names = std::iter::once(stem.to_owned()).chain(numbered);
        let free = names.find(|name| !self.is_taken(name));
        let free = free.expect("numbers do not end");
        self.given.insert(free.clone());
        free
    }
}

fn words<'m>(module: &'m Module<'_>) -> BTreeSet<&'m str> {
    let mut words = BTreeSet::new();
    for token in module.tokens() {
        let has_words = matches!(
            token.kind(),
            TokenKind::Name
                | TokenKind::Case
                | TokenKind::Match
                | TokenKind::Type
                | TokenKind::String
                | TokenKind::FStringMiddle
                | TokenKind::TStringMiddle
        );
        if has_words {
            let text = module.of(token.range());
            let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
            words.extend(parts.filter(|part| !part.is_empty()));
        }
    }
    words
}
