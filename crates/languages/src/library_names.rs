//! Names in the libraries of languages that are not compiled.
//!
//! Lists of a language in `data/LANGUAGE`, a name a line. They hold only names, and are made by a program in
//! `crates/languages/library` from the real library: an interpreter's own account of itself, reflection, the standard
//! library's sources or documentation. Each program names its input and the version.
//!
//! | list | content | purpose |
//! | --- | --- | --- |
//! | `library.txt` | members of an object of unknown type | separates the source's names from the library's |
//! | `standard.txt` | all public names, in any module | separates the library's names from other packages' |
//! | `modules.txt` | the beginnings of the paths of imports from the library | the same, where an import shows it |

use std::collections::{BTreeMap, HashSet};
use std::sync::LazyLock;

use barecode_records::Language;

/// The names of a library.
#[derive(Debug)]
pub struct Library {
    of_objects: HashSet<&'static str>,
    standard: LazyLock<HashSet<&'static str>, Box<dyn FnOnce() -> HashSet<&'static str> + Send>>,
    modules: HashSet<&'static str>,
}

impl Library {
    /// Returns `true` if some object of the library has a member of this name, or the library defines it without an
    /// import.
    pub fn has(&self, name: &str) -> bool {
        self.of_objects.contains(name)
    }

    /// Returns `true` if the library makes this name public anywhere, in any module.
    pub fn has_anywhere(&self, name: &str) -> bool {
        self.has(name) || self.standard.contains(name)
    }

    /// Returns `true` if a path of an import that begins with this word leads into the library.
    pub fn has_module(&self, first: &str) -> bool {
        self.modules.contains(first)
    }
}

macro_rules! lists {
    ($($language:literal $others:literal $modules:expr;)*) => {
        [$((
            $language,
            [
                include_str!(concat!("data/", $language, "/library.txt")),
                include_str!(concat!("data/", $others, "/standard.txt")),
                $modules,
            ],
        ),)*]
    };
}

// In PHP and Ruby no path of an import shows its target.
static LISTS: [(&str, [&str; 3]); 10] = lists! {
    "csharp" "csharp" include_str!("data/csharp/modules.txt");
    "go" "go" include_str!("data/go/modules.txt");
    "java" "java" include_str!("data/java/modules.txt");
    "javascript" "javascript" include_str!("data/javascript/modules.txt");
    "php" "php" "";
    "python" "python" include_str!("data/python/modules.txt");
    "r" "r" include_str!("data/r/modules.txt");
    "ruby" "ruby" "";
    "rust" "rust" include_str!("data/rust/modules.txt");
    "typescript" "javascript" include_str!("data/javascript/modules.txt");
};

static LIBRARIES: LazyLock<BTreeMap<&str, Library>> = LazyLock::new(|| {
    let libraries = LISTS
        .iter()
        .map(|(language, [of_objects, standard, modules])| {
            let library = Library {
                of_objects: of_objects.lines().collect(),
                standard: LazyLock::new(Box::new(|| standard.lines().collect())),
                modules: modules.lines().collect(),
            };
            (*language, library)
        });
    libraries.collect()
});

/// The library of a language; `None` if it has no list.
pub fn library(language: Language) -> Option<&'static Library> {
    LIBRARIES.get(language.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_hold_each_name_once_and_in_order() {
        for (language, [of_objects, standard, modules]) in LISTS {
            for (list, at_least) in [(of_objects, 100), (standard, 5000), (modules, 0)] {
                let names: Vec<&str> = list.lines().collect();
                assert!(names.len() >= at_least, "{language}");
                for pair in names.windows(2) {
                    assert!(pair[0] < pair[1], "{language}: {pair:?}");
                }
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
            assert!(library.has_anywhere(name), "{language} {name}");
            assert!(!library.has_anywhere("PreparedRequest"), "{language}");
        }
        assert!(library(Language::C).is_none());
    }
}
