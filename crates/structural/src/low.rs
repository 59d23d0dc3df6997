//! Lowered code to a rendering: assembly of x86-64 and WebAssembly text.

use crate::rendering::Rendering;

/// Renders the assembly of one x86-64 function, in AT&T or Intel syntax.
pub fn render_assembly(_text: &str) -> Rendering {
    Rendering::default()
}

/// Renders the text of one WebAssembly function.
pub fn render_wasm(_text: &str) -> Rendering {
    Rendering::default()
}
