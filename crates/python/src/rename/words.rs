//! Words that Python or its library have taken.

use barecode_languages::words::{PYTHON, PYTHON_BUILTINS};

/// Words that are keywords only in some positions.
const SOFT_KEYWORDS: [&str; 3] = ["case", "match", "type"];

/// The names that `from … import *` binds, one module a line.
const EXPORTS: &str = include_str!("exports.txt");

/// Names that Python, its library or its packages know, a list a line, which begins with what the list is of.
const NAMES: &str = include_str!("names.txt");

/// Returns `true` if a name is a builtin.
pub fn is_builtin(name: &str) -> bool {
    PYTHON_BUILTINS.binary_search(&name).is_ok()
}

/// Returns `true` if a name cannot be used: a keyword, a soft keyword, a builtin.
pub fn is_word(name: &str) -> bool {
    is_builtin(name) || PYTHON.binary_search(&name).is_ok() || SOFT_KEYWORDS.contains(&name)
}

/// The names that a star import of a module binds, if these are known.
pub(crate) fn exports(module: &str) -> Option<impl Iterator<Item = &'static str>> {
    line_of(EXPORTS, module)
}

/// One of the lists of names.
pub(crate) fn list(name: &str) -> Vec<&'static str> {
    line_of(NAMES, name).expect("the list is there").collect()
}

fn line_of(lines: &'static str, first: &str) -> Option<impl Iterator<Item = &'static str>> {
    lines.lines().find_map(|line| {
        let mut words = line.split(' ');
        (words.next() == Some(first)).then_some(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_can_be_searched() {
        assert!(PYTHON_BUILTINS.is_sorted() && PYTHON.is_sorted());
        assert!(is_word("match") && is_word("sum") && is_word("lambda") && !is_word("total"));
        assert!(exports("math").unwrap().any(|name| name == "e"));
        assert!(exports("numpy").is_none());
    }
}
