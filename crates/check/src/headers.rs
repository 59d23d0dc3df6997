//! The macros that each standard header defines, read from the compiler once.
//!
//! Two hundred headers are two hundred starts of a compiler, so the answers are cached as notes beside the verdicts.
//! An answer holds as long as the compiler is the same, and every file that it was read from has the same size and
//! modification time. A missing header is looked for again: it may have been installed since.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use barecode_records::{Digest, Language};
use serde::{Deserialize, Serialize};

use crate::{CheckError, Judge};

/// An answer of the compiler, and the files that it was read from.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    macros: String,
    files: Vec<Read>,
}

/// A file that the compiler read: its path, its size in bytes, and when it was changed, in seconds and
/// nanoseconds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Read(PathBuf, u64, i64, i64);

/// Macros, and between them the files that were read, as a rule for `make`.
const WITH_FILES: &[&str] = &["-dM", "-E", "-MD", "-MF", "-"];

impl Read {
    /// The file as it is now; `None` if it does not exist.
    fn now(path: PathBuf) -> Option<Read> {
        let found = fs::metadata(&path).ok()?;
        Some(Read(path, found.len(), found.mtime(), found.mtime_nsec()))
    }
}

impl Judge {
    /// The result of [`Compiler::header_macros`](crate::Compiler::header_macros) for a header in a language, from
    /// the cache if it was requested before.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when the compiler of the language is missing; and when it cannot be run, or
    /// the cache cannot be used.
    pub fn header_macros(
        &self,
        language: Language,
        header: &str,
    ) -> Result<Option<String>, CheckError> {
        let compiler = self.compiler_of(language)?;
        if !self.cache.is_wanted() {
            return compiler.header_macros(header);
        }
        let key = Digest::new("header macros")
            .field(compiler.digest())
            .field(header)
            .hex();
        if let Some(Kept { macros, files }) = self.cache.answer(&key)?
            && files
                .iter()
                .all(|file| Read::now(file.0.clone()).as_ref() == Some(file))
        {
            return Ok(Some(macros));
        }
        let Some(answer) = compiler.header_adds(header, WITH_FILES)? else {
            return compiler.header_macros(header);
        };
        let (macros, rule): (Vec<&str>, Vec<&str>) =
            answer.lines().partition(|line| line.starts_with('#'));
        let macros = macros.iter().flat_map(|line| [*line, "\n"]).collect();
        let Some(files) = files_of(&rule) else {
            return Ok(Some(macros));
        };
        let kept = Kept { macros, files };
        self.cache.put_answer(&key, &kept)?;
        Ok(Some(kept.macros))
    }
}

/// The files of a rule for `make`; `None` if one cannot be parsed.
fn files_of(rule: &[&str]) -> Option<Vec<Read>> {
    // The files of the system have absolute paths; the text itself has none. A path with a space in it is cut in
    // two, and then one of the two does not exist.
    let words = rule.iter().flat_map(|line| line.split_ascii_whitespace());
    let paths = words.filter(|word| word.starts_with('/'));
    let files: Option<Vec<Read>> = paths.map(|path| Read::now(path.into())).collect();
    files.filter(|files| !files.is_empty())
}
