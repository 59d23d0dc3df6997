//! Names that a program must keep, because its tests use them.

use std::collections::BTreeSet;

use barecode_python::Module;
use barecode_records::python::{TestKind, Tests};

/// The names that tests share with the program: what they call, with which names of arguments, what they import of it.
///
/// Tests that do not parse protect no names; the gates leave their programs out.
pub fn protected_names(tests: &Tests) -> BTreeSet<String> {
    let entry = tests.entry.as_deref().unwrap_or_default();
    let examples: String = match tests.kind {
        TestKind::Doctest => tests.cases.iter().map(|case| case.input.as_str()).collect(),
        TestKind::Stdio | TestKind::Asserts | TestKind::Pytest => String::new(),
    };
    let texts = [&*tests.setup, &*tests.code, entry, &*examples];
    let modules = texts.iter().filter_map(|text| Module::parse(text).ok());
    modules.flat_map(|module| module.shared_names()).collect()
}

#[cfg(test)]
mod tests {
    use barecode_records::python::{TestKind, Tests};

    use super::protected_names;

    #[test]
    fn tests_protect_what_they_share_and_not_their_own_variables() {
        let tests = Tests {
            kind: TestKind::Asserts,
            setup: "from math import inf\n".to_owned(),
            code: "def check(candidate):\n    local = 1\n    assert candidate(key=local).size == helper('word')\n".to_owned(),
            entry: Some("Solution().solve".to_owned()),
            cases: Vec::new(),
        };
        let names: Vec<String> = protected_names(&tests).into_iter().collect();
        assert_eq!(
            names,
            ["Solution", "check", "helper", "inf", "key", "size", "solve"]
        );
        let by_name = Tests {
            code: "assert getattr(box, 'word')".to_owned(),
            ..tests
        };
        assert!(protected_names(&by_name).contains("word"));
    }
}
