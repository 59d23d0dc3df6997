//! The purpose of a compiler, and how to install it.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use crate::CheckConfig;
use crate::dialect::Dialect;
use crate::order::Work;

/// The purpose of a compiler, with its flags.
#[derive(Debug, Clone)]
pub(crate) struct Purpose {
    /// The program, by name or path.
    pub(crate) program: String,
    /// The dialect: `gnu17`.
    pub(crate) standard: String,
    /// Flags that are passed with every call, including queries about the compiler itself: the machine to compile
    /// for.
    pub(crate) machine: Vec<&'static str>,
    /// Flags that are left out where it does not know them.
    pub(crate) wanted: Vec<&'static str>,
    /// Flags without which it is of no use, up to `-x`; the language follows.
    pub(crate) needed: Vec<&'static str>,
    /// The kind of its output for the canary.
    pub(crate) work: Work,
    /// True if its objects are read and compared.
    pub(crate) judges: bool,
    /// Debian's packages that contain it and its library; empty if the package has the program's name.
    pub(crate) packages: &'static str,
}

impl Purpose {
    /// The hint for installing the program.
    pub(crate) fn install_hint(&self) -> String {
        if self.packages.is_empty() {
            install_hint(&self.program)
        } else {
            format!("apt-get install --yes {}", self.packages)
        }
    }

    /// To decide about a language, with the recipe's settings.
    pub(crate) fn judge(config: &CheckConfig, dialect: &Dialect) -> Purpose {
        Purpose {
            program: (dialect.program)(config).clone(),
            standard: (dialect.standard)(config).clone(),
            machine: Vec::new(),
            wanted: dialect.wanted.to_vec(),
            needed: NEEDED.to_vec(),
            work: Work::Object,
            judges: true,
            packages: "",
        }
    }
}

/// Flags that every compiler must accept; the language follows.
const NEEDED: &[&str] = &["-O0", "-g0", "-c", "-pipe", "-x"];

/// The program as a path: a name is looked for in `PATH`.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let executable = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return std::path::absolute(program).ok().filter(executable);
    }
    if program.is_empty() {
        return None;
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(executable)
}

/// The hint for installing a compiler.
pub(crate) fn install_hint(program: &str) -> String {
    match Path::new(program).file_name().and_then(OsStr::to_str) {
        Some(name @ ("clang" | "clang++" | "g++")) => {
            format!(
                "apt-get install --yes {} libc6-dev",
                name.replace("clang++", "clang")
            )
        }
        _ => "apt-get install --yes gcc libc6-dev".to_owned(),
    }
}
