//! The Python package as Python sees it: each file of tests runs in an interpreter of its own, on the library that was
//! just built.
//!
//! The interpreter is that of `BARECODE_PYTHON`, which has pytest and the libraries whose tables and numbers are compared.

#![expect(
    clippy::disallowed_methods,
    reason = "the tests of Python's side run in Python"
)]

use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use barecode_testing::needs::{interpreter, not_here, skip};

/// A folder that Python imports the package from: the files of `python/barecode`, and the library beside them.
fn package() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder for the package");
    let package = folder.path().join("barecode");
    fs::create_dir(&package).expect("the folder is empty");
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/barecode");
    for entry in fs::read_dir(&sources).expect("the package has files") {
        let path = entry.expect("the package has files").path();
        if let Some(name) = path.file_name().filter(|_| path.is_file()) {
            fs::copy(&path, package.join(name)).expect("the folder takes files");
        }
    }
    symlink(library(), package.join("_barecode.abi3.so")).expect("the folder takes a link");
    folder
}

/// The library, which lies beside this test.
fn library() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let folder = test.parent().expect("a test lies in a folder");
    folder.join("lib_barecode.so")
}

/// Runs pytest in an interpreter that finds the package first.
fn pytest(arguments: &[&str]) {
    let Some(python) = interpreter() else {
        return;
    };
    let package = package();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let run = Command::new(&python)
        .args([
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--import-mode=importlib",
        ])
        .args(arguments)
        .current_dir(root)
        .env("PYTHONPATH", package.path())
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env("BARECODE_PACKAGE", package.path())
        .output()
        .expect("the interpreter starts");
    let text = String::from_utf8_lossy(&run.stdout);
    let skipped = text.lines().filter(|line| line.starts_with("SKIPPED"));
    // The code of a file whose tests were all skipped is that of a file without tests.
    let all_are = run.status.code() == Some(5) && skipped.clone().next().is_some();
    for line in skipped {
        // Of all packages only torch is not installed by `make test`.
        if line.contains("`make test-mteb`") {
            not_here(line);
        } else {
            skip(line);
        }
    }
    assert!(
        run.status.success() || all_are,
        "{text}\n{}",
        String::from_utf8_lossy(&run.stderr)
    );
}

macro_rules! files {
    ($($name:ident)*) => {$(
        #[test]
        fn $name() {
            pytest(&["-rs", concat!("crates/wheel/tests/test_", stringify!($name), ".py")]);
        }
    )*
        const FILES: &[&str] = &[$(concat!("test_", stringify!($name), ".py")),*];
    };
}

files! { scores tables stages programs commands models signals plot typing mteb notebook ray }

#[test]
fn every_file_of_tests_is_run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = fs::read_dir(folder).expect("the folder of this file");
    for file in files {
        let name = file.expect("it has a name").file_name();
        let name = name.to_string_lossy();
        let is_test = name.starts_with("test_") && name.ends_with(".py");
        assert!(!is_test || FILES.contains(&name.as_ref()), "{name}");
    }
}

#[test]
fn examples_of_the_documentation() {
    let modules = ["_commands", "_models", "_plot", "_stages", "programs"];
    let modules = modules.map(|name| format!("barecode.{name}"));
    let mut arguments = vec!["--doctest-modules", "-rs", "--pyargs"];
    arguments.extend(modules.iter().map(String::as_str));
    pytest(&arguments);
}
