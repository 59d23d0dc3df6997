//! How an encoder is given the documents: as they are, in chunks, under canonical names, or under several random
//! ones whose vectors are averaged.
//!
//! Queries are always read as they are. Only C and C++ are renamed; other texts stay, and are counted.

use std::borrow::Cow;

use barecode_audit::is_c_like;
use barecode_models::Chunking;
use barecode_records::{Digest, Language};
use barecode_settings::standard_names::is_standard;
use barecode_settings::{canonical, randomized};

use super::task::Task;

/// How documents are read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Reading {
    Whole,
    Chunks(Chunking),
    Canonical,
    /// So many random renamings.
    Averaged(u32),
}

impl Reading {
    /// What stands behind a model's name: ` (canonical)`.
    pub(super) fn suffix(self) -> String {
        match self {
            Reading::Whole => String::new(),
            Reading::Chunks(_) => " (chunks)".to_owned(),
            Reading::Canonical => " (canonical)".to_owned(),
            Reading::Averaged(n) => format!(" (mean of {n} renamings)"),
        }
    }

    /// The texts that are read of each document, and how many documents could not be renamed.
    pub(super) fn texts<'t>(
        self,
        task: &'t Task<'_>,
        seed: u64,
    ) -> (Vec<Vec<Cow<'t, str>>>, usize) {
        let mut foreign = 0;
        let is_renamed = matches!(self, Reading::Canonical | Reading::Averaged(_));
        let documents = task.documents.iter().zip(&task.subset.documents);
        let is_c: Vec<Option<bool>> = documents
            .map(|(text, document)| is_c_like(text, document.language()).filter(|_| is_renamed))
            .collect();
        // Texts that do not tell are of the language of most that do.
        let told = |wanted| is_c.iter().filter(|is_c| **is_c == Some(wanted)).count();
        let mostly = told(true) > told(false);
        let texts = task.documents.iter().enumerate();
        let texts = texts.map(|(place, text)| {
            let language = task.subset.documents[place].language();
            let language = match language {
                Some("c" | "C") => Language::C,
                _ => Language::CPP,
            };
            let known = |name: &str| is_standard(name, language);
            match self {
                Reading::Whole => vec![Cow::Borrowed(text.as_str())],
                Reading::Chunks(chunking) => {
                    let ranges = chunking.ranges(text).into_iter();
                    ranges
                        .map(|range| Cow::Borrowed(text.get(range).unwrap_or_default()))
                        .collect()
                }
                Reading::Canonical | Reading::Averaged(_) if !is_c[place].unwrap_or(mostly) => {
                    foreign += 1;
                    vec![Cow::Borrowed(text.as_str())]
                }
                Reading::Canonical => vec![Cow::Owned(canonical::of_text(text, known))],
                Reading::Averaged(n) => (0..n)
                    .map(|draw| {
                        // By its text alone: a document has the same names in every setting that has it.
                        let digest = Digest::new("renaming")
                            .field(text)
                            .field(seed.to_le_bytes())
                            .field(draw.to_le_bytes());
                        Cow::Owned(randomized::of_text(text, known, digest.seed()))
                    })
                    .collect(),
            }
        });
        (texts.collect(), foreign)
    }
}
