//! A module by its tree alone: two texts have the same form if they differ only in layout, comments, quotes,
//! redundant parentheses, and the spelling of numbers and strings.
//!
//! The form is ruff's own tree for comparisons as text, statement by statement; it is meant to be hashed, and is another
//! one with another version of ruff.

use std::fmt::{self, Write};

use ruff_python_ast::comparable::ComparableStmt;

use crate::Module;

impl Module<'_> {
    /// Writes the form. Docstrings are part of it: compare texts without them.
    pub fn write_canonical(&self, out: &mut dyn Write) -> fmt::Result {
        for statement in self.body() {
            writeln!(out, "{:?}", ComparableStmt::from(statement))?;
        }
        Ok(())
    }
}
