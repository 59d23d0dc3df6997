//! What each standard header defines, asked once.
//!
//! Two hundred headers are two hundred starts of a compiler, so the answers are kept as notes beside the
//! verdicts. An answer holds as long as the compiler is the same, and every file that it came from has the size
//! and the time of change that it had. A header that is not there is asked for again: somebody may install it.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use barecode_records::{Digest, Language};
use serde::{Deserialize, Serialize};

use crate::{CheckError, Compiler, Judge};

/// An answer of the compiler, and what it was read from.
#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    macros: String,
    files: Vec<Read>,
}

/// A file that the compiler read: its path, its size in bytes, and when it was changed, in seconds and
/// nanoseconds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Read(PathBuf, u64, i64, i64);

impl Read {
    /// The file as it is now; `None` where it is not there.
    fn now(path: PathBuf) -> Option<Read> {
        let found = fs::metadata(&path).ok()?;
        Some(Read(path, found.len(), found.mtime(), found.mtime_nsec()))
    }
}

impl Judge {
    /// What [`Compiler::header_macros`] says about a header in a language, from the cache where it was asked
    /// before.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when there is no compiler of the language; and when it cannot be run, or
    /// the cache cannot be used.
    pub fn header_macros(
        &self,
        language: Language,
        header: &str,
    ) -> Result<Option<String>, CheckError> {
        let compiler = self.compiler_of(language)?;
        if !self.has_cache() {
            return compiler.header_macros(header);
        }
        let key = Digest::new("header macros")
            .field(compiler.digest())
            .field(header)
            .hex();
        let kept = self.note(&key)?;
        let kept = kept.and_then(|kept| serde_json::from_str::<Kept>(&kept).ok());
        if let Some(Kept { macros, files }) = kept
            && files
                .iter()
                .all(|file| Read::now(file.0.clone()).as_ref() == Some(file))
        {
            return Ok(Some(macros));
        }
        let Some(macros) = compiler.header_macros(header)? else {
            return Ok(None);
        };
        if let Some(files) = files_of(compiler, header)? {
            let kept = Kept { macros, files };
            let note = serde_json::to_string(&kept).expect("an answer is plain data");
            self.keep_note(&key, &note)?;
            return Ok(Some(kept.macros));
        }
        Ok(Some(macros))
    }
}

/// The files that including a header reads; `None` where the compiler does not tell.
fn files_of(compiler: &Compiler, header: &str) -> Result<Option<Vec<Read>>, CheckError> {
    let rule = compiler.preprocess(&format!("#include <{header}>\n"), &["-E", "-M"])?;
    let Some(rule) = rule.and_then(|rule| String::from_utf8(rule).ok()) else {
        return Ok(None);
    };
    // The files of the system have absolute paths; the text itself has none. A path with a space in it is cut
    // in two, and then one of the two is not there.
    let paths = rule
        .split_ascii_whitespace()
        .filter(|word| word.starts_with('/'));
    let files: Option<Vec<Read>> = paths.map(|path| Read::now(path.into())).collect();
    Ok(files.filter(|files| !files.is_empty()))
}
