//! The names that tests need of a program.

use std::collections::BTreeSet;

use ruff_python_ast::AnyNodeRef;

use super::facts::words;
use crate::Module;
use crate::walk::{outer_names, walk};

/// The names that test code reads from elsewhere, and so from the program: names that no function of it binds, names
/// that it imports, attributes, names of keyword arguments, and strings that are names or code.
///
/// Of test code that is not Python, every word.
pub fn protected_names(tests_code: &str) -> BTreeSet<String> {
    let Ok(module) = Module::parse(tests_code) else {
        return words(tests_code).map(str::to_owned).collect();
    };
    let mut names = BTreeSet::new();
    for place in module.scopes().names() {
        if place.binding.is_none_or(|binding| binding == 0) {
            names.insert(module.of(place.range).to_owned());
        }
    }
    walk(&module, |node, _| {
        names.extend(outer_names(node).into_iter().map(str::to_owned));
        if let AnyNodeRef::StringLiteral(literal) = node {
            let text: &str = &literal.value;
            let is_code = text.contains(['(', '=', '.', '[']) && Module::parse(text).is_ok();
            if is_code || words(text).eq([text]) {
                names.extend(words(text).map(str::to_owned));
            }
        }
    });
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_protect_what_they_use_and_nothing_that_they_bind() {
        let names = protected_names(
            "def check(candidate):\n    total = candidate(n=3)\n    assert total == poly([1], 2)\n    assert x.size == 'plain words' and eval('go(7)')\n",
        );
        let expected = ["check", "n", "poly", "size", "eval", "go", "x"];
        for name in expected {
            assert!(names.contains(name), "{name} in {names:?}");
        }
        for name in ["candidate", "total", "plain", "words"] {
            assert!(!names.contains(name), "{name} in {names:?}");
        }
        assert!(protected_names("assert f(1) ==").contains("f"));
    }
}
