//! The Python interpreter that programs would be run with.

use std::fmt::{self, Write as _};

use barecode_check::{CheckError, Python, PythonConfig};
use serde_json::{Value, json};

/// Finds the interpreter that recipes use unless they name another, and tries its sandbox.
pub(super) fn look() -> Result<Python, CheckError> {
    Python::open(&PythonConfig::default(), None)
}

/// For `--json`.
pub(super) fn described(python: &Result<Python, CheckError>) -> Value {
    match python {
        Ok(python) => {
            let level = python.level();
            json!({
                "executable": python.executable(),
                "version": python.version(),
                "landlock": level.landlock,
                "seccomp": level.seccomp,
                "own_network": level.own_network,
                "attacks": level.tried,
                "not_stopped": level.succeeded,
            })
        }
        Err(error) => json!({ "missing": error.to_string(), "hint": error.hint() }),
    }
}

/// The section.
pub(super) fn describe(text: &mut String, python: &Result<Python, CheckError>) -> fmt::Result {
    text.push_str("\nPython programs\n");
    let python = match python {
        Ok(python) => python,
        Err(error) => {
            writeln!(text, "  not ready: {error}")?;
            if let Some(hint) = error.hint() {
                writeln!(text, "  to mend it: {hint}")?;
            }
            return Ok(());
        }
    };
    let level = python.level();
    writeln!(
        text,
        "  CPython {} ({}); a recipe may name another under `[python]`",
        python.version(),
        python.executable().display()
    )?;
    for (name, holds, with, without) in [
        (
            "landlock",
            level.landlock,
            "programs read the files of the interpreter only",
            "programs could read your files",
        ),
        (
            "seccomp",
            level.seccomp,
            "programs start no other processes and reach no others",
            "programs could start processes",
        ),
        (
            "namespaces",
            level.own_network,
            "the network is an empty one",
            "no empty network, so seccomp alone refuses sockets; \
             where the kernel lets users make namespaces (`sysctl user.max_user_namespaces`), both do",
        ),
    ] {
        let (state, meaning) = if holds {
            ("yes", with)
        } else {
            ("no", without)
        };
        writeln!(text, "  {name:<11} {state:<4} {meaning}")?;
    }
    let (tried, succeeded) = (level.tried, level.succeeded.join(", "));
    match level.succeeded.len() {
        0 => writeln!(text, "  tried just now: {tried} of {tried} attacks stopped"),
        n => writeln!(
            text,
            "  tried just now: {n} of {tried} attacks not stopped: {succeeded}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_comes_with_what_helps() {
        let missing = Err(CheckError::NoSandbox {
            missing: "its kernel has no landlock".to_owned(),
        });
        let mut text = String::new();
        describe(&mut text, &missing).unwrap();
        assert!(
            text.contains(
                "not ready: this system cannot confine Python programs: its kernel has no landlock"
            ),
            "{text}"
        );
        assert!(
            text.contains("to mend it: use Linux 5.13 or later"),
            "{text}"
        );
        let described = described(&missing);
        assert!(described["hint"].as_str().unwrap().contains("landlock"));
    }
}
