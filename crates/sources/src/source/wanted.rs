//! The role of each file of a source in a recipe, by path.

use barecode_languages::{Entry, FileKind, find, of_path};
use barecode_records::Language;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use super::config::SourceConfig;
use super::error::SourceError;
use super::paths::{is_build_file, is_page, mined};
use crate::license;

/// The selection of the files of a source that are wanted.
pub(super) struct Wanted {
    include: Option<GlobSet>,
    exclude: GlobSet,
    /// All when empty.
    languages: Vec<Language>,
    documents: bool,
}

impl Wanted {
    pub(super) fn new(config: &SourceConfig) -> Result<Wanted, SourceError> {
        let include = (!config.include.is_empty())
            .then(|| globs(config, &config.include))
            .transpose()?;
        let named = config.languages.iter().map(|name| {
            let mined = find(name).filter(|entry| entry.is_mined());
            let unknown = || SourceError::UnknownLanguage {
                from: config.from.clone(),
                language: name.clone(),
            };
            mined.map(|entry| entry.language).ok_or_else(unknown)
        });
        Ok(Wanted {
            include,
            exclude: globs(config, &config.exclude)?,
            languages: named.collect::<Result<_, _>>()?,
            documents: config.documents,
        })
    }

    /// Returns `true` if files of a language are wanted; headers of C may be C++.
    fn speaks(&self, entry: &Entry, kind: FileKind) -> bool {
        let has = |language| self.languages.contains(&language);
        self.languages.is_empty()
            || has(entry.language)
            || entry.language == Language::C && kind != FileKind::Unit && has(Language::CPP)
    }

    pub(super) fn is_included(&self, path: &str) -> bool {
        let included = self.include.as_ref();
        included.is_none_or(|include| include.is_match(path)) && !self.exclude.is_match(path)
    }

    /// The role of a file in the recipe; `None` for files that are not in a known language.
    pub(super) fn wish(&self, path: &str) -> Option<Wish> {
        let Some((entry, kind)) = mined(path) else {
            if license::is_license_file(path) {
                return Some(Wish::License);
            }
            if is_build_file(path) {
                return Some(Wish::Build);
            }
            if is_page(path) && !self.exclude.is_match(path) {
                return Some(Wish::Page);
            }
            let (entry, _) = of_path(path).filter(|_| self.is_included(path))?;
            return Some(Wish::OtherLanguage(entry.title));
        };
        if kind == FileKind::Document && !self.documents {
            return self
                .is_included(path)
                .then_some(Wish::OtherLanguage("a document or notebook"));
        }
        if !self.speaks(entry, kind) {
            return self
                .is_included(path)
                .then_some(Wish::OtherLanguage(entry.title));
        }
        Some(if self.is_included(path) {
            Wish::Functions
        } else if matches!(kind, FileKind::Unit | FileKind::Document) {
            Wish::Nothing
        } else {
            Wish::Includes
        })
    }
}

/// The part of a file that a recipe uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wish {
    /// Its functions.
    Functions,
    /// Only to be included by others.
    Includes,
    /// Nothing.
    Nothing,
    /// Its statement about the license of others.
    License,
    /// Its text about functions.
    Page,
    /// Its information about headers that a build makes.
    Build,
    /// Its functions, if its language were mined; the usual spelling of that language.
    OtherLanguage(&'static str),
}

fn globs(config: &SourceConfig, patterns: &[String]) -> Result<GlobSet, SourceError> {
    let mut set = GlobSetBuilder::new();
    let bad = |pattern: &str, error: globset::Error| SourceError::BadPattern {
        from: config.from.clone(),
        pattern: pattern.to_owned(),
        message: error.kind().to_string(),
    };
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| bad(pattern, error))?);
    }
    set.build()
        .map_err(|error| bad(&patterns.join(", "), error))
}
