//! The facts that are known of each language, as data, and the lexer that C and C++ share.
//!
//! A language is one [`Entry`] of [`LANGUAGES`]: its name in the usual spelling, the endings of its files, the syntax
//! of comments and strings, its keywords, its standard headers, and its grammar if it has one. All code that needs a
//! fact of a language looks it up here ([`of`], [`find`], [`of_path`]). So nothing is known of a language without an
//! entry, and the files of an entry without a front end are recognized and not mined.
//!
//! | content | module |
//! | --- | --- |
//! | the parts of an entry | `entry` |
//! | the entries, most of them a file each | `table` |
//! | the meaning of a language's trees, as queries | [`tree`] |
//! | words that are not names | [`words`] |
//! | bytes → tokens of C and C++ | [`lex`] |
//! | text of any language → words outside of comments and strings | `scan` |
//! | the kind of a text, its comments, strings and brackets | `form` |
//! | names that headers of C and C++ and the compiler declare | [`standard_names`] |
//! | the C library as sentences and compilers know it | [`library`] |
//! | names in the libraries of other languages | [`library_names`] |
//!
//! This crate knows neither the origin of a text nor its later use.

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
pub use form::{Balance, Form, is_c_like, is_c_or_cpp, not_lowered};
pub use scan::{Piece, PieceKind, pieces, words_of};
pub use table::LANGUAGES;
pub use tree::{Dialect, Tree};

/// The kind of a file, by its ending.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// It stands alone.
    Unit,
    /// Others include it, or it is read by itself.
    Header,
    /// It is only read where others include it.
    Included,
    /// Its code is between text, and may be of another language.
    Document,
}

/// The entry of a language; `None` if it has none.
pub fn of(language: Language) -> Option<&'static Entry> {
    LANGUAGES.iter().find(|entry| entry.language == language)
}

/// The judge of functions of a language; `None` if none are mined.
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

/// The language that a person means, if its functions are mined.
///
/// # Errors
/// The names of those that are.
///
/// ```
/// use barecode_languages::mined;
/// assert_eq!(mined("C++"), Ok("cpp".to_owned()));
/// assert!(mined("Klingon").unwrap_err().starts_with("the languages are c, cpp, "));
/// ```
pub fn mined(name: &str) -> Result<String, String> {
    let found = find(name).filter(|entry| entry.is_mined());
    found
        .map(|entry| entry.language.name().to_owned())
        .ok_or_else(|| {
            let mined = LANGUAGES.iter().filter(|entry| entry.is_mined());
            let names: Vec<&str> = mined.map(|entry| entry.language.name()).collect();
            format!("the languages are {}", names.join(", "))
        })
}

/// The name of a language in the usual spelling, or the bare name if it has no entry.
pub fn title(language: Language) -> &'static str {
    of(language).map_or(language.name(), |entry| entry.title)
}

/// The headers of a language's standard library, each a name.
pub fn standard_headers(language: Language) -> impl Iterator<Item = &'static str> {
    let files = of(language).map_or(&[] as &[&str], |entry| entry.standard_headers);
    let lines = files.iter().flat_map(|file| file.lines()).map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
}

/// The language and the kind of a file by the ending of its path; `None` if it is not the ending of a known language.
/// The case of the ending counts: `x.C` is C++.
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

/// The part of a file's name behind the last dot; empty if it has no dot.
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
