//! Lowered code to a rendering: assembly of x86-64 and WebAssembly text.
//!
//! Either form is evaluated symbolically: every value knows its origin ([`graph`]). The facts about the function that
//! follow from this are the same for both forms, and are put in words in one module.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the arithmetic of machines wraps around"
)]
#![expect(
    clippy::match_same_arms,
    clippy::struct_excessive_bools,
    clippy::many_single_char_names,
    reason = "instructions and facts stand one by one, whatever is done with them"
)]

mod assembly;
mod effects;
mod facts;
mod graph;
mod instruction;
mod layout;
mod length;
mod operation;
mod phrase;
mod trace;
mod wasm;

use crate::Form;
use crate::rendering::Rendering;

/// Renders the assembly of one x86-64 function, in AT&T or Intel syntax.
pub fn render_assembly(text: &str) -> Rendering {
    let layout = layout::read(text);
    let mut rendering = Rendering::default();
    if !layout.code.is_empty() {
        let trace = assembly::trace(&layout);
        rendering = phrase::render(&facts::gather(&trace), trace.pointer);
        elements(&trace, &mut rendering);
    }
    rendering.form = Form::Assembly;
    rendering
}

/// Renders the text of one WebAssembly function.
pub fn render_wasm(text: &str) -> Rendering {
    let mut rendering = Rendering::default();
    if let Some(trace) = wasm::trace(text) {
        rendering = phrase::render(&facts::gather(&trace), trace.pointer);
        elements(&trace, &mut rendering);
    }
    rendering.form = Form::Wasm;
    rendering
}

/// Adds what is done to the elements of arrays.
fn elements(trace: &trace::Trace, rendering: &mut Rendering) {
    if let Some(effects) = effects::effects(trace) {
        crate::vectors::render(&effects, rendering);
    }
}

#[cfg(test)]
mod tests;
