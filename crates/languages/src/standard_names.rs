//! The names that the standard library, POSIX with glibc, and the compiler declare, in C and in C++.
//!
//! The list in `data/standard-names.txt` holds names and their kinds, and no text of the headers. It is made by
//! `examples/standard_names.rs` from the headers on the whitelist, which also documents the format of a line.
//! Families of names that compilers reserve are recognized by their beginning.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use barecode_records::Language;

use crate::words::{WordKind, is_word};

const LIST: &str = include_str!("data/standard-names.txt");

static NAMES: LazyLock<BTreeMap<&str, (&str, &str)>> = LazyLock::new(|| {
    let lines = LIST.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?, (words.next()?, words.next()?)))
    });
    lines.collect()
});

/// Macros that every file has, and types of gcc and clang without a header.
const COMPILER: &[&str] = &[
    "__COUNTER__",
    "__DATE__",
    "__FILE__",
    "__LINE__",
    "__TIME__",
    "__VA_ARGS__",
    "__VA_OPT__",
    "__float128",
    "__int128_t",
    "__uint128_t",
];

/// Returns `true` if a standard header or the compiler declares or defines a name, of any kind; in languages without
/// headers, if the name is a builtin.
pub fn is_standard(name: &str, language: Language) -> bool {
    if let Some(entry) = crate::of(language).filter(|entry| !entry.builtins.is_empty()) {
        return entry.is_builtin(name);
    }
    letters(name, language) != "-" || is_of_compiler(name)
}

/// Returns `true` if a standard header or the compiler defines the name as a macro.
pub fn is_standard_macro(name: &str, language: Language) -> bool {
    letters(name, language).contains('m')
}

/// Returns `true` if a standard header declares the name as a type.
pub fn is_standard_type(name: &str, language: Language) -> bool {
    letters(name, language).contains('t') || matches!(name, "__int128_t" | "__uint128_t")
}

/// Returns `true` if the name is the compiler's own: no header has to be included for it.
pub fn is_of_compiler(name: &str) -> bool {
    is_word(name, WordKind::COMPILER) || COMPILER.contains(&name) || is_builtin(name)
}

fn is_builtin(name: &str) -> bool {
    const FAMILIES: [&str; 5] = ["__atomic_", "__builtin_", "__sync_", "_mm", "__m"];
    let family = FAMILIES
        .iter()
        .find_map(|family| name.strip_prefix(family).map(|rest| (*family, rest)));
    match family {
        Some(("__m" | "_mm", rest)) => rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'),
        Some(_) => true,
        None => false,
    }
}

fn letters(name: &str, language: Language) -> &'static str {
    let (c, cpp) = NAMES.get(name).copied().unwrap_or(("-", "-"));
    match language {
        Language::C => c,
        Language::CPP => cpp,
        _ => "-",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_whole() {
        let names: Vec<&str> = LIST
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        assert_eq!(names.len(), NAMES.len());
    }

    #[test]
    fn kinds_of_well_known_names() {
        for name in ["stderr", "NULL", "SEEK_END", "assert", "errno", "INT_MAX"] {
            assert!(is_standard_macro(name, Language::CPP), "{name}");
        }
        for name in ["printf", "isdigit", "vector", "tm_hour", "environ", "std"] {
            assert!(is_standard(name, Language::CPP), "{name}");
            assert!(!is_standard_macro(name, Language::CPP), "{name}");
        }
        assert!(is_standard_type("size_t", Language::C));
        assert!(!is_standard("vector", Language::C));
        assert!(!is_standard("count_words", Language::C));
    }
}
