//! One text in, one verdict out.
//!
//! A [`Judge`] is a [`Compiler`] and its memory. It may be shared by any number of threads, and its memory by
//! any number of processes.

use std::path::Path;

use barecode_records::Digest;
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::{CheckError, Compiler, Object};

/// What the compiler did with a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It compiles.
    Compiled(Object),
    /// It does not.
    Refused {
        /// What the compiler printed, from the first line on, cut to a few lines.
        message: String,
    },
    /// The compiler ran longer than allowed.
    TimeLimit,
    /// The compiler needed more memory than allowed.
    MemoryLimit,
    /// The compiler wrote more than allowed.
    OutputLimit,
}

/// A compiler, and what it said before.
#[derive(Debug)]
pub struct Judge {
    compiler: Compiler,
    digest: String,
    cache: Option<Cache>,
}

impl Judge {
    /// Opens the cache, if one is wanted.
    ///
    /// # Errors
    /// [`CheckError::Cache`] when the file is damaged, not a cache, or cannot be written.
    pub fn new(compiler: Compiler, cache: Option<&Path>) -> Result<Judge, CheckError> {
        let cache = cache.map(Cache::open).transpose()?;
        Ok(Judge {
            digest: compiler.digest(),
            compiler,
            cache,
        })
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Compiles `text`, or remembers what became of it, and looks for `function` in what came out.
    ///
    /// # Errors
    /// When there is no verdict: the disk is full, the compiler is gone, the cache is damaged.
    pub fn judge(&self, text: &str, function: &str) -> Result<Verdict, CheckError> {
        let Some(cache) = &self.cache else {
            return self.compiler.compile(text, function);
        };
        let key = Digest::new("verdict")
            .field(&self.digest)
            .field(text)
            .field(function)
            .hex();
        if let Some(verdict) = cache.get(&key)? {
            return Ok(verdict);
        }
        let verdict = self.compiler.compile(text, function)?;
        cache.put(&key, &verdict)?;
        Ok(verdict)
    }
}
