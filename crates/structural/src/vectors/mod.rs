//! What a function does to the elements of small arrays: the same for code that is written out element by element,
//! for loops, and for lowered code.
//!
//! Enters: what a function leaves in each element, as an expression over what it read ([`Effects`]). Leaves: the
//! operation as constructs, and the dimensions of what goes in and out ([`Size`](crate::sizes::Size)).

pub(crate) mod asked;
pub(crate) mod value;

mod effects;
mod layout;
mod map;
mod reduce;

use crate::rendering::Rendering;
pub(crate) use effects::{Effects, LOCAL, RESULT, THIS};

/// Adds what the effects are to a rendering.
pub(crate) fn render(effects: &Effects, rendering: &mut Rendering) {
    let computed = layout::of(effects);
    let mut concepts = Vec::new();
    for (array, output) in &computed.outputs {
        map::find(&computed, *array, output, &mut concepts);
    }
    reduce::find(&computed, &mut concepts);
    concepts.sort_unstable();
    concepts.dedup();
    for concept in &concepts {
        rendering.once(*concept);
    }
    let signature = &mut rendering.signature;
    signature.operations = concepts;
    let is_outside = |array: u8| !(LOCAL..RESULT).contains(&array);
    let sizes = computed.sizes.iter();
    for (array, size) in sizes.filter(|(array, _)| is_outside(**array)) {
        if size.iter().product::<u32>() < 2 {
            continue;
        }
        if computed.read.contains(array) {
            signature.sizes_in.push(size.clone());
        }
        if computed.outputs.contains_key(array) {
            signature.sizes_out.push(size.clone());
        }
    }
    for sizes in [&mut signature.sizes_in, &mut signature.sizes_out] {
        sizes.sort_unstable();
    }
}
