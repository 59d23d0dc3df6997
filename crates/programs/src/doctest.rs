//! Examples in docstrings, as CPython's `doctest` finds them.

use barecode_python::Module;
use barecode_records::python::Case;

/// The examples of a program's docstrings, in order; empty if it does not parse.
pub(crate) fn examples(text: &str) -> Vec<Case> {
    let Ok(module) = Module::parse(text) else {
        return Vec::new();
    };
    let docstrings = module.docstrings();
    docstrings
        .iter()
        .flat_map(|doc| of_docstring(doc))
        .collect()
}

/// Lines behind `>>> ` and `... `, and what follows up to a blank line or the next example.
fn of_docstring(docstring: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    let mut indent = None;
    for line in docstring.lines() {
        let blanks = line.len() - line.trim_start().len();
        let words = line.trim_start();
        if let Some(source) = words
            .strip_prefix(">>> ")
            .or((words == ">>>").then_some(""))
        {
            indent = Some((blanks, true));
            cases.push(Case {
                input: format!("{source}\n"),
                output: String::new(),
            });
            continue;
        }
        let (Some((margin, in_source)), Some(case)) = (&mut indent, cases.last_mut()) else {
            continue;
        };
        let more = words
            .strip_prefix("... ")
            .or((words == "...").then_some(""));
        match more {
            Some(source) if *in_source => {
                case.input.push_str(source);
                case.input.push('\n');
            }
            _ if words.is_empty() => indent = None,
            _ => {
                *in_source = false;
                case.output.push_str(line.get(*margin..).unwrap_or(words));
                case.output.push('\n');
            }
        }
    }
    cases
}

#[cfg(test)]
mod tests {
    use super::examples;

    #[test]
    fn examples_have_source_and_expected_output() {
        let text = "def f(x):\n    '''Doubles.\n\n    >>> for i in (1, 2):\n    ...     f(i)\n    2\n    4\n\n    Not this.\n    >>> f(0)\n    0\n    '''\n    return 2 * x\n";
        let found = examples(text);
        let shown: Vec<(&str, &str)> = found
            .iter()
            .map(|case| (case.input.as_str(), case.output.as_str()))
            .collect();
        assert_eq!(
            shown,
            [
                ("for i in (1, 2):\n    f(i)\n", "2\n4\n"),
                ("f(0)\n", "0\n")
            ]
        );
    }
}
