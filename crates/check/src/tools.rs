//! The programs that are installed.
//!
//! For `doctor`: every program that barecode uses, with its purpose and installed version. The version is read with
//! limits on time, memory and output. The programs have access to the user's home, because they are the user's own
//! (and `cargo` may be a proxy that looks there).

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

use crate::confine::{self, Ending, Job, Limits, Sight};
use crate::purpose::find;
use crate::workplace::Workplace;

/// A program that barecode can make use of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The program.
    pub name: String,
    /// Its purpose.
    pub purpose: String,
    /// The first line of its `--version`; `None` if it is not installed or does not answer.
    pub version: Option<String>,
    /// The Debian package that contains it.
    pub package: String,
    /// True if nothing works without it.
    pub required: bool,
}

/// Looks for every program that barecode can make use of, the needed ones first.
pub fn tools() -> Vec<Tool> {
    // Without a folder to work in, no program can be run; compiling will report why.
    let workplace = Workplace::open().ok();
    let known = [
        ("gcc", "gcc", true, "judges whether a C function compiles"),
        (
            "g++",
            "g++",
            false,
            "judges whether a C++ function compiles, and whether C code is also C++",
        ),
        ("git", "git", false, "sources from git"),
        ("cargo", "cargo", false, "sources from Cargo packages"),
        (
            "clang",
            "clang",
            false,
            "the settings wasm, llvm-ir and assembly-clang",
        ),
        (
            WASI,
            "wasi-libc libc++-dev-wasm32",
            false,
            "the setting wasm: the library that clang compiles against",
        ),
        (
            "aarch64-linux-gnu-gcc",
            "g++-aarch64-linux-gnu",
            false,
            "the setting assembly-aarch64",
        ),
        (
            "riscv64-linux-gnu-gcc",
            "g++-riscv64-linux-gnu",
            false,
            "the setting assembly-riscv64",
        ),
    ];
    known
        .into_iter()
        .map(|(name, package, required, purpose)| Tool {
            name: name.to_owned(),
            purpose: purpose.to_owned(),
            version: match name {
                WASI => library(),
                name => find(name).and_then(|program| version(&program, workplace.as_ref())),
            },
            package: package.to_owned(),
            required,
        })
        .collect()
}

/// WASI's library, which is not a program.
const WASI: &str = "wasi-libc";

fn library() -> Option<String> {
    const FOLDER: &str = "/usr/include/wasm32-wasi";
    Path::new(FOLDER)
        .is_dir()
        .then(|| format!("headers in {FOLDER}"))
}

fn version(program: &Path, workplace: Option<&Workplace>) -> Option<String> {
    let scratch = workplace?.scratch().ok()?;
    let limits = Limits {
        seconds: 10,
        wall: Duration::from_secs(20),
        memory_bytes: 8 << 30,
        file_bytes: 1 << 20,
        printed_bytes: 1 << 20,
        kept_bytes: 4096,
    };
    let arguments = [OsStr::new("--version")];
    let job = Job {
        program,
        arguments: &arguments,
        folder: scratch.path(),
        sight: Sight::Everything,
        limits,
    };
    let finished = confine::run(&job).ok()?;
    let line = String::from_utf8_lossy(&finished.stdout)
        .lines()
        .next()?
        .trim()
        .to_owned();
    (finished.ending == Ending::Exited(0)).then_some(line)
}
