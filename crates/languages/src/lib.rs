//! What is known of each language, as data, and the lexer that C and C++ share.
//!
//! A language is one [`Entry`] of [`LANGUAGES`]: how people write its name, the endings of its files, how comments
//! and strings are written, its keywords, its standard headers, and its grammar where there is one. Whatever asks
//! something of a language looks it up here ([`of`], [`find`], [`of_path`]), so a language without an entry is one of
//! which nothing is known, and an entry without a front end is one whose files are recognized and not mined.
//!
//! | what | module |
//! | --- | --- |
//! | what an entry says | `entry` |
//! | the entries, most of them a file each | `table` |
//! | what trees of a language mean, as queries | [`tree`] |
//! | words that are not names | [`words`] |
//! | bytes → tokens of C and C++ | [`lex`] |
//! | text of any language → words outside of comments and strings | `scan` |
//! | what kind of text it is, its comments, strings and brackets | `form` |
//! | names that headers of C and C++ and the compiler declare | [`standard_names`] |
//! | the C library as sentences and compilers know it | [`library`] |
//! | names that libraries of other languages have | [`library_names`] |
//!
//! This crate knows nothing of where a text comes from or what becomes of it.

mod entry;
mod table;
pub mod tree;
mod scan;
mod form;
pub mod words;
pub mod lex;
pub mod standard_names;
pub mod library;
pub mod library_names;
pub mod other_systems;

use barecode_records::{Judged, Language};

pub use entry::{Comments, Entry, FrontEnd};
pub use form::{Balance, Form, is_c_like};
pub use scan::{Piece, PieceKind, pieces, words_of};
pub use table::LANGUAGES;
pub use tree::{Dialect, Tree};

/// What the ending of a file says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// It stands for itself.
    Unit,
    /// Others include it, or it is read by itself.
    Header,
    /// It is only read where others include it.
    Included,
    /// Its code stands between text, and may be of another language.
    Document,
}

/// What is known of a language; `None` where nothing is.
pub fn of(language: Language) -> Option<&'static Entry> {
    LANGUAGES.iter().find(|entry| entry.language == language)
}

/// What judges functions of a language; `None` where none are mined.
pub fn judged(language: Language) -> Option<Judged> {
    of(language)?.judged()
}

/// The language that a column or a person means, by its name, its title or another name for it, in any case.
///
/// ```
/// use barecode_languages::find;
/// assert_eq!(find("C++").unwrap().language.name(), "cpp");
/// assert_eq!(find("golang").unwrap().title, "Go");
/// assert!(find("Klingon").is_none());
/// ```
pub fn find(name: &str) -> Option<&'static Entry> {
    let name = name.trim().to_lowercase();
    LANGUAGES
        .iter()
        .find(|entry| entry.language.name() == name || entry.aliases.contains(&name.as_str()))
}

/// The name of a language as people write it, or the bare name where nothing is known of it.
pub fn title(language: Language) -> &'static str {
    of(language).map_or(language.name(), |entry| entry.title)
}

/// The headers of a language's standard library, each a name.
pub fn standard_headers(language: Language) -> impl Iterator<Item = &'static str> {
    let files = of(language).map_or(&[] as &[&str], |entry| entry.standard_headers);
    let lines = files.iter().flat_map(|file| file.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// What a path says by its ending; `None` where it is not the ending of a known language. The case of the ending
/// counts: `x.C` is C++.
///
/// ```
/// use barecode_languages::{FileKind, of_path};
/// let (entry, kind) = of_path("src/map.hpp").unwrap();
/// assert_eq!((entry.title, kind), ("C++", FileKind::Header));
/// assert_eq!(of_path("plot.R").unwrap().0.title, "R");
/// assert!(of_path("README.md").is_none());
/// ```
pub fn of_path(path: &str) -> Option<(&'static Entry, FileKind)> {
    let ending = ending(path);
    LANGUAGES.iter().find_map(|entry| {
        let kinds = [
            (entry.units, FileKind::Unit),
            (entry.headers, FileKind::Header),
            (entry.included, FileKind::Included),
            (entry.documents, FileKind::Document),
        ];
        let kind = kinds
            .into_iter()
            .find(|(endings, _)| endings.contains(&ending));
        kind.map(|(_, kind)| (entry, kind))
    })
}

/// What stands behind the last dot of a file's name; empty where there is none.
pub fn ending(path: &str) -> &str {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name.rsplit_once('.').map_or("", |(_, ending)| ending)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_and_endings_mean_one_language() {
        let mut names = BTreeSet::new();
        let mut endings = BTreeSet::new();
        for entry in &LANGUAGES {
            let name = entry.language.name();
            assert_eq!(name, name.to_lowercase());
            for name in [name].iter().chain(entry.aliases) {
                assert!(names.insert(*name), "{name}");
            }
            for ending in [entry.units, entry.headers, entry.included, entry.documents].concat() {
                assert!(endings.insert(ending), "{ending}");
            }
        }
    }

    #[test]
    fn keywords_are_sorted_for_the_search() {
        for entry in &LANGUAGES {
            assert!(entry.keywords.is_sorted_by(|a, b| a < b), "{}", entry.title);
            assert!(entry.builtins.is_sorted_by(|a, b| a < b), "{}", entry.title);
            let loops = ["while", "for"].iter().any(|word| entry.is_keyword(word));
            assert_eq!(loops, entry.language.name() != "wasm", "{}", entry.title);
        }
    }

    #[test]
    fn a_language_without_an_entry_is_known_by_its_name_alone() {
        let language = Language::named("Klingon");
        assert!(of(language).is_none());
        assert_eq!(title(language), "klingon");
        assert_eq!(standard_headers(language).count(), 0);
        assert_eq!(title(Language::CPP), "C++");
    }
}
