//! The fields that functions, units, variants and documents of any language have in common.

use crate::{Document, Id, Language, Origin, Unit};

/// Code with its origin. [`Origin`] has its file and lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Snippet<'a> {
    /// The id of its record.
    pub id: &'a Id,
    /// The code.
    pub text: &'a str,
    /// Its language.
    pub language: Language,
    /// Its origin.
    pub origin: &'a Origin,
}

impl<'a> Snippet<'a> {
    /// The same with another text: a unit under a setting.
    #[must_use]
    pub fn with_text(self, text: &'a str) -> Self {
        Snippet { text, ..self }
    }

    /// The candidate that shows it.
    pub fn document(self) -> Document {
        let origin = self.origin.clone();
        Document {
            id: self.id.clone(),
            title: String::new(),
            text: self.text.to_owned(),
            language: self.language,
            source: origin.source,
            repository: origin.repository,
            version: origin.version,
            commit: origin.commit,
            first_commit: origin.first_commit,
            license: origin.license,
            path: origin.path,
            start_line: origin.start_line,
            end_line: origin.end_line,
        }
    }
}

impl Unit {
    /// Its code as written.
    pub fn snippet(&self) -> Snippet<'_> {
        Snippet {
            id: &self.id,
            text: &self.text,
            language: self.language,
            origin: &self.origin,
        }
    }
}
