//! How an encoder is given the documents: as they are, in chunks, under canonical names, or under several random
//! ones whose vectors are averaged.
//!
//! Queries are always read as they are. Texts of languages whose keywords are not known stay, and are counted; of
//! other languages than C and C++ no standard names are known, so there the library's names change too.

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
            let named = task.subset.documents[place].language();
            let language = match named {
                Some("c" | "C") => Language::C,
                _ if is_c[place].unwrap_or(mostly) => Language::CPP,
                _ => named
                    .and_then(barecode_languages::find)
                    .map_or(Language::named(""), |entry| entry.language),
            };
            let known = |name: &str| is_standard(name, language);
            let renamed: Option<Vec<String>> = match self {
                Reading::Canonical => {
                    canonical::of_text(text, language, known).map(|text| vec![text])
                }
                Reading::Averaged(n) => (0..n)
                    .map(|draw| {
                        // By its text alone: a document has the same names in every setting that has it.
                        let digest = Digest::new("renaming")
                            .field(text)
                            .field(seed.to_le_bytes())
                            .field(draw.to_le_bytes());
                        randomized::of_text(text, language, known, digest.seed())
                    })
                    .collect(),
                Reading::Whole | Reading::Chunks(_) => None,
            };
            match self {
                Reading::Whole => vec![Cow::Borrowed(text.as_str())],
                Reading::Chunks(chunking) => {
                    let ranges = chunking.ranges(text).into_iter();
                    ranges
                        .map(|range| Cow::Borrowed(text.get(range).unwrap_or_default()))
                        .collect()
                }
                Reading::Canonical | Reading::Averaged(_) => match renamed {
                    Some(texts) => texts.into_iter().map(Cow::Owned).collect(),
                    None => {
                        foreign += 1;
                        vec![Cow::Borrowed(text.as_str())]
                    }
                },
            }
        });
        (texts.collect(), foreign)
    }
}
