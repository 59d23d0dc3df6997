//! A compiler's refusal → its reason.
//!
//! The first error decides: later ones often follow from it. The phrases in `refusal.txt` are gcc's, below the code of
//! the reason that each shows; of clang's those that are the same.

use std::sync::LazyLock;

use barecode_records::{Language, Reason};

use crate::printed::first_error;

/// The prelude of a text of C that misses a name of [`taken_for_granted`].
const PRELUDE: &str = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n";

/// The same for C++.
const PRELUDE_OF_CPP: &str =
    "#include <cstddef>\n#include <cstdint>\n#include <cstdlib>\n#include <cstring>\n";

/// The reason why a compiler refused, from its words.
pub(crate) fn reason(message: &str) -> Reason {
    let error = first_error(message);
    let found = PHRASES.iter().find(|(_, phrase)| error.contains(phrase));
    found.map_or(Reason::CompileError, |(reason, _)| *reason)
}

/// Phrases of compilers, with the reason that they show; the first match counts.
static PHRASES: LazyLock<Vec<(Reason, &str)>> = LazyLock::new(|| {
    let mut phrases = Vec::new();
    let mut reason = Reason::CompileError;
    for line in include_str!("refusal.txt").lines() {
        if let Some(phrase) = line.strip_prefix("  ") {
            phrases.push((reason, phrase));
        } else {
            let mut all = Reason::ALL.iter().copied();
            reason = all.find(|it| it.code() == line).expect("a code");
        }
    }
    phrases
});

/// The headers with the names that a refused text takes for granted; `None` if it misses something else.
pub(crate) fn prelude(message: &str, language: Language) -> Option<&'static str> {
    let unknown = [
        "unknown type name",
        "undeclared",
        "implicit declaration",
        "before",
        "expected",
        "not declared",
        "not been declared",
        "does not name a type",
        "is not a member of 'std'",
    ];
    let errors = message
        .lines()
        .filter(|line| line.contains("error: ") && unknown.iter().any(|word| line.contains(word)));
    let mut quoted = errors.flat_map(|line| line.split('\'').skip(1).step_by(2));
    match language {
        Language::C => quoted.any(taken_for_granted).then_some(PRELUDE),
        Language::CPP => quoted
            .any(|name| {
                let name = name.trim_start_matches("std::");
                taken_for_granted(name) || FUNCTIONS.contains(&name)
            })
            .then_some(PRELUDE_OF_CPP),
        _ => None,
    }
}

/// Functions of `<cstring>` and `<cstdlib>` that other headers of C++ often declare.
const FUNCTIONS: [&str; 14] = [
    "abort", "abs", "atoi", "calloc", "exit", "free", "malloc", "memcmp", "memcpy", "memmove",
    "memset", "realloc", "strcmp", "strlen",
];

/// Returns `true` if `<stdbool.h>`, `<stddef.h>` or `<stdint.h>` declares a name.
fn taken_for_granted(name: &str) -> bool {
    let known = [
        "bool",
        "true",
        "false",
        "NULL",
        "size_t",
        "ptrdiff_t",
        "wchar_t",
        "offsetof",
        "max_align_t",
        "SIZE_MAX",
    ];
    let kind = name.trim_start_matches(['u', 'U']);
    let integer = (kind.starts_with("int") && kind.ends_with("_t"))
        || (kind.starts_with("INT")
            && (kind.ends_with("_MAX") || kind.ends_with("_MIN") || kind.ends_with("_C")));
    // `INT_MAX` is of `<limits.h>`; every name of `<stdint.h>` has a width or a `PTR` or a `MAX` in its middle.
    let integer = integer && !matches!(kind, "INT_MAX" | "INT_MIN" | "int_t");
    known.contains(&name) || integer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_three_headers_are_taken_for_granted_and_others_are_not() {
        for name in [
            "uint8_t",
            "int64_t",
            "uintptr_t",
            "int_fast16_t",
            "UINT32_MAX",
            "INT8_C",
            "bool",
            "NULL",
        ] {
            assert!(taken_for_granted(name), "{name}");
        }
        for name in [
            "INT_MAX",
            "UINT_MAX",
            "ssize_t",
            "uint",
            "u_int32_t",
            "foo_t",
            "",
        ] {
            assert!(!taken_for_granted(name), "{name}");
        }
    }

    #[test]
    fn only_errors_about_unknown_names_count() {
        let misses = |message| prelude(message, Language::C).is_some();
        assert!(misses("unit.c:1:1: error: unknown type name 'bool'"));
        assert!(misses(
            "unit.c:1:1: error: 'NULL' undeclared (first use in this function)"
        ));
        assert!(!misses("unit.c:1:1: note: 'NULL' undeclared"));
        assert!(!misses("unit.c:1:1: error: conflicting types for 'bool'"));
        assert!(!misses("unit.c:1:1: error: unknown type name 'foo'"));
    }

    #[test]
    fn the_first_error_decides_the_reason() {
        for (error, wanted) in [
            (
                "'a' undeclared (first use in this function)",
                Reason::UndeclaredName,
            ),
            ("unknown type name 'missing_t'", Reason::UndeclaredName),
            ("'x' is not a member of 'std'", Reason::UndeclaredName),
            (
                "invalid use of undefined type 'struct s'",
                Reason::IncompleteType,
            ),
            (
                "invalid use of incomplete type 'class A'",
                Reason::IncompleteType,
            ),
            ("storage size of 'a' isn't known", Reason::IncompleteType),
            (
                "conflicting types for 'f'; have 'int(void)'",
                Reason::ConflictingDeclarations,
            ),
            (
                "redefinition of 'struct s'",
                Reason::ConflictingDeclarations,
            ),
            (
                "inlining failed in call to 'always_inline' 'g': target specific option mismatch",
                Reason::TargetFeature,
            ),
            (
                "'__builtin_ia32_pshufb128' needs isa option -mssse3",
                Reason::TargetFeature,
            ),
            (
                "invalid conversion from 'void*' to 'int*' [-fpermissive]",
                Reason::TypeError,
            ),
            (
                "no match for 'operator+' (operand types are 'A' and 'B')",
                Reason::TypeError,
            ),
            ("'struct s' has no member named 'x'", Reason::TypeError),
            ("too few arguments to function 'f'", Reason::TypeError),
            ("expected ';' before '}' token", Reason::SyntaxError),
            ("stray '\\' in program", Reason::SyntaxError),
            ("curl.h: No such file or directory", Reason::NeedsThirdParty),
            ("something that nobody has seen", Reason::CompileError),
        ] {
            let message = format!(
                "unit.c:1:1: warning: no\nunit.c:2:3: error: {error}\nunit.c:3:3: error: expected"
            );
            assert_eq!(reason(&message), wanted, "{error}");
        }
    }
}
