//! The words of a language: names that are known everywhere, and the documentation of its standard library.

use std::collections::HashMap;

/// The words of a language other than C and C++.
#[derive(Debug, Default)]
pub(super) struct KnownWords {
    values: HashMap<&'static str, &'static str>,
    library: HashMap<&'static str, &'static str>,
}

impl KnownWords {
    /// Adds names that are known everywhere.
    pub(super) fn add_values(&mut self, names: &'static str, words: &'static str) {
        let names = names.split_ascii_whitespace();
        self.values.extend(names.map(|name| (name, words)));
    }

    /// Adds the lines of a list of functions: names, a colon, words.
    pub(super) fn add_library(&mut self, list: &'static str) {
        for line in list.lines().filter(|line| !line.starts_with('#')) {
            if let Some((names, words)) = line.split_once(": ") {
                let names = names.split_ascii_whitespace();
                self.library.extend(names.map(|name| (name, words)));
            }
        }
    }

    /// The words of a name that is known everywhere.
    pub(super) fn value(&self, name: &str) -> Option<&'static str> {
        self.values.get(name).copied()
    }

    /// The words of the documentation of a function or method of the standard library.
    pub(super) fn documentation(&self, name: &str) -> Option<&'static str> {
        self.library.get(name).copied()
    }
}
