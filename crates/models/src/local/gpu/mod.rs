//! Networks on a graphics device: the rows of the first layer to the rows after the last.
//!
//! In comes a network as [`super::network`] describes it, once; then rows of texts, one text after another, as they
//! stand behind the embedding; out go their rows after the last layer.
//! `device` knows memory and kernels and no model; `network` knows which kernels a layer is; the kernels are the
//! WGSL files beside them: `product` (rows times a matrix), `norm`, `attention`, `turn` (rotary positions), `gate`,
//! and `activation`, which stands before those that need it.
//! The one hard thing is the same as on the processor: a text's bits do not depend on its neighbors. Texts stand
//! without padding, every sum adds in an order that depends on the text alone, and there is one kernel for each
//! thing, never another one for more rows.
//!
//! What this does not do: tokens, embeddings and pooling, which take no time worth the way, stay on the processor;
//! numbers have 32 bits; and there is no second device.

mod device;
mod network;

pub(super) use device::{Device, Kind};
pub(super) use network::Network;
