//! Which names the libraries of languages that are not compiled have: what an object of unknown type may be asked for.
//!
//! A list a language, `data/LANGUAGE/library.txt`, a name a line. It holds names and nothing else, and is made by a program in
//! `crates/languages/library` from the real library: an interpreter's own account of itself, reflection, the standard
//! library's sources or documentation. Each program says what it takes and from which version. Names of modules that have to
//! be imported are not on the lists: where they stand behind what was imported, the text shows whose they are.

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use barecode_records::Language;

/// The names of a library.
#[derive(Debug)]
pub struct Library(HashSet<&'static str>);

impl Library {
    /// Whether the library has something of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

macro_rules! lists {
    ($($language:literal)*) => {
        [$(($language, include_str!(concat!("data/", $language, "/library.txt"))),)*]
    };
}

static LISTS: [(&str, &str); 10] =
    lists!("csharp" "go" "java" "javascript" "php" "python" "r" "ruby" "rust" "typescript");

static LIBRARIES: LazyLock<BTreeMap<&str, Library>> = LazyLock::new(|| {
    let libraries = LISTS.iter().map(|(language, list)| {
        let names = list.lines().collect();
        (*language, Library(names))
    });
    libraries.collect()
});

/// The library of a language; `None` where there is no list.
pub fn library(language: Language) -> Option<&'static Library> {
    LIBRARIES.get(language.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_each_name_once_and_in_order() {
        for (language, list) in LISTS {
            let names: Vec<&str> = list.lines().collect();
            assert!(names.len() > 100, "{language}");
            for pair in names.windows(2) {
                assert!(pair[0] < pair[1], "{language}: {pair:?}");
            }
        }
    }

    #[test]
    fn libraries_know_what_objects_are_asked_for_and_no_project_s_names() {
        let known = [
            ("csharp", "ToString"),
            ("go", "Error"),
            ("java", "hashCode"),
            ("javascript", "forEach"),
            ("php", "getMessage"),
            ("python", "splitlines"),
            ("r", "paste0"),
            ("ruby", "initialize"),
            ("rust", "unwrap_or_else"),
            ("typescript", "Partial"),
        ];
        for (language, name) in known {
            let library = library(Language::named(language)).unwrap();
            assert!(library.has(name), "{language} {name}");
            assert!(!library.has("PreparedRequest"), "{language}");
        }
        assert!(library(Language::C).is_none());
    }
}
