//! C and C++ to a rendering.
//!
//! Names that the text declares itself say nothing here; they are rendered into a field of their own, which retrieval may
//! leave out. What is read: types and their number, constructs, what is returned, literals, library functions by what their
//! documentation says, which parameter is read, written, indexed, and idioms that several constructs amount to.

mod expressions;
mod heads;
mod idioms;
mod literals;
mod operators;
mod parse;
mod results;
mod statements;
mod tree;
mod walk;

use crate::rendering::Rendering;

/// Renders a text of C or C++: one function, or several of which the last with a body is meant.
///
/// It reads macros as the names that they stand as, and text that is no C at all as the tokens that it has.
pub fn render_c(text: &str) -> Rendering {
    let (functions, has_conditions) = parse::read(text);
    walk::walk(&functions, has_conditions)
}
