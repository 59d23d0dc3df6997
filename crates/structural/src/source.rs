//! C and C++ to a rendering.
//!
//! Names that the text declares itself are not interpreted; they are rendered into a field of their own, which
//! retrieval may leave out. The reader collects types and their number, constructs, returned values, literals, the
//! documentation of library functions, the use of parameters (read, written, indexed), and idioms that several
//! constructs form.

mod compute;
mod expressions;
mod grammar;
mod heads;
mod idioms;
mod known_words;
mod literals;
mod operators;
mod parse;
mod results;
mod statements;
mod tree;
mod walk;

pub(crate) use grammar::{has_table, render_tree};

use crate::rendering::Rendering;

/// Renders a text of C or C++: one function, or several of which the last with a body is meant.
///
/// It reads macros as plain names, and text that is not C at all as its tokens.
pub fn render_c(text: &str) -> Rendering {
    let (functions, has_conditions) = parse::read(text);
    walk::walk(&functions, has_conditions)
}
