//! Gates: Python 3, only the standard library, nothing sensitive, and tests that expect something.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use barecode_python::{Module, Unparsable};
use barecode_records::Reason;
use barecode_records::python::{TestKind, Tests};

use crate::{ProgramConfig, sensitive};

/// The reason that a program does not pass, with the value that decided.
pub type Refusal = (Reason, String);

static STANDARD: LazyLock<BTreeSet<&str>> = LazyLock::new(|| {
    let lines = include_str!("stdlib.txt").lines();
    lines.filter(|line| !line.starts_with('#')).collect()
});

/// The reason that a text that was not parsed is left out.
pub fn unparsable(text: &str, error: &Unparsable) -> Refusal {
    match barecode_python::python2(text) {
        Some((construct, line)) => (Reason::Python2, format!("line {line}: {construct}")),
        None => (Reason::ParseError, error.to_string()),
    }
}

/// Finds code that only Python 2 reads, though the text parses: names that Python 3 does not define, or `except A,
/// e`.
pub fn python2(module: &Module<'_>) -> Option<Refusal> {
    const GONE: [&str; 6] = [
        "raw_input",
        "xrange",
        "unicode",
        "basestring",
        "unichr",
        "long",
    ];
    if let Some((construct, line)) = barecode_python::python2(module.text()) {
        return Some((Reason::Python2, format!("line {line}: {construct}")));
    }
    // Programs for both versions look before they use such a name.
    if ["NameError", "version_info", "hexversion"]
        .iter()
        .any(|word| module.text().contains(word))
    {
        return None;
    }
    let gone = module.uses().into_iter().find(|one| {
        let name = one.path.strip_prefix("builtins.");
        name.is_some_and(|name| GONE.contains(&name))
    })?;
    let name = gone.path.strip_prefix("builtins.").unwrap_or_default();
    let detail = format!("line {}: `{name}`, which Python 3 does not have", gone.line);
    Some((Reason::Python2, detail))
}

/// The first package outside of the standard library that a text needs.
pub fn package(module: &Module<'_>, own: Option<&str>, config: &ProgramConfig) -> Option<Refusal> {
    let needed = module.imports().into_iter().find(|import| {
        let top = import.module.split('.').next().unwrap_or_default();
        let is_known = STANDARD.contains(top)
            || Some(top) == own
            || config.packages.iter().any(|package| package == top);
        import.level > 0 || !(is_known || import.guarded)
    })?;
    let dots = ".".repeat(needed.level as usize);
    let detail = format!("line {}: `{dots}{}`", needed.line, needed.module);
    Some((Reason::NeedsPackage, detail))
}

/// The first sensitive interface that a program imports or uses.
pub fn sensitive_use(module: &Module<'_>, config: &ProgramConfig) -> Option<Refusal> {
    let imports = module.imports().into_iter();
    let imports = imports.map(|import| {
        let category = sensitive::category(&import.module);
        (import.line, import.module, category)
    });
    let uses = module.uses().into_iter();
    let uses = uses.map(|one| {
        let category = sensitive::of_use(&one);
        (one.line, one.path, category)
    });
    let found = imports.chain(uses).filter_map(|(line, path, category)| {
        let category = category.filter(|category| !config.allow.contains(category))?;
        Some((line, path, category))
    });
    let (line, path, category) = found.min()?;
    let detail = format!("line {line}: `{path}` ({})", category.name());
    Some((Reason::UnsafeInterface, detail))
}

/// Refuses a program unless there are enough tests, each with an expected value; `code` is their code.
pub fn tests(
    tests: &Tests,
    code: &Module<'_>,
    cut: u32,
    config: &ProgramConfig,
) -> Option<Refusal> {
    let count = match tests.kind {
        TestKind::Stdio => {
            let is_empty = |output: &String| output.trim().is_empty();
            let empty = tests.cases.iter().position(|case| is_empty(&case.output));
            if let Some(index) = empty {
                let detail = format!("test {} of {}", index + 1, tests.cases.len());
                return Some((Reason::NoExpectedOutput, detail));
            }
            tests.cases.len()
        }
        TestKind::Doctest => {
            let shows = tests.cases.iter().filter(|case| !case.output.is_empty());
            shows.count()
        }
        TestKind::Asserts | TestKind::Pytest => code.assertions(),
    };
    if count == 0 {
        let detail = match (tests.kind, cut) {
            (_, 1..) => format!("{cut} cases, all beyond the limits of test cases"),
            (kind, 0) => format!("kind `{}`", kind.name()),
        };
        return Some((Reason::NoTests, detail));
    }
    let fewest = config.fewest_tests as usize;
    (count < fewest).then(|| {
        let detail = format!("{count} tests, at least {fewest} are needed");
        (Reason::TooFewTests, detail)
    })
}
