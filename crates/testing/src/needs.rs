//! The requirements of tests beside this repository, and the behavior of tests without them.
//!
//! A test that lacks something reports so on stderr and passes, with one exception: `make test` installs interpreters,
//! compilers and packages and sets `BARECODE_TEST_ALL=1`, and then only the rest may be missing: data outside the
//! repository (`BARECODE_DATA`), cross compilers, and what the system does not permit. Tests that lack these are written
//! to the file that `BARECODE_SKIPPED` names, one a line, which `make test` prints and counts.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Reports that the running test is skipped, and why.
///
/// # Panics
/// If `make test` has installed everything.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn skip(why: &str) {
    let installed = std::env::var_os("BARECODE_TEST_ALL").is_some_and(|value| value == "1");
    assert!(
        !installed,
        "{why}, and `make test` installs what tests need"
    );
    eprintln!("skipped: {why}");
}

/// Reports that this machine lacks what `make test` does not install, such as a cross compiler, or does not permit an
/// action of the running test, such as mounting a file system; or that the running test is left to `make test-long`.
pub fn not_here(why: &str) {
    list_skipped(why);
}

/// Returns `true` where the tests of large sets take all of them (`BARECODE_TEST_LONG=1`, as `make test-long` sets it);
/// else they take a part, the same on every run.
pub fn is_long() -> bool {
    std::env::var_os("BARECODE_TEST_LONG").is_some_and(|value| value == "1")
}

/// A file or folder of published data; `None`, reported on stderr, without `BARECODE_DATA`.
pub fn data(path: &str) -> Option<PathBuf> {
    let folder = std::env::var_os("BARECODE_DATA");
    if folder.is_none() {
        list_skipped(&format!("no folder BARECODE_DATA with `{path}`"));
    }
    folder.map(|folder| Path::new(&folder).join(path))
}

/// Reports on stderr, and in the list of skipped tests if it exists.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn list_skipped(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(list) = std::env::var_os("BARECODE_SKIPPED") {
        let current = std::thread::current();
        let test = current.name().unwrap_or("a test");
        let mut list = OpenOptions::new()
            .append(true)
            .create(true)
            .open(list)
            .expect("the list of skipped tests can be written");
        writeln!(list, "{test}: {why}").expect("the list of skipped tests can be written");
    }
}

/// The Python interpreter that has the field's own tools; `None`, reported on stderr, without `BARECODE_PYTHON`.
pub fn interpreter() -> Option<OsString> {
    let interpreter = std::env::var_os("BARECODE_PYTHON");
    if interpreter.is_none() {
        skip("BARECODE_PYTHON names no Python interpreter");
    }
    interpreter
}

/// Tests run side by side, so threads of numerical libraries would wait for each other.
const ONE_THREAD: [&str; 3] = [
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
];

/// The JSON that a Python script prints for this input on stdin, with more variables in its environment; `None`,
/// reported on stderr, without an interpreter.
#[expect(
    clippy::disallowed_methods,
    reason = "tests ask other programs for the same numbers"
)]
pub fn ask(script: &Path, input: &Value, variables: &[(&str, &Path)]) -> Option<Value> {
    let mut child = Command::new(interpreter()?)
        .arg(script)
        .envs(variables.iter().copied())
        .envs(ONE_THREAD.map(|name| (name, "1")))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("BARECODE_PYTHON is an interpreter");
    let mut stdin = child.stdin.take().expect("stdin is a pipe");
    stdin
        .write_all(input.to_string().as_bytes())
        .expect("the script reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("the script ends");
    assert!(output.status.success(), "{} failed", script.display());
    Some(serde_json::from_slice(&output.stdout).expect("the script prints JSON"))
}
