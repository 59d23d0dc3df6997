//! The test that a cleaned comment describes something in words.

/// The kind of a text that is not a description; `None` if it may be one.
pub(crate) fn not_prose(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    if !text.contains(char::is_alphabetic) {
        return Some("no words");
    }
    if LEGAL.iter().any(|phrase| lower.contains(phrase)) {
        return Some("license or copyright");
    }
    if DIRECTIVES.iter().any(|word| lower.starts_with(word)) {
        return Some("a note to a tool");
    }
    if REMINDERS.iter().any(|word| is_reminder(text, word)) {
        return Some("a reminder");
    }
    let is_directive = ["#define ", "#include ", "#if"]
        .iter()
        .any(|word| text.starts_with(word));
    if is_directive || text.ends_with([';', '{', '}']) {
        return Some("code");
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let n_plain = words.iter().filter(|word| is_plain_word(word)).count();
    if 2 * n_plain < words.len() {
        return Some("more signs than words");
    }
    None
}

const LEGAL: [&str; 8] = [
    "all rights reserved",
    "copyright (c)",
    "copyright ©",
    "gnu general public license",
    "licensed under",
    "permission is hereby granted",
    "redistribution and use in",
    "spdx-license-identifier",
];

const DIRECTIVES: [&str; 20] = [
    "@__",
    "@phpstan",
    "@psalm",
    "@ts-",
    "biome-ignore",
    "clang-format",
    "coverity[",
    "cppcheck-suppress",
    "eslint",
    "go:",
    "istanbul",
    "noinspection",
    "phpcs:",
    "prettier-ignore",
    "rubocop:",
    "gcov",
    "lcov_",
    "nolint",
    "lint ",
    "vim:",
];

const REMINDERS: [&str; 5] = ["TODO", "FIXME", "XXX", "HACK", "todo"];

/// The word, and then anything that ends a word.
fn is_reminder(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| {
        rest.chars()
            .next()
            .is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

/// Letters, with punctuation around them and hyphens or apostrophes between them.
fn is_plain_word(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_alphanumeric());
    !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphabetic() || "-'’/".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptions_pass() {
        for text in [
            "Returns the number of bytes that are left in the buffer.",
            "Set p->nField to the number of columns; see the user's guide (section 3).",
            "Copyright notices are printed by this function.",
            "Todos are merged into one list.",
            "Größe des Puffers in Bytes bestimmen",
            // A text with the same number of signs and words is still a description.
            "adds x1 to y2",
        ] {
            assert_eq!(not_prose(text), None, "{text}");
        }
    }

    #[test]
    fn what_is_no_description_is_named() {
        for (text, what) in [
            ("", "no words"),
            ("1 2 3 +++", "no words"),
            (
                "Copyright (c) 2020 Somebody. All rights reserved.",
                "license or copyright",
            ),
            ("SPDX-License-Identifier: MIT", "license or copyright"),
            ("clang-format off", "a note to a tool"),
            ("TODO: make this faster for long lists", "a reminder"),
            ("int x = compute(y);", "code"),
            ("if (ready) {", "code"),
            ("#define DEBUG_RANGES to print all of them", "code"),
            ("a=1 b=2 c[3]=4 d->e where f", "more signs than words"),
        ] {
            assert_eq!(not_prose(text), Some(what), "{text}");
        }
    }
}
