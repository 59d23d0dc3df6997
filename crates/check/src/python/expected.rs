//! The comparison of a program's output with the expected output.
//!
//! Neither is ever in the process of the program.

/// The difference between a program's output and the output that a case expects; `None` if they are equal.
///
/// Lines are compared, as judges of contests do: blanks at their ends and empty lines at the end do not count.
/// Every other difference counts: `1.0` is not `1`.
pub(crate) fn difference(expected: &str, printed: &str) -> Option<String> {
    let mut expected_lines = lines(expected);
    let mut printed_lines = lines(printed);
    for number in 1.. {
        match (expected_lines.next(), printed_lines.next()) {
            (None, None) => break,
            (Some(wanted), Some(got)) if wanted == got => {}
            (Some(wanted), got) => {
                let got = got.map_or("nothing".to_owned(), quoted);
                return Some(format!(
                    "line {number}: expected {}, printed {got}",
                    quoted(wanted)
                ));
            }
            (None, Some(got)) => {
                return Some(format!(
                    "line {number}: printed {}, expected nothing",
                    quoted(got)
                ));
            }
        }
    }
    None
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.trim_end().lines().map(str::trim_end)
}

fn quoted(line: &str) -> String {
    const LONGEST: usize = 80;
    let mut short: String = line.chars().take(LONGEST).collect();
    if line.chars().count() > LONGEST {
        short.push('…');
    }
    format!("`{short}`")
}

/// The result of an example of a docstring.
#[derive(Debug)]
pub(crate) struct Shown<'a> {
    pub(crate) printed: &'a str,
    /// The last lines of a traceback: `ValueError: no`.
    pub(crate) said: Option<&'a str>,
}

/// Returns `true` if the result of an example is the one shown below it, by the rules of `doctest` without options.
pub(crate) fn is_as_shown(expected: &str, shown: &Shown<'_>) -> bool {
    let expected_error = expected_error(expected);
    match (shown.said, expected_error) {
        // As in doctest, output before an exception is not compared.
        (Some(said), Some(expected)) => said.trim_end() == expected.trim_end(),
        (None, None) => is_printed(expected, shown.printed),
        _ => false,
    }
}

fn is_printed(expected: &str, printed: &str) -> bool {
    let ends = |text: &str| {
        let mut text = text.to_owned();
        if !text.is_empty() && !text.ends_with('\n') {
            text.push('\n');
        }
        text
    };
    let (expected, printed) = (ends(expected), ends(printed));
    if expected == printed {
        return true;
    }
    // A line of blanks only cannot be shown: `<BLANKLINE>` represents it.
    let blank = |line: &str| {
        if line.trim() == "<BLANKLINE>" {
            String::new()
        } else {
            line.to_owned()
        }
    };
    let expected = expected.lines().map(blank);
    let printed = printed
        .lines()
        .map(|line| if line.trim().is_empty() { "" } else { line });
    expected.eq(printed)
}

/// The exception below an example, if one is shown.
fn expected_error(expected: &str) -> Option<String> {
    let mut lines = expected.lines();
    let head = lines.next()?;
    let is_head = head.starts_with("Traceback (most recent call last)")
        || head.starts_with("Traceback (innermost last)");
    if !is_head {
        return None;
    }
    // The stack is indented; what follows it is the exception.
    let error: Vec<&str> = lines
        .skip_while(|line| {
            line.starts_with(char::is_whitespace) || line.is_empty() || *line == "..."
        })
        .collect();
    Some(error.join("\n"))
}

/// The directive of `doctest` in an example, if it has one: different rules apply then.
pub(crate) fn directive(example: &str) -> Option<&str> {
    let at = example.find("doctest:")?;
    let (before, rest) = example.split_at(at);
    let is_comment = before.trim_end().ends_with('#');
    is_comment.then(|| rest.lines().next().unwrap_or_default().trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_at_ends_do_not_count_and_others_do() {
        assert_eq!(difference("1 2 \n3\n\n", "1 2\n3"), None);
        assert_eq!(difference("", "\n"), None);
        let other = difference("1 2\n3\n", "1  2\n3\n").unwrap();
        assert_eq!(other, "line 1: expected `1 2`, printed `1  2`");
        let short = difference("1\n2\n", "1\n").unwrap();
        assert_eq!(short, "line 2: expected `2`, printed nothing");
        let long = difference("1\n", "1\n2\n").unwrap();
        assert_eq!(long, "line 2: printed `2`, expected nothing");
        assert!(difference("1", "1.0").is_some());
    }

    #[test]
    fn examples_are_compared_as_doctest_does() {
        let shown = |printed, said| Shown { printed, said };
        assert!(is_as_shown("3\n", &shown("3\n", None)));
        assert!(!is_as_shown("3\n", &shown("3 \n", None)));
        assert!(is_as_shown("a\n<BLANKLINE>\nb\n", &shown("a\n\nb\n", None)));
        assert!(!is_as_shown("a\nb\n", &shown("a\n\nb\n", None)));
        let expected = "Traceback (most recent call last):\n    ...\nValueError: no\n";
        assert!(is_as_shown(expected, &shown("", Some("ValueError: no\n"))));
        assert!(!is_as_shown(
            expected,
            &shown("", Some("ValueError: yes\n"))
        ));
        assert!(!is_as_shown(expected, &shown("ValueError: no\n", None)));
        assert!(!is_as_shown("", &shown("", Some("ValueError: no\n"))));
        assert_eq!(
            directive("f()  # doctest: +ELLIPSIS\n"),
            Some("doctest: +ELLIPSIS")
        );
        assert_eq!(directive("f('doctest: x')"), None);
    }
}
