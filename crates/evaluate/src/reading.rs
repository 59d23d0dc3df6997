//! The form in which documents are given to a model that embeds them: as they are, in chunks, under canonical names,
//! under several random ones whose vectors are averaged, or described in plain words.
//!
//! Queries are always read as they are. Texts that cannot be renamed or described, because too little is known of
//! their language, stay and are counted. For languages other than C and C++ no standard names are known, so the names
//! of their libraries change too.

use std::borrow::Cow;

use barecode_languages::{is_c_like, is_c_or_cpp, not_lowered};
use barecode_models::Chunking;
use barecode_records::{Digest, Language};
use barecode_retrieval::Knows;
use barecode_settings::standard_names::is_standard;
use barecode_settings::{canonical, randomized};
use barecode_structural::{describe, reads};

use crate::task::{Task, TaskDocument};

/// The form in which documents are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reading {
    /// As they are.
    #[default]
    Whole,
    /// In pieces; a document's score is its best chunk's.
    Chunks(Chunking),
    /// With names `name_0`, `name_1`, ….
    Canonical,
    /// This many random renamings.
    Averaged(u32),
    /// Described in plain words, without names, by the renderer of the structural retriever.
    Described,
}

impl Reading {
    /// `BYTES` or `BYTES:OVERLAP`; without an overlap, it is a fifth.
    ///
    /// # Errors
    /// A message if these are not numbers, or do not go together.
    pub fn chunks(text: &str) -> Result<Self, String> {
        let (bytes, overlap) = text.split_once(':').unwrap_or((text, ""));
        let number = |text: &str| {
            let number = text.parse::<usize>();
            number.map_err(|_| format!("`{text}` is not a number of bytes"))
        };
        let bytes = number(bytes)?;
        let overlap = if overlap.is_empty() {
            bytes / 5
        } else {
            number(overlap)?
        };
        let chunking = Chunking::new(bytes, overlap).map_err(|error| error.to_string())?;
        Ok(Reading::Chunks(chunking))
    }

    /// The suffix of a model's name: ` (canonical)`.
    pub fn suffix(self) -> String {
        match self {
            Reading::Whole => String::new(),
            Reading::Chunks(_) => " (chunks)".to_owned(),
            Reading::Canonical => " (canonical)".to_owned(),
            Reading::Averaged(n) => format!(" (mean of {n} renamings)"),
            Reading::Described => " (described)".to_owned(),
        }
    }

    /// The texts that are read of each document, and the number of documents that could not be renamed or described.
    pub fn texts(self, task: &Task, seed: u64) -> (Vec<Vec<Cow<'_, str>>>, usize) {
        let mut foreign = 0;
        let languages = match self {
            Reading::Whole | Reading::Chunks(_) => vec![None; task.documents.len()],
            Reading::Canonical | Reading::Averaged(_) | Reading::Described => sources(task),
        };
        let texts = task
            .documents
            .iter()
            .zip(languages)
            .map(|(document, source)| {
                let text = document.text.as_str();
                let named = document.language.as_deref();
                let language = match named {
                    Some("c" | "C") => Language::C,
                    _ if source == Some(Language::CPP) => Language::CPP,
                    _ => named
                        .and_then(barecode_languages::find)
                        .map_or(Language::named(""), |entry| entry.language),
                };
                let known = |name: &str| is_standard(name, language);
                let rewritten: Option<Vec<String>> = match self {
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
                    Reading::Described => {
                        describe(text, not_lowered(text, source)).map(|text| vec![text])
                    }
                    Reading::Whole | Reading::Chunks(_) => None,
                };
                match self {
                    Reading::Whole => vec![Cow::Borrowed(text)],
                    Reading::Chunks(chunking) => {
                        let ranges = chunking.ranges(text).into_iter();
                        ranges
                            .map(|range| Cow::Borrowed(text.get(range).unwrap_or_default()))
                            .collect()
                    }
                    Reading::Canonical | Reading::Averaged(_) | Reading::Described => {
                        if let Some(texts) = rewritten {
                            texts.into_iter().map(Cow::Owned).collect()
                        } else {
                            foreign += 1;
                            vec![Cow::Borrowed(text)]
                        }
                    }
                }
            });
        (texts.collect(), foreign)
    }
}

/// The number of documents of a task whose language or processor a retriever does not know.
pub(crate) fn unknown(task: &Task, knows: Knows) -> usize {
    let documents = task.documents.iter().zip(languages(task));
    documents
        .filter(|(document, language)| !knows(&document.text, *language))
        .count()
}

/// The language of the source code of each document, where it is known; code that was lowered from C or C++ has none.
pub fn languages(task: &Task) -> Vec<Option<Language>> {
    let documents = task.documents.iter().zip(sources(task));
    documents
        .map(|(document, source)| not_lowered(&document.text, source))
        .collect()
}

/// The language that each document is in or was lowered from: that of its column, C++ where it looks like C or C++, or,
/// where it is unclear, if most others do.
fn sources(task: &Task) -> Vec<Option<Language>> {
    let documents = task.documents.iter();
    let is_c = documents.map(|document| is_c_like(&document.text, document.language.as_deref()));
    let is_c: Vec<Option<bool>> = is_c.collect();
    let known = |wanted| is_c.iter().filter(|is_c| **is_c == Some(wanted)).count();
    let mostly = known(true) > known(false);
    let of_column = |document: &TaskDocument| {
        let entry = barecode_languages::find(document.language.as_deref()?)?;
        Some(entry.language).filter(|language| !is_c_or_cpp(*language) && reads(*language))
    };
    let documents = task.documents.iter().zip(is_c);
    documents
        .map(|(document, is_c)| {
            of_column(document).or_else(|| is_c.unwrap_or(mostly).then_some(Language::CPP))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_read() {
        assert!(Reading::chunks("100").is_ok() && Reading::chunks("100:49").is_ok());
        assert!(Reading::chunks("100:50").is_err() && Reading::chunks("x").is_err());
    }
}
