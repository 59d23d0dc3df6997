//! How many lines of code each crate has: without comments, blank lines and tests.
//!
//! A crate over the limit is two crates; a house over the limit has two ways to do one thing.

use std::fs;

use crate::house::{members, sources};

/// The most lines of one crate.
const OF_A_CRATE: usize = 15_100;
/// The most lines of all that is shipped: the next whole thousand. It is to become 122,000.
const OF_ALL: usize = 149_000;

/// Lines of `text` that are code.
fn lines_of_code(text: &str) -> usize {
    let mut lines = text.lines();
    let mut count = 0;
    while let Some(line) = lines.next() {
        let start = line.trim_start();
        if start.starts_with("#[cfg(test)]") {
            // The item that follows ends with its first line, or with a brace that is indented as far.
            let Some(item) = lines.find(|line| !line.trim_start().starts_with("#[")) else {
                break;
            };
            let end = item.trim_end();
            if !end.ends_with(';') && !end.ends_with('}') {
                let brace = format!("{}}}", " ".repeat(item.len() - item.trim_start().len()));
                lines.find(|line| line.starts_with(&brace));
            }
        } else if !start.is_empty() && !start.starts_with("//") {
            count += 1;
        }
    }
    count
}

#[test]
fn lines_of_code_are_counted_without_comments_and_tests() {
    let text = "//! An essay.\n\nuse a::b; // why\n\n#[cfg(test)]\nmod tests {\n    fn f() {}\n}\nfn g() {\n    // No.\n    h();\n}\n#[cfg(test)]\nmod more;\n";
    assert_eq!(lines_of_code(text), 4);
}

#[test]
fn no_crate_is_too_large_and_the_house_is_not() {
    let mut all = 0;
    let mut too_large = Vec::new();
    for member in members().iter().filter(|member| member.shipped) {
        let lines: usize = sources(&member.folder)
            .iter()
            .map(|path| lines_of_code(&fs::read_to_string(path).unwrap()))
            .sum();
        if lines > OF_A_CRATE {
            too_large.push(format!("{} has {lines} lines", member.name));
        }
        all += lines;
    }
    assert!(
        too_large.is_empty(),
        "more than {OF_A_CRATE} lines: {}",
        too_large.join(", ")
    );
    assert!(all <= OF_ALL, "{all} lines in all, more than {OF_ALL}");
}
