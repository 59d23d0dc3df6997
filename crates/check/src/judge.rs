//! One text in, one verdict out.

use std::path::Path;

use serde::{Deserialize, Serialize};

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
}

impl Judge {
    /// Opens the cache, if one is wanted.
    pub fn new(_compiler: Compiler, _cache: Option<&Path>) -> Result<Judge, CheckError> {
        todo!()
    }

    /// The compiler.
    pub fn compiler(&self) -> &Compiler {
        &self.compiler
    }

    /// Compiles `text` and looks for `function` in what came out.
    pub fn judge(&self, _text: &str, _function: &str) -> Result<Verdict, CheckError> {
        todo!()
    }
}
