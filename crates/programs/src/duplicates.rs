//! Programs and problems that are present already, over all sources of a run (pydra, appendix B.2).
//!
//! Two programs are the same if they have the same tree, once docstrings are gone: SHA-256 of the form that
//! [`Module::write_canonical`] writes, in which layout, comments, quotes and redundant parentheses do not show (the
//! paper's *attribute names* are what CPython calls attributes of nodes: lines and columns). Two problems are the same if
//! their statements are, in small letters and with each run of blanks as one. The first in order stays. Seen are 16 bytes
//! of each hash and where it was, so that millions fit in memory.

use std::collections::BTreeMap;
use std::fmt;

use barecode_python::Module;
use barecode_records::Reason;
use sha2::{Digest as _, Sha256};

use crate::gates::Refusal;

/// The programs and statements that were seen.
#[derive(Debug, Default)]
pub struct Duplicates {
    programs: BTreeMap<[u8; 16], String>,
    /// The first problem with a statement, by source and name.
    statements: BTreeMap<[u8; 16], (String, String)>,
}

impl Duplicates {
    /// Nothing was seen.
    pub fn new() -> Self {
        Duplicates::default()
    }

    /// Returns a refusal if a program, or another problem's statement, was seen before; otherwise records both.
    /// `place` is the name of the program in later rows, `source` and `problem` identify the statement: solutions of
    /// one problem share it.
    pub fn seen(
        &mut self,
        tree: [u8; 16],
        statement: Option<&str>,
        (source, problem): (&str, &str),
        place: &str,
    ) -> Option<Refusal> {
        if let Some(first) = self.programs.get(&tree) {
            let detail = format!("the same tree as {first}");
            return Some((Reason::DuplicateProgram, detail));
        }
        if let Some(hash) = statement.and_then(statement_hash) {
            let own = (source.to_owned(), problem.to_owned());
            let first = self.statements.entry(hash).or_insert_with(|| own.clone());
            if *first != own {
                let detail = format!("the same statement as {} of {}", first.1, first.0);
                return Some((Reason::DuplicateProblem, detail));
            }
        }
        self.programs.insert(tree, place.to_owned());
        None
    }
}

/// The hash of a program's tree without docstrings.
///
/// A text that does not parse without them is hashed as it is; no such text parses with them.
pub fn tree_hash(module: &Module<'_>) -> [u8; 16] {
    let mut hash = Hasher(Sha256::new());
    let without = module.without_docstrings();
    let without = without.as_deref().and_then(|text| Module::parse(text).ok());
    let written = without
        .as_ref()
        .unwrap_or(module)
        .write_canonical(&mut hash);
    written.expect("a hash takes every text");
    first_half(hash.0)
}

/// The hash of a statement; `None` if it has no words.
fn statement_hash(statement: &str) -> Option<[u8; 16]> {
    let words: Vec<String> = statement
        .split_whitespace()
        .map(str::to_lowercase)
        .collect();
    if words.is_empty() {
        return None;
    }
    Some(first_half(Sha256::new_with_prefix(words.join(" "))))
}

fn first_half(hash: Sha256) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.finalize()[..16]);
    half
}

struct Hasher(Sha256);

impl fmt::Write for Hasher {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hash(text: &str) -> [u8; 16] {
        tree_hash(&Module::parse(text).expect("the text is Python"))
    }

    #[test]
    fn layout_does_not_show_in_a_tree_and_names_do() {
        let one = hash("def f(x):\n  'doc'\n  return (x+0x10)  # why\n");
        assert_eq!(one, hash("def f( x ):\n\n        return x + 16\n"));
        assert_ne!(one, hash("def f(y):\n  return y + 16\n"));
        assert_eq!(hash("a = \"it\" 's'"), hash("a = 'its'"));
    }

    #[test]
    fn the_first_program_and_the_first_problem_stay() {
        let mut seen = Duplicates::new();
        let (a, b, c) = (hash("a"), hash("b"), hash("c"));
        assert_eq!(seen.seen(a, Some("Add  two"), ("x", "1"), "x:1"), None);
        assert_eq!(seen.seen(b, Some("Add two"), ("x", "1"), "x:2"), None);
        let (reason, detail) = seen
            .seen(a, Some("Other"), ("y", "7"), "y:1")
            .expect("the same program");
        assert_eq!(reason, Reason::DuplicateProgram);
        assert_eq!(detail, "the same tree as x:1");
        let (reason, detail) = seen
            .seen(c, Some("add two\n"), ("y", "8"), "y:2")
            .expect("the same problem");
        assert_eq!(reason, Reason::DuplicateProblem);
        assert_eq!(detail, "the same statement as 1 of x");
        assert_eq!(seen.seen(c, None, ("y", "9"), "y:3"), None);
    }
}
